// SPDX-License-Identifier: Apache-2.0
// tileproof: defines, computes and proves tiled layouts and indexing maps. docs/manual.md describes
// the command line.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/declarations.h"
#include "cli/map_listing.h"
#include "cli/protocol_commands.h"

namespace {

template <size_t size>
[[noreturn]] void end_with(const char (&line)[size]) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, size - 1);
  _exit(tileproof::cli::kInternal);
}

// The reader of standard output is gone, so the program ends at once.
void reader_is_gone(int) { end_with("tileproof: cannot write: nobody reads standard output\n"); }

// If memory runs out, a thread may throw an exception that nothing catches, and the solver may read
// an invalid address.
void out_of_bounds(int) { end_with("tileproof: internal failure: memory fault\n"); }
void uncaught() { end_with("tileproof: internal failure: an uncaught exception\n"); }

// Replaces each closed standard stream by /dev/null. Otherwise the next file that the program opens
// would get the number of the stream, and output would go there.
void keep_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    [[maybe_unused]] const int opened = open("/dev/null", O_RDONLY);  // the lowest number is free
  }
}

// Z3 allocates and frees megabytes for each question. Keeping them saves two fifths of the time of
// many short questions.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
#endif
}

int run_program(const std::vector<std::string>& words);

void add_commands(tileproof::cli::Program& program) {
  using namespace tileproof::cli;
  program.command("layout").answer(layout_command);
  program.command("explain").answer(explain_command);
  program.command("relayout").answer(relayout_command);
  add_algebra_command(program);
  program.command("map").words("--kind", kKinds).run(map_command);
  program.command("simplify").answer(simplify_command);
  program.command("prove").run(prove_command);
  program.command("equiv").answer(equiv_command);
  program.command("diff").answer(diff_command);
  program.command("evaluate").answer(evaluate_command);
  program.command("compose").answer(compose_command);
  program.command("inverse").answer(inverse_command);
  program.command("image").answer(image_command, kUndecided);
  program.command("check").run(check_command);
  program.command("grid").answer(grid_command);
  program.command("tile").answer(tile_command);
  program.command("coalescing").answer(coalescing_command);
  add_banks_command(program);
  program.command("utilization").run(utilization_command);
  program.command("waste").answer(waste_command);
  program.command("explore").run(explore_command);
  program.command("answer").run(
      [](const Command& given) { return answer_command(given, run_program); });
  const std::vector<std::string> suites = absl::StrSplit(suite_names(), ", ");
  program.command("conform").words("--suite", suites).run(conform_command);
  add_fuzz_command(program);
  program.command("generate").words("--suite", suites).run(generate_command);
  program.command("judge").run(judge_command);
  program.command("respond").run(respond_command);
  program.command("zoo").run(zoo_command);
  add_help_commands(program);
}

int run_program(const std::vector<std::string>& words) {
  using namespace tileproof::cli;
  Program program(TILEPROOF_VERSION, kDeclarations);
  add_commands(program);
  std::vector<std::string> kept = words;
  std::vector<char*> pointers;
  for (std::string& word : kept) pointers.push_back(word.data());
  return program.run(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tileproof::cli;
  keep_freed_memory();
  keep_standard_streams();
  std::signal(SIGPIPE, reader_is_gone);
  struct sigaction now;
  if (sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
    std::signal(SIGSEGV, out_of_bounds);  // a sanitizer keeps its own handler
  }
  std::set_terminate(uncaught);
  int status;
  try {
    status = run_program({argv, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "tileproof: internal failure: " << error.what() << "\n";
    return kInternal;
  }
  if (status != kInternal && !std::cout.flush()) {
    std::cerr << "tileproof: cannot write all of standard output\n";
    return kInternal;
  }
  return status;
}
