// SPDX-License-Identifier: Apache-2.0
// tileproof relayout: how an array is copied from one layout into another; and copies a file.
#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/equiv_modules.h"
#include "cli/text.h"
#include "cli/verbs/layout_index.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/layout_function.h"

namespace tileproof::cli {
namespace {

using impl::RelayoutOptions;
using impl::RelayoutPlan;
using impl::RelayoutSide;

constexpr int64_t kMostBytes = int64_t{1} << 36;  // of a file, 64 GiB

// The width of an element in the layout. Nothing if the layout does not say it.
std::optional<int64_t> bits_of(const AnyLayout& layout) {
  const absl::StatusOr<spec::LayoutFunction> function = spec::layout_function(layout);
  return function.ok() ? function->element_bits : std::nullopt;
}

absl::StatusOr<RelayoutOptions> relayout_options(const Command& given, const AnyLayout& from,
                                                 const AnyLayout& to) {
  RelayoutOptions result;
  const std::optional<int64_t> left = bits_of(from), right = bits_of(to);
  if (left && right && *left != *right) {
    return invalid("expected elements of one width, found ", *left, " and ", *right, " bits");
  }
  result.element_bits =
      static_cast<int>(given.number_if("--bits").value_or(left.value_or(right.value_or(32))));
  result.source_is_packed = result.destination_is_packed = result.element_bits < 8;
  result.threads = static_cast<int>(given.number("--threads"));
  return result;
}

absl::StatusOr<std::string> read_file(const std::string& path, int64_t bytes) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read the file ", path));
  const int64_t found = file.tellg();
  if (found != bytes) {
    return invalid(path, ": expected ", bytes, " bytes, the size of the first layout, found ",
                   found);
  }
  std::string content(static_cast<size_t>(bytes), '\0');
  file.seekg(0);
  if (!file.read(content.data(), bytes)) {
    return absl::DataLossError(absl::StrCat("cannot read the file ", path));
  }
  return content;
}

// What the destination holds before: the content of a file of the right size, else zeros.
std::string content_before(const std::string& path, int64_t bytes) {
  const absl::StatusOr<std::string> before = read_file(path, bytes);
  return before.ok() ? *before : std::string(static_cast<size_t>(bytes), '\0');
}

absl::Status copy_file(const Command& given, const RelayoutPlan& plan) {
  const std::string& out = given.text("--out");
  if (std::max(plan.source_bytes(), plan.destination_bytes()) > kMostBytes) {
    return invalid("expected files of at most 64 GiB");
  }
  const std::string source = TRY(read_file(given.text("--in"), plan.source_bytes()));
  std::string destination = content_before(out, plan.destination_bytes());
  plan.run(source.data(), destination.data());
  std::ofstream file(out, std::ios::binary);
  if (!file.write(destination.data(), std::ssize(destination)).flush()) {
    return absl::NotFoundError(absl::StrCat("cannot write the file ", out));
  }
  return absl::OkStatus();
}

// Both sides, of the array that both layouts stand for, if there is one.
absl::StatusOr<std::pair<RelayoutSide, RelayoutSide>> sides_of(const AnyLayout& from,
                                                               const AnyLayout& to) {
  RelayoutSide source = TRY(impl::relayout_side(from));
  RelayoutSide destination = TRY(impl::relayout_side(to));
  absl::StatusOr<spec::LayoutFunction> left = spec::layout_function(from);
  absl::StatusOr<spec::LayoutFunction> right = spec::layout_function(to);
  if (left.ok() && right.ok() && spec::share_shape(*left, *right).ok()) {
    source = TRY(impl::relayout_side(from, left->dims));
    destination = TRY(impl::relayout_side(to, left->dims));
  }
  return std::pair(std::move(source), std::move(destination));
}

Json json_of(const RelayoutPlan& plan) {
  Json::Array loops;
  for (const impl::RelayoutLoop& loop : plan.loops()) {
    loops.push_back(json_object({{"dimension", loop.dimension},
                                 {"weight", loop.weight},
                                 {"size", loop.size},
                                 {"source", loop.source_stride},
                                 {"destination", loop.destination_stride}}));
  }
  const std::string text = plan.to_text();
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  const bool has_loops = plan.kernel() != RelayoutPlan::Kernel::kElements;
  return json_object({{"plan", json_array(lines)},
                      {"fill", plan.fills()},
                      {"begin", json_object({{"source", plan.source_start()},
                                             {"destination", plan.destination_start()}})},
                      {"loops", has_loops ? Json(std::move(loops)) : Json()},
                      {"bounds", box_json(plan.bounds())},
                      {"run", plan.run_length()},
                      {"moves", plan.moves()},
                      {"source_bytes", plan.source_bytes()},
                      {"destination_bytes", plan.destination_bytes()}});
}

// Between two layouts of threads: how far elements have to go, and from which place each comes.
absl::StatusOr<Answer> relayout_threads(const std::string (&texts)[2],
                                        std::optional<int64_t> bits) {
  const auto [from, to] = TRY(both_sides(texts, parse_threads));
  if (from.layout.dims != to.layout.dims) {
    return invalid("the logical shapes differ: ", dims_text(from.layout.dims), " and ",
                   dims_text(to.layout.dims));
  }
  if (!from.form || !to.form) return invalid("expected layouts that are linear over bits");
  const auto moves = impl::moves_between(*from.form, *to.form);
  if (!moves) return invalid("no place of FROM holds some element that TO holds");
  const auto type = element_type_of_mlir(to.layout.element_type);
  const int64_t width = bits.value_or(type ? info(*type).bits : 32);
  const int64_t bytes = (*element_count(to.layout.dims) * width + 7) / 8;
  const std::string map = to_text(impl::map_of(moves->sources));
  const bool is_same = from.sizes == to.sizes && from.form->bases == to.form->bases;
  static constexpr const char* kWithin[] = {"cluster", "block", "warp", "thread"};
  static constexpr const char* kTexts[] = {"between blocks, through their shared memory",
                                           "within each block, through shared memory",
                                           "within each warp, by shuffles between its lanes",
                                           "within each thread, between its registers"};
  const std::string through = moves->kept < 2 ? absl::StrCat(", ", bytes, " bytes") : "";
  return Answer{{json_object({{"from", from.layout.text},
                              {"to", to.layout.text},
                              {"within", is_same ? "nothing" : kWithin[moves->kept]},
                              {"bytes", bytes},
                              {"sources", map}})},
                absl::StrCat(is_same ? "nothing moves" : kTexts[moves->kept],
                             is_same ? "" : through, "\n  ", map, "\n")};
}

}  // namespace

