// SPDX-License-Identifier: Apache-2.0
// Proofs by cutting: what an array inside of a computation depends on is proven once, and all paths
// through that array then use only the statement.
//
//     f { p, a = .., b = .. a .. a .., ROOT c = .. b .. b .. }
//
//     uncut   b has twice as many paths to p as a, and c twice as many as b
//     cut     lemma: b is the union of these maps to p       c: its paths to b, then one lemma each
//
// The statement is what the analysis says about the array: its maps to one array of a parameter.
// The proof shows that the union of the paths (which may contain lemmas about arrays before it) and
// the union of the maps contain each other, for all parameters and all values of offsets. So the
// maps may replace the paths everywhere: in other paths, in other calls of the computation, in
// loops.
// A lemma holds for one array of one computation; nothing about the callers enters its proof.
//
// Paths of which some are a superset may be replaced by maps that contain them. A map that the other
// paths contain is none.
//
// Paths that together read every element of the parameter's array, or every one in the same row or
// batch as the result's, become one that does (verify/prove/hlo/coverage.h).
//
// Parameters with the same dimensions and the same paths, such as the weights of a model, share what is
// proven of one of them.
//
// If maps are no shorter, or inexact where the paths are not and are not very long, or the proof fails,
// the paths stay as they are. Many long ones then become a superset: they would soon be too many to
// look at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/functional/function_ref.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/dataflow_path.h"
#include "verify/prove/hlo/path_set.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {

// Paths that together read every element with these coordinates of the result.
struct WholePaths {
  Along along;
  bool is_superset = false;  // some of the paths are
};

class PathCuts {
 public:
  // Both must outlive this object.
  PathCuts(const HloModule& module, impl::IndexingAnalysis& analysis)
      : module_(module), analysis_(analysis) {}

  // Replaces paths from the leaf to parameters of its computation by lemmas, where they are many or
  // long and the lemma is proven before the deadline. `paths` are grouped by the leaf that they
  // reach.
  void cut(int32_t computation, int32_t instruction, int64_t leaf, std::vector<DataflowPath>& paths,
           ThreadCpuClock::time_point deadline);

  int64_t proven() const { return proven_; }  // lemmas
  int64_t reused() const { return reused_; }  // answers that were known of another parameter

 private:
  using Paths = std::vector<DataflowPath>;

  // If the maps may replace the paths: whether each is no superset, as all of its pairs are of such
  // paths.
  std::optional<std::vector<bool>> proven_maps(int32_t computation, const spec::Dims& dims,
                                               const Paths& paths,
                                               const std::vector<impl::IndexedMap>& maps,
                                               bool may_be_superset, bool only_superset,
                                               ThreadCpuClock::time_point deadline);

  // The dimensions of the leaf of a parameter that the path reaches.
  spec::Dims parameter_dims(int32_t computation, const DataflowPath& path);

  bool become_whole(int32_t computation, const spec::Dims& dims, Paths& paths);

  // Maps that have the pairs of some paths: whether each is no superset.
  struct Lemmas {
    std::vector<impl::IndexedMap> maps;
    std::vector<bool> exact;
  };
  std::optional<Lemmas> lemmas_for(int32_t computation, const spec::Dims& dims, const Paths& paths,
                                   const impl::LeafMaps& list, ThreadCpuClock::time_point deadline);

  // What the analysis says of the array that the path reaches.
  using MapsTo = absl::FunctionRef<const impl::LeafMaps*(const DataflowPath& path)>;
  void cut_group(int32_t computation, const spec::Dims& dims, const MapsTo& maps_to, Paths& group,
                 ThreadCpuClock::time_point deadline);

  const HloModule& module_;
  impl::IndexingAnalysis& analysis_;
  int64_t proven_ = 0;
  int64_t reused_ = 0;
  // By computation, parameter and leaf: how many steps the paths of a failed attempt had. The next
  // one waits until there are twice as many.
  std::map<std::tuple<int32_t, int32_t, int64_t>, size_t> failed_;
  // By the same: what the last paths without whole coordinates looked like.
  struct NotWhole {
    size_t paths = 0, steps = 0;
    spec::Dims dims = {};
    bool operator==(const NotWhole&) const = default;
  };
  std::map<std::tuple<int32_t, int32_t, int64_t>, NotWhole> not_whole_;

  // What is known by the texts of paths: many parameters have the same, such as the weights of a
  // model.
  struct KnownLemmas {
    std::vector<impl::IndexedMap> maps;  // that the analysis gave
    bool inexact = false;
    std::optional<Lemmas> lemmas;
  };
  std::map<std::string, std::optional<WholePaths>> whole_;
  std::map<std::string, std::vector<KnownLemmas>> lemmas_;

  std::map<int32_t, std::vector<int32_t>> parameters_;  // of a computation
};

// Whether the path is one lemma whose map is this one: the same text, and the same elements for its
// runtime variables, as seen from `computation`. Then both have the same pairs. False says nothing.
bool is_lemma_of(const HloModule& module, int32_t computation, const DataflowPath& path,
                 const impl::IndexedMap& map);

// Beyond these limits paths are looked at: paths to one array; steps of a path. Few paths get a lemma
// if one has more than kMaxLemmaSteps.
inline constexpr size_t kMaxUncutPaths = 2;
inline constexpr size_t kMaxUncutSteps = 3;
inline constexpr size_t kMaxLemmaSteps = 8;

}  // namespace tileproof::verify
