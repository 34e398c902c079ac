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
// -----
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
func.func @main(%arg0: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %cst = arith.constant 0xFF800000 : f32
  %c0_i32 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.empty() : tensor<4xi32>
  %3 = linalg.fill ins(%c0_i32 : i32) outs(%2 : tensor<4xi32>) -> tensor<4xi32>
  %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x6xf32>) outs(%1, %3 : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%in: f32, %out: f32, %out_0: i32):
    %5 = linalg.index 1 : index
    %6 = arith.index_cast %5 : index to i32
    %7 = arith.maximumf %in, %out : f32
    %8 = arith.cmpf ogt, %in, %out : f32
    %9 = arith.select %8, %6, %out_0 : i32
    linalg.yield %7, %9 : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %4#0, %4#1 : tensor<4xf32>, tensor<4xi32>
}
// -----
#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%t: tensor<10x6xf32>, %i: tensor<4xi64>) -> tensor<4x6xf32> {
  %0 = tensor.empty() : tensor<4x6xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<4xi64>) outs(%0 : tensor<4x6xf32>) {
  ^bb0(%in: i64, %out: f32):
    %2 = arith.index_cast %in : i64 to index
    %3 = linalg.index 1 : index
    %e = tensor.extract %t[%2, %3] : tensor<10x6xf32>
    linalg.yield %e : f32
  } -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
