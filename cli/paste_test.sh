#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Pastes text as people hold it, as XLA, JAX, MLIR and CuTe print it, into the commands that they would guess.
# cli/paste_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source "$(dirname "$0")/expect_output.sh"

# --- Unknown words in HLO text are errors ---------------------------------------------------------------------------
cat > "$scratch/jit.hlo" << 'END'
HloModule jit_f, entry_computation_layout={(f32[8,16]{1,0})->f32[16,4]{1,0}}, allow_spmd_sharding_propagation_to_parameters={true}

ENTRY %main.5 (Arg_0.1: f32[8,16]) -> f32[16,4] {
  %Arg_0.1 = f32[8,16]{1,0} parameter(0), metadata={op_name="x"}
  %slice.2 = f32[4,16]{1,0} slice(f32[8,16]{1,0} %Arg_0.1), slice={[0:8:2], [0:16]}, metadata={op_name="jit(f)/jit(main)/slice"}
  ROOT %transpose.3 = f32[16,4]{0,1} transpose(f32[4,16]{1,0} %slice.2), dimensions={1,0}
}
END
sed 's/transpose(/transpsoe(/' "$scratch/jit.hlo" > "$scratch/opcode.hlo"
sed 's/ slice={/ slcie={/' "$scratch/jit.hlo" > "$scratch/attribute.hlo"
expect 0 "~operand 0, Arg_0.1: (d0, d1) -> (d0 * 2, d1)" map "$scratch/jit.hlo"
for verb in map 'map --verify' utilization 'tile --tile 0:1,0:1' 'coalescing --threads (th_x)->(th_x,0),domain:th_x,in,[0,3]'; do
  expect 2 "~: $scratch/opcode.hlo:6:38: expected an opcode, found 'transpsoe'; did you mean 'transpose'?" $verb "$scratch/opcode.hlo"
  expect 2 "~: $scratch/attribute.hlo:5:61: expected an attribute of slice, found 'slcie'; did you mean 'slice'?" $verb "$scratch/attribute.hlo"
done
expect 0 "~transpsoe: an unknown operation" map --allow-unknown "$scratch/opcode.hlo"
expect 0 "~note: not known to XLA, and kept: opcode transpsoe" map --allow-unknown "$scratch/opcode.hlo"
expect 2 "~note: not known to XLA, and kept: attribute slcie of slice" map --allow-unknown "$scratch/attribute.hlo"
# A misspelt value, an element type that is none, an operation without what gives it its meaning.
expect 2 "~column 52: expected EQ, NE, GE, GT, LE or LT as direction, found 'LTT'; did you mean 'LT'?" map 'r = pred[4] compare(f32[4] p, f32[4] q), direction=LTT'
expect 2 "~expected the direction of a comparison" map 'r = pred[4] compare(f32[4] p, f32[4] q)'
expect 0 "~note: not known to XLA, and kept: direction=LTT of compare" map --allow-unknown 'r = pred[4] compare(f32[4] p, f32[4] q), direction=LTT'
expect 2 "~expected kLoop, kInput, kOutput or kCustom as kind, found 'kLopo'; did you mean 'kLoop'?" map 'r = f32[4] fusion(f32[4] p), kind=kLopo, calls={ q = f32[4] parameter(0) ROOT n = f32[4] negate(q) }'
expect 2 "~column 19: expected an element type, found 'f33'; did you mean 'f32'?" map 'r = f32[4] negate(f33[4] p)'
expect 2 "~column 5: expected an element type, found 'float32'; did you mean 'f32'?" map 'r = float32[4] negate(f32[4] p)'
expect 0 "~1 superset" map 'r = f32[4] custom-call(f32[4] p), custom_call_target="anything", api_version=API_VERSION_TYPED_FFI'

# --- Errors as JSON -------------------------------------------------------------------------------------------------
expect 2 '{"error":{"column":38,"expected":"an opcode","file":"'"$scratch/opcode.hlo"'","found":"'"'transpsoe'"'","hint":"did you mean '"'transpose'"'?","line":6,"message":"map: line 6, column 38: expected an opcode, found '"'transpsoe'; did you mean 'transpose'?"'"}}' \
  map --json "$scratch/opcode.hlo"
expect 2 "{\"error\":{\"column\":8,\"expected\":\"']' to close the dimensions\",\"found\":\"end of input\",\"message\":\"layout: column 8: expected ']' to close the dimensions, found end of input\"}}" \
  layout --json 'f32[3,5'
echo 'token[]' > "$scratch/token.txt"
expect 2 '~"file":"'"$scratch/token.txt"'"' equiv --json "$scratch/token.txt" 'f32[4]'
expect 2 '{"error":{"hint":"did you mean '"'--index'"'?","message":"layout has no option '"'--idnex'; did you mean '--index'?"'"}}' layout 'f32[3]' --json --idnex 1

# Words of other languages and slips of the keyboard.
expect 0 '(d0) -> (d0 mod 8), domain: d0 in [0, 9]' simplify '(d0) -> (d0 % 8), domain: d0 in [0, 9]'
expect 0 '(_i, _j) -> ((_i floordiv 8) * 16 + _j mod 16), domain: _i in [0, 63], _j in [0, 31]' simplify '_i // 8 * 16 + _j % 16, domain: _i in [0, 63], _j in [0, 31]'
expect 0 '~equal' equiv 'lambda x: ModularIndexing(x, 2, 28), domain: x in [0, 99]' 'x // 2 % 28, domain: x in [0, 99]'
expect 0 '~equal' equiv 'b + a * 4' '4*a + b'
expect 1 '~width 31: no: x0 * 2147483 at x0 = 1000' check 'x0*2147483 + x1, domain: x0 in [1000, 1023], x1 in [0, 9]' --width 31
expect 0 '~equal' equiv 'ModularIndexing(x0 + 64*x1, 1, 64), domain: x0 in [0, 63], x1 in [0, 9]' 'x0, domain: x0 in [0, 63], x1 in [0, 9]'
expect 0 '~equal' equiv '(i, j)[n] -> ((n*i + j) // n), domain: i in [0, 9], j in [0, n - 1], n in [1, 99]' '(i, j)[n] -> (i), domain: i in [0, 9], j in [0, n - 1], n in [1, 99]'
expect 0 '~equal' equiv '(_i, _j) -> (_i * 64 + T.bitwise_xor(_j // 8, _i % 8) * 8 + _j % 8), domain: _i in [0, 63], _j in [0, 63]' 'Sw<3,3,3> o 0 o (64,64):(64,1)'
expect 0 '~equal' equiv 'Where(x < 4, x, x - 4), domain: x in [0, 7]' 'x % 4, domain: x in [0, 7]'
for comparison in 'x <= 3' '4 > x' 'x - 4 < 0' 'Where(x >= 4, 1, 0) == 0' 'Where(x != 3, 0, 1) + Where(x < 3, 1, 0) == 1'; do
  expect 0 '~equal' equiv "Where($comparison, x, x - 4), domain: x in [0, 7]" 'x % 4, domain: x in [0, 7]'
done
expect 0 '~equal' equiv 'tl.cdiv(x, 4), domain: x in [0, 99]' '(x + 3) // 4, domain: x in [0, 99]'
# Equal names are equal variables, whatever each side has.
expect 0 '~equal' equiv '(i*N + j) % N' 'j % N'
expect 0 '~equal' equiv 'ModularIndexing(x0 + 64*x1, 1, 64), domain: x0 in [0, 63], x1 in [0, 9]' 'x0'
expect 1 '~different' equiv 'a*4 + b' 'a + b*4'
expect 0 '~no difference' diff 'b + a*4' '4*a + b, domain: a in [0, 3], b in [0, 3]'
# C and CUDA.
expect 0 '~equal' equiv '(x + 7) & ~7, domain: x in [0, 100]' '(x + 7) // 8 * 8'
expect 0 '~equal' equiv 'x & -8' 'x // 8 * 8'
expect 1 '~threadIdx.x = 232, blockIdx.x = 3 gives (1000)' check 'threadIdx.x + blockIdx.x*256, domain: threadIdx.x in [0, 255], blockIdx.x in [0, 3]' --inside 1000
# An index that a kernel computes is a layout.
expect 0 '~4-way conflict' banks '(i, j) -> (i * 36 + j), domain: i in [0, 31], j in [0, 31]' --type f32 --access '(lane) -> (lane, 0), domain: lane in [0, 31]'
expect 0 '~no conflicts' banks '_i * 64 + ((_j // 8) ^ (_i % 8)) * 8 + _j % 8, domain: _i in [0, 63], _j in [0, 63]' --type f16 --access ldmatrix
expect 2 '~expected a map from dimensions in [0, ..] to one offset' banks '(i) -> (i), domain: i in [1, 3]' --type f16 --access vector
expect 0 'KNOWN EMPTY' simplify 'KNOWN EMPTY'
expect 2 "~expected a map; XLA writes this where it has none, found 'UNDEFINED'" simplify UNDEFINED
# What is wrong and where comes first; a bad line loses no other.
sed 's/slice={\[0:8:2\]/slice={[0:9:2]/' "$scratch/jit.hlo" > "$scratch/shape.hlo"
begins() { [[ $("$program" "${@:2}" 2> "$scratch/err") == "$1"* ]] || { echo "FAILED: the first line of tileproof ${*:2} is not $1"; failed=1; }; }
begins "$scratch/shape.hlo:5:4: slice.2: expected a slice within dimension 0 of size 8, found [0:9:2]" map "$scratch/shape.hlo"
begins "$scratch/opcode.hlo:6:38: expected an opcode, found 'transpsoe'; did you mean 'transpose'?" map "$scratch/opcode.hlo"
expect 2 "~operand 0, Arg_0.1: (d0, d1) -> (d0 * 2, d1)" map "$scratch/opcode.hlo"
expect 0 "~note: index 6 in dimension 0 is clamped to 4" map $'i = s32[2] constant({3, 6})\nr = s32[2] gather(s32[5] p, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}'
expect 0 "~note: offset 124 in dimension 0 is clamped to 119" map $'b = s32[] constant(124)\nr = f32[8] dynamic-slice(f32[127] x, b), dynamic_slice_sizes={8}'
printf '  1. Size: 4.0K\n     Shape: f32[8]{0:T(1024)}\n     Unpadded size: 32B\n     XLA label: %%copy.3 = ..\n' > "$scratch/report.txt"
expect 0 "~4064 of         4096 bytes   99.2%  copy.3: f32[8]{0:T(1024)}" waste "$scratch/report.txt"
# CuTe, its DSL and its C++; NumPy.
for cute in 'S<3,3,3> o 0 o (8,64):(64,1)' 'ComposedLayout<Swizzle<3,3,3>,_0,Layout<Shape<_8,_64>,Stride<_64,_1>>>' '!cute.layout<"S<3,3,3> o 0 o (8,64):(64,1)">'; do
  expect 0 '~equal' equiv "$cute" 'Sw<3,3,3> o 0 o (8,64):(64,1)'
