// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/surrogate.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/layout/shape_text.h"

namespace tileproof::xla {
namespace {

using Dims = spec::Dims;
using Retype = std::function<ElementType(ElementType)>;

// ---- Text --------------------------------------------------------------------------------------

// The type of a set of sources, and the integer type that replaces a floating-point type.
ElementType to_bits(ElementType type) { return has_elements(type) ? ElementType::kU64 : type; }

ElementType to_integers(ElementType type) {
  if (type == ElementType::kF32) return ElementType::kS32;
  if (type == ElementType::kBF16) return ElementType::kS16;
  return type;
}

// Returns the shape with other element types and without layouts.
Shape retyped(const Shape& shape, const Retype& retype) {
  Shape result = shape;
  result.layout.reset();
  if (shape.kind == Shape::Kind::kArray) result.element_type = retype(shape.element_type);
  for (Shape& part : result.parts) part = retyped(part, retype);
  return result;
}

std::string bits_shape(const Dims& dims) {
  return absl::StrCat("u64[", absl::StrJoin(dims, ","), "]");
}

// Returns `, name=value` for every attribute except names of computations and hints for compilers.
std::string attributes_text(const HloInstruction& i) {
  std::string text;
  for (int32_t k = 0; k < std::ssize(i.attributes); ++k) {
    const HloAttribute& attribute = i.attributes[k];
    const bool calls = std::any_of(i.calls.begin(), i.calls.end(),
                                   [&](const HloCall& call) { return call.attribute == k; });
    if (calls || attribute.name == "kind" || attribute.name == "metadata") continue;
    absl::StrAppend(&text, ", ", attribute.name, "=", attribute.value);
  }
  return text;
}

// Returns the number of result arrays of a reduce-like operation: one for each input.
int64_t parts_of(const Shape& shape) {
  return shape.kind == Shape::Kind::kTuple ? std::ssize(shape.parts) : 1;
}

std::string operands_text(const std::vector<std::string>& names) {
  return absl::StrCat("(", absl::StrJoin(names, ", "), ")");
}

// Operations whose surrogate is `or`, and operations that XLA runs unchanged.
bool is_elementwise(HloOpcode opcode) {
  static const auto* const all = new std::set<HloOpcode>{
      HloOpcode::kNegate,  HloOpcode::kCopy,    HloOpcode::kAbs, HloOpcode::kSign,
      HloOpcode::kNot,     HloOpcode::kConvert, HloOpcode::kAdd, HloOpcode::kMultiply,
      HloOpcode::kMaximum, HloOpcode::kCompare, HloOpcode::kAnd, HloOpcode::kOr,
      HloOpcode::kSelect,  HloOpcode::kClamp};
  return all->count(opcode) > 0;
}

bool moves_elements(HloOpcode opcode) {
  static const auto* const all = new std::set<HloOpcode>{HloOpcode::kBroadcast,
                                                         HloOpcode::kTranspose,
                                                         HloOpcode::kReverse,
                                                         HloOpcode::kReshape,
                                                         HloOpcode::kSlice,
                                                         HloOpcode::kPad,
                                                         HloOpcode::kConcatenate,
                                                         HloOpcode::kTuple,
                                                         HloOpcode::kOptBarrier,
                                                         HloOpcode::kDynamicSlice,
                                                         HloOpcode::kDynamicUpdateSlice,
                                                         HloOpcode::kGather,
                                                         HloOpcode::kGetTupleElement,
                                                         HloOpcode::kAllGather,
                                                         HloOpcode::kAllToAll,
                                                         HloOpcode::kCollectivePermute};
  return all->count(opcode) > 0;
}

// ---- Surrogates --------------------------------------------------------------------------------

class Writer {
 public:
  Writer(const Question& question, absl::string_view name, Encoding encoding)
      : question_(question), module_(question.module), name_(name), encoding_(encoding) {}

  absl::StatusOr<Surrogate> run();

 private:
  struct Body {
    std::string lines;
    std::vector<std::string> names;         // names of the instructions so far
    std::set<int32_t> offsets;              // instructions that keep their type
    std::map<int32_t, std::string> values;  // names of what computes the real value
    int64_t next = 0;
  };

