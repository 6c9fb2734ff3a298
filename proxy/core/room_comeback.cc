// A room of one player whose server is lost, or who moves to another server: what the player receives, what waits, and
// how the next back takes over.
#include <algorithm>
#include <cassert>

#include "proxy/core/drops.h"
#include "proxy/core/room_slots.h"

namespace entente::core {
namespace {

constexpr std::size_t kMostNotices = 64;  // notices of the next server that are kept during a move
constexpr Id kIdsMeanwhile = 1'000'000;   // more ids than a room gives out while a player leaves it

/// Holds the seat of a player who is still in another room.
class Expected final : public Front {
 public:
  explicit Expected(bool takes_another_world) : takes_another_world_(takes_another_world) {}
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact&, FrontOut&) override {}
  bool takes_another_world() const override { return takes_another_world_; }

 private:
  const bool takes_another_world_;
};

/// What the player has changed since its Enter `asked`.
words::Change change_since(const words::Enter& asked, const words::Enter& now) {
  words::Change change;
  if (now.name() != asked.name()) change.set_name(now.name());
  if (now.team() != asked.team()) change.set_team(now.team());
  if (now.kit() != asked.kit()) change.set_kit(now.kit());
  if (now.motto() != asked.motto()) change.set_motto(now.motto());
  if (now.skin() != asked.skin()) change.set_skin(now.skin());
  return change;
}

}  // namespace

bool Room::outlives_server() const {
  if (options_.shared || over_ || seats_.size() != 1) return false;
  const FrontSlot& seat = *seats_.begin()->second;
  return !seat.left && (!seat.entered || wish_.has_value());
}

bool Room::takes_another_world() const {
  return !seats_.empty() && seats_.begin()->second->member->takes_another_world();
}

Wait Room::replace_back(std::unique_ptr<Back> fresh, const ServerLoss& loss, Micros now) {
  assert(outlives_server());
  now_ = now;
  if (transfer_ != nullptr) fail_move("the player's server was lost");
  if (!back_->left) lose(*back_, loss.why, loss.code);
  const Wait wait = std::exchange(put_off_, Wait::kNothing);
  if (wait != Wait::kPlayerSlot) refusal_.reset();
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
  back_ = std::make_unique<BackSlot>(*this, kBackId, std::move(fresh));
  if (told_ && wish_)
    back_->member->hear(*wish_, *back_);
  else
    for (const Intent& intent : early_) back_->member->hear(intent, *back_);
  drain();
  return wait == Wait::kPlayerSlot ? Wait::kPlayerSlot : Wait::kServer;
}

/// Removes the world of the lost server, and waits for the next server.
void Room::prepare_comeback() {
  if (comeback_ != nullptr) return comeback_->start_again();
  const Id player = seats_.begin()->first;
  auto comeback = std::make_unique<Comeback>(world_, player);
  tell_all(Comeback::loss(world_, player));
  comeback_ = std::move(comeback);
  if (wish_ && !meanwhile_) set_team_of(*wish_);
}

/// Asks for the team that the player has now.
void Room::set_team_of(Intent& wish) const {
  const PlayerState* own = world_.player(seats_.begin()->first);
  const words::Team team = own != nullptr ? own->player.team() : words::TEAM_ANY;
  if (team != words::TEAM_ANY && team != words::RABBIT) std::get<words::Enter>(wish.content).set_team(team);
}

/// The Enter for another server, by which the player stays what it is.
Intent Room::wish_to_move() const {
  Intent wish = *wish_;
  if (!meanwhile_) set_team_of(wish);
  return wish;
}

/// Whether the fact refuses the player, but is kept from it because the player waits: for a seat, or to ask for any
/// team because its own is full.
bool Room::is_put_off(const Fact& fact) {
  const auto* refused = as<words::Refused>(fact);
  if (refused == nullptr || !outlives_server()) return false;
  auto* wish = wish_ ? &std::get<words::Enter>(wish_->content) : nullptr;
  const bool full = refused->code() == words::Refused::FULL;
  const bool team_full = refused->code() == words::Refused::TEAM_FULL && comeback_ != nullptr && wish != nullptr &&
                         wish->team() != words::TEAM_ANY;
  if ((!full && !team_full) || !put_off(full ? Wait::kPlayerSlot : Wait::kServer, refused->text())) return false;
  full ? void(refusal_ = fact) : wish->set_team(words::TEAM_ANY);
  return true;
}

/// If the host agrees, the back leaves, and the player waits for the next one.
bool Room::put_off(Wait wait, std::string_view why) {
  if (put_off_ != Wait::kNothing || !outlives_server() || !host_.await_next_server(why, wait)) return false;
  leave(*back_);
  put_off_ = wait;
  return true;
}