done
expect 0 '~equal' equiv 'Sw<3,4,3>_smem_ptr[16b](unset) o (8,64):(64,1)' 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)'
expect 0 '~equal' equiv 'Layout<Shape<_4,_8>,Stride<_8,_1>>' '(4,8):(8,1)'
expect 0 '~equal' equiv 'f32[3,5] strides=(20,4)' 'f32[3,5]'
expect 0 10 layout 'f32[3,5] strides=(8,24)' --index 2,1
expect 0 1 layout '!cute.layout<"(4,8):(8,1)">' --index 0,1
# Triton's padding is a sum of digits.
padded='!ttg.memdesc<16x64xf16, #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 64]}>, #smem>'
expect 0 '~no conflicts' banks "$padded" --access ldmatrix
expect 0 '~copy runs of 64 elements' relayout "$padded" 'f16[16,64]'
# Bits of rows and columns that are mixed, which is no sum of digits: the same as the swizzle that it is.
linear='!ttg.memdesc<64x64xf16, #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}, alignment = 16>, #smem>'
expect 0 '~equal' equiv "$linear" '!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #smem>'
expect 0 '~no conflicts' banks "$linear" --access ldmatrix
expect 0 '~compute the offsets' relayout "$linear" 'f16[64,64]'
rotating='!ttg.memdesc<16x32xf16, #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #smem>'
expect 0 '~one-to-one: yes' check "$rotating" --one-to-one
# Row 9 is phase (9 mod 8) xor (9 floordiv 8) = 0: vectors are where they would be.
expect 0 293 layout "$rotating" --index 9,5
expect 0 265 layout "$rotating" --index 8,13
# Buffers before the dimensions of a layout lie behind each other, and do not change the phase.
expect 0 44 layout '!ttg.memdesc<4x2x8xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #smem>' --index 2,1,5
expect 0 327687 layout '!ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>, #ttng.tensor_memory, mutable>' --index 5,7
expect 0 2097155 layout '!ttg.memdesc<64x64xf32, #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>, #ttng.tensor_memory>' --index 16,3
expect 0 '~equal' equiv 'TensorMemoryLayout((128, 64), col_stride=1):f32[128,64]' '(128,64):(65536,1)'
expect 0 '~equal' equiv 'vector<16x256xbf16, #tpu.vpad<"16,{0,0},(8,128)">>' 'bf16[16,256]{1,0:T(8,128)(2,1)}'
expect 2 '~expected offsets within the 8 rows of a tile and the 128 columns of a register, found 0 and 128' layout 'vector<8x128xf32, #tpu.vpad<"32,{*,128},(8,128)">>'
expect 0 72 layout '!cute.memref<f16, smem, align<128>, S<3,4,3>, "(8,64):(64,1)">' --index 1,0
expect 0 11 layout '!cute.memref<f32, gmem, align<16>, "(4,8):(8,1)">' --index 1,3
# Functions that make layouts, and tensors as they are printed.
for made in 'make_layout(make_shape(4, 8), make_stride(8, 1))' 'make_layout(make_shape(Int<4>{}, _8{}), LayoutRight{})' \
  'cute.make_layout((4, 8), stride=(8, 1))' 'make_ordered_layout((4,8),(1,0))' 'cute.make_ordered_layout((4, 8), order=(1, 0))' \
  'cute::Layout<cute::Shape<cute::_4,cute::_8>, cute::Stride<cute::_8,cute::_1>>{}' 'make_layout(Layout(4,8), Layout(8,1))' \
  'gmem_ptr[32b](0x7f00) o (4,8):(8,1)' 'tensor<ptr<f32, gmem, align<16>> o (4,8):(8,1)>' \
  'tensor(raw_ptr(0x00007f00: f32, generic, align<4>) o (4,8):(8,1), data=[0, 1])'; do
  expect 0 11 layout "$made" --index 1,3
done
expect 0 13 layout 'make_layout((4, 8))' --index 1,3
expect 0 '~map     (d0, d1)[s0] -> (d0 * 16 + d1 + s0)' layout 'memref<4x8xf32, strided<[16, 1], offset: ?>>'
expect 0 $'(4,(2,3)):(6,(3,1))\nequal: the same offset for every index' layout --as cute 'make_layout((4,(2,3)), GenRowMajor{})'
expect 2 "~expected an order of the nesting of the shape" layout 'make_ordered_layout((4,8),(1,0,2))'
expect 2 "~expected a layout whose size fits 64 bits" layout 'make_layout((4294967296,4294967296))'
for sw in 'composition(Swizzle<3,3,3>{}, make_layout(make_shape(_8{}, _64{}), LayoutRight{}))' \
  'cute.make_composed_layout(cute.make_swizzle(3,3,3), 0, cute.make_layout((8,64), stride=(64,1)))' \
  'tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o (8,64):(64,1)>' 'Sw<3,4,3>_smem_ptr[16b](0x400) o (8,64):(64,1)'; do
  expect 0 72 layout "$sw" --index 1,0
done
expect 2 "~expected an address that is a multiple of 2^10, as the swizzle acts on addresses" \
  layout 'Sw<3,4,3>_smem_ptr[16b](0x480) o (8,64):(64,1)'
expect 1 '~8-way' banks 'smem_ptr[16b](0x480) o (8,64):(64,1)' --access '(t) -> (t, 0), domain: t in [0, 7]' --vector 16 --max-ways 1
# TileLang: the fragments of a conflict of layouts, and one of more elements than threads.
fragment='Fragment([16, 64] -> [8], replicate: 1, thread: 128, forward_thread: _j % 32 // 8 * 32 + _i % 8 * 4 + _j % 8 // 2, forward_index: [_j // 32 * 4 + _i // 8 * 2 + _j % 2], thread_range: I.Range(0, 128))'
copied='Fragment([16, 64] -> [32], replicate: 4, thread: 128, forward_thread: _rep * 32 + _i % 8 * 4 + _j % 8 // 2, forward_index: [_j // 8 * 4 + _i // 8 * 2 + _j % 2], thread_range: I.Range(0, 128))'
expect 0 'register 7, lane 5, warp 1, block 0' layout "$fragment" --index 9,43
expect 0 '~equal' equiv "$fragment" 'tensor<16x64xf32, #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 8]}>>'
expect 0 '~equal' equiv "$copied" 'tensor<16x64xf32, #ttg.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []}>>'
expect 1 '~different' equiv "$fragment" "$copied"
expect 0 '~one-to-one: yes, 1024 points' check "$fragment" --one-to-one --onto 128,8
expect 1 '~onto: no: (1, 1) is never reached' check 'Fragment([257] -> [2], replicate: 1, thread: 256, forward_thread: _i % 256, forward_index: [_i // 256])' --onto 256,2
expect 2 '~found the size 257' layout 'Fragment([257] -> [2], replicate: 1, thread: 256, forward_thread: _i % 256, forward_index: [_i // 256])'
expect 2 '~found two in register 0 of thread 0' layout 'Fragment([4, 2] -> [2], replicate: 1, thread: 4, forward_thread: _i, forward_index: [_i % 2])'
expect 0 '~equal' equiv 'Layout([8, 64] -> [8, 64], transform: [_i, _j] -> [_i * 64 + T.bitwise_xor(_j // 8, _i) * 8 + _j % 8])' 'Sw<3,3,3> o 0 o (8,64):(64,1)'
# Functions that HLO lacks are unlike each other, and so is arithmetic of quantized elements.
for pairs in '[[0, 1], [1, 0]]' '[[0, 0], [1, 1]]'; do
  printf 'module @m attributes {mhlo.num_partitions = 2 : i32} {\nfunc.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n %%0 = "stablehlo.collective_permute"(%%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<%s> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>\n return %%0 : tensor<4xf32>\n}}\n' "$pairs" > "$scratch/permute${pairs:5:1}.mlir"
done
expect 1 '~different at device 0' equiv "$scratch/permute0.mlir" "$scratch/permute1.mlir"
for kind in FFT IFFT; do
  printf 'func.func @main(%%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {\n %%0 = stablehlo.fft %%x, type = %s, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>\n return %%0 : tensor<8xcomplex<f32>>\n}\n' $kind > "$scratch/$kind.mlir"
done
expect 3 '~undecided' equiv "$scratch/FFT.mlir" "$scratch/IFFT.mlir"
for config in 1 2; do
  printf 'func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n %%0 = stablehlo.custom_call @f(%%x) {backend_config = {k = %s : i64}} : (tensor<4xf32>) -> tensor<4xf32>\n return %%0 : tensor<4xf32>\n}\n' $config > "$scratch/config$config.mlir"
done
expect 3 '~undecided' equiv "$scratch/config1.mlir" "$scratch/config2.mlir"
unlike() {  # the operation and the element type, of both sides
  for side in left right; do
    printf 'func.func @main(%%x: tensor<4x%s>) -> tensor<4x%s> {\n %%0 = %s %%x : (tensor<4x%s>) -> tensor<4x%s>\n return %%0 : tensor<4x%s>\n}\n' \
      "$2" "$3" "$1" "$2" "$3" "$3" > "$scratch/$side.mlir"
    shift 3
  done
  expect 3 '~undecided' equiv "$scratch/left.mlir" "$scratch/right.mlir"
}
unlike chlo.is_inf f32 i1 chlo.is_pos_inf f32 i1
unlike chlo.erfc f32 f32 chlo.lgamma f32 f32
unlike chlo.erf_inv f32 f32 chlo.erf f32 f32
unlike stablehlo.uniform_dequantize '!quant.uniform<i8:f32, 0.5>' f32 stablehlo.uniform_dequantize '!quant.uniform<i8:f32, 0.25>' f32
unlike stablehlo.negate '!quant.uniform<i8:f32, 0.5:3>' '!quant.uniform<i8:f32, 0.5:3>' stablehlo.negate i8 i8
expect 2 "~column 8: expected a stride in elements: one with '@' gives coordinates" layout '(4,8):(1@0,1@1)'
expect 2 "~column 2: expected an extent that is known when the program is compiled, found '?'" layout '(?,8):(8,1)'
expect 0 '(d0) -> (d0 floordiv 8), domain: d0 in [0, 9]' simplify '(d0) -> (d0 / 8), domain: d0 in [0, 9]'
expect 2 "~column 15: expected no '/' of what may be negative" simplify '(d0) -> (d0 / 8), domain: d0 in [-1, 9]'
expect 0 '~equal' equiv 'blockIdx.x * 128 + threadIdx.x / 32 * 32 + threadIdx.x % 32, domain: blockIdx.x in [0, 7], threadIdx.x in [0, 127]' \
  'blockIdx.x * 128 + threadIdx.x, domain: blockIdx.x in [0, 7], threadIdx.x in [0, 127]'
for verb in simplify inverse 'equiv f32[4]'; do
  expect 2 "~column 13: expected an operator, found '//', which begins a comment; did you mean 'floordiv'?" $verb '(d0) -> (d0 // n), domain: d0 in [0, 9]'
done
expect 2 "~line 2, column 5: expected an operator, found '//', which begins a comment" simplify $'(d0) -> (d0 mod 2,\n d0 // n),\ndomain: d0 in [0, 9]'
expect 0 '(d0) -> (d0), domain: d0 in [0, 9]' simplify $'(d0) -> (d0 // of the identity\n), domain: d0 in [0, 9]'
expect 2 "~line 2, column 1: expected 'domain:'" simplify $'(d0) -> (d0), // the identity\nd0 in [0, 9]'
expect 2 "~expected an operator, found 'flordiv'; did you mean 'floordiv'?" simplify '(d0) -> (d0 flordiv 8), domain: d0 in [0, 9]'
expect 2 "~found 'RowMajr'; did you mean 'RowMajor'?" layout 'RowMajr:f16[3,4]'
expect 2 "~found 'affine_mpa'; did you mean 'affine_map'?" simplify 'affine_mpa<(d0) -> (d0)>'
expect 2 "~expected 'domain:', found 'domian'; did you mean 'domain'?" simplify '(d0) -> (d0), domian: d0 in [0, 1]'
expect 2 "~expected a variable of the map, found 'do'; did you mean 'd0'?" simplify '(d0) -> (do), domain: d0 in [0, 1]'
for verb in 'layout' 'explain --index 1'; do
  expect 2 "~column 1: expected a layout, found 'Swizle'; did you mean 'Swizzle'?" $verb 'Swizle<3,3,3> o 0 o (8,64):(64,1)'
