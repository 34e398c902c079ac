// SPDX-License-Identifier: Apache-2.0
// tileproof prove: runs the proofs and prints a line for each.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "verify/compare/layout_compare.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/prove/layout/coq_layouts.h"
#include "verify/prove/layout/layout_proof.h"
#include "verify/prove/lemmas/lemma_proof.h"

namespace tileproof::cli {
namespace {

using verify::Verdict;
using Clock = std::chrono::steady_clock;

// One line of the report.
struct Proof {
  std::string name;
  std::string statement;
  std::string range;   // the values it was proven for
  std::string solver;  // what proved it
  Verdict verdict = Verdict::kUndecided;
  std::string detail;  // a counterexample, or what is left open
  double seconds = 0;
};

constexpr absl::string_view kNames[] = {"proven", "REFUTED", "undecided"};
absl::string_view name_of(Verdict verdict) { return kNames[static_cast<int>(verdict)]; }

Tone tone_of(Verdict verdict) {
  return verdict == Verdict::kProven    ? Tone::kGood
         : verdict == Verdict::kRefuted ? Tone::kBad
                                        : Tone::kOpen;
}

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Report {
 public:
  explicit Report(bool json) : json_(json) {}

  void add(const Proof& proof) {
    ++counts_[static_cast<int>(proof.verdict)];
    std::string text = absl::StrCat(
        colored(absl::StrFormat("%-10s", name_of(proof.verdict)), tone_of(proof.verdict)),
        absl::StrFormat("%7.3f s  %s", proof.seconds, proof.name));
    for (const std::string& part : {proof.statement, proof.range, proof.solver, proof.detail}) {
      if (!part.empty()) absl::StrAppend(&text, "  |  ", part);
    }
    print({{json_object({{"name", proof.name},
                         {"statement", proof.statement},
                         {"range", proof.range},
                         {"solver", proof.solver},
                         {"verdict", name_of(proof.verdict)},
                         {"detail", proof.detail},
                         {"seconds", json_number(proof.seconds)}})},
           text + "\n"},
          json_);
  }

  // A line of an argument that is not a layout.
  void refuse(int64_t line, const std::string& text, absl::string_view message) const {
    print({{json_object(
               {{"line", line}, {"name", text}, {"verdict", "not a layout"}, {"detail", message}})},
           absl::StrCat("not a layout           line ", line, ": ", text, "  |  ", message, "\n")},
          json_);
  }

  // A summary, with its JSON.
  void summarize(const std::string& lines, const Json& json) const {
    print({{json_object({{"summary", json}})}, lines}, json_);
  }

  // A line for people.
  void note(const std::string& line) const {
    if (!json_) std::cout << line << "\n";
  }

  int status() const {
    if (counts_[1] > 0) return kCounterexample;
    return counts_[2] > 0 ? kUndecided : kHolds;
  }

 private:
  bool json_;
  int64_t counts_[3] = {0, 0, 0};
};

// Every lemma, and the tilings, which follow from them.
absl::Status prove_lemmas(const Command& given, Report& report) {
  ProgressLine progress("lemmas");
  const std::vector<lemmas::LemmaReport> reports = TRY(lemmas::prove_lemmas(
      {.query_timeout_milliseconds = static_cast<unsigned>(given.number("--timeout")),
       .smtlib_directory = given.text("--smtlib"),
       .coq_directory = given.text("--coq"),
       .progress = [&](int64_t done, int64_t all) { progress.at(done, all); }}));
  progress.clear();
  if (!given.text("--coq").empty()) TRY(verify::write_coq_layouts(given.text("--coq")));
  for (const lemmas::LemmaReport& lemma : reports) {
    report.add(
        {lemma.name, lemma.statement, "all integers",
         absl::StrCat(lemma.queries > 0 ? "Z3, " : "by lemmas, ",
                      lemma.certificate_checked ? "certificate re-checked" : "no certificate"),
         lemma.proven && lemma.certificate_checked ? Verdict::kProven : Verdict::kUndecided,
         lemma.bounded, lemma.seconds});
  }
  report.note(summary(reports));
  return absl::OkStatus();
}

// Compares the closed form with the reference's arrays at every offset of every layout of the
// bounded families.
void prove_tilings(Report& report) {
  ProgressLine progress("tilings");
  int64_t done = 0;
  for (const ShapeFamily& family : small_families()) {
    const Clock::time_point start = Clock::now();
    Proof proof{"tilings",
                "reference and closed form agree at every place",
                to_text(family),
                "enumeration",
                Verdict::kProven,
                "",
                0};
    verify::CaseCounts total;
    for (Odometer odometer; !odometer.done() && proof.verdict == Verdict::kProven;
         odometer.advance()) {
      Choose choose(&odometer);
      const Shape shape = bounded_shape(choose, family);
      progress.at(++done, std::nullopt);
      Choose none(Choose::Replay{});
      const absl::Status compared = verify::compare_whole(shape, INT64_MAX, 0, none, total);
      if (compared.ok()) continue;
      proof.verdict = Verdict::kRefuted;
      proof.detail = std::string(compared.message());
    }
    if (proof.verdict == Verdict::kProven) {
      proof.detail = absl::StrCat(total["layouts"], " layouts, ", total["indices"], " indices, ",
                                  total["padding"], " padding positions, ", total["refused"],
                                  " refused by both, 0 differences");
    }
    proof.seconds = since(start);
    progress.clear();
    report.add(proof);
  }
}

struct Line {
  int64_t number = 1;
  std::string shape;
};

// The shapes of an argument: one, or one a line ('#' begins a comment).
std::vector<Line> shapes_of(const std::string& text) {
  if (text.find('\n') == std::string::npos) return {{1, text}};
  std::vector<Line> shapes;
  int64_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view shape = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (!shape.empty()) shapes.push_back({number, std::string(shape)});
  }
  return shapes;
}

// The result for a list of shapes that is too long to print one by one.
struct Summary {
  int64_t proven = 0, refuted = 0, undecided = 0, refused = 0;
  double slowest = 0;
};

constexpr size_t kMaxPrinted = 20;

void print_summary(const Summary& summary, double seconds, size_t layouts,
                   const verify::ProofSession& session, const Report& report) {
  const std::string lines = absl::StrFormat(
      "%d layouts: %d proven, %d refuted, %d undecided, %d without a layout; %.1f s, the slowest "
      "%.2f s\n%d questions to Z3, %d shared with layouts of the same structure, %d known from the "
      "cache, %d true by rearranging\n",
      layouts, summary.proven, summary.refuted, summary.undecided, summary.refused, seconds,
      summary.slowest, session.asked, session.shared, session.kept, session.identities);
  report.summarize(lines, json_object({{"layouts", static_cast<int64_t>(layouts)},
                                       {"proven", summary.proven},
                                       {"refuted", summary.refuted},
                                       {"undecided", summary.undecided},
                                       {"not layouts", summary.refused},
                                       {"seconds", json_number(seconds)},
                                       {"slowest", json_number(summary.slowest)},
                                       {"questions", session.asked},
                                       {"shared", session.shared},
                                       {"kept", session.kept},
                                       {"rearranged", session.identities}}));
}

absl::Status a_map() {
  return invalid(
      "expected a layout, found a map; `tileproof equiv MAP LAYOUT` proves that a map is the "
      "offset "
      "of a layout");
}

// Returns kBadInput if a line is not a layout, else kHolds. Verdicts are in the report.
absl::StatusOr<int> prove_shapes(const std::string& argument, verify::ProofSession& session,
                                 Report& report) {
  const std::vector<Line> shapes = shapes_of(TRY(read_argument(argument)));
  const bool each = shapes.size() <= kMaxPrinted;
  ProgressLine progress("layouts", !each);
  const Clock::time_point begin = Clock::now();
  Summary summary;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Clock::time_point start = Clock::now();
    const std::string& name = shapes[i].shape;
    const absl::StatusOr<AnyLayout> layout =
        looks_like_map(name) ? a_map() : parse_any_layout(name);
    const absl::StatusOr<verify::AnyLayoutProof> proven =
        layout.ok() ? verify::prove_any_layout(*layout, session) : layout.status();
    const absl::StatusOr<verify::LayoutProof> proof =
        proven.ok() ? proven->proof : absl::StatusOr<verify::LayoutProof>(proven.status());
    if (!proof.ok()) {
      if (shapes.size() == 1) {
        const std::string meant = did_you_mean(name, {"lemmas", "tilings", "all"});
        const absl::Status error(proof.status().code(),
                                 absl::StrCat(proof.status().message(), meant));
        return about(name, error, name);
      }
      report.refuse(shapes[i].number, name, proof.status().message());
      ++summary.refused;
      continue;
    }
    const double seconds = since(start);
    summary.slowest = std::max(summary.slowest, seconds);
    ++(proof->verdict == Verdict::kProven    ? summary.proven
       : proof->verdict == Verdict::kRefuted ? summary.refuted
                                             : summary.undecided);
    if (each || proof->verdict != Verdict::kProven) {
      progress.clear();
      report.add({name, proven->statement, "every index and every offset", "Z3", proof->verdict,
                  proof->verdict == Verdict::kRefuted ? proof->counterexample : proof->open,
                  seconds});
    }
    progress.at(static_cast<int64_t>(i) + 1, std::ssize(shapes));
  }
  progress.clear();
  if (!each) print_summary(summary, since(begin), shapes.size(), session, report);
  if (shapes.empty()) return invalid("expected a layout");
  if (summary.refused == 0) return kHolds;
  return complain_in_text(
      "prove", invalid(summary.refused, " of ", shapes.size(), " lines are not layouts"));
}

}  // namespace

