// SPDX-License-Identifier: Apache-2.0
#include "conform/zoo/zoo.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conform/judge/judge.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/oracle/oracle.h"
#include "conform/zoo/table.h"
#include "conform/zoo/variants.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::zoo {
namespace {

using conform::Answer;
using conform::Json;
using conform::json_object;

// All variants by their ids: those of the tables in C++, and those that the tables of entries state.
absl::flat_hash_map<absl::string_view, Variant> all_variants() {
  absl::flat_hash_map<absl::string_view, Variant> all;
  for (const auto& variants : {map_variants(), layout_variants(), holder_variants(),
                               fact_variants(), hlo_variants(), tla_variants()}) {
    for (const Variant& variant : variants) all.emplace(variant.id, variant);
  }
  for (const auto& list : {entries(), held_out()}) {
    for (const Entry& entry : list) {
      absl::StatusOr<StatedRules> rules = parse_rules(entry.rule);
      // check_written says why an entry has no wrong part.
      if (rules.ok()) all[entry.id] = Variant{entry.id, new StatedRules(*std::move(rules))};
    }
  }
  return all;
}

const Variant* variant_named(absl::string_view id) {
  static const auto* const kAll =
      new absl::flat_hash_map<absl::string_view, Variant>(all_variants());
  const auto found = kAll->find(id);
  return found == kAll->end() ? nullptr : &found->second;
}

std::vector<Entry> read_table(absl::string_view table) {
  std::vector<Entry> entries;
  for (absl::string_view line : absl::StrSplit(table, '\n', absl::SkipEmpty())) {
    if (line.front() == '#') continue;
    const std::vector<absl::string_view> cells = absl::StrSplit(line, '\t');
    if (cells.size() < 4) continue;  // a test counts the lines
    const bool shown = cells[1] != "-";
    const absl::string_view last = cells.size() < 5 ? "" : cells[4];
    entries.push_back({cells[0], shown ? cells[1] : "", cells[2], cells[3], shown ? "" : last,
                       shown ? last : ""});
  }
  return entries;
}

absl::StatusOr<Shape> shape_of(const Json& request) {
  return parse_shape(text_under(request, "shape"));
}

absl::StatusOr<IndexingMap> map_of(const Json& request) {
  return conform::map_under(request, "map");
}

// Whether the question is about one instruction, of this opcode, in this direction.
bool is_about(HloOpcode opcode, Direction direction, const conform::HloQuestion& question,
              const HloInstruction& at) {
  const Direction asked = question.is_inverse() ? kToOutputs : kToInputs;
  return question.scope == Scope::kInstruction && at.opcode == opcode &&
         (direction == kBoth || direction == asked);
}

// Applies the wrong part of a variant to the right answer.
struct Change {
  const Json& request;
  Answer& answer;
  int& signal;

  void operator()(OtherAnswer change) const { change(request, answer); }
  void operator()(OtherResult change) const { change(request, answer.result); }
  void operator()(Crash crash) const { signal = crash(request, answer); }

  void operator()(OtherRequest change) const { answer_to(change); }

  // The right result of another request.
  void answer_to(absl::FunctionRef<bool(Json&)> change) const {
    Json other = request;
    std::optional<Json> right = change(other) ? right_result(other) : std::nullopt;
    if (right) answer.result = *std::move(right);
  }

  void operator()(Offset offset) const { linearize(offset); }

  void operator()(OtherLayout change) const {
    linearize([change](const Shape& array, const Index& index) -> std::optional<int64_t> {
      Shape other = array;
      other.layout = layout_of(array);
      return change(array, *other.layout) ? right_offset(other, index) : std::nullopt;
    });
  }

  void linearize(
      absl::FunctionRef<std::optional<int64_t>(const Shape&, const Index&)> offset) const {
    const absl::StatusOr<Shape> array = shape_of(request);
    const auto ask = [&](const Json& index, Json& right) {
      const std::optional<int64_t> wrong = offset(*array, *conform::integers(index));
      if (wrong) right = *wrong;
    };
    if (const Json* index = find(request, "index")) return ask(*index, answer.result);
    const auto& indices = *find(request, "indices")->as<Json::Array>();
    auto& results = *answer.result.as<Json::Array>();
    for (size_t i = 0; i < indices.size(); ++i) ask(indices[i], results[i]);
  }

