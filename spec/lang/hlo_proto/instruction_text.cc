// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_known.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

using Ints = std::vector<int64_t>;

std::string braces(const Ints& numbers) {
  return absl::StrCat("{", absl::StrJoin(numbers, ","), "}");
}

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

// ---- Attributes ----

using Names = std::vector<absl::string_view>;

// Lists that HLO names alike. Those of batches may be left out.
std::string lists(const Message& part, const Names& names) {
  std::vector<std::string> texts;
  for (const absl::string_view name : names) {
    const Ints list = part.integers(name);
    if (list.empty() && absl::StrContains(name, "batch")) continue;
    texts.push_back(
        absl::StrCat(absl::StrReplaceAll(name, {{"_dimensions", "_dims"}}), "=", braces(list)));
  }
  return absl::StrJoin(texts, ", ");
}

// The texts of all messages of a field.
template <class Text>
std::string texts(const Message& of, absl::string_view field, const char* separator, Text text) {
  return absl::StrJoin(of.messages(field), separator, [&](std::string* out, const Message* one) {
    absl::StrAppend(out, text(*one));
  });
}

std::string window(const Message& window) {
  if (window.messages("dimensions").empty()) return "window={}";
  bool is_reversed = false;
  for (const Message* d : window.messages("dimensions"))
    is_reversed = is_reversed || d->integer("window_reversal") != 0;
  const auto field = [&](const char* name, auto number) {
    return absl::StrCat(name, "=", texts(window, "dimensions", "x", number));
  };
  // What the proto leaves out is 0; dilations and strides of 0 mean 1.
  const auto at_least_1 = [&](const char* name, const char* from) {
    return field(name, [&](const Message& d) { return std::max<int64_t>(d.integer(from), 1); });
  };
  const auto size = [](const Message& d) { return d.integer("size"); };
  const auto pad = [](const Message& d) {
    return absl::StrCat(d.integer("padding_low"), "_", d.integer("padding_high"));
  };
  const auto reversal = [](const Message& d) { return d.integer("window_reversal") != 0 ? 1 : 0; };
  return absl::StrCat("window={", field("size", size), " ", at_least_1("stride", "stride"), " ",
                      field("pad", pad), " ", at_least_1("lhs_dilate", "base_dilation"), " ",
                      at_least_1("rhs_dilate", "window_dilation"),
                      is_reversed ? " " + field("rhs_reversal", reversal) : "", "}");
}

// `b01f_01io->b01f`: each dimension has a letter or a number at its place.
absl::StatusOr<std::string> dim_labels(const Message& numbers) {
  const auto list = [&](char first, const char* first_name, char second, const char* second_name,
                        const char* spatial) -> absl::StatusOr<std::string> {
    const Ints places = numbers.integers(spatial);
    std::string text(places.size() + 2, '?');
    const auto put = [&](int64_t place, char label) {
      const bool fits = place >= 0 && place < std::ssize(text) && text[place] == '?';
      if (fits) text[place] = label;
      return fits;
    };
    bool ok = places.size() <= 10 && put(numbers.integer(first_name), first) &&
              put(numbers.integer(second_name), second);
    for (size_t d = 0; ok && d < places.size(); ++d)
      ok = put(places[d], static_cast<char>('0' + d));
    if (!ok) return absl::InvalidArgumentError("expected each dimension of a convolution once");
    return text;
  };
  const std::string input = TRY(list('b', "input_batch_dimension", 'f', "input_feature_dimension",
                                     "input_spatial_dimensions"));
  const std::string kernel =
      TRY(list('i', "kernel_input_feature_dimension", 'o', "kernel_output_feature_dimension",
               "kernel_spatial_dimensions"));
  const std::string output = TRY(list('b', "output_batch_dimension", 'f',
                                      "output_feature_dimension", "output_spatial_dimensions"));
  return absl::StrCat("dim_labels=", input, "_", kernel, "->", output);
}

