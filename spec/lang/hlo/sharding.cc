// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/sharding.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"

namespace tileproof {
namespace {

int64_t part_size(int64_t size, int64_t parts) {
  return size / parts + (size % parts != 0 ? 1 : 0);
}

int64_t part_count(const Sharding& sharding) {
  int64_t count = 1;
  for (const int64_t parts : sharding.parts) count *= parts;
  return count;
}

// `'x', 'y':(1)2, ?}` and a priority, as `p1`, behind the brace
absl::StatusOr<std::vector<MeshAxis>> take_axes(Cursor& cursor, const Mesh& mesh,
                                                std::vector<MeshAxis>& all) {
  std::vector<MeshAxis> axes;
  while (!cursor.take("}")) {
    if (!axes.empty()) TRY(cursor.expect(",", "or '}' after an axis"));
    if (cursor.take("?")) {
      TRY(cursor.expect("}", "after '?'"));
      break;
    }
    axes.push_back(TRY(take_axis_of(cursor, mesh, all)));
    all.push_back(axes.back());
  }
  cursor.take_identifier();
  return axes;
}

// `, [{'y'}, {}], replicated={'x'}`, behind the mesh
absl::StatusOr<MeshCut> take_cut(Cursor& cursor, Mesh mesh) {
  MeshCut cut{std::move(mesh)};
  TRY(cursor.expect(",", "after the mesh"));
  TRY(cursor.expect("[", "to open the axes of each dimension"));
  std::vector<MeshAxis> all;
  using Axes = std::vector<MeshAxis>;
  const auto take = [&](Cursor&) -> absl::StatusOr<Axes> {
    TRY(cursor.expect("{", "to open the axes of a dimension"));
    return take_axes(cursor, cut.mesh, all);
  };
  cut.dimensions = TRY(take_list<Axes>(cursor, "]", "or ',' after the axes of a dimension", take));
  while (cursor.take(",")) {
    const size_t kind_at = cursor.token_position();
    if (cursor.take_identifier() != "replicated") {
      return cursor.error_at(kind_at,
                             "expected 'replicated': others do not say what a device holds");
    }
    TRY(cursor.expect("=", "after replicated"));
    TRY(cursor.expect("{", "to open the axes"));
    TRY(take_axes(cursor, cut.mesh, all).status());
  }
  return cut;
}

// One sharding as it is written. Its devices are counted before they are listed.
class ShardingReader {
 public:
  ShardingReader(Cursor& cursor, int64_t devices) : cursor_(cursor), devices_(devices) {}

  // `replicated}` .., behind the brace
  absl::StatusOr<Sharding> take() {
    Sharding sharding = TRY(take_kind());
    while (!cursor_.take("}")) TRY(skip_note());
    return sharding;
  }

 private:
  absl::StatusOr<Sharding> take_kind() {
    const size_t start = cursor_.token_position();
    if (cursor_.take("devices")) return take_tiles();
    if (cursor_.take("mesh")) return take_named();
    const absl::string_view kind = cursor_.take_identifier();
    if (kind == "replicated") return replicated(devices_);
    if (kind == "maximal") return take_maximal();
    return cursor_.error_at(
        start, absl::StrCat("expected a sharding that says which part each device holds, found '",
                            kind, "'"));
  }

  absl::StatusOr<Sharding> take_maximal() {
    TRY(cursor_.expect("device", "of a maximal sharding"));
    TRY(cursor_.expect("=", "after device"));
    const size_t start = cursor_.token_position();
    const int64_t device = TRY(take_size(cursor_, 0, "a device"));
    if (device >= devices_) return no_device(start);
    Sharding sharding{.part_of = std::vector<int64_t>(devices_, -1)};
    sharding.part_of[device] = 0;
    return sharding;
  }

  absl::Status no_device(size_t start) const {
    return cursor_.error_at(start, absl::StrCat("expected a device below ", devices_));
  }

  // `=[2,1,2]0,1,2,3 last_tile_dim_replicate` or `=[2,2]<=[4]`
  absl::StatusOr<Sharding> take_tiles() {
    TRY(cursor_.expect("=", "after devices"));
    const size_t start = cursor_.token_position();
    const std::vector<Digit> tiles =
        TRY(take_sizes(cursor_, 1, "a number of parts", "around the numbers of parts"));
    if (count_of(tiles) != devices_) {
      return cursor_.error_at(start, absl::StrCat("expected parts for ", devices_, " devices"));
    }
    const std::vector<int64_t> order = TRY(take_order());
    const size_t copies = TRY(take_copies());
    if (copies > tiles.size()) return cursor_.error_at(start, "expected a number for each kind");
    std::vector<int64_t> parts;
    int64_t each = 1;  // so many devices hold one part
    for (size_t d = 0; d < tiles.size(); ++d) {
      if (d + copies < tiles.size()) {
        parts.push_back(tiles[d].size);
      } else {
        each *= tiles[d].size;
      }
    }
    return TRY(placed(std::move(parts), order, each, start));
  }

