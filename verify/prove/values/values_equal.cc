// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/values/values_equal.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "verify/prove/smt/proof_session.h"
#include "verify/prove/values/alike_forms.h"
#include "verify/prove/values/every_point.h"
#include "verify/prove/values/form_question.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

using spec::TermId;
using spec::Terms;

class TermComparison::Parts {
 public:
  Parts(Terms& terms, const ValueOptions& options)
      : terms_(terms), options_(options), first_point_(terms, PointNumbers()) {}

  std::optional<Laws> prove(const ResultTerms& result, bool asks_solver) {
    begin(result);
    return proven(asks_solver);
  }

  std::optional<ValueEquality> decide_at_once(const ResultTerms& result,
                                              std::optional<ValueEquality>* overflow) {
    begin(result);
    if (!are_equal(options_.allowed, false)) {
      if (auto difference = find_difference(0, overflow)) return difference;
    }
    auto laws = proven(false);
    return laws ? std::optional(ValueEquality{.laws = *std::move(laws)}) : std::nullopt;
  }

  ValueEquality compare(const ResultTerms& result) {
    std::optional<ValueEquality> overflow;
    if (auto answer = decide_at_once(result, &overflow)) return *std::move(answer);
    const Laws all(std::begin(kLaws), std::end(kLaws));
    const std::optional<Laws> would_do = proven_with(all, false);
    // Where a law is missing, the solver rarely helps.
    if (would_do) milliseconds_ /= 16;
    work_of_forms_ = std::max(work_of_forms_, options_.limits.work);
    ValueEquality answer;
    if (auto laws = proven(true)) {
      answer.laws = *std::move(laws);
      return answer;
    }
    if (auto difference = difference_of_models(&overflow)) return *difference;
    if (!would_do && overflow) return *overflow;
    // Laws that are allowed may be about NaN.
    const bool is_strict =
        options_.allowed.empty() || options_.allowed == Laws{ValueLaw::kReductionOrder};
    if (!would_do && is_strict) {
      if (auto difference = find_difference(kFirstSpecialSeed, nullptr)) return *difference;
    }
    answer.verdict = Verdict::kUndecided;
    answer.laws = would_do.value_or(Laws());
    describe_open(answer);
    return answer;
  }

 private:
  void begin(const ResultTerms& result) {
    equal_.clear();
    at_every_point_.clear();
    result_ = &result;
    solver_gave_up_ = false;
    models_.clear();
    milliseconds_ = options_.milliseconds;
    work_of_forms_ = 2 * options_.limits.work;
  }

  std::optional<Laws> proven(bool asks_solver) {
    for (const bool asks : {false, true}) {
      if (asks && !asks_solver) continue;
      if (auto laws = proven_with(options_.allowed, asks)) return laws;
    }
    return std::nullopt;
  }

  // Sums of real numbers hide what other laws look for.
  std::optional<Laws> proven_with(const Laws& allowed, bool asks_solver) {
    Laws without = allowed;
    without.erase(ValueLaw::kReal);
    for (const Laws& laws : {without, allowed}) {
      if (are_equal(laws, asks_solver)) return needed(laws, asks_solver);
    }
    return std::nullopt;
  }

  // The forms of terms with some laws, and which of them are equal.
  struct FormsOfLaws {
    FormsOfLaws(Terms& terms, const Laws& laws, int64_t work)
        : forms(terms, laws, work), alike(forms, laws.contains(ValueLaw::kReductionOrder), work) {}
    Forms forms;
    AlikeForms alike;
  };

  FormsOfLaws& forms_with(const Laws& laws) {
    std::unique_ptr<FormsOfLaws>& known = forms_[laws];
    const int64_t work = std::min(work_of_forms_, options_.limits.work);
    if (known != nullptr) known->forms.allow(work);
    if (known == nullptr || known->forms.was_exhausted()) {
      known = std::make_unique<FormsOfLaws>(terms_, laws, work);
    }
    return *known;
  }

