#include "proxy/core/room/room.h"

#include <algorithm>
#include <cassert>

#include "proxy/core/drops.h"
#include "proxy/core/gameplay/claims.h"
#include "proxy/core/room/room_slots.h"
#include "proxy/core/texts.h"
#include "proxy/core/wishes.h"

namespace entente::core {
namespace {

constexpr std::size_t kMostHeld = 64;  // intents of each player who waits to be admitted

}  // namespace

Room::Room(Host& host, std::unique_ptr<Back> back, const RoomOptions& options)
    : host_(host),
      options_(options),
      random_(options.seed),
      last_id_(options.ids_after),
      chat_(options.chat),
      back_(std::make_unique<BackSlot>(*this, kBackId, std::move(back))),
      transition_(std::make_unique<Transition>(*this)) {}

Room::~Room() = default;

/// An old room has given all ids once: after 50 days, if there are 500 new units a second.
Id Room::next_id() {
  do {
    if (last_id_ >= kLastId) {
      last_id_ = 0;
      ids_again_ = true;
    }
    ++last_id_;
  } while (ids_again_ && is_used(last_id_));
  return last_id_;
}

bool Room::is_used(Id id) const {
  const auto knows = [id](const WorldState& world) {
    return world.player(id) != nullptr || world.unit(id) != nullptr || world.token(id) != nullptr;
  };
  return seats_.contains(id) || knows(world_) || transition_->knows(id) ||
         std::any_of(scenes_.begin(), scenes_.end(), [&](const auto& one) { return knows(one.second->world); });
}

Id Room::seat(std::unique_ptr<Front> front, const Peer& peer, Micros now, bool hears) {
  now_ = now;
  const Id id = next_id();
  seated_ = true;
  FrontSlot& end = *(seats_[id] = std::make_unique<FrontSlot>(*this, id, std::move(front)));
  end.open = true;
  end.hears = hears;
  end.network = peer.network;
  if (hears) hearers_.push_back(&end);
  end.member->opened(peer, end);
  if (!hears) return drain(), id;
  shared_frames_.next_word();
  words::You you;
  you.set_player(id);
  Fact first(id, you);
  first.at = now_;
  if (!end.left) tell(end, first);
  if (told_) tell_world(end);
  drain();
  return id;
}

void Room::tell_world(FrontSlot& seat) {
  const auto say = [&](Fact& fact) {
    shared_frames_.next_word();
    fact.at = now_;
    if (auto* round = std::get_if<words::Round>(&fact.content)) *round = world_.round_at(now_);
    if (!seat.left) tell(seat, fact);
  };
  world_.tell(say, [&](const std::function<void()>& tell) { tell_map(seat, tell); });
}

/// The map is the largest part of a world. It is encoded once for all fronts that would send the same bytes, and those
/// who have not read it yet share its memory.
void Room::tell_map(FrontSlot& seat, const std::function<void()>& tell) {
  const void* const key = options_.shared_frames_stay ? seat.member->map_key() : nullptr;
  if (key == nullptr || seat.left) return tell();
  if (const auto* frames = shared_frames_.find_map(key, world_.map_version(), now_)) {
    work_ += frames->size();
    for (const SharedBytes& frame : *frames)
      if (seat.open) host_.send_shared(seat.me(), Lane::kStream, frame);
    return;
  }
  shared_frames_.begin_map(key, world_.map_version());
  tell();
  shared_frames_.end_map(!seat.left, now_);
}

/// Null: there is no such back.
Room::BackSlot* Room::back_with(Id id) const {
  return id == kBackId ? back_.get() : id == kNextBackId ? transition_->next() : nullptr;
}

void Room::back_opened(const Peer& peer, Micros now, Id id) {
  now_ = now;
  BackSlot* const back = back_with(id);
  if (back == nullptr || back->left) return;
  back->open = true;
  back->member->opened(peer, *back);
  drain();
}

void Room::back_speaks(std::size_t dialect, Micros now, Id id) {
  now_ = now;
  BackSlot* const back = back_with(id);
  if (back == nullptr || !back->open) return;
  back->member->speaks(dialect, *back);
  drain();
}

void Room::received(Id end, const Frames& frames, Micros now) {
  now_ = now;
  if (BackSlot* const back = back_with(end)) {
    if (back->open) back->member->receive(frames, *back);
  } else if (const auto at = seats_.find(end); at != seats_.end() && at->second->open) {
    at->second->member->receive(frames, *at->second);
  }
  drain();
}

void Room::admit(Id id, Micros now) {
  now_ = now;
  const auto at = seats_.find(id);
  if (at == seats_.end() || at->second->left) return;
  FrontSlot& seat = *at->second;
  seat.admitted = !seat.held.empty();
  for (Intent& intent : seat.held) {
    intent.at = now_;
    intents_.push_back(std::move(intent));
  }
  seat.held.clear();
  drain();
}

void Room::unlink(Id id) {
  const auto at = seats_.find(id);
  if (at == seats_.end()) return;
  at->second->open = false;
  std::erase(hearers_with(*at->second), at->second.get());
}

void Room::gone(Id end, std::string_view why, Micros now, std::uint32_t code) {
  now_ = now;
  if (end == kBackId) {
    if (back_->left) return;
    if (auto refusal = transition_->take_refusal()) {
      leave(*back_);
      facts_.push_back(std::move(*refusal));
    } else {
      lose(*back_, why, code);
    }
    if (why_.empty()) why_ = why;
  } else if (BackSlot* const next = back_with(end)) {
    if (next->left) return;
    lose(*next, why, code);
    transition_->fail_later(why);
  } else if (const auto at = seats_.find(end); at != seats_.end() && !at->second->left) {
    lose(*at->second, why, code);
  }
  drain();
}

std::optional<Absence> Room::keep(Id id, Micros now) {
  now_ = now;
  const auto at = seats_.find(id);
  if (at == seats_.end() || over_) return std::nullopt;
  FrontSlot& seat = *at->second;
  if (!seat.open || !seat.entered) return std::nullopt;
  const auto absence = seat.member->try_reserve_seat(seat);
  if (!absence) return std::nullopt;
  seat.open = false;
  seat.kept_until = now_ + absence->within;
  seat.wake(seat.kept_until);
  return absence;
}

bool Room::is_seated(Id id) const {
  const auto at = seats_.find(id);
  return at != seats_.end() && !at->second->left;
}

bool Room::keeps(Id id) const {
  const auto at = seats_.find(id);
  return at != seats_.end() && !at->second->left && at->second->kept_until != 0;
}

bool Room::returned(Id id, const Peer& peer, Micros now) {
  now_ = now;
  const auto at = seats_.find(id);
  if (at == seats_.end() || at->second->left || at->second->kept_until == 0) return false;
  FrontSlot& seat = *at->second;
  seat.open = true;
  seat.kept_until = 0;
  seat.member->returned(peer, seat);
  drain();
  return true;
}

void Room::tick(Micros now) {
  now_ = now;
  for (const TimerQueue::Timer* due : timers_.take_due(now, kMostTicks)) {
    if (BackSlot* const back = back_with(due->id))
      tick(*back);
    else
      tick(*seats_.at(due->id));
  }
  drain();
}

void Room::order(const std::function<void(Back&)>& order, Micros now) {
  now_ = now;
  if (back_->left) return;
  order(*back_->member);
  tick(*back_);
  drain();
}

template <class Slot>
void Room::tick(Slot& end) {
  if (end.left) return;
  if (end.kept_until != 0 && now_ >= end.kept_until) return lose(end, "did not come back", 0);
  end.member->tick(end);
  if (end.kept_until != 0) end.wake(end.kept_until);
}

bool Room::announce(Id id, std::string_view text, Micros now) {
  now_ = now;
  const auto at = seats_.find(id);
  if (at == seats_.end() || at->second->left || !at->second->open || !at->second->entered || over_) return false;
  words::Said said;
  said.set_text(std::string(text));
  say(kBackId, Fact(id, std::move(said)));
  drain();
  return true;
}

void Room::dismiss(Id seat, std::string_view why, Micros now) {
  now_ = now;
  if (const auto at = seats_.find(seat); at != seats_.end()) say_goodbye(*at->second, why);
  drain();
}

void Room::end(std::string_view why, Micros now) {
  now_ = now;
  end_with(why);
  drain();
}

bool Room::outlives_server() const { return transition_->outlives_server(); }

Wait Room::replace_back(std::unique_ptr<Back> fresh, const ServerLoss& loss, Micros now) {
  return transition_->replace_back(std::move(fresh), loss, now);
}

bool Room::awaits_server() const { return transition_->awaits_server(); }

bool Room::over() const { return over_ && seats_.empty() && back_->left; }

void Room::end_with(std::string_view why) {
  over_ = true;
  if (why_.empty()) why_ = why;
}

void Room::say(Id by, Intent intent) {
  intent.at = now_;
  intent.by = by;
  if (const auto at = seats_.find(by); at != seats_.end()) {
    if (at->second->hears) intent.number = ++at->second->said;
    if (as<words::Leave>(intent) != nullptr) at->second->entered = false;
  }
  intents_.push_back(std::move(intent));
}

void Room::say(Id by, Fact fact) {
  fact.at = now_;
  if (!transition_->takes(by, fact)) facts_.push_back(std::move(fact));
}

/// The only loop that calls members with words.
void Room::drain() {
  assert(!draining_);  // a host called back
  draining_ = true;
  do {
    while (!facts_.empty() || !intents_.empty() || !scene_switches_.empty() || transition_->has_news()) {
      if (facts_.size() + intents_.size() > options_.most_words) flooded();
      deliver_facts();
      deliver_intents();
      if (transition_->has_news()) transition_->handle_news();
    }
  } while (settle());
  if (!options_.shared_frames_stay) shared_frames_.forget(now_);
  draining_ = false;
}

void Room::flooded() {
  ledger_.add(drops::kFlooded);
  facts_.clear();
  intents_.clear();
  scene_switches_.clear();
  end_with("too many words wait in the room");
}

void Room::deliver_facts() {
  for (const SceneSwitch& change : std::exchange(scene_switches_, {})) carry_out(change);
  facts_now_.swap(facts_);
  for (Fact& fact : facts_now_) {
    if (fact.scene != 0) {
      deliver_in_scene(fact);
      continue;
    }
    if (transition_->keeps_from_player(fact)) continue;
    world_.fold(fact);
    host_.told(fact);
    deliver(fact);
    if (as<words::Ready>(fact) != nullptr) transition_->arrived();
  }
  if (!facts_now_.empty()) told_ = true;
  facts_now_.clear();
}

void Room::deliver(const Fact& fact) {
  shared_frames_.next_word();
  if (fact.audience == words::PLAYER) {
    const auto at = seats_.find(fact.to);
    if (at != seats_.end() && !at->second->left) tell(*at->second, fact);
    return;
  }
  for (FrontSlot* seat : hearers_)
    if (!seat->left && is_for(fact, world_, seat->me())) tell(*seat, fact);
}

void Room::tell(FrontSlot& seat, const Fact& fact) {
  ++work_;
  seat.member->hear(fact, seat);
}

bool Room::is_for(const Fact& fact, const WorldState& world, Id seat) {
  switch (fact.audience) {
    case words::TEAM: {
      const PlayerState* player = world.player(seat);
      return player != nullptr && static_cast<std::uint32_t>(player->player.team()) == fact.to;
    }
    case words::ADMINS: {
      const PlayerState* player = world.player(seat);
      return player != nullptr && (player->player.badges() & words::ADMIN) != 0;
    }
    default:
      return true;
  }
}

void Room::deliver_intents() {
  intents_now_.swap(intents_);
  for (Intent& intent : intents_now_) deliver(intent);
  intents_now_.clear();
}

void Room::deliver(Intent& intent) {
  if (waits(intent)) return;
  ++work_;
  if (auto* say = std::get_if<words::Say>(&intent.content)) {
    if (const auto refusal = chat_.filter(*say, intent.by, now_)) return refuse(intent, refusal);
  }
  if (!finite(intent)) return count_drop(intent.by, drops::kNotFinite, name_of(intent));
  clean_texts(intent);
  host_.heard(intent);
  if (const auto* word = as<words::Resume>(intent)) return resume(*word, intent);
  if (as<words::Query>(intent) != nullptr && !options_.shared && !dialled_) return learn_known_world();
  if (const auto* wish = as<words::Enter>(intent)) make_way(*wish);
  transition_->remember(intent);
  dial_once();
  if (transition_->keeps_from_back(intent)) return;
  if (!back_->left) {
    heard_ = intent.by;
    heard_number_ = intent.number;
    back_->member->hear(intent, *back_);
    heard_ = heard_number_ = 0;
  }
  transition_->hear(intent);
}

/// Holds an Enter that the host does not admit yet, and all later intents of that player. True if the intent was
/// handled.
bool Room::waits(Intent& intent) {
  const auto at = seats_.find(intent.by);
  if (at == seats_.end()) return false;
  FrontSlot& seat = *at->second;
  if (as<words::Leave>(intent) != nullptr) {
    const bool was_in = std::exchange(seat.inside, false) || seat.held.empty();
    seat.entered = false;
    seat.held.clear();
    return !was_in;  // the back did not receive its Enter, so it does not need the Leave
  }
  if (seat.held.empty()) {
    if (as<words::Enter>(intent) == nullptr) return false;
    const bool admitted = std::exchange(seat.admitted, false) || seat.left || host_.admits(intent.by);
    if (admitted) seat.entered = seat.inside = true;
    if (admitted) return false;
  }
  if (seat.held.size() < kMostHeld)
    seat.held.push_back(std::move(intent));
  else
    count_drop(seat.me(), drops::kHeldTooMany, name_of(intent));
  return true;
}

/// If the room is full, ends the seat of an absent player, so that a new player can enter: the seat that would expire
/// first.
void Room::make_way(const words::Enter& wish) {
  const std::uint32_t most = world_.room().most_players();
  if (!options_.shared || most == 0 || wish.role() == words::WATCH) return;
  const auto plays = [](const auto& player) { return player.second.player.role() != words::WATCH; };
  if (static_cast<std::size_t>(std::count_if(world_.players().begin(), world_.players().end(), plays)) < most) return;
  FrontSlot* oldest = nullptr;
  for (auto& [id, seat] : seats_)
    if (keeps(id) && (oldest == nullptr || seat->kept_until < oldest->kept_until)) oldest = seat.get();
  if (oldest == nullptr) return;
  lose(*oldest, "its seat went to somebody else", 0);
  oldest->entered = false;
  Intent gone{words::Leave()};
  gone.at = now_;
  gone.by = oldest->me();
  gone.number = ++oldest->said;
  deliver(gone);
}

void Room::refuse(const Intent& intent, const Chat::Refusal& refusal) {
  ledger_.add(*refusal.why);
  if (!refusal.tell) return;
  words::Notice notice;
  notice.set_text(std::string("not passed on: ") + refusal.why->reason);
  Fact answer(intent.by, notice);
  answer.cause = intent.number;
  say(kBackId, std::move(answer));
}

/// The player waits for what becomes of a wish, so it is told if nothing does.
void Room::count_drop(Id member, const MappingLine& line, const char* word) {
  ledger_.add(line, word);
  if (!options_.tells_drops || member == kNextBackId || !is_wish(line, word)) return;
  if (member != kBackId) return tell_drop(member, line, word);
  const Id only = options_.shared || seats_.empty() ? 0 : seats_.begin()->first;
  tell_drop(heard_ != 0 ? heard_ : only, line, word);
}

void Room::tell_drop(Id player, const MappingLine& line, const char* word) {
  const auto at = seats_.find(player);
  if (at == seats_.end() || at->second->left || !at->second->entered) return;
  auto& told = at->second->told_drops;
  const std::pair<const MappingLine*, const char*> drop{&line, word};
  if (std::find(told.begin(), told.end(), drop) != told.end()) return;
  told.push_back(drop);
  words::Notice notice;
  notice.set_text(words_for_drop(line, word));
  Fact answer(player, std::move(notice));
  answer.cause = heard_number_;
  say(kBackId, std::move(answer));
}

/// Handled by the host, not the back, because it is about links.
void Room::resume(const words::Resume& word, const Intent& intent) {
  if (host_.try_resume_seat(intent.by, word.player())) return;
  words::ClaimRefused refused;
  refused.set_why("no player with that number is expected from that address");
  Fact answer(intent.by, refused);
  answer.cause = intent.number;
  say(kBackId, std::move(answer));
}

/// A question about the game needs no server.
void Room::learn_known_world() {
  world_ = WorldState();
  knows_by_hearsay_ = true;
  if (const WorldState* const known = host_.known_world())
    known->tell_without_map([this](const Fact& fact) { world_.fold(fact); });
}

void Room::dial_once() {
  if (dialled_) return;
  dialled_ = true;
  if (std::exchange(knows_by_hearsay_, false)) world_ = WorldState();
  host_.dial();
}

/// Removes seats that have left, and ends the room if the back or the only player has left. True if members were
/// called.
bool Room::settle() {
  if (bury()) return true;
  if (!over_ && back_->left && !transition_->is_put_off()) end_with("the server is gone");
  if (!over_ && seats_.empty() && seated_ && !options_.shared) end_with("the player left");
  bool any = false;
  if (over_) {
    transition_->stop(why_);
    for (auto& [id, seat] : seats_) any |= say_goodbye(*seat, why_);
    any |= say_goodbye(*back_, why_);
  }
  return any;
}

/// Removes seats that have left. The back first receives Leave. True if there was such a seat.
bool Room::bury() {
  if (!std::exchange(some_left_, false)) return false;
  bool found = false;
  for (auto at = seats_.begin(); at != seats_.end();) {
    FrontSlot& seat = *at->second;
    if (!seat.left) {
      ++at;
      continue;
    }
    found = true;
    if (seat.entered) {
      say(at->first, Intent(words::Leave()));  // which clears `entered`
      some_left_ = true;
      ++at;
    } else {
      chat_.forget(at->first);
      std::erase(hearers_with(seat), &seat);
      leave_scene(seat);
      at = seats_.erase(at);
    }
  }
  return found;
}

}  // namespace entente::core
