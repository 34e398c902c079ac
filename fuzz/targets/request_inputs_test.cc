// SPDX-License-Identifier: Apache-2.0
// The seeds and mutations of the protocol's target get results for every operation, not only
// errors.
#include "fuzz/targets/request_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_split.h"
#include "conform/oracle/oracle.h"
#include "corpus/paths.h"
#include "fuzz/campaign/target.h"

namespace tileproof {
namespace {

constexpr int kMutations = 200;  // mutations of each seed

// Returns the operations that `hello` lists.
std::set<std::string> operations_of_hello() {
  const std::string text =
      conform::answer_line(conform::to_text(conform::hello_request()), conform::Engine::kImpl);
  std::set<std::string> names;
  const absl::StatusOr<conform::Answer> answer = conform::read_answer(text);
  if (!answer.ok()) return names;
  const conform::Json* ops = find(answer->result, "ops");
  const auto* list = ops == nullptr ? nullptr : ops->as<conform::Json::Array>();
  if (list == nullptr) return names;
  for (const conform::Json& name : *list) names.insert(*name.as<std::string>());
  return names;
}

// Returns the operations of the lines that get a result.
std::set<std::string> answered(absl::string_view text) {
  std::set<std::string> names;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const auto request = conform::read_request(line);
    const auto* good = std::get_if<conform::Request>(&request);
    if (good == nullptr) continue;
    const conform::Answer answer = conform::answer(*good, conform::Engine::kImpl);
    if (answer.kind == conform::Answer::Kind::kResult) names.insert(good->op);
  }
  return names;
}

// Returns the seeds that get a result, by operation.
std::map<std::string, std::vector<std::string>> answered_seeds() {
  const auto& targets = campaign::all_targets();
  const auto target = std::find_if(targets.begin(), targets.end(),
                                   [](const auto& t) { return t.name == "protocol"; });
  std::vector<std::string> notes;
  std::map<std::string, std::vector<std::string>> seeds;
  for (const campaign::Seed& seed : campaign::seeds_of(*target, project_path("corpus"), notes)) {
    for (const std::string& name : answered(seed.content)) seeds[name].push_back(seed.content);
  }
  return seeds;
}

TEST(RequestInputs, EveryOperationOfHelloHasASeedWithAResult) {
  const auto seeds = answered_seeds();
  const std::set<std::string> names = operations_of_hello();
  EXPECT_GE(names.size(), 23u);
  for (const std::string& name : names) EXPECT_TRUE(seeds.contains(name)) << name;
}

TEST(RequestInputs, MutatedSeedsOfEveryOperationOftenHaveAResult) {
  for (const auto& [name, seeds] : answered_seeds()) {
    Choose choose(Choose::Random{1});
    std::set<std::string> different;
    for (size_t i = 0; i < kMutations; ++i) {
      const std::string& seed = seeds[i % seeds.size()];
      const std::string text = mutated_requests(choose, seed);
      if (text != seed && answered(text).contains(name)) different.insert(text);
    }
    EXPECT_GE(different.size(), kMutations / 20u) << name;
  }
}

TEST(RequestInputs, RandomRequestsHaveResultsOfEveryOperation) {
  Choose choose(Choose::Random{2});
  std::set<std::string> names;
  for (int i = 0; i < 12000; ++i) names.merge(answered(random_request(choose)));
  for (const std::string& name : operations_of_hello()) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(RequestInputs, MutationsChangeDoubleDropAndSwapLines) {
  const std::string a = R"x({"id":1,"op":"map.simplify","map":"() -> (1)"})x";
  const std::string b = R"({"id":2,"op":"layout.physical","shape":"f32[2]"})";
  Choose choose(Choose::Random{3});
  std::set<std::string> made;
  bool one_changed = false;
  for (int i = 0; i < 400; ++i) {
    const std::string text = mutated_requests(choose, a + "\n" + b);
    const std::vector<std::string> lines = absl::StrSplit(text, '\n');
    one_changed |= lines.size() == 2 && (lines[0] == a) != (lines[1] == b);
    made.insert(text);
  }
  EXPECT_TRUE(one_changed);
  for (const std::string& text : {a, b, a + "\n" + a + "\n" + b, b + "\n" + a}) {
    EXPECT_TRUE(made.contains(text)) << text;
  }
}

TEST(RequestInputs, InvalidRequestsBecomeValidAndInputsStayShort) {
  Choose choose(Choose::Random{4});
  std::string text = "{\"id\":";
  for (int i = 0; i < 400; ++i) {
    text = mutated_requests(choose, text);
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), int64_t{kMaxRequests}) << text;
  }
  int read = 0;
  for (const char* none : {"", "[]", "{}", "7", "{\"id\":", "\xff"}) {
    for (int i = 0; i < 20; ++i) read += !answered(mutated_requests(choose, none)).empty();
  }
  EXPECT_GT(read, 60);
}

}  // namespace
}  // namespace tileproof
