// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/layout_sharding.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/sharding.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof::cli {
namespace {

constexpr int64_t kMostDevices = 65'536;  // a line each

// What one device holds: [low, high) along each dimension. Nothing: no element.
using Part = std::optional<std::vector<Interval>>;

Part part_on(const Sharding& sharding, const Dims& dims, int64_t device) {
  const Dims part = part_dims(sharding, dims);
  const Dims first(dims.size(), 0);
  const auto begin = global_index(sharding, dims, device, first);
  if (!begin) return std::nullopt;
  std::vector<Interval> held;
  for (size_t d = 0; d < dims.size(); ++d) {
    held.push_back({(*begin)[d], std::min((*begin)[d] + part[d], dims[d])});
  }
  return held;
}

struct Question {
  Shape shape;
  Dims dims;
  Sharding sharding;
  int64_t devices = 0;
};

absl::StatusOr<Question> question_of(absl::string_view shape, const std::string& text,
                                     std::optional<int64_t> devices) {
  Question question;
  question.shape = TRY(parse_array_shape(shape));
  if (question.shape.kind != Shape::Kind::kArray) {
    return invalid("expected the shape of an array");
  }
  question.dims = TRY(leaves_of(question.shape))[0].dims;
  question.devices = devices ? *devices : TRY(devices_named(text));
  if (question.devices < 1 || question.devices > kMostDevices) {
    return invalid("expected 1 to ", kMostDevices, " devices, found ", question.devices);
  }
  const int64_t rank = question.shape.rank();
  question.sharding = TRY(read_shardings(text, {&rank, 1}, question.devices))[0];
  return question;
}

// "[0:2, 0:6]"
std::string text_of(const Part& part) {
  if (!part) return "no element";
  return absl::StrCat("[",
                      absl::StrJoin(*part, ", ",
                                    [](std::string* out, const Interval& along) {
                                      absl::StrAppend(out, along.low, ":", along.high);
                                    }),
                      "]");
}

// On how many devices each part is.
struct Copies {
  int64_t least = 0, most = 0;
};
Copies copies_of(const Sharding& sharding) {
  int64_t parts = 1;
  for (const int64_t along : sharding.parts) parts *= along;
  std::vector<int64_t> counts(parts, 0);
  for (const int64_t part : sharding.part_of) {
    if (part >= 0) ++counts[part];
  }
  const auto [least, most] = std::ranges::minmax(counts);
  return {least, most};
}

std::string copies_text(const Copies& copies) {
  if (copies.least == copies.most) {
    return absl::StrCat("each element is on ", copies.least,
                        copies.least == 1 ? " device" : " devices");
  }
  return absl::StrCat("each element is on ", copies.least, " to ", copies.most, " devices");
}

}  // namespace

absl::StatusOr<Answer> explain_sharding(absl::string_view shape, const std::string& sharding,
                                        std::optional<int64_t> devices) {
  const Question question = TRY(about("layout --sharding", question_of(shape, sharding, devices)));
  const Dims part = part_dims(question.sharding, question.dims);
  const Copies copies = copies_of(question.sharding);
  Json::Array list;
  std::string text =
      absl::StrCat("parts of ", dims_text(part), " on ", question.devices,
                   question.devices == 1 ? " device, " : " devices, ", copies_text(copies), "\n");
  for (int64_t device = 0; device < question.devices; ++device) {
    const Part held = part_on(question.sharding, question.dims, device);
    const bool is_whole = held && std::ranges::equal(*held, part, {}, [](const Interval& along) {
                            return along.high - along.low;
                          });
    absl::StrAppend(&text, "device ", device, "  ", text_of(held),
                    held && !is_whole ? "; the rest is padding" : "", "\n");
    Json one = json_object({{"device", device}, {"slice", Json()}});
    if (held) {
      Json::Array slice;
      for (const Interval& along : *held)
        slice.push_back(std::vector<int64_t>{along.low, along.high});
      set(one, "slice", std::move(slice));
    }
    list.push_back(std::move(one));
  }
  return Answer{{json_object({{"part", part},
                              {"copies", std::vector<int64_t>{copies.least, copies.most}},
                              {"devices", std::move(list)}})},
                std::move(text)};
}

}  // namespace tileproof::cli
