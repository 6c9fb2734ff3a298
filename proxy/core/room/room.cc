#include "proxy/core/room/room.h"

#include <cassert>
#include <utility>

#include "proxy/core/drops.h"
#include "proxy/core/room/member_slot.h"

namespace entente::core {

Room::Room(Host& host, std::unique_ptr<Back> back, const RoomOptions& options)
    : host_(host),
      options_(options),
      numbers_(options.seed, options.ids_after),
      back_(std::make_unique<BackSlot>(*this, kBackId, std::move(back))),
      facts_(*this),
      intents_(*this, options.chat),
      transition_(*this) {}

Room::~Room() = default;

Id Room::next_id() {
  return numbers_.next_id([this](Id id) { return seats_.contains(id) || facts_.knows(id) || transition_.knows(id); });
}

Id Room::seat(std::unique_ptr<Front> front, const Peer& peer, Micros now, bool hears) {
  now_ = now;
  Seat& seat = add_seat(next_id(), std::move(front));
  seat.network = peer.network;
  seat.hears = hears;
  if (hears) facts_.link(seat);
  seat.open(peer);
  if (hears) facts_.greet(seat);
  const Id id = seat.me();  // drain() may remove the seat
  drain();
  return id;
}

Seat& Room::add_seat(Id id, std::unique_ptr<Front> front) {
  Seat& seat = *(seats_[id] = std::make_unique<Seat>(*this, id, std::move(front)));
  facts_.add(seat);
  return seat;
}

/// Null: there is none. It may have left.
Seat* Room::seat_with(Id id) const {
  const auto at = seats_.find(id);
  return at != seats_.end() ? at->second.get() : nullptr;
}

/// Null: there is no such back.
BackSlot* Room::back_with(Id id) const {
  return id == kBackId ? back_.get() : id == kNextBackId ? transition_.next() : nullptr;
}

void Room::back_opened(const Peer& peer, Micros now, Id id) {
  now_ = now;
  BackSlot* const back = back_with(id);
  if (back == nullptr || back->has_left()) return;
  back->open(peer);
  drain();
}

void Room::back_speaks(std::size_t dialect, Micros now, Id id) {
  now_ = now;
  BackSlot* const back = back_with(id);
  if (back == nullptr || !back->is_open()) return;
  back->member->speaks(dialect, *back);
  drain();
}

void Room::received(Id end, const Frames& frames, Micros now) {
  now_ = now;
  if (BackSlot* const back = back_with(end)) {
    if (back->is_open()) back->member->receive(frames, *back);
  } else if (Seat* const seat = seat_with(end); seat != nullptr && seat->is_open()) {
    seat->member->receive(frames, *seat);
  }
  drain();
}

void Room::admit(Id id, Micros now) {
  now_ = now;
  Seat* const seat = seat_with(id);
  if (seat == nullptr || seat->has_left()) return;
  intents_.admit(*seat);
  drain();
}

void Room::unlink(Id id) {
  Seat* const seat = seat_with(id);
  if (seat == nullptr) return;
  seat->unlink();
  facts_.unlink(*seat);
}

void Room::gone(Id end, std::string_view why, Micros now, std::uint32_t code) {
  now_ = now;
  if (BackSlot* const back = back_with(end)) {
    if (back->has_left()) return;
    if (end == kNextBackId) {
      back->lose(why, code);
      transition_.fail_later(why);
    } else if (auto refusal = transition_.take_refusal()) {
      back->leave();
      facts_.queue(std::move(*refusal));
    } else {
      back->lose(why, code);
    }
    if (end == kBackId && !transition_.is_put_off()) end_with(why);
  } else if (Seat* const seat = seat_with(end); seat != nullptr && !seat->has_left()) {
    seat->lose(why, code);
  }
  drain();
}

bool Room::is_seated(Id id) const {
  const Seat* const seat = seat_with(id);
  return seat != nullptr && !seat->has_left();
}

std::optional<Absence> Room::keep(Id id, Micros now) {
  now_ = now;
  Seat* const seat = seat_with(id);
  return seat != nullptr && !over_ ? seat->keep() : std::nullopt;
}

bool Room::keeps(Id id) const {
  const Seat* const seat = seat_with(id);
  return seat != nullptr && seat->is_kept();
}

bool Room::returned(Id id, const Peer& peer, Micros now) {
  now_ = now;
  if (!keeps(id)) return false;
  seat_with(id)->come_back(peer);
  drain();
  return true;
}

void Room::tick(Micros now) {
  now_ = now;
  for (const TimerQueue::Timer* due : timers_.take_due(now, kMostTicks)) {
    if (BackSlot* const back = back_with(due->id))
      back->tick();
    else
      seat_with(due->id)->tick();
  }
  drain();
}

void Room::hear_collected(std::vector<Intent> intents, Micros now) {
  now_ = now;
  intents_.queue_collected(std::move(intents));
  drain();
}

void Room::count_drops(const Ledger& drops) {
  for (const Ledger::Entry& one : drops.entries()) ledger_.add(*one.line, one.word, one.times);
}

void Room::tell_time(Id id, std::uint32_t cause, Micros now) {
  now_ = now;
  Seat* const seat = seat_with(id);
  if (seat == nullptr || seat->has_left()) return;
  words::Clock clock;
  clock.set_us(now);
  clock.set_speed(1);
  clock.set_paused(true);
  Fact fact(id, clock);
  fact.cause = cause;
  facts_.deliver_alone(*seat, std::move(fact));
  drain();
}

void Room::order(const std::function<void(Back&)>& order, Micros now) {
  now_ = now;
  if (back_->has_left()) return;
  order(*back_->member);
  back_->tick();
  drain();
}

bool Room::announce(Id id, std::string_view text, Micros now) {
  now_ = now;
  const Seat* const seat = seat_with(id);
  if (seat == nullptr || !seat->is_open() || !seat->entered || over_) return false;
  words::Said said;
  said.set_text(std::string(text));
  facts_.queue(Fact(id, std::move(said)));
  drain();
  return true;
}

void Room::dismiss(Id id, std::string_view why, Micros now) {
  now_ = now;
  if (Seat* const seat = seat_with(id)) seat->say_goodbye(why);
  drain();
}

void Room::end(std::string_view why, Micros now) {
  now_ = now;
  end_with(why);
  drain();
}

bool Room::over() const { return over_ && seats_.empty() && back_->has_left(); }

const WorldState& Room::world_seen_by(Id id) const {
  const Seat* const seat = seat_with(id);
  return seat != nullptr ? seat->world() : world();
}

/// The first reason counts.
void Room::end_with(std::string_view why) {
  if (!over_) over_ = why;
}

/// The only loop that calls members with words.
void Room::drain() {
  assert(!draining_);  // a host called back
  draining_ = true;
  do {
    while (facts_.any() || intents_.waiting() != 0 || transition_.has_news()) {
      if (facts_.waiting().size() + intents_.waiting() > options_.most_words) {
        ledger_.add(drops::kFlooded);
        facts_.clear();
        intents_.clear();
        end_with("too many words wait in the room");
      }
      facts_.deliver();
      intents_.deliver();
      if (transition_.has_news()) transition_.handle_news();
    }
  } while (say_goodbyes());
  if (!options_.shared_frames_stay) facts_.frames.forget(now_);
  draining_ = false;
}

/// Removes seats that have left, and ends the room if the back or the only player has left. True if members were
/// called.
bool Room::say_goodbyes() {
  if (remove_left()) return true;
  if (back_->has_left() && !transition_.is_put_off()) end_with("the server is gone");
  if (!over_) return false;
  transition_.stop(*over_);
  bool any = false;
  for (auto& [id, seat] : seats_) any |= seat->say_goodbye(*over_);
  any |= back_->say_goodbye(*over_);
  return any;
}

/// Removes seats that have left. The back first receives Leave. True if there was such a seat.
bool Room::remove_left() {
  if (!std::exchange(some_left_, false)) return false;
  bool found = false;
  for (auto at = seats_.begin(); at != seats_.end();) {
    Seat& seat = *at->second;
    found |= seat.has_left();
    if (!seat.has_left()) {
      ++at;
    } else if (seat.entered) {
      seat.say_unasked(words::Leave());  // which clears `entered`
      some_left_ = true;
      ++at;
    } else {
      intents_.drop_unadmitted(seat);
      intents_.forget(at->first);
      facts_.remove(seat);
      at = seats_.erase(at);
      if (seats_.empty() && !options_.shared) end_with("the player left");
    }
  }
  return found;
}

}  // namespace entente::core
