// SPDX-License-Identifier: Apache-2.0
// The steps that shrink a request about a layout of any system: smaller numbers, modes and
// dimensions less.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conform/oracle/tla_ops.h"
#include "conform/protocol/text_numbers.h"
#include "conform/shrink/shrink_numbers.h"
#include "conform/suites/format_suite.h"
#include "conform/suites/tla_suite.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"

namespace tileproof::conform {
namespace {

using Index = std::vector<int64_t>;

// Collects variants of a request whose layouts are valid, in the text that Tileproof prints: a shift
// of -3 becomes 0, not -0.
class FormatSteps {
 public:
  explicit FormatSteps(const Json& request) : request_(request) {}

  void add(const std::string& layout, const Index& index) {
    const absl::StatusOr<AnyLayout> parsed = parse_any_layout(layout);
    if (!parsed.ok() || !spec::layout_function(*parsed).ok()) return;
    Json step = request_;
    set(step, "layout", to_text(*parsed));
    set(step, "index", index);
    if (step != request_) result_.push_back(std::move(step));
  }
  std::vector<Json> take() { return std::move(result_); }

 private:
  const Json& request_;
  std::vector<Json> result_;
};

// "Sw<1,0,1> o 3 o " and the nested layout after it. The steps of tla.offset shrink the layout and
// the index.
void shrink_modes(const std::string& head, const NestedLayout& layout, const Index& index,
                  FormatSteps& steps) {
  const Json coord = layout.shape.is_tuple || index.size() != 1 ? Json(index) : Json(index[0]);
  const Json request =
      json_object({{"op", "tla.offset"}, {"layout", to_text(layout)}, {"coord", coord}});
  for (const Json& step : shrink_tla_requests(request)) {
    const Json& at = *find(step, "coord");
    const std::optional<Index> smaller =
        at.as<int64_t>() != nullptr ? Index{*at.as<int64_t>()} : integers(at);
    if (smaller) steps.add(head + *find(step, "layout")->as<std::string>(), *smaller);
  }
}

// memref<4x8xf32, strided<[16, 1], offset: 3>> by its parts.
void shrink_memref(const MemRef& memref, const Index& index, FormatSteps& steps) {
  const std::string& text = memref.text;
  std::string sizes = "memref<";
  for (const int64_t n : memref.dims) absl::StrAppend(&sizes, n, "x");
  if (text.compare(0, sizes.size(), sizes) != 0) return;  // spaces
  const std::string rest = text.substr(sizes.size());
  const auto with = [&](const Index& dims, const std::string& end, const Index& at) {
    std::string made = "memref<";
    for (const int64_t n : dims) absl::StrAppend(&made, n, "x");
    steps.add(made + end, at);
  };
  for (size_t d = 0; d < memref.dims.size(); ++d) {
    for (const int64_t n : shrink_numbers(memref.dims[d], 1)) {
      Index dims = memref.dims;
      dims[d] = n;
      with(dims, rest, index);
      if (index.size() == dims.size() && index[d] >= n) {
        Index last = index;
        last[d] = n - 1;
        with(dims, rest, last);
      }
    }
  }
  const size_t comma = rest.find(',');
  if (comma != std::string::npos) with(memref.dims, rest.substr(0, comma) + ">", index);
  // A dimension less, and its stride.
  const size_t open = rest.find("strided<["), close = rest.find(']');
  std::vector<std::string> strides;
  if (open != std::string::npos && close != std::string::npos)
    strides = absl::StrSplit(rest.substr(open + 9, close - open - 9), ", ");
  for (size_t d = 0; d < memref.dims.size() && index.size() == memref.dims.size(); ++d) {
    const auto without = [d](auto numbers) {
      numbers.erase(numbers.begin() + static_cast<int64_t>(d));
      return numbers;
    };
    std::string end = rest;
    if (strides.size() == memref.dims.size()) {
      end = absl::StrCat(rest.substr(0, open + 9), absl::StrJoin(without(strides), ", "),
                         rest.substr(close));
    } else if (comma != std::string::npos) {
      continue;
    }
    with(without(memref.dims), end, without(index));
  }
}

}  // namespace

std::vector<Json> shrink_format_requests(const Json& request) {
  FormatSteps steps(request);
  const Json* layout = find(request, "layout");
  const auto* text = layout == nullptr ? nullptr : layout->as<std::string>();
  const Json* given = find(request, "index");
  const std::optional<Index> index = given == nullptr ? std::nullopt : integers(*given);
  const absl::StatusOr<AnyLayout> parsed =
      text == nullptr ? absl::InvalidArgumentError("no text") : parse_any_layout(*text);
  if (!parsed.ok() || !index) return {};
  if (const auto* nested = std::get_if<NestedLayout>(&*parsed))
    shrink_modes("", *nested, *index, steps);
  if (const auto* swizzled = std::get_if<SwizzledLayout>(&*parsed)) {
    const std::string tail = to_text(swizzled->layout);
    const std::string whole = to_text(*swizzled);
    shrink_modes(whole.substr(0, whole.size() - tail.size()), swizzled->layout, *index, steps);
  }
  if (const auto* memref = std::get_if<MemRef>(&*parsed)) shrink_memref(*memref, *index, steps);
  for (const TextNumber number : numbers_in(*text)) {
    int64_t value = 0;
    if (!read_number(*text, number, value)) continue;
    for (const int64_t smaller : shrink_numbers(value, 0))
      steps.add(with_numbers(*text, {{number, smaller}}), *index);
  }
  for (size_t d = 0; d < index->size(); ++d) {
    for (const int64_t smaller : shrink_numbers((*index)[d], 0)) {
      Index less = *index;
      less[d] = smaller;
      steps.add(*text, less);
    }
  }
  return steps.take();
}

}  // namespace tileproof::conform
