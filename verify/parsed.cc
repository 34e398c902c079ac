#include "verify/parsed.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "spec/lang/shape_text.h"

namespace tileproof::verify {
namespace {

Json parsed_tile(const Tile& tile) {
  Json::Array sizes;
  for (int64_t size : tile.dims) sizes.push_back(size == Tile::kCombine ? Json() : Json(size));
  return sizes;
}

Json parsed_array(const Shape& shape) {
  Json::Array dims, bounded, tiles, splits;
  for (const Dimension& d : shape.dimensions) {
    dims.push_back(d.kind == Dimension::Kind::kUnbounded ? Json() : Json(d.size));
    bounded.push_back(d.kind == Dimension::Kind::kBounded);
  }
  const Layout layout = layout_of(shape);
  for (const Tile& tile : layout.tiles) tiles.push_back(parsed_tile(tile));
  for (const SplitConfig& split : layout.splits) {
    splits.push_back(json_object({{"dimension", split.dimension}, {"points", split.points}}));
  }
  const int64_t given = layout.element_size_in_bits;
  return json_object({{"type", info(shape.element_type).name},
                      {"bits", given != 0 ? given : int64_t{8} * byte_width(shape.element_type)},
                      {"dims", std::move(dims)},
                      {"bounded", std::move(bounded)},
                      {"minor_to_major", layout.minor_to_major},
                      {"tiles", std::move(tiles)},
                      {"tail", layout.tail_padding_alignment},
                      {"memory_space", layout.memory_space},
                      {"splits", std::move(splits)},
                      {"metadata_bytes", layout.dynamic_shape_metadata_prefix_bytes}});
}

}  // namespace

Json parsed_shape(const Shape& shape) {
  if (shape.kind == Shape::Kind::kArray) return parsed_array(shape);
  if (shape.kind == Shape::Kind::kBuffer) {
    return json_object({{"buffer", parsed_shape(shape.parts.front())}});
  }
  Json::Array parts;
  for (const Shape& part : shape.parts) parts.push_back(parsed_shape(part));
  return json_object({{"tuple", std::move(parts)}});
}

Json with_parsed(const Json& request) {
  Json::Object forms;
  const Json* given = find(request, "shape");
  if (const auto* text = given == nullptr ? nullptr : given->as<std::string>()) {
    const absl::StatusOr<Shape> shape = parse_shape(*text);
    forms.push_back({"shape", shape.ok() ? parsed_shape(*shape) : Json()});
  }
  Json result = request;
  set(result, "parsed", std::move(forms));
  return result;
}

}  // namespace tileproof::verify
