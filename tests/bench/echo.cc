#include "tests/bench/echo.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "tests/bench/speech.h"

namespace entente::bench {
namespace {

constexpr std::uint8_t kIds = 200;  // as many as a real server has
constexpr std::array<std::uint8_t, 4> kEstablished{0, 0, kLinkEstablished >> 8, kLinkEstablished & 0xff};
constexpr std::array<std::uint8_t, 4> kRequested{0, 0, kLinkRequest >> 8, kLinkRequest & 0xff};

/// False: only a part fits into the socket.
bool send_all(const Fd& fd, Bytes bytes) {
  const auto sent = send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent < 0 || static_cast<std::size_t>(sent) == bytes.size();
}

}  // namespace

struct Echo::Player : Watched {
  Player(Echo& e, Fd accepted, std::uint8_t number) : echo(e), fd(std::move(accepted)), id(number) {}
  void ready(std::uint32_t) override;
  void greet(std::size_t heard);
  void say(Bytes bytes) {
    if (!send_all(fd, bytes)) hang_up();
  }
  void hang_up() {
    fd = Fd();
    left = echo.some_left_ = true;
  }

  Echo& echo;
  Fd fd;
  std::uint8_t id;
  std::size_t header_left = kHeader.size();
  bool linked = false;
  bool left = false;
};

void Echo::Player::ready(std::uint32_t) {
  std::array<std::uint8_t, 16384> bytes;
  const auto got = read(fd.get(), bytes.data(), bytes.size());
  if (got <= 0) {
    if (got < 0 && errno == EAGAIN) return;
    hang_up();
  } else if (header_left > 0) {
    greet(static_cast<std::size_t>(got));
  } else {
    say({bytes.data(), static_cast<std::size_t>(got)});
  }
}

/// Hangs up on who sends more than the header before the greeting.
void Echo::Player::greet(std::size_t heard) {
  if (heard > header_left) return hang_up();
  header_left -= heard;
  if (header_left > 0) return;
  Buffer greeting(kVersion.begin(), kVersion.end());
  greeting.push_back(id);
  append(greeting, kGameTime);
  say(greeting);
}

struct Echo::Datagrams : Watched {
  static constexpr std::size_t kBatch = 64;

  explicit Datagrams(Echo& e) : echo(e) {}
  void ready(std::uint32_t) override;
  bool is_about_the_link(std::size_t i);

  Echo& echo;
  std::array<std::array<std::uint8_t, 2048>, kBatch> bytes;
  std::array<sockaddr_in, kBatch> at;
  std::array<iovec, kBatch> parts;
  std::array<mmsghdr, kBatch> heads;
};

void Echo::Datagrams::ready(std::uint32_t) {
  for (std::size_t i = 0; i < kBatch; ++i) {
    parts[i] = {bytes[i].data(), bytes[i].size()};
    heads[i] = {{&at[i], sizeof at[i], &parts[i], 1, nullptr, 0, 0}, 0};
  }
  const int count = recvmmsg(echo.port_.udp.get(), heads.data(), kBatch, 0, nullptr);
  unsigned back = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count > 0 ? count : 0); ++i) {
    if (is_about_the_link(i)) continue;
    parts[i].iov_len = heads[i].msg_len;
    std::swap(heads[i], heads[back++]);
  }
  if (back > 0) sendmmsg(echo.port_.udp.get(), heads.data(), back, 0);
}

bool Echo::Datagrams::is_about_the_link(std::size_t i) {
  const Bytes datagram{bytes[i].data(), heads[i].msg_len};
  const auto code = code_of(datagram);
  if (code == kLinkRequest && datagram.size() == 5) echo.link(datagram[4], at[i]);
  return code == kLinkRequest || code == kLinkEstablished;
}

Echo::Echo(Poll& poll) : poll_(poll), port_(open_port()), datagrams_(std::make_unique<Datagrams>(*this)) {
  poll_.watch(port_.tcp, EPOLLIN, *this);
  poll_.watch(port_.udp, EPOLLIN, *datagrams_);
}

Echo::~Echo() = default;

void Echo::ready(std::uint32_t) {
  while (Fd accepted = accept_next(port_.tcp)) {
    Player& player = players_.emplace_back(*this, std::move(accepted), next_id_);
    next_id_ = static_cast<std::uint8_t>((next_id_ + 1) % kIds);
    poll_.watch(player.fd, EPOLLIN, player);
  }
}

void Echo::sweep() {
  if (some_left_) players_.remove_if([](const Player& player) { return player.left; });
  some_left_ = false;
}

// With more players than ids, several players share an id: each request links the next of them.
void Echo::link(std::uint8_t id, const sockaddr_in& from) {
  for (Player& player : players_) {
    if (player.id != id || player.linked || player.left) continue;
    player.linked = true;
    player.say(kEstablished);
    break;
  }
  sendto(port_.udp.get(), kRequested.data(), kRequested.size(), 0, reinterpret_cast<const sockaddr*>(&from),
         sizeof from);
}

}  // namespace entente::bench
