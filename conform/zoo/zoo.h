// SPDX-License-Identifier: Apache-2.0
// The bug zoo: known-wrong implementations of the protocol. Most are bugs of real systems.
//
// zoo.tsv has a line for every known bug. If an operation of the protocol can show the bug, the
// line names it, and this library has the small wrong part. Otherwise the line says why none can.
//
//     XLA-SIMP-03  map.simplify  (a//b)//c -> a//(b*c) if a >= 0  where it was seen
//     HAL-03       -             max(x*c0, y*c1) -> ..            where it was seen  a map has no
//                                                                                    maximum
//
// A known-wrong implementation answers by the closed forms (impl/), except where its wrong part
// changes the answer. Its hello offers only its operation. The judge must catch it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/run/conform.h"
#include "conform/suites/suites.h"

namespace tileproof::zoo {

struct Entry {
  absl::string_view id;
  absl::string_view operation;  // empty: no operation can show the bug
  absl::string_view wrong;      // the wrong rule or formula
  absl::string_view seen;       // where the bug was seen
  absl::string_view why_not;    // why no operation can show it
  absl::string_view rule;       // the wrong part as text (conform/zoo/rule.h); empty: it is C++
};

// All lines of the table, in its order.
absl::Span<const Entry> entries();

// The lines of held_out.tsv. `tileproof zoo` does not run them; seeds_test measures how many are caught.
absl::Span<const Entry> held_out();

// Null if there is no entry with this id.
const Entry* entry_named(absl::string_view id);

// The reaction of a known-wrong implementation to a request: an answer, or a crash.
struct Reaction {
  conform::Answer answer;
  int signal = 0;        // not 0: it crashes with this signal and gives no answer
  bool is_right = true;  // no wrong part changed the answer
};
Reaction react(const Entry& entry, const conform::Request& request);

// The reaction of an implementation with the mistakes of several entries, one after the other. A
// wrong part of map.simplify changes the map that those before it left. Otherwise the first wrong
// part that changes the answer counts.
Reaction react(absl::Span<const Entry* const> entries, const conform::Request& request);

// The judge's verdict on the reaction to a request.
conform::Verdict verdict_on(absl::Span<const Entry* const> entries, const conform::Json& request);
conform::Verdict verdict_on(const Entry& entry, const conform::Json& request);

// Returns whether this library has the wrong part of an entry. The error says where its rule cannot
// be read, or that there is none.
absl::Status check_written(const Entry& entry);

// Answers request lines from standard input until its end, or until it crashes like the original.
void respond_wrongly(absl::Span<const Entry* const> entries);

// ---- The campaign of `conform` on each known-wrong implementation until it is caught, and the whole
// campaign on the right ones ----

struct Caught {
  bool caught = false;
  int64_t requests = 0;  // asked until it was caught; all requests if it was not
  double seconds = 0;    // until it was caught, from the start of the program
  conform::Verdict verdict = conform::Verdict::kPass;
  conform::Failing smallest;  // the smallest counterexample found
};

// The suites that a run asks without being told to, and that have requests of an operation.
std::vector<const conform::Suite*> suites_that_ask(absl::string_view operation);

// All suites that a run asks without being told to.
std::vector<const conform::Suite*> suites_of_zoo();

// Runs `PROGRAM zoo --respond ENTRY`, where `program` is the path of tileproof. An error if the
// program cannot be started. `known` may be shared by several calls, also side by side.
absl::StatusOr<Caught> judge_entry(const std::string& program, const Entry& entry,
                                   uint64_t seed = 1, conform::RightAnswers* known = nullptr);

// Judges `PROGRAM respond --engine ENGINE`.
absl::StatusOr<conform::Report> judge_right(const std::string& program, const std::string& engine,
                                            uint64_t seed = 1,
                                            conform::RightAnswers* known = nullptr);

}  // namespace tileproof::zoo