absl::StatusOr<int> prove_command(const Command& given) {
  if (given.flag("--list")) {
    std::cout << lemmas::lemma_page();
    return 0;
  }
  TRY(about("--smtlib", make_folder(given.text("--smtlib"))));
  TRY(about("--cache", make_folder(given.text("--cache"))));
  Report report(given.flag("--json"));
  verify::ProofSession session;
  session.cache = verify::ProofCache(given.text("--cache"));
  session.milliseconds_per_question = static_cast<unsigned>(given.number("--timeout"));
  session.smtlib_directory = given.text("--smtlib");
  std::vector<std::string> what = given.list("WHAT");
  if (what.empty()) what = {"all"};
  bool bad_input = false;
  for (const std::string& item : what) {
    const bool all = item == "all";
    if (all || item == "lemmas") TRY(prove_lemmas(given, report));
    if (all || item == "tilings") prove_tilings(report);
    if (all || item == "lemmas" || item == "tilings") continue;
    const absl::StatusOr<int> shapes = prove_shapes(item, session, report);
    const int found = shapes.ok() ? *shapes : complain("prove", shapes.status());
    bad_input = found == kBadInput || bad_input;
  }
  const int status = report.status();
  return bad_input && status != kCounterexample ? kBadInput : status;
}

}  // namespace tileproof::cli
