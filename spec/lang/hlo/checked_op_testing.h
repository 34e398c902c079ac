// SPDX-License-Identifier: Apache-2.0
// For tests: the root of a module, checked.
#pragma once

#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof {

// A module, and its root checked.
struct Checked {
  HloModule module;
  absl::StatusOr<CheckedOp> op;
};

inline Checked root_of(absl::string_view text) {
  absl::StatusOr<HloModule> module = parse_hlo_module(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  Checked checked{module.ok() ? *std::move(module) : HloModule(), absl::UnknownError("not read")};
  if (checked.module.computations.empty()) return checked;
  const HloComputation& entry = checked.module.computations[checked.module.entry];
  checked.op = checked_op(checked.module, entry, entry.instructions[entry.root]);
  return checked;
}

// The operation of the root, which must be of this type.
template <class Operation>
Operation valid(absl::string_view text) {
  const Checked root = root_of(text);
  EXPECT_TRUE(root.op.ok()) << root.op.status() << "\n" << text;
  if (!root.op.ok()) return {};
  const auto* operation = std::get_if<Operation>(&root.op->operation);
  EXPECT_NE(operation, nullptr) << text << ": index " << root.op->operation.index();
  return operation == nullptr ? Operation() : *operation;
}

}  // namespace tileproof
