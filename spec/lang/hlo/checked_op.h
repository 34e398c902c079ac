// SPDX-License-Identifier: Apache-2.0
// A checked operation: an HLO instruction whose shapes and attributes are known to fit.
//
// checked_op looks at one instruction and gives a value whose type says which operation it is. The
// value has everything resolved: dimensions of operands and result, attributes as numbers, defaults
// filled in. Users need not check these again.
//
//     p = f32[2,7] pad(f32[2,3] x, f32[] v), padding=0_0x1_1_1
//
//     op::Pad{.operand = {2, 3}, .result = {2, 7}, .limits = {{0, 0, 0}, {1, 1, 1}}}
//
// An instruction that does not fit gives an error of one line. It names the instruction, what was
// expected, and what was found:
//
//     p: expected padding for 2 dimensions, found 3
//
// What is checked: the number of operands, that arrays are arrays, ranks, dimension numbers, sizes,
// that the result has the dimensions that the operation gives it, that called computations take and
// give what fits (but for those of collectives), that offsets and indices are integers, and that
// what chooses, for select, while, conditional or sort, is pred. What is not checked: other element
// types (unless widths matter), what called computations do, the members of replica groups,
// attributes that decide no shape, and whether the two layouts of a bitcast take the same memory.
// (spec/layout and impl/layout define layouts.)
//
// Acceptance is decided here alone, for the definition and the closed form alike. So XLA is asked
// about the same instructions, and verify/xla/acceptance.cc explains each difference.
//
// This header holds syntax and shapes, never meaning. It says that a slice fits its operand, not
// which elements the slice takes; that a tuple has as many parts as operands, not that a gather
// clamps its indices. The definition (spec/hlo) and the closed form (impl/hlo) each say that on
// their own, so that they cannot share a mistake.
//
// Leaves. The leaves of a shape are its arrays from left to right, also those in nested tuples:
//
//     f32[4]                       one leaf: {4}
//     (f32[4], (s32[], pred[2]))   three leaves: {4}, {}, {2}
//     ()                           none
//
// A bounded dimension `<=8` counts as 8. A token or an opaque value is a leaf without elements, so
// its dimensions are {0}. A buffer `b(f32[4])` is its array.
//
// Letters and terms. `operand`, `result`: dimensions of the array of that name, major to minor.
// Dimension numbers count from 0, the most major. "Part k" of a result is its leaf k.
//
// Arithmetic on sizes never wraps: an instruction whose sizes do not fit 63 bits is refused. Users
// may have tighter limits of their own.
// Source: XLA operation semantics; the parser and shape inference of XLA (corpus/xla).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

struct Leaf {
  Dims dims;
  const Shape* array = nullptr;  // belongs to the module
};
using Leaves = std::vector<Leaf>;

// Leaf `leaf` of operand `operand`.
struct OperandLeaf {
  int32_t operand = 0;
  int32_t leaf = 0;

  bool operator==(const OperandLeaf&) const = default;
};

struct CheckedOp;

