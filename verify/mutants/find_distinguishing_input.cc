// SPDX-License-Identifier: Apache-2.0
// Finds distinguishing inputs for surviving mutants: questions (verify/golden/golden.h) that the mutated
// implementation answers differently. Shortens and prints them. If the original answer is right, a
// person adds the question to corpus/golden.
//
//     find_distinguishing_input --name "impl/..: `..` 0 is 1" --seconds 60
//     find_distinguishing_input --list FILE --choose loop
//     find_distinguishing_input --list FILE --questions FILE      asks these first
//     find_distinguishing_input --choose trace --file impl/map/domain/constraint_intersection.cc
//
// All mutants share the questions. Two of three are mutations of recorded questions that reach one of
// the mutants; the others are random, of the kind that --choose names or of any. Prints each question
// that distinguishes a mutant that no earlier one did, after the names of these mutants; and at the end
// the mutants that are left.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/paths.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/generate_loop.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/algebra_laws.h"
#include "verify/compare/coalescing_compare.h"
#include "verify/golden/golden.h"
#include "verify/mutants/mutant.h"
#include "verify/mutants/mutant_table.h"
#include "verify/properties/property.h"

namespace tileproof::mutants {
namespace {

struct Options {
  std::vector<std::string> names, files;
  std::string list, choose, questions;
  double seconds = 60;
  int64_t seed = 1;
};

double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The first word of each kind of question.
const std::vector<std::string> kKinds = {"simplify ", "trace ",   "compose ",      "index\n",
                                         "places ",   "algebra ", "transactions ", "relayout "};

size_t kind_of(absl::string_view question) {
  size_t kind = 0;
  while (kind + 1 < kKinds.size() && !absl::StartsWith(question, kKinds[kind])) ++kind;
  return kind;
}

constexpr size_t kLoops = 8;  // "index" about a module with a loop

size_t kind_named(absl::string_view name) {
  if (name == "loop") return kLoops;
  return kind_of(absl::StrCat(name, name == "index" ? "\n" : " "));
}

// Uses the map of an operation's result or operand; returns "" if there is no map.
std::string random_transactions(Choose& choose) {
  const GeneratedHlo hlo = generate_operation(choose, {.elements = 100});
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) return "";
  const auto accesses = verify::choose_accesses(*module, module->entry,
                                                module->computations[module->entry].root, choose);
  if (accesses.empty()) return "";
  const auto& [threads, access, array, warps] = choose.pick(accesses);
  return absl::StrCat("transactions ", warps.warp, " ", warps.width, " ", to_text(array),
                      "\nthreads ", to_text(threads), "\naccess ", to_text(access), "\n");
}

// Copies an array, or a box of it, to a layout of another order, often with other tiles.
std::string random_copy(Choose& choose) {
  const Shape from = random_shape(choose, 1 << 10), like = random_shape(choose, 1 << 10);
  Shape to = from;
  to.layout = layout_of(from);
  std::vector<int64_t>& order = to.layout->minor_to_major;
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<size_t>(choose(static_cast<int64_t>(i)))]);
  if (choose.chance(1, 2)) to.layout->tiles = layout_of(like).tiles;
  std::string question = absl::StrCat("relayout ", to_text(from), "\nto ", to_text(to), "\n");
  if (from.dimensions.empty() || choose.chance(1, 2)) return question;
  std::vector<int64_t> begin, sizes;
  for (const Dimension& dimension : from.dimensions) {
    begin.push_back(choose(dimension.size + 1));
    sizes.push_back(choose(dimension.size - begin.back() + 1));
  }
  return absl::StrCat(question, "box [", absl::StrJoin(begin, ","), "] [",
                      absl::StrJoin(sizes, ","), "]\n");
}

std::string random_question(Choose& choose, size_t kind) {
  switch (kind) {
    case 0:
    case 1:
      return absl::StrCat(kKinds[kind], to_text(verify::any_map(choose)), "\n");
    case 2:
      return absl::StrCat(kKinds[kind], to_text(verify::any_map(choose)), "\nthen ",
                          to_text(verify::any_map(choose)), "\n");
    case 3: {
      if (choose.chance(1, 4)) return absl::StrCat(kKinds[kind], generate_loop(choose).text, "\n");
      const HloLimits limits{.elements = choose.pick<int64_t>({20, 100})};
      const GeneratedHlo hlo = choose.chance(1, 2) ? generate_operation(choose, limits)
                                                   : generate_computation(choose, limits);
      return absl::StrCat(kKinds[kind], hlo.text, "\n");
    }
    case 4:
      return absl::StrCat(kKinds[kind], to_text(random_shape(choose, 1 << 10)), "\n");
    case 5:
      return absl::StrCat(kKinds[kind], to_text(verify::random_algebra_case(choose)), "\n");
    case 6:
      return random_transactions(choose);
    case kLoops:
      return absl::StrCat("index\n", generate_loop(choose).text, "\n");
    default:
      return random_copy(choose);
  }
}

