// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

using Ints = std::vector<int64_t>;

std::string layout_text(const Message& layout) {
  std::string properties;
  for (const Message* tile : layout.messages("tiles")) {
    std::vector<std::string> dims;
    for (const int64_t d : tile->integers("dimensions"))
      dims.push_back(d == INT64_MIN ? "*" : absl::StrCat(d));
    absl::StrAppend(&properties, properties.empty() ? "T" : "", "(", absl::StrJoin(dims, ","), ")");
  }
  if (const int64_t tail = layout.integer("tail_padding_alignment_in_elements"); tail > 1)
    absl::StrAppend(&properties, "L(", tail, ")");
  if (const int64_t bits = layout.integer("element_size_in_bits"); bits != 0)
    absl::StrAppend(&properties, "E(", bits, ")");
  if (const int64_t space = layout.integer("memory_space"); space != 0)
    absl::StrAppend(&properties, "S(", space, ")");
  return absl::StrCat("{", absl::StrJoin(layout.integers("minor_to_major"), ","),
                      properties.empty() ? "" : ":", properties, "}");
}

absl::StatusOr<std::string> shape_text(const Message& shape, int depth) {
  const std::string type = type_of(shape);
  if (depth > kMaxNesting) return absl::InvalidArgumentError("expected shapes nested at most 1000");
  if (type == "tuple") {
    std::vector<std::string> parts;
    for (const Message* part : shape.messages("tuple_shapes"))
      parts.push_back(TRY(shape_text(*part, depth + 1)));
    return absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
  }
  if (type.empty()) return absl::InvalidArgumentError("expected an element type");
  const Ints dynamic = shape.integers("is_dynamic_dimension");
  std::vector<std::string> sizes;
  for (const int64_t size : shape.integers("dimensions")) {
    const bool is_dynamic = sizes.size() < dynamic.size() && dynamic[sizes.size()] != 0;
    sizes.push_back(absl::StrCat(is_dynamic ? "<=" : "", size));
  }
  const Message* layout = shape.message("layout");
  const bool has_layout =
      layout != nullptr && type != "token" && type != "opaque" && !sizes.empty();
  return absl::StrCat(type, "[", absl::StrJoin(sizes, ","), "]",
                      has_layout ? layout_text(*layout) : "");
}

// How an operation names the computations that it calls.
absl::StatusOr<std::string> calls(const std::string& opcode,
                                  const std::vector<std::string>& called) {
  const auto expect = [&](size_t n) {
    return called.size() == n ? absl::OkStatus()
                              : absl::InvalidArgumentError(absl::StrCat(
                                    "expected ", n, " called computations, found ", called.size()));
  };
  if (called.empty()) return std::string();
  const bool reduces = opcode == "all-reduce-start";
  if (opcode == "fusion" || (absl::EndsWith(opcode, "-start") && !reduces))
    return absl::StrCat("calls=", called[0]);
  if (opcode == "while") {
    TRY(expect(2));
    return absl::StrCat("condition=", called[1], ", body=", called[0]);
  }
  if (opcode == "select-and-scatter") {
    TRY(expect(2));
    return absl::StrCat("select=", called[0], ", scatter=", called[1]);
  }
  if (opcode == "conditional" || opcode == "custom-call") {
    return absl::StrCat(opcode == "conditional" ? "branch_computations={" : "called_computations={",
                        absl::StrJoin(called, ", "), "}");
  }
  return absl::StrCat("to_apply=", called[0]);
}

}  // namespace

absl::StatusOr<std::string> shape_text(const Message& shape) { return shape_text(shape, 0); }

absl::StatusOr<std::string> instruction_text(const Message& instruction,
                                             const std::vector<std::string>& operands,
                                             const std::vector<std::string>& called) {
  const std::string opcode = instruction.text("opcode");
  const Message* shape = instruction.message("shape");
  if (opcode.empty() || shape == nullptr)
    return absl::InvalidArgumentError("expected an opcode and a shape");
  for (const char c : opcode) {
    if (!absl::ascii_isalnum(c) && c != '-' && c != '_')
      return absl::InvalidArgumentError("expected an opcode");
  }
  std::string inside = absl::StrJoin(operands, ", ");
  if (opcode == "parameter") inside = absl::StrCat(instruction.integer("parameter_number"));
  if (opcode == "constant") inside = TRY(literal_text(*shape, instruction.message("literal")));
  std::vector<std::string> list = TRY(attribute_texts(instruction, opcode));
  const std::string computations = TRY(calls(opcode, called));
  if (!computations.empty()) list.push_back(computations);
  return absl::StrCat(TRY(shape_text(*shape)), " ", opcode, "(", inside, ")",
                      list.empty() ? "" : ", ", absl::StrJoin(list, ", "));
}

}  // namespace tileproof::hlo_proto
