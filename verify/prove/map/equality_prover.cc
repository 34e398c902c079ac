// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/map/equality_prover.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "verify/prove/map/map_smtlib.h"
#include "verify/prove/smt/quasi_affine.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {
namespace {

using Clock = ThreadCpuClock;

using Box = std::vector<Interval>;

// Somewhere in the domain a sum is at least 0: what is to be shown impossible.
struct Claim {
  Sum sum;
  std::string what;
};

struct Claims {
  std::vector<Sum> domain;  // sums that are at least 0 in the domain
  std::vector<Claim> claims;
};

constexpr std::chrono::milliseconds kTimeOfPart(80);

bool is_small(const Box& box) {
  constexpr uint64_t kMost = 1 << 16;
  uint64_t points = 1;
  for (const Interval& interval : box) {
    const uint64_t width =
        static_cast<uint64_t>(interval.high) - static_cast<uint64_t>(interval.low);
    if (width >= kMost) return false;
    points *= width + 1;
    if (points > kMost) return false;
  }
  return true;
}

// Half of the box and the other half, cut across the narrowest variable that can be cut: where it
// has one value only, quotients become simpler. Nothing if the box is one point.
std::vector<Box> halves(const Box& box) {
  const auto width = [](const Interval& i) {
    return static_cast<uint64_t>(i.high) - static_cast<uint64_t>(i.low);
  };
  std::optional<size_t> narrowest;
  for (size_t v = 0; v < box.size(); ++v) {
    if (width(box[v]) > 0 && (!narrowest || width(box[v]) < width(box[*narrowest]))) narrowest = v;
  }
  if (!narrowest) return {};
  Box low = box, high = box;
  const uint64_t half = width(box[*narrowest]) / 2;
  const auto middle = static_cast<int64_t>(static_cast<uint64_t>(box[*narrowest].low) + half);
  low[*narrowest].high = middle;
  high[*narrowest].low = middle + 1;
  return {std::move(high), std::move(low)};
}

class Prover {
 public:
  Prover(const IndexingMap& left, const IndexingMap& right, SolverSession& solver_session)
      : left_(left), right_(right), solver_session_(solver_session) {}

  // Refuted: `found` is the point. Undecided: `open` is the first claim left open.
  Verdict prove() {
    for (const bool mirrored : {false, true}) {
      const IndexingMap& inner = mirrored ? right_ : left_;
      const IndexingMap& outer = mirrored ? left_ : right_;
      if (inner.known_empty) continue;
      const auto leaves = [&](QuasiAffineContext& context) {
        return leaving(context, inner, outer, mirrored);
      };
      if (all_impossible(box_of(inner), leaves) == Verdict::kRefuted) return Verdict::kRefuted;
    }
    if (!left_.known_empty && !right_.known_empty) {
      Box box = box_of(left_);
      const Box other = box_of(right_);
      for (size_t v = 0; v < box.size(); ++v)
        box[v] = {std::max(box[v].low, other[v].low), std::min(box[v].high, other[v].high)};
      const auto differ = [&](QuasiAffineContext& context) { return differing(context); };
      if (all_impossible(box, differ) == Verdict::kRefuted) return Verdict::kRefuted;
    }
    return open_.empty() ? Verdict::kProven : Verdict::kUndecided;
  }

  const Values& found() const { return found_; }
  const std::string& open() const { return open_; }

 private:
  using MakeClaims = absl::FunctionRef<Claims(QuasiAffineContext&)>;

  static std::vector<Sum> domain_of(QuasiAffineContext& context, const IndexingMap& map) {
    std::vector<NodeId> roots;
    for (const Constraint& constraint : map.constraints) roots.push_back(constraint.expr);
    const std::vector<Sum> sums = context.sums(map, roots);
    std::vector<Sum> domain;
    for (size_t i = 0; i < sums.size(); ++i) {
      domain.push_back(sums[i] - context.number(map.constraints[i].interval.low));
      domain.push_back(context.number(map.constraints[i].interval.high) - sums[i]);
    }
    return domain;
  }

  // Whether `inner` has the same constraint or a narrower one: it holds then, however large the
  // values.
  static bool demands(const IndexingMap& inner, const IndexingMap& outer,
                      const Constraint& wanted) {
    return std::ranges::any_of(inner.constraints, [&](const Constraint& given) {
      return wanted.interval.low <= given.interval.low &&
             given.interval.high <= wanted.interval.high &&
             same_expression(inner.nodes, given.expr, outer.nodes, wanted.expr);
    });
  }

  // A point of the domain of `inner` is not in that of `outer`.
  static Claims leaving(QuasiAffineContext& context, const IndexingMap& inner,
                        const IndexingMap& outer, bool mirrored) {
    Claims result{domain_of(context, inner), {}};
    const std::string where = mirrored ? " within the right domain" : " within the left domain";
    const auto claim = [&](const Sum& at_least_zero, const std::string& what) {
      result.claims.push_back({context.number(-1) - at_least_zero, what + where});
    };
    if (outer.known_empty) {
      claim(context.number(-1), "a point");
      return result;
    }
    const std::vector<Sum> wanted = domain_of(context, outer);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (demands(inner, outer, outer.constraints[i / 2])) continue;
      claim(wanted[i], absl::StrCat("constraint ", i / 2, " broken"));
    }
    int32_t v = 0;
    for (Op kind : kVariableKinds) {
      for (size_t i = 0; i < variables_of(outer, kind).size(); ++i, ++v) {
        const Interval& bounds = variables_of(outer, kind)[i].bounds;
        const std::string what = absl::StrCat(default_name(kind, i), " out of bounds");
        claim(context.atom(v) - context.number(bounds.low), what);
        claim(context.number(bounds.high) - context.atom(v), what);
      }
    }
    return result;
  }

