#include "cli/map_listing.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/expr_text.h"
#include "spec/lang/map_text.h"
#include "spec/lang/shape_text.h"
#include "spec/map.h"
#include "spec/relation.h"
#include "verify/conform/hlo_answer.h"

namespace tileproof::cli {
namespace {

using impl::FlowKind;
using impl::IndexedMap;
using impl::LeafMaps;

const HloInstruction& instruction_of(const HloModule& module, const InstructionMaps& maps) {
  return module.computations[maps.computation].instructions[maps.instruction];
}

// `ROOT r = f32[2,4,4] reshape(p)`, without attributes.
std::string headline(const HloModule& module, const InstructionMaps& maps) {
  const HloComputation& computation = module.computations[maps.computation];
  const HloInstruction& at = computation.instructions[maps.instruction];
  std::string inside =
      absl::StrJoin(at.operands, ", ", [&](std::string* out, const HloOperand& operand) {
        absl::StrAppend(out, computation.instructions[operand.instruction].name);
      });
  if (at.opcode == HloOpcode::kParameter) inside = absl::StrCat(at.parameter_number);
  return absl::StrCat(maps.instruction == computation.root ? "ROOT " : "", at.name, " = ",
                      at.shape ? absl::StrCat(to_text(*at.shape), " ") : "", at.opcode_text, "(",
                      inside, ")");
}

std::vector<bool> used_runtime(const IndexedMap& one) {
  std::vector<bool> used(one.runtime.size(), false);
  const auto mark = [&used](const ExprTable& nodes, const std::vector<NodeId>& roots) {
    for (NodeId id : spec::nodes_under(nodes, roots)) {
      if (nodes[id].op == Op::kRuntime) used[nodes[id].value] = true;
    }
  };
  mark(one.map.nodes, one.map.results);
  for (const Constraint& constraint : one.map.constraints) mark(one.map.nodes, {constraint.expr});
  for (size_t i = used.size(); i-- > 0;) {  // a source depends on earlier variables
    if (used[i]) mark(one.runtime[i].map.nodes, one.runtime[i].map.results);
  }
  return used;
}

// `rt0 is element (d0, 1) of rows`
std::string source_text(const HloModule& module, int32_t computation, size_t number,
                        const impl::RuntimeSource& source) {
  std::string index;
  for (NodeId result : source.map.results) {
    if (!index.empty()) index += ", ";
    append_expression(index, source.map, result);
  }
  const std::string name = name_of(module, computation, source.place);
  return index.empty() ? absl::StrCat("rt", number, " is ", name)
                       : absl::StrCat("rt", number, " is element (", index, ") of ", name);
}

void append_list(std::string& out, const HloModule& module, const InstructionMaps& maps,
                 absl::string_view head, const LeafMaps& list) {
  for (const IndexedMap& one : list.maps) {
    absl::StrAppend(&out, head, to_text(one.map), "\n");
    const std::vector<bool> used = used_runtime(one);
    for (size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      absl::StrAppend(&out, "    ", source_text(module, maps.computation, i, one.runtime[i]), "\n");
    }
  }
  if (list.inexact) absl::StrAppend(&out, head, "inexact: ", list.reason, "\n");
}

void append_leaf(std::string& out, const HloModule& module, const InstructionMaps& maps,
                 size_t leaf) {
  const HloComputation& computation = module.computations[maps.computation];
  const HloInstruction& at = instruction_of(module, maps);
  const impl::Indexing& indexing = maps.leaves[leaf];
  const std::string result = maps.leaves.size() > 1 ? absl::StrCat("result ", leaf, ", ") : "";
  bool any = false;
  for (size_t k = 0; k < indexing.size(); ++k) {
    for (size_t part = 0; part < indexing[k].size(); ++part) {
      if (indexing[k][part].maps.empty()) continue;
      any = true;
      const std::string& name = computation.instructions[at.operands[k].instruction].name;
      const std::string head =
          absl::StrCat("  ", result, "operand ", k, ", ", name,
                       indexing[k].size() > 1 ? absl::StrCat("#", part) : "", ": ");
      append_list(out, module, maps, head, indexing[k][part]);
    }
  }
  if (!any) absl::StrAppend(&out, "  ", result, "nothing flows\n");
}

}  // namespace

absl::StatusOr<InstructionMaps> maps_of(impl::IndexingAnalysis& analysis, const HloModule& module,
                                        int32_t computation, int32_t instruction,
                                        const impl::FlowClass& found) {
  InstructionMaps maps{computation, instruction, found, {}};
  if (found.whole || found.kind == FlowKind::kNoFlow || found.kind == FlowKind::kRefused) {
    return maps;
  }
  const absl::StatusOr<std::vector<spec::Leaf>> leaves =
      spec::leaves_of(*instruction_of(module, maps).shape);
  if (!leaves.ok()) return leaves.status();
  for (int32_t leaf = 0; leaf < std::ssize(*leaves); ++leaf) {
    absl::StatusOr<impl::Indexing> indexing = analysis.instruction(computation, instruction, leaf);
    if (!indexing.ok()) return indexing.status();
    maps.leaves.push_back(*std::move(indexing));
  }
  return maps;
}

std::string to_text(FlowKind kind) {
  switch (kind) {
    case FlowKind::kMapped:
      return "mapped";
    case FlowKind::kConservative:
      return "conservative";
    case FlowKind::kNoFlow:
      return "no data flow";
    case FlowKind::kRefused:
      break;
  }
  return "not analysed";
}

std::string listing_text(const HloModule& module, const InstructionMaps& maps) {
  std::string out = absl::StrCat(headline(module, maps), "\n");
  if (maps.found.kind != FlowKind::kMapped) {
    absl::StrAppend(&out, "  ", to_text(maps.found.kind),
                    maps.found.reason.empty() ? "" : absl::StrCat(": ", maps.found.reason),
                    maps.found.whole ? "; all elements flow to all" : "", "\n");
  }
  for (size_t leaf = 0; leaf < maps.leaves.size(); ++leaf) append_leaf(out, module, maps, leaf);
  if (!maps.verdict.empty()) absl::StrAppend(&out, "  ", maps.verdict, "\n");
  return out;
}

conform::Json listing_json(const HloModule& module, const InstructionMaps& maps) {
  const HloInstruction& at = instruction_of(module, maps);
  conform::Json json =
      conform::json_object({{"computation", module.computations[maps.computation].name},
                            {"instruction", at.name},
                            {"opcode", at.opcode_text},
                            {"kind", to_text(maps.found.kind)}});
  if (!module.name.empty()) set(json, "module", module.name);
  if (!maps.found.reason.empty()) set(json, "reason", maps.found.reason);
  if (maps.found.whole) set(json, "whole", true);
  conform::Json::Array leaves;
  for (const impl::Indexing& indexing : maps.leaves) {
    conform::HloAnswer answer =
        conform::hlo_answer(module, maps.computation, indexing, conform::Sources::kWritten);
    leaves.push_back(conform::json_object(
        {{"result", std::move(answer.lists)}, {"inexact", std::move(answer.inexact)}}));
  }
  if (!leaves.empty()) set(json, "leaves", std::move(leaves));
  if (!maps.verdict.empty()) set(json, "verdict", maps.verdict);
  return json;
}

}  // namespace tileproof::cli
