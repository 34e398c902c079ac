// SPDX-License-Identifier: Apache-2.0
// Prints random questions for XLA, one JSON object a line, for ask_xla.py.
//
//     xla_questions operations|computations|selects|layouts COUNT [SEED]
//     xla_questions modules FILE
//
// operations: single operations of every kind in turn
// modules: those of the file, such as elementwise.hlo, in their own types
// computations: computations of up to five operations
// selects: computations with a select whose predicate follows from iotas and constants
// layouts: computations that only move elements, compiled with random layouts of their parameters
// and result, so that XLA makes bitcasts
//
//     {"id": "q7", "kind": "gather", "way": "bits", "text": HLO, "offsets": {"1": [4, -2]},
//      "xla": surrogate computations,
//      "inputs": [{"shape": "u64[3,2]", "first": 0},
//                 {"shape": "s32[2]", "first": 6, "values": [4, -2]}],
//      "outputs": ["u64[2]"], "tuple": false, "replicas": 1, "near": 3}
//
// A question that is not asked: {"id", "kind", "unasked": why}.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "nlohmann/json.hpp"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/xla/question.h"
#include "verify/xla/surrogate.h"

namespace tileproof::xla {
namespace {

// Operations whose surrogate in bits restates the definition; XLA's own operation is asked in
// changes.
bool by_changes_only(HloOpcode opcode) {
  static const auto* const all = new std::set<HloOpcode>{
      HloOpcode::kNegate,        HloOpcode::kAbs,     HloOpcode::kSign,
      HloOpcode::kNot,           HloOpcode::kConvert, HloOpcode::kAdd,
      HloOpcode::kMultiply,      HloOpcode::kMaximum, HloOpcode::kAnd,
      HloOpcode::kCompare,       HloOpcode::kSelect,  HloOpcode::kClamp,
      HloOpcode::kSort,          HloOpcode::kTopk,    HloOpcode::kSelectAndScatter,
      HloOpcode::kBitcastConvert};
  return all->count(opcode) > 0;
}

bool is_collective(HloOpcode opcode) {
  return opcode == HloOpcode::kAllGather || opcode == HloOpcode::kAllReduce ||
         opcode == HloOpcode::kReduceScatter || opcode == HloOpcode::kAllToAll ||
         opcode == HloOpcode::kCollectivePermute;
}

// Operations that XLA may turn into bitcasts under some layouts, and others that only move
// elements.
bool only_moves(const HloModule& module) {
  static const auto* const all = new std::set<HloOpcode>{
      HloOpcode::kParameter, HloOpcode::kBroadcast, HloOpcode::kTranspose, HloOpcode::kReverse,
      HloOpcode::kReshape,   HloOpcode::kSlice,     HloOpcode::kPad,       HloOpcode::kConcatenate,
      HloOpcode::kCopy,      HloOpcode::kFusion,    HloOpcode::kCall,      HloOpcode::kConstant};
  bool reshaped = false;
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& i : computation.instructions) {
      if (all->count(i.opcode) == 0) return false;
      reshaped = reshaped || i.opcode == HloOpcode::kTranspose || i.opcode == HloOpcode::kReshape;
    }
  }
  return reshaped;
}

// Returns the number of replicas that a module's collectives use, or 0 if they disagree.
int64_t replicas_of(const HloModule& module) {
  int64_t replicas = 1;
  bool found = false;
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& i : computation.instructions) {
      if (!is_collective(i.opcode)) continue;
      const std::string* groups = find_attribute(i.attributes, "replica_groups");
      const int64_t needed =
          groups == nullptr ? 2 : 1 + std::count(groups->begin(), groups->end(), ',');
      if (found && needed != replicas) return 0;
      found = true;
      replicas = needed;
    }
  }
  return replicas;
}

bool is_empty(const Shape& array) {
  return std::any_of(array.dimensions.begin(), array.dimensions.end(),
                     [](const Dimension& d) { return d.size == 0; });
}

