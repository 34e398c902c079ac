// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/layout_conversion.h"

#include <iostream>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "spec/lang/base/nearest.h"
#include "verify/prove/layout/layout_convert.h"

namespace tileproof::cli {
namespace {

using verify::Converted;
using verify::Verdict;

int exit_status(const Converted& converted) {
  if (!converted.layout) return converted.ruled_out ? kCounterexample : kUndecided;
  return converted.proof.verdict == Verdict::kProven ? kHolds : kUndecided;
}

Json to_json(const Converted& converted) {
  if (converted.layout) {
    return json_object(
        {{"layout", to_text(*converted.layout)},
         {"notes", json_array(converted.notes)},
         {"equal", converted.proof.verdict == Verdict::kProven ? Json(true) : Json()}});
  }
  return json_object({{"layout", Json()},
                      {"possible", converted.ruled_out ? Json(false) : Json()},
                      {"reason", converted.reason}});
}

void print(const Converted& converted, const std::string& system) {
  if (!converted.layout) {
    std::cout << (converted.ruled_out ? "impossible in " : "no layout found in ") << system << ": "
              << converted.reason << "\n";
    return;
  }
  std::cout << to_text(*converted.layout) << "\n"
            << (converted.proof.verdict == Verdict::kProven
                    ? "equal: the same offset for every index\n"
                    : absl::StrCat("undecided: ", converted.proof.open, "\n"));
  for (const std::string& note : converted.notes) std::cout << "note: " << note << "\n";
}

}  // namespace

int convert_layout(absl::string_view text, const std::string& system, const std::string& type,
                   bool json) {
  const std::optional<verify::LayoutSystem> to = verify::layout_system_named(system);
  if (!to) {
    return complain("--as", absl::InvalidArgumentError(absl::StrCat(
                                "expected xla, tla, cute, dnnl or mlir, found ", system,
                                did_you_mean(system, {"xla", "tla", "cute", "dnnl", "mlir"}))));
  }
  const absl::StatusOr<ElementType> of_nested = element_type_argument(type);
  if (!of_nested.ok()) return complain("layout", of_nested.status());
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(text);
  if (!layout.ok()) return complain("layout", layout.status(), text);
  verify::ProofSession session;
  const absl::StatusOr<Converted> converted = verify::convert(*layout, *to, *of_nested, session);
  if (absl::IsInternal(converted.status())) {
    complain("layout", converted.status());
    return kInternal;
  }
  if (!converted.ok()) return complain("layout", converted.status());
  if (json) {
    std::cout << json_line(to_json(*converted));
  } else {
    print(*converted, system);
  }
  return exit_status(*converted);
}

}  // namespace tileproof::cli
