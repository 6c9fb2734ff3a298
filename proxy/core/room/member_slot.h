// The members of a room, each with the Out that it is given and what the room knows of it. Parts of Room, for the
// files of this folder only.
// Invariant: what a member asks for goes to its room. A member that has left is not called any more.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/core/room/room.h"

namespace entente::core {

/// What fronts and backs have in common.
template <class Member, class Word>
class MemberSlot : public Out<Word> {
 public:
  // Out
  void send(Lane lane, Bytes frame) final {
    if (is_open()) room_.host_.send(id_, lane, frame);
  }
  std::size_t waiting_bytes() const final { return is_open() ? room_.host_.waiting_bytes(id_) : 0; }
  void close(std::string_view why, std::uint32_t code) final {
    if (has_left()) return;
    leave();
    room_.host_.close(id_, why, code);
  }
  void fail(const Fault& fault) final {
    if (has_left()) return;
    room_.host_.failed(id_, fault);
    close(fault.what, 0);
  }
  void wake(Micros at) final {
    if (!has_left()) room_.timers_.add(timer, at);
  }
  void count_drop(const MappingLine& line, const char* word) final { room_.intents_.count_drop(id_, line, word); }
  Micros now() const final { return room_.now_; }
  std::uint32_t random() final { return room_.numbers_.random(); }
  Id new_id() final { return room_.next_id(); }

  // For the room.
  bool is_open() const { return link_ == Link::kUp; }
  bool has_left() const { return link_ == Link::kGone; }
  void open(const Peer& peer) {
    link_ = Link::kUp;
    member->opened(peer, *this);
  }
  void tick() {
    if (!has_left()) member->tick(*this);
  }
  /// True if it was called.
  bool say_goodbye(std::string_view why) {
    if (has_left() || std::exchange(goodbye_said_, true)) return false;
    member->session_ends(why, *this);
    return true;
  }
  /// Its peer is gone.
  void lose(std::string_view why, std::uint32_t code) {
    leave();
    code != 0 ? member->closed_with_code(code, why, *this) : member->closed(why, *this);
  }
  /// It is not called any more. A seat is then removed by Room::remove_left().
  void leave() {
    link_ = Link::kGone;
    room_.timers_.drop(timer);
    room_.some_left_ = true;
  }

  std::unique_ptr<Member> member;
  TimerQueue::Timer timer;

 protected:
  enum class Link : std::uint8_t { kDown, kUp, kGone };

  MemberSlot(Room& room, Id id, std::unique_ptr<Member> its) : member(std::move(its)), room_(room), id_(id) {
    timer.id = id;
  }

  Room& room_;
  Id id_;
  Link link_ = Link::kDown;  // kGone: it closed, or its peer did

 private:
  bool goodbye_said_ = false;  // session_ends() was called
};

/// A front with its player.
class Seat final : public MemberSlot<Front, Intent> {
 public:
  Seat(Room& room, Id id, std::unique_ptr<Front> front) : MemberSlot(room, id, std::move(front)) {}

  // Out
  bool send_cached(Lane lane, const void* cache_key) override {
    const SharedBytes* const frame = room_.facts_.frames.find(cache_key);
    if (frame != nullptr && is_open()) room_.host_.send_shared(id_, lane, *frame);
    return frame != nullptr;
  }
  void send_shared(Lane lane, const void* cache_key, Bytes frame) override {
    constexpr std::uint64_t kEncodingWork = 10;  // the cost of encoding a fact, in delivered facts
    const SharedBytes& shared = room_.facts_.frames.add(cache_key, frame);
    room_.work_ += kEncodingWork;
    if (is_open()) room_.host_.send_shared(id_, lane, shared);
  }
  void say(Intent intent) override {
    if (hears) intent.number = ++last_number;
    say_unasked(std::move(intent));
  }
  Id me() const override { return id_; }
  const WorldState& world() const override { return scene->world; }

