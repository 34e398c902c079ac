// Writing HLO text one instruction after the other. Private to generate/hlo/generate_hlo*.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
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
std::string list(const Dims& dims);  // "1,2"
std::string shape(const Value& value);

class Builder {
 public:
  // With `pool`, operands may be values that are there; else each is a new parameter.
  Builder(Choose& c, const HloLimits& limits, bool pool)
      : choose(c), limits_(limits), use_pool_(pool) {}

  Choose& choose;

  int64_t limit() const { return limits_.elements; }

  // A new parameter.
  Value parameter(Value like);
  // An operand of this type and these dimensions: a parameter, or a value that is there.
  Value operand(const std::string& type, const Dims& dims);
  // Offsets: a scalar for a dimension of that size, and a table of indices.
  Value offset(int64_t size);
  Value table(const Dims& dims, int64_t size);

  // `<new name> = <shape> <text>`, with what the shape of `like` says.
  Value emit(Value like, absl::string_view text);
  // An instruction that gives a tuple; the value is one of its parts.
  Value emit_tuple(const std::vector<Value>& parts, absl::string_view text);

  // Computations of scalars that are applied: `types` of one accumulator (or side) each.
  std::string reducer(const std::vector<std::string>& types);
  std::string comparator(const std::vector<std::string>& types);
  std::string mapper(const std::vector<std::string>& types);

  // Random small dimensions.
  Dims small_dims(int64_t min_rank, int64_t max_rank);
  int64_t small_size();
  std::vector<int64_t> permutation(int64_t rank);
  std::string any_type();

  // Ends this computation: its text between `name {` and `}`, the root marked.
  std::string body() const;
  // Takes the instructions so far as a computation, and begins again with a call of it.
  Value wrap(const Value& root);

  std::string regions;             // computations written before
  std::vector<Value> values;       // that later operations may use
  std::vector<Value> parameters;   // by number
  std::vector<std::string> lines;  // instructions
  int64_t root_leaves = 1;         // of the last instruction
  int64_t near = 1;

 private:
  std::string new_name(absl::string_view prefix);
  void note(int64_t size);

  const HloLimits& limits_;
  bool use_pool_;
  int64_t next_ = 0;
};

// One kind of operation, applied to x, which may be turned into something that fits.
struct Kind {
  const char* name;
  Value (*apply)(Builder& b, Value x);
};
const std::vector<Kind>& movement_kinds();   // gen_hlo_movement.cc
const std::vector<Kind>& computing_kinds();  // gen_hlo_compute.cc
const std::vector<Kind>& dynamic_kinds();    // gen_hlo_dynamic.cc

}  // namespace tileproof::hlo
