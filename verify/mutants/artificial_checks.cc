// SPDX-License-Identifier: Apache-2.0
// Checks for try_mutants_test.py, which misbehave in every way while a mutant of
// artificial_mutants.tsv is on, and some without one.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "verify/mutants/checks.h"
#include "verify/mutants/mutant.h"

namespace tileproof::mutants {
namespace {

using mutant::on;

std::string go_on_for_ever() {
  for (volatile bool for_ever = true; for_ever;) continue;
  return "";
}

// Throws if the memory is bounded, as in a run of cases.
std::string take_much_memory() {
  char* volatile much = new char[size_t{4} << 30];  // volatile, as else it need not be allocated
  delete[] much;
  return "";
}

// Ends with a signal from outside the first time, as the file tells.
std::string end_once() {
  const char* file = std::getenv("ARTIFICIAL_FILE");
  if (std::filesystem::exists(file)) return "wrong";
  std::ofstream(file) << "once";
  std::raise(SIGTERM);
  return "";
}

std::string known_case(int64_t number) {
  switch (number) {
    case 1:
      return on<1>() ? "wrong" : "";
    case 2:
      if (on<2>()) std::abort();
      return "";
    case 3:
      return on<3>() ? go_on_for_ever() : "";
    case 4:
      (void)on<4>();
      return "";
    case 5:
      (void)on<5>();
      return take_much_memory();
    case 6:
      if (on<6>()) std::raise(SIGKILL);
      return "";
    case 7:
      return on<7>() ? end_once() : "";
    default:
      return "";
  }
}

// Case 0 executes the mutants; cases 1, 5 and 6 misbehave without one.
std::string random_case(int64_t number) {
  // Not const: the compiler would evaluate the value of a constant, and no mutant is on there.
  bool fails = on<8>(), crashes = on<9>(), hangs = on<10>(), fails_late = on<11>();
  (void)on<12>();
  if (number == 1 || (number == 2 && crashes)) std::abort();
  if (number == 5) return take_much_memory();
  if (number == 6 || (number == 4 && hangs)) return go_on_for_ever();
  return (number == 3 && fails) || (number == 7 && fails_late) ? "wrong" : "";
}

template <int N>
std::string wrong_case(int64_t number) {
  (void)on<N>();
  return number > 0 ? "wrong" : "";
}

std::string never_reached(int64_t number) { return number < 0 && on<15>() ? "wrong" : ""; }

}  // namespace

std::vector<Check> checks_of_room(const std::vector<std::string>&) {
  const auto check = [](std::string name, int64_t cases, bool endless, std::string (*run)(int64_t),
                        bool holds = true) {
    return Check{std::move(name), verify::always(cases), endless,
                 [run](int64_t number, Choose&, verify::CaseCounts&) { return run(number); },
                 holds};
  };
  return {
      check("known", 8, false, known_case),
      check("random", 1, true, random_case),
      check("fails", 1, true, wrong_case<13>),
      check("may-fail", 1, true, wrong_case<14>, /*holds=*/false),
      check("never", 1, true, never_reached),
      verify::of_texts(
          kDiffers, 1, [](Choose& choose) { return absl::StrCat("question ", choose(9), "\n"); },
          [](const std::string&, verify::CaseCounts&) { return on<3>() ? "differs" : ""; }, {})};
}

}  // namespace tileproof::mutants
