// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/generate_collective.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/dims.h"

namespace tileproof {
namespace {

// How the numbers in groups are meant, as attributes say it (spec/lang/hlo/device_groups.h).
enum class Meaning : uint8_t { kReplicas, kPartitions, kDevices, kBoth };

class Maker {
 public:
  explicit Maker(Choose& choose) : choose_(choose) {
    partitions_ = choose.pick<int64_t>({4, 2, 3, 6, 1});
    replicas_ = choose.pick<int64_t>({1, 2});
    if (partitions_ == 1) replicas_ = choose.between(2, 4);
  }

  std::string make() {
    using Kind = std::string (Maker::*)();
    const std::string root =
        (this->*choose_.pick<Kind>({&Maker::permute, &Maker::all_gather, &Maker::reduce_scatter,
                                    &Maker::all_reduce, &Maker::all_to_all,
                                    &Maker::tuple_all_to_all, &Maker::broadcast,
                                    &Maker::cut_or_joined}))();
    std::string lines;
    for (size_t k = 0; k < operands_.size(); ++k) {
      absl::StrAppend(&lines, "p", k, " = ", operands_[k], " parameter(", k, ")\n");
    }
    return absl::StrCat("HloModule m, replica_count=", replicas_, ", num_partitions=", partitions_,
                        meshes_,
                        "\nsum { a = f32[] parameter(0)\nb = f32[] parameter(1)\nROOT c = f32[] ",
                        "add(a, b) }\nENTRY e {\n", lines, "ROOT r = ", root, "\n}\n");
  }

 private:
  // ---- Groups ----

  int64_t count() const {
    switch (meaning_) {
      case Meaning::kReplicas:
        return replicas_;
      case Meaning::kPartitions:
        return partitions_;
      default:
        return meaning_ == Meaning::kBoth ? replicas_ : replicas_ * partitions_;
    }
  }
  int64_t members() const { return meaning_ == Meaning::kBoth ? size_ * partitions_ : size_; }

  // Chooses the meaning and the groups; `with_ids`: the opcode has use_global_device_ids.
  std::string grouped(bool with_ids) {
    meaning_ = with_ids ? choose_.pick({Meaning::kDevices, Meaning::kReplicas, Meaning::kBoth})
                        : choose_.pick({Meaning::kPartitions, Meaning::kReplicas});
    std::vector<int64_t> sizes;
    for (int64_t size = count(); size > 0; --size) {
      if (count() % size == 0) sizes.push_back(size);
    }
    size_ = choose_.pick(sizes);
    return absl::StrCat(meaning_ == Meaning::kReplicas ? "" : ", channel_id=1",
                        meaning_ == Meaning::kDevices ? ", use_global_device_ids=true" : "",
                        ", replica_groups=", groups_text());
  }

  std::string groups_text() {
    const int64_t groups = count() / size_;
    switch (choose_(4)) {
      case 0:
        if (groups == 1 && choose_.chance(1, 2)) return "{}";
        return absl::StrCat("[", groups, ",", size_, "]<=[", count(), "]");
      case 1:
        return absl::StrCat("[", groups, ",", size_, "]<=[", size_, ",", groups, "]T(1,0)");
      case 2:
        return absl::StrCat("mesh['x'=", size_, ",'y'=", groups, "] {'x'}");
      default:
        return listed();
    }
  }

  std::string listed() {
    const bool shuffled = choose_.chance(1, 2);
    const std::vector<int64_t> order = some_of(choose_, count(), count());
    std::vector<std::string> lists;
    std::vector<int64_t> group;
    for (int64_t k = 0; k < count(); ++k) {
      group.push_back(shuffled ? order[k] : k);
      if (std::ssize(group) < size_) continue;
      lists.push_back(absl::StrCat("{", absl::StrJoin(group, ","), "}"));
      group.clear();
    }
    if (choose_.chance(1, 32)) lists.push_back(absl::StrCat("{", count(), "}"));
    if (may_leave_out_ && lists.size() > 1 && choose_.chance(1, 2)) lists.pop_back();
    return absl::StrCat("{", absl::StrJoin(lists, ","), "}");
  }

  // ---- Arrays ----

  static std::string array(const Dims& dims) {
    return absl::StrCat("f32[", absl::StrJoin(dims, ","), "]");
  }
  Dims some_dims() {
    Dims dims(choose_.pick<size_t>({1, 2, 3}));
    for (int64_t& size : dims) size = choose_.pick<int64_t>({2, 3, 1});
    return dims;
  }
  // Sizes that are `members` times as large along a dimension.
  Dims grown(Dims dims, int64_t d) {
    dims[d] *= choose_.chance(1, 32) ? members() + 1 : members();
    return dims;
  }
  int64_t any_dimension(const Dims& dims) { return choose_(std::ssize(dims)); }

