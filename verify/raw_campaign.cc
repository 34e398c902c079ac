// Every parser on texts that hardly are what it reads, many of them, without sanitizers:
//
//     raw_campaign shape|map|hlo|json|protocol COUNT [--seed SEED] [--record FILE]
//     raw_campaign map --show NUMBER [--seed SEED]
//
// A text is one of the corpus with a few bytes changed: replaced, dropped, doubled, words and
// numbers at the limits put in, brackets repeated, two texts joined. Text number i of a seed is the
// same in every run. Wanted: an answer; an error in one line that names the place; what is read
// prints, reads back, and is the same.
//
// With a record, a line for every chunk, a campaign goes on where it was stopped
// (verify/campaign_record.h). A chunk runs in a process of its own: where that dies or takes too
// long, the text is told. Exits 1 if anything was found, 2 if the call is wrong.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/choose.h"
#include "fuzz/gen_hlo.h"
#include "spec/lang/hlo_text.h"
#include "spec/lang/map_text.h"
#include "spec/lang/shape_text.h"
#include "verify/campaign_record.h"
#include "verify/conform/oracle.h"

namespace tileproof::verify {
namespace {

struct Parser {
  std::string name;
  std::vector<std::string> texts;  // to start from
  std::vector<std::string> words;  // to put in
  int64_t chunk = 0;               // texts of a line of the record
  // "" if all is well; else what is not. `read`: was it accepted?
  std::function<std::string(const std::string& text, bool& read)> check;
};

std::string error_of(const absl::Status& status, absl::string_view place) {
  const absl::string_view message = status.message();
  if (message.empty() || absl::StrContains(message, '\n')) return "an error that is not one line";
  return absl::StrContains(message, place) ? "" : "an error that names no place";
}

// The usual check of a text form.
template <class Value, class Parse>
std::string read_back(const std::string& text, bool& read, const Parse& parse) {
  const absl::StatusOr<Value> value = parse(text);
  if (!value.ok()) return error_of(value.status(), "column ");
  read = true;
  const absl::StatusOr<Value> again = parse(to_text(*value));
  return again.ok() && *again == *value ? "" : "printed and not read back as it was";
}

std::vector<std::string> lines_of(const std::string& name, size_t most_bytes) {
  std::vector<std::string> lines;
  std::ifstream file(absl::StrCat(TILEPROOF_CORPUS "/", name));
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.size() <= most_bytes) lines.push_back(line);
  }
  return lines;
}

const std::vector<std::string>& numbers() {
  static const std::vector<std::string> limits = {"0",
                                                  "-1",
                                                  "9223372036854775807",
                                                  "-9223372036854775808",
                                                  "9223372036854775808",
                                                  "-9223372036854775809",
                                                  "4294967296",
                                                  "99999999999999999999999999",
                                                  "007"};
  return limits;
}

Parser shape_parser() {
  return {"shape",
          lines_of("layouts/real.txt", 200),
          {"f32",  "[",    "]", "{", "}", "T(",     "*",     "<=", "?", ":",     "S(1)", "E(4)",
           "L(8)", "M(1)", "(", ")", ",", "D(D,C)", "/* */", "//", "#", "tuple", "pred", "\n"},
          1'000'000,
          [](const std::string& text, bool& read) {
            return read_back<Shape>(text, read,
                                    [](const std::string& t) { return parse_shape(t); });
          }};
}

Parser map_parser() {
  std::vector<std::string> texts;
  for (const char* name : {"maps/regressions.txt", "maps/documents.txt"}) {
    for (const std::string& line : lines_of(name, 400)) {
      const std::string text = absl::StartsWith(line, "=> ") ? line.substr(3) : line;
      if (parse_map(text).ok()) texts.push_back(text);
    }
  }
  return {"map",
          std::move(texts),
          {"d0",
           "s0",
           "rt0",
           " floordiv ",
           " mod ",
           " ceildiv ",
           " + ",
           " * ",
           "-",
           "(",
           ")",
           "[",
           "]",
           "{",
           "}",
           " -> ",
           ", domain: ",
           " in [0, 9]",
           "KNOWN EMPTY",
           "affine_map<",
           "#xla.indexing_map<\"",
           ">",
           "\n",
           "hlo:",
           "is_simplified: true"},
          1'000'000,
          [](const std::string& text, bool& read) {
            return read_back<IndexingMap>(text, read,
                                          [](const std::string& t) { return parse_map(t); });
          }};
}

