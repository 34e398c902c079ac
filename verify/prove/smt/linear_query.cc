// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/linear_query.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "verify/prove/smt/proof_session.h"
#include "verify/trace/trace_text.h"

namespace tileproof::verify {
namespace {

using Clock = ThreadCpuClock;

std::string to_text(Wide value) {
  const std::string text = trace::to_text(value);
  return value < 0 ? absl::StrCat("(- ", text.substr(1), ")") : text;
}

// Which facts a query states.
struct Extent {
  bool bounds = false;
  bool domain = false;
  bool products = false;  // that a product is the product of its factors
};

// Writes one query.
class Writer {
 public:
  // Each of `factors` splits floors: the query also has floors that divide by the factor.
  Writer(QuasiAffineContext& context, Extent extent, std::vector<Wide> factors = {})
      : context_(context),
        extent_(extent),
        given_(std::ssize(context.atoms())),
        factors_(std::move(factors)) {}

  void at_least_zero(const Sum& sum) {
    if (sum.is_number() && sum.constant >= 0) return;
    absl::StrAppend(&asserted_, "(assert (>= ", text_of(sum), " 0))\n");
  }

  // Adds the facts about all numbers in the query, and about the numbers in these facts.
  void add_facts() {
    for (size_t i = 0; i < numbers_.size(); ++i) {
      const Product product = numbers_[i];  // the list grows
      if (product.size() == 1) add_definition(product[0]);
      if (extent_.bounds) add_bounds(product);
      if (extent_.products && product.size() > 1) add_product(product);
    }
  }

  std::string text() const {
    std::string declared;
    for (size_t i = 0; i < numbers_.size(); ++i)
      absl::StrAppend(&declared, "(declare-const x", i, " Int)\n");
    return absl::StrCat("(set-logic ", logic(), ")\n", declared, asserted_);
  }

  const char* logic() const { return extent_.products && has_products() ? "QF_NIA" : "QF_LIA"; }
  bool has_products() const {
    return std::ranges::any_of(numbers_, [](const Product& p) { return p.size() > 1; });
  }
  const std::vector<int32_t>& quotients() const { return quotients_; }

  // The name of an atom, if the query has it.
  std::optional<std::string> name_if_any(int32_t atom) const {
    const auto known = names_.find({atom});
    if (known == names_.end()) return std::nullopt;
    return absl::StrCat("x", known->second);
  }

 private:
  std::string name_of(const Product& product) {
    const auto [known, is_new] = names_.try_emplace(product, numbers_.size());
    if (is_new) numbers_.push_back(product);
    return absl::StrCat("x", known->second);
  }

  std::string text_of(const Sum& sum) {
    std::string text = absl::StrCat("(+ ", to_text(sum.constant));
    for (const auto& [product, coefficient] : sum.terms) {
      absl::StrAppend(&text, " (* ", to_text(coefficient), " ", name_of(product), ")");
    }
    return text + ")";
  }

  void add_definition(int32_t q) {
    const QuasiAffineContext::Atom& atom = context_.atoms()[q];
    if (atom.divisor == 0) return;
    between(atom.dividend - times(q, atom.divisor), atom.divisor);
    for (int32_t other : quotients_) {
      add_neighbors(q, other);
      add_neighbors(other, q);
    }
    quotients_.push_back(q);
    if (q < given_) add_splits(q);
  }

  // For q = (g*a + y) floordiv (g*k) and p = y floordiv g: 0 <= a + p - k*q < k.
  void add_splits(int32_t q) {
    for (const Wide g : factors_) {
      const Sum x = context_.atoms()[q].dividend;
      const Wide c = context_.atoms()[q].divisor;
      if (g >= c || c % g != 0) continue;
      const Sum y = residue(x, g);
      Sum a = x - y;
      if (a.too_large) continue;
      for (auto& [product, coefficient] : a.terms) coefficient /= g;
      a.constant /= g;
      between(a + context_.quotient(y, g) - times(q, c / g), c / g);
    }
  }

