// The state of the HLO parser, and its functions that call each other. The grammar is told in
// spec/lang/hlo/hlo_text.h; hlo_parse_module.cc reads what is outside of braces,
// hlo_parse_instruction.cc what is inside. Used by the parser alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof {

// Debian's absl::string_view is a type of its own, which the standard library cannot hash.
struct TextHash {
  size_t operator()(absl::string_view text) const {
    return std::hash<std::string_view>()(std::string_view(text.data(), text.size()));
  }
};

// By views into the text, which outlives the reader.
template <typename Value>
using ByText = std::unordered_map<absl::string_view, Value, TextHash>;
using PlaceByName = ByText<int32_t>;

// A computation in braces as the value of an attribute. It gets its name when all names are known.
struct InlineComputation {
  int32_t computation = -1;
  int32_t caller = -1;  // computation
  int32_t instruction = -1;
  int32_t attribute = -1;
};

// A called computation that is not in the text up to here.
struct MissingComputation {
  absl::string_view name;
  size_t position = 0;
};

struct HloReader {
  explicit HloReader(absl::string_view text) : cursor(text) {}

  Cursor cursor;
  int depth = 0;               // of nested operations and computations
  ByText<SharedShape> shapes;  // by their text

  // Of the module being read.
  HloModule module;
  PlaceByName computations;
  std::vector<InlineComputation> inline_computations;
  std::vector<MissingComputation> missing;
};

// The computation being read.
struct HloBody {
  HloComputation computation;
  bool alone = false;  // in no computation, or inside of such an instruction
  PlaceByName names;
  std::vector<int32_t> unnamed;              // instructions that get a name at the end
  std::vector<int32_t> implicit_parameters;  // get their number at the end
  std::vector<InlineComputation> inline_computations;
};

// `%name` or `name`, without the '%'. `what` is for the error.
absl::StatusOr<absl::string_view> take_name(Cursor& cursor, absl::string_view what);

// A shape starts at the cursor: a tuple, `b(`, or an element type with its '['.
bool at_shape(Cursor& cursor);

// A shape, from the table of shapes where its text was read before.
absl::StatusOr<SharedShape> take_shape(HloReader& reader);

// One instruction at the cursor, appended to the body after what it brings along.
absl::Status parse_instruction(HloReader& reader, HloBody& body);

// Instructions up to the closing brace, the opening one already taken; then what has to be known at
// the end of a computation. Appends it to the module and gives its place there.
absl::StatusOr<int32_t> parse_body(HloReader& reader, HloBody body);

// Names, numbers and the root that the text left out; appends to the module.
absl::StatusOr<int32_t> finish_body(HloReader& reader, HloBody body);

// Makes names that are not yet in use: base, base.1, base.2, ..
class FreshNames {
 public:
  // A name for which `taken` says no.
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

// Takes a comma. Where none is next the cursor stays, before space and comments: a comment may
// separate modules.
bool take_comma(Cursor& cursor);

// Attributes `, name=value` behind something that calls nothing.
absl::Status parse_plain_attributes(Cursor& cursor, std::vector<HloAttribute>& attributes);

// The name of the next attribute, behind its '='.
absl::StatusOr<absl::string_view> take_attribute_name(Cursor& cursor);

// The value of an attribute as it is written.
absl::StatusOr<absl::string_view> take_plain_value(Cursor& cursor, absl::string_view name);

// No two attributes have one name.
absl::Status check_attributes(const Cursor& cursor, size_t position,
                              const std::vector<HloAttribute>& attributes);

}  // namespace tileproof
