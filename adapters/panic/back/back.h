// Panic's back: a client of a real server. What the server tells becomes facts; what the player wants becomes Actions.
// Invariant: never sends an Action for a piece that is gone, or after defeat, because such an Action aborts the server
// for everybody.
#pragma once

#include <array>

#include "adapters/panic/back/driver.h"
#include "adapters/wire/message_link.h"
#include "proxy/core/faces.h"

namespace entente::panic {

class PanicBack final : public core::Back {
 public:
  PanicBack(const core::FaceOptions& options, std::shared_ptr<const Maps> maps);

  void opened(const core::Peer& peer, core::BackOut& out) override;
  void speaks(std::size_t dialect, core::BackOut& out) override;
  void receive(const Frames& frames, core::BackOut& out) override;
  void hear(const core::Intent& intent, core::BackOut& out) override;
  void tick(core::BackOut& out) override;
  void closed(std::string_view why, core::BackOut& out) override;
  void session_ends(std::string_view why, core::BackOut& out) override;

 private:
  using Out = core::BackOut;
  enum class Phase : std::uint8_t { kWaiting, kGreeted, kPlaying, kDefeated };

  // Messages of the server.
  void hear_message(const wire::MessageCodec<Message>::Heard& heard, Out& out);
  void on(const GameState& state, Out& out);
  void on(const CreatePiece& create, std::uint32_t code, Out& out);
  void on(const Event& event, std::uint32_t code, Out& out);
  void on_ammo(std::int32_t ammo, Out& out);
  void on_health(Piece& victim, std::int32_t health, Out& out);
  void on_destroy(Piece& victim, Out& out);
  void on_move(Piece& piece, const Event& move, Out& out);
  void on_over(bool won, Out& out);
  core::Id last_standing() const;
  void forget_all(Out& out);

  // Facts for the room.
  void start(Out& out);
  void tell_room(Out& out) const;
  void tell_player(core::Id id, std::uint32_t colour_slot, words::Role role, Out& out) const;
  void tell_players(Out& out);
  void tell_piece(const Piece& piece, Out& out) const;
  void tell_spawned(const Piece& piece, Out& out) const;
  void tell_owns(core::Id owner, Out& out) const;
  void tell_ammo(Out& out) const;
  /// `number`: the player's own for the shot, if it has one.
  void tell_shot(Piece& piece, std::optional<std::uint32_t> number, Out& out);
  void tell_death(const Piece& victim, const Piece* shooter, Out& out) const;
  void learn_wall(Tile tile, Out& out);
  core::Id owner_of(const Piece& piece, Out& out);

  // Intents of our player.
  void enter(const words::Enter& wish, Out& out);
  void hear_other(const core::Intent& intent, Out& out);
  bool has_lost() const;
  void spawn(Out& out);
  void select(const words::Select& wish, Out& out);
  void take_next_tank(Out& out);
  void drive(Out& out);
  void send(const Order& order, Out& out);
  void send_action(const Action& action, Out& out);
  void leave(std::string_view why, Out& out);

  std::size_t dialect_;
  bool quits_;  // says Quit when leaving
  std::shared_ptr<const Maps> maps_;
  wire::MessageLink<Message> link_;

  Phase phase_ = Phase::kWaiting;
  bool over_ = false;  // the room knows who has won
  bool left_ = false;
  core::Id self_ = 0;              // the player whose tanks are ours
  std::uint16_t number_ = 0;       // … that player's number on the wire
  std::uint32_t colour_slot_ = 0;  // … and colour
  std::vector<std::uint32_t> tanks_;
  std::int32_t ammo_ = 0;
  std::string name_;
  bool watches_ = false;              // came only to watch
  bool spawn_wished_ = false;         // the player asked to spawn before there was a tank
  bool awaits_spawn_ = false;         // the active tank is on the field, but its player has not taken it yet
  bool fresh_ = false;                // the player has not taken any tank yet
  std::uint32_t shots_ = 0;           // how many were reported so far
  std::array<core::Id, 4> others_{};  // by colour
  core::Micros settle_at_ = 0;
  Battlefield battlefield_;
  Driver driver_;
};

}  // namespace entente::panic
