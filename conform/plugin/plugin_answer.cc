// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/oracle.h"
#include "conform/plugin/plugin_call.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

using Numbers = std::vector<int64_t>;

absl::Status beyond(absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat("beyond tileproof/plugin.h: ", what));
}

// What was read of a request; if it cannot be read, it is beyond plugin.h.
template <class Value>
absl::StatusOr<Value> expressible(absl::StatusOr<Value> read) {
  if (read.ok()) return read;
  const absl::string_view why = read.status().message();
  return beyond(why);
}

absl::StatusOr<absl::string_view> text_in(const Json& request, absl::string_view key) {
  return expressible(required_text(request, key));
}

absl::StatusOr<Numbers> numbers_of(const Json& json) {
  const std::optional<Numbers> numbers = integers(json);
  if (!numbers) return beyond("not an array of 64-bit integers");
  return *numbers;
}

absl::StatusOr<Numbers> numbers_in(const Json& request, absl::string_view key) {
  return numbers_of(*TRY(expressible(required(request, key))));
}

constexpr int64_t kUnwritten = std::numeric_limits<int64_t>::min();
constexpr int64_t kBehind = 16;

// A buffer for results, followed by a few guard numbers that must not change. Numbers that are not
// written are -2^63.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t size) : size_(size), numbers_(size + kBehind, kUnwritten) {}
  int64_t* data() { return numbers_.data(); }
  // After a call. kInternal if a guard number changed.
  absl::StatusOr<Numbers> results(int returned, const PluginReply& reply) const {
    TRY(plugin_status(returned, reply));
    const auto end = numbers_.begin() + static_cast<int64_t>(size_);
    if (std::count(end, numbers_.end(), kUnwritten) == kBehind)
      return Numbers(numbers_.begin(), end);
    return absl::InternalError("the plug-in wrote beyond the end of its results");
  }

 private:
  size_t size_;
  Numbers numbers_;
};

// ---- Layouts ----

absl::StatusOr<std::unique_ptr<PluginShape>> shape_in(const Json& request) {
  const absl::StatusOr<Shape> shape = parse_shape(TRY(text_in(request, "shape")));
  const bool array =
      shape.ok() && shape->kind == Shape::Kind::kArray && has_elements(shape->element_type);
  if (!array) return beyond("a text that is not an array with a layout");
  for (const Dimension& d : shape->dimensions) {
    if (d.kind == Dimension::Kind::kUnbounded) return beyond("a dimension without a size");
  }
  return std::make_unique<PluginShape>(*shape);
}

absl::StatusOr<Result> physical(const tileproof_plugin& plugin, const Json& request) {
  const auto shape = TRY(shape_in(request));
  const auto found = std::make_unique<tileproof_physical>();
  found->rank = found->elements = found->bytes = kUnwritten;
  PluginReply reply;
  TRY(plugin_status(plugin.layout_physical(&shape->view, found.get(), &reply), reply));
  if (found->rank < 0 || found->rank > TILEPROOF_MAX_PHYSICAL_RANK) {
    return absl::InternalError(absl::StrCat("expected a physical rank of 0 to ",
                                            TILEPROOF_MAX_PHYSICAL_RANK, ", found ", found->rank));
  }
  return Result(json_object({{"dims", Numbers(found->dims, found->dims + found->rank)},
                             {"elements", found->elements},
                             {"bytes", found->bytes}}));
}

// The numbers of the value under the key `one`, or of all items under the key `many`, concatenated.
// Each item has `width` numbers.
struct AskedValues {
  Numbers numbers;
  int64_t count = 1;
  bool single = true;
};

absl::StatusOr<AskedValues> asked_in(const Json& request, absl::string_view one,
                                     absl::string_view many, std::optional<int64_t> width) {
  const Json* single = find(request, one);
  const Json* list = find(request, many);
  if ((single == nullptr) == (list == nullptr)) {
    return beyond(absl::StrCat("a request without ", one, " and ", many, ", or with both"));
  }
  const Json::Array alone(single == nullptr ? 0 : 1, single == nullptr ? Json() : *single);
  const auto* items = single == nullptr ? list->as<Json::Array>() : &alone;
  if (items == nullptr) return beyond("not a list");
  AskedValues asked{{}, std::ssize(*items), single != nullptr};
  for (const Json& item : *items) {
    const Numbers numbers = TRY(numbers_of(width ? item : Json(Json::Array{item})));
    if (std::ssize(numbers) != width.value_or(1))
      return beyond("an index of another rank than the array");
    asked.numbers.insert(asked.numbers.end(), numbers.begin(), numbers.end());
  }
  return asked;
}

Json one_or_all(const AskedValues& asked, Json::Array results) {
  return asked.single ? std::move(results.front()) : Json(std::move(results));
}

