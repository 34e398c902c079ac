// SPDX-License-Identifier: Apache-2.0
// Do two modules compute the same values? Is each element of each result the same expression of the
// same parameter elements, up to laws (verify/prove/values/forms.h)?
//
//     LEFT   n = f32[2] subtract(p, q)       RIGHT  m = f32[2] negate(q)   n = f32[2] add(m, p)
//
//     equal: p[0] - q[0], and p[1] - q[1], on both sides
//
// Equal: the forms of all elements are the same, or the solver proves for all integers that they
// are. Different: at one point, no rounding and no order of reductions makes them equal
// (verify/prove/values/point.h): at one of some hundred, or at integers that the solver finds. Else
// undecided.
//
// Modules are compared by enumeration: too large is what the definition calls too large.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo.h"
#include "verify/prove/smt/ask_solver.h"
#include "verify/prove/smt/thread_cpu_clock.h"
#include "verify/prove/values/forms.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {

// The payload of an error that concerns one module: "LEFT" or "RIGHT".
inline constexpr char kSideOfError[] = "tileproof/side";

struct ValueOptions {
  Laws allowed = {ValueLaw::kReductionOrder};
  int64_t milliseconds = 10'000;      // for each question to the solver
  std::string smtlib_directory = {};  // questions become files there; none if empty
  // Steps of the definition for each module, as many for points and twice as many for forms of each
  // result.
  spec::Limits limits = {.work = int64_t{1} << 24};
  // Processor time of this thread after which nothing more is tried.
  ThreadCpuClock::time_point deadline = ThreadCpuClock::time_point::max();

  bool is_late() const { return ThreadCpuClock::now() >= deadline; }
};

// The steps that take about this time. All have the same answer on each machine.
spec::Limits limits_in(int64_t milliseconds);

// Where on several devices an element is.
struct DeviceOfResult {
  int64_t device = 0;
  bool is_of_left = false;
  std::vector<int64_t> global =
      {};  // its index in the array over all devices; empty if that is not known
};

// An element on the way from a result to where two modules differ, or may.
struct PathStep {
  std::string instruction, opcode;
  std::vector<int64_t> index;
  std::string value;
  std::optional<int64_t> device = std::nullopt;  // if there are several

  bool operator==(const PathStep&) const = default;
};
struct DifferencePath {
  std::vector<PathStep> left, right;              // from the result down
  std::vector<PathStep> left_reads, right_reads;  // the first of what the last step reads
};

struct ValueEquality {
  int64_t leaf = 0;  // of the result
  Verdict verdict = Verdict::kProven;
  Laws laws = {};                // proven: those that were needed; undecided: those that would do
  std::vector<int64_t> at = {};  // not proven: an element that is different, or may be
  std::optional<DeviceOfResult> device = std::nullopt;  // and on which device, if there are several
  std::string left = {}, right = {};                    // not proven: what stands there
  std::string detail = {};                              // undecided: why
  std::optional<PointNumbers> point = std::nullopt;     // where they are different
  // Not proven: if it is found (verify/prove/hlo/modules/difference_path.h).
  DifferencePath path = {};
};

// The terms of one result in both modules.
struct ResultTerms {
  Dims dims;
  std::vector<spec::TermId> left, right;  // by element, in row-major order
};

// Compares results whose terms are in one store. What results have in common is looked at once.
class TermComparison {
 public:
  // `terms` keeps the order of bags. Both must outlive this object.
  TermComparison(spec::Terms& terms, const ValueOptions& options);
  ~TermComparison();

  ValueEquality compare(const ResultTerms& result);
  // The answer, if all elements have the same forms, or one is different at one of some points.
  std::optional<ValueEquality> decide_at_once(const ResultTerms& result);
  // The laws with which all elements are equal, if that is proven. Looks for no difference.
  std::optional<Laws> prove(const ResultTerms& result, bool asks_solver);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

// Of these arrays of the result those for which few steps do, by leaf: none if the definition needs more.
std::map<int64_t, ValueEquality> decided_at_once(const HloModule& left, const HloModule& right,
                                                 const std::vector<int64_t>& leaves,
                                                 const ValueOptions& options);

// One answer for each of these arrays of the result. The parameters and results must have the same
// types and sizes. Errors: those of the definition, with the side.
std::vector<absl::StatusOr<ValueEquality>> equal_values(const HloModule& left,
                                                        const HloModule& right,
                                                        const std::vector<int64_t>& leaves,
                                                        const ValueOptions& options);

// Whether the definition would have to enumerate too much.
bool is_too_large(const absl::Status& status);

}  // namespace tileproof::verify
