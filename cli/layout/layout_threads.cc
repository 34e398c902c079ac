// SPDX-License-Identifier: Apache-2.0
#include "cli/layout/layout_threads.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/threads.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/thread_layout.h"

namespace tileproof::cli {
namespace {

constexpr int64_t kMostPlaces = 1 << 20;      // of an answer
constexpr int64_t kMostCells = 1024;          // of a table
constexpr size_t kWidestTable = 200;          // in characters
constexpr int64_t kMostPlacesOfTable = 4096;  // several may be in a cell

absl::StatusOr<std::vector<int64_t>> index_of(const Threads& threads, const std::string& text) {
  std::vector<int64_t> index = leaves(TRY(parse_coordinate(text)));
  // The reference checks the index.
  if (index.size() == threads.form.dims.size()) {
    for (size_t d = 0; d < index.size(); ++d) {
      if (index[d] >= 0 && index[d] < threads.form.dims[d]) continue;
      return absl::InvalidArgumentError(absl::StrCat("index ", index[d], " is outside dimension ",
                                                     d, " of size ", threads.form.dims[d]));
    }
    return index;
  }
  return absl::InvalidArgumentError(absl::StrCat("expected an index of ", threads.form.dims.size(),
                                                 " numbers, found ", index.size()));
}

// The places with the given coordinates, in order.
absl::StatusOr<std::vector<Place>> places_with(const Threads& threads,
                                               const std::array<std::optional<int64_t>, 4>& given) {
  std::vector<Place> places = {{}};
  for (size_t i = 0; i < given.size(); ++i) {
    const int64_t size = threads.sizes[i];
    if (given[i] && (*given[i] < 0 || *given[i] >= size)) {
      return absl::InvalidArgumentError(absl::StrCat(std::string(kPlaceNames[i]), " ", *given[i],
                                                     " is outside of [0, ", size, ")"));
    }
    const int64_t low = given[i].value_or(0), high = given[i].value_or(size - 1);
    if (std::ssize(places) * (high - low + 1) > kMostPlaces)
      return absl::InvalidArgumentError("expected more coordinates: too many places");
    std::vector<Place> more;
    for (const Place& place : places) {
      for (int64_t x = low; x <= high; ++x) {
        more.push_back(place);
        more.back()[i] = x;
      }
    }
    places = std::move(more);
  }
  return places;
}

// "warp = 1" for the coordinates that are not 0.
std::string step_text(const Place& place) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < place.size(); ++i) {
    if (place[i] != 0) parts.push_back(absl::StrCat(std::string(kPlaceNames[i]), " ", place[i]));
  }
  return absl::StrJoin(parts, ", ");
}

std::string held_text(const Threads& threads) {
  const std::vector<Place> copies = impl::copies(threads.form);
  if (copies.empty()) return "each in one place";
  std::vector<std::string> parts;
  for (const Place& step : copies) parts.push_back(step_text(step));
  const std::string times = absl::StrCat(int64_t{1} << copies.size());
  return absl::StrCat("each in ", times, " places: what register 0 of thread 0 holds is also at ",
                      absl::StrJoin(parts, "; "));
}

// Which thread, counted through all warps of a block, holds an element as which register: T3:1.
std::string cell_text(const Threads& threads, const Place& place) {
  const std::string block = threads.sizes[3] > 1 ? absl::StrCat("B", place[3], ":") : "";
  return absl::StrCat(block, "T", place[2] * threads.sizes[1] + place[1], ":", place[0]);
}

// The places of each element; "" if the table does not fit a screen.
std::string table_of(const Threads& threads) {
  const Dims& dims = threads.form.dims;
  const std::optional<int64_t> elements = element_count(dims);
  if (dims.empty() || dims.size() > 2 || !elements || *elements > kMostCells) return "";
  const auto places = places_with(threads, {});
  if (!places.ok() || std::ssize(*places) > kMostPlacesOfTable) return "";
  std::vector<std::string> cells(*elements);
  for (const Place& place : *places) {
    const Dims index = impl::held_at(threads.form, place);
    std::string& cell = cells[dims.size() == 2 ? index[0] * dims[1] + index[1] : index[0]];
    absl::StrAppend(&cell, cell.empty() ? "" : "|", cell_text(threads, place));
  }
  size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  const int64_t columns = dims.back();
  if ((width + 2) * columns > kWidestTable) return "";
  std::string text = "thread:register of each element\n";
  for (int64_t i = 0; i < *elements; ++i) {
    const bool ends = (i + 1) % columns == 0;
    absl::StrAppend(&text, i % columns == 0 ? "  " : "", cells[i],
                    ends ? "\n" : std::string(width + 2 - cells[i].size(), ' '));
  }
  return text;
}

Json bases_json(const impl::ThreadForm& form) {
  Json json = json_object({});
  for (size_t i = 0; i < 4; ++i) {
    Json::Array bases;
    Place place = {};
    for (place[i] = 1; place[i] < impl::place_sizes(form)[i]; place[i] *= 2)
      bases.push_back(Json(impl::held_at(form, place)));
    set(json, kPlaceNames[i], Json(std::move(bases)));
  }
  return json;
}

