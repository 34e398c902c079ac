// SPDX-License-Identifier: Apache-2.0
// One disjunct as a product of sets, where it is one: for each index that it starts from and all
// values that it reads, it reaches all indices whose coordinates are in these sets.
//
//     (o0)[s0, s1, s2] -> (s0, s1 + o0 floordiv 4)     o0 in [0, 7], s0 in [0, 9], s1 in [0, 3],
//                                                      s2 in [0, 2], o0 + s2 in [1, 8]
//
//     o0 = 0   every s0 in [0, 9]; [0, 3]              some s2 fits
//     o0 = 4   every s0 in [0, 9]; [1, 4]
//
// Range variables that are in one coordinate or one condition are a group. A group without a
// coordinate needs a point for all values read; one with a coordinate has the indices that it meets
// whatever the values are. So no group may have two coordinates, and no value that a group depends
// on may be of an element that the group's own variables choose.
//
// Found by evaluation at points, without the solver.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "spec/hlo/dependence.h"
#include "verify/prove/hlo/disjunct.h"

namespace tileproof::verify {

// Which coordinate of the result each coordinate of the operand is; -1 is any index.
using Along = std::vector<int64_t>;

// Whether every coordinate of the operand is any index.
inline bool is_any_index(const Along& coordinates) {
  return std::ranges::all_of(coordinates, [](int64_t c) { return c == -1; });
}

// The indices that a coordinate has.
struct Covered {
  bool all = false;
  std::vector<bool> met = {};  // by index; empty if all
};

class ProductOfSets {
 public:
  // The disjunct must outlive this object. Its ranges and reads are not empty.
  ProductOfSets(const Disjunct& disjunct, const spec::Dims& result);

  // Whether coordinate d of the operand plainly is coordinate v of the result.
  bool keeps(size_t d, size_t v) const;

  // Whether all pairs plainly are of elements that are there.
  bool is_inside(const spec::Dims& result, const spec::Dims& operand) const;

  // Begins to look for the indices that it reaches, where coordinates that are kept are left out.
  // False if the disjunct is visibly no product, or has too many points.
  bool begin(const Along& along, const spec::Dims& result, const spec::Dims& operand);

  // After begin: the coordinates of the index it starts from that make a difference.
  const std::set<size_t>& looks_at() const { return looks_at_; }

  // Indices for which it sees the same have the same sets. Nothing if that is not known.
  std::optional<std::vector<Wide>> sees(const std::vector<int64_t>& start) const;

  // By coordinate of the array that the disjunct ends at; those that are kept are all. Nothing if it
  // reaches nothing from here, or that is not known.
  std::optional<std::vector<Covered>> covered(const std::vector<int64_t>& start);

  int64_t work() const { return work_; }  // conditions and coordinates that were evaluated

 private:
  // Variables that belong together, with the conditions and the coordinate that they are in.
  struct Group {
    std::vector<size_t> ranges, reads, given;
    std::vector<const Formula*> conditions;
    std::optional<size_t> coordinate = {};
  };

  static std::vector<Interval> bounds_of(const Disjunct& disjunct, const spec::Dims& result);
  Pair<Symbol> evaluated(size_t rank);
  Symbol atom(size_t v) { return Symbol(context_.atom(static_cast<int32_t>(v))); }
  bool is_range(size_t v) const { return v >= given_ && v < first_read_; }

  void find_groups();
  bool are_in_order() const;
  bool is_anywhere(const Group& group);
  bool has_point(const Group& group, std::vector<int64_t>& at);
  bool has_point_whatever_is_read(const Group& group, std::vector<int64_t> at);
  std::optional<Covered> indices_of(const Group& group, std::vector<int64_t> at);
  std::optional<Covered> indices_at(const Group& group, std::vector<int64_t>& at);
  std::optional<Covered> shifted_variable(const Group& group, const std::vector<int64_t>& at) const;
  bool holds(const Formula& formula, const std::vector<int64_t>& at) const;
  bool hold(const Group& group, const std::vector<int64_t>& at);
  std::optional<int64_t> points_of(const std::vector<size_t>& variables) const;
  template <class Visit>
  bool for_each_point(const std::vector<size_t>& variables, std::vector<int64_t>& at,
                      const Visit& visit);

  bool is_of_start(const Sum& sum) const;
  bool is_of_start(int32_t atom) const;
  void add_seen(const Sum& sum);
  void add_seen(const Formula& formula);

  const Disjunct& disjunct_;
  std::vector<Interval> bounds_;  // of variables: the index of the result, ranges, values read
  QuasiAffineContext context_;
  const size_t first_start_;  // the first variable of the index that the disjunct starts from
  const size_t given_;        // so many variables are of an index
  const size_t first_read_;
  std::vector<std::set<size_t>> elements_;  // by read: the variables that say which element it is
  std::vector<bool> is_element_known_;      // by read
  const Pair<Symbol> pair_;
  std::vector<Symbol> targets_;
  spec::Dims sizes_;
  std::vector<bool> kept_;  // by target
  std::vector<Formula> conditions_;
  std::vector<Group> groups_;
  std::vector<std::optional<Covered>> always_;  // by target: the same from everywhere
  std::set<size_t> looks_at_;
  std::vector<Sum> seen_;
  int64_t work_ = 0;
};

}  // namespace tileproof::verify
