// SPDX-License-Identifier: Apache-2.0
// Forms: terms (spec/hlo/terms.h) up to laws. Terms that the laws make equal have, as often as we
// can find out, one form. Terms with one form are equal, always.
//
//     subtract(i, i)                               0
//     add(j, add(i, i))                            2 i + j            integers are sums modulo 2^w
//     select(p, 1, 0) and convert(p)               [p]                1 if p holds, else 0
//     not(and(p, q)) and or(not(p), not(q))        not (p and q)
//     minimum(maximum(x, lo), hi)                  clamp(lo, x, hi)
//     dynamic-slice(concatenate(x, y), i)          one of x[0], x[1], y[0], .. by the clamped i
//     reduce(x, 0), add                            bag {x[0], x[1], ..}: 0 counts nothing
//
// A law that changes floating-point results is applied only if it is asked for (Laws).
//
// The laws of integers are those of arithmetic modulo 2^w. A signed and an unsigned number with the
// same bits have one form; what reads the sign (compare, divide, convert) says so in its symbol.
// Source: XLA operation semantics. docs/equiv.md says what equal means.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/hlo/terms.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/element_type.h"

namespace tileproof::verify {

// Laws that some caller may not want.
enum class ValueLaw : uint8_t {
  kReductionOrder,   // the operands of a reduction in any order; nested reductions; identities
  kReciprocal,       // x / y = x * (1 / y)
  kZero,             // 0 * x = 0, x + 0 = x
  kExpansion,        // rsqrt, expm1, log1p, logistic, squares, .. by what defines them
  kExcessPrecision,  // a conversion to fewer bits and back is nothing; sums are rounded once
  kComparison,       // what `a < b ? b : a` chooses is the maximum; sorts order numbers
  kReal,             // sums and products as those of real numbers
};
inline constexpr ValueLaw kLaws[] = {
    ValueLaw::kReductionOrder,  ValueLaw::kReciprocal, ValueLaw::kZero, ValueLaw::kExpansion,
    ValueLaw::kExcessPrecision, ValueLaw::kComparison, ValueLaw::kReal};
absl::string_view name_of(ValueLaw law);
absl::string_view meaning_of(ValueLaw law);
// "order", "approximate" or "real": from those that change little to those that change more.
absl::string_view level_of(ValueLaw law);

using Laws = std::set<ValueLaw>;
// Names of laws, and levels: `exact`, which has none, and those of level_of, each with those before
// it. Errors: another name.
absl::StatusOr<Laws> laws_named(absl::Span<const std::string> names);
using FormId = uint32_t;

// The text of a symbol: a function of indexes, then each of them and what is in its place.
inline constexpr absl::string_view kAt = "at";
// What begins the text of a function of points at all indexes, of a sum in any order, and of one of real numbers.
inline constexpr absl::string_view kAllOver = "all ", kSumInAnyOrder = "all in any order add ",
                                   kRealSumOver = "all real";
// What begins a fold: what a step makes of the leaves so far, then the inits, what stands for the first leaf so
// far, and the indexes of a step. It is the first leaf.
inline constexpr absl::string_view kFold = "all one after another";
// What begins one of points that do not exist: adding them adds nothing.
inline constexpr absl::string_view kNoPoint = "no ";
// The symbol of a predicate: an integer is 0.
inline constexpr absl::string_view kEqualsZero = "equals-zero";

struct Form {
  enum class Kind : uint8_t {
    kElement,      // of a parameter
    kConstant,     // number: bits of an integer, or of a double
    kSum,          // of an integer type: number + the operands, each times its factor
    kProduct,      // of integers
    kTruth,        // the integer 1 if the predicate holds, else 0
    kAnd,          // of predicates
    kXor,          // of predicates, and of `true` if number is 1
    kApply,        // the symbol says the function; `number` as well
    kBag,          // floating-point operands in any order
    kRealSum,      // number + the operands, each times its factor; all are bits of doubles
    kRealProduct,  // of the operands, each to the power of its factor
    kChoose,       // offsets, then choices; `number` of them are offsets
    kOfArrays,     // as kApply, of functions from an index: each operand is any element. A sum over
                   // indexes: the last `number` operands
  };
  Kind kind = Kind::kConstant;
  ElementType type = ElementType::kOpaque;  // unsigned, if it is an integer
  uint32_t symbol = 0;
  uint32_t hash = 0;
  int64_t number = 0;
  uint64_t first = 0;
  uint32_t count = 0;    // of operands
  uint64_t offsets = 0;  // bits of offsets that it may hold: see Forms::given_all
  bool chooses = false;  // holds a predicate, or a maximum that one may choose: see Forms::where
};

// Each order of the positions that gives the sizes in the same order: the smallest first, or as they
// are.
std::vector<std::vector<size_t>> orders_of(const Dims& sizes, bool any_order);

class Forms {
 public:
  // `work` is counted down by one for about each form that is looked at. Below 0, forms mean
  // nothing.
  Forms(spec::Terms& terms, Laws laws, int64_t work)
      : terms_(terms), laws_(std::move(laws)), work_(work), known_(0, Hash{this}, Equal{this}) {}
  Forms(const Forms&) = delete;

