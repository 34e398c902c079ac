// SPDX-License-Identifier: Apache-2.0
#include "conform/plugin/plugin_answer.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/oracle.h"
#include "conform/plugin/plugin_call.h"
#include "conform/plugin/plugin_sweep.h"
#include "conform/run/sweep.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

using Numbers = std::vector<int64_t>;

absl::Status beyond(absl::string_view what) {
  return absl::UnimplementedError(absl::StrCat("beyond tileproof/plugin.h: ", what));
}

absl::StatusOr<std::string> text_in(const Json& request, absl::string_view key) {
  const auto* text = find_as<std::string>(request, key);
  if (text == nullptr) return beyond(absl::StrCat("a request without the text ", key));
  return *text;
}

absl::StatusOr<int64_t> integer_in(const Json& request, absl::string_view key) {
  const auto* integer = find_as<int64_t>(request, key);
  if (integer == nullptr) return beyond(absl::StrCat(key, " is not a 64-bit integer"));
  return *integer;
}

// Appends the numbers of an array.
absl::Status read_numbers(const Json& json, Numbers& numbers) {
  const auto* array = json.as<Json::Array>();
  if (array == nullptr) return beyond("not an array of numbers");
  for (const Json& item : *array) {
    const int64_t* number = item.as<int64_t>();
    if (number == nullptr) return beyond("a number of more than 64 bits");
    numbers.push_back(*number);
  }
  return absl::OkStatus();
}

absl::StatusOr<Numbers> numbers_in(const Json& request, absl::string_view key) {
  Numbers numbers;
  const Json* given = find(request, key);
  TRY(given == nullptr ? beyond(absl::StrCat("a request without ", key))
                       : read_numbers(*given, numbers));
  return numbers;
}

// ---- Layouts ----

absl::StatusOr<std::unique_ptr<PluginShape>> shape_in(const Json& request) {
  const std::string text = TRY(text_in(request, "shape"));
  const absl::StatusOr<Shape> shape = parse_shape(text);
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
  TRY(call_physical(plugin, shape->view, *found));
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
  AskedValues asked;
  const Json* single = find(request, one);
  const Json* list = find(request, many);
  if ((single == nullptr) == (list == nullptr)) {
    return beyond(absl::StrCat("a request without ", one, " and ", many, ", or with both"));
  }
  asked.single = single != nullptr;
  Json::Array items;
  if (single != nullptr) items.push_back(*single);
  if (list != nullptr && list->as<Json::Array>() == nullptr) return beyond("not a list");
  if (list != nullptr) items = *list->as<Json::Array>();
  asked.count = std::ssize(items);
  for (const Json& item : items) {
    const size_t before = asked.numbers.size();
    TRY(read_numbers(width ? item : Json(Json::Array{item}), asked.numbers));
    if (std::ssize(asked.numbers) != static_cast<int64_t>(before) + width.value_or(1)) {
      return beyond("an index of another rank than the array");
    }
  }
  return asked;
}

Json one_or_all(const AskedValues& asked, Json::Array results) {
  return asked.single ? std::move(results.front()) : Json(std::move(results));
}

absl::StatusOr<Result> linearize(const tileproof_plugin& plugin, const Json& request) {
  const auto shape = TRY(shape_in(request));
  const AskedValues asked = TRY(asked_in(request, "index", "indices", shape->view.rank));
  Numbers offsets;
  TRY(call_linearize(plugin, shape->view, asked.numbers, asked.count, offsets));
  return Result(one_or_all(asked, Json::Array(offsets.begin(), offsets.end())));
}

absl::StatusOr<Result> delinearize(const tileproof_plugin& plugin, const Json& request) {
  const auto shape = TRY(shape_in(request));
  const AskedValues asked = TRY(asked_in(request, "offset", "offsets", std::nullopt));
  Numbers indices;
  std::vector<uint8_t> padding;
  TRY(call_delinearize(plugin, shape->view, asked.numbers, indices, padding));
  Json::Array results;
  const int64_t rank = shape->view.rank;
  for (size_t i = 0; i < padding.size(); ++i) {
    const auto start = indices.begin() + static_cast<int64_t>(i) * rank;
    results.push_back(padding[i] != 0 ? Json() : Json(Numbers(start, start + rank)));
  }
  return Result(one_or_all(asked, std::move(results)));
}