int print_owners(const Threads& threads, const ThreadQuestions& questions) {
  const auto index = index_of(threads, *questions.index);
  if (!index.ok()) return complain("--index", index.status(), *questions.index);
  const auto holders = impl::holders_of(threads.form, *index, kMostPlaces);
  if (!holders.ok()) return complain("--index", holders.status());
  if (questions.json) {
    Json::Array owners;
    for (const Place& place : *holders) owners.push_back(place_json(place));
    std::cout << json_line(json_object(
        {{"layout", threads.layout.text}, {"index", *index}, {"owners", Json(std::move(owners))}}));
    return kHolds;
  }
  for (const Place& place : *holders) std::cout << place_text(place) << "\n";
  if (holders->empty()) std::cout << "nobody holds it\n";
  return kHolds;
}

int print_elements(const Threads& threads, const ThreadQuestions& questions) {
  const auto places = places_with(threads, questions.place);
  if (!places.ok()) return complain("layout", places.status());
  if (questions.json) {
    Json::Array elements;
    for (const Place& place : *places) {
      Json json = place_json(place);
      set(json, "index", Json(impl::held_at(threads.form, place)));
      elements.push_back(std::move(json));
    }
    std::cout << json_line(
        json_object({{"layout", threads.layout.text}, {"elements", Json(std::move(elements))}}));
    return kHolds;
  }
  for (const Place& place : *places) {
    if (places->size() > 1) std::cout << place_text(place) << "  ";
    std::cout << dims_text(impl::held_at(threads.form, place)) << "\n";
  }
  return kHolds;
}

// Writes it as #ttg.linear, or as a map, and compares each place with the definition.
int print_as(const Threads& threads, const ThreadQuestions& questions) {
  const std::string& system = *questions.system;
  const std::vector<absl::string_view> systems = {"ttg.linear", "map"};
  if (std::ranges::find(systems, system) == systems.end()) {
    return complain("--as", absl::InvalidArgumentError(absl::StrCat(
                                "expected ttg.linear or map for a layout of threads, found ",
                                system, did_you_mean(system, systems))));
  }
  const auto places = places_with(threads, {});
  bool is_compared = places.ok();
  for (size_t i = 0; is_compared && i < places->size(); ++i) {
    const auto held = spec::held_at(threads.layout, (*places)[i]);
    if (!held.ok()) return complain("layout", held.status());
    if (*held == impl::held_at(threads.form, (*places)[i])) continue;
    complain("layout", absl::InternalError("the closed form differs from the definition"));
    return kInternal;
  }
  std::string text = to_text(threads.map);
  if (system == "ttg.linear") {
    text = impl::to_linear_text(threads.form);
    if (!threads.layout.element_type.empty()) {
      text = absl::StrCat("tensor<", absl::StrJoin(threads.form.dims, "x"), "x",
                          threads.layout.element_type, ", ", text, ">");
    }
  }
  const std::string proof =
      is_compared ? absl::StrCat("equal: all ", places->size(), " places hold the same")
                  : "undecided: too many places to compare with the definition";
  if (questions.json) {
    std::cout << json_line(json_object({{"layout", text},
                                        {"notes", Json(Json::Array{})},
                                        {"equal", is_compared ? Json(true) : Json()}}));
  } else {
    std::cout << text << "\n" << proof << "\n";
  }
  return is_compared ? kHolds : kUndecided;
}

int print_all(const Threads& threads, const ThreadQuestions& questions) {
  const std::optional<Dims> missing = impl::not_held(threads.form);
  if (questions.json) {
    std::cout << json_line(json_object({{"layout", threads.layout.text},
                                        {"dims", threads.form.dims},
                                        {"sizes", place_json(threads.sizes)},
                                        {"map", to_text(threads.map)},
                                        {"bases", bases_json(threads.form)},
                                        {"copies", int64_t{1} << impl::copies(threads.form).size()},
                                        {"missing", missing ? Json(*missing) : Json()}}));
    return kHolds;
  }
  std::vector<std::string> counts;
  for (size_t i = 0; i < 4; ++i)
    counts.push_back(absl::StrCat(threads.sizes[i], " ", std::string(kPlaceNames[i]),
                                  threads.sizes[i] == 1 ? "" : "s"));
  std::cout << threads.layout.text << "\n"
            << "shape     " << dims_text(threads.form.dims) << "\n"
            << "threads   " << absl::StrJoin(counts, ", ") << "\n"
            << "elements  " << held_text(threads) << "\n";
  if (missing) std::cout << "          nobody holds " << dims_text(*missing) << "\n";
  std::cout << "bases     " << impl::to_linear_text(threads.form) << "\n"
            << "map       " << to_text(threads.map) << "\n"
            << table_of(threads);
  return kHolds;
}

}  // namespace

int explain_threads(absl::string_view text, const ThreadQuestions& questions) {
  const absl::StatusOr<Threads> threads = parse_threads(text);
  if (!threads.ok()) return complain("layout", threads.status(), text);
  if (questions.system) return print_as(*threads, questions);
  if (questions.index) return print_owners(*threads, questions);
  if (questions.asks_place()) return print_elements(*threads, questions);
  return print_all(*threads, questions);
}

}  // namespace tileproof::cli