  FormId of(spec::TermId term);
  bool has(ValueLaw law) const { return laws_.contains(law); }
  bool is_exhausted() const { return work_ < 0; }
  void allow(int64_t work) {  // for what comes next
    was_exhausted_ |= is_exhausted();
    work_ = work;
  }
  bool was_exhausted() const { return was_exhausted_; }
  int64_t work() const { return work_; }  // that is left

  const Form& at(FormId id) const { return forms_[id]; }
  absl::Span<const FormId> operands(FormId id) const {
    return {pool_.data() + forms_[id].first, forms_[id].count};
  }
  absl::Span<const int64_t> factors(FormId id) const {  // of a sum
    return {factors_.data() + forms_[id].first, forms_[id].count};
  }
  const std::string& symbol(FormId id) const { return symbols_[forms_[id].symbol]; }
  std::string text(FormId id) const;
  // Whether it is a short sum of products, as real numbers.
  bool is_short_sum(spec::TermId term);
  // Forms that differ by real numbers alone have the same: of sums that are rounded here and there.
  uint32_t outline(FormId id);
  bool is_negated(FormId id) const;
  FormId negation(FormId a) { return differ({a}, true); }
  // What a form is where a predicate holds that is no conjunction.
  FormId where(FormId form, FormId holds);
  // A predicate that decides something in one of the forms, and in which nothing else is decided.
  std::optional<FormId> choice_in(absl::Span<const FormId> forms);
  // The square of the number of what is decided in the forms.
  int64_t pairs_of_choices(absl::Span<const FormId> forms);
  // Whether they are one real number in each case of what predicates decide. Takes half of the work at most.
  bool are_equal_in_cases(FormId a, FormId b);
  bool is_real_truth(FormId id) const;  // 1 if a predicate holds, else 0: a select

  // Values that an integer form can have at most, as a signed number if `is_signed`.
  struct Range {
    absl::int128 low = 0;
    absl::int128 high = 0;
  };
  Range range(FormId id, bool is_signed);

 private:
  using Kind = Form::Kind;
  using Ids = std::vector<FormId>;
  using Scaled = std::vector<std::pair<FormId, int64_t>>;  // forms and factors
  struct Hash {
    const Forms* forms;
    size_t operator()(FormId id) const { return forms->forms_[id].hash; }
  };
  struct Equal {
    const Forms* forms;
    bool operator()(FormId a, FormId b) const { return forms->same(a, b); }
  };

