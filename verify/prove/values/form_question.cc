// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/values/form_question.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "spec/hlo/float_arithmetic.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/lang/base/operands_first.h"
#include "verify/prove/values/bits.h"

namespace tileproof::verify {

using Kind = Form::Kind;

namespace {

class Question {
 public:
  explicit Question(const Forms& forms)
      : forms_(forms), is_real_(forms.has(ValueLaw::kReal) || forms.has(ValueLaw::kComparison)) {}

  FormQuestion of(const std::vector<std::pair<FormId, FormId>>& pairs) {
    std::vector<std::string> differ;
    for (const auto& [a, b] : pairs) {
      define(a);
      define(b);
      differ.push_back(absl::StrCat("(not (= ", name(a), " ", name(b), "))"));
    }
    std::string distinct;
    for (const auto& [sort, names] : constants_) {
      if (names.size() > 1) {
        absl::StrAppend(&distinct, "(assert (distinct ", absl::StrJoin(names, " "), "))\n");
      }
    }
    for (const auto& [type, places] : places_) {
      absl::StrAppend(&distinct, places_of(std::string(info(type).name), places));
    }
    for (const auto& [infinity, compare] : infinities_) {
      for (const std::string& one : reals_) {
        absl::StrAppend(&distinct, "(assert (", compare, " ", one, " ", infinity, "))\n");
      }
    }
    const std::string goal =
        differ.size() == 1 ? differ[0] : absl::StrCat("(or ", absl::StrJoin(differ, " "), ")");
    return {absl::StrCat(is_real_ ? "(set-logic ALL)\n" : "(set-logic QF_UFBV)\n", declarations_,
                         definitions_, distinct, "(assert ", goal, ")\n"),
            elements_};
  }

  // The forms that lead to it, operands first.
  bool define(FormId id, int64_t* left = nullptr) {
    return operands_first(
        id,
        [&](FormId at) {
          const bool is_whole = forms_.at(at).kind == Kind::kOfArrays;
          return is_whole ? absl::Span<const FormId>() : forms_.operands(at);
        },
        [&](FormId at) { return defined_.contains(at); },
        [&](FormId at) {
          define_one(at);
          if (left != nullptr) *left -= 1 + forms_.at(at).count;
        },
        [&] { return left == nullptr || *left >= 0; });
  }

 private:
  void define_one(FormId id) {
    defined_.insert(id);
    const std::string body = text(id);
    if (body.empty()) return;
    declare(id);
    absl::StrAppend(&definitions_, "(assert (= ", name(id), " ", body, "))\n");
  }

  void declare(FormId id) {
    const std::string type = sort(forms_.at(id).type);
    absl::StrAppend(&declarations_, "(declare-const ", name(id), " ", type, ")\n");
    if (type == "Real") reals_.push_back(name(id));
  }

  // By the order in which forms are met: equal questions about others have equal texts.
  std::string name(FormId id) {
    return absl::StrCat("v", numbers_.try_emplace(id, numbers_.size()).first->second);
  }

  std::string sort(ElementType type) {
    if (type == ElementType::kPred) return "Bool";
    if (spec::is_integer(type)) return absl::StrCat("(_ BitVec ", width_of(type), ")");
    if (is_real_ && spec::float_format(type)) return "Real";
    const std::string name = absl::StrCat("Any_", info(type).name);
    if (sorts_.insert(name).second) {
      absl::StrAppend(&declarations_, "(declare-sort ", name, " 0)\n");
    }
    return name;
  }

  static std::string bits(ElementType type, int64_t value) {
    return absl::StrCat("(_ bv", static_cast<uint64_t>(masked(type, value)), " ", width_of(type),
                        ")");
  }

  std::string all(absl::string_view function, FormId id) {
    std::string text = absl::StrCat("(", function);
    for (const FormId operand : forms_.operands(id)) absl::StrAppend(&text, " ", name(operand));
    return text + ")";
  }