// -----
func.func @main(%a: tensor<1x8x8x3xf32>, %b: tensor<3x3x3x4xf32>) -> tensor<1x3x6x4xf32> {
  %cst = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x3x6x4xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3x6x4xf32>) -> tensor<1x3x6x4xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>} ins(%a, %b : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%1 : tensor<1x3x6x4xf32>) -> tensor<1x3x6x4xf32>
  return %2 : tensor<1x3x6x4xf32>
}
// -----
func.func @f(%a: tensor<4x6xf32>, %i: index) -> (tensor<2x12xf32>, tensor<6x9xf32>, tensor<8x6xf32>, tensor<2x3xf32>, f32, tensor<4x6xf32>) {
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 2, 6] : tensor<4x6xf32> into tensor<2x2x6xf32>
  %c = tensor.collapse_shape %e [[0], [1, 2]] : tensor<2x2x6xf32> into tensor<2x12xf32>
  %cst = arith.constant 1.0 : f32
  %p = tensor.pad %a low[0, 1] high[2, 2] {
  ^bb0(%x: index, %y: index):
    tensor.yield %cst : f32
  } : tensor<4x6xf32> to tensor<6x9xf32>
  %k = tensor.concat dim(0) %a, %a : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %s = tensor.extract_slice %a[%i, 1] [2, 3] [1, 2] : tensor<4x6xf32> to tensor<2x3xf32>
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %f = tensor.extract %a[%c2, %c3] : tensor<4x6xf32>
  %n = tensor.insert_slice %s into %a[1, 0] [2, 3] [1, 2] : tensor<2x3xf32> into tensor<4x6xf32>
  return %c, %p, %k, %s, %f, %n : tensor<2x12xf32>, tensor<6x9xf32>, tensor<8x6xf32>, tensor<2x3xf32>, f32, tensor<4x6xf32>
}
// -----
func.func @main(%a: tensor<13x8xf32>) -> tensor<13x8xf32> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2x4x4xf32>
  %p = linalg.pack %a padding_value(%cst : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<13x8xf32> -> tensor<4x2x4x4xf32>
  %o = tensor.empty() : tensor<13x8xf32>
  %u = linalg.unpack %p outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %o : tensor<4x2x4x4xf32> -> tensor<13x8xf32>
  return %u : tensor<13x8xf32>
}
// -----
func.func @main(%a: tensor<4x6xf32>, %b: tensor<6xf32>, %z: tensor<4xf32>, %e: tensor<4x6xf32>, %et: tensor<6x4xf32>) -> (tensor<4xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x4xf32>, tensor<4x6xf32>) {
  %r = linalg.reduce { arith.addf } ins(%a : tensor<4x6xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  %br = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<4x6xf32>) dimensions = [0]
  %m = linalg.map { arith.addf } ins(%a, %br : tensor<4x6xf32>, tensor<4x6xf32>) outs(%e : tensor<4x6xf32>)
  %t = linalg.transpose ins(%m : tensor<4x6xf32>) outs(%et : tensor<6x4xf32>) permutation = [1, 0]
  %x = linalg.exp ins(%m : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r, %br, %m, %t, %x : tensor<4xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<6x4xf32>, tensor<4x6xf32>
}
// -----
#set = affine_set<(d0) : (d0 - 2 >= 0)>
func.func @f(%u: memref<5xf32>, %w: memref<5xf32>) {
  affine.for %k = 0 to 5 {
    affine.if #set(%k) {
      %t = affine.load %u[%k] : memref<5xf32>
      affine.store %t, %w[%k] : memref<5xf32>
    }
  }
  return
}
// -----
func.func @f(%a: memref<4x6xf32>, %b: memref<6x4xf32>) {
  affine.for %j = 0 to 6 {
    affine.for %i = 0 to 4 step 2 {
      affine.for %k = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 2)>(%i) {
        %v = affine.load %a[%k, %j] : memref<4x6xf32>
        affine.store %v, %b[%j, %k] : memref<6x4xf32>
      }
    }
  }
  return
}
// -----
func.func @f(%A: memref<4x6xf32>, %i: index) -> vector<6xf32> {
  %c0 = arith.constant 0 : index
  %cst = arith.constant 0.0 : f32
  %0 = vector.transfer_read %A[%i, %c0], %cst {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d1)>} : memref<4x6xf32>, vector<6xf32>
  return %0 : vector<6xf32>
}
// -----
#swap = affine_map<(a, b) -> (b, a)>
func.func @pick(%i: index, %j: index) -> f32 {
    %buf = memref.alloc() : memref<7x5xf32, #swap>
    %v = memref.load %buf[%i, %j] : memref<7x5xf32, #swap>
    return %v : f32
}
// -----
func.func @f(%arg0: memref<8x16xf32>) -> memref<4x8xf32, strided<[16, 1], offset: 35>> {
  %s = memref.subview %arg0[2, 3] [4, 8] [1, 1] : memref<8x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 35>>
  return %s : memref<4x8xf32, strided<[16, 1], offset: 35>>
}
// -----
func.func @f(%m: memref<8x16xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c8 step %c2 iter_args(%s = %z) -> (f32) {
    %v = memref.load %m[%i, %c2] : memref<8x16xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %r : f32
}
// -----
func.func @f(%m: memref<4x6xf32>, %p: i1, %v: f32) -> f32 {
  %c = arith.constant 1 : index
  %r = scf.if %p -> (f32) {
    memref.store %v, %m[%c, %c] : memref<4x6xf32>
    scf.yield %v : f32
  } else {
    %o = memref.load %m[%c, %c] : memref<4x6xf32>
    scf.yield %o : f32
  }
  return %r : f32
}
// -----
func.func @f(%m: memref<24xf32>) -> memref<4x6xf32> {
  %a = memref.reinterpret_cast %m to offset: [0], sizes: [4, 6], strides: [6, 1] : memref<24xf32> to memref<4x6xf32>
  %e = memref.expand_shape %m [[0, 1]] output_shape [4, 6] : memref<24xf32> into memref<4x6xf32>
  %c = memref.collapse_shape %e [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  %d = memref.cast %a : memref<4x6xf32> to memref<4x6xf32>
  return %d : memref<4x6xf32>
}
// -----
func.func @f(%a: memref<4x6xf32>, %b: memref<6x5xf32>, %c: memref<4x5xf32>) {
  %t = memref.alloc() : memref<4x5xf32>
  linalg.matmul ins(%a, %b : memref<4x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>)
  memref.copy %c, %t : memref<4x5xf32> to memref<4x5xf32>
  memref.dealloc %t : memref<4x5xf32>
  return
}
// -----
func.func @f(%m: memref<9xf32>, %v: f32, %n: index) {
  affine.for %i = max affine_map<(d0) -> (d0, 2)>(%n) to min affine_map<()[s0] -> (s0, 9)>()[%n] step 2 {
    affine.if affine_set<(d0)[s0] : (d0 - 2 >= 0, -d0 + s0 >= 0)>(%i)[%n] {
      affine.store %v, %m[%i] : memref<9xf32>
    }
    %k = affine.min affine_map<(d0) -> (d0, 4)>(%i)
    %x = affine.load %m[%k] : memref<9xf32>
    affine.store %x, %m[symbol(%n)] : memref<9xf32>
  }
  return
}
// -----
func.func @f(%m: memref<8x16xf32>, %w: tensor<4x4xf32>, %p: f32) -> (vector<4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %v = vector.transfer_read %m[%c4, %c0], %p {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<8x16xf32>, vector<4x4xf32>
  vector.transfer_write %v, %m[%c0, %c4] : vector<4x4xf32>, memref<8x16xf32>
  %r = vector.transfer_write %v, %w[%c0, %c0] : vector<4x4xf32>, tensor<4x4xf32>
  return %v, %r : vector<4x4xf32>, tensor<4x4xf32>
}
// -----
func.func @f(%a: tensor<4x6xf32>, %i: index) -> (tensor<6xf32>, tensor<4x6xf32>, index, tensor<3xindex>) {
  %s:2 = call @g(%a) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  %x = tensor.extract_slice %s#1[%i, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<6xf32>
  %c1 = arith.constant 1 : index
  %d = tensor.dim %a, %c1 : tensor<4x6xf32>
  %f = tensor.from_elements %d, %i, %c1 : tensor<3xindex>
  %g = tensor.generate {
  ^bb0(%p: index, %q: index):
    %k = arith.remui %p, %c1 : index
    %e = tensor.extract %a[%k, %q] : tensor<4x6xf32>
    tensor.yield %e : f32
  } : tensor<4x6xf32>
  return %x, %g, %d, %f : tensor<6xf32>, tensor<4x6xf32>, index, tensor<3xindex>
}
func.func private @g(%a: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  return %a, %a : tensor<4x6xf32>, tensor<4x6xf32>
}
// -----
func.func @f(%a: tensor<1x8x8x3xf32>, %w: tensor<3x3xf32>, %o: tensor<1x6x6x3xf32>, %k: tensor<4x5xi8>, %l: tensor<5x6xi8>, %q: tensor<4x6xi32>) -> (tensor<1x6x6x3xf32>, tensor<4x6xi32>, tensor<4xi32>) {
  %z = arith.constant 0xFF800000 : f32
  %i = linalg.fill ins(%z : f32) outs(%o : tensor<1x6x6x3xf32>) -> tensor<1x6x6x3xf32>
  %p = linalg.pooling_nhwc_max ins(%a, %w : tensor<1x8x8x3xf32>, tensor<3x3xf32>) outs(%i : tensor<1x6x6x3xf32>) -> tensor<1x6x6x3xf32>
  %m = linalg.matmul ins(%k, %l : tensor<4x5xi8>, tensor<5x6xi8>) outs(%q : tensor<4x6xi32>) -> tensor<4x6xi32>
  %e = tensor.empty() : tensor<4xi32>
  %r = linalg.reduce ins(%m : tensor<4x6xi32>) outs(%e : tensor<4xi32>) dimensions = [1] (%in: i32, %init: i32) {
    %s = arith.maxsi %in, %init : i32
    linalg.yield %s : i32
  }
  %c = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] ins(%k, %l : tensor<4x5xi8>, tensor<5x6xi8>) outs(%m : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %p, %c, %r : tensor<1x6x6x3xf32>, tensor<4x6xi32>, tensor<4xi32>
}
// -----
// A comma in a condition ended the program.
func.func @f(%m: memref<9xf32>, %v: f32, %n: index) {
  affine.for %i = max affine_map<(d0) -> (d0, 2)>(%n) to min affine_map<()[s0] -> (s0, 9)>()[%n] step 2 {
    affine.if affine_set<(d0)[s0] : (d0 - 2 >= 0, -d0 + s0 ,>= 0)>(%i)[%n] {
      affine.store %v, %m[%i] : memref<9xf32>
    }
    %k = affine.min affine_map<(d0) -> (d0, 4)>(%i)
    %x = affine.load %m[%k] : memref<9xf32>
    affine.store %x, %m[symbol(%n)] : memref<9xf32>
  }
  return
}
