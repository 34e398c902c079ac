// tileproof: defines, computes and proves tiled layouts and indexing maps. The command line is
// described in docs/manual.md.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>

#include "cli/commands.h"

namespace {

template <size_t size>
[[noreturn]] void end_with(const char (&line)[size]) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, size - 1);
  _exit(tileproof::cli::kInternal);
}

// Nobody reads the output any more, so the work ends at once.
void reader_is_gone(int) { end_with("tileproof: cannot write: nobody reads standard output\n"); }

// Memory may run out where nothing catches the exception: in a thread, or in the solver, which then
// reads an invalid address.
void out_of_bounds(int) { end_with("tileproof: internal failure: memory fault\n"); }
void uncaught() { end_with("tileproof: internal failure: an uncaught exception\n"); }

// Replaces each closed standard stream by /dev/null. Otherwise the next file to be opened would get
// its number and be taken for the stream.
void keep_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    [[maybe_unused]] const int opened = open("/dev/null", O_RDONLY);  // the lowest number is free
  }
}

std::string one_line(const CLI::App*, const CLI::Error& error) {
  return std::string("tileproof: ") + error.what() + "\n";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tileproof::cli;
  keep_standard_streams();
  std::signal(SIGPIPE, reader_is_gone);
  struct sigaction now;
  if (sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
    std::signal(SIGSEGV, out_of_bounds);  // a sanitizer keeps its own handler
  }
  std::set_terminate(uncaught);
  CLI::App app{"Tileproof: tiled layouts and indexing maps, defined, computed, proven and fuzzed",
               "tileproof"};
  app.require_subcommand(1);
  app.failure_message(one_line);
  app.set_version_flag("--version", TILEPROOF_VERSION);
  int status = kHolds;
  add_layout_command(app, &status);
  add_algebra_command(app, &status);
  add_map_command(app, &status);
  add_simplify_command(app, &status);
  add_prove_command(app, &status);
  add_equiv_command(app, &status);
  add_tile_command(app, &status);
  add_coalescing_command(app, &status);
  add_utilization_command(app, &status);
  add_conform_command(app, &status);
  add_fuzz_command(app, &status);
  add_generate_command(app, &status);
  add_judge_command(app, &status);
  add_respond_command(app, &status);
  add_zoo_command(app, &status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kHolds : kBadInput;
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
