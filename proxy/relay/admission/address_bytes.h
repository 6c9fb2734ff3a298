// What waits in memory for the clients of each address: outboxes, documents, incomplete packets. One client is limited
// by its own limits; many clients of one address by this.
// Invariant: thread-safe; one for all listeners and workers. It keeps an entry only for addresses for which much waits.
// All addresses of an IPv6 /64 are one. When an address has too much, those of its readers go for whom the most waits.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "proxy/net/address.h"

namespace entente::relay {

class AddressBytes {
 public:
  /// The bytes of one client. Its address is the one it was made with. REQUIRES: destroyed before the AddressBytes.
  class Share {
   public:
    /// Null: nothing is counted.
    Share(AddressBytes* all, const net::Address& client) : all_(all), host_(client.unmapped().host_key()) {}
    ~Share() {
      if (steps_ != 0) (void)all_->set(host_, std::exchange(steps_, 0), 0, 0);
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// So many bytes wait now. False: for its address wait more than `most`, and for this client at least as much as
    /// for the others on average. 0: no limit. Costs nothing while little waits.
    bool set(std::size_t bytes, std::size_t most) {
      const std::size_t steps = bytes / kStep;
      if (all_ == nullptr || (steps == 0 && steps_ == 0)) return true;
      return all_->set(host_, std::exchange(steps_, steps), steps, most);
    }

   private:
    AddressBytes* all_;
    net::Address host_;
    std::size_t steps_ = 0;
  };

  /// Bytes are counted in steps of this size; less is not counted.
  static constexpr std::size_t kStep = 4 * 1024;

  /// The bytes that are counted for this address.
  std::size_t of(const net::Address& client) const;
  /// The number of addresses for which much waits.
  std::size_t known() const;

 private:
  struct Host {
    std::size_t steps = 0, readers = 0;
  };
  bool set(const net::Address& host, std::size_t before, std::size_t now, std::size_t most);

  mutable std::mutex mutex_;
  std::unordered_map<net::Address, Host, net::AddressHash> hosts_;
};

}  // namespace entente::relay
