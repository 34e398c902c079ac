// tileproof: the authority on tiled layouts and indexing maps, as a program. The interface is in
// docs/manual.md.
#include <exception>
#include <iostream>

#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace tileproof::cli;
  CLI::App app{"Tileproof: tiled layouts and indexing maps, defined, computed, proven and fuzzed",
               "tileproof"};
  app.require_subcommand(1);
  app.set_version_flag("--version", TILEPROOF_VERSION);
  int status = kHolds;
  add_layout_command(app, &status);
  add_algebra_command(app, &status);
  add_map_command(app, &status);
  add_simplify_command(app, &status);
  add_prove_command(app, &status);
  add_equiv_command(app, &status);
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
  return status;
}
