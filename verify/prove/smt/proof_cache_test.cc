// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/proof_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tileproof::verify {
namespace {

namespace fs = std::filesystem;

class ProofCacheTest : public ::testing::Test {
 protected:
  ProofCacheTest() { fs::remove_all(directory_), fs::create_directories(directory_); }
  ~ProofCacheTest() override { fs::remove_all(directory_); }

  // The only file in the directory.
  fs::path file() const { return fs::directory_iterator(directory_)->path(); }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(file(), std::ios::binary).rdbuf();
    return text.str();
  }
  void write(const std::string& text) const { std::ofstream(file(), std::ios::binary) << text; }

  const std::string directory_ = ::testing::TempDir() + "/proof_cache_test";
  const ProofCache cache_{directory_};
};

TEST_F(ProofCacheTest, FindsWhatWasKept) {
  EXPECT_EQ(cache_.find("map 1 a\nb"), std::nullopt);
  cache_.keep("map 1 a\nb", "proven");
  EXPECT_EQ(ProofCache(directory_).find("map 1 a\nb"), "proven");
  EXPECT_EQ(cache_.find("map 1 a\n"), std::nullopt);
  EXPECT_EQ(cache_.find("map 2 a\nb"), std::nullopt);
  cache_.keep("map 1 c", "a superset\nof two lines");
  EXPECT_EQ(cache_.find("map 1 c"), "a superset\nof two lines");
}

TEST_F(ProofCacheTest, WithoutADirectoryKeepsNothing) {
  const ProofCache none;
  none.keep("q", "proven");
  EXPECT_EQ(none.find("q"), std::nullopt);
}

TEST_F(ProofCacheTest, ADirectoryThatDoesNotExistKeepsNothing) {
  const ProofCache none(directory_ + "/missing");
  none.keep("q", "proven");
  EXPECT_EQ(none.find("q"), std::nullopt);
}

// No change of one byte, no shorter and no longer file gives an answer.
TEST_F(ProofCacheTest, DamagedFilesCountAsMissing) {
  cache_.keep("map 1 question", "proven");
  const std::string whole = content();
  ASSERT_EQ(cache_.find("map 1 question"), "proven");
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const char other : {char(whole[i] ^ 1), '0', '\n'}) {
      if (other == whole[i]) continue;
      std::string changed = whole;
      changed[i] = other;
      write(changed);
      EXPECT_EQ(cache_.find("map 1 question"), std::nullopt) << i;
    }
    write(whole.substr(0, i));
    EXPECT_EQ(cache_.find("map 1 question"), std::nullopt) << i;
  }
  write(whole + "\n");
  EXPECT_EQ(cache_.find("map 1 question"), std::nullopt);
  write(whole);
  EXPECT_EQ(cache_.find("map 1 question"), "proven");
}

// A valid file under the name of another question, as after a collision of hashes.
TEST_F(ProofCacheTest, TheFileOfAnotherQuestionCountsAsMissing) {
  cache_.keep("map 1 question", "proven");
  const std::string other = content();
  const fs::path name = file();
  cache_.keep("map 1 another", "proven");
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    if (entry.path() == name) continue;
    fs::copy_file(name, entry.path(), fs::copy_options::overwrite_existing);
  }
  EXPECT_EQ(cache_.find("map 1 another"), std::nullopt);
  EXPECT_EQ(cache_.find("map 1 question"), "proven");
}

}  // namespace
}  // namespace tileproof::verify
