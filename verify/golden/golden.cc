// SPDX-License-Identifier: Apache-2.0
#include "verify/golden/golden.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "corpus/paths.h"
#include "impl/access/coalescing.h"
#include "impl/access/image.h"
#include "impl/access/utilization.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/module_indexing.h"
#include "impl/hlo/reshape_indices.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/layout_algebra.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/layout/tiled_layout.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/access_compare.h"
#include "verify/compare/algebra_laws.h"
#include "verify/compare/indexing_compare.h"
#include "verify/compare/map_compare.h"

namespace tileproof::verify {
namespace {

// The answer to a question with an error.
std::string error_line(const absl::Status& status) {
  return absl::StrCat("error: ", status.message(), "\n");
}

// ---- Questions about layouts and counts: each about the text that follows the first word ----

constexpr int64_t kMaxPoints = 1'000'000;  // of the reference

std::string text_of(const impl::ElementsRead& read) {
  if (!read.uncounted.empty()) return absl::StrCat("not counted: ", read.uncounted);
  const std::string most = read.least == read.most ? "" : absl::StrCat(" to ", read.most);
  return absl::StrCat(read.least, most, " of ", read.elements);
}

// The sizes of an array, and maps to its elements.
struct Images {
  std::vector<int64_t> sizes;
  std::vector<IndexingMap> maps;
};

absl::StatusOr<Images> parse_images(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  Images images;
  absl::string_view list = lines[0];
  bool fits = absl::ConsumePrefix(&list, "[") && absl::ConsumeSuffix(&list, "]");
  for (const absl::string_view size : absl::StrSplit(list, ',', absl::SkipEmpty())) {
    fits = fits && absl::SimpleAtoi(size, &images.sizes.emplace_back());
  }
  if (!fits) return absl::InvalidArgumentError("expected [SIZE,..], and a MAP in each line");
  for (size_t i = 1; i < lines.size(); ++i) images.maps.push_back(TRY(parse_map(lines[i])));
  return images;
}

absl::StatusOr<int64_t> counted(const Images& question) {
  std::vector<impl::Image> images;
  for (const IndexingMap& map : question.maps) {
    images.push_back(TRY(impl::image_of(map, question.sizes)));
  }
  return impl::union_size(images, question.sizes);
}

absl::StatusOr<KernelAccess> parse_access(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const std::vector<absl::string_view> head =
      absl::StrSplit(lines.front(), absl::MaxSplits(' ', 2));
  absl::string_view threads = lines.size() == 3 ? lines[1] : "";
  absl::string_view access = lines.back();
  Warps warps;
  if (head.size() != 3 || !absl::SimpleAtoi(head[0], &warps.warp) ||
      !absl::SimpleAtoi(head[1], &warps.width) || !absl::ConsumePrefix(&threads, "threads ") ||
      !absl::ConsumePrefix(&access, "access ")) {
    return absl::InvalidArgumentError("expected WARP WIDTH SHAPE, threads MAP, access MAP");
  }
  const Shape array = TRY(parse_shape(head[2]));
  const IndexingMap by = TRY(parse_map(threads)), at = TRY(parse_map(access));
  return KernelAccess{by, at, array, warps};
}

// The number of elements of each array that is read, by operand and by parameter.
std::string reads_of(const HloModule& module, int32_t instruction) {
  std::string text;
  for (const auto& [name, scope] :
       {std::pair("operands", Scope::kInstruction), std::pair("parameters", Scope::kComputation)}) {
    impl::IndexingAnalysis analysis(module);
    const absl::StatusOr<impl::Utilization> found =
        impl::utilization(analysis, module, module.entry, instruction, scope);
    if (!found.ok()) {
      absl::StrAppend(&text, name, ": ", found.status().message(), "\n");
      continue;
    }
    std::vector<std::string> reads;
    for (const auto& leaves : *found) {
      for (const impl::ElementsRead& read : leaves) reads.push_back(text_of(read));
    }
    absl::StrAppend(&text, "of ", name, " read: ", absl::StrJoin(reads, "; "), "\n");
  }
  return text;
}

std::string reads_of_root(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return error_line(module.status());
  return reads_of(*module, module->computations[module->entry].root);
}

// The elements that maps reach, and the transactions of a kernel.
std::string images_of(absl::string_view text) {
  const absl::StatusOr<Images> images = parse_images(text);
  const auto found = images.ok() ? counted(*images) : images.status();
  return found.ok() ? absl::StrCat(*found, "\n") : error_line(found.status());
}

std::string transactions_of(absl::string_view text) {
  const absl::StatusOr<KernelAccess> kernel = parse_access(text);
  if (!kernel.ok()) return error_line(kernel.status());
  const auto& [threads, access, array, warps] = *kernel;
  const auto counted = impl::count_transactions(threads, access, array, warps);
  if (!counted.ok()) return error_line(counted.status());
  return absl::StrCat(counted->accesses, " accesses, ", counted->transactions,
                      " transactions, at most ", counted->most, ", ", counted->elements,
                      " elements\n");
}

// How the counts differ from those of the reference. "" if they do not, where the reference would
// take too long, and where there is no count.
std::string difference_of_reads(absl::string_view text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return "";
  CaseCounts tally;
  const std::string found =
      utilization_difference(*module, module->entry, module->computations[module->entry].root,
                             /*seed=*/1, tally);
  return found.empty() ? "" : absl::StrCat(found, "; ", text);
}

std::string difference_of_images(absl::string_view text) {
  const absl::StatusOr<Images> images = parse_images(text);
  if (!images.ok()) return "";
  Choose choose(Choose::Random{1});
  CaseCounts tally;
  return image_difference(images->maps, choose, kMaxPoints, tally);
}

std::string difference_of_transactions(absl::string_view text) {
  const absl::StatusOr<KernelAccess> kernel = parse_access(text);
  if (!kernel.ok()) return "";
  CaseCounts tally;
  return access_difference(*kernel, kMaxPoints, tally);
}

std::string shown(int64_t number) { return absl::StrCat(number); }
template <class T>
std::string shown(const T& value) {
  return to_text(value);
}

// Formats an answer as one line.
template <class T>
std::string described(absl::string_view name, const absl::StatusOr<T>& answer) {
  const std::string text =
      answer.ok() ? shown(*answer) : absl::StrCat("error: ", answer.status().message());
  return absl::StrCat(name, name.empty() ? "" : " ", text, "\n");
}

// Writes the layout in each system that can express it.
std::string in_other_systems(const absl::StatusOr<impl::DigitLayout>& digits) {
  if (!digits.ok()) return absl::StrCat("no digits: ", digits.status().message(), "\n");
  const impl::DigitLayout simple = impl::simplest(*digits);
  const absl::StatusOr<Layout> tiled = impl::to_tiled(simple);
  const auto shape = tiled.ok()
                         ? absl::StatusOr<Shape>(make_array(ElementType::kF32, simple.dims, *tiled))
                         : tiled.status();
  return absl::StrCat(described<NestedLayout>("nested", impl::to_nested(simple)),
                      described("tiled", shape), described("blocked", impl::to_blocked(simple)));
}

// Describes the layout alone: sizes, the coordinates of its first offsets, and derived layouts.
std::string about(const NestedLayout& layout) {
  const absl::StatusOr<impl::NestedLayout> closed = impl::NestedLayout::create(layout);
  if (!closed.ok()) return error_line(closed.status());
  std::string text =
      absl::StrCat("formula ", closed->formula(), "\n", described("size", closed->size()),
                   described("cosize", closed->cosize()));
  const int64_t most = std::min<int64_t>(closed->cosize().value_or(0), 24);
  for (int64_t offset = 0; offset < most; ++offset) {
    const auto found = closed->coordinate_at(offset);
    if (!found.ok())
      return absl::StrCat(text, described("at", absl::StatusOr<int64_t>(found.status())));
    absl::StrAppend(&text, *found ? absl::StrCat(" ", to_text(**found)) : " -");
  }
  std::vector<int64_t> dims;
  for (int64_t k = 0; k < rank(layout.shape); ++k) {
    const absl::StatusOr<impl::NestedLayout> one = impl::NestedLayout::create(mode(layout, k));
    dims.push_back(one.ok() ? one->size().value_or(1) : 1);
  }
  return absl::StrCat(text, most > 0 ? "\n" : "", in_other_systems(impl::digits_of(layout, dims)));
}

// Reads a box: "[1,0] [2,4]", where it begins and its sizes.
bool read_box(absl::string_view text, impl::RelayoutOptions& options) {
  const std::vector<absl::string_view> lists = absl::StrSplit(text, ' ');
  if (lists.size() != 2) return false;
  for (size_t k = 0; k < 2; ++k) {
    absl::string_view list = lists[k];
    if (!absl::ConsumePrefix(&list, "[") || !absl::ConsumeSuffix(&list, "]")) return false;
    for (const absl::string_view word : absl::StrSplit(list, ',')) {
      if (!absl::SimpleAtoi(word, &(k == 0 ? options.begin : options.sizes).emplace_back()))
        return false;
    }
  }
  return true;
}

// What the loops do, if there are any.
std::string described(const impl::RelayoutPlan& plan) {
  const int bytes = impl::RelayoutOptions().element_bits / 8;
  std::string text = absl::StrCat(plan.source_bytes() / bytes, " to ",
                                  plan.destination_bytes() / bytes, " elements\n", plan.to_text());
  const impl::RelayoutPlan::Maps maps = plan.maps();
  if (plan.loops().empty()) return text;
  return absl::StrCat(text, "index ", to_text(maps.index), "\nsource ", to_text(maps.source),
                      "\ndestination ", to_text(maps.destination), "\n");
}

// The maps between indices and offsets of an array, and its layout in other systems.
std::string positions_of(absl::string_view text) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) return error_line(shape.status());
  return absl::StrCat(described("", impl::logical_to_offset(*shape)),
                      described("", impl::offset_to_logical(*shape)),
                      described("", impl::logical_to_physical(*shape)),
                      described("", impl::physical_to_logical(*shape)),
                      in_other_systems(impl::digits_of(*shape)));
}

