#include "proxy/net/web/http_acceptor.h"

#include "proxy/net/socket.h"

namespace entente::net {
namespace {

std::string plain(unsigned status, std::string_view text) {
  Buffer out;
  write_answer(status, std::string(text) + "\n", out);
  return std::string(as_text(out));
}

}  // namespace

Outcome<std::unique_ptr<HttpAcceptor>> HttpAcceptor::open(const Address& at, Answer answer) {
  auto sockets = listen(at, false);
  if (!sockets) return sockets.error();
  std::unique_ptr<HttpAcceptor> acceptor(new HttpAcceptor(sockets->address, std::move(answer)));
  auto requests = RequestServer::begin(
      std::move(sockets->tcp),
      [raw = acceptor.get()](std::string_view said, bool over, const Fd&) { return raw->hear(said, over); });
  if (!requests) return requests.error();
  acceptor->requests_ = std::move(*requests);
  return acceptor;
}

/// What was said is read from its beginning each time: a request is one packet, as a rule.
std::optional<std::string> HttpAcceptor::hear(std::string_view said, bool over) const {
  HttpReader reader(HttpReader::Of::kRequest);
  if (const auto read = reader.feed(as_bytes(said)); !read) return plain(400, read.error().what);
  if (reader.complete()) return reply(reader.head());
  return over ? std::optional(plain(400, "the request ends early")) : std::nullopt;
}

std::string HttpAcceptor::reply(const HttpHead& head) const {
  const bool wants_text = head.method == "GET";
  if (!wants_text && head.method != "HEAD") return plain(405, "only GET is answered here");
  const HttpAnswer answer = answer_(head.path());
  if (answer.text.empty()) return plain(404, "there is nothing at " + std::string(head.path()));
  Buffer out;
  const HttpHeader headers[] = {
      {"Content-Type", answer.type}, {"Content-Length", std::to_string(answer.text.size())}, {"Connection", "close"}};
  write_response(answer.status, headers, out);
  return std::string(as_text(out)) + (wants_text ? answer.text : "");
}

}  // namespace entente::net
