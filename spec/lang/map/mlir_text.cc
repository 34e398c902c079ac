// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/mlir_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/memref_text.h"
#include "spec/lang/map/variable_divisors.h"

namespace tileproof {
namespace {

// ---- Texts ----

// Whether `//` at this position begins a comment like `// CHECK-SAME: ..`. Then `length` is that of
// the prefix.
bool is_test_comment(absl::string_view text, size_t position, size_t& length) {
  size_t end = position;
  while (end < text.size() && text[end] == '/') ++end;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
  const size_t word = end;
  while (end < text.size() && (absl::ascii_isupper(text[end]) || absl::ascii_isdigit(text[end]) ||
                               text[end] == '-' || text[end] == '_')) {
    ++end;
  }
  if (end == word || !absl::ascii_isupper(text[word]) || end == text.size() || text[end] != ':') {
    return false;
  }
  length = end + 1 - position;
  return true;
}

// The text with spaces in place of comments, and of the prefixes of comments of tests. Positions
// stay. Strings stay as they are.
std::string without_comments(absl::string_view text) {
  std::string plain(text);
  bool in_string = false;
  for (size_t i = 0; i < plain.size(); ++i) {
    const bool comment = text.substr(i, 2) == "//";
    size_t length = 0;
    if (comment && is_test_comment(text, i, length)) {  // also inside of a string: a test splits it
      std::fill_n(plain.begin() + static_cast<int64_t>(i), length, ' ');
      i += length - 1;
    } else if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && comment) {
      length = std::min(text.find('\n', i), text.size()) - i;
      std::fill_n(plain.begin() + static_cast<int64_t>(i), length, ' ');
      i += length - 1;
    }
  }
  return plain;
}

bool continues_word(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$' || c == '-';
}

// Named maps, for layouts of memrefs.
const IndexingMap* named(const std::vector<MlirItem>& items, absl::string_view name) {
  for (const MlirItem& item : items) {
    if (item.name == name && item.kind != MlirKind::kMemRef) return &item.map;
  }
  return nullptr;
}

// ---- Files ----

// The name in `#name =` or `#[[NAME:..]] =` that ends at `end`; "" if there is none.
std::string name_before(absl::string_view text, size_t end) {
  const auto skip_space = [&] {
    while (end > 0 && absl::ascii_isspace(text[end - 1])) --end;
  };
  skip_space();
  if (end == 0 || text[end - 1] != '=') return "";
  --end;
  skip_space();
  const absl::string_view line = text.substr(0, end);
  if (absl::EndsWith(line, "]]")) {
    const size_t open = line.rfind("#[[");
    if (open == absl::string_view::npos) return "";
    absl::string_view name = line.substr(open + 3, line.size() - open - 5);
    name = name.substr(0, name.find(':'));
    if (absl::StartsWith(name, "$")) name.remove_prefix(1);
    return std::string(name);
  }
  size_t start = end;
  while (start > 0 && continues_word(text[start - 1])) --start;
  if (start == 0 || text[start - 1] != '#') return "";
  return std::string(text.substr(start, end - start));
}

// What begins at the position of the text, at the beginning of a word.
std::optional<MlirKind> kind_at(absl::string_view text, size_t position) {
  const absl::string_view rest = text.substr(position);
  if (absl::StartsWith(rest, "affine_map<")) return MlirKind::kAffineMap;
  if (absl::StartsWith(rest, "memref<")) return MlirKind::kMemRef;
  if (absl::StartsWith(rest, "#xla.indexing_map<") ||
      absl::StartsWith(rest, "#xla_gpu.indexing_map<")) {
    return MlirKind::kIndexingMap;
  }
  return std::nullopt;
}

// The end of the string that begins at the position.
size_t end_of_string(absl::string_view text, size_t position) {
  for (size_t i = position + 1; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      return i + 1;
  }
  return text.size();
}

// The position behind the '>' that closes the first '<' from the position on. `->` closes nothing.
size_t end_of_brackets(absl::string_view text, size_t position) {
  int depth = 0;
  for (size_t i = position; i < text.size(); ++i) {
    if (text[i] == '"') i = end_of_string(text, i) - 1;
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && text[i - 1] != '-' && --depth == 0) return i + 1;
  }
  return text.size();
}

// Where the text behind each `#name =` begins, of those at the beginning of a line.
using Aliases = std::map<absl::string_view, size_t>;

