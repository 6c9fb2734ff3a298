#include "tests/bench/native_echo.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace entente::bench {

NativeEcho::NativeEcho(Poll& poll) : poll_(poll), port_(open_port()) { poll_.watch(port_.tcp, EPOLLIN, *this); }

void NativeEcho::ready(std::uint32_t) {
  while (Fd accepted = accept_next(port_.tcp)) {
    Player& player = players_.emplace_back(*this, std::move(accepted));
    poll_.watch(player.fd, EPOLLIN, player);
    player.server.greet(player.out);
    player.answer();
  }
}

void NativeEcho::Player::ready(std::uint32_t) {
  std::array<std::uint8_t, 16384> bytes;
  const auto got = read(fd.get(), bytes.data(), bytes.size());
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) {
    fd = Fd();
    left = echo.some_left_ = true;
    return;
  }
  server.receive({bytes.data(), static_cast<std::size_t>(got)}, out);
  answer();
}

void NativeEcho::Player::answer() {
  if (out.empty()) return;
  const auto sent = send(fd.get(), out.data(), out.size(), MSG_NOSIGNAL);
  if (sent >= 0 && static_cast<std::size_t>(sent) != out.size()) die("the native server's socket is full");
  out.clear();
}

void NativeEcho::sweep() {
  if (some_left_) players_.remove_if([](const Player& player) { return player.left; });
  some_left_ = false;
}

}  // namespace entente::bench