  // `0,2,1,3`, or `<=[2,2]T(1,0)`
  absl::StatusOr<std::vector<int64_t>> take_order() {
    const size_t start = cursor_.token_position();
    if (cursor_.take("<=")) {
      const std::vector<Digit> digits = TRY(take_iota(cursor_));
      if (count_of(digits) == devices_) return numbers_of(digits);
      return cursor_.error_at(start, absl::StrCat("expected ", devices_, " devices"));
    }
    return take_items<int64_t>(cursor_, [](Cursor& c) { return take_size(c, 0, "a device"); });
  }

  // How many of the last numbers are of copies: `last_tile_dim_replicate`, or
  // `last_tile_dims={replicated}`.
  absl::StatusOr<size_t> take_copies() {
    if (cursor_.take("last_tile_dim_replicate")) return size_t{1};
    if (!cursor_.take("last_tile_dims")) return size_t{0};
    TRY(cursor_.expect("=", "after last_tile_dims"));
    TRY(cursor_.expect("{", "to open the kinds of the last parts"));
    size_t copies = 0;
    do {
      const size_t start = cursor_.token_position();
      if (cursor_.take_identifier() != "replicated") {
        return cursor_.error_at(start,
                                "expected 'replicated': others do not say what a device holds");
      }
      ++copies;
    } while (cursor_.take(","));
    TRY(cursor_.expect("}", "to close the kinds of the last parts"));
    return copies;
  }

  // The devices in `order` have the parts in turn, `each` of them the same one.
  absl::StatusOr<Sharding> placed(std::vector<int64_t> parts, const std::vector<int64_t>& order,
                                  int64_t each, size_t start) const {
    if (std::ssize(order) != devices_) {
      return cursor_.error_at(start, absl::StrCat("expected ", devices_, " devices"));
    }
    Sharding sharding{std::move(parts), std::vector<int64_t>(devices_, -1)};
    for (size_t k = 0; k < order.size(); ++k) {
      if (order[k] >= devices_) return no_device(start);
      int64_t& part = sharding.part_of[order[k]];
      if (part >= 0) {
        return cursor_.error_at(start, absl::StrCat("expected device ", order[k], " once"));
      }
      part = static_cast<int64_t>(k) / each;
    }
    return sharding;
  }

  // `['x'=2,'y'=2], [{'y'}, {}], replicated={'x'}`, behind the word `mesh`
  absl::StatusOr<Sharding> take_named() {
    const size_t start = cursor_.token_position();
    Mesh mesh = TRY(take_mesh(cursor_));
    const MeshCut cut = TRY(take_cut(cursor_, std::move(mesh)));
    auto sharding = sharding_on(cut.mesh, cut.dimensions, devices_);
    if (sharding.ok()) return sharding;
    return cursor_.error_at(start, sharding.status().message());
  }

  // `metadata={..}`, `shard_as 1`: they say nothing of where elements are.
  absl::Status skip_note() {
    const absl::string_view name = cursor_.take_identifier();
    if (name == "shard_as" || name == "shard_like")
      return take_size(cursor_, 0, "a group").status();
    if (name != "metadata") return cursor_.expected("'}' to close the sharding");
    TRY(cursor_.expect("=", "after metadata"));
    TRY(cursor_.expect("{", "to open metadata"));
    for (int depth = 1; depth > 0;) {
      const size_t at = cursor_.rest().find_first_of("{}\"");
      if (at == absl::string_view::npos) return cursor_.expected("'}' to close metadata");
      const char found = cursor_.rest()[at];
      cursor_.set_position(cursor_.position() + at + 1);
      if (found == '"') {
        const size_t end = cursor_.rest().find('"');
        if (end == absl::string_view::npos) return cursor_.expected("'\"' to close a string");
        cursor_.set_position(cursor_.position() + end + 1);
      } else {
        depth += found == '{' ? 1 : -1;
      }
    }
    return absl::OkStatus();
  }

