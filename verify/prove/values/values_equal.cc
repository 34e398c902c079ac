// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/values/values_equal.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "verify/prove/values/form_question.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

using spec::TermId;
using spec::Terms;

namespace {

using Kind = Form::Kind;

// The terms of one result of both modules.
struct TermPair {
  explicit TermPair(bool keeps_order) : terms(keeps_order) {}
  Terms terms;
  std::vector<TermId> left, right;
  Dims dims;
};

absl::StatusOr<spec::ElementTerms> terms_of(const HloModule& module, int64_t leaf, Terms& terms,
                                            const spec::Limits& limits, const char* side) {
  const int32_t root = module.computations[module.entry].root;
  auto found = spec::terms_of(module, module.entry, root, leaf, terms, limits);
  if (found.ok()) return found;
  absl::Status placed = found.status();
  placed.SetPayload(kSideOfError, absl::Cord(side));
  return placed;
}

absl::StatusOr<std::unique_ptr<TermPair>> pair_of(const HloModule& left, const HloModule& right,
                                                  int64_t leaf, const spec::Limits& limits,
                                                  bool keeps_order) {
  auto pair = std::make_unique<TermPair>(keeps_order);
  spec::ElementTerms a = TRY(terms_of(left, leaf, pair->terms, limits, "LEFT"));
  spec::ElementTerms b = TRY(terms_of(right, leaf, pair->terms, limits, "RIGHT"));
  pair->left = std::move(a.terms);
  pair->right = std::move(b.terms);
  pair->dims = std::move(a.dims);
  return pair;
}

// Forms that are equal though they are not one: a sum that is written out against a reduction.
class Alike {
 public:
  Alike(const Forms& forms, bool any_order, int64_t work)
      : forms_(forms), any_order_(any_order), work_(work) {}

  bool are(FormId a, FormId b) {
    if (a == b) return true;
    if (--work_ < 0) return false;
    const auto key = std::minmax(a, b);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const bool result = compare(a, b);
    known_.emplace(key, result);
    return result;
  }

 private:
  bool is_sum(FormId id) const {
    const Form& form = forms_.at(id);
    return (form.kind == Kind::kApply && forms_.symbol(id) == "add") ||
           (form.kind == Kind::kBag && absl::StartsWith(forms_.symbol(id), "add"));
  }

  void add_terms(FormId id, std::vector<FormId>& terms) {
    if (!is_sum(id)) return terms.push_back(id);
    for (const FormId operand : forms_.operands(id)) add_terms(operand, terms);
  }

  bool compare(FormId a, FormId b) {
    const Form &x = forms_.at(a), &y = forms_.at(b);
    if (x.type != y.type) return false;
    const bool has_bag = x.kind == Kind::kBag || y.kind == Kind::kBag;
    if (any_order_ && has_bag && is_sum(a) && is_sum(b)) return are_sums(a, b);
    if (x.kind != y.kind || x.symbol != y.symbol || x.number != y.number || x.count != y.count) {
      return false;
    }
    if (x.kind == Kind::kBag) return match(ids_of(a), ids_of(b));
    if (x.kind != Kind::kApply && x.kind != Kind::kChoose) return false;
    const auto of_a = forms_.operands(a), of_b = forms_.operands(b);
    const bool in_order = std::equal(of_a.begin(), of_a.end(), of_b.begin(),
                                     [&](FormId l, FormId r) { return are(l, r); });
    if (in_order) return true;
    const std::string& name = forms_.symbol(a);
    return (name == "add" || name == "multiply") && are(of_a[0], of_b[1]) && are(of_a[1], of_b[0]);
  }

  std::vector<FormId> ids_of(FormId id) const {
    return {forms_.operands(id).begin(), forms_.operands(id).end()};
  }

  bool are_sums(FormId a, FormId b) {
    std::vector<FormId> left, right;
    add_terms(a, left);
    add_terms(b, right);
    return match(std::move(left), std::move(right));
  }

  bool match(std::vector<FormId> left, std::vector<FormId> right) {
    if (left.size() != right.size()) return false;
    std::ranges::sort(left);
    std::ranges::sort(right);
    std::vector<FormId> only_left, only_right;
    std::ranges::set_difference(left, right, std::back_inserter(only_left));
    std::ranges::set_difference(right, left, std::back_inserter(only_right));
    for (const FormId one : only_left) {
      const auto at =
          std::ranges::find_if(only_right, [&](FormId other) { return are(one, other); });
      if (at == only_right.end()) return false;
      only_right.erase(at);
    }
    return true;
  }

  const Forms& forms_;
  const bool any_order_;
  int64_t work_;
  std::map<std::pair<FormId, FormId>, bool> known_;
};

class Comparison {
 public:
  Comparison(const HloModule& left, const HloModule& right, int64_t leaf,
             const ValueOptions& options)
      : left_(left), right_(right), leaf_(leaf), options_(options) {}

