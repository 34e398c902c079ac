// SPDX-License-Identifier: Apache-2.0
// tileproof waste: the padding of every buffer of an HLO module. Also what `layout FILE.hlo` prints:
// every layout of a module.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/waste.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::cli {
namespace {

// The properties of one layout.
struct Sized {
  absl::StatusOr<Bytes> bytes;
  std::optional<Smaller> smaller;
};

double percent(const Bytes& bytes) {
  if (bytes.allocated == 0) return 0;
  return 100 * static_cast<double>(bytes.padding()) / static_cast<double>(bytes.allocated);
}

// Sizes of shapes; each is computed once.
class Sizes {
 public:
  const Sized& of(const Shape& shape) {
    const std::string text = to_text(shape);
    const auto known = known_.find(text);
    if (known != known_.end()) return known->second;
    Sized sized{bytes_of(shape), smaller_layout(shape)};
    return known_.emplace(text, std::move(sized)).first->second;
  }

 private:
  std::map<std::string, Sized> known_;
};

struct Row {
  Buffer buffer;
  Bytes bytes;
  std::optional<Smaller> smaller;
};

struct Total {
  int64_t buffers = 0, used = 0, allocated = 0;
  bool fits = true;                        // the sums fit 64 bits
  std::map<std::string, int64_t> unsized;  // buffers whose size is not known, by reason

  void add(const Bytes& bytes) {
    ++buffers;
    fits = fits && !__builtin_add_overflow(used, bytes.used, &used) &&
           !__builtin_add_overflow(allocated, bytes.allocated, &allocated);
  }
};

std::string name_of(const Buffer& buffer) {
  return absl::StrCat(buffer.instruction, buffer.is_part ? absl::StrCat("#", buffer.leaf) : "");
}

Json to_json(const Row& row) {
  Json json = json_object({{"computation", row.buffer.computation},
                           {"instruction", row.buffer.instruction},
                           {"leaf", static_cast<int64_t>(row.buffer.leaf)},
                           {"shape", to_text(*row.buffer.shape)},
                           {"used", row.bytes.used},
                           {"allocated", row.bytes.allocated},
                           {"padding", row.bytes.padding()},
                           {"percent", json_number(percent(row.bytes))}});
  Json smaller;
  if (row.smaller) {
    smaller = json_object({{"shape", to_text(row.smaller->shape)},
                           {"allocated", row.smaller->allocated},
                           {"saved", row.bytes.allocated - row.smaller->allocated},
                           {"tiles", row.smaller->tpu ? "tpu" : "own"}});
  }
  set(json, "smaller", std::move(smaller));
  return json;
}

std::string to_text(const Row& row) {
  std::string text = absl::StrFormat("%12d of %12d bytes  %5.1f%%  %s: %s\n", row.bytes.padding(),
                                     row.bytes.allocated, percent(row.bytes), name_of(row.buffer),
                                     to_text(*row.buffer.shape));
  if (!row.smaller) return text;
  return absl::StrCat(text, "      ", row.bytes.allocated - row.smaller->allocated,
                      " bytes fewer: ", to_text(row.smaller->shape),
                      row.smaller->tpu ? ", the tiles of tpu" : "", "\n");
}

std::string to_text(const Total& total) {
  std::string text = absl::StrCat(total.buffers, " buffers");
  if (total.fits) {
    const Bytes sum{total.used, total.allocated};
    absl::StrAppendFormat(&text, ": %d of %d bytes are padding, %.1f%%", sum.padding(),
                          sum.allocated, percent(sum));
  }
  text += "\n";
  for (const auto& [why, times] : total.unsized) {
    absl::StrAppend(&text, "  not counted: ", times, ": ", why, "\n");
  }
  return text;
}

Json to_json(const Total& total) {
  Json::Array unsized;
  for (const auto& [why, times] : total.unsized) {
    unsized.push_back(json_object({{"reason", why}, {"buffers", times}}));
  }
  Json json = json_object({{"buffers", total.buffers}, {"unsized", Json(std::move(unsized))}});
  if (total.fits) {
    const Bytes sum{total.used, total.allocated};
    set(json, "used", sum.used);
    set(json, "allocated", sum.allocated);
    set(json, "padding", sum.padding());
    set(json, "percent", json_number(percent(sum)));
  }
  return json_object({{"summary", std::move(json)}});
}

// "the report says 32.00G, the layout takes 34359738368 bytes" if the size of the report, which is
// rounded, is another one; else empty.
std::string disagreement(const ReportedBuffer& buffer) {
  const absl::StatusOr<Bytes> bytes = bytes_of(buffer.shape);
  double said = 0;
  absl::string_view number = buffer.size;
  const size_t unit = number.empty() ? 0 : absl::string_view("BKMGT").find(number.back());
  if (!bytes.ok() || number.empty() || unit == absl::string_view::npos) return "";
  number.remove_suffix(1);
  if (!absl::SimpleAtod(number, &said)) return "";
  const double ours =
      static_cast<double>(bytes->allocated) / std::exp2(10.0 * static_cast<double>(unit));
  if (std::abs(ours - said) <= 0.006) return "";
  return absl::StrCat("the report says ", buffer.size, ", the layout takes ", bytes->allocated,
                      " bytes");
}

}  // namespace