  // ---- Operations ----

  std::string all_gather() {
    const std::string groups = grouped(true);
    const Dims part = some_dims();
    const int64_t d = any_dimension(part);
    operands_ = {array(part)};
    return absl::StrCat(array(grown(part, d)), " all-gather(p0), dimensions={", d, "}", groups);
  }
  std::string reduce_scatter() {
    const std::string groups = grouped(true);
    const Dims part = some_dims();
    const int64_t d = any_dimension(part);
    operands_ = {array(grown(part, d))};
    return absl::StrCat(array(part), " reduce-scatter(p0), dimensions={", d, "}, to_apply=sum",
                        groups);
  }
  std::string all_reduce() {
    const std::string groups = grouped(true);
    operands_ = {array(some_dims())};
    return absl::StrCat(operands_[0], " all-reduce(p0), to_apply=sum", groups);
  }
  std::string all_to_all() {
    const std::string groups = grouped(false);
    const Dims part = some_dims();
    const int64_t d = any_dimension(part);
    operands_ = {array(grown(part, d))};
    return absl::StrCat(operands_[0], " all-to-all(p0), dimensions={", d, "}", groups);
  }
  std::string tuple_all_to_all() {
    const std::string groups = grouped(false);
    operands_.assign(members(), array(some_dims()));
    std::vector<std::string> names;
    for (size_t k = 0; k < operands_.size(); ++k) names.push_back(absl::StrCat("p", k));
    return absl::StrCat("(", absl::StrJoin(operands_, ", "), ") all-to-all(",
                        absl::StrJoin(names, ", "), ")", groups);
  }
  std::string broadcast() {
    may_leave_out_ = true;
    const std::string groups = grouped(false);
    operands_ = {array(some_dims())};
    return absl::StrCat(operands_[0], " collective-broadcast(p0)", groups);
  }
  // A ring, a shift that loses some, a mirror, or any targets.
  std::string permute() {
    meaning_ = choose_.pick({Meaning::kPartitions, Meaning::kReplicas});
    const int64_t kind = choose_(4), by = choose_.between(1, count());
    std::vector<int64_t> order = some_of(choose_, count(), count());
    std::vector<std::string> pairs;
    for (int64_t v = 0; v < count(); ++v) {
      const int64_t targets[] = {(v + by) % count(), v + by, count() - 1 - v, order[v]};
      const int64_t target = targets[kind];
      if (target >= count() || (kind == 3 && choose_.chance(1, 4))) continue;
      pairs.push_back(absl::StrCat("{", v, ",", target, "}"));
    }
    operands_ = {array(some_dims())};
    return absl::StrCat(operands_[0], " collective-permute(p0), source_target_pairs={",
                        absl::StrJoin(pairs, ","), "}",
                        meaning_ == Meaning::kReplicas ? "" : ", channel_id=1");
  }

  // A part of a whole array for each device, or all parts, by the axes of a mesh of all devices.
  std::string cut_or_joined() {
    const int64_t x = partitions_, y = replicas_;
    meshes_ = absl::StrCat(", frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=", x,
                           ", \"y\"=", y, "]>}}");
    const Dims part = some_dims();
    Dims whole = part;
    std::vector<std::vector<std::string>> axes(part.size());
    const bool y_first = choose_.chance(1, 2);
    for (const bool is_y : {y_first, !y_first}) {
      const int64_t d = choose_(std::ssize(part) + 1);
      if (d == std::ssize(part)) continue;  // the axis cuts none
      axes[d].push_back(is_y ? "\\\"y\\\"" : "\\\"x\\\"");
      whole[d] *= is_y ? y : x;
    }
    std::vector<std::string> cuts;
    for (const auto& one : axes) cuts.push_back(absl::StrCat("{", absl::StrJoin(one, ", "), "}"));
    const bool joins = choose_.chance(1, 2);
    operands_ = {array(joins ? part : whole)};
    return absl::StrCat(
        array(joins ? whole : part), " custom-call(p0), custom_call_target=\"xla.sdy.",
        joins ? "LocalToGlobalShape" : "GlobalToLocalShape", "\", frontend_attributes={xla.sdy.",
        joins ? "out" : "in", "_shardings=\"#sdy.sharding_per_value<[<@mesh, [",
        absl::StrJoin(cuts, ", "), "]>]>\"}");
  }

  Choose& choose_;
  int64_t partitions_ = 1, replicas_ = 1, size_ = 1;
  Meaning meaning_ = Meaning::kReplicas;
  bool may_leave_out_ = false;  // devices that are in no group
  std::vector<std::string> operands_;
  std::string meshes_;  // of the header
};

}  // namespace

std::string generate_collective(Choose& choose) { return Maker(choose).make(); }

}  // namespace tileproof
