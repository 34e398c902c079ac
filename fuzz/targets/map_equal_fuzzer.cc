// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a proof compares two maps, one per line: by rearranging, by cases of products, and for
// a share of the inputs by the solver. Maps that it proves equal are equal by the reference: at every
// point of both boxes if there are few, otherwise at sampled points. Maps that it refutes differ at
// the counterexample.
#include "fuzz/targets/map_inputs.h"
#include "impl/map/simplify.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/map/map_points.h"

namespace tileproof {
namespace {

constexpr int64_t kWork = 10'000, kThoroughWork = 200'000;
constexpr int64_t kPoints = 16, kThoroughPoints = 100;
constexpr int64_t kSolverMilliseconds = 300;
Share solver("solver", 16), thorough("more points", 16);

std::string check(absl::string_view text, verify::CaseCounts&) {
  const std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty()) return "";
  const IndexingMap& left = maps[0];
  const IndexingMap& right = maps[1];
  verify::EqualOptions options;
  options.milliseconds = solver.has(text) ? kSolverMilliseconds : 0;
  options.enumerated = 0;
  options.sampled_points = 0;
  options.normal_forms = false;
  const auto equality = verify::equal(left, right, options);
  if (!equality.ok()) return "";  // the numbers of variables or results differ
  const auto both = [&] { return absl::StrCat(quoted(left), " ", quoted(right)); };
  if (equality->verdict == verify::Verdict::kUndecided) return "";
  if (equality->difference) {
    const spec::Point& at = equality->difference->at;
    if (verify::compare_at(left, right, at) == verify::AtPoint::kDiffer) return "";
    return absl::StrCat("equal at the counterexample: ", both(), " at ", spec::to_text(left, at));
  }
  const bool more = thorough.has(text);
  const int64_t work = more ? kThoroughWork : kWork;
  Choose choose(Choose::Random{seed_of(text)});
  const verify::SearchResult found =
      verify::search(left, right, more ? kThoroughPoints : kPoints, work, choose);
  if (!found.difference) return "";
  return absl::StrCat("proven equal but different, by ", verify::to_text(equality->basis), ": ",
                      both(), " at ",
                      spec::to_text(left, verify::point_of(left, *found.difference)));
}

std::string mutated(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty() || choose.chance(1, 32)) maps = {random_map(choose), {}};
  IndexingMap& left = maps[0];
  IndexingMap& right = maps[1];
  switch (choose(4)) {
    case 0:
      change(choose, left);
      [[fallthrough]];
    case 1:
      right = rewrite_by_identities(choose, left);
      break;
    case 2: {
      const absl::StatusOr<IndexingMap> simple = impl::simplify(left);
      right = simple.ok() && !simple->known_empty ? *simple : left;
      break;
    }
    default:
      right = left;
  }
  for (int64_t more = choose(3); more > 0; --more) mutate_meaning(choose, right);
  return absl::StrCat(text_of_changed(choose, left), "\n", text_of_changed(choose, right));
}

}  // namespace

const TextTarget kTarget = {check, mutated, /*bytes_of_16=*/0};

}  // namespace tileproof