  std::string folded(absl::string_view function, FormId id) {
    const auto operands = forms_.operands(id);
    std::string text = name(operands[0]);
    for (size_t k = 1; k < operands.size(); ++k) {
      text = absl::StrCat("(", function, " ", text, " ", name(operands[k]), ")");
    }
    return text;
  }

  // A function of these operands that nothing is known of.
  std::string unknown(FormId id) {
    const Form& form = forms_.at(id);
    std::string key =
        absl::StrCat(forms_.symbol(id), " ", form.number, " ", static_cast<int>(form.kind));
    std::vector<std::string> sorts;
    for (const FormId operand : forms_.operands(id)) sorts.push_back(sort(forms_.at(operand).type));
    absl::StrAppend(&key, " (", absl::StrJoin(sorts, " "), ") ", sort(form.type));
    const auto [at, is_new] = functions_.try_emplace(key, functions_.size());
    const std::string function = absl::StrCat("f", at->second);
    if (is_new) {
      absl::StrAppend(&declarations_, "(declare-fun ", function, " (", absl::StrJoin(sorts, " "),
                      ") ", sort(form.type), ")\n");
    }
    if (form.count == 0) return function;
    const std::string& symbol = forms_.symbol(id);
    if (form.count == 2 && (symbol == "add" || symbol == "multiply")) {  // in either order
      const std::string a = name(forms_.operands(id)[0]), b = name(forms_.operands(id)[1]);
      absl::StrAppend(&definitions_, "(assert (= (", function, " ", a, " ", b, ") (", function, " ",
                      b, " ", a, ")))\n");
    }
    return all(function, id);
  }

  std::string extreme(FormId id, absl::string_view compare) {
    const auto operands = forms_.operands(id);
    std::string text = name(operands[0]);
    for (size_t k = 1; k < operands.size(); ++k) {
      const std::string other = name(operands[k]);
      text =
          absl::StrCat("(let ((m ", text, ")) (ite (", compare, " m ", other, ") m ", other, "))");
    }
    return text;
  }

  // A sum in any order. Operands that are zero count nothing: of all devices, say, one alone may have
  // the element. Of the sum of two others nothing is known.
  std::string bag(FormId id) {
    const ElementType type = forms_.at(id).type;
    const auto operands = forms_.operands(id);
    const auto zero = zeros_.find(type);
    const bool may_be_zero = std::ranges::any_of(operands, [&](FormId one) {
      return forms_.at(one).kind == Kind::kApply && forms_.symbol(one) == "select";
    });
    if (!absl::StartsWith(forms_.symbol(id), "add") || !may_be_zero || zero == zeros_.end()) {
      return unknown(id);
    }
    const std::string plus = absl::StrCat("plus_", info(type).name);
    if (sorts_.insert(plus).second) {
      absl::StrAppend(&declarations_, "(declare-fun ", plus, " (", sort(type), " ", sort(type),
                      ") ", sort(type), ")\n");
    }
    std::string text = name(operands[0]);
    for (const FormId operand : operands.subspan(1)) {
      const std::string next = name(operand);
      text = absl::StrCat("(let ((s ", text, ")) (ite (= s ", zero->second, ") ", next,
                          " (ite (= ", next, " ", zero->second, ") s (", plus, " s ", next, "))))");
    }
    return text;
  }

  // The one of choices[low, high) that the offset numbers, counted from `first`: halves of halves.
  static void append_choice(const std::string& offset, const std::vector<std::string>& choices,
                            size_t first, size_t low, size_t high, std::string& text) {
    if (high - low == 1) {
      text += choices[low];
      return;
    }
    const size_t middle = low + (high - low) / 2;
    absl::StrAppend(&text, "(ite (bvult ", offset, " ",
                    bits(ElementType::kU64, static_cast<int64_t>(middle - first)), ") ");
    append_choice(offset, choices, first, low, middle, text);
    text += ' ';
    append_choice(offset, choices, first, middle, high, text);
    text += ')';
  }

