// SPDX-License-Identifier: Apache-2.0
// A plug-in that misbehaves in one way, which the environment variable TILEPROOF_TEST_PLUGIN names.
// Otherwise its answers are right. Its offsets are those of docs/examples/plugin.cc, and it
// supports sizes and indices of simple layouts.
#define tileproof_plugin_table example_table
#include "docs/examples/plugin.cc"
#undef tileproof_plugin_table

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

const std::string mode = [] {
  const char* given = std::getenv("TILEPROOF_TEST_PLUGIN");
  return std::string(given == nullptr ? "" : given);
}();

// The layouts that the modes below treat wrongly.
bool unlucky(const tileproof_shape& shape) { return shape.tiles >= 2; }

// Only if the parent is a process of the test: the name of the program that started us, or a keeper.
void signal_parent(int number) {
  std::string name;
  std::ifstream("/proc/" + std::to_string(::getppid()) + "/comm") >> name;
  if (name.rfind("tileproof", 0) == 0 || name.rfind("plugin_test", 0) == 0) {
    ::kill(::getppid(), number);
  }
}

// A child in a session of its own, whose id is in the file $PIDS.
void leave_a_child() {
  static const bool once = [] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setsid();
      ::sleep(1000);
      ::_exit(0);
    }
    const char* file = std::getenv("PIDS");
    if (file != nullptr) std::ofstream(file, std::ios::app) << child << std::endl;
    return true;
  }();
  static_cast<void>(once);
}

int mistake(const tileproof_shape& shape, int64_t count, int64_t* offsets, int right) {
  static int64_t calls = 0;
  if (!unlucky(shape) || count == 0 || right != TILEPROOF_OK) return right;
  if (mode == "wrong") ++offsets[count - 1];
  if (mode == "wrong-of-many" && count > 64) ++offsets[count / 2];
  if (mode == "unsteady" && ++calls == 1) ++offsets[0];
  if (mode == "unwritten") offsets[0] = INT64_MIN;
  if (mode == "crash") {
    std::signal(SIGSEGV, SIG_DFL);  // otherwise a sanitizer catches it
    std::raise(SIGSEGV);
  }
  if (mode == "crash-of-many" && count > 64) std::abort();
  if (mode == "exit") std::exit(3);
  if (mode == "leave") ::_exit(0);
  if (mode == "raise") std::raise(SIGKILL);
  if (mode == "end-parent") signal_parent(SIGKILL);
  if (mode == "ask-parent") signal_parent(SIGTERM);
  if (mode == "fork") leave_a_child();
  if (mode == "throw") throw std::runtime_error("out of ideas");
  while (mode == "hang") ::pause();
  if (mode == "beyond-end") offsets[count] = 0;
  if (mode == "seven") return 7;
  if (mode == "refuse") return TILEPROOF_UNSUPPORTED;
  if (mode == "error") return TILEPROOF_ERROR;
  return right;
}

int linearize_here(const tileproof_shape* shape, const int64_t* indices, int64_t count,
                   int64_t* offsets, tileproof_reply* reply) {
  if (mode == "slow") ::usleep(static_cast<unsigned>(count) * 100);
  if (mode == "chatty") std::puts("here I am");
  const int right = linearize(shape, indices, count, offsets, reply);
  return mistake(*shape, count, offsets, right);
}

// True for small arrays without tiles, or of rank 1 with one tile of rank 1.
bool simple(const tileproof_shape& shape) {
  Wide elements = 1;
  for (int64_t i = 0; i < shape.rank; ++i) elements *= std::min<int64_t>(shape.dims[i], 1 << 16);
  const bool small = elements < (1 << 15) && shape.tail_alignment == 1;
  return small && (shape.tiles == 0 || (shape.rank == 1 && shape.tiles == 1 &&
                                        shape.tile_ranks[0] == 1 && shape.dims[0] < (1 << 16)));
}

int64_t product(const int64_t* numbers, int64_t count) {
  int64_t result = 1;
  for (int64_t i = 0; i < count; ++i) result *= numbers[i];
  return result;
}

int physical_here(const tileproof_shape* shape, tileproof_physical* physical,
                  tileproof_reply* reply) {
  if (!simple(*shape)) return reply->say(reply, "not so simple"), TILEPROOF_UNSUPPORTED;
  physical->rank = shape->rank;
  for (int64_t i = 0; i < shape->rank; ++i) {
    physical->dims[i] = shape->dims[shape->minor_to_major[shape->rank - 1 - i]];
  }
  if (shape->tiles > 0) {
    const int64_t tile = shape->tile_sizes[0];
    physical->rank = 2;
    physical->dims[0] = (shape->dims[0] + tile - 1) / tile;
    physical->dims[1] = tile;
  }
  physical->elements = product(physical->dims, physical->rank);
  physical->bytes = (physical->elements * shape->element_bits + 7) / 8;
  if (mode == "rank-of-a-million") physical->rank = 1'000'000;
  return TILEPROOF_OK;
}

int delinearize_here(const tileproof_shape* shape, const int64_t* offsets, int64_t count,
                     int64_t* indices, unsigned char* is_padding, tileproof_reply* reply) {
  tileproof_physical sizes;
  if (physical_here(shape, &sizes, reply) != TILEPROOF_OK) return TILEPROOF_UNSUPPORTED;
  for (int64_t i = 0; i < count; ++i, indices += shape->rank) {
    if (offsets[i] < 0 || offsets[i] >= sizes.elements) return TILEPROOF_ERROR;
    int64_t left = offsets[i];
    for (int64_t d = 0; d < shape->rank; ++d) {
      const int64_t dim = shape->minor_to_major[d];
      const int64_t size = d + 1 == shape->rank ? left + 1 : shape->dims[dim];
      indices[dim] = left % size;
      left /= size;
    }
    is_padding[i] = shape->rank == 1 && offsets[i] >= shape->dims[0] ? 1 : 0;
    if (mode == "half-padding") is_padding[i] = 3;
    if (mode == "no-padding") is_padding[i] = 0;
  }
  return TILEPROOF_OK;
}

tileproof_plugin make_table() {
  tileproof_plugin table = {};
  table.version = mode == "version" ? 2 : TILEPROOF_PLUGIN_VERSION;
  table.size = sizeof table;
  table.name = "misbehaving";
  table.layout_linearize = linearize_here;
  table.layout_physical = physical_here;
  table.layout_delinearize = delinearize_here;
  if (mode == "older") table.size = offsetof(tileproof_plugin, layout_delinearize);
  if (mode == "limited") table.max_rank = 2, table.max_tiles = 1, table.bits = 32;
  return table;
}

// Runs when the library is loaded.
const int loaded = [] {
  if (mode == "crash-at-load") std::abort();
  return 0;
}();

}  // namespace

extern "C" const tileproof_plugin* tileproof_plugin_table() {
  static const tileproof_plugin table = make_table();
  return mode == "no-table" ? nullptr : &table;
}
