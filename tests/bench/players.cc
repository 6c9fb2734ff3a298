#include "tests/bench/players.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <string>

#include "tests/bench/speech.h"

namespace entente::bench {
namespace {

constexpr Nanos kJoinLimit = 40 * kSecond;
constexpr Nanos kLostAfter = kSecond / 10;  // a datagram not answered by then is lost
constexpr std::size_t kJoiningAtOnce = 16;
constexpr unsigned kPlayersPerAddress = 150;  // fewer than the server's ids: (address, id) identifies a player
constexpr std::uint32_t kOnTheWay = 256;      // most unanswered messages of one player, a power of two

sockaddr_in source(unsigned player) {
  return address("127.0.1." + std::to_string(1 + player / kPlayersPerAddress) + ":0");
}

}  // namespace

struct Players::Player {
  Player(Players& all, unsigned index) : players(all), to(all.cell_.to[index % all.cell_.to.size()]) {
    come(source(index));
  }

  void come(const sockaddr_in& from);
  void greet();
  void read_stream();
  void hear_greeting(Bytes bytes);
  void hear_chat(Bytes bytes);
  void hear_frames(Bytes bytes);
  void hear_frame(Bytes frame);
  void link();
  void read_datagram();
  void send_next(Nanos intended);
  void transmit();
  void take_answer(std::uint32_t number);

  struct Stream : Watched {
    explicit Stream(Player& p) : player(p) {}
    void ready(std::uint32_t events) override { events& EPOLLOUT ? player.greet() : player.read_stream(); }
    Player& player;
    Fd fd;
  };
  struct Link : Watched {
    explicit Link(Player& p) : player(p) {}
    void ready(std::uint32_t) override { player.read_datagram(); }
    Player& player;
    Fd fd;
  };

  bool on_the_way() const { return sent != done; }

  Players& players;
  const sockaddr_in to;
  Stream stream{*this};
  Link datagrams{*this};
  Buffer heard;  // the received part of an incomplete frame
  std::uint8_t id = 0;
  bool greeted = false, joined = false;
  ChatFrame chat, expected;
  UpdateFrame update{0};
  std::uint32_t sent = 0, done = 0;         // numbers of the newest message sent and of the newest answered
  std::array<Nanos, kOnTheWay> intended{};  // by message number
};

void Players::Player::come(const sockaddr_in& from) {
  stream.fd = open_socket(Kind::kTcp, &from);
  start_connect(stream.fd, to);
  players.poll_.watch(stream.fd, EPOLLOUT, stream);
}

void Players::Player::greet() {
  players.poll_.change(stream.fd, EPOLLIN, stream);
  send_whole(stream.fd, as_bytes(kHeader), "the header: is the relay listening?");
}

void Players::Player::read_stream() {
  std::array<std::uint8_t, 4096> bytes;
  const auto got = read(stream.fd.get(), bytes.data(), bytes.size());
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) die("the relay closed a player's connection");
  const Bytes view{bytes.data(), static_cast<std::size_t>(got)};
  if (!greeted)
    hear_greeting(view);
  else if (players.cell_.bridged)
    hear_frames(view);
  else if (players.playing_ && players.cell_.kind == Kind::kTcp)
    hear_chat(view);
}

void Players::Player::hear_greeting(Bytes bytes) {
  append(heard, bytes);
  if (heard.size() < kGreeting + kGameTime.size()) return;
  if (as_text(heard).substr(0, kVersion.size()) != kVersion) die("the greeting arrived changed");
  id = heard[kVersion.size()];
  heard.clear();
  greeted = true;
  if (players.cell_.kind == Kind::kUdp) return link();
  if (players.cell_.bridged) return send_whole(stream.fd, kEnter, "MsgEnter");
  joined = true;
  ++players.joined_;
}

// Usually each read gives one whole frame; `heard` is for relays that split the stream elsewhere.
void Players::Player::hear_chat(Bytes bytes) {
  if (!heard.empty() || bytes.size() % ChatFrame::kSize != 0) {
    append(heard, bytes);
    bytes = heard;
  }
  for (; bytes.size() >= ChatFrame::kSize; bytes = bytes.subspan(ChatFrame::kSize)) {
    expected.number(done + 1);
    if (!same(bytes.first(ChatFrame::kSize), expected.bytes())) die("a message arrived changed or out of order");
    take_answer(done + 1);
  }
  if (heard.empty()) return;
  const Buffer rest(bytes.begin(), bytes.end());
  heard = rest;
}

void Players::Player::hear_frames(Bytes bytes) {
  if (!heard.empty()) {
    append(heard, bytes);
    bytes = heard;
  }
  while (bytes.size() >= 4 && bytes.size() >= 4u + number16(bytes.data())) {
    const Bytes frame = bytes.first(4u + number16(bytes.data()));
    hear_frame(frame);
    bytes = bytes.subspan(frame.size());
  }
  heard = Buffer(bytes.begin(), bytes.end());
}

// A bridge admits its player once it is connected to the server; then the player asks for a tank, and gets it.
void Players::Player::hear_frame(Bytes frame) {
  const std::uint16_t code = code_of(frame);
  if (code == kAccept) send_whole(stream.fd, kAliveRequest, "MsgAlive");
  if (code == kAlive && frame.size() > 4 && frame[4] == id && !joined) {
    update = UpdateFrame(id, true);
    joined = true;
    ++players.joined_;
  }
  if (players.playing_ && (code == kUpdate || code == kSmallUpdate)) take_answer(UpdateFrame::number_of(frame));
}

