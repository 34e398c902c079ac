// SPDX-License-Identifier: Apache-2.0
// Tuples, calls, copies and asynchronous operations; and operations without structure.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/operations/checked_op_parts.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::check {
namespace {

absl::StatusOr<op::Any> first_operand_forwarded(const Instruction& in, int64_t operands) {
  TRY(expect_operands(in, operands, operands));
  TRY(expect_part_count(in, std::ssize(in.operands[0])));
  return forwarded_from(in, 0);
}

// "; did you mean 'transpose'?" for "transpse".
std::string meant(absl::string_view opcode) {
  std::vector<absl::string_view> names;
  for (const HloOpcodeInfo& known : hlo_opcodes()) names.push_back(known.name);
  return did_you_mean(opcode, names);
}

}  // namespace

absl::StatusOr<op::Any> tuple(const Instruction& in) {
  const std::vector<OperandLeaf> leaves = operand_leaves(in);
  TRY(expect_part_count(in, std::ssize(leaves)));
  op::Forward f;
  for (int64_t k = 0; k < std::ssize(leaves); ++k) {
    f.from.emplace_back(TRY(forwarded(in, k, leaves[k])));
  }
  return f;
}

absl::StatusOr<op::Any> get_tuple_element(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  const int64_t index = TRY(integer_of(in.instruction, "index"));
  const Shape& shape = *in.operand_shapes[0];
  if (shape.kind != Shape::Kind::kTuple) return expected(in, "a tuple, found an array");
  if (index >= std::ssize(shape.parts)) {
    return expected(in, "an index below ", shape.parts.size(), ", found ", index);
  }
  int64_t before = 0;
  for (int64_t part = 0; part < index; ++part) before += leaf_count(shape.parts[part]);
  TRY(expect_part_count(in, leaf_count(shape.parts[index])));
  return forwarded_from(in, before);
}

absl::StatusOr<op::Any> same_leaves(const Instruction& in) {
  return first_operand_forwarded(in, 1);
}

absl::StatusOr<op::Any> add_dependency(const Instruction& in) {
  return first_operand_forwarded(in, 2);
}

// (copy, operand, contexts)
absl::StatusOr<op::Any> copy_start(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  const int64_t count = std::ssize(in.operands[0]), parts = std::ssize(in.result);
  if (parts < 2 * count) {
    return expected(in, "at least ", 2 * count, " parts (copy, operand, ..), found ", parts);
  }
  op::Forward f;
  for (int64_t k = 0; k < 2 * count; ++k) {
    f.from.emplace_back(TRY(forwarded(in, k, {0, static_cast<int32_t>(k % count)})));
  }
  f.from.resize(in.result.size());
  return f;
}

// The copy.
absl::StatusOr<op::Any> copy_done(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  const Shape& start = *in.operand_shapes[0];
  if (start.parts.size() < 2) {
    return expected(in, "an operand that is a tuple (copy, operand, ..)");
  }
  TRY(expect_part_count(in, std::ssize(TRY(leaves_of(start.parts[0])))));
  return forwarded_from(in, 0);
}

namespace {

// The leaves of a shape of a called computation.
absl::StatusOr<Leaves> leaves_inside(const Instruction& in, const HloComputation& computation,
                                     absl::string_view what, const SharedShape& shape) {
  if (!shape) return expected(in, "a shape of ", what, " of ", computation.name);
  absl::StatusOr<Leaves> leaves = leaves_of(*shape);
  if (leaves.ok()) return leaves;
  return absl::InvalidArgumentError(
      absl::StrCat(in.instruction.name, ": ", computation.name, ": ", leaves.status().message()));
}

bool same_dims(absl::Span<const Leaf> a, absl::Span<const Leaf> b) {
  return std::ranges::equal(a, b, [](const Leaf& x, const Leaf& y) { return x.dims == y.dims; });
}

// The leaves of the root of a computation whose parameters are the operands.
absl::StatusOr<Leaves> root_leaves(const Instruction& in, const HloComputation& computation) {
  const std::vector<int32_t> parameters = parameters_of(computation);
  if (std::ssize(parameters) != in.operand_count()) {
    return expected(in, count_text(std::ssize(parameters), "operand"),
                    ", one for each parameter of ", computation.name, ", found ",
                    in.operand_count());
  }
  for (size_t k = 0; k < parameters.size(); ++k) {
    const Leaves leaves = TRY(leaves_inside(in, computation, absl::StrCat("parameter ", k),
                                            computation.instructions[parameters[k]].shape));
    if (!same_dims(leaves, in.operands[k])) {
      return expected(in, "operand ", k, " of the dimensions of parameter ", k, " of ",
                      computation.name);
    }
  }
  return leaves_inside(in, computation, "the root",
                       computation.instructions[computation.root].shape);
}

std::optional<int32_t> only_computation(const Instruction& in) {
  for (const char* attribute : {"calls", "to_apply", "called_computations"}) {
    const std::vector<int32_t> called = called_computations(in.instruction, attribute);
    if (called.size() == 1 && called[0] >= 0) return called[0];
  }
  return std::nullopt;
}

// Whether the computations, of one attribute, are written.
bool are_in_text(const std::vector<int32_t>& called) {
  return !called.empty() && std::ranges::all_of(called, [](int32_t c) { return c >= 0; });
}

op::Opaque not_in_text(absl::string_view opcode) {
  return {op::Opaque::Kind::kNotInText,
          absl::StrCat(opcode, " of a computation that is not in the text")};
}

}  // namespace

