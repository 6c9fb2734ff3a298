// How much of a ring that fills the clients of each address may use, so that one address does not fill it for the
// others. Invariant: while less than half of the ring waits, everybody may write. Beyond, an address may use an equal
// share of the rest, which is divided among the addresses that write and one more. While less than a quarter waits,
// nothing is counted. Only opened() allocates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "proxy/net/address.h"
#include "proxy/relay/base/link_info.h"

namespace entente::relay {

/// Used by the thread that writes.
class RingShares {
 public:
  /// `capacity`: of the ring, in bytes. `most`: what may wait in it.
  RingShares(std::size_t capacity, std::size_t most) : quarter_(capacity / 4), half_(capacity / 2), most_(most) {}

  void opened(LinkId link, const net::Address& client) {
    const auto [its, is_new] = links_.emplace(link, nullptr);
    if (!is_new) return;
    its->second = &*shares_.try_emplace(client.host_key()).first;
    ++its->second->second.links;
  }
  void closed(LinkId link) {
    const auto its = links_.find(link);
    if (its == links_.end()) return;
    const Shares::value_type& share = *its->second;
    // If what it has written may still wait, who comes again at once goes on with the same share.
    if (--its->second->second.links == 0 && is_spent(share)) shares_.erase(net::Address(share.first));
    links_.erase(its);
  }

  /// Whether the link may write `bytes` more; counts them if so. `written`, `read`: the ring's positions.
  bool may_write(LinkId link, std::size_t bytes, std::size_t written, std::size_t read) {
    const std::size_t waiting = written - read;
    if (waiting <= quarter_) {
      if (turn_at_ != kNotCounting) forget();
      return true;
    }
    const auto its = links_.find(link);
    if (its == links_.end()) return true;
    if (turn_at_ == kNotCounting || read >= turn_at_) turn(written);
    Share& share = its->second->second;
    if (share.round != round_) {
      share.before = share.round + 1 == round_ ? share.now : 0;
      share.now = 0;
      share.round = round_;
    }
    const std::size_t writers = std::max(writers_, writers_before_) + 1;
    if (waiting > half_ && share.before + share.now + bytes > (most_ - half_) / writers) return false;
    if (share.now == 0) ++writers_;
    share.now += bytes;
    return true;
  }

 private:
  // What was written in this round and in the one before waits, and perhaps more than that does not: a round ends when
  // all is read that was written before it began.
  struct Share {
    std::size_t now = 0, before = 0;  // bytes that were written in `round`, and in the round before
    std::uint64_t round = 0;
    std::size_t links = 0;  // that are open
  };
  using Shares = std::unordered_map<net::Address, Share, net::AddressHash>;
  static constexpr std::size_t kNotCounting = SIZE_MAX;

  bool is_spent(const Shares::value_type& share) const { return share.second.round + 1 < round_; }
  void begin_round(std::uint64_t round) {
    round_ = round;
    std::erase_if(shares_, [this](const auto& one) { return one.second.links == 0 && is_spent(one); });
  }
  void turn(std::size_t written) {
    turn_at_ = written;
    writers_before_ = writers_;
    writers_ = 0;
    begin_round(round_ + 1);
  }
  void forget() {
    turn_at_ = kNotCounting;
    writers_ = writers_before_ = 0;
    begin_round(round_ + 2);
  }

  const std::size_t quarter_, half_, most_;
  Shares shares_;  // of addresses that have links, or whose last words may wait
  std::unordered_map<LinkId, Shares::value_type*> links_;
  std::uint64_t round_ = 2;
  std::size_t turn_at_ = kNotCounting;            // the ring's position at which the next round may begin
  std::size_t writers_ = 0, writers_before_ = 0;  // addresses that wrote in this round, and in the one before
};

}  // namespace entente::relay