  void operator()(Sizes change) const {
    Physical sizes{*conform::integers(*find(answer.result, "dims")),
                   *find(answer.result, "elements")->as<int64_t>(),
                   *find(answer.result, "bytes")->as<int64_t>()};
    change(*shape_of(request), sizes);
    answer.result =
        json_object({{"dims", sizes.dims}, {"elements", sizes.elements}, {"bytes", sizes.bytes}});
  }

  void operator()(const StatedRules* rules) const {
    const std::string op = text_under(request, "op");
    const StatedRule& first = rules->front();
    if (!first.of.empty()) {
      other_maps([&](IndexingMap& left, IndexingMap& right) {
        const bool in_left = first.of != "second" && apply(*rules, left);
        return (first.of != "first" && apply(*rules, right)) || in_left;
      });
    } else if (op == "map.evaluate" && first.given.empty()) {
      evaluate(*rules);
    } else {
      other_map([rules](IndexingMap& map) { return apply(*rules, map); });
    }
  }

  // Of operations as the rules say.
  void evaluate(const StatedRules& rules) const {
    if (answer.result.is_null()) return;
    const IndexingMap map = *map_of(request);
    const spec::Point point = *conform::point_in(request);
    std::vector<int64_t> values(map.nodes.size());
    for (NodeId id : spec::nodes_under(map.nodes, map.results)) {
      const Node& node = map.nodes[id];
      if (node.op == Op::kConstant) {
        values[id] = node.value;
      } else if (is_variable(node.op)) {
        values[id] = (node.op == Op::kDimension ? point.dims
                      : node.op == Op::kRange   ? point.ranges
                                                : point.runtime)[node.value];
      } else if (node.op < Op::kFloorDiv || values[node.right] != 0) {
        const int64_t a = values[node.left], b = values[node.right];
        const std::optional<int64_t> wrong = apply(rules, node.op, a, b);
        values[id] = wrong ? *wrong : exact(node.op, a, b);
      }
    }
    Json::Array results;
    for (NodeId result : map.results) results.push_back(values[result]);
    answer.result = std::move(results);
  }

  void operator()(OtherMap change) const { other_map(change); }

  void other_map(absl::FunctionRef<bool(IndexingMap&)> change) const {
    IndexingMap map = *map_of(request);
    if (!change(map) || !validate(map).ok()) return;
    if (text_under(request, "op") == "map.simplify") {
      answer.result = to_text(map);
    } else {
      answer_to([&map](Json& other) {
        set(other, "map", to_text(map));
        return true;
      });
    }
  }

  void operator()(OtherMaps change) const { other_maps(change); }

  void other_maps(absl::FunctionRef<bool(IndexingMap&, IndexingMap&)> change) const {
    const bool compares = text_under(request, "op") == "map.equal";
    IndexingMap first = *conform::map_under(request, compares ? "left" : "first");
    IndexingMap second = *conform::map_under(request, compares ? "right" : "second");
    if (!change(first, second)) return;
    if (!compares) {
      const absl::StatusOr<IndexingMap> composed = spec::compose(first, second);
      if (composed.ok() && validate(*composed).ok()) answer.result = to_text(*composed);
      return;
    }
    const Json other =
        json_object({{"op", "map.equal"}, {"left", to_text(first)}, {"right", to_text(second)}});
    const absl::StatusOr<conform::Result> equal = conform::map_equal(other, conform::Engine::kImpl);
    if (equal.ok() && is(equal->value, "equal", true)) answer.result = equal->value;
  }

  void operator()(OtherComposition change) const {
    const IndexingMap first = *conform::map_under(request, "first");
    const IndexingMap second = *conform::map_under(request, "second");
    absl::StatusOr<IndexingMap> composed = spec::compose(first, second);
    if (composed.ok() && change(first, second, *composed)) answer.result = to_text(*composed);
  }

  void operator()(OtherLists change) const { change_lists(change); }

  void operator()(const ListsRule& rule) const {
    change_lists([&](const conform::HloQuestion& question, const HloInstruction& at, Lists& lists) {
      if (is_about(rule.opcode, rule.direction, question, at)) rule.change(question, at, lists);
    });
  }

  void operator()(const MapRule& rule) const {
    change_lists([&](const conform::HloQuestion& question, const HloInstruction& at, Lists& lists) {
      if (!is_about(rule.opcode, rule.direction, question, at)) return;
      for (int k = 0; k < std::ssize(lists); ++k) {
        if (rule.list != kAll && rule.list != k) continue;
        for (Listed& item : lists[static_cast<size_t>(k)]) rule.change(at, item.map);
      }
    });
  }

