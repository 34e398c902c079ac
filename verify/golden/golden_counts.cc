// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "impl/access/coalescing.h"
#include "impl/access/image.h"
#include "impl/access/utilization.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/coalescing_compare.h"
#include "verify/compare/image_compare.h"
#include "verify/compare/utilization_compare.h"
#include "verify/golden/golden_kinds.h"

namespace tileproof::verify {
namespace {

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

}  // namespace

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

}  // namespace tileproof::verify
