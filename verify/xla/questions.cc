// SPDX-License-Identifier: Apache-2.0
// Prints random questions for XLA, one JSON object a line, for ask_xla.py.
//
//     xla_questions operations|computations|selects|layouts COUNT [SEED]
//     xla_questions modules FILE
//     xla_questions acceptance|shapes FILE COUNT [SEED]
//
// operations: single operations of every kind in turn
// modules: those of the file, such as elementwise.hlo, in their own types
// computations: computations of up to five operations
// selects: computations with a select whose predicate follows from iotas and constants
// acceptance: modules for ask_acceptance.py, those of the file, COUNT operations, and small changes
// shapes: texts of shapes for ask_shapes.py, the lines of the file and COUNT random ones
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
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/layout/generate_shape.h"
#include "nlohmann/json.hpp"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/xla_differences.h"
#include "verify/xla/near_miss.h"
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
  return permutation(choose, rank);
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

int print_modules(const std::string& path) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const absl::StatusOr<std::vector<HloModule>> modules = parse_hlo_modules(text);
  if (!modules.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), std::string(modules.status().message()).c_str());
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

// Generated questions of a kind.
int print_generated(const std::string& what, int64_t count, uint64_t seed) {
  for (int64_t k = 0; k < count; ++k) {
    Choose choose(Choose::Random{seed * 1'000'003 + static_cast<uint64_t>(k)});
    const std::string id = absl::StrCat("q", k);
    const nlohmann::json line = what == "operations"     ? operation(id, k, choose)
                                : what == "computations" ? computation(id, choose)
                                : what == "selects"      ? selects(id, choose)
                                                         : layouts(id, choose);
    std::cout << line.dump() << "\n";
  }
  return 0;
}

// ---- Which modules are valid: for ask_acceptance.py ----

class AcceptanceQuestions {
 public:
  explicit AcceptanceQuestions(uint64_t seed) : choose_(Choose::Random{seed}) {}

  // Prints the module and `changes` small changes of it.
  void ask(const HloModule& module, int changes) {
    print(to_text(module));
    for (int k = 0; k < changes; ++k) print(near_miss(choose_, module));
  }

  Choose& choose() { return choose_; }

 private:
  // Prints a text that was not printed yet, and the same without the shape of the root.
  void print(const std::string& text) {
    if (!seen_.insert(text).second) return;
    absl::StatusOr<HloModule> module = parse_hlo_module(text);
    nlohmann::json question = {{"text", text}, {"bare", text}};
    if (module.ok()) {
      HloComputation& entry = module->computations[module->entry];
      entry.instructions[entry.root].shape = SharedShape();
      question["bare"] = to_text(*module);
    }
    std::cout << question.dump() << "\n";
  }

  Choose choose_;
  std::set<std::string> seen_;
};

// About the modules of a file, generated operations, and small changes of all of them.
int print_acceptance(const std::string& seeds, int64_t count, uint64_t seed) {
  std::ifstream file(seeds);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto modules = parse_hlo_modules(text);
  if (!modules.ok()) {
    std::cerr << modules.status() << "\n";
    return 2;
  }
  AcceptanceQuestions questions(seed);
  for (const HloModule& module : *modules) questions.ask(module, 30);
  for (int64_t k = 0; k < count; ++k) {
    const std::string operation =
        generate_operation(questions.choose(), {}, k % operation_kinds()).text;
    questions.ask(*parse_hlo_module(operation), 3);
  }
  return 0;
}

// ---- Texts of shapes: for ask_shapes.py ----

// Applies a few random edits with pieces of the grammar.
std::string edited_shape(std::string text, Choose& choose) {
  static const std::vector<std::string> pieces = absl::StrSplit(
      "{|}|[|]|(|)|,|:|*|<=|?|-|1|0|9|T|L|E|S|SC|M|D|#|/**/|//|x|_|.|T(2)|S(1)|E(4)|"
      "L(8)|SC(0:1)|M(8)|D(D)|#(s32)|*(u32)|P(f32[2])|f32[2]|b(|token[]|"
      "9223372036854775807|9223372036854775808|-1|T(*,2)|T(0)|T()|:T|+|~|=|u4|{0}|"
      "{1,0}| |\t|\n",
      '|');
  for (int64_t edits = choose.between(1, 3); edits > 0; --edits) {
    const auto at = static_cast<size_t>(choose(std::ssize(text) + 1));
    switch (choose(3)) {
      case 0:
        text.insert(at, choose.pick(pieces));
        break;
      case 1:
        text.erase(at, static_cast<size_t>(choose.between(1, 2)));
        break;
      default:
        text.replace(at, 1, choose.pick(pieces));
    }
  }
  return text;
}

void print_text(absl::string_view text) {
  std::cout << nlohmann::json(std::string(text)).dump() << "\n";
}

// The lines of a file, the examples of spec/lang/layout/xla_differences.h, then random texts, valid and
// invalid.
int print_shapes(const std::string& file, int64_t count, uint64_t seed) {
  std::vector<std::string> real = {"f32[3,5]{1,0:T(2,2)}"};
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    print_text(line);
    real.push_back(line);
  }
  for (const Difference& entry : differences()) print_text(entry.example);
  for (int64_t k = 0; k < count; ++k) {
    Choose choose(Choose::Random{seed * 1'000'003 + static_cast<uint64_t>(k)});
    print_text(k % 2 == 0 ? random_shape_text(choose)
                          : edited_shape(k % 4 == 1 ? choose.pick(real) : random_shape_text(choose),
                                         choose));
  }
  return 0;
}

}  // namespace
}  // namespace tileproof::xla

int main(int argc, char** argv) {
  using namespace tileproof::xla;
  std::vector<std::string> given(argv + 1, argv + argc);
  const std::string what = given.empty() ? "" : given[0];
  const bool is_generated =
      what == "operations" || what == "computations" || what == "selects" || what == "layouts";
  const bool is_file = what == "modules" || what == "acceptance" || what == "shapes";
  if ((!is_generated && !is_file) || argc < (is_generated || what == "modules" ? 3 : 4)) {
    std::fprintf(stderr,
                 "usage: xla_questions modules FILE | acceptance|shapes FILE COUNT [SEED] | "
                 "operations|computations|selects|layouts COUNT [SEED]\n");
    return 2;
  }
  given.resize(4);
  const std::string file = is_file ? given[1] : "";
  const int64_t count = std::atoll(given[is_file ? 2 : 1].c_str());
  const std::string& seed_text = given[is_file ? 3 : 2];
  const uint64_t seed = seed_text.empty() ? 1 : std::strtoull(seed_text.c_str(), nullptr, 10);
  if (what == "modules") return print_modules(file);
  if (what == "acceptance") return print_acceptance(file, count, seed);
  if (what == "shapes") return print_shapes(file, count, seed);
  return print_generated(what, count, seed);
}
