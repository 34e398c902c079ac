// SPDX-License-Identifier: Apache-2.0
// Measures the closed forms beside what one would write instead, in one run:
//
//     side_by_side [--json]
//
// Prints a row for each piece of work: our time, the peer's, and their ratio (peer / ours). Each
// time is the median of five rounds; in a round both are measured, one after the other. Times are
// of one index, one inverse, or one whole array.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "bench/measured.h"
#include "bench/simplify_rows.h"
#include "corpus/paths.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/offset_array.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {
namespace {

constexpr int kRounds = 5;
constexpr size_t kQuestions = 4096;

using Sizes = std::vector<int64_t>;

// Nanoseconds of one of `count` pieces of work.
double time_of(const std::function<void()>& work, int64_t count) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  work();
  const std::chrono::duration<double, std::nano> passed = Clock::now() - start;
  return passed.count() / static_cast<double>(count);
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

struct Row {
  std::string work, input, peer;
  double ours = 0, theirs = 0;
};

Row measured(Row row, const std::function<void()>& ours, const std::function<void()>& theirs,
             int64_t count) {
  std::vector<double> our_times, their_times;
  ours();
  theirs();
  for (int round = 0; round < kRounds; ++round) {
    our_times.push_back(time_of(ours, count));
    their_times.push_back(time_of(theirs, count));
  }
  row.ours = median(our_times);
  row.theirs = median(their_times);
  return row;
}

struct Subject {
  impl::TiledLayout layout;
  ObviousLayout obvious;
  std::vector<Sizes> indices;
  Sizes offsets;
};

Subject subject(const std::string& text, const Sizes& tile) {
  Subject subject{layout_of(text), {}, {}, {}};
  subject.obvious = {subject.layout.logical(), tile};
  Choose choose(Choose::Random{1});
  for (size_t i = 0; i < kQuestions; ++i) {
    subject.indices.push_back(random_index(choose, subject.layout.logical()));
    subject.offsets.push_back(subject.layout.linearize_unchecked(subject.indices.back()));
  }
  return subject;
}

// Dies if the two do not agree: their times would mean nothing.
void expect_same(const Subject& subject, const std::string& text) {
  Sizes index(subject.obvious.dims.size());
  for (size_t i = 0; i < kQuestions; ++i) {
    subject.obvious.index(subject.offsets[i], index.data());
    if (subject.obvious.offset(subject.indices[i].data()) == subject.offsets[i] &&
        index == subject.indices[i]) {
      continue;
    }
    stop(absl::StrCat(text, ": the obvious loop and the closed form differ"));
  }
}

constexpr int64_t kRepeats = 200;

Row index_row(const std::string& work, const std::string& text, const Sizes& tile) {
  const Subject s = subject(text, tile);
  expect_same(s, text);
  const auto ours = [&s] {
    for (int64_t repeat = 0; repeat < kRepeats; ++repeat) {
      for (const Sizes& index : s.indices) use(s.layout.linearize_unchecked(index));
    }
  };
  const auto theirs = [&s] {
    for (int64_t repeat = 0; repeat < kRepeats; ++repeat) {
      for (const Sizes& index : s.indices) use(s.obvious.offset(index.data()));
    }
  };
  return measured({work, text, "the obvious loop"}, ours, theirs, kRepeats * kQuestions);
}

Row inverse_row(const std::string& work, const std::string& text, const Sizes& tile) {
  const Subject s = subject(text, tile);
  expect_same(s, text);
  Sizes index(s.obvious.dims.size());
  const auto ours = [&] {
    for (int64_t repeat = 0; repeat < kRepeats; ++repeat) {
      for (const int64_t offset : s.offsets) {
        s.layout.delinearize_unchecked(offset, absl::MakeSpan(index));
        use(index);
      }
    }
  };
  const auto theirs = [&] {
    for (int64_t repeat = 0; repeat < kRepeats; ++repeat) {
      for (const int64_t offset : s.offsets) {
        s.obvious.index(offset, index.data());
        use(index);
      }
    }
  };
  return measured({work, text, "the obvious loop"}, ours, theirs, kRepeats * kQuestions);
}

Row offsets_row(const std::string& text) {
  const impl::TiledLayout layout = layout_of(text);
  const Sizes begin(layout.logical().size(), 0);
  Sizes out(static_cast<size_t>(layout.elements() - layout.padding()));
  const auto ours = [&] {
    use(impl::offsets(layout, begin, layout.logical(), absl::MakeSpan(out)).ok());
  };
  const auto theirs = [&] {
    std::ranges::fill(out, int64_t{1});
    use(out);
  };
  return measured({"offsets_array", text, "writing as many int64"}, ours, theirs, 1);
}

// A relayout beside a copy of as many bytes as it writes.
Row relayout_row(const std::string& work, const std::string& from, const std::string& to) {
  impl::RelayoutOptions options;
  options.element_bits = byte_width(parse_shape(from)->element_type) * 8;
  const impl::RelayoutPlan plan = plan_of(from, to, options);
  std::vector<char> source(static_cast<size_t>(plan.source_bytes()), 1);
  std::vector<char> destination(static_cast<size_t>(plan.destination_bytes()), 2);
  const size_t bytes = std::min(source.size(), destination.size());
  const int64_t repeats = std::max<int64_t>(1, (int64_t{1} << 22) / std::ssize(destination));
  const auto ours = [&] {
    for (int64_t i = 0; i < repeats; ++i) {
      plan.run(source.data(), destination.data());
      use(destination);
    }
  };
  const auto theirs = [&] {
    for (int64_t i = 0; i < repeats; ++i) {
      std::memcpy(destination.data(), source.data(), bytes);
      use(destination);
    }
  };
  return measured({work, absl::StrCat(from, " to ", to), "memcpy"}, ours, theirs, repeats);
}

// A small array, beside loops that know all sizes when they are compiled.
Row small_row() {
  const std::string from = "f32[64,256]{1,0}", to = "f32[64,256]{1,0:T(8,128)}";
  const impl::RelayoutPlan plan = plan_of(from, to);
  std::vector<float> source(64 * 256, 1), destination(64 * 256);
  const auto ours = [&] {
    for (int64_t i = 0; i < kRepeats; ++i) {
      plan.run(source.data(), destination.data());
      use(destination);
    }
  };
  const auto theirs = [&] {
    for (int64_t i = 0; i < kRepeats; ++i) {
      for (size_t row = 0; row < 64; ++row) {
        for (size_t tile = 0; tile < 2; ++tile) {
          std::copy_n(&source[row * 256 + tile * 128], 128,
                      &destination[row / 8 * 2048 + tile * 1024 + row % 8 * 128]);
        }
      }
      use(destination);
    }
  };
  return measured({"relayout_small", absl::StrCat(from, " to ", to), "loops with constants"}, ours,
                  theirs, kRepeats);
}

void print(const Row& row, bool json) {
  const double ratio = row.theirs / row.ours;
  if (json) {
    std::printf(
        "{\"work\": \"%s\", \"input\": \"%s\", \"ours_ns\": %.3g, \"peer\": \"%s\", "
        "\"peer_ns\": %.3g, \"ratio\": %.3g}\n",
        row.work.c_str(), row.input.c_str(), row.ours, row.peer.c_str(), row.theirs, ratio);
  } else {
    std::printf("%-16s %-32s %12.2f ns   %-22s %12.2f ns   ratio %6.2f\n", row.work.c_str(),
                row.input.c_str(), row.ours, row.peer.c_str(), row.theirs, ratio);
  }
  std::fflush(stdout);
}

// The time of a map, in the mean over a file. Says on standard error what is missing.
void simplify(const std::string& work, const std::string& path, bool json) {
  const std::optional<SimplifyRow> row = simplify_row(path);
  if (!row || row->count == 0) {
    std::fprintf(stderr, "%s: no file %s\n", work.c_str(), path.c_str());
  } else if (!row->theirs) {
    std::fprintf(stderr, "%s: the peer MLIR 22 is missing (Debian: libmlir-22-dev llvm-22-dev)\n",
                 work.c_str());
  } else {
    const std::string name = path.substr(path.rfind('/') + 1);
    print(measured(
              {work, absl::StrCat(row->count, " maps of ", name), "simplifyAffineMap of MLIR 22"},
              row->ours, row->theirs, row->count),
          json);
  }
}

void run(bool json) {
  const std::string tiled = "f32[512,1024]{1,0:T(8,128)}", untiled = "f32[512,1024]{1,0}";
  print(index_row("index_tiled", tiled, {8, 128}), json);
  print(index_row("index_untiled", untiled, {1, 1}), json);
  print(inverse_row("inverse_tiled", tiled, {8, 128}), json);
  print(inverse_row("inverse_untiled", untiled, {1, 1}), json);
  print(offsets_row("f32[4096,4096]{1,0:T(8,128)}"), json);
  const std::string rows = "f32[4096,4096]{1,0}", tiles = "f32[4096,4096]{1,0:T(8,128)}";
  print(relayout_row("relayout_tile", rows, tiles), json);
  print(relayout_row("relayout_untile", tiles, rows), json);
  const std::string halves = "bf16[4096,8192]{1,0}";
  print(relayout_row("relayout_packed", halves, "bf16[4096,8192]{1,0:T(8,128)(2,1)}"), json);
  print(relayout_row("relayout_unpacked", "bf16[4096,8192]{1,0:T(8,128)(2,1)}", halves), json);
  print(relayout_row("relayout_packed_4", "s8[8192,8192]{1,0}", "s8[8192,8192]{1,0:T(8,128)(4,1)}"),
        json);
  print(relayout_row("relayout_transpose", rows, "f32[4096,4096]{0,1}"), json);
  print(small_row(), json);
  const std::string shared = project_path("../shared/data/"),
                    chains = project_path("corpus/maps/chains.txt");
  simplify("simplify_hlo", shared + "maps_hlo.txt", json);
  simplify("simplify_chains", shared + "maps_synth.txt", json);
  simplify("simplify_xla", shared + "xla_cases.jsonl", json);
  simplify("simplify_corpus", chains, json);
}

}  // namespace
}  // namespace tileproof

int main(int argc, char** argv) {
  const bool json = argc == 2 && absl::string_view(argv[1]) == "--json";
  if (argc > 1 && !json) {
    std::fprintf(stderr, "usage: side_by_side [--json]\n");
    return 2;
  }
  tileproof::run(json);
}
