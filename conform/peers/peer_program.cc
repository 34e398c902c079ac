// SPDX-License-Identifier: Apache-2.0
#include "conform/peers/peer_program.h"

#include <iostream>
#include <utility>
#include <variant>

#include "absl/status/status.h"

namespace tileproof::peers {

absl::Status unsupported(absl::string_view why) { return absl::UnimplementedError(why); }

int run_peer(const std::string& name, int bits, const std::vector<std::string>& ops,
             Answer answer) {
  Json::Array offered(ops.begin(), ops.end());
  Json limits = Json::Object();
  if (bits != 0) set(limits, "bits", bits);
  const Json hello = conform::json_object(
      {{"name", name}, {"ops", std::move(offered)}, {"limits", limits}, {"window", 64}});

  for (std::string line; std::getline(std::cin, line);) {
    const std::variant<conform::Request, conform::Answer> read = conform::read_request(line);
    if (const auto* refused = std::get_if<conform::Answer>(&read)) {
      std::cout << to_text(*refused) << std::endl;
      continue;
    }
    const conform::Request& request = std::get<conform::Request>(read);
    const absl::StatusOr<Json> result =
        request.op == "hello" ? absl::StatusOr<Json>(hello) : answer(request);
    std::cout << to_text(result.ok() ? conform::result_answer(request.id, *result)
                                     : conform::failed_answer(request.id, result.status()))
              << std::endl;
  }
  return 0;
}

}  // namespace tileproof::peers
