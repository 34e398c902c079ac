// SPDX-License-Identifier: Apache-2.0
// The state of the HLO parser, and its functions that call each other. spec/lang/hlo/hlo_text.h has
// the grammar. hlo_parse_module.cc reads what is outside of braces, hlo_parse_instruction.cc what
// is inside. Private to the parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {

// Debian's absl::string_view is a type of its own, which the standard library cannot hash.
struct TextHash {
  size_t operator()(absl::string_view text) const {
    return std::hash<std::string_view>()(std::string_view(text.data(), text.size()));
  }
};

// Keys are views into the text, which outlives the reader.
template <typename Value>
using ByText = std::unordered_map<absl::string_view, Value, TextHash>;
using IndexByName = ByText<int32_t>;

// A computation in braces as the value of an attribute. It gets a name when all names are known.
struct InlineComputation {
  int32_t computation = -1;
  int32_t caller = -1;  // computation
  int32_t instruction = -1;
  int32_t attribute = -1;
};

// A called computation that the text has not defined so far.
struct MissingComputation {
  absl::string_view name;
  size_t position = 0;
};

struct HloReader {
  explicit HloReader(absl::string_view text) : cursor(text) {}

  Cursor cursor;
  UnknownHlo unknown = UnknownHlo::kKeep;
  int depth = 0;               // of nested operations and computations
  ByText<SharedShape> shapes;  // by their text

  // Of the module being read.
  HloModule module;
  IndexByName computations;
  std::vector<InlineComputation> inline_computations;
  std::vector<MissingComputation> missing;
};

// The computation being read.
struct HloBody {
  HloComputation computation;
  bool alone = false;  // instructions outside of any computation, or in braces inside of them
  IndexByName names;
  std::vector<int32_t> unnamed;              // instructions that get a name at the end
  std::vector<int32_t> implicit_parameters;  // instructions that get a number at the end
  std::vector<InlineComputation> inline_computations;
};

// Takes `%name` or `name` and returns it without the '%'. `what` is for the error.
absl::StatusOr<absl::string_view> take_name(Cursor& cursor, absl::string_view what);

// Whether a shape starts at the cursor: a tuple, `b(`, or an element type with its '['.
bool at_shape(Cursor& cursor);

// Takes a shape. If its text was read before, the shape comes from the table of shapes.
absl::StatusOr<SharedShape> take_shape(HloReader& reader);

// Reads one instruction and appends it to the body, after the instructions of its operands.
absl::Status parse_instruction(HloReader& reader, HloBody& body);

// Reads instructions up to the closing brace; the opening one is already taken. Appends the
// finished computation to the module and returns its index there.
absl::StatusOr<int32_t> parse_body(HloReader& reader, HloBody body);

// Adds the names, numbers and the root that the text left out. Appends the computation to the
// module and returns its index there.
absl::StatusOr<int32_t> finish_body(HloReader& reader, HloBody body);

// Makes names that are not yet in use: base, base.1, base.2, ..
class FreshNames {
 public:
  // A name for which `taken` returns false.
  template <typename Taken>
  std::string make(const std::string& base, Taken taken) {
    int64_t& next = next_[base];
    while (true) {
      std::string name = next == 0 ? base : base + "." + std::to_string(next);
      ++next;
      if (!taken(name)) return name;
    }
  }

 private:
  std::unordered_map<std::string, int64_t> next_;
};

// Takes a comma, if one is next. Otherwise the cursor stays before space and comments, as a comment
// may separate modules.
bool take_comma(Cursor& cursor);

// Attributes `, name=value` that call no computation.
absl::Status parse_plain_attributes(Cursor& cursor, std::vector<HloAttribute>& attributes);

// Takes the name of the next attribute and its '='.
absl::StatusOr<absl::string_view> take_attribute_name(Cursor& cursor);

// The value of an attribute as it is written.
absl::StatusOr<absl::string_view> take_plain_value(Cursor& cursor, absl::string_view name);

// An error if two attributes have one name.
absl::Status check_attributes(const Cursor& cursor, size_t position,
                              const std::vector<HloAttribute>& attributes);

}  // namespace tileproof
