// SPDX-License-Identifier: Apache-2.0
// tileproof coalescing: counts the memory transactions of the warps of a kernel. The kernel is a
// map from threads and blocks to elements of an instruction's result.
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/map_listing.h"
#include "cli/picture_file.h"
#include "cli/text.h"
#include "conform/protocol/json.h"
#include "impl/access/kernel_traffic.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::cli {
namespace {

using conform::Json;

struct CoalescingOptions {
  bool allow_unknown = false;
  std::string file = "-", threads, instruction, svg;
  int32_t output = 0;
  impl::Warps warps;
  bool json = false;
};

void print(const impl::KernelTraffic& traffic, const CoalescingOptions& options) {
  std::cout << "  " << traffic.name << ": ";
  if (!traffic.accesses) {
    std::cout << "not counted: " << traffic.why << "\n";
    return;
  }
  const impl::TransactionCounts& a = *traffic.accesses;
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

Json json_of(const impl::KernelTraffic& traffic) {
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

int coalescing(const CoalescingOptions& options) {
  const absl::StatusOr<std::vector<HloModule>> modules =
      read_modules(options.file, options.allow_unknown);
  if (!modules.ok()) return complain("coalescing", modules.status());
  const auto at = find_asked(*modules, absl::StripPrefix(options.instruction, "%"));
  if (!at.ok()) return complain("coalescing", at.status());
  const absl::StatusOr<std::string> text = read_argument(options.threads);
  if (!text.ok()) return complain("--threads", text.status());
  const absl::StatusOr<IndexingMap> threads = parse_map(*text);
  if (!threads.ok()) return complain("--threads", threads.status(), *text);
  impl::IndexingAnalysis analysis(at->module);
  const auto all = impl::kernel_traffic(analysis, at->module, at->computation, at->instruction,
                                        options.output, *threads, options.warps);
  if (!all.ok()) return complain("coalescing", all.status());
  if (!options.svg.empty()) {
    const absl::Status drawn =
        draw_instruction(*modules, absl::StripPrefix(options.instruction, "%"), options.output,
                         options.svg, [&](const explorer::InstructionAccess& access) {
                           return explorer::traffic_picture(access, *threads, options.warps);
                         });
    if (!drawn.ok()) return complain("coalescing --svg", drawn);
    if (options.svg == "-") return kHolds;
  }
  const HloComputation& in = at->module.computations[at->computation];
  if (!options.json) {
    std::cout << headline(in, at->instruction) << "\n";
    for (const impl::KernelTraffic& traffic : *all) print(traffic, options);
    return kHolds;
  }
  Json::Array arrays;
  for (const impl::KernelTraffic& traffic : *all) arrays.push_back(json_of(traffic));
  std::cout << to_text(conform::json_object({{"instruction", in.instructions[at->instruction].name},
                                             {"warp", options.warps.warp},
                                             {"width", options.warps.width},
                                             {"arrays", std::move(arrays)}}))
            << "\n";
  return kHolds;
}

}  // namespace

void add_coalescing_command(Program& program) {
  auto options = std::make_shared<CoalescingOptions>();
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
                 "NAME or COMPUTATION/NAME of an instruction; default: the root of the entry "
                 "computation");
  command.option("--output", options->output, "number of the array in the result")
      .in_range(0, INT32_MAX)
      .show_default();
  command
      .option(
          "--svg", options->svg,
          "draw how often each element of the operands is moved, into this file; - for standard "
          "output")
      .file();
  command.flag("--json", options->json, "print JSON");
  command.run([options] { return coalescing(*options); });
}

}  // namespace tileproof::cli
