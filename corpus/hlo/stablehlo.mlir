// Modules of StableHLO, as JAX lowers them.
// -----
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
// -----
func.func @main(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> tensor<4x3xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %s = %x) : tensor<i32>, tensor<4x3xf32>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %3 = stablehlo.dynamic_update_slice %s, %2, %i, %c : (tensor<4x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x3xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<4x3xf32>
  }
  return %0#1 : tensor<4x3xf32>
}
// -----
module @m {
  func.func public @main(%arg0: tensor<1x8x8x3xf32>, %arg1: tensor<3x3x3x4xf32>, %arg2: tensor<i32>) -> tensor<1x8x4x4xf32> {
    %0 = "stablehlo.case"(%arg2) ({
      %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x8x4x4xf32>
      stablehlo.return %1 : tensor<1x8x4x4xf32>
    }, {
      %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x8x4x4xf32>
      stablehlo.return %1 : tensor<1x8x4x4xf32>
    }) : (tensor<i32>) -> tensor<1x8x4x4xf32>
    return %0 : tensor<1x8x4x4xf32>
  }
}
// -----
func.func @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
// -----
// Once read as the exchange of a tuple, whose result has each element in place.
func.func @main(%a: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<8x3xf32>) {
  %0 = "stablehlo.all_to_all"(%a) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<4x6xf32>) -> tensor<8x3xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<8x3xf32>
}
// -----
func.func @main(%a: tensor<4x6xf32>, %p: tensor<i1>) -> tensor<4x6xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.reverse %a, dims = [0] : tensor<4x6xf32>
    stablehlo.return %1 : tensor<4x6xf32>
  }, {
    stablehlo.return %a : tensor<4x6xf32>
  }) : (tensor<i1>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
// -----
// More results than fit into memory.
%0:9223372036854775807 = stablehlo.negate %a : tensor<4xf32>
// -----
// As JAX 0.12 prints jax.shard_map.
sdy.mesh @mesh = <["x"=4, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
func.func public @main(%arg0: tensor<8x8xf32>) -> (tensor<8x8xf32> {jax.result_info = "result"}) {
  %c = sdy.sharding_constraint %arg0 <@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %0 = sdy.manual_computation(%c) in_shardings=[<@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x", "y"} (%arg1: tensor<8x2xf32>) {
    %1 = "stablehlo.all_to_all"(%arg1) <{concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    sdy.return %1 : tensor<8x2xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// -----
// Several entries, a composite, a called function that is declared elsewhere.
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func @one(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.add" %a {decomposition = @add, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  check.expect_eq %0, %a : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @add(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @two(%a: tensor<?x4x!quant.uniform<i8:f32, 5.0e-01>, #stablehlo.bounds<8, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<?x4x!quant.uniform<i8:f32, 5.0e-01>, #stablehlo.bounds<8, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  return %0 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
}
