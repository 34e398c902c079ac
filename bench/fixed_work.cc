// SPDX-License-Identifier: Apache-2.0
// Fixed pieces of work, whose instructions tools/instructions counts:
//
//     fixed_work --list           the names
//     fixed_work --compiler       what compiled this program
//     fixed_work NAME             does the work twice: first outside of counted_work, then in it
//
// The inputs do not depend on random generators, but those of layout_questions, whose work is to make
// random layouts.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "bench/measured.h"
#include "conform/run/questions.h"
#include "corpus/files.h"
#include "impl/hlo/module_indexing.h"
#include "impl/layout/offset_array.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"

// callgrind counts what happens inside of this function.
extern "C" [[gnu::noinline]] void counted_work(const std::function<void()>& work) {
  work();
  asm volatile("" : : : "memory");
}

namespace tileproof {
namespace {

using Work = std::function<void()>;

constexpr int64_t kQuestions = 100'000;

// Indices that are spread over an array of two dimensions.
Work index(absl::string_view shape) {
  return [layout = layout_of(shape)] {
    const int64_t rows = layout.logical()[0], columns = layout.logical()[1];
    int64_t sum = 0;
    for (int64_t i = 0; i < kQuestions; ++i) {
      const int64_t at[] = {i * 7919 % rows, i * 104729 % columns};
      sum += layout.linearize_unchecked(at);
    }
    use(sum);
  };
}

Work inverse(absl::string_view shape) {
  return [layout = layout_of(shape)] {
    int64_t sum = 0, at[2] = {};
    for (int64_t i = 0; i < kQuestions; ++i) {
      if (layout.delinearize_unchecked(i * 104729 % layout.elements(), absl::MakeSpan(at)))
        sum += at[0] ^ at[1];
    }
    use(sum);
  };
}

Work index_bits() {
  const absl::string_view shape = "f32[512,1024]{1,0:T(8,128)}";
  if (!layout_of(shape).deposit_to_offset()) stop("this processor cannot move bits (BMI2)");
  return index(shape);
}
Work index_flat() { return index("f32[100,200]{1,0:T(3,7)}"); }
Work index_general() { return index("f32[2000,1600]{1,0:T(2,4)(*,3,2)}"); }
Work inverse_flat() { return inverse("f32[100,200]{1,0:T(3,7)}"); }

Work offsets_array() {
  return [layout = layout_of("f32[1000,1600]{1,0:T(8,128)}"),
          out = std::vector<int64_t>(1000 * 1600)]() mutable {
    use(impl::offsets(layout, {0, 0}, layout.logical(), absl::MakeSpan(out)).ok());
    use(out);
  };
}

// Plans and runs a copy, some times. Padding is 0.
Work relayout(absl::string_view from, absl::string_view to, int element_bits, int runs = 1) {
  const auto side = [](absl::string_view text) {
    return valid(impl::relayout_side(valid(parse_any_layout(text))));
  };
  return [source_side = side(from), side = side(to), element_bits, runs,
          source = std::vector<char>(), out = std::vector<char>()]() mutable {
    impl::RelayoutOptions options;
    options.element_bits = element_bits;
    options.padding = impl::RelayoutOptions::Padding::kZero;
    const impl::RelayoutPlan plan = valid(impl::RelayoutPlan::create(source_side, side, options));
    source.resize(static_cast<size_t>(plan.source_bytes()));
    out.resize(static_cast<size_t>(plan.destination_bytes()));
    for (int i = 0; i < runs; ++i) plan.run(source.data(), out.data());
    use(out);
  };
}

// Into padded tiles of interleaved halves, and back.
Work relayout_pack() {
  return relayout("bf16[1000,1000]{1,0}", "bf16[1000,1000]{1,0:T(8,128)(2,1)}", 16);
}
Work relayout_unpack() {
  return relayout("bf16[1000,1000]{1,0:T(8,128)(2,1)}", "bf16[1000,1000]{1,0}", 16);
}
// Squares in registers, past the cache.
Work relayout_transpose() { return relayout("f32[1000,1200]{1,0}", "f32[1000,1200]{0,1}", 32); }

// Runs of 512 bytes between rows and tiles, and runs of 16.
Work relayout_runs() { return relayout("f32[64,256]{1,0}", "f32[64,256]{1,0:T(8,128)}", 32, 100); }
Work relayout_short_runs() {
  return relayout("f32[64,256]{1,0}", "f32[64,256]{1,0:T(8,4)}", 32, 100);
}

std::vector<IndexingMap> chains() {
  std::vector<IndexingMap> maps = valid(parse_maps(project_text("corpus/maps/chains.txt")));
  if (maps.empty()) stop("expected maps in corpus/maps/chains.txt");
  return maps;
}

Work simplify() {
  return [maps = chains()] {
    for (const IndexingMap& map : maps) use(valid(impl::simplify(map)));
  };
}

// Each map before one that reads its first result, and the simplified composition.
Work compose() {
  std::vector<std::pair<IndexingMap, IndexingMap>> pairs;
  for (IndexingMap& map : chains()) {
    std::string dims = "d0";
    for (size_t d = 1; d < map.results.size(); ++d) absl::StrAppend(&dims, ", d", d);
    std::string second = absl::StrCat("(", dims, ") -> (d0 floordiv 4, d0 mod 4), domain: ");
    for (size_t d = 0; d < map.results.size(); ++d)
      absl::StrAppend(&second, d == 0 ? "" : ", ", "d", d, " in [0, 1048575]");
    pairs.emplace_back(std::move(map), valid(parse_map(second)));
  }
  return [pairs = std::move(pairs)] {
    for (const auto& [first, second] : pairs)
      use(valid(impl::simplify(valid(impl::compose(first, second)))));
  };
}

Work parse_module() {
  return [text = deep_network(60)] { use(valid(parse_hlo_module(text))); };
}

// The sizes differ each time, so nothing is known from the work before.
Work index_module() {
  std::vector<HloModule> modules = {valid(parse_hlo_module(deep_network(60, 4))),
                                    valid(parse_hlo_module(deep_network(60)))};
  return [modules = std::move(modules), next = 0]() mutable {
    use(impl::index_module(modules[next++ % 2]).maps);
  };
}

// Makes random cases of a suite, with their right answers.
Work layout_questions() {
  return [] {
    const conform::Suite& suite = *conform::suite_named("layout");
    Choose choose(Choose::Random{1});
    for (int i = 0; i < 5000; ++i)
      use(conform::question_about(suite.make(choose, {}), conform::Hello()));
  };
}

struct Named {
  const char* name;
  Work (*prepare)();
};
constexpr Named kWork[] = {
    {"index_bits", index_bits},
    {"index_flat", index_flat},
    {"index_general", index_general},
    {"inverse_flat", inverse_flat},
    {"offsets_array", offsets_array},
    {"relayout_pack", relayout_pack},
    {"relayout_unpack", relayout_unpack},
    {"relayout_transpose", relayout_transpose},
    {"relayout_runs", relayout_runs},
    {"relayout_short_runs", relayout_short_runs},
    {"simplify", simplify},
    {"compose", compose},
    {"parse_module", parse_module},
    {"index_module", index_module},
    {"layout_questions", layout_questions},
};

int run(absl::string_view name) {
  for (const Named& work : kWork) {
    if (name == "--list") std::printf("%s\n", work.name);
    if (name != work.name) continue;
    const Work prepared = work.prepare();
    prepared();
    counted_work(prepared);
    return 0;
  }
  if (name == "--list") return 0;
  if (name == "--compiler") {
#if defined(__clang__)
    std::printf("clang++ ");
#elif defined(__GNUC__)
    std::printf("g++ ");
#endif
#ifdef __OPTIMIZE__
    std::printf("%s\n", __VERSION__);
#else
    std::printf("%s, not optimized\n", __VERSION__);
#endif
    return 0;
  }
  stop(absl::StrCat("expected a name of --list, found '", name, "'"));
}

}  // namespace
}  // namespace tileproof

int main(int argc, char** argv) {
  if (argc == 2) return tileproof::run(argv[1]);
  std::fprintf(stderr, "usage: fixed_work --list | --compiler | NAME\n");
  return 2;
}