  void change_lists(
      absl::FunctionRef<void(const conform::HloQuestion&, const HloInstruction&, Lists&)> change)
      const {
    const absl::StatusOr<conform::HloQuestion> question = conform::read_hlo_question(request);
    const HloInstruction& at =
        question->module.computations[question->computation].instructions[question->instruction];
    std::optional<Lists> lists = read_lists();
    if (!at.shape || !lists || lists->empty()) return;
    change(*question, at, *lists);
    Json::Array written;
    for (const std::vector<Listed>& list : *lists) {
      Json::Array items;
      for (const Listed& item : list) {
        Json map = to_text(item.map);
        items.push_back(item.runtime.is_null()
                            ? std::move(map)
                            : json_object({{"map", std::move(map)}, {"runtime", item.runtime}}));
      }
      written.push_back(std::move(items));
    }
    answer.result = std::move(written);
  }

  // No value if an item is not a map.
  std::optional<Lists> read_lists() const {
    Lists lists;
    for (const Json& list : *answer.result.as<Json::Array>()) {
      lists.emplace_back();
      if (list.as<Json::Array>() == nullptr) return std::nullopt;
      for (const Json& item : *list.as<Json::Array>()) {
        const Json* text = item.as<std::string>() != nullptr ? &item : find(item, "map");
        absl::StatusOr<IndexingMap> map = parse_map(*text->as<std::string>());
        if (!map.ok()) return std::nullopt;
        const Json* runtime = find(item, "runtime");
        lists.back().push_back({*std::move(map), runtime == nullptr ? Json() : *runtime});
      }
    }
    return lists;
  }
};

// Offers the operations of the entries.
Json hello_of(absl::Span<const Entry* const> entries) {
  std::vector<absl::string_view> ids;
  Json::Array operations;
  for (const Entry* entry : entries) {
    const Json operation = entry->operation;
    ids.push_back(entry->id);
    if (std::find(operations.begin(), operations.end(), operation) == operations.end()) {
      operations.push_back(operation);
    }
  }
  return json_object(
      {{"name", absl::StrCat("zoo/", absl::StrJoin(ids, ","))}, {"ops", std::move(operations)}});
}

// Ends the process by a signal, without a core dump.
[[noreturn]] void crash(int signal) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::signal(signal, SIG_DFL);  // otherwise a sanitizer catches it
  std::raise(signal);
  std::abort();
}

}  // namespace

absl::Span<const Entry> entries() {
  static const auto* const kEntries = new std::vector<Entry>(read_table(kTable));
  return *kEntries;
}

absl::Span<const Entry> held_out() {
  static const auto* const kEntries = new std::vector<Entry>(read_table(kHeldOutTable));
  return *kEntries;
}

const Entry* entry_named(absl::string_view id) {
  for (const auto& list : {entries(), held_out()}) {
    for (const Entry& entry : list) {
      if (entry.id == id) return &entry;
    }
  }
  return nullptr;
}

Reaction react(const Entry& entry, const conform::Request& request) {
  const Entry* const one = &entry;
  return react(absl::MakeConstSpan(&one, 1), request);
}

Reaction react(absl::Span<const Entry* const> entries, const conform::Request& request) {
  if (request.op == "hello") return {conform::result_answer(request.id, hello_of(entries))};
  Reaction reaction{conform::answer(request, conform::Engine::kImpl)};
  const Answer right = reaction.answer;
  Json fields = request.fields;
  for (const Entry* entry : entries) {
    const Variant* variant = variant_named(entry->id);
    if (request.op != entry->operation || variant == nullptr) continue;
    const bool of_all = std::holds_alternative<OtherAnswer>(variant->wrong) ||
                        std::holds_alternative<Crash>(variant->wrong);
    if (!of_all && right.kind != Answer::Kind::kResult) continue;
    Reaction other{right};
    std::visit(Change{fields, other.answer, other.signal}, variant->wrong);
    if (other.signal == 0 && to_text(other.answer) == to_text(right)) continue;
    reaction = std::move(other);
    reaction.is_right = false;
    const auto* map = reaction.answer.result.as<std::string>();
    const bool goes_on = request.op == "map.simplify" && reaction.signal == 0 && map != nullptr;
    if (!goes_on || !parse_map(*map).ok()) return reaction;
    set(fields, "map", *map);
  }
  return reaction;
}

