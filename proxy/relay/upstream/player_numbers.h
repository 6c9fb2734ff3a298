// The numbers of players that clients were promised, before their server is there to give them.
// Invariant: thread-safe. A number is promised to one client at a time, and the lowest free one first, as servers do.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <utility>

namespace entente::relay {

class PlayerNumbers {
 public:
  static constexpr std::uint32_t kMost = 64;

  /// A promised number, or none. REQUIRES: destroyed before the PlayerNumbers.
  class Number {
   public:
    Number() = default;
    Number(Number&& other) noexcept : of_(std::exchange(other.of_, nullptr)), number_(other.number_) {}
    Number& operator=(Number&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(number_, other.number_);
      return *this;
    }
    ~Number() {
      if (of_ == nullptr) return;
      set_joins(false);
      of_->taken_ &= ~bit();
    }
    explicit operator bool() const { return of_ != nullptr; }
    std::uint32_t operator*() const { return number_; }
    /// Whether its client is joining, and its server has not given it the number yet.
    void set_joins(bool on) {
      if (on)
        of_->joining_ |= bit();
      else
        of_->joining_ &= ~bit();
    }
    /// Whether no client with a lower number is joining. Servers give the numbers in this order.
    bool is_next() const { return (of_->joining_ & (bit() - 1)) == 0; }

   private:
    friend class PlayerNumbers;
    std::uint64_t bit() const { return std::uint64_t{1} << number_; }
    Number(PlayerNumbers& of, std::uint32_t number) : of_(&of), number_(number) {}
    PlayerNumbers* of_ = nullptr;
    std::uint32_t number_ = 0;
  };

  /// None if kMost are promised. A further client may be promised kMost, which its server will hardly give.
  Number take() {
    std::uint64_t taken = taken_;
    for (;;) {
      const int free = std::countr_one(taken);
      if (free == static_cast<int>(kMost)) return {};
      if (taken_.compare_exchange_weak(taken, taken | std::uint64_t{1} << free))
        return {*this, static_cast<std::uint32_t>(free)};
    }
  }

 private:
  std::atomic<std::uint64_t> taken_{0}, joining_{0};
};

}  // namespace entente::relay
