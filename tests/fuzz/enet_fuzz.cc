// Datagrams of an ENet conversation, some of them hostile. Input: each is a byte (1 = to the client, 2 = datagrams
// before it are missing), its size in two bytes, and its bytes.
// Invariant: whatever sizes they announce, each packet is within the limit, and nothing is read outside of a datagram.
#include <algorithm>
#include <cstdlib>

#include "proxy/net/enet/enet_dissector.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/target.h"

namespace entente::enet_fuzz {
namespace {

using namespace entente::net;
using wire::Way;

constexpr std::size_t kMostExpanded = 4096;  // bytes of a datagram, after the range coder

void require(bool truth) {
  if (!truth) std::abort();
}

struct Told final : EnetHeard {
  void connect(std::uint32_t) override {}
  void disconnect(Way, std::uint32_t) override {}
  void packet(Way, std::uint8_t, EnetDelivery send, Bytes bytes) override {
    require(bytes.size() <= EnetDissector::kLargestPacket);
    if (send == EnetDelivery::kReliable) sum += bytes.size();
  }
  void fault(Way, const Fault& fault, Bytes bytes) override {
    require(fault.what != nullptr && *fault.what != '\0');
    wrong += bytes.size();
  }
  std::size_t sum = 0;
  std::size_t wrong = 0;  // bytes of this datagram
};

void check_one(Bytes datagram, EnetUnpacker& unpacker) {
  const auto header = enet_header(datagram);
  const auto opened = unpacker.open(datagram);
  require(!opened.ok() || (header && opened->commands.size() <= kMostExpanded));
  const auto connect = enet_connect(datagram, unpacker);
  if (!connect) return;
  require(header->peer() == EnetHeader::kNobody && connect->channels >= 1 && connect->channels <= 255);
  require(enet_disconnect(connect->peer, 0).size() < datagram.size());  // a refusal does not amplify
}

}  // namespace

ENTENTE_FUZZ_TARGET(enet) {
  EnetUnpacker unpacker;
  EnetDissector dissector(unpacker);
  Told told;
  std::size_t sent = 0;
  for (Bytes left(data, size); left.size() >= 3;) {
    const Way way = (left[0] & 1U) != 0 ? Way::kToClient : Way::kToServer;
    if ((left[0] & 2U) != 0) dissector.lost(told);
    left = left.subspan(1);
    const Bytes datagram = fuzz::take_message(left);
    check_one(datagram, unpacker);
    told.wrong = 0;
    dissector.datagram(way, datagram, told);
    require(told.wrong <= std::max<std::size_t>(datagram.size(), kMostExpanded));
    sent += kMostExpanded;
  }
  dissector.end(told);
  require(told.sum <= sent);
  return 0;
}

}  // namespace entente::enet_fuzz
