// SPDX-License-Identifier: Apache-2.0
// A second definition of the operations that are easiest to get wrong.
//
// spec/hlo/access_relation.h asks each result element what it reads. This test dilates, pads, cuts
// and pastes arrays of element numbers, and moves updates to where they land. The two share only
// the readers of attributes.
// Source: XLA operation semantics.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "generate/hlo/generate_hlo.h"
#include "gtest/gtest.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {
namespace {

using Index = std::vector<int64_t>;
using Set = std::set<std::pair<int64_t, int64_t>>;  // (operand, element)

int64_t count(const Dims& dims) {
  int64_t product = 1;
  for (int64_t d : dims) product *= d;
  return product;
}

void for_each(const Dims& dims, const std::function<void(const Index&)>& visit) {
  for (int64_t e = 0; e < count(dims); ++e) visit(spec::element_index(dims, e));
}

bool is_inside(const Dims& dims, const Index& index) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (index[d] < 0 || index[d] >= dims[d]) return false;
  }
  return true;
}

struct Case {
  const HloInstruction& root;
  std::vector<Dims> operands;
  std::vector<Dims> results;  // by leaf
  int64_t leaf;
  std::function<int64_t(int64_t operand, const Index&)> value;
};

using Sets = std::vector<Set>;

// An array of element numbers, -1 where there is no element.
struct Numbers {
  Dims dims;
  std::vector<int64_t> at;

  int64_t get(const Index& i) const {
    return is_inside(dims, i) ? at[spec::element_number(dims, i)] : -1;
  }
};

Numbers numbered(const Dims& dims) {
  Numbers n{dims, {}};
  for (int64_t e = 0; e < count(dims); ++e) n.at.push_back(e);
  return n;
}

// Puts each element into its place in the padded array.
Numbers padded(const Numbers& from, const std::vector<PadLimits>& pads) {
  Numbers to{from.dims, {}};
  for (size_t d = 0; d < pads.size(); ++d) {
    const int64_t n = from.dims[d];
    to.dims[d] = pads[d].low + n + std::max<int64_t>(n - 1, 0) * pads[d].interior + pads[d].high;
  }
  to.at.assign(static_cast<size_t>(std::max<int64_t>(count(to.dims), 0)), -1);
  for_each(from.dims, [&](const Index& i) {
    Index place = i;
    for (size_t d = 0; d < pads.size(); ++d) {
      place[d] = pads[d].low + i[d] * (pads[d].interior + 1);
    }
    if (is_inside(to.dims, place)) to.at[spec::element_number(to.dims, place)] = from.get(i);
  });
  return to;
}

std::vector<PadLimits> pads_of(const std::vector<WindowDimension>& window) {
  std::vector<PadLimits> pads;
  for (const WindowDimension& w : window) pads.push_back({w.pad_low, w.pad_high, w.lhs_dilate - 1});
  return pads;
}

Sets pad(const Case& c) {
  const Numbers placed =
      padded(numbered(c.operands[0]),
             c.operands[0].empty() ? std::vector<PadLimits>() : *padding_of(c.root));
  Sets sets;
  for (int64_t e : placed.at) sets.push_back(e < 0 ? Set{{1, 0}} : Set{{0, e}});
  return sets;
}

Dims taps_of(const std::vector<WindowDimension>& window) {
  Dims taps;
  for (const WindowDimension& w : window) taps.push_back(w.size);
  return taps;
}

Sets reduce_window(const Case& c) {
  const auto window = *window_of(c.root);
  const Numbers base = padded(numbered(c.operands[0]), pads_of(window));
  const int64_t inputs = std::ssize(c.operands) / 2;
  Sets sets;
  for_each(c.results[0], [&](const Index& o) {
    Set& set = sets.emplace_back();
    for (int64_t k = 0; k < inputs; ++k) set.emplace(inputs + k, 0);
    for_each(taps_of(window), [&](const Index& w) {
      Index place = o;
      for (size_t d = 0; d < o.size(); ++d) {
        place[d] = o[d] * window[d].stride + w[d] * window[d].rhs_dilate;
      }
      const int64_t e = base.get(place);
      for (int64_t k = 0; e >= 0 && k < inputs; ++k) set.emplace(k, e);
    });
  });
  return sets;
}

