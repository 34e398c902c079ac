// The simplifier of indexing maps.
//
//     simplify(m) accepts exactly the points that m accepts, and gives the same results there
//
// with the same variables, names and order. Bounds may become tighter, constraints fewer, a domain
// without points becomes KNOWN EMPTY. Neither results nor constraints are longer than in m, counted
// in nodes of their trees (tree_size); simplifying again changes nothing.
//
//     (d0, d1) -> ((d1 floordiv 64 + d0 * 2) mod 3 * 256 + d1 mod 64 * 4), domain: ..
//
// What not every reader of maps understands, ceildiv and negative divisors, stands in the answer
// only where the map itself has such.
//
// Refused is only what is no map: a divisor that is not a constant other than 0. An expression
// whose normal form leaves 64 bits, or costs more than a fixed amount of work, is left as it is.
//
// Source: INTERFACE, section 2 "Maps"; design "One normal form, then a presentation".
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// Memory that simplify uses again and again. One thread at a time.
class Workspace {
 public:
  Workspace();
  // With this much work for one map, in terms of sums, where the default is 4,000,000, about a
  // tenth of a second. The less, the more is left as it is written.
  explicit Workspace(int64_t max_work);
  ~Workspace();

  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

absl::StatusOr<IndexingMap> simplify(const IndexingMap& map, Workspace& workspace);

// The same with a workspace of the calling thread.
absl::StatusOr<IndexingMap> simplify(const IndexingMap& map);

// The same, and why it is right: the lemmas used, with their instances, as text
// (impl/map/proof_log/proof_log.h). The text is empty for a map that is known to be empty, and where a huge map
// has too many steps to be told.
struct Traced {
  IndexingMap map;
  std::string trace;
};
absl::StatusOr<Traced> simplify_with_trace(const IndexingMap& map);

// An interval that contains every value of the expression `root` of the map over its domain; not
// always the smallest. An error where it leaves 64 bits or the domain has an empty bound.
absl::StatusOr<Interval> range_of(const IndexingMap& map, NodeId root);

}  // namespace tileproof::impl
