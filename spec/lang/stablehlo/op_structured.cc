// SPDX-License-Identifier: Apache-2.0
// Operations with windows and with numbers of dimensions.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/try.h"
#include "spec/lang/stablehlo/op_parts.h"

namespace tileproof::stablehlo {
namespace {

std::string times_text(const Ints& numbers) { return absl::StrJoin(numbers, "x"); }

// `size=.. stride=.. pad=.. lhs_dilate=.. rhs_dilate=.. rhs_reversal=..`; pads are low, high pairs.
std::string window_text(const Ints& size, const Ints& stride, const Ints& pads,
                        const Ints& lhs_dilate, const Ints& rhs_dilate, const Ints& reversed) {
  std::vector<std::string> pairs;
  for (size_t d = 0; d < size.size(); ++d)
    pairs.push_back(absl::StrCat(pads[2 * d], "_", pads[2 * d + 1]));
  if (size.empty()) return "window={}";
  return absl::StrCat("window={size=", times_text(size), " stride=", times_text(stride),
                      " pad=", absl::StrJoin(pairs, "x"), " lhs_dilate=", times_text(lhs_dilate),
                      " rhs_dilate=", times_text(rhs_dilate),
                      reversed.empty() ? "" : absl::StrCat(" rhs_reversal=", times_text(reversed)),
                      "}");
}

// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, `#stablehlo.conv<..>` around it: b01f_01io->b01f.
absl::StatusOr<std::vector<std::string>> labels(std::string text) {
  if (const size_t open = text.find('<'); absl::StartsWith(text, "#") && open != std::string::npos)
    text = text.substr(open + 1, text.size() - open - 2);
  std::vector<std::string> lists;
  for (const char c : text) {
    if (c == '[') lists.emplace_back();
    if (absl::string_view(", []x->").find(c) == absl::string_view::npos && !lists.empty())
      lists.back().push_back(c);
  }
  if (lists.size() == 3) return lists;
  return invalid("expected dimension numbers of a convolution");
}

}  // namespace

namespace rule {

// The four lists of a dot_general as the attributes of HLO.
Pieces dot(const Asked& asked) {
  TRY(asked.expect_operands(2));
  Ints lists[4];  // batch of lhs and rhs, contracting of lhs and rhs
  const char* names[] = {"lhs_batching_dimensions", "rhs_batching_dimensions",
                         "lhs_contracting_dimensions", "rhs_contracting_dimensions"};
  if (asked.op.name == "stablehlo.dot") {
    lists[2] = {std::ssize(asked.operands[0].type.dims) - 1};
    lists[3] = {0};
  } else if (find_attribute(asked.op.attributes, "dot_dimension_numbers") != nullptr) {
    const Attributes numbers = TRY(inner(asked.op.attributes, "dot_dimension_numbers"));
    for (int i = 0; i < 4; ++i) lists[i] = TRY(ints(numbers, names[i]));
  } else {
    for (int i = 0; i < 2; ++i) {
      const std::string* text =
          find_attribute(asked.op.attributes, i == 0 ? "batching_dims" : "contracting_dims");
      if (text == nullptr) continue;
      const size_t middle = text->find(" x ");
      if (middle == std::string::npos) return invalid("expected '[..] x [..]'");
      lists[2 * i] = TRY(integers(absl::string_view(*text).substr(0, middle)));
      lists[2 * i + 1] = TRY(integers(absl::string_view(*text).substr(middle + 3)));
    }
  }
  std::string attributes;
  const char* hlo[] = {"lhs_batch_dims", "rhs_batch_dims", "lhs_contracting_dims",
                       "rhs_contracting_dims"};
  for (int i = 0; i < 4; ++i) {
    if (i < 2 && lists[i].empty()) continue;
    absl::StrAppend(&attributes, attributes.empty() ? "" : ", ", hlo[i], "=", braces(lists[i]));
  }
  return asked.one("dot", attributes);
}

Pieces convolution(const Asked& asked) {
  TRY(asked.expect_operands(2));
  const Attributes& attributes = asked.op.attributes;
  const std::string* pretty = find_attribute(attributes, "dim_numbers");
  const std::string* full = find_attribute(attributes, "dimension_numbers");
  if (pretty == nullptr && full == nullptr) return invalid("expected 'dim_numbers'");
  const std::vector<std::string> lists = TRY(labels(pretty != nullptr ? *pretty : *full));
  Attributes window = attributes;
  if (const std::string* text = find_attribute(attributes, "window");
      text != nullptr && text->size() > 2)
    window = TRY(parse_attributes(absl::string_view(*text).substr(1, text->size() - 2)));
  const auto named = [&](const char* a, const char* b) {
    return find_attribute(window, a) != nullptr ? a : b;
  };
  const Type& kernel = asked.operands[1].type;
  Ints size;
  for (char d = '0'; d <= '9'; ++d) {
    const size_t at = lists[1].find(d);
    if (at == std::string::npos) break;
    if (at >= kernel.dims.size()) return invalid("expected a kernel of the rank of its labels");
    size.push_back(kernel.dims[at]);
  }
  const size_t n = size.size();
  const Ints strides = TRY(ints_or(window, named("stride", "window_strides"), n, 1));
  const Ints pads = TRY(ints_or(window, named("pad", "padding"), 2 * n, 0));
  const Ints left = TRY(ints_or(window, named("lhs_dilate", "lhs_dilation"), n, 1));
  const Ints right = TRY(ints_or(window, named("rhs_dilate", "rhs_dilation"), n, 1));
  const Ints reversed = TRY(ints_or(window, named("reverse", "window_reversal"), n, 0));
  return asked.one(
      "convolution",
      absl::StrCat(window_text(size, strides, pads, left, right, reversed),
                   ", dim_labels=", lists[0], "_", lists[1], "->", lists[2],
                   ", feature_group_count=", TRY(one_int(attributes, "feature_group_count", 1)),
                   ", batch_group_count=", TRY(one_int(attributes, "batch_group_count", 1))));
}

Pieces reduce_window(const Asked& asked) {
  const Attributes& attributes = asked.op.attributes;
  const bool selects = asked.op.name == "stablehlo.select_and_scatter";
  const Ints size = TRY(ints(attributes, "window_dimensions"));
  const size_t n = size.size();
  const Ints strides = TRY(ints_or(attributes, "window_strides", n, 1));
  const Ints pads = TRY(ints_or(attributes, "padding", 2 * n, 0));
  const Ints base = TRY(ints_or(attributes, "base_dilations", n, 1));
  const Ints dilate = TRY(ints_or(attributes, "window_dilations", n, 1));
  const std::string window = window_text(size, strides, pads, base, dilate, {});
  if (!selects) return asked.one("reduce-window", absl::StrCat(window, ", ", asked.applying()));
  if (asked.applied.size() != 2) return invalid("expected two regions");
  return asked.one("select-and-scatter", absl::StrCat(window, ", select=", asked.applied[0],
                                                      ", scatter=", asked.applied[1]));
}

Pieces gather(const Asked& asked) {
  const Attributes& attributes = asked.op.attributes;
  const Attributes numbers = TRY(inner(attributes, "dimension_numbers"));
  std::string text;
  for (const char* name : {"offset_dims", "collapsed_slice_dims", "start_index_map",
                           "operand_batching_dims", "start_indices_batching_dims"}) {
    const Ints list = TRY(ints(numbers, name));
    const bool optional = absl::StrContains(name, "batching");
    if (!optional || !list.empty()) absl::StrAppend(&text, name, "=", braces(list), ", ");
  }
  return asked.one(
      "gather",
      absl::StrCat(text, "index_vector_dim=", TRY(one_int(numbers, "index_vector_dim", 0)),
                   ", slice_sizes=", braces(TRY(ints(attributes, "slice_sizes")))));
}

Pieces scatter(const Asked& asked) {
  const Attributes numbers = TRY(inner(asked.op.attributes, "scatter_dimension_numbers"));
  std::string text;
  for (const auto& [from, to] :
       {std::pair("update_window_dims", "update_window_dims"),
        std::pair("inserted_window_dims", "inserted_window_dims"),
        std::pair("scatter_dims_to_operand_dims", "scatter_dims_to_operand_dims"),
        std::pair("input_batching_dims", "input_batching_dims"),
        std::pair("scatter_indices_batching_dims", "scatter_indices_batching_dims")}) {
    const Ints list = TRY(ints(numbers, from));
    const bool optional = absl::StrContains(from, "batching");
    if (!optional || !list.empty()) absl::StrAppend(&text, to, "=", braces(list), ", ");
  }
  return asked.one("scatter", absl::StrCat(text, "index_vector_dim=",
                                           TRY(one_int(numbers, "index_vector_dim", 0)), ", ",
                                           asked.applying()));
}

}  // namespace rule
}  // namespace tileproof::stablehlo
