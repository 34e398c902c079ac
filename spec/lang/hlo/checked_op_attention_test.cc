// SPDX-License-Identifier: Apache-2.0
// Kernels of attention: what their configs say, and which configs say too little or too much.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/checked_op_testing.h"

namespace tileproof {
namespace {

using ::testing::ElementsAre;

// q is [batch 2, row 4, head 3, depth 5], k [batch, column 6, head, depth], v [batch, head, column,
// depth 7] and the result [batch, head, row, depth of v].
constexpr absl::string_view kKernel =
    R"(r = (f32[2,3,4,7], u8[0]) custom-call(f32[2,4,3,5] q, f32[2,6,3,5] k, f32[2,3,6,7] v), custom_call_target="__cudnn$fmhaSoftmax", backend_config={"cudnn_fmha_backend_config":{"dropout_rate":0,"mask_type":"NO_MASK","sliding_window_length":0,"max_seg_per_batch":1,"is_paged_attention":false,"bmm1_dot_dimension_numbers":{"lhs_contracting_dimensions":["3"],"rhs_contracting_dimensions":["3"],"lhs_batch_dimensions":["0","2"],"rhs_batch_dimensions":["0","2"]},"bmm2_dot_dimension_numbers":{"lhs_contracting_dimensions":["3"],"rhs_contracting_dimensions":["2"],"lhs_batch_dimensions":["0","1"],"rhs_batch_dimensions":["0","1"]}}})";

std::optional<op::Attention> attention_in(const std::string& text) {
  return valid<op::CustomCall>(text).attention;
}

using Changes = std::vector<std::pair<absl::string_view, absl::string_view>>;

// With parts of the text changed; each part is there.
std::optional<op::Attention> changed(const Changes& changes) {
  std::string text(kKernel);
  for (const auto& [from, to] : changes) {
    EXPECT_NE(text.find(std::string(from)), std::string::npos) << from;
    text = absl::StrReplaceAll(text, {{from, to}});
  }
  return attention_in(text);
}

TEST(Attention, HasThePlacesOfItsDimensions) {
  const auto plain = changed({});
  ASSERT_TRUE(plain.has_value());
  EXPECT_THAT(plain->places[0], ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(plain->places[1], ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(plain->places[2], ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(plain->result, ElementsAre(2, 3, 4, 7));
  EXPECT_EQ(plain->columns, 6);
  EXPECT_EQ(plain->depth, 5);
  EXPECT_TRUE(plain->bias.empty());
  EXPECT_FALSE(plain->is_causal);
  const auto causal = changed({{"NO_MASK", "CAUSAL"}});
  ASSERT_TRUE(causal.has_value());
  EXPECT_TRUE(causal->is_causal);
}

TEST(Attention, MayHaveABias) {
  for (const char* bias : {"2,3,4,6", "1,3,4,6", "2,1,1,6", "1,1,1,1"}) {
    const std::string operand = absl::StrCat("f32[2,3,6,7] v, f32[", bias, "] b");
    const auto found = changed({{"f32[2,3,6,7] v", operand}});
    ASSERT_TRUE(found.has_value()) << bias;
    EXPECT_EQ(
        absl::StrCat(found->bias[0], ",", found->bias[1], ",", found->bias[2], ",", found->bias[3]),
        bias);
  }
  for (const char* no_bias : {"3,3,4,6", "2,2,4,6", "2,3,5,6", "2,3,4,5", "2,3,24"}) {
    EXPECT_FALSE(
        changed({{"f32[2,3,6,7] v", absl::StrCat("f32[2,3,6,7] v, f32[", no_bias, "] b")}}))
        << no_bias;
  }
}

TEST(Attention, SizesMustFitTheirRoles) {
  for (const auto& [from, to] : Changes{{"f32[2,6,3,5] k", "f32[1,6,3,5] k"},
                                        {"f32[2,6,3,5] k", "f32[2,6,1,5] k"},
                                        {"f32[2,6,3,5] k", "f32[2,5,3,5] k"},
                                        {"f32[2,6,3,5] k", "f32[2,6,3,4] k"},
                                        {"f32[2,3,6,7] v", "f32[1,3,6,7] v"},
                                        {"f32[2,3,6,7] v", "f32[2,1,6,7] v"},
                                        {"f32[2,3,6,7] v", "f32[2,3,5,7] v"},
                                        {"f32[2,3,6,7] v", "f32[2,3,6,6] v"},
                                        {"f32[2,4,3,5] q", "f32[2,4,15] q"},
                                        {"f32[2,6,3,5] k", "(f32[2,6,3,5], f32[]) k"},
                                        {"f32[2,4,3,5] q, ", ""},
                                        {"v)", "v, f32[1,1,1,1] b, f32[1,1,1,1] c)"},
                                        {"r = (f32[2,3,4,7]", "r = (f32[2,4,3,7]"}}) {
    EXPECT_FALSE(changed({{from, to}})) << to;
  }
}

TEST(Attention, ConfigsMustSayAll) {
  for (const auto& [from, to] : Changes{
           {"\"dropout_rate\":0", "\"dropout_rate\":0.5"},
           {"\"sliding_window_length\":0", "\"sliding_window_length\":2"},
           {"\"max_seg_per_batch\":1", "\"max_seg_per_batch\":2"},
           {"\"is_paged_attention\":false", "\"is_paged_attention\":true"},
           {"NO_MASK", "PADDING"},
           {"\"mask_type\"", "\"mask\""},
           {"cudnn_fmha_backend_config", "other"},
           {"bmm1_dot", "bmm3_dot"},
           {"bmm2_dot", "bmm3_dot"},
           {"[\"0\",\"2\"]", "[\"0\"]"},
           {"[\"0\",\"2\"]", "[\"0\",\"2\",\"1\"]"},
           {"[\"0\",\"2\"]", "[\"0\",\"0\"]"},
           {"[\"0\",\"2\"]", "[\"0\",\"4\"]"},
           {"[\"0\",\"2\"]", "[\"0\",\"-1\"]"},
           {"[\"0\",\"2\"]", "[\"0\",\"x\"]"},
           {"[\"0\",\"2\"]", "\"0\""},
           {"[\"3\"]", "[\"3\",\"1\"]"},
           {"[\"3\"]", "[\"2\"]"},
           {"{\"lhs_contracting_dimensions\":[\"3\"],\"rhs_contracting_dimensions\":[\"2\"]",
            "{\"lhs_contracting_dimensions\":[\"2\"],\"rhs_contracting_dimensions\":[\"2\"]"},
           {"\"lhs_batch_dimensions\":[\"0\",\"1\"]", "\"lhs_batch_dimensions\":[\"1\",\"0\"]"}}) {
    EXPECT_FALSE(changed({{from, to}})) << from << " as " << to;
  }
  // What is absent is plain; numbers may have quotes, or none, and spaces between.
  for (const auto& [from, to] :
       Changes{{"\"dropout_rate\":0,", ""},
               {"\"sliding_window_length\":0,", ""},
               {"\"max_seg_per_batch\":1", "\"max_seg_per_batch\":\"0\""},
               {"\"is_paged_attention\":false,", ""},
               {"[\"0\",\"2\"]", "[ 0, 2 ]"},
               {"\"mask_type\":\"NO_MASK\"", "\"mask_type\" : \"NO_MASK\" "}}) {
    EXPECT_TRUE(changed({{from, to}})) << from << " as " << to;
  }
}

}  // namespace
}  // namespace tileproof
