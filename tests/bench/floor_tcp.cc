#include "tests/bench/floor_tcp.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace entente::bench {
namespace {

constexpr std::size_t kRead = 16 << 10;        // most that is read from one sender in one turn
constexpr std::size_t kScratch = 512 * kRead;  // a full turn of the poll; unused pages are never touched

}  // namespace

struct FloorTcp::End : Watched {
  End(FloorTcp& f, Pair& p, Fd d) : floor(f), pair(p), fd(std::move(d)) {}
  void ready(std::uint32_t events) override {
    if (events & EPOLLOUT) floor.drain(*this);
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) floor.read_from(*this);
  }

  FloorTcp& floor;
  Pair& pair;
  Fd fd;
  End* other = nullptr;
  Buffer waiting;      // bytes for this end that its socket did not accept
  bool ended = false;  // it has closed its sending side
  bool shut = false;   // we have closed our sending side to it
};

struct FloorTcp::Pair {
  Pair(FloorTcp& floor, Fd accepted, Fd connecting)
      : front(floor, *this, std::move(accepted)), back(floor, *this, std::move(connecting)) {
    front.other = &back;
    back.other = &front;
  }
  End front, back;
  bool dead = false;
};

FloorTcp::FloorTcp(Poll& poll, Fd listener, const sockaddr_in& to)
    : poll_(poll), listener_(std::move(listener)), to_(to), scratch_(kScratch) {
  runs_.reserve(1024);
  poll_.watch(listener_, EPOLLIN, *this);
}

FloorTcp::~FloorTcp() = default;

void FloorTcp::ready(std::uint32_t) {
  while (Fd accepted = accept_next(listener_)) {
    Fd connecting = open_socket(Kind::kTcp, nullptr);
    start_connect(connecting, to_);
    Pair& pair = pairs_.emplace_back(*this, std::move(accepted), std::move(connecting));
    poll_.watch(pair.front.fd, EPOLLIN, pair.front);
    poll_.watch(pair.back.fd, EPOLLIN, pair.back);
  }
}

void FloorTcp::read_from(End& end) {
  if (end.ended || end.pair.dead) return;
  const auto got = read(end.fd.get(), scratch_.data() + used_, kRead);
  if (got > 0) {
    runs_.push_back({end.other, {scratch_.data() + used_, static_cast<std::size_t>(got)}});
    used_ += static_cast<std::size_t>(got);
  } else if (got == 0) {
    end.ended = true;
    runs_.push_back({end.other, {}});
    interest(end);
  } else if (errno != EAGAIN) {
    end.pair.dead = some_dead_ = true;
  }
}

void FloorTcp::flush() {
  for (const Run& run : runs_) {
    if (run.bytes.empty())
      shut_if_done(*run.to);
    else
      write_to(*run.to, run.bytes);
  }
  runs_.clear();
  used_ = 0;
  if (some_dead_) pairs_.remove_if([](const Pair& pair) { return pair.dead; });
  some_dead_ = false;
}

void FloorTcp::write_to(End& end, Bytes bytes) {
  const auto sent = send(end.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) {
    end.pair.dead = some_dead_ = true;
    return;
  }
  const auto left = bytes.subspan(sent < 0 ? 0 : static_cast<std::size_t>(sent));
  if (left.empty()) return;
  append(end.waiting, left);
  interest(end);
  interest(*end.other);
}

void FloorTcp::drain(End& end) {
  if (end.waiting.empty() || end.pair.dead) return;
  const Buffer waiting = std::exchange(end.waiting, {});
  write_to(end, waiting);
  if (!end.waiting.empty()) return;
  interest(end);
  interest(*end.other);
  if (end.other->ended) shut_if_done(end);
}

void FloorTcp::shut_if_done(End& end) {
  if (!end.waiting.empty()) return;
  shutdown(end.fd.get(), SHUT_WR);
  end.shut = true;
  if (end.other->shut) end.pair.dead = some_dead_ = true;
}

// Level-triggered: do not wait for a socket that must not be read or has nothing to write.
void FloorTcp::interest(End& end) {
  const bool read = !end.ended && end.other->waiting.empty();
  const bool write = !end.waiting.empty();
  poll_.change(end.fd, (read ? EPOLLIN : 0u) | (write ? EPOLLOUT : 0u), end);
}

}  // namespace entente::bench
