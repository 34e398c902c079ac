// SPDX-License-Identifier: Apache-2.0
// tileproof banks: the conflicts of an access to a memory of banks.

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "cli/verbs/layout_index.h"
#include "impl/access/banks.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/map/evaluate.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/layout_function.h"

namespace tileproof::cli {
namespace {

using Numbers = std::vector<int64_t>;

// ---- Accesses ----
//
//     (lane)[s0] -> (lane, s0), domain: ..     a map from lanes and values to an index of the layout
//     (32,8):(8,1)                             a layout (T, V): thread t holds as its value v the
//                                              element with the number of their offset; elements are
//                                              numbered as in CuTe, the first dimension fastest
//     tensor<32x8xf16, #ttg.blocked<{..}>>     a layout of threads: the registers are a lane's values
//     ldmatrix, stmatrix                       each matrix of 8 rows of 16 bytes in the layout
//     vector, tma                              32 or 8 lanes with one vector after the other

const std::vector<std::string> kBankPatterns = {"ldmatrix", "stmatrix", "vector", "tma"};

NodeId with_number(IndexingMap& map, Op op, NodeId a, int64_t b) {
  return add_operation(map.nodes, op, a, add_constant(map.nodes, b));
}

// The index with this number, the first dimension fastest. The last coordinate may be outside.
void spread(IndexingMap& map, NodeId number, const std::vector<int64_t>& dims) {
  map.results.clear();
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool is_last = d + 1 == dims.size();
    const int64_t size = std::max<int64_t>(dims[d], 1);
    map.results.push_back(is_last ? number : with_number(map, Op::kMod, number, size));
    if (!is_last) number = with_number(map, Op::kFloorDiv, number, size);
  }
}

absl::StatusOr<IndexingMap> of_threads(AnyMap threads, const std::vector<int64_t>& dims) {
  IndexingMap map = std::move(threads.map);
  if (map.dimensions.empty() || map.dimensions.size() > 2) {
    return invalid("expected a layout of threads, or of threads and values, found ",
                   map.dimensions.size(), " dimensions");
  }
  map.dimensions[0].name = "lane";
  if (map.dimensions.size() == 2) {
    map.ranges = {map.dimensions[1]};
    map.dimensions.pop_back();
    for (Node& node : map.nodes) {
      if (node.op == Op::kDimension && node.value == 1) node = {.op = Op::kRange};
    }
  }
  spread(map, map.results[0], dims);
  return map;
}

// Lanes first, then warps and blocks; registers are the values of a lane.
IndexingMap of_places(IndexingMap map) {
  map.ranges = {map.dimensions[0]};
  map.dimensions.erase(map.dimensions.begin());
  for (Node& node : map.nodes) {
    if (node.op != Op::kDimension) continue;
    node = node.value == 0 ? Node{.op = Op::kRange}
                           : Node{.op = Op::kDimension, .value = node.value - 1};
  }
  return map;
}

// The dimension along which elements lie beside each other.
absl::StatusOr<size_t> contiguous_dimension(const spec::LayoutFunction& layout, int64_t at_once) {
  for (const size_t d : {1, 0}) {
    bool is_contiguous = layout.dims[d] >= at_once;
    for (int64_t i = 0; is_contiguous && i < at_once; ++i) {
      std::vector<int64_t> first(2, 0), index(2, 0);
      index[d] = i;
      const int64_t offset = TRY(spec::offset_at(layout, index));
      is_contiguous = offset == TRY(spec::offset_at(layout, first)) + i;
    }
    if (is_contiguous) return d;
  }
  return invalid("expected rows or columns of ", at_once, " elements beside each other");
}

absl::StatusOr<IndexingMap> of_pattern(absl::string_view pattern,
                                       const spec::LayoutFunction& layout, int64_t at_once) {
  if (layout.dims.size() != 2) {
    return invalid("expected a layout of two dimensions for ", pattern, ", found ",
                   layout.dims.size());
  }
  const size_t along = TRY(contiguous_dimension(layout, at_once)), across = 1 - along;
  const int64_t vectors = layout.dims[along] / at_once, rows = layout.dims[across];
  if (layout.dims[along] % at_once != 0) {
    return invalid("expected a multiple of ", at_once, " elements along dimension ", along,
                   ", found ", layout.dims[along]);
  }
  IndexingMap map;
  const auto dimension = [&map](const char* name, int64_t size) {
    map.dimensions.push_back({{0, size - 1}, name});
    return add_variable(map.nodes, Op::kDimension, std::ssize(map.dimensions) - 1);
  };
  map.results.resize(2);
  const bool is_matrix = pattern == "ldmatrix" || pattern == "stmatrix";
  if (is_matrix && rows % 8 != 0) {
    return invalid("expected a multiple of 8 along dimension ", across, " for ", pattern,
                   ", found ", rows);
  }
  if (is_matrix) {
    const NodeId lane = dimension("lane", 8);
    const NodeId matrix = with_number(map, Op::kMul, dimension("row", rows / 8), 8);
    map.results[across] = add_operation(map.nodes, Op::kAdd, matrix, lane);
    map.results[along] = with_number(map, Op::kMul, dimension("column", vectors), at_once);
    return map;
  }
  const int64_t lanes = pattern == "tma" ? 8 : 32;
  const NodeId lane = dimension("lane", std::min(lanes, vectors * rows));
  const NodeId first =
      with_number(map, Op::kMul, dimension("step", (vectors * rows + lanes - 1) / lanes), lanes);
  const NodeId number = add_operation(map.nodes, Op::kAdd, first, lane);
  map.constraints.push_back({number, {0, vectors * rows - 1}});
  const int64_t divisor = std::max<int64_t>(vectors, 1);
  map.results[across] = with_number(map, Op::kFloorDiv, number, divisor);
  map.results[along] =
      with_number(map, Op::kMul, with_number(map, Op::kMod, number, divisor), at_once);
  return map;
}

// Patterns move 16 bytes a lane, unless a vector is given.
bool is_bank_pattern(absl::string_view text) {
  return std::ranges::find(kBankPatterns, text) != kBankPatterns.end();
}

// `at_once`: the elements of a vector. Errors: no map, layout or pattern; a pattern in a layout that
// has no two dimensions, or whose rows do not consist of whole vectors.
absl::StatusOr<IndexingMap> bank_access(const std::string& text, const spec::LayoutFunction& layout,
                                        int64_t at_once) {
  if (is_bank_pattern(text)) return of_pattern(text, layout, at_once);
  if (has_thread_layout(text)) return of_places(TRY(parse_threads(text)).map);
  AnyMap access = TRY(parse_any_map(text));
  if (!access.layout) return std::move(access.map);
  return of_threads(std::move(access), layout.dims);
}

// ---- Conflicts ----

// What `banks` found, with the inputs that its text repeats.
struct BanksAnswer {
  spec::LayoutFunction layout;
  BankElement element;
  IndexingMap access;
  std::vector<BankPhase> phases;
  int64_t ways = 0, cycles = 0;
  size_t worst = 0;  // the first phase of the most ways
};

absl::StatusOr<int64_t> bits_of(const spec::LayoutFunction& layout,
                                const std::optional<std::string>& type) {
  if (layout.element_bits && type)
    return invalid("--type: the layout names the width of its elements");
  if (layout.element_bits) return *layout.element_bits;
  if (!type) {
    return invalid(
        "expected --type, such as f16: the layout does not name the width of its elements");
  }
  return tla_bits(TRY(element_type_argument(*type)));
}

absl::StatusOr<BanksAnswer> answer_of(const Command& given) {
  const std::string text = TRY(read_argument(given.text("LAYOUT")));
  const AnyLayout parsed = TRY(about("", parse_any_layout(text), text));
  const spec::LayoutFunction layout = TRY(spec::layout_function(parsed));
  const impl::RelayoutSide side = TRY(impl::relayout_side(parsed));
  const int64_t bits = TRY(bits_of(layout, given.text_if("--type")));
  const int64_t least = std::max<int64_t>(1, (bits + 7) / 8);
  const int64_t usual =
      is_bank_pattern(given.text("--access")) ? std::max<int64_t>(16, least) : least;
  BanksAnswer answer;
  answer.layout = layout;
  answer.element = {bits, given.number_if("--vector").value_or(usual)};
  const std::string access = TRY(about("--access", read_argument(given.text("--access"))));
  const int64_t at_once = std::max<int64_t>(1, 8 * answer.element.vector / bits);
  answer.access = TRY(about("--access", bank_access(access, layout, at_once), access));
  const BankMemory memory{given.number("--banks"), given.number("--bank-bytes"),
                          given.flag("--amd-read")};
  answer.phases = TRY(impl::bank_phases(side, answer.access, answer.element, memory));
  for (size_t i = 0; i < answer.phases.size(); ++i) {
    const int64_t ways = answer.phases[i].ways;
    answer.cycles += ways;
    if (ways > answer.ways) answer.worst = i;
    answer.ways = std::max(answer.ways, ways);
  }
  return answer;
}

// The index at which a vector of a lane begins.
Numbers index_of(const IndexingMap& access, const BankPhase& phase, int64_t lane) {
  Numbers dims = {lane}, ranges(access.ranges.size());
  dims.insert(dims.end(), phase.access.begin(), phase.access.end());
  int64_t value = phase.value;
  for (size_t s = ranges.size(); s-- > 0;) {
    const Interval& bounds = access.ranges[s].bounds;
    const int64_t size = bounds.high - bounds.low + 1;
    ranges[s] = bounds.low + value % size;
    value /= size;
  }
  const auto index = impl::evaluate(access, {dims, ranges, {}});
  return index.ok() && *index ? **index : Numbers{};
}

// "in phase 2 (lanes 16 to 23), at k = 3, value 8"
std::string place_text(const BanksAnswer& answer, const BankPhase& phase) {
  std::vector<std::string> parts;
  const auto [low, high] = std::ranges::minmax(phase.lanes);
  parts.push_back(absl::StrCat("in phase ", phase.number, " (lanes ", low, " to ", high, ")"));
  for (size_t d = 0; d < phase.access.size(); ++d) {
    const auto number = static_cast<int64_t>(d) + 1;
    parts.push_back(absl::StrCat(d == 0 ? "at " : "",
                                 name_of(answer.access, Op::kDimension, number), " = ",
                                 phase.access[d]));
  }
  if (!answer.access.ranges.empty()) parts.push_back(absl::StrCat("value ", phase.value));
  return absl::StrJoin(parts, ", ");
}

// The first access that the hardware refuses: vectors begin at multiples of their size.
std::string misaligned(const BanksAnswer& answer) {
  const int64_t vector = 8 * answer.element.vector;
  if (vector <= answer.element.bits) return "";
  for (const BankPhase& phase : answer.phases) {
    for (const int64_t lane : phase.lanes) {
      const Numbers index = index_of(answer.access, phase, lane);
      const absl::StatusOr<int64_t> offset = spec::offset_at(answer.layout, index);
      if (!offset.ok() || absl::int128{*offset} * answer.element.bits % vector == 0) continue;
      return absl::StrCat("lane ", lane, " begins at ", dims_text(index), ", no multiple of ",
                          answer.element.vector,
                          " bytes: hardware faults, or takes more cycles than these");
    }
  }
  return "";
}

std::string to_text(const BanksAnswer& answer) {
  if (answer.phases.empty()) return "no lane accesses the layout\n";
  const BankPhase& worst = answer.phases[answer.worst];
  std::string text = "no conflicts\n";
  if (worst.clash) {
    const auto& [bank, lanes, words] = *worst.clash;
    text = absl::StrCat(answer.ways, "-way conflict ", place_text(answer, worst), "\n  lanes ",
                        lanes[0], " and ", lanes[1], " need words ", words[0], " and ", words[1],
                        " of bank ", bank, ", from ",
                        dims_text(index_of(answer.access, worst, lanes[0])), " and ",
                        dims_text(index_of(answer.access, worst, lanes[1])), " on\n");
  }
  std::map<int64_t, int64_t> times;
  for (const BankPhase& phase : answer.phases) ++times[phase.ways];
  std::vector<std::string> parts;
  for (const auto& [ways, count] : times)
    parts.push_back(absl::StrCat(count, " of ", ways, "-way"));
  return absl::StrCat(text, "  phases: ", absl::StrJoin(parts, ", "), "; cycles: ", answer.cycles,
                      ", without conflicts ", answer.phases.size(), "\n");
}

Json to_json(const BanksAnswer& answer) {
  Json::Array phases;
  for (const BankPhase& phase : answer.phases) {
    Json json = json_object({{"access", phase.access},
                             {"value", phase.value},
                             {"phase", phase.number},
                             {"lanes", phase.lanes},
                             {"ways", phase.ways}});
    if (phase.clash) {
      const auto& [bank, lanes, words] = *phase.clash;
      set(json, "clash",
          json_object({{"bank", bank},
                       {"lanes", Numbers(lanes.begin(), lanes.end())},
                       {"words", Numbers(words.begin(), words.end())},
                       {"from", Json(Json::Array{index_of(answer.access, phase, lanes[0]),
                                                 index_of(answer.access, phase, lanes[1])})}}));
    }
    phases.push_back(std::move(json));
  }
  return json_object({{"ways", answer.ways},
                      {"cycles", answer.cycles},
                      {"ideal", std::ssize(answer.phases)},
                      {"bits", answer.element.bits},
                      {"vector", answer.element.vector},
                      {"phases", Json(std::move(phases))}});
}

absl::StatusOr<Answer> banks_command(const Command& given) {
  const BanksAnswer answer = TRY(answer_of(given));
  const std::string note = misaligned(answer);
  if (!note.empty()) std::cerr << "tileproof: note: " << note << "\n";
  const int status = answer.phases.empty() ? kBadInput  // nothing was checked
                     : answer.ways > given.number_if("--max-ways").value_or(INT64_MAX)
                         ? kCounterexample
                         : kHolds;
  return Answer{{to_json(answer)}, to_text(answer), status};
}

}  // namespace

void add_banks_command(Program& program) {
  program.command("banks").words("--access", kBankPatterns).answer(banks_command, kUndecided);
}

}  // namespace tileproof::cli
