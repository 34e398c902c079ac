// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/generate_partitioned.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof {
namespace {

using Ints = std::vector<int64_t>;

// An array: its names in both modules, its sizes, and the axes that cut each dimension, major first.
struct CutArray {
  std::string whole = {}, part = {};
  Ints dims;
  std::vector<Ints> cut;
};

std::string braces(const Ints& numbers) {
  return absl::StrCat("{", absl::StrJoin(numbers, ","), "}");
}

class Partitioner {
 public:
  explicit Partitioner(Choose& choose) : choose_(choose) {
    type_ = choose.pick<std::string>({"f32", "s32"});
    axes_ = choose.pick<Ints>({{2}, {3}, {2, 2}, {2, 3}, {3, 2}, {4}});
    for (const int64_t size : axes_) devices_ *= size;
  }

  PartitionedHlo make() {
    CutArray value = parameter(Ints(choose_.pick<size_t>({2, 1}), devices_));
    for (int64_t k = choose_(5); k > 0; --k) value = step(std::move(value));
    // Now no two elements are the same.
    value = binary("add", value, parameter(value.dims, value.cut));
    if (choose_.chance(1, 2)) result_.fault = "?";
    value = last_exchange(std::move(value));
    both(value.dims, value, [&](bool whole) {
      return absl::StrCat("copy(", name_of(value, whole), ")", whole ? "" : sharding(value.cut));
    });
    const std::string sum = absl::StrCat("sum { a = ", type_, "[] parameter(0)\nb = ", type_,
                                         "[] parameter(1)\nROOT c = ", type_, "[] add(a, b) }\n");
    result_.whole = absl::StrCat("HloModule w\n", sum, "ENTRY e {\n", result_.whole, "}\n");
    result_.parts = absl::StrCat("HloModule p, num_partitions=", devices_, "\n", sum, "ENTRY e {\n",
                                 result_.parts, "}\n");
    return std::move(result_);
  }

 private:
  // ---- The mesh ----

  int64_t coordinate(int64_t device, size_t axis) const {
    for (size_t k = axes_.size(); k-- > axis + 1;) device /= axes_[k];
    return device % axes_[axis];
  }
  // Which part a device has of a dimension that these axes cut.
  int64_t part_of(int64_t device, const Ints& axes) const {
    int64_t part = 0;
    for (const int64_t axis : axes) part = part * axes_[axis] + coordinate(device, axis);
    return part;
  }
  int64_t parts(const Ints& axes) const {
    int64_t count = 1;
    for (const int64_t axis : axes) count *= axes_[axis];
    return count;
  }
  // The devices that differ in these axes alone, in the order of their parts.
  std::vector<Ints> groups(const Ints& axes) const {
    std::vector<Ints> all;
    for (int64_t first = 0; first < devices_; ++first) {
      if (part_of(first, axes) != 0) continue;
      Ints group(parts(axes));
      for (int64_t v = 0; v < devices_; ++v) {
        bool is_member = true;
        for (int64_t axis = 0; axis < std::ssize(axes_); ++axis) {
          const bool moves = std::ranges::count(axes, axis) > 0;
          is_member &= moves || coordinate(v, axis) == coordinate(first, axis);
        }
        if (is_member) group[part_of(v, axes)] = v;
      }
      all.push_back(std::move(group));
    }
    return all;
  }
  std::string mesh() const {
    std::vector<std::string> texts;
    for (size_t k = 0; k < axes_.size(); ++k) texts.push_back(absl::StrCat(name(k), "=", axes_[k]));
    return absl::StrCat("mesh[", absl::StrJoin(texts, ","), "]");
  }
  static std::string name(int64_t axis) { return absl::StrCat("'", axis == 0 ? "a" : "b", "'"); }
  static std::string names(const Ints& axes) {
    std::vector<std::string> all;
    for (const int64_t axis : axes) all.push_back(name(axis));
    return absl::StrCat("{", absl::StrJoin(all, ","), "}");
  }
  std::string sharding(const std::vector<Ints>& cut) const {
    std::vector<std::string> all;
    for (const Ints& axes : cut) all.push_back(names(axes));
    return absl::StrCat(", sharding={", mesh(), ", [", absl::StrJoin(all, ", "), "]}");
  }
  // Turned: each group is in another order.
  std::string groups_text(const Ints& axes, bool is_turned) {
    std::string text = absl::StrCat(mesh(), " ", names(axes));
    if (is_turned || choose_.chance(1, 2)) {
      std::vector<std::string> lists;
      for (Ints& group : groups(axes)) {
        if (is_turned) std::rotate(group.begin(), group.begin() + 1, group.end());
        lists.push_back(braces(group));
      }
      text = absl::StrCat("{", absl::StrJoin(lists, ","), "}");
    }
    return absl::StrCat(", channel_id=1, replica_groups=", text);
  }

