// SPDX-License-Identifier: Apache-2.0
// Accesses of kernels to memory: the question about them, and the counts. The definitions are in
// spec/access/coalescing.h and spec/access/banks.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tileproof {

struct Warps {
  int64_t warp = 32;   // threads
  int64_t width = 32;  // bytes of a transaction
};

struct TransactionCounts {
  int64_t accesses = 0;
  int64_t transactions = 0;
  int64_t most = 0;      // transactions of the worst access
  int64_t elements = 0;  // distinct elements of each access, summed

  bool operator==(const TransactionCounts&) const = default;
};

struct BankMemory {
  int64_t banks = 32;
  int64_t bank_bytes = 4;
  bool amd_read = false;  // the order of lanes of AMD's ds_read_b128
};

// Two lanes that need different words of one bank. A lane may collide with itself.
struct BankClash {
  int64_t bank = 0;
  std::array<int64_t, 2> lanes = {}, words = {};

  bool operator==(const BankClash&) const = default;
};

struct BankPhase {
  std::vector<int64_t> access;     // the values of the dimensions after the lane
  int64_t value = 0;               // the number of the first element of the vector in its lane
  int64_t number = 0;              // of the phase
  std::vector<int64_t> lanes;      // that are in the domain, in the order of their numbers
  int64_t ways = 0;                // cycles
  std::optional<BankClash> clash;  // if the ways are more than 1: the lowest of the busiest banks,
                                   // the first lane that it serves, and the one that waits first

  bool operator==(const BankPhase&) const = default;
};

// The element of a layout: `bits` wide, `vector` bytes are served at once.
struct BankElement {
  int64_t bits = 0;
  int64_t vector = 0;
};

}  // namespace tileproof
