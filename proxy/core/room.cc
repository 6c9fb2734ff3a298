#include "proxy/core/room.h"

#include <algorithm>

#include "proxy/core/arena/claims.h"
#include "proxy/core/losses.h"
#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/every_scene.h"
#include "proxy/core/texts.h"

namespace entente::core {
namespace {

constexpr std::size_t kMostHeld = 64;        // intents of each player who waits to be admitted
constexpr std::size_t kMostEarly = 64;       // intents that are kept until the back says something
constexpr std::uint64_t kEncodingWork = 10;  // the cost of encoding a fact, in delivered facts

}  // namespace

/// A member and the Out it is given.
template <class Member, class Word>
class Room::End final : public Out<Word> {
 public:
  End(Room& room, Id id, std::unique_ptr<Member> its) : member(std::move(its)), room_(room), id_(id) { timer.id = id; }

  void send(Lane lane, Bytes frame) override {
    if (open) room_.host_.send(id_, lane, frame);
  }
  bool send_cached(Lane lane, const void* cache_key) override {
    const Bytes* const frame = room_.shared_frames_.find(cache_key);
    if (frame != nullptr && open) room_.host_.send_shared(id_, lane, *frame);
    return frame != nullptr;
  }
  void send_shared(Lane lane, const void* cache_key, Bytes frame) override {
    const Bytes kept = room_.shared_frames_.keep(cache_key, frame);
    room_.work_ += kEncodingWork;
    if (open) room_.host_.send_shared(id_, lane, kept);
  }
  std::size_t waiting() const override { return open ? room_.host_.waiting(id_) : 0; }
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
  bool server_stops(std::string_view why) override { return id_ == kBackEnd && room_.put_off(Wait::kServer, why); }
  bool lacks_seat(std::string_view why) override {
    if (id_ != kBackEnd || !room_.put_off(Wait::kSeat, why)) return false;
    words::Refused refused;
    refused.set_code(words::Refused::FULL);
    refused.set_text(std::string(why));
    room_.refusal_ = Fact(room_.seats_.begin()->first, std::move(refused));
    return true;
  }
  void wake(Micros at) override {
    if (!left) room_.timers_.add(timer, at);
  }
  void drop(const Mapping& line, const char* word) override { room_.ledger_.add(line, word); }

  Micros now() const override { return room_.now_; }
  std::uint32_t random() override { return static_cast<std::uint32_t>(room_.random_()); }
  Id new_id() override { return ++room_.last_id_; }
  Id me() const override {
    if (id_ != kBackEnd) return id_;
    return room_.options_.shared || room_.seats_.empty() ? 0 : room_.seats_.begin()->first;
  }
  const World& world() const override { return room_.world_seen_by(id_); }
  void move(Id seat, Id into, const words::Clock& begin) override { room_.moves_.push_back({seat, into, begin}); }
  const World* world_of(Id of) const override {
    if (of == 0) return &room_.world_;
    const Scene* const found = room_.scene_of(of);
    return found != nullptr ? &found->world : nullptr;
  }

  std::unique_ptr<Member> member;
  bool open = false;          // its link is up
  bool left = false;          // it closed, or its peer did
  bool entered = false;       // its player has entered
  bool goodbye_said = false;  // room_ends() was called
  bool admitted = false;      // the host need not be asked about its next Enter
  std::vector<Word> held;     // intents that wait to be admitted
  Micros kept_until = 0;      // its link broke, and its player may return until then; 0: the player is there
  std::uint32_t said = 0;
  Id scene = 0;  // that it sees
  TimerQueue::Timer timer;