// Operands in the format of verify/compare/algebra_laws.h: every operation of the algebra, and the
// properties of A alone.
std::string algebra_of(absl::string_view text) {
  const absl::StatusOr<AlgebraCase> operands = parse_algebra_case(text);
  if (!operands.ok()) return error_line(operands.status());
  const auto& [a, b, c, m, tiler, slicer, swizzle] = *operands;
  std::string answer = absl::StrCat(described("coalesced", impl::coalesce(a)),
                                    described("A o B", impl::composition(a, b)),
                                    described("complement", impl::complement(a, m)),
                                    described("right inverse", impl::right_inverse(a)),
                                    described("left inverse", impl::left_inverse(a)));
  for (const Tiler& by : {Tiler{false, {b}}, tiler}) {
    absl::StrAppend(&answer, described("divided", impl::logical_divide(a, by)),
                    described("zipped", impl::zipped_divide(a, by)),
                    described("tiled", impl::tiled_divide(a, by)));
  }
  return absl::StrCat(answer, described("A x B", impl::logical_product(a, b)),
                      described("slice", impl::slice(a, slicer)),
                      described("swizzled", impl::swizzled(swizzle, m)), about(a), about(c));
}

// The plan of a copy, its maps, and the elements of both buffers: LAYOUT <newline> to LAYOUT, and for
// a box <newline> box [BEGIN,..] [SIZE,..]. Padding becomes 0, but that of a box is kept.
std::string relayout_of(absl::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  absl::string_view to = lines.size() < 2 ? "" : lines[1], box = lines.size() < 3 ? "" : lines[2];
  impl::RelayoutOptions options;
  const bool is_whole = lines.size() == 2;
  if (is_whole) options.padding = impl::RelayoutOptions::Padding::kZero;
  const bool has_box = absl::ConsumePrefix(&box, "box ") && read_box(box, options);
  if (lines.size() > 3 || !absl::ConsumePrefix(&to, "to ") || is_whole == has_box)
    return "error: expected LAYOUT, to LAYOUT, box [BEGIN,..] [SIZE,..]\n";
  const absl::StatusOr<AnyLayout> source = parse_any_layout(lines[0]);
  const absl::StatusOr<AnyLayout> destination = parse_any_layout(to);
  for (const absl::Status& status : {source.status(), destination.status()}) {
    if (!status.ok()) return error_line(status);
  }
  const auto from_side = impl::relayout_side(*source), to_side = impl::relayout_side(*destination);
  for (const absl::Status& status : {from_side.status(), to_side.status()}) {
    if (!status.ok()) return error_line(status);
  }
  const auto plan = impl::RelayoutPlan::create(*from_side, *to_side, options);
  return plan.ok() ? described(*plan) : error_line(plan.status());
}

