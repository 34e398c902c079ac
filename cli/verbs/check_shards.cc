// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/check_shards.h"

#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::cli {
namespace {

using conform::find;
using conform::find_as;

constexpr int64_t kMostWork = int64_t{1} << 28;  // of slices that overlap at random

// [low, high) along each dimension.
using Box = std::vector<Interval>;

struct Held {
  int64_t device = 0;
  Box box;
};

struct ShardedArray {
  Dims dims;
  int64_t copies = 1;
  std::vector<Held> held;
};

absl::StatusOr<Box> box_in(const Json& slice, const Dims& dims) {
  const auto* sides = slice.as<Json::Array>();
  if (sides == nullptr || sides->size() != dims.size()) {
    return invalid("expected a slice of ", dims.size(), " dimensions, found ", to_text(slice));
  }
  Box box;
  for (size_t d = 0; d < dims.size(); ++d) {
    const auto ends = conform::integers((*sides)[d]);
    const bool is_inside = ends && ends->size() == 2 && (*ends)[0] >= 0 &&
                           (*ends)[0] <= (*ends)[1] && (*ends)[1] <= dims[d];
    if (!is_inside) {
      return invalid("expected [low, high] inside of [0, ", dims[d], "], found ",
                     to_text((*sides)[d]));
    }
    box.push_back({(*ends)[0], (*ends)[1]});
  }
  return box;
}

absl::StatusOr<ShardedArray> array_in(const Json& json) {
  ShardedArray array;
  const auto dims = conform::find_integers(json, "shape");
  const auto* devices = find_as<Json::Array>(json, "devices");
  if (!dims || devices == nullptr || !element_count(*dims)) {
    return invalid("expected an object with \"shape\", a list of sizes, and \"devices\"");
  }
  array.dims = *dims;
  if (const Json* copies = find(json, "copies")) {
    array.copies = copies->as<int64_t>() == nullptr ? 0 : *copies->as<int64_t>();
    if (array.copies < 1) return invalid("expected copies from 1 on, found ", to_text(*copies));
  }
  std::set<int64_t> numbers;
  for (const Json& one : *devices) {
    const auto* device = find_as<int64_t>(one, "device");
    const Json* slice = find(one, "slice");
    if (device == nullptr || *device < 0 || slice == nullptr) {
      return invalid("expected {\"device\": number, \"slice\": [[low, high], ..]}, found ",
                     to_text(one));
    }
    if (!numbers.insert(*device).second) {
      return invalid("expected each device once, found device ", *device, " again");
    }
    if (!slice->is_null()) array.held.push_back({*device, TRY(box_in(*slice, array.dims))});
  }
  return array;
}

// A box whose elements are on another number of devices than they should be.
struct Wrong {
  Box box;
  std::vector<int64_t> devices;
};

// Cuts each dimension where a slice begins or ends, and looks at each piece. Takes from `work` what it looks
// at.
void find_wrong(const ShardedArray& array, const std::vector<const Held*>& held, Box& box,
                int64_t& work, std::vector<Wrong>& wrong) {
  const size_t d = box.size();
  work -= 1 + std::ssize(held);
  if (work < 0) return;
  if (d == array.dims.size() || held.empty()) {
    if (std::ssize(held) == array.copies) return;
    wrong.push_back({box, {}});
    for (size_t k = d; k < array.dims.size(); ++k) wrong.back().box.push_back({0, array.dims[k]});
    for (const Held* one : held) wrong.back().devices.push_back(one->device);
    return;
  }
  std::set<int64_t> cuts = {0, array.dims[d]};
  for (const Held* one : held) cuts.insert({one->box[d].low, one->box[d].high});
  for (auto low = cuts.begin(); std::next(low) != cuts.end(); ++low) {
    const int64_t high = *std::next(low);
    std::vector<const Held*> inside;
    for (const Held* one : held) {
      if (one->box[d].low <= *low && one->box[d].high >= high) inside.push_back(one);
    }
    box.push_back({*low, high});
    find_wrong(array, inside, box, work, wrong);
    box.pop_back();
  }
}

std::string text_of(const Box& box) {
  return absl::StrCat("[",
                      absl::StrJoin(box, ", ",
                                    [](std::string* out, const Interval& side) {
                                      absl::StrAppend(out, side.low, ":", side.high);
                                    }),
                      "]");
}

std::string text_of(const Wrong& one) {
  if (one.devices.empty()) return absl::StrCat("nobody holds ", text_of(one.box));
  return absl::StrCat(text_of(one.box),
                      one.devices.size() == 1 ? " is on device " : " is on devices ",
                      absl::StrJoin(one.devices, ", "));
}

absl::StatusOr<Answer> answer(const Json& json) {
  const ShardedArray array = TRY(array_in(json));
  std::vector<const Held*> held;
  for (const Held& one : array.held) held.push_back(&one);
  std::vector<Wrong> wrong;
  Box box;
  int64_t work = kMostWork;
  if (*element_count(array.dims) > 0) find_wrong(array, held, box, work, wrong);
  const auto* name = find_as<std::string>(json, "name");
  const std::string place = name == nullptr ? "shards" : *name;
  Json::Array list;
  std::vector<std::string> texts;
  for (const Wrong& one : wrong) {
    Json::Array slice;
    for (const Interval& side : one.box) slice.push_back(std::vector<int64_t>{side.low, side.high});
    list.push_back(json_object({{"slice", std::move(slice)}, {"devices", one.devices}}));
    if (texts.size() < 8) texts.push_back(text_of(one));
  }
  if (wrong.size() > texts.size()) texts.push_back("..");
  std::string text = absl::StrCat("no: ", absl::StrJoin(texts, "; "));
  if (wrong.empty()) {
    text = absl::StrCat("yes, each of ", *element_count(array.dims), " elements is on ",
                        array.copies, array.copies == 1 ? " device" : " devices");
  }
  const bool is_open = wrong.empty() && work < 0;
  if (is_open) text = "undecided: the slices cut each other into too many pieces";
  Json shards = json_object({{"holds", wrong.empty()}, {"wrong", std::move(list)}});
  if (is_open) set(shards, "holds", Json());
  Json all = json_object({{"shards", std::move(shards)}});
  if (name != nullptr) set(all, "map", *name);
  const int status = is_open ? kUndecided : wrong.empty() ? kHolds : kCounterexample;
  return Answer{{std::move(all)}, absl::StrCat(place, ": ", text, "\n"), status};
}

}  // namespace

absl::StatusOr<std::vector<Answer>> check_shards(const std::string& text) {
  const Json file = TRY(conform::read_json(text)).value;
  std::vector<Answer> answers;
  const auto* list = file.as<Json::Array>();
  if (list == nullptr) {
    answers.push_back(TRY(answer(file)));
    return answers;
  }
  for (const Json& one : *list) answers.push_back(TRY(answer(one)));
  if (answers.empty()) return invalid("expected an array");
  return answers;
}

}  // namespace tileproof::cli