  absl::StatusOr<ValueEquality> run() {
    ValueEquality result{.leaf = leaf_};
    const TermPair& pair = *TRY(terms(!options_.allowed.contains(ValueLaw::kReductionOrder)));
    if (!TRY(are_equal(options_.allowed, false)) && find_difference(pair, result)) return result;
    for (const bool asks_solver : {false, true}) {
      if (!TRY(are_equal(options_.allowed, asks_solver))) continue;
      result.laws = TRY(needed(options_.allowed, asks_solver));
      return result;
    }
    result.verdict = Verdict::kUndecided;
    const Laws all(std::begin(kLaws), std::end(kLaws));
    const bool suffice = TRY(are_equal(all, false));
    if (suffice) result.laws = TRY(needed(all, false));
    describe_open(pair, result);
    return result;
  }

 private:
  absl::StatusOr<TermPair*> terms(bool keeps_order) {
    std::unique_ptr<TermPair>& pair = pairs_[keeps_order ? 1 : 0];
    if (pair == nullptr) {
      pair = TRY(pair_of(left_, right_, leaf_, options_.limits, keeps_order));
    }
    return pair.get();
  }

  absl::StatusOr<bool> are_equal(const Laws& laws, bool asks_solver) {
    const auto known = equal_.find({laws, asks_solver});
    if (known != equal_.end()) return known->second;
    const bool result = TRY(compare(laws, asks_solver));
    equal_.emplace(std::pair(laws, asks_solver), result);
    return result;
  }

  absl::StatusOr<bool> compare(const Laws& laws, bool asks_solver) {
    const bool any_order = laws.contains(ValueLaw::kReductionOrder);
    TermPair& pair = *TRY(terms(!any_order));
    Forms forms(pair.terms, laws, options_.limits.work);
    Alike alike(forms, any_order, options_.limits.work);
    std::vector<std::pair<FormId, FormId>> open;
    for (size_t e = 0; e < pair.left.size(); ++e) {
      const FormId a = forms.of(pair.left[e]), b = forms.of(pair.right[e]);
      if (forms.is_exhausted()) return false;
      if (alike.are(a, b)) continue;
      open.emplace_back(a, b);
      if (open.size() == 1) open_element_ = e;
    }
    if (open.empty()) return true;
    return asks_solver && ask(forms, open);
  }

  // Asks the solver whether the forms of each pair are equal for all integers.
  bool ask(const Forms& forms, const std::vector<std::pair<FormId, FormId>>& open) {
    // About as much as the solver reads in the time that it has.
    const auto question = question_of(forms, open, 10 * options_.milliseconds);
    if (!question) return false;
    const SolverSettings settings{.milliseconds = static_cast<unsigned>(options_.milliseconds)};
    const Answer answer = ask_solver(*question, settings, {});
    write_smtlib(options_.smtlib_directory, ++asked_, *question, answer.verdict);
    return answer.verdict == Verdict::kProven;
  }

  // The laws without which they are not equal.
  absl::StatusOr<Laws> needed(Laws laws, bool asks_solver) {
    if (TRY(are_equal({}, asks_solver))) return Laws();
    for (const ValueLaw law : kLaws) {
      if (!laws.contains(law)) continue;
      Laws fewer = laws;
      fewer.erase(law);
      if (TRY(are_equal(fewer, asks_solver))) laws = std::move(fewer);
    }
    return laws;
  }

  bool find_difference(const TermPair& pair, ValueEquality& result) const {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.milliseconds);
    constexpr uint64_t kMostPoints = 200;
    for (uint64_t seed = 0; seed < kMostPoints && std::chrono::steady_clock::now() < end; ++seed) {
      Point point(pair.terms, seed);
      for (size_t e = 0; e < pair.left.size(); ++e) {
        if (pair.left[e] == pair.right[e]) continue;
        const PointValue a = point.of(pair.left[e]), b = point.of(pair.right[e]);
        if (!are_apart(a, b)) continue;
        result.verdict = Verdict::kRefuted;
        result.at = spec::element_index(pair.dims, static_cast<int64_t>(e));
        result.left = text_of(a);
        result.right = text_of(b);
        return true;
      }
    }
    return false;
  }

  void describe_open(const TermPair& pair, ValueEquality& result) const {
    result.at = spec::element_index(pair.dims, static_cast<int64_t>(open_element_));
    const auto text = [&](TermId term) {
      std::string all = pair.terms.text(term);
      return all.size() > 200 ? absl::StrCat(all.substr(0, 200), " ..") : all;
    };
    result.left = text(pair.left[open_element_]);
    result.right = text(pair.right[open_element_]);
  }

  const HloModule& left_;
  const HloModule& right_;
  const int64_t leaf_;
  const ValueOptions& options_;
  std::unique_ptr<TermPair> pairs_[2];
  std::map<std::pair<Laws, bool>, bool> equal_;
  size_t open_element_ = 0;
  int64_t asked_ = 0;
};

}  // namespace

absl::StatusOr<ValueEquality> equal_values(const HloModule& left, const HloModule& right,
                                           int64_t leaf, const ValueOptions& options) {
  return Comparison(left, right, leaf, options).run();
}

}  // namespace tileproof::verify
