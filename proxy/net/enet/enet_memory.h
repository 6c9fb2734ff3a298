// The memory of ENet, counted by peer: packets that are incomplete or out of order, their fragments, and ENet's
// bookkeeping for them, which is larger than a small packet.
// Invariant: what a peer makes ENet keep never exceeds its EnetAllowance. What is above is refused as if the memory
// were used up: ENet then does not acknowledge it, and the peer sends it again. A part of the allowance is a reserve
// for the packet that others wait for: without it, packets that are out of order could keep out the one that they wait
// for, for ever.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace entente::net {

/// Whether the datagram that ENet reads has a packet that others wait for. Called when the rest of the allowance is
/// used.
using EnetUrgency = bool (*)();

/// What ENet may keep for one peer. Thread-safe. Lives as long as somebody refers to it, memory that it counts
/// included.
class EnetAllowance {
 public:
  /// Bytes in all, and those of them that are the reserve.
  static EnetAllowance* make(std::size_t most, std::size_t reserve) { return new EnetAllowance(most, reserve); }
  void refer() { references_.fetch_add(1, std::memory_order_relaxed); }
  void unrefer() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  bool take(std::size_t bytes, EnetUrgency urgent);
  void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  EnetAllowance(std::size_t most, std::size_t reserve) : most_(most), reserve_(reserve) {}

  const std::size_t most_, reserve_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::uint32_t> references_{1};
};

/// Owns one reference to an EnetAllowance.
class EnetAllowanceRef {
 public:
  EnetAllowanceRef() = default;
  explicit EnetAllowanceRef(EnetAllowance* its) : its_(its) {}
  EnetAllowanceRef(EnetAllowanceRef&& other) noexcept : its_(std::exchange(other.its_, nullptr)) {}
  EnetAllowanceRef& operator=(EnetAllowanceRef&& other) noexcept {
    std::swap(its_, other.its_);
    return *this;
  }
  ~EnetAllowanceRef() {
    if (its_ != nullptr) its_->unrefer();
  }
  EnetAllowance* get() const { return its_; }

 private:
  EnetAllowance* its_ = nullptr;
};

/// From now on, on this thread, what ENet allocates counts for this peer. Null: for nobody, and it is not limited.
void charge_enet_memory(EnetAllowance* to, EnetUrgency urgent = nullptr);
/// How often memory was refused on this thread since the last call.
std::uint32_t take_enet_refusals();
/// This memory of ENet, which may be null, counts for nobody any more.
void stop_counting_enet_memory(void* memory);

/// What all of ENet in this process uses, in bytes.
struct EnetMemoryUse {
  std::atomic<std::size_t> now{0}, most{0};
};
/// For tests: counts it from now on; null: no longer. `use` outlives that.
void watch_enet_memory(EnetMemoryUse* use);

/// Makes ENet use this memory. REQUIRES: called before there is a host.
void use_counted_enet_memory();

}  // namespace entente::net
