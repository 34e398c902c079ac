// SPDX-License-Identifier: Apache-2.0
#include "verify/lemmas/tiling_fold.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "verify/lemmas/lemma_numbers.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/lemmas/polynomial.h"

namespace tileproof::lemmas {
namespace {

using impl::all;
using impl::Claim;
using impl::Fact;
using impl::Facts;
using impl::index_of;
using impl::Predicate;

// The facts known so far, and the lemmas that can add to them.
class Knowledge {
 public:
  void assume(const Facts<Term>& facts) {
    for (const Fact<Term>& fact : facts) known_.insert(normal(fact));
  }

  // Requires the lemma's hypotheses for these terms, and adds its conclusions.
  absl::Status apply(absl::string_view name, const std::vector<Term>& terms) {
    const StatedLemma* lemma = find_lemma(name);
    if (lemma == nullptr || terms.size() != lemma->variables.size()) {
      return absl::InternalError(
          absl::StrCat("no lemma ", name, " over ", terms.size(), " variables"));
    }
    const Claim<Term> claim = instance(*lemma, terms);
    if (claim.kind != impl::ClaimKind::kEqual && claim.kind != impl::ClaimKind::kHolds) {
      return absl::InternalError(absl::StrCat(name, " concludes no fact"));
    }
    const absl::Status status = require(claim.hypotheses);
    if (!status.ok())
      return absl::FailedPreconditionError(absl::StrCat(name, ": ", status.message()));
    assume(claim.after);
    ++fold_.instances;
    names_.insert(std::string(name));
    return absl::OkStatus();
  }

  absl::Status require(const Facts<Term>& facts) {
    for (const Fact<Term>& fact : facts) {
      const Normal wanted = normal(fact);
      if (!is_trivial(wanted) && known_.count(wanted) == 0) {
        return absl::FailedPreconditionError(absl::StrCat("not known: ", to_text(fact)));
      }
    }
    return absl::OkStatus();
  }

  TilingFold take() && {
    fold_.lemmas.assign(names_.begin(), names_.end());
    return std::move(fold_);
  }

 private:
  // A polynomial that is 0 or at least 0, over variables and the floors of others. No overflow
  // happens here: every coefficient of a tiling is 1 or -1. An invalid text equals no valid one.
  struct Normal {
    bool equality;
    std::map<Monomial, int64_t> terms;

    auto operator<=>(const Normal&) const = default;
  };

  static bool is_trivial(const Normal& fact) {
    if (fact.terms.empty()) return true;
    const auto& [monomial, coefficient] = *fact.terms.begin();
    return !fact.equality && fact.terms.size() == 1 && monomial.empty() && coefficient >= 0;
  }

  Normal normal(const Fact<Term>& fact) {
    Polynomial difference = lower(fact.right) - lower(fact.left);
    if (fact.predicate == Predicate::kLess) difference = difference - Polynomial::constant(1);
    if (!difference.valid())
      return {true, {{{"overflow"}, ++overflows_}}};  // differs from every other fact
    return {fact.predicate == Predicate::kEqual, difference.terms()};
  }

  // Terms share nodes, so each node is lowered once. The table keeps the terms alive, so that no
  // node's address is reused.
  const Polynomial& lower(const Term& term) {
    const auto known = lowered_.find(term.node.get());
    if (known != lowered_.end()) return known->second.second;
    Polynomial value = lower_new(term);
    return lowered_.emplace(term.node.get(), std::make_pair(term, std::move(value)))
        .first->second.second;
  }

  Polynomial lower_new(const Term& term) {
    const TermNode& node = *term.node;
    if (node.op == TermOp::kVariable) return Polynomial::variable(node.name);
    if (node.op == TermOp::kLiteral) return Polynomial::constant(node.value);
    const Polynomial& left = lower(node.left);
    if (node.op == TermOp::kNegate) return -left;
    const Polynomial& right = lower(node.right);
    switch (node.op) {
      case TermOp::kAdd:
        return left + right;
      case TermOp::kSubtract:
        return left - right;
      case TermOp::kMultiply:
        return left * right;
      case TermOp::kFloorDiv:
        return witness("floor", left, right);
      case TermOp::kCeilDiv:
        return -witness("floor", -left, right);
      default:
        return witness("rest", left, right);
    }
  }