std::string slice(const Message& d) {
  return absl::StrCat("[", d.integer("start"), ":", d.integer("limit"), ":",
                      std::max<int64_t>(d.integer("stride"), 1), "]");
}

std::string padding(const Message& d) {
  return absl::StrCat(d.integer("edge_padding_low"), "_", d.integer("edge_padding_high"), "_",
                      d.integer("interior_padding"));
}

// `[4,2]T(1,0)`
std::string iota_text(const Ints& dims, const Ints& order) {
  return absl::StrCat("[", absl::StrJoin(dims, ","), "]",
                      order.empty() ? "" : absl::StrCat("T(", absl::StrJoin(order, ","), ")"));
}

// `mesh['x'=4,'y'=2] {'x':(1)2}`
absl::StatusOr<std::string> mesh_groups(const Message& list) {
  std::vector<std::string> names, sizes, axes;
  std::string devices;
  if (const Message* mesh = list.message("mesh")) {
    for (const Message* axis : mesh->messages("axes")) {
      names.push_back(absl::StrCat("'", axis->text("name"), "'"));
      sizes.push_back(absl::StrCat(names.back(), "=", axis->integer("size")));
    }
    const Ints ids = mesh->integers("device_ids");
    if (!ids.empty()) devices = absl::StrJoin(ids, ",");
    if (const Message* iota = mesh->message("iota"))
      devices = iota_text(iota->integers("dims"), iota->integers("transpose"));
  }
  for (const Message* axis : list.messages("axes")) {
    const int64_t index = axis->integer("index");
    if (index < 0 || index >= std::ssize(names))
      return absl::InvalidArgumentError("expected an axis of the mesh");
    const Message* part = axis->message("part");
    axes.push_back(absl::StrCat(
        names[index],
        part == nullptr ? ""
                        : absl::StrCat(":(", part->integer("before"), ")", part->integer("size"))));
  }
  return absl::StrCat("replica_groups=mesh[", absl::StrJoin(sizes, ","), "]",
                      devices.empty() ? "" : absl::StrCat(", device_ids=(", devices, ")"), " {",
                      absl::StrJoin(axes, ","), "}");
}

