#include "proxy/net/enet/enet_memory.h"

#include <enet/enet.h>

#include <cstdlib>

namespace entente::net {
namespace {

thread_local EnetAllowance* charged = nullptr;
thread_local EnetUrgency is_urgent = nullptr;
thread_local std::uint32_t refusals = 0;
std::atomic<EnetMemoryUse*> watched{nullptr};

/// Stands before each block that ENet gets.
struct alignas(std::max_align_t) BlockHeader {
  EnetAllowance* allowance;  // null: it is not counted
  std::size_t size;          // with this header
};

BlockHeader* block_header_of(void* memory) { return static_cast<BlockHeader*>(memory) - 1; }

/// ENet delivers a packet as soon as all its fragments came, even if they leave gaps. Zeroed memory keeps old content
/// out of these gaps.
void* allocate(std::size_t size) {
  const std::size_t whole = sizeof(BlockHeader) + size;
  if (charged != nullptr && !charged->take(whole, is_urgent)) {
    ++refusals;
    return nullptr;
  }
  auto* const header = static_cast<BlockHeader*>(std::calloc(1, whole));
  if (header == nullptr) std::abort();
  if (EnetMemoryUse* const use = watched.load(std::memory_order_relaxed)) {
    const std::size_t now = use->now += whole;
    for (std::size_t before = use->most; now > before && !use->most.compare_exchange_weak(before, now);) continue;
  }
  header->allowance = charged;
  header->size = whole;
  if (charged != nullptr) charged->refer();
  return header + 1;
}

void release(void* memory) {
  if (memory == nullptr) return;
  stop_counting_enet_memory(memory);
  if (EnetMemoryUse* const use = watched.load(std::memory_order_relaxed)) use->now -= block_header_of(memory)->size;
  std::free(block_header_of(memory));
}

}  // namespace

bool EnetAllowance::take(std::size_t bytes, EnetUrgency urgent) {
  const std::size_t used = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (used <= most_ - reserve_ || (used <= most_ && urgent())) return true;
  give_back(bytes);
  return false;
}

void charge_enet_memory(EnetAllowance* to, EnetUrgency urgent) {
  charged = to;
  is_urgent = urgent;
}

void watch_enet_memory(EnetMemoryUse* use) { watched = use; }

std::uint32_t take_enet_refusals() { return std::exchange(refusals, 0); }

void stop_counting_enet_memory(void* memory) {
  if (memory == nullptr) return;
  BlockHeader& header = *block_header_of(memory);
  EnetAllowance* const allowance = std::exchange(header.allowance, nullptr);
  if (allowance == nullptr) return;
  allowance->give_back(header.size);
  allowance->unrefer();
}

void use_counted_enet_memory() {
  // The last one is called where memory is refused; ENet's own would end the program.
  const ENetCallbacks counted{allocate, release, [] {}};
  enet_initialize_with_callbacks(ENET_VERSION, &counted);
}

}  // namespace entente::net