  // Equal dividends and divisors share a name for their floor.
  Polynomial witness(absl::string_view kind, const Polynomial& dividend,
                     const Polynomial& divisor) {
    const auto key = std::make_pair(dividend.terms(), divisor.terms());
    const size_t number = divisions_.try_emplace(key, divisions_.size()).first->second;
    return Polynomial::variable(absl::StrCat(kind, number));
  }

  std::set<Normal> known_;
  std::map<std::pair<std::map<Monomial, int64_t>, std::map<Monomial, int64_t>>, size_t> divisions_;
  std::map<const TermNode*, std::pair<Term, Polynomial>>
      lowered_;  // a std::map keeps its values in place
  int64_t overflows_ = 0;
  TilingFold fold_;
  std::set<std::string> names_;
};

struct Dimension {
  Term index;
  Term size;
};

// A step that was applied, and what is needed to undo it.
struct Taken {
  TilingStep step;
  Term size;  // kSplit: size before the split; kCombine: size of the second dimension
  Term tile;  // kSplit
};

Term number(int64_t value) { return literal(Term{}, value); }

class Fold {
 public:
  absl::StatusOr<TilingFold> prove(size_t rank, const std::vector<TilingStep>& steps) {
    std::vector<Dimension> array;
    for (size_t k = 0; k < rank; ++k) {
      array.push_back({variable(absl::StrCat("e_", k)), variable(absl::StrCat("n_", k))});
      knowledge_.assume(index_of(array.back().index, array.back().size));
    }
    absl::Status status = encode(array, steps);
    if (!status.ok())
      return absl::FailedPreconditionError(absl::StrCat("encode, ", status.message()));
    status = decode(array);
    if (!status.ok())
      return absl::FailedPreconditionError(absl::StrCat("decode, ", status.message()));
    return std::move(knowledge_).take();
  }

 private:
  // Applies all steps and combines all dimensions; undoing each step must return its input.
  absl::Status encode(std::vector<Dimension>& array, const std::vector<TilingStep>& steps) {
    for (size_t i = 0; i < steps.size(); ++i) {
      const absl::Status status = take(array, steps[i]);
      if (!status.ok())
        return absl::FailedPreconditionError(absl::StrCat("step ", i, ": ", status.message()));
    }
    while (array.size() > 1) {
      const absl::Status status = take(array, {TilingStep::kCombine, 0});
      if (!status.ok())
        return absl::FailedPreconditionError(absl::StrCat("offset: ", status.message()));
    }
    return absl::OkStatus();
  }

  absl::Status take(std::vector<Dimension>& array, const TilingStep& step) {
    switch (step.kind) {
      case TilingStep::kSplit:
        return take_split(array, step);
      case TilingStep::kCombine:
        return take_combine(array, step);
      case TilingStep::kMove:
        return take_move(array, step);
      case TilingStep::kOne:
        break;
    }
    array.insert(array.begin(), {number(0), number(1)});
    taken_.push_back({step, {}, {}});
    return knowledge_.require(index_of(array[0].index, array[0].size));
  }

  absl::Status take_split(std::vector<Dimension>& array, const TilingStep& step) {
    if (step.dimension >= array.size()) return absl::InvalidArgumentError("no such dimension");
    const Dimension whole = array[step.dimension];
    const Term tile = variable(absl::StrCat("t_", tiles_++));
    knowledge_.assume({number(0) < tile});
    const Dimension outer{floordiv(whole.index, tile), ceildiv(whole.size, tile)};
    const Dimension inner{mod(whole.index, tile), tile};
    const absl::Status status = first_error({
        knowledge_.apply("split-in-bounds", {whole.index, whole.size, tile}),
        knowledge_.apply("split-undone", {whole.index, tile}),
        knowledge_.require(all(index_of(outer.index, outer.size), index_of(inner.index, inner.size),
                               outer.index * tile + inner.index == whole.index)),
    });
    array[step.dimension] = outer;
    array.insert(array.begin() + static_cast<ptrdiff_t>(step.dimension) + 1, inner);
    taken_.push_back({step, whole.size, tile});
    return status;
  }