// ---- Maps ----

absl::StatusOr<std::unique_ptr<PluginMap>> map_in(const Json& request, absl::string_view key) {
  const std::string text = TRY(text_in(request, key));
  const absl::StatusOr<IndexingMap> map = parse_map(text);
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
  absl::Status status = plugin_status(returned, reply);
  status.Update(room.check());
  if (!status.ok()) return status;
  if (outside != 0) return Result(Json());
  return Result(Numbers(room.results().begin(), room.results().end()));
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
  const std::string text = TRY(text_in(request, "hlo"));
  const std::string direction = TRY(text_in(request, "direction"));
  const std::string scope = text_in(request, "scope").value_or("instruction");
  const absl::StatusOr<std::string> instruction = text_in(request, "instruction");
  const char* leaf = direction == "output_to_input" ? "output" : "input";
  absl::StatusOr<int64_t> number = 0;
  if (find(request, leaf) != nullptr) number = integer_in(request, leaf);
  if (!number.ok()) return number.status();
  const tileproof_hlo hlo = {.text = text.c_str(),
                             .direction = direction.c_str(),
                             .scope = scope.c_str(),
                             .instruction = instruction.ok() ? instruction->c_str() : nullptr,
                             .leaf = *number};
  PluginReply reply;
  Json json = TRY(said_json(plugin.hlo_index(&hlo, &reply), reply));
  const Json* result = find(json, "result");
  const Json* inexact = find(json, "inexact");
  if (result == nullptr) return absl::InternalError("expected {\"result\":[..]}");
  return Result(*result, inexact == nullptr ? Json() : *inexact);
}

absl::StatusOr<Result> nested_offset(const tileproof_plugin& plugin, const Json& request) {
  const absl::StatusOr<std::string> layout = text_in(request, "layout");
  const Json* coord = find(request, "coord");
  if (!layout.ok()) return layout.status();
  if (coord == nullptr) return beyond("a request without coord");
  PluginReply reply;
  int64_t offset = 0;
  const std::string at = to_text(*coord);
  const int returned = plugin.tla_offset(layout->c_str(), at.c_str(), &offset, &reply);
  TRY(plugin_status(returned, reply));
  return Result(offset);
}

absl::StatusOr<Result> nested_make(const tileproof_plugin& plugin, const Json& request) {
  const std::string tag = TRY(text_in(request, "tag"));
  Numbers numbers;
  for (const char* key : {"element_bits", "rows", "cols"}) {
    numbers.push_back(TRY(integer_in(request, key)));
  }
  PluginReply reply;
  return said(plugin.tla_make(tag.c_str(), numbers[0], numbers[1], numbers[2], &reply), reply);
}

absl::StatusOr<Result> nested_tile(const tileproof_plugin& plugin, const Json& request) {
  const std::string layout = TRY(text_in(request, "layout"));
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
  if (plugin.max_rank > 0) set(limits, "rank", plugin.max_rank);
  if (plugin.max_tiles > 0) set(limits, "tiles", plugin.max_tiles);
  if (plugin.bits > 0) set(limits, "bits", plugin.bits);
  return json_object({{"name", plugin.name == nullptr ? "" : plugin.name},
                      {"version", plugin.release == nullptr ? "" : plugin.release},
                      {"ops", std::move(ops)},
                      {"limits", std::move(limits)},
                      {"window", 64}});
}

absl::StatusOr<Result> result_of(const tileproof_plugin& plugin, const Request& request) {
  if (request.op == "hello") return Result(hello(plugin));
  if (request.op == kSweepOp) {
    const SweepRequest asked = TRY(read_sweep_request(request.fields));
    return Result(to_json(sweep(plugin, limits_of(plugin), asked)));
  }
  for (const Function& function : kFunctions) {
    if (request.op == function.op && function.offered(plugin)) {
      return function.answer(plugin, request.fields);
    }
  }
  return absl::UnimplementedError(absl::StrCat("operation \"", shown(request.op, 60), "\""));
}

}  // namespace

Limits limits_of(const tileproof_plugin& plugin) {
  const auto limit = [](int64_t n) { return n > 0 ? std::optional(n) : std::nullopt; };
  return {limit(plugin.max_rank), limit(plugin.max_tiles), limit(plugin.bits), std::nullopt};
}

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
