// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conform/protocol/json.h"
#include "fuzz/campaign/parts.h"
#include "generate/choose/stable_hash.h"

namespace tileproof::campaign {
namespace {

constexpr size_t kFrames = 3;
constexpr size_t kMaxLine = 16 * 1024;
constexpr absl::string_view kFound = "FOUND: ";
constexpr absl::string_view kRuntimeError = "runtime error: ";
constexpr absl::string_view kEntry = "LLVMFuzzerTestOneInput";

std::string without_end(std::string text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == ':')) text.pop_back();
  return text;
}

// Returns the text without 'quoted' and $'quoted' parts, with numbers as N and one space between
// words.
std::string general(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\'') {
      if (!out.empty() && out.back() == '$') out.pop_back();
      for (++i; i < text.size() && text[i] != '\''; ++i) i += text[i] == '\\' ? 1 : 0;
    } else if (absl::ascii_isdigit(c)) {
      if (out.empty() || out.back() != 'N') out += 'N';
    } else if (!absl::ascii_isspace(c) || (!out.empty() && out.back() != ' ')) {
      out += absl::ascii_isspace(c) ? ' ' : text[i];
    }
  }
  return without_end(out).substr(0, 200);
}

// Returns "tileproof::impl::simplify" for "#3 0x55 in tileproof::(anonymous namespace)::check(..)
// /a/b.cc:7", or "target+0x12ab" if there are no names.
std::string function_of(absl::string_view frame) {
  const size_t in = frame.find(" in ");
  if (in == absl::string_view::npos) {
    const size_t open = frame.rfind('/'), close = frame.rfind(')');
    if (open == absl::string_view::npos || close == absl::string_view::npos || close < open)
      return "";
    return std::string(frame.substr(open + 1, close - open - 1));
  }
  std::string name(frame.substr(in + 4));
  for (size_t at; (at = name.find("(anonymous namespace)::")) != std::string::npos;) {
    name.erase(at, std::string("(anonymous namespace)::").size());
  }
  const size_t end = name.find_first_of("(< ");
  return name.substr(0, end);
}

bool is_ours(absl::string_view function) {
  return absl::StartsWith(function, "tileproof::") || absl::StrContains(function, "_fuzzer+0x");
}

// Returns the functions of the first stack, innermost first, up to the one that libFuzzer calls.
// Keeps only those of the project, if there are any.
std::vector<std::string> frames_of(const std::vector<absl::string_view>& lines) {
  std::vector<std::string> frames;
  for (const absl::string_view line : lines) {
    const absl::string_view frame = absl::StripAsciiWhitespace(line);
    if (!absl::StartsWith(frame, "#") || !absl::StrContains(frame, " 0x")) {
      if (!frames.empty()) break;
      continue;
    }
    const std::string function = function_of(frame);
    if (function == kEntry) break;
    frames.push_back(function);
  }
  std::vector<std::string> ours;
  std::copy_if(frames.begin(), frames.end(), std::back_inserter(ours), is_ours);
  return ours.empty() ? frames : ours;
}

std::string with_frames(absl::string_view kind, const std::vector<absl::string_view>& lines) {
  std::vector<std::string> frames = frames_of(lines);
  const bool outermost = absl::StrContains(kind, "timeout");
  if (frames.size() > kFrames) {
    if (outermost) {
      frames.erase(frames.begin(), frames.end() - kFrames);
    } else {
      frames.resize(kFrames);
    }
  }
  return frames.empty() ? std::string(kind)
                        : absl::StrCat(kind, " in ", absl::StrJoin(frames, " < "));
}

// Returns "heap-buffer-overflow" for "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address
// 0x..", and "timeout" for "==7== ERROR: libFuzzer: timeout after 25 seconds".
std::string kind_of(absl::string_view line) {
  std::string kind(line.substr(line.find(": ", line.find("ERROR:") + 6) + 2));
  for (const absl::string_view stop : {" on ", " after ", " (", " in "}) {
    kind = kind.substr(0, kind.find(std::string(stop)));
  }
  return general(kind);
}

bool reports_finding(absl::string_view line) { return absl::StartsWith(line, kFound); }
bool reports_runtime_error(absl::string_view line) {
  return absl::StrContains(line, kRuntimeError);
}
bool reports_error(absl::string_view line) {
  return absl::StrContains(line, "ERROR: ") && absl::StrContains(line, "==");
}
bool is_summary(absl::string_view line) { return absl::StartsWith(line, "SUMMARY: "); }

std::optional<Cause> raw_cause_of(absl::string_view log) {
  const std::vector<absl::string_view> lines = absl::StrSplit(log, '\n');
  for (const absl::string_view line : lines) {
    if (!reports_finding(line)) continue;
    std::string text = general(line);
    text = text.substr(0, text.find(" at "));
    return Cause{without_end(text), std::string(line)};
  }
  for (const absl::string_view line : lines) {
    if (!reports_runtime_error(line)) continue;
    std::string location(line.substr(0, line.find(':')));
    location = location.substr(location.rfind('/') + 1);
    return Cause{absl::StrCat(general(line.substr(line.find(kRuntimeError))), " at ", location),
                 std::string(line)};
  }
  for (const absl::string_view line : lines) {
    if (!reports_error(line)) continue;
    return Cause{with_frames(kind_of(line), lines), std::string(line)};
  }
  for (const absl::string_view line : lines) {
    if (is_summary(line)) return Cause{general(line), std::string(line)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Cause> cause_of(absl::string_view log) {
  std::optional<Cause> cause = raw_cause_of(log);
  if (!cause) return std::nullopt;
  return Cause{conform::shown(cause->text, kMaxLine), conform::shown(cause->line, kMaxLine)};
}

std::string key_of(absl::string_view target, const Cause& cause) {
  return absl::StrFormat("%016x", stable_hash(absl::StrCat(target, "\n", cause.text)));
}

}  // namespace tileproof::campaign