absl::StatusOr<op::Any> call(const Instruction& in) {
  const std::optional<int32_t> called = only_computation(in);
  if (!called) return not_in_text(in.opcode_text);
  const HloComputation& computation = in.module.computations[*called];
  const Leaves root = TRY(root_leaves(in, computation));
  if (in.result.size() != root.size()) {
    return expected(in, count_text(std::ssize(root), "part"), " of the result, as of the root of ",
                    computation.name, ", found ", in.result.size());
  }
  for (int64_t k = 0; k < std::ssize(in.result); ++k) TRY(expect_part(in, k, root[k].dims));
  return op::Call{*called};
}

namespace {

// OK if the computation takes one parameter and gives a root with the dimensions of these leaves.
absl::Status expect_takes_and_gives(const Instruction& in, const HloComputation& called,
                                    absl::Span<const Leaf> taken, absl::Span<const Leaf> given) {
  const std::vector<int32_t> parameters = parameters_of(called);
  if (parameters.size() != 1) {
    return expected(in, "1 parameter of ", called.name, ", found ", parameters.size());
  }
  const auto expect = [&](const char* what, int32_t instruction,
                          absl::Span<const Leaf> leaves) -> absl::Status {
    const Leaves found =
        TRY(leaves_inside(in, called, what, called.instructions[instruction].shape));
    if (same_dims(found, leaves)) return absl::OkStatus();
    return expected(in, what, " of ", called.name, " of dimensions ", leaves_text(leaves),
                    ", found ", leaves_text(found));
  };
  TRY(expect("the parameter", parameters[0], taken));
  return expect("the root", called.root, given);
}

// OK if operand 0, a scalar, can choose one of so many branches.
absl::Status expect_chooser(const Instruction& in, size_t branches) {
  const ElementType type = in.operands[0][0].array->element_type;
  if (type == ElementType::kS32 || (type == ElementType::kPred && branches == 2)) {
    return absl::OkStatus();
  }
  return expected(in, branches == 2 ? "pred or s32" : "s32", " as operand 0, found ",
                  info(type).name);
}

}  // namespace

absl::StatusOr<op::Any> loop(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  if (!same_dims(in.operands[0], in.result)) {
    return expected(in, "a result of dimensions ", leaves_text(in.operands[0]), ", found ",
                    leaves_text(in.result));
  }
  const std::vector<int32_t> condition = called_computations(in.instruction, "condition");
  const std::vector<int32_t> body = called_computations(in.instruction, "body");
  if (!are_in_text(condition) || !are_in_text(body)) return not_in_text(in.opcode_text);
  if (condition.size() > 1 || body.size() > 1) return expected(in, "one condition and one body");
  const HloComputation& test = in.module.computations[condition[0]];
  const Leaf scalar{{}, nullptr};
  TRY(expect_takes_and_gives(in, test, in.result, {&scalar, 1}));
  TRY(expect_predicate_of(in, test));
  TRY(expect_takes_and_gives(in, in.module.computations[body[0]], in.result, in.result));
  return op::While{condition[0], body[0], &in.module, &in.within,
                   in.instruction.operands[0].instruction};
}