conform::Verdict verdict_on(absl::Span<const Entry* const> entries, const Json& request) {
  const Reaction reaction =
      react(entries, {Json(1), *find(request, "op")->as<std::string>(), request});
  if (reaction.signal != 0) return conform::Verdict::kCrash;
  return reaction.is_right ? conform::Verdict::kPass : judge(request, reaction.answer).verdict;
}

conform::Verdict verdict_on(const Entry& entry, const Json& request) {
  const Entry* const one = &entry;
  return verdict_on(absl::MakeConstSpan(&one, 1), request);
}

absl::Status check_written(const Entry& entry) {
  const std::string id(entry.id);
  if (!entry.rule.empty()) {
    const absl::Status read = parse_rules(entry.rule).status();
    if (!read.ok()) {
      return conform::invalid("the rule of ", id, ": ", read.message());
    }
  }
  if (variant_named(entry.id) != nullptr) return absl::OkStatus();
  return conform::invalid(id, " has no wrong part in conform/zoo");
}

void respond_wrongly(absl::Span<const Entry* const> entries) {
  for (std::string line; std::getline(std::cin, line);) {
    const std::variant<conform::Request, Answer> read = conform::read_request(line);
    const auto* request = std::get_if<conform::Request>(&read);
    const Reaction reaction =
        request == nullptr ? Reaction{std::get<Answer>(read)} : react(entries, *request);
    if (reaction.signal != 0) crash(reaction.signal);
    std::cout << to_text(reaction.answer) << "\n" << std::flush;
  }
}

std::vector<const conform::Suite*> suites_that_ask(absl::string_view operation) {
  std::vector<const conform::Suite*> suites;
  for (const conform::Suite& suite : conform::suites()) {
    if (suite.by_default != conform::ByDefault::kNotAsked && asks(suite, operation))
      suites.push_back(&suite);
  }
  return suites;
}

std::vector<const conform::Suite*> suites_of_zoo() {
  std::vector<const conform::Suite*> suites;
  for (const conform::Suite& suite : conform::suites()) {
    if (suite.by_default != conform::ByDefault::kNotAsked) suites.push_back(&suite);
  }
  return suites;
}

constexpr conform::Milliseconds kTime{10'000};  // the time to catch an entry
constexpr int kShrunk = 3;                      // failures that are shrunk
constexpr int64_t kAfter = 300;  // requests after it is caught, for a smaller counterexample

absl::StatusOr<Caught> judge_entry(const std::string& program, const Entry& entry, uint64_t seed,
                                   conform::RightAnswers* known) {
  conform::ConformOptions options;
  options.right_answers = known;
  options.command = {program, "zoo", "--respond", std::string(entry.id)};
  options.seed = seed;
  options.time = kTime;
  options.budget.shrunk = kShrunk;
  options.budget.doubtful = 0;
  options.suites = suites_that_ask(entry.operation);
  Caught result;
  int64_t after = 0;
  const auto start = std::chrono::steady_clock::now();
  options.go_on = [&](conform::Verdict verdict) {
    if (result.caught) return ++after < kAfter;
    ++result.requests;
    result.caught = fails(verdict);
    if (result.caught) result.verdict = verdict;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return true;
  };
  conform::Report report = TRY(conform::conform(options));
  // The shortest of the failures that were shrunk; of all, if none was.
  std::tuple<bool, size_t, std::string> best = {true, SIZE_MAX, ""};
  for (const auto& [key, failure] : report.failures) {
    if (report.records[key].verdict != result.verdict) continue;
    const conform::Failing& found = failure.shown();
    const std::string text = to_text(found.request);
    const std::tuple rank(!failure.smallest.has_value(), text.size(), text);
    if (rank >= best) continue;
    result.smallest = found;
    best = rank;
  }
  return result;
}

absl::StatusOr<conform::Report> judge_right(const std::string& program, const std::string& engine,
                                            uint64_t seed, conform::RightAnswers* known) {
  conform::ConformOptions options;
  options.right_answers = known;
  options.command = {program, "respond", "--engine", engine};
  options.seed = seed;
  options.timeout = conform::Milliseconds(10'000);  // the machine may be busy
  return conform::conform(options);
}

}  // namespace tileproof::zoo
