// SPDX-License-Identifier: Apache-2.0
// The corpus: every layout found in real modules, sizes that TPUs logged, answers of oneDNN, past
// findings.
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "gtest/gtest.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/blocked_layout.h"
#include "spec/layout/tiled_layout.h"
#include "verify/compare/layout_compare.h"

namespace tileproof::verify {
namespace {

std::vector<std::string> lines_of(absl::string_view name) {
  std::vector<std::string> lines = project_lines(absl::StrCat("corpus/layouts/", name));
  EXPECT_FALSE(lines.empty()) << name;
  return lines;
}

// Each shape is read, or refused for a known reason. Shapes with a size are compared.
void check_shapes(const std::vector<std::string>& shapes) {
  CaseCounts compared;
  int64_t refused = 0;
  int64_t unbounded = 0;
  int64_t respelled = 0;
  for (const std::string& text : shapes) {
    const absl::StatusOr<Shape> shape = parse_shape(text);
    if (!shape.ok()) {
      EXPECT_TRUE(absl::StrContains(shape.status().message(), "the array is not sparse"))
          << text << ": " << shape.status();
      ++refused;
      continue;
    }
    const absl::StatusOr<Shape> again = parse_shape(to_text(*shape));
    ASSERT_TRUE(again.ok() && *again == *shape) << text;
    respelled += to_text(*shape) != text ? 1 : 0;
    if (!impl::TiledLayout::create(*shape).ok()) {
      EXPECT_TRUE(absl::StrContains(text, "?")) << text;
      ++unbounded;
      continue;
    }
    Choose choose(Choose::Random{0});
    const absl::Status one = compare_whole(*shape, 1 << 10, 50, choose, compared);
    ASSERT_TRUE(one.ok()) << one.message();
  }
  std::cout << shapes.size() << " shapes: " << to_text(compared) << "; " << respelled
            << " printed differently (white space, D(..), S(0)), " << unbounded << " unbounded, "
            << refused << " not read (physical shape of a sparse array)\n";
  EXPECT_LE(respelled, 60);
  EXPECT_LE(unbounded, 3);
  EXPECT_LE(refused, 1);
  EXPECT_EQ(compared["refused"], 0);
}

TEST(LayoutCorpus, AgreesOnLayoutsOfRealModules) { check_shapes(lines_of("real.txt")); }

TEST(LayoutCorpus, AgreesOnEveryLayoutOfTheSharedFolder) {
  std::vector<std::string> shapes;
  for (absl::string_view name : {"layouts.txt", "tpu_layouts.txt"}) {
    const std::vector<std::string> lines = project_lines(absl::StrCat("../shared/data/", name));
    if (lines.empty()) GTEST_SKIP() << "the optional folder ../shared is absent";
    for (const std::string& line : lines) shapes.push_back(line.substr(0, line.find('\t')));
  }
  check_shapes(shapes);
}

TEST(LayoutCorpus, PastFindingsStayFixed) {
  for (const std::string& text : lines_of("regressions.txt")) {
    const absl::StatusOr<Shape> shape = parse_shape(text);
    if (!shape.ok()) continue;
    Choose choose(Choose::Random{0});
    CaseCounts tally;
    const absl::Status one = compare_whole(*shape, 1 << 14, 200, choose, tally);
    EXPECT_TRUE(one.ok()) << one.message();
  }
}

// Prints a size as allocators do: "570.00M", "2.62G", or plain bytes.
std::string as_logged(int64_t bytes, absl::string_view like) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  if (absl::EndsWith(like, "M")) return absl::StrFormat("%.2fM", mebibytes);
  if (absl::EndsWith(like, "G")) return absl::StrFormat("%.2fG", mebibytes / 1024);
  return absl::StrCat(bytes);
}

TEST(LayoutCorpus, MatchesTheSizesThatTpusLogged) {
  for (const std::string& line : lines_of("allocations.tsv")) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    ASSERT_EQ(fields.size(), 2) << line;
    const Shape shape = *parse_shape(fields[0]);
    EXPECT_EQ(as_logged(impl::TiledLayout::create(shape)->bytes(), fields[1]), fields[1])
        << fields[0];
    EXPECT_EQ(as_logged(spec::tiled_layout(shape)->bytes, fields[1]), fields[1]) << fields[0];
  }
}

TEST(LayoutCorpus, MatchesTheOffsetsOfOneDnn) {
  const auto number = [](absl::string_view text) {
    int64_t value = -1;
    EXPECT_TRUE(absl::SimpleAtoi(text, &value)) << text;
    return value;
  };
  int64_t compared = 0;
  for (const std::string& line : lines_of("onednn.tsv")) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    ASSERT_EQ(fields.size(), 6) << line;
    const Shape shape = *parse_shape(fields[0]);
    const spec::TiledLayout blocked = *spec::blocked_layout(*parse_blocked_shape(fields[5]));
    const spec::TiledLayout reference = *spec::tiled_layout(shape);
    const impl::TiledLayout closed = *impl::TiledLayout::create(shape);
    std::vector<int64_t> index;
    for (absl::string_view part : absl::StrSplit(fields[1], ',')) index.push_back(number(part));
    EXPECT_EQ(*spec::linearize(reference, index), number(fields[2])) << line;
    EXPECT_EQ(*closed.linearize(index), number(fields[2])) << line;
    EXPECT_EQ(*spec::linearize(blocked, index), number(fields[2])) << line;
    EXPECT_EQ(reference.elements(), number(fields[3])) << line;
    EXPECT_EQ(closed.elements(), number(fields[3])) << line;
    EXPECT_EQ(blocked.elements(), number(fields[3])) << line;
    EXPECT_EQ(closed.padding(), number(fields[4])) << line;
    ++compared;
  }
  EXPECT_EQ(compared, 1000);
}

}  // namespace
}  // namespace tileproof::verify
