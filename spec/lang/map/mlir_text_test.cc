// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/map/mlir_text.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/memref_text.h"

namespace tileproof {
namespace {

using ::testing::HasSubstr;

std::string offset_of(absl::string_view text) {
  const absl::StatusOr<MemRef> memref = parse_memref(text);
  return memref.ok() ? to_text(memref->map) : std::string(memref.status().message());
}

std::vector<MlirItem> items_of(absl::string_view text) {
  absl::StatusOr<std::vector<MlirItem>> items = find_mlir(text);
  EXPECT_TRUE(items.ok()) << items.status();
  return items.value_or(std::vector<MlirItem>{});
}

// As the body of a loop that is tiled with a size that is not known.
TEST(MlirText, SymbolsThatDivide) {
  const auto items = find_mlir(
      "#tiles = affine_map<(d0)[s0] -> (d0 floordiv s0, d0 mod s0)>\n"
      "#xla = #xla.indexing_map<\"(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 9], s0 in [2, "
      "4]\">\n");
  ASSERT_TRUE(items.ok()) << items.status();
  ASSERT_EQ(items->size(), 2);
  EXPECT_TRUE(is_unbounded((*items)[0].map));
  EXPECT_EQ((*items)[0].map.ranges[0].bounds, (Interval{1, INT64_MAX}));
  EXPECT_EQ(*to_mlir((*items)[0].map, MlirKind::kAffineMap),
            "affine_map<(d0)[s0] -> (d0 floordiv s0, d0 mod s0)>");
  EXPECT_FALSE(is_unbounded((*items)[1].map));
  for (const char* op : {"floordiv", "ceildiv", "mod"}) {
    const auto one = items_of(absl::StrCat("affine_map<(d0)[s0] -> (d0 ", op, " s0)>"));
    ASSERT_EQ(one.size(), 1);
    EXPECT_TRUE(is_unbounded(one[0].map)) << op;
  }
  // Bounds that exclude 0, and bounds that do not.
  for (const char* bounds : {"[1, 4]", "[-4, -1]", "[-4, -2]"}) {
    EXPECT_TRUE(find_mlir(absl::StrCat("#xla.indexing_map<\"(d0)[s0] -> (d0 mod s0), domain: d0 in "
                                       "[0, 9], s0 in ",
                                       bounds, "\">"))
                    .ok())
        << bounds;
  }
  for (const char* bounds : {"[0, 4]", "[-4, 0]", "[-1, 1]"}) {
    EXPECT_FALSE(find_mlir(absl::StrCat("#xla.indexing_map<\"(d0)[s0] -> (d0 mod s0), domain: d0 "
                                        "in [0, 9], s0 in ",
                                        bounds, "\">"))
                     .ok())
        << bounds;
  }
  EXPECT_EQ(find_mlir("#xla = #xla.indexing_map<\"(d0)[s0] -> (d0 mod s0), domain: d0 in [0, 9], "
                      "s0 in [0, 4]\">")
                .status()
                .message(),
            "column 8: expected a divisor whose bounds exclude 0, found s0 in [0, 4]");
  // A memref's layout has no such map.
  EXPECT_FALSE(find_mlir("#l = affine_map<(d0, d1) -> (d0 mod d1)>\nmemref<2x3xf32, #l>").ok());
}

TEST(MemRef, TheDocumentedExamples) {
  EXPECT_EQ(offset_of("memref<4x8xf32>"),
            "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]");
  EXPECT_EQ(offset_of("memref<4x8xf32, strided<[16, 2], offset: 3>>"),
            "(d0, d1) -> (d0 * 16 + d1 * 2 + 3), domain: d0 in [0, 3], d1 in [0, 7]");
  EXPECT_EQ(offset_of("memref<4x8xf32, affine_map<(d0, d1) -> (d1 * 4 + d0)>>"),
            "(d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]");
  EXPECT_EQ(offset_of("memref<16x8xf32, affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>>"),
            "(d0, d1) -> (((d0 floordiv 8) * 8 + d1) * 8 + d0 mod 8), domain: d0 in [0, 15], "
            "d1 in [0, 7]");
}

TEST(MemRef, ATileThatDoesNotDivideIsPadded) {
  EXPECT_EQ(offset_of("memref<3x5xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1 floordiv 2, d0 "
                      "mod 2, d1 mod 2)>>"),
            "(d0, d1) -> ((((d0 floordiv 2) * 3 + d1 floordiv 2) * 2 + d0 mod 2) * 2 + d1 mod 2), "
            "domain: d0 in [0, 2], d1 in [0, 4]");
}

// As MLIR normalizes it to memref<1x4x8xf32>.
TEST(MemRef, ATileThatIsLargerThanTheArrayKeepsItsSize) {
  EXPECT_EQ(offset_of("memref<3x4xf32, affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>>"),
            "(d0, d1) -> (((d0 floordiv 8) * 4 + d1) * 8 + d0 mod 8), domain: d0 in [0, 2], d1 in "
            "[0, 3]");
}

TEST(MemRef, ScalarsEmptyArraysAndMemorySpaces) {
  EXPECT_EQ(offset_of("memref<f32>"), "() -> (0)");
  EXPECT_EQ(offset_of("memref<f32, strided<[], offset: 7>>"), "() -> (7)");
  EXPECT_EQ(offset_of("memref<0x4xi1>"),
            "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, -1], d1 in [0, 3]");
  for (const char* text :
       {"memref<4xf32, 1>", "memref<4xf32, 1 : i32>",
        "memref<4xf32, #gpu.address_space<workgroup>>", "memref<4xf32, \"shared>\">",
        "memref<4xvector<2x8xf32>>", "memref<4xf8E4M3FNUZ>", "memref<4xtf32>", "memref<4xui8, -1>",
        "memref<4xindex>", "memref<4xcomplex<f32>, 3>",
        "memref<4xf32, strided<[1]>, #gpu.address_space<private>>", "memref<4x!llvm.ptr<1>>"}) {
    EXPECT_EQ(offset_of(text), "(d0) -> (d0), domain: d0 in [0, 3]") << text;
  }
}

TEST(MemRef, TheTiledLayoutOfMosaic) {
  EXPECT_EQ(offset_of("memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>"),
            "(d0, d1) -> ((d0 floordiv 8) * 2048 + (d1 floordiv 128) * 1024 + (d0 mod 8) * 128 + "
            "d1 mod 128), domain: d0 in [0, 15], d1 in [0, 255]");
  // bf16: two rows in one word. The tiles of dimension 0 lie four apart.
  EXPECT_EQ(offset_of("memref<2x16x128xbf16, #tpu.tiled<(8,128)(2,1),[16,4,1]>>"),
            "(d0, d1, d2) -> (d0 * 16384 + (d1 floordiv 8) * 4096 + (d2 floordiv 128) * 1024 + "
            "((d1 mod 8) floordiv 2) * 256 + ((d2 mod 128) floordiv 1) * 2 + (d1 mod 8) mod 2 + "
            "(d2 mod 128) mod 1), domain: d0 in [0, 1], d1 in [0, 15], d2 in [0, 127]");
  EXPECT_EQ(offset_of("memref<4x8xf32, #tpu.tiled<,[16,2]>>"),
            "(d0, d1) -> (d0 * 16 + d1 * 2), domain: d0 in [0, 3], d1 in [0, 7]");
  EXPECT_EQ(offset_of("memref<f32, #tpu.tiled<,[]>>"), "() -> (0)");
  EXPECT_THAT(offset_of("memref<8xf32, #tpu.tiled<(8,128),[1]>>"),
              HasSubstr("at most 1 dimensions"));
  EXPECT_THAT(offset_of("memref<8x8xf32, #tpu.tiled<(8,4)(3,1),[1,1]>>"), HasSubstr("divides 8"));
  EXPECT_THAT(offset_of("memref<8x8xf32, #tpu.tiled<(8,4)(2,4,2),[1,1]>>"),
              HasSubstr("within the first tile"));
  EXPECT_THAT(offset_of("memref<8x8xf32, #tpu.tiled<(8,4),[1]>>"), HasSubstr("2 tile strides"));
  EXPECT_THAT(offset_of("memref<8x8xf32, #tpu.tiled<(0,4),[1,1]>>"), HasSubstr("at least 1"));
  EXPECT_THAT(offset_of("memref<8x8xf32, #tpu.tiled<(8,4),[9223372036854775807,1]>>"),
              HasSubstr("fit 64 bits"));
}

// Each of these was read as row-major once.
TEST(MemRef, AnUnknownLayoutIsRefused) {
  const char* known = "expected a layout that Tileproof knows";
  EXPECT_EQ(offset_of("memref<4x8xf32, #tpu.foo<1>>"),
            "column 17: expected a layout that Tileproof knows (strided<..>, affine_map<..>, the "
            "name of a map, #tpu.tiled<..>), or a memory space, found '#tpu.foo'");
  EXPECT_THAT(offset_of("memref<4x8xf32, #tpu.foo<1, 2>, #tpu.memory_space<vmem>>"),
              HasSubstr(known));
  EXPECT_THAT(offset_of("memref<4x8xf32, #gpu.address_space<workgroup>, 3>"), HasSubstr(known));
  EXPECT_THAT(offset_of("memref<4x8xf32, 1, #tpu.memory_space<vmem>>"), HasSubstr("expected '>'"));
  EXPECT_THAT(offset_of("memref<4x8xf32, #nomap>"), HasSubstr("defined before, found '#nomap'"));
}

TEST(MlirText, ANameThatTheFileDoesNotDefineIsRefused) {
  EXPECT_EQ(find_mlir("func.func @f(%x: memref<4xf32,\n  #nomap>)").status().message(),
            "line 2, column 3: expected a map that is defined before, found '#nomap'");
  EXPECT_FALSE(find_mlir("%0 : memref<4xf32, #late>\n#late = affine_map<(d0) -> (d0)>").ok());
  EXPECT_FALSE(find_mlir("#a = #b\n#b = #a\n%0 : memref<4xf32, #a>").ok());
  EXPECT_FALSE(find_mlir("#odd = #my.layout<3>\n%0 : memref<4xf32, #odd>").ok());
  EXPECT_FALSE(find_mlir("#odd = [1]\n%0 : memref<4xf32, #odd>").ok());
  const auto items = items_of(
      "#vmem = #tpu.memory_space<vmem>\n  #one = 1 : i32\n#t = #tpu.tiled<(2),[2]>\n"
      "memref<4xf32, #vmem> memref<4xf32, #one> memref<4xf32, #t, #vmem>");
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(to_text(items[0].map), "(d0) -> (d0), domain: d0 in [0, 3]");
  EXPECT_EQ(to_text(items[1].map), "(d0) -> (d0), domain: d0 in [0, 3]");
  EXPECT_EQ(to_text(items[2].map),
            "(d0) -> ((d0 floordiv 2) * 4 + d0 mod 2), domain: d0 in [0, 3]");
}

TEST(MemRef, EachTypeOfMlirMayBeThatOfTheElements) {
  for (const char* type :
       {"bf16",          "complex<f32>", "f128",       "f16",           "f32",
        "f64",           "f80",          "index",      "memref<2xf32>", "none",
        "tensor<2xf32>", "tf32",         "tuple<f32>", "vector<2xf32>", "i1",
        "si8",           "ui16",         "f8E5M2",     "f6E2M3FN",      "f4E2M1FN"}) {
    EXPECT_EQ(offset_of(absl::StrCat("memref<4x", type, ">")), "(d0) -> (d0), domain: d0 in [0, 3]")
        << type;
  }
  for (const char* none : {"bf17", "i0", "i", "i8x", "f8E5", "f8E5M", "f7E5M2", "f8M5E2", "nones",
                           "f8X5M2", "f8EXM2", "f8E5MX", "x8E5M2"}) {
    EXPECT_NE(offset_of(absl::StrCat("memref<4x", none, ">")), "(d0) -> (d0), domain: d0 in [0, 3]")
        << none;
  }
}

// A type below a byte, or of other bits than bytes, has none that are known.
TEST(MemRef, TypesHaveTheirBits) {
  for (const auto& [type, bits] : {std::pair("f32", 32),
                                   {"bf16", 16},
                                   {"f8E4M3FN", 8},
                                   {"i8", 8},
                                   {"si16", 16},
                                   {"ui32", 32},
                                   {"i1", 0},
                                   {"i7", 0},
                                   {"i12", 0},
                                   {"si4", 0},
                                   {"f4E2M1FN", 0},
                                   {"index", 0},
                                   {"complex<f32>", 0},
                                   {"vector<2xf32>", 0},
                                   {"!f32", 0}}) {
    const absl::StatusOr<MemRef> memref = parse_memref(absl::StrCat("memref<4x", type, ">"));
    ASSERT_TRUE(memref.ok()) << memref.status();
    EXPECT_EQ(memref->element_bits.value_or(0), bits) << type;
  }
}

TEST(MemRef, ConstantsOfALayoutAreFolded) {
  EXPECT_EQ(
      offset_of("memref<8xf32, affine_map<(d0) -> (d0 floordiv (1 + 1), d0 mod (4 * 2 - 6))>>"),
      "(d0) -> ((d0 floordiv 2) * 2 + d0 mod 2), domain: d0 in [0, 7]");
}

TEST(MemRef, DivisionsMayRoundUp) {
  EXPECT_EQ(offset_of("memref<8xf32, affine_map<(d0) -> (d0 ceildiv 2)>>"),
            "(d0) -> (-((-d0) floordiv 2)), domain: d0 in [0, 7]");
}

TEST(MemRef, HasItsTextAndItsType) {
  const absl::StatusOr<MemRef> memref = parse_memref("  memref< 4xvector<2x8xf32>,   1>");
  ASSERT_TRUE(memref.ok()) << memref.status();
  EXPECT_EQ(to_text(*memref), "memref< 4xvector<2x8xf32>, 1>");
  EXPECT_EQ(memref->element_type, "vector<2x8xf32>");
  EXPECT_EQ(parse_memref(std::string(kMaxTextBytes + 1, ' ')).status().message(),
            "column 1: expected a text of at most 16 MiB");
}

// Without elements, strides and layouts do not matter.
TEST(MemRef, OffsetsOfElementsMustFit) {
  const std::string strides = "x4xf32, strided<[9223372036854775807, 9223372036854775807]>>";
  EXPECT_TRUE(parse_memref("memref<0" + strides).ok());
  EXPECT_FALSE(parse_memref("memref<1" + strides).ok());
  EXPECT_EQ(offset_of("memref<0xf32, affine_map<(d0) -> (d0 + 5)>>"),
            "(d0) -> (0), domain: d0 in [0, -1]");
  EXPECT_EQ(offset_of("memref<4x8xf32, strided<[1, 4]>>"),
            "(d0, d1) -> (d0 + d1 * 4), domain: d0 in [0, 3], d1 in [0, 7]");
}

TEST(MemRef, LongNamesAreCut) {
  const std::string name(70, 'x'), cut(64, 'x');
  EXPECT_THAT(offset_of("memref<4x" + name + ">"), HasSubstr("found '" + cut + "'"));
  EXPECT_THAT(offset_of("memref<4xf32, " + name + ">"), HasSubstr("found '" + cut + "'"));
  EXPECT_THAT(offset_of("memref<4xf32, #map" + name + ">"),
              HasSubstr("found '#map" + cut.substr(3) + "'"));
  EXPECT_THAT(std::string(find_mlir("#" + name + " = affine_map<() -> ()>\n#" + name +
                                    " = affine_map<() -> ()>")
                              .status()
                              .message()),
              HasSubstr("found '#" + cut + "' again"));
}

TEST(MemRef, UnknownSizesAreErrorsThatNameThePlace) {
  EXPECT_EQ(offset_of("memref<4x?xf32>"),
            "column 10: expected a size that is known, as the offset depends on it, found '?'");
  EXPECT_EQ(offset_of("memref<4xf32, strided<[?]>>"),
            "column 24: expected a stride that is known, found '?'");
  EXPECT_EQ(offset_of("memref<4xf32, strided<[1], offset: ?>>"),
            "column 36: expected an offset that is known, found '?'");
  EXPECT_EQ(offset_of("memref<*xf32>"),
            "column 8: expected a memref whose rank is known, found '*'");
}

TEST(MemRef, UnknownStridesAndOffsetsAreSymbols) {
  const auto with_symbols = [](absl::string_view text) {
    const absl::StatusOr<IndexingMap> map = parse_memref_with_symbols(text);
    return map.ok() ? to_text(*map) : std::string(map.status().message());
  };
  const std::string any = "in [-9223372036854775808, 9223372036854775807]";
  EXPECT_EQ(with_symbols("memref<4xf32, strided<[3], offset: ?>>"),
            "(d0)[s0] -> (d0 * 3 + s0), domain: d0 in [0, 3], s0 " + any);
  EXPECT_EQ(with_symbols("memref<4x8xf32, strided<[?, ?], offset: 7>>"),
            "(d0, d1)[s0, s1] -> (d0 * s0 + d1 * s1 + 7), domain: d0 in [0, 3], d1 in [0, 7], s0 " +
                any + ", s1 " + any);
  EXPECT_EQ(with_symbols("memref<4x?xf32, strided<[?, 1]>>"),
            "column 10: expected a size that is known, as the offset depends on it, found '?'");
}

TEST(MemRef, WrongTextsAreErrors) {
  EXPECT_THAT(offset_of("memref<4xf32, strided<[1, 2]>>"), HasSubstr("expected 1 strides"));
  EXPECT_THAT(offset_of("memref<4xf32"), HasSubstr("expected '>' to close the memref"));
  EXPECT_THAT(offset_of("memref<4xf32, #map>"), HasSubstr("expected a map that is defined before"));
  EXPECT_THAT(offset_of("memref<4xf32, affine_map<(d0, d1) -> (d0)>>"),
              HasSubstr("expected a layout map of 1 dimensions without symbols, found 2"));
  EXPECT_THAT(offset_of("memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>"),
              HasSubstr("1 symbols"));
  EXPECT_THAT(offset_of("memref<4xf32, affine_map<(d0) -> (0, d0 - 1)>>"),
              HasSubstr("expected results of at least 0"));
  for (const char* divides : {"d0 floordiv -2", "d0 mod -2", "d0 ceildiv -2", "3 floordiv -2",
                              "3 mod -2", "d0 * d0", "2 + d0 * d0", "d0 * d0 + 2"}) {
    EXPECT_THAT(offset_of(absl::StrCat("memref<4xf32, affine_map<(d0) -> (", divides, ")>>")),
                HasSubstr("expected sums of dimensions times constants"))
        << divides;
  }
  EXPECT_EQ(offset_of("memref<4"), "column 8: expected a size and 'x', found '4'");
  EXPECT_THAT(offset_of("memref<4294967296x4294967296x4xf32>"), HasSubstr("fits 64 bits"));
  EXPECT_THAT(offset_of("memref<4xf32, strided<[9223372036854775807]>>"), HasSubstr("fit 64 bits"));
  EXPECT_THAT(offset_of("memref<99999999999999999999xf32>"), HasSubstr("64 signed bits"));
  EXPECT_THAT(offset_of("memref<4>"), HasSubstr("expected a size and 'x'"));
  EXPECT_THAT(offset_of("memref<4xf32> x"), HasSubstr("expected the end"));
  EXPECT_EQ(offset_of("memref<4xf33>"),
            "column 10: expected an element type of MLIR, found 'f33'; did you mean 'f32'?");
  EXPECT_THAT(offset_of("memref<4xi032>"), HasSubstr("expected an element type of MLIR"));
  EXPECT_THAT(offset_of("memref<4xf32 3>"), HasSubstr("expected '>' to close the memref"));
  EXPECT_THAT(offset_of("memref<4xf32, strided<[1]> 3>"), HasSubstr("expected '>' to close"));
  EXPECT_THAT(offset_of("memref<4xf32, strided<[1]>, shared>"), HasSubstr("a memory space"));
  EXPECT_EQ(offset_of("memref<4xf32, ;>"),
            "column 15: expected strided<..>, affine_map<..> or a memory space, found ';'");
  EXPECT_THAT(offset_of("memref<4xf32, stridde<[1]>>"), HasSubstr("did you mean 'strided'?"));
}

// As mlir-opt prints a module.
constexpr char kModule[] = R"(#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 128, d0 mod 8, d1 mod 128)>
module attributes {note = "no affine_map<here>"} {
  // A comment with affine_map<(broken>.
  func.func @f(%arg0: memref<16x256xf32, #map1>, %arg1: memref<8x128xf32, strided<[256, 1], offset: 4>>) {
    linalg.generic {indexing_maps = [#map, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel"]}
    %c = xla.apply_indexing #xla.indexing_map<"(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 5], s0 in [0, 3]">(%i)[%j]
    return
  }
}
)";

TEST(Mlir, FindsMapsAndMemrefsOfAWholeFile) {
  const std::vector<MlirItem> items = items_of(kModule);
  ASSERT_EQ(items.size(), 6);
  EXPECT_EQ(items[0].name, "map");
  EXPECT_EQ(items[0].text, "affine_map<(d0, d1) -> (d1, d0)>");
  EXPECT_TRUE(is_unbounded(items[0].map));
  EXPECT_EQ(items[1].name, "map1");
  EXPECT_EQ(items[2].kind, MlirKind::kMemRef);
  EXPECT_EQ(items[2].line, 5);
  EXPECT_EQ(to_text(items[2].map),
            "(d0, d1) -> ((((d0 floordiv 8) * 2 + d1 floordiv 128) * 8 + d0 mod 8) * 128 + d1 mod "
            "128), domain: d0 in [0, 15], d1 in [0, 255]");
  EXPECT_EQ(items[3].text, "memref<8x128xf32, strided<[256, 1], offset: 4>>");
  EXPECT_EQ(items[4].name, "");
  EXPECT_EQ(items[5].kind, MlirKind::kIndexingMap);
  EXPECT_EQ(items[5].line, 7);
  EXPECT_EQ(to_text(items[5].map), "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 5], s0 in [0, 3]");
}

TEST(Mlir, AMemrefOfUnknownSizeHasNoMap) {
  const std::vector<MlirItem> items = items_of(
      "func.func @f(%a: memref<?x8xf32, affine_map<(d0, d1) -> (d1, d0)>, \">\">,\n"
      "%b: memref<8xf32, strided<[1], offset: ?>>, %c: memref<*xf32>, %d: memref<8xf32>)");
  ASSERT_EQ(items.size(), 4);
  EXPECT_EQ(items[0].text, "memref<?x8xf32, affine_map<(d0, d1) -> (d1, d0)>, \">\">");
  EXPECT_EQ(items[1].text, "memref<8xf32, strided<[1], offset: ?>>");
  EXPECT_EQ(items[1].line, 2);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(items[i].is_dynamic);
  EXPECT_FALSE(items[3].is_dynamic);
  EXPECT_EQ(to_text(items[3].map), "(d0) -> (d0), domain: d0 in [0, 7]");
}

// As tests of XLA check what was printed.
TEST(Mlir, ReadsLinesOfTests) {
  const std::vector<MlirItem> items = items_of(R"(
// CHECK-DAG: #[[$MAP:.*]] = #xla.indexing_map<"(bl_x) -> (bl_x * 2),
// CHECK-SAME: domain: bl_x in [0, 3]">
// CHECK: #[[MAP1]] = #xla_gpu.indexing_map<(d0) -> (d0), domain: d0 in [0, 7]>
// RUN: xla-opt %s | FileCheck %s
// a comment: affine_map<(d0) -> (d0)>
)");
  ASSERT_EQ(items.size(), 2);
  EXPECT_EQ(items[0].name, "MAP");
  EXPECT_EQ(to_text(items[0].map), "(bl_x) -> (bl_x * 2), domain: bl_x in [0, 3]");
  EXPECT_EQ(items[1].name, "MAP1");
  EXPECT_EQ(items[1].line, 4);
}

// A text may begin with a map, and end in or right behind a comment.
TEST(Mlir, ReadsToTheEndsOfTheText) {
  for (const char* text : {"affine_map<(d0) -> (d0)>", " affine_map<(d0) -> (d0)>",
                           "= affine_map<(d0) -> (d0)>", "affine_map<(d0) -> (d0)> //",
                           "affine_map<(d0) -> (d0)> // ", "affine_map<(d0) -> (d0)> // CHECK",
                           "affine_map<(d0) -> (d0)> // CHECK:", "affine_map<(d0) -> (d0)> \"",
                           "affine_map<(d0) -> (d0)> \"a\\",
                           "x = \"\\\"\" // affine_map<(broken>\naffine_map<(d0) -> (d0)>"}) {
    const std::vector<MlirItem> items = items_of(text);
    ASSERT_EQ(items.size(), 1) << text;
    EXPECT_EQ(items[0].name, "") << text;
    EXPECT_EQ(to_text(items[0].map).substr(0, 12), "(d0) -> (d0)") << text;
  }
}

// What begins a string, a comment or a map right behind another one of them.
TEST(Mlir, StringsCommentsAndWordsMayTouch) {
  const std::string map = "affine_map<(d0) -> (d0)>";
  for (const std::string before :
       {"// CHECK:\"// affine_map<(broken>\" ", "// c\n\"// affine_map<(broken>\" ",
        "\"a // affine_map<(broken>\" ", "\\\"// affine_map<(broken>\" ", "\"a\nb\" ",
        "x-affine_map<(broken> ", "x_affine_map<(broken> ", "x.affine_map<(broken> ",
        "$affine_map<(broken> ", "9affine_map<(broken> ", "x = ", "y xx = ", "# = ", "\"a\"",
        "//\tCHECK: ", "// CHECK_DAG: ", "// CHECK1: ", "// 5\" // affine_map<(broken>\n",
        "// a \"\n"}) {
    const std::vector<MlirItem> items = items_of(before + map);
    ASSERT_EQ(items.size(), 1) << before;
    EXPECT_EQ(items[0].name, "") << before;
    EXPECT_EQ(items[0].line, before.find('\n') == std::string::npos ? 1 : 2) << before;
  }
  const std::vector<MlirItem> items = items_of("memref<?xf32, \"a\"> memref<2xf32>");
  ASSERT_EQ(items.size(), 2);
  EXPECT_EQ(items[0].text, "memref<?xf32, \"a\">");
  // The name of a memref is no layout.
  const auto wrong = find_mlir("#a = memref<4xf32, strided<[2]>>\nmemref<4xf32, #a>");
  EXPECT_THAT(std::string(wrong.status().message()),
              HasSubstr("line 2, column 15: expected a layout that Tileproof knows"));
  const std::string comment = " // \"\n" + map + " // affine_map<(broken>\n";
  EXPECT_EQ(items_of(comment + comment).size(), 2);
  EXPECT_EQ(items_of("#[[MAP:.*]]=" + map)[0].name, "MAP");
  EXPECT_TRUE(parse_map("#[[MAP:.*]]=" + map).ok());
}

TEST(Mlir, ErrorsNameLineAndColumn) {
  EXPECT_EQ(find_mlir("x\n#map = affine_map<(d0) -> (d1)>\n").status().message(),
            "line 2, column 28: expected a variable of the map, found 'd1'");
  EXPECT_EQ(find_mlir("#a = affine_map<() -> ()>\n#a = affine_map<() -> ()>").status().message(),
            "line 2, column 6: expected each name once, found '#a' again");
}

TEST(Mlir, AMapMayHaveTheNameOfItsAliasBeforeIt) {
  for (const char* text : {"#map = affine_map<(d0) -> (d0)>", "#map3 = affine_map<(d0) -> (d0)>",
                           "#[[MAP:.*]] = affine_map<(d0) -> (d0)>"}) {
    const absl::StatusOr<IndexingMap> map = parse_map(text);
    ASSERT_TRUE(map.ok()) << text << map.status();
    EXPECT_EQ(*to_mlir(*map, MlirKind::kAffineMap), "affine_map<(d0) -> (d0)>");
  }
  EXPECT_FALSE(parse_map("#map affine_map<(d0) -> (d0)>").ok());
  EXPECT_FALSE(parse_map("#[[ = affine_map<(d0) -> (d0)>").ok());
}

TEST(Mlir, IsPrintedAgain) {
  const IndexingMap map = *parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]");
  EXPECT_EQ(*to_mlir(map, MlirKind::kAffineMap), "affine_map<(d0)[s0] -> (d0 + s0)>");
  EXPECT_EQ(*to_mlir(map, MlirKind::kIndexingMap),
            "#xla.indexing_map<\"(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]\">");
  EXPECT_EQ(*parse_map(*to_mlir(map, MlirKind::kIndexingMap)), map);
  EXPECT_FALSE(is_unbounded(map));
  const IndexingMap constrained =
      *parse_map("(d0) -> (d0), domain: d0 in [0, 3], d0 mod 2 in [0, 0]");
  EXPECT_FALSE(to_mlir(constrained, MlirKind::kAffineMap).ok());
  for (const char* other : {"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 1]"}) {
    EXPECT_FALSE(to_mlir(*parse_map(other), MlirKind::kAffineMap).ok());
  }
  EXPECT_FALSE(to_mlir(no_points(map), MlirKind::kAffineMap).ok());
  EXPECT_FALSE(
      is_unbounded(*parse_map("(d0) -> (d0), domain: d0 in [-9223372036854775808, "
                              "9223372036854775807], d0 mod 2 in [0, 0]")));
  EXPECT_FALSE(is_unbounded(no_points(*parse_map("() -> ()"))));
  EXPECT_EQ(*to_mlir(*parse_map("() -> (5)"), MlirKind::kAffineMap), "affine_map<() -> (5)>");
}

}  // namespace
}  // namespace tileproof
