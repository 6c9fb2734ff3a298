// Arbitrary bytes to a server or a client of WebSocket: an HTTP head, then frames, split anywhere.
// Invariant: no message above the limit is accepted, the result is the same however the bytes are split, and each
// message can be written and read again.
#include <cstdlib>
#include <string>

#include "proxy/net/web/http.h"
#include "proxy/net/web/websocket.h"
#include "proxy/net/web/websocket_handshake.h"
#include "tests/fuzz/target.h"

namespace entente::websocket_fuzz {
namespace {

using namespace entente::net;
using Role = WebSocket::Role;

constexpr std::size_t kLargest = 1000;

void require(bool truth) {
  if (!truth) std::abort();
}

/// All messages and close frames received, as one text.
struct Told final : WebSocket::User {
  explicit Told(Role its_role) : role(its_role) {}

  void message(Opcode opcode, Bytes payload) override {
    require(payload.size() <= kLargest);
    all += static_cast<char>(opcode);
    all += std::to_string(payload.size()) + ":";
    all += as_text(payload);
  }
  void close_frame(const CloseFrame& close_frame) override {
    all += "close" + std::to_string(close_frame.code) + close_frame.reason;
  }

  Role role;
  std::string all;
};

std::string hear(Role role, Bytes bytes, std::size_t piece) {
  Told told(role);
  WebSocket socket(role, kLargest, told);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const auto wrong = socket.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)));
    if (wrong) return told.all + wrong->what;
  }
  return told.all;
}

/// Writes again, in the other role, what it receives; reading that must give the same result.
struct Echo final : WebSocket::User {
  explicit Echo(Role role) : out_socket(role == Role::kServer ? Role::kClient : Role::kServer, kLargest, *this) {}
  void message(Opcode opcode, Bytes payload) override { out_socket.write(opcode, payload, said); }
  void close_frame(const CloseFrame& close_frame) override { out_socket.write(close_frame, said); }

  WebSocket out_socket;
  Buffer said;
};

void check_frames(Role role, Bytes bytes, std::size_t piece) {
  const std::string whole = hear(role, bytes, bytes.size() + 1);
  require(hear(role, bytes, piece) == whole);
  Echo echo(role);
  WebSocket socket(role, kLargest, echo);
  const bool well = !socket.feed(bytes);
  const std::string again = hear(role, echo.said, echo.said.size() + 1);
  require(well ? again == whole : whole.starts_with(again));
}

void check_head(HttpReader::Of of, Bytes bytes, std::size_t piece) {
  HttpReader reader(of);
  for (std::size_t at = 0; at < bytes.size() && !reader.complete(); at += piece) {
    const auto taken = reader.feed(bytes.subspan(at, std::min(piece, bytes.size() - at)));
    if (!taken) return;
  }
  if (!reader.complete()) return;
  const HttpHead& head = reader.head();
  require(head.headers.size() <= HttpReader::kMostHeaders);
  if (of == HttpReader::Of::kResponse) {
    (void)objection_to_upgrade(head, "key");
    return;
  }
  (void)accepts_origin(head, {});
  Buffer out;
  if (check_upgrade(head).status == 101) write_upgrade_answer(head, nullptr, out);
  write_upgrade_request({"h", head.target, "dGhlIHNhbXBsZSBub25jZQ==", forwarded_headers(head)}, out);
}

}  // namespace

ENTENTE_FUZZ_TARGET(websocket) {
  if (size < 2) return 0;
  const Bytes bytes(data + 2, size - 2);
  const std::size_t piece = 1U + data[1];
  const bool server = (data[0] & 1U) != 0;
  if ((data[0] & 2U) != 0)
    check_head(server ? HttpReader::Of::kRequest : HttpReader::Of::kResponse, bytes, piece);
  else
    check_frames(server ? Role::kServer : Role::kClient, bytes, piece);
  return 0;
}

}  // namespace entente::websocket_fuzz
