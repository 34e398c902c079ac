// SPDX-License-Identifier: Apache-2.0
#include "explorer/serve/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/try.h"

namespace tileproof::explorer {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace net = boost::asio;
using conform::Milliseconds;
using net::ip::tcp;
using Error = boost::system::error_code;

// The page runs its own script and WebAssembly, and asks nobody but us.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; "
    "style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action "
    "'none'";

constexpr std::chrono::seconds kLinger(2);

struct Server {
  const ServerOptions& options;
  std::string page;
  Worker worker;
  net::io_context context{1};
  net::thread_pool asking{1};  // one thread: the worker answers one question after the other
  int connections = 0;
};

std::string text_of(beast::string_view text) { return std::string(text.data(), text.size()); }

// One connection: reads a request, writes its reply, and begins again.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Server& server) : stream_(std::move(socket)), server_(server) {
    ++server_.connections;
  }
  ~Session() { --server_.connections; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    parser_.emplace();
    parser_->body_limit(server_.options.most_body);
    parser_->header_limit(server_.options.most_header);
    stream_.expires_after(server_.options.read_time);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](Error error, size_t) { self->have_read(error); });
  }

 private:
  void have_read(Error error) {
    if (error == http::error::body_limit) {
      return refuse(413, absl::StrCat("expected at most ", server_.options.most_body, " bytes"));
    }
    if (error == http::error::header_limit) {
      return refuse(
          431, absl::StrCat("expected headers of at most ", server_.options.most_header, " bytes"));
    }
    if (error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message) {
      return refuse(400, absl::StrCat("expected a request of HTTP/1.1: ", error.message()));
    }
    if (error) return close();
    stream_.expires_never();  // the answer has a limit of its own
    const http::request<http::string_body>& got = parser_->get();
    HttpRequest request{text_of(got.method_string()), text_of(got.target()),
                        text_of(got[http::field::host]), text_of(got[http::field::origin]),
                        got.body()};
    // A page needs no answer of the worker: it must not wait for one.
    if (request.method != "POST") {
      return write(reply_to(request, server_.page, unasked), got.keep_alive());
    }
    // The session goes back to the thread of connections, where it also ends.
    net::post(server_.asking, [self = shared_from_this(), asked = std::move(request)]() mutable {
      Server& server = self->server_;
      HttpReply reply = reply_to(asked, server.page, [&](const std::string& question) {
        return server.worker.ask(question);
      });
      net::post(server.context, [back = std::move(self), made = std::move(reply)]() mutable {
        back->write(std::move(made), back->parser_->get().keep_alive());
      });
    });
  }

  static absl::StatusOr<std::string> unasked(const std::string&) {
    return absl::InternalError("only POST asks");
  }

  void refuse(int status, absl::string_view why) { write(error_reply(status, why), false); }

  void write(HttpReply reply, bool keep_alive) {
    const bool is_head = parser_->get().method() == http::verb::head;
    response_ = {static_cast<http::status>(reply.status), 11};
    response_.set(http::field::content_type, reply.type);
    response_.set(http::field::cache_control, "no-cache");
    response_.set("Content-Security-Policy", kPolicy);
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.keep_alive(keep_alive);
    response_.content_length(reply.body.size());
    if (!is_head) response_.body() = std::move(reply.body);
    stream_.expires_after(server_.options.read_time);
    http::async_write(stream_, response_,
                      [self = shared_from_this(), keep_alive](Error error, size_t) {
                        if (error || !keep_alive) return self->close();
                        self->read();
                      });
  }

  void close() {
    Error ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kLinger);
    drain();
  }

  // Reads what still comes: a socket that is closed before would cut off the reply.
  void drain() {
    stream_.async_read_some(buffer_.prepare(1 << 16),
                            [self = shared_from_this()](Error error, size_t) {
                              if (!error) self->drain();
                            });
  }

  beast::tcp_stream stream_;
  Server& server_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
};

// Sockets are no property of the process that answers: it would keep connections open that the
// server has closed.
void keep_from_children(tcp::acceptor& acceptor) {
  ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
}

void accept(tcp::acceptor& acceptor, Server& server) {
  acceptor.async_wait(tcp::acceptor::wait_read, [&acceptor, &server](Error error) {
    if (!acceptor.is_open()) return;
    const int taken =
        error ? -1
              : ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    tcp::socket socket(server.context);
    if (taken >= 0 && socket.assign(tcp::v4(), taken, error)) ::close(taken);
    if (socket.is_open() && server.connections < server.options.most_connections) {
      std::make_shared<Session>(std::move(socket), server)->read();
    }
    accept(acceptor, server);
  });
}