  // A result is greater on one side, at a point of both domains: either may help.
  Claims differing(QuasiAffineContext& context) const {
    Claims result{domain_of(context, left_), {}};
    for (Sum& sum : domain_of(context, right_)) {
      if (std::ranges::find(result.domain, sum) == result.domain.end())
        result.domain.push_back(std::move(sum));
    }
    const std::vector<Sum> a = context.sums(left_, left_.results);
    const std::vector<Sum> b = context.sums(right_, right_.results);
    for (size_t i = 0; i < a.size(); ++i) {
      // Neither differs where both are written alike, however large the values.
      if (same_expression(left_.nodes, left_.results[i], right_.nodes, right_.results[i])) continue;
      const Sum more = a[i] - b[i];
      result.claims.push_back(
          {more - context.number(1), absl::StrCat("result ", i, " greater on the left")});
      result.claims.push_back(
          {-more - context.number(1), absl::StrCat("result ", i, " less on the left")});
    }
    return result;
  }

  Verdict all_impossible(const Box& box, MakeClaims make) {
    if (!has_points(box)) return Verdict::kProven;
    // A small box is soon cut into parts, a large one needs an answer for the whole.
    const Clock::duration most =
        is_small(box) ? Clock::duration(kTimeOfPart * 2) : Clock::duration::max();
    QuasiAffineContext context(box);
    const Claims all = make(context);
    for (size_t i = 0; i < all.claims.size(); ++i) {
      const Clock::duration time = std::min(most, (solver_session_.deadline - Clock::now()) / 4);
      Verdict verdict = impossible(context, all.claims[i].sum, all.domain, Clock::now() + time);
      if (verdict == Verdict::kUndecided) verdict = impossible_in_parts(box, make, i);
      if (verdict == Verdict::kRefuted) return verdict;
      if (verdict == Verdict::kUndecided && open_.empty()) open_ = all.claims[i].what;
    }
    return Verdict::kProven;
  }

  // A claim that was too hard, for smaller and smaller boxes.
  Verdict impossible_in_parts(const Box& box, MakeClaims make, size_t claim) {
    std::vector<Box> parts = halves(box);
    if (parts.empty()) return Verdict::kUndecided;
    while (!parts.empty()) {
      const Box part = std::move(parts.back());
      parts.pop_back();
      if (Clock::now() >= solver_session_.deadline) return Verdict::kUndecided;
      QuasiAffineContext context(part);
      const Claims all = make(context);
      const Verdict verdict =
          impossible(context, all.claims[claim].sum, all.domain, Clock::now() + kTimeOfPart);
      if (verdict == Verdict::kRefuted) return verdict;
      if (verdict == Verdict::kProven) continue;
      std::vector<Box> smaller = halves(part);
      if (smaller.empty()) return Verdict::kUndecided;
      for (Box& half : smaller) parts.push_back(std::move(half));
    }
    return Verdict::kProven;
  }

  Verdict impossible(QuasiAffineContext& context, const Sum& claim, std::vector<Sum> domain,
                     Clock::time_point deadline) {
    // What is too large to be said is not said; points are confirmed by the reference.
    if (claim.too_large) return Verdict::kUndecided;
    std::erase_if(domain, [](const Sum& sum) { return sum.too_large; });
    const auto never = [&](const Sum& sum) {
      const spec::Exact most = context.range_of(sum).high;
      return most.value && *most.value < 0;
    };
    if (never(claim) || std::ranges::any_of(domain, never)) return Verdict::kProven;
    // What the domain says outright: s >= 0 beside the claim c >= 0, where s + c < 0 always.
    for (const Sum& sum : domain) {
      if (never(sum + claim)) return Verdict::kProven;
    }
    SolverSession part = solver_session_;
    part.deadline = std::min(deadline, solver_session_.deadline);
    const Verdict verdict =
        prove_impossible(context, {claim}, domain, part, [&](const Values& values) {
          if (compare_at(left_, right_, point_of(left_, values)) != AtPoint::kDiffer) return false;
          found_ = values;
          return true;
        });
    solver_session_.asked = part.asked;
    solver_session_.decided = part.decided;
    return verdict;
  }

  const IndexingMap& left_;
  const IndexingMap& right_;
  SolverSession& solver_session_;
  Values found_;
  std::string open_;
};

}  // namespace

EqualityVerdict prove_equality(const IndexingMap& left, const IndexingMap& right,
                               SolverSession& session) {
  Prover prover(left, right, session);
  const Verdict verdict = prover.prove();
  return {verdict, prover.found(), prover.open()};
}

bool are_rearranged(const IndexingMap& left, const IndexingMap& right) {
  SolverSession over{Clock::now(), "", 0};
  return prove_equality(left, right, over).verdict == Verdict::kProven;
}

bool prove_at_once(const IndexingMap& left, const IndexingMap& right, ProofSession& session) {
  if (session.smtlib_directory.empty()) {
    const bool is_proven = are_rearranged(left, right);
    session.identities += is_proven ? 1 : 0;
    return is_proven;
  }
  return ask_once(whole_question(left, right), session) == Verdict::kProven;
}

EqualityVerdict prove_same(const IndexingMap& left, const IndexingMap& right,
                           ProofSession& session) {
  EqualityVerdict result{Verdict::kProven, {}, ""};
  if (prove_at_once(left, right, session)) return result;
  result.verdict = prove_once(whole_question(left, right), session, [&] {
    const std::chrono::milliseconds time(session.milliseconds_per_question);
    SolverSession solver{Clock::now() + time, session.smtlib_directory, session.asked};
    result = prove_equality(left, right, solver);
    session.asked = solver.asked;
    return result.verdict;
  });
  return result;
}

}  // namespace tileproof::verify