std::string near_operands(Choose& choose, absl::string_view question) {
  absl::ConsumePrefix(&question, "algebra ");
  absl::ConsumeSuffix(&question, "\n");
  absl::StatusOr<verify::AlgebraCase> operands = verify::parse_algebra_case(question);
  if (!operands.ok()) return "";
  for (int64_t changes = choose.between(1, 3); changes > 0; --changes) {
    NestedLayout* layouts[] = {&operands->a, &operands->b, &operands->c};
    mutate_nested_layout(choose, *layouts[choose(3)]);
    if (choose.chance(1, 3)) operands->m = choose.between(1, 60);
  }
  return absl::StrCat("algebra ", to_text(*operands), "\n");
}

// Returns a mutation of the question.
std::string near(Choose& choose, const std::string& question) {
  const size_t kind = kind_of(question);
  if (kind == 3) return verify::changed(choose, question);
  if (kind == 5) return near_operands(choose, question);
  if (kind >= 4) return random_question(choose, kind);
  absl::string_view rest = question;
  absl::ConsumePrefix(&rest, kKinds[kind]);
  absl::ConsumeSuffix(&rest, "\n");
  std::vector<std::string> maps = absl::StrSplit(rest, "\nthen ");
  std::string& text = maps[static_cast<size_t>(choose(std::ssize(maps)))];
  absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return question;
  for (int64_t changes = choose.between(1, 3); changes > 0; --changes) mutate_map(choose, *map);
  text = to_text(*map);
  return absl::StrCat(kKinds[kind], absl::StrJoin(maps, "\nthen "), "\n");
}

// What the processes found for one question, in shared memory: a mutant can crash them.
struct Found {
  size_t at = 0;                // the mutant that is on
  bool distinguished[1 << 15];  // by index among the mutants that are asked about
};

using Mutants = std::vector<mutant::Mutant>;

class Search {
 public:
  Search(Mutants mutants, const Options& options, Found& found)
      : left_(std::move(mutants)),
        options_(options),
        found_(found),
        choose_(Choose::Random{static_cast<uint64_t>(options.seed)}) {}

  absl::Status run() {
    if (!options_.questions.empty()) TRY(ask_all(options_.questions));
    for (const absl::string_view file : verify::kGoldenFiles)
      TRY(collect(project_path(absl::StrCat("corpus/golden/", file))));
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(options_.seconds);
    while (Clock::now() < end && !left_.empty()) {
      const std::string question = next();
      if (!question.empty()) ask(question);
    }
    std::printf("# %ld questions, %zu recorded ones reach a mutant\n", count_, known_.size());
    for (const mutant::Mutant& one : left_) std::printf("# left: %s\n", one.name.c_str());
    return absl::OkStatus();
  }

 private:
  std::string next() {
    if (!known_.empty() && choose_.chance(2, 3)) return near(choose_, choose_.pick(known_));
    const size_t kind = options_.choose.empty() ? static_cast<size_t>(choose_(std::ssize(kKinds)))
                                                : kind_named(options_.choose);
    return random_question(choose_, kind);
  }

  absl::Status ask_all(const std::string& file) {
    for (const GoldenAnswer& entry : TRY(read_golden(file))) {
      if (is_comment(entry)) continue;
      known_.push_back(entry.question);
      ask(entry.question);
    }
    return absl::OkStatus();
  }

  // Keeps the recorded questions that reach a mutant and have a quick answer.
  absl::Status collect(const std::string& file) {
    constexpr double kSlow = 0.05;  // seconds
    for (const GoldenAnswer& entry : TRY(read_golden(file))) {
      if (is_comment(entry)) continue;
      const double before = processor_time();
      const Mutants reached = reached_by(entry.question).second;
      if (!reached.empty() && processor_time() - before <= kSlow) known_.push_back(entry.question);
    }
    return absl::OkStatus();
  }

  // The right answer, and the mutants that it reaches.
  std::pair<std::string, Mutants> reached_by(const std::string& question) {
    std::string right;
    const auto reached = mutant::record([&] { right = verify::answer_to(question); });
    Mutants mutants;
    std::ranges::copy_if(left_, std::back_inserter(mutants),
                         [&](const auto& one) { return reached.contains(one.number); });
    return {std::move(right), std::move(mutants)};
  }

  // The mutants that answer the question differently.
  absl::flat_hash_set<int> distinguished_by(const std::string& question) {
    ++count_;
    const auto [right, mutants] = reached_by(question);
    ask_with(question, right, mutants);
    absl::flat_hash_set<int> numbers;
    for (size_t i = 0; i < mutants.size(); ++i)
      if (found_.distinguished[i]) numbers.insert(mutants[i].number);
    return numbers;
  }

