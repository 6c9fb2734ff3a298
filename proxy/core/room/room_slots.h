// The members of a room, each with what the room knows of it. For the files that define Room, not for others:
// Room::MemberSlot is private.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/core/room/room.h"
#include "proxy/core/room/transition.h"

namespace entente::core {

/// A member and the Out it is given.
template <class Member, class Word>
class Room::MemberSlot final : public Out<Word> {
 public:
  MemberSlot(Room& room, Id id, std::unique_ptr<Member> its) : member(std::move(its)), room_(room), id_(id) {
    timer.id = id;
  }

  void send(Lane lane, Bytes frame) override {
    if (open) room_.host_.send(id_, lane, frame);
  }
  bool send_cached(Lane lane, const void* cache_key) override {
    const SharedBytes* const frame = room_.shared_frames_.find(cache_key);
    if (frame != nullptr && open) room_.host_.send_shared(id_, lane, *frame);
    return frame != nullptr;
  }
  void send_shared(Lane lane, const void* cache_key, Bytes frame) override {
    const SharedBytes& kept = room_.shared_frames_.keep(cache_key, frame);
    room_.work_ += kEncodingWork;
    if (open) room_.host_.send_shared(id_, lane, kept);
  }
  std::size_t waiting_bytes() const override { return open ? room_.host_.waiting_bytes(id_) : 0; }
  void close(std::string_view why, std::uint32_t code) override {
    if (left) return;
    room_.leave(*this);
    room_.host_.close(id_, why, code);
  }
  void fail(const Fault& fault) override {
    if (left) return;
    room_.host_.failed(id_, fault);
    close(fault.what, 0);
  }
  void say(Word word) override { room_.say(id_, std::move(word)); }
  bool report_server_stopping(std::string_view why) override { return room_.transition_->server_stops(id_, why); }
  bool report_server_full(std::string_view why) override { return room_.transition_->server_is_full(id_, why); }
  void wake(Micros at) override {
    if (!left) room_.timers_.add(timer, at);
  }
  void count_drop(const MappingLine& line, const char* word) override { room_.count_drop(id_, line, word); }

  Micros now() const override { return room_.now_; }
  std::uint32_t random() override { return static_cast<std::uint32_t>(room_.random_()); }
  Id new_id() override { return room_.next_id(); }
  Id me() const override {
    if (id_ != kBackId && id_ != kNextBackId) return id_;
    return room_.options_.shared || room_.seats_.empty() ? 0 : room_.seats_.begin()->first;
  }
  const WorldState& world() const override { return scene == 0 ? room_.world_ : room_.world_seen_by(id_); }
  void switch_scene(Id seat, Id into, const words::Clock& begin) override {
    room_.scene_switches_.push_back({seat, into, begin});
  }
  const WorldState* world_of(Id of) const override {
    if (of == 0) return &room_.world_;
    const Scene* const found = room_.scene_of(of);
    return found != nullptr ? &found->world : nullptr;
  }

  std::string_view network_of(Id seat) const override {
    const auto found = room_.seats_.find(seat);
    return found != room_.seats_.end() ? std::string_view(found->second->network) : std::string_view();
  }

  /// The next server's back is the room's from now on.
  void become_back() { id_ = timer.id = kBackId; }

  std::unique_ptr<Member> member;
  std::string network;         // of its peer
  bool open = false;           // its link is up
  bool left = false;           // it closed, or its peer did
  bool entered = false;        // its player has entered, and has not said Leave
  bool inside = false;         // the back received its Enter, and no Leave since
  bool goodbye_said = false;   // session_ends() was called
  bool hears = true;           // it also receives facts for everybody
  bool admitted = false;       // the host need not be asked about its next Enter
  std::optional<Intent> wish;  // in a shared room: the seat's Enter, with its later changes
  std::vector<Word> held;      // intents that wait to be admitted
  Micros kept_until = 0;       // its link broke, and its player may return until then; 0: the player is there
  std::uint32_t said = 0;
  Id scene = 0;                                                        // the scene that it sees
  std::vector<std::pair<const MappingLine*, const char*>> told_drops;  // each once, so there are few
  TimerQueue::Timer timer;

 private:
  static constexpr std::uint64_t kEncodingWork = 10;  // the cost of encoding a fact, in delivered facts

  Room& room_;
  Id id_;
};

/// Marks an end as left: it is not called any more. bury() removes it.
template <class Slot>
void Room::leave(Slot& end) {
  end.left = true;
  end.open = false;
  timers_.drop(end.timer);
  some_left_ = true;
}

template <class Slot>
void Room::lose(Slot& end, std::string_view why, std::uint32_t code) {
  leave(end);
  code != 0 ? end.member->closed_with_code(code, why, end) : end.member->closed(why, end);
}

template <class Slot>
bool Room::say_goodbye(Slot& end, std::string_view why) {
  if (end.left || end.goodbye_said) return false;
  end.goodbye_said = true;
  end.member->session_ends(why, end);
  return true;
}

}  // namespace entente::core