HttpReply answer(const std::string& body,
                 absl::FunctionRef<absl::StatusOr<std::string>(const std::string&)> ask) {
  const absl::StatusOr<conform::JsonText> question = conform::read_json(body);
  if (!question.ok()) return error_reply(400, question.status().message());
  if (question->value.as<conform::Json::Object>() == nullptr) {
    return error_reply(400, "expected a JSON object");
  }
  const absl::StatusOr<std::string> found = ask(to_text(question->value));
  return {
      200, "application/json",
      found.ok() ? *found : to_text(conform::json_object({{"error", found.status().message()}}))};
}

constexpr Milliseconds kGlance(100);  // how often it looks whether to stop

}  // namespace

absl::Status serve(const ServerOptions& options, const std::function<void(uint16_t)>& listening) {
  Server server{options, page_with_program(options.page), {options.worker, options.answer_time}};
  tcp::acceptor acceptor(server.context);
  const tcp::endpoint place(net::ip::address_v4::loopback(), options.port);
  Error error;
  acceptor.open(place.protocol(), error);
  if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(place, error);
  if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
  if (!error) acceptor.non_blocking(true, error);
  if (error) {
    return absl::UnavailableError(absl::StrCat("port ", options.port, ": ", error.message()));
  }
  keep_from_children(acceptor);
  listening(acceptor.local_endpoint().port());
  net::signal_set signals(server.context, SIGINT, SIGTERM);
  signals.async_wait([&](Error, int) { server.context.stop(); });
  accept(acceptor, server);
  server.context.run();
  server.worker.stop();
  server.asking.stop();
  server.asking.join();
  return absl::OkStatus();
}

std::string page_with_program(absl::string_view page) {
  constexpr absl::string_view kHead = "<head>";
  const size_t at = page.find(kHead);
  if (at == absl::string_view::npos) return std::string(page);
  return absl::StrCat(page.substr(0, at + kHead.size()),
                      "<script>window.tileproofProgram=true</script>",
                      page.substr(at + kHead.size()));
}

bool is_this_machine(absl::string_view host) {
  for (const absl::string_view name : {"localhost", "127.0.0.1", "[::1]"}) {
    absl::string_view rest = host;
    if (!absl::ConsumePrefix(&rest, name)) continue;
    int port = 0;
    if (rest.empty()) return true;
    if (absl::ConsumePrefix(&rest, ":") && absl::SimpleAtoi(rest, &port)) {
      return port > 0 && port < 65536;
    }
  }
  return false;
}

HttpReply error_reply(int status, absl::string_view message) {
  return {status, "text/plain; charset=utf-8", absl::StrCat(message, "\n")};
}

HttpReply reply_to(const HttpRequest& request, absl::string_view page,
                   absl::FunctionRef<absl::StatusOr<std::string>(const std::string&)> ask) {
  if (!is_this_machine(request.host)) {
    return error_reply(403, "expected the host localhost, 127.0.0.1 or [::1]");
  }
  absl::string_view origin = request.origin;
  if (!origin.empty() && !(absl::ConsumePrefix(&origin, "http://") && is_this_machine(origin))) {
    return error_reply(403, "expected a question from the page itself");
  }
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path == "/" || path == "/index.html") {
    if (request.method != "GET" && request.method != "HEAD")
      return error_reply(405, "expected GET");
    return {200, "text/html; charset=utf-8", std::string(page)};
  }
  if (path == "/answer") {
    if (request.method != "POST") return error_reply(405, "expected POST");
    return answer(request.body, ask);
  }
  return error_reply(404, "expected / or /answer");
}

absl::StatusOr<std::string> Worker::ask(const std::string& question) {
  if (!process_ || process_->ended()) process_.emplace(TRY(conform::Subprocess::start(command_)));
  const std::string line = question + "\n";
  absl::string_view left = line;
  std::string answer;
  const auto end = std::chrono::steady_clock::now() + limit_;
  while (answer.empty() || answer.back() != '\n') {
    const auto time =
        std::chrono::duration_cast<Milliseconds>(end - std::chrono::steady_clock::now());
    if (time.count() <= 0) {
      process_.reset();  // kills it
      return absl::DeadlineExceededError(
          absl::StrCat("no answer within ", limit_.count() / 1000, " s"));
    }
    if (stopped_) return absl::CancelledError("the server ends");
    const conform::Subprocess::Ready ready =
        process_->wait_for(!left.empty(), std::min(time, kGlance));
    bool gone = false;
    if (ready.write) {
      const std::optional<size_t> written = process_->write_some(left);
      gone = !written;
      left.remove_prefix(written.value_or(0));
    }
    if (ready.read && !process_->read_some(answer)) gone = true;
    if (gone && (answer.empty() || answer.back() != '\n')) {
      const std::optional<std::string> how = process_->end(Milliseconds(1000));
      process_.reset();
      return absl::InternalError(
          absl::StrCat("the process that answers ended: ", how.value_or("killed")));
    }
  }
  answer.pop_back();
  return answer;
}

}  // namespace tileproof::explorer
