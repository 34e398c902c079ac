// SPDX-License-Identifier: Apache-2.0
// Tests plug-ins through the protocol: each function with a table in this process, and each way to
// misbehave with a library in a child process.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "conform/plugin/plugin_call.h"
#include "conform/run/conform.h"
#include "conform/run/conform_testing.h"
#include "conform/run/questions.h"
#include "corpus/paths.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// ---- Requests and functions ----

tileproof_plugin empty_table() {
  tileproof_plugin table = {};
  table.version = TILEPROOF_PLUGIN_VERSION;
  table.size = sizeof table;
  return table;
}

int say(tileproof_reply* reply, const std::string& text, int returned = TILEPROOF_OK) {
  reply->say(reply, text.c_str());
  return returned;
}

std::string numbers(const int64_t* begin, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(begin[i]);
  return text;
}

TEST(PluginAnswer, PassesAllPartsOfAShape) {
  tileproof_plugin table = empty_table();
  table.layout_linearize = [](const tileproof_shape* s, const int64_t* indices, int64_t count,
                              int64_t*, tileproof_reply* reply) {
    return say(reply,
               std::string(s->text) + " " + s->element_type + " " +
                   std::to_string(s->element_bits) + " dims " + numbers(s->dims, s->rank) +
                   " order " + numbers(s->minor_to_major, s->rank) + " tiles " +
                   numbers(s->tile_ranks, s->tiles) + " of " + numbers(s->tile_sizes, 3) +
                   " tail " + std::to_string(s->tail_alignment) + " at " +
                   numbers(indices, count * s->rank),
               TILEPROOF_UNSUPPORTED);
  };
  EXPECT_EQ(
      plugin_answer_line(
          table,
          R"({"id":1,"op":"layout.linearize","shape":"bf16[3,<=5]{0,1:T(*,2)(4)L(8)E(4)}","indices":[[0,1],[2,3]]})"),
      R"({"id":1,"unsupported":"bf16[3,<=5]{0,1:T(*,2)(4)L(8)E(4)} bf16 4 dims 3,5 order 0,1 tiles 2,1 of )"
      R"(-9223372036854775808,2,4 tail 8 at 0,1,2,3"})");
}

TEST(PluginAnswer, AnswersOneOrManyOffsetsAndIndices) {
  tileproof_plugin table = empty_table();
  table.layout_linearize = [](const tileproof_shape* s, const int64_t* indices, int64_t count,
                              int64_t* offsets, tileproof_reply*) {
    for (int64_t i = 0; i < count; ++i) offsets[i] = 100 * indices[i * s->rank] + i;
    return int{TILEPROOF_OK};
  };
  table.layout_delinearize = [](const tileproof_shape* s, const int64_t* offsets, int64_t count,
                                int64_t* indices, unsigned char* is_padding, tileproof_reply*) {
    for (int64_t i = 0; i < count; ++i) {
      is_padding[i] = offsets[i] == 7 ? 1 : 0;
      std::fill_n(indices + i * s->rank, s->rank, offsets[i]);
    }
    return int{TILEPROOF_OK};
  };
  const auto ask = [&table](const std::string& op, const std::string& rest) {
    return plugin_answer_line(
        table, R"({"id":"a","op":"layout.)" + op + R"(","shape":"f32[9,9]{1,0}",)" + rest + "}");
  };
  EXPECT_EQ(ask("linearize", R"("index":[3,1])"), R"({"id":"a","result":300})");
  EXPECT_EQ(ask("linearize", R"("indices":[[3,1],[4,1]])"), R"({"id":"a","result":[300,401]})");
  EXPECT_EQ(ask("linearize", R"("indices":[])"), R"({"id":"a","result":[]})");
  EXPECT_EQ(ask("delinearize", R"("offset":5)"), R"({"id":"a","result":[5,5]})");
  EXPECT_EQ(ask("delinearize", R"("offset":7)"), R"({"id":"a","result":null})");
  EXPECT_EQ(ask("delinearize", R"("offsets":[7,1])"), R"({"id":"a","result":[null,[1,1]]})");
  EXPECT_THAT(ask("linearize", R"("index":[3])"), HasSubstr(R"("unsupported":"beyond)"));
  EXPECT_THAT(ask("linearize", R"("index":[3,18446744073709551616])"), HasSubstr("unsupported"));
  EXPECT_THAT(ask("linearize", R"("index":[3,1],"indices":[])"), HasSubstr("unsupported"));
  EXPECT_THAT(ask("physical", R"("index":[3])"), HasSubstr("unsupported"));
  for (const char* shape : {"f32[?]{0}", "token[]", "(f32[3]{0}, f32[3]{0})", "no shape"}) {
    EXPECT_THAT(
        plugin_answer_line(table, R"({"id":1,"op":"layout.linearize","index":[0],"shape":")" +
                                      std::string(shape) + R"("})"),
        HasSubstr("unsupported"))
        << shape;
  }
}

