// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/fields.h"

#include "conform/protocol/memo.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

// In the order of the schema, and of `parsed` (conform/oracle/parsed.h).
constexpr Field kFields[] = {
    {"shape", "SHAPE", "", Form::kShape},
    {"index", "an index of the array"},
    {"indices", "indices"},
    {"offset", "an offset in elements"},
    {"offsets", "offsets"},
    {"layout", "NESTED", "", Form::kLayout},
    {"threads", "MAP, of map.transactions", "string", Form::kMap},
    {"access", "MAP, of map.transactions and layout.banks", "string", Form::kMap},
    {"warp", "the threads of a warp; layout.element: of the place", "integer"},
    {"width", "the bytes of a transaction; map.check: bits", "integer"},
    {"inside", "map.check: [low, high] for each result", "array"},
    {"onto", "map.check: sizes", "array"},
    {"one_to_one", "map.check: true", "boolean"},
    {"bits", "layout.banks: the width of an element", "integer"},
    {"vector", "layout.banks: the bytes that a lane moves at once", "integer"},
    {"banks", "layout.banks: the number of banks", "integer"},
    {"bank_bytes", "layout.banks: the bytes of a word", "integer"},
    {"grid", "grid.check: the sizes of the grid", "array"},
    {"semantics", "grid.check: parallel or arbitrary, for each dimension", "array"},
    {"operands", "grid.check: name, kind, shape, block and index_map of each", "array"},
    {"register", "layout.element: of the place", "integer"},
    {"lane", "layout.element: of the place", "integer"},
    {"block", "layout.element: of the place", "integer"},
    {"map", "MAP", "string", Form::kMap},
    {"first", "MAP", "string", Form::kMap},
    {"second", "MAP", "string", Form::kMap},
    {"left", "MAP; hlo.equal: HLO", "string", Form::kMap},
    {"right", "MAP; hlo.equal: HLO", "string", Form::kMap},
    {"laws", "hlo.equal: names of laws or levels", "array"},
    {"sharding", "hlo.equal, shard.index: which part of an array each device holds"},
    {"device", "shard.index: the number of a device", "integer"},
    {"devices", "shard.index: how many there are", "integer"},
    {"dims", "values of the dimension variables", "array"},
    {"ranges", "values of the range variables", "array"},
    {"runtime", "values of the runtime variables", "array"},
    {"coord", "a coordinate, nested arrays"},
    {"tile", "sizes; hlo.tile: offsets, sizes and strides; tile.propagate: TILE"},
    {"tag", "tla.make: a tag such as zN", "string"},
    {"element_bits", "the width of an element", "integer"},
    {"rows", "tla.make: the rows of the matrix"},
    {"cols", "tla.make: the columns of the matrix"},
    {"by", "tla.*: the other NESTED, or a tiler"},
    {"size", "tla.complement: the size to fill"},
    {"hlo", "HLO", "string", Form::kHlo},
    {"direction", "output_to_input or input_to_output"},
    {"instruction", "hlo.*: the name of an instruction"},
    {"scope", "hlo.*: instruction or computation"},
    {"output", "hlo.*: the number of a leaf of the result"},
    {"input", "hlo.index: the number of a leaf of the operands"},
    {"note", "an unknown key, to be ignored"},
};

