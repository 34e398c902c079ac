#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Modules in other formats than HLO text: StableHLO as JAX lowers it, HLO protos.
# cli/module_formats_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source "$(dirname "$0")/expect_output.sh"

# jax.jit(f).lower(x, w).as_text() of
#     def f(x, w): return jnp.sum(jnp.pad(x.T[::2], ((1, 0), (0, 2))), axis=1), jnp.flip(w[idx], 0)
cat > "$scratch/jit.mlir" << 'END'
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x6xf32>, %arg1: tensor<4x6xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<3x6xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
    %1 = stablehlo.slice %0 [0:6:2, 0:8] : (tensor<6x8xf32>) -> tensor<3x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %1, %cst, low = [1, 0], high = [0, 2], interior = [0, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<4x10xf32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x10xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = call @_take(%arg1) : (tensor<4x6xf32>) -> tensor<3x6xf32>
    %5 = stablehlo.reverse %4, dims = [0] : tensor<3x6xf32>
    return %3, %5 : tensor<4xf32>, tensor<3x6xf32>
  }
  func.func private @_take(%arg0: tensor<4x6xf32>) -> tensor<3x6xf32> {
    %c = stablehlo.constant dense<[[0], [2], [1]]> : tensor<3x1xi32>
    %0 = "stablehlo.gather"(%arg0, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
    return %0 : tensor<3x6xf32>
  }
}
END
expect 0 '~operand 0, v1: (d0, d1) -> (d0 - 1, d1), domain: d0 in [1, 3], d1 in [0, 7]' map "$scratch/jit.mlir"
expect 0 '~0 refuted, 0 undecided' map --verify "$scratch/jit.mlir"
expect 0 '~verified: 9 proven' map --verify --summary "$scratch/jit.mlir"
expect 0 '~v4' utilization "$scratch/jit.mlir"
expect 0 '~4 x  f32[3,6]: 72 bytes' layout "$scratch/jit.mlir"
sed 's/transpose %/transpsoe %/' "$scratch/jit.mlir" > "$scratch/opcode.mlir"
expect 2 "~$scratch/opcode.mlir:3:10: expected an operation that HLO has, found stablehlo.transpsoe; did you mean 'stablehlo.transpose'?" map "$scratch/opcode.mlir"
sed 's/interior = /interiro = /' "$scratch/jit.mlir" > "$scratch/attribute.mlir"
expect 2 "~$scratch/attribute.mlir:6:10: expected an attribute of pad, found 'interiro'; did you mean 'interior'?" map "$scratch/attribute.mlir"
sed 's/%arg0: tensor<8x6xf32>,/%arg0: tensor<8x6xf23>,/' "$scratch/jit.mlir" > "$scratch/type.mlir"
expect 2 "~expected an element type that XLA has, found 'f23'; did you mean 'f32'?" map "$scratch/type.mlir"
# A computation of HLO may have the name of a module of MLIR.
expect 0 '~operand 0, p: (d0) -> (d0), domain: d0 in [0, 3]' map 'HloModule module
ENTRY %module { p = f32[4] parameter(0) ROOT r = f32[4] negate(p), frontend_attributes={mhlo.x="func.func"} }'
# The same function as HLO text.
cat > "$scratch/jit.hlo" << 'END'
HloModule jit_f
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
ENTRY main {
  a = f32[8,6] parameter(0)
  w = f32[4,6] parameter(1)
  s = f32[8,3] slice(a), slice={[0:8], [0:6:2]}
  t = f32[3,8] transpose(s), dimensions={1,0}
  z = f32[] constant(0)
  p = f32[4,10] pad(t, z), padding=1_0x0_2
  r = f32[4] reduce(p, z), dimensions={1}, to_apply=add
  c = s32[3,1] constant({{1}, {2}, {0}})
  g = f32[3,6] gather(w, c), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}
  ROOT o = (f32[4], f32[3,6]) tuple(r, g)
}
END
expect 0 "~result 0: equal" equiv "$scratch/jit.mlir" "$scratch/jit.hlo"
sed 's/{1}, {2}, {0}/{2}, {1}, {0}/' "$scratch/jit.hlo" > "$scratch/other.hlo"
expect 1 "~different" equiv "$scratch/jit.mlir" "$scratch/other.hlo"