constexpr int64_t kMaxLeaves = 4;
constexpr spec::Limits kLimits{.elements = 4096, .work = 1 << 17};

std::string line_of(const absl::StatusOr<IndexingMap>& map) {
  if (!map.ok()) return absl::StrCat("error: ", map.status().message(), "\n");
  return absl::StrCat(to_text(*map), "\n");
}

std::string ranges_of(const IndexingMap& map) {
  std::vector<std::string> ranges;
  for (NodeId result : map.results) {
    const absl::StatusOr<Interval> range = impl::range_of(map, result);
    ranges.push_back(range.ok() ? absl::StrCat("[", range->low, ", ", range->high, "]")
                                : std::string(range.status().message()));
  }
  return ranges.empty() ? "" : absl::StrCat("ranges ", absl::StrJoin(ranges, ", "), "\n");
}

std::string simplified(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  const absl::StatusOr<IndexingMap> simple = map.ok() ? impl::simplify(*map) : map;
  if (!map.ok() || !simple.ok()) return line_of(simple);
  const std::string answer = absl::StrCat(line_of(simple), ranges_of(*map));
  if (simple->known_empty) return answer;
  const absl::StatusOr<impl::Removed> removed =
      impl::remove_unused_variables(*simple, {.dimensions = true, .ranges = true, .runtime = true});
  const auto used = removed.ok() ? absl::StatusOr<IndexingMap>(removed->map) : removed.status();
  if (used.ok() && *used == *simple) return answer;
  return absl::StrCat(answer, "without unused variables ", line_of(used));
}