absl::StatusOr<Answer> waste_command(const Command& given) {
  const int64_t limit = given.number("--limit");
  const auto modules = read_modules(given.text("FILE"), given.flag("--allow-unknown"));
  const std::vector<ReportedBuffer> reported =
      modules.ok() ? std::vector<ReportedBuffer>()
                   : buffers_of_report(refused_text(modules.status()));
  if (!modules.ok() && reported.empty()) return modules.status();
  std::vector<Buffer> buffers;
  for (const ReportedBuffer& one : reported) {
    buffers.push_back({.computation = "", .instruction = one.name, .shape = &one.shape});
    const std::string why = disagreement(one);
    if (!why.empty()) std::cerr << "tileproof: note: " << one.name << ": " << why << "\n";
  }
  if (modules.ok()) {
    for (const HloModule& module : *modules) {
      for (Buffer& buffer : buffers_of(module)) buffers.push_back(std::move(buffer));
    }
  }
  Sizes sizes;
  Total total;
  std::vector<Row> rows;
  for (const Buffer& buffer : buffers) {
    const Sized& sized = sizes.of(*buffer.shape);
    if (!sized.bytes.ok()) {
      ++total.unsized[std::string(sized.bytes.status().message())];
      continue;
    }
    total.add(*sized.bytes);
    rows.push_back({buffer, *sized.bytes, sized.smaller});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.bytes.padding() > b.bytes.padding();
  });
  Answer answer{{}, to_text(total)};
  int64_t padded = 0;
  for (const Row& row : rows) {
    answer.json.push_back(to_json(row));
    if (row.bytes.padding() > 0 && ++padded <= limit) answer.text += to_text(row);
  }
  answer.json.push_back(to_json(total));
  if (padded > limit) {
    absl::StrAppend(&answer.text, "  .. and ", padded - limit, " more (--limit)\n");
  }
  return answer;
}

absl::StatusOr<Answer> list_layouts(const std::string& file) {
  const std::vector<HloModule> modules = TRY(read_modules(file, /*allow_unknown=*/false));
  struct Listed {
    const Shape* shape;
    int64_t arrays = 0;
  };
  std::map<std::string, size_t> known;
  std::vector<Listed> listed;  // in the order of the text
  for (const HloModule& module : modules) {
    for (const HloComputation& computation : module.computations) {
      for (const HloInstruction& instruction : computation.instructions) {
        if (!instruction.shape) continue;
        for (const Shape* shape : arrays_of(*instruction.shape)) {
          const auto [entry, is_new] = known.try_emplace(to_text(*shape), listed.size());
          if (is_new) listed.push_back({shape, 0});
          ++listed[entry->second].arrays;
        }
      }
    }
  }
  Answer answer{{}, absl::StrCat(listed.size(), " layouts\n")};
  for (const Listed& one : listed) {
    const absl::StatusOr<Bytes> bytes = bytes_of(*one.shape);
    Json row = json_object({{"shape", to_text(*one.shape)}, {"arrays", one.arrays}});
    std::string said(bytes.status().message());
    if (bytes.ok()) {
      set(row, "allocated", bytes->allocated);
      set(row, "padding", bytes->padding());
      said = absl::StrFormat("%d bytes, %.1f%% padding", bytes->allocated, percent(*bytes));
    } else {
      set(row, "unsized", said);
    }
    answer.json.push_back(std::move(row));
    absl::StrAppendFormat(&answer.text, "%6d x  %s: %s\n", one.arrays, to_text(*one.shape), said);
  }
  return answer;
}

}  // namespace tileproof::cli
