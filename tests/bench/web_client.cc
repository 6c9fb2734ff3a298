#include "tests/bench/web_client.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>

namespace entente::bench {
namespace {

constexpr std::string_view kUpgrade =
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: ZW50ZW50ZSBiZW5jaCEhIQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
constexpr std::array<std::uint8_t, 4> kMask{0x37, 0xfa, 0x21, 0x3d};
constexpr std::uint8_t kWholeBinary = 0x82, kMasked = 0x80;

}  // namespace

WebClient::WebClient(Poll& poll, const sockaddr_in& to, Hear hear)
    : poll_(poll), hear_(std::move(hear)), fd_(open_socket(Kind::kTcp, nullptr)) {
  start_connect(fd_, to);
  poll_.watch(fd_, EPOLLOUT, *this);
}

void WebClient::ready(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) {
    poll_.change(fd_, EPOLLIN, *this);
    return send_whole(fd_, as_bytes(kUpgrade), "the upgrade: is the arena listening?");
  }
  static std::array<std::uint8_t, 1 << 16> bytes;
  const auto got = read(fd_.get(), bytes.data(), bytes.size());
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) die("a client's connection was closed");
  take({bytes.data(), static_cast<std::size_t>(got)});
}

void WebClient::take(Bytes bytes) {
  if (!heard_.empty()) {
    append(heard_, bytes);
    bytes = heard_;
  }
  while (const std::size_t taken = is_in_ ? take_message(bytes) : take_answer(bytes)) bytes = bytes.subspan(taken);
  heard_ = Buffer(bytes.begin(), bytes.end());
}

std::size_t WebClient::take_answer(Bytes bytes) {
  const auto end = as_text(bytes).find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  if (!as_text(bytes).starts_with("HTTP/1.1 101 ")) die("turned away: " + std::string(as_text(bytes).substr(0, end)));
  is_in_ = true;
  hear_({});
  return end + 4;
}

std::size_t WebClient::take_message(Bytes bytes) {
  if (bytes.size() < 2) return 0;
  if (bytes[0] != kWholeBinary) die("a frame that is no whole binary message: " + to_hex(bytes.first(2)));
  const std::size_t more = bytes[1] < 126 ? 0 : bytes[1] == 126 ? 2 : 8;  // bytes of the length that follow
  if (bytes.size() < 2 + more) return 0;
  std::size_t length = more == 0 ? bytes[1] : 0;
  for (const std::uint8_t byte : bytes.subspan(2, more)) length = length << 8 | byte;
  if (bytes.size() - 2 - more < length) return 0;
  hear_(bytes.subspan(2 + more, length));
  return 2 + more + length;
}

void WebClient::say(Bytes message) {
  std::array<std::uint8_t, 2 + kMask.size() + 125> frame{kWholeBinary,
                                                         static_cast<std::uint8_t>(kMasked | message.size())};
  std::copy(kMask.begin(), kMask.end(), frame.begin() + 2);
  for (std::size_t i = 0; i < message.size(); ++i) frame[2 + kMask.size() + i] = message[i] ^ kMask[i % kMask.size()];
  send_whole(fd_, Bytes(frame).first(2 + kMask.size() + message.size()), "a message");
}

}  // namespace entente::bench