  bool is_real(ElementType type) const;  // whether kReal is about it: a type that is known
  bool same(FormId a, FormId b) const;
  uint32_t symbol_number(absl::string_view text);
  FormId intern(Form form, absl::Span<const FormId> operands,
                absl::Span<const int64_t> factors = {});
  bool symbol_is(FormId id, absl::string_view name) const {
    return forms_[id].kind == Kind::kApply && symbol(id) == name;
  }
  FormId apply(absl::string_view symbol, ElementType type, absl::Span<const FormId> operands,
               int64_t number = 0);
  // The same for operands whose order and number of times do not count.
  FormId apply_set(absl::string_view symbol, ElementType type, Ids operands);

  // ---- Integers (integer_forms.cc) ----
  FormId integer(ElementType type, int64_t bits);
  std::optional<int64_t> constant_of(FormId id) const;  // bits
  FormId sum(ElementType type, int64_t number, Scaled terms);
  FormId plus(FormId a, FormId b, int64_t factor = 1);
  FormId scaled(FormId a, int64_t factor);
  FormId product(FormId a, FormId b);
  FormId product_of_terms(FormId a, FormId b);
  struct Extreme {
    bool is_max = false, is_signed = false;
    bool operator==(const Extreme&) const = default;
  };
  std::optional<Extreme> extreme_of(FormId id) const;  // if it is a maximum or a minimum
  FormId extreme(bool is_max, bool is_signed, ElementType type, const Ids& operands);
  std::optional<FormId> extreme_of_turned(bool is_max, bool is_signed, ElementType type,
                                          const Ids& all);
  std::optional<FormId> parts_are_zero(FormId sum);
  FormId bitwise(HloOpcode opcode, ElementType type, const Ids& operands);
  bool fit(const Ids& all, ElementType type);
  FormId resized(FormId a, ElementType type, bool is_signed);
  std::optional<FormId> narrow_extreme(FormId a, ElementType type);
  int64_t merge_divisions(ElementType type, Ids& ids, std::vector<int64_t>& factors);
  std::optional<FormId> quotient_of_multiple(FormId a, FormId b);
  FormId quotient(FormId a, FormId b);
  FormId of_magnitude(FormId a, absl::FunctionRef<FormId(FormId)> f);
  std::optional<std::pair<FormId, FormId>> constant_moved(FormId a, FormId b, bool is_signed);
  FormId less(FormId a, FormId b, bool is_signed);
  FormId near(FormId a, bool is_signed, Range wanted);
  FormId near(FormId a, FormId b);
  bool fits(FormId a, ElementType type, bool is_signed);
  std::optional<FormId> equals_narrow(FormId a, FormId b);
  FormId equals(FormId a, FormId b);
  std::optional<FormId> is_zero(FormId difference);
  FormId apply_integers(const spec::Symbol& f, const Ids& a);
  std::optional<FormId> rebuilt_of_integers(FormId id, const Ids& operands);
  Range computed_range(FormId id, bool is_signed);
  Range range_of_one(const Ids& choices, bool is_signed);
  Range range_of_fold(FormId id, bool is_signed);
  void add_choices(FormId form, Ids& choices);
  std::optional<Range> range_of_sum(FormId id, bool is_signed);  // if it does not wrap
  Range seen_as(Range range, ElementType type, bool is_signed) const;

  // ---- Predicates (predicate_forms.cc) ----
  FormId truth(FormId predicate, ElementType type);
  FormId boolean(bool value) { return integer(ElementType::kPred, value ? 1 : 0); }
  std::optional<FormId> solved(FormId zero, FormId x);
  std::optional<bool> decided_by(FormId equality, FormId comparison);
  bool keep_ends(Ids& all);
  FormId both(Ids operands);
  FormId either(Ids operands);
  FormId differ(const Ids& operands, bool value = false);
  FormId select(FormId predicate, FormId yes, FormId no);
  Ids choices_in(FormId form);
  FormId apply_predicates(const spec::Symbol& f, const Ids& a);

