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

exit $failed
