// SPDX-License-Identifier: Apache-2.0
#include "conform/run/sweep.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conform/suites/suites.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

using Index = std::vector<int64_t>;

constexpr int64_t kSampled = 256;  // indices, and offsets, that are asked of a larger array
constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;

Json request_about(absl::string_view op, const SweptLayout& swept, absl::string_view key,
                   Json value) {
  return json_object(
      {{"op", op}, {"shape", to_text(swept.shape)}, {std::string(key), std::move(value)}});
}

// Index `number` of swept.indices.
Index index_at(const SweptLayout& swept, size_t number) {
  const size_t rank = swept.layout.logical().size();
  const auto start = swept.indices.begin() + static_cast<int64_t>(number * rank);
  return Index(start, start + static_cast<int64_t>(rank));
}

// Asks for every index, in row-major order, and for every offset.
void ask_all(SweptLayout& swept) {
  const Index& dims = swept.layout.logical();
  swept.buffer = spec::buffer(swept.layout);
  swept.count = 1;
  for (int64_t size : dims) swept.count *= size;
  swept.indices.reserve(static_cast<size_t>(swept.count) * dims.size());
  Index index(dims.size(), 0);
  for (int64_t id = 0; id < swept.count; ++id) {
    swept.indices.insert(swept.indices.end(), index.begin(), index.end());
    next_index(dims, index);
  }
  swept.positions.resize(swept.buffer->size());
  std::iota(swept.positions.begin(), swept.positions.end(), 0);
}

void ask_some(SweptLayout& swept, Choose& choose) {
  const Index& dims = swept.layout.logical();
  if (std::find(dims.begin(), dims.end(), 0) == dims.end()) swept.count = kSampled;
  for (int64_t i = 0; i < swept.count; ++i) {
    const Index index = random_index(choose, dims);
    swept.indices.insert(swept.indices.end(), index.begin(), index.end());
  }
  for (int64_t i = 0; i < kSampled; ++i) {
    swept.positions.push_back(random_index(choose, {swept.layout.elements()})[0]);
  }
}

Json counts(const std::map<std::string, int64_t>& map) {
  Json json = Json::Object();
  for (const auto& [key, count] : map) set(json, key, count);
  return json;
}

bool read_counts(const Json* json, std::map<std::string, int64_t>& map) {
  const auto* object = json == nullptr ? nullptr : json->as<Json::Object>();
  if (object == nullptr) return false;
  for (const Member& member : *object) {
    const int64_t* count = member.value.as<int64_t>();
    if (count == nullptr) return false;
    map[member.key] = *count;
  }
  return true;
}

bool read_integer(const Json& json, absl::string_view key, int64_t& value) {
  const auto* integer = find_as<int64_t>(json, key);
  if (integer != nullptr) value = *integer;
  return integer != nullptr;
}

bool read_list(const Json* json, std::vector<Json>& list) {
  const auto* array = json == nullptr ? nullptr : json->as<Json::Array>();
  if (array != nullptr) list = *array;
  return array != nullptr;
}

}  // namespace

std::optional<SweptLayout> swept_layout(uint64_t seed, int64_t number, const Limits& limits) {
  Choose choose(
      Choose::Random{(seed + 1) * kOdd ^ static_cast<uint64_t>(number) * 0xd1342543de82ef95});
  const int64_t bits = std::clamp<int64_t>(limits.bits.value_or(64), 8, 64) - 6;
  const int64_t wanted = choose.pick<int64_t>({11, 8, 10, 12, 13, 24, 58});
  SweptLayout swept;
  swept.shape = random_shape(choose, int64_t{1} << std::min(bits, wanted));
  if (!within(json_object({{"op", "layout.physical"}, {"shape", to_text(swept.shape)}}),
              {limits.rank, limits.tiles, limits.bits, std::nullopt})) {
    return std::nullopt;
  }
  absl::StatusOr<spec::TiledLayout> layout = spec::tiled_layout_of_valid(swept.shape);
  if (!layout.ok()) return std::nullopt;
  swept.layout = *std::move(layout);
  if (swept.layout.elements() <= kMaxSwept) {
    ask_all(swept);
  } else {
    ask_some(swept, choose);
  }
  return swept;
}

std::vector<int64_t> right_offsets(const SweptLayout& swept) {
  std::vector<int64_t> offsets(static_cast<size_t>(swept.count));
  if (swept.buffer) {
    for (int64_t position = 0; position < std::ssize(*swept.buffer); ++position) {
      const int64_t id = (*swept.buffer)[position];
      if (id != spec::Array::kPadding) offsets[id] = position;
    }
    return offsets;
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    offsets[i] = *spec::linearize(swept.layout, index_at(swept, i));
  }
  return offsets;
}

