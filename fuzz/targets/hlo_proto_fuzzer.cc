// SPDX-License-Identifier: Apache-2.0
// Fuzz target: bytes are read as a proto, binary and text. Either they become HLO modules, which
// print and read back as the same, or there is an error of one line.
#include "fuzz/targets/text_input.h"
#include "fuzz/targets/text_mutations.h"
#include "spec/lang/hlo_proto/hlo_proto.h"
#include "spec/lang/hlo_proto/message.h"
#include "verify/compare/text_compare.h"

namespace tileproof {
namespace {

std::string check(absl::string_view input, verify::CaseCounts& tally) {
  for (const char* type : {"HloProto", "HloModuleProto"}) {
    (void)hlo_proto::parse_binary(input, type);  // whichever form the bytes seem to have
    (void)hlo_proto::parse_text(input, type);
  }
  const auto modules = hlo_proto::parse_modules(input, UnknownHlo::kKeep);
  const std::string found =
      modules.ok() ? verify::read_back_difference(
                         modules, [](absl::string_view t) { return parse_hlo_modules(t); }, tally)
                   : verify::error_difference(modules.status(), "expected");
  return found.empty() ? "" : absl::StrCat(found, " at '", input, "'");
}

}  // namespace

const TextTarget kTarget = {check, mutated_lines, /*bytes_of_16=*/10};

}  // namespace tileproof
