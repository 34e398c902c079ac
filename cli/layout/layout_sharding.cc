// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/layout/layout_parts.h"
#include "cli/picture_file.h"
#include "cli/text.h"
#include "picture/layout_svg.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/mesh.h"
#include "spec/lang/hlo/sharding.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::cli {
namespace {

constexpr int64_t kMostDevices = 65'536;  // a line each

// What one device holds: [low, high) along each dimension. Nothing: no element.
using Part = std::optional<std::vector<Interval>>;

Part part_on(const Sharding& sharding, const Dims& dims, int64_t device) {
  const Dims part = part_dims(sharding, dims);
  const Dims first(dims.size(), 0);
  const auto begin = global_index(sharding, dims, device, first);
  if (!begin) return std::nullopt;
  std::vector<Interval> held;
  for (size_t d = 0; d < dims.size(); ++d) {
    held.push_back({(*begin)[d], std::min((*begin)[d] + part[d], dims[d])});
  }
  return held;
}

struct Question {
  Shape shape;
  Dims dims;
  Sharding sharding;
  int64_t devices = 0;
};

absl::StatusOr<Question> question_of(absl::string_view shape, const std::string& text,
                                     std::optional<int64_t> devices) {
  Question question;
  question.shape = TRY(parse_array_shape(shape));
  if (question.shape.kind != Shape::Kind::kArray) {
    return invalid("expected the shape of an array");
  }
  question.dims = TRY(leaves_of(question.shape))[0].dims;
  question.devices = devices ? *devices : TRY(devices_named(text));
  if (question.devices < 1 || question.devices > kMostDevices) {
    return invalid("expected 1 to ", kMostDevices, " devices, found ", question.devices);
  }
  const int64_t rank = question.shape.rank();
  question.sharding = TRY(read_shardings(text, {&rank, 1}, question.devices))[0];
  return question;
}

// On how many devices each part is.
struct Copies {
  int64_t least = 0, most = 0;
};
Copies copies_of(const Sharding& sharding) {
  int64_t parts = 1;
  for (const int64_t along : sharding.parts) parts *= along;
  std::vector<int64_t> counts(parts, 0);
  for (const int64_t part : sharding.part_of) {
    if (part >= 0) ++counts[part];
  }
  const auto [least, most] = std::ranges::minmax(counts);
  return {least, most};
}

std::string copies_text(const Copies& copies) {
  if (copies.least == copies.most) {
    return absl::StrCat("each element is on ", copies.least,
                        copies.least == 1 ? " device" : " devices");
  }
  return absl::StrCat("each element is on ", copies.least, " to ", copies.most, " devices");
}

constexpr int64_t kMostDrawn = 1024, kWidest = 32;  // elements, and those of a row

// The devices that hold each element, in row-major order, if the array is small and has one or two dimensions.
std::vector<std::vector<int64_t>> holders_of(const Question& question) {
  const Dims& dims = question.dims;
  const auto count = element_count(dims);
  const bool is_drawn = (dims.size() == 1 || dims.size() == 2) && count && *count <= kMostDrawn;
  std::vector<std::vector<int64_t>> holders(is_drawn ? *count : 0);
  const Dims part = part_dims(question.sharding, dims);
  for (int64_t v = 0; v < question.devices && !holders.empty(); ++v) {
    Dims local(part.size(), 0);
    do {
      const auto global = global_index(question.sharding, dims, v, local);
      if (!global) continue;
      int64_t number = 0;
      for (size_t d = 0; d < dims.size(); ++d) number = number * dims[d] + (*global)[d];
      holders[number].push_back(v);
    } while (next_index(part, local));
  }
  return holders;
}

// Who holds each element, row by row.
std::string text_picture(const Question& question) {
  const auto holders = holders_of(question);
  const int64_t columns = question.dims.empty() ? 1 : question.dims.back();
  if (holders.empty() || columns > kWidest) return "";
  std::vector<std::string> cells;
  size_t width = 0;
  for (const std::vector<int64_t>& one : holders) {
    cells.push_back(one.empty() ? "." : absl::StrJoin(one, ","));
    width = std::max(width, cells.back().size());
  }
  constexpr size_t kWidestCell = 12;
  if (width > kWidestCell) return "";
  std::string text = "devices that hold each element\n";
  for (size_t k = 0; k < cells.size(); ++k) {
    const bool is_last = (static_cast<int64_t>(k) + 1) % columns == 0;
    absl::StrAppend(&text, std::string(width + 1 - cells[k].size(), ' '), cells[k],
                    is_last ? "\n" : "");
  }
  return text;
}

absl::Status draw(const Question& question, const std::string& title, const std::string& file) {
  const auto holders = holders_of(question);
  if (holders.empty()) {
    return invalid("expected an array of one or two dimensions and at most ", kMostDrawn,
                   " elements to draw");
  }
  std::vector<picture::HeldCell> cells;
  const auto last = static_cast<double>(std::max<int64_t>(question.devices - 1, 1));
  for (const std::vector<int64_t>& one : holders) {
    if (one.empty()) {
      cells.emplace_back();
      continue;
    }
    const std::string more = one.size() > 1 ? absl::StrCat(" +", one.size() - 1) : "";
    cells.push_back(
        {absl::StrCat(one[0], more), picture::ramp(static_cast<double>(one[0]) / last)});
  }
  return write_picture(
      picture::held_svg(title, "the device that holds it; +1: one more device does; hatched: none",
                        question.dims, cells),
      file);
}

// ---- --as SYSTEM: a sharding in another notation ----
//
//     v1      {devices=[2,2]0,2,1,3}
//     v2      {devices=[2,2]<=[2,2]T(1,0)}
//     mesh    {mesh['a'=2,'b'=2], [{'b'}, {'a'}]}
//     sdy     sdy.mesh @mesh = <["a"=2, "b"=2]>, then #sdy.sharding<@mesh, [{"b"}, {"a"}]>

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

// The text is read again, and gives each device the same part. Errors: a name of no notation; a sharding
// that the notation has no text for. NotFound: none of this form was found.
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

}  // namespace