  std::string choice(FormId id) {
    const Form& form = forms_.at(id);
    const auto operands = forms_.operands(id);
    const size_t offsets = form.number;
    std::vector<int64_t> sizes;
    for (const absl::string_view size : absl::StrSplit(forms_.symbol(id), ' ')) {
      int64_t value = 0;
      if (absl::SimpleAtoi(size, &value)) sizes.push_back(value);
    }
    // Nested from the first offset to the last.
    std::vector<std::string> choices;
    for (size_t k = offsets; k < operands.size(); ++k) choices.push_back(name(operands[k]));
    for (size_t d = offsets; d-- > 0;) {
      std::vector<std::string> merged;
      for (size_t first = 0; first < choices.size(); first += sizes[d]) {
        std::string one;
        append_choice(name(operands[d]), choices, first, first, first + sizes[d], one);
        merged.push_back(std::move(one));
      }
      choices = std::move(merged);
    }
    return choices[0];
  }

  // The integer that a form is, as a sum: how often a product counts, where predicates hold.
  using Part = std::pair<std::set<FormId>, std::vector<FormId>>;
  using Parts = std::map<Part, int64_t>;

  static void add(Parts& parts, const Part& part, int64_t count, ElementType type) {
    int64_t& sum = parts[part];
    sum = masked(type,
                 static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(count)));
    if (sum == 0) parts.erase(part);
  }

  Parts parts_of(FormId id) const {
    Parts parts;
    const bool is_sum = forms_.at(id).kind == Kind::kSum;
    if (is_sum && forms_.at(id).number != 0) parts[{}] = forms_.at(id).number;
    for (size_t k = 0; k < (is_sum ? forms_.at(id).count : 1); ++k) {
      const FormId term = is_sum ? forms_.operands(id)[k] : id;
      const bool is_product = forms_.at(term).kind == Kind::kProduct;
      Part part;
      for (const FormId one : is_product ? forms_.operands(term) : absl::MakeConstSpan(&term, 1)) {
        const bool is_truth = forms_.at(one).kind == Kind::kTruth;
        if (!is_truth) part.second.push_back(one);
        if (!is_truth) continue;
        const auto holds = forms_.operands(one);
        const bool are_many = forms_.at(holds[0]).kind == Kind::kAnd;
        const auto all = are_many ? forms_.operands(holds[0]) : holds;
        part.first.insert(all.begin(), all.end());
      }
      add(parts, part, is_sum ? forms_.factors(id)[k] : 1, forms_.at(id).type);
    }
    return parts;
  }

  // The predicate whose opposite it is.
  std::optional<FormId> opposite_of(FormId id) const {
    const Form& form = forms_.at(id);
    const bool is_opposite = form.kind == Kind::kXor && form.number == 1 && form.count == 1;
    return is_opposite ? std::optional(forms_.operands(id)[0]) : std::nullopt;
  }

  // The sum where all of these predicates hold, or where not all do.
  Parts given(const Parts& parts, const std::set<FormId>& all, bool hold, ElementType type) const {
    Parts left;
    for (const auto& [part, count] : parts) {
      Part rest{{}, part.second};
      bool is_opposed = false;  // by one of them
      for (const FormId one : part.first) {
        const bool is_opposite = std::ranges::any_of(all, [&](FormId other) {
          return opposite_of(one) == other || opposite_of(other) == one;
        });
        is_opposed = is_opposed || is_opposite;
        if (hold ? !all.contains(one) : !is_opposite || all.size() > 1) rest.first.insert(one);
      }
      const bool is_zero = hold ? is_opposed : std::ranges::includes(part.first, all);
      if (!is_zero) add(left, rest, count, type);
    }
    return left;
  }

