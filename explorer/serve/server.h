// SPDX-License-Identifier: Apache-2.0
// An HTTP server for this machine alone: it listens on 127.0.0.1.
//
// Everything is bounded: connections, the sizes of headers and bodies, and the times to read a
// request, to answer it and to write the reply. One thread serves connections, another one asks the
// process that answers (worker.h), one question after the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tileproof::explorer {

struct ServerOptions {
  uint16_t port = 0;                   // 0: a free one
  std::string page;                    // HTML
  std::vector<std::string> worker;     // the command of the process that answers
  uint64_t most_body = 16 << 20;       // bytes
  uint32_t most_header = 16 << 10;     // bytes
  int most_connections = 64;           // further ones are closed
  std::chrono::seconds read_time{20};  // for a request
  std::chrono::milliseconds answer_time{60'000};
};

// Serves until the process gets SIGINT or SIGTERM. Calls `listening` with the port first. Errors:
// the port cannot be used.
absl::Status serve(const ServerOptions& options, const std::function<void(uint16_t)>& listening);

}  // namespace tileproof::explorer