absl::StatusOr<Result> linearize(const tileproof_plugin& plugin, const Json& request) {
  const auto shape = TRY(shape_in(request));
  const AskedValues asked = TRY(asked_in(request, "index", "indices", shape->view.rank));
  GuardedBuffer room(static_cast<size_t>(asked.count));
  PluginReply reply;
  const int returned =
      plugin.layout_linearize(&shape->view, asked.numbers.data(), asked.count, room.data(), &reply);
  const Numbers offsets = TRY(room.results(returned, reply));
  return Result(one_or_all(asked, Json::Array(offsets.begin(), offsets.end())));
}

absl::StatusOr<Result> delinearize(const tileproof_plugin& plugin, const Json& request) {
  const auto shape = TRY(shape_in(request));
  const AskedValues asked = TRY(asked_in(request, "offset", "offsets", std::nullopt));
  const int64_t rank = shape->view.rank;
  const size_t count = asked.numbers.size();
  GuardedBuffer room(count * static_cast<size_t>(rank));
  std::vector<uint8_t> padding(count + kBehind, 0xee);
  PluginReply reply;
  const int returned = plugin.layout_delinearize(&shape->view, asked.numbers.data(), asked.count,
                                                 room.data(), padding.data(), &reply);
  const Numbers indices = TRY(room.results(returned, reply));
  if (std::count(padding.end() - kBehind, padding.end(), 0xee) != kBehind) {
    return absl::InternalError("the plug-in wrote beyond the end of is_padding");
  }
  Json::Array results;
  for (size_t i = 0; i < count; ++i) {
    if (padding[i] > 1) return absl::InternalError("expected each is_padding to be 0 or 1");
    const auto start = indices.begin() + static_cast<int64_t>(i) * rank;
    results.push_back(padding[i] != 0 ? Json() : Json(Numbers(start, start + rank)));
  }
  return Result(one_or_all(asked, std::move(results)));
}

// ---- Maps ----

absl::StatusOr<std::unique_ptr<PluginMap>> map_in(const Json& request, absl::string_view key) {
  const absl::StatusOr<IndexingMap> map = parse_map(TRY(text_in(request, key)));
  if (!map.ok() || map->known_empty) return beyond("a text that is not a map");
  return std::make_unique<PluginMap>(*map);
}

// The result is the text of the reply.
absl::StatusOr<Result> said(int returned, const PluginReply& reply) {
  TRY(plugin_status(returned, reply));
  return Result(Json(reply.text));
}

// The reply as JSON. kInternal if it is malformed.
absl::StatusOr<Json> said_json(int returned, const PluginReply& reply) {
  TRY(plugin_status(returned, reply));
  absl::StatusOr<JsonText> json = read_json(reply.text);
  if (json.ok()) return std::move(json->value);
  return absl::InternalError(absl::StrCat("expected JSON, found ", shown(reply.text)));
}

absl::StatusOr<Result> evaluate(const tileproof_plugin& plugin, const Json& request) {
  const auto map = TRY(map_in(request, "map"));
  const tileproof_map& view = map->view;
  Numbers values[3];
  const std::pair<const char*, int64_t> kinds[] = {
      {"dims", view.dims}, {"ranges", view.ranges}, {"runtime", view.runtime}};
  for (size_t i = 0; i < 3; ++i) {
    const Numbers given = TRY(numbers_in(request, kinds[i].first));
    if (std::ssize(given) != kinds[i].second) return beyond("a wrong number of values");
    values[i] = given;
  }
  GuardedBuffer room(static_cast<size_t>(view.results));
  PluginReply reply;
  unsigned char outside = 0;
  const int returned = plugin.map_evaluate(&view, values[0].data(), values[1].data(),
                                           values[2].data(), room.data(), &outside, &reply);
  const Numbers results = TRY(room.results(returned, reply));
  return Result(outside != 0 ? Json() : Json(results));
}

absl::StatusOr<Result> simplify(const tileproof_plugin& plugin, const Json& request) {
  const auto map = TRY(map_in(request, "map"));
  PluginReply reply;
  return said(plugin.map_simplify(&map->view, &reply), reply);
}

absl::StatusOr<Result> compose(const tileproof_plugin& plugin, const Json& request) {
  const auto first = TRY(map_in(request, "first")), second = TRY(map_in(request, "second"));
  PluginReply reply;
  return said(plugin.map_compose(&first->view, &second->view, &reply), reply);
}

absl::StatusOr<Result> equal(const tileproof_plugin& plugin, const Json& request) {
  const auto left = TRY(map_in(request, "left")), right = TRY(map_in(request, "right"));
  PluginReply reply;
  Json json = TRY(said_json(plugin.map_equal(&left->view, &right->view, &reply), reply));
  return Result(std::move(json));
}

// ---- HLO and nested layouts ----