  // ---- Instructions ----

  static const std::string& name_of(const CutArray& value, bool whole) {
    return whole ? value.whole : value.part;
  }
  Ints local(const Ints& dims, const std::vector<Ints>& cut) const {
    Ints sizes = dims;
    for (size_t d = 0; d < dims.size(); ++d) sizes[d] /= parts(cut[d]);
    return sizes;
  }
  std::string array(const Ints& dims) const {
    return absl::StrCat(type_, "[", absl::StrJoin(dims, ","), "]");
  }
  template <class... Parts>
  std::string line(bool whole, const std::string& shape, const Parts&... text) {
    const std::string name = absl::StrCat("v", ++count_);
    absl::StrAppend(whole ? &result_.whole : &result_.parts, name, " = ", shape, " ", text...,
                    "\n");
    return name;
  }
  // The instruction of both modules. `value` has its sizes and how it is cut.
  template <class Text>
  CutArray both(const Ints& dims, CutArray value, Text text) {
    value.dims = dims;
    const std::string of_whole = text(true), of_part = text(false);
    value.whole = line(true, array(dims), of_whole);
    value.part = line(false, array(local(dims, value.cut)), of_part);
    return value;
  }
  CutArray parameter(const Ints& dims, std::vector<Ints> cut = {}) {
    if (cut.empty()) {
      cut.resize(dims.size());
      for (int64_t axis = 0; axis < std::ssize(axes_); ++axis) {
        const int64_t d = choose_(std::ssize(dims) + 1);
        if (d < std::ssize(dims)) cut[d].push_back(axis);
      }
    }
    const int64_t number = parameters_++;
    return both(dims, {.dims = dims, .cut = cut}, [&](bool whole) {
      return absl::StrCat("parameter(", number, ")", whole ? "" : sharding(cut));
    });
  }
  CutArray binary(const char* opcode, const CutArray& a, const CutArray& b) {
    return both(a.dims, a, [&](bool whole) {
      return absl::StrCat(opcode, "(", name_of(a, whole), ", ", name_of(b, whole), ")");
    });
  }
  CutArray transpose(CutArray value) {
    std::ranges::reverse(value.cut);
    return both({value.dims.rbegin(), value.dims.rend()}, value, [&](bool whole) {
      return absl::StrCat("transpose(", name_of(value, whole), "), dimensions={1,0}");
    });
  }

