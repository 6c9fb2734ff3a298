// The minimal UDP relay: one connected upstream socket per peer, datagrams read and sent in batches.
// Invariant: a datagram for a full socket is dropped, as UDP allows; nothing is queued across turns.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tests/bench/sockets.h"

namespace entente::bench {

class FloorUdp : public Watched {
 public:
  FloorUdp(Poll& poll, Fd socket, const sockaddr_in& to);
  ~FloorUdp() override;

  void ready(std::uint32_t events) override;  ///< clients have sent
  /// Sends the answers of this turn to their clients. Call it after each turn of the poll.
  void flush();

 private:
  struct Peer;
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kDatagram = 2048;  // a game's datagram fits into one Ethernet frame

  /// The datagrams of one system call.
  struct Batch {
    Batch();
    std::array<std::array<std::uint8_t, kDatagram>, kBatch> bytes;
    std::array<sockaddr_in, kBatch> at;
    std::array<iovec, kBatch> parts;
    std::array<mmsghdr, kBatch> heads;
  };

  Peer& peer(const sockaddr_in& client);
  void answer(const Peer& from);

  Poll& poll_;
  Fd socket_;
  sockaddr_in to_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Peer>> peers_;
  Batch in_, out_;
  std::size_t answers_ = 0;
};

}  // namespace entente::bench
