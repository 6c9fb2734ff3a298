// Runs a room for its owner: a bridge (bridge_session.h) or a shared room (shared_room.h). Keeps the room's clock and
// alarm, and gives its words to the tap.
// Invariant: only call_room() calls the room. During the call the room may send and close. Whatever else it asks for
// (dialling, ending a session) is done after the call has returned.
#pragma once

#include <optional>

#include "proxy/core/room/room.h"
#include "proxy/net/loop.h"
#include "proxy/relay/broadcast/broadcast.h"
#include "proxy/relay/route/house_rules.h"
#include "proxy/relay/tap/room_calls.h"
#include "proxy/relay/tap/room_words.h"
#include "proxy/relay/tap/word_echoes.h"

namespace entente::relay {

class RoomHost : protected core::Room::Host, private net::Alarm::User {
 public:
  /// The wall time of the current call of the room.
  WallTime wall_in_call() const { return wall_; }
  /// The wall time now, by the room's clock.
  WallTime wall_by_now() const { return began_wall_ + micros() * 1000; }
  /// A peer of the room sent this.
  void take_frames(core::Id end, const Frames& frames);

 protected:
  explicit RoomHost(net::Loop& loop);

  /// Restarts the room's clock at 0. It first starts when the host is made.
  void start_clock();
  /// Makes the room. Its words are told to `tap`, on this link, and to `broadcast`. Both may be null.
  void open_room(std::unique_ptr<core::Back> back, const core::RoomOptions& options, TapSink* tap, LinkId link,
                 bool with_secrets, std::shared_ptr<Broadcast> broadcast);
  /// The operator's rules for the room, instead of those before. Null: there are none. They begin when a player enters.
  /// REQUIRES: the room was opened.
  void keep_rules(std::shared_ptr<RuleBook> book, const HouseRules::Options& options);
  /// For them: a player has entered earlier.
  void begin_rules(core::Micros at) {
    if (house_rules_) house_rules_->begin(at);
  }
  /// For them: the server is lost.
  void tell_rules_server_down(std::string_view why, core::Micros at) {
    if (house_rules_) house_rules_->server_down(why, at);
  }
  /// For them: the world is that of the next server.
  void tell_rules_server_up(core::Micros at) {
    if (house_rules_) house_rules_->server_up(at);
  }
  /// Uses the clock of another host, whose time passes by itself. REQUIRES: there is no room yet.
  void share_clock(const RoomHost& other);
  /// Tells the tap of the room's words only from now on, in a call of the room: first that its world is `world`.
  /// REQUIRES: the room was opened without a tap.
  void begin_words(TapSink* tap, bool with_secrets, const core::WorldState& world);
  /// Its calls are told to the tap, too. REQUIRES: the room was opened, and not called yet.
  void record_calls(trace::RoomBegan began);
  /// Calls `call(room, time)`, then does what the room asked for. Nothing else calls the room.
  template <class Call>
  void call_room(Call&& call);
  /// Since the room's time 0.
  core::Micros micros() const { return own_time_ ? *own_time_ : (loop_.nanos() - epoch_) / 1000; }
  /// Whether a snapshot of the world is due. REQUIRES: not during a call of the room, when words and world may differ.
  bool owes_world() const { return words_ && words_->owes_world(micros()); }
  /// When the room wants to be woken, by Loop::nanos.
  std::uint64_t wakes_at() const;
  void set_alarm(std::uint64_t nanos) { nanos == kNever ? alarm_.clear() : alarm_.set(nanos); }
  /// Tells the tap what it was not told yet. The room is over.
  void tell_rest();

  // What a bridge's room asks its host, and tells it. It is recorded, so that the answers can be reproduced.
  /// What waits for this end. `now`: what waits there now. Within one call, the answers depend only on the first of
  /// them and on what was sent since.
  std::size_t waiting_for(core::Id end, std::size_t now) const;
  void note_sent(core::Id end, std::size_t bytes);
  bool note_answer(bool answer);
  void note_closed(core::Id end, std::string_view why, std::uint32_t code) { calls_.closed(end, why, code); }

  /// Whether there is no room yet, or it is over.
  virtual bool is_shut() const { return !room_ || room_->over(); }
  /// Whether it is the room of one player.
  virtual bool is_of_one() const { return false; }
  /// The client of a player; null: it has no link here.
  virtual const LinkInfo* client_of(core::Id player) const = 0;
  /// The client of a player who has no link here, for rules that ban it: the link is at another node, or gone. Null: it
  /// is not known.
  virtual const LinkInfo* past_client_of(core::Id /*player*/) const { return nullptr; }
  /// The room has told a player a line.
  virtual void announced(core::Id /*player*/, std::string_view /*text*/) {}
  /// The call has returned; the room may be called once more, with the same time.
  virtual void settle_call(core::Micros) {}
  virtual void after_call() = 0;

  bool passes(core::Intent& intent) override;
  void heard(const core::Intent& intent) override;
  void told(const core::Fact& fact) override;

  static constexpr std::uint64_t kNever = UINT64_MAX;

  std::optional<core::Room> room_;
  std::optional<core::Micros> own_time_;  // the room's time, where it does not pass by itself
  net::Alarm alarm_;
  mutable RoomCalls calls_;  // what is recorded of its calls; a shared room's are not

 private:
  void begin_piece() {
    for (auto& waiting : waiting_) waiting.reset();
    ruled_ = 0;
  }
  void run_rules(core::Micros at);
  void carry_out(const rules::Action& action, core::Micros at);
  void tell_player(core::Id player, const std::string& text, core::Micros at);
  void order_referee(const rules::Action& action, core::Micros at);
  void note_report(const rules::Action& action);
  static std::size_t side_of(core::Id end) { return end == core::kBackId ? 0 : end == core::kNextBackId ? 2 : 1; }
  void rang() override {
    call_room([this](core::Room& room, core::Micros at) {
      if (own_time_) return;  // what is due is told by what advances it
      calls_.tick(at);
      room.tick(at);
    });
  }

  net::Loop& loop_;
  TapSink* tap_ = nullptr;
  LinkId link_ = 0;
  std::optional<RoomWords> words_;
  bool with_secrets_ = false;  // in words_
  WordEchoes echoes_;
  mutable std::optional<std::size_t> waiting_[3];  // in this call: for the server, the player, the next server
  std::unique_ptr<HouseRules> house_rules_;        // null: there are none
  std::uint32_t ruled_ = 0;                        // intents that rules could hear in this call
  std::shared_ptr<Broadcast> broadcast_;
  std::uint64_t source_id_ = 0;  // the room's in broadcast_
  std::uint64_t epoch_ = 0;      // the room's time 0, by Loop::nanos
  WallTime began_wall_ = 0;      // the room's time 0, by the wall clock
  WallTime wall_ = 0;            // of the call that the room is in
};

template <class Call>
void RoomHost::call_room(Call&& call) {
  if (is_shut()) return;
  const core::Micros at = micros();
  wall_ = began_wall_ + at * 1000;
  begin_piece();
  if (house_rules_) house_rules_->tick(at);
  call(*room_, at);
  settle_call(at);
  if (house_rules_) run_rules(at);
  calls_.end_call(at, wall_);
  if (words_->owes_world(at)) words_->tell(link_, room_->world(), at, wall_);
  if (broadcast_ && room_->world().ready() && broadcast_->owes_world(source_id_, epoch_ + at * 1000))
    broadcast_->tell(source_id_, room_->world(), at, epoch_ + at * 1000);
  after_call();
}

}  // namespace entente::relay
