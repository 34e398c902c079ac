// SPDX-License-Identifier: Apache-2.0
#include <dnnl.hpp>

#include "bench/peers.h"

namespace tileproof {

std::function<void()> onednn_reorder(int64_t rows, int64_t columns, void* source,
                                     void* destination) {
  using dnnl::memory;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const memory::dims dims = {rows, columns};
  const auto described = [&](memory::format_tag tag) {
    return memory::desc(dims, memory::data_type::f32, tag);
  };
  const memory from(described(memory::format_tag::ab), engine, source);
  const memory to(described(memory::format_tag::AB16b16a), engine, destination);
  return [reorder = dnnl::reorder(from, to), stream = dnnl::stream(engine), from, to]() mutable {
    memory in = from, out = to;
    reorder.execute(stream, in, out);
    stream.wait();
  };
}

}  // namespace tileproof
