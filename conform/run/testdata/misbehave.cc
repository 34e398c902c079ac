// SPDX-License-Identifier: Apache-2.0
// Programs under test that each misbehave in one way: `misbehave MODE`.
//
//     misbehave wrong     adds 1 to every offset but 0
//     misbehave crash     crashes when asked for layout.delinearize
//
// Otherwise they answer by the closed forms. Together they provoke every verdict of the judge.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conform/oracle/fields.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/protocol.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

struct Program {
  Json hello = json_object({{"name", "misbehave"}});  // its answer to hello
  std::function<void(const Request&)> reply;          // may print an answer, or not
};

void put(const std::string& line) { std::cout << line << "\n" << std::flush; }
Answer right(const Request& request) { return answer(request, Engine::kImpl); }
void put_right(const Request& request) { put(to_text(right(request))); }
void sleep_for_ever() {
  while (true) ::pause();
}

// The requests that only_unlucky() programs treat wrongly.
bool unlucky(const Request& request) { return request.op == "layout.delinearize"; }

Program only_unlucky(std::function<void(const Request&)> mistake) {
  return {.reply = [mistake = std::move(mistake)](const Request& request) {
    unlucky(request) ? mistake(request) : put_right(request);
  }};
}

Program with_hello(Program program, std::initializer_list<Member> members) {
  for (const Member& member : members) set(program.hello, member.key, member.value);
  return program;
}

// Adds 1 to every offset but 0.
void put_one_too_many(const Request& request) {
  Answer answer = right(request);
  if (auto* offset = answer.result.as<int64_t>(); offset != nullptr && *offset > 0) ++*offset;
  put(to_text(answer));
}

// Answers as if the layout of the shape were another one.
Program with_layout(std::function<void(Layout&)> change) {
  return {.reply = [change = std::move(change)](const Request& request) {
    const auto* text = find_as<std::string>(request.fields, "shape");
    absl::StatusOr<Shape> shape = parse_shape(text == nullptr ? "" : *text);
    if (!shape.ok() || !shape->layout) return put_right(request);
    change(*shape->layout);
    Request changed = request;
    set(changed.fields, "shape", to_text(*shape));
    put_right(changed);
  }};
}

void reverse_order(Layout& layout) {
  std::reverse(layout.minor_to_major.begin(), layout.minor_to_major.end());
}

void reverse_second_tile(Layout& layout) {
  if (layout.tiles.size() < 2) return;
  std::reverse(layout.tiles[1].dims.begin(), layout.tiles[1].dims.end());
}

// Holds eight answers and then prints them in reverse order. Prints the rest after request 45, the
// last one of its test.
Program disorder() {
  auto held = std::make_shared<std::vector<std::string>>();
  return with_hello({.reply =
                         [held](const Request& request) {
                           held->push_back(to_text(right(request)));
                           const bool all = request.id == Json(45);
                           while (!held->empty() && (held->size() == 8 || all)) {
                             for (auto line = held->rbegin(); line != held->rend(); ++line) {
                               put(*line);
                             }
                             held->clear();
                           }
                         }},
                    {{"window", 8}});
}

Program strings(bool promise_kept) {
  return with_hello({.reply =
                         [promise_kept](const Request& request) {
                           Request plain = request;
                           plain.fields = *integers_from_strings(request.fields);
                           Answer answer = right(plain);
                           if (promise_kept) answer.result = integers_to_strings(answer.result);
                           put(to_text(answer));
                         }},
                    {{"integers", "string"}, {"window", 4}});
}

// Exits if a request exceeds its limits or has no parsed form.
Program limited() {
  const auto reply = [](const Request& request) {
    const Json* parsed = find(request.fields, "parsed");
    if (parsed == nullptr || request.op == "layout.linearize") std::exit(9);
    const Json* shape = find(*parsed, "shape");
    const Json* dims = shape == nullptr ? nullptr : find(*shape, "dims");
    const Json* tiles = shape == nullptr ? nullptr : find(*shape, "tiles");
    if (dims != nullptr && dims->as<Json::Array>()->size() > 2) std::exit(9);
    if (tiles != nullptr && tiles->as<Json::Array>()->size() > 1) std::exit(9);
    const Answer answer = right(request);
    if (const Json* bytes = find(answer.result, "bytes"); bytes != nullptr) {
      if (*bytes->as<int64_t>() >= int64_t{1} << 31) std::exit(9);
    }
    put(to_text(answer));
  };
  return with_hello({.reply = reply},
                    {{"limits", json_object({{"rank", 2}, {"tiles", 1}, {"bits", 32}})},
                     {"ops", Json::Array{"layout.physical", "layout.delinearize"}},
                     {"parsed", true}});
}