  // The forms of selects are sums, y + [p] (x - y). The solver reads them as selects again.
  std::string sum(const Parts& parts, ElementType type) {
    constexpr size_t kLong = 64;
    std::map<std::vector<FormId>, int> times;
    for (const auto& [part, count] : parts) ++times[part.second];
    std::set<std::pair<size_t, std::set<FormId>>> choices;  // those of few predicates first
    for (const auto& [part, count] : parts) {
      if (times[part.second] == 1 || parts.size() > kLong) continue;
      for (const FormId one : part.first) choices.insert({1, {opposite_of(one).value_or(one)}});
      if (part.first.size() > 1) choices.insert({part.first.size(), part.first});
    }
    for (const auto& [_, all] : choices) {
      const Parts yes = given(parts, all, true, type), no = given(parts, all, false, type);
      if (yes.size() + no.size() > parts.size()) continue;
      std::string holds;
      for (const FormId one : all) absl::StrAppend(&holds, " ", name(one));
      return absl::StrCat("(ite (and", holds, ") ", sum(yes, type), " ", sum(no, type), ")");
    }
    std::string text = parts.empty() ? bits(type, 0) : "";
    for (const auto& [part, count] : parts) {
      std::string one = part.second.empty() ? bits(type, count) : name(part.second[0]);
      for (size_t k = 1; k < part.second.size(); ++k) {
        one = absl::StrCat("(bvmul ", one, " ", name(part.second[k]), ")");
      }
      if (count != 1 && !part.second.empty()) {
        one = count == masked(type, -1) ? absl::StrCat("(bvneg ", one, ")")
                                        : absl::StrCat("(bvmul ", bits(type, count), " ", one, ")");
      }
      std::string holds;
      for (const FormId predicate : part.first) absl::StrAppend(&holds, " ", name(predicate));
      if (!holds.empty())
        one = absl::StrCat("(ite (and", holds, ") ", one, " ", bits(type, 0), ")");
      text = text.empty() ? one : absl::StrCat("(bvadd ", text, " ", one, ")");
    }
    return text;
  }

  // Of a finite number.
  static std::string real(double x) {
    if (x < 0) return absl::StrCat("(- ", real(-x), ")");
    double below = 1;
    for (; x != std::trunc(x); x *= 2) below *= 2;
    return absl::StrFormat("(/ %.1f %.1f)", x + 0.0, below);  // 0 has no sign
  }

  std::string real_sum(FormId id) {
    const Form& form = forms_.at(id);
    std::string text = absl::StrCat("(+ ", real(std::bit_cast<double>(form.number)));
    for (size_t k = 0; k < form.count; ++k) {
      const auto factor = std::bit_cast<double>(forms_.factors(id)[k]);
      absl::StrAppend(&text, " (* ", real(factor), " ", name(forms_.operands(id)[k]), ")");
    }
    return text + ")";
  }

  // Predicates among the factors, as [p] for 1 or 0, and a function of the others.
  std::string real_product(FormId id) {
    const auto operands = forms_.operands(id);
    const std::string type = sort(forms_.at(id).type);
    std::string predicates, others, sorts, key = "product";
    size_t count = 0;
    int64_t last = 0;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (forms_.is_real_truth(operands[k])) {
        absl::StrAppend(&predicates, " ", name(forms_.operands(operands[k])[0]));
        continue;
      }
      ++count;
      last = forms_.factors(id)[k];
      absl::StrAppend(&key, " ", last);
      absl::StrAppend(&others, count == 1 ? "" : " ", name(operands[k]));
      absl::StrAppend(&sorts, " ", type);
    }
    if (count == 0) others = "1.0";
    if (count > 1 || (count == 1 && last != 1)) {
      const auto [at, is_new] = functions_.try_emplace(key, functions_.size());
      const std::string function = absl::StrCat("f", at->second);
      if (is_new) {
        absl::StrAppend(&declarations_, "(declare-fun ", function, " (", sorts, ") ", type, ")\n");
      }
      others = absl::StrCat("(", function, " ", others, ")");
    }
    return predicates.empty() ? others
                              : absl::StrCat("(ite (and", predicates, ") ", others, " 0.0)");
  }

