// Random numbers, which follow from the seed.
#include <enet/enet.h>

#include <random>

#include "tests/lab/kernel/kernel.h"
#include "tests/lab/kernel/real.h"

namespace {

using namespace entente::lab;

constexpr enet_uint32 kMtu = 1392;  // that of ENet 1.3.18, in bytes

/// Outside of a simulation they are always the same.
std::uint64_t any_number() {
  static std::mt19937_64 outside(1);
  return Kernel::current() != nullptr ? kernel().pick(UINT64_MAX - 1) : outside();
}

void fill(unsigned char* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(any_number());
}

}  // namespace

std::random_device::result_type std::random_device::_M_getval() { return static_cast<result_type>(any_number()); }

extern "C" {

ssize_t getrandom(void* into, std::size_t size, unsigned) {
  fill(static_cast<unsigned char*>(into), size);
  return static_cast<ssize_t>(size);
}

int RAND_bytes(unsigned char* into, int size);  // of OpenSSL
int RAND_bytes(unsigned char* into, int size) {
  fill(into, static_cast<std::size_t>(size));
  return 1;
}

/// ENet takes its numbers from the address of the host in memory. Versions make different numbers of it, and have
/// different sizes of datagrams.
ENetHost* enet_host_create(const ENetAddress* at, std::size_t peers, std::size_t channels, enet_uint32 in,
                           enet_uint32 out) {
  ENetHost* const host = ENTENTE_LAB_REAL(enet_host_create, at, peers, channels, in, out);
  if (host == nullptr) return host;
  host->randomSeed = static_cast<enet_uint32>(any_number());
  host->mtu = kMtu;
  for (std::size_t i = 0; i < host->peerCount; ++i) host->peers[i].mtu = kMtu;
  return host;
}

/// The number of a connection is in the command that waits to be sent.
ENetPeer* enet_host_connect(ENetHost* host, const ENetAddress* to, std::size_t channels, enet_uint32 data) {
  ENetPeer* const peer = ENTENTE_LAB_REAL(enet_host_connect, host, to, channels, data);
  if (peer == nullptr) return peer;
  auto* const first = reinterpret_cast<ENetOutgoingCommand*>(enet_list_begin(&peer->outgoingCommands));
  first->command.connect.connectID = peer->connectID = static_cast<enet_uint32>(any_number());
  return peer;
}

}  // extern "C"