namespace op {

// ---- Element by element, and rearranging ----

// add, exp, compare, select, clamp, map, copy of an array, ..: operands of the result's dimensions.
//
//     c = f32[4] clamp(f32[] low, f32[4] x, f32[4] high)
//
//     dims {4}, is_scalar {true, false, false}
//
// The predicate of a select, or a bound of a clamp, may be one scalar for all elements of an array.
struct Elementwise {
  Dims dims;                    // of the result, and of each operand that is not such a scalar
  std::vector<bool> is_scalar;  // by operand; false if the result is a scalar, too
};

//     b = f32[2,3] broadcast(f32[3] x), dimensions={1}
struct Broadcast {
  Dims operand;
  Dims result;
  std::vector<int64_t> dimensions;  // operand dimension k is result dimension dimensions[k]
};

//     t = f32[3,2] transpose(f32[2,3] x), dimensions={1,0}
struct Transpose {
  Dims operand;
  Dims result;
  std::vector<int64_t> dimensions;  // result dimension d is operand dimension dimensions[d]
};

//     r = f32[2,3] reverse(f32[2,3] x), dimensions={1}      is_reversed {false, true}
struct Reverse {
  Dims dims;                      // of operand and result
  std::vector<bool> is_reversed;  // by dimension
};

//     r = f32[6] reshape(f32[2,3] x)                        as many elements in another shape
struct Reshape {
  Dims operand;
  Dims result;
};

//     r = f32[<=6] dynamic-reshape(f32[2,3] x, s32[] n)     operands 1, 2, .. are the sizes
struct DynamicReshape {
  Dims operand;
  Dims result;
  std::vector<Dims> sizes;  // dimensions of operands 1, 2, ..: {} or {1}, as many as the result's
};

//     s = f32[<=4] set-dimension-size(f32[4] x, s32[] n), dimensions={0}
struct SetDimensionSize {
  Dims dims;  // of operand 0 and of the result
};

//     b = f32[3,2]{0,1} bitcast(f32[2,3]{1,0} x)
//
// The same memory as another array. Both element types take as many bytes (others are Opaque).
struct Bitcast {
  Dims operand;
  Dims result;
  const Shape* operand_shape = nullptr;  // with its layout; belongs to the module
  const Shape* result_shape = nullptr;
};

//     c = u8[3,4] bitcast-convert(u32[3] x)       a wide element is a line of 4 narrow ones
//     c = u32[3] bitcast-convert(u8[3,4] x)       the other way round
//     c = s32[3] bitcast-convert(f32[3] x)        as wide: the dimensions stay
//
// The ranks differ by one at most. If they differ, the array of the larger rank has a last
// dimension of at least 2, and the other dimensions are equal.
struct BitcastConvert {
  Dims operand;
  Dims result;
};

//     s = f32[2] slice(f32[8] x), slice={[2:8:3]}
struct Slice {
  Dims operand;
  Dims result;
  std::vector<SliceLimits> limits;  // by dimension; limit <= the operand's size
};

//     p = f32[5] pad(f32[2] x, f32[] v), padding=1_1_1
struct Pad {
  Dims operand;  // operand 0; operand 1, the padding value, is a scalar
  Dims result;
  std::vector<PadLimits> limits;  // by dimension
};

//     c = f32[2,5] concatenate(f32[2,3] x, f32[2,2] y), dimensions={1}
struct Concatenate {
  std::vector<Dims> operands;  // they differ in `dimension` alone, along which they fill the result
  Dims result;
  int64_t dimension = 0;
};

// ---- Along whole dimensions ----

//     d = f32[5,2,4] dot(f32[5,2,3] a, f32[5,3,4] b), lhs_batch_dims={0}, lhs_contracting_dims={2},
//         rhs_batch_dims={0}, rhs_contracting_dims={1}           lhs_free {1}, rhs_free {2}
//
// The result's dimensions are those of the batch, then lhs_free, then rhs_free.
struct Dot {
  Dims lhs;
  Dims rhs;
  Dims result;
  DotDimensionNumbers numbers;
  std::vector<int64_t> lhs_free;  // neither batch nor contracting, in order
  std::vector<int64_t> rhs_free;
};

//     r = (f32[2], s32[2]) reduce(f32[2,3] x, s32[2,3] i, f32[] x0, s32[] i0), dimensions={1}
//
// Operands: the inputs, then one scalar init for each. Each input has a part of the result.
struct Reduce {
  int32_t inputs = 1;
  Dims operand;                     // of each input
  Dims result;                      // of each part of the result
  std::vector<int64_t> dimensions;  // that are reduced, in order
  std::vector<int64_t> kept;        // the others, in order: the dimensions of the result
};

//     s = (f32[2,3], s32[2,3]) sort(f32[2,3] keys, s32[2,3] values), dimensions={1}
struct Sort {
  int32_t operands = 1;              // as many as parts of the result
  Dims dims;                         // of each operand and each part of the result
  std::optional<int64_t> dimension;  // none for scalars
};

//     t = (f32[2,3], s32[2,3]) topk(f32[2,9] x), k=3, largest=true
//
// Each of the two parts of the result has the operand's dimensions, but for the last, which is k.
struct TopK {
  Dims operand;
};

// ---- Windows ----

//     w = f32[3] reduce-window(f32[4] x, f32[] x0), window={size=2}
//
// Operands as of Reduce. Result size, by dimension: the number of positions of the window.
struct ReduceWindow {
  int32_t inputs = 1;
  Dims operand;  // of each input
  Dims result;   // of each part of the result
  std::vector<WindowDimension> window;
};

//     c = f32[1,3,8] convolution(f32[1,5,4] input, f32[3,4,8] kernel), window={size=3},
//         dim_labels=b0f_0io->b0f
//
// window[k] belongs to spatial dimension k: input_spatial[k], kernel_spatial[k] and
// output_spatial[k] of `numbers`. At most one of the two group counts is above 1. Both divide the
// number of output features, and
//
//     input features = feature_groups * kernel input features
//     input batches  = batch_groups * output batches
struct Convolution {
  Dims input;
  Dims kernel;
  Dims result;
  ConvolutionDimensionNumbers numbers;
  std::vector<WindowDimension> window;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
};

//     s = f32[4] select-and-scatter(f32[4] x, f32[3] source, f32[] x0), window={size=2}
//
// The window moves over the operand; the source has one element for each of its positions.
struct SelectAndScatter {
  Dims operand;                         // operand 0, and the result
  Dims source;                          // operand 1; operand 2, the init, is a scalar
  std::vector<WindowDimension> window;  // without lhs_dilate
};

// ---- Offsets and indices ----

// The offsets of a dynamic-slice or dynamic-update-slice: one scalar operand for each dimension, or
// (in old texts) one vector.
//
//     dynamic-slice(f32[9,9] x, s32[] i, s32[] j)     first 1, count 2
//     dynamic-slice(f32[9,9] x, s32[2] ij)            first 1, count 1, in_vector
struct Offsets {
  int32_t first = 1;       // operand
  int32_t count = 0;       // of operands
  bool in_vector = false;  // operand `first` holds all of them
};

//     s = f32[2,2] dynamic-slice(f32[9,9] x, s32[] i, s32[] j), dynamic_slice_sizes={2,2}
struct DynamicSlice {
  Dims operand;
  Dims result;  // nowhere larger than the operand
  Offsets offsets;
};

//     u = f32[9,9] dynamic-update-slice(f32[9,9] x, f32[2,2] y, s32[] i, s32[] j)
struct DynamicUpdateSlice {
  Dims operand;  // operand 0, and the result
  Dims update;   // operand 1: nowhere larger than the operand
  Offsets offsets;
};

// What gather and scatter have in common, under one name for both.
//
// A table of indices addresses windows of an array. The table holds an index vector for each point
// of a batch, along dimension index_vector_dim. An array of windows holds one for each point.
//
//                       gather                          scatter
//     array             operand                         operand, and result
//     indices           start_indices                   scatter_indices
//     windows           result                          updates
//
//     g = f32[5,2] gather(f32[9,4] x, s32[5,1] i), offset_dims={1}, collapsed_slice_dims={0},
//         start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}
//
//     window_dims {1}, batch_dims {0}, kept {1}, window_sizes {1, 2}
struct IndexedWindows : IndexedDimensionNumbers {
  Dims array = {};
  Dims indices = {};
  Dims windows = {};