// Returns why this package cannot ask XLA about the instruction, or "". docs/findings.md shows
// each.
std::string cannot_be_asked(const HloModule& module, int32_t computation, int32_t position) {
  const HloComputation& within = module.computations[computation];
  const HloInstruction& i = within.instructions[position];
  if (i.operands.empty()) return "";
  const Shape& first = *within.instructions[i.operands[0].instruction].shape;
  switch (i.opcode) {
    case HloOpcode::kPad:
      return first.rank() == 0 ? "pad of a scalar: XLA's parser has no text for it" : "";
    case HloOpcode::kAllGather:
    case HloOpcode::kReduceScatter:
      return is_empty(first) ? "empty collective: StableHLO has none" : "";
    case HloOpcode::kScatter:
      return first.rank() == 0 && offset_operands(module, computation, position).empty()
                 ? "scatter into a scalar: XLA's compiler makes what its verifier refuses"
                 : "";
    case HloOpcode::kSelectAndScatter: {
      if (first.rank() == 0) return "select-and-scatter of a scalar: XLA ends the process";
      const auto window = window_of(i);
      for (size_t d = 0; window.ok() && d < window->size(); ++d) {
        const WindowDimension& w = (*window)[d];
        if (w.rhs_dilate != 1) return "select-and-scatter with dilation: StableHLO has none";
        if (first.dimensions[d].size + w.pad_low + w.pad_high < 0) {
          return "select-and-scatter padded below nothing: XLA ends the process";
        }
      }
      return "";
    }
    default:
      return "";
  }
}

// Scatters that XLA always gets wrong (docs/findings.md) stay out of computations.
std::string scattered_wrongly(const HloModule& module, int32_t computation, int32_t position) {
  const HloInstruction& i = module.computations[computation].instructions[position];
  if (i.opcode != HloOpcode::kScatter) return "";
  if (offset_operands(module, computation, position).empty())
    return "scatter without indices: asked alone";
  std::set<int32_t> inputs;
  const int64_t count = std::ssize(i.operands) / 2;
  for (int64_t k = 0; k < count; ++k) inputs.insert(i.operands[k].instruction);
  return std::ssize(inputs) < count ? "scatter into one array twice: XLA gets it wrong" : "";
}

// Returns the first reason of any instruction.
std::string cannot_be_asked(const Question& question) {
  const HloModule& module = question.module;
  for (int32_t c = 0; c < std::ssize(module.computations); ++c) {
    for (int32_t k = 0; k < std::ssize(module.computations[c].instructions); ++k) {
      std::string why = cannot_be_asked(module, c, k);
      if (why.empty() && question.whole) why = scattered_wrongly(module, c, k);
      if (!why.empty()) return why;
    }
  }
  return "";
}

nlohmann::json any_layout(const std::string& shape, Choose& choose) {
  const std::string dims = shape.substr(shape.find('[') + 1, shape.find(']') - shape.find('[') - 1);
  const int64_t rank = dims.empty() ? 0 : 1 + std::count(dims.begin(), dims.end(), ',');
  std::vector<int64_t> left, order;
  for (int64_t d = rank - 1; d >= 0; --d) left.push_back(d);
  while (!left.empty()) {
    const auto taken = left.begin() + choose(std::ssize(left));
    order.push_back(*taken);
    left.erase(taken);
  }
  return order;
}

nlohmann::json unasked(const std::string& id, const std::string& kind, absl::string_view why) {
  return {{"id", id}, {"kind", kind}, {"unasked", std::string(why)}};
}

nlohmann::json question_line(const std::string& id, const GeneratedHlo& generated,
                             const absl::StatusOr<Question>& question, Encoding encoding,
                             bool layouts, Choose& choose) {
  if (!question.ok()) return unasked(id, generated.kind, question.status().message());
  const std::string why = cannot_be_asked(*question);
  if (!why.empty()) return unasked(id, generated.kind, why);
  const auto surrogate = make_surrogate(*question, id, encoding);
  if (!surrogate.ok()) return unasked(id, generated.kind, surrogate.status().message());
  const auto arrays = source_arrays(question->module);
  if (!arrays.ok()) return unasked(id, generated.kind, arrays.status().message());
  const int64_t replicas = replicas_of(question->module);
  if (replicas == 0 || (replicas > 1 && question->whole)) {
    return unasked(id, generated.kind, "collectives of several replicas: asked alone");
  }
  nlohmann::json inputs = nlohmann::json::array(), offsets = nlohmann::json::object();
  for (size_t k = 0; k < arrays->size(); ++k) {
    nlohmann::json input{{"shape", surrogate->inputs[k]}, {"first", (*arrays)[k].first}};
    const auto offset = question->offsets.find((*arrays)[k].parameter);
    if (offset != question->offsets.end()) {
      input["values"] = offset->second;
      offsets[absl::StrCat(offset->first)] = offset->second;
    }
    if (layouts) input["layout"] = any_layout(surrogate->inputs[k], choose);
    inputs.push_back(input);
  }
  constexpr absl::string_view kEncodings[] = {"bits", "fields", "changes"};
  nlohmann::json line{
      {"id", id},
      {"kind", generated.kind},
      {"way", layouts ? "compiled" : std::string(kEncodings[static_cast<int>(encoding)])},
      {"text", to_text(question->module)},
      {"offsets", offsets},
      {"xla", surrogate->computations},
      {"inputs", inputs},
      {"outputs", surrogate->outputs},
      {"tuple", surrogate->tuple},
      {"replicas", replicas},
      {"near", generated.near}};
  if (layouts) line["layout"] = any_layout(surrogate->outputs[0], choose);
  return line;
}