// One of equal parts of an array along a dimension.
Numbers part(const Numbers& from, int64_t dimension, int64_t parts, int64_t which) {
  Numbers to{from.dims, {}};
  to.dims[dimension] /= parts;
  for_each(to.dims, [&](const Index& i) {
    Index place = i;
    place[dimension] += which * to.dims[dimension];
    to.at.push_back(from.get(place));
  });
  return to;
}

// Splits input and kernel into groups, convolves each, and joins the results along the output
// features.
Sets convolution(const Case& c) {
  const ConvolutionDimensionNumbers n = *dim_labels_of(c.root);
  std::vector<WindowDimension> window = *window_of(c.root);
  const int64_t feature_groups = *integer_of(c.root, "feature_group_count", 1);
  const int64_t batch_groups = *integer_of(c.root, "batch_group_count", 1);
  const int64_t groups = feature_groups * batch_groups;  // one of them is 1
  const int64_t rank = std::ssize(c.operands[0]);
  Sets sets(static_cast<size_t>(count(c.results[0])));
  for (int64_t g = 0; g < groups; ++g) {
    const int64_t split = feature_groups > 1 ? n.input_feature : n.input_batch;
    std::vector<PadLimits> pads(static_cast<size_t>(rank));
    for (size_t k = 0; k < window.size(); ++k) pads[n.input_spatial[k]] = pads_of(window)[k];
    const Numbers input = padded(part(numbered(c.operands[0]), split, groups, g), pads);
    const Numbers kernel = part(numbered(c.operands[1]), n.kernel_output_feature, groups, g);
    const int64_t features = c.results[0][n.output_feature] / groups;
    for_each(c.results[0], [&](const Index& o) {
      if (o[n.output_feature] / std::max<int64_t>(features, 1) != g) return;
      Set& set = sets[spec::element_number(c.results[0], o)];
      for_each(kernel.dims, [&](const Index& k) {
        if (k[n.kernel_output_feature] != o[n.output_feature] % features) return;
        Index i(static_cast<size_t>(rank));
        i[n.input_batch] = o[n.output_batch];
        i[n.input_feature] = k[n.kernel_input_feature];
        for (size_t d = 0; d < window.size(); ++d) {
          const WindowDimension& w = window[d];
          const int64_t tap = k[n.kernel_spatial[d]];
          const int64_t shift = w.rhs_reversal ? w.size - 1 - tap : tap;
          i[n.input_spatial[d]] = o[n.output_spatial[d]] * w.stride + shift * w.rhs_dilate;
        }
        const int64_t e = input.get(i);
        if (e < 0) return;
        set.emplace(0, e);
        set.emplace(1, kernel.get(k));
      });
    });
  }
  return sets;
}

// Each source may go to any element of its window. All of them decide which.
Sets select_and_scatter(const Case& c) {
  std::vector<WindowDimension> window = *window_of(c.root);
  const Dims& sizes = c.operands[0];
  Sets sets(static_cast<size_t>(count(sizes)), Set{{2, 0}});
  for_each(c.operands[1], [&](const Index& source) {
    std::vector<int64_t> elements;
    for_each(taps_of(window), [&](const Index& w) {
      Index place = source;
      for (size_t d = 0; d < sizes.size(); ++d) {
        place[d] = source[d] * window[d].stride + w[d] * window[d].rhs_dilate - window[d].pad_low;
      }
      if (is_inside(sizes, place)) elements.push_back(spec::element_number(sizes, place));
    });
    for (int64_t to : elements) {
      sets[to].emplace(1, spec::element_number(c.operands[1], source));
      for (int64_t from : elements) sets[to].emplace(0, from);
    }
  });
  return sets;
}

// The index vector of a batch. In XLA's words, G is the batch index, and S is
// indices[combine(G, i)].
Index vector_at(const Case& c, int64_t indices, int64_t vector_dim, const Index& batch,
                int64_t components) {
  Index result;
  for (int64_t k = 0; k < components; ++k) {
    Index place = batch;
    if (vector_dim < std::ssize(c.operands[indices])) place.insert(place.begin() + vector_dim, k);
    result.push_back(c.value(indices, place));
  }
  return result;
}