  // The dimensions of `windows` that are not window_dims, ascending: they are the dimensions of
  // `indices` without index_vector_dim, in order, and have their sizes.
  std::vector<int64_t> batch_dims = {};
  // The dimensions of `array` that are neither collapsed nor batching, ascending: they are
  // window_dims in order.
  std::vector<int64_t> kept = {};
  // By dimension of `array`: the size of a window. In kept dimensions it is at most the array's; in
  // others it is 1. For a gather it may be 0 there (slice_sizes={0,2}), and is if the array is
  // empty.
  Dims window_sizes = {};
};

// Operands: the array, the indices. The result is `windows`.
struct Gather {
  IndexedWindows table;
};

//     s = f32[9,4] scatter(f32[9,4] x, s32[5,1] i, f32[5,2] u), update_window_dims={1},
//         inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1
//
// Operands: `inputs` arrays, the indices, as many updates. Each array has a part of the result.
struct Scatter {
  int32_t inputs = 1;
  IndexedWindows table;
};

// ---- Collectives, as one replica sees them ----

// One part of the result of a collective, and the operand leaf that it belongs to.
struct CollectivePart {
  OperandLeaf from;
  Dims operand;
  Dims result;
};

//     g = f32[8] all-gather(f32[2] x), dimensions={0}
//
// In `dimension` the result has a whole number of chunks, each as large as the operand.
struct AllGather {
  int64_t dimension = 0;
  std::vector<CollectivePart> parts;  // by part of the result
};

//     r = f32[2] reduce-scatter(f32[8] x), dimensions={0}
//
// In `dimension` the operand has a whole number of chunks, each as large as the result.
struct ReduceScatter {
  int64_t dimension = 0;
  std::vector<CollectivePart> parts;  // by part of the result
};

//     r = f32[8] all-reduce(f32[8] x)
//
// Also all-reduce-start, collective-reduce and collective-broadcast. Each part has the dimensions of its operand leaf.
struct AllReduce {
  std::vector<CollectivePart> parts;  // by part of the result
};

//     p = f32[8] collective-permute(f32[8] x), source_target_pairs={{0,1},{1,0}}
struct CollectivePermute {
  std::vector<CollectivePart> parts;  // by part of the result
};

//     a = f32[8] all-to-all(f32[8] x), dimensions={0}, replica_groups={{0,1}}     chunks 2
struct ArrayAllToAll {
  Dims dims;  // of leaf 0 of operand 0, and of each part of the result
  int64_t dimension = 0;
  int64_t chunks = 1;  // the size of a replica group, which divides the dimension
};

//     a = (f32[8], f32[8]) all-to-all(f32[8] x, f32[8] y), replica_groups={{0,1}}
struct TupleAllToAll {
  Dims dims;                          // of each operand leaf and each part of the result
  std::vector<OperandLeaf> operands;  // all leaves of all operands, in order
};

// ---- Tuples, calls and asynchronous operations ----

// Operations that hand on arrays of their operands, or make tuples of them and take them apart.
//
//     t = (f32[2], s32[]) tuple(f32[2] x, s32[] i)                 from {0,0}, {1,0}
//     e = s32[] get-tuple-element((f32[2], s32[]) t), index=1      from {0,1}
//     s = (f32[2], f32[2], u32[]) copy-start(f32[2] x)             from {0,0}, {0,0}, nothing
//     d = f32[2] copy-done((f32[2], f32[2], u32[]) s)              from {0,0}
//
// Also opt-barrier, domain, add-dependency, copy of a tuple, async-update, async-done, and the
// all-reduce-done, all-gather-done and collective-permute-done of a collective.
// Part k of the result has the dimensions of operand leaf from[k]. A part that is a context of an
// asynchronous operation has no such leaf.
struct Forward {
  std::vector<std::optional<OperandLeaf>> from;  // by part of the result
};

//     f = f32[4] fusion(f32[4] x), kind=kLoop, calls=%body         also call
//
// Operand k has the dimensions of parameter k, leaf by leaf. Part k of the result has those of leaf
// k of the root.
struct Call {
  int32_t computation = -1;  // its index in the module
};

//     w = (s32[], f32[4]) while((s32[], f32[4]) x), condition=%c, body=%b
//
// The operand, the result, the only parameter of each computation, and the root of the body have
// the same dimensions, leaf by leaf. The root of the condition is pred[].
// Equal values are one loop: this type can be the key of what is known about loops.
struct While {
  int32_t condition = -1;  // their indices in the module
  int32_t body = -1;
  const HloModule* module = nullptr;
  const HloComputation* within = nullptr;  // belongs to the module: where the loop is
  int32_t operand = -1;                    // its index there

