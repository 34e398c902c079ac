// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/hlo_suites.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/hlo_ops.h"
#include "generate/choose/limits.h"
#include "generate/hlo/bounded_hlo.h"
#include "generate/hlo/generate_hlo.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::conform {
namespace {

constexpr absl::string_view kMaximum =
    "m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b)\n}\n";

// Each is asked about its root, in both scopes and directions.
constexpr absl::string_view kExamples[] = {
    "add = f32[10,20] add(f32[10,20] p0, f32[10,20] p1)",
    "square = f32[4] multiply(f32[4] p0, f32[4] p0)",
    "bc0 = f32[10,20,30] broadcast(f32[20] p0), dimensions={1}",
    "b = f32[3,2] broadcast(f32[2,3] p0), dimensions={1,0}",
    "i = s32[5] iota(), iota_dimension=0",
    "ds = s32[1,2,32] dynamic-slice(s32[2,2,40] src, s32[] of1, s32[] of2, s32[] of3), "
    "dynamic_slice_sizes={1,2,32}",
    "dus = s32[20] dynamic-update-slice(s32[20] src, s32[5] upd, s32[] of1)",
    "gather = f32[6,3,2,4] gather(f32[9,5,7] operand, s32[6,2] indices), offset_dims={1,2,3}, "
    "collapsed_slice_dims={}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={3,2,4}",
    "transpose = f32[3,6,8,12] transpose(f32[3,12,6,8] p0), dimensions={0,2,3,1}",
    "reverse = f32[1,17,9,9] reverse(f32[1,17,9,9] p0), dimensions={1,2}",
    "slice = f32[5,3,25] slice(f32[10,20,50] p0), slice={[5:10:1], [3:20:7], [0:50:2]}",
    "reshape = f32[32] reshape(f32[4,8] p0)",
    "reshape = f32[4,8] reshape(f32[32] p0)",
    "reshape = f32[2,4,4] reshape(f32[4,8] p0)",
    "reshape = f32[32,3,4] reshape(f32[4,8,12] p0)",
    "bitcast = f32[8,4]{0,1} bitcast(f32[4,8]{1,0} p0)",
    "bitcast = f32[6,4]{1,0:T(2,2)} bitcast(f32[24]{0} p0)",
    "concat = f32[2,33,7] concatenate(f32[2,5,7] p0, f32[2,11,7] p1, f32[2,17,7] p2), "
    "dimensions={1}",
    "dot = f32[4,12,6] dot(f32[4,12,25] p0, f32[4,25,6] p1), lhs_batch_dims={0}, "
    "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
    "pad = f32[12,16] pad(f32[4,4] p0, f32[] p1), padding=1_4_1x4_8_0",
    "pad = f32[2] pad(f32[4] p0, f32[] p1), padding=-1_-1",
    "select = f32[4] select(pred[4] p, f32[4] a, f32[4] b)",
    "empty = f32[0,4] negate(f32[0,4] a)",
};

constexpr absl::string_view kModules[] = {
    "ENTRY e {\n p0 = f32[26,10] parameter(0)\n p0_init = f32[] constant(-inf)\n"
    " ROOT reduce = f32[10] reduce(p0, p0_init), dimensions={0}, to_apply=m\n}\n",
    "ENTRY e {\n c_inf = f32[] constant(-inf)\n p0 = f32[12,14] parameter(0)\n"
    " ROOT w = f32[12,3] reduce-window(p0, c_inf), window={size=1x12 pad=0_0x0_0}, to_apply=m\n}\n",
    "ENTRY e {\n p = f32[9] parameter(0)\n i = s32[4] parameter(1)\n u = f32[4,2] parameter(2)\n"
    " ROOT s = f32[9] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=m\n}\n",
    "f {\n p0 = f32[10,10] parameter(0)\n t = f32[10,10] transpose(p0), dimensions={1,0}\n"
    " ROOT a0 = f32[10,10] add(p0, t)\n}\n"
    "ENTRY e {\n p0 = f32[10,10] parameter(0)\n"
    " ROOT x = f32[10,10] fusion(p0), kind=kLoop, calls=f\n}\n",
    "f {\n p0 = f32[2,5,7] parameter(0)\n i = f32[] constant(-inf)\n z = f32[] constant(0)\n"
    " m0 = f32[2,5] reduce(p0, i), dimensions={2}, to_apply=m\n"
    " m1 = f32[2,5,7] broadcast(m0), dimensions={0,1}\n s = f32[2,5,7] subtract(p0, m1)\n"
    " x = f32[2,5,7] exponential(s)\n a = f32[2,5] reduce(x, z), dimensions={2}, to_apply=m\n"
    " b = f32[2,5,7] broadcast(a), dimensions={0,1}\n ROOT d = f32[2,5,7] divide(x, b)\n}\n"
    "ENTRY e {\n p0 = f32[2,5,7] parameter(0)\n"
    " ROOT x = f32[2,5,7] fusion(p0), kind=kLoop, calls=f\n}\n",
    "f {\n p0 = s32[100] parameter(0)\n offset = s64[] constant(99)\n"
    " ROOT d = s32[10] dynamic-slice(p0, offset), dynamic_slice_sizes={10}\n}\n"
    "ENTRY e {\n p0 = s32[100] parameter(0)\n"
    " ROOT x = s32[10] fusion(p0), kind=kInput, calls=f\n}\n",
    "f {\n t = f32[9,4] parameter(0)\n r = s32[3] parameter(1)\n z = f32[] constant(0)\n"
    " g = f32[3,4] gather(t, r), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
    "index_vector_dim=1, slice_sizes={1,4}\n"
    " ROOT s = f32[4] reduce(g, z), dimensions={0}, to_apply=m\n}\n"
    "ENTRY e {\n a = f32[9,4] parameter(0)\n b = s32[3] parameter(1)\n"
    " ROOT x = f32[4] fusion(a, b), kind=kInput, calls=f\n}\n",
    "ENTRY e {\n a = f32[4] parameter(0)\n b = s32[2,3] parameter(1)\n"
    " ROOT x = (f32[4], s32[2,3]) tuple(a, b)\n}\n",
};

// Larger than random requests usually are (generate/choose/limits.h).
constexpr absl::string_view kLargeModules[] = {
    "c = f32[1,1,5] convolution(f32[1,1,3] p, f32[1,1,1] k), window={size=1 lhs_dilate=2}, "
    "dim_labels=bf0_oi0->bf0",
    "c = f32[1,2,6] convolution(f32[1,3,1] p, f32[2,1,6] k), window={size=2}, "
    "dim_labels=b0f_0io->b0f",
    "c = f32[36] concatenate(f32[1] p0, f32[2] p1, f32[3] p2, f32[4] p3, f32[5] p4, f32[6] p5, "
    "f32[7] p6, f32[8] p7), dimensions={0}",
    "p = f32[19] pad(f32[3] a, f32[] v), padding=1_1_7",
    "p = f32[15,5] pad(f32[4,9] a, f32[] v), padding=2_-2_4x-3_-1_0",
    "s = f32[6] slice(f32[40] p), slice={[2:40:7]}",
    "b = f32[2,1,3,2,4,2] broadcast(f32[3,2] p), dimensions={2,5}",
    "t = f32[2,3,1,2,4,1] transpose(f32[4,1,3,2,2,1] p), dimensions={4,2,1,3,0,5}",
    "r = f32[2,3,2,3,2,2] reverse(f32[2,3,2,3,2,2] p), dimensions={0,3,5}",
    "s = f32[2,1,2,2,3] dynamic-slice(f32[3,2,4,3,5] p, s32[] a, s32[] b, s32[] c, s32[] d, "
    "s32[] e), dynamic_slice_sizes={2,1,2,2,3}",
    "r = f32[3,2,2,3,2] dynamic-update-slice(f32[3,2,2,3,2] p, f32[1,2,1,2,1] u, s32[] a, s32[] b, "
    "s32[] c, s32[] d, s32[] e)",
    "g = f32[3,3,2] gather(f32[3,3,5] p, s32[3,3,1] i), offset_dims={2}, collapsed_slice_dims={}, "
    "start_index_map={2}, operand_batching_dims={0,1}, start_indices_batching_dims={1,0}, "
    "index_vector_dim=2, slice_sizes={1,1,2}",
    "g = f32[2,3,2,3] gather(f32[9,5] p, s32[2,2,2,3] i), offset_dims={1}, "
    "collapsed_slice_dims={1}, start_index_map={0,1}, index_vector_dim=2, slice_sizes={3,1}",
    "b = f32[36] bitcast(f32[2,2,9]{1,2,0:T(2,9,2)} p)",
    "t = (f32[2], f32[3], f32[], f32[1], f32[2,2], f32[5], f32[], f32[4]) tuple(f32[2] a, "
    "f32[3] b, f32[] c, f32[1] d, f32[2,2] e, f32[5] f, f32[] g, f32[4] h)",
    "d = f32[2,3,1,4,2] dot(f32[2,5,3] a, f32[2,1,4,2,5] b), lhs_batch_dims={0}, "
    "lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={4}",
    "a = f32[16] all-gather(f32[2] p), replica_groups={{0,1,2,3,4,5,6,7}}, dimensions={0}",
    "r = f32[2] custom-call(f32[3] a, f32[] b, f32[2] c, f32[1] d), custom_call_target=\"opaque\"",
    "m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b)\n}\n"
    "ENTRY e {\n p = f32[9] parameter(0)\n i = f32[] parameter(1)\n"
    " ROOT w = f32[10] reduce-window(p, i), window={size=3 stride=4 pad=7_7 lhs_dilate=4 "
    "rhs_dilate=5}, to_apply=m\n}\n",
    "m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b)\n}\n"
    "ENTRY e {\n p = f32[20] parameter(0)\n i = f32[] parameter(1)\n"
    " ROOT w = f32[3] reduce-window(p, i), window={size=7 stride=6}, to_apply=m\n}\n",
    "c {\n a0 = f32[] parameter(0)\n b0 = f32[] parameter(1)\n a1 = s32[] parameter(2)\n"
    " b1 = s32[] parameter(3)\n a2 = s32[] parameter(4)\n b2 = s32[] parameter(5)\n"
    " a3 = s32[] parameter(6)\n b3 = s32[] parameter(7)\n"
    " ROOT c = pred[] compare(a0, b0), direction=GT\n}\n"
    "ENTRY e {\n k = f32[3,2] parameter(0)\n p = s32[3,2] parameter(1)\n"
    " q = s32[3,2] parameter(2)\n r = s32[3,2] parameter(3)\n"
    " ROOT s = (f32[3,2], s32[3,2], s32[3,2], s32[3,2]) sort(k, p, q, r), dimensions={0}, "
    "to_apply=c\n}\n",
    "m {\n a0 = f32[] parameter(0)\n a1 = s32[] parameter(1)\n a2 = s32[] parameter(2)\n"
    " a3 = s32[] parameter(3)\n b0 = f32[] parameter(4)\n b1 = s32[] parameter(5)\n"
    " b2 = s32[] parameter(6)\n b3 = s32[] parameter(7)\n c0 = f32[] maximum(a0, b0)\n"
    " c1 = s32[] maximum(a1, b1)\n c2 = s32[] maximum(a2, b2)\n c3 = s32[] maximum(a3, b3)\n"
    " ROOT t = (f32[], s32[], s32[], s32[]) tuple(c0, c1, c2, c3)\n}\n"
    "ENTRY e {\n k = f32[3,2] parameter(0)\n p = s32[3,2] parameter(1)\n"
    " q = s32[3,2] parameter(2)\n r = s32[3,2] parameter(3)\n i = f32[] parameter(4)\n"
    " j = s32[] parameter(5)\n ROOT s = (f32[2], s32[2], s32[2], s32[2]) "
    "reduce(k, p, q, r, i, j, j, j), dimensions={0}, to_apply=m\n}\n",
    "m {\n a0 = f32[] parameter(0)\n a1 = s32[] parameter(1)\n a2 = s32[] parameter(2)\n"
    " b0 = f32[] parameter(3)\n b1 = s32[] parameter(4)\n b2 = s32[] parameter(5)\n"
    " c0 = f32[] maximum(a0, b0)\n c1 = s32[] maximum(a1, b1)\n c2 = s32[] maximum(a2, b2)\n"
    " ROOT t = (f32[], s32[], s32[]) tuple(c0, c1, c2)\n}\n"
    "ENTRY e {\n k = f32[2,2,4] parameter(0)\n p = s32[2,2,4] parameter(1)\n"
    " q = s32[2,2,4] parameter(2)\n i = s32[2,2,1] parameter(3)\n"
    " u = f32[2,2,3] parameter(4)\n v = s32[2,2,3] parameter(5)\n w = s32[2,2,3] parameter(6)\n"
    " ROOT s = (f32[2,2,4], s32[2,2,4], s32[2,2,4]) scatter(k, p, q, i, u, v, w), "
    "update_window_dims={2}, inserted_window_dims={}, scatter_dims_to_operand_dims={2}, "
    "input_batching_dims={0,1}, scatter_indices_batching_dims={1,0}, index_vector_dim=2, "
    "to_apply=m\n}\n",
    "ENTRY e {\n p = f32[9] parameter(0)\n i = s32[] constant(300)\n j = u8[] convert(i)\n"
    " ROOT d = f32[2] dynamic-slice(p, j), dynamic_slice_sizes={2}\n}\n",
};

// Minimal modules for: constant offsets inside and outside of the bounds, values that move through
// two operations with offsets, dimensions of size 0, scalars beside arrays, and operands of other
// element widths.
constexpr absl::string_view kSmallModules[] = {
    "ENTRY e {\n p = f32[2,2] parameter(0)\n i = s32[] constant(1)\n j = s32[] parameter(1)\n"
    " ROOT d = f32[1,1] dynamic-slice(p, i, j), dynamic_slice_sizes={1,1}\n}\n",
    "ENTRY e {\n p = f32[4] parameter(0)\n i = s32[] parameter(1)\n j = s32[] parameter(2)\n"
    " s = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2}\n"
    " ROOT d = f32[1] dynamic-slice(s, j), dynamic_slice_sizes={1}\n}\n",
    "ENTRY e {\n p = f32[3] parameter(0)\n u = f32[1] parameter(1)\n i = s32[] parameter(2)\n"
    " j = s32[] parameter(3)\n s = f32[3] dynamic-update-slice(p, u, i)\n"
    " ROOT d = f32[2] dynamic-slice(s, j), dynamic_slice_sizes={2}\n}\n",
    "ENTRY e {\n p = f32[2] parameter(0)\n u = f32[1] parameter(1)\n i = s32[] constant(2)\n"
    " ROOT d = f32[2] dynamic-update-slice(p, u, i)\n}\n",
    "ENTRY e {\n p = f32[2] parameter(0)\n u = f32[1] parameter(1)\n i = s32[] parameter(2)\n"
    " ROOT d = f32[2] dynamic-update-slice(p, u, i)\n}\n",
    "ENTRY e {\n p = f32[0] parameter(0)\n ROOT r = f32[0,2] reshape(p)\n}\n",
    "ENTRY e {\n p = f32[0,2] parameter(0)\n ROOT r = f32[3,0] reshape(p)\n}\n",
    "ENTRY e {\n p = f32[2] parameter(0)\n ROOT r = f32[2,1] reshape(p)\n}\n",
    "ENTRY e {\n p = f32[2] parameter(0)\n ROOT r = f32[2] reverse(p), dimensions={0}\n}\n",
    "ENTRY e {\n p = f32[1,2] parameter(0)\n"
    " ROOT t = f32[2,1] transpose(p), dimensions={1,0}\n}\n",
    "ENTRY e {\n p = f32[1,2,1] parameter(0)\n"
    " ROOT t = f32[2,1,1] transpose(p), dimensions={1,0,2}\n}\n",
    "ENTRY e {\n p = f32[1] parameter(0)\n v = f32[] parameter(1)\n"
    " ROOT r = f32[2] pad(p, v), padding=0_1\n}\n",
    "ENTRY e {\n p = pred[] parameter(0)\n a = f32[1] parameter(1)\n"
    " ROOT s = f32[1] select(p, a, a)\n}\n",
    "ENTRY e {\n l = f32[] parameter(0)\n a = f32[1] parameter(1)\n"
    " ROOT s = f32[1] clamp(l, a, l)\n}\n",
    "m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b)\n}\n"
    "ENTRY e {\n p = f32[2] parameter(0)\n i = f32[] parameter(1)\n"
    " ROOT w = f32[3] reduce-window(p, i), window={size=1 lhs_dilate=2}, to_apply=m\n}\n",
    "m {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b)\n}\n"
    "ENTRY e {\n p = f32[3] parameter(0)\n i = f32[] parameter(1)\n"
    " ROOT w = f32[1] reduce-window(p, i), window={size=2 rhs_dilate=2}, to_apply=m\n}\n",
    "ENTRY e {\n p = s16[] parameter(0)\n ROOT b = s8[2] bitcast-convert(p)\n}\n",
    "ENTRY e {\n p = s8[2] parameter(0)\n ROOT b = s16[] bitcast-convert(p)\n}\n",
    "ENTRY e {\n p = f32[2] parameter(0)\n i = s32[] parameter(1)\n"
    " ROOT d = f32[1] dynamic-slice(p, i), dynamic_slice_sizes={1}\n}\n",
};

// Invalid texts and invalid modules.
constexpr absl::string_view kNoModules[] = {
    "",
    "b = f32[2] negate(c)",
    "reshape = f32[7] reshape(f32[4,8] p0)",
    "t = f32[4,8] transpose(f32[4,8] p0), dimensions={1,0}",
    "s = f32[4] slice(f32[8] p0), slice={[5:10:1]}",
};

// The text as tileproof prints it.
std::string canonical(absl::string_view hlo) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  return module.ok() ? to_text(*module) : std::string(hlo);
}