// Answers a request wrongly the first time, and rightly when asked again.
Program flaky() {
  auto seen = std::make_shared<std::set<std::string>>();
  return {.reply = [seen](const Request& request) {
    Json question = request.fields;
    remove(question, "id");
    seen->insert(to_text(question)).second ? put_one_too_many(request) : put_right(request);
  }};
}

bool divides(const IndexingMap& map, const Node& node, Op op, bool negative) {
  if (node.op != op || map.nodes[node.right].op != Op::kConstant) return false;
  return (map.nodes[node.right].value < 0) == negative;
}

// Returns the map unchanged but for five mistakes, each about one feature:
//     x ceildiv c        becomes x floordiv c
//     x mod -c           becomes x mod c
//     x floordiv -c      becomes x floordiv c
//     a constraint whose interval is one value above 0 is dropped
//     a bound near 2^63 loses 1
void put_with_five_mistakes(const Request& request) {
  Answer answer = right(request);
  absl::StatusOr<IndexingMap> map = map_under(request.fields, "map");
  if (!map.ok() || answer.kind != Answer::Kind::kResult) return put(to_text(answer));
  for (size_t i = 0; i < map->nodes.size(); ++i) {
    Node& node = map->nodes[i];
    if (node.op == Op::kCeilDiv) node.op = Op::kFloorDiv;
    for (Op op : {Op::kMod, Op::kFloorDiv}) {
      if (!divides(*map, node, op, true)) continue;
      Node& divisor = map->nodes[node.right];
      if (divisor.value != INT64_MIN) divisor.value = -divisor.value;
    }
  }
  std::erase_if(map->constraints, [](const Constraint& constraint) {
    return constraint.interval.low > 0 && constraint.interval.low == constraint.interval.high;
  });
  for (Variable& variable : map->dimensions) {
    if (variable.bounds.high > INT64_MAX - 1000) --variable.bounds.high;
  }
  answer.result = to_text(*map);
  put(to_text(answer));
}

// Relates everything to everything, and says that this is inexact.
void put_everything(const Request& request) {
  Answer answer = right(request);
  auto* lists = answer.result.as<Json::Array>();
  const auto* text = find_as<std::string>(request.fields, "hlo");
  if (lists == nullptr || text == nullptr || text->find("reverse") == std::string::npos) {
    return put(to_text(answer));
  }
  Json::Array inexact;
  for (Json& list : *lists) {
    for (Json& item : *list.as<Json::Array>()) {
      const auto* map_text = item.as<std::string>();
      absl::StatusOr<IndexingMap> map = parse_map(map_text == nullptr ? "" : *map_text);
      if (!map.ok() || map->results.size() != map->dimensions.size()) continue;
      for (size_t i = 0; i < map->results.size(); ++i) {
        map->ranges.push_back({map->dimensions[i].bounds, ""});
        map->results[i] = add_variable(map->nodes, Op::kRange, std::ssize(map->ranges) - 1);
      }
      item = to_text(*map);
    }
    inexact.push_back(std::ssize(inexact));
  }
  answer.inexact = std::move(inexact);
  put(to_text(answer));
}

// A slice reads its whole operand, and nothing says that this is inexact.
void put_whole_operand(const Request& request) {
  Answer answer = right(request);
  const absl::StatusOr<HloQuestion> question = read_hlo_question(request.fields);
  if (!question.ok() || question->is_inverse() || question->scope != Scope::kInstruction) {
    return put(to_text(answer));
  }
  const HloComputation& computation = question->module.computations[question->computation];
  const HloInstruction& at = computation.instructions[question->instruction];
  auto* lists = answer.result.as<Json::Array>();
  if (at.opcode != HloOpcode::kSlice || lists == nullptr) return put(to_text(answer));
  for (Json& item : *lists->front().as<Json::Array>()) {
    const auto* text = item.as<std::string>();
    absl::StatusOr<IndexingMap> map = parse_map(text == nullptr ? "" : *text);
    if (!map.ok()) continue;
    const Shape& operand = *computation.instructions[at.operands[0].instruction].shape;
    for (size_t i = 0; i < map->results.size(); ++i) {
      map->ranges.push_back({{0, operand.dimensions[i].size - 1}, ""});
      map->results[i] = add_variable(map->nodes, Op::kRange, static_cast<int64_t>(i));
    }
    item = to_text(*map);
  }
  put(to_text(answer));
}

