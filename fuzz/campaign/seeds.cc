// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <utility>

#include "fuzz/campaign/target.h"

namespace tileproof::campaign {
namespace {

constexpr size_t kMaxWords = 256;

// #map is a name of MLIR.
bool is_comment(const std::string& line) {
  return line == "#" || line.starts_with("# ") || line.starts_with("//");
}

// Returns a prefix of names: "maps-chains" for "maps/chains.txt".
std::string stem_of(const std::string& file) {
  std::string stem = file.substr(0, file.rfind('.'));
  std::replace(stem.begin(), stem.end(), '/', '-');
  return stem;
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
}

// Splits the text into names, numbers, and runs of signs.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    size_t end = at + 1;
    const bool word = in_word(text[at]);
    while (end < text.size() && in_word(text[end]) == word &&
           !std::isspace(static_cast<unsigned char>(text[end])) && end - at < 24) {
      ++end;
    }
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// Escapes a word for libFuzzer.
std::string escaped(const std::string& word) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < ' ' || byte > '~') {
      out += "\\x";
      out += kDigits[byte / 16];
      out += kDigits[byte % 16];
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> texts_in(const std::filesystem::path& corpus, const std::string& name) {
  std::ifstream file(corpus / name);
  const bool modules =
      name.ends_with(".hlo") || name.ends_with(".mlir") || name.ends_with(".pbtxt");
  const bool answers = name.starts_with("golden/");
  std::vector<std::string> entries;
  std::string several;  // lines
  const auto end_entry = [&] {
    if (!several.empty()) entries.push_back(std::exchange(several, ""));
  };
  for (std::string line; std::getline(file, line);) {
    if (answers) {
      if (line.starts_with("=> ")) {
        several += line.substr(3) + "\n";
      } else {
        end_entry();
      }
      continue;
    }
    if (modules && (line.starts_with("// -----") || line.starts_with("# -----"))) end_entry();
    if (line.empty() || is_comment(line)) continue;
    if (modules) {
      several += line + "\n";
    } else {
      entries.push_back(line);
    }
  }
  end_entry();
  return entries;
}

std::vector<Seed> seeds_of(const Target& target, const std::filesystem::path& corpus,
                           std::vector<std::string>& notes, size_t most) {
  std::vector<Seed> seeds;
  for (const std::string& name : target.seeds) {
    const std::vector<std::string> entries = texts_in(corpus, name);
    if (entries.empty()) {
      notes.push_back("no seeds in " + (corpus / name).string());
      continue;
    }
    const size_t step = (entries.size() - 1) / most + 1;
    const size_t lines = target.limits.lines;
    for (size_t i = 0; i + lines <= entries.size(); i += step) {
      std::string content = entries[i];
      for (size_t line = 1; line < lines; ++line) content += "\n" + entries[i + line];
      seeds.push_back({"seed-" + stem_of(name) + "-" + std::to_string(i), std::move(content)});
    }
  }
  return seeds;
}

std::string dictionary_of(const std::vector<Seed>& seeds) {
  std::map<std::string, int64_t> counts;
  for (const Seed& seed : seeds) {
    for (const std::string& word : words_of(seed.content)) ++counts[word];
  }
  std::vector<std::pair<std::string, int64_t>> words(counts.begin(), counts.end());
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (words.size() > kMaxWords) words.resize(kMaxWords);
  std::string out;
  for (const auto& [word, count] : words) out += "\"" + escaped(word) + "\"\n";
  return out;
}

std::string options_of(const Target& target) {
  std::string out = "[libfuzzer]\nmax_len = " + std::to_string(target.limits.longest) +
                    "\nrss_limit_mb = " + std::to_string(target.limits.memory_mb) +
                    "\ntimeout = 25\n";
  for (const auto& [name, value] : options_of(target.limits.schedule)) {
    out += name + " = " + std::to_string(value) + "\n";
  }
  if (!target.seeds.empty()) out += "dict = " + target.name + "_fuzzer.dict\n";
  return out;
}

}  // namespace tileproof::campaign