  absl::Status take_combine(std::vector<Dimension>& array, const TilingStep& step) {
    if (step.dimension + 1 >= array.size()) return absl::InvalidArgumentError("no such dimensions");
    const Dimension i = array[step.dimension], j = array[step.dimension + 1];
    const Dimension both{i.index * j.size + j.index, i.size * j.size};
    const absl::Status status = first_error({
        knowledge_.apply("combine-in-bounds", {i.index, j.index, i.size, j.size}),
        knowledge_.apply("indexed-size", {j.index, j.size}),
        knowledge_.apply("digit-quotient", {i.index, j.size, j.index}),
        knowledge_.apply("digit-remainder", {i.index, j.size, j.index}),
        knowledge_.require(all(index_of(both.index, both.size),
                               floordiv(both.index, j.size) == i.index,
                               mod(both.index, j.size) == j.index)),
    });
    array[step.dimension] = both;
    array.erase(array.begin() + static_cast<ptrdiff_t>(step.dimension) + 1);
    taken_.push_back({step, j.size, {}});
    combined_sizes_.push_back(i.size);
    return status;
  }

  absl::Status take_move(std::vector<Dimension>& array, const TilingStep& step) {
    std::vector<size_t> sorted = step.order;
    std::sort(sorted.begin(), sorted.end());
    for (size_t k = 0; k < sorted.size(); ++k) {
      if (sorted[k] != k) return absl::InvalidArgumentError("an order names each dimension once");
    }
    if (sorted.size() != array.size())
      return absl::InvalidArgumentError("an order names each dimension once");
    std::vector<Dimension> moved;
    for (const size_t from : step.order) moved.push_back(array[from]);
    array = std::move(moved);
    taken_.push_back({step, {}, {}});
    return absl::OkStatus();
  }

  // Undoes all steps for an arbitrary offset; applying them again must lead back.
  absl::Status decode(std::vector<Dimension>& array) {
    array[0].index = variable("o");
    knowledge_.assume(index_of(array[0].index, array[0].size));
    for (size_t i = taken_.size(); i-- > 0;) {
      const absl::Status status = undo(array, taken_[i]);
      if (!status.ok())
        return absl::FailedPreconditionError(absl::StrCat("step ", i, ": ", status.message()));
    }
    return absl::OkStatus();
  }

  absl::Status undo(std::vector<Dimension>& array, const Taken& taken) {
    switch (taken.step.kind) {
      case TilingStep::kSplit:
        return undo_split(array, taken);
      case TilingStep::kCombine:
        return undo_combine(array, taken);
      case TilingStep::kMove: {
        std::vector<Dimension> moved = array;
        for (size_t k = 0; k < array.size(); ++k) moved[taken.step.order[k]] = array[k];
        array = std::move(moved);
        return absl::OkStatus();
      }
      case TilingStep::kOne:
        break;
    }
    TRY(knowledge_.apply("leading-one", {array[0].index, number(0), number(0)}));
    const absl::Status zero = knowledge_.require({array[0].index == number(0)});
    array.erase(array.begin());
    return zero;
  }

  // Combines tile number and position into an index of the padded dimension. From here on it is
  // assumed not to be padding.
  absl::Status undo_split(std::vector<Dimension>& array, const Taken& taken) {
    const Dimension outer = array[taken.step.dimension], inner = array[taken.step.dimension + 1];
    const Dimension whole{outer.index * taken.tile + inner.index, taken.size};
    const absl::Status status = first_error({
        knowledge_.apply("unsplit-in-bounds", {outer.index, inner.index, taken.size, taken.tile}),
        knowledge_.apply("digit-quotient", {outer.index, taken.tile, inner.index}),
        knowledge_.apply("digit-remainder", {outer.index, taken.tile, inner.index}),
        knowledge_.require(all(index_of(whole.index, ceildiv(taken.size, taken.tile) * taken.tile),
                               floordiv(whole.index, taken.tile) == outer.index,
                               mod(whole.index, taken.tile) == inner.index)),
    });
    knowledge_.assume({whole.index < whole.size});
    array[taken.step.dimension] = whole;
    array.erase(array.begin() + static_cast<ptrdiff_t>(taken.step.dimension) + 1);
    return status;
  }