int64_t leaves_of(const HloInstruction& instruction) {
  if (!instruction.shape) return 0;
  const absl::StatusOr<Leaves> leaves = tileproof::leaves_of(*instruction.shape);
  return leaves.ok() ? std::ssize(*leaves) : 0;
}

int64_t inputs_of(const Json& request) {
  const absl::StatusOr<HloQuestion> asked = read_hlo_question(request);
  if (!asked.ok()) return 0;
  return spec::input_count(asked->module, asked->computation, asked->instruction, asked->scope)
      .value_or(0);
}

// The arrays of the result, if the request is about one of them.
int64_t outputs_of(const Json& request) {
  const absl::StatusOr<HloQuestion> asked = read_hlo_question(request);
  if (!asked.ok() || asked->is_inverse()) return 1;
  return leaves_of(asked->module.computations[asked->computation].instructions[asked->instruction]);
}

// Breaks one part of the request.
Json spoiled(Choose& choose, Json request) {
  switch (choose(5)) {
    case 0:
      set(request, "instruction", "no_such_instruction");
      break;
    case 1:
      set(request, *find(request, "direction") == Json("input_to_output") ? "input" : "output",
          choose.chance(1, 2) ? -1 : 1000);
      break;
    case 2:
      set(request, "direction", "sideways");
      break;
    case 3:
      set(request, "scope", 7);
      break;
    default:
      remove(request, "hlo");
  }
  return request;
}