absl::StatusOr<Result> index_hlo(const tileproof_plugin& plugin, const Json& request) {
  const std::string text(TRY(text_in(request, "hlo"))),
      direction(TRY(text_in(request, "direction")));
  const std::string scope(text_in(request, "scope").value_or("instruction"));
  const auto* instruction = find_as<std::string>(request, "instruction");
  const char* leaf = direction == "output_to_input" ? "output" : "input";
  const int64_t number =
      find(request, leaf) == nullptr ? 0 : TRY(expressible(integer_under(request, leaf)));
  const tileproof_hlo hlo = {.text = text.c_str(),
                             .direction = direction.c_str(),
                             .scope = scope.c_str(),
                             .instruction = instruction == nullptr ? nullptr : instruction->c_str(),
                             .leaf = number};
  PluginReply reply;
  const Json json = TRY(said_json(plugin.hlo_index(&hlo, &reply), reply));
  const Json* result = find(json, "result");
  const Json* inexact = find(json, "inexact");
  if (result == nullptr) return absl::InternalError("expected {\"result\":[..]}");
  return Result(*result, inexact == nullptr ? Json() : *inexact);
}

absl::StatusOr<Result> nested_offset(const tileproof_plugin& plugin, const Json& request) {
  const std::string layout(TRY(text_in(request, "layout")));
  const std::string coord = to_text(*TRY(expressible(required(request, "coord"))));
  PluginReply reply;
  int64_t offset = 0;
  TRY(plugin_status(plugin.tla_offset(layout.c_str(), coord.c_str(), &offset, &reply), reply));
  return Result(offset);
}

absl::StatusOr<Result> nested_make(const tileproof_plugin& plugin, const Json& request) {
  const std::string tag(TRY(text_in(request, "tag")));
  Numbers numbers;
  for (const char* key : {"element_bits", "rows", "cols"}) {
    numbers.push_back(TRY(expressible(integer_under(request, key))));
  }
  PluginReply reply;
  return said(plugin.tla_make(tag.c_str(), numbers[0], numbers[1], numbers[2], &reply), reply);
}

absl::StatusOr<Result> nested_tile(const tileproof_plugin& plugin, const Json& request) {
  const std::string layout(TRY(text_in(request, "layout")));
  const Numbers tile = TRY(numbers_in(request, "tile"));
  PluginReply reply;
  return said(plugin.tla_tile(layout.c_str(), tile.data(), std::ssize(tile), &reply), reply);
}

// ---- All operations ----

struct Function {
  const char* op;
  bool (*offered)(const tileproof_plugin& plugin);
  absl::StatusOr<Result> (*answer)(const tileproof_plugin& plugin, const Json& request);
};

template <auto field>
bool offers(const tileproof_plugin& plugin) {
  return plugin.*field != nullptr;
}

using P = tileproof_plugin;
const Function kFunctions[] = {
    {"layout.physical", offers<&P::layout_physical>, physical},
    {"layout.linearize", offers<&P::layout_linearize>, linearize},
    {"layout.delinearize", offers<&P::layout_delinearize>, delinearize},
    {"map.evaluate", offers<&P::map_evaluate>, evaluate},
    {"map.simplify", offers<&P::map_simplify>, simplify},
    {"map.compose", offers<&P::map_compose>, compose},
    {"map.equal", offers<&P::map_equal>, equal},
    {"hlo.index", offers<&P::hlo_index>, index_hlo},
    {"tla.offset", offers<&P::tla_offset>, nested_offset},
    {"tla.make", offers<&P::tla_make>, nested_make},
    {"tla.tile", offers<&P::tla_tile>, nested_tile},
};

Json hello(const tileproof_plugin& plugin) {
  Json::Array ops;
  for (const Function& function : kFunctions) {
    if (function.offered(plugin)) ops.push_back(function.op);
  }
  Json limits = Json::Object();
  for (const auto& [key, limit] :
       {std::pair("rank", plugin.max_rank), {"tiles", plugin.max_tiles}, {"bits", plugin.bits}}) {
    if (limit > 0) set(limits, key, limit);
  }
  return json_object({{"name", plugin.name == nullptr ? "" : plugin.name},
                      {"version", plugin.release == nullptr ? "" : plugin.release},
                      {"ops", std::move(ops)},
                      {"limits", std::move(limits)},
                      {"window", 64}});
}

absl::StatusOr<Result> result_of(const tileproof_plugin& plugin, const Request& request) {
  if (request.op == "hello") return Result(hello(plugin));
  for (const Function& function : kFunctions) {
    if (request.op == function.op && function.offered(plugin)) {
      return function.answer(plugin, request.fields);
    }
  }
  return absl::UnimplementedError(absl::StrCat("operation \"", shown(request.op, 60), "\""));
}

}  // namespace

std::string plugin_answer_line(const tileproof_plugin& plugin, absl::string_view line) noexcept {
  std::variant<Request, Answer> read = read_request(line);
  if (const auto* refused = std::get_if<Answer>(&read)) return to_text(*refused);
  const Request& request = std::get<Request>(read);
  absl::StatusOr<Result> result = result_of(plugin, request);
  if (result.ok()) {
    return to_text(result_answer(request.id, std::move(result->value), std::move(result->inexact)));
  }
  if (absl::IsInternal(result.status())) {
    const absl::string_view why = result.status().message();
    return std::string(why);
  }
  return to_text(failed_answer(request.id, result.status()));
}

}  // namespace tileproof::conform