  // For p = y floordiv m and q = x floordiv (k*m) with x = y + m*z.
  void add_neighbors(int32_t p, int32_t q) {
    const QuasiAffineContext::Atom& fine = context_.atoms()[p];
    const QuasiAffineContext::Atom& coarse = context_.atoms()[q];
    if (coarse.divisor % fine.divisor != 0) return;
    Sum z = coarse.dividend - fine.dividend;
    if (z.too_large || z.constant % fine.divisor != 0) return;
    z.constant /= fine.divisor;
    for (auto& [product, coefficient] : z.terms) {
      if (coefficient % fine.divisor != 0) return;
      coefficient /= fine.divisor;
    }
    const Wide k = coarse.divisor / fine.divisor;
    between(times(p, 1) + z - times(q, k), k);
  }

  // 0 <= sum < end.
  void between(const Sum& sum, Wide end) {
    if (sum.too_large) return;
    at_least_zero(sum);
    at_least_zero(Sum{nullptr, {}, end - 1, false} - sum);
  }

  void add_bounds(const Product& product) {
    const Range range = context_.range_of(product);
    const std::string name = name_of(product);
    if (range.low.value)
      absl::StrAppend(&asserted_, "(assert (>= ", name, " ", to_text(*range.low.value), "))\n");
    if (range.high.value)
      absl::StrAppend(&asserted_, "(assert (<= ", name, " ", to_text(*range.high.value), "))\n");
  }

  void add_product(const Product& product) {
    std::string factors;
    for (int32_t atom : product) absl::StrAppend(&factors, " ", name_of({atom}));
    absl::StrAppend(&asserted_, "(assert (= ", name_of(product), " (*", factors, ")))\n");
  }

  static Sum times(int32_t atom, Wide factor) { return Sum{nullptr, {{{atom}, factor}}, 0, false}; }

  QuasiAffineContext& context_;
  Extent extent_;
  int64_t given_;              // the number of atoms before this query
  std::vector<Wide> factors_;  // that split floors
  std::string asserted_;
  std::map<Product, size_t> names_;
  std::vector<Product> numbers_;
  std::vector<int32_t> quotients_;
};

int64_t left(const SolverSession& solver_session) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(solver_session.deadline -
                                                               Clock::now())
      .count();
}

// The texts that this thread found unsatisfiable. The answer depends on the text alone, and most
// questions of a large module are asked many times, while each needs a context of its own.
class UnsatTexts {
 public:
  bool contains(const std::string& text) const { return texts_.contains(text); }
  void add(const std::string& text) {
    letters_ += text.size();
    if (letters_ > kMaxLetters) texts_.clear(), letters_ = text.size();
    texts_.insert(text);
  }

