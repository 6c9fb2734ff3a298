// The back of a tank game: a player on somebody else's server. The parts of each game handle messages and words. This
// class has what all games share: dispatch of words, ticks, and the end of a session.
// Invariant: once goodbye is said, by either side, nothing more is sent to the server or the room.
#pragma once

#include "proxy/core/parts.h"
#include "proxy/core/tank/tank_control.h"
#include "proxy/core/tank/tank_flags.h"
#include "proxy/core/unsupported.h"

namespace entente::core {

class TankBack : public Back {
 public:
  void hear(const Intent& intent, BackOut& out) final;
  void tick(BackOut& out) final;
  void closed(std::string_view why, BackOut& out) final;
  void session_ends(std::string_view why, BackOut& out) final;

 protected:
  /// Handles a word that came before the player had entered, or from another player. False: the game has no use for
  /// such a word then.
  virtual bool hear_early(const Intent&, BackOut&) { return false; }
  virtual void hear_word(const Intent& intent, BackOut& out) = 0;
  /// The player asks to enter.
  virtual void enter(BackOut& out) = 0;
  virtual void say_goodbye(BackOut& out) = 0;
  virtual void look_after_link(BackOut&) {}
  virtual TankOnServer& tank() = 0;
  virtual TankControl& control() = 0;
  virtual TankHits& hits() = 0;

  /// Passes the word to the parts that have hear() for it. A word for no part may steer the tank; otherwise it is
  /// counted.
  template <std::span<const MappingLine> (*table)(), class... Parts>
  void hand_out(const Intent& intent, BackOut& out, Parts&... parts) {
    const auto each = [&]<class Word>(const Word& word) {
      if constexpr (kOneHears<Word, BackOut, Parts...>)
        hand(word, out, parts...);
      else if (!tank().steer(intent))
        drop_unsupported<table>(intent, out);
    };
    std::visit(each, intent.content);
  }
  /// The server was asked, or has said something. If the player is not in yet and the server has to answer, it has
  /// some time for that; then the player is refused.
  void await_server(BackOut& out);
  /// The peer broke its protocol.
  void fail(const Fault& fault, BackOut& out);

  JoinState state_;
  TankServerPlayers server_players_{state_};
  TankFlags tokens_{state_, server_players_};

 private:
  void hear_outside(const Intent& intent, BackOut& out);
  void claim_late(Claim claim, int times, BackOut& out);
  /// Says goodbye, unless that was done, and closes.
  void leave(std::string_view why, BackOut& out);
};

}  // namespace entente::core