Aliases aliases_of(absl::string_view text) {
  Aliases aliases;
  for (size_t line = 0; line < text.size();) {
    Cursor cursor(text.substr(0, std::min(text.find('\n', line), text.size())));
    cursor.set_position(line);
    line = cursor.text().size() + 1;
    if (!cursor.take("#")) continue;
    const absl::string_view name = cursor.take_identifier();
    if (!name.empty() && cursor.take("=") && cursor.skip_space()) {
      aliases.try_emplace(text.substr(name.data() - text.data(), name.size()), cursor.position());
    }
  }
  return aliases;
}

// Reads the memref at the cursor.
absl::Status read_memref(Cursor& cursor, const std::vector<MlirItem>& items, const Aliases& aliases,
                         MlirItem& item) {
  const size_t start = cursor.position();
  absl::StatusOr<MemRef> memref = parse_memref(
      cursor, [&](absl::string_view name) { return named(items, name); },
      [&](absl::string_view name) {
        const auto found = aliases.find(name);
        return found == aliases.end() ? std::nullopt : std::optional(found->second);
      });
  if (absl::IsFailedPrecondition(memref.status())) {
    item.is_dynamic = true;
    cursor.set_position(end_of_brackets(cursor.text(), start));
    return absl::OkStatus();
  }
  if (!memref.ok()) return memref.status();
  if (has_variable_divisors(memref->map)) {
    return cursor.error_at(start, "expected a memref in whose layout only constants divide");
  }
  item.map = std::move(memref->map);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<MlirItem>> find_mlir(absl::string_view text) {
  TRY(expect_short(Cursor(text)));
  const std::string plain = without_comments(text);
  std::vector<MlirItem> items;
  const Aliases aliases = aliases_of(plain);
  Cursor cursor(plain);
  int64_t line = 1;
  for (size_t i = 0; i < plain.size();) {
    if (plain[i] == '"') {
      const size_t end = end_of_string(plain, i);
      line += std::count(plain.begin() + static_cast<int64_t>(i),
                         plain.begin() + static_cast<int64_t>(end), '\n');
      i = end;
      continue;
    }
    const bool begins_word = i == 0 || !continues_word(plain[i - 1]);
    const std::optional<MlirKind> kind =
        begins_word ? kind_at(plain, i) : std::optional<MlirKind>();
    if (!kind) {
      line += plain[i] == '\n' ? 1 : 0;
      ++i;
      continue;
    }
    MlirItem item{
        .kind = *kind, .name = name_before(plain, i), .text = "", .line = line, .map = {}};
    cursor.set_position(i);
    if (*kind == MlirKind::kMemRef) {
      TRY(read_memref(cursor, items, aliases, item));
    } else {
      item.map = TRY(parse_map_with_variable_divisors(cursor));
    }
    if (!item.name.empty() && named(items, item.name) != nullptr) {
      return cursor.error_at(
          i, absl::StrCat("expected each name once, found '#", item.name.substr(0, 64), "' again"));
    }
    item.text = plain.substr(i, cursor.position() - i);
    line += std::count(item.text.begin(), item.text.end(), '\n');
    i = cursor.position();
    items.push_back(std::move(item));
  }
  return items;
}

bool is_unbounded(const IndexingMap& map) {
  std::set<std::pair<Op, int64_t>> divisors;
  for (const Node& node : map.nodes) {
    if (is_division(node.op))
      divisors.insert({map.nodes[node.right].op, map.nodes[node.right].value});
  }
  for (const Op kind : kVariableKinds) {
    for (int64_t i = 0; i < std::ssize(variables_of(map, kind)); ++i) {
      const int64_t low = divisors.contains({kind, i}) ? 1 : INT64_MIN;
      if (!(variables_of(map, kind)[i].bounds == Interval{low, INT64_MAX})) return false;
    }
  }
  return map.constraints.empty() && !map.known_empty;
}

absl::StatusOr<std::string> to_mlir(const IndexingMap& map, MlirKind kind) {
  if (kind == MlirKind::kIndexingMap)
    return absl::StrCat("#xla.indexing_map<\"", to_text(map), "\">");
  if (!map.runtime.empty() || !map.constraints.empty() || map.known_empty) {
    return absl::FailedPreconditionError(
        "expected a map without constraints and runtime variables, which an affine_map cannot say");
  }
  std::string text = to_text(map);
  return absl::StrCat("affine_map<", text.substr(0, text.find(", domain: ")), ">");
}

}  // namespace tileproof
