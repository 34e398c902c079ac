// SPDX-License-Identifier: Apache-2.0
// Cut points: arrays inside of two modules that are equal as wholes. For what stands above it, each is
// a parameter of its own, so it is looked at once, however deep the modules are.
//
//     LEFT   h = tanh(dot(x, w))   r = dot(h, h)     RIGHT   k = tanh(dot(x, w))   s = dot(k, k)
//
//     h and k have one term, and are p-1 from now on; r and s are sums of p-1[d0, s0] * p-1[s0, d1]
//
// Loops: values that the states start with and hand on alike are one class. If all bodies keep the
// classes, and the conditions are one term of them, then the loops give equal values for each class.
//
//     while (i < n) { x, i = f(x), i + 1 }           while (j < n) { j, d, y = j + 1, g(d), f(y) }
//
//     classes {x, y} and {i, j}, if they start from equal values; d is in none that both have
//
// Arrays are compared from the parameters up, so that what they are made of is cut before them.
// Source: bisimulation by partition refinement (Paige and Tarjan, 1987).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "verify/prove/hlo/modules/at_any_index.h"
#include "verify/prove/hlo/modules/element_walk.h"
#include "verify/prove/values/forms.h"
#include "verify/prove/values/values_equal.h"

namespace tileproof::verify {

class CutPoints {
 public:
  using Walk = ElementWalk<AtAnyIndex>;

  // The walks of both modules have the domain, which has functions. All must outlive this object.
  CutPoints(AtAnyIndex& domain, std::array<Walk*, 2> walks, TermComparison& comparison,
            const ValueOptions& options);

  using Array = Walk::Array;
  using Arrays = std::array<std::vector<Array>, 2>;  // of each side

  // Cuts the arrays that these results of both modules are made of.
  void cut(const Arrays& results) { cut_region(results); }
  // The laws with which the cut arrays that a term holds are equal.
  Laws laws_of(spec::TermId term) const;

 private:
  using Heights = std::map<int64_t, Arrays>;  // the number of operations below an array
  // Arrays of one value are equal, up to laws. A negative one: nothing is known of it.
  using Value = int64_t;
  struct Member {
    int side = 0;
    int64_t region = 0, height = 0;  // where it was found
    Array array;
    spec::TermId term = 0;
    bool is_cut = false;
  };
  struct Known {
    spec::TermId term = 0;
    std::vector<Member> members = {};
    std::optional<int64_t> cut = std::nullopt;
  };
  // Two loops, and which values of their states are equal.
  struct LoopPair {
    std::array<Array, 2> loops;
    Arrays starts;  // of each leaf
    std::array<std::vector<Value>, 2> classes = {};
    Laws laws = {};
  };
  using FormKey = std::tuple<size_t, FormId, Dims, ElementType>;  // the first: number of laws

  bool has_work() const;
  void add_heights(int side, const std::vector<Array>& roots, Heights& heights) const;
  void cut_region(const Arrays& roots);
  void cut_heights(Heights& heights);
  void cut_arrays(const Arrays& arrays, int64_t height);
  void cut_known(Known& known, int64_t height);
  void cut_loops(const Arrays& arrays, Arrays& open);
  bool cut_pair(LoopPair pair);
  Arrays begin_round(const LoopPair& pair);
  bool end_round(const Arrays& roots, LoopPair& pair);
  void keep_leaves(LoopPair pair);
  Array leaf_of(const LoopPair& pair, int side, size_t leaf) const;
  Value value_of(int side, const Array& array, Laws* laws = nullptr);
  Value known_value(const std::vector<FormKey>& keys, spec::TermId term);
  std::optional<Laws> laws_between(spec::TermId a, spec::TermId b);
  int64_t new_cut(Laws laws);

  AtAnyIndex& domain_;
  const std::array<Walk*, 2> walks_;
  TermComparison& comparison_;
  const ValueOptions& options_;
  std::vector<std::unique_ptr<Forms>> forms_;
  std::vector<Known> known_;
  absl::flat_hash_map<FormKey, Value> values_;
  std::map<std::tuple<uint32_t, Dims, ElementType>, std::set<Value>> of_outline_;
  std::vector<Laws> laws_;  // of each cut
  int64_t rounds_ = 0, regions_ = 0;
  int64_t region_ = 0;  // this one
  Value unknown_ = 0;
  // From this height on, arrays of the region have been made of something that was cut since then.
  std::optional<int64_t> late_ = std::nullopt;
};

}  // namespace tileproof::verify