 private:
  Room& room_;
  const Id id_;
};

Room::Room(Host& host, std::unique_ptr<Back> back, const RoomOptions& options)
    : host_(host),
      options_(options),
      random_(options.seed),
      chat_(options.chat),
      back_(std::make_unique<BackEnd>(*this, kBackEnd, std::move(back))) {}

Room::~Room() = default;

Id Room::seat(std::unique_ptr<Front> front, const Peer& peer, Micros now) {
  now_ = now;
  const Id id = ++last_id_;
  seated_ = true;
  FrontEnd& end = *(seats_[id] = std::make_unique<FrontEnd>(*this, id, std::move(front)));
  hearers_.push_back(&end);
  end.open = true;
  end.member->opened(peer, end);
  shared_frames_.next_word();
  words::You you;
  you.set_player(id);
  Fact first(id, you);
  first.at = now_;
  if (!end.left) tell(end, first);
  if (told_)
    world_.tell([&](Fact& fact) {
      shared_frames_.next_word();
      fact.at = now_;
      if (auto* round = std::get_if<words::Round>(&fact.kind)) *round = world_.round_at(now_);
      if (!end.left) tell(end, fact);
    });
  drain();
  return id;
}

void Room::back_opened(const Peer& peer, Micros now) {
  now_ = now;
  if (back_->left) return;
  back_->open = true;
  back_->member->opened(peer, *back_);
  drain();
}

void Room::back_speaks(std::size_t dialect, Micros now) {
  now_ = now;
  if (!back_->open) return;
  back_->member->speaks(dialect, *back_);
  drain();
}

void Room::received(Id end, Lane lane, Bytes bytes, Micros now) {
  now_ = now;
  if (end == kBackEnd) {
    if (back_->open) back_->member->receive(lane, bytes, *back_);
  } else if (const auto at = seats_.find(end); at != seats_.end() && at->second->open) {
    at->second->member->receive(lane, bytes, *at->second);
  }
  drain();
}

void Room::admit(Id id, Micros now) {
  now_ = now;
  const auto at = seats_.find(id);
  if (at == seats_.end() || at->second->left) return;
  FrontEnd& seat = *at->second;
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
  if (end == kBackEnd) {
    if (back_->left) return;
    if (refusal_ && comeback_ == nullptr) {
      leave(*back_);
      facts_.push_back(*std::exchange(refusal_, std::nullopt));
    } else {
      lose(*back_, why, code);
    }
    if (why_.empty()) why_ = why;
  } else if (const auto at = seats_.find(end); at != seats_.end() && !at->second->left) {
    lose(*at->second, why, code);
  }
  drain();
}

bool Room::outlives_server() const {
  if (options_.shared || over_ || seats_.size() != 1) return false;
  const FrontEnd& seat = *seats_.begin()->second;
  return !seat.left && (!seat.entered || wish_.has_value());
}

bool Room::takes_another_world() const {
  return !seats_.empty() && seats_.begin()->second->member->takes_another_world();
}

Wait Room::replace_back(std::unique_ptr<Back> fresh, const Loss& loss, Micros now) {
  assert(outlives_server());
  now_ = now;
  if (!back_->left) lose(*back_, loss.why, loss.code);
  const Wait wait = std::exchange(put_off_, Wait::kNothing);
  if (wait != Wait::kSeat) refusal_.reset();
  const bool unwanted = std::any_of(facts_.begin(), facts_.end(), [](const Fact& fact) {
    const auto* refused = as<words::Refused>(fact);
    return as<words::Kicked>(fact) != nullptr || (refused != nullptr && refused->code() != words::Refused::SERVER_GONE);
  });
  if (unwanted) {
    if (why_.empty()) why_ = loss.why;
    return drain(), Wait::kNothing;
  }
  facts_.clear();
  starts_anew_ = !told_ || (!wish_ && world_.geometry() == nullptr);
  if (!starts_anew_)
    prepare_comeback();
  else if (told_)
    tell_all(Comeback::loss(world_, seats_.begin()->first));
  meanwhile_ = loss.meanwhile;
  back_ = std::make_unique<BackEnd>(*this, kBackEnd, std::move(fresh));
  if (told_ && wish_)
    back_->member->hear(*wish_, *back_);
  else
    for (const Intent& intent : early_) back_->member->hear(intent, *back_);
  drain();
  return wait == Wait::kSeat ? Wait::kSeat : Wait::kServer;
}

/// The world of the lost server goes; the next one is awaited.
void Room::prepare_comeback() {
  if (comeback_ != nullptr) return comeback_->start_again();
  const Id player = seats_.begin()->first;
  auto comeback = std::make_unique<Comeback>(world_, player);
  tell_all(Comeback::loss(world_, player));
  comeback_ = std::move(comeback);
  const PlayerState* own = world_.player(player);
  const words::Team team = own != nullptr ? own->player.team() : words::TEAM_ANY;
  if (wish_ && team != words::TEAM_ANY && team != words::RABBIT && !meanwhile_)
    std::get<words::Enter>(wish_->kind).set_team(team);
}

template <class SomeEnd>
void Room::lose(SomeEnd& end, std::string_view why, std::uint32_t code) {
  leave(end);
  code != 0 ? end.member->closed_with_code(code, why, end) : end.member->closed(why, end);
}

std::optional<Absence> Room::keep(Id id, Micros now) {
  now_ = now;
  const auto at = seats_.find(id);
  if (at == seats_.end() || over_) return std::nullopt;
  FrontEnd& seat = *at->second;
  if (!seat.open || !seat.entered) return std::nullopt;
  const auto absence = seat.member->awaits(seat);
  if (!absence) return std::nullopt;
  seat.open = false;
  seat.kept_until = now_ + absence->within;
  seat.wake(seat.kept_until);
  return absence;
}

bool Room::keeps(Id id) const {
  const auto at = seats_.find(id);
  return at != seats_.end() && !at->second->left && at->second->kept_until != 0;
}

bool Room::returned(Id id, const Peer& peer, Micros now) {
  now_ = now;
  const auto at = seats_.find(id);
  if (at == seats_.end() || at->second->left || at->second->kept_until == 0) return false;
  FrontEnd& seat = *at->second;
  seat.open = true;
  seat.kept_until = 0;
  seat.member->returned(peer, seat);
  drain();
  return true;
}

void Room::tick(Micros now) {
  now_ = now;
  for (const TimerQueue::Timer* due : timers_.take_due(now)) {
    if (due->id == kBackEnd)
      tick(*back_);
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

template <class SomeEnd>
void Room::tick(SomeEnd& end) {
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
  say(kBackEnd, Fact(id, std::move(said)));
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
  over(why);
  drain();
}

bool Room::over() const { return over_ && seats_.empty() && back_->left; }

/// Marks an end as left: it hears nothing more. bury() removes it.
template <class SomeEnd>
void Room::leave(SomeEnd& end) {
  end.left = true;
  end.open = false;
  timers_.drop(end.timer);
  some_left_ = true;
}

void Room::over(std::string_view why) {
  over_ = true;
  if (why_.empty()) why_ = why;
}

void Room::say(Id by, Intent intent) {
  intent.at = now_;
  intent.by = by;
  if (const auto at = seats_.find(by); at != seats_.end()) {
    intent.number = ++at->second->said;
    if (as<words::Leave>(intent) != nullptr) at->second->entered = false;
  }
  intents_.push_back(std::move(intent));
}

void Room::say(Id by, Fact fact) {
  fact.at = now_;
  if (by == kBackEnd && is_put_off(fact)) return;
  facts_.push_back(std::move(fact));
}

/// Whether the server cannot take the player now, and the player waits instead of hearing so: for a seat, or to ask
/// for any team where its own has become full.
bool Room::is_put_off(const Fact& fact) {
  const auto* refused = as<words::Refused>(fact);
  if (refused == nullptr || !outlives_server()) return false;
  auto* wish = wish_ ? &std::get<words::Enter>(wish_->kind) : nullptr;
  const bool full = refused->code() == words::Refused::FULL;
  const bool team_full = refused->code() == words::Refused::TEAM_FULL && comeback_ != nullptr && wish != nullptr &&
                         wish->team() != words::TEAM_ANY;
  if ((!full && !team_full) || !put_off(full ? Wait::kSeat : Wait::kServer, refused->text())) return false;
  full ? void(refusal_ = fact) : wish->set_team(words::TEAM_ANY);
  return true;
}

/// The back leaves, and the player waits for the next one, if the host says so.
bool Room::put_off(Wait wait, std::string_view why) {
  if (put_off_ != Wait::kNothing || !outlives_server() || !host_.waits_for_next_server(why, wait)) return false;
  leave(*back_);
  put_off_ = wait;
  return true;
}

/// The only loop that calls members with words.
void Room::drain() {
  assert(!draining_);  // a host called back
  draining_ = true;
  do {
    while (!facts_.empty() || !intents_.empty() || !moves_.empty()) {
      if (facts_.size() + intents_.size() > options_.most_words) flooded();
      deliver_facts();
      deliver_intents();
    }
  } while (settle());
  if (!options_.keeps_shared) shared_frames_.forget();
  draining_ = false;
}

void Room::flooded() {
  ledger_.add(loss::kFlooded);
  facts_.clear();
  intents_.clear();
  moves_.clear();
  over("too much at once");
}

void Room::deliver_facts() {
  for (const Move& move : std::exchange(moves_, {})) carry_out(move);
  facts_now_.swap(facts_);
  for (Fact& fact : facts_now_) {
    if (fact.scene != 0) {
      deliver_in_scene(fact);
      continue;
    }
    if (comeback_ != nullptr && is_of_next_world(fact)) continue;
    world_.fold(fact);
    host_.told(fact);
    deliver(fact);
    if (as<words::Ready>(fact) != nullptr) arrived();
  }
  if (!facts_now_.empty()) told_ = true;
  if (told_ && wish_) early_ = {};
  facts_now_.clear();
}

/// At once, in this order.
void Room::tell_all(std::vector<Fact> facts) {
  for (Fact& fact : facts) {
    fact.at = now_;
    world_.fold(fact);
    host_.told(fact);
    deliver(fact);
  }
}

/// A fact from the server that the player is about to come to. True if the player does not hear it now.
bool Room::is_of_next_world(const Fact& fact) {
  if (as<words::Ready>(fact) != nullptr) return arrive(), true;
  if (as<words::WorldProgress>(fact) != nullptr) return host_.told(fact), true;
  if (const auto* said = as<words::Said>(fact)) return said->from() != 0;
  if (as<words::Refused>(fact) || as<words::Kicked>(fact) || as<words::Notice>(fact) || as<words::Waiting>(fact) ||
      as<words::ClaimRefused>(fact))
    return false;
  comeback_->fold(fact);
  return true;
}

/// The player is in the next server's world, and hears what is different there.
void Room::arrive() {
  if (over_) return;
  const auto& [player, seat] = *seats_.begin();
  if (!seat->member->takes_another_world() && !comeback_->is_same_place(world_))
    return over("the server is back with another world; join again");  // comeback_ stays: nothing of it is told
  const std::unique_ptr<Comeback> comeback = std::move(comeback_);
  tell_all(comeback->arrive(world_, player));
  world_.become(comeback->take());
  arrived();
  if (comeback->spawns()) say(player, Intent(words::Spawn()));
}

void Room::arrived() {
  starts_anew_ = false;
  refusal_.reset();
}

void Room::deliver(const Fact& fact) {
  shared_frames_.next_word();
  if (fact.audience == words::PLAYER) {
    const auto at = seats_.find(fact.to);
    if (at != seats_.end() && !at->second->left) tell(*at->second, fact);
    return;
  }
  for (FrontEnd* seat : hearers_)
    if (!seat->left && is_for(fact, world_, seat->me())) tell(*seat, fact);
}

// -- Scenes -----------------------------------------------------------------------------------------------------------

const World& Room::world_seen_by(Id seat) const {
  const auto at = seats_.find(seat);
  const Scene* const scene = at != seats_.end() ? scene_of(at->second->scene) : nullptr;
  return scene != nullptr ? scene->world : world_;
}

Room::Scene* Room::scene_of(Id scene) const {
  const auto at = scene != 0 ? scenes_.find(scene) : scenes_.end();
  return at != scenes_.end() ? at->second.get() : nullptr;
}

std::vector<Room::FrontEnd*>& Room::hearers_with(const FrontEnd& seat) {
  Scene* const scene = scene_of(seat.scene);
  return scene != nullptr ? scene->hearers : hearers_;
}

/// A seat leaves its scene, which ends if nobody else sees it.
void Room::leave_scene(FrontEnd& seat) {
  Scene* const scene = scene_of(seat.scene);
  if (scene != nullptr && --scene->seats == 0) scenes_.erase(seat.scene);
  seat.scene = 0;
}

void Room::carry_out(const Move& move) {
  constexpr std::uint32_t kVersionsApart = 1'000'003;
  const auto at = seats_.find(move.seat);
  if (at == seats_.end() || at->second->left || at->second->scene == move.scene || move.scene == 0) return;
  FrontEnd& seat = *at->second;
  const World& from = world_seen_by(move.seat);
  auto& scene = scenes_[move.scene];
  const bool is_new = scene == nullptr;
  if (is_new) {
    scene = std::make_unique<Scene>();
    scene->world.copy(from, move.scene * kVersionsApart);
  }
  ++scene->seats;
  if (std::erase(hearers_with(seat), &seat) != 0) scene->hearers.push_back(&seat);
  const Id before = std::exchange(seat.scene, move.scene);
  if (!is_new) {
    const auto say = [&](Fact fact) {
      const auto* player = as<words::Player>(fact);
      if (player != nullptr && seats_.contains(player->id())) return;  // seats are the back's to show
      fact.at = now_;
      fact.audience = words::PLAYER;
      fact.to = move.seat;
      shared_frames_.next_word();
      if (!seat.left) tell(seat, fact);
    };
    say(move.begin);
    tell_difference(
        from, scene->world, [&](Id player) { return seats_.contains(player); }, say);
  }
  if (Scene* const old = scene_of(before); old != nullptr && --old->seats == 0) scenes_.erase(before);
}

/// The host hears only of seats: whatever else is in a scene is not the room's own.
void Room::deliver_in_scene(const Fact& fact) {
  if (fact.scene == kEveryScene) {
    host_.told(fact);
    shared_frames_.next_word();
    const auto each = [&](const std::vector<FrontEnd*>& hearers) {
      for (FrontEnd* seat : hearers)
        if (!seat->left) tell(*seat, fact);
    };
    each(hearers_);
    for (const auto& [id, scene] : scenes_) each(scene->hearers);
    return;
  }
  Scene* const scene = scene_of(fact.scene);
  if (scene == nullptr) return;
  scene->world.fold(fact);
  const auto* player = as<words::Player>(fact);
  const auto* gone = as<words::PlayerGone>(fact);
  if ((player != nullptr && seats_.contains(player->id())) || (gone != nullptr && seats_.contains(gone->id())))
    host_.told(fact);
  if (fact.audience == words::PLAYER) return deliver(fact);
  shared_frames_.next_word();
  for (FrontEnd* seat : scene->hearers)
    if (!seat->left && is_for(fact, scene->world, seat->me())) tell(*seat, fact);
}

void Room::tell(FrontEnd& seat, const Fact& fact) {
  ++work_;
  seat.member->hear(fact, seat);
}

bool Room::is_for(const Fact& fact, const World& world, Id seat) {
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
  if (auto* say = std::get_if<words::Say>(&intent.kind)) {
    if (const auto refusal = chat_.filter(*say, intent.by, now_)) return refuse(intent, refusal);
  }
  if (!finite(intent)) return ledger_.add(loss::kNotFinite, name_of(intent));
  clean_texts(intent);
  host_.heard(intent);
  if (const auto* word = as<words::Resume>(intent)) return resume(*word, intent);
  if (const auto* wish = as<words::Enter>(intent)) make_way(*wish);
  remember(intent);
  dial_once();
  if (comeback_ != nullptr && is_kept_from_back(intent)) return;
  if (!options_.shared && !(told_ && wish_) && early_.size() < kMostEarly) early_.push_back(intent);
  if (!back_->left) back_->member->hear(intent, *back_);
}

/// Holds an Enter that the host does not admit yet, and all later intents of that player. True if the intent was
/// handled.
bool Room::waits(Intent& intent) {
  const auto at = seats_.find(intent.by);
  if (at == seats_.end()) return false;
  FrontEnd& seat = *at->second;
  if (as<words::Leave>(intent) != nullptr) {
    const bool was_in = std::exchange(seat.entered, false) || seat.held.empty();
    seat.held.clear();
    return !was_in;  // the back did not hear its Enter, so it need not hear the Leave
  }
  if (seat.held.empty()) {
    if (as<words::Enter>(intent) == nullptr) return false;
    const bool admitted = std::exchange(seat.admitted, false) || seat.left || host_.admits(intent.by);
    if (admitted) seat.entered = true;
    if (admitted) return false;
  }
  if (seat.held.size() < kMostHeld)
    seat.held.push_back(std::move(intent));
  else
    ledger_.add(loss::kHeldTooMany, name_of(intent));
  return true;
}

/// Keeps what the next server must be told if this one is lost.
void Room::remember(const Intent& intent) {
  if (options_.shared) return;
  if (as<words::Enter>(intent) != nullptr) wish_ = intent;
  const auto* change = as<words::Change>(intent);
  if (change == nullptr || !wish_) return;
  auto& wish = std::get<words::Enter>(wish_->kind);
  if (change->has_name()) wish.set_name(change->name());
  if (change->has_team() && !meanwhile_) wish.set_team(change->team());
  if (change->has_kit()) wish.set_kit(change->kit());
  if (change->has_motto()) wish.set_motto(change->motto());
  if (change->has_skin()) wish.set_skin(change->skin());
}

/// While the server is away, nothing can be done in a world that is gone.
bool Room::is_kept_from_back(const Intent& intent) {
  if (as<words::Enter>(intent) || as<words::Change>(intent) || as<words::Leave>(intent)) return false;
  if (as<words::Spawn>(intent) != nullptr)
    comeback_->ask_spawn();
  else if (as<words::WantWorld>(intent) == nullptr)
    ledger_.add(loss::kServerAway, name_of(intent));
  return true;
}

/// If the room is full, ends the seat of an absent player, so that a new player can enter: the seat that would expire
/// first.
void Room::make_way(const words::Enter& wish) {
  const std::uint32_t most = world_.room().most_players();
  if (!options_.shared || most == 0 || wish.role() == words::WATCH) return;
  const auto plays = [](const auto& player) { return player.second.player.role() != words::WATCH; };
  if (static_cast<std::size_t>(std::count_if(world_.players().begin(), world_.players().end(), plays)) < most) return;
  FrontEnd* oldest = nullptr;
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
  say(kBackEnd, std::move(answer));
}

/// Handled by the host, not the back, because it is about links.
void Room::resume(const words::Resume& word, const Intent& intent) {
  if (host_.resumes(intent.by, word.player())) return;
  words::ClaimRefused refused;
  refused.set_why("no player with that number is expected from that address");
  Fact answer(intent.by, refused);
  answer.cause = intent.number;
  say(kBackEnd, std::move(answer));
}

void Room::dial_once() {
  if (dialled_) return;
  dialled_ = true;
  host_.dial();
}

/// Removes seats that have left, and ends the room if the back or the only player has left. True if members were
/// called.
bool Room::settle() {
  if (bury()) return true;
  if (!over_ && back_->left && put_off_ == Wait::kNothing) over("the server is gone");
  if (!over_ && seats_.empty() && seated_ && !options_.shared) over("the player left");
  bool any = false;
  if (over_) {
    for (auto& [id, seat] : seats_) any |= say_goodbye(*seat, why_);
    any |= say_goodbye(*back_, why_);
  }
  return any;
}

template <class SomeEnd>
bool Room::say_goodbye(SomeEnd& end, std::string_view why) {
  if (end.left || end.goodbye_said) return false;
  end.goodbye_said = true;
  end.member->room_ends(why, end);
  return true;
}

/// Removes seats that have left. The back first hears that the player left. True if there was such a seat.
bool Room::bury() {
  if (!std::exchange(some_left_, false)) return false;
  bool found = false;
  for (auto at = seats_.begin(); at != seats_.end();) {
    FrontEnd& seat = *at->second;
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