absl::Status read_values(const Json& json, absl::string_view key, std::vector<int64_t>& values) {
  const Json* given = find(json, key);
  if (given == nullptr) return absl::OkStatus();
  const auto* array = given->as<Json::Array>();
  if (array == nullptr) return invalid("expected ", key, " to be an array");
  for (const Json& item : *array) {
    const std::string found = shown(to_text(item), 60);
    if (const int64_t* value = item.as<int64_t>()) {
      values.push_back(*value);
    } else if (is_integer(item)) {
      return absl::OutOfRangeError(
          absl::StrCat("a value in ", key, ", ", found, ", does not fit 64 signed bits"));
    } else {
      return invalid("expected integers in ", key, ", found ", found);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<spec::TiledLayout> layout_of_text(absl::string_view text) {
  return spec::tiled_layout_of_valid(TRY(prefixed("shape", parse_shape(text))));
}

Memo<absl::StatusOr<spec::TiledLayout>>& layout_memo() {
  thread_local Memo<absl::StatusOr<spec::TiledLayout>> layouts;
  return layouts;
}

}  // namespace

absl::Span<const Field> request_fields() { return kFields; }

Form form_of(absl::string_view key) {
  for (const Field& field : kFields) {
    if (field.key == key) return field.form;
  }
  return Form::kOther;
}

absl::StatusOr<const Json*> required(const Json& request, absl::string_view key) {
  if (const Json* value = find(request, key)) return value;
  return invalid("expected the key \"", key, "\"");
}

absl::StatusOr<absl::string_view> required_text(const Json& request, absl::string_view key) {
  if (const auto* text = find_as<std::string>(request, key)) return absl::string_view(*text);
  return invalid("expected the key \"", key, "\", a string");
}

absl::StatusOr<int64_t> integer_in(const Json& json, absl::string_view what) {
  if (const int64_t* value = json.as<int64_t>()) return *value;
  const std::string found = shown(to_text(json), 60);
  if (is_integer(json)) {
    return invalid(what, " ", found, " does not fit 64 signed bits");
  }
  return invalid("expected ", what, " to be an integer, found ", found);
}

absl::StatusOr<int64_t> integer_under(const Json& request, absl::string_view key) {
  return integer_in(*TRY(required(request, key)), key);
}

const absl::StatusOr<spec::TiledLayout>& reference_layout(absl::string_view text) {
  return layout_memo().get(text, layout_of_text);
}

const absl::StatusOr<spec::TiledLayout>& reference_layout(const Shape& shape,
                                                          absl::string_view text) {
  return layout_memo().get(
      text, [&shape](absl::string_view) { return spec::tiled_layout_of_valid(shape); });
}

Json arrays(const IntTuple& tuple) {
  if (!tuple.is_tuple) return tuple.value;
  Json::Array result;
  for (const IntTuple& element : tuple.elements) result.push_back(arrays(element));
  return result;
}

absl::StatusOr<IntTuple> int_tuple_in(const Json& json, absl::string_view what) {
  const auto* array = json.as<Json::Array>();
  if (array == nullptr) {
    const int64_t value = TRY(integer_in(json, what));
    return make_integer(value);
  }
  IntTuple tuple = make_tuple({});
  for (const Json& item : *array) {
    tuple.elements.push_back(TRY(int_tuple_in(item, what)));
  }
  return tuple;
}

absl::StatusOr<NestedLayout> nested_under(const Json& request, absl::string_view key) {
  return parsed_field(request, key, [](absl::string_view t) { return parse_nested_layout(t); });
}

Json json_of_places(const std::vector<Place>& places) {
  Json::Array list;
  for (const Place& place : places) {
    Json json = json_object({});
    for (size_t i = 0; i < place.size(); ++i) set(json, kPlaceNames[i], place[i]);
    list.push_back(std::move(json));
  }
  return Json(std::move(list));
}

const absl::StatusOr<IndexingMap>& map_of_text(absl::string_view text) {
  thread_local Memo<absl::StatusOr<IndexingMap>> maps;
  return maps.get(text, [](absl::string_view t) {
    absl::StatusOr<IndexingMap> map = parse_map(t);
    if (!map.ok() || !map->known_empty) return map;
    return absl::StatusOr<IndexingMap>(
        invalid("column 1: expected '(' to open the map, found 'KNOWN'"));
  });
}

absl::StatusOr<const IndexingMap*> map_here(const Json& request, absl::string_view key) {
  const absl::StatusOr<IndexingMap>& map = map_of_text(TRY(required_text(request, key)));
  if (map.ok()) return &*map;
  return invalid(key, ": ", map.status().message());
}

absl::StatusOr<IndexingMap> map_under(const Json& request, absl::string_view key) {
  const IndexingMap* map = TRY(map_here(request, key));
  return *map;
}

absl::StatusOr<spec::Point> point_in(const Json& json) {
  spec::Point point;
  for (const auto& [key, kind] : kValueKeys) {
    TRY(read_values(json, key, values_of(point, kind)));
  }
  return point;
}

Json point_json(const spec::Point& point) {
  return json_object({{"dims", point.dims}, {"ranges", point.ranges}, {"runtime", point.runtime}});
}

}  // namespace tileproof::conform