done
expect 2 "~LEFT: column 1: expected a layout, found 'memreff'; did you mean 'memref'?" equiv 'memreff<4xf32>' 'f32[4]'
expect 2 "~column 10: expected an element type of MLIR, found 'f33'; did you mean 'f32'?" layout 'memref<4xf33>'
expect 2 "~column 15: expected strided<..>, affine_map<..> or a memory space, found 'stridde'; did you mean 'strided'?" layout 'memref<4xf32, stridde<[1]>>'
expect 2 "~did you mean 'lemmas'?" prove lemma
expect 2 "~did you mean 'layout'?" generate --suite layot
expect 2 "~did you mean 'layout'?" fuzz layot
expect 2 "~did you mean 'HAL-03'?" zoo HAL-O3
expect 2 "~found 'compositoin'; did you mean 'composition'?" algebra compositoin 4:1 4:1
expect 2 "~found cutte; did you mean 'cute'?" layout --as cutte 'f32[3]'
expect 2 "~found tpuu; did you mean 'tpu'?" layout --format tpuu 'f32[3]'

# An argument that can only be a path names a file; equiv reads a single instruction as map does.
expect 2 "~LEFT: cannot read the file nofile.txt" equiv nofile.txt 'f32[4]'
expect 2 "~RIGHT: cannot read the file ci/nofile.hlo" equiv "$scratch/jit.hlo" ci/nofile.hlo
expect 2 "~layout: cannot read the file mine.hlo" layout mine.hlo
expect 2 "~SECOND: cannot read the file b/map" compose '(d0) -> (d0), domain: d0 in [0, 3]' b/map
expect 2 "~RIGHT: cannot read the file maps/b.txt" diff 'f32[4]' maps/b.txt
expect 2 "~prove: cannot read the file layouts.txt" prove layouts.txt
echo 'f32[3,5]{1,0:T(2,2)}' > "$scratch/layout.txt"
expect 0 17 layout "$scratch/layout.txt" --index 2,3
single='t = f32[4,6] transpose(f32[6,4] p), dimensions={1,0}'
expect 0 "~result 0: equal" equiv "$single" 'r = f32[4,6]{0,1} transpose(f32[6,4] q), dimensions={1,0}'
expect 1 "~result 0: different" equiv 'r = f32[4,6] reverse(f32[4,6] p), dimensions={0}' 'r = f32[4,6] negate(f32[4,6] p)'
# A map and a module: all maps of the operand together.
roll='HloModule r ENTRY e { x = f32[1,5] parameter(0) a = f32[1,3] slice(x), slice={[0:1],[2:5]} b = f32[1,2] slice(x), slice={[0:1],[0:2]} ROOT c = f32[1,5] concatenate(a, b), dimensions={1} }'
expect 0 'equal: reads the same elements' equiv "$roll" 'affine_map<(d0, d1) -> (d0, (d1 + 2) mod 5)>'
expect 1 'different at [0, 0]: LEFT reads [0, 2], RIGHT does not' equiv "$roll" '(d0, d1) -> (d0, (d1 + 3) mod 5), domain: d0 in [0, 0], d1 in [0, 4]'
expect 1 'different at [0, 3]: RIGHT reads [0, 0], LEFT does not' equiv '(d0, d1) -> (d0, d1 + 2), domain: d0 in [0, 0], d1 in [0, 2]' "$roll"
expect 0 'equal: reads the same elements' equiv '(i, j)[s] -> (i, s), domain: i in [0, 3], j in [0, 4], s in [0, 5]' 'r = f32[4,5] dot(f32[4,6] a, f32[6,5] b), lhs_contracting_dims={1}, rhs_contracting_dims={0}' --instruction r --operand 0
expect 2 '~expected a map of 2 dimensions with 2 results' equiv "$roll" '(d0) -> (d0), domain: d0 in [0, 4]'
expect 2 '~--operand: expected the number of an array that is read, found 7' equiv "$roll" '(d0, d1) -> (d0, d1), domain: d0 in [0, 0], d1 in [0, 4]' --operand 7
expect 2 "~RIGHT: expected a module or a map, as LEFT is a module, found a layout" equiv "$single" 'f32[4,6]'

# Words of the inside do not reach people; maps of 2024 are read.
expect 2 "~expected each dimension number once, found 0 again; XLA differs: its parser accepts a lone array with repeated" layout 'f32[3,5]{0,0}'
expect 2 "~expected '}', as T(..) is once and further left: the order of properties is T, L, E, S, SC, M, found 'T'" layout 'f32[3,5]{1,0:L(2)T(2,2)}'
expect 2 "~layout: --index: expected one value, found 2; \`tileproof explain\` takes several" layout 'f32[3,5]' --index 1,0 --index 2,0
expect 2 "~equiv: --timeout: expected one value, found 2" equiv 4:1 4:1 --timeout 1 --timeout 2
# Times have units; a number alone keeps the unit of its option.
for time in 5000 5000ms 5s 2min 2m 1h; do
  expect 0 "~equal" equiv --timeout $time 'f32[4]' 'f32[4]'
  expect 0 "~proven" prove --timeout $time 'f32[4]{0:T(2)}'
  expect 0 "~  proven" map --verify --timeout $time 'n = f32[4] negate(f32[4] p)'
done
for command in "equiv 4:1 4:1" "prove lemmas" "map --verify x"; do
  # shellcheck disable=SC2086
  expect 2 "~--timeout: expected a time such as 500ms, 30s, 2min or 1h (a number alone is milliseconds), found '5d'" $command --timeout 5d
done
expect 2 "~--timeout: Value 7200000 not in range 1 to 3600000" map --verify --timeout 2h 'n = f32[4] negate(f32[4] p)'
for command in "conform --timeout" "conform --time" "fuzz --time"; do
  # shellcheck disable=SC2086
  expect 2 "~expected a time such as 500ms, 30s, 2min or 1h (a number alone is seconds), found '5d'" $command 5d -- true
done
expect 2 "~expected a time of at least a millisecond" conform --timeout 0 -- true
for command in "equiv milliseconds" "prove milliseconds" "map milliseconds" "conform seconds" "fuzz seconds"; do
  [[ $("$program" "${command% *}" --help | tr -s ' \n' ' ') == *" a number alone is ${command#* }"* ]] ||
    { echo "FAILED: tileproof ${command% *} --help does not name the unit of a number alone"; failed=1; }
done
for old in '(d0) -> (d0), domain: d0 in [0, 9], is_simplified: true' '#xla_gpu.indexing_map<"(d0) -> (d0), domain: d0 in [0, 9], is_simplified: true">' \
  '#xla_gpu.indexing_map<(d0) -> (d0), domain: d0 in [0, 9], is_simplified: false>' $'(d0) -> (d0)\ndomain:\nd0 in [0, 9]\nis_simplified: true'; do
  expect 0 '(d0) -> (d0), domain: d0 in [0, 9]' simplify "$old"
done

# On a terminal, a caret shows the place.
if command -v script > /dev/null; then
  script -qec "'$program' layout 'f32[3,5x]'" /dev/null > "$scratch/tty" < /dev/null
  tr -d '\r' < "$scratch/tty" | grep -qxF '  f32[3,5x]' && tr -d '\r' < "$scratch/tty" | grep -qx '  *^' ||
    { echo "FAILED: no caret on a terminal: $(cat "$scratch/tty")"; failed=1; }
fi
[[ $("$program" layout 'f32[3,5x]' 2>&1 | wc -l) == 1 ]] || { echo "FAILED: more than one line in a pipe"; failed=1; }

# --- Verbs for maps and layouts -------------------------------------------------------------------------------------
digits='(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]'
expect 0 '(d0) -> ((d0 floordiv 8) * -31 + d0 * 4), domain: d0 in [0, 31]' compose "$digits" 'f32[4,8]{0,1}'
expect 0 '{"map":"(d0) -> ((d0 floordiv 8) * -31 + d0 * 4), domain: d0 in [0, 31]"}' compose --json "$digits" 'f32[4,8]{0,1}'
expect 0 "~d0 floordiv 8 in [0, 3], d0 mod 8 in [0, 7]" compose --unsimplified "$digits" 'f32[4,8]{0,1}'
expect 2 "~compose: " compose "$digits" '(d0) -> (d0), domain: d0 in [0, 3]'
expect 2 "~SECOND: column" compose "$digits" 'f32[4,'
expect 0 '(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]' inverse "$digits"
expect 0 '(d0) -> (d0 mod 4, d0 floordiv 4), domain: d0 in [0, 31]' inverse 'f32[4,8]{0,1}'
expect 0 '(d0) -> (((d0 floordiv 256) mod 4) * 2 + (d0 floordiv 8192) * 8 + d0 mod 2, ((d0 floordiv 1024) mod 8) * 128 + (d0 floordiv 2) mod 128), domain: d0 in [0, 1048575]' \
  inverse 'bf16[1024,1024]{1,0:T(8,128)(2,1)}'
expect 0 '(d0) -> (((d0 floordiv 16) mod 4) * 32 + (d0 mod 8) * 4 + (d0 floordiv 128) mod 4, ((d0 floordiv 8) mod 2) * 2 + (d0 floordiv 512) * 4 + (d0 floordiv 64) mod 2), domain: d0 in [0, 8191]' \
  inverse '((4,8,4),(2,2,16)):((128,1,16),(64,8,512))'
windows='(d0, d1)[s0]{rt0} -> (d0 * 2 + s0 + rt0, d1), domain: d0 in [0, 9], d1 in [0, 3], s0 in [0, 1], rt0 in [0, 2]'
expect 0 '(15, 2)' evaluate "$windows" --at 7,2 --ranges 0 --runtime 1
expect 0 $'(15, 2)\noutside' evaluate "$windows" --at 7,2 --at 10,0 --ranges 0 --runtime 1
expect 0 '{"at":{"dims":[7,2],"ranges":[0],"runtime":[1]},"results":[15,2]}' evaluate --json "$windows" --at 7,2 --ranges 0 --runtime 1
expect 0 '{"at":{"dims":[10,2],"ranges":[0],"runtime":[1]},"results":null}' evaluate --json "$windows" --at 10,2 --ranges 0 --runtime 1
expect 2 "~--ranges: expected 1 value, for s0, found 0" evaluate "$windows" --at 7,2 --runtime 1
expect 2 "~--at: column 3: expected an integer" evaluate "$windows" --at 7,x --ranges 0 --runtime 1
expect 0 '(17)' evaluate 'f32[3,5]{1,0:T(2,2)}' --at 2,3
expect 0 '(-3)' evaluate '(d0) -> (d0), domain: d0 in [-9, 9]' --at -3
expect 0 $'15 offsets of 24 slots; 9 hold no element\n  result 0: 0 to 8, 10, 12 to 13, 16 to 17, 20' image 'f32[3,5]{1,0:T(2,2)}'
expect 0 $'20 elements\n  result 0: 0 to 1, 4 to 5, 8 to 9, 12 to 13, 16 to 17, 20 to 21, 24 to 25, 28 to 29, 32 to 33, 36 to 37' \
  image '(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 9], s0 in [0, 1]'
expect 0 '{"blocks":[{"count":10,"high":8,"low":-10,"results":[0],"step":2,"text":"result 0: -10 to 8 step 2"}],"count":10}' \
  image --json '(d0) -> (d0 * 2 - 10), domain: d0 in [0, 9]'