# --- linalg, tensor, affine and memref ---------------------------------------------------------------------------------
cat > "$scratch/rotate.mlir" << 'END'
#map = affine_map<(d0, d1) -> (d0, (d1 + 2) mod 5)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<1x5xf32>) -> tensor<1x5xf32> {
    %0 = tensor.empty() : tensor<1x5xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<1x5xf32>) outs(%0 : tensor<1x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x5xf32>
    return %1 : tensor<1x5xf32>
  }
}
END
cat > "$scratch/rotate.hlo" << 'END'
HloModule rotate
ENTRY main {
  x = f32[1,5] parameter(0)
  a = f32[1,3] slice(x), slice={[0:1],[2:5]}
  b = f32[1,2] slice(x), slice={[0:1],[0:2]}
  ROOT c = f32[1,5] concatenate(a, b), dimensions={1}
}
END
expect 0 '~operand 0, arg0: (d0, d1) -> (0, (d1 + 2) mod 5), domain: d0 in [0, 0], d1 in [0, 4]' map "$scratch/rotate.mlir"
expect 0 '~verified: 1 proven' map --verify --summary "$scratch/rotate.mlir"
expect 0 'result 0: equal' equiv "$scratch/rotate.mlir" "$scratch/rotate.hlo"
sed 's/d1 + 2/d1 + 3/' "$scratch/rotate.mlir" > "$scratch/other.mlir"
expect 1 '~different' equiv "$scratch/other.mlir" "$scratch/rotate.hlo"
expect 0 '~operand 0, arg0: 0:1, 2:3' tile "$scratch/rotate.mlir" --tile 0:1,0:3
# Convolution, product and pooling are what they are in HLO.
cat > "$scratch/named.mlir" << 'END'
func.func @main(%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x4xf32>, %p: tensor<4x6xf32>, %q: tensor<5x6xf32>) -> (tensor<1x3x6x4xf32>, tensor<4x5xf32>, tensor<1x4x4x3xf32>) {
  %cst = arith.constant 0.000000e+00 : f32
  %low = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<1x3x6x4xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3x6x4xf32>) -> tensor<1x3x6x4xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a, %b : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%1 : tensor<1x3x6x4xf32>) -> tensor<1x3x6x4xf32>
  %3 = tensor.empty() : tensor<4x5xf32>
  %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %5 = linalg.matmul_transpose_b ins(%p, %q : tensor<4x6xf32>, tensor<5x6xf32>) outs(%4 : tensor<4x5xf32>) -> tensor<4x5xf32>
  %6 = tensor.empty() : tensor<1x4x4x3xf32>
  %7 = linalg.fill ins(%low : f32) outs(%6 : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %8 = linalg.pooling_nhwc_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%a, %w : tensor<1x8x8x3xf32>, tensor<2x2xf32>) outs(%7 : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %2, %5, %8 : tensor<1x3x6x4xf32>, tensor<4x5xf32>, tensor<1x4x4x3xf32>
}
END
cat > "$scratch/named.hlo" << 'END'
HloModule named
max { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] maximum(x, y) }
ENTRY main {
  a = f32[1,8,8,3] parameter(0)
  b = f32[3,3,3,4] parameter(1)
  p = f32[4,6] parameter(2)
  q = f32[5,6] parameter(3)
  c = f32[1,3,6,4] convolution(a, b), window={size=3x3 stride=2x1}, dim_labels=b01f_01io->b01f
  d = f32[4,5] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  low = f32[] constant(-inf)
  w = f32[1,4,4,3] reduce-window(a, low), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=max
  ROOT r = (f32[1,3,6,4], f32[4,5], f32[1,4,4,3]) tuple(c, d, w)
}
END
expect 0 '~result 2: equal' equiv "$scratch/named.mlir" "$scratch/named.hlo"
# Loops and memory: the order of loops does not matter here, and does in the second pair.
cat > "$scratch/copy.mlir" << 'END'
func.func @f(%a: memref<4x6xf32>, %b: memref<6x4xf32>) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 6 {
      %v = affine.load %a[%i, %j] : memref<4x6xf32>
      affine.store %v, %b[%j, %i] : memref<6x4xf32>
    }
  }
  return
}
END
cat > "$scratch/tiled.mlir" << 'END'
#lower = affine_map<(d0) -> (d0)>
#upper = affine_map<(d0) -> (d0 + 2)>
func.func @f(%a: memref<4x6xf32>, %b: memref<6x4xf32>) {
  affine.for %j = 0 to 6 {
    affine.for %i = 0 to 4 step 2 {
      affine.for %k = #lower(%i) to #upper(%i) {
        %v = affine.load %a[%k, %j] : memref<4x6xf32>
        affine.store %v, %b[%j, %k] : memref<6x4xf32>
      }
    }
  }
  return
}
END
expect 0 'result 0: equal' equiv "$scratch/copy.mlir" "$scratch/tiled.mlir"
expect 0 '~operand 0, b: (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 5]' map "$scratch/copy.mlir"
cat > "$scratch/twice.mlir" << 'END'
func.func @twice(%u: memref<5xf32>, %w: memref<5xf32>) {
  affine.for %k = 2 to 5 {
    %t = affine.load %u[2] : memref<5xf32>
    affine.store %t, %w[%k] : memref<5xf32>
  }
  affine.for %k = 2 to 5 {
    %t = affine.load %w[%k] : memref<5xf32>
    affine.store %t, %u[%k] : memref<5xf32>
  }
  return
}
END
awk 'NR==1 || NR==10 || NR==11 {print; next} NR>=6 && NR<=9 {print} NR>=2 && NR<=5 {held = held $0 "\n"} NR==9 {printf "%s", held}' "$scratch/twice.mlir" > "$scratch/swapped.mlir"
expect 1 '~result 0: different at [2]' equiv "$scratch/twice.mlir" "$scratch/swapped.mlir"
# A memref that is transposed by its layout, and by its sizes: the indices of the load must change, too.
cat > "$scratch/layout.mlir" << 'END'
#swap = affine_map<(a, b) -> (b, a)>
func.func @pick(%i: index, %j: index) -> f32 {
  %buf = memref.alloc() : memref<7x5xf32, #swap>
  %v = memref.load %buf[%i, %j] : memref<7x5xf32, #swap>
  return %v : f32
}
END
cat > "$scratch/sizes.mlir" << 'END'
func.func @pick(%i: index, %j: index) -> f32 {
  %buf = memref.alloc() : memref<5x7xf32>
  %v = memref.load %buf[%i, %j] : memref<5x7xf32>
  return %v : f32
}
END
expect 0 '~operand 0, buf: (d0, d1) -> (d1 * 7 + d0), domain: d0 in [0, 6], d1 in [0, 4]' map "$scratch/layout.mlir"
expect 1 '~result 0: different' equiv "$scratch/layout.mlir" "$scratch/sizes.mlir"
# One of several functions.
cat "$scratch/sizes.mlir" > "$scratch/several.mlir"
sed 's/@pick/@other/' "$scratch/layout.mlir" >> "$scratch/several.mlir"
expect 2 '~expected one module, found 2' equiv "$scratch/several.mlir" "$scratch/sizes.mlir"
expect 0 'result 0: equal' equiv "$scratch/several.mlir#pick" "$scratch/sizes.mlir"
expect 0 'result 0: equal' equiv "@$scratch/several.mlir#other" "$scratch/layout.mlir"
expect 2 '~no map #third in the file' map "$scratch/several.mlir#third"
# What is not read is named; map goes on without it.
cat > "$scratch/unread.mlir" << 'END'
func.func @f(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = arith.addf %a, %a : tensor<4x6xf32>
  %1 = vector.outerproduct {kind = #vector.kind<add>} %0, %0 : tensor<4x6xf32>
  %2 = arith.addf %1, %a : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
END
expect 2 "~$scratch/unread.mlir:3:8: operation 'vector.outerproduct' of the dialect vector is not read; 2 others were" equiv "$scratch/unread.mlir" "$scratch/unread.mlir"
expect 2 '~operand 1, a: (d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 5]' map "$scratch/unread.mlir"
expect 0 '~note: not known to XLA, and kept: opcode vector.outerproduct' map --allow-unknown "$scratch/unread.mlir"

# --- HLO protos -------------------------------------------------------------------------------------------------------
# An HloModuleProto as jax.jit(f).lower(..).compiler_ir('hlo').as_serialized_hlo_module_proto() returns it: a convolution.
base64 -d > "$scratch/conv.pb" << 'END'
CghqaXRfY29udhIGbWFpbi4xGrEDCgZtYWluLjESPQoDYS4xEglwYXJhbWV0ZXIaGRALGgQBCAgDKgkKBAMCAQCAAQEyBAAAAAA6AxIBYZgCgYCAgBCiBACS
BQASPwoDay4xEglwYXJhbWV0ZXIaGRALGgQDAwMEKgkKBAMCAQCAAQEyBAAAAAA6AxIBa0gBmAKCgICAEKIEAJIFABLBAQoWY29udl9nZW5lcmFsX2RpbGF0
ZWQuMRILY29udm9sdXRpb24aGRALGgQBCAQEKgkKBAMCAQCAAQEyBAAAAAA6IhIeaml0KGNvbnYpL2NvbnZfZ2VuZXJhbF9kaWxhdGVkeAN6GgoMCAMQARgB
IAEoATABCgoIAxACIAEoATABggEUGAIgAzICAAFAA1ADWgIBAmICAQKYAoOAgIAQogIKgYCAgBCCgICAEJADAZoDBAoCAADQAwGiBACSBQCSBgAiWwoZEAsa
BAEICAMqCQoEAwIBAIABATIEAAAAAAoZEAsaBAMDAwQqCQoEAwIBAIABATIEAAAAABIZEAsaBAEIBAQqCQoEAwIBAIABATIEAAAAABoDYS4xGgNrLjEoATCD
gICAECJZChkQCxoEAQgIAyoJCgQDAgEAgAEBMgQAAAAAChkQCxoEAwMDBCoJCgQDAgEAgAEBMgQAAAAAEhkQCxoEAQgEBCoJCgQDAgEAgAEBMgQAAAAAGgJw
MBoCcDEoEjABQgCKAVkKBzxzdGRpbj4KCDxzdHJpbmc+Egg8bW9kdWxlPhIEY29udhoICAEQARgFKAUaDAgCEAEYFCARKBQwTRoMCAIQAhgTIBYoEzBpIgII
ASIECAIQASIECAMQApIBAJoBAA==
END
expect 0 "~convolution(a.1, k.1)" map "$scratch/conv.pb"
expect 0 "~verified: 1 proven" map --verify --summary "$scratch/conv.pb"
head -c 300 "$scratch/conv.pb" > "$scratch/cut.pb"
expect 2 "~expected" map "$scratch/cut.pb"
cat > "$scratch/jit.pbtxt" << 'END'
# An HloProto as text.
hlo_module {
  name: "jit_f"
  entry_computation_name: "main"
  computations {
    name: "main"
    instructions { name: "x" opcode: "parameter" id: 1 shape { element_type: F32 dimensions: 4 dimensions: 6
      layout { minor_to_major: 1 minor_to_major: 0 tiles { dimensions: 8 dimensions: 128 } } } metadata { op_name: "x" } }
    instructions { name: "i" opcode: "constant" id: 2 shape { element_type: S32 dimensions: [3, 1] }
      literal { shape { element_type: S32 dimensions: [3, 1] } s32s: 0 s32s: 2 s32s: 1 } }
    instructions { name: "g" opcode: "gather" id: 3 operand_ids: [1, 2] shape { element_type: F32 dimensions: [3, 6] }
      gather_dimension_numbers { offset_dims: 1 collapsed_slice_dims: 0 start_index_map: 0 index_vector_dim: 1 }
      gather_slice_sizes: 1 gather_slice_sizes: 6 }
    instructions { name: "r" opcode: "reverse" id: 4 operand_ids: 3 dimensions: 0 shape { element_type: F32 dimensions: [3, 6] } }
    id: 7
    root_id: 4
  }
  entry_computation_id: 7
}
END
expect 0 "~f32[4,6]{1,0:T(8,128)}: 4096 bytes" layout "$scratch/jit.pbtxt"
expect 0 "~ROOT r = f32[3,6] reverse(g)" map "$scratch/jit.pbtxt"
expect 0 "~verified: 2 proven" map --verify --summary "$scratch/jit.pbtxt"
cat > "$scratch/take.hlo" << 'END'
HloModule take
ENTRY main {
  w = f32[4,6] parameter(0)
  c = s32[3,1] constant({{1}, {2}, {0}})
  ROOT g = f32[3,6] gather(w, c), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}
}
END
expect 0 "~result 0: equal" equiv "$scratch/jit.pbtxt" "$scratch/take.hlo"
# A constant of four bits was read as 0.
# What an operation computes depends on all of its fields: FFT and IFFT were equal.
cat > "$scratch/fft.pbtxt" << 'END'
computations {
  name: "main" id: 1 root_id: 2
  instructions { name: "x" opcode: "parameter" id: 1 shape { element_type: C64 dimensions: 8 } }
  instructions { name: "f" opcode: "fft" id: 2 operand_ids: 1 shape { element_type: C64 dimensions: 8 } fft_type: FFT fft_length: 8 }
}
entry_computation_id: 1
END
sed 's/fft_type: FFT/fft_type: IFFT/' "$scratch/fft.pbtxt" > "$scratch/ifft.pbtxt"
expect 3 "~undecided" equiv "$scratch/fft.pbtxt" "$scratch/ifft.pbtxt"
expect 0 "~result 0: equal" equiv "$scratch/fft.pbtxt" 'f = c64[8] fft(c64[8] x), fft_type=FFT, fft_length={8}'
# A field that nobody knows may say anything.
expect 2 "~f: expected an attribute of fft, found 'fft_kind'" equiv "$scratch/fft.pbtxt" - < <(sed 's/fft_type: FFT/& fft_kind: 2/' "$scratch/fft.pbtxt")
cat > "$scratch/narrow.pbtxt" << 'END'
name: "narrow" entry_computation_id: 1
computations { name: "main" id: 1 root_id: 3
  instructions { name: "p" opcode: "parameter" id: 1 shape { element_type: F32 dimensions: 10 } }
  instructions { name: "c" opcode: "constant" id: 2 shape { element_type: S4 } literal { s4s: "\003" } }
  instructions { name: "d" opcode: "dynamic-slice" id: 3 operand_ids: [1, 2] dynamic_slice_sizes: 2 shape { element_type: F32 dimensions: 2 } } }
END
expect 0 "~result 0: equal" equiv "$scratch/narrow.pbtxt" 's = f32[2] slice(f32[10] p), slice={[3:5]}'
expect 1 "~different" equiv "$scratch/narrow.pbtxt" 's = f32[2] slice(f32[10] p), slice={[0:2]}'
expect 2 "~c: expected the value of a constant of s4" map - < <(sed 's/s4s: .*" }/}/' "$scratch/narrow.pbtxt")
expect 2 "~line 7, column 54: expected a value of id" map - < <(sed 's/id: 1 shape/id: "1" shape/' "$scratch/jit.pbtxt")
expect 2 "~g: expected the id of an operand or a computation, found 9" map - < <(sed 's/operand_ids: \[1, 2\]/operand_ids: [1, 9]/' "$scratch/jit.pbtxt")
expect 2 "~ROOT r: expected an opcode, found 'revrse'; did you mean 'reverse'?" map - < <(sed 's/"reverse"/"revrse"/' "$scratch/jit.pbtxt")

# Loops whose order does not matter are loops in each other.
cat > "$scratch/for.mlir" << 'END'
func.func @f(%x: memref<3x4xf32>, %y: memref<4x3xf32>) {
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i, %j] : memref<3x4xf32>
      affine.store %v, %y[%j, %i] : memref<4x3xf32>
    }
  }
  return
}
END
cat > "$scratch/affine.mlir" << 'END'
func.func @f(%x: memref<3x4xf32>, %y: memref<4x3xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (3, 4) {
    %v = affine.load %x[%i, %j] : memref<3x4xf32>
    affine.store %v, %y[%j, %i] : memref<4x3xf32>
  }
  return
}
END
cat > "$scratch/scf.mlir" << 'END'
func.func @f(%x: memref<3x4xf32>, %y: memref<4x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c3, %c4) step (%c1, %c1) {
    %v = memref.load %x[%i, %j] : memref<3x4xf32>
    memref.store %v, %y[%j, %i] : memref<4x3xf32>
    scf.reduce
  }
  return
}
END
expect 0 "~result 0: equal" equiv "$scratch/for.mlir" "$scratch/affine.mlir"
expect 0 "~result 0: equal" equiv "$scratch/for.mlir" "$scratch/scf.mlir"
expect 1 "~different" equiv "$scratch/affine.mlir" <(sed 's/0, 0) to (3, 4)/0, 0) to (3, 3)/' "$scratch/affine.mlir")
expect 2 "~values that are reduced are not read" map - < <(sed 's/step (%c1, %c1)/& init (%c0)/' "$scratch/scf.mlir")

exit $failed
