// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/model_steps.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof::verify {
namespace {

using Kind = ModelStep::Kind;

struct Append {
  std::vector<ModelStep>& steps;

  void operator()(const spec::Prepend&) { steps.push_back({Kind::kPrepend}); }
  void operator()(const spec::Combine& step) { steps.push_back({Kind::kCombine, step.at}); }
  void operator()(const spec::Split& step) { steps.push_back({Kind::kSplit, step.at, step.tile}); }
  void operator()(const spec::Pad& step) { steps.push_back({Kind::kPad, step.at, step.multiple}); }
  // Brings the dimensions to their places from left to right.
  void operator()(const spec::Transpose& step) {
    std::vector<int64_t> order(step.from.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = 0; i < order.size(); ++i) {
      auto place = std::find(order.begin(), order.end(), step.from[i]);
      for (; place > order.begin() + static_cast<ptrdiff_t>(i); --place) {
        std::iter_swap(place - 1, place);
        steps.push_back({Kind::kSwap, place - 1 - order.begin()});
      }
    }
  }
};

}  // namespace

std::vector<ModelStep> model_steps(const std::vector<spec::Step>& steps) {
  std::vector<ModelStep> model;
  for (const spec::Step& step : steps) std::visit(Append{model}, step);
  return model;
}

std::string to_coq(const ModelStep& step) {
  constexpr absl::string_view kNames[] = {"Prepend", "Combine", "Pad", "Split", "Swap"};
  std::string text(kNames[static_cast<int>(step.kind)]);
  if (step.kind == Kind::kPad || step.kind == Kind::kSplit)
    absl::StrAppend(&text, " ", step.number);
  for (int64_t i = 0; i < step.at; ++i) {
    const bool is_word = text.find(' ') == std::string::npos;
    text = is_word ? absl::StrCat("Skip ", text) : absl::StrCat("Skip (", text, ")");
  }
  return text;
}

std::string to_coq(const std::vector<ModelStep>& steps) {
  return absl::StrCat("[",
                      absl::StrJoin(steps, "; ",
                                    [](std::string* out, const ModelStep& step) {
                                      absl::StrAppend(out, to_coq(step));
                                    }),
                      "]");
}

}  // namespace tileproof::verify