expect 0 $'1000000 elements\n  (result 0 + 1023897595) floordiv 102400: 0 to 9999\n  (result 0 + 1023897595) mod 102400: 0 to 297 step 3' \
  image '(d0, d1) -> (d1 * 3 - d0 * 102400 + 5), domain: d0 in [0, 9999], d1 in [0, 99]'
expect 0 $'0 elements' image '(d0) -> (d0), domain: d0 in [1, 0]'
expect 1 $'4 of 8 points differ\n  d0 = 0, d1 = 1: (1) and (2)\n  .. and 3 more (--limit)\n.##.\n.##.' \
  diff 'f32[2,4]{1,0:T(2,4)}' '(d0, d1) -> (d0 * 4 + (d1 mod 2) * 2 + d1 floordiv 2), domain: d0 in [0, 1], d1 in [0, 3]' --limit 1
expect 0 'no difference at 15 points' diff 'f32[3,5]{1,0}' '(3,5):(5,1)'
expect 1 '{"complete":true,"differences":[{"at":{"dims":[2],"ranges":[],"runtime":[]},"left":[2],"right":null}],"different":1,"equal":false,"points":3}' \
  diff --json '(d0) -> (d0), domain: d0 in [0, 2]' '(d0) -> (d0), domain: d0 in [0, 1]'
expect 1 $'too many points to list: one where they differ\n  d0 = 1, d1 = 0: (128) and (100000)' diff 'f32[100000,100000]{1,0:T(8,128)}' 'f32[100000,100000]{1,0}'
expect 0 'no difference (proven)' diff 'f32[100000,128]{1,0:T(8,128)}' 'f32[100000,128]{1,0}'
expect 0 "~equal: " equiv '(d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]' 'f32[4,8]{0,1}'
expect 1 "~different at d0 = 0, d1 = 1: (4) and (1)" equiv 'f32[4,8]{0,1}' '(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]'
expect 0 "~proven" prove 'zN:f16[64,96]'
expect 0 "~equal to f16[64,96]{0,1:T(16,16)(16,1)}, where the closed form" prove --json 'zN:f16[64,96]'
expect 0 "~the formula is the definition; no tiled form" prove '(4,2):(1,1)'
expect 0 "~proven" prove '((16,4),(16,6)):((16,256),(1,1024))' 'dnnl:nChw16c:f32[2,20,5,5]'
expect 2 "~column 1: expected an element type" prove 'no layout'
expect 2 "~expected a layout, found a map; \`tileproof equiv MAP LAYOUT\` proves that a map is the offset of a layout" \
  prove 'f32[4,8]{0,1}' '(i, j) -> (j * 4 + i), domain: i in [0, 3], j in [0, 7]'

# --- Where an element lies, step by step ----------------------------------------------------------------------------
expect 0 'f32[3,5]{1,0:T(2,2)}
element [2,3]
  pad dimension 0 to 4, now [4,5]: at [2,3]
  pad dimension 1 to 6, now [4,6]: at [2,3]
  split dimension 0 into tiles of 2, now [2,2,6]: at [1,0,3]
  split dimension 2 into tiles of 2, now [2,2,3,2]: at [1,0,1,1]
  transpose to dimensions 0,2,1,3, now [2,3,2,2]: at [1,1,0,1]
  physical index  [1,1,0,1]
  tile            [1,1] of [2,3], position [0,1] of [2,2] in it
  offset          17 elements
  byte            68, bit 0 of it; 32 bits from bit 544' explain 'f32[3,5]{1,0:T(2,2)}' --index 2,3
expect 0 "~byte            0, bit 4 of it; 4 bits from bit 4" explain 's4[8,128]{1,0:T(8,128)E(4)}' --index 0,1
expect 0 "~mode 1: 33 has the digits (1,2) of (16,6), strides (1,1024)" explain 'zN:f16[64,96]' --index '[17,33]'
expect 0 "~element [17,33]" explain '((16,4),(16,6)):((16,256),(1,1024))' --index '((1,1),(1,2))'
expect 0 "~offset 23 holds padding" explain 'f32[3,5]{1,0:T(2,2)}' --offset 17 --offset 23
expect 2 "~expected --index or --offset" explain 'f32[3,5]'
expect 2 "~index 5 is outside dimension 1 of size 5" explain 'f32[3,5]' --index 2,5
expect 2 "~expected 2 numbers for the dimensions [3,5], found 1" explain 'f32[3,5]' --index 2
expect 0 '{"elements":[{"bit":32,"byte":4,"index":[0,1],"offset":1,"physical":[0,1],"steps":[{"dims":[2,2],"index":[0,1],"moves":false,"step":"transpose to dimensions 0,1"},{"dims":[4],"index":[1],"moves":false,"step":"combine dimensions 0 and 1"}]}],"layout":"f32[2,2]{1,0}"}' \
  explain --json 'f32[2,2]{1,0}' --index 0,1
# What --offset prints is what --index reads, in every system.
for layout in 'f32[3,5]{1,0:T(2,2)}' 'zN:f16[64,96]' '((16,4),(16,6)):((16,256),(1,1024))' 'dnnl:nChw16c:f32[2,20,5,5]'; do
  for offset in 0 1 17; do
    index=$("$program" layout "$layout" --offset "$offset")
    expect 0 "$offset" layout "$layout" --index "$index"
    expect 0 "~offset          $offset elements" explain "$layout" --index "$index"
  done
done

# --- Maps and memrefs of MLIR ----------------------------------------------------------------------------------------
expect 0 'affine_map<(d0, d1) -> (d0 + d1)>' simplify 'affine_map<(d0, d1) -> (d1 + d0 + d0 - d0)>'
expect 0 'affine_map<(d0)[s0] -> (d0 + s0)>' simplify '#map1 = affine_map<(d0)[s0] -> (s0 + d0)>'
expect 0 '#xla.indexing_map<"(d0) -> (d0), domain: d0 in [0, 9]">' simplify --as indexing_map '(d0) -> (d0 + 0), domain: d0 in [0, 9]'
expect 0 'affine_map<(d0) -> (d0)>' simplify --as affine_map '(d0) -> (d0 mod 16), domain: d0 in [0, 9]'
expect 2 "~which an affine_map cannot say" simplify --as affine_map '(d0) -> (d0), domain: d0 in [0, 9], d0 mod 3 in [0, 0]'
expect 0 '(bl_x) -> (bl_x * 2), domain: bl_x in [0, 3]' simplify '#xla_gpu.indexing_map<(bl_x) -> (bl_x + bl_x), domain: bl_x in [0, 3]>'
cat > "$scratch/tiled.mlir" << 'END'
#map = affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 128, d0 mod 8, d1 mod 128)>
#map1 = affine_map<(d0, d1) -> (d1, d0 + d0 - d0)>
module {
  func.func @f(%arg0: memref<16x256xf32, #map>, %arg1: memref<4x8xf32, strided<[1, 4]>>) -> index {
    // CHECK: #[[LOAD:.*]] = #xla.indexing_map<"(d0)[s0] -> (s0 + d0 * 4),
    // CHECK-SAME: domain: d0 in [0, 5], s0 in [0, 3]">
    return
  }
}
END
expect 0 'line 1: #map = affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 128, d0 mod 8, d1 mod 128)>
line 2: #map1 = affine_map<(d0, d1) -> (d1, d0)>
line 4: (d0, d1) -> ((d0 floordiv 8) * 1024 + (d1 floordiv 128) * 896 + d0 * 128 + d1), domain: d0 in [0, 15], d1 in [0, 255]
line 4: (d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]
line 5: #LOAD = (d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 5], s0 in [0, 3]' simplify "$scratch/tiled.mlir"
expect 0 '~{"line":2,"map":"affine_map<(d0, d1) -> (d1, d0)>","name":"map1","text":"affine_map<(d0, d1) -> (d1, d0 + d0 - d0)>"}' simplify --json "$scratch/tiled.mlir"
expect 0 '(3, 5)' evaluate "@$scratch/tiled.mlir#map1" --at 5,3
# Memrefs of unknown sizes, which most files have, do not stand in the way of the others.
cat > "$scratch/dynamic.mlir" << 'END'
#map0 = affine_map<(d0, d1) -> (d0 floordiv 32, d1 floordiv 32, d0 mod 32, d1 mod 32)>
#tile = affine_map<(d0)[s0] -> (d0 floordiv s0, d0 mod s0)>
#set = affine_set<(d0) : (d0 >= 0)>
func.func @f(%arg0: memref<64x128xf32, #map0>, %arg1: memref<?x128xf32>, %arg2: memref<4x8xbf16, strided<[8, 1], offset: 4>, 2>) {
  affine.for %i = 0 to 64 { %1 = affine.apply affine_map<(d0)[s0] -> (d0 ceildiv 4 + s0 - 1)>(%i)[%n] }
  // CHECK-DAG: #[[$LOAD:.*]] = #xla.indexing_map<"(th_x, bl_x)[vi] -> (bl_x * 128 + th_x + vi), domain: th_x in [0, 127], bl_x in [0, 3],
  // CHECK-SAME: vi in [0, 1], is_simplified: true">
}
END
expect 0 'line 1: #map0 = affine_map<(d0, d1) -> (d0 floordiv 32, d1 floordiv 32, d0 mod 32, d1 mod 32)>
line 2: #tile = affine_map<(d0)[s0] -> (d0 floordiv s0, d0 mod s0)>
line 4: (d0, d1) -> ((d0 floordiv 32) * 3072 + (d1 floordiv 32) * 992 + d0 * 32 + d1), domain: d0 in [0, 63], d1 in [0, 127]
line 4: no map of memref<?x128xf32>: its sizes, strides, offset or rank are not known
line 4: (d0, d1) -> (d0 * 8 + d1 + 4), domain: d0 in [0, 3], d1 in [0, 7]
line 5: affine_map<(d0)[s0] -> ((d0 - 1) floordiv 4 + s0)>
line 6: #LOAD = (th_x, bl_x)[vi] -> (bl_x * 128 + th_x + vi), domain: th_x in [0, 127], bl_x in [0, 3], vi in [0, 1]' simplify "$scratch/dynamic.mlir"
expect 0 '~"map":null,"name":"","reason":"its sizes, strides, offset or rank are not known","text":"memref<?x128xf32>"' simplify --json "$scratch/dynamic.mlir"
expect 0 '(1, 2, 1, 6)' evaluate "@$scratch/dynamic.mlir#map0" --at 33,70
expect 2 "~no map #mpa1 in the file $scratch/tiled.mlir; did you mean 'map1'?" evaluate "@$scratch/tiled.mlir#mpa1" --at 5,3
tiles='memref<16x256xf32, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 128, d0 mod 8, d1 mod 128)>, #gpu.address_space<workgroup>>'
expect 0 "~equal: " equiv "$tiles" 'f32[16,256]{1,0:T(8,128)}'
expect 0 "~equal: " equiv 'memref<4x8xf32, strided<[1, 4]>>' '(4,8):(1,4)'
expect 0 '(1034)' evaluate "$tiles" --at 0,138
expect 0 '(d0) -> (d0 mod 4, d0 floordiv 4), domain: d0 in [0, 31]' inverse 'memref<4x8xf32, strided<[1, 4]>>'
expect 2 "~column 8: expected a size that is known" layout 'memref<?x8xf32>'
expect 0 "~equal: " equiv 'memref<?x8xf32>' 'memref<?x8xf32, strided<[8, 1]>>'
expect 1 "~different at d0 = 0, d1 = 8, s0 = " equiv 'memref<?x?xf32>' 'memref<?x8xf32, strided<[8, 1]>>'
expect 1 "~different at d0 = 0, d1 = 0, s0 = " equiv 'memref<4x8xf32, strided<[16, 1], offset: ?>>' 'memref<4x8xf32, strided<[16, 1], offset: 35>>'
moved='memref<4x8xf32, strided<[16, 1], offset: ?>>'
expect 0 "~equal: " equiv "$moved" "$moved"
expect 0 '(23)' evaluate "$moved" --at 1,2 --ranges 5
expect 1 "~different at " equiv "$moved" 'memref<4x8xf32, strided<[8, 1], offset: ?>>'

