// SPDX-License-Identifier: Apache-2.0
// One function for each command of the program.
//
// add_X_command declares the command. What it runs returns the exit status (docs/manual.md):
// 0 it holds, 1 a counterexample, 2 the input or the call is wrong, 3 undecided, 70 an internal
// failure.
#pragma once

namespace tileproof::cli {

class Program;

inline constexpr int kHolds = 0;
inline constexpr int kCounterexample = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kUndecided = 3;
inline constexpr int kInternal = 70;

void add_algebra_command(Program& program);
void add_banks_command(Program& program);
void add_check_command(Program& program);
void add_coalescing_command(Program& program);
void add_compose_command(Program& program);
void add_conform_command(Program& program);
void add_diff_command(Program& program);
void add_equiv_command(Program& program);
void add_evaluate_command(Program& program);
void add_explain_command(Program& program);
void add_explore_command(Program& program);  // and the hidden command that answers its questions
void add_fuzz_command(Program& program);
void add_generate_command(Program& program);
void add_grid_command(Program& program);
void add_help_commands(Program& program);  // help, completion, pages
void add_image_command(Program& program);
void add_inverse_command(Program& program);
void add_judge_command(Program& program);
void add_layout_command(Program& program);
void add_map_command(Program& program);
void add_prove_command(Program& program);
void add_relayout_command(Program& program);
void add_respond_command(Program& program);
void add_simplify_command(Program& program);
void add_tile_command(Program& program);
void add_utilization_command(Program& program);
void add_waste_command(Program& program);
void add_zoo_command(Program& program);

}  // namespace tileproof::cli