  // Asks with each mutant, in processes of their own. A crash is a difference, and so is an answer that
  // does not end.
  void ask_with(const std::string& question, const std::string& right, const Mutants& mutants) {
    constexpr rlim_t kSeconds = 10, kMemory = rlim_t{4} << 30;
    std::fill_n(found_.distinguished, mutants.size(), false);
    for (size_t first = 0; first < mutants.size(); first = found_.at + 1) {
      found_.at = first;
      const pid_t pid = fork();
      if (pid == 0) {
        const rlimit memory{kMemory, kMemory};
        setrlimit(RLIMIT_AS, &memory);
        for (; found_.at < mutants.size(); ++found_.at) {
          const auto ends = static_cast<rlim_t>(processor_time()) + kSeconds;
          const rlimit time{ends, ends};
          setrlimit(RLIMIT_CPU, &time);
          mutant::active = mutants[found_.at].number;
          found_.distinguished[found_.at] = verify::answer_to(question) != right;
        }
        _exit(0);
      }
      int status = 0;
      waitpid(pid, &status, 0);
      if (WIFEXITED(status)) return;
      found_.distinguished[found_.at] = true;
    }
  }

  void ask(std::string question) {
    constexpr int kShorter = 200;  // tries
    auto gone = distinguished_by(question);
    if (gone.empty()) return;
    for (int i = 0; i < kShorter; ++i) {
      std::string other = near(choose_, question);
      if (!other.empty() && other.size() < question.size() && distinguished_by(other) == gone)
        question = std::move(other);
    }
    for (const mutant::Mutant& one : left_)
      if (gone.contains(one.number)) std::printf("# %s\n", one.name.c_str());
    std::printf("%s\n", question.c_str());
    std::fflush(stdout);
    std::erase_if(left_, [&](const auto& one) { return gone.contains(one.number); });
  }

  Mutants left_;  // that nothing distinguishes yet
  const Options& options_;
  Found& found_;
  Choose choose_;
  std::vector<std::string> known_;  // questions that reach a mutant
  int64_t count_ = 0;
};

// The names of a list: its lines that are no comments, reasons or empty.
absl::StatusOr<std::vector<std::string>> names_of(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    return absl::NotFoundError(absl::StrCat(path, ": expected a list of mutants, cannot read"));
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#' && line[0] != ' ') names.push_back(line);
  return names;
}

// The mutants that the options name, of the files that they name.
absl::StatusOr<std::vector<mutant::Mutant>> select_named(const std::vector<mutant::Mutant>& all,
                                                         const Options& options) {
  std::set<std::string> names(options.names.begin(), options.names.end());
  if (!options.list.empty())
    for (std::string& name : TRY(names_of(options.list))) names.insert(std::move(name));
  if (names.empty() && options.files.empty())
    return absl::NotFoundError("expected names of mutants, found none");
  const bool any = names.empty();
  std::vector<mutant::Mutant> selected;
  for (const mutant::Mutant& one : all) {
    const bool is_named = names.erase(one.name) > 0;
    const bool fits = options.files.empty() || std::ranges::count(options.files, one.file) > 0;
    if ((any || is_named) && fits) selected.push_back(one);
  }
  if (!names.empty())
    return absl::NotFoundError(absl::StrCat("expected a mutant, found: ", *names.begin()));
  if (selected.empty()) return absl::NotFoundError("expected mutants to try, found none");
  return selected;
}

absl::Status run(const Options& options) {
  Mutants mutants = TRY(select_named(TRY(mutant::read_mutants(TILEPROOF_MUTANTS)), options));
  void* shared =
      mmap(nullptr, sizeof(Found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || mutants.size() > std::size(Found{}.distinguished))
    return absl::ResourceExhaustedError("expected fewer mutants");
  return Search(std::move(mutants), options, *static_cast<Found*>(shared)).run();
}

}  // namespace
}  // namespace tileproof::mutants

int main(int argc, char** argv) {
  CLI::App app("Finds questions that a mutant answers differently.");
  tileproof::mutants::Options options;
  app.add_option("--name", options.names, "a mutant");
  app.add_option("--list", options.list, "a file of mutants, one name a line");
  app.add_option("--questions", options.questions, "a file of questions, asked first");
  app.add_option("--choose", options.choose,
                 "random questions: simplify, trace, compose, index, loop, places, algebra, "
                 "transactions, relayout");
  app.add_option("--file", options.files, "mutants of these files only");
  app.add_option("--seconds", options.seconds, "time for questions that are not recorded");
  app.add_option("--seed", options.seed, "seed of the random questions");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = tileproof::mutants::run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "find_distinguishing_input: %s\n", std::string(status.message()).c_str());
  return 2;
}
