// SPDX-License-Identifier: Apache-2.0
// Sets of dataflow paths: of paths with the same pairs one stays, and none that another one visibly
// contains.
//
//     (o0) -> (o0), (o0) -> (o0), (o0) -> (s0) with every s0        (o0) -> (s0)
//
// Two paths are compared by a text of their access relation. It leaves out variables without effect
// and numbers the others in order of appearance. It does not name the operand and its leaf, so paths
// to different arrays may have the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "spec/hlo/access_relation.h"
#include "verify/prove/hlo/dataflow_path.h"

namespace tileproof::verify {

// A path that reads every element of the operand's leaf.
DataflowPath universe(int32_t operand, int64_t leaf, const spec::Dims& dims);

// The same, in place of paths that may read less.
DataflowPath superset(int32_t operand, int64_t leaf, const spec::Dims& dims);

// Which coordinate of the result each coordinate of the operand is; -1 is any index.
using Along = std::vector<int64_t>;

// Whether every coordinate of the operand is any index.
bool is_any_index(const Along& coordinates);

// A path that reads every element of the operand's leaf with these coordinates.
DataflowPath path_along(const Along& coordinates, const spec::Dims& operand, int64_t leaf);

// What a path reads. Equal texts, equal relations.
struct PathText {
  // Whether this path reads all that the other does: of each coordinate every index, or the same
  // function of the result's index; and its conditions are conditions of the other.
  bool contains(const PathText& other) const;

  std::string text;  // empty if the path has no pairs
  bool is_everything = false;
  std::set<std::string> conditions = {};
  bool is_box = false;  // conditions are on the output; each coordinate is one of these:
  std::vector<std::string> coordinates = {};  // empty: every index; a function of the output; "?"

  // If the path reads everything where one sum over the output is in an interval: the sum as a text,
  // the interval, and all values that the sum may have.
  struct Band {
    std::string sum;
    Wide low = 0, high = 0;
    Wide least = 0, most = 0;
  };
  std::optional<Band> band = std::nullopt;
};

// Paths that read everything together, each where a sum is in an interval, become one: a concatenate
// does this to arrays that all depend on all of an operand.
//
// The distinct paths to one array, without those that another one visibly contains. A path that
// reads all of the operand replaces all others. Paths that are a superset do so only for their like.
class PathSet {
 public:
  // `operand`: the dimensions of the leaf that the path reaches.
  void add(DataflowPath path, const spec::Dims& result, const spec::Dims& operand);

  // Whether all of the leaf is known to be read.
  bool has_everything(int32_t operand, int64_t leaf) const;

  int64_t work() const { return work_; }  // steps evaluated
  std::vector<DataflowPath> take();       // with their texts

 private:
  struct Target {
    std::set<std::pair<std::string, bool>> known;  // texts; whether of a superset
    std::vector<DataflowPath> paths;
    std::vector<PathText> texts;  // of these
    bool universe = false;
    std::optional<DataflowPath> superset;
    std::map<std::string, std::vector<PathText::Band>> bands;  // by sum
  };
  // Adds the path unless another contains it, and drops those that it contains.
  static void add(Target& target, DataflowPath path, PathText text);

  std::map<std::pair<int32_t, int64_t>, Target> targets_;
  int64_t work_ = 0;
};

}  // namespace tileproof::verify