Parser hlo_parser() {
  std::vector<std::string> texts;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choose choose(Choose::Random{seed});
    texts.push_back(generate_operation(choose).text);
  }
  return {"hlo",
          std::move(texts),
          {"ROOT ",
           "ENTRY ",
           "HloModule m",
           "%",
           " = ",
           "f32[2,3]{1,0}",
           "(",
           ")",
           "{",
           "}",
           ",",
           "to_apply=",
           "dimensions={0}",
           "parameter(0)",
           "constant(1)",
           "add(",
           "/*",
           "*/",
           "//",
           "\"",
           "\\",
           "\n",
           "// -----\n",
           "metadata={op_name=\"a\"}",
           "->",
           "calls="},
          200'000,
          [](const std::string& text, bool& read) {
            return read_back<std::vector<HloModule>>(
                text, read, [](const std::string& t) { return parse_hlo_modules(t); });
          }};
}

std::vector<std::string> requests() {
  return {
      R"({"id": 7, "op": "layout.linearize", "shape": "f32[3,5]{1,0:T(2,2)}", "index": [2, 3]})",
      R"({"id": "a", "op": "layout.delinearize", "shape": "s8[7]{0:T(4)(2,1)}", "offsets": [0, 7]})",
      R"({"id": 1, "op": "layout.physical", "shape": "bf16[8,16]{1,0:T(8,128)(2,1)}"})",
      R"({"id": 2, "op": "map.evaluate", "map": "(d0) -> (d0 mod 3), domain: d0 in [0, 9]", )"
      R"("dims": [4], "ranges": [], "runtime": []})",
      R"({"id": 3, "op": "map.simplify", "map": "(d0) -> ((-d0) mod 2), domain: d0 in [0, 9]"})",
      R"({"id": 4, "op": "map.compose", "first": "(d0) -> (d0), domain: d0 in [0, 3]", )"
      R"("second": "(d0) -> (d0 * 2), domain: d0 in [0, 2]"})",
      R"({"id": 0, "op": "hello", "protocol": 1})",
      R"({"id": 9, "op": "hlo.index", "direction": "output_to_input", )"
      R"x("hlo": "r = f32[2,4] reshape(f32[8] p)"})x",
  };
}

const std::vector<std::string>& json_words() {
  static const std::vector<std::string> words = {"{",
                                                 "}",
                                                 "[",
                                                 "]",
                                                 ",",
                                                 ":",
                                                 "\"",
                                                 "\\u0041",
                                                 "\\ud800",
                                                 "null",
                                                 "true",
                                                 "1e9",
                                                 "1.5",
                                                 "\\",
                                                 "\xc3\xa9",
                                                 "\xff",
                                                 "\t",
                                                 "\"id\":",
                                                 "\"op\": \"tla.offset\"",
                                                 "-0",
                                                 "\"index\": [1]",
                                                 " "};
  return words;
}

Parser json_parser() {
  return {"json", requests(), json_words(), 1'000'000, [](const std::string& text, bool& read) {
            const absl::StatusOr<conform::JsonText> value = conform::read_json(text);
            if (!value.ok()) return error_of(value.status(), "column ");
            read = true;
            const std::string printed = conform::to_text(value->value);
            const absl::StatusOr<conform::JsonText> again = conform::read_json(printed);
            const bool same = again.ok() && again->value == value->value;
            return std::string(same || value->duplicate ? "" : "not read back as it was");
          }};
}

// A line is answered by one line that is an answer.
Parser protocol_parser() {
  return {"protocol", requests(), json_words(), 200'000, [](const std::string& text, bool& read) {
            const std::string line = conform::answer_line(text, conform::Engine::kImpl);
            const absl::StatusOr<conform::Answer> answer = conform::read_answer(line);
            if (!answer.ok() || absl::StrContains(line, '\n')) {
              return absl::StrCat("answered by what is no answer: ", line);
            }
            read = answer->kind == conform::Answer::Kind::kResult;
            return std::string();
          }};
}

// One edit of a text.
void change(Choose& choose, const Parser& parser, std::string& text) {
  const auto place = static_cast<size_t>(choose(std::ssize(text) + 1));
  const auto length = static_cast<size_t>(choose.between(1, 8));
  switch (choose(8)) {
    case 0:
      if (place < text.size()) text[place] = static_cast<char>(choose(256));
      return;
    case 1:
      text.erase(place, length);
      return;
    case 2:
      text.insert(place, text.substr(static_cast<size_t>(choose(std::ssize(text) + 1)), length));
      return;
    case 3:
      text.insert(place, choose.pick(parser.words));
      return;
    case 4: {  // a number becomes another
      size_t digit = text.find_first_of("0123456789", place);
      if (digit == std::string::npos) digit = text.size();
      const size_t end = text.find_first_not_of("0123456789", digit);
      text.replace(digit, end == std::string::npos ? end : end - digit, choose.pick(numbers()));
      return;
    }
    case 5:
      text.erase(place);
      return;
    case 6: {
      const std::string& other = choose.pick(parser.texts);
      text =
          text.substr(0, place) + other.substr(static_cast<size_t>(choose(std::ssize(other) + 1)));
      return;
    }
    default:
      if (choose.chance(15, 16)) {
        text.insert(place, 1, static_cast<char>(choose(256)));
      } else {  // deep nesting
        text.insert(place, static_cast<size_t>(choose(1200)),
                    choose.pick<char>({'(', '[', '{', '-'}));
      }
  }
}

