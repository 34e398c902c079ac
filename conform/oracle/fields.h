// SPDX-License-Identifier: Apache-2.0
// The fields of requests, and how they are read. All operations read a text, and say what is wrong
// with it, alike:
//
//     {"op":"map.simplify","map":7}                 expected the key "map", a string
//     {"op":"map.simplify","map":"(d0) -> (d1)"}    map: column 9: expected a variable, found 'd1'
//
// Errors are kInvalidArgument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/layout/tiled_layout.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::conform {

// What a text under a key is.
enum class Form { kOther, kShape, kHlo, kLayout, kMap };

// A key of requests.
struct Field {
  absl::string_view key;
  absl::string_view description;  // for the schema of test vectors
  absl::string_view type = "";    // of its JSON value; empty: one of several
  Form form = Form::kOther;       // in most operations; `left` and `right` of hlo.equal are HLO
};

// All keys but `op` and `id`.
absl::Span<const Field> request_fields();

Form form_of(absl::string_view key);

// The value under a key.
absl::StatusOr<const Json*> required(const Json& request, absl::string_view key);

absl::StatusOr<absl::string_view> required_text(const Json& request, absl::string_view key);

// What the text under a key says: the value of `parse`, such as parse_shape.
template <class Parse>
auto parsed_field(const Json& request, absl::string_view key, Parse parse)
    -> decltype(parse(absl::string_view())) {
  auto value = parse(TRY(required_text(request, key)));
  if (value.ok()) return value;
  return invalid(key, ": ", value.status().message());
}

// An integer; the error names it as `what`.
absl::StatusOr<int64_t> integer_in(const Json& json, absl::string_view what);

absl::StatusOr<int64_t> integer_under(const Json& request, absl::string_view key);

// ---- Layouts ----

// The reference's layout of a shape text, or an error. A memo keeps recent results, because a shape
// is needed once to make its case and again to judge the answer. The result is valid until the next
// call.
const absl::StatusOr<spec::TiledLayout>& reference_layout(absl::string_view text);

// The same for a valid shape and its text to_text(shape), without parsing the text.
const absl::StatusOr<spec::TiledLayout>& reference_layout(const Shape& shape,
                                                          absl::string_view text);

// Parses the layout under a key of a request.
absl::StatusOr<NestedLayout> nested_under(const Json& request, absl::string_view key = "layout");

// A tuple as nested arrays of integers, and back. Errors name the value as `what`.
Json arrays(const IntTuple& tuple);
absl::StatusOr<IntTuple> int_tuple_in(const Json& json, absl::string_view what);

// [{"register":0,"lane":0,"warp":0,"block":0}, ..]
Json json_of_places(const std::vector<Place>& places);

// ---- Maps ----

// Parses a map. A memo keeps recent results. The result is valid until the next call.
const absl::StatusOr<IndexingMap>& map_of_text(absl::string_view text);

// Parses the map under a key of a request. `map_here` is valid until the next map is read.
absl::StatusOr<IndexingMap> map_under(const Json& request, absl::string_view key);
absl::StatusOr<const IndexingMap*> map_here(const Json& request, absl::string_view key);

// The keys of a point, {"dims", "ranges", "runtime"}.
inline constexpr std::pair<absl::string_view, Op> kValueKeys[] = {
    {"dims", Op::kDimension}, {"ranges", Op::kRange}, {"runtime", Op::kRuntime}};
absl::StatusOr<spec::Point> point_in(const Json& json);
Json point_json(const spec::Point& point);

// The text forms of a request as plain JSON, for programs without a parser.
//
//     "shape": "bf16[<=16,256]{1,0:T(8,128)(*,1)L(64)}"   becomes, under the key "parsed",
//     "shape": {"type": "bf16", "bits": 16, "dims": [16,256], "bounded": [true,false],
//               "minor_to_major": [1,0], "tiles": [[8,128],[null,1]], "tail": 64,
//               "memory_space": 0, "splits": [], "metadata_bytes": 0}
//
//     "map": "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 3], d0 mod 2 in [0, 0]"
//     "map": {"dims": [{"name": "d0", "bounds": [0,9]}], "ranges": [{"name": "s0", ..}],
//             "runtime": [], "results": [["+", ["*", "d0", 4], "s0"]],
//             "constraints": [{"expr": ["mod", "d0", 2], "bounds": [0,0]}]}
//
//     "hlo": "r = f32[4] reverse(f32[4] p), dimensions={0}"
//     "hlo": {"computations": [{"name": "", "root": 1, "instructions": [{"name": "p", ..},
//             {"name": "r", "opcode": "reverse", "shape": {..}, "operands": [0],
//              "attributes": {"dimensions": "{0}"}}]}], "entry": 0}
//
//     "layout": "((4,2),3):((1,4),8)"     "layout": {"shape": [[4,2],3], "stride": [[1,4],8]}
//
// An invalid text becomes null. The schema is in docs/protocol.md.

// The request with the key "parsed" added.
Json with_parsed(const Json& request);

// True if a program takes requests unchanged: with JSON integers and without `parsed`.
bool asked_as_it_is(const Hello& hello);

// The text of a request in the form that the program asked for. An id is kept.
std::string text_to_send(const Json& request, const Hello& hello);

}  // namespace tileproof::conform