  bool are_equal(const Laws& laws, bool asks_solver) {
    const auto known = equal_.find({laws, asks_solver});
    if (known != equal_.end()) return known->second;
    if (work_of_forms_ <= 0 || options_.is_late()) return false;
    FormsOfLaws& of_laws = forms_with(laws);
    const int64_t before = of_laws.forms.work();
    const bool result = find_equal(of_laws, asks_solver);
    work_of_forms_ -= before - of_laws.forms.work() + std::ssize(result_->left);
    equal_.emplace(std::pair(laws, asks_solver), result);
    return result;
  }

  bool find_equal(FormsOfLaws& of_laws, bool asks_solver) {
    auto& [forms, alike] = of_laws;
    OpenPairs open;
    bool are_all = true;
    for (size_t e = 0; e < result_->left.size() && are_all; ++e) {
      const FormId a = forms.of(result_->left[e]), b = forms.of(result_->right[e]);
      are_all = !forms.is_exhausted();
      if (!are_all || alike.are(a, b)) continue;
      if (open.empty()) open_element_ = e;
      if (!asks_solver) return false;
      open.try_emplace({a, b}, result_->left[e], result_->right[e]);
    }
    return (open.empty() || ask(forms, open)) &&
           are_all;  // what is asked may show a difference, too
  }

  // Forms that are not alike, and terms that have them.
  using OpenPairs = std::map<std::pair<FormId, FormId>, std::pair<TermId, TermId>>;
  static constexpr size_t kMostUnlike = 256;

  // Whether they are one integer at every point, which no law is needed for.
  Verdict at_every_point(const std::pair<TermId, TermId>& terms) {
    const auto [known, is_new] = at_every_point_.try_emplace(terms);
    if (!is_new) return known->second;
    auto [verdict, numbers] =
        compared_at_every_point(terms_, terms.first, terms.second, work_of_forms_);
    if (verdict == Verdict::kRefuted) models_.push_back(std::move(numbers));
    return known->second = verdict;
  }

  // Tries all integers, or asks the solver, whether the forms of each pair are equal.
  bool ask(const Forms& forms, const OpenPairs& open) {
    // About as much as the solver reads in the time that it has.
    const int64_t most = 10 * milliseconds_;
    int64_t work = options_.limits.work;
    std::set<std::string> texts;  // elements at other places often ask the same
    std::vector<std::pair<FormId, FormId>> unlike;
    for (const auto& [pair, of_terms] : open) {
      if (unlike.size() > kMostUnlike || work < 0) {
        unlike.clear();
        for (const auto& [all, terms] : open) unlike.push_back(all);
        break;
      }
      const auto one = question_of(forms, {pair}, most);
      if (!one || options_.is_late()) return false;
      work -= std::ssize(one->text);
      if (!texts.insert(one->text).second) continue;
      const Verdict verdict = at_every_point(of_terms);
      if (verdict == Verdict::kRefuted) return false;
      if (verdict == Verdict::kUndecided) unlike.push_back(pair);
    }
    if (unlike.empty()) return true;
    if (solver_gave_up_) return false;
    auto question = question_of(forms, unlike, most);
    const bool are_all = question.has_value();
    if (!are_all) question = question_of(forms, {unlike[0]}, most);  // it may show a difference
    if (!question) return false;
    const SolverSettings settings{.milliseconds = static_cast<unsigned>(milliseconds_)};
    std::vector<std::string> names;
    for (const auto& [form, name] : question->elements) names.push_back(name);
    const Answer answer = ask_solver(question->text, settings, names);
    solver_gave_up_ = answer.verdict == Verdict::kUndecided;
    write_smtlib(options_.smtlib_directory, ++asked_, question->text, answer.verdict);
    if (answer.verdict == Verdict::kRefuted) {
      PointNumbers& model = models_.emplace_back();
      for (size_t k = 0; k < names.size(); ++k) {
        const FormId form = question->elements[k].first;
        if (!answer.values[k]) continue;
        model.given[{forms.symbol(form), forms.at(form).number}] = *answer.values[k];
      }
    }
    return are_all && answer.verdict == Verdict::kProven;
  }

  // The laws without which they are not equal.
  Laws needed(Laws laws, bool asks_solver) {
    if (are_equal({}, asks_solver)) return Laws();
    for (auto law = std::rbegin(kLaws); law != std::rend(kLaws); ++law) {
      if (!laws.contains(*law)) continue;
      Laws fewer = laws;
      fewer.erase(*law);
      if (are_equal(fewer, asks_solver)) laws = std::move(fewer);
    }
    return laws;
  }