std::string text_of(const Parser& parser, uint64_t seed, int64_t number) {
  Choose choose(Choose::Random{seed * 1'000'000'007 + static_cast<uint64_t>(number)});
  std::string text = choose.pick(parser.texts);
  for (int64_t edits = choose.between(0, 5); edits > 0; --edits) change(choose, parser, text);
  return text;
}

// What the process of a chunk leaves behind, however it ends.
struct Progress {
  int64_t number;  // the text that is looked at
  int64_t read;
  int64_t failures;
};

void run_chunk(const Parser& parser, uint64_t seed, int64_t first, int64_t count,
               Progress& progress) {
  for (progress.number = first; progress.number < first + count; ++progress.number) {
    const std::string text = text_of(parser, seed, progress.number);
    bool read = false;
    const std::string wrong = parser.check(text, read);
    progress.read += read;
    if (wrong.empty()) continue;
    ++progress.failures;
    std::printf("%s seed %lu, number %ld: %s: $'%s'\n", parser.name.c_str(), seed, progress.number,
                wrong.c_str(), absl::CEscape(text).c_str());
  }
  std::fflush(stdout);
}

// In a process of its own. How it died, or nothing.
std::string guarded_chunk(const Parser& parser, uint64_t seed, int64_t first, int64_t count,
                          Progress& progress) {
  progress = {};
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit limit{1800, 1800};  // seconds of the processor: thousands of times what it takes
    setrlimit(RLIMIT_CPU, &limit);
    run_chunk(parser, seed, first, count, progress);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  return absl::StrCat(parser.name, " seed ", seed, ", number ", progress.number, ": ",
                      WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended", ": $'",
                      absl::CEscape(text_of(parser, seed, progress.number)), "'");
}

absl::StatusOr<bool> run(const Parser& parser, CampaignRecord record, int64_t count) {
  record.campaign = absl::StrCat("raw-", parser.name);
  absl::StatusOr<int64_t> first = first_open_case(record);
  if (!first.ok()) return first.status();
  void* shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return absl::ResourceExhaustedError("expected memory to share");
  Progress& progress = *new (shared) Progress();
  bool right = true;
  for (; *first < count; *first += parser.chunk) {
    const int64_t cases = std::min(parser.chunk, count - *first);
    const std::string died = guarded_chunk(parser, record.seed, *first, cases, progress);
    if (!died.empty()) return absl::InternalError(died);
    right &= progress.failures == 0;
    const absl::Status status =
        append_chunk(record, *first, cases,
                     absl::StrCat(progress.read, " read, ", progress.failures, " failures"));
    if (!status.ok()) return status;
  }
  return right;
}

}  // namespace
}  // namespace tileproof::verify

int main(int argc, char** argv) {
  using namespace tileproof::verify;
  CLI::App app("Every parser on texts that hardly are what it reads.");
  std::string name;
  int64_t count = 0, show = -1;
  CampaignRecord record{"", "", 1};
  app.add_option("PARSER", name, "shape, map, hlo, json or protocol")->required();
  app.add_option("COUNT", count, "texts, those on record included");
  app.add_option("--show", show, "print text number N");
  app.add_option("--seed", record.seed, "of the texts");
  app.add_option("--record", record.path, "a line for every chunk that is done");
  CLI11_PARSE(app, argc, argv);
  for (const Parser& parser :
       {shape_parser(), map_parser(), hlo_parser(), json_parser(), protocol_parser()}) {
    if (parser.name != name) continue;
    if (show >= 0) {
      std::fputs(text_of(parser, record.seed, show).c_str(), stdout);
      return 0;
    }
    const absl::StatusOr<bool> right = run(parser, record, count);
    if (right.ok()) return *right ? 0 : 1;
    std::fprintf(stderr, "raw_campaign: %s\n", std::string(right.status().message()).c_str());
    return absl::IsInternal(right.status()) ? 1 : 2;
  }
  std::fprintf(stderr, "raw_campaign: expected shape, map, hlo, json or protocol\n");
  return 2;
}