nlohmann::json operation(const std::string& id, int64_t k, Choose& choose) {
  // Every fifth round uses small arrays, so that every element can be changed.
  const bool small = (k / operation_kinds()) % 5 == 4;
  GeneratedHlo generated =
      generate_operation(choose, {.elements = small ? 16 : 120}, k % operation_kinds());
  absl::StatusOr<Question> question = single_operation(generated, choose);
  if (!question.ok()) return unasked(id, generated.kind, question.status().message());
  const HloComputation& entry = question->module.computations[question->module.entry];
  const HloOpcode opcode = entry.instructions[entry.root].opcode;
  const bool changes = by_changes_only(opcode) || (small && !is_collective(opcode));
  if (changes && !small) {
    generated = generate_operation(choose, {.elements = 16}, k % operation_kinds());
    question = single_operation(generated, choose);
  }
  const Encoding encoding =
      changes || !question.ok() ? Encoding::kChanges : bits_or_fields(question->module);
  return question_line(id, generated, question, encoding, false, choose);
}

nlohmann::json computation(const std::string& id, Choose& choose) {
  GeneratedHlo generated = generate_computation(choose, {.elements = 60, .operations = 5});
  generated.kind = "computation";
  const absl::StatusOr<Question> question = whole_computation(generated, choose);
  const Encoding encoding = question.ok() ? bits_or_fields(question->module) : Encoding::kBits;
  return question_line(id, generated, question, encoding, false, choose);
}

nlohmann::json selects(const std::string& id, Choose& choose) {
  for (int64_t tries = 0; tries < 10'000; ++tries) {
    nlohmann::json line = computation(id, choose);
    if (!line.contains("xla") || !absl::StrContains(line["xla"].get<std::string>(), " select("))
      continue;
    line["kind"] = "selects";
    return line;
  }
  return unasked(id, "selects", "no computation with a known predicate was generated");
}

nlohmann::json layouts(const std::string& id, Choose& choose) {
  for (int64_t tries = 0; tries < 10'000; ++tries) {
    GeneratedHlo generated = generate_computation(choose, {.elements = 100, .operations = 4});
    generated.kind = "layouts";
    const absl::StatusOr<Question> question = whole_computation(generated, choose);
    if (!question.ok() || !only_moves(question->module)) continue;
    return question_line(id, generated, question, Encoding::kBits, true, choose);
  }
  return unasked(id, "layouts", "no computation that only moves elements was generated");
}

int print_modules(const char* path) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  if (!modules.ok()) {
    std::fprintf(stderr, "%s: %s\n", path, std::string(modules.status().message()).c_str());
    return 70;
  }
  Choose choose(Choose::Random{1});
  for (size_t k = 0; k < modules->size(); ++k) {
    const HloComputation& entry = (*modules)[k].computations[(*modules)[k].entry];
    GeneratedHlo described;
    described.kind = entry.instructions[entry.root].opcode_text;
    const absl::StatusOr<Question> question = Question{(*modules)[k], {}, /*as_it_is=*/true};
    std::cout << question_line(absl::StrCat("q", k), described, question, Encoding::kChanges, false,
                               choose)
              << "\n";
  }
  return 0;
}

}  // namespace
}  // namespace tileproof::xla

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "modules") return tileproof::xla::print_modules(argv[2]);
  const std::string what = argc > 2 ? argv[1] : "";
  if (what != "operations" && what != "computations" && what != "selects" && what != "layouts") {
    std::fprintf(
        stderr,
        "usage: xla_questions modules FILE | operations|computations|selects|layouts COUNT "
        "[SEED]\n");
    return 2;
  }
  const int64_t count = std::atoll(argv[2]);
  const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  for (int64_t k = 0; k < count; ++k) {
    tileproof::Choose choose(
        tileproof::Choose::Random{seed * 1'000'003 + static_cast<uint64_t>(k)});
    const std::string id = absl::StrCat("q", k);
    const nlohmann::json line = what == "operations"     ? tileproof::xla::operation(id, k, choose)
                                : what == "computations" ? tileproof::xla::computation(id, choose)
                                : what == "selects"      ? tileproof::xla::selects(id, choose)
                                                         : tileproof::xla::layouts(id, choose);
    std::cout << line.dump() << "\n";
  }
  return 0;
}