/// Delivers the facts at once, in this order.
void Room::tell_all(std::vector<Fact> facts) {
  for (Fact& fact : facts) {
    fact.at = now_;
    world_.fold(fact);
    host_.told(fact);
    deliver(fact);
  }
}

/// Handles a fact of the server that the player waits for. True: the player does not receive it now.
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

/// The player is in the next server's world, and receives the differences.
void Room::arrive() {
  if (over_) return;
  const auto& [player, seat] = *seats_.begin();
  // At such an end comeback_ stays, so the player receives nothing of the other world.
  if (!seat->member->takes_another_world() && !comeback_->is_same_place(world_))
    return end_with("the server is back with another world; join again");
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

/// Keeps what the next server must receive if this one is lost.
void Room::remember(const Intent& intent) {
  const auto seat = seats_.find(intent.by);
  if (options_.shared && seat == seats_.end()) return;
  std::optional<Intent>& kept = options_.shared ? seat->second->wish : wish_;
  if (as<words::Enter>(intent) != nullptr) kept = intent;
  const auto* change = as<words::Change>(intent);
  if (change == nullptr || !kept) return;
  auto& wish = std::get<words::Enter>(kept->content);
  if (change->has_name()) wish.set_name(change->name());
  if (change->has_team() && !meanwhile_) wish.set_team(change->team());
  if (change->has_kit()) wish.set_kit(change->kit());
  if (change->has_motto()) wish.set_motto(change->motto());
  if (change->has_skin()) wish.set_skin(change->skin());
}

/// Whether the intent needs a world, and is dropped because the server is away.
bool Room::is_kept_from_back(const Intent& intent) {
  if (as<words::Enter>(intent) || as<words::Change>(intent) || as<words::Leave>(intent)) return false;
  if (as<words::Spawn>(intent) != nullptr)
    comeback_->ask_spawn();
  else if (as<words::WantWorld>(intent) == nullptr)
    count_drop(intent.by, drops::kServerAway, name_of(intent));
  return true;
}

// -- To another server, while the player goes on at its own ----------------------------------------------------------

bool Room::can_move() const {
  return outlives_server() && wish_ && !awaits_server() && !back_->left && world_.ready() && transfer_ == nullptr;
}

void Room::begin_move(std::unique_ptr<Back> next, Micros now) {
  assert(can_move());
  now_ = now;
  const Id player = seats_.begin()->first;
  transfer_ = std::make_unique<Transfer>(
      Transfer{std::make_unique<BackSlot>(*this, kNextBackId, std::move(next)), Comeback(world_, player), {}, {}});
  transfer_->back->member->hear(wish_to_move(), *transfer_->back);
  drain();
}

void Room::cancel_move(std::string_view why, Micros now) {
  now_ = now;
  fail_later(why);
  drain();
}

void Room::next_opened(const Peer& peer, Micros now) {
  now_ = now;
  if (transfer_ == nullptr || transfer_->back->left) return;
  transfer_->back->open = true;
  transfer_->back->member->opened(peer, *transfer_->back);
  drain();
}

void Room::next_speaks(std::size_t dialect, Micros now) {
  now_ = now;
  if (transfer_ == nullptr || !transfer_->back->open) return;
  transfer_->back->member->speaks(dialect, *transfer_->back);
  drain();
}

/// Makes the move fail after the next server's facts are processed. True: its back receives nothing more.
bool Room::fail_later(std::string_view why) {
  if (transfer_ == nullptr) return false;
  if (transfer_->why.empty()) transfer_->why = why.empty() ? "it does not accept the player" : why;
  return true;
}

bool Room::hears_next() const {
  return transfer_ != nullptr && (!transfer_->facts.empty() || !transfer_->why.empty() || transfer_->back->left);
}

void Room::hear_next() {
  std::vector<Fact> facts = std::exchange(transfer_->facts, {});
  std::size_t next = 0;
  while (next < facts.size() && transfer_ != nullptr && hear_next(facts[next])) ++next;
  if (transfer_ == nullptr) return;  // it has failed
  if (next == facts.size()) {
    if (!transfer_->why.empty() || transfer_->back->left) fail_move(transfer_->why);
    return;
  }
  if (!finish_move()) return;
  for (++next; next < facts.size(); ++next) facts_.push_back(std::move(facts[next]));
}

/// Handles a fact of the next server. False: its world is complete, and the player is in it. (The world of an arena is
/// also complete for players who have not entered.)
bool Room::hear_next(Fact& fact) {
  if (as<words::Ready>(fact) != nullptr) {
    transfer_->ready = true;
    return transfer_->world.next().player(seats_.begin()->first) == nullptr;
  }
  const auto* refused = as<words::Refused>(fact);
  const auto* kicked = as<words::Kicked>(fact);
  if (refused != nullptr || kicked != nullptr) {
    const std::string& why = refused != nullptr ? refused->text() : kicked->text();
    return fail_move(why.empty() ? "it refuses the player" : why), true;
  }
  if (as<words::WorldProgress>(fact) || as<words::Waiting>(fact) || as<words::ClaimRefused>(fact)) return true;
  const auto* said = as<words::Said>(fact);
  if (said == nullptr && as<words::Notice>(fact) == nullptr) {
    transfer_->world.fold(fact);
    return !transfer_->ready || transfer_->world.next().player(seats_.begin()->first) == nullptr;
  }
  if ((said == nullptr || said->from() == 0) && transfer_->notices.size() < kMostNotices)
    transfer_->notices.push_back(std::move(fact));
  return true;
}

/// The player is in the next server's world: takes it out of its own, and sends it the differences. False: the move
/// failed.
bool Room::finish_move() {
  const auto& [player, seat] = *seats_.begin();
  if (!seat->member->takes_another_world() && !transfer_->world.is_same_place(world_))
    return fail_move("it has another world", true), false;
  const Intent asked = wish_to_move();
  if (expects_ && !take_over()) return fail_move("the player has left"), false;
  const words::Change change = change_since(*as<words::Enter>(asked), *as<words::Enter>(wish_to_move()));
  const std::unique_ptr<Transfer> transfer = std::move(transfer_);
  constexpr const char* kWhy = "the player moves to another server";
  host_.on_leaving_server();
  say_goodbye(*back_, kWhy);
  if (!back_->left) back_->close(kWhy, 0);
  facts_.clear();  // of the server that the player has left
  back_ = std::move(transfer->back);
  back_->become_back();
  meanwhile_ = false;
  host_.moved();
  if (Comeback(world_, player).spawns()) transfer->world.ask_spawn();
  tell_all(Comeback::loss(world_, player));
  tell_all(transfer->world.arrive(world_, player));
  world_.become(transfer->world.take());
  arrived();
  if (change.ByteSizeLong() != 0) say(player, Intent(change));
  if (transfer->world.spawns()) say(player, Intent(words::Spawn()));
  for (Fact& notice : transfer->notices) facts_.push_back(std::move(notice));
  return true;
}

void Room::fail_move(std::string_view why, bool other_world) {
  const std::unique_ptr<Transfer> transfer = std::move(transfer_);
  BackSlot& next = *transfer->back;
  const std::string told(why.empty() ? "it does not accept the player" : why);
  if (next.open) say_goodbye(next, told);
  if (!next.left) next.close(told, 0);
  host_.move_failed(told, other_world);
}

// -- Out of a room that is shared -------------------------------------------------------------------------------------

bool Room::can_take_out(Id id) const {
  const auto at = seats_.find(id);
  if (at == seats_.end() || over_) return false;
  const FrontSlot& seat = *at->second;
  const WorldState& world = world_seen_by(id);
  return !seat.left && seat.open && seat.entered && seat.wish && seat.held.empty() && world.ready() &&
         world.player(id) != nullptr;
}

DetachedPlayer Room::take_out(Id id, Micros now) {
  assert(can_take_out(id));
  now_ = now;
  FrontSlot& seat = *seats_.at(id);
  DetachedPlayer taken{std::move(seat.member), WorldState(), *seat.wish, seat.said, seat.timer.at};
  taken.world.copy(world_seen_by(id), 0);
  leave(seat);
  drain();
  return taken;
}

void Room::expect(const Room& from, Id id, Micros now) {
  assert(from.can_take_out(id) && seats_.empty());
  now_ = now;
  const FrontSlot& there = *from.seats_.at(id);
  last_id_ = from.last_id_ + kIdsMeanwhile;
  ids_again_ = from.ids_again_ || last_id_ > kLastId;
  wish_ = there.wish;
  world_.copy(from.world_seen_by(id), 0);
  FrontSlot& seat = *(seats_[id] = std::make_unique<FrontSlot>(
                          *this, id, std::make_unique<Expected>(there.member->takes_another_world())));
  seat.entered = seat.inside = true;
  expects_ = seated_ = dialled_ = told_ = true;
}

/// Takes the player out of its old room. False: that failed.
bool Room::take_over() {
  std::optional<DetachedPlayer> taken = host_.detach_player();
  if (!taken) return false;
  expects_ = false;
  FrontSlot& seat = *seats_.begin()->second;
  seat.member = std::move(taken->front);
  seat.open = true;
  seat.said = taken->said;
  hearers_.push_back(&seat);
  world_ = std::move(taken->world);
  wish_ = std::move(taken->wish);
  seat.wake(taken->wakes_at);
  return true;
}

}  // namespace entente::core