expect 0 '(d0)[s0] -> ((d0 mod s0) * 2), domain: d0 in [0, 99], s0 in [1, 8]' \
  simplify '(d0)[s0] -> ((d0 * 2 - d0) mod s0 + d0 mod s0), domain: d0 in [0, 99], s0 in [1, 8]'
expect 2 "~expected a divisor whose bounds exclude 0, found s0 in [0, 8]" simplify '(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 99], s0 in [0, 8]'
expect 0 '(3)' evaluate '(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 99], s0 in [1, 8]' --at 13 --ranges 5
divided='(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 999999], s0 in [1, 8192]'
expect 0 'equal: the same results on the same domain (rearranged)' equiv "$divided" '(d0)[s0] -> (d0 - (d0 floordiv s0) * s0), domain: d0 in [0, 999999], s0 in [1, 8192]'
expect 1 '~different at d0 = 1, s0 = 1: (0) and (1)' equiv "$divided" '(d0)[s0] -> (d0), domain: d0 in [0, 999999], s0 in [1, 8192]'
expect 1 '~d0 = 1, s0 = 1: (0) and (1)' diff "$divided" '(d0)[s0] -> (d0), domain: d0 in [0, 999999], s0 in [1, 8192]'
expect 0 '(d0)[s0] -> (d0 mod s0 + 1), domain: d0 in [0, 7], s0 in [1, 4]' compose '(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 7], s0 in [1, 4]' '(d0) -> (d0 + 1), domain: d0 in [0, 7]'
expect 2 "~expected a variable or a constant for d1 of the second map, which divides, found 'd0 + 1'" compose '(d0) -> (d0, d0 + 1), domain: d0 in [0, 9]' '(d0, d1) -> (d0 mod d1), domain: d0 in [0, 9], d1 in [1, 4]'
expect 0 'line 1: #tile = affine_map<(d0)[s0] -> (d0 floordiv s0, d0 mod s0)>' simplify --mlir '#tile = affine_map<(d0)[s0] -> ((d0 + 0) floordiv s0, d0 mod s0)>'
expect 2 "~expected maps in which only constants divide" equiv --smtlib "$scratch/divided" "$divided" "$divided"

# --- The digits of tiles ---------------------------------------------------------------------------------------------
offset='((d0 floordiv 8) * 1024 + (d0 mod 8) * 128 + d1), domain: d0 in [0, 63], d1 in [0, 127]'
expect 0 "(d0, d1) -> (d0 * 128 + d1), domain: d0 in [0, 63], d1 in [0, 127]" simplify "(d0, d1) -> $offset"
for sizes in tiles 8 8,128; do
  expect 0 "(d0, d1) -> $offset" simplify --keep $sizes "(d0, d1) -> $offset"
done
expect 0 "(d0, d1) -> $offset" simplify --keep 8 '(d0, d1) -> (d0 * 128 + d1 + (d0 floordiv 8) * 0), domain: d0 in [0, 63], d1 in [0, 127]'
expect 0 "{\"map\":\"(d0, d1) -> $offset\"}" simplify --json --keep 8 "(d0, d1) -> $offset"
expect 0 'affine_map<(d0) -> ((d0 floordiv 8) * 1024 + (d0 mod 8) * 128)>' simplify --keep 8 'affine_map<(d0) -> ((d0 floordiv 8) * 1024 + (d0 mod 8) * 128)>'
expect 0 '~line 4: (d0, d1) -> ((d0 floordiv 8) * 2048 + (d1 floordiv 128) * 1024 + (d0 mod 8) * 128 + d1 mod 128), domain: d0 in [0, 15], d1 in [0, 255]' \
  simplify --keep tiles "$scratch/tiled.mlir"
printf '%s\n' "(d0, d1) -> $offset" "no map" "(d0) -> (d0 mod 8 + (d0 floordiv 8) * 8), domain: d0 in [0, 63]" > "$scratch/lines"
"$program" simplify --lines --keep 8 < "$scratch/lines" > "$scratch/out" 2> "$scratch/err"
[[ $? == 2 && $(cat "$scratch/out") == "(d0, d1) -> $offset"$'\n\n(d0) -> ((d0 floordiv 8) * 8 + d0 mod 8), domain: d0 in [0, 63]' ]] ||
  { echo "FAILED: simplify --lines --keep 8: $(cat "$scratch/out" "$scratch/err")"; failed=1; }
for sizes in 1 8,0 -8 tile 8,x 99999999999999999999 ''; do
  expect 2 "~--keep: expected tiles, or sizes of at least 2: 8,128, found '$sizes'" simplify --keep "$sizes" "(d0, d1) -> $offset"
done
expect 2 "~expected no --keep with --trace" simplify --keep 8 --trace "(d0, d1) -> $offset"
expect 2 "~expected constants as divisors with --keep, found a variable" simplify --keep 8 '(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 9], s0 in [1, 4]'

# --- What has no effect, and what is too large, is said ---------------------------------------------------------------
sharded='r = f32[8,4] negate(f32[8,4] p), sharding={devices=[2,1]<=[2]}'
expect 0 "~note: 1 instruction has a sharding, which changes no map: maps are of whole arrays" map "$sharded"
expect 0 '~"sharded":1' map --json "$sharded"
permuted='r = f32[8] collective-permute(f32[8] p), source_target_pairs={{0,1},{1,0}}'
expect 0 "~note: 1 instruction takes elements of any replica: maps have the index, not the replica" map "$permuted"
expect 0 '~"collectives":1' map --json "$permuted"
expect 0 $'~  [2147483648]  combine all dimensions\ntoo large to draw as text (--svg FILE draws it)' layout 'f32[16777216,128]{1,0:T(8,128)}'
expect 0 "~<svg" layout 'f32[3,5]{1,0:T(2,2)}' --svg -
expect 0 "~wrote $scratch/large.svg" layout 'f32[16777216,128]{1,0:T(8,128)}' --svg "$scratch/large.svg"
grep -q '</svg>' "$scratch/large.svg" || { echo "FAILED: no picture of a large layout"; failed=1; }
[[ $("$program" layout 'f32[3,5]{1,0:T(2,2)}' --svg - | tail -n 1) == "</svg>" ]] || { echo "FAILED: --svg - prints more than the picture"; failed=1; }
expect 2 "~no program of a target in $scratch" fuzz --programs "$scratch" --corpus "$scratch/campaign" --time 1
[[ ! -e $scratch/campaign ]] || { echo "FAILED: fuzz without programs makes a campaign"; failed=1; }

# --- One wrong operator is one cause, also where its results leave 64 bits; leniency there is another one -----------------
respond=$(dirname "$0")/../docs/examples/respond.py
if command -v python3 > /dev/null; then
  sed 's/x % t/x % 3/' "$respond" > "$scratch/wrong_operator.py"
  "$program" conform --suite layout -- python3 "$scratch/wrong_operator.py" > "$scratch/out" 2> "$scratch/err"
  [[ $? == 1 && $(grep -c '^\(wrong\|error\)  layout' "$scratch/out") == 1 ]] ||
    { echo "FAILED: conform of one wrong operator: $(cut -c1-300 "$scratch/out" "$scratch/err")"; failed=1; }
  sed 's/x % t/x % 3/; s/2\*\*63/2**200/' "$respond" > "$scratch/lenient.py"
  "$program" conform --suite layout -- python3 "$scratch/lenient.py" > "$scratch/out" 2> "$scratch/err"
  [[ $? == 1 && $(grep -c '^error  layout.linearize' "$scratch/out") -ge 1 ]] ||
    { echo "FAILED: conform of a wrong operator and no check of 64 bits: $(cut -c1-300 "$scratch/out" "$scratch/err")"; failed=1; }
fi

# --- A long run counts its cases on a terminal --------------------------------------------------------------------------
if command -v script > /dev/null; then
  script -qec "'$program' conform --suite tla --exhaustive -- '$program' respond" /dev/null > "$scratch/tty" < /dev/null
  tr '\r' '\n' < "$scratch/tty" | grep -q '^tla: [1-9][0-9]* cases' || { echo "FAILED: no progress of conform --exhaustive"; failed=1; }
fi

# --- A program that does not speak the protocol is told so once -----------------------------------------------------------
"$program" conform --suite layout --count 30 -- cat > "$scratch/out" 2> "$scratch/err"
[[ $? == 1 && $(grep -c 'the program does not speak the protocol of docs/protocol.md: not an answer: {"id":1,' "$scratch/out") == 1 &&
  $(wc -l < "$scratch/out") -le 8 && $(tail -n 1 "$scratch/out") == "FAILED: none of the answers is one of the protocol." ]] ||
  { echo "FAILED: conform of cat: $(cat "$scratch/out" "$scratch/err")"; failed=1; }

# A program that never answers stops the run. Lines that it prints for debugging are one cause; the report names them once.
expect 2 "~the program does not answer: no line within 0.5 s of the greeting" conform --suite layout --timeout 100ms -- sleep 1000
if command -v python3 > /dev/null; then
  sed 's/^\( *\)request = json.loads(line)$/&\n\1if "index" in request: print("DEBUG here", request["id"], flush=True)/' \
    "$respond" > "$scratch/debug.py"
  "$program" conform --suite layout -- python3 "$scratch/debug.py" > "$scratch/out" 2> "$scratch/err"
  [[ $? == 1 && $(cat "$scratch/err") == *"your program prints other lines to standard output, such as 'DEBUG here "* &&
    $(grep -c '^protocol  ' "$scratch/out") == 1 && $(grep -c '^  hint  ' "$scratch/out") == 1 && $(wc -l < "$scratch/err") == 1 ]] ||
    { echo "FAILED: conform of a program with lines for debugging: $(cut -c1-300 "$scratch/out" "$scratch/err")"; failed=1; }
fi

# A program that ends before its first answer does not run at all: that is a wrong call, not a failing case.
printf 'def broken(:\n' > "$scratch/broken.py"
for file in nofile.py broken.py; do
  expect 2 "~tileproof: conform: the program ended before its first answer (status " conform --suite layout -- python3 "$scratch/$file"
done
expect 2 "~(status 1): SyntaxError: " conform --suite layout --count 1 --jobs 2 -- python3 "$scratch/broken.py"
expect 2 '~{"error":{"message":"conform: the program ended before its first answer (status 7), and printed nothing"}}' conform --json -- sh -c 'exit 7'

# --- A program that ends at each request says so once; levels; titles of cases ------------------------------------------
cat > "$scratch/ends.sh" <<'PROGRAM'
read -r hello
echo '{"id":1,"result":{"ops":["layout.linearize"]}}'
read -r request && echo "the reason why it ends" >&2
exit 3
PROGRAM
"$program" conform --suite layout --count 200 -- bash "$scratch/ends.sh" > "$scratch/out" 2> "$scratch/err"
[[ $? == 1 && $(grep -c 'the reason why it ends' "$scratch/err") == 1 ]] || { echo "FAILED: standard error of a program that ends: $(cat "$scratch/err")"; failed=1; }
invalid() { grep -c '"error"' <(grep '^  right ' "$scratch/out"); }
cat > "$scratch/seven.sh" <<'PROGRAM'
while read -r line; do
  id=${line#*'"id":'}
  case $line in
    *'"op":"hello"'*) echo '{"id":1,"result":{"ops":["layout.linearize"]}}' ;;
    *) echo "{\"id\":${id%%,*},\"result\":7}" ;;
  esac
