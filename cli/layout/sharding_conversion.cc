// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/sharding_conversion.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/text.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/mesh.h"

namespace tileproof::cli {
namespace {

// The devices that hold part 0, then those of part 1, and so on: as an array with a dimension for each of the
// parts, and one for the copies.
struct Tiles {
  Dims dims;
  std::vector<int64_t> devices;

  int64_t copies() const { return dims.back(); }
  bool is_whole() const { return copies() == std::ssize(devices); }
};

absl::StatusOr<Tiles> tiles_of(const Sharding& sharding, int64_t rank) {
  Tiles tiles{sharding.parts, std::vector<int64_t>(sharding.part_of.size())};
  tiles.dims.resize(rank, 1);
  std::iota(tiles.devices.begin(), tiles.devices.end(), 0);
  std::ranges::stable_sort(tiles.devices, {}, [&](int64_t v) { return sharding.part_of[v]; });
  tiles.dims.push_back(std::ssize(tiles.devices) / element_count(tiles.dims).value_or(1));
  for (size_t k = 0; k < tiles.devices.size(); ++k) {
    const auto part = static_cast<int64_t>(k) / std::max<int64_t>(tiles.copies(), 1);
    if (sharding.part_of[tiles.devices[k]] != part) {
      return invalid("expected a sharding with each part on as many devices");
    }
  }
  return tiles;
}

// The digits of each dimension: counted through, they give the devices in order. Nothing if there are none.
std::optional<std::vector<std::vector<Digit>>> digits_of(const Tiles& tiles) {
  std::vector<std::vector<Digit>> all(tiles.dims.size());
  int64_t weight = 1;  // of the digits behind
  for (size_t d = tiles.dims.size(); d-- > 0;) {
    for (int64_t rest = tiles.dims[d]; rest > 1;) {
      const int64_t stride = tiles.devices[weight] - tiles.devices[0];
      int64_t size = 1;
      while (size < rest && tiles.devices[size * weight] == tiles.devices[0] + size * stride)
        ++size;
      while (rest % size != 0) --size;
      if (size < 2 || stride < 1) return std::nullopt;
      all[d].insert(all[d].begin(), {size, stride});
      weight *= size;
      rest /= size;
    }
  }
  std::vector<Digit> counted;
  for (const std::vector<Digit>& one : all) counted.insert(counted.end(), one.begin(), one.end());
  return numbers_of(counted) == tiles.devices ? std::optional(all) : std::nullopt;
}

// The digits with the largest stride first: as the axes of a mesh, whose device k is at place k. So all of
// them have strides that are the numbers of devices behind them.
std::vector<Digit> axes_of(const std::vector<std::vector<Digit>>& digits) {
  std::vector<Digit> axes;
  for (const std::vector<Digit>& one : digits) axes.insert(axes.end(), one.begin(), one.end());
  std::ranges::sort(axes, std::greater(), &Digit::stride);
  return axes;
}

std::string tile_text(const Tiles& tiles) {
  const int64_t shown = std::ssize(tiles.dims) - (tiles.copies() > 1 ? 0 : 1);
  return absl::StrCat("[", absl::StrJoin(tiles.dims.begin(), tiles.dims.begin() + shown, ","), "]");
}

std::string in_hlo(const Tiles& tiles, const std::string& devices) {
  if (tiles.is_whole()) return "{replicated}";
  return absl::StrCat("{devices=", tile_text(tiles), devices,
                      tiles.copies() > 1 ? " last_tile_dim_replicate}" : "}");
}

std::string iota_text(const std::vector<std::vector<Digit>>& digits) {
  const std::vector<Digit> axes = axes_of(digits);
  std::vector<int64_t> sizes, order;
  for (const Digit& one : axes) sizes.push_back(one.size);
  for (const std::vector<Digit>& dimension : digits) {
    for (const Digit& one : dimension) order.push_back(std::ranges::find(axes, one) - axes.begin());
  }
  const bool is_in_order = std::ranges::is_sorted(order);
  if (is_in_order)
    sizes = {std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies())};
  return absl::StrCat("<=[", absl::StrJoin(sizes, ","), "]",
                      is_in_order ? "" : absl::StrCat("T(", absl::StrJoin(order, ","), ")"));
}

// "a", .. "z", "axis26"
std::string axis_name(int64_t number) {
  return number < 26 ? std::string(1, static_cast<char>('a' + number))
                     : absl::StrCat("axis", number);
}

struct NamedAxes {
  std::string mesh, dimensions;  // "'a'=2,'b'=2" and "{'b'}, {'a'}"
};
NamedAxes named(const std::vector<std::vector<Digit>>& digits, const char* quote) {
  const std::vector<Digit> axes = axes_of(digits);
  const auto name = [&](int64_t k) { return absl::StrCat(quote, axis_name(k), quote); };
  std::vector<std::string> sizes, dimensions;
  for (int64_t k = 0; k < std::ssize(axes); ++k) {
    sizes.push_back(absl::StrCat(name(k), "=", axes[k].size));
  }
  for (size_t d = 0; d + 1 < digits.size(); ++d) {
    std::vector<std::string> names;
    for (const Digit& one : digits[d]) {
      names.push_back(name(std::ranges::find(axes, one) - axes.begin()));
    }
    dimensions.push_back(absl::StrCat("{", absl::StrJoin(names, ", "), "}"));
  }
  return {absl::StrJoin(sizes, quote[0] == '"' ? ", " : ","), absl::StrJoin(dimensions, ", ")};
}

absl::StatusOr<std::string> text_in(const Tiles& tiles, const std::string& system) {
  if (system == "v1") return in_hlo(tiles, absl::StrJoin(tiles.devices, ","));
  const auto digits = digits_of(tiles);
  if (!digits) {
    return absl::NotFoundError("its devices are no iota that is reshaped and transposed");
  }
  if (system == "v2") return in_hlo(tiles, iota_text(*digits));
  if (system == "mesh") {
    const NamedAxes axes = named(*digits, "'");
    return absl::StrCat("{mesh[", axes.mesh, "], [", axes.dimensions, "]}");
  }
  const NamedAxes axes = named(*digits, "\"");
  return absl::StrCat("sdy.mesh @mesh = <[", axes.mesh, "]>\n#sdy.sharding<@mesh, [",
                      axes.dimensions, "]>");
}

absl::StatusOr<Sharding> read_again(const std::string& text, int64_t rank, int64_t devices) {
  const size_t line = text.find('\n');
  if (line == std::string::npos) return TRY(read_shardings(text, {&rank, 1}, devices))[0];
  const size_t mesh = text.find('<');
  const Meshes meshes =
      TRY(read_meshes(absl::StrCat("{mesh = #sdy.mesh", text.substr(mesh, line - mesh), "}")));
  const MeshCut cut = TRY(read_shardings_of_shardy(text.substr(line + 1), meshes))[0];
  return sharding_on(cut.mesh, cut.dimensions, devices);
}

}  // namespace

absl::StatusOr<std::string> convert_sharding(const Sharding& sharding, int64_t rank,
                                             const std::string& system) {
  const std::vector<std::string> systems = {"v1", "v2", "mesh", "sdy"};
  if (std::ranges::count(systems, system) == 0) {
    return invalid("expected v1, v2, mesh or sdy, found ", system);
  }
  const Tiles tiles = TRY(tiles_of(sharding, rank));
  std::string text = TRY(text_in(tiles, system));
  const Sharding again = TRY(read_again(text, rank, std::ssize(sharding.part_of)));
  if (again.part_of == sharding.part_of && (tiles.is_whole() || again.parts == sharding.parts)) {
    return text;
  }
  return absl::InternalError(absl::StrCat("the text ", text, " is another sharding"));
}

}  // namespace tileproof::cli