TEST(PluginAnswer, PassesAMapAsNodes) {
  tileproof_plugin table = empty_table();
  table.map_evaluate = [](const tileproof_map* map, const int64_t* dims, const int64_t* ranges,
                          const int64_t* runtime, int64_t* results, unsigned char* outside,
                          tileproof_reply*) {
    const char* const letters = "dsr";
    const int64_t* const values[] = {dims, ranges, runtime};
    std::vector<int64_t> at;
    for (int32_t i = 0; i <= map->result_nodes[0]; ++i) {
      const tileproof_node& node = map->nodes[i];
      const char* const kind = std::strchr(letters, node.op);
      at.push_back(node.op == 'c'    ? node.value
                   : kind != nullptr ? values[kind - letters][node.value]
                   : node.op == '+'  ? at[node.left] + at[node.right]
                                     : at[node.left] * at[node.right]);
    }
    results[0] = at.back();
    *outside = dims[0] > map->bounds[0].high ? 1 : 0;
    return int{TILEPROOF_OK};
  };
  table.map_simplify = [](const tileproof_map* map, tileproof_reply* reply) {
    return say(reply, map->text);
  };
  table.map_compose = [](const tileproof_map* first, const tileproof_map* second,
                         tileproof_reply* reply) {
    return say(reply, std::string(first->text) + " then " + second->text);
  };
  table.map_equal = [](const tileproof_map* left, const tileproof_map* right,
                       tileproof_reply* reply) {
    return say(reply, left->dims == right->dims ? R"({"equal":true})" : "no JSON");
  };
  const std::string map = R"("(d0)[s0]{rt0} -> (d0 * 4 + s0 + rt0), domain: d0 in [0, 9], s0 in )"
                          R"([0, 3], rt0 in [0, 1]")";
  const std::string other = R"j("() -> (3)")j";
  EXPECT_EQ(plugin_answer_line(table, R"({"id":1,"op":"map.evaluate","map":)" + map +
                                          R"(,"dims":[2],"ranges":[3],"runtime":[1]})"),
            R"({"id":1,"result":[12]})");
  EXPECT_EQ(plugin_answer_line(table, R"({"id":1,"op":"map.evaluate","map":)" + map +
                                          R"(,"dims":[10],"ranges":[3],"runtime":[1]})"),
            R"({"id":1,"result":null})");
  EXPECT_THAT(plugin_answer_line(table, R"({"id":1,"op":"map.evaluate","map":)" + map +
                                            R"(,"dims":[],"ranges":[3],"runtime":[1]})"),
              HasSubstr("unsupported"));
  EXPECT_EQ(plugin_answer_line(table, R"({"id":1,"op":"map.simplify","map":)" + map + "}"),
            R"({"id":1,"result":)" + map + "}");
  EXPECT_EQ(plugin_answer_line(table, R"({"id":1,"op":"map.compose","first":)" + other +
                                          R"(,"second":)" + other + "}"),
            R"j({"id":1,"result":"() -> (3) then () -> (3)"})j");
  EXPECT_EQ(plugin_answer_line(
                table, R"({"id":1,"op":"map.equal","left":)" + map + R"(,"right":)" + map + "}"),
            R"({"id":1,"result":{"equal":true}})");
  EXPECT_FALSE(read_answer(plugin_answer_line(table, R"({"id":1,"op":"map.equal","left":)" + map +
                                                         R"(,"right":)" + other + "}"))
                   .ok());
  EXPECT_THAT(plugin_answer_line(table, R"({"id":1,"op":"map.simplify","map":"KNOWN EMPTY"})"),
              HasSubstr("unsupported"));
}