  std::string resized(FormId id, absl::string_view function) {
    const FormId operand = forms_.operands(id)[0];
    const int by = width_of(forms_.at(id).type) - width_of(forms_.at(operand).type);
    return absl::StrCat("((_ ", function, " ", by, ") ", name(operand), ")");
  }

  // A comparison of numbers of which one or both may be NaN. Numbers that are none are in the order of their
  // places.
  std::string compared(FormId id) {
    const auto operands = forms_.operands(id);
    const ElementType type = forms_.at(operands[0]).type;
    const std::string own = sort(type), of(info(type).name);
    auto& places = places_[type];
    if (places.empty()) {
      const auto define = [&](absl::string_view f, absl::string_view order) {
        absl::StrAppend(&declarations_, "(define-fun ", f, "_", of, " ((a ", own, ") (b ", own,
                        ")) Bool (and (not (nan_", of, " a)) (not (nan_", of, " b)) (", order,
                        " (place_", of, " a) (place_", of, " b))))\n");
      };
      absl::StrAppend(&declarations_, "(declare-fun nan_", of, " (", own,
                      ") Bool)\n(declare-fun place_", of, " (", own, ") (_ BitVec 64))\n");
      define("less", "bvult");
      define("equal", "=");
    }
    for (const FormId one : operands) {
      const bool is_constant = forms_.at(one).kind == Kind::kConstant;
      places[name(one)] =
          is_constant ? std::optional(std::bit_cast<double>(forms_.at(one).number)) : std::nullopt;
    }
    const std::string two = absl::StrCat(of, " ", name(operands[0]), " ", name(operands[1]), ")");
    const absl::string_view direction = absl::string_view(forms_.symbol(id)).substr(8, 2);
    if (direction == "LT") return absl::StrCat("(less_", two);
    const std::string equal = absl::StrCat("(equal_", two);
    if (direction == "LE") return absl::StrCat("(or (less_", two, " ", equal, ")");
    return direction == "EQ" ? equal : absl::StrCat("(not ", equal, ")");
  }
  // Of a number among all doubles. Both zeros have one.
  static std::string place(double x) {
    const auto magnitude = std::bit_cast<uint64_t>(std::abs(x));
    constexpr uint64_t kZero = uint64_t{1} << 63;
    return absl::StrCat("(_ bv", x < 0 ? kZero - magnitude : kZero + magnitude, " 64)");
  }
  // Constants are where they are, and none is beyond an infinity. A number at the place of one that is not zero
  // is this one.
  static std::string places_of(const std::string& type,
                               const std::map<std::string, std::optional<double>>& places) {
    std::string text;
    const double infinity = std::numeric_limits<double>::infinity();
    for (const auto& [a, x] : places) {
      const std::string of_a = absl::StrCat("(place_", type, " ", a, ")");
      absl::StrAppend(&text, "(assert (bvule ", place(-infinity), " ", of_a, "))\n(assert (bvule ",
                      of_a, " ", place(infinity), "))\n");
      if (!x) continue;
      const std::string is_nan = absl::StrCat("(nan_", type, " ", a, ")");
      absl::StrAppend(&text, "(assert ",
                      std::isnan(*x) ? is_nan : absl::StrCat("(not ", is_nan, ")"), ")\n");
      if (std::isnan(*x)) continue;
      absl::StrAppend(&text, "(assert (= ", of_a, " ", place(*x), "))\n");
      for (const auto& [b, y] : places) {
        if (a == b || *x == 0) continue;
        absl::StrAppend(&text, "(assert (=> (equal_", type, " ", a, " ", b, ") (= ", a, " ", b,
                        ")))\n");
      }
    }
    return text;
  }

  // What ends the name of a comparison that is no total order.
  std::string of_type(FormId id) const {
    return absl::StrCat(" of ", info(forms_.at(forms_.operands(id)[0]).type).name);
  }

