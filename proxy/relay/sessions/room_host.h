// Hosts a room: a bridge's own (bridge_session.h), or one that many share (shared_room.h). Keeps the room's clock and
// alarm, and tells the tap its words.
// Law: the room is called from one place (enter) and calls nobody back; what it wants of the network beyond sending is
// done after it has returned.
#pragma once

#include <optional>

#include "proxy/core/room.h"
#include "proxy/net/loop.h"
#include "proxy/relay/tap/bridge_words.h"

namespace entente::relay {

class RoomHost : protected core::Room::Host, private net::Alarm::User {
 public:
  /// Of the call that the room is in.
  WallTime wall_in_call() const { return wall_; }
  /// By the same clock.
  WallTime wall_by_now() const { return began_wall_ + micros() * 1000; }

 protected:
  explicit RoomHost(net::Loop& loop);

  /// The room's time 0 is now, and not when its host was made.
  void start_clock();
  /// The room comes to be. Its words are told to `tap`, which may be null, on this link.
  void open_room(std::unique_ptr<core::Back> back, const core::RoomOptions& options, TapSink* tap, LinkId link,
                 bool with_secrets);
  /// The one way into the room: `call(room, time)`, and then what it wanted.
  template <class Call>
  void enter(Call&& call);
  /// Since the room's time 0.
  core::Micros micros() const { return (loop_.nanos() - epoch_) / 1000; }
  /// Between two words of the room: what was told so far made the world what it is.
  bool owes_world() const { return words_ && words_->owes_world(micros()); }
  /// When the room wants to be woken, by Loop::nanos.
  std::uint64_t wakes_at() const;
  void set_alarm(std::uint64_t nanos) { nanos == kNever ? alarm_.clear() : alarm_.set(nanos); }
  void note_untold() const;

  /// It is not there yet, or it is over.
  virtual bool is_shut() const { return !room_ || room_->over(); }
  /// The call has returned; the room may be called once more, by the same time.
  virtual void settle_call(core::Micros) {}
  virtual void after_call() = 0;

  void heard(const core::Intent& intent) override;
  void told(const core::Fact& fact) override;

  static constexpr std::uint64_t kNever = UINT64_MAX;

  std::optional<core::Room> room_;
  net::Alarm alarm_;

 private:
  void rang() override {
    enter([](core::Room& room, core::Micros at) { room.tick(at); });
  }

  net::Loop& loop_;
  TapSink* tap_ = nullptr;
  LinkId link_ = 0;
  std::optional<BridgeWords> words_;
  std::uint64_t epoch_ = 0;  // the room's time 0, by Loop::nanos
  WallTime began_wall_ = 0;  // the same by the wall
  WallTime wall_ = 0;        // of the call that the room is in
};

template <class Call>
void RoomHost::enter(Call&& call) {
  if (is_shut()) return;
  const core::Micros at = micros();
  wall_ = began_wall_ + at * 1000;
  call(*room_, at);
  settle_call(at);
  if (words_->owes_world(at)) words_->tell(link_, room_->world(), at, wall_);
  after_call();
}

}  // namespace entente::relay
