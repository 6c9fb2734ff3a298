// What our client says about itself, and how it changes that.
#pragma once

#include <optional>

#include "adapters/bzdraft/front/player_table.h"

namespace entente::bzdraft {

class ClientProfile {
 public:
  ClientProfile(Client& client, PlayerTable& players) : client_(client), players_(players) {}

  void hear(const VersionUp& version, FrontOut& out);
  void hear(const AddPlayer& changed, FrontOut& out);
  /// Handles MsgEnter. Returns true if the client asks to join.
  bool enter(const Enter& enter, FrontOut& out);
  /// The client keeps its number and may try again.
  void reject(Refusal reason, std::string_view why, FrontOut& out);

  /// Whether a change waits for its answer.
  bool changes() const { return changing_ != 0; }
  /// The room reports the data of our client's player.
  void hear_own(const words::Player& player, FrontOut& out);
  void refuse_change(Refusal reason, std::string_view why, FrontOut& out);
  void check_change(FrontOut& out);

 private:
  void change(const std::string& name, const std::string& motto, std::optional<std::uint8_t> team, FrontOut& out);
  void confirm_change(FrontOut& out);

  Client& client_;
  PlayerTable& players_;
  core::Micros changing_ = 0;  // when the pending change was requested; 0: none is pending
  bool changes_team_ = false;  // the pending change is also one of the team
};

}  // namespace entente::bzdraft