// `replica_groups={{0,1},{2,3}}` or `replica_groups=[2,2]<=[4]`; new protos have the groups in a
// list of devices, an iota of devices or the axes of a mesh.
absl::StatusOr<std::string> groups(const Message& instruction) {
  if (const Message* mesh = instruction.message("mesh_axes_device_list")) return mesh_groups(*mesh);
  const Message* devices = instruction.message("collective_device_list");
  const Message& list = devices != nullptr ? *devices : instruction;
  const Message* iota = instruction.message("iota_collective_device_list");
  if (iota == nullptr) iota = list.message("iota_replica_group_list");
  if (iota != nullptr) {
    return absl::StrCat(
        "replica_groups=[", iota->integer("num_replica_groups"), ",",
        iota->integer("num_devices_per_group"), "]<=",
        iota_text(iota->integers("iota_reshape_dims"), iota->integers("iota_transpose_perm")));
  }
  const auto group = [](const Message& one) { return braces(one.integers("replica_ids")); };
  return absl::StrCat("replica_groups={", texts(list, "replica_groups", ",", group), "}");
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

// The attributes of an operation, except its calls.
absl::StatusOr<std::vector<std::string>> attributes(const Message& at, const std::string& opcode) {
  std::vector<std::string> list;
  const auto is = [&](absl::string_view name) { return opcode == name; };
  const auto add = [&](const auto&... parts) { list.push_back(absl::StrCat(parts...)); };
  const auto add_integer = [&](const char* name) { add(name, "=", at.integer(name)); };
  const auto add_flag = [&](const char* name) {
    if (at.integer(name) != 0) add(name, "=true");
  };
  // A part of the proto that counts for this operation alone.
  const auto part_of = [&](const char* name, const char* field) {
    return is(name) ? at.message(field) : nullptr;
  };
  const Ints dimensions = at.integers("dimensions");
  const HloOpcode known = opcode_named(opcode);
  const bool of_tuple = absl::EndsWith(opcode, "all-to-all") && dimensions.empty();
  if (known != HloOpcode::kOther && is_known_attribute(known, "", "dimensions") && !of_tuple)
    add("dimensions=", braces(dimensions));
  if (is("iota")) add("iota_dimension=", dimensions.empty() ? 0 : dimensions[0]);
  if (is("get-tuple-element")) add("index=", at.integer("tuple_index"));
  if (is("slice")) add("slice={", texts(at, "slice_dimensions", ", ", slice), "}");
  if (is("dynamic-slice")) add("dynamic_slice_sizes=", braces(at.integers("dynamic_slice_sizes")));
  if (is("reduce-precision")) {
    add_integer("exponent_bits");
    add_integer("mantissa_bits");
  }
  if (is("compare")) {
    add("direction=", at.text("comparison_direction"));
    if (const std::string order = at.text("comparison_order"); !order.empty()) add("order=", order);
  }
  if (is("topk")) {
    add_integer("k");
    add("largest=", at.integer("largest") != 0 ? "true" : "false");
    add_flag("is_stable");
  }
  if (is("scan")) {
    add_integer("num_carries");
    add_flag("is_reverse");
  }
  add_flag("has_dynamic_root");
  if (is("custom-call"))
    add("custom_call_target=\"", absl::Utf8SafeCEscape(at.text("custom_call_target")), "\"");
  if (is("fusion")) add("kind=", at.text("fusion_kind"));
  const bool permutes = is("collective-permute") || is("collective-permute-start");
  if (permutes) {
    const auto pair = [](const Message& one) {
      return braces({one.integer("source"), one.integer("target")});
    };
    add("source_target_pairs={", texts(at, "source_target_pairs", ",", pair), "}");
  }
  const bool has_groups = at.has("replica_groups") || at.has("collective_device_list") ||
                          at.has("iota_collective_device_list") || at.has("mesh_axes_device_list");
  if (has_groups && !absl::StartsWith(opcode, "collective-permute")) add(TRY(groups(at)));
  if (const Message* part = at.message("window")) add(window(*part));
  if (const Message* part = part_of("pad", "padding_config"))
    add("padding=", texts(*part, "dimensions", "x", padding));
  if (const Message* part = part_of("dot", "dot_dimension_numbers")) {
    add(lists(*part, {"lhs_batch_dimensions", "lhs_contracting_dimensions", "rhs_batch_dimensions",
                      "rhs_contracting_dimensions"}));
  }
  if (const Message* part = part_of("convolution", "convolution_dimension_numbers")) {
    add(TRY(dim_labels(*part)));
    for (const char* name : {"feature_group_count", "batch_group_count"})
      add(name, "=", std::max<int64_t>(at.integer(name), 1));
  }
  if (const Message* part = part_of("gather", "gather_dimension_numbers")) {
    add(lists(*part, {"offset_dims", "collapsed_slice_dims", "start_index_map",
                      "operand_batching_dims", "start_indices_batching_dims"}));
    add("index_vector_dim=", part->integer("index_vector_dim"));
    add("slice_sizes=", braces(at.integers("gather_slice_sizes")));
  }
  if (const Message* part = part_of("scatter", "scatter_dimension_numbers")) {
    add(lists(*part, {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims",
                      "input_batching_dims", "scatter_indices_batching_dims"}));
    add("index_vector_dim=", part->integer("index_vector_dim"));
  }
  return list;
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
  std::vector<std::string> list = TRY(attributes(instruction, opcode));
  const std::string computations = TRY(calls(opcode, called));
  if (!computations.empty()) list.push_back(computations);
  return absl::StrCat(TRY(shape_text(*shape)), " ", opcode, "(", inside, ")",
                      list.empty() ? "" : ", ", absl::StrJoin(list, ", "));
}

}  // namespace tileproof::hlo_proto