  std::string applied(FormId id) {
    const std::string& symbol = forms_.symbol(id);
    const Form& form = forms_.at(id);
    if (symbol == "select") return all("ite", id);
    if (form.count > 0 && sort(forms_.at(forms_.operands(id)[0]).type) == "Real") {
      if (absl::StartsWith(symbol, "compare ") && absl::EndsWith(symbol, of_type(id))) {
        const absl::string_view direction = absl::string_view(symbol).substr(8, 2);
        return all(direction == "LT" ? "<" : direction == "LE" ? "<=" : "=", id);
      }
      if (symbol == "maximum") return extreme(id, ">=");
      if (symbol == "minimum") return extreme(id, "<=");
    }
    const bool are_numbers =
        form.count == 2 && spec::float_format(forms_.at(forms_.operands(id)[0]).type);
    if (are_numbers && absl::StartsWith(symbol, "compare ") &&
        absl::EndsWith(symbol, of_type(id))) {
      return compared(id);
    }
    const bool is_of_integers =
        form.count > 0 && spec::is_integer(forms_.at(forms_.operands(id)[0]).type);
    if (!is_of_integers) return unknown(id);
    if (symbol == "maximum signed") return extreme(id, "bvsge");
    if (symbol == "maximum unsigned") return extreme(id, "bvuge");
    if (symbol == "minimum signed") return extreme(id, "bvsle");
    if (symbol == "minimum unsigned") return extreme(id, "bvule");
    if (symbol == "and") return folded("bvand", id);
    if (symbol == "or") return folded("bvor", id);
    if (symbol == "xor") return folded("bvxor", id);
    if (symbol == "less signed") return all("bvslt", id);
    if (symbol == "less unsigned") return all("bvult", id);
    if (symbol == "zero-extend") return resized(id, "zero_extend");
    if (symbol == "sign-extend") return resized(id, "sign_extend");
    if (symbol == "shift-right") return all("bvlshr", id);
    if (symbol == "shift-right signed") return all("bvashr", id);
    if (absl::StartsWith(symbol, "shift-left")) return all("bvshl", id);
    if (symbol == "truncate") {
      return absl::StrCat("((_ extract ", width_of(form.type) - 1, " 0) ",
                          name(forms_.operands(id)[0]), ")");
    }
    if (symbol == "equals-zero") {
      const FormId operand = forms_.operands(id)[0];
      return absl::StrCat("(= ", name(operand), " ", bits(forms_.at(operand).type, 0), ")");
    }
    if (absl::StartsWith(symbol, "popcnt")) return ones(id);
    if (absl::StartsWith(symbol, "count-leading-zeros")) return leading_zeros(id);
    if (absl::StartsWith(symbol, "divide") || absl::StartsWith(symbol, "remainder")) {
      return division(id);
    }
    return unknown(id);
  }

  // How many bits are 1: of each bit, then of each two bits side by side, of each four, ..
  std::string ones(FormId id) {
    const ElementType type = forms_.at(id).type;
    std::string text = name(forms_.operands(id)[0]);
    for (int k = 1; k < width_of(type); k *= 2) {
      const std::string every_other =
          bits(type, static_cast<int64_t>(~uint64_t{0} / ((uint64_t{1} << k) + 1)));
      text = absl::StrCat("(let ((x ", text, ")) (bvadd (bvand x ", every_other,
                          ") (bvand (bvlshr x ", bits(type, k), ") ", every_other, ")))");
    }
    return text;
  }

  // How many bits are 0 above the highest one.
  std::string leading_zeros(FormId id) {
    const ElementType type = forms_.at(id).type;
    const int width = width_of(type);
    std::string text = bits(type, width);
    for (int k = 0; k < width; ++k) {
      text = absl::StrCat("(ite (= ((_ extract ", k, " ", k, ") ", name(forms_.operands(id)[0]),
                          ") #b1) ", bits(type, width - 1 - k), " ", text, ")");
    }
    return text;
  }