done
PROGRAM
"$program" conform --suite layout --count 300 --keep-going -- bash "$scratch/seven.sh" > "$scratch/out" 2> /dev/null
[[ $(invalid) -ge 1 ]] || { echo "FAILED: conform asks nothing invalid: $(cat "$scratch/out")"; failed=1; }
"$program" conform --suite layout --count 300 --keep-going --level valid-only -- bash "$scratch/seven.sh" > "$scratch/out" 2> /dev/null
[[ $(invalid) == 0 ]] && grep -q '^  right ' "$scratch/out" || { echo "FAILED: conform --level valid-only: $(cat "$scratch/out")"; failed=1; }
expect 2 "~expected --level 1, 2 or valid-only, found valid-onyl; did you mean 'valid-only'?" conform --level valid-onyl -- cat
expect 2 "~expected --level 2 without --count" conform --level 2 --count 5 -- cat
"$program" conform --suite layout --count 40 --report "junit:$scratch/junit.xml" -- "$program" zoo --respond OPEN-21 > /dev/null 2>&1
grep -q '<testcase classname="layout.layout.linearize" name="[a-z][^"]* [0-9a-f]\{16\}"' "$scratch/junit.xml" ||
  { echo "FAILED: titles of cases in JUnit: $(grep -m 3 testcase "$scratch/junit.xml")"; failed=1; }

# --- Questions for other solvers ---------------------------------------------------------------------------------------
expect 0 "~equal: " equiv --smtlib "$scratch/made/by/equiv" '(d0) -> (d0 mod 6), domain: d0 in [0, 99999]' '(d0) -> (d0 - (d0 floordiv 6) * 6), domain: d0 in [0, 99999]'
grep -q '^; the whole question' "$scratch/made/by/equiv/whole.smt2" && grep -q ':status unsat' "$scratch/made/by/equiv/whole.smt2" ||
  { echo "FAILED: equiv --smtlib: $(ls "$scratch/made/by/equiv")"; failed=1; }
expect 0 "~equal: " equiv --smtlib "$scratch/layouts" 'f32[128,128]{1,0:T(8,128)}' 'f32[128,128]{1,0}'
for file in "$scratch"/layouts/*.smt2; do
  case $file in
    */attempt-*) grep -q '^; sat: a weaker attempt' "$file" && grep -q ':status sat' "$file" ;;
    */question-*) grep -q '^; unsat: ' "$file" && grep -q ':status unsat' "$file" ;;
    *) [[ $file == */whole.smt2 ]] && grep -q ':status unsat' "$file" ;;
  esac || { echo "FAILED: $file: $(head -n 3 "$file")"; failed=1; }
  # Another solver, if there is one, gives the answer that is written.
  if command -v cvc5 > /dev/null; then
    answer=$(timeout 60 cvc5 "$file")
    grep -q ":status $answer)" "$file" || { echo "FAILED: cvc5 says $answer: $file"; failed=1; }
  fi
done
[[ -e $scratch/layouts/question-1.smt2 && -e $scratch/layouts/whole.smt2 ]] || { echo "FAILED: files of equiv --smtlib: $(ls "$scratch/layouts")"; failed=1; }
expect 2 "~cannot write into the folder" prove --smtlib /dev/null/folder 'f32[3]'

# --- Layouts of CuTe -------------------------------------------------------------------------------------------------
expect 0 '448' layout 'Sw<3,3,3> o 0 o (8,64):(64,1)' --index 7,56
expect 0 '{"formula":"x ^ ((x >> 3) & 56), x = d0 * 64 + d1","layout":"Sw<3,3,3> o 0 o (8,64):(64,1)","map":'"$("$program" layout --json 'Sw<3,3,3> o 0 o (8,64):(64,1)' | sed 's/.*"map":\(.*\)}/\1/')"',"offset":448}' \
  layout --json --as-printed 'Sw<3,3,3> o smem_ptr[16b](unset) o (8,64):(64,1)' --index 7,56
# Behind a pointer, a swizzle acts on the addresses of bytes.
hopper='Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)'
expect 0 72 layout "$hopper" --index 1,0
expect 0 64 layout "$hopper" --index 1,0 --as-printed
expect 0 '[1,0]' layout "$hopper" --offset 72
expect 2 '~expected a swizzle' layout '(8,64):(64,1)' --index 1,0 --as-printed
expect 0 '~equal: ' equiv "$hopper" 'Sw<3,3,3> o 0 o (8,64):(64,1)'
expect 0 '~equal: ' equiv 'Sw<3,4,3> o smem_ptr[32b](unset) o (8,32):(32,1)' 'Sw<3,2,3> o 0 o (8,32):(32,1)'
expect 1 '~the elements have 16 and 32 bits' equiv 'Sw<0,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)' 'Sw<0,4,3> o smem_ptr[32b](unset) o (8,64):(64,1)'
expect 1 '~448 of 512 points differ' diff "$hopper" '(8,64):(64,1)' --limit 1
expect 0 '512 offsets
  result 0: 0 to 511' image "$hopper"
expect 0 "$hopper"'
element [1,0]
  mode 0: 1 has the digits (1) of (8), strides (64)
  mode 1: 0 has the digits (0) of (64), strides (1)
  before swizzle  64
  offset          72 elements
  byte            144, bit 0 of it; 16 bits from bit 1152' explain "$hopper" --index 1,0
expect 0 '~proven' prove "$hopper" 'Sw<3,4,3> o smem_ptr[4b](unset) o (8,256):(256,1)'
expect 0 '~1024 bytes to 1024 bytes' relayout "$hopper" 'f16[8,64]'
expect 1 '~the pointer is to elements of 16 bits; f32 has 32' layout --as mlir "$hopper"
expect 0 '~memref<8x64xf16, affine_map' layout --as mlir --type f16 "$hopper"
expect 2 '~column 13: expected a swizzle that moves whole elements of 32 bits' layout 'Sw<1,1,1> o smem_ptr[32b](unset) o 8:1'
expect 0 '512 offsets
  result 0: 0 to 511' image 'Sw<3,3,3> o 0 o (8,64):(64,1)'
expect 0 "~equal: " equiv 'Sw<0,3,3> o 0 o (8,64):(64,1)' '(8,64):(64,1)'
expect 1 "~different: at index [1,0]: offsets 72 and 64" equiv 'Sw<3,3,3> o _0 o (_8,_64):(_64,_1)' '(8,64):(64,1)'
expect 1 "~448 of 512 points differ" diff 'Sw<3,3,3> o 0 o (8,64):(64,1)' '(8,64):(64,1)' --limit 1
# Swizzles and memrefs in every command for layouts.
swizzled='Sw<3,3,3> o 0 o (8,64):(64,1)'
expect 0 '[1,0]' layout "$swizzled" --offset 72
expect 2 '~offset 512 is outside the 512 slots (0 to 511)' layout "$swizzled" --offset 512
expect 0 "$swizzled"'
element [1,0]
  mode 0: 1 has the digits (1) of (8), strides (64)
  mode 1: 0 has the digits (0) of (64), strides (1)
  before swizzle  64
  offset          72 elements' explain "$swizzled" --offset 72
expect 0 "~proven" prove "$swizzled" 'Sw<2,0,-3> o 5 o ((4,2),8):((8,64),1)'
expect 0 "~the words of the swizzle are its bits and their own inverse" prove "$swizzled"
expect 1 "~impossible in xla: the offset is not a sum over the dimensions: at [4,44] it is 268, but the coordinates one at a time give 332" \
  layout --as xla "$swizzled"
expect 0 "~equal: the same offset for every index" layout --as mlir "$swizzled"
expect 0 $'(4,8):(1,4)\nequal: the same offset for every index' layout --as cute 'memref<4x8xf32, strided<[1, 4]>>'
expect 0 $'memref<4x8xbf16, strided<[1, 4]>>\nequal: the same offset for every index' layout --as mlir 'bf16[4,8]{0,1}'
expect 0 $'memref<2x3xi32>\nequal: the same offset for every index' layout --as mlir 's32[2,3]{1,0}'
expect 0 "~memref<16x256xf32, affine_map<(d0, d1) -> ((d0 floordiv 8) * 2048 + (d1 floordiv 128) * 1024 + (d0 mod 8) * 128 + d1 mod 128)>>" \
  layout --as mlir 'f32[16,256]{1,0:T(8,128)}'
expect 0 $'f32[16,256]{1,0:T(8,128)}\nequal: the same offset for every index' layout --as xla "$tiles"
expect 0 "~equal to f32[16,256]{1,0:T(8,128)}, where the closed form is the definition" prove "$tiles"
expect 0 "~element [3,5]" explain "$tiles" --offset 389
expect 1 "~the first element has offset 3, not 0" layout --as xla 'memref<2x3xf32, strided<[3, 1], offset: 3>>'
expect 0 "~<svg" layout --svg - "$swizzled"
expect 0 "~<svg" layout --svg - "$tiles"
expect 0 "~copy runs of 128 elements" relayout "$tiles" 'f32[16,256]{1,0}'
expect 0 $'compute the offsets of each element\n2048 bytes to 2048 bytes' relayout 'Sw<3,3,3> o 0 o (8,64):(64,1)' '(8,64):(64,1)'
for engine in spec impl; do
  expect 0 '((2,3),(5,4)):((5,10),(1,30))' algebra --engine $engine blocked_product '(2,5):(5,1)' '(3,4):(1,3)'
  expect 0 "~((16,128),(1,1)):((128,1),(0,0))" algebra --engine $engine zipped_divide '(8,128):(128,1)' '<16:1,128:1>'
  expect 0 "~note: the tiles do not divide the layout: the result has 2048 coordinates, the layout has 1024" algebra --engine $engine zipped_divide '(8,128):(128,1)' '<16:1,128:1>'
done
expect 0 '(4,2):(1,4)' algebra logical_divide 8:1 4:1
expect 0 '8000000 elements
  result 0: 0 to 9998999, 8000000 of them' image '(d0, d1) -> (d0 * 5000 + d1), domain: d0 in [0, 1999], d1 in [0, 3999]'
expect 0 '((3,2),(4,5)):((10,5),(30,1))' algebra raked_product '(2,5):(5,1)' '(3,4):(1,3)'
expect 0 '((3,2),(4,5)):((10,5),(30,1))' algebra --engine spec raked_product '(2,5):(5,1)' '(3,4):(1,3)'
# CuTe's tilers: a layout for each mode, or the tuple of their sizes.
for engine in spec impl; do
  expect 0 '(3,(2,4)):(236,(26,1))' algebra --engine $engine composition '(12,(4,8)):(59,(13,1))' '<3:4,8:2>'
  expect 0 '(3,(4,2)):(59,(13,1))' algebra --engine $engine composition '(12,(4,8)):(59,(13,1))' '(3,8)'
  expect 2 "~composition: expected 2 tilers, one for each mode, found 1" algebra --engine $engine composition '(12,(4,8)):(59,(13,1))' '<3:4>'
