// SPDX-License-Identifier: Apache-2.0
// tileproof: defines, computes and proves tiled layouts and indexing maps. docs/manual.md describes
// the command line.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/declarations.h"

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

void add_commands(tileproof::cli::Program& program) {
  using namespace tileproof::cli;
  add_layout_command(program);
  add_explain_command(program);
  add_relayout_command(program);
  add_algebra_command(program);
  add_map_command(program);
  add_simplify_command(program);
  add_prove_command(program);
  add_equiv_command(program);
  add_diff_command(program);
  add_evaluate_command(program);
  add_compose_command(program);
  add_inverse_command(program);
  add_image_command(program);
  add_check_command(program);
  add_grid_command(program);
  add_tile_command(program);
  add_coalescing_command(program);
  add_banks_command(program);
  add_utilization_command(program);
  add_waste_command(program);
  add_explore_command(program);
  add_conform_command(program);
  add_fuzz_command(program);
  add_generate_command(program);
  add_judge_command(program);
  add_respond_command(program);
  add_zoo_command(program);
  add_help_commands(program);
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
  Program program(TILEPROOF_VERSION, kDeclarations);
  add_commands(program);
  int status;
  try {
    status = program.run(argc, argv);
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
