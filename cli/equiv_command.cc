// tileproof equiv: are two layouts of one logical shape the same function, or two maps equal?
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/equiv_bitcast.h"
#include "cli/text.h"
#include "nlohmann/json.hpp"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::cli {
namespace {

using verify::LayoutFunction;
using verify::Verdict;

struct Options {
  std::string left, right, smtlib;
  unsigned milliseconds = 30'000;
  bool json = false;
  BitcastOptions move;
};

int exit_status(Verdict verdict) {
  if (verdict == Verdict::kProven) return kHolds;
  return verdict == Verdict::kRefuted ? kCounterexample : kUndecided;
}

// ---- Maps ----

// No array shape begins like this, and a tuple has no layout of its own. A nested layout has
// numbers where a map has variables.
bool looks_like_map(absl::string_view text) {
  if (layout_form(text) == LayoutForm::kNested) return false;
  Cursor cursor(text);
  const char first = cursor.peek();
  return first == '(' || first == '#' || cursor.peek_identifier() == "affine_map";
}

nlohmann::json results_json(const absl::StatusOr<std::optional<std::vector<int64_t>>>& results) {
  if (!results.ok()) return {{"error", std::string(results.status().message())}};
  return *results ? nlohmann::json(**results) : nlohmann::json(nullptr);
}

nlohmann::json to_json(const verify::MapEquality& equality) {
  nlohmann::json json = {{"equal", equality.verdict == Verdict::kProven},
                         {"by", std::string(verify::to_text(equality.basis))}};
  if (equality.verdict == Verdict::kUndecided) json["equal"] = nullptr;
  if (equality.difference) {
    const spec::Point& at = equality.difference->at;
    json["at"] = {{"dims", at.dims}, {"ranges", at.ranges}, {"runtime", at.runtime}};
    json["left"] = results_json(equality.difference->left);
    json["right"] = results_json(equality.difference->right);
  }
  return json;
}

verify::EqualOptions limits_of(const Options& options) {
  verify::EqualOptions limits;
  limits.milliseconds = options.milliseconds;
  limits.smtlib_directory = options.smtlib;
  if (!options.smtlib.empty()) {  // the answer must rest on the questions that are written out
    limits.normal_forms = false;
    limits.enumerated = 0;
  }
  return limits;
}

int compare_maps(const std::string (&texts)[2], const Options& options) {
  IndexingMap maps[2];
  for (int side = 0; side < 2; ++side) {
    absl::StatusOr<IndexingMap> map = parse_map(texts[side]);
    if (!map.ok()) return complain(side == 0 ? "LEFT" : "RIGHT", map.status());
    maps[side] = *std::move(map);
  }
  const auto equality = verify::equal(maps[0], maps[1], limits_of(options));
  if (!equality.ok()) return complain("equiv", equality.status());
  if (options.json) {
    std::cout << to_json(*equality).dump() << "\n";
    return exit_status(equality->verdict);
  }
  switch (equality->verdict) {
    case Verdict::kProven:
      std::cout << "equal: the same results on the same domain ("
                << verify::to_text(equality->basis) << ")\n";
      break;
    case Verdict::kRefuted:
      std::cout << "different at " << verify::to_text(maps[0], *equality->difference) << "\n"
                << "  (the results of LEFT and of RIGHT there; \"outside\": not in its domain)\n";
      break;
    case Verdict::kUndecided:
      std::cout << "undecided: " << equality->open << "\n";
      break;
  }
  return exit_status(equality->verdict);
}

// ---- Layouts ----

int compare_layouts(const std::string (&texts)[2], const Options& options) {
  LayoutFunction functions[2];
  for (int side = 0; side < 2; ++side) {
    const char* name = side == 0 ? "LEFT" : "RIGHT";
    const absl::StatusOr<AnyLayout> layout = parse_any_layout(texts[side]);
    if (!layout.ok()) return complain(name, layout.status());
    absl::StatusOr<LayoutFunction> function = verify::layout_function(*layout);
    if (!function.ok()) return complain(name, function.status());
    functions[side] = *std::move(function);
  }
  auto& [left, right] = functions;
  const absl::Status shape = verify::share_shape(left, right);
  if (!shape.ok()) return complain("equiv", shape);
  verify::ProofSession session;
  session.milliseconds_per_question = options.milliseconds;
  session.smtlib_directory = options.smtlib;
  verify::LayoutProof proof = verify::prove_equal(left, right, session);
  if (proof.verdict != Verdict::kRefuted && left.element_bits && right.element_bits &&
      left.element_bits != right.element_bits) {
    proof = {Verdict::kRefuted,
             absl::StrCat("the elements have ", *left.element_bits, " and ", *right.element_bits,
                          " bits"),
             ""};
  }
  const std::vector<std::string> noted = verify::notes(left, right);
  if (options.json) {
    nlohmann::json json = {{"equal", proof.verdict == Verdict::kProven}, {"notes", noted}};
    if (proof.verdict == Verdict::kUndecided) json["equal"] = nullptr;
    if (proof.verdict == Verdict::kRefuted) json["difference"] = proof.counterexample;
    std::cout << json.dump() << "\n";
    return exit_status(proof.verdict);
  }
  switch (proof.verdict) {
    case Verdict::kProven:
      std::cout << "equal: the same offset for every index\n";
      break;
    case Verdict::kRefuted:
      std::cout << "different: " << proof.counterexample << "\n";
      if (absl::StartsWith(proof.counterexample, "at index")) {
        std::cout << "  (where LEFT and RIGHT put that element, counted in elements)\n";
      }
      break;
    case Verdict::kUndecided:
      std::cout << "undecided: " << proof.open << "\n";
      break;
  }
  for (const std::string& note : noted) std::cout << "note: " << note << "\n";
  return exit_status(proof.verdict);
}

int compare(const Options& options) {
  std::string texts[2];
  for (int side = 0; side < 2; ++side) {
    absl::StatusOr<std::string> text = read_argument(side == 0 ? options.left : options.right);
    if (!text.ok()) return complain("equiv", text.status());
    texts[side] = *std::move(text);
  }
  if (options.move.any()) {
    return prove_equiv_bitcast(texts, options.move, limits_of(options), options.json);
  }
  const bool maps[] = {looks_like_map(texts[0]), looks_like_map(texts[1])};
  if (maps[0] != maps[1]) {
    return complain("equiv", absl::InvalidArgumentError(absl::StrCat(
                                 "expected two maps or two layouts, found ",
                                 maps[0] ? "a map and a layout" : "a layout and a map")));
  }
  return maps[0] ? compare_maps(texts, options) : compare_layouts(texts, options);
}

}  // namespace

void add_equiv_command(CLI::App& app, int* status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "equiv",
      "Prove two maps, or two layouts of one logical shape, equal, or show where they differ");
  command->add_option("LEFT", options->left, "a map or a layout; @FILE; - for standard input")
      ->required();
  command->add_option("RIGHT", options->right, "the map or layout to compare with LEFT")
      ->required();
  command
      ->add_option("--timeout", options->milliseconds,
                   "milliseconds for each question (of maps: for all of them)")
      ->capture_default_str();
  command
      ->add_option("--smtlib", options->smtlib,
                   "write each question to the solver into this folder; maps are then decided "
                   "without normal forms and enumeration")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--reshape", options->move.reshape,
                    "is the reshape from LEFT to RIGHT a bitcast, which moves no byte?");
  command->add_option(
      "--transpose", options->move.transpose,
      "is this transpose a bitcast? 1,0: RIGHT's dimension d is LEFT's dimension D[d]");
  command->add_flag("--bitcast", options->move.bitcast,
                    "does every element lie where the other shape has one?");
  command->add_flag("--json", options->json, "for machines");
  command->callback([options, status] { *status = compare(*options); });
}

}  // namespace tileproof::cli
