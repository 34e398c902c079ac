// SPDX-License-Identifier: Apache-2.0
// tileproof banks: the conflicts of an access to a memory of banks.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/bank_access.h"
#include "impl/access/banks.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/map/evaluate.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"

namespace tileproof::cli {
namespace {

using Numbers = std::vector<int64_t>;

// What `banks` found, with the inputs that its text repeats.
struct BanksAnswer {
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

std::string index_text(const Numbers& index) {
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
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

std::string to_text(const BanksAnswer& answer) {
  if (answer.phases.empty()) return "no lane accesses the layout\n";
  const BankPhase& worst = answer.phases[answer.worst];
  std::string text = "no conflicts\n";
  if (worst.clash) {
    const auto& [bank, lanes, words] = *worst.clash;
    text = absl::StrCat(answer.ways, "-way conflict ", place_text(answer, worst), "\n  lanes ",
                        lanes[0], " and ", lanes[1], " need words ", words[0], " and ", words[1],
                        " of bank ", bank, ", from ",
                        index_text(index_of(answer.access, worst, lanes[0])), " and ",
                        index_text(index_of(answer.access, worst, lanes[1])), " on\n");
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

}  // namespace

absl::StatusOr<Answer> banks_command(const Command& given) {
  const BanksAnswer answer = TRY(answer_of(given));
  const int status = answer.phases.empty() ? kBadInput  // nothing was checked
                     : answer.ways > given.number_if("--max-ways").value_or(INT64_MAX)
                         ? kCounterexample
                         : kHolds;
  return Answer{{to_json(answer)}, to_text(answer), status};
}

}  // namespace tileproof::cli