  // ---- Choices by offsets (choice_forms.cc) ----
  FormId choose(const spec::Symbol& read, absl::Span<const spec::TermId> offsets,
                const Ids& operands);
  FormId chosen(Ids offsets, std::vector<int64_t> sizes, Ids table);
  std::optional<FormId> one_exception(const Ids& offsets, const std::vector<int64_t>& sizes,
                                      const Ids& table);
  FormId given_all(FormId form, FormId offset, int64_t value);
  FormId rebuilt_all(FormId form, absl::FunctionRef<bool(FormId)> is_whole,
                     absl::FunctionRef<FormId(FormId)> put);
  FormId rebuilt(FormId form, const Ids& operands);
  std::optional<FormId> rebuilt_of_floats(FormId id, const Ids& operands);
  uint64_t bit_of(FormId offset);

  // ---- Floating-point numbers (float_forms.cc) ----
  FormId number(ElementType type, double value);
  std::optional<double> number_of(FormId id) const;
  FormId minus(FormId a);
  bool is_turned(FormId a) const;  // minus another form
  bool is_whole(FormId a) const;
  bool is_ordered(FormId id) const;
  bool is_magnitude(FormId id) const;
  bool is_nonnegative(FormId a);
  FormId add(FormId a, FormId b);
  FormId multiply(FormId a, FormId b);
  FormId divide(FormId a, FormId b);
  FormId rounded(FormId a, ElementType type);
  FormId before_widening(FormId a);
  FormId float_extreme(bool is_max, ElementType type, const Ids& operands);
  FormId bag(const std::string& symbol, HloOpcode opcode, ElementType type, const Ids& operands);
  std::optional<FormId> where_chosen(const Ids& a, absl::FunctionRef<FormId(const Ids&)> f);
  FormId apply_floats(const spec::Symbol& f, const Ids& a);
  FormId compare_floats(const spec::Symbol& f, const Ids& a);
  std::optional<FormId> total_order(const spec::Symbol& f, const Ids& a);
  bool is_finite(FormId predicate, FormId a);
  std::optional<FormId> chosen_extreme(FormId predicate, FormId yes, FormId no);
  FormId is_less(FormId a, FormId b);
  FormId ordered_where(FormId a, FormId holds);
  bool implies_at_most(FormId predicate, FormId a, FormId b) const;
  bool is_order(FormId predicate, absl::string_view direction, FormId a, FormId b) const;

  // ---- Real numbers (real_forms.cc) ----
  struct RealSum {
    double number = 0;
    std::vector<std::pair<FormId, double>> terms;
  };
  RealSum real_sum_of(FormId id) const;
  Scaled powers_of(FormId id) const;
  FormId real_sum(ElementType type, const std::vector<std::pair<FormId, double>>& terms);
  FormId real_monomial(ElementType type, FormId a, FormId b);
  FormId real_powers(ElementType type, const std::map<FormId, int64_t>& powers);
  std::optional<FormId> joined_powers(ElementType type, std::map<FormId, int64_t> powers);
  FormId real_product(FormId a, FormId b);
  FormId real_exponential(FormId a);
  std::optional<double> shared_factor(const Ids& all) const;
  std::optional<FormId> real_extreme(bool is_max, ElementType type, const Ids& all);
  FormId real_inverse(FormId a);
  FormId real_where(FormId a, FormId predicate, bool holds);

  // ---- Real numbers in cases (real_cases.cc) ----
  std::set<FormId> compared_in(FormId form);
  Ids unconnected_parts(FormId sum);
  struct Left {
    int64_t cases = 0, work = 0;
  };
  std::optional<FormId> in_all_cases(FormId sum, Left& left);