  bool bits() const { return encoding_ != Encoding::kChanges; }
  Retype retype() const {
    if (bits()) return to_bits;
    if (question_.as_it_is) return [](ElementType type) { return type; };
    return to_integers;
  }
  Shape shape_of(const Body& body, int32_t k, const HloInstruction& i) const;
  absl::Status computation(int32_t c, const std::string& name);
  absl::StatusOr<std::string> instruction(Body& body, int32_t c, int32_t k);
  absl::StatusOr<std::string> in_bits(Body& body, int32_t c, int32_t k);
  absl::StatusOr<std::string> in_integers(Body& body, int32_t c, int32_t k);
  absl::StatusOr<std::string> called(int32_t c, const std::string& suffix);

  std::string emit(Body& body, absl::string_view shape, absl::string_view text) {
    const std::string name = absl::StrCat("v", body.next++);
    absl::StrAppend(&body.lines, "  ", name, " = ", shape, " ", text, "\n");
    return name;
  }
  std::string filled(Body& body, const Dims& dims, uint64_t value) {
    const std::string scalar = emit(body, "u64[]", absl::StrCat("constant(", value, ")"));
    return dims.empty() ? scalar
                        : emit(body, bits_shape(dims),
                               absl::StrCat("broadcast(", scalar, "), dimensions={}"));
  }
  std::string or_of(Body& body, const Dims& dims, const std::vector<std::string>& all) {
    std::string result = all[0];
    for (size_t k = 1; k < all.size(); ++k) {
      result = emit(body, bits_shape(dims), absl::StrCat("or(", result, ", ", all[k], ")"));
    }
    return result;
  }
  absl::StatusOr<std::string> real_value(Body& body, int32_t c, int32_t k);
  absl::StatusOr<std::string> chosen(Body& body, int32_t c, const HloInstruction& i,
                                     const Dims& out, const std::vector<std::string>& bits);
  std::string flags(Body& body, const Dims& dims, const std::string& sums);
  std::string along(Body& body, const std::string& x, const Dims& in, int64_t dimension,
                    const Dims& out);
  std::string function(int64_t values, absl::string_view opcode);
  std::string each_reduced(Body& body, const HloInstruction& i, const Shape& shape,
                           const std::vector<std::string>& operands);
  std::string comparator(const std::vector<ElementType>& types);
  std::string other_width(Body& body, const std::string& x, const Dims& in, const Dims& out);
  absl::StatusOr<std::string> lines_combined(Body& body, const HloInstruction& i,
                                             const Shape& shape,
                                             const std::vector<std::string>& operands,
                                             const std::vector<Dims>& in);
  std::string sum_of_products(Body& body, const HloInstruction& i, const std::vector<Dims>& in,
                              const Dims& out, const std::vector<std::string>& operands);

