// What a client may ask before it enters: the settings, the world, how the game goes and who plays it.
// Law: it is answered once the world is known, or nobody will ever know it.
#pragma once

#include <optional>
#include <string>

#include "adapters/bzflag/front/cast.h"
#include "proxy/core/tank/flag_numbers.h"

namespace entente::bzflag {

class Lobby {
 public:
  Lobby(Client& client, const Cast& cast, core::FlagNumbers& flags) : client_(client), cast_(cast), flags_(flags) {}

  void hear(const WantSettings&, FrontOut& out);
  void hear(const WantWorldHash&, FrontOut& out);
  void hear(const GetWorld& wanted, FrontOut& out);
  void hear(const QueryGame&, FrontOut& out);
  void hear(const QueryPlayers&, FrontOut& out);

  /// Gives what was asked for, if there is an answer.
  void answer(FrontOut& out);
  /// So many shots each player may have in the air.
  std::uint16_t most_shots() const { return most_shots_; }

 private:
  void build_world(FrontOut& out);
  GameSettings settings(const FrontOut& out) const;
  GameAnswer game_answer(const FrontOut& out) const;
  void send_chunk(std::size_t offset, FrontOut& out);
  bool known(FrontOut& out);

  Client& client_;
  const Cast& cast_;
  core::FlagNumbers& flags_;
  bool wants_settings_ = false, wants_hash_ = false, wants_game_ = false, wants_players_ = false;
  std::optional<std::uint32_t> wants_world_;  // from there on
  core::Micros patience_ = 0;                 // until when the world is waited for
  Buffer database_;
  std::string hash_;
  double size_ = 800;
  std::uint16_t most_shots_ = 20;
};

}  // namespace entente::bzflag
