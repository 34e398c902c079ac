// SPDX-License-Identifier: Apache-2.0
#include "conform/plugin/plugin_sweep.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "conform/plugin/plugin_call.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::conform {
namespace {

using Clock = std::chrono::steady_clock;

// Asks about one layout.
class Asked {
 public:
  Asked(const tileproof_plugin& plugin, const SweptLayout& swept, Clock::time_point deadline,
        SweepAnswer& answer)
      : plugin_(plugin), swept_(swept), shape_(swept.shape), deadline_(deadline), answer_(answer) {}

  void physical() {
    const Json request = json_object({{"op", "layout.physical"}, {"shape", to_text(swept_.shape)}});
    if (!physical_is_wrong("layout.physical")) return;
    (physical_is_wrong({}) ? answer_.differences : answer_.unsteady).push_back(request);
  }

  void linearize() {
    offsets_ = right_offsets(swept_);
    ask_pieces(
        offsets_.size(), "indices", "layout.linearize",
        [this](auto... where) { return wrong_offset(where...); }, linearize_request);
  }

  void delinearize() {
    preimages_ = right_preimages(swept_);
    ask_pieces(
        swept_.positions.size(), "offsets", "layout.delinearize",
        [this](auto... where) { return wrong_place(where...); }, delinearize_request);
  }

 private:
  size_t rank() const { return swept_.layout.logical().size(); }

  // Counts the questions of an operation, or the reason if they are not supported; counts nothing
  // if `op` is empty. Returns whether there are results, or no value if they are not supported.
  std::optional<bool> looked_at(const absl::Status& status, absl::string_view op, size_t count) {
    const std::string name(op);
    if (absl::IsUnimplemented(status)) {
      const absl::string_view why = status.message();
      if (!name.empty()) ++answer_.unsupported[absl::StrCat(name, ": ", why)];
      return std::nullopt;
    }
    if (!name.empty()) answer_.questions[name] += static_cast<int64_t>(count);
    return status.ok();
  }

  bool physical_is_wrong(absl::string_view op) {
    const std::optional<bool> done = looked_at(call_physical(plugin_, shape_.view, found_), op, 1);
    if (!done) return false;
    const std::vector<int64_t>& dims = swept_.layout.physical();
    return !*done || found_.elements != swept_.layout.elements() ||
           found_.bytes != swept_.layout.bytes || found_.rank != std::ssize(dims) ||
           !std::equal(dims.begin(), dims.end(), found_.dims);
  }

  // The first index with a wrong offset; `from` if the call failed.
  std::optional<size_t> wrong_offset(size_t from, size_t count, absl::string_view op) {
    if (count == 0) return std::nullopt;
    const auto indices = absl::MakeConstSpan(swept_.indices).subspan(from * rank(), count * rank());
    const std::optional<bool> done = looked_at(
        call_linearize(plugin_, shape_.view, indices, static_cast<int64_t>(count), numbers_), op,
        count);
    if (!done) return std::nullopt;
    if (!*done) return from;
    const auto right = offsets_.begin() + static_cast<int64_t>(from);
    const auto at = std::mismatch(numbers_.begin(), numbers_.end(), right).first;
    if (at == numbers_.end()) return std::nullopt;
    return from + static_cast<size_t>(at - numbers_.begin());
  }

  std::optional<size_t> wrong_place(size_t from, size_t count, absl::string_view op) {
    if (count == 0) return std::nullopt;
    const auto positions = absl::MakeConstSpan(swept_.positions).subspan(from, count);
    const std::optional<bool> done =
        looked_at(call_delinearize(plugin_, shape_.view, positions, numbers_, padding_), op, count);
    if (!done) return std::nullopt;
    if (!*done) return from;
    for (size_t i = 0; i < count; ++i) {
      const int64_t* right = preimages_.indices.data() + (from + i) * rank();
      if (padding_[i] != preimages_.padding[from + i]) return from + i;
      if (padding_[i] == 0 && !std::equal(right, right + rank(), numbers_.data() + i * rank())) {
        return from + i;
      }
    }
    return std::nullopt;
  }

  // Asks `count` questions, many in a call, until an answer is wrong or the time is over. Reports a
  // wrong answer as a single request if it is wrong again alone, or as a list if it is wrong again
  // in the list. Otherwise reports it as unsteady.
  template <class Wrong, class RequestOf>
  void ask_pieces(size_t count, absl::string_view list, const char* op, Wrong wrong,
                  RequestOf request_of) {
    const absl::string_view unreported;
    for (size_t from = 0; from < count && Clock::now() < deadline_; from += kSweptAtOnce) {
      const size_t many = std::min(kSweptAtOnce, count - from);
      const std::optional<size_t> position = wrong(from, many, absl::string_view(op));
      if (!position) continue;
      if (wrong(*position, size_t{1}, unreported)) {
        answer_.differences.push_back(request_of(swept_, *position));
      } else if (wrong(from, many, unreported)) {
        answer_.differences.push_back(part_request(swept_, list, from, many));
      } else {
        answer_.unsteady.push_back(request_of(swept_, *position));
      }
      return;
    }
  }

  const tileproof_plugin& plugin_;
  const SweptLayout& swept_;
  const PluginShape shape_;
  const Clock::time_point deadline_;
  SweepAnswer& answer_;
  std::vector<int64_t> offsets_;
  Preimages preimages_;
  tileproof_physical found_;
  std::vector<int64_t> numbers_;
  std::vector<uint8_t> padding_;
};

}  // namespace

SweepAnswer sweep(const tileproof_plugin& plugin, const Limits& limits,
                  const SweepRequest& request) {
  SweepAnswer answer;
  answer.next = request.from;
  const auto start = Clock::now();
  const auto deadline = start + std::chrono::milliseconds(request.milliseconds);
  // A slow plug-in is asked about a part of the last layout only.
  const auto last = start + std::chrono::milliseconds(3 * request.milliseconds);
  do {
    const int64_t number = answer.next;
    if (number >= request.to) break;
    answer.next = number + request.step;
    const std::optional<SweptLayout> swept = swept_layout(request.seed, number, limits);
    if (!swept) continue;
    ++answer.layouts;
    Asked asked(plugin, *swept, last, answer);
    if (plugin.layout_physical != nullptr) asked.physical();
    if (plugin.layout_linearize != nullptr) asked.linearize();
    if (plugin.layout_delinearize != nullptr) asked.delinearize();
  } while (Clock::now() < deadline);
  return answer;
}

}  // namespace tileproof::conform