TEST(PluginAnswer, PassesHloAndNestedLayoutsAsTexts) {
  tileproof_plugin table = empty_table();
  table.hlo_index = [](const tileproof_hlo* hlo, tileproof_reply* reply) {
    const std::string asked = std::string(hlo->text) + "," + hlo->direction + "," + hlo->scope +
                              "," + (hlo->instruction == nullptr ? "-" : hlo->instruction) + "," +
                              std::to_string(hlo->leaf);
    return say(reply, R"({"result":[[")" + asked + R"("]],"inexact":[0]})");
  };
  table.tla_offset = [](const char* layout, const char* coord, int64_t* offset, tileproof_reply*) {
    *offset = std::string(layout) == "(4,8):(8,1)" && std::string(coord) == "[[1,0],2]" ? 10 : 0;
    return int{TILEPROOF_OK};
  };
  table.tla_make = [](const char* tag, int64_t bits, int64_t rows, int64_t cols,
                      tileproof_reply* reply) {
    return say(reply, std::string(tag) + numbers(&bits, 1) + "," + numbers(&rows, 1) + "," +
                          numbers(&cols, 1));
  };
  table.tla_tile = [](const char* layout, const int64_t* tile, int64_t count,
                      tileproof_reply* reply) {
    return say(reply, std::string(layout) + numbers(tile, count));
  };
  EXPECT_EQ(
      plugin_answer_line(
          table, R"({"id":1,"op":"hlo.index","hlo":"x","direction":"input_to_output","input":2})"),
      R"({"id":1,"result":[["x,input_to_output,instruction,-,2"]],"inexact":[0]})");
  EXPECT_EQ(
      plugin_answer_line(
          table,
          R"({"id":1,"op":"hlo.index","hlo":"x","direction":"output_to_input","instruction":"r","scope":"computation","output":1})"),
      R"({"id":1,"result":[["x,output_to_input,computation,r,1"]],"inexact":[0]})");
  EXPECT_EQ(plugin_answer_line(
                table, R"j({"id":1,"op":"tla.offset","layout":"(4,8):(8,1)","coord":[[1,0],2]})j"),
            R"({"id":1,"result":10})");
  EXPECT_EQ(
      plugin_answer_line(
          table, R"({"id":1,"op":"tla.make","tag":"zN","element_bits":16,"rows":3,"cols":4})"),
      R"({"id":1,"result":"zN16,3,4"})");
  EXPECT_EQ(plugin_answer_line(table, R"({"id":1,"op":"tla.tile","layout":"4:1","tile":[2,3]})"),
            R"({"id":1,"result":"4:12,3"})");
}

TEST(PluginAnswer, DoesNotOfferNullFunctions) {
  tileproof_plugin table = empty_table();
  table.map_simplify = [](const tileproof_map*, tileproof_reply*) { return int{TILEPROOF_ERROR}; };
  table.max_tiles = 1;
  EXPECT_EQ(
      plugin_answer_line(table, R"({"id":0,"op":"hello","protocol":1})"),
      R"({"id":0,"result":{"name":"","version":"","ops":["map.simplify"],"limits":{"tiles":1},"window":64}})");
  EXPECT_EQ(plugin_answer_line(table, R"j({"id":1,"op":"map.simplify","map":"() -> (1)"})j"),
            R"({"id":1,"error":"no reason given"})");
  EXPECT_THAT(plugin_answer_line(table, R"({"id":1,"op":"map.equal","left":"","right":""})"),
              HasSubstr("unsupported"));
  EXPECT_THAT(plugin_answer_line(table, "no JSON"), HasSubstr(R"({"id":null,"error")"));
}

