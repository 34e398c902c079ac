// SPDX-License-Identifier: Apache-2.0
// Finds a distinguishing input for a surviving mutant: a question (verify/golden/golden.h) that the
// mutated implementation answers differently. Shortens and prints it. If the original answer is
// right, a person adds the question to corpus/golden.
//
//     find_distinguishing_input --name "impl/..: `..` 0 is 1" --seconds 60
//     find_distinguishing_input --list FILE
//     find_distinguishing_input --list FILE --questions FILE      only these, no random ones
//     find_distinguishing_input --list FILE --questions FILE --choose loop --seconds 60
//     find_distinguishing_input --choose trace --file impl/map/domain/constraint_intersection.cc
//         --file impl/map/proof_log/proof_log_domain.cc --most 4
//
// Most questions are mutations of golden questions that reach the mutant; the others are random.
// Prints the mutant's name, the number of questions asked, and the distinguishing question. With
// --questions or --choose, all mutants of the list share the questions: it prints those that
// distinguish a mutant that no earlier one did.
//
// The last form tries no mutants. It chooses random questions of one kind for corpus/golden, short
// ones first, so that every seeded position of the files that any question reaches is reached
// `most` times.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <set>

#include "absl/container/flat_hash_map.h"
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
#include "impl/hlo/indexing.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/algebra_laws.h"
#include "verify/compare/coalescing_compare.h"
#include "verify/compare/indexing_compare.h"
#include "verify/golden/golden.h"
#include "verify/mutants/mutant.h"
#include "verify/mutants/mutant_table.h"
#include "verify/properties/property.h"

namespace tileproof::mutants {
namespace {

struct Options {
  std::vector<std::string> names, files;
  std::string list, choose, questions;
  int64_t most = 4;
  double seconds = 60;
  int64_t seed = 1;
  int jobs = 1;
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

// The results for a mutant before the search.
struct Start {
  std::vector<std::string> questions;  // golden ones that reach it
  std::set<size_t> kinds;              // of these questions
};

std::map<int, Start> starts_of(const std::vector<mutant::Mutant>& mutants) {
  constexpr double kSlow = 0.05;  // seconds
  std::map<int, Start> starts;
  for (const mutant::Mutant& mutant : mutants) starts[mutant.number];
  for (absl::string_view file : verify::kGoldenFiles) {
    const auto entries = read_golden(project_path(absl::StrCat("corpus/golden/", file)));
    for (const GoldenAnswer& entry : entries.value_or(std::vector<GoldenAnswer>{})) {
      if (is_comment(entry)) continue;
      const double before = processor_time();
      const mutant::Reached reached = mutant::record([&] { verify::answer_to(entry.question); });
      if (processor_time() - before > kSlow) continue;
      for (auto& [number, start] : starts) {
        if (!reached.contains(number)) continue;
        start.questions.push_back(entry.question);
        start.kinds.insert(kind_of(entry.question));
      }
    }
  }
  return starts;
}

// The question being asked, in shared memory: the parent reads it after a crash.
struct Asked {
  char text[1 << 16];
  bool mutated;  // the mutant is on

  void set(const std::string& question, bool with_mutant) {
    const size_t size = question.copy(text, sizeof(text) - 1);
    text[size] = 0;
    mutated = with_mutant;
  }
};

class Search {
 public:
  Search(const mutant::Mutant& mutant, Start start, int64_t seed, Asked& asked)
      : mutant_(mutant),
        start_(std::move(start)),
        asked_(asked),
        choose_(Choose::Random{static_cast<uint64_t>(seed)}),
        kinds_(start_.kinds.begin(), start_.kinds.end()) {
    if (kinds_.empty()) kinds_ = {0, 1, 2, 3, 4, 5, 6, 7};
  }

  void run(double seconds) {
    double end = processor_time() + seconds;
    while (processor_time() < end) {
      const std::string question = next();
      if (question.empty() || !distinguishes(question)) continue;
      if (found_.empty()) end = processor_time() + std::min(5.0, seconds / 4);
      found_ = question;
    }
  }

  void print() const {
    std::printf("# %s: %ld questions, %zu known to reach it%s\n%s%s\n", mutant_.name.c_str(),
                count_, start_.questions.size(), found_.empty() ? ", nothing found" : "",
                found_.c_str(), found_.empty() ? "" : "\n");
    if (found_.empty() && start_.questions.size() <= kFew) {
      for (const std::string& question : start_.questions)
        std::printf("# reaches it: %s", question.c_str());
    }
    std::fflush(stdout);
  }

 private:
  static constexpr size_t kFew = 16;

  // Returns the next question: a shorter one once a difference is found; "" if there is none.
  std::string next() {
    if (!found_.empty()) {
      std::string question = near(choose_, found_);
      return question.size() < found_.size() ? question : "";
    }
    if (!start_.questions.empty() && choose_.chance(2, 3)) {
      return near(choose_, choose_.pick(start_.questions));
    }
    return random_question(choose_, choose_.pick(kinds_));
  }

