// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/smt/proof_cache.h"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tileproof::verify {
namespace {

constexpr char kFormat[] = "tileproof proof cache 1\n";

// FNV-1a, 64 bits.
std::string hash_of(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

std::string body_of(absl::string_view question, absl::string_view answer) {
  return absl::StrCat(answer.size(), " ", question.size(), "\n", answer, "\n", question, "\n");
}

}  // namespace

std::string ProofCache::file_of(absl::string_view question) const {
  return absl::StrCat(directory_, "/", hash_of(question), ".proof");
}

std::optional<std::string> ProofCache::find(absl::string_view question) const {
  if (!is_used()) return std::nullopt;
  std::ifstream file(file_of(question), std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  const std::string text = std::move(content).str();
  absl::string_view left = text;
  if (!absl::ConsumePrefix(&left, kFormat)) return std::nullopt;
  const size_t end = left.find('\n');
  if (end == absl::string_view::npos) return std::nullopt;
  const absl::string_view checksum = left.substr(0, end), body = left.substr(end + 1);
  if (checksum != hash_of(body)) return std::nullopt;
  // The answer is what is left of the body if it is that of this question.
  const std::string tail = absl::StrCat("\n", question, "\n");
  const size_t head_end = body.find('\n');
  if (head_end == absl::string_view::npos) return std::nullopt;
  absl::string_view answer = body.substr(head_end + 1);
  if (!absl::ConsumeSuffix(&answer, tail)) return std::nullopt;
  return body == body_of(question, answer) ? std::optional<std::string>(answer) : std::nullopt;
}

void ProofCache::keep(absl::string_view question, absl::string_view answer) const {
  if (!is_used()) return;
  static std::atomic<int64_t> number = 0;
  const std::string name = file_of(question);
  const std::string temporary = absl::StrCat(name, ".", ::getpid(), ".", ++number);
  const std::string body = body_of(question, answer);
  {
    std::ofstream file(temporary, std::ios::binary);
    file << kFormat << hash_of(body) << "\n" << body << std::flush;
    if (!file) {
      std::remove(temporary.c_str());
      return;
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, name, error);  // readers see the whole file or none
  if (error) std::remove(temporary.c_str());
}

}  // namespace tileproof::verify
