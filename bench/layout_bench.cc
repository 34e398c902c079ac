// SPDX-License-Identifier: Apache-2.0
// Measures the time to compile a layout, and to linearize and delinearize with it, by size and
// kind. Also measures the reference on one index.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "generate/layout/generate_shape.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof {
namespace {

const std::vector<std::string>& shapes() {
  static const std::vector<std::string> all = {
      "f32[3,5]{1,0}",
      "f32[3,5]{1,0:T(2,2)}",
      "f32[16777216,128]{1,0:T(8,128)}",
      "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
      "f32[100,200]{1,0:T(3,7)}",
      "f32[2000,1600]{1,0:T(2,4)(*,3,2)}",
  };
  return all;
}

std::vector<std::vector<int64_t>> indices(const Shape& shape) {
  std::vector<int64_t> dims;
  for (const Dimension& d : shape.dimensions) dims.push_back(d.size);
  Choose choose(Choose::Random{1});
  std::vector<std::vector<int64_t>> result(1024);
  for (std::vector<int64_t>& index : result) index = random_index(choose, dims);
  return result;
}

void compile(benchmark::State& state, const std::string& text) {
  const Shape shape = *parse_shape(text);
  for (auto _ : state) benchmark::DoNotOptimize(impl::TiledLayout::create(shape));
}

void linearize(benchmark::State& state, const std::string& text) {
  const Shape shape = *parse_shape(text);
  const impl::TiledLayout layout = *impl::TiledLayout::create(shape);
  const auto points = indices(shape);
  size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(layout.linearize_unchecked(points[i++ % points.size()]));
}

void delinearize(benchmark::State& state, const std::string& text) {
  const Shape shape = *parse_shape(text);
  const impl::TiledLayout layout = *impl::TiledLayout::create(shape);
  Choose choose(Choose::Random{1});
  std::vector<int64_t> offsets(1024);
  for (int64_t& offset : offsets) offset = choose(layout.elements());
  std::vector<int64_t> index(layout.logical().size());
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        layout.delinearize_unchecked(offsets[i++ % offsets.size()], absl::MakeSpan(index)));
  }
}

void linearize_by_reference(benchmark::State& state, const std::string& text) {
  const Shape shape = *parse_shape(text);
  const spec::TiledLayout layout = *spec::tiled_layout(shape);
  const auto points = indices(shape);
  size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(spec::offset_of(layout, points[i++ % points.size()]));
}

}  // namespace
}  // namespace tileproof

int main(int argc, char** argv) {
  using namespace tileproof;
  for (const std::string& text : shapes()) {
    benchmark::RegisterBenchmark(("compile/" + text).c_str(), compile, text);
    benchmark::RegisterBenchmark(("linearize/" + text).c_str(), linearize, text);
    benchmark::RegisterBenchmark(("delinearize/" + text).c_str(), delinearize, text);
    benchmark::RegisterBenchmark(("reference/" + text).c_str(), linearize_by_reference, text);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