done
# Operations that others make up, with and without a swizzle. CuTe's documentation has the first ones.
for engine in spec impl; do
  expect 0 '(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))' algebra --engine $engine flat_divide '(9,(4,8)):(59,(13,1))' '<3:3,(2,4):(1,8)>'
  expect 0 '((2,2),(2,3)):((4,1),(2,8))' algebra --engine $engine zipped_product '(2,2):(4,1)' '6:1'
  expect 0 '((2,2),2,3):((4,1),2,8)' algebra --engine $engine tiled_product '(2,2):(4,1)' '6:1'
  expect 0 '(2,2,2,3):(4,1,2,8)' algebra --engine $engine flat_product '(2,2):(4,1)' '6:1'
  expect 0 '((2,2),(4,2)):((4,8),(1,16))' algebra --engine $engine tile_to_shape '(2,4):(4,1)' '(4,8)'
  expect 0 '((2,2),(4,2)):((4,16),(1,8))' algebra --engine $engine tile_to_shape '(2,4):(4,1)' '(4,8)' '(2,1)'
  expect 0 'Sw<3,3,3> o 0 o ((8,2),(64,2)):((64,512),(1,1024))' algebra --engine $engine tile_to_shape 'Sw<3,3,3> o 0 o (8,64):(64,1)' '(16,128)'
  expect 0 'Sw<3,3,3> o 0 o (8,8):(1,64)' algebra --engine $engine composition 'Sw<3,3,3> o 0 o (64,8):(1,64)' '<8:1,8:1>'
  expect 0 'Sw<3,3,3> o 5 o (8):(64)' algebra --engine $engine slice 'Sw<3,3,3> o 0 o (8,64):(64,1)' '(_,5)'
  expect 0 '12:1' algebra --engine $engine coalesce '(2,(1,6)):(1,(6,2))'
  expect 0 '(2,4,8):(1,16,2)' algebra --engine $engine flatten '((2,4),8):((1,16),2)'
  expect 0 '(8,2):(1,16)' algebra --engine $engine filter '((2,4),(8,2)):((1,2),(0,16))'
  expect 0 '1:0' algebra --engine $engine filter '(4,8):(0,0)'
  expect 0 'Sw<3,3,3> o 0 o (8,64):(64,1)' algebra --engine $engine composition 'Sw<3,3,3>' '(8,64):(64,1)'
  expect 0 '(2,6):(1,2)' algebra --engine $engine coalesce '(2,(1,6)):(1,(6,2))' '(1,1)'
  expect 0 '(4,8):(1,4)' algebra --engine $engine upcast '(16,8):(1,16)' 4
  expect 0 '(16,8):(1,16)' algebra --engine $engine downcast '(4,8):(1,4)' 4
  expect 0 '(8,8):(1,8)' algebra --engine $engine recast '(4,8):(1,4)' 32 16
  expect 2 "~recast: a mode 3:1 is not of whole elements 2 times as large" algebra --engine $engine recast '(3,8):(1,4)' 16 32
  expect 0 '4:1' algebra --engine $engine max_common_layout '(4,8):(1,4)' '(4,8):(1,8)'
  expect 0 '4:1' algebra --engine $engine max_common_vector '(4,8):(1,4)' '(4,8):(1,8)'
done
# Other shapes of one size: functions of one integer.
expect 0 '~equal' equiv '(2,(1,6)):(1,(6,2))' 12:1
expect 1 '~at index [1]: offsets 8 and 1' equiv '(4,8):(8,1)' 32:1
expect 2 '~the logical shapes differ: [4,8] and [31]' equiv '(4,8):(8,1)' 31:1
# TVM.
expect 0 '~equal' equiv 'lambda i, j: [T.floordiv(i, 16), tir.bitwise_xor(j, 3), T.shift_right(i, 1) & 7], domain: i in [0, 63], j in [0, 15]' '(i, j) -> (i floordiv 16, j xor 3, (i floordiv 2) mod 8), domain: i in [0, 63], j in [0, 15]'
# Divisors are expressions.
expect 0 '~equal' equiv 'affine_map<(x)[n, m] -> ((x mod (n * m)) floordiv m)>' 'affine_map<(x)[n, m] -> ((x floordiv m) mod n)>'
expect 0 '~equal' equiv '(x)[n] -> (x // -n), domain: x in [0, 99999], n in [1, 9000]' '(x)[n] -> (-CeilDiv(x, n)), domain: x in [0, 99999], n in [1, 9000]'
expect 1 '~different' equiv 'affine_map<(x)[n, m] -> (x floordiv (n + m))>' 'affine_map<(x)[n, m] -> (x floordiv n + x floordiv m)>'
expect 2 "~found s0 - 1 in [0, 8]" simplify '(d0)[s0] -> (d0 mod (s0 - 1)), domain: d0 in [0, 99], s0 in [1, 9]'
# The reason, and no comment that hides nothing.
expect 2 "~expected operands from 0 to 2^62 - 1" evaluate '(x, y) -> (y & x // 4 - 9), domain: x in [0, 12], y in [0, 7]' --at 1,1
expect 2 "~tile_to_shape: expected sizes that the block divides, found 5 for a mode of 2" algebra tile_to_shape '(2,4):(4,1)' '(5,8)'
expect 2 "~right_inverse: operand 1: expected a layout without a swizzle" algebra right_inverse 'Sw<2,0,3> o 0 o (8,8):(8,1)'
expect 0 '3:2' algebra complement '(2,2):(1,6)'
expect 0 '3:2' algebra --engine spec complement '(2,2):(1,6)'
expect 0 "~cosize" layout 'Layout((2, (3, 4)),(1, (2, 6)))'
# The elements of a tile by thread and value, and back: the inverse view.
expect 0 '(d0) -> (((d0 * 129) floordiv 32) mod 32, ((d0 floordiv 8) mod 2) * 2 + (d0 floordiv 16) mod 2), domain: d0 in [0, 127]' inverse '((4,8),(2,2)):((32,1),(16,8))'

# --- What a module wastes -------------------------------------------------------------------------------------------
cat > "$scratch/step.hlo" << 'END'
HloModule jit_step, is_scheduled=true

%fused_computation (param_0: f32[16,4]) -> f32[4,16] {
  %param_0 = f32[16,4]{1,0:T(8,128)} parameter(0)
  %negate.1 = f32[16,4]{1,0:T(8,128)} negate(f32[16,4]{1,0:T(8,128)} %param_0)
  ROOT %transpose.1 = f32[4,16]{1,0:T(4,128)} transpose(f32[16,4]{1,0:T(8,128)} %negate.1), dimensions={1,0}
}

%region_0.5 (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add.1 = f32[] add(f32[] %a, f32[] %b)
}

ENTRY %main (x: f32[16,4], y: bf16[3,1000]) -> (f32[4,16], f32[4]) {
  %x = f32[16,4]{1,0:T(8,128)} parameter(0)
  %y = bf16[3,1000]{1,0:T(4,128)(2,1)} parameter(1)
  %zero = f32[] constant(0)
  %fusion = f32[4,16]{1,0:T(4,128)} fusion(f32[16,4]{1,0:T(8,128)} %x), kind=kLoop, calls=%fused_computation
  %reduce = f32[4]{0:T(128)} reduce(f32[4,16]{1,0:T(4,128)} %fusion, f32[] %zero), dimensions={1}, to_apply=%region_0.5
  ROOT %out = (f32[4,16]{1,0:T(4,128)}, f32[4]{0:T(128)}) tuple(%fusion, %reduce)
}
END
expect 0 '5 buffers: 12416 of 18948 bytes are padding, 65.5%
        7936 of         8192 bytes   96.9%  x: f32[16,4]{1,0:T(8,128)}
      6144 bytes fewer: f32[16,4]{0,1:T(4,128)}, the tiles of tpu
        2192 of         8192 bytes   26.8%  y: bf16[3,1000]{1,0:T(4,128)(2,1)}
  .. and 2 more (--limit)' waste "$scratch/step.hlo" --limit 2
expect 0 '~{"allocated":8192,"computation":"main","instruction":"x","leaf":0,"padding":7936,"percent":96.875,"shape":"f32[16,4]{1,0:T(8,128)}","smaller":{"allocated":2048,"saved":6144,"shape":"f32[16,4]{0,1:T(4,128)}","tiles":"tpu"},"used":256}' \
  waste --json "$scratch/step.hlo"
expect 0 '~{"summary":{"allocated":18948,"buffers":5,"padding":12416,"percent":65.5267,"unsized":[],"used":6532}}' waste --json "$scratch/step.hlo"
# A loop stores what its body stores; the loop itself, tuples and bitcasts store nothing.
expect 0 '~3 buffers: 0 of 49 bytes' waste 'HloModule m
b { q = (f32[6]) parameter(0) e = f32[6] get-tuple-element(q), index=0 n = f32[6] negate(e) ROOT t = (f32[6]) tuple(n) }
c { q = (f32[6]) parameter(0) ROOT k = pred[] custom-call(), custom_call_target="stop" }
ENTRY e { p = f32[6] parameter(0) t = (f32[6]) tuple(p) w = (f32[6]) while(t), condition=c, body=b g = f32[6] get-tuple-element(w), index=0 ROOT r = f32[2,3] bitcast(g) }' --limit 0
expect 0 '5 layouts
     3 x  f32[16,4]{1,0:T(8,128)}: 8192 bytes, 96.9% padding
     3 x  f32[4,16]{1,0:T(4,128)}: 2048 bytes, 87.5% padding
     4 x  f32[]: 4 bytes, 0.0% padding
     1 x  bf16[3,1000]{1,0:T(4,128)(2,1)}: 8192 bytes, 26.8% padding
     2 x  f32[4]{0:T(128)}: 512 bytes, 96.9% padding' layout "$scratch/step.hlo"
expect 0 '~{"allocated":8192,"arrays":3,"padding":7936,"shape":"f32[16,4]{1,0:T(8,128)}"}' layout --json "$scratch/step.hlo"

# --- Layouts of MLIR's dialects: read, or refused ------------------------------------------------------------------
mosaic='memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>'
expect 0 'equal: the same offset for every index' equiv "$mosaic" 'f32[16,256]{1,0:T(8,128)}'
expect 0 'equal: the same offset for every index' equiv 'memref<20x300xbf16, #tpu.tiled<(8,128)(2,1),[3,1]>>' 'bf16[20,300]{1,0:T(8,128)(2,1)}'
expect 0 1 layout "$mosaic" --index 0,1
expect 0 1024 layout "$mosaic" --index 0,128
expect 2 "~column 20: expected a layout that Tileproof knows (strided<..>, affine_map<..>, the name of a map, #tpu.tiled<..>), or a memory space, found '#tpu.foo'" layout 'memref<16x256xf32, #tpu.foo<..>>'
printf 'func.func @f(%%x: memref<4x8xf32, #nomap>)\n' > "$scratch/alias.mlir"
expect 2 "~expected a map that is defined before, found '#nomap'" simplify "$scratch/alias.mlir"
expect 2 "~expected a map that is defined before, found '#nomap'" layout 'memref<4x8xf32, #nomap>'