// Returns every proof step, or the reason why there is none.
std::string traced(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return line_of(map);
  const absl::StatusOr<impl::Traced> simple = impl::simplify_with_trace(*map);
  if (!simple.ok()) return line_of(simple.status());
  return simple->trace.empty() ? "no trace\n" : simple->trace;
}

std::string composed(absl::string_view texts) {
  const std::vector<absl::string_view> both = absl::StrSplit(texts, absl::MaxSplits("\nthen ", 1));
  const absl::StatusOr<IndexingMap> first = parse_map(both.front()),
                                    second = parse_map(both.back());
  if (!first.ok() || !second.ok()) return line_of(first.ok() ? second : first);
  return line_of(impl::compose(*first, *second));
}

// Writes a line `operand: map` for each map, and below it the sources of its runtime variables.
std::string text_of(const HloModule& module, int32_t computation, const impl::Indexing& answer) {
  std::string text;
  for (size_t k = 0; k < answer.size(); ++k) {
    for (size_t leaf = 0; leaf < answer[k].size(); ++leaf) {
      const impl::LeafMaps& list = answer[k][leaf];
      const std::string name = leaf == 0 ? absl::StrCat(k) : absl::StrCat(k, "#", leaf);
      for (const impl::IndexedMap& one : list.maps) {
        absl::StrAppend(&text, "  ", name, ": ", to_text(one.map), "\n");
        for (size_t i = 0; i < one.runtime.size(); ++i) {
          const impl::RuntimeSource& source = one.runtime[i];
          absl::StrAppend(&text, "    rt", i, " in [", source.feasible.low, ", ",
                          source.feasible.high,
                          "]: ", impl::name_of(module, computation, source.position), " ",
                          to_text(source.map), "\n");
        }
      }
      if (list.inexact) absl::StrAppend(&text, "  ", name, " inexact: ", list.reason, "\n");
    }
  }
  return text;
}

std::string text_of(const impl::DataflowCounts& counts) {
  return absl::StrCat(counts.mapped, " mapped, ", counts.conservative, " conservative, ",
                      counts.no_dataflow, " without flow, ", counts.refused, " refused");
}

