// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "corpus/files.h"
#include "corpus/paths.h"
#include "fuzz/campaign/libfuzzer.h"
#include "fuzz/campaign/parts.h"
#include "fuzz/campaign/target.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/stablehlo/stablehlo_text.h"

namespace tileproof::campaign {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

fs::path fresh_folder(const std::string& name) {
  fs::path folder = fs::path(::testing::TempDir()) / ("campaign_parts_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

const Target& target_named(const std::string& name) {
  for (const Target& target : all_targets()) {
    if (target.name == name) return target;
  }
  ADD_FAILURE() << "no target " << name;
  return all_targets().front();
}

Output output_of(const std::vector<std::string>& lines) {
  Output output;
  for (const std::string& line : lines) read_line(line, output);
  return output;
}

TEST(Output, ReadsTheLinesOfLibFuzzer) {
  const std::vector<std::string> lines = {
      "INFO: Seed: 1", "#2\tINITED cov: 812 ft: 2345 corp: 99/12Kb exec/s: 0 rss: 88Mb",
      "#1234\tNEW    cov: 815 ft: 2350 corp: 100/12Kb lim: 58 exec/s: 345 rss: 88Mb L: 3/9 MS: 1",
      "#1300\tREDUCE cov: 815 ft: 2350 corp: 100/11Kb lim: 58 exec/s: 345 rss: 88Mb",
      "stat::number_of_executed_units: 1500"};
  const Output output = output_of(lines);
  EXPECT_TRUE(output.started);
  EXPECT_EQ(output.executions, 1500);
  EXPECT_EQ(output.edges, 815);
  EXPECT_EQ(output.features, 2350);
  EXPECT_EQ(output.new_inputs, 1);
}

TEST(Output, ReadsTheLinesOfForkAndMerge) {
  const Output forked = output_of(
      {"INFO: -fork=1: 213 seed inputs, starting to fuzz in scratch/x.dir",
       "#60: cov: 2785 ft: 2785 corp: 213 exec/s 30 oom/timeout/crash: 0/0/0 time: 9s job: 1",
       "  NEW_FUNC: 0x56 in f() a.cc:69",
       "#162: cov: 3342 ft: 2964 corp: 246 exec/s 34 oom/timeout/crash: 1/2/4 time: 18s job: 2"});
  EXPECT_TRUE(forked.started);
  EXPECT_EQ(forked.executions, 162);
  EXPECT_EQ(forked.features, 2964);
  EXPECT_EQ(forked.new_inputs, 33);
  EXPECT_EQ(forked.failures, 7);
  EXPECT_FALSE(forked.edges) << "features are among them";
  const Output merged =
      output_of({"MERGE-OUTER: 5 new files with 12 new features added; 11 new coverage edges"});
  EXPECT_EQ(merged.features, 12);
  EXPECT_EQ(merged.edges, 11);
}

TEST(Output, DoesNotReadLinesThatOnlyLookLikeProgress) {
  Output output;
  for (const char* line :
       {"#", "#x", "    #1 0x55 in main", "#12", "", "#99999999999999999999 NEW cov: 1"})
    EXPECT_FALSE(read_line(line, output)) << line;
  EXPECT_FALSE(output.started);
}

std::string log_of(const std::string& script) {
  return run_program({"/bin/sh", "-c", script}, Clock::now() + std::chrono::seconds(60),
                     [](const Output&) { return true; })
      .log;
}

TEST(RunProgram, ReadsTheCauseBeforeALongStack) {
  const auto cause = cause_of(
      log_of("yes what a target says of an input | head -n 10000; echo FOUND: wrong map: 7\n"
             "echo '==7== ERROR: libFuzzer: deadly signal'\n"
             "yes '    #7 0x55 in tileproof::f() /r/spec/a.cc:7:3' | head -n 4000"));
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->line, "FOUND: wrong map: 7");
}

TEST(RunProgram, ReadsTheCauseOfAVeryLongLine) {
  const std::string endless = "head -c 3000000 /dev/zero | tr '\\0' x; ";
  const auto cause = cause_of(log_of("printf 'FOUND: wrong map: \\047'; " + endless));
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->text, "FOUND: wrong map");
  EXPECT_EQ(cause_of(log_of(endless + "echo FOUND: no; echo; echo FOUND: wrong"))->text,
            "FOUND: wrong")
      << "the rest of the line was read as a line";
}

TEST(RunProgram, SaysHowItEnded) {
  const auto how = [](const std::string& script, int milliseconds) {
    return why(run_program({"/bin/sh", "-c", script}, Clock::now() + Milliseconds(milliseconds),
                           [](const Output&) { return true; }));
  };
  EXPECT_EQ(how("echo one; echo two; exit 3", 60'000), "status 3: two");
  EXPECT_EQ(how("kill -9 $$", 60'000), "signal 9 (Killed)");
  EXPECT_EQ(how("trap '' INT TERM; while :; do sleep 1; done", 300), "no output in time");
}

TEST(CauseOf, DropsTheInputFromTheFoundLine) {
  const auto first =
      cause_of("FOUND: simplified to another map: '(d0) -> (d0 mod 2)' '(d0) -> (d0)' at d0 = 2\n");
  const auto second = cause_of("x\nFOUND: simplified to another map: '()' '()' at (7)\ny\n");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->text, "FOUND: simplified to another map");
  EXPECT_EQ(key_of("map_simplify", *first), key_of("map_simplify", *second));
  EXPECT_NE(key_of("map_equal", *first), key_of("map_simplify", *second));
  const auto hlo = cause_of(
      "FOUND: reduce is indexed wrongly at leaf 3, scope instruction: (d0) -> (d0), expected 7: "
      "tileproof map $'a\\'b 1'");
  EXPECT_EQ(hlo->text, "FOUND: reduce is indexed wrongly");
}

TEST(CauseOf, IsTheKindAndTheInnermostFunctionsOfAStack) {
  const std::string log =
      "==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x55\n"
      "READ of size 1 at 0x602 thread T0\n"
      "    #0 0x55 in __asan_memcpy (/x/t_fuzzer+0x1)\n"
      "    #1 0x55 in std::vector<int>::at(unsigned long) /usr/include/v.h:3:1\n"
      "    #2 0x55 in tileproof::(anonymous namespace)::read(int) /r/spec/a.cc:7:3\n"
      "    #3 0x55 in tileproof::parse_shape(std::basic_string_view<char>) /r/spec/b.cc:1:2\n"
      "    #4 0x55 in tileproof::x() /r/c.cc:1:2\n"
      "    #5 0x55 in tileproof::y() /r/c.cc:1:2\n"
      "    #6 0x55 in LLVMFuzzerTestOneInput /r/d.cc:1:2\n"
      "    #7 0x55 in fuzzer::Fuzzer::ExecuteCallback() (/x)\n"
      "\n"
      "0x602 is located 0 bytes to the right\n"
      "    #0 0x55 in tileproof::elsewhere() /r/e.cc:1:2\n"
      "SUMMARY: AddressSanitizer: heap-buffer-overflow\n";
  EXPECT_EQ(cause_of(log)->text,
            "heap-buffer-overflow in tileproof::read < tileproof::parse_shape < tileproof::x");
}

TEST(CauseOf, OfATimeoutIsItsOutermostFunctions) {
  const auto log = [](const std::string& inner) {
    return "==7== ERROR: libFuzzer: timeout after 25 seconds\n"
           "    #0 0x55 in __sanitizer_print_stack_trace (/x+0x1)\n"
           "    #1 0x55 in tileproof::" +
           inner +
           "() /r/a.cc:7:3\n"
           "    #2 0x55 in tileproof::f() /r/a.cc:7:3\n"
           "    #3 0x55 in tileproof::g() /r/a.cc:7:3\n"
           "    #4 0x55 in tileproof::check() /r/a.cc:7:3\n"
           "    #5 0x55 in LLVMFuzzerTestOneInput /r/a.cc:7:3\n";
  };
  EXPECT_EQ(cause_of(log("a"))->text, "timeout in tileproof::f < tileproof::g < tileproof::check");
  EXPECT_EQ(cause_of(log("a"))->text, cause_of(log("b"))->text);
}

TEST(CauseOf, OfARuntimeErrorIsItsFile) {
  EXPECT_EQ(cause_of("/r/spec/a.cc:12:7: runtime error: signed integer overflow: 9 + 1 cannot be "
                     "represented in type 'long'\n")
                ->text,
            "runtime error: signed integer overflow: N + N cannot be represented in type at a.cc");
}

TEST(CauseOf, IsAlwaysPrintable) {
  const auto cause = cause_of("FOUND: \xff\x01 wrong: '\xe1'\n");
  EXPECT_EQ(cause->text, "FOUND: \\xff\\x01 wrong");
  EXPECT_EQ(cause->line, "FOUND: \\xff\\x01 wrong: '\\xe1'");
}

TEST(CauseOf, IsNothingWithoutAFailure) {
  EXPECT_FALSE(cause_of(""));
  EXPECT_FALSE(cause_of("INFO: Seed: 7\nDone 100 runs in 3 second(s)\n"));
}

TEST(Report, TheProgressLineHasEveryNumber) {
  Progress progress;
  progress.left = Milliseconds(723'000);
  progress.executions = 9203112;
  progress.per_second = 35112.9;
  progress.features = 12345;
  progress.new_features = 93;
  progress.new_inputs = 41;
  progress.findings = 1;
  progress.running = {"map_equal", "merge of layout"};
  EXPECT_EQ(to_text(progress),
            "12m03s left, 9203112 runs, 35112/s, 12345 features (+93), 41 new inputs, 1 finding: "
            "map_equal, merge of layout");
}

TEST(Report, TimesAreRoundedDown) {
  EXPECT_EQ(time_text(999), "0s");
  EXPECT_EQ(time_text(59'999), "59s");
  EXPECT_EQ(time_text(60'000), "1m00s");
  EXPECT_EQ(time_text(3'600'000), "1h00m");
  EXPECT_EQ(time_text(12'000'000), "3h20m");
}

TEST(Files, ReadingAPipeFailsInsteadOfBlocking) {
  const fs::path folder = fresh_folder("files");
  EXPECT_FALSE(read_file(folder).ok());
  fs::create_symlink(folder / "nowhere", folder / "dangling");
  EXPECT_FALSE(read_file(folder / "dangling").ok());
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_file(folder / "pipe").ok());
}

TEST(Files, AWriteThatFailsLeavesTheOldFile) {
  const fs::path folder = fresh_folder("write");
  ASSERT_TRUE(write_file(folder / "a", "old").ok());
  fs::create_directory(folder / ".part-a");  // in place of the temporary file
  EXPECT_FALSE(write_file(folder / "a", "new").ok());
  EXPECT_EQ(*read_file(folder / "a"), "old");
}

TEST(Files, ALockHasOneHolderAndEndsWithIt) {
  const fs::path folder = fresh_folder("lock");
  {
    const absl::StatusOr<Lock> lock = Lock::take(folder);
    ASSERT_TRUE(lock.ok());
    EXPECT_THAT(std::string(Lock::take(folder).status().message()),
                HasSubstr("used by another campaign, process"));
  }
  EXPECT_TRUE(Lock::take(folder).ok());
}

TEST(Seeds, OfEveryTargetComeFromTheCorpusAndParse) {
  for (const Target& target : all_targets()) {
    std::vector<std::string> notes;
    const std::vector<Seed> seeds = seeds_of(target, project_path("corpus"), notes);
    EXPECT_TRUE(notes.empty()) << target.name << ": " << notes.front();
    EXPECT_EQ(seeds.empty(), target.seeds.empty()) << target.name;
    std::set<std::string> names;
    for (const Seed& seed : seeds) {
      EXPECT_TRUE(names.insert(seed.name).second) << seed.name;
      EXPECT_LE(std::ssize(seed.content), target.limits.longest)
          << target.name << ": libFuzzer cuts " << seed.name;
      if (absl::StartsWith(target.seeds.front(), "layouts/")) {
        const std::vector<std::string> shapes =
            absl::StrSplit(seed.content, '\n', absl::SkipEmpty());
        EXPECT_EQ(shapes.size(), target.limits.lines) << seed.content;
        for (const std::string& shape : shapes) EXPECT_TRUE(parse_shape(shape).ok()) << shape;
      }
      if (target.name == "map_parse") {
        EXPECT_TRUE(parse_map(seed.content).ok()) << seed.content;
      }
    }
  }
}

TEST(Seeds, OfMlirKeepTheNamesOfMaps) {
  std::vector<std::string> notes;
  int64_t with_names = 0;
  for (const Seed& seed : seeds_of(target_named("stablehlo_text"), project_path("corpus"), notes)) {
    if (!absl::StartsWith(seed.content, "#")) continue;
    ++with_names;
    const auto modules = stablehlo::parse_modules(seed.content);
    EXPECT_TRUE(modules.ok()) << seed.name << ": " << modules.status() << "\n" << seed.content;
  }
  EXPECT_GE(with_names, 3);
}

TEST(Seeds, AreASampleOfALargeFileOrAllOfIt) {
  std::ifstream file(project_path("corpus/layouts/real.txt"));
  size_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  const Target target{.name = "real", .seeds = {"layouts/real.txt"}};
  std::vector<std::string> notes;
  const size_t sampled = seeds_of(target, project_path("corpus"), notes).size();
  EXPECT_GT(sampled, kSampledSeeds / 2);
  EXPECT_LE(sampled, kSampledSeeds);
  EXPECT_EQ(seeds_of(target, project_path("corpus"), notes, lines).size(), lines);
}

TEST(AllTargets, AreTheTargetsOfTheBuild) {
  std::set<std::string> built, listed;
  for (const std::string& line : project_lines("fuzz/targets/CMakeLists.txt")) {
    if (line.starts_with("tileproof_fuzzer(")) built.insert(line.substr(17, line.find(' ') - 17));
  }
  for (const Target& target : all_targets()) listed.insert(target.name);
  EXPECT_EQ(listed, built);
}

TEST(AllTargets, AreTheRowsOfTheManual) {
  std::ifstream page(project_path("docs/fuzzing.md"));
  std::vector<std::string> rows, listed;
  for (std::string line; std::getline(page, line) && line != "## Replay";) {
    if (line.starts_with("| `")) rows.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  for (const Target& target : all_targets()) listed.push_back(target.name);
  EXPECT_EQ(rows, listed);
}

TEST(Seeds, TheOptionsOfOssFuzzAreThoseOfACampaign) {
  for (const Target& target : all_targets()) {
    const std::string options = options_of(target);
    EXPECT_THAT(options, HasSubstr("timeout = " + std::to_string(kInputSeconds) + "\n"));
    EXPECT_THAT(options,
                HasSubstr("rss_limit_mb = " + std::to_string(target.limits.memory_mb) + "\n"));
    EXPECT_THAT(options, HasSubstr("max_len = " + std::to_string(target.limits.longest) + "\n"));
    const Command command = fuzz_command({target, "/program", "/folder"}, {"kept"}, 2, 1);
    EXPECT_THAT(command, ::testing::IsSupersetOf({"-fork=2", "-detect_leaks=0"}));
    for (const auto& [name, value] : options_of(target.limits.schedule)) {
      EXPECT_THAT(options, HasSubstr(name + " = " + std::to_string(value) + "\n"));
      EXPECT_THAT(command, Contains("-" + name + "=" + std::to_string(value)));
    }
  }
}

TEST(Seeds, AFileWithoutSeedsIsANote) {
  std::vector<std::string> notes;
  EXPECT_TRUE(seeds_of(target_named("layout"), "/nowhere", notes).empty());
  EXPECT_EQ(notes.size(), 2u);
}

TEST(Seeds, TheDictionaryHasTheFrequentWordsEscaped) {
  EXPECT_EQ(dictionary_of({{"a", "mod mod \"\\ d0"}, {"b", "mod d0\x01"}}),
            "\"mod\"\n\"d0\"\n\"\\x01\"\n\"\\\"\\\\\"\n");
}

TEST(InputText, ARegressionIsALineOfTheCorpus) {
  EXPECT_EQ(regression_of(target_named("map_simplify"), "() -> (1)", "FOUND: wrong: '() -> (1)'",
                          "x_fuzzer a/b"),
            "// FOUND: wrong: '() -> (1)'\n// Replay: x_fuzzer a/b\n"
            "// Belongs into corpus/maps/regressions.txt\n() -> (1)\n");
  EXPECT_EQ(regression_of(target_named("nested"), "4:1", "FOUND: wrong", "x"),
            "# FOUND: wrong\n# Replay: x\n# Belongs into corpus/nested/regressions.txt\n4:1\n");
  EXPECT_THAT(regression_of(target_named("layout"), "f\x01", "x", "y"),
              HasSubstr("# The input, escaped: $'f\\001'\n"));
}

// Checks the comment style, too: the tests that read the file know only its own.
TEST(InputText, EveryTargetHasItsFileOfTheCorpus) {
  for (const Target& target : all_targets()) {
    const Regressions& form = target.regressions;
    std::ifstream file(project_path(absl::StrCat("corpus/", form.file)));
    EXPECT_TRUE(file) << target.name << ": " << form.file;
    const std::string other = form.comment == "#" ? "//" : "# ";  // #map is a name of MLIR
    for (std::string line; std::getline(file, line);) {
      EXPECT_FALSE(line.starts_with(other)) << form.file << ": " << line;
    }
    const std::string text = regression_of(target, "", "FOUND: wrong", "x");
    EXPECT_THAT(
        text, ::testing::StartsWith((form.modules ? "// -----\n" : "") + form.comment + " FOUND"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("escaped"))) << target.name;
  }
}

}  // namespace
}  // namespace tileproof::campaign