  auto operator<=>(const While&) const = default;
};

//     c = f32[4] conditional(s32[] i, f32[4] x, f32[2] y), branch_computations={%f, %g}
//
// Operand 0 is an s32, or a pred that chooses one of two. Operand k + 1 has the dimensions of the
// only parameter of branch k, leaf by leaf, and the result has those of the root of each branch.
struct Conditional {
  std::vector<int32_t> branches;  // their indices in the module
};

// A result that is (operands, results, contexts).
//
//     s = ((f32[4]), f32[4], u32[]) async-start(f32[4] x), calls=%wrapped     operation: a Call
//     s = ((f32[4]), f32[4], u32[]) negate-start(f32[4] x)                    an Elementwise
//     s = (f32[2], f32[8]) all-gather-start(f32[2] x), dimensions={0}         an AllGather
//
// Also collective-permute-start. With n operand leaves and an operation of m parts, part k of the
// result
//
//     k < n             has the dimensions of operands[k]
//     n <= k < n + m    is part k - n of the operation
//     otherwise         is a context
struct Start {
  std::vector<OperandLeaf> operands;           // all leaves of all operands, in order
  std::shared_ptr<const CheckedOp> operation;  // with the same operands; absent without parts
};

// ---- Operations without structure ----

// Of Source, Token, GetDimensionSize and Rng only the shapes are resolved.

// parameter, constant, iota, partition-id, replica-id, rng-get-and-update-state, infeed.
//
//     i = s32[4] iota(), iota_dimension=0
struct Source {};

// Operations whose result is a token: after-all, outfeed, send-done.
//
//     t = token[] after-all(token[] a, token[] b)
struct Token {};

//     n = s32[] get-dimension-size(f32[<=8] x), dimensions={0}
struct GetDimensionSize {};

//     r = f32[8] rng(f32[] low, f32[] high), distribution=rng_uniform
struct Rng {};

// What a kernel of attention computes, by its cudnn_fmha_backend_config: softmax(q k^T + bias) v. For
// each batch and head, row t of the result is that of q, and column s is a position of k and v.
//
//     (f32[2,3,5,8], f32[2,3,5], u8[0]) custom-call(f32[2,3,5,8] q, f32[2,3,7,8] k, f32[2,3,7,8] v)
struct Attention {
  enum Role : uint8_t { kBatch, kHead, kPosition, kDepth };
  std::array<std::array<int64_t, 4>, 3> places;  // in q, k and v: the dimension of each role
  Dims result;                                   // batch, head, row, depth of v
  int64_t columns = 0;
  int64_t depth = 0;       // of q and k
  Dims bias = {};          // operand 3: batch, head, row, column; each may be 1. Empty: none
  bool is_causal = false;  // row t reads the columns s <= t
};

// Each element of the result is the element of the operand that an affine map names, as an operand
// of MLIR's linalg.generic. An element that the operand does not have has no value.
//
//     r = f32[5] custom-call(f32[5] x), custom_call_target="tileproof.read",
//         backend_config="affine_map<(d0) -> ((d0 + 2) mod 5)>"
struct Read {
  IndexingMap map;  // the bounds are those of the result; divisors are constants, factors too
  Dims operand;
};

// A call of code outside of the module, by its name. Operands and result have any shapes.
//
//     c = f32[8] custom-call(f32[8] x), custom_call_target="f"     target "f", is_like_operand
struct CustomCall {
  std::string target;            // empty if the text does not name it
  bool is_like_operand = false;  // one operand; the same leaves in the result: sizes, element types
  std::optional<Attention> attention = std::nullopt;
  std::optional<Read> read = std::nullopt;
};

// An operation on whole arrays, or one whose structure is not written in the text.
//
//     f = c64[8] fft(c64[8] x), fft_type=FFT, fft_length={8}
//
//     reason "fft: an operation on whole arrays"
struct Opaque {
  enum class Kind : uint8_t {
    kWholeArrays,  // cholesky, fft, batch-norm-training, ..
    kUnknownOpcode,
    kNotInText,        // a call, loop or branch of a computation that the text does not hold
    kWidthsDiffer,     // a bitcast between element types of different widths
    kReplicasUnknown,  // an all-to-all in groups whose size is not written; a root chosen at run time
    kSlicesInPlace,    // a collective-permute with slice_sizes
  };
  Kind kind = Kind::kWholeArrays;
  std::string reason;
};

using Any =
    std::variant<Elementwise, Broadcast, Transpose, Reverse, Reshape, DynamicReshape,
                 SetDimensionSize, Bitcast, BitcastConvert, Slice, Pad, Concatenate, Dot, Reduce,
                 Sort, TopK, ReduceWindow, Convolution, SelectAndScatter, DynamicSlice,
                 DynamicUpdateSlice, Gather, Scatter, AllGather, ReduceScatter, AllReduce,
                 CollectivePermute, ArrayAllToAll, TupleAllToAll, Forward, Call, While, Conditional,
                 Start, Source, Token, GetDimensionSize, Rng, CustomCall, Opaque>;

}  // namespace op

