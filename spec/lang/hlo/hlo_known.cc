// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/hlo/hlo_known.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/nearest.h"

namespace tileproof {
namespace {

using enum HloOpcode;

// The attributes that every instruction may have.
constexpr absl::string_view kEverywhere =
    "backend_config control-predecessors frontend_attributes metadata origin original_value "
    "parameter_replication schedule_group sharding statistics";

constexpr absl::string_view kAsync =
    "async_execution_thread async_group_id called_computation calls output_to_operand_aliasing";

struct ValuesOf {
  absl::string_view name;
  absl::string_view values;    // separated by spaces
  HloOpcode only_of = kOther;  // the operation, if the attribute of others has other values
};

// Attributes whose value is true or false, and those whose value is one of a few other words.
constexpr absl::string_view kBool =
    "constrain_layout custom_call_has_side_effect has_dynamic_root indices_are_sorted "
    "is_associative "
    "is_composite is_host_transfer is_reverse is_stable largest left_side lower unique_indices "
    "unit_diagonal use_global_device_ids";

constexpr ValuesOf kTrueOrFalse = {"", "true false"};

constexpr ValuesOf kValues[] = {
    {"algorithm", "rng_default rng_three_fry rng_philox", kRngBitGenerator},
    {"api_version",
     "API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING API_VERSION_STATUS_RETURNING_UNIFIED "
     "API_VERSION_TYPED_FFI API_VERSION_UNSPECIFIED"},
    {"convolution_kind", "unset fprop dgrad wgrad"},
    {"direction", "EQ NE GE GT LE LT"},
    {"distribution", "rng_uniform rng_normal"},
    {"fft_type", "FFT IFFT RFFT IRFFT"},
    {"kind", "kLoop kInput kOutput kCustom"},
    {"mode", "rotate reverse", kShuffle},
    {"order", "PARTIAL TOTAL"},
    {"padding_type", "PADDING_INVALID PADDING_VALID PADDING_SAME"},
    {"schedule", "SCHEDULE_NONE SCHEDULE_LATEST SCHEDULE_EARLIEST"},
    {"transpose_a", "NO_TRANSPOSE TRANSPOSE ADJOINT"},
    {"type", "FLOAT TOTALORDER SIGNED UNSIGNED"},
};

// Whether a list of words has this one.
bool has_word(absl::string_view words, absl::string_view word) {
  if (word.empty() || word.find(' ') != word.npos) return false;
  for (size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || words[at - 1] == ' ';
    if (begins && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

// The row of the attribute; null if its value is not one of a few words.
const ValuesOf* row_of(absl::string_view name) {
  if (has_word(kBool, name)) return &kTrueOrFalse;
  const auto* const entry = std::find_if(std::begin(kValues), std::end(kValues),
                                         [name](const ValuesOf& row) { return row.name == name; });
  return entry == std::end(kValues) ? nullptr : entry;
}

void append_words(absl::string_view words, std::vector<absl::string_view>& names) {
  for (absl::string_view word : absl::StrSplit(words, ' ')) names.push_back(word);
}

constexpr absl::string_view kAccuracy = "result_accuracy";

bool has_accuracy(HloOpcode opcode) { return elementwise_operands(opcode) == 1; }

// Those of the opcode besides.
absl::string_view row_of(HloOpcode opcode) {
  return opcode == kOther ? "" : hlo_opcodes()[static_cast<size_t>(opcode)].attributes;
}

bool has_of(HloOpcode opcode, absl::string_view name) {
  return has_word(row_of(opcode), name) || (name == kAccuracy && has_accuracy(opcode));
}

void append_of(HloOpcode opcode, std::vector<absl::string_view>& names) {
  const absl::string_view row = row_of(opcode);
  if (!row.empty()) append_words(row, names);
  if (has_accuracy(opcode)) names.push_back(kAccuracy);
}

bool is_async(HloOpcode opcode) {
  return opcode == kAsyncStart || opcode == kAsyncUpdate || opcode == kAsyncDone;
}

std::vector<absl::string_view> attributes_of(HloOpcode opcode, absl::string_view opcode_text) {
  std::vector<absl::string_view> names;
  append_of(opcode, names);
  if (is_async(opcode)) {
    append_words(kAsync, names);
    append_of(wrapped_opcode(opcode_text), names);
  }
  append_words(kEverywhere, names);
  return names;
}

}  // namespace

bool is_known_attribute(HloOpcode opcode, absl::string_view opcode_text, absl::string_view name) {
  if (opcode == kOther) return true;
  if (has_word(kEverywhere, name) || has_of(opcode, name)) return true;
  return is_async(opcode) && (has_word(kAsync, name) || has_of(wrapped_opcode(opcode_text), name));
}

std::string unknown_attribute(HloOpcode opcode, absl::string_view opcode_text,
                              absl::string_view name) {
  return absl::StrCat("expected an attribute of ", opcode_text, ", found '", name.substr(0, 64),
                      "'", did_you_mean(name, attributes_of(opcode, opcode_text)));
}

bool is_known_value(HloOpcode opcode, absl::string_view name, absl::string_view value) {
  const ValuesOf* const row = row_of(name);
  if (row == nullptr || (row->only_of != kOther && row->only_of != opcode)) return true;
  return has_word(row->values, value);
}

std::string unknown_value(absl::string_view name, absl::string_view value) {
  std::vector<absl::string_view> values = absl::StrSplit(row_of(name)->values, ' ');
  const std::string meant = did_you_mean(value, values);
  const absl::string_view last = values.back();
  values.pop_back();
  return absl::StrCat("expected ", absl::StrJoin(values, ", "), " or ", last, " as ", name,
                      ", found '", value.substr(0, 64), "'", meant);
}

std::string unknown_opcode(absl::string_view opcode_text, bool is_type) {
  if (is_type) {
    return absl::StrCat("expected an element type, found '", opcode_text.substr(0, 64), "'",
                        meant_element_type(opcode_text));
  }
  std::vector<absl::string_view> names;
  for (const HloOpcodeInfo& info : hlo_opcodes()) names.push_back(info.name);
  return absl::StrCat("expected an opcode, found '", opcode_text.substr(0, 64), "'",
                      did_you_mean(opcode_text, names));
}

std::vector<std::string> unknown_words(const HloModule& module) {
  std::vector<std::string> words;
  const auto add = [&words](std::string word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  };
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      if (instruction.opcode == kOther) add(absl::StrCat("opcode ", instruction.opcode_text));
      for (const HloAttribute& attribute : instruction.attributes) {
        const absl::string_view of = instruction.opcode_text;
        if (!is_known_attribute(instruction.opcode, of, attribute.name)) {
          add(absl::StrCat("attribute ", attribute.name, " of ", of));
        } else if (!is_known_value(instruction.opcode, attribute.name, attribute.value)) {
          add(absl::StrCat(attribute.name, "=", attribute.value.substr(0, 64), " of ", of));
        }
      }
    }
  }
  return words;
}

}  // namespace tileproof