  // What the devices have are parts of sums over these axes.
  void sum_over(CutArray& value, const Ints& axes) {
    if (axes.empty()) return;
    const Ints sizes = local(value.dims, value.cut);
    const std::string summed = absl::StrCat("(", value.part, ")", groups_text(axes, false),
                                            ", use_global_device_ids=true, to_apply=sum");
    if (fault_here("a sum is left out")) {
      value.part = line(false, array(sizes), "copy(", value.part, ")");
    } else if (axes.size() == 1 && choose_.chance(1, 2)) {
      value.cut[0].push_back(axes[0]);
      value.part = line(false, array(local(value.dims, value.cut)), "reduce-scatter", summed,
                        ", dimensions={0}");
    } else {
      value.part = line(false, array(sizes), "all-reduce", summed);
    }
  }
  CutArray sum_of_columns(const CutArray& value) {
    CutArray sums = value;
    const std::string zero = absl::StrCat(type_, "[]");
    const std::string zeros[] = {line(false, zero, "constant(0)"), line(true, zero, "constant(0)")};
    sums.cut.pop_back();
    sums = both({value.dims[0]}, sums, [&](bool whole) {
      return absl::StrCat("reduce(", name_of(value, whole), ", ", zeros[whole ? 1 : 0],
                          "), dimensions={1}, to_apply=sum");
    });
    sum_over(sums, value.cut[1]);
    return sums;
  }
  CutArray product(const CutArray& left) {
    Ints free = unused(left.cut);
    if (choose_.chance(1, 2)) free.clear();
    const CutArray right = parameter({left.dims[1], devices_}, {left.cut[1], free});
    CutArray result = left;
    result.cut[1] = free;
    result = both({left.dims[0], devices_}, result, [&](bool whole) {
      return absl::StrCat("dot(", name_of(left, whole), ", ", name_of(right, whole),
                          "), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
    });
    sum_over(result, left.cut[1]);
    return result;
  }

  // ---- Collectives that move elements ----

  Ints unused(const std::vector<Ints>& cut) const {
    Ints free;
    for (int64_t axis = 0; axis < std::ssize(axes_); ++axis) {
      const auto has = [&](const Ints& axes) { return std::ranges::count(axes, axis) > 0; };
      if (std::ranges::none_of(cut, has)) free.push_back(axis);
    }
    return free;
  }
  // Whether what is written now is the fault.
  bool fault_here(const char* what) {
    if (!is_last_ || result_.fault.empty()) return false;
    result_.fault = what;
    return true;
  }
  CutArray gathered(CutArray value, int64_t d) {
    const int64_t axis = value.cut[d].back();
    value.cut[d].pop_back();
    const bool is_turned = fault_here("gathered in another order");
    value.part = line(false, array(local(value.dims, value.cut)), "all-gather(", value.part,
                      "), dimensions={", d, "}", groups_text({axis}, is_turned),
                      ", use_global_device_ids=true");
    return value;
  }
  CutArray cut_further(CutArray value, int64_t d, int64_t axis) {
    value.cut[d].push_back(axis);
    const Ints sizes = local(value.dims, value.cut);
    Ints starts;
    for (int64_t v = 0; v < devices_; ++v) starts.push_back(coordinate(v, axis) * sizes[d]);
    if (fault_here("each device takes the part of another one")) {
      for (int64_t& start : starts) start = (start + sizes[d]) % (axes_[axis] * sizes[d]);
    }
    const std::string table = line(false, absl::StrCat("s32[", devices_, "]"),
                                   absl::StrCat("constant(", braces(starts), ")"));
    const std::string id = line(false, "u32[]", "partition-id()");
    const std::string one =
        line(false, "s32[1]", "dynamic-slice(", table, ", ", id, "), dynamic_slice_sizes={1}");
    const std::string start = line(false, "s32[]", "reshape(", one, ")");
    const std::string zero = line(false, "s32[]", "constant(0)");
    std::vector<std::string> at(sizes.size(), zero);
    at[d] = start;
    value.part = line(false, array(sizes), "dynamic-slice(", value.part, ", ",
                      absl::StrJoin(at, ", "), "), dynamic_slice_sizes=", braces(sizes));
    return value;
  }
  // The last axis that cuts one dimension cuts the other one.
  CutArray exchanged(CutArray value, int64_t from) {
    const int64_t axis = value.cut[from].back(), to = 1 - from, count = axes_[axis];
    Ints piece = local(value.dims, value.cut);
    piece[to] /= count;
    std::vector<std::string> pieces, received;
    for (int64_t k = 0; k < count; ++k) {
      std::vector<std::string> limits(2, absl::StrCat("[0:", piece[from], "]"));
      limits[to] = absl::StrCat("[", k * piece[to], ":", (k + 1) * piece[to], "]");
      pieces.push_back(line(false, array(piece), "slice(", value.part, "), slice={",
                            absl::StrJoin(limits, ", "), "}"));
    }
    const std::vector<std::string> shapes(count, array(piece));
    const std::string all =
        line(false, absl::StrCat("(", absl::StrJoin(shapes, ", "), ")"),
             absl::StrCat("all-to-all(", absl::StrJoin(pieces, ", "), ")",
                          groups_text({axis}, fault_here("pieces go to another device"))));
    for (int64_t k = 0; k < count; ++k) {
      received.push_back(line(false, array(piece), "get-tuple-element(", all, "), index=", k));
    }
    value.cut[from].pop_back();
    value.cut[to].push_back(axis);
    value.part = line(false, array(local(value.dims, value.cut)), "concatenate(",
                      absl::StrJoin(received, ", "), "), dimensions={", from, "}");
    return value;
  }
  // Each part goes to the next device.
  CutArray turned(CutArray value, int64_t d) {
    const int64_t size = local(value.dims, value.cut)[d], count = parts(value.cut[d]);
    std::vector<std::string> pairs;
    for (const Ints& group : groups(value.cut[d])) {
      for (int64_t k = 0; k < count; ++k)
        pairs.push_back(braces({group[k], group[(k + 1) % count]}));
    }
    if (fault_here("a pair is dropped")) pairs.pop_back();
    value.part = line(false, array(local(value.dims, value.cut)), "collective-permute(", value.part,
                      "), channel_id=1, source_target_pairs={", absl::StrJoin(pairs, ","), "}");
    const auto piece = [&](int64_t low, int64_t high) {
      std::vector<std::string> limits;
      for (const int64_t all : value.dims) limits.push_back(absl::StrCat("[0:", all, "]"));
      limits[d] = absl::StrCat("[", low, ":", high, "]");
      Ints dims = value.dims;
      dims[d] = high - low;
      return line(true, array(dims), "slice(", value.whole, "), slice={",
                  absl::StrJoin(limits, ", "), "}");
    };
    const std::string last = piece(value.dims[d] - size, value.dims[d]);
    const std::string others = piece(0, value.dims[d] - size);
    value.whole = line(true, array(value.dims), "concatenate(", last, ", ", others,
                       "), dimensions={", d, "}");
    return value;
  }
  CutArray moved(CutArray value) {
    const Ints free = unused(value.cut);
    const int64_t d = choose_(std::ssize(value.dims));
    if (!value.cut[d].empty() && (free.empty() || choose_.chance(2, 3))) {
      const int64_t kind = choose_(value.dims.size() == 2 ? 3 : 2);
      return kind == 0   ? gathered(std::move(value), d)
             : kind == 1 ? turned(std::move(value), d)
                         : exchanged(std::move(value), d);
    }
    if (free.empty()) return gathered(std::move(value), 1 - d);
    return cut_further(std::move(value), d, choose_.pick(free));
  }

  CutArray step(CutArray value) {
    const bool is_matrix = value.dims.size() == 2;
    switch (choose_(is_matrix ? 6 : 3)) {
      case 0:
        return moved(std::move(value));
      case 1:
        return both(value.dims, value, [&](bool whole) {
          return absl::StrCat("negate(", name_of(value, whole), ")");
        });
      case 2:
        return binary(type_ == "s32" ? "add" : "multiply", value, parameter(value.dims, value.cut));
      case 3:
        return transpose(std::move(value));
      case 4:
        return sum_of_columns(value);
      default:  // a polynomial of integers would get long
        if (type_ == "s32" && products_++ > 0) return sum_of_columns(value);
        return product(value);
    }
  }
  CutArray last_exchange(CutArray value) {
    is_last_ = true;
    const bool sums = value.dims.size() == 2 && !value.cut[1].empty() && choose_.chance(1, 3);
    return sums ? sum_of_columns(value) : moved(std::move(value));
  }

  Choose& choose_;
  std::string type_;
  Ints axes_;
  int64_t devices_ = 1, count_ = 0, parameters_ = 0, products_ = 0;
  bool is_last_ = false;
  PartitionedHlo result_;
};

}  // namespace

PartitionedHlo generate_partitioned(Choose& choose) { return Partitioner(choose).make(); }

}  // namespace tileproof