  // At points from this seed on. `overflow`: the first difference that is one of overflow alone.
  std::optional<ValueEquality> find_difference(uint64_t first,
                                               std::optional<ValueEquality>* overflow) {
    constexpr uint64_t kMostPoints = 200;
    int64_t work = options_.limits.work;
    for (uint64_t seed = first; seed < first + kMostPoints && work >= 0; ++seed) {
      if (options_.is_late()) break;
      if (auto difference = difference_at({seed}, work, overflow)) return difference;
    }
    return std::nullopt;
  }

  std::optional<ValueEquality> difference_at(const PointNumbers& numbers, int64_t& work,
                                             std::optional<ValueEquality>* overflow) {
    const bool is_first = numbers.seed == 0 && numbers.given.empty();
    std::optional<Point> other;
    Point& point = is_first ? first_point_ : other.emplace(terms_, numbers);
    work += point.work();  // that is done
    for (size_t e = 0; e < result_->left.size(); ++e) {
      if (result_->left[e] == result_->right[e]) continue;
      if (--work < point.work()) break;
      const PointValue a = point.of(result_->left[e]), b = point.of(result_->right[e]);
      if (!are_apart(a, b)) continue;
      const bool is_set_aside = overflow != nullptr && is_overflow(a, b);
      if (is_set_aside && overflow->has_value()) continue;
      ValueEquality answer{.verdict = Verdict::kRefuted};
      answer.at = spec::element_index(result_->dims, static_cast<int64_t>(e));
      answer.left = text_of(a);
      answer.right = text_of(b);
      answer.point = numbers;
      if (!is_set_aside) return answer;
      *overflow = std::move(answer);
    }
    work -= point.work();
    return std::nullopt;
  }

  // Where the solver says that forms are unlike. It knows nothing of functions, so they may be equal.
  std::optional<ValueEquality> difference_of_models(std::optional<ValueEquality>* overflow) {
    int64_t work = options_.limits.work;
    for (const PointNumbers& model : models_) {
      if (auto difference = difference_at(model, work, overflow)) return difference;
    }
    return std::nullopt;
  }

  void describe_open(ValueEquality& answer) const {
    answer.at = spec::element_index(result_->dims, static_cast<int64_t>(open_element_));
    const auto text = [&](TermId term) {
      constexpr size_t kMost = 200;
      std::string all = terms_.text(term, kMost);
      return all.size() > kMost ? absl::StrCat(all.substr(0, kMost), " ..") : all;
    };
    answer.left = text(result_->left[open_element_]);
    answer.right = text(result_->right[open_element_]);
  }

  Terms& terms_;
  const ValueOptions& options_;
  std::map<Laws, std::unique_ptr<FormsOfLaws>> forms_;
  Point first_point_;  // that of all results: most differences are seen there
  int64_t asked_ = 0;
  // Of the result that is compared:
  const ResultTerms* result_ = nullptr;
  int64_t work_of_forms_ = 0;    // that is left
  bool solver_gave_up_ = false;  // it had its time
  int64_t milliseconds_ = 0;     // that it has
  std::vector<PointNumbers> models_;
  std::map<std::pair<Laws, bool>, bool> equal_;
  std::map<std::pair<TermId, TermId>, Verdict> at_every_point_;
  size_t open_element_ = 0;
};

TermComparison::TermComparison(Terms& terms, const ValueOptions& options)
    : parts_(std::make_unique<Parts>(terms, options)) {}
TermComparison::~TermComparison() = default;

ValueEquality TermComparison::compare(const ResultTerms& result) { return parts_->compare(result); }

std::optional<ValueEquality> TermComparison::decide_at_once(const ResultTerms& result) {
  std::optional<ValueEquality> overflow;
  return parts_->decide_at_once(result, &overflow);
}

std::optional<Laws> TermComparison::prove(const ResultTerms& result, bool asks_solver) {
  return parts_->prove(result, asks_solver);
}

// ---- Modules ----

