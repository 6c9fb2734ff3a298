// Converts the eight-byte ids of the wiki page to the one-byte ids of all released programs, and back.
// Invariant: one to one while a player is in the game. An id of zeros stands for no player.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/messages.h"

namespace entente::bzflag {

class Addresses {
 public:
  /// `used`: whether the dialect has such ids. Otherwise nothing is stored.
  explicit Addresses(bool used) : known_(used ? kMostPlayers : 0) {}

  static bool is_nobody(const Address& address) {
    return address.ip == std::array<std::uint8_t, 4>{} && address.port == 0 && address.number == 0;
  }

  /// The number of the player with this address; nothing if there is none.
  std::optional<std::uint8_t> number(const Address& address) const {
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (known_[i] && same(*known_[i], address)) return static_cast<std::uint8_t>(i);
    return std::nullopt;
  }
  /// The address of a player; made up if the player's address is unknown. All zeros if the number is not a player's.
  Address address(std::uint8_t number) {
    if (number >= known_.size()) return {};
    if (!known_[number]) known_[number] = Address{{127, 0, 0, 1}, 0, number};
    return *known_[number];
  }
  void set(std::uint8_t number, const Address& address) {
    if (number < known_.size() && !is_nobody(address) && !this->number(address)) known_[number] = address;
  }
  /// The number of the player with this address. A new address gets a free number, but not `not_this`; nothing if all
  /// are in use.
  std::optional<std::uint8_t> meet(const Address& address, std::uint8_t not_this) {
    if (const auto old = number(address)) return old;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (known_[i] || i == not_this) continue;
      known_[i] = address;
      return static_cast<std::uint8_t>(i);
    }
    return std::nullopt;
  }
  void forget(std::uint8_t number) {
    if (number < known_.size()) known_[number].reset();
  }

 private:
  static bool same(const Address& a, const Address& b) {
    return a.ip == b.ip && a.port == b.port && a.number == b.number;
  }

  std::vector<std::optional<Address>> known_;
};

}  // namespace entente::bzflag
