// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/fields.h"

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
  return absl::InvalidArgumentError(absl::StrCat("expected the key \"", key, "\""));
}

absl::StatusOr<absl::string_view> required_text(const Json& request, absl::string_view key) {
  if (const auto* text = find_as<std::string>(request, key)) return absl::string_view(*text);
  return absl::InvalidArgumentError(absl::StrCat("expected the key \"", key, "\", a string"));
}

absl::StatusOr<int64_t> integer_in(const Json& json, absl::string_view what) {
  if (const int64_t* value = json.as<int64_t>()) return *value;
  const std::string found = shown(to_text(json), 60);
  if (is_integer(json)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " ", found, " does not fit 64 signed bits"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", what, " to be an integer, found ", found));
}

absl::StatusOr<int64_t> integer_under(const Json& request, absl::string_view key) {
  return integer_in(*TRY(required(request, key)), key);
}

}  // namespace tileproof::conform
