// One function for each command of the program; each has a file of its own.
//
// add_X_command registers a subcommand with its options. The parser then runs the command, which
// writes its exit status to *status (INTERFACE, section 4): 0 it holds, 1 a counterexample, 2 the
// input or the call is wrong, 3 undecided, 70 an internal failure.
#pragma once

#include "CLI/CLI.hpp"

namespace tileproof::cli {

inline constexpr int kHolds = 0;
inline constexpr int kCounterexample = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kUndecided = 3;
inline constexpr int kInternal = 70;

void add_algebra_command(CLI::App& app, int* status);
void add_coalescing_command(CLI::App& app, int* status);
void add_conform_command(CLI::App& app, int* status);
void add_equiv_command(CLI::App& app, int* status);
void add_fuzz_command(CLI::App& app, int* status);
void add_generate_command(CLI::App& app, int* status);
void add_judge_command(CLI::App& app, int* status);
void add_layout_command(CLI::App& app, int* status);
void add_map_command(CLI::App& app, int* status);
void add_prove_command(CLI::App& app, int* status);
void add_respond_command(CLI::App& app, int* status);
void add_simplify_command(CLI::App& app, int* status);
void add_tile_command(CLI::App& app, int* status);
void add_utilization_command(CLI::App& app, int* status);
void add_zoo_command(CLI::App& app, int* status);

}  // namespace tileproof::cli