  // By zero: -1, and the dividend. The smallest number by -1: itself, and 0, as SMT-LIB has it.
  std::string division(FormId id) {
    const bool is_division = absl::StartsWith(forms_.symbol(id), "divide");
    const bool is_signed = absl::EndsWith(forms_.symbol(id), " signed");
    const ElementType type = forms_.at(id).type;
    const auto operands = forms_.operands(id);
    const Form& divisor = forms_.at(operands[1]);
    const auto by = static_cast<uint64_t>(divisor.number);
    if (divisor.kind == Kind::kConstant && !is_signed && std::has_single_bit(by)) {
      const int64_t shift = std::countr_zero(by), mask = static_cast<int64_t>(by - 1);
      return absl::StrCat(is_division ? "(bvlshr " : "(bvand ", name(operands[0]), " ",
                          bits(type, is_division ? shift : mask), ")");
    }
    const absl::string_view function =
        is_division ? (is_signed ? "bvsdiv" : "bvudiv") : (is_signed ? "bvsrem" : "bvurem");
    return absl::StrCat("(ite (= ", name(operands[1]), " ", bits(type, 0), ") ",
                        is_division ? bits(type, -1) : name(operands[0]), " ", all(function, id),
                        ")");
  }

  std::string text(FormId id) {
    const Form& form = forms_.at(id);
    switch (form.kind) {
      case Kind::kRealSum:
        return real_sum(id);
      case Kind::kRealProduct:
        return real_product(id);
      case Kind::kElement:
        if (spec::is_integer(form.type) || form.type == ElementType::kPred)
          elements_.emplace_back(id, name(id));
        [[fallthrough]];
      case Kind::kOfArrays:  // the same elements at one index do not make the same array
        declare(id);
        return "";
      case Kind::kConstant: {
        if (form.type == ElementType::kPred) return form.number == 1 ? "true" : "false";
        if (spec::is_integer(form.type)) return bits(form.type, form.number);
        if (form.number == std::bit_cast<int64_t>(0.0)) zeros_.emplace(form.type, name(id));
        const auto x = std::bit_cast<double>(form.number);
        const bool is_number = sort(form.type) == "Real";
        if (is_number && std::isfinite(x)) return real(x);
        declare(id);
        if (is_number && std::isinf(x)) infinities_.emplace_back(name(id), x > 0 ? "<=" : ">=");
        if (!is_number) constants_[form.type].push_back(name(id));
        return "";
      }
      case Kind::kSum:
      case Kind::kProduct:
      case Kind::kTruth:
        return sum(parts_of(id), form.type);
      case Kind::kAnd:
        return all("and", id);
      case Kind::kXor: {
        const std::string text = folded("xor", id);
        return form.number == 1 ? absl::StrCat("(not ", text, ")") : text;
      }
      case Kind::kApply:
        return applied(id);
      case Kind::kBag:
        return bag(id);
      case Kind::kChoose:
        return choice(id);
    }
    return "";
  }

  const Forms& forms_;
  // Floating-point numbers of known types are real numbers. Where they are only compared, an infinity
  // is one beyond all others.
  const bool is_real_;
  std::string declarations_, definitions_;
  std::set<FormId> defined_;
  std::map<FormId, size_t> numbers_;
  std::set<std::string> sorts_;  // and functions of them, that are declared
  std::map<std::string, size_t> functions_;
  std::map<ElementType, std::vector<std::string>> constants_;
  std::map<ElementType, std::string> zeros_;
  // Of numbers that are compared, by their name. Those of constants are known.
  std::map<ElementType, std::map<std::string, std::optional<double>>> places_;
  std::vector<std::string> reals_;
  std::vector<std::pair<FormId, std::string>> elements_;
  std::vector<std::pair<std::string, std::string>> infinities_;  // and how all others compare
};

}  // namespace

std::optional<FormQuestion> question_of(const Forms& forms,
                                        const std::vector<std::pair<FormId, FormId>>& pairs,
                                        int64_t most) {
  Question question(forms);
  for (const auto& [a, b] : pairs) {
    if (!question.define(a, &most) || !question.define(b, &most)) return std::nullopt;
  }
  return question.of(pairs);
}

}  // namespace tileproof::verify