 private:
  static constexpr size_t kMaxLetters = 32'000'000;
  std::set<std::string> texts_;
  size_t letters_ = 0;
};

Answer ask(const Writer& writer, size_t variables, SolverSession& solver_session,
           int64_t milliseconds, unsigned arithmetic) {
  if (milliseconds <= 0) return {};
  ++solver_session.asked;  // also if the solver answered before: the verdict rests on it
  const std::string text = writer.text();
  thread_local UnsatTexts unsat;
  if (solver_session.smtlib_directory.empty() && unsat.contains(text)) {
    ++solver_session.decided;
    return {Verdict::kProven, {}};
  }
  std::vector<std::string> names;
  std::vector<size_t> named;
  for (size_t v = 0; v < variables; ++v) {
    const std::optional<std::string> name = writer.name_if_any(static_cast<int32_t>(v));
    if (!name) continue;
    names.push_back(*name);
    named.push_back(v);
  }
  Answer answer = ask_solver(text, {static_cast<unsigned>(milliseconds), arithmetic}, names);
  write_smtlib(solver_session.smtlib_directory, solver_session.asked, text, answer.verdict);
  if (answer.verdict != Verdict::kUndecided) ++solver_session.decided;
  if (answer.verdict == Verdict::kProven) unsat.add(text);
  if (answer.verdict != Verdict::kRefuted) return answer;
  std::vector<std::optional<int64_t>> all(variables, 0);
  for (size_t i = 0; i < named.size(); ++i) all[named[i]] = answer.values[i];
  answer.values = std::move(all);
  return answer;
}

// Calls `confirm` with the values. Moves a value into its bounds if the query did not restrict it.
bool confirmed(const QuasiAffineContext& context, const Answer& answer,
               absl::FunctionRef<bool(const std::vector<int64_t>&)> confirm) {
  std::vector<int64_t> values;
  for (size_t v = 0; v < answer.values.size(); ++v) {
    if (!answer.values[v]) return false;
    const Range& range = context.atoms()[v].range;
    values.push_back(static_cast<int64_t>(
        std::clamp<Wide>(*answer.values[v], *range.low.value, *range.high.value)));
  }
  return confirm(values);
}

// Values of Z3's option arith.solver. Each gets a short time, then each a longer one: some queries
// are easy for only one of them.
constexpr unsigned kConfigurations[] = {2, 6};
constexpr int64_t kFirstMilliseconds = 400;

}  // namespace

Verdict prove_impossible(QuasiAffineContext& context, const std::vector<Sum>& claims,
                         const std::vector<Sum>& domain, SolverSession& solver_session,
                         absl::FunctionRef<bool(const std::vector<int64_t>&)> confirm) {
  if (left(solver_session) <= 0 || !solver_session.asks) return Verdict::kUndecided;
  size_t variables = 0;
  while (variables < context.atoms().size() && context.atoms()[variables].divisor == 0) ++variables;
  const auto writer = [&](Extent extent, std::vector<Wide> factors = {}) {
    Writer result(context, extent, std::move(factors));
    for (const Sum& sum : claims) result.at_least_zero(sum);
    for (const Sum& sum : domain) {
      if (extent.domain) result.at_least_zero(sum);
    }
    result.add_facts();
    return result;
  };
  const Writer whole = writer({.bounds = true, .domain = true, .products = true});
  std::vector<Writer> shorter;  // forms without some facts
  const Writer plain = writer({});
  if (!plain.quotients().empty()) shorter.push_back(plain);
  if (!domain.empty()) shorter.push_back(writer({.bounds = true}));
  if (whole.has_products()) shorter.push_back(writer({.bounds = true, .domain = true}));
  for (const Writer& form : shorter) {
    const Answer answer =
        ask(form, variables, solver_session, std::min(kFirstMilliseconds, left(solver_session) / 4),
            kConfigurations[0]);
    if (answer.verdict == Verdict::kProven) return Verdict::kProven;
    if (answer.verdict == Verdict::kRefuted && confirmed(context, answer, confirm))
      return Verdict::kRefuted;
  }
  // Two forms with all facts. The one that splits floors is longer, but has shorter sums.
  const Writer split = writer({.bounds = true, .domain = true, .products = true},
                              context.splitting_factors(whole.quotients()));
  const int64_t longest = left(solver_session);  // no round gets more
  for (int64_t time = kFirstMilliseconds / 2; left(solver_session) > 0; time *= 4) {
    for (const Writer* form : {&whole, &split}) {
      for (const unsigned configuration : kConfigurations) {
        const Answer answer = ask(*form, variables, solver_session,
                                  std::min(time, left(solver_session)), configuration);
        if (answer.verdict == Verdict::kProven) return Verdict::kProven;
        if (answer.verdict != Verdict::kRefuted) continue;
        return confirmed(context, answer, confirm) ? Verdict::kRefuted : Verdict::kUndecided;
      }
    }
    if (time >= longest) break;
  }
  return Verdict::kUndecided;
}

}  // namespace tileproof::verify
