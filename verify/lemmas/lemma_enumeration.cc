// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/lemma_enumeration.h"

#include <algorithm>
#include <map>
#include <string>

namespace tileproof::lemmas {
namespace {

using impl::Claim;
using impl::ClaimKind;
using impl::Fact;

// A term in postfix order, with positions in place of names.
struct Instruction {
  TermOp op;
  int64_t value;  // a literal's value, or a variable's position
};
using Program = std::vector<Instruction>;

void compile(const Term& term, const std::map<std::string, size_t>& positions, Program& program,
             size_t& last_place) {
  const TermNode& node = *term.node;
  if (node.left.node) compile(node.left, positions, program, last_place);
  if (node.right.node) compile(node.right, positions, program, last_place);
  int64_t value = node.value;
  if (node.op == TermOp::kVariable) {
    const size_t position = positions.at(node.name);
    last_place = std::max(last_place, position);
    value = static_cast<int64_t>(position);
  }
  program.push_back({node.op, value});
}

Integer binary(TermOp op, Integer left, Integer right) {
  switch (op) {
    case TermOp::kAdd:
      return left + right;
    case TermOp::kSubtract:
      return left - right;
    case TermOp::kMultiply:
      return left * right;
    case TermOp::kFloorDiv:
      return floordiv(left, right);
    case TermOp::kCeilDiv:
      return ceildiv(left, right);
    default:
      return mod(left, right);
  }
}

Integer run(const Program& program, const std::vector<int64_t>& point,
            std::vector<Integer>& stack) {
  stack.clear();
  for (const Instruction& instruction : program) {
    if (instruction.op == TermOp::kVariable) {
      stack.push_back({point[static_cast<size_t>(instruction.value)]});
    } else if (instruction.op == TermOp::kLiteral) {
      stack.push_back({instruction.value});
    } else if (instruction.op == TermOp::kNegate) {
      stack.back() = -stack.back();
    } else {
      const Integer right = stack.back();
      stack.pop_back();
      stack.back() = binary(instruction.op, stack.back(), right);
    }
  }
  return stack.back();
}

struct Condition {
  Program left;
  impl::Predicate predicate;
  Program right;
};

class Walk {
 public:
  Walk(const StatedLemma& lemma, int64_t radius, int64_t limit) : lemma_(lemma), left_(limit) {
    result_.radius = radius;
    point_.resize(lemma.variables.size());
    conditions_.resize(lemma.variables.size());
    std::map<std::string, size_t> positions;
    for (size_t i = 0; i < lemma.variables.size(); ++i) positions[lemma.variables[i]] = i;
    for (const Fact<Term>& fact : lemma.claim.hypotheses) {
      size_t last = 0;
      Condition condition{{}, fact.predicate, {}};
      compile(fact.left, positions, condition.left, last);
      compile(fact.right, positions, condition.right, last);
      conditions_[last].push_back(std::move(condition));
    }
  }

  Enumeration run_all() {
    result_.complete = visit(0);
    return std::move(result_);
  }

 private:
  // Tries every value of variable `position` and all after it. Returns false to stop.
  bool visit(size_t position) {
    if (position == point_.size()) return try_point();
    for (int64_t step = 0; step <= 2 * result_.radius; ++step) {
      if (left_-- <= 0) return false;
      point_[position] = step % 2 == 0 ? -step / 2 : (step + 1) / 2;  // 0, 1, -1, 2, -2, ..
      if (conditions_hold(position) && !visit(position + 1)) return false;
    }
    return true;
  }

  bool conditions_hold(size_t position) {
    return std::all_of(
        conditions_[position].begin(), conditions_[position].end(),
        [&](const Condition& condition) {
          const Integer left = run(condition.left, point_, stack_);
          return is_true({left, condition.predicate, run(condition.right, point_, stack_)}) == true;
        });
  }

  bool try_point() {
    const Claim<Integer> claim = lemma_.at(point_);
    if (are_true(claim.hypotheses) != true) {  // Term and Integer disagree about the declaration
      result_.failure = point_;
      return false;
    }
    ++result_.points;
    const bool left_side = claim.kind != ClaimKind::kEquivalent || are_true(claim.before) == true;
    if (left_side) {
      ++result_.before;
      if (!result_.witness) result_.witness = point_;
    }
    if (conclusion_is_true(claim) == true) return true;
    result_.failure = point_;
    return false;
  }

  const StatedLemma& lemma_;
  int64_t left_;
  Enumeration result_;
  std::vector<int64_t> point_;
  std::vector<std::vector<Condition>> conditions_;  // by the last variable they mention
  std::vector<Integer> stack_;
};

}  // namespace

Enumeration enumerate(const StatedLemma& lemma, int64_t radius, int64_t limit) {
  return Walk(lemma, radius, limit).run_all();
}

Enumeration enumerate_largest(const StatedLemma& lemma, int64_t largest_radius, int64_t limit) {
  Enumeration best;
  for (int64_t radius = 1; radius <= largest_radius; ++radius) {
    Enumeration next = enumerate(lemma, radius, limit);
    if (next.failure) return next;
    if (!next.complete) break;
    best = std::move(next);
  }
  return best;
}

}  // namespace tileproof::lemmas