  Cursor& cursor_;
  const int64_t devices_;
};

absl::StatusOr<std::vector<Sharding>> take_shardings(Cursor& cursor, size_t arrays,
                                                     int64_t devices) {
  ShardingReader reader(cursor, devices);
  std::vector<Sharding> shardings;
  TRY(cursor.expect("{", "to open a sharding"));
  if (cursor.take("}")) return shardings;  // of an empty tuple
  if (cursor.peek() != '{') {
    shardings.assign(arrays, TRY(reader.take()));
    return shardings;
  }
  while (cursor.take("{")) {
    shardings.push_back(TRY(reader.take()));
    if (!cursor.take(",")) break;
  }
  TRY(cursor.expect("}", "or ',' after a sharding"));
  return shardings;
}

}  // namespace

Sharding replicated(int64_t devices) { return {.part_of = std::vector<int64_t>(devices, 0)}; }

Dims part_dims(const Sharding& sharding, const Dims& dims) {
  Dims local = dims;
  for (size_t d = 0; d < sharding.parts.size(); ++d)
    local[d] = part_size(dims[d], sharding.parts[d]);
  return local;
}

std::optional<std::vector<int64_t>> global_index(const Sharding& sharding, const Dims& dims,
                                                 int64_t device,
                                                 const std::vector<int64_t>& local) {
  int64_t part = sharding.part_of[device];
  if (part < 0) return std::nullopt;
  std::vector<int64_t> global = local;
  for (size_t d = sharding.parts.size(); d-- > 0;) {
    const int64_t parts = sharding.parts[d], size = part_size(dims[d], parts);
    global[d] += part % parts * size;
    if (global[d] >= dims[d]) return std::nullopt;
    part /= parts;
  }
  return global;
}

absl::StatusOr<Sharding> sharding_on(const Mesh& mesh,
                                     absl::Span<const std::vector<MeshAxis>> dimensions,
                                     int64_t devices) {
  return TRY(blocks_on(mesh, dimensions, devices)).sharding;
}

absl::StatusOr<Blocks> blocks_on(const Mesh& mesh,
                                 absl::Span<const std::vector<MeshAxis>> dimensions,
                                 int64_t devices) {
  if (mesh.size() != devices) {
    return absl::InvalidArgumentError(absl::StrCat("expected a mesh of ", devices, " devices"));
  }
  Blocks blocks{.sharding = {.part_of = std::vector<int64_t>(devices, -1)}};
  Sharding& sharding = blocks.sharding;
  std::vector<MeshAxis> axes;
  int64_t parts = 1;
  for (const std::vector<MeshAxis>& cut : dimensions) {
    sharding.parts.push_back(1);
    for (const MeshAxis& axis : cut) {
      axes.push_back(axis);
      sharding.parts.back() *= axis.size;
      parts *= axis.size;
    }
  }
  const std::vector<MeshAxis> others = TRY(other_axes(mesh, axes));
  axes.insert(axes.end(), others.begin(), others.end());
  blocks.devices = TRY(devices_by(mesh, axes));
  for (size_t k = 0; k < blocks.devices.size(); ++k) {
    const int64_t device = blocks.devices[k];
    if (device < 0 || device >= devices || sharding.part_of[device] >= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected each of ", devices, " devices once, found ", device));
    }
    sharding.part_of[device] = static_cast<int64_t>(k) / (devices / parts);
  }
  return blocks;
}

std::vector<int64_t> Blocks::holders_for(int64_t device) const {
  const int64_t copies = std::ssize(devices) / part_count(sharding);
  const auto place = std::ranges::find(devices, device) - devices.begin();
  std::vector<int64_t> holders;
  for (int64_t k = place % copies; k < std::ssize(devices); k += copies)
    holders.push_back(devices[k]);
  return holders;
}

absl::StatusOr<int64_t> devices_named(absl::string_view text) {
  Cursor cursor(text);
  cursor.take("{");
  if (cursor.take("devices=")) {
    const auto parts =
        TRY(take_sizes(cursor, 1, "a number of parts", "around the numbers of parts"));
    if (const auto count = count_of(parts)) return *count;
    return absl::InvalidArgumentError("expected numbers of parts from 1 on, of at most 2^63");
  }
  if (cursor.take("mesh")) {
    const Mesh mesh = TRY(take_mesh(cursor));
    if (const auto size = mesh.size()) return *size;
  }
  return absl::InvalidArgumentError(
      "expected --devices: the sharding does not say how many there are");
}

absl::StatusOr<std::vector<Sharding>> read_shardings(absl::string_view text,
                                                     absl::Span<const int64_t> ranks,
                                                     int64_t devices) {
  std::vector<Sharding> shardings = TRY(read_all<std::vector<Sharding>>(
      text, [&](Cursor& cursor) { return take_shardings(cursor, ranks.size(), devices); }));
  if (shardings.size() != ranks.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", ranks.size(), " shardings, found ", shardings.size()));
  }
  for (size_t k = 0; k < ranks.size(); ++k) {
    const int64_t rank = std::ssize(shardings[k].parts);
    if (rank == 0 || rank == ranks[k]) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("expected a sharding of ", ranks[k], " dimensions, found ", rank));
  }
  return shardings;
}