absl::StatusOr<op::Any> conditional(const Instruction& in) {
  op::Conditional result;
  for (const char* name : {"branch_computations", "true_computation", "false_computation"}) {
    const std::vector<int32_t> called = called_computations(in.instruction, name);
    result.branches.insert(result.branches.end(), called.begin(), called.end());
  }
  if (!are_in_text(result.branches)) return not_in_text(in.opcode_text);
  const int64_t operands = std::ssize(result.branches) + 1;
  if (in.operand_count() != operands) {
    return expected(in, count_text(operands, "operand"), ", one and one for each branch, found ",
                    in.operand_count());
  }
  TRY(expect_operand(in, 0, {}));
  TRY(expect_chooser(in, result.branches.size()));
  for (size_t k = 0; k < result.branches.size(); ++k) {
    TRY(expect_takes_and_gives(in, in.module.computations[result.branches[k]], in.operands[k + 1],
                               in.result));
  }
  return result;
}

namespace {

// The wrapped operation of `negate-start`: its result is the second part of the shape.
absl::StatusOr<Instruction> wrapped(const Instruction& in, HloOpcode opcode) {
  Instruction inner = in;
  inner.opcode = opcode;
  inner.opcode_text = std::string(name_of(opcode));
  inner.result_shape = &in.result_shape->parts[1];
  inner.result =
      in.result.subspan(leaf_count(in.result_shape->parts[0]), leaf_count(*inner.result_shape));
  return inner;
}

// The call of an async-start that names its computation; without one, all other parts are opaque.
absl::StatusOr<Instruction> started_call(const Instruction& in, int64_t before) {
  Instruction inner = in;
  inner.opcode = HloOpcode::kCall;
  inner.opcode_text = std::string(name_of(HloOpcode::kAsyncStart));
  int64_t end = std::ssize(in.result);
  if (const std::optional<int32_t> called = only_computation(in)) {
    const Leaves root = TRY(root_leaves(in, in.module.computations[*called]));
    end = std::min(end, before + std::ssize(root));
  }
  inner.result = in.result.subspan(before, end - before);
  return inner;
}

}  // namespace

absl::StatusOr<op::Any> async_start(const Instruction& in) {
  op::Start start{operand_leaves(in), nullptr};
  const int64_t before = std::ssize(start.operands);
  const Shape& shape = *in.result_shape;
  if (shape.parts.size() < 2 || shape.parts[0].kind != Shape::Kind::kTuple ||
      std::ssize(TRY(leaves_of(shape.parts[0]))) != before) {
    return expected(in, "a result that is a tuple ((operands), results, ..)");
  }
  for (int64_t k = 0; k < before; ++k) TRY(forwarded(in, k, start.operands[k]));
  if (std::ssize(in.result) == before) return start;
  const HloOpcode opcode = wrapped_opcode(in.opcode_text);
  const bool wraps = opcode != HloOpcode::kOther && opcode != HloOpcode::kAsyncStart;
  Instruction inner = wraps ? TRY(wrapped(in, opcode)) : TRY(started_call(in, before));
  start.operation = checked_op_of(inner, TRY(checked(inner)));
  return start;
}

absl::StatusOr<op::Any> async_done(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  const Shape& start = *in.operand_shapes[0];
  if (start.parts.empty() || start.parts[0].kind != Shape::Kind::kTuple) {
    return expected(in, "an operand that is a tuple ((operands), results, ..)");
  }
  return done(in);
}

absl::StatusOr<op::Any> source(const Instruction&) { return op::Source{}; }
absl::StatusOr<op::Any> token(const Instruction&) { return op::Token{}; }

absl::StatusOr<op::Any> iota(const Instruction& in) {
  TRY(expect_operands(in, 0, 0));
  const int64_t rank = std::ssize(TRY(result_dims(in)));
  const int64_t dimension = TRY(integer_of(in.instruction, "iota_dimension"));
  if (dimension < rank) return op::Source{};
  return expected(in, "iota_dimension below ", rank, ", found ", dimension);
}

absl::StatusOr<op::Any> replica_number(const Instruction& in) {
  TRY(expect_operands(in, 0, 0));
  TRY(expect_result(in, {}));
  return op::Source{};
}

// The state of the generator has 128 bits: u64[2].
absl::StatusOr<op::Any> rng_state(const Instruction& in) {
  TRY(expect_operands(in, 0, 0));
  TRY(expect_result(in, {2}));
  return op::Source{};
}

absl::StatusOr<op::Any> infeed(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  if (in.result_shape->parts.size() >= 2) return op::Source{};
  return expected(in, "a result that is a tuple (data, .., token)");
}

absl::StatusOr<op::Any> outfeed(const Instruction& in) {
  TRY(expect_operands(in, 2, 2));
  return op::Token{};
}

absl::StatusOr<op::Any> send_done(const Instruction& in) {
  TRY(expect_operands(in, 1, 1));
  return op::Token{};
}