std::string counts_of(const HloModule& module) {
  const impl::ModuleIndexing found = impl::index_module(module);
  std::string text = absl::StrCat("instructions: ", text_of(found.instructions), ", ", found.maps,
                                  " maps\ncomputations: ", text_of(found.computations), ", ",
                                  found.composed_maps, " maps\n");
  for (const auto& [reason, count] : found.conservative) {
    absl::StrAppend(&text, count, " conservative: ", reason, "\n");
  }
  return text;
}

// Writes each answer once, after all questions that have it.
std::string indexed(absl::string_view hlo) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  if (!module.ok()) return absl::StrCat("not read: ", module.status().message(), "\n");
  const int32_t entry = module->entry, root = module->computations[entry].root;
  std::vector<std::pair<std::string, std::string>> answers;  // the questions' names, and the answer
  for (const IndexingQuestion& question : questions_about(*module, entry, root, kMaxLeaves)) {
    const absl::StatusOr<impl::Indexing> found = analyzed(*module, question);
    std::string text = found.ok() ? text_of(*module, entry, *found)
                                  : absl::StrCat("  error: ", found.status().message(), "\n");
    const auto same = std::ranges::find(answers, text, [](const auto& one) { return one.second; });
    if (same == answers.end()) {
      answers.emplace_back(to_text(question), std::move(text));
    } else {
      absl::StrAppend(&same->first, "; ", to_text(question));
    }
  }
  std::string all;
  for (const auto& [questions, text] : answers) absl::StrAppend(&all, questions, "\n", text);
  return absl::StrCat(all, reads_of(*module, root), counts_of(*module));
}

std::string difference_of_module(absl::string_view hlo) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  if (!module.ok()) return "";
  const int32_t entry = module->entry, root = module->computations[entry].root;
  for (const IndexingQuestion& one : questions_about(*module, entry, root, kMaxLeaves)) {
    const auto found = compare_indexing(*module, one, {.seed = 1, .near = 8}, kLimits);
    if (found.kind == IndexingComparison::Kind::kDifferent)
      return absl::StrCat(to_text(one), ": ", found.difference, "; ", hlo);
  }
  return "";
}

// A kind of question, by its first word.
struct Answered {
  absl::string_view word;
  std::string (*answer)(absl::string_view text);
  std::string (*difference)(absl::string_view text);  // from the reference; null: not compared
};
constexpr Answered kAnswered[] = {{"simplify ", simplified, nullptr},
                                  {"trace ", traced, nullptr},
                                  {"compose ", composed, nullptr},
                                  {"index\n", indexed, difference_of_module},
                                  {"reads\n", reads_of_root, difference_of_reads},
                                  {"image ", images_of, difference_of_images},
                                  {"places ", positions_of, nullptr},
                                  {"algebra ", algebra_of, nullptr},
                                  {"transactions ", transactions_of, difference_of_transactions},
                                  {"relayout ", relayout_of, nullptr}};

// The kind of a question, whose first word it takes away; null if it has none.
const Answered* kind_of(absl::string_view& question) {
  absl::ConsumeSuffix(&question, "\n");
  const auto* const kind = std::ranges::find_if(
      kAnswered, [&](const Answered& one) { return absl::ConsumePrefix(&question, one.word); });
  return kind == std::end(kAnswered) ? nullptr : kind;
}

}  // namespace

const std::vector<GoldenAnswer>& golden_answers(absl::string_view file) {
  static std::map<std::string, std::vector<GoldenAnswer>, std::less<>> files;
  const auto [found, is_new] = files.try_emplace(std::string(file));
  if (is_new) {
    auto read = read_golden(project_path(absl::StrCat("corpus/golden/", file)));
    found->second = std::move(read).value_or(std::vector<GoldenAnswer>{});
    std::erase_if(found->second, is_comment);
  }
  return found->second;
}

std::string answer_to(absl::string_view question) {
  if (const Answered* kind = kind_of(question)) return kind->answer(question);
  return "error: expected simplify, trace, compose, index, reads, image, places, algebra, "
         "transactions or relayout\n";
}

std::string difference_from_reference(absl::string_view question) {
  const Answered* kind = kind_of(question);
  return kind == nullptr || kind->difference == nullptr ? "" : kind->difference(question);
}

}  // namespace tileproof::verify
