// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/layout/coq_layouts.h"

#include <algorithm>
#include <numeric>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"
#include "verify/prove/lemmas/write_file.h"

namespace tileproof::verify {
namespace {

constexpr int kPointsForCoq = 4;  // indices, and offsets

std::string coq_list(const spec::Dims& numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, "; "), "]");
}

// "T(*,2)" as "T( *,2)": Coq reads "(*" as the start of a comment.
std::string in_comment(const std::string& text) {
  return absl::StrReplaceAll(text, {{"(*", "( *"}, {"*)", "* )"}});
}

// What the reference answers: the size of the buffer, and some offsets and indices.
absl::StatusOr<std::vector<std::string>> answers(const std::string& name,
                                                 const spec::TiledLayout& layout) {
  const std::string array = absl::StrCat(" ", name, " ", coq_list(layout.logical()), " ");
  std::vector<std::string> facts = {
      absl::StrCat("sizes_after_all", array, "= [", layout.elements(), "]")};
  if (layout.elements() == 0) return facts;
  Choose choose(Choose::Random{0});
  for (int i = 0; i < kPointsForCoq; ++i) {
    const spec::Dims index = random_index(choose, layout.logical());
    facts.push_back(absl::StrCat("forward_all", array, coq_list(index), " = [",
                                 TRY(spec::linearize(layout, index)), "]"));
    const int64_t offset = random_index(choose, {layout.elements()}).front();
    const auto back = TRY(spec::delinearize(layout, offset));
    facts.push_back(absl::StrCat("backward_all", array, "[", offset,
                                 "] = ", back ? "Some " + coq_list(*back) : "None"));
  }
  return facts;
}

}  // namespace

absl::StatusOr<std::string> coq_layout(const std::string& name, const Shape& shape) {
  const spec::LayoutSteps steps = TRY(spec::layout_steps(shape));
  const spec::TiledLayout layout = TRY(spec::tiled_layout(shape));
  std::vector<std::string> sizes;
  for (size_t d = 0; d < steps.logical.size(); ++d) sizes.push_back(absl::StrCat("n", d));
  const std::string for_all =
      sizes.empty() ? "" : absl::StrCat("forall ", absl::StrJoin(sizes, " "), ", ");
  return absl::StrCat(
      "\n(* ", in_comment(to_text(shape)), " *)\nDefinition ", name, " : list step :=\n  ",
      to_coq(model_steps(steps.steps)), ".\nTheorem ", name, "_fits : ", for_all, "all_fit ", name,
      " [", absl::StrJoin(sizes, "; "), "].\n",
      "Proof. intros. apply every_size_fits. vm_compute. repeat split. Qed.\nTheorem ", name,
      "_answers :\n  ", absl::StrJoin(TRY(answers(name, layout)), "\n  /\\ "),
      ".\nProof. vm_compute. repeat split. Qed.\nPrint Assumptions ", name,
      "_fits.\nPrint Assumptions ", name, "_answers.\n");
}

absl::Status write_coq_layouts(const std::string& directory) {
  std::string text =
      "(* The steps and answers of the reference for some layouts. *)\n"
      "Require Import ZArith List.\nRequire Import tilings.\nImport ListNotations.\n"
      "Open Scope Z_scope.\n";
  int layouts = 0;
  for (const char* shape :
       {"f32[3,5]{1,0:T(2,2)}", "bf16[16,256]{1,0:T(8,128)(2,1)}", "f32[64,96]{0,1:T(16,16)}",
        "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}", "f32[2,16]{1,0:T(2,4)(*,3,2)}",
        "f32[13]{0:T(8)(3)}", "f32[]{:T(2)(3,2)}", "f32[0,5]{1,0:T(2,2)}", "f32[4,3,2,5]{0,2,3,1}",
        "f32[200001,128]{1,0:T(8)L(1024)}", "f32[10,20,30,40]{3,2,1,0:T(16,16,1,1)(16,4,1,1)}",
        "f32[200000000000000000,3]{1,0:T(3000000001,2)}"}) {
    absl::StrAppend(&text,
                    TRY(coq_layout(absl::StrCat("layout_", layouts++), TRY(parse_shape(shape)))));
  }
  return lemmas::write_file(directory + "/layouts.v", text);
}

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