absl::StatusOr<op::Any> get_dimension_size(const Instruction& in) {
  const Dims operand = TRY(only_operand(in));
  TRY(one_dimension(in, std::ssize(operand)));
  TRY(expect_result(in, {}));
  return op::GetDimensionSize{};
}

absl::StatusOr<op::Any> rng(const Instruction& in) {
  TRY(expect_operands(in, 2, 2));
  for (int64_t k = 0; k < 2; ++k) TRY(expect_operand(in, k, {}));
  TRY(result_dims(in));
  return op::Rng{};
}

namespace {

// Within this, no number of the map's computation wraps.
constexpr int64_t kLargestNumber = int64_t{1} << 56;

// Whether every number is moderate, and each product and quotient is by a constant.
bool is_affine(const IndexingMap& map) {
  const auto constant = [&](NodeId node) { return map.nodes[node].op == Op::kConstant; };
  for (NodeId id = 0; id < std::ssize(map.nodes); ++id) {
    const Node& node = map.nodes[id];
    const std::optional<Interval> interval = interval_of(map, id);
    if (!interval || interval->low < -kLargestNumber || interval->high > kLargestNumber)
      return false;
    if (node.op == Op::kMul && !constant(node.left) && !constant(node.right)) return false;
    const bool divides = node.op > Op::kMul;
    if (divides && (!constant(node.right) || map.nodes[node.right].value < 1)) return false;
  }
  return true;
}

// The target "tileproof.read".
absl::StatusOr<op::Read> read_of(const Instruction& in) {
  const std::string* config = find_attribute(in.instruction.attributes, "backend_config");
  absl::string_view text = config == nullptr ? absl::string_view() : *config;
  if (absl::ConsumePrefix(&text, "\"")) absl::ConsumeSuffix(&text, "\"");
  absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return expected(in, "an affine_map as backend_config: ", map.status().message());
  op::Read read{*std::move(map), TRY(only_operand(in))};
  const Dims result = TRY(result_dims(in));
  const bool fits = read.map.dimensions.size() == result.size() && read.map.ranges.empty() &&
                    read.map.runtime.empty() && read.map.constraints.empty() &&
                    read.map.results.size() == read.operand.size();
  if (!fits) return expected(in, "a map from ", dims_text(result), " to ", dims_text(read.operand));
  if (in.operands[0][0].array->element_type != in.result[0].array->element_type)
    return expected(in, "a result of the element type of the operand");
  // An array without elements reads nothing, whatever its map.
  for (size_t d = 0; d < result.size(); ++d)
    read.map.dimensions[d].bounds = {0, std::max<int64_t>(result[d] - 1, 0)};
  if (is_affine(read.map)) return read;
  return expected(in, "a map whose factors and divisors are constants, and numbers to 2^56");
}

}  // namespace

absl::StatusOr<op::Any> custom_call(const Instruction& in) {
  const std::string* target = find_attribute(in.instruction.attributes, "custom_call_target");
  const auto is_same = [](const Leaf& a, const Leaf& b) {
    return a.dims == b.dims && a.array->element_type == b.array->element_type;
  };
  const bool is_like_operand =
      in.operands.size() == 1 && std::ranges::equal(in.operands[0], in.result, is_same);
  absl::string_view name = target == nullptr ? absl::string_view() : *target;
  if (absl::ConsumePrefix(&name, "\"")) absl::ConsumeSuffix(&name, "\"");
  op::CustomCall call{std::string(name), is_like_operand, attention_of(in)};
  if (name == "tileproof.read") call.read = TRY(read_of(in));
  if (name == "tileproof.elementwise") {
    const Dims result = TRY(result_dims(in));
    const bool fits = std::ranges::all_of(in.operands, [&](const auto& leaves) {
      return leaves.size() == 1 && leaves[0].dims == result;
    });
    if (!fits) return expected(in, "operands of the dimensions of the result");
  }
  return call;
}

absl::StatusOr<op::Any> opaque(const Instruction& in) {
  using Kind = op::Opaque::Kind;
  switch (in.opcode) {
    case HloOpcode::kOther:
      return op::Opaque{Kind::kUnknownOpcode, absl::StrCat(in.opcode_text, ": an unknown operation",
                                                           meant(in.opcode_text))};
    default:
      return op::Opaque{Kind::kWholeArrays,
                        absl::StrCat(in.opcode_text, ": an operation on whole arrays")};
  }
}

}  // namespace tileproof::check
