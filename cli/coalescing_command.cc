// SPDX-License-Identifier: Apache-2.0
// tileproof coalescing: counts the memory transactions of the warps of a kernel. The kernel is a
// map from threads and blocks to elements of an instruction's result.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/map_listing.h"
#include "cli/picture_file.h"
#include "cli/text.h"
#include "impl/access/kernel_traffic.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::cli {
namespace {

std::string text_of(const impl::KernelTraffic& traffic, int64_t width) {
  if (!traffic.accesses) return absl::StrCat("not counted: ", traffic.why);
  const TransactionCounts& a = *traffic.accesses;
  const std::string used = a.transactions == 0 ? ""
                                               : absl::StrCat("; ", traffic.used_percent(width),
                                                              "% of the bytes are used");
  return absl::StrCat(a.accesses, " accesses, ", a.transactions, " transactions of ", width,
                      " bytes, at most ", a.most, " an access", used);
}

Json json_of(const impl::KernelTraffic& traffic) {
  Json json = json_object({{"array", traffic.name}});
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

}  // namespace

absl::StatusOr<Answer> coalescing_command(const Command& given) {
  const std::vector<HloModule> modules =
      TRY(read_modules(given.text("HLO"), given.flag("--allow-unknown")));
  const Asked at = TRY(find_asked(modules, given.text("--instruction")));
  const std::string text = TRY(about("--threads", read_argument(given.text("--threads"))));
  const IndexingMap threads = TRY(about("--threads", parse_map(text), text));
  const Warps warps{given.number("--warp"), given.number("--width")};
  const auto output = static_cast<int32_t>(given.number("--output"));
  const std::string& svg = given.text("--svg");
  impl::IndexingAnalysis analysis(at.module);
  const auto all = TRY(impl::kernel_traffic(analysis, at.module, at.computation, at.instruction,
                                            output, threads, warps));
  if (!svg.empty()) {
    TRY(about("coalescing --svg",
              draw_instruction(modules, given.text("--instruction"), output, svg,
                               [&](const explorer::InstructionAccess& access) {
                                 return explorer::traffic_picture(access, threads, warps);
                               })));
    if (svg == "-") return Answer{};
  }
  const HloComputation& in = at.module.computations[at.computation];
  Answer answer{{}, headline(in, at.instruction) + "\n", kHolds, /*sorts_keys=*/false};
  Json::Array arrays;
  for (const impl::KernelTraffic& traffic : all) {
    arrays.push_back(json_of(traffic));
    absl::StrAppend(&answer.text, "  ", traffic.name, ": ", text_of(traffic, warps.width), "\n");
  }
  answer.json.push_back(json_object({{"instruction", in.instructions[at.instruction].name},
                                     {"warp", warps.warp},
                                     {"width", warps.width},
                                     {"arrays", std::move(arrays)}}));
  return answer;
}

}  // namespace tileproof::cli