// Returns every map as it was given.
void put_echo(const Request& request) {
  Answer answer = right(request);
  const Json* map = find(request.fields, "map");
  if (answer.kind == Answer::Kind::kResult && map != nullptr) answer.result = *map;
  put(to_text(answer));
}

// Ends like a program of Python, with one exception at invalid requests and another one at tiles that
// combine dimensions.
void put_or_raise(const Request& request) {
  const auto raise = [](const char* exception) {
    std::cerr << "Traceback (most recent call last):\n" << exception << "\n" << std::flush;
    std::exit(1);
  };
  const Json* shape = find(request.fields, "shape");
  const auto* text = shape == nullptr ? nullptr : shape->as<std::string>();
  const Answer answer = right(request);
  if (answer.kind == Answer::Kind::kError) raise("KeyError: 'shape'");
  if (text != nullptr && text->find("T(*") != std::string::npos) {
    raise("TypeError: unsupported operand type(s) for //: 'int' and 'NoneType'");
  }
  put(to_text(answer));
}

// Crashes at every fifth request for layout.delinearize, whatever it asks.
Program crash_now_and_then(std::function<void(const Request&)> crash) {
  auto asked = std::make_shared<int>(0);
  return only_unlucky([asked, crash = std::move(crash)](const Request& request) {
    ++*asked % 5 == 0 ? crash(request) : put_right(request);
  });
}

