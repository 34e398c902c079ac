// SPDX-License-Identifier: Apache-2.0
// The simplifier of indexing maps.
//
//     simplify(m) accepts exactly the points that m accepts, and gives the same results there
//
// The variables, their names and their order stay. Bounds may become tighter, constraints fewer,
// and a domain without points becomes KNOWN EMPTY. Neither results nor constraints become longer,
// counted in nodes of their trees (tree_size). Simplifying again changes nothing.
//
//     (d0, d1) -> ((d1 floordiv 64 + d0 * 2) mod 3 * 256 + d1 mod 64 * 4), domain: ..
//
// Not every reader of maps understands ceildiv and negative divisors. The answer contains them only
// if the map does.
//
// The only error is an invalid map: a divisor that is not a constant other than 0. If the normal
// form of an expression leaves 64 bits, or costs more than a fixed amount of work, the expression
// stays as it is.
//
// docs/concepts/normal_form.md introduces the normal form.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Memory that simplify reuses. One thread at a time.
class Workspace {
 public:
  Workspace();
  // The limits are counts of work, in additions of terms. So a result never depends on the machine.
  //
  //   1,500           to search for the shortest text of one expression; then the best so far is
  //                   taken. So a map of usual size takes less than 0.2 ms
  //   `max_work`      for normal forms; then an expression stays as written. By default 4,000,000,
  //                   about a tenth of a second
  //   4 * `max_work`  for the whole simplification; then the map stays as it is
  //
  // Whatever ends early, the result has the meaning of the map, is not longer, and stays the same if
  // it is simplified again. With a limit of its own, a workspace does not recognize maps in normal form
  // (impl/map/normal_map.h): the general way decides all of them, with the same answers.
  explicit Workspace(int64_t max_work);
  ~Workspace();

  // The work of the last simplification; 0 for a map that was recognized.
  int64_t work() const;

  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map, Workspace& workspace);

// The same without a copy: a map in the workspace, until its next use, or the map itself. Allocates nothing if the workspace has seen such maps before.
absl::StatusOr<const IndexingMap*> simplify_in(Workspace& workspace, const IndexingMap& map);

// The same, with a workspace of the calling thread.
absl::StatusOr<IndexingMap> simplify(const IndexingMap& map);

// The same, with a proof: the lemmas used and their instances, as text
// (impl/map/proof_log/proof_log.h). The text is empty if the map is known to be empty, or if a huge
// map has too many steps to log.
struct Traced {
  IndexingMap map;
  std::string trace;
};
absl::StatusOr<Traced> simplify_with_trace(const IndexingMap& map);

// An interval that contains every value of the expression `root` over the map's domain, not always
// the smallest. An error if it leaves 64 bits or the domain has an empty bound.
absl::StatusOr<Interval> range_of(const IndexingMap& map, NodeId root);

}  // namespace tileproof::impl
