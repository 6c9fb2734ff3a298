#include "tests/bench/floor_udp.h"

#include <sys/socket.h>

namespace entente::bench {

struct FloorUdp::Peer : Watched {
  Peer(FloorUdp& f, const sockaddr_in& c) : floor(f), client(c), upstream(open_socket(Kind::kUdp, nullptr)) {
    start_connect(upstream, floor.to_);
    floor.poll_.watch(upstream, EPOLLIN, *this);
  }
  void ready(std::uint32_t) override { floor.answer(*this); }

  FloorUdp& floor;
  sockaddr_in client;
  Fd upstream;
};

FloorUdp::Batch::Batch() {
  for (std::size_t i = 0; i < kBatch; ++i) {
    parts[i] = {bytes[i].data(), kDatagram};
    heads[i] = {};
    heads[i].msg_hdr.msg_name = &at[i];
    heads[i].msg_hdr.msg_namelen = sizeof at[i];
    heads[i].msg_hdr.msg_iov = &parts[i];
    heads[i].msg_hdr.msg_iovlen = 1;
  }
}

FloorUdp::FloorUdp(Poll& poll, Fd socket, const sockaddr_in& to) : poll_(poll), socket_(std::move(socket)), to_(to) {
  poll_.watch(socket_, EPOLLIN, *this);
}

FloorUdp::~FloorUdp() = default;

void FloorUdp::ready(std::uint32_t) {
  const int count = recvmmsg(socket_.get(), in_.heads.data(), kBatch, 0, nullptr);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count > 0 ? count : 0); ++i)
    send(peer(in_.at[i]).upstream.get(), in_.bytes[i].data(), in_.heads[i].msg_len, 0);
}

FloorUdp::Peer& FloorUdp::peer(const sockaddr_in& client) {
  auto& found = peers_[key(client)];
  if (!found) found = std::make_unique<Peer>(*this, client);
  return *found;
}

// One receive per readiness event: the poll reports remaining data again, and a second call would rarely find any.
void FloorUdp::answer(const Peer& from) {
  const auto got = recv(from.upstream.get(), out_.bytes[answers_].data(), kDatagram, 0);
  if (got < 0) return;
  out_.at[answers_] = from.client;
  out_.parts[answers_].iov_len = static_cast<std::size_t>(got);
  if (++answers_ == kBatch) flush();
}

void FloorUdp::flush() {
  if (answers_ == 0) return;
  sendmmsg(socket_.get(), out_.heads.data(), static_cast<unsigned>(answers_), 0);
  answers_ = 0;
}

}  // namespace entente::bench