namespace {

template <class T>
absl::StatusOr<T> of_side(absl::StatusOr<T> found, const char* side) {
  if (found.ok()) return found;
  absl::Status placed = found.status();
  placed.SetPayload(kSideOfError, absl::Cord(side));
  return placed;
}

int32_t root_of(const HloModule& module) { return module.computations[module.entry].root; }

// The terms of results of both modules, by what gives those of one. Errors: those of the definition, with the
// side.
template <class TermsOf>
absl::StatusOr<std::vector<ResultTerms>> terms_of_both(const HloModule& left,
                                                       const HloModule& right, TermsOf terms_of) {
  auto a = TRY(of_side(terms_of(left), "LEFT"));
  auto b = TRY(of_side(terms_of(right), "RIGHT"));
  std::vector<ResultTerms> results;
  for (size_t k = 0; k < a.size(); ++k) {
    results.push_back({std::move(a[k].dims), std::move(a[k].terms), std::move(b[k].terms)});
  }
  return results;
}
absl::StatusOr<std::vector<ResultTerms>> terms_of_all(const HloModule& left, const HloModule& right,
                                                      Terms& terms, const spec::Limits& limits) {
  return terms_of_both(left, right, [&](const HloModule& module) {
    return spec::terms_of_all(module, module.entry, root_of(module), terms, limits);
  });
}

ValueEquality compared(TermComparison& comparison, int64_t leaf, const ResultTerms& result) {
  ValueEquality answer = comparison.compare(result);
  answer.leaf = leaf;
  return answer;
}

// One result by itself.
absl::StatusOr<ValueEquality> equal_values_of(const HloModule& left, const HloModule& right,
                                              int64_t leaf, const ValueOptions& options) {
  Terms terms(true);
  const auto both = TRY(terms_of_both(
      left, right, [&](const HloModule& module) -> absl::StatusOr<std::vector<spec::ElementTerms>> {
        return std::vector{TRY(
            spec::terms_of(module, module.entry, root_of(module), leaf, terms, options.limits))};
      }));
  TermComparison comparison(terms, options);
  return compared(comparison, leaf, both[0]);
}

}  // namespace

spec::Limits limits_in(int64_t milliseconds) {
  const int64_t most = ValueOptions().limits.work;  // memory, too
  constexpr int64_t kEachMillisecond = 3'400;
  return {.work = std::clamp<int64_t>(milliseconds, 1, most / kEachMillisecond) * kEachMillisecond};
}

bool is_too_large(const absl::Status& status) {
  return status.code() == absl::StatusCode::kResourceExhausted;
}

std::map<int64_t, ValueEquality> decided_at_once(const HloModule& left, const HloModule& right,
                                                 const std::vector<int64_t>& leaves,
                                                 const ValueOptions& options) {
  std::map<int64_t, ValueEquality> answers;
  Terms terms(true);
  const auto both = terms_of_all(left, right, terms, options.limits);
  if (!both.ok() || leaves.empty()) return answers;
  ValueOptions share = options;
  share.limits.work /= std::ssize(leaves);
  TermComparison comparison(terms, share);
  for (const int64_t leaf : leaves) {
    auto answer = comparison.decide_at_once((*both)[leaf]);
    if (!answer) continue;
    answer->leaf = leaf;
    answers.emplace(leaf, *std::move(answer));
  }
  return answers;
}

std::vector<absl::StatusOr<ValueEquality>> equal_values(const HloModule& left,
                                                        const HloModule& right,
                                                        const std::vector<int64_t>& leaves,
                                                        const ValueOptions& options) {
  std::vector<absl::StatusOr<ValueEquality>> answers;
  if (leaves.empty()) return answers;
  Terms terms(true);
  const auto both = terms_of_all(left, right, terms, options.limits);
  TermComparison comparison(terms, options);
  for (const int64_t leaf : leaves) {
    if (both.ok()) {
      answers.push_back(compared(comparison, leaf, (*both)[leaf]));
    } else if (options.is_late()) {
      answers.push_back(absl::ResourceExhaustedError("no time is left"));
    } else if (is_too_large(both.status()) && leaves.size() > 1) {  // what leads to all of them is
      answers.push_back(equal_values_of(left, right, leaf, options));
    } else {
      answers.push_back(both.status());
    }
  }
  return answers;
}

}  // namespace tileproof::verify
