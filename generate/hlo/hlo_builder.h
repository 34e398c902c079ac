// SPDX-License-Identifier: Apache-2.0
// Writes HLO text instruction by instruction. Private to generate/hlo/generate_hlo*.cc.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "generate/choose/limits.h"
#include "generate/hlo/generate_hlo.h"
#include "spec/lang/base/dims.h"

namespace tileproof::hlo {

struct Value {
  std::string name;
  std::string type = "f32";
  Dims dims;
  std::string layout;  // "{0,1:T(2)}", empty for the default
};

int64_t count(const Dims& dims);
std::string list(const Dims& dims);                      // "1,2"
std::string names_of(const std::vector<Value>& values);  // "a, b"
std::string shape(const Value& value);

bool is_complex(absl::string_view type);

class Builder {
 public:
  // With `pool`, operands may be existing values; otherwise each is a new parameter.
  Builder(Choose& c, const HloLimits& limits, bool pool)
      : choose(c), limits_(limits), use_pool_(pool) {}

  Choose& choose;

  int64_t limit() const { return limits_.elements; }
  bool uses_pool() const { return use_pool_; }

  // Returns a number within the limit: mostly a usual one.
  int64_t within(const Limit& limit) { return choose_within(choose, limit, limits_.rare); }

  // Returns a new parameter.
  Value parameter(Value like);
  // Returns an operand of this type and these dimensions: a parameter, or an existing value.
  Value operand(const std::string& type, const Dims& dims);
  // Return offsets of an integer type: a scalar for a dimension of that size, or a table of
  // indices. In a computation they may be constants, an iota, or computed from other integers.
  Value offset(const std::string& type, int64_t size);
  Value table(const std::string& type, const Dims& dims, int64_t size);
  // Returns one offset for each of these dimensions, all of one type. In a computation they may be
  // those of an earlier operation, or copies of them.
  std::vector<Value> offsets(const Dims& dims);

  // Appends `<new name> = <shape> <text>`, with the shape of `like`. The parts make the text.
  template <class... Parts>
  Value emit(Value like, const Parts&... text) {
    return append(std::move(like), absl::StrCat(text...));
  }
  // Appends an instruction whose result is a tuple. Returns one of its parts.
  template <class... Parts>
  Value emit_tuple(const std::vector<Value>& parts, const Parts&... text) {
    return append_tuple(parts, absl::StrCat(text...));
  }

  // Each adds a computation on scalars for operations that apply one. `types` are those of one
  // accumulator (or side).
  std::string reducer(const std::vector<std::string>& types);
  std::string comparator(const std::vector<std::string>& types);
  std::string mapper(const std::vector<std::string>& types);
  // Adds a computation that selects among two arrays like these; parameter 0 decides, or its `not`.
  std::string chooser(const Value& predicate, const Value& x, const Value& y);

  // Choose small dimensions, permutations and types.
  Dims small_dims(int64_t min_rank, int64_t max_rank);
  int64_t small_size();
  std::vector<int64_t> permutation(int64_t rank);
  std::string any_type();
  std::string index_type();

  // Returns the text of the computation between `name {` and `}`, with the root marked.
  std::string body() const;
  // Turns the instructions so far into a computation and starts anew with a call of it.
  Value wrap(const Value& root);

  std::string regions;             // text of the computations so far
  std::vector<Value> values;       // values that later operations may use
  std::vector<Value> parameters;   // by number
  std::vector<std::string> lines;  // instructions
  int64_t root_leaves = 1;         // leaves of the last instruction
  int64_t near = 1;

 private:
  Value append(Value like, absl::string_view text);
  Value append_tuple(const std::vector<Value>& parts, absl::string_view text);
  Value computed_index(const std::string& type, const Dims& dims);

  std::string new_name(absl::string_view prefix);
  void note(int64_t size);

  const HloLimits& limits_;
  bool use_pool_;
  std::vector<std::vector<Value>> offsets_;  // that were returned, of this computation
  int64_t next_ = 0;
};

// Returns an array of predicates that iotas and constants decide, sometimes only in part.
Value known_predicate(Builder& b, const Dims& dims);  // generate_predicate.cc

// One kind of operation. `apply` may first turn x into a value that fits. Where an implementation
// decides on attributes and sizes, a run of the judge asks several times as often.
struct Kind {
  const char* name;
  Value (*apply)(Builder& b, Value x);
  int64_t share = 1;
};
inline constexpr int64_t kDecides = 3;       // the share of such a kind
const std::vector<Kind>& movement_kinds();   // generate_hlo_movement.cc
const std::vector<Kind>& computing_kinds();  // generate_hlo_compute.cc
const std::vector<Kind>& dynamic_kinds();    // generate_hlo_dynamic.cc

}  // namespace tileproof::hlo