std::map<std::string, Program> programs() {
  const auto crash = [](const Request&) {
    std::signal(SIGSEGV, SIG_DFL);  // otherwise a sanitizer catches it
    std::raise(SIGSEGV);
  };
  const auto refuse = [](const Request& r, absl::Status why) {
    put(to_text(failed_answer(r.id, why)));
  };
  std::map<std::string, Program> modes;
  modes["right"] = {.reply = put_right};
  modes["wrong"] = {.reply = put_one_too_many};
  modes["reversed-order"] = with_layout(reverse_order);
  modes["reversed-second-tile"] = with_layout(reverse_second_tile);
  modes["crash"] = only_unlucky(crash);
  modes["crash-in-window"] = with_hello(only_unlucky(crash), {{"window", 16}});
  modes["exit"] = only_unlucky([](const Request&) { std::exit(3); });
  modes["hang"] = only_unlucky([](const Request&) { sleep_for_ever(); });
  modes["hang-in-window"] = with_hello(modes["hang"], {{"window", 16}});
  modes["slow"] = {.reply = [](const Request& request) {
    ::usleep(20'000);
    put_right(request);
  }};
  modes["garbage"] = only_unlucky([](const Request&) { put("{\"id\": 1, \"result\""); });
  modes["banner"] = only_unlucky([](const Request& request) {
    put("starting up");
    put_right(request);
  });
  modes["exceptions"] = {.reply = put_or_raise};
  modes["afterword"] = only_unlucky([](const Request& request) {
    std::cout << to_text(right(request)) + "\nthat was easy\n" << std::flush;
  });
  modes["twice"] = only_unlucky([](const Request& request) {
    put_right(request);
    put_right(request);
  });
  modes["unknown-id"] = only_unlucky([](const Request& request) {
    Answer answer = right(request);
    answer.id = "who?";
    put(to_text(answer));
  });
  modes["two-results"] = only_unlucky([](const Request& request) {
    Json json = to_json(right(request));
    set(json, "result", 1);
    set(json, "unsupported", "and so on");
    put(to_text(json));
  });
  modes["endless-line"] = only_unlucky([](const Request&) {
    std::cout << std::string(kMaxLineBytes + 10, 'x') << std::flush;
    sleep_for_ever();
  });
  modes["flood"] = only_unlucky([](const Request&) {
    while (std::cout << "and so on\n") {
    }
    sleep_for_ever();
  });
  modes["piecemeal"] = {.reply = [](const Request& request) {
    for (char byte : to_text(right(request))) std::cout << byte << std::flush;
    std::cout << "\n" << std::flush;
  }};
  modes["other-spelling"] = {.reply = [](const Request& request) {
    const Json json = to_json(right(request));
    std::string line = "}";
    for (const Member& member : *json.as<Json::Object>()) {  // writes members in reverse order
      const std::string text = to_text(Json(member.key)) + " :\t" + to_text(member.value);
      line = text + (line == "}" ? " " : ", ") + line;
    }
    put("{ " + line + " ");
  }};
  modes["padded-id"] = only_unlucky([](const Request& request) {
    std::string line = to_text(right(request));
    put(line.insert(line.find(':') + 1, "0"));
  });
  modes["error"] = only_unlucky([refuse](const Request& request) {
    refuse(request, absl::InvalidArgumentError("I do not like it"));
  });
  modes["lenient"] = {.reply = [](const Request& request) {
    Answer answer = right(request);
    if (answer.kind == Answer::Kind::kError) answer = result_answer(request.id, 0);
    put(to_text(answer));
  }};
  modes["unsupported"] = {.reply = [refuse](const Request& request) {
    refuse(request, absl::UnimplementedError("everything"));
  }};
  modes["flaky"] = flaky();
  modes["disorder"] = disorder();
  modes["strings"] = strings(true);
  modes["bare-integers"] = strings(false);
  modes["limited"] = limited();
  modes["five-mistakes"] = {.reply = put_with_five_mistakes};
  modes["five-mistakes-and-crash"] = {.reply = [crash](const Request& request) {
    const auto* text = find_as<std::string>(request.fields, "map");
    const bool unlucky = text != nullptr && text->find("ceildiv") != std::string::npos;
    unlucky ? crash(request) : put_with_five_mistakes(request);
  }};
  modes["everything"] = {.reply = put_everything};
  modes["whole-operand"] = {.reply = put_whole_operand};
  modes["echo"] = {.reply = put_echo};
  modes["crash-now-and-then"] = crash_now_and_then(crash);
  modes["unknown-limit"] = with_hello(modes["right"], {{"limits", json_object({{"rnak", 2}})}});
  modes["window-of-zero"] = with_hello(modes["right"], {{"window", 0}});
  modes["debug"] = with_hello({.reply =
                                   [](const Request& request) {
                                     find(request.fields, "parsed") == nullptr ? std::exit(9)
                                                                               : put_right(request);
                                   }},
                              {{"parsed", true}});
  modes["parsed-wrong"] = with_hello(
      {.reply =
           [](const Request& request) {
             find(request.fields, "parsed") == nullptr ? std::exit(9) : put_one_too_many(request);
           }},
      {{"parsed", true}});
  return modes;
}

int run(const std::string& mode) {
  if (mode == "deaf") sleep_for_ever();         // never reads
  if (mode == "closed") ::close(STDIN_FILENO);  // cannot be written to
  if (mode == "closed") sleep_for_ever();
  if (mode == "ends-at-once") return 4;
  const bool shy = mode == "no-hello";
  const bool dies_of_hello = mode == "dies-of-hello";
  const bool stubborn = mode == "stubborn";
  std::map<std::string, Program> modes = programs();
  const Program program = modes.contains(mode) ? modes[mode] : modes["right"];
  for (std::string line; std::getline(std::cin, line);) {
    const std::variant<Request, Answer> read = read_request(line);
    if (!std::holds_alternative<Request>(read)) return 5;
    const Request& request = std::get<Request>(read);
    if (mode == "debug") put("DEBUG here " + request.op);
    if (request.op != "hello") {
      program.reply(request);
    } else if (dies_of_hello) {
      return 6;
    } else if (!shy) {
      put(to_text(result_answer(request.id, program.hello)));
    }
  }
  if (stubborn) sleep_for_ever();
  return 0;
}

}  // namespace
}  // namespace tileproof::conform

int main(int argc, char** argv) { return tileproof::conform::run(argc > 1 ? argv[1] : ""); }