  const Question& question_;
  const HloModule& module_;
  const std::string name_;
  const Encoding encoding_;
  std::string out_;
  std::set<std::string> functions_;
  int64_t next_computation_ = 0;
};

// Reduces each field to 0 or 1: whether it was more than 0. Fields hold less than 2^15.
std::string Writer::flags(Body& body, const Dims& dims, const std::string& sums) {
  const std::string shape = bits_shape(dims);
  const std::string up = emit(
      body, shape, absl::StrCat("add(", sums, ", ", filled(body, dims, 0x7fff7fff7fff7fff), ")"));
  const std::string down = emit(
      body, shape, absl::StrCat("shift-right-logical(", up, ", ", filled(body, dims, 15), ")"));
  return emit(body, shape,
              absl::StrCat("and(", down, ", ", filled(body, dims, 0x0001000100010001), ")"));
}

// Broadcasts the `or` of each line along a dimension to all elements of the line. If `out` has one
// rank less, the dimension is left out instead.
std::string Writer::along(Body& body, const std::string& x, const Dims& in, int64_t dimension,
                          const Dims& out) {
  Dims kept, positions;
  for (int64_t d = 0; d < std::ssize(in); ++d) {
    if (d == dimension) continue;
    kept.push_back(in[d]);
    positions.push_back(d);
  }
  const std::string zero = filled(body, {}, 0);
  const std::string line = emit(body, bits_shape(kept),
                                absl::StrCat("reduce(", x, ", ", zero, "), dimensions={", dimension,
                                             "}, to_apply=", function(1, "or")));
  if (out.size() < in.size()) return line;
  return emit(
      body, bits_shape(out),
      absl::StrCat("broadcast(", line, "), dimensions={", absl::StrJoin(positions, ","), "}"));
}

// A function of 2 * values scalars with `values` results; each combines all arguments.
std::string Writer::function(int64_t values, absl::string_view opcode) {
  const std::string name = absl::StrCat(name_, "_", opcode, values);
  if (!functions_.insert(name).second) return name;
  std::string text = absl::StrCat(name, " {\n");
  for (int64_t k = 0; k < 2 * values; ++k)
    absl::StrAppend(&text, "  p", k, " = u64[] parameter(", k, ")\n");
  std::string all = "p0";
  for (int64_t k = 1; k < 2 * values; ++k) {
    absl::StrAppend(&text, k == 1 && values == 1 ? "  ROOT " : "  ", "c", k, " = u64[] ", opcode,
                    "(", all, ", p", k, ")\n");
    all = absl::StrCat("c", k);
  }
  if (values > 1) {
    const std::vector<std::string> shapes(static_cast<size_t>(values), "u64[]"),
        names(static_cast<size_t>(values), all);
    absl::StrAppend(&text, "  ROOT t = (", absl::StrJoin(shapes, ", "), ") tuple(",
                    absl::StrJoin(names, ", "), ")\n");
  }
  absl::StrAppend(&out_, text, "}\n");
  return name;
}

// Reduces each input alone with XLA's own reduction, and or's all results and inits. Otherwise XLA
// may skip an init that has nothing to combine with (docs/findings.md, init-is-identity).
std::string Writer::each_reduced(Body& body, const HloInstruction& i, const Shape& shape,
                                 const std::vector<std::string>& operands) {
  const bool tuple = shape.kind == Shape::Kind::kTuple;
  const Dims dims = dims_of(tuple ? shape.parts[0] : shape);
  const int64_t inputs = std::ssize(operands) / 2;
  std::vector<std::string> all;
  for (int64_t k = 0; k < inputs; ++k) {
    const std::string& init = operands[inputs + k];
    all.push_back(emit(body, bits_shape(dims),
                       absl::StrCat(i.opcode_text, "(", operands[k], ", ", init, ")",
                                    attributes_text(i), ", to_apply=", function(1, "or"))));
    all.push_back(dims.empty() ? init
                               : emit(body, bits_shape(dims),
                                      absl::StrCat("broadcast(", init, "), dimensions={}")));
  }
  const std::string result = or_of(body, dims, all);
  if (!tuple) return result;
  const std::vector<std::string> parts(shape.parts.size(), result);
  return emit(body, to_text(shape), absl::StrCat("tuple(", absl::StrJoin(parts, ", "), ")"));
}

// Compares the sum of one side's values with the sum of the other's (greater). Parameters come in
// pairs.
std::string Writer::comparator(const std::vector<ElementType>& types) {
  const std::string name = absl::StrCat(name_, "_by", next_computation_++);
  std::string text = absl::StrCat(name, " {\n"), sums[2];
  for (size_t k = 0; k < 2 * types.size(); ++k) {
    std::string& sum = sums[k % 2];
    absl::StrAppend(&text, "  p", k, " = ", info(types[k / 2]).name, "[] parameter(", k, ")\n",
                    "  w", k, " = s32[] convert(p", k, ")\n");
    const std::string value = absl::StrCat("w", k);
    if (!sum.empty()) absl::StrAppend(&text, "  sum", k, " = s32[] add(", sum, ", ", value, ")\n");
    sum = sum.empty() ? value : absl::StrCat("sum", k);
  }
  absl::StrAppend(&out_, text, "  ROOT c = pred[] compare(", sums[0], ", ", sums[1],
                  "), direction=GT\n}\n");
  return name;
}

std::string Writer::sum_of_products(Body& body, const HloInstruction& i,
                                    const std::vector<Dims>& in, const Dims& out,
                                    const std::vector<std::string>& operands) {
  std::vector<std::string> sides;
  for (size_t side = 0; side < 2; ++side) {
    const Dims& other = in[1 - side];
    const std::string ones =
        emit(body, bits_shape(other), absl::StrCat("opt-barrier(", filled(body, other, 1), ")"));
    const std::string both =
        side == 0 ? absl::StrCat(operands[0], ", ", ones) : absl::StrCat(ones, ", ", operands[1]);
    const std::string sums = emit(body, bits_shape(out),
                                  absl::StrCat(i.opcode_text, "(", both, ")", attributes_text(i)));
    sides.push_back(flags(body, out, sums));
  }
  return or_of(body, out, sides);
}

Shape Writer::shape_of(const Body& body, int32_t k, const HloInstruction& i) const {
  if (body.offsets.count(k) > 0) return retyped(*i.shape, [](ElementType type) { return type; });
  return retyped(*i.shape, retype());
}

// The computation that an instruction applies, unchanged.
absl::StatusOr<std::string> Writer::called(int32_t c, const std::string& suffix) {
  const std::string name = absl::StrCat(name_, "_", suffix, next_computation_++);
  TRY(computation(c, name));
  return name;
}

// A wide element depends on all narrow ones of its line, and they on it.
std::string Writer::other_width(Body& body, const std::string& x, const Dims& in, const Dims& out) {
  if (in == out) return x;
  if (in.size() > out.size()) return along(body, x, in, std::ssize(in) - 1, out);
  Dims positions;
  for (int64_t d = 0; d < std::ssize(in); ++d) positions.push_back(d);
  return emit(body, bits_shape(out),
              absl::StrCat("broadcast(", x, "), dimensions={", absl::StrJoin(positions, ","), "}"));
}

// Sort and topk: every result depends on all elements of its line in any operand.
absl::StatusOr<std::string> Writer::lines_combined(Body& body, const HloInstruction& i,
                                                   const Shape& shape,
                                                   const std::vector<std::string>& operands,
                                                   const std::vector<Dims>& in) {
  int64_t dimension = std::ssize(in[0]) - 1;
  if (i.opcode == HloOpcode::kSort) {
    const auto given = integers_of(i, "dimensions");
    if (!given.ok() || given->size() != 1) {
      return absl::InvalidArgumentError(absl::StrCat(i.name, ": expected one dimension"));
    }
    dimension = given->front();
  }
  const bool tuple = shape.kind == Shape::Kind::kTuple;
  const Dims part = dims_of(tuple ? shape.parts[0] : shape);
  std::vector<std::string> lines;
  for (size_t n = 0; n < operands.size(); ++n) {
    lines.push_back(along(body, operands[n], in[n], dimension, part));
  }
  const std::string all = or_of(body, part, lines);
  if (!tuple) return all;
  const std::vector<std::string> parts(shape.parts.size(), all);
  return emit(body, to_text(shape), absl::StrCat("tuple", operands_text(parts)));
}

// The value of an instruction that no parameter leads to, computed by XLA's own operations.
absl::StatusOr<std::string> Writer::real_value(Body& body, int32_t c, int32_t k) {
  if (const auto known = body.values.find(k); known != body.values.end()) return known->second;
  const HloInstruction& i = module_.computations[c].instructions[k];
  if (i.opcode == HloOpcode::kParameter || i.opcode == HloOpcode::kBitcast || !i.calls.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("no surrogate for a predicate with ", i.opcode_text));
  }
  std::vector<std::string> operands;
  for (const HloOperand& operand : i.operands) {
    operands.push_back(TRY(real_value(body, c, operand.instruction)));
  }
  const std::string inside = i.opcode == HloOpcode::kConstant ? absl::StrCat("(", i.literal, ")")
                                                              : operands_text(operands);
  const Shape shape = retyped(*i.shape, [](ElementType type) { return type; });
  return body.values[k] =
             emit(body, to_text(shape), absl::StrCat(i.opcode_text, inside, attributes_text(i)));
}

// A select: `or`, unless the predicate is known. Then XLA computes it and selects by it.
absl::StatusOr<std::string> Writer::chosen(Body& body, int32_t c, const HloInstruction& i,
                                           const Dims& out, const std::vector<std::string>& bits) {
  const int32_t operand = i.operands[0].instruction;
  spec::Terms terms;
  const auto values = TRY(spec::terms_of(module_, c, operand, 0, terms));
  int64_t work = spec::Limits().work;
  const auto may_be_anything = [&](spec::TermId id) { return !terms.possible(id, work); };
  if (std::ranges::all_of(values.terms, may_be_anything)) return or_of(body, out, bits);
  const auto is_decided = [&](spec::TermId id) { return terms.is_constant(id); };
  if (!std::ranges::all_of(values.terms, is_decided)) {
    return absl::UnimplementedError("no surrogate for a predicate that is known in part");
  }
  std::string predicate = TRY(real_value(body, c, operand));
  if (dims_of(*module_.computations[c].instructions[operand].shape) != out) {
    predicate = emit(body, absl::StrCat("pred[", absl::StrJoin(out, ","), "]"),
                     absl::StrCat("broadcast(", predicate, "), dimensions={}"));
  }
  const std::string one = emit(
      body, bits_shape(out), absl::StrCat("select", operands_text({predicate, bits[1], bits[2]})));
  return or_of(body, out, {one, bits[0]});
}

absl::StatusOr<std::string> Writer::in_bits(Body& body, int32_t c, int32_t k) {
  const HloInstruction& i = module_.computations[c].instructions[k];
  const Shape shape = shape_of(body, k, i);
  const std::string result = to_text(shape);
  const Dims out = shape.kind == Shape::Kind::kArray ? dims_of(shape) : Dims{};
  std::vector<std::string> names;
  std::vector<Dims> in;
  for (const HloOperand& operand : i.operands) {
    names.push_back(body.names[operand.instruction]);
    const Shape& from = *module_.computations[c].instructions[operand.instruction].shape;
    in.push_back(from.kind == Shape::Kind::kArray ? dims_of(from) : Dims{});
  }
  if (is_elementwise(i.opcode)) {
    for (size_t n = 0; n < names.size(); ++n) {
      if (in[n] != out)
        names[n] = emit(body, result, absl::StrCat("broadcast(", names[n], "), dimensions={}"));
    }
    if (i.opcode == HloOpcode::kSelect) return chosen(body, c, i, out, names);
    return names.size() > 1 ? or_of(body, out, names)
                            : emit(body, result, absl::StrCat("copy(", names[0], ")"));
  }
  if (moves_elements(i.opcode)) {
    return emit(body, result,
                absl::StrCat(i.opcode_text, operands_text(names), attributes_text(i)));
  }
  const auto applying = [&](absl::string_view opcode) {
    return emit(body, result,
                absl::StrCat(i.opcode_text, operands_text(names), attributes_text(i),
                             ", to_apply=", function(parts_of(shape), opcode)));
  };
  switch (i.opcode) {
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
      return question_.whole ? each_reduced(body, i, shape, names) : applying("or");
    case HloOpcode::kScatter:
      return applying("or");
    case HloOpcode::kMap:
      if (names.size() != 2)
        return absl::UnimplementedError("no surrogate for map of other than 2");
      return applying("or");
    case HloOpcode::kAllReduce:
    case HloOpcode::kReduceScatter:
      return applying("maximum");
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
      return sum_of_products(body, i, in, out, names);
    case HloOpcode::kConstant:
    case HloOpcode::kIota:
      return filled(body, out, 0);
    case HloOpcode::kBitcastConvert:
      return other_width(body, names[0], in[0], out);
    case HloOpcode::kSort:
    case HloOpcode::kTopk:
      return lines_combined(body, i, shape, names, in);
    case HloOpcode::kFusion:
    case HloOpcode::kCall: {
      const auto name = TRY(called(i.calls.at(0).computation, "call"));
      return emit(body, result, absl::StrCat("call", operands_text(names), ", to_apply=", name));
    }
    default:
      return absl::UnimplementedError(absl::StrCat("no surrogate for ", i.opcode_text));
  }
}

absl::StatusOr<std::string> Writer::in_integers(Body& body, int32_t c, int32_t k) {
  const HloInstruction& i = module_.computations[c].instructions[k];
  const std::string result = to_text(shape_of(body, k, i));
  std::vector<std::string> names;
  std::vector<ElementType> types;
  for (const HloOperand& operand : i.operands) {
    names.push_back(body.names[operand.instruction]);
    types.push_back(
        to_integers(module_.computations[c].instructions[operand.instruction].shape->element_type));
  }
  std::string text = absl::StrCat(i.opcode_text, operands_text(names), attributes_text(i));
  if (i.opcode == HloOpcode::kConstant) text = absl::StrCat("constant(", i.literal, ")");
  if (i.opcode == HloOpcode::kBitcast || i.opcode == HloOpcode::kCustomCall) {
    return absl::UnimplementedError(absl::StrCat("no surrogate for ", i.opcode_text));
  }
  for (const HloCall& call : i.calls) {
    const std::string& attribute = i.attributes[call.attribute].name;
    if (i.opcode == HloOpcode::kSort) {
      absl::StrAppend(&text, ", to_apply=", comparator(types));
      continue;
    }
    const auto name = TRY(called(call.computation, attribute));
    absl::StrAppend(&text, ", ", attribute, "=", name);
  }
  return emit(body, result, text);
}

absl::StatusOr<std::string> Writer::instruction(Body& body, int32_t c, int32_t k) {
  const HloInstruction& i = module_.computations[c].instructions[k];
  if (i.opcode == HloOpcode::kParameter) {
    return emit(body, to_text(shape_of(body, k, i)),
                absl::StrCat("parameter(", i.parameter_number, ")"));
  }
  if (body.offsets.count(k) > 0) {  // a barrier prevents constant folding
    const std::string shape = to_text(shape_of(body, k, i));
    const std::string constant = emit(body, shape, absl::StrCat("constant(", i.literal, ")"));
    return emit(body, shape, absl::StrCat("opt-barrier(", constant, ")"));
  }
  return bits() ? in_bits(body, c, k) : in_integers(body, c, k);
}

absl::Status Writer::computation(int32_t c, const std::string& name) {
  const HloComputation& old = module_.computations[c];
  Body body;
  for (int32_t k = 0; k < std::ssize(old.instructions); ++k) {
    for (const int64_t operand : offset_operands(module_, c, k)) {
      body.offsets.insert(old.instructions[k].operands[operand].instruction);
    }
  }
  std::string root;
  for (int32_t k = 0; k < std::ssize(old.instructions); ++k) {
    body.names.push_back(TRY(instruction(body, c, k)));
  }
  // The last line that computes the root's value is the root; only unused lines follow it.
  const std::string mark = absl::StrCat("  ", body.names[old.root], " = ");
  const size_t at = body.lines.find(mark);
  body.lines.insert(at + 2, "ROOT ");
  absl::StrAppend(&out_, name, " {\n", body.lines, "}\n");
  return absl::OkStatus();
}

absl::StatusOr<Surrogate> Writer::run() {
  const HloComputation& entry = module_.computations[module_.entry];
  TRY(computation(module_.entry, name_));
  Surrogate result;
  result.computations = std::move(out_);
  result.name = name_;
  const Retype type_of = retype();
  const Retype as_is = [](ElementType type) { return type; };
  for (const int32_t position : parameters_of(entry)) {
    const HloInstruction& parameter = entry.instructions[position];
    if (parameter.shape->kind != Shape::Kind::kArray)
      return absl::UnimplementedError("no surrogate for a tuple parameter");
    const bool offset = question_.offsets.count(parameter.parameter_number) > 0;
    result.inputs.push_back(to_text(retyped(*parameter.shape, offset ? as_is : type_of)));
  }
  const Shape& shape = *entry.instructions[entry.root].shape;
  result.tuple = shape.kind == Shape::Kind::kTuple;
  const auto leaves = TRY(leaves_of(shape));
  for (const Leaf& leaf : leaves) result.outputs.push_back(to_text(retyped(*leaf.array, type_of)));
  return result;
}

}  // namespace

Encoding bits_or_fields(const HloModule& module) {
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& i : computation.instructions) {
      if (i.opcode == HloOpcode::kDot || i.opcode == HloOpcode::kConvolution)
        return Encoding::kFields;
    }
  }
  return Encoding::kBits;
}

absl::StatusOr<Surrogate> make_surrogate(const Question& question, absl::string_view name,
                                         Encoding encoding) {
  return Writer(question, name, encoding).run();
}

}  // namespace tileproof::xla
