// SPDX-License-Identifier: Apache-2.0
// tileproof coalescing: counts the memory transactions of the warps of a kernel. The kernel is a
// map from threads and blocks to elements of an instruction's result.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/map_listing.h"
#include "cli/text.h"
#include "conform/protocol/json.h"
#include "impl/access/coalescing.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/runtime_terms.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::cli {
namespace {

using conform::Json;
using impl::TransactionCounts;

struct Options {
  bool allow_unknown = false;
  std::string file = "-", threads, instruction;
  int32_t output = 0;
  impl::Warps warps;
  bool json = false;
};

// The accesses to one array through all of its maps. Each map is a separate access.
struct Traffic {
  std::string name;
  std::optional<TransactionCounts> accesses;
  int64_t bits = 0;  // of an element
  std::string why;   // the reason if `accesses` is empty
};

int64_t bits_of(const Shape& array) {
  const int64_t given = layout_of(array).element_size_in_bits;
  return given != 0 ? given : 8 * byte_width(array.element_type);
}

absl::StatusOr<TransactionCounts> count_list(const IndexingMap& threads, const impl::LeafMaps& list,
                                             const Shape& array, const impl::Warps& warps) {
  if (list.inexact) {
    return absl::ResourceExhaustedError(absl::StrCat("a superset of what flows: ", list.reason));
  }
  TransactionCounts sum;
  for (const impl::IndexedMap& one : list.maps) {
    const std::vector<bool> used = impl::runtime_used(one.map);
    if (std::ranges::find(used, true) != used.end()) {
      return absl::ResourceExhaustedError("it depends on the values of offsets");
    }
    const std::vector<int64_t> none(used.size(), 0);
    const auto own =
        TRY(impl::count_transactions(threads, impl::with_runtime(one.map, none), array, warps));
    const auto accesses = checked_add(sum.accesses, own.accesses);
    const auto transactions = checked_add(sum.transactions, own.transactions);
    const auto elements = checked_add(sum.elements, own.elements);
    if (!accesses || !transactions || !elements) {
      return absl::ResourceExhaustedError("more than 63 bits");
    }
    sum = {*accesses, *transactions, std::max(sum.most, own.most), *elements};
  }
  return sum;
}

absl::Status add(std::vector<Traffic>& all, std::string name, const Shape& array,
                 const absl::StatusOr<TransactionCounts>& accesses) {
  Traffic traffic{std::move(name), std::nullopt, bits_of(array), ""};
  if (accesses.ok()) {
    traffic.accesses = *accesses;
  } else if (absl::IsResourceExhausted(accesses.status())) {
    traffic.why = std::string(accesses.status().message());
  } else {
    return accesses.status();
  }
  all.push_back(std::move(traffic));
  return absl::OkStatus();
}

// From an index of the result to itself.
IndexingMap identity(const Shape& array) {
  IndexingMap map;
  for (const Dimension& dimension : array.dimensions) {
    map.results.push_back(add_variable(map.nodes, Op::kDimension, std::ssize(map.dimensions)));
    map.dimensions.push_back({{0, dimension.size - 1}, ""});
  }
  return map;
}

// The result first, then the operands with dependences.
absl::StatusOr<std::vector<Traffic>> traffic_of(const Asked& at, const IndexingMap& threads,
                                                const Options& options) {
  impl::IndexingAnalysis analysis(at.module);
  const auto indexing = TRY(analysis.instruction(at.computation, at.instruction, options.output));
  const HloComputation& in = at.module.computations[at.computation];
  const HloInstruction& instruction = in.instructions[at.instruction];
  std::vector<Traffic> all;
  const Shape& result = *shape_leaves_of(*instruction.shape).leaves[options.output].array;
  absl::Status status =
      add(all, "result", result,
          impl::count_transactions(threads, identity(result), result, options.warps));
  for (size_t k = 0; k < indexing.size(); ++k) {
    const HloInstruction& operand = in.instructions[instruction.operands[k].instruction];
    const Leaves leaves = shape_leaves_of(*operand.shape).leaves;
    for (size_t leaf = 0; leaf < indexing[k].size() && status.ok(); ++leaf) {
      const impl::LeafMaps& list = indexing[k][leaf];
      if (list.maps.empty()) continue;
      const Shape& array = *leaves[leaf].array;
      const std::string part = leaves.size() > 1 ? absl::StrCat("#", leaf) : "";
      status = add(all, absl::StrCat("operand ", k, ", ", operand.name, part), array,
                   count_list(threads, list, array, options.warps));
    }
  }
  if (!status.ok()) return status;
  return all;
}

void print(const Traffic& traffic, const Options& options) {
  std::cout << "  " << traffic.name << ": ";
  if (!traffic.accesses) {
    std::cout << "not counted: " << traffic.why << "\n";
    return;
  }
  const TransactionCounts& a = *traffic.accesses;
  std::cout << a.accesses << " accesses, " << a.transactions << " transactions of "
            << options.warps.width << " bytes, at most " << a.most << " an access";
  if (a.transactions > 0) {
    const double used = static_cast<double>(a.elements) * static_cast<double>(traffic.bits) / 8;
    const double moved =
        static_cast<double>(a.transactions) * static_cast<double>(options.warps.width);
    std::cout << "; " << static_cast<int64_t>(100 * used / moved) << "% of the bytes are used";
  }
  std::cout << "\n";
}

Json json_of(const Traffic& traffic) {
  Json json = conform::json_object({{"array", traffic.name}});
  if (!traffic.accesses) {
    set(json, "uncounted", traffic.why);
    return json;
  }
  set(json, "accesses", traffic.accesses->accesses);
  set(json, "transactions", traffic.accesses->transactions);
  set(json, "most", traffic.accesses->most);
  set(json, "elements", traffic.accesses->elements);
  set(json, "bits", traffic.bits);
  return json;
}

int coalescing(const Options& options) {
  const absl::StatusOr<std::vector<HloModule>> modules =
      read_modules(options.file, options.allow_unknown);
  if (!modules.ok()) return complain("coalescing", modules.status());
  const auto at = find_asked(*modules, absl::StripPrefix(options.instruction, "%"));
  if (!at.ok()) return complain("coalescing", at.status());
  const absl::StatusOr<std::string> text = read_argument(options.threads);
  if (!text.ok()) return complain("--threads", text.status());
  const absl::StatusOr<IndexingMap> threads = parse_map(*text);
  if (!threads.ok()) return complain("--threads", threads.status(), *text);
  const auto all = traffic_of(*at, *threads, options);
  if (!all.ok()) return complain("coalescing", all.status());
  const HloComputation& in = at->module.computations[at->computation];
  if (!options.json) {
    std::cout << headline(in, at->instruction) << "\n";
    for (const Traffic& traffic : *all) print(traffic, options);
    return kHolds;
  }
  Json::Array arrays;
  for (const Traffic& traffic : *all) arrays.push_back(json_of(traffic));
  std::cout << to_text(conform::json_object({{"instruction", in.instructions[at->instruction].name},
                                             {"warp", options.warps.warp},
                                             {"width", options.warps.width},
                                             {"arrays", std::move(arrays)}}))
            << "\n";
  return kHolds;
}

}  // namespace