// Both directions of an operation; input to output for each array of the operands.
std::vector<Json> whole_operation(const std::string& hlo) {
  const std::string text = canonical(hlo);
  std::vector<Json> requests = {hlo_question(text, "instruction")};
  Json from = hlo_question(text, "instruction", "input_to_output");
  const int64_t inputs = inputs_of(from);
  for (int64_t input = 0; input < inputs; ++input) {
    set(from, "input", input);
    requests.push_back(from);
  }
  return requests;
}

int64_t count_of(const BoundedHlo& operations) {
  int64_t count = 0;
  for (Odometer odometer; !odometer.done(); odometer.advance()) {
    Choose choose(&odometer);
    operations.make(choose);
    ++count;
  }
  return count;
}

}  // namespace

Json hlo_question(absl::string_view hlo, absl::string_view scope, absl::string_view direction) {
  return json_object(
      {{"op", "hlo.index"}, {"hlo", hlo}, {"direction", direction}, {"scope", scope}});
}

std::vector<Json> hlo_fixed() {
  std::vector<Json> requests;
  const auto ask = [&requests](const std::string& hlo, absl::string_view direction) {
    for (const char* scope : {"instruction", "computation"}) {
      requests.push_back(hlo_question(hlo, scope, direction));
    }
  };
  const auto both = [&ask](const std::string& hlo) {
    ask(hlo, "output_to_input");
    ask(hlo, "input_to_output");
  };
  for (absl::string_view hlo : kExamples) both(canonical(hlo));
  for (absl::string_view hlo : kModules) both(canonical(absl::StrCat(kMaximum, hlo)));
  for (absl::string_view hlo : kSmallModules) both(canonical(hlo));
  for (absl::string_view hlo : kLargeModules) {
    // Computations with several arrays are asked about each of them.
    for (Json& request : whole_operation(std::string(hlo))) {
      const int64_t outputs = outputs_of(request);
      requests.push_back(request);
      for (int64_t output = 1; output < outputs; ++output) {
        set(request, "output", output);
        requests.push_back(request);
      }
    }
    requests.push_back(hlo_question(canonical(hlo), "computation"));
  }
  Json second = hlo_question(canonical(absl::StrCat(kMaximum, kModules[7])), "instruction");
  set(second, "output", 1);
  requests.push_back(second);
  set(second, "output", 2);
  requests.push_back(second);
  Json named = hlo_question(canonical(kExamples[0]), "instruction");
  for (const char* name : {"add", "p0", "p9"}) {
    set(named, "instruction", name);
    requests.push_back(named);
  }
  Json from = hlo_question(canonical(kExamples[0]), "instruction", "input_to_output");
  for (const int64_t input : {1, 2, -1}) {
    set(from, "input", input);
    requests.push_back(from);
  }
  Json sideways = hlo_question(canonical(kExamples[0]), "instruction");
  set(sideways, "direction", "sideways");
  requests.push_back(sideways);
  remove(sideways, "direction");
  requests.push_back(sideways);
  requests.push_back(hlo_question(canonical(kExamples[0]), "module"));
  for (absl::string_view hlo : kNoModules) requests.push_back(hlo_question(hlo, "instruction"));
  return requests;
}

