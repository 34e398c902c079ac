// SPDX-License-Identifier: Apache-2.0
// What is taken for a proto, and limits. corpus/readers/protos.txt has protos with what they are in HLO, and
// cli/module_formats_test.sh whole modules.
#include "spec/lang/hlo_proto/hlo_proto.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo_proto/message.h"

namespace tileproof::hlo_proto {
namespace {

// As deep as shapes of HLO text may nest.
TEST(HloProto, MessagesNestToALimit) {
  const auto text = [](int depth) {
    std::string shape = "element_type: F32";
    for (int i = 0; i < depth; ++i)
      shape = absl::StrCat("element_type: TUPLE tuple_shapes { ", shape, " }");
    return parse_text("opcode: 'copy' shape { " + shape + " }", "HloInstructionProto");
  };
  EXPECT_TRUE(text(999).ok());
  EXPECT_FALSE(text(1000).ok());
  // A part with a length: 3 is the shape of an instruction, 4 one of a tuple.
  const auto part = [](char field, const std::string& bytes) {
    std::string length;
    size_t left = bytes.size();
    for (; left >= 128; left >>= 7) length.push_back(static_cast<char>(left % 128 + 128));
    length.push_back(static_cast<char>(left));
    return absl::StrCat(std::string(1, static_cast<char>(field << 3 | 2)), length, bytes);
  };
  const auto binary = [&](int depth) {
    std::string shape;
    for (int i = 0; i < depth; ++i) shape = part(4, shape);
    return parse_binary(part(3, shape), "HloInstructionProto");
  };
  EXPECT_TRUE(binary(999).ok());
  EXPECT_FALSE(binary(1000).ok());
}

// HLO text may begin with words that are fields of a proto.
TEST(HloProto, IsTakenForOneByItsFirstField) {
  for (const char* proto :
       {"hlo_module { name: 'm' }", "hlo_module: <>", "computations { }", "computations: { }",
        "# a comment\n# another\nhlo_module {", "name: 'm' computations { }",
        "entry_computation_name: 'e' computations { }", "HloModule m\x01"}) {
    EXPECT_TRUE(looks_like_proto(proto)) << proto;
  }
  for (const char* other :
       {"HloModule m", "", "# only a comment", "hlo_module", "computations = f32[] add(a, b)",
        "name: 'm'", "name = f32[2] negate(computations)", "title: 'm' computations { }"}) {
    EXPECT_FALSE(looks_like_proto(other)) << other;
  }
}

}  // namespace
}  // namespace tileproof::hlo_proto
