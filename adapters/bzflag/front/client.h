// The client of a front: its link, its number, what it says about itself, and how far it has joined.
#pragma once

#include <string>

#include "adapters/bzflag/translate/peer_link.h"
#include "adapters/bzflag/wire/conversions.h"
#include "proxy/core/world.h"

namespace entente::bzflag {

using core::FrontOut;

class Client final : public PeerLink {
 public:
  enum class Stage : std::uint8_t { kHeader, kLoading, kEntering, kIn };

  explicit Client(std::size_t dialect) : PeerLink(dialect, wire::Way::kToServer), dialect_(dialect) {}

  void begin(std::string_view address, core::Micros now);
  core::Micros opened() const { return opened_; }
  /// The client's player number. The others get free ones.
  std::uint8_t number() const { return number_; }
  /// The index of its dialect in Game::dialects().
  std::size_t dialect_index() const { return dialect_; }
  bool in() const { return stage == Stage::kIn; }

  /// The time in our updates: since the client connected.
  float clock(const FrontOut& out) const;

  void say(std::uint8_t from, std::uint8_t to, bool action, std::string_view text, FrontOut& out);
  void server_says(std::string_view text, FrontOut& out) { say(kServerId, number_, false, text, out); }

  Stage stage = Stage::kHeader;
  words::Enter wish;

 private:
  std::size_t dialect_;
  std::uint8_t number_ = 0;
  core::Micros opened_ = 0;
};

}  // namespace entente::bzflag
