// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "fuzz/campaign/files.h"

namespace tileproof::campaign {
namespace {

using conform::find;
using conform::Json;
using conform::json_object;

constexpr int64_t kVersion = 1;
constexpr size_t kMaxSamples = 400;

// Returns a member of that type, or the empty value.
template <class T>
T member(const Json& json, absl::string_view key) {
  const Json* found = find(json, key);
  const T* value = found == nullptr ? nullptr : found->as<T>();
  return value == nullptr ? T() : *value;
}

template <class T>
std::vector<T> list_of(const Json& json, absl::string_view key, T (*read)(const Json&)) {
  std::vector<T> list;
  for (const Json& item : member<Json::Array>(json, key)) list.push_back(read(item));
  return list;
}

Json to_json(const Sample& sample) {
  return std::vector<int64_t>{sample.milliseconds, sample.executions, sample.edges, sample.features,
                              sample.inputs};
}

Sample sample_of(const Json& json) {
  std::vector<int64_t> numbers;
  if (const Json::Array* array = json.as<Json::Array>()) {
    for (const Json& item : *array) {
      if (const int64_t* number = item.as<int64_t>()) numbers.push_back(*number);
    }
  }
  numbers.resize(5);
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

Json to_json(const TargetState& target) {
  Json::Array samples;
  for (const Sample& sample : target.samples) samples.push_back(to_json(sample));
  return json_object({{"name", target.name},
                      {"executions", target.executions},
                      {"milliseconds", target.milliseconds},
                      {"merged", target.merged},
                      {"samples", std::move(samples)}});
}

TargetState target_of(const Json& json) {
  return {member<std::string>(json, "name"), member<int64_t>(json, "executions"),
          member<int64_t>(json, "milliseconds"), member<int64_t>(json, "merged"),
          list_of<Sample>(json, "samples", sample_of)};
}

Json to_json(const Finding& finding) {
  return json_object(
      {{"target", finding.target},
       {"key", finding.key},
       {"cause", finding.cause},
       {"line", finding.line},
       {"input", finding.input},
       {"minimised", finding.minimized},
       {"gone", finding.gone},
       {"count", finding.count},
       {"seen", finding.seen},
       {"artifacts", Json(Json::Array(finding.artifacts.begin(), finding.artifacts.end()))}});
}

std::string string_of(const Json& json) {
  const std::string* text = json.as<std::string>();
  return text == nullptr ? std::string() : *text;
}

Finding finding_of(const Json& json) {
  Finding finding;
  finding.target = member<std::string>(json, "target");
  finding.key = member<std::string>(json, "key");
  finding.cause = member<std::string>(json, "cause");
  finding.line = member<std::string>(json, "line");
  finding.input = member<std::string>(json, "input");
  finding.minimized = member<bool>(json, "minimised");
  finding.gone = member<bool>(json, "gone");
  finding.count = member<int64_t>(json, "count");
  finding.seen = member<std::string>(json, "seen");
  finding.artifacts = list_of<std::string>(json, "artifacts", string_of);
  return finding;
}

}  // namespace

TargetState& state_of(State& state, const std::string& target) {
  for (TargetState& found : state.targets) {
    if (found.name == target) return found;
  }
  state.targets.push_back({});
  state.targets.back().name = target;
  return state.targets.back();
}

void add_sample(TargetState& target, const Sample& sample) {
  std::vector<Sample>& samples = target.samples;
  samples.push_back(sample);
  if (samples.size() <= kMaxSamples) return;
  size_t kept = 1;
  for (size_t i = 2; i + 1 < samples.size(); i += 2) samples[kept++] = samples[i];
  samples[kept++] = samples.back();
  samples.resize(kept);
}

absl::StatusOr<State> read_state(const std::filesystem::path& file) {
  const absl::StatusOr<std::string> text = read_file(file);
  if (absl::IsNotFound(text.status())) return State{};
  if (!text.ok()) return text.status();
  const absl::StatusOr<conform::JsonText> json = conform::read_json(*text);
  if (!json.ok() || member<int64_t>(json->value, "version") != kVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.string(), ": expected the state of a campaign, version ", kVersion,
                     json.ok() ? "" : ": ", std::string(json.status().message())));
  }
  State state;
  state.campaigns = member<int64_t>(json->value, "campaigns");
  state.milliseconds = member<int64_t>(json->value, "milliseconds");
  state.targets = list_of<TargetState>(json->value, "targets", target_of);
  state.findings = list_of<Finding>(json->value, "findings", finding_of);
  return state;
}

absl::Status write_state(const std::filesystem::path& file, const State& state) {
  Json::Array targets, findings;
  for (const TargetState& target : state.targets) targets.push_back(to_json(target));
  for (const Finding& finding : state.findings) findings.push_back(to_json(finding));
  return write_file(file,
                    absl::StrCat(conform::to_text(json_object({{"version", kVersion},
                                                               {"campaigns", state.campaigns},
                                                               {"milliseconds", state.milliseconds},
                                                               {"targets", std::move(targets)},
                                                               {"findings", std::move(findings)}})),
                                 "\n"));
}

}  // namespace tileproof::campaign