// The coordinates of an index in the listed dimensions, or in the others.
Index chosen(const Index& index, const Dims& dimensions, bool listed) {
  Index result;
  for (int64_t d = 0; d < std::ssize(index); ++d) {
    const bool in = std::count(dimensions.begin(), dimensions.end(), d) > 0;
    if (in == listed) result.push_back(index[d]);
  }
  return result;
}

// Adds zeros at the listed dimensions of the operand.
Index spread(const Index& offset, const Dims& dropped, const Dims& batching, int64_t rank) {
  Index result;
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    const bool gone = std::count(dropped.begin(), dropped.end(), d) +
                          std::count(batching.begin(), batching.end(), d) >
                      0;
    result.push_back(gone ? 0 : offset[next++]);
  }
  return result;
}

Index batching_start(const Index& batch, const Dims& operand_dims, const Dims& indices_dims,
                     int64_t vector_dim, int64_t rank) {
  Index result(static_cast<size_t>(rank), 0);
  for (size_t k = 0; k < operand_dims.size(); ++k) {
    const int64_t d = indices_dims[k];
    result[operand_dims[k]] = batch[d < vector_dim ? d : d - 1];
  }
  return result;
}

Sets gather(const Case& c) {
  const IndexedDimensionNumbers n = *gather_numbers_of(c.root);
  const Dims slice_sizes = *integers_of(c.root, "slice_sizes");
  const int64_t rank = std::ssize(c.operands[0]);
  Sets sets;
  for_each(c.results[0], [&](const Index& o) {
    Set& set = sets.emplace_back();
    const Index batch = chosen(o, n.window_dims, false);
    const Index start = vector_at(c, 1, n.index_vector_dim, batch, std::ssize(n.start_map));
    Index place = spread(chosen(o, n.window_dims, true), n.collapsed, n.array_batching, rank);
    const Index more =
        batching_start(batch, n.array_batching, n.indices_batching, n.index_vector_dim, rank);
    for (int64_t d = 0; d < rank; ++d) place[d] += more[d];
    for (size_t k = 0; k < start.size(); ++k) {
      const int64_t d = n.start_map[k];
      const int64_t last = c.operands[0][d] - slice_sizes[d];
      place[d] += std::max<int64_t>(0, std::min(start[k], last));
    }
    set.emplace(0, spec::element_number(c.operands[0], place));
    const int64_t row =
        n.index_vector_dim == std::ssize(c.operands[1]) ? 1 : c.operands[1][n.index_vector_dim];
    for (int64_t k = 0; k < row; ++k) {
      Index i = batch;
      if (n.index_vector_dim < std::ssize(c.operands[1])) {
        i.insert(i.begin() + n.index_vector_dim, k);
      }
      set.emplace(1, spec::element_number(c.operands[1], i));
    }
  });
  return sets;
}

Sets scatter(const Case& c) {
  const IndexedDimensionNumbers n = *scatter_numbers_of(c.root);
  const int64_t inputs = std::ssize(c.operands) / 2;
  const Dims& sizes = c.operands[0];
  const Dims& updates = c.operands[inputs + 1];
  const int64_t rank = std::ssize(sizes);
  Sets sets;
  for (int64_t e = 0; e < count(sizes); ++e) {
    sets.push_back({{c.leaf, e}});
    for (int64_t i = 0; i < count(c.operands[inputs]); ++i) sets.back().emplace(inputs, i);
  }
  const Index window = spread(chosen(updates, n.window_dims, true), n.collapsed, n.array_batching,
                              rank);  // 0 means 1
  for_each(updates, [&](const Index& u) {
    const Index batch = chosen(u, n.window_dims, false);
    const Index start = vector_at(c, inputs, n.index_vector_dim, batch, std::ssize(n.start_map));
    Index place = spread(chosen(u, n.window_dims, true), n.collapsed, n.array_batching, rank);
    const Index more =
        batching_start(batch, n.array_batching, n.indices_batching, n.index_vector_dim, rank);
    for (int64_t d = 0; d < rank; ++d) place[d] += more[d];
    for (size_t k = 0; k < start.size(); ++k) {
      const int64_t d = n.start_map[k];
      const int64_t last = sizes[d] - std::max<int64_t>(window[d], 1);
      if (start[k] < 0 || start[k] > last) return;
      place[d] += start[k];
    }
    Set& set = sets[spec::element_number(sizes, place)];
    for (int64_t k = 0; k < inputs; ++k) {
      set.emplace(k, spec::element_number(sizes, place));
      set.emplace(inputs + 1 + k, spec::element_number(updates, u));
    }
  });
  return sets;
}

