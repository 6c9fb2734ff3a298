#include "proxy/net/web/http_acceptor.h"

#include "proxy/net/network.h"
#include "proxy/net/socket.h"
#include "proxy/net/web/host_name.h"

namespace entente::net {
namespace {

std::string plain(unsigned status, std::string_view text) {
  Buffer out;
  write_answer(status, std::string(text) + "\n", out);
  return std::string(as_text(out));
}

/// Whether this may be a browser's request for a page of another site (DNS rebinding). Programs may send no Host.
bool is_foreign(const HttpHead& head) {
  const std::string* host = head.find("Host");
  return host != nullptr && !is_machine_name(name_of_host(*host));
}

/// A GET or HEAD gets what is under its path.
std::string reply(const HttpHead& head, const HttpAcceptor::Answer& find) {
  const bool wants_text = head.method == "GET";
  if (!wants_text && head.method != "HEAD") return plain(405, "only GET is answered here");
  const HttpAnswer answer = find(head.path());
  if (answer.text.empty()) return plain(404, "there is nothing at " + std::string(head.path()));
  Buffer out;
  const HttpHeader headers[] = {
      {"Content-Type", answer.type}, {"Content-Length", std::to_string(answer.text.size())}, {"Connection", "close"}};
  write_response_head(answer.status, headers, out);
  return std::string(as_text(out)) + (wants_text ? answer.text : "");
}

}  // namespace

Outcome<std::unique_ptr<HttpAcceptor>> HttpAcceptor::open(RequestLoop& loop, const Address& at, Answer answer) {
  const bool local = is_loopback_v4(at) || at.ip_text() == "::1";
  return open(
      loop, at,
      [answer = std::move(answer), local](const HttpRequest& request) {
        if (local && is_foreign(request.head)) return plain(403, "this name is not ours; use the IP address");
        return reply(request.head, answer);
      },
      0);
}

Outcome<std::unique_ptr<HttpAcceptor>> HttpAcceptor::open(RequestLoop& loop, const Address& at, RequestHandler handler,
                                                          std::size_t most_body) {
  auto sockets = listen(at, false);
  if (!sockets) return sockets.error();
  std::unique_ptr<HttpAcceptor> acceptor(new HttpAcceptor(sockets->address, std::move(handler), most_body));
  auto requests = RequestServer::open(
      loop, std::move(sockets->tcp),
      [raw = acceptor.get()](auto said, bool over, const Fd& fd) { return raw->hear(said, over, fd); });
  if (!requests) return requests.error();
  acceptor->requests_ = std::move(*requests);
  return acceptor;
}

/// Reads the request from its beginning each time, because a request usually is one packet.
std::optional<RequestServer::Answer> HttpAcceptor::hear(std::string_view said, bool over, const Fd& client) const {
  HttpReader reader(HttpReader::Of::kRequest, most_body_);
  const auto read = reader.feed(as_bytes(said));
  if (!read) return plain(read.error().what == std::string_view("body too large") ? 413 : 400, read.error().what);
  if (reader.complete() && said.size() - *read >= reader.body_size())
    return handler_({reader.head(), said.substr(*read, reader.body_size()), peer_address(client.get())});
  if (over) return plain(400, "the request ends early");
  return std::nullopt;
}

}  // namespace entente::net