absl::StatusOr<Sharding> read_sharding(absl::string_view text, int64_t devices) {
  const std::vector<Sharding> all = TRY(read_all<std::vector<Sharding>>(
      text, [&](Cursor& cursor) { return take_shardings(cursor, 1, devices); }));
  if (all.size() == 1) return all[0];
  return absl::InvalidArgumentError(absl::StrCat("expected one sharding, found ", all.size()));
}

// ---- Shardy ----

namespace {

// The quotes of HLO in place of those of MLIR.
std::string with_quotes_of_hlo(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\\"", "'"}, {"\"", "'"}});
}

// `mesh`, `'a mesh'`
absl::StatusOr<std::string> take_mesh_name(Cursor& cursor) {
  if (!cursor.take("'")) {
    const absl::string_view name = cursor.take_identifier();
    if (name.empty()) return cursor.expected("the name of a mesh");
    return std::string(name);
  }
  const absl::string_view name = cursor.rest().substr(0, cursor.rest().find('\''));
  cursor.set_position(cursor.position() + name.size());
  TRY(cursor.expect("'", "after the name of a mesh"));
  return std::string(name);
}

// `<@mesh, [{'x'}, {}]>`, `<mesh<['x'=2]>, [{'x'}]>`
absl::StatusOr<MeshCut> take_cut_of_shardy(Cursor& cursor, const Meshes& meshes) {
  TRY(cursor.expect("<", "to open a sharding"));
  const size_t start = cursor.token_position();
  Mesh mesh;
  if (cursor.take("@")) {
    const std::string name = TRY(take_mesh_name(cursor));
    const auto found = meshes.find(name);
    if (found == meshes.end()) {
      return cursor.error_at(start,
                             absl::StrCat("expected a mesh of the module, found '", name, "'"));
    }
    mesh = found->second;
  } else {
    TRY(cursor.expect("mesh", "or the name of a mesh, as @mesh"));
    TRY(cursor.expect("<", "to open the mesh"));
    mesh = TRY(take_mesh(cursor));
    TRY(cursor.expect(">", "to close the mesh"));
  }
  MeshCut cut = TRY(take_cut(cursor, std::move(mesh)));
  TRY(cursor.expect(">", "to close the sharding"));
  return cut;
}

}  // namespace

absl::StatusOr<Meshes> read_meshes(absl::string_view text) {
  return read_all<Meshes>(with_quotes_of_hlo(text), [](Cursor& cursor) -> absl::StatusOr<Meshes> {
    Meshes meshes;
    TRY(cursor.expect("{", "to open the meshes"));
    while (!cursor.take("}")) {
      if (!meshes.empty()) TRY(cursor.expect(",", "or '}' after a mesh"));
      const std::string name = TRY(take_mesh_name(cursor));
      TRY(cursor.expect("=", "after the name of a mesh"));
      TRY(cursor.expect("#sdy.mesh<", "to open the mesh"));
      meshes[name] = TRY(take_mesh(cursor));
      TRY(cursor.expect(">", "to close the mesh"));
    }
    return meshes;
  });
}

absl::StatusOr<std::vector<MeshCut>> read_shardings_of_shardy(absl::string_view text,
                                                              const Meshes& meshes) {
  return read_all<std::vector<MeshCut>>(
      with_quotes_of_hlo(text), [&](Cursor& cursor) -> absl::StatusOr<std::vector<MeshCut>> {
        std::vector<MeshCut> cuts;
        if (!cursor.take("#sdy.sharding_per_value")) {
          TRY(cursor.expect("#sdy.sharding", "before a sharding"));
          cuts.push_back(TRY(take_cut_of_shardy(cursor, meshes)));
          return cuts;
        }
        TRY(cursor.expect("<", "to open the shardings"));
        TRY(cursor.expect("[", "to open the shardings"));
        while (!cursor.take("]")) {
          if (!cuts.empty()) TRY(cursor.expect(",", "or ']' after a sharding"));
          cuts.push_back(TRY(take_cut_of_shardy(cursor, meshes)));
        }
        TRY(cursor.expect(">", "to close the shardings"));
        return cuts;
      });
}

}  // namespace tileproof
