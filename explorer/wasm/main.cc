// SPDX-License-Identifier: Apache-2.0
// The answers for the page: a request and its answer are JSON texts.
#include <string>

#include "explorer/answers/answer.h"

// The text lives until the next call.
extern "C" const char* tileproof_answer(const char* request) {
  static std::string answer;
  static tileproof::explorer::Memory memory;
  answer = tileproof::explorer::answer_text(request, memory);
  return answer.c_str();
}

int main() {}