  // ---- Sums over indexes (index_forms.cc) ----
  bool is_of_arrays(FormId id, absl::string_view name) const;
  FormId without_indexes(FormId id) const;  // of a function at indexes, the function
  // Whether it is a sum whose text begins so, or one at indexes.
  bool is_sum_over(FormId id, absl::string_view name) const {
    return is_of_arrays(without_indexes(id), name);
  }
  std::optional<int64_t> index_size(FormId id) const;
  Ids bound_in(FormId id);
  const Ids& indexes_in(FormId form);
  FormId index_named(absl::string_view name, FormId like);
  struct FixedIndex {
    FormId index = 0, product = 0;
  };
  std::optional<FixedIndex> fixed_index(FormId product, const Ids& indexes);
  struct SumPoints {
    FormId point = 0;
    Ids indexes;
  };
  SumPoints points_of(FormId sum, FormId product);
  FormId sum_over(FormId product, const Ids& indexes);
  FormId real_sum_over(FormId point, const Ids& indexes);
  FormId over_indexes(const Form& form, const Ids& operands);
  int64_t height_of(FormId form);
  FormId at_indexes(FormId form, const Ids& pairs);
  FormId replaced(FormId form, absl::flat_hash_map<FormId, FormId> put,
                  absl::FunctionRef<std::optional<FormId>(FormId)> whole);
  FormId function_at(FormId function, const Ids& pairs);

  // ---- Terms (forms.cc) ----
  FormId compute(spec::TermId term);
  FormId apply_symbol(const spec::Symbol& f, const Ids& a);
  bool adds_nothing(FormId point) const;
  std::optional<FormId> sort_of_keys(spec::TermId term, const Ids& operands);
  struct SortedPart {
    int64_t keys = 0, length = 0;
    absl::Span<const FormId> elements = {};  // that this part of the sort puts in order
  };
  std::optional<SortedPart> sorted_part(FormId id) const;
  std::optional<FormId> sorted_along(FormId offset, const Ids& table);
  FormId sorted(int64_t keys, int64_t part, ElementType type, int64_t number, const Ids& operands);
  FormId order_of_numbers(FormId order, ElementType type);
  FormId number_in_order(Ids all, bool rises, int64_t place);
  std::optional<FormId> in_order(const spec::Symbol& sort, const Ids& operands, int64_t number);
  std::optional<FormId> parts_of_bits(const spec::Symbol& f, const Ids& a, int64_t number);
  std::optional<bool> sign_of_exact(FormId a);
  FormId bits_of(FormId a, ElementType type);
  FormId converted(FormId a, ElementType from, ElementType to);
  FormId converted_to_float(FormId a, ElementType from, ElementType type);
  FormId bag_of(const spec::Symbol& f, Ids operands);

  // ---- Complex numbers (complex_forms.cc) ----
  FormId complex(ElementType type, FormId real, FormId imaginary);
  FormId part_of_complex(FormId a, bool is_imaginary);
  bool expands_complex() const;
  FormId complex_product(FormId a, FormId b);
  std::optional<FormId> apply_complex(const spec::Symbol& f, const Ids& a);
  FormId bag_of_complex(const spec::Symbol& f, const Ids& a);

  spec::Terms& terms_;
  Laws laws_;
  int64_t work_;
  bool was_exhausted_ = false;
  std::vector<Form> forms_;
  std::vector<FormId> pool_;
  std::vector<int64_t> factors_;  // beside pool_
  std::vector<std::string> symbols_;
  absl::flat_hash_map<std::string, uint32_t> symbol_numbers_;
  absl::flat_hash_set<FormId, Hash, Equal> known_;
  absl::flat_hash_map<spec::TermId, FormId> of_term_;
  absl::flat_hash_map<spec::SymbolId, uint32_t> of_symbol_;  // opaque ones
  absl::flat_hash_map<std::pair<FormId, bool>, Range> ranges_;
  absl::flat_hash_map<FormId, uint64_t> offset_bits_;
  absl::node_hash_map<FormId, Ids> indexes_in_;  // its elements stay where they are
  absl::flat_hash_map<FormId, int64_t> heights_;
  absl::flat_hash_map<FormId, uint32_t> outlines_;
};

}  // namespace tileproof::verify
