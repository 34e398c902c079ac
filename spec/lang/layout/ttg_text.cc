// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/ttg_text.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof {
namespace {

constexpr int kMostTtgNesting = 32;

constexpr absl::string_view kGluonShape = "shape";  // which the dialect has in the type

// A class of Gluon: its name in the dialect, and its arguments in order, `name=key` if the dialect has
// another name for one.
struct GluonClass {
  absl::string_view name, attribute, arguments;
};

constexpr GluonClass kGluonClasses[] = {
    {"BlockedLayout", "blocked",
     "size_per_thread=sizePerThread threads_per_warp=threadsPerWarp warps_per_cta=warpsPerCTA "
     "order"},
    {"SliceLayout", "slice", "dim parent"},
    {"DotOperandLayout", "dot_op", "operand_index=opIdx parent k_width=kWidth"},
    {"NVMMADistributedLayout", "nvidia_mma",
     "version=versionMajor warps_per_cta=warpsPerCTA instr_shape=instrShape"},
    {"DistributedLinearLayout", "linear",
     "reg_bases=register lane_bases=lane warp_bases=warp block_bases=block shape"},
    {"AMDMFMALayout", "amd_mfma",
     "version instr_shape=instrShape transposed=isTransposed warps_per_cta=warpsPerCTA "
     "element_bitwidth=elementBitWidth tiles_per_warp=tilesPerWarp"},
    {"AMDWMMALayout", "amd_wmma",
     "version transposed=isTransposed warp_bases=warp reg_bases=register instr_shape=instrShape "
     "cga_layout=CGALayout rank warps_per_cta=warpsPerCTA"},
    {"SwizzledSharedLayout", "swizzled_shared", "vec per_phase=perPhase max_phase=maxPhase order"},
    {"NVMMASharedLayout", "nvmma_shared",
     "swizzle_byte_width=swizzlingByteWidth element_bitwidth=elementBitWidth rank transposed "
     "fp4_padded=fp4Padded"},
    {"PaddedSharedLayout", "padded_shared",
     "interval_padding_pairs offset_bases=offset cga_layout=CGALayout shape"},
    {"with_identity_for", "padded_shared", "interval_padding_pairs shape order"},
    {"SharedLinearLayout", "shared_linear", "offset_bases=offset block_bases=block alignment"},
    {"TensorMemoryLayout", "tensor_memory_encoding",
     "block col_stride=colStride cga_layout=CGALayout two_ctas=twoCTAs fp4_padded=fp4Padded"}};
constexpr absl::string_view kGluonBlocks =
    "cga_layout=CGALayout ctas_per_cga=CTAsPerCGA cta_split_num=CTASplitNum cta_order=CTAOrder";

// The class whose call begins here: `gl.BlockedLayout(`.
const GluonClass* gluon_class_at(Cursor cursor) {
  absl::string_view name = cursor.take_identifier();
  name = name.substr(name.find_last_of('.') + 1);
  if (cursor.peek() != '(') return nullptr;
  for (const GluonClass& one : kGluonClasses) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

bool consume_dialect(absl::string_view& name) {
  return absl::ConsumePrefix(&name, "ttg.") || absl::ConsumePrefix(&name, "triton_gpu.") ||
         absl::ConsumePrefix(&name, "ttng.");
}

class TtgReader {
 public:
  explicit TtgReader(absl::string_view text) : cursor_(text) {}

  absl::StatusOr<TtgType> read() {
    TtgType type;
    if (const GluonClass* gluon = gluon_class_at(cursor_)) {
      type.layout = TRY(read_gluon(*gluon, 0));
      type.array = TRY(take_array());
      TRY(cursor_.expect_end());
      return type;
    }
    TRY(read_names());
    if (cursor_.peek() == '#') {
      type.layout = TRY(read_attribute(0));
      TRY(cursor_.expect_end());
      return type;
    }
    const bool is_memory = cursor_.take("!");
    absl::string_view word = cursor_.take_identifier();
    if (is_memory ? !consume_dialect(word) || word != "memdesc" : word != "tensor")
      return cursor_.expected("tensor<..>, !ttg.memdesc<..> or a layout of #ttg");
    TRY(cursor_.expect("<", "to open the type"));
    type.array = TRY(take_mlir_array(cursor_));
    TRY(cursor_.expect(",", "before the layout"));
    if (cursor_.peek() != '#') return cursor_.expected("a layout of #ttg");
    type.layout = TRY(read_attribute(0));
    while (is_memory && cursor_.take(",")) TRY(read_of_memory(*type.array));
    TRY(cursor_.expect(">", "to close the type"));
    TRY(cursor_.expect_end());
    return type;
  }

 private:
  // `:f16[16,32]` behind a layout of Gluon, or the shape that is an argument of it.
  absl::StatusOr<std::optional<MlirArray>> take_array() {
    if (!cursor_.take(":")) return gluon_array_;
    const size_t position = cursor_.token_position();
    const Shape shape = TRY(parse_shape(cursor_));
    MlirArray array;
    array.element_type = mlir_element_type(shape.element_type);
    if (info(shape.element_type).bits >= 8) array.element_bits = info(shape.element_type).bits;
    for (const Dimension& dimension : shape.dimensions) {
      if (dimension.kind != Dimension::Kind::kFixed || shape.layout)
        return cursor_.error_at(position, "expected an array of fixed sizes without a layout");
      array.dims.push_back(dimension.size);
    }
    return array;
  }

  // `BlockedLayout([1, 4], threads_per_warp=[4, 8], ..)`
  absl::StatusOr<TtgAttribute> read_gluon(const GluonClass& gluon, int depth) {
    if (depth > kMostTtgNesting) return cursor_.expected("layouts that nest less");
    TtgAttribute attribute;
    attribute.position = cursor_.token_position();
    attribute.name = std::string(gluon.attribute);
    cursor_.take_identifier();
    TRY(cursor_.expect("(", "after the name of a layout"));
    for (size_t next = 0; !cursor_.take(")"); ++next) {
      const absl::string_view key = TRY(take_argument(gluon, next));
      const bool is_none = cursor_.peek_identifier() == "None";
      if (is_none) cursor_.take_identifier();
      if (!is_none) add_field(key, TRY(read_value(depth + 1)), attribute);
      if (cursor_.peek() != ')') TRY(cursor_.expect(",", "or ')' after an argument"));
    }
    return attribute;
  }

  // `name=`, or the argument in this place, by its name in the dialect.
  absl::StatusOr<absl::string_view> take_argument(const GluonClass& gluon, size_t place) {
    using Words = std::vector<absl::string_view>;
    const auto key_of = [](absl::string_view argument) {
      return argument.substr(argument.find('=') + 1);
    };
    Cursor ahead = cursor_;
    const absl::string_view word = ahead.take_identifier();
    const Words arguments = absl::StrSplit(gluon.arguments, ' ');
    if (!ahead.take("=")) {
      if (place < arguments.size()) return key_of(arguments[place]);
      return cursor_.expected("a name of an argument");
    }
    for (const Words& list : {arguments, Words(absl::StrSplit(kGluonBlocks, ' '))}) {
      for (const absl::string_view argument : list) {
        if (argument.substr(0, argument.find('=')) != word) continue;
        cursor_ = ahead;
        return key_of(argument);
      }
    }
    return cursor_.expected(absl::StrCat("an argument of ", gluon.name));
  }

  void add_field(absl::string_view key, TtgValue value, TtgAttribute& attribute) {
    if (key == kGluonShape) {
      gluon_array_.emplace();
      for (const TtgValue& item : value.list) gluon_array_->dims.push_back(item.number.value_or(0));
      return;
    }
    // Pairs of Gluon that are two numbers in the dialect: the version [2, 0], the block (128, 64).
    for (const auto& [pair, first, second] :
         {std::array{"versionMajor", "versionMajor", "versionMinor"},
          std::array{"block", "blockM", "blockN"}}) {
      const bool is_pair = value.list.size() == 2 && value.list[0].number && value.list[1].number;
      if (key != pair || !is_pair) continue;
      attribute.fields.emplace_back(first, value.list[0]);
      attribute.fields.emplace_back(second, value.list[1]);
      return;
    }
    if (key == "interval_padding_pairs") {
      for (const TtgValue& pair : value.list) {
        const bool is_pair = pair.list.size() == 2 && pair.list[0].number && pair.list[1].number;
        attribute.paddings.emplace_back(is_pair ? *pair.list[0].number : 0,
                                        is_pair ? *pair.list[1].number : 0);
      }
      return;
    }
    if (attribute.name == "amd_wmma" && (key == "warp" || key == "register")) {
      add_tiles(key, std::move(value), attribute);
      return;
    }
    attribute.fields.emplace_back(std::string(key), std::move(value));
  }

  // Bases of tiles, which the dialect has in braces; or warpsPerCTA of before, in their place.
  static void add_tiles(absl::string_view key, TtgValue value, TtgAttribute& attribute) {
    if (!value.list.empty() && value.list[0].number) {
      attribute.fields.emplace_back("warpsPerCTA", std::move(value));
      return;
    }
    auto field =
        std::ranges::find(attribute.fields, "ctaLayout", &std::pair<std::string, TtgValue>::first);
    TtgAttribute tiles;
    if (field == attribute.fields.end()) {
      TtgValue none;
      none.position = value.position;
      attribute.fields.emplace_back("ctaLayout", std::move(none));
      field = attribute.fields.end() - 1;
    } else {
      tiles = *field->second.attribute;
    }
    tiles.fields.emplace_back(std::string(key), std::move(value));
    field->second.attribute = std::make_shared<const TtgAttribute>(std::move(tiles));
  }

  // `#name = #ttg..` before the type.
  absl::Status read_names() {
    while (cursor_.peek() == '#') {
      const size_t start = cursor_.position();
      cursor_.take("#");
      const std::string name(cursor_.take_identifier());
      if (!cursor_.take("=")) {
        cursor_.set_position(start);
        return absl::OkStatus();
      }
      // Other attributes may have names, too: #smem = #ttg.shared_memory
      const size_t end_of_line = cursor_.text().find('\n', cursor_.token_position());
      if (cursor_.peek() != '#' || end_of_line == absl::string_view::npos)
        return cursor_.expected("a layout of #ttg, then a type on a line of its own");
      names_[name] = cursor_.position();
      cursor_.set_position(end_of_line);
    }
    return absl::OkStatus();
  }

  // After the layout in a memdesc: a memory space, `mutable`, or the shape of its allocation.
  absl::Status read_of_memory(const MlirArray& array) {
    if (cursor_.take("#")) {
      cursor_.take_identifier();
      return absl::OkStatus();
    }
    if (!cursor_.at_integer()) return cursor_.expect("mutable", "or a memory space");
    const size_t position = cursor_.token_position();
    std::string sizes;
    for (const int64_t size : array.dims) absl::StrAppend(&sizes, sizes.empty() ? "" : "x", size);
    // One of several buffers, `2x64x64` for 64x64, has the layout of them all.
    const absl::string_view allocation =
        cursor_.rest().substr(0, cursor_.rest().find_first_of(",>"));
    if (allocation == sizes || absl::EndsWith(allocation, absl::StrCat("x", sizes))) {
      cursor_.set_position(cursor_.position() + allocation.size());
      return absl::OkStatus();
    }
    return cursor_.error_at(position, absl::StrCat("expected the shape of the whole allocation, ",
                                                   sizes, ": parts of one are not supported"));
  }

  absl::StatusOr<TtgAttribute> read_attribute(int depth) {
    if (depth > kMostTtgNesting) return cursor_.expected("layouts that nest less");
    TtgAttribute attribute;
    attribute.position = cursor_.token_position();
    TRY(cursor_.expect("#", "to begin a layout"));
    absl::string_view name = cursor_.take_identifier();
    if (const auto definition = names_.find(std::string(name)); definition != names_.end()) {
      const size_t end = cursor_.position();
      cursor_.set_position(definition->second);
      attribute = TRY(read_attribute(depth + 1));
      cursor_.set_position(end);
      return attribute;
    }
    if (!consume_dialect(name)) {
      return cursor_.error_at(
          attribute.position,
          absl::StrCat("expected a layout of #ttg, or a name that a line before "
                       "defines, found '#",
                       name.substr(0, 64), "'"));
    }
    attribute.name = std::string(name);
    if (!cursor_.take("<")) return attribute;
    if (cursor_.take("[")) {
      do {
        const int64_t interval = TRY(take_size(cursor_, 1, "an interval"));
        TRY(cursor_.expect(":+", "after an interval"));
        attribute.paddings.emplace_back(interval, TRY(take_size(cursor_, 0, "a padding")));
      } while (cursor_.take(","));
      TRY(cursor_.expect("]", "to close the paddings"));
    }
    const bool is_braced = attribute.paddings.empty() ? cursor_.take("{") : true;
    if (!attribute.paddings.empty()) TRY(cursor_.expect("{", "to open the parameters"));
    TRY(read_parameters(attribute, is_braced ? "}" : ">", depth));
    while (is_braced && cursor_.take(",")) TRY(read_parameter(attribute, depth));
    if (is_braced) TRY(cursor_.expect(">", "to close the layout"));
    return attribute;
  }

  // `key = value, ..` and the end.
  absl::Status read_parameters(TtgAttribute& attribute, const char* close, int depth) {
    while (!cursor_.take(close)) {
      TRY(read_parameter(attribute, depth));
      if (cursor_.peek() != *close)
        TRY(cursor_.expect(",", absl::StrCat("or '", close, "' after a parameter")));
    }
    return absl::OkStatus();
  }

  // `key = value`
  absl::Status read_parameter(TtgAttribute& attribute, int depth) {
    std::string key(cursor_.take_identifier());
    if (key.empty()) return cursor_.expected("a parameter");
    TRY(cursor_.expect("=", "after a parameter"));
    TtgValue value = TRY(read_value(depth + 1));
    attribute.fields.emplace_back(std::move(key), std::move(value));
    return absl::OkStatus();
  }

  absl::StatusOr<TtgValue> read_value(int depth) {
    if (depth > kMostTtgNesting) return cursor_.expected("values that nest less");
    TtgValue value;
    value.position = cursor_.token_position();
    const absl::string_view word = cursor_.peek_identifier();
    if (cursor_.peek() == '#') {
      value.attribute = std::make_shared<const TtgAttribute>(TRY(read_attribute(depth)));
    } else if (cursor_.take("{")) {
      TtgAttribute fields;
      fields.position = value.position;
      TRY(read_parameters(fields, "}", depth));
      value.attribute = std::make_shared<const TtgAttribute>(std::move(fields));
    } else if (const GluonClass* gluon = gluon_class_at(cursor_)) {
      value.attribute = std::make_shared<const TtgAttribute>(TRY(read_gluon(*gluon, depth)));
    } else if (cursor_.peek() == '[' || cursor_.peek() == '(') {
      value.is_list = true;
      const char* const close = cursor_.take("[") ? "]" : ")";
      if (*close == ')') cursor_.take("(");
      while (!cursor_.take(close)) {
        value.list.push_back(TRY(read_value(depth + 1)));
        if (cursor_.peek() != *close)
          TRY(cursor_.expect(",", absl::StrCat("or '", close, "' after a value")));
      }
    } else if (absl::EqualsIgnoreCase(word, "true") || absl::EqualsIgnoreCase(word, "false")) {
      value.number = absl::EqualsIgnoreCase(cursor_.take_identifier(), "true") ? 1 : 0;
    } else {
      value.number = TRY(take_size(cursor_, 0, "a number, a list or a layout"));
      if (cursor_.take(":")) cursor_.take_identifier();  // 1 : i32
    }
    return value;
  }

  Cursor cursor_;
  std::map<std::string, size_t> names_;  // where their definitions begin
  std::optional<MlirArray> gluon_array_;
};

}  // namespace

absl::StatusOr<TtgType> parse_ttg_type(absl::string_view text) {
  if (text.size() > kMaxTextBytes) return absl::InvalidArgumentError("expected at most 16 MiB");
  return TtgReader(text).read();
}

bool has_ttg_layout(absl::string_view text) {
  return gluon_class_at(Cursor(text)) != nullptr || absl::StrContains(text, "#ttg.") ||
         absl::StrContains(text, "#triton_gpu.") || absl::StrContains(text, "#ttng.");
}

bool has_shared_layout(absl::string_view text) {
  const bool is_shared =
      absl::StrContains(text, "_shared<") || absl::StrContains(text, ".memdesc<") ||
      absl::StrContains(text, ".shared") || absl::StrContains(text, "SharedLayout") ||
      absl::StrContains(text, "SharedLinear") || absl::StrContains(text, "#ttng.tensor_memory_") ||
      absl::StrContains(text, "TensorMemory");
  return is_shared && has_ttg_layout(text);
}

// ---- Fields ----

absl::Status TtgFields::error_at(size_t position, absl::string_view message) const {
  return Cursor(text_).error_at(position,
                                absl::StrCat("#ttg.", attribute_.name, ": ", std::string(message)));
}

absl::Status TtgFields::error(absl::string_view message) const {
  return error_at(attribute_.position, message);
}

bool TtgFields::has(absl::string_view key) const {
  for (const auto& [name, value] : attribute_.fields) {
    if (name == key) return true;
  }
  return false;
}

const TtgValue* TtgFields::take(absl::string_view key) {
  for (size_t i = 0; i < attribute_.fields.size(); ++i) {
    if (attribute_.fields[i].first != key) continue;
    taken_[i] = true;
    return &attribute_.fields[i].second;
  }
  return nullptr;
}

absl::StatusOr<const TtgValue*> TtgFields::need(absl::string_view key) {
  const TtgValue* value = take(key);
  if (value == nullptr) return error(absl::StrCat("expected the parameter ", key));
  return value;
}

absl::StatusOr<int64_t> TtgFields::number(absl::string_view key) {
  const TtgValue* value = TRY(need(key));
  if (value->number) return *value->number;
  return error_at(value->position, absl::StrCat("expected a number as ", key));
}

absl::StatusOr<int64_t> TtgFields::number(absl::string_view key, int64_t otherwise) {
  return has(key) ? number(key) : otherwise;
}

absl::StatusOr<std::vector<int64_t>> TtgFields::numbers_of(const TtgValue& value,
                                                           absl::string_view key) {
  std::vector<int64_t> numbers;
  if (!value.is_list) return error_at(value.position, absl::StrCat("expected a list as ", key));
  for (const TtgValue& item : value.list) {
    if (!item.number) return error_at(item.position, absl::StrCat("expected a number in ", key));
    numbers.push_back(*item.number);
  }
  return numbers;
}

absl::StatusOr<std::vector<int64_t>> TtgFields::numbers(absl::string_view key) {
  return numbers_of(*TRY(need(key)), key);
}

absl::StatusOr<std::vector<std::vector<int64_t>>> TtgFields::rows(absl::string_view key) {
  const TtgValue* value = TRY(need(key));
  std::vector<std::vector<int64_t>> rows;
  if (!value->is_list) return error_at(value->position, absl::StrCat("expected a list as ", key));
  for (const TtgValue& item : value->list) rows.push_back(TRY(numbers_of(item, key)));
  return rows;
}

absl::StatusOr<std::vector<int64_t>> TtgFields::order(absl::string_view key, size_t rank,
                                                      absl::string_view each) {
  std::vector<int64_t> order = TRY(numbers(key)), sorted = order, expected(rank);
  std::ranges::sort(sorted);
  std::iota(expected.begin(), expected.end(), 0);
  if (sorted == expected) return order;
  return error(absl::StrCat("expected each ", each, " once in ", key));
}

absl::StatusOr<const TtgAttribute*> TtgFields::attribute(absl::string_view key) {
  const TtgValue* value = TRY(need(key));
  if (value->attribute) return value->attribute.get();
  return error_at(value->position, absl::StrCat("expected a layout as ", key));
}

absl::StatusOr<std::vector<int64_t>> TtgFields::powers(absl::string_view key,
                                                       std::optional<size_t> rank) {
  std::vector<int64_t> sizes = TRY(numbers(key));
  if (rank.value_or(sizes.size()) != sizes.size() || sizes.empty())
    return error(absl::StrCat("expected a number for each dimension in ", key));
  if (!std::ranges::all_of(sizes, is_power))
    return error(absl::StrCat("expected powers of two in ", key));
  int64_t product = 1;
  for (const int64_t size : sizes) product = std::min(product * size, 2 * kMostOfList);
  if (product > kMostOfList)
    return error(absl::StrCat("expected a product of at most 2^20 in ", key));
  return sizes;
}

absl::StatusOr<std::vector<std::vector<int64_t>>> TtgFields::block_bases(
    std::optional<size_t> rank) {
  std::vector<std::vector<int64_t>> bases;
  if (has("CGALayout")) {
    bases = TRY(rows("CGALayout"));
    for (const std::vector<int64_t>& basis : bases) {
      if (basis.size() != rank.value_or(bases[0].size()) ||
          !std::ranges::all_of(basis, [](int64_t x) { return x == 0 || is_power(x); }))
        return error("expected powers of two or 0 for each dimension in CGALayout");
    }
    if (bases.size() > kMostBases) return error("expected at most 30 bases");
    return bases;
  }
  if (!has("CTAsPerCGA")) return bases;
  const std::vector<int64_t> blocks = TRY(powers("CTAsPerCGA", rank));
  const std::vector<int64_t> split = TRY(powers("CTASplitNum", blocks.size()));
  for (const int64_t d : TRY(order("CTAOrder", blocks.size(), "dimension"))) {
    if (split[d] > blocks[d]) return error("expected CTASplitNum of at most CTAsPerCGA");
    for (int64_t part = 1; part < blocks[d]; part *= 2) {
      bases.emplace_back(blocks.size(), 0);
      if (part < split[d]) bases.back()[d] = part;
    }
  }
  return bases;
}

absl::Status TtgFields::expect_none_left() const {
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    const auto& [key, value] = attribute_.fields[i];
    return error_at(value.position, absl::StrCat("the parameter ", key, " is not supported"));
  }
  return absl::OkStatus();
}

}  // namespace tileproof