struct CheckedOp {
  HloOpcode opcode = HloOpcode::kOther;  // inside a Start: of the wrapped operation
  std::vector<Leaves> operands;          // by operand
  Leaves result;
  op::Any operation;
};

// The leaves of a shape. An error for a dimension `?` of unknown size.
absl::StatusOr<Leaves> leaves_of(const Shape& shape);

// The leaves of each operand. An error for an operand without shape, and as leaves_of.
absl::StatusOr<std::vector<Leaves>> operand_leaves(const HloComputation& computation,
                                                   const HloInstruction& instruction);

// A shape with its leaves.
struct ShapeLeaves {
  const Shape* shape = nullptr;  // belongs to the module; null if the text leaves the shape out
  Leaves leaves;
  bool has_unknown = false;  // a dimension is `?`; its leaf then has no dimensions
};
ShapeLeaves shape_leaves_of(const Shape& shape);

// Of each instruction of a computation. If only uses of it write its shape, the first one counts.
std::vector<ShapeLeaves> shapes_of(const HloComputation& computation);

// The instruction, checked. Its operands are instructions of the computation. The answer refers to
// shapes of the module and must not outlive it.
//
// All parts of the result are checked, and so an instruction with one part that does not fit is
// refused as a whole. Takes time in proportion to the shapes and attributes.
absl::StatusOr<CheckedOp> checked_op(const HloModule& module, const HloComputation& computation,
                                     const HloInstruction& instruction);

// The operation alone, of instruction number `instruction`. `shapes` are the shapes_of the
// computation. Use it to check many instructions: each shape is then resolved
// once, not again for each use. (A tuple of a thousand leaves often has a thousand uses.)
absl::StatusOr<op::Any> checked_operation(const HloModule& module,
                                          const HloComputation& computation, int32_t instruction,
                                          absl::Span<const ShapeLeaves> shapes);

}  // namespace tileproof