# --- Modules that are opaque, or wrong: which instruction, in which line -------------------------------------------
printf 'HloModule m\n\nENTRY e {\n  p = f32[4,4] parameter(0)\n  ROOT c = f32[4,4] custom-call(p), custom_call_target="foo"\n}\n' > "$scratch/opaque.hlo"
sed 's/ROOT c/ROOT d/; s/foo/fou/' "$scratch/opaque.hlo" > "$scratch/other.hlo"
expect 0 'result 0: equal' equiv "$scratch/opaque.hlo" "$scratch/opaque.hlo"
expect 3 '~undecided: LEFT c at (0, 0), RIGHT d at (0, 0): at [0, 0] LEFT is custom-call' equiv "$scratch/opaque.hlo" "$scratch/other.hlo"
expect 3 "~undecided: LEFT: custom-call \"foo\": opaque (instruction c, $scratch/opaque.hlo:5:8); more time would not decide it" equiv --reads "$scratch/opaque.hlo" "$scratch/other.hlo"
expect 3 '~"open":"LEFT: custom-call \"foo\": opaque (instruction c, line 5); more time would not decide it"' equiv --reads --json "$(cat "$scratch/opaque.hlo")" "$(cat "$scratch/other.hlo")"
sed 's/f32.4,4. custom-call.*/f32[4,5] transpose(p), dimensions={1,0}/' "$scratch/opaque.hlo" > "$scratch/shape.hlo"
expect 2 "~LEFT: $scratch/shape.hlo:5:8: c: expected" equiv "$scratch/shape.hlo" "$scratch/shape.hlo"
for verb in map utilization; do
  expect 2 "~$verb: $scratch/shape.hlo:5:8: 1 of 2 instructions cannot be analyzed, such as c: " $verb "$scratch/shape.hlo"
done
# The same name in two computations: the one that is wrong.
cat > "$scratch/names.hlo" <<'end'
HloModule m
%f (x: f32[4]) -> f32[4] {
  %x = f32[4] parameter(0)
  ROOT %r = f32[4] negate(%x)
}
g { x = f32[4] parameter(0)
  ROOT r = f32[4] negate(x)
}
ENTRY e { x = f32[4] parameter(0)
  a = f32[4] call(x), to_apply=f
  b = f32[4] call(a), to_apply=g
  ROOT r = f32[5] negate(b)
}
end
for verb in map utilization; do
  expect 2 "~$verb: $scratch/names.hlo:12:8: 1 of 8 instructions cannot be analyzed, such as r: " $verb "$scratch/names.hlo"
done
expect 2 "~tile: more than one instruction 'r'; name the computation, as in f/r" tile "$scratch/names.hlo" --instruction r --tile 0:2
expect 0 '~operand 0, x: ' tile "$scratch/names.hlo" --instruction g/r --tile 0:2
sed 's/g { x = f32.4/g { x = f32[5/' "$scratch/names.hlo" > "$scratch/head.hlo"
expect 2 "~map: $scratch/head.hlo:7:8: 3 of 8 instructions cannot be analyzed, such as r: " map "$scratch/head.hlo"
expect 2 "~RIGHT: $scratch/opcode.hlo:6:38: expected an opcode" equiv "$scratch/jit.hlo" "$scratch/opcode.hlo"
: > "$scratch/empty.hlo"
expect 2 "~map: $scratch/empty.hlo:1:1: expected an HLO module, found end of input" map "$scratch/empty.hlo"
expect 2 "~RIGHT: expected a map, a layout or a module, found an empty file, $scratch/empty.hlo" equiv "$scratch/jit.hlo" "$scratch/empty.hlo"
expect 2 '~diff: LEFT: expected a map or a layout, found a module; to compare modules: tileproof equiv' diff "$scratch/jit.hlo" "$scratch/jit.hlo"
expect 2 '~diff: RIGHT: expected a map or a layout, found an empty text' diff 'f32[3]' "$scratch/empty.hlo"
expect 2 "~map: no opcode 'tranpose'; did you mean 'transpose'?" map "$scratch/jit.hlo" --opcode tranpose
expect 0 'equal: the same results on the same domain (no points: both domains are empty)' equiv '(d0) -> (d0), domain: d0 in [5, 2]' '(d0) -> (d0 + 1), domain: d0 in [5, 2]'
expect 0 'equal: the same results on the same domain (all 10 points compared)' equiv '(d0) -> (d0 mod 16), domain: d0 in [0, 9]' '(d0) -> (d0), domain: d0 in [0, 9]'

# --- Offsets and indices outside -----------------------------------------------------------------------------------
expect 2 '~offset 8192 is outside the 8192 slots (0 to 8191)' layout 'bf16[30,200]{1,0:T(8,128)(2,1)}' --offset 8192
expect 2 '~offset -1 is outside the 64 slots (0 to 63)' layout '(8,8):(8,1)' --offset=-1
for verb in layout explain; do
  expect 2 '~offset 64 is outside the 64 slots (0 to 63)' $verb '(8,8):(8,1)' --offset 64
  expect 2 '~offset 7000 is outside the 6144 slots (0 to 6143)' $verb 'zN:f16[64,96]' --offset 7000
  expect 2 '~offset 32 is outside the 32 slots (0 to 31)' $verb 'memref<4x8xf32>' --offset 32
  expect 2 '~index 64 is outside dimension 0 of size 64' $verb 'zN:f16[64,96]' --index 64,0
done
expect 0 padding layout '(2,3):(8,1)' --offset 7
expect 0 'no element' layout 'memref<4x6xf32, strided<[8, 1]>>' --offset 7
# Layouts of CuTe are functions of all coordinates: past the end they go on.
expect 0 72 layout '(8,8):(8,1)' --index 9,0

# --- Small arrays are drawn ----------------------------------------------------------------------------------------
expect 0 $'~offset of each element\n 0\nelement at each offset, \'.\' is padding\n 0' layout 'f16[]'
expect 0 $'~offset of each element\n[0,0]     0 1\n[0,1]     2 3\n[1,0]     4 5\n[1,1]     6 7\nelement at' layout 'f32[2,2,2]'
expect 0 $'~ 29 30 31\n 32 33 34' layout 'f32[64]'

# --- What was probably meant ---------------------------------------------------------------------------------------
expect 0 '~operand 0, x: (d0, d1) -> (d0 * 3 + d1)' map '%0 = stablehlo.reshape %x : (tensor<6xf32>) -> tensor<2x3xf32>'
expect 0 '~operand 1, b: (d0, d1) -> (d0, d1)' map $'%0 = stablehlo.add %a, %b : tensor<2x3xf32>\n%1 = stablehlo.negate %0 : tensor<2x3xf32>'
expect 2 "~did you mean 'stablehlo.transpose'?" map '%0 = stablehlo.transpse %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>'
expect 2 "~did you mean 'dnnl:nChw16c:..'?" layout 'nChw16c:f32[2,32,5,5]'
expect 2 "~did you mean 'bf16[30,200]{1,0:T(8,128)(2,1)}'?" layout 'bf16[30,200] (8,128)(2,1)'
expect 2 "~did you mean 'bf16'?" layout 'BF16[3,4]'
expect 2 "~did you mean 's8'?" layout 'S8[3,4]'
expect 2 "~did you mean 'f32'?" layout 'FLOAT32[3,4]'

# --- Maps without a domain have that of the other side -----------------------------------------------------------------
expect 1 '~different at i = 1, j = 0: (4) and (8)' equiv '(i, j) -> (i * 4 + j)' 'memref<4x8xf32>'
expect 0 '~note: LEFT has no domain; it is compared on that of the other one' equiv '(i, j) -> (i * 8 + j)' 'f32[4,8]'
expect 0 'equal: the same results on the same domain (identical)' equiv 'f32[4,8]' 'affine_map<(i, j) -> (i * 8 + j)>'
expect 0 'equal: the same results on the same domain (identical)' equiv '(a, b) -> (b, a)' '(i, j) -> (j, i), domain: i in [0, 3], j in [0, 5], i + j in [0, 5]'
expect 1 '~24 of 32 points differ' diff '(i, j) -> (i * 4 + j)' 'memref<4x8xf32>'
expect 0 '(3)' evaluate '(x)[n] -> (x mod n)' --at 7 --ranges 4
expect 2 "~expected 'domain:', found 'domai'; did you mean 'domain'?" equiv '(d0) -> (d0), domai: d0 in [0, 3]' 'f32[4]'
# A variable of one value needs none.
expect 0 '(13, 1)' evaluate 'Fragment([8, 16] -> [4], replicate: 1, thread: 32, forward_thread: _i * 4 + _j // 4, forward_index: [_j % 4])' --at 3,5
# Conditions of C.
expect 0 '~equal' equiv '(x) -> (x < 4 ? x : x < 8 ? x - 4 : (x == 8 ? 0 : 1)), domain: x in [0, 9]' '(x) -> (x % 4), domain: x in [0, 9]'
expect 2 "~expected '?' after a comparison" evaluate '(x) -> (x < 4), domain: x in [0, 9]' --at 3
# Programs in groups, of which the last one is smaller.
grouped='pid // 32 * 8 + (pid % 32) % min(9 - pid // 32 * 8, 8), (pid % 32) // min(9 - pid // 32 * 8, 8)'
expect 0 $'inside: yes, 36 points\none-to-one: yes, 36 points\nonto: yes, 36 elements' check "$grouped, domain: pid in [0, 35]" --inside 9,4 --one-to-one --onto 9,4
echo '{"grid": [36], "semantics": ["parallel"], "operands": [{"name": "c", "kind": "out", "shape": [9, 4], "block": [1, 1], "index_map": "(pid) -> ('"$grouped"')"}]}' > "$scratch/grouped.json"
expect 0 $'inside: yes, 36 blocks, 0 of them partly padding\ncovered: yes\nonce: yes\nraces: none' grid "$scratch/grouped.json"
# A scalar that an index map does not use leaves it known.
sed 's/(pid) ->/(pid){page} ->/' "$scratch/grouped.json" > "$scratch/scalar.json"
expect 0 '~covered: yes' grid "$scratch/scalar.json"
# Vectors begin at multiples of their size.
expect 0 '~note: lane 0 begins at [0,1], no multiple of 16 bytes' banks '(64,72):(72,1)' --type f16 --vector 16 --access '(lane, k) -> (lane, k), domain: lane in [0, 31], k in [0, 7]'
expect 0 $'no conflicts\n  phases: 4 of 1-way; cycles: 4, without conflicts 4' banks '(64,72):(72,1)' --type f16 --vector 16 --access '(lane)[k] -> (lane, k), domain: lane in [0, 31], k in [0, 7]'

# --- Bad lines, also with brackets that stay open, lose no other line ---------------------------------------------------
cat > "$scratch/broken.hlo" << 'END'
HloModule b
ENTRY main {
  a = f32[4,8] parameter(0)
  k = s32[2,2] constant({
    { 1, 2 },
    { 3, 4 }
  })
  b = f32[4,8] foo(a), what={1}
  c = f32[8,4] transpose(a), dimensions={1,0}
  d = f32[8,4] negate(c
  e = f32[8,4 negate(c)
  f = f32[8,4] add(c, d)
  g = f32[4,8] transpose(c), dimensions={1,0
  h = f33[4] negate(g)
  ROOT t = (f32[8,4]) tuple(f)
}
END
for error in "broken.hlo:8:16: expected an opcode, found 'foo'" "broken.hlo:11:3: expected ')' or ',' after an operand, found 'e'" \
  "broken.hlo:17:1: expected '}' to close the computation" "broken.hlo:14:7: expected an element type, found 'f33'" \
  'f = f32[8,4] add(c, d)
  operand 0, c: (d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 3]' '10 instructions: 3 mapped'; do
  expect 2 "~$error" map "$scratch/broken.hlo"
done
expect 2 "~broken.hlo:8:16: expected an opcode, found 'foo'" utilization "$scratch/broken.hlo"
# A call that only looks like such a line is one.
expect 0 '~custom-call "not read: 0": opaque' map 'b = s32[2] custom-call(), custom_call_target="not read: 0"'

exit $failed
