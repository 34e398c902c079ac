// SPDX-License-Identifier: Apache-2.0
// The lines of a proof: what an array inside of a computation depends on, each proven alone.
//
//     f { p, a = .., b = .. a .. a .., ROOT c = .. b .. b .. }
//
//     line of a    its operation
//     line of b    its operation, and then the line of a
//     line of c    its operation, and then the line of b
//
// A line claims the maps that the analysis gives from the array to a leaf of a parameter. The proof
// shows that the union of the paths (the operation's definition, and then a line of its operands) and
// the union of the maps contain each other, for all parameters and all values of offsets. So the maps
// may replace the paths everywhere: in other lines, in other calls of the computation, in loops.
// Nothing about the callers enters the proof. Lines with the same text are proven once: many
// parameters have the same, such as the weights of a model.
//
// A line may be a superset: if one before it is, or the operation's definition, or the maps. A map of it
// that the exact paths contain is exact.
//
// A line without a proof stays a list of paths. A long list becomes a superset, which names the line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "impl/hlo/indexing.h"
#include "impl/hlo/indexing_result.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/hlo/containment.h"
#include "verify/prove/hlo/dataflow_path.h"
#include "verify/prove/smt/thread_cpu_clock.h"

namespace tileproof::verify {

// A leaf of the result of an instruction inside of a computation.
struct ArrayInside {
  int32_t computation = 0;
  int32_t instruction = 0;
  int64_t leaf = 0;
};

class Lines {
 public:
  // Both must outlive this object.
  Lines(const HloModule& module, impl::IndexingAnalysis& analysis)
      : module_(module), analysis_(analysis) {}

  // The paths from the array to leaves of parameters. `own`: to the operands; `before`: from what each
  // of these reaches to leaves of parameters. Lines are tried until the deadline, by now(). `site`: not
  // 0 where a call of the computation knows predicates; paths that use what it knows get no line.
  Paths of(const ArrayInside& array, const Paths& own, const std::vector<const Paths*>& before,
           int64_t site, ThreadCpuClock::time_point deadline);

  int64_t proven() const { return proven_; }
  int64_t reused() const { return reused_; }  // lines with the text of another
  // The processor time without that of claims, which the analysis makes.
  ThreadCpuClock::time_point now() const { return ThreadCpuClock::now() - claiming_; }

 private:
  struct Line;
  std::string name_of(const ArrayInside& array, const Paths& own, int64_t site);
  int64_t number_of(std::string text);
  void prove(Line& line, ThreadCpuClock::time_point deadline);
  std::optional<Paths> proven(const Line& line, ThreadCpuClock::time_point deadline,
                              bool& is_tried);
  DataflowPath path_of(const Line& line, const Between& between, const impl::IndexedMap& map,
                       bool is_superset);
  const impl::LeafMaps* claim(const Line& line);

  const HloModule& module_;
  impl::IndexingAnalysis& analysis_;
  int64_t proven_ = 0;
  int64_t reused_ = 0;
  ThreadCpuClock::duration claiming_{0};
  std::map<std::string, int64_t> numbers_;  // of texts
  // By the text of the paths: what replaces them.
  std::map<std::string, std::optional<Paths>> known_;
  // By computation, parameter and leaf: how many steps the last line without a proof had. The next one
  // waits until there are twice as many.
  std::map<std::tuple<int32_t, int32_t, int64_t>, size_t> failed_;
  std::map<int32_t, std::vector<int32_t>> parameters_;  // of a computation
  // What the analysis says of the last array.
  std::optional<std::pair<std::vector<int64_t>, absl::StatusOr<impl::LeavesRead>>> claims_;
};

}  // namespace tileproof::verify
