// SPDX-License-Identifier: Apache-2.0
// Operations on bits, minima and maxima, written in sums and quotients: a map has no others.
//
//     x xor 5, x in [0, 7]        bit by bit: those of x where 5 has 0, and 1 minus them where it has 1
//     x xor y                     the sum of ((x floordiv 2^i + y floordiv 2^i) mod 2) * 2^i
//     x & y                       the sum of ((the bits of both) floordiv 2) * 2^i
//     x | y                       x + y - (x & y)
//     max(x, y)                   the greater one, if the bounds show which it is; else, for
//                                 -2^k <= y - x < 2^k, x + (y - x) * ((y - x) floordiv 2^k + 1), in
//                                 which the last factor is 0 if y < x and else 1
//
//     x / y                       x floordiv y, if the bounds show that x >= 0 and y >= 1: C rounds
//                                 toward 0
//
// Nobody computes the parts of these sums but x and y (Node::is_computed): a machine has the operation.
// An operand that the bounds make idle, x of x & 0, is written with the factor 0.
//
// The bounds of the variables say how many bits there are. A reader of text knows them only at its
// end, so it puts a sum in place of the operation, and `write_bitwise` replaces it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

enum class BitwiseOp : uint8_t { kAnd, kOr, kXor, kMin, kMax, kQuotient };

// An operation whose operands are those of a node of the table.
struct Bitwise {
  BitwiseOp op = BitwiseOp::kAnd;
  NodeId node = -1;
  size_t position = 0;  // in the text, for errors
};

// Replaces the operations, which are in the order of their nodes. Errors, at their positions: an
// operand of `and`, `or`, `xor` that may be negative or 2^62; one of `/` that may be negative; a minimum or maximum of differences that
// may leave [-2^62, 2^62); a result of more nodes than a text may have.
absl::Status write_bitwise(const std::vector<Bitwise>& operations, const Cursor& text,
                           IndexingMap& map);

}  // namespace tileproof