// ---- Libraries ----

ConformOptions options_for(const char* mode, int64_t count = 120) {
  ::setenv("TILEPROOF_TEST_PLUGIN", mode, 1);
  ConformOptions options;
  options.plugin = true;
  options.command = {build_path("bin/tileproof"), "respond", "--plugin",
                     build_path("conform/plugin/libmisbehaving_plugin.so")};
  options.suites = {suite_named("layout")};
  options.count = count;
  options.timeout = Milliseconds(20'000);  // the machine may be busy
  return options;
}

TEST(Plugin, PassesIfRightAndIsSwept) {
  const Report report = report_of(options_for("chatty"));
  EXPECT_EQ(exit_status(report), 0) << to_text(report);
  EXPECT_EQ(report.name, "misbehaving");
  EXPECT_GT(count(report, Verdict::kPass), 50);
  EXPECT_THAT(report.scope, Contains(HasSubstr("many at a time in the plug-in: 1")));
  EXPECT_THAT(report.scope, Not(Contains(HasSubstr(" 0 indices"))));
  EXPECT_THAT(report.scope, Contains(HasSubstr("layout.delinearize: not so simple")));
}

// Apart from the sweep, the report about a plug-in equals the report about a program.
TEST(Plugin, GetsTheVerdictsOfAProgramOnAPipe) {
  for (const char* mode : {"", "wrong", "error", "seven", "exit", "half-padding", "limited"}) {
    ConformOptions options = options_for(mode, 300);
    options.exhaustive = false;
    options.plugin = false;
    const Report pipe = report_of(options);
    options.plugin = true;
    Report plugin = report_of(options);
    const auto cases = static_cast<size_t>(std::count_if(
        plugin.records.begin(), plugin.records.end(), [](const Record&) { return true; }));
    ASSERT_GE(cases, pipe.records.size()) << mode;
    for (size_t i = 0; i < pipe.records.size(); ++i) {
      EXPECT_EQ(plugin.records[i].id, pipe.records[i].id) << mode;
      EXPECT_EQ(to_text(plugin.records[i].verdict), to_text(pipe.records[i].verdict)) << mode;
    }
  }
}

TEST(Plugin, GetsAVerdictForEveryWayToMisbehave) {
  const std::pair<const char*, Verdict> modes[] = {
      {"wrong", Verdict::kWrong},      {"unwritten", Verdict::kWrong},
      {"crash", Verdict::kCrash},      {"exit", Verdict::kCrash},
      {"throw", Verdict::kCrash},      {"beyond-end", Verdict::kProtocol},
      {"seven", Verdict::kProtocol},   {"half-padding", Verdict::kProtocol},
      {"no-padding", Verdict::kWrong}, {"rank-of-a-million", Verdict::kProtocol},
      {"error", Verdict::kError},      {"refuse", Verdict::kUnsupported},
  };
  for (const auto& [mode, verdict] : modes) {
    const Report report = report_of(options_for(mode, verdict == Verdict::kWrong ? 1200 : 120));
    EXPECT_GT(count(report, verdict), 0) << mode << "\n" << to_text(report);
    EXPECT_EQ(exit_status(report), verdict == Verdict::kUnsupported ? 0 : 1) << mode;
  }
}

TEST(Plugin, TimesOutIfSilent) {
  ConformOptions options = options_for("hang", 60);
  options.timeout = Milliseconds(300);
  const Report report = report_of(options);
  EXPECT_GE(count(report, Verdict::kTimeout), kStopAfter) << to_text(report);
}

// Only a sweep asks questions in long lists.
TEST(Plugin, SweepReportsAMistakeInLongListsAsARequest) {
  ConformOptions options = options_for("wrong-of-many", 60);
  const Report wrong = report_of(options);
  EXPECT_GT(count(wrong, Verdict::kWrong), 0) << to_text(wrong);
  ASSERT_FALSE(wrong.failures.empty());
  int64_t shrunk = 0;
  for (const auto& [key, failure] : wrong.failures) {
    if (!failure.smallest) continue;
    ++shrunk;
    EXPECT_EQ(std::ssize(*find(failure.smallest->request, "indices")->as<Json::Array>()), 65)
        << to_text(failure.smallest->request);
  }
  EXPECT_GT(shrunk, 0);
}

TEST(Plugin, SweepChargesACrashToTheRequestThatCausedIt) {
  const Report crash = report_of(options_for("crash-of-many", 60));
  EXPECT_GT(count(crash, Verdict::kCrash), 0) << to_text(crash);
  ASSERT_FALSE(crash.failures.empty());
  EXPECT_THAT(crash.failures.begin()->second.what, HasSubstr("signal 6"));
  EXPECT_THAT(to_text(crash.failures.begin()->second.request), HasSubstr("layout.linearize"));
}

TEST(Plugin, SweepReportsAnAnswerThatIsWrongOnce) {
  const Report report = report_of(options_for("unsteady", 1));
  EXPECT_THAT(report.beyond, ElementsAre(HasSubstr("right when asked again")));
  EXPECT_EQ(exit_status(report), 1);
}

TEST(Plugin, IsNotAskedBeyondItsLimits) {
  const Report report = report_of(options_for("limited", 300));
  EXPECT_EQ(exit_status(report), 0) << to_text(report);
  EXPECT_THAT(to_text(report), Not(HasSubstr("2147483648")));
}

TEST(Plugin, WithAnOlderTableOffersOnlyItsFunctions) {
  const Report report = report_of(options_for("older", 60));
  EXPECT_EQ(exit_status(report), 0) << to_text(report);
  EXPECT_THAT(report.names, Not(Contains("layout.delinearize")));
}

TEST(Plugin, RejectsLibrariesThatAreNotPlugins) {
  EXPECT_THAT(load_plugin("/no/such/library.so").status().message(), HasSubstr("cannot load"));
  EXPECT_THAT(load_plugin(build_path("conform/plugin/libno_plugin.so")).status().message(),
              HasSubstr("expected it to export tileproof_plugin_table"));
}

TEST(Plugin, ReportsACrashWhileLoading) {
  const Report report = report_of(options_for("crash-at-load"));
  EXPECT_EQ(count(report, Verdict::kCrash), kStopAfter);
  EXPECT_EQ(exit_status(report), 1);
}

// ---- Sweeps ----

TEST(Sweep, AsksForEachPlaceOfASmallArrayAndIsDeterminedByItsNumber) {
  int64_t whole = 0, large = 0;
  for (int64_t number = 0; number < 100; ++number) {
    const std::vector<Json> requests = swept_requests(7, number, {});
    EXPECT_EQ(Json(Json::Array(requests.begin(), requests.end())), Json([&] {
                const std::vector<Json> again = swept_requests(7, number, {});
                return Json::Array(again.begin(), again.end());
              }()));
    int64_t indices = 0, offsets = 0, elements = 0;  // offsets: that are no padding
    for (const Json& request : requests) {
      const Json right = right_answer(request);
      const Json* result = find(right, "result");
      ASSERT_NE(result, nullptr) << to_text(request);
      if (find(request, "offsets") != nullptr) {
        for (const Json& item : *result->as<Json::Array>()) offsets += item.is_null() ? 0 : 1;
      } else if (find(request, "indices") != nullptr) {
        indices += std::ssize(*result->as<Json::Array>());
      } else {
        elements = *find_as<int64_t>(*result, "elements");
      }
    }
    if (elements > kMaxSwept) {
      ++large;
    } else if (!requests.empty()) {
      ++whole;
      EXPECT_EQ(indices, offsets) << to_text(requests.front());
    }
  }
  EXPECT_GT(whole, 25);
  EXPECT_GT(large, 10);
}

TEST(Plugin, PassesIfSlow) {
  ConformOptions options = options_for("slow", 20);
  options.timeout = Milliseconds(4000);
  const Report report = report_of(options);
  EXPECT_EQ(exit_status(report), 0) << to_text(report);
}

}  // namespace
}  // namespace tileproof::conform
