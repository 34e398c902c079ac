// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "explorer/serve/server.h"

namespace tileproof::explorer {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::string> echo(const std::string& question) { return "asked " + question; }

HttpReply reply(HttpRequest request) {
  if (request.host.empty()) request.host = "localhost:8642";
  return reply_to(request, "<page>", echo);
}

TEST(ReplyTest, ServesThePage) {
  for (const char* target : {"/", "/index.html", "/?from=mail"}) {
    const HttpReply found = reply({.method = "GET", .target = target});
    EXPECT_EQ(found.status, 200) << target;
    EXPECT_EQ(found.body, "<page>");
    EXPECT_THAT(found.type, HasSubstr("text/html"));
  }
  EXPECT_EQ(reply({.method = "DELETE", .target = "/"}).status, 405);
}

TEST(ReplyTest, PassesOneLineOfJsonOn) {
  const HttpReply found =
      reply({.method = "POST", .target = "/answer", .body = "{\n \"ask\" :\r\n\"layout\"}"});
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.body, "asked {\"ask\":\"layout\"}");
  EXPECT_EQ(found.type, "application/json");
}

TEST(ReplyTest, RefusesWhatIsNoObjectOfJson) {
  for (const char* body : {"", "{", "[]", "7", "{\"a\":1} x", "\xff", "{\"a\":\"\xff\"}"}) {
    const HttpReply found = reply({.method = "POST", .target = "/answer", .body = body});
    EXPECT_EQ(found.status, 400) << body;
    EXPECT_THAT(found.body, ::testing::EndsWith("\n"));
  }
  EXPECT_EQ(reply({.method = "GET", .target = "/answer"}).status, 405);
  EXPECT_EQ(reply({.method = "GET", .target = "/etc/passwd"}).status, 404);
  EXPECT_EQ(reply({.method = "GET", .target = ""}).status, 404);
}

TEST(ReplyTest, RefusesOtherSites) {
  HttpRequest request{.method = "POST", .target = "/answer", .host = "evil.example", .body = "{}"};
  EXPECT_EQ(reply(request).status, 403);
  request.host = "127.0.0.1:80";
  EXPECT_EQ(reply(request).status, 200);
  request.origin = "http://evil.example";
  EXPECT_EQ(reply(request).status, 403);
  request.origin = "null";
  EXPECT_EQ(reply(request).status, 403);
  request.origin = "http://localhost:8642";
  EXPECT_EQ(reply(request).status, 200);
}

TEST(ReplyTest, KnowsTheNamesOfThisMachine) {
  for (const char* host : {"localhost", "localhost:1", "127.0.0.1:65535", "[::1]:80"}) {
    EXPECT_TRUE(is_this_machine(host)) << host;
  }
  for (const char* host : {"", "localhost.evil.example", "localhost:", "localhost:x", "localhost:0",
                           "localhost:65536", "127.0.0.10", "evil.example:80"}) {
    EXPECT_FALSE(is_this_machine(host)) << host;
  }
}

TEST(ReplyTest, AnErrorOfTheAnswerIsAnAnswer) {
  const HttpReply found =
      reply_to({.method = "POST", .target = "/answer", .host = "localhost", .body = "{}"}, "",
               [](const std::string&) -> absl::StatusOr<std::string> {
                 return absl::DeadlineExceededError("no answer within 1 s");
               });
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.body, "{\"error\":\"no answer within 1 s\"}");
}

TEST(ReplyTest, ThePageLearnsThatTheProgramAnswers) {
  EXPECT_EQ(
      page_with_program("<html><head><title>t</title></head></html>"),
      "<html><head><script>window.tileproofProgram=true</script><title>t</title></head></html>");
}

// The process here is a shell that answers each line in a way that the line names.

using conform::Milliseconds;

constexpr char kScript[] =
    "while read -r line; do case $line in "
    "die) exit 3 ;; silent) sleep 60 ;; half) printf 'half'; exit 0 ;; "
    "*) echo \"$$ $line\" ;; esac; done";

std::vector<std::string> shell() { return {"/bin/sh", "-c", kScript}; }

TEST(WorkerTest, OneProcessAnswersAll) {
  Worker worker(shell(), Milliseconds(20'000));
  const std::string first = *worker.ask("a"), second = *worker.ask("b");
  EXPECT_THAT(first, ::testing::EndsWith(" a"));
  EXPECT_EQ(first.substr(0, first.find(' ')), second.substr(0, second.find(' ')));
}

TEST(WorkerTest, LongLinesPass) {
  Worker worker(shell(), Milliseconds(20'000));
  const std::string line(1 << 20, 'x');
  const absl::StatusOr<std::string> found = worker.ask(line);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(*found, ::testing::EndsWith(line));
}

TEST(WorkerTest, ADeadProcessIsAnErrorAndTheNextQuestionIsAnswered) {
  Worker worker(shell(), Milliseconds(20'000));
  EXPECT_THAT(worker.ask("die").status().message(), HasSubstr("status 3"));
  EXPECT_TRUE(worker.ask("a").ok());
  EXPECT_FALSE(worker.ask("half").ok());
  EXPECT_TRUE(worker.ask("a").ok());
}

TEST(WorkerTest, ASlowAnswerIsAnErrorAndTheNextQuestionIsAnswered) {
  Worker worker(shell(), Milliseconds(2000));
  EXPECT_TRUE(absl::IsDeadlineExceeded(worker.ask("silent").status()));
  EXPECT_TRUE(worker.ask("a").ok());
}

TEST(WorkerTest, AMissingProgramIsAnError) {
  Worker worker({"/no/such/program"}, Milliseconds(1000));
  EXPECT_FALSE(worker.ask("a").ok());
}

}  // namespace
}  // namespace tileproof::explorer
