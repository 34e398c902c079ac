// SPDX-License-Identifier: Apache-2.0
// Fuzz targets of HLO: an input is the text of a module, or bytes that choose one.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "fuzz/targets/text_input.h"
#include "fuzz/targets/text_mutations.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/mutate_hlo.h"
#include "impl/hlo/module_indexing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo_proto/hlo_proto.h"
#include "spec/lang/hlo_proto/message.h"
#include "spec/lang/stablehlo/stablehlo_text.h"
#include "verify/compare/access_compare.h"
#include "verify/compare/indexing_compare.h"
#include "verify/compare/text_compare.h"

namespace tileproof {
namespace {

// A finding about a module.
std::string about(absl::string_view finding, absl::string_view hlo) {
  if (finding.empty()) return "";
  return absl::StrCat(finding, ": tileproof map $'", absl::CEscape(hlo), "'");
}

// The analysis counts every instruction once, and agrees with the reference at the root.
std::string module_difference(const HloModule& module, absl::string_view text,
                              verify::RuntimeChoice choice, verify::CaseCounts& tally) {
  if (impl::index_module(module).instructions.total() != instruction_count(module))
    return about("wrong number of instructions", text);
  return about(verify::indexing_difference(module, module.computations[module.entry].root, choice,
                                           {.arrays = 8}, tally),
               text);
}

// Checks a generated module, which is valid.
std::string generated_difference(const GeneratedHlo& hlo, verify::CaseCounts& tally) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  return module.ok()
             ? module_difference(*module, hlo.text, {hlo.seed, hlo.near}, tally)
             : about(absl::StrCat("a generated module does not parse: ", module.status().message()),
                     hlo.text);
}

// ---- hlo_text ----
//
// A text either parses as HLO modules or fails with a column. The printed modules
// parse as the same modules.

absl::StatusOr<std::vector<HloModule>> parsed(absl::string_view text) {
  return parse_hlo_modules(text);
}

std::string check_text(absl::string_view text, verify::CaseCounts& tally) {
  return about(verify::read_back_difference(parsed(text), parsed, tally), text);
}

// ---- stablehlo_text ----
//
// A text either becomes HLO modules or fails with a column. The modules print and read
// back as the same.

std::string check_stablehlo(absl::string_view text, verify::CaseCounts& tally) {
  const std::string found =
      verify::read_back_difference(stablehlo::parse_modules(text), parsed, tally);
  return found.empty() ? "" : absl::StrCat(found, " at '", text, "'");
}

// ---- hlo_proto ----
//
// Bytes are read as a proto, binary and text. Either they become HLO modules, which
// print and read back as the same, or there is an error of one line.

std::string check_proto(absl::string_view input, verify::CaseCounts& tally) {
  for (const char* type : {"HloProto", "HloModuleProto"}) {
    (void)hlo_proto::parse_binary(input, type);  // whichever form the bytes seem to have
    (void)hlo_proto::parse_text(input, type);
  }
  const auto modules = hlo_proto::parse_modules(input, UnknownHlo::kKeep);
  const std::string found = modules.ok() ? verify::read_back_difference(modules, parsed, tally)
                                         : verify::error_difference(modules.status(), "expected");
  return found.empty() ? "" : absl::StrCat(found, " at '", input, "'");
}

// ---- hlo_index ----
//
// Indexing maps of one operation, which the bytes choose
// (generate/hlo/generate_hlo.h).

std::string check_operation(absl::string_view bytes, verify::CaseCounts& tally) {
  return generated_difference(hlo_of_choices(bytes_of(bytes), /*computation=*/false), tally);
}

// ---- hlo_computation ----
//
// Indexing maps of a computation of several operations, fusions and calls, which the
// bytes choose (generate/hlo/generate_hlo.h).

std::string check_computation(absl::string_view bytes, verify::CaseCounts& tally) {
  return generated_difference(hlo_of_choices(bytes_of(bytes), /*computation=*/true), tally);
}

// ---- hlo_mutated ----
//
// Modules that small changes made invalid or unusual. Analysis and reference refuse
// the same modules, and agree on the others.

std::string check_mutated(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  return module.ok() ? module_difference(*module, text, {seed_of(text), 8}, tally) : "";
}

// ---- hlo_uses ----
//
// The access analyses of a module's root. Tile propagation, operand utilization and
// coalescing agree with the reference, which looks at each element.

constexpr int64_t kCombinations = 30;  // combinations of values of offsets
constexpr spec::Limits kLimits{.elements = 1024, .work = 1 << 16, .depth = 50};
constexpr int64_t kPoints = 4096;

std::string check_uses(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return "";
  const int32_t entry = module->entry, root = module->computations[entry].root;
  const uint64_t seed = seed_of(text);
  Choose choose(Choose::Random{seed});
  const absl::string_view opcode = name_of(module->computations[entry].instructions[root].opcode);
  const std::pair<absl::string_view, std::string> differences[] = {
      {"tiles", verify::tile_difference(*module, entry, root, choose, tally, kLimits)},
      {"coalescing", verify::coalescing_difference(*module, entry, root, choose, tally, kPoints)},
      {"utilization",
       verify::utilization_difference(*module, entry, root, seed, tally, kCombinations, kLimits)}};
  for (const auto& [what, difference] : differences) {
    if (!difference.empty())
      return about(absl::StrCat(what, " of ", opcode, " at ", difference), text);
  }
  return "";
}

constexpr TextTarget kTargets[] = {
    // the numbers: bytes_of_16
    {"hlo_text", check_text, mutated_hlo, 8},
    {"stablehlo_text", check_stablehlo, mutated_lines, 8},
    {"hlo_proto", check_proto, mutated_lines, 10},
    {"hlo_index", check_operation, mutated_choices, 8},
    {"hlo_computation", check_computation, mutated_choices, 8},
    {"hlo_mutated", check_mutated, mutated_hlo, 1},
    {"hlo_uses", check_uses, mutated_hlo, 0},
};

}  // namespace

absl::Span<const TextTarget> targets() { return kTargets; }

}  // namespace tileproof