absl::StatusOr<Answer> explain_sharding(absl::string_view shape, const std::string& sharding,
                                        const ShardingQuestions& asked) {
  const Question question =
      TRY(about("layout --sharding", question_of(shape, sharding, asked.devices)));
  if (asked.system) {
    const std::string text = TRY(about(
        "--as", convert_sharding(question.sharding, std::ssize(question.dims), *asked.system)));
    return Answer{{json_object({{"sharding", text}})}, absl::StrCat(text, "\n")};
  }
  if (!asked.svg.empty()) {
    const std::string title = absl::StrCat(to_text(question.shape), " ", sharding);
    TRY(about("layout --svg", draw(question, title, asked.svg)));
    if (asked.svg == "-") return Answer{};
  }
  const Dims part = part_dims(question.sharding, question.dims);
  const Copies copies = copies_of(question.sharding);
  Json::Array list;
  std::string text =
      absl::StrCat("parts of ", dims_text(part), " on ", question.devices,
                   question.devices == 1 ? " device, " : " devices, ", copies_text(copies), "\n");
  for (int64_t device = 0; device < question.devices; ++device) {
    const Part held = part_on(question.sharding, question.dims, device);
    const bool is_whole = held && std::ranges::equal(*held, part, {}, [](const Interval& along) {
                            return along.high - along.low;
                          });
    absl::StrAppend(&text, "device ", device, "  ", held ? box_text(*held) : "no element",
                    held && !is_whole ? "; the rest is padding" : "", "\n");
    list.push_back(json_object({{"device", device}, {"slice", held ? box_json(*held) : Json()}}));
  }
  text += text_picture(question);
  return Answer{{json_object({{"part", part},
                              {"copies", std::vector<int64_t>{copies.least, copies.most}},
                              {"devices", std::move(list)}})},
                std::move(text)};
}

}  // namespace tileproof::cli
