// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/state.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "conform/protocol/json.h"
#include "fuzz/campaign/files.h"

namespace tileproof::campaign {
namespace {

using conform::Json;
using conform::json_object;

constexpr int64_t kVersion = 1;

// The members of each object in the file, for reading and writing.
void each_member(TargetState& target, auto member) {
  member("name", target.name);
  member("executions", target.executions);
  member("milliseconds", target.milliseconds);
  member("samples", target.samples);
}

void each_member(Finding& finding, auto member) {
  member("target", finding.target);
  member("key", finding.key);
  member("cause", finding.cause);
  member("line", finding.line);
  member("input", finding.input);
  member("minimised", finding.minimized);
  member("gone", finding.gone);
  member("count", finding.count);
  member("seen", finding.seen);
}

void each_member(State& state, auto member) {
  member("campaigns", state.campaigns);
  member("milliseconds", state.milliseconds);
  member("targets", state.targets);
  member("findings", state.findings);
}

template <class T>
concept IsObject = requires(T& value) {
  each_member(value, [](const char*, auto&) {});
};

template <class T>
concept IsList = requires(T& list) {
  list.emplace_back();
};

Json json_of(Sample& sample) {
  return std::vector<int64_t>{sample.milliseconds, sample.executions, sample.edges, sample.features,
                              sample.inputs};
}

template <class T>
Json json_of(T& value) {
  if constexpr (IsObject<T>) {
    Json json = json_object({});
    each_member(value, [&](const char* key, auto& of) { conform::set(json, key, json_of(of)); });
    return json;
  } else if constexpr (IsList<T>) {
    Json::Array list;
    for (auto& item : value) list.push_back(json_of(item));
    return list;
  } else {
    return value;
  }
}

void read(const Json& json, Sample& sample) {
  std::vector<int64_t> numbers = conform::integers(json).value_or(std::vector<int64_t>());
  numbers.resize(5);
  sample = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

// A member that is missing, or of another type, keeps its value.
template <class T>
void read(const Json& json, T& value) {
  if constexpr (IsObject<T>) {
    each_member(value, [&](const char* key, auto& of) {
      if (const Json* found = conform::find(json, key)) read(*found, of);
    });
  } else if constexpr (IsList<T>) {
    if (const Json::Array* found = json.as<Json::Array>()) {
      for (const Json& item : *found) read(item, value.emplace_back());
    }
  } else if (const T* found = json.as<T>()) {
    value = *found;
  }
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

Finding* finding_of(State& state, const std::string& target, const std::string& key) {
  for (Finding& finding : state.findings) {
    if (finding.target == target && finding.key == key) return &finding;
  }
  return nullptr;
}

void add_sample(TargetState& target, const Sample& sample) {
  std::vector<Sample>& samples = target.samples;
  const size_t size = samples.size();
  const auto is_same = [&](const Sample& other) {
    return other.features == sample.features && other.edges == sample.edges;
  };
  if (size > 1 && is_same(samples[size - 1]) && is_same(samples[size - 2])) samples.pop_back();
  samples.push_back(sample);
}

absl::StatusOr<State> read_state(const std::filesystem::path& file) {
  const absl::StatusOr<std::string> text = read_file(file);
  if (absl::IsNotFound(text.status())) return State{};
  if (!text.ok()) return text.status();
  const absl::StatusOr<conform::JsonText> json = conform::read_json(*text);
  const Json* version = json.ok() ? conform::find(json->value, "version") : nullptr;
  if (version == nullptr || *version != Json(kVersion)) {
    return absl::InvalidArgumentError(
        absl::StrCat(file.string(), ": expected the state of a campaign, version ", kVersion,
                     json.ok() ? "" : ": ", std::string(json.status().message())));
  }
  State state;
  read(json->value, state);
  return state;
}

absl::Status write_state(const std::filesystem::path& file, State state) {
  Json json = json_of(state);
  conform::set(json, "version", kVersion);
  return write_file(file, absl::StrCat(conform::to_text(json), "\n"));
}

}  // namespace tileproof::campaign