// Pastes the update over the operand.
Sets dynamic_update_slice(const Case& c) {
  const Dims& sizes = c.operands[0];
  Sets sets;
  for (int64_t e = 0; e < count(sizes); ++e) sets.push_back({{0, e}});
  for_each(c.operands[1], [&](const Index& u) {
    Index place = u;
    for (size_t d = 0; d < u.size(); ++d) {
      const int64_t last = sizes[d] - c.operands[1][d];
      place[d] += std::max<int64_t>(0, std::min(c.value(static_cast<int64_t>(d) + 2, {}), last));
    }
    sets[spec::element_number(sizes, place)] = {{1, spec::element_number(c.operands[1], u)}};
  });
  for (Set& set : sets) {
    for (int64_t k = 2; k < std::ssize(c.operands); ++k) set.emplace(k, 0);
  }
  return sets;
}

const std::map<std::string, Sets (*)(const Case&)>& definitions() {
  static const auto* const all = new std::map<std::string, Sets (*)(const Case&)>{
      {"pad", pad},
      {"reduce-window", reduce_window},
      {"convolution", convolution},
      {"select-and-scatter", select_and_scatter},
      {"gather", gather},
      {"scatter", scatter},
      {"dynamic-update-slice", dynamic_update_slice}};
  return *all;
}

Dims dims_of(const Shape& shape) {
  Dims dims;
  for (const Dimension& d : shape.dimensions) dims.push_back(d.size);
  return dims;
}

// Returns false after a difference.
bool agrees(const GeneratedHlo& generated, int64_t leaf, Sets (*definition)(const Case&)) {
  const HloModule module = *parse_hlo_module(generated.text);
  const HloComputation& entry = module.computations[module.entry];
  const HloInstruction& root = entry.instructions[entry.root];
  const auto values = [&](const spec::HloElement& place) {
    return spec::arbitrary_value(place, generated.seed, generated.near);
  };
  Case c{root, {}, {}, leaf, {}};
  for (const HloOperand& operand : root.operands) {
    c.operands.push_back(dims_of(*entry.instructions[operand.instruction].shape));
  }
  if (root.shape->kind == Shape::Kind::kTuple) {
    for (const Shape& part : root.shape->parts) c.results.push_back(dims_of(part));
  } else {
    c.results.push_back(dims_of(*root.shape));
  }
  c.value = [&](int64_t operand, const Index& index) {
    return values({module.entry, root.operands[operand].instruction, 0, index});
  };
  const auto result =
      spec::provenance(module, module.entry, entry.root, leaf, Scope::kInstruction, values);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return false;
  Sets actual;
  for (const auto& element : result->elements) {
    Set& set = actual.emplace_back();
    for (const spec::Source& s : *element) set.emplace(s.operand, s.element);
  }
  EXPECT_EQ(actual, definition(c)) << generated.text;
  return actual == definition(c);
}

TEST(ArrayModel, GivesTheSameSets) {
  std::map<std::string, int64_t> checked;
  for (int64_t kind = 0; kind < operation_kinds(); ++kind) {
    for (uint64_t seed = 0; seed < 3000; ++seed) {
      Choose choose(Choose::Random{seed});
      const GeneratedHlo generated = generate_operation(choose, {.elements = 60}, kind);
      const auto definition = definitions().find(generated.kind);
      if (definition == definitions().end()) break;
      // If no operation of the kind fits, the generator makes a copy.
      if (generated.text.find(generated.kind + "(") == std::string::npos) continue;
      for (int64_t leaf = 0; leaf < generated.leaves; ++leaf) {
        ASSERT_TRUE(agrees(generated, leaf, definition->second)) << "seed " << seed;
        ++checked[generated.kind];
      }
    }
  }
  EXPECT_EQ(checked.size(), definitions().size());
  for (const auto& [kind, times] : checked) {
    std::cout << kind << " " << times << " times, 0 differences\n";
    EXPECT_GT(times, 2000);
  }
}

}  // namespace
}  // namespace tileproof