  // For the room.
  void hear(const Fact& fact) {
    if (has_left()) return;
    ++room_.work_;
    member->hear(fact, *this);
  }
  /// The room says it in the player's name. The player does not count it among its intents.
  void say_unasked(Intent intent) {
    sign(intent);
    room_.intents_.queue(std::move(intent));
  }
  void forget_unadmitted() {
    unadmitted.clear();
    unadmitted_bytes = 0;
  }
  /// Its player is the one who says the intent.
  void sign(Intent& intent) {
    intent.by = id_;
    if (as<words::Leave>(intent) != nullptr) entered = false;
  }
  void unlink() {
    if (is_open()) link_ = Link::kDown;
  }
  std::optional<Absence> keep() {
    if (!is_open() || !entered) return std::nullopt;
    const std::optional<Absence> absence = member->try_reserve_seat(*this);
    if (!absence) return std::nullopt;
    unlink();
    kept_until = room_.now_ + absence->within;
    wake(kept_until);
    return absence;
  }
  bool is_kept() const { return kept_until != 0 && !has_left(); }
  /// REQUIRES: is_kept().
  void come_back(const Peer& peer) {
    link_ = Link::kUp;
    kept_until = 0;
    member->returned(peer, *this);
  }
  void tick() {
    if (is_kept() && room_.now_ >= kept_until) return lose("did not come back", 0);
    MemberSlot::tick();
    if (kept_until != 0) wake(kept_until);
  }
  /// The player, whose link is up, comes from another room.
  void take_over(DetachedPlayer& from) {
    link_ = Link::kUp;
    member = std::move(from.front);
    wants_spawn = from.wants_spawn;
    wants_to_watch = from.wants_to_watch;
    last_number = from.last_number;
    wake(from.wakes_at);
  }

  std::string network;               ///< of its peer
  Scene* scene = nullptr;            ///< what it sees
  bool hears = true;                 ///< it also receives facts for everybody
  bool entered = false;              ///< its player has entered, and has not said Leave
  bool inside = false;               ///< the back received its Enter, and no Leave since
  std::uint64_t entered_in = 0;      ///< the round in which the back received its last Enter (IntentDelivery)
  std::uint64_t held_in = 0;         ///< the round in which one of its intents was last held (IntentDelivery)
  bool admitted = false;             ///< the host need not be asked about its next Enter
  std::optional<Intent> wish;        ///< in a shared room: the seat's Enter, with its later changes
  bool wants_spawn = false;          ///< its player has asked to spawn, and is not in play yet
  bool wants_to_watch = false;       ///< its player has asked to watch since it was in play
  std::vector<Intent> unadmitted;    ///< its Enter that the host does not admit yet, and what followed
  std::size_t unadmitted_bytes = 0;  ///< of these intents
  Micros kept_until = 0;             ///< its link broke, and its player may return until then; 0: the player is there
  std::uint32_t last_number = 0;     ///< of its intents
  std::vector<std::pair<const MappingLine*, const char*>> told_drops;  ///< each once, so there are few
};

/// A back of a room: its own, or that of the next server.
class BackSlot final : public MemberSlot<Back, Fact> {
 public:
  BackSlot(Room& room, Id id, std::unique_ptr<Back> back) : MemberSlot(room, id, std::move(back)) {}

  // Out
  void say(Fact fact) override {
    fact.at = room_.now_;
    if (!room_.transition_.takes(id_, fact)) room_.facts_.queue(std::move(fact));
  }
  bool report_server_stopping(std::string_view why) override { return room_.transition_.server_stops(id_, why); }
  bool report_server_full(std::string_view why) override { return room_.transition_.server_is_full(id_, why); }
  Id me() const override { return room_.options_.shared || room_.seats_.empty() ? 0 : room_.seats_.begin()->first; }
  const WorldState& world() const override { return room_.world(); }
  void switch_scene(Id seat, Id scene, const words::Clock& begin) override {
    room_.facts_.switch_scene(seat, scene, begin);
  }
  const WorldState* world_of(Id scene) const override { return room_.facts_.world_of(scene); }
  std::string_view network_of(Id id) const override {
    const Seat* const seat = room_.seat_with(id);
    return seat != nullptr ? std::string_view(seat->network) : std::string_view();
  }

  // For the room.
  void hear(const Intent& intent) {
    if (!has_left()) member->hear(intent, *this);
  }
  bool would_play(const Intent& enter) const { return !has_left() && member->would_play(enter, *this); }
  /// The next server's back is the room's from now on.
  void become_back() { id_ = timer.id = kBackId; }
};

}  // namespace entente::core