  bool distinguishes(const std::string& question) {
    ++count_;
    asked_.set(question, false);
    std::string right;
    if (start_.questions.size() < kFew) {
      const auto reached = mutant::record([&] { right = verify::answer_to(question); });
      if (!reached.contains(mutant_.number)) return false;
      start_.questions.push_back(question);
    } else {
      right = verify::answer_to(question);
    }
    asked_.mutated = true;
    mutant::active = mutant_.number;
    const std::string wrong = verify::answer_to(question);
    mutant::active = mutant::kNone;
    return right != wrong;
  }

  const mutant::Mutant& mutant_;
  Start start_;
  Asked& asked_;
  Choose choose_;
  std::vector<size_t> kinds_;
  std::string found_;
  int64_t count_ = 0;
};

// The part of an answer that is found soonest: of a module only the maps of the root's first arrays.
// Questions that have different short answers have different answers.
std::string short_answer(absl::string_view question) {
  if (!absl::StartsWith(question, "index\n")) return verify::answer_to(question);
  const absl::StatusOr<HloModule> module = parse_hlo_module(question.substr(6));
  if (!module.ok()) return "";
  constexpr int64_t kArrays = 4;  // golden answers have no more
  const int32_t root = module->computations[module->entry].root;
  impl::IndexingAnalysis analysis(*module);
  std::string text;
  for (const auto& one : verify::questions_about(*module, module->entry, root, kArrays)) {
    if (one.scope != spec::Scope::kInstruction) continue;
    if (one.direction != impl::Direction::kOutputToInput) continue;
    const auto found = analysis.instruction(module->entry, root, one.array);
    if (!found.ok()) absl::StrAppend(&text, found.status().message(), "\n");
    for (const auto& operand : found.value_or(impl::Indexing())) {
      for (const impl::LeafMaps& list : operand) {
        absl::StrAppend(&text, list.reason, "\n");
        for (const impl::IndexedMap& map : list.maps)
          absl::StrAppend(&text, to_text(map.map), "\n");
      }
    }
  }
  return text;
}

// What a process found for one question, in shared memory: a mutant can crash it.
struct Found {
  int at = 0;                   // the mutant that is on
  bool distinguished[1 << 13];  // by index among the mutants that are asked about
};

// Asks the question with each mutant, from the first one, in processes of their own. A crash is a
// difference, and so is an answer that does not end.
void ask_with(const std::string& question, const std::string& right,
              const std::vector<const mutant::Mutant*>& mutants, Found& found) {
  constexpr rlim_t kSeconds = 10, kMemory = rlim_t{4} << 30;
  std::fill_n(found.distinguished, mutants.size(), false);
  for (size_t first = 0; first < mutants.size();) {
    found.at = static_cast<int>(first);
    const pid_t pid = fork();
    if (pid == 0) {
      const rlimit memory{kMemory, kMemory};
      setrlimit(RLIMIT_AS, &memory);
      for (; found.at < std::ssize(mutants); ++found.at) {
        const auto ends = static_cast<rlim_t>(processor_time()) + kSeconds;
        const rlimit time{ends, ends};
        setrlimit(RLIMIT_CPU, &time);
        mutant::active = mutants[found.at]->number;
        found.distinguished[found.at] = short_answer(question) != right;
      }
      _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status)) return;
    found.distinguished[found.at] = true;
    first = static_cast<size_t>(found.at) + 1;
  }
}

// Prints the questions that distinguish a mutant that no earlier one distinguishes: those of a file,
// then random ones for the time, and such that are near to a question of the file. Then prints the
// mutants that are left.
absl::Status choose_distinguishing(std::vector<mutant::Mutant> mutants, const Options& options) {
  std::vector<std::string> questions;
  if (!options.questions.empty()) {
    for (const GoldenAnswer& entry : TRY(read_golden(options.questions))) {
      if (!is_comment(entry)) questions.push_back(entry.question);
    }
  }
  void* shared =
      mmap(nullptr, sizeof(Found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || mutants.size() > std::size(Found{}.distinguished)) {
    return absl::ResourceExhaustedError("expected fewer mutants");
  }
  auto& found = *static_cast<Found*>(shared);
  const auto ask = [&](const std::string& question) {
    std::string right;
    const auto reached = mutant::record([&] { right = short_answer(question); });
    std::vector<const mutant::Mutant*> asked;
    for (const mutant::Mutant& mutant : mutants) {
      if (reached.contains(mutant.number)) asked.push_back(&mutant);
    }
    if (asked.empty()) return;
    ask_with(question, right, asked, found);
    absl::flat_hash_set<int> gone;
    for (size_t i = 0; i < asked.size(); ++i) {
      if (!found.distinguished[i]) continue;
      std::printf("# %s\n", asked[i]->name.c_str());
      gone.insert(asked[i]->number);
    }
    if (gone.empty()) return;
    std::printf("%s\n", question.c_str());
    std::fflush(stdout);
    std::erase_if(mutants, [&](const auto& mutant) { return gone.contains(mutant.number); });
  };
  for (const std::string& question : questions) ask(question);
  if (!options.choose.empty()) {
    Choose choose(Choose::Random{static_cast<uint64_t>(options.seed)});
    const timespec start = [] {
      timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      return now;
    }();
    timespec now = start;
    while (static_cast<double>(now.tv_sec - start.tv_sec) < options.seconds && !mutants.empty()) {
      const bool is_near = !questions.empty() && choose.chance(1, 2);
      ask(is_near ? near(choose, choose.pick(questions))
                  : random_question(choose, kind_named(options.choose)));
      clock_gettime(CLOCK_MONOTONIC, &now);
    }
  }
  for (const mutant::Mutant& mutant : mutants)
    std::fprintf(stderr, "left: %s\n", mutant.name.c_str());
  return absl::OkStatus();
}

// Chooses random questions that reach the seeded positions of the files.
void choose_questions(const std::vector<mutant::Mutant>& all, const Options& options) {
  absl::flat_hash_set<int> wanted;
  for (const mutant::Mutant& mutant : all) {
    if (std::ranges::count(options.files, mutant.file) > 0) wanted.insert(mutant.number);
  }
  struct Candidate {
    std::string question;
    size_t size;  // of the question and its answer
    std::vector<int> positions;
  };
  std::vector<Candidate> candidates;
  Choose choose(Choose::Random{static_cast<uint64_t>(options.seed)});
  const size_t kind = kind_named(options.choose);
  const double end = processor_time() + options.seconds;
  absl::flat_hash_map<int, int64_t> seen, chosen;
  while (processor_time() < end) {
    Candidate one{random_question(choose, kind), 0, {}};
    const auto reached = mutant::record([&] {
      const std::string answer = verify::answer_to(one.question);
      one.size = one.question.size() + answer.size();
    });
    bool rare = false;
    for (int position : reached) {
      if (!wanted.contains(position)) continue;
      one.positions.push_back(position);
      rare |= ++seen[position] <= 5 * options.most;
    }
    if (rare) candidates.push_back(std::move(one));
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::size);
  for (const Candidate& one : candidates) {
    const auto is_new = [&](int position) { return chosen[position] < options.most; };
    if (std::ranges::none_of(one.positions, is_new)) continue;
    for (int position : one.positions) ++chosen[position];
    std::printf("%s\n", one.question.c_str());
  }
  std::fprintf(stderr, "%zu of %zu positions\n", chosen.size(), wanted.size());
}

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

// Searches for each mutant in a process of its own.
void search_all(const std::vector<mutant::Mutant>& mutants, const Options& options) {
  const std::map<int, Start> starts = starts_of(mutants);
  struct Child {
    std::string name;
    Asked* asked;
  };
  std::map<pid_t, Child> children;
  const auto wait_for_one = [&] {
    int status = 0;
    const auto child = children.find(wait(&status));
    if (child == children.end()) return;
    const auto& [name, asked] = child->second;
    if (WIFSIGNALED(status)) {
      std::printf("# %s: %s%s\n%s\n", name.c_str(), strsignal(WTERMSIG(status)),
                  asked->mutated ? "" : " WITHOUT the mutant", asked->text);
      std::fflush(stdout);
    }
    munmap(asked, sizeof(Asked));
    children.erase(child);
  };
  for (const mutant::Mutant& mutant : mutants) {
    while (std::ssize(children) >= options.jobs) wait_for_one();
    void* shared =
        mmap(nullptr, sizeof(Asked), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) std::abort();
    auto* asked = static_cast<Asked*>(shared);
    const pid_t pid = fork();
    if (pid == 0) {
      Search search(mutant, starts.at(mutant.number), options.seed, *asked);
      search.run(options.seconds);
      search.print();
      _exit(0);
    }
    children[pid] = {mutant.name, asked};
  }
  while (!children.empty()) wait_for_one();
}

absl::Status run(const Options& options) {
  const auto all = TRY(mutant::read_mutants(TILEPROOF_MUTANTS));
  const bool any = options.list.empty() && options.names.empty() && options.questions.empty();
  if (!options.choose.empty() && any) {
    choose_questions(all, options);
    return absl::OkStatus();
  }
  const auto mutants = TRY(select_named(all, options));
  if (!options.questions.empty() || !options.choose.empty())
    return choose_distinguishing(mutants, options);
  search_all(mutants, options);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tileproof::mutants

int main(int argc, char** argv) {
  CLI::App app("Finds questions that a mutant answers differently.");
  tileproof::mutants::Options options;
  app.add_option("--name", options.names, "a mutant");
  app.add_option("--list", options.list, "a file of mutants, one name a line");
  app.add_option("--questions", options.questions, "a file of questions; asks only these");
  app.add_option("--choose", options.choose,
                 "random questions: simplify, trace, compose, index, loop, places, algebra, "
                 "transactions, relayout");
  app.add_option("--file", options.files, "choose questions that reach these files");
  app.add_option("--most", options.most, "times, each");
  app.add_option("--seconds", options.seconds, "processor time for each mutant");
  app.add_option("--seed", options.seed, "seed of the random questions");
  app.add_option("--jobs", options.jobs, "processes");
  CLI11_PARSE(app, argc, argv);
  const absl::Status status = tileproof::mutants::run(options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "find_distinguishing_input: %s\n", std::string(status.message()).c_str());
  return 2;
}
