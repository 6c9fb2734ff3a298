#include "proxy/core/room/transition.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "proxy/core/drops.h"
#include "proxy/core/room/member_slot.h"
#include "proxy/core/room/next_world.h"

namespace entente::core {
namespace {

constexpr std::size_t kMostEarly = 64;    // intents that are kept until the back says something
constexpr std::size_t kMostNotices = 64;  // notices of the next server that are kept during a move
constexpr Id kIdsMeanwhile = 1'000'000;   // more ids than a room gives out while a player leaves it

/// Holds the seat of a player who is still in another room.
class ExpectedFront final : public Front {
 public:
  explicit ExpectedFront(bool takes_another_world) : takes_another_world_(takes_another_world) {}
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

/// What a fact of the next server is to a player who is not there yet.
enum class NewsKind : std::uint8_t { kWorld, kReady, kProgress, kVerdict, kNotice, kOthersChat, kAnswer };

NewsKind kind_of(const Fact& fact) {
  if (as<words::Ready>(fact)) return NewsKind::kReady;
  if (as<words::WorldProgress>(fact)) return NewsKind::kProgress;
  if (as<words::Refused>(fact) || as<words::Kicked>(fact)) return NewsKind::kVerdict;
  if (const auto* said = as<words::Said>(fact)) return said->from() == 0 ? NewsKind::kNotice : NewsKind::kOthersChat;
  if (as<words::Notice>(fact)) return NewsKind::kNotice;
  if (as<words::Waiting>(fact) || as<words::ClaimRefused>(fact)) return NewsKind::kAnswer;
  return NewsKind::kWorld;
}

/// Why the next server does not let the player in.
std::string reason_of(const Fact& verdict) {
  const auto* refused = as<words::Refused>(verdict);
  const std::string& why = refused != nullptr ? refused->text() : as<words::Kicked>(verdict)->text();
  return why.empty() ? "it refuses the player" : why;
}

}  // namespace

Transition::Transition(Room& room) : room_(room) {}
Transition::~Transition() = default;

Id Transition::player() const { return room_.seats_.begin()->first; }
Seat& Transition::seat() const { return *room_.seats_.begin()->second; }

void Transition::go(State to) {
  [[maybe_unused]] const auto leads_there = [&](const Step& step) { return step.from == state_ && step.to == to; };
  assert(std::any_of(std::begin(kSteps), std::end(kSteps), leads_there));
  state_ = to;
}

bool Transition::knows(Id id) const { return world_ && has_id(*world_, id); }

bool Transition::takes_another_world() const { return !room_.seats_.empty() && seat().member->takes_another_world(); }

// -- What the player wants --------------------------------------------------------------------------------------------

void Transition::remember(const Intent& intent, Seat& seat) {
  std::optional<Intent>& kept = room_.options_.shared ? seat.wish : wish_;
  if (as<words::Enter>(intent) != nullptr) {
    kept = intent;
    seat.wants_to_watch = false;
  }
  if (as<words::Spawn>(intent) != nullptr) seat.wants_spawn = !is_alive(seat.world(), seat.me());
  const auto* watch = as<words::Watch>(intent);
  if (watch != nullptr) seat.wants_to_watch = watch->mode() != words::Watch::STOP;
  if ((watch != nullptr && seat.wants_to_watch) || as<words::Leave>(intent) != nullptr) seat.wants_spawn = false;
  const auto* change = as<words::Change>(intent);
  if (change == nullptr || !kept) return;
  auto& wish = std::get<words::Enter>(kept->content);
  const words::Team team = wish.team();
  change_wish(wish, *change);
  if (meanwhile_) wish.set_team(team);
  if (change->has_team() && std::exchange(seat.wants_to_watch, false)) wish.set_role(words::PLAY);
}

/// While the server is away, what needs a world is dropped, but the wish to spawn or to watch is kept.
bool Transition::withholds_from_back(const Intent& intent) {
  const bool needs_world = !as<words::Enter>(intent) && !as<words::Change>(intent) && !as<words::Leave>(intent);
  if (state_ == State::kLost) remember_watch(intent);
  if (state_ == State::kLost && needs_world) {
    const bool is_kept = as<words::Spawn>(intent) != nullptr || as<words::Watch>(intent) != nullptr;
    if (!is_kept && as<words::WantWorld>(intent) == nullptr)
      room_.intents_.count_drop(intent.by, drops::kServerAway, name_of(intent));
    return true;
  }
  if (room_.options_.shared) return false;
  if (room_.facts_.has_world() && wish_)
    early_ = {}, early_lost_ = {};
  else if (early_.size() < kMostEarly)
    early_.push_back(intent);
  else
    early_lost_.add(drops::kEarlyTooMany, name_of(intent));
  return false;
}

void Transition::hear(const Intent& intent) {
  if (state_ != State::kMoves) return;
  if (as<words::Leave>(intent) != nullptr) fail_later("the player leaves");
  const auto* change = as<words::Change>(intent);
  if (change != nullptr) next_->hear(intent);
  remember_watch(intent);
}

/// What the player wants to watch once it has arrived.
void Transition::remember_watch(const Intent& intent) {
  const auto* watch = as<words::Watch>(intent);
  const auto* change = as<words::Change>(intent);
  const bool plays = (watch != nullptr && watch->mode() == words::Watch::STOP) ||
                     (change != nullptr && change->has_team()) || as<words::Spawn>(intent) != nullptr ||
                     as<words::Enter>(intent) != nullptr;  // an Enter has the role itself
  if (watch != nullptr) watch_ = *watch;
  if (plays) watch_.reset();
}

/// Asks for the team and the role that the player has now. A player who watches because its server has no place for it,
/// or because it has lost, still wants to play.
void Transition::set_team_and_role(Intent& wish) const {
  const PlayerState* own = room_.world().player(player());
  if (own == nullptr) return;
  auto& enter = std::get<words::Enter>(wish.content);
  const words::Team team = own->player.team();
  if (team != words::TEAM_ANY && team != words::RABBIT) enter.set_team(team);
  const bool watched = enter.role() == words::WATCH, watches = own->player.role() == words::WATCH;
  if (watches != watched && watches == seat().wants_to_watch) enter.set_role(own->player.role());
}

/// The Enter for another server, by which the player stays what it is.
Intent Transition::wish_to_move() const {
  Intent wish = *wish_;
  if (!meanwhile_) set_team_and_role(wish);
  return wish;
}

// -- From a server that is lost ---------------------------------------------------------------------------------------

bool Transition::outlives_server() const {
  if (room_.options_.shared || room_.over_ || room_.seats_.size() != 1) return false;
  return !seat().has_left() && (!seat().entered || wish_.has_value());
}

bool Transition::server_stops(Id back, std::string_view why) {
  if (back == kNextBackId) return fail_later(why);
  return back == kBackId && put_off(Wait::kServer, why);
}

bool Transition::server_is_full(Id back, std::string_view why) {
  words::Refused refused;
  refused.set_code(words::Refused::FULL);
  refused.set_text(std::string(why));
  if (back == kNextBackId) {
    if (state_ == State::kMoves && why_.empty()) room_.host_.next_refuses(refused);
    return fail_later(why);
  }
  if (back != kBackId || !put_off(Wait::kPlayerSlot, why)) return false;
  refusal_ = Fact(player(), std::move(refused));
  return true;
}

/// If the host agrees, the back leaves, and the player waits for the next one.
bool Transition::put_off(Wait wait, std::string_view why) {
  if (is_put_off() || !outlives_server() || !room_.host_.await_next_server(why, wait)) return false;
  room_.back_->leave();
  put_off_ = wait;
  return true;
}

bool Transition::takes(Id back, Fact& fact) {
  if (back != kNextBackId) return back == kBackId && is_withheld(fact);
  if (state_ == State::kMoves) facts_.push_back(std::move(fact));
  return true;
}

/// Whether the fact refuses the player, but is kept from it because the player waits: for a seat, or to ask for any
/// team because its own is full.
bool Transition::is_withheld(const Fact& fact) {
  const auto* refused = as<words::Refused>(fact);
  if (refused == nullptr || !outlives_server()) return false;
  auto* wish = wish_ ? &std::get<words::Enter>(wish_->content) : nullptr;
  const bool full = refused->code() == words::Refused::FULL;
  const bool team_full = refused->code() == words::Refused::TEAM_FULL && state_ == State::kLost && wish != nullptr &&
                         wish->team() != words::TEAM_ANY;
  if ((!full && !team_full) || !put_off(full ? Wait::kPlayerSlot : Wait::kServer, refused->text())) return false;
  full ? void(refusal_ = fact) : wish->set_team(words::TEAM_ANY);
  return true;
}

Wait Transition::replace_back(std::unique_ptr<Back> fresh, const ServerLoss& loss, Micros now) {
  assert(outlives_server());
  room_.now_ = now;
  if (state_ == State::kMoves) fail("the player's server was lost");
  if (!room_.back_->has_left()) room_.back_->lose(loss.why, loss.code);
  const Wait wait = std::exchange(put_off_, Wait::kNothing);
  if (wait != Wait::kPlayerSlot) refusal_.reset();
  std::vector<Fact>& facts = room_.facts_.waiting();
  const bool unwanted = std::any_of(facts.begin(), facts.end(), [](const Fact& fact) {
    const auto* refused = as<words::Refused>(fact);
    return as<words::Kicked>(fact) != nullptr || (refused != nullptr && refused->code() != words::Refused::SERVER_GONE);
  });
  if (unwanted) {
    room_.end_with(loss.why);
    return room_.drain(), Wait::kNothing;
  }
  facts.clear();
  lose_world();
  meanwhile_ = loss.meanwhile;
  room_.back_ = std::make_unique<BackSlot>(room_, kBackId, std::move(fresh));
  if (room_.facts_.has_world() && wish_)
    room_.back_->hear(*wish_);
  else
    hear_early();
  room_.drain();
  return wait == Wait::kPlayerSlot ? Wait::kPlayerSlot : Wait::kServer;
}

void Transition::hear_early() {
  for (const Intent& intent : early_) room_.back_->hear(intent);
  const Ledger all_lost = std::exchange(early_lost_, {});
  for (const Ledger::Entry& lost : all_lost.entries())
    room_.intents_.count_drop(player(), *lost.line, lost.word, lost.times);
}

/// The next server's world is folded from now on. A client that moves a man does not ask for its next lives, because
/// servers of its game give them unasked.
void Transition::prepare_world() {
  world_.emplace();
  const UnitState* unit = room_.world().active_unit(player());
  const bool asks_once = wish_ && std::get<words::Enter>(wish_->content).body() == words::Unit::MAN;
  was_alive_ = unit != nullptr && (unit->unit.alive() || (asks_once && !seat().wants_to_watch));
}

/// Removes the world of the lost server from the player.
void Transition::lose_world() {
  if (state_ == State::kLost) return go(State::kLost), void(world_.emplace());
  if (!room_.facts_.has_world() || (!wish_ && room_.world().geometry() == nullptr)) {
    go(State::kAnew);
    if (room_.facts_.has_world()) room_.facts_.deliver_now(facts_of_loss(room_.world(), player()));
    return;
  }
  go(State::kLost);
  prepare_world();
  room_.facts_.deliver_now(facts_of_loss(room_.world(), player()));
  if (wish_ && !meanwhile_) set_team_and_role(*wish_);
}

bool Transition::withholds_from_player(const Fact& fact) {
  if (state_ != State::kLost) return false;
  switch (kind_of(fact)) {
    case NewsKind::kReady:
      if (!room_.over_) arrive();
      return true;
    case NewsKind::kProgress:
      return room_.host_.told(fact), true;
    case NewsKind::kOthersChat:
      return drop_news(fact), true;
    case NewsKind::kWorld:
      return world_->fold(fact), true;
    default:
      return false;
  }
}

std::optional<Fact> Transition::take_refusal() {
  return state_ == State::kLost ? std::nullopt : std::exchange(refusal_, std::nullopt);
}

void Transition::note_spawn(const Fact& fact, const WorldState& world) {
  Id who = 0;
  if (const auto* spawned = as<words::Spawned>(fact)) {
    const UnitState* const unit = world.unit(spawned->unit());
    if (unit != nullptr) who = unit->unit.owner();
  } else if (const auto* unit = as<words::Unit>(fact)) {
    who = unit->owner();
  } else if (const auto* owns = as<words::Owns>(fact)) {
    who = owns->player();
  }
  Seat* const its = who != 0 ? room_.seat_with(who) : nullptr;
  if (its != nullptr && is_alive(world, who)) its->wants_spawn = its->wants_to_watch = false;
}

void Transition::arrived() {
  if (state_ == State::kAnew) go(State::kHere);
  refusal_.reset();
}

// -- From a server that goes on ---------------------------------------------------------------------------------------

bool Transition::can_move() const {
  return outlives_server() && wish_ && state_ == State::kHere && !room_.back_->has_left() && room_.world().ready();
}

void Transition::begin_move(std::unique_ptr<Back> next, Micros now) {
  assert(can_move());
  room_.now_ = now;
  go(State::kMoves);
  next_ = std::make_unique<BackSlot>(room_, kNextBackId, std::move(next));
  prepare_world();
  next_->hear(wish_to_move());
  room_.drain();
}

void Transition::cancel_move(std::string_view why, Micros now) {
  room_.now_ = now;
  fail_later(why);
  room_.drain();
}

bool Transition::fail_later(std::string_view why) {
  if (state_ != State::kMoves) return false;
  if (why_.empty()) why_ = why.empty() ? "it does not accept the player" : why;
  return true;
}

bool Transition::has_news() const {
  return state_ == State::kMoves && (!facts_.empty() || !why_.empty() || next_->has_left());
}

void Transition::handle_news() {
  std::vector<Fact> facts = std::exchange(facts_, {});
  std::size_t done = 0;
  while (done < facts.size() && state_ == State::kMoves && !handle(facts[done])) ++done;
  if (state_ != State::kMoves) return;  // it has failed
  const auto verdict = std::find_if(facts.begin() + static_cast<std::ptrdiff_t>(done), facts.end(),
                                    [](const Fact& fact) { return kind_of(fact) == NewsKind::kVerdict; });
  if (verdict != facts.end()) return fail_by(*verdict);  // also if its world is complete
  if (!why_.empty() || next_->has_left()) return fail(why_);
  if (done == facts.size() || !arrive()) return;
  for (++done; done < facts.size(); ++done) room_.facts_.queue(std::move(facts[done]));
}

/// Handles a fact of the next server. True: its world is complete, and the player is in it. (The world of an arena is
/// also complete for players who have not entered.)
bool Transition::handle(Fact& fact) {
  switch (kind_of(fact)) {
    case NewsKind::kReady:
    case NewsKind::kWorld:
      world_->fold(fact);
      return world_->ready() && world_->player(player()) != nullptr;
    case NewsKind::kVerdict:
      return fail_by(fact), false;
    case NewsKind::kNotice:
      notices_.size() < kMostNotices ? notices_.push_back(std::move(fact)) : drop_news(fact);
      return false;
    case NewsKind::kOthersChat:
    case NewsKind::kAnswer:
      return drop_news(fact), false;
    case NewsKind::kProgress:
      return false;
  }
  return false;
}

/// Counts what the next server said to a player who is not there yet.
void Transition::drop_news(const Fact& fact) { room_.ledger_.add(drops::kOtherServer, name_of(fact)); }

void Transition::fail(std::string_view why, bool other_world) {
  const std::string told(why.empty() ? "it does not accept the player" : why);
  const std::unique_ptr<BackSlot> next = end();
  if (next->is_open()) next->say_goodbye(told);
  next->close(told, 0);
  room_.host_.move_failed(told, other_world);
}

/// The next server does not let the player in.
void Transition::fail_by(const Fact& verdict) {
  if (const auto* refused = as<words::Refused>(verdict)) room_.host_.next_refuses(*refused);
  fail(reason_of(verdict));
}

void Transition::stop(std::string_view why) {
  if (state_ == State::kMoves) fail(why);
}

// -- To the next server -----------------------------------------------------------------------------------------------

/// The player is on one server again. Returns the back of the other one, if it moved.
std::unique_ptr<BackSlot> Transition::end() {
  go(State::kHere);
  world_.reset();
  facts_.clear();
  notices_.clear();
  why_.clear();
  watch_.reset();
  return std::move(next_);
}

/// The next server's world is ready: the player leaves its own, and receives the differences. False: it does not.
bool Transition::arrive() {
  const bool moves = state_ == State::kMoves;
  if (!seat().member->takes_another_world() && !is_same_place(room_.world(), *world_)) {
    if (moves) return fail("it has another world", true), false;
    // kLost stays, so the player receives nothing of the other world.
    return room_.end_with("the server is back with another world; join again"), false;
  }
  const std::optional<Intent> asked = moves ? std::optional(wish_to_move()) : std::nullopt;
  if (moves && expects_ && !take_over()) return fail("the player has left"), false;
  words::Change change;
  if (moves) change = change_since(*as<words::Enter>(*asked), *as<words::Enter>(wish_to_move()));
  WorldState world = std::move(*world_);
  std::vector<Fact> notices = std::move(notices_);
  const std::optional<words::Watch> watch = std::move(watch_);
  std::unique_ptr<BackSlot> next = end();
  if (moves) {
    leave_for(std::move(next));
    was_alive_ = was_alive_ || is_alive(room_.world(), player());
    room_.facts_.deliver_now(facts_of_loss(room_.world(), player()));
  }
  room_.facts_.deliver_now(facts_of_arrival(room_.world(), world, player()));
  room_.facts_.world().become(std::move(world));
  room_.host_.on_arrival(room_.now_);
  arrived();
  if (change.ByteSizeLong() != 0) seat().say_unasked(change);
  if (watch)
    seat().say_unasked(*watch);
  else if (was_alive_ || seat().wants_spawn)
    seat().say_unasked(words::Spawn());
  for (Fact& notice : notices) room_.facts_.queue(std::move(notice));
  return true;
}

/// The back says goodbye, and the next one takes its place.
void Transition::leave_for(std::unique_ptr<BackSlot> next) {
  constexpr const char* kWhy = "the player moves to another server";
  room_.host_.on_leaving_server();
  room_.back_->say_goodbye(kWhy);
  room_.back_->close(kWhy, 0);
  room_.facts_.waiting().clear();  // of the server that the player has left
  room_.back_ = std::move(next);
  room_.back_->become_back();
  meanwhile_ = false;
  room_.host_.moved();
}

// -- Out of a room that is shared -------------------------------------------------------------------------------------

bool Transition::can_take_out(Id id) const {
  const Seat* const seat = room_.seat_with(id);
  if (seat == nullptr || room_.over_) return false;
  const WorldState& world = seat->world();
  return seat->is_open() && seat->entered && seat->wish && seat->unadmitted.empty() && world.ready() &&
         world.player(id) != nullptr;
}

DetachedPlayer Transition::take_out(Id id, Micros now) {
  assert(can_take_out(id));
  room_.now_ = now;
  Seat& seat = *room_.seat_with(id);
  DetachedPlayer taken{std::move(seat.member), WorldState(),     *seat.wish,   seat.wants_spawn,
                       seat.wants_to_watch,    seat.last_number, seat.timer.at};
  taken.world.copy(seat.world(), 0);
  seat.leave();
  room_.drain();
  return taken;
}

void Transition::expect(const Room& from, Id id, Micros now) {
  assert(from.transition_.can_take_out(id) && room_.seats_.empty());
  room_.now_ = now;
  const Seat& there = *from.seat_with(id);
  room_.numbers_.go_on_after(from.numbers_, kIdsMeanwhile);
  wish_ = there.wish;
  WorldState world;
  world.copy(there.world(), 0);
  room_.facts_.take_over(std::move(world));
  room_.intents_.need_no_dial();
  Seat& seat = room_.add_seat(id, std::make_unique<ExpectedFront>(there.member->takes_another_world()));
  seat.entered = seat.inside = true;
  seat.wants_to_watch = there.wants_to_watch;
  expects_ = true;
}

/// Takes the player out of its old room. False: that failed.
bool Transition::take_over() {
  std::optional<DetachedPlayer> taken = room_.host_.detach_player();
  if (!taken) return false;
  expects_ = false;
  room_.facts_.take_over(std::move(taken->world));
  room_.facts_.link(seat());
  wish_ = std::move(taken->wish);
  const bool wanted_to_watch = seat().wants_to_watch;
  seat().take_over(*taken);
  if (seat().wants_to_watch && !wanted_to_watch) watch_.emplace().set_mode(words::Watch::ROAM);
  return true;
}

}  // namespace entente::core
