// tileproof equiv: are two layouts of one logical shape the same function?
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "nlohmann/json.hpp"
#include "spec/lang/shape_text.h"
#include "spec/tiled_layout.h"
#include "verify/layout_proof.h"

namespace tileproof::cli {
namespace {

using verify::Verdict;

struct Options {
  std::string left, right;
  unsigned milliseconds = 30'000;
  bool json = false;
};

int64_t element_bits(const Shape& shape) {
  const int64_t given = layout_of(shape).element_size_in_bits;
  return given != 0 ? given : 8 * byte_width(shape.element_type);
}

// Differences that do not move an element.
std::vector<std::string> notes(const Shape& left, const Shape& right) {
  std::vector<std::string> notes;
  const int64_t of_left = spec::tiled_layout(left)->elements();
  const int64_t of_right = spec::tiled_layout(right)->elements();
  if (of_left != of_right)
    notes.push_back(
        absl::StrCat("the allocations differ: ", of_left, " and ", of_right, " elements"));
  const int64_t space_left = layout_of(left).memory_space;
  const int64_t space_right = layout_of(right).memory_space;
  if (space_left != space_right)
    notes.push_back(absl::StrCat("the memory spaces differ: ", space_left, " and ", space_right));
  return notes;
}

int compare(const Options& options) {
  Shape shapes[2];
  for (int side = 0; side < 2; ++side) {
    const absl::StatusOr<std::string> text =
        read_argument(side == 0 ? options.left : options.right);
    if (!text.ok()) return complain("equiv", text.status());
    absl::StatusOr<Shape> shape = parse_shape(*text);
    if (!shape.ok()) return complain(side == 0 ? "LEFT" : "RIGHT", shape.status());
    shapes[side] = *std::move(shape);
  }
  const auto& [left, right] = shapes;
  verify::ProofSession session;
  session.milliseconds_per_question = options.milliseconds;
  absl::StatusOr<verify::LayoutProof> proof = verify::prove_equal(left, right, session);
  if (!proof.ok()) return complain("equiv", proof.status());
  if (proof->verdict != Verdict::kRefuted && element_bits(left) != element_bits(right)) {
    *proof = {Verdict::kRefuted,
              absl::StrCat("the elements have ", element_bits(left), " and ", element_bits(right),
                           " bits"),
              ""};
  }
  const std::vector<std::string> noted = notes(left, right);
  if (options.json) {
    nlohmann::json json = {{"equal", proof->verdict == Verdict::kProven}, {"notes", noted}};
    if (proof->verdict == Verdict::kUndecided) json["equal"] = nullptr;
    if (proof->verdict == Verdict::kRefuted) json["difference"] = proof->counterexample;
    std::cout << json.dump() << "\n";
  } else {
    switch (proof->verdict) {
      case Verdict::kProven:
        std::cout << "equal: the same offset for every index\n";
        break;
      case Verdict::kRefuted:
        std::cout << "different: " << proof->counterexample << "\n";
        break;
      case Verdict::kUndecided:
        std::cout << "undecided: " << proof->open << "\n";
        break;
    }
    for (const std::string& note : noted) std::cout << "note: " << note << "\n";
  }
  if (proof->verdict == Verdict::kProven) return kHolds;
  return proof->verdict == Verdict::kRefuted ? kCounterexample : kUndecided;
}

}  // namespace

void add_equiv_command(CLI::App& app, int* status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "equiv", "Prove two layouts of one logical shape equal, or show where they differ");
  command->add_option("LEFT", options->left, "a shape; @FILE; - for standard input")->required();
  command->add_option("RIGHT", options->right, "another")->required();
  command->add_option("--timeout", options->milliseconds, "milliseconds for each question")
      ->capture_default_str();
  command->add_flag("--json", options->json, "for machines");
  command->callback([options, status] { *status = compare(*options); });
}

}  // namespace tileproof::cli
