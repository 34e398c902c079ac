// SPDX-License-Identifier: Apache-2.0
// The memory of terms, and the table of combinations.
#include "impl/map/normal_form/linear.h"

#include <gtest/gtest.h>

#include <map>

namespace tileproof::impl {
namespace {

TEST(TermArena, ReusesItsMemoryOnceItIsCleared) {
  TermArena arena;
  const Term* const first = arena.reserve(1);
  arena.keep(1);
  arena.clear();
  EXPECT_EQ(arena.reserve(1), first);
}

TEST(TermArena, SkipsChunksThatAreTooSmall) {
  TermArena arena;
  const Term* const small = arena.reserve(1);
  arena.keep(1);
  const Term* const large = arena.reserve(100'000);
  arena.keep(100'000);
  arena.clear();
  EXPECT_NE(small, large);
  EXPECT_EQ(arena.reserve(100'000), large);
}

TEST(FormIndex, ForgetsItsKeysWhenItIsCleared) {
  const Term terms[] = {{AtomId(0, 0), 2}, {AtomId(1, 1), 3}};
  FormIndex index;
  index.insert(FormKey({terms, 2, 5}, 7), 40);
  EXPECT_EQ(index.find(FormKey({terms, 2, 5}, 7)), 40);
  for (const FormKey& other : {FormKey({terms, 1, 5}, 7), FormKey({terms, 2, 4}, 7),
                               FormKey({terms, 2, 5}, 6), FormKey({terms + 1, 1, 5}, 7)}) {
    EXPECT_EQ(index.find(other), -1);
  }
  index.clear();
  EXPECT_EQ(index.find(FormKey({terms, 2, 5}, 7)), -1);
  index.insert(FormKey({terms, 2, 5}, 7), 41);
  EXPECT_EQ(index.find(FormKey({terms, 2, 5}, 7)), 41);
}

TEST(FormIndex, FindsAllOfManyKeys) {
  FormIndex index;
  for (int32_t i = 0; i < 1000; ++i) index.insert(FormKey({nullptr, 0, i % 10}, i / 10), i);
  for (int32_t i = 0; i < 1000; ++i)
    EXPECT_EQ(index.find(FormKey({nullptr, 0, i % 10}, i / 10)), i);
}

// Among two hundred thousand keys, some have the same hash of 32 bits.
TEST(FormIndex, DistinguishesKeysOfOneHash) {
  const auto expect_apart = [](const auto& key_of) {
    std::map<uint32_t, int32_t> seen;
    int pairs = 0;
    for (int32_t i = 0; i < 200'000 && pairs < 3; ++i) {
      const FormKey key = key_of(int64_t{i} * i * 1'000'003);
      const auto [other, is_new] = seen.emplace(key.hash, i);
      if (is_new) continue;
      FormIndex index;
      index.insert(key_of(int64_t{other->second} * other->second * 1'000'003), 1);
      EXPECT_EQ(index.find(key), -1);
      index.insert(key, 2);
      EXPECT_EQ(index.find(key), 2);
      ++pairs;
    }
    EXPECT_EQ(pairs, 3);
  };
  expect_apart([](int64_t i) { return FormKey({nullptr, 0, 7}, i); });
  expect_apart([](int64_t i) { return FormKey({nullptr, 0, i}, 7); });
}

}  // namespace
}  // namespace tileproof::impl