Preimages right_preimages(const SweptLayout& swept) {
  const auto rank = std::ssize(swept.layout.logical());
  Preimages preimages{std::vector<int64_t>(swept.positions.size() * static_cast<size_t>(rank)),
                      std::vector<uint8_t>(swept.positions.size(), 1)};
  for (int64_t i = 0; i < std::ssize(swept.positions); ++i) {
    const auto put = [&](const int64_t* index) {
      std::copy_n(index, rank, preimages.indices.begin() + i * rank);
      preimages.padding[i] = 0;
    };
    if (swept.buffer) {
      const int64_t id = (*swept.buffer)[i];
      if (id != spec::Array::kPadding) put(swept.indices.data() + id * rank);
    } else if (const auto index = *spec::delinearize(swept.layout, swept.positions[i])) {
      put(index->data());
    }
  }
  return preimages;
}

Json part_request(const SweptLayout& swept, absl::string_view list, size_t from, size_t count) {
  Json::Array items;
  const bool indices = list == "indices";
  for (size_t i = from; i < from + count; ++i) {
    items.push_back(indices ? Json(index_at(swept, i)) : Json(swept.positions[i]));
  }
  const absl::string_view op = indices ? "layout.linearize" : "layout.delinearize";
  return request_about(op, swept, list, std::move(items));
}

std::vector<Json> requests_about(const SweptLayout& swept) {
  std::vector<Json> requests = {
      json_object({{"op", "layout.physical"}, {"shape", to_text(swept.shape)}})};
  for (const auto& [list, count] : {std::pair("indices", static_cast<size_t>(swept.count)),
                                    std::pair("offsets", swept.positions.size())}) {
    for (size_t from = 0; from < count; from += kSweptAtOnce) {
      const size_t many = std::min(kSweptAtOnce, count - from);
      requests.push_back(part_request(swept, list, from, many));
    }
  }
  return requests;
}

Json linearize_request(const SweptLayout& swept, size_t number) {
  return request_about("layout.linearize", swept, "index", index_at(swept, number));
}

Json delinearize_request(const SweptLayout& swept, size_t number) {
  return request_about("layout.delinearize", swept, "offset", swept.positions[number]);
}

Json to_json(const SweepRequest& request) {
  return json_object({{"op", kSweepOp},
                      {"seed", absl::StrCat(request.seed)},
                      {"from", request.from},
                      {"step", request.step},
                      {"to", request.to},
                      {"milliseconds", request.milliseconds}});
}

absl::StatusOr<SweepRequest> read_sweep_request(const Json& json) {
  SweepRequest request;
  const Json* seed = find(json, "seed");
  const auto* text = seed == nullptr ? nullptr : seed->as<std::string>();
  if (text == nullptr || !absl::SimpleAtoi(*text, &request.seed) ||
      !read_integer(json, "from", request.from) || !read_integer(json, "step", request.step) ||
      !read_integer(json, "to", request.to) || request.from < 0 || request.step < 1 ||
      !read_integer(json, "milliseconds", request.milliseconds)) {
    return absl::InvalidArgumentError(
        "expected a sweep: seed, a decimal string, and from, step, to, milliseconds");
  }
  return request;
}

Json to_json(const SweepAnswer& answer) {
  return json_object({{"next", answer.next},
                      {"layouts", answer.layouts},
                      {"questions", counts(answer.questions)},
                      {"unsupported", counts(answer.unsupported)},
                      {"differences", Json::Array(answer.differences)},
                      {"unsteady", Json::Array(answer.unsteady)}});
}

absl::StatusOr<SweepAnswer> read_sweep_answer(const Json& json) {
  SweepAnswer answer;
  if (!read_integer(json, "next", answer.next) || !read_integer(json, "layouts", answer.layouts) ||
      !read_counts(find(json, "questions"), answer.questions) ||
      !read_counts(find(json, "unsupported"), answer.unsupported) ||
      !read_list(find(json, "differences"), answer.differences) ||
      !read_list(find(json, "unsteady"), answer.unsteady)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected the answer to a sweep, found ", shown(to_text(json))));
  }
  return answer;
}

void add(const SweepAnswer& answer, SweepAnswer& totals) {
  totals.layouts += answer.layouts;
  for (const auto& [op, count] : answer.questions) totals.questions[op] += count;
  for (const auto& [reason, count] : answer.unsupported) totals.unsupported[reason] += count;
}

std::string to_text(const SweepAnswer& totals) {
  const auto count = [&totals](const char* op) {
    const auto found = totals.questions.find(op);
    return found == totals.questions.end() ? int64_t{0} : found->second;
  };
  return absl::StrCat(totals.layouts, " layouts, ", count("layout.linearize"), " indices, ",
                      count("layout.delinearize"), " offsets");
}

}  // namespace tileproof::conform