// A question about arrays of real sizes.
Json large_request(Choose& choose) {
  const std::string hlo = canonical(generate_large_operation(choose));
  Json from = hlo_question(hlo, "instruction", "input_to_output");
  if (choose.chance(1, 4) && inputs_of(from) == 1) return from;
  return hlo_question(hlo, "instruction");
}

Json make_hlo_request(Choose& choose, const Limits&) {
  if (choose.chance(1, 8)) return large_request(choose);
  const bool one = choose.chance(1, 2);
  const HloLimits limits{.elements = limits::kAskedElements.most,
                         .operations = limits::kAskedOperations.most};
  const GeneratedHlo hlo =
      one ? generate_operation(choose, limits) : generate_computation(choose, limits);
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) return hlo_question(hlo.text, "instruction");
  const bool inverse = choose.chance(1, 2);
  Json request =
      hlo_question(to_text(*module), choose.chance(one ? 1 : 3, 4) ? "computation" : "instruction",
                   inverse ? "input_to_output" : "output_to_input");
  const HloComputation& entry = module->computations[module->entry];
  int32_t instruction = entry.root;
  if (!one && choose.chance(1, 3)) {
    instruction = static_cast<int32_t>(choose(std::ssize(entry.instructions)));
    set(request, "instruction", entry.instructions[instruction].name);
  }
  const int64_t arrays = inverse ? inputs_of(request) : leaves_of(entry.instructions[instruction]);
  if (arrays > 1) set(request, inverse ? "input" : "output", choose(arrays));
  return choose.chance(1, 12) ? spoiled(choose, std::move(request)) : request;
}

Family hlo_family() {
  return family_of(bounded_hlo_kinds().size(), [](size_t kind, Choose& choose) {
    return whole_operation(bounded_hlo_kinds()[kind].make(choose));
  });
}

std::string hlo_family_text() {
  return absl::StrCat(
      "both directions of every ",
      absl::StrJoin(bounded_hlo_kinds(), "; ", [](std::string* out, const BoundedHlo& operations) {
        absl::StrAppend(out, operations.kind, " (", count_of(operations), ": ", operations.bounds,
                        ")");
      }));
}

}  // namespace tileproof::conform
