// SPDX-License-Identifier: Apache-2.0
#include "fuzz/campaign/seeds.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <utility>

namespace tileproof::campaign {
namespace {

constexpr size_t kMaxWords = 256;

bool is_comment(const std::string& line) { return line.starts_with("#") || line.starts_with("//"); }

// Returns the inputs of a corpus file: its lines; the modules of a .hlo file, except those that are
// commented out; the answers of a golden file (verify/golden/golden.h).
std::vector<std::string> entries_of(std::ifstream& file, const std::string& name) {
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

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      out += c;
    }
  }
  return out + "\"";
}

// Returns a request about an entry of a corpus file. The entries of corpus/protocol are requests
// already; only they cover every operation.
std::string request_about(const std::string& file, size_t number, const std::string& entry) {
  if (file.starts_with("protocol/")) return entry;
  const std::string start = "{\"id\":" + std::to_string(number) + ",\"op\":\"";
  if (file.ends_with(".hlo")) {
    return start + "hlo.index\",\"hlo\":" + quoted(entry) + ",\"direction\":\"output_to_input\"}";
  }
  if (file.starts_with("layouts/")) {
    const std::string shape = ",\"shape\":" + quoted(entry);
    switch (number % 3) {
      case 0:
        return start + "layout.physical\"" + shape + "}";
      case 1:
        return start + "layout.linearize\"" + shape + ",\"index\":[0,1,2]}";
      default:
        return start + "layout.delinearize\"" + shape + ",\"offsets\":[0,1,7]}";
    }
  }
  const std::string map = quoted(entry);
  switch (number % 4) {
    case 0:
      return start + "map.simplify\",\"map\":" + map + "}";
    case 1:
      return start + "map.evaluate\",\"map\":" + map +
             ",\"dims\":[0,1],\"ranges\":[2],\"runtime\":[]}";
    case 2:
      return start + "map.compose\",\"first\":" + map + ",\"second\":" + map + "}";
    default:
      return start + "map.equal\",\"left\":" + map + ",\"right\":" + map + "}";
  }
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

std::vector<Seed> seeds_of(const Target& target, const std::filesystem::path& corpus,
                           std::vector<std::string>& notes, size_t most) {
  std::vector<Seed> seeds;
  for (const std::string& name : target.seeds) {
    std::ifstream file(corpus / name);
    const std::vector<std::string> entries = entries_of(file, name);
    if (entries.empty()) {
      notes.push_back("no seeds in " + (corpus / name).string());
      continue;
    }
    const size_t step = (entries.size() - 1) / most + 1;
    for (size_t i = 0; i + target.lines <= entries.size(); i += step) {
      std::string content;
      if (target.input == Input::kRequest) {
        content = request_about(name, i, entries[i]);
      } else {
        for (size_t line = 0; line < target.lines; ++line) {
          content += (line > 0 ? "\n" : "") + entries[i + line];
        }
      }
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
  std::string out = "[libfuzzer]\nmax_len = " + std::to_string(target.longest) +
                    "\nrss_limit_mb = " + std::to_string(target.memory_mb) + "\ntimeout = 25\n";
  for (const auto& [name, value] : options_of(target.schedule)) {
    out += name + " = " + std::to_string(value) + "\n";
  }
  if (!target.seeds.empty()) out += "dict = " + target.name + "_fuzzer.dict\n";
  return out;
}

}  // namespace tileproof::campaign