  absl::Status undo_combine(std::vector<Dimension>& array, const Taken& taken) {
    const Dimension both = array[taken.step.dimension];
    const Dimension i{floordiv(both.index, taken.size), combined_sizes_.back()};
    const Dimension j{mod(both.index, taken.size), taken.size};
    combined_sizes_.pop_back();
    const absl::Status status = first_error({
        knowledge_.apply("uncombine-in-bounds", {both.index, i.size, j.size}),
        knowledge_.apply("split-undone", {both.index, j.size}),
        knowledge_.require(all(index_of(i.index, i.size), index_of(j.index, j.size),
                               i.index * j.size + j.index == both.index)),
    });
    array[taken.step.dimension] = i;
    array.insert(array.begin() + static_cast<ptrdiff_t>(taken.step.dimension) + 1, j);
    return status;
  }

  static absl::Status first_error(std::initializer_list<absl::Status> statuses) {
    for (const absl::Status& status : statuses) {
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  Knowledge knowledge_;
  std::vector<Taken> taken_;
  std::vector<Term> combined_sizes_;  // stack of the sizes of combined first dimensions
  int tiles_ = 0;
};

}  // namespace

std::vector<TilingStep> tiling_steps(size_t rank, const std::vector<size_t>& tile_ranks,
                                     bool combine_first) {
  std::vector<TilingStep> steps;
  for (size_t tile_rank : tile_ranks) {
    for (; rank < tile_rank; ++rank) steps.push_back({TilingStep::kOne});
    if (combine_first && tile_rank >= 2) {
      steps.push_back({TilingStep::kCombine, rank - tile_rank});
      --rank, --tile_rank;
    }
    combine_first = false;
    std::vector<size_t>
        order;  // after the splits: dimensions before the tile, tile numbers, positions in the tile
    for (size_t k = 0; k < rank - tile_rank; ++k) order.push_back(k);
    for (size_t k = 0; k < tile_rank; ++k) {
      steps.push_back({TilingStep::kSplit, rank - tile_rank + 2 * k});
      order.push_back(rank - tile_rank + 2 * k);
    }
    for (size_t k = 0; k < tile_rank; ++k) order.push_back(rank - tile_rank + 2 * k + 1);
    rank += tile_rank;
    steps.push_back({TilingStep::kMove, 0, order});
  }
  return steps;
}

absl::StatusOr<TilingFold> fold_tiling(size_t rank, const std::vector<TilingStep>& steps) {
  if (rank == 0)
    return absl::InvalidArgumentError("an array of rank 0 has one element and no tiling");
  return Fold().prove(rank, steps);
}

absl::StatusOr<RankFold> fold_all_tilings(size_t rank, size_t most_third) {
  RankFold result;
  result.rank = rank;
  std::set<std::string> names;
  const auto fold_one = [&](const std::vector<size_t>& tiles, bool combine) {
    const TilingFold fold = TRY(fold_tiling(rank, tiling_steps(rank, tiles, combine)));
    ++result.tilings;
    result.instances += fold.instances;
    names.insert(fold.lemmas.begin(), fold.lemmas.end());
    return absl::OkStatus();
  };
  for (const bool combine : {false, true}) {
    for (size_t first = 1; first <= rank + 1; ++first) {
      for (size_t second = 0; second <= rank; ++second) {
        for (size_t third = 0; third <= (second == 0 ? 0 : most_third); ++third) {
          std::vector<size_t> tiles = {first};
          if (second > 0) tiles.push_back(second);
          if (third > 0) tiles.push_back(third);
          TRY(fold_one(tiles, combine));
        }
      }
    }
  }
  result.lemmas.assign(names.begin(), names.end());
  return result;
}

}  // namespace tileproof::lemmas