absl::StatusOr<Answer> relayout_command(const Command& given) {
  const std::string texts[2] = {TRY(read_argument(given.text("FROM"))),
                                TRY(read_argument(given.text("TO")))};
  if (has_thread_layout(texts[0]) && has_thread_layout(texts[1]))
    return relayout_threads(texts, given.number_if("--bits"));
  const AnyLayout from = TRY(parse_any_layout(texts[0]));
  const AnyLayout to = TRY(parse_any_layout(texts[1]));
  const bool copies = !given.text("--in").empty();
  if (copies == given.text("--out").empty()) {
    return invalid("expected --in and --out together");
  }
  RelayoutOptions plan_options = TRY(relayout_options(given, from, to));
  const auto [source, destination] = TRY(sides_of(from, to));
  plan_options.padding = destination.has_gaps && !given.flag("--fill-gaps")
                             ? RelayoutOptions::Padding::kKeep
                             : RelayoutOptions::Padding::kZero;
  const RelayoutPlan plan = TRY(RelayoutPlan::create(source, destination, plan_options));
  if (copies) TRY(copy_file(given, plan));
  Json json = json_of(plan);
  set(json, "from", to_text(from));
  set(json, "to", to_text(to));
  set(json, "bits", int64_t{plan_options.element_bits});
  return Answer{{std::move(json)},
                absl::StrCat(copies ? "" : plan.to_text(), plan.source_bytes(), " bytes to ",
                             plan.destination_bytes(), " bytes\n")};
}

}  // namespace tileproof::cli