// As in bzflag, a UDP socket on the same port as the TCP connection asks for the link, with the id from the greeting.
// If that UDP port is taken, the player reconnects from another port.
void Players::Player::link() {
  if (!datagrams.fd) {
    auto from = own_address(stream.fd);
    datagrams.fd = open_socket(Kind::kUdp, &from);
    if (!datagrams.fd) {
      from.sin_port = 0;
      greeted = false;
      return come(from);
    }
    start_connect(datagrams.fd, to);
    players.poll_.watch(datagrams.fd, EPOLLIN, datagrams);
    update = UpdateFrame(id);
  }
  const std::array<std::uint8_t, 5> request{0, 1, kLinkRequest >> 8, kLinkRequest & 0xff, id};
  send_whole(datagrams.fd, request, "a link request");
}

void Players::Player::read_datagram() {
  std::array<std::uint8_t, 2048> bytes;
  const auto got = recv(datagrams.fd.get(), bytes.data(), bytes.size(), 0);
  if (got < 0 && errno == EAGAIN) return;
  if (got < 0) die("the relay's UDP port");
  const Bytes datagram{bytes.data(), static_cast<std::size_t>(got)};
  if (code_of(datagram) == kLinkRequest && !joined) {
    const std::array<std::uint8_t, 4> established{0, 0, kLinkEstablished >> 8, kLinkEstablished & 0xff};
    send_whole(datagrams.fd, established, "link established");
    joined = true;
    ++players.joined_;
  } else if (datagram.size() == UpdateFrame::kSize) {
    take_answer(UpdateFrame::number_of(datagram));
  }
}

void Players::Player::send_next(Nanos at) {
  ++sent;
  intended[sent % kOnTheWay] = at;
  transmit();
}

void Players::Player::transmit() {
  if (players.cell_.bridged) {
    update.number(sent);
    send_whole(stream.fd, update.bytes(), "an update");
  } else if (players.cell_.kind == Kind::kTcp) {
    chat.number(sent);
    send_whole(stream.fd, chat.bytes(), "a message");
  } else {
    update.number(sent);
    send_whole(datagrams.fd, update.bytes(), "a datagram");
  }
}

void Players::Player::take_answer(std::uint32_t number) {
  if (number <= done || number > sent) return;  // the answer to a message that already counts as lost
  players.report_.lost += number - done - 1;
  done = number;
  players.answered(*this, intended[number % kOnTheWay]);
}

Players::Players(Poll& poll, const Cell& cell) : poll_(poll), cell_(cell) {}
Players::~Players() = default;

Report Players::run() {
  join();
  playing_ = true;
  const Nanos start = now_ns();
  const auto length = static_cast<Nanos>(cell_.seconds * 1e9);
  next_at_ = static_cast<double>(start);
  if (cell_.rate == 0)
    for (auto& player : players_) player->send_next(start);
  play(start + length / 5);

  report_ = {};
  const double before = cpu();
  const Nanos begin = now_ns();
  play(begin + length);
  report_.seconds = static_cast<double>(now_ns() - begin) * 1e-9;
  report_.cpu_seconds = cpu() - before;
  report_.messages = report_.latency.count();
  return report_;
}

double Players::cpu() const {
  double seconds = 0;
  for (const pid_t relay : cell_.relays) seconds += cpu_of(relay);
  return seconds;
}

void Players::join() {
  const Nanos limit = now_ns() + kJoinLimit;
  Nanos again = now_ns() + kLostAfter;
  while (joined_ < cell_.connections) {
    while (players_.size() < cell_.connections && players_.size() < joined_ + kJoiningAtOnce)
      players_.push_back(std::make_unique<Player>(*this, static_cast<unsigned>(players_.size())));
    poll_.turn(10);
    const Nanos now = now_ns();
    if (now > limit) die("only " + std::to_string(joined_) + " players could join in 40 s");
    if (now < again) continue;
    again = now + kLostAfter;
    for (auto& player : players_)
      if (!player->joined && player->datagrams.fd) player->link();
  }
}

void Players::play(Nanos until) {
  Nanos look = now_ns() + kLostAfter;
  for (Nanos now = now_ns(); now < until; now = now_ns()) {
    if (cell_.rate > 0) send_due(now);
    poll_.turn(cell_.rate > 0 ? 0 : 5);
    if (cell_.rate > 0 || cell_.kind == Kind::kTcp || now < look) continue;
    resend_lost(now);
    look = now + kLostAfter;
  }
}

// Messages are sent in a Poisson process, like those of many independent players.
void Players::send_due(Nanos now) {
  std::uniform_real_distribution<double> share(1e-9, 1.0);
  while (next_at_ <= static_cast<double>(now)) {
    Player& player = *players_[next_];
    next_ = (next_ + 1) % players_.size();
    if (player.sent - player.done < kOnTheWay)
      player.send_next(static_cast<Nanos>(next_at_));
    else
      ++report_.skipped;
    next_at_ += -std::log(share(random_)) * 1e9 / cell_.rate;
  }
}

void Players::resend_lost(Nanos now) {
  for (auto& player : players_) {
    if (!player->on_the_way() || now < player->intended[player->sent % kOnTheWay] + kLostAfter) continue;
    player->send_next(now);
  }
}

void Players::answered(Player& player, Nanos intended) {
  const Nanos now = now_ns();
  report_.latency.add(now - intended);
  if (cell_.rate == 0) player.send_next(now);
}

}  // namespace entente::bench
