// SPDX-License-Identifier: Apache-2.0
// Fuzz target: bytes are read as a proto, binary and text. Either they become HLO modules, which
// print and read back as the same, or there is an error of one line.
#include "fuzz/targets/line_mutations.h"
#include "fuzz/targets/text_input.h"
#include "spec/lang/hlo_proto/hlo_proto.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof {
namespace {

void check(absl::string_view input) {
  const auto found = [&](absl::string_view what) { fail(absl::StrCat(what, " at '", input, "'")); };
  for (const char* type : {"HloProto", "HloModuleProto"}) {
    (void)hlo_proto::parse_binary(input, type);  // whichever form the bytes seem to have
    (void)hlo_proto::parse_text(input, type);
  }
  const auto modules = hlo_proto::parse_modules(input, UnknownHlo::kKeep);
  if (!modules.ok() && !absl::StrContains(modules.status().message(), "expected")) {
    found(
        absl::StrCat("an error that does not say what was expected: ", modules.status().message()));
  }
  if (!modules.ok()) return;
  verify::CaseCounts tally;
  const std::string other = verify::read_back_difference(
      modules, [](absl::string_view t) { return parse_hlo_modules(t); }, tally);
  if (!other.empty()) found(other);
}

}  // namespace

const TextTarget kTarget = {check, mutated_lines, crossed_lines, /*bytes_of_16=*/10};

}  // namespace tileproof
