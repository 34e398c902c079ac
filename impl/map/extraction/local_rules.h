// SPDX-License-Identifier: Apache-2.0
// An expression after a few local rules: a second candidate beside extraction.
//
//     associativity     sums are flat, and equal terms add up
//     bounds            x floordiv c is a constant if x stays inside one cell; then x mod c has no
//                       division left (one-cell)
//     multiples         (c*x + y) floordiv c = x + y floordiv c, (c*x + y) mod c = y mod c
//                       (pull-multiple)
//     common factors    (g*x + r) floordiv (g*c) = x floordiv c if r stays inside one cell of g
//                       (drop-small-part), (g*x) mod (g*c) = (x mod c) * g (common-factor)
//     nesting           (x floordiv a) floordiv b = x floordiv (a*b), (x mod a) mod b = x mod b if b
//                       divides a (nested-floor)
//     digits            (x floordiv c) * c + x mod c = x, the same with x = y floordiv a and
//                       y floordiv (a*c) (nested-floor), x - (x floordiv c) * c = x mod c
//
// Unlike a normal form, it keeps mods and factors as they are written. So it is no longer than the
// expression after such rules, which other simplifiers also have, and extraction may be:
//
//     ((d0 floordiv -30) mod 20) * 40 + (d0 floordiv -600) * 800        (d0 floordiv -30) * 40
#pragma once

#include <optional>
#include <vector>

#include "impl/map/extraction/extraction.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

class LocalRules {
 public:
  // Starts with the bounds of the map's variables. `map` has every expression once (impl/map/cse.h).
  // Both must outlive the use. Does nothing until the first candidate.
  void begin(const IndexingMap& map, const std::vector<Range>& bounds);
  // From now on, the work is also that of another context, and ends when that one's ends.
  void share_work(NormalFormContext& with) { shared_ = &with; }
  // From now on, the constraints of the map may be used.
  void assume_constraints() { state_ = State::kToAssume; }

  // The expression after the rules. Nothing if it multiplies variables or its numbers are too large.
  std::optional<Extraction> candidate(NodeId root);
  // Appends the tree of a candidate.
  NodeId write(const Extraction& candidate, const VariableCounts& counts, ExprTable& out);

  // Logs that the result with that number is its candidate of `rules`, and that the last result of
  // the map after is, too.
  void log_result(const LocalRules& rules, ProofLog& proof_log, size_t number);

 private:
  enum class State : uint8_t { kToBegin, kToAssume, kReady };

  void prepare();
  void try_others();
  void assume();
  Linear form_of(NodeId root);
  Linear with_values(const Linear& form);
  Linear step(const Node& node);

  State state_ = State::kReady;
  bool assumes_ = false;
  int give_ups_ = 0;
  NormalFormContext* shared_ = nullptr;
  const IndexingMap* map_ = nullptr;
  const std::vector<Range>* bounds_ = nullptr;
  NormalFormContext context_;
  std::vector<Linear> done_;  // by node, valid if known_
  std::vector<char> known_;   // 1 if its form is known
};

}  // namespace tileproof::impl