void add_coalescing_command(Program& program) {
  auto options = std::make_shared<Options>();
  Command command =
      program.command("coalescing", "Count the memory transactions of the warps of a kernel");
  command.example(
      "tileproof coalescing 't = f32[128,128] transpose(f32[128,128] p), "
      "dimensions={1,0}' --threads '(th_x, bl_x) -> (bl_x, th_x), domain: th_x in "
      "[0, 127], bl_x in [0, 127]'",
      "the transactions of a transpose, whose reads are far apart");
  command.option("HLO", options->file, "a file of HLO text, or the text; - for standard input")
      .file()
      .show_default();
  command.flag("--allow-unknown", options->allow_unknown, kAllowUnknown);
  command
      .option("--threads", options->threads,
              "a map from th_x, th_y, th_z, bl_x, bl_y, bl_z and iterations to an index of the "
              "result; @FILE")
      .required();
  command.option("--warp", options->warps.warp, "threads of a warp")
      .in_range(1, 1024)
      .show_default();
  command.option("--width", options->warps.width, "bytes of a transaction")
      .in_range(1, 4096)
      .show_default();
  command.option("--instruction", options->instruction,
                 "the name of an instruction; default: the root of the entry computation");
  command.option("--output", options->output, "number of the array in the result")
      .in_range(0, INT32_MAX)
      .show_default();
  command.flag("--json", options->json, "print JSON");
  command.run([options] { return coalescing(*options); });
}

}  // namespace tileproof::cli
