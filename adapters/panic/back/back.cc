#include "adapters/panic/back/back.h"

#include <algorithm>

#include "adapters/panic/wire/drops.h"
#include "adapters/panic/wire/mapping.h"
#include "adapters/panic/wire/wire.h"
#include "proxy/base/text.h"
#include "proxy/core/unsupported.h"

namespace entente::panic {
namespace {

using core::kMillisecond;

// A client without tanks gets no Game Start. The pieces are complete when no more arrive for this long.
constexpr core::Micros kWatcherSettles = 500 * kMillisecond;

/// Limits a move: no map is larger, and a longer move would not lead to a valid place.
int tiles_moved(std::int32_t value) { return std::clamp(value, -255, 255); }

/// Limits a place: a unit may be beyond the edge, but not farther away than the size of the largest map.
Tile near_map(Tile tile) { return {std::clamp(tile.x, -256, 511), std::clamp(tile.y, -256, 511)}; }

}  // namespace

PanicBack::PanicBack(const core::FaceOptions& options, std::shared_ptr<const Maps> maps)
    : dialect_(options.dialect),
      quits_(options.setting("leave") == "quit"),
      maps_(std::move(maps)),
      link_(wire::Way::kToClient, make_message_codec(options.dialect)),
      driver_(battlefield_) {}

void PanicBack::opened(const core::Peer&, Out& out) {
  out.say(words::Waiting());  // until the last player has connected, however long that is
}

void PanicBack::speaks(std::size_t dialect, Out&) {
  dialect_ = dialect;
  link_ = {wire::Way::kToClient, make_message_codec(dialect)};
}

void PanicBack::receive(const Frames& frames, Out& out) {
  const auto take = [&](const auto& heard) {
    hear_message(heard, out);
    return !left_;
  };
  if (const auto fault = link_.hear(frames, take)) return out.fail(*fault);
  drive(out);
}

void PanicBack::hear_message(const wire::MessageCodec<Message>::Heard& heard, Out& out) {
  if (const auto* state = std::get_if<GameState>(heard.message)) return on(*state, out);
  if (phase_ == Phase::kWaiting) return out.drop(drops::kBeforeState);
  if (const auto* create = std::get_if<CreatePiece>(heard.message)) return on(*create, heard.code, out);
  if (const auto* event = std::get_if<Event>(heard.message)) on(*event, heard.code, out);
}

void PanicBack::on(const GameState& state, Out& out) {
  forget_all(out);  // as in the document: a second Game State makes everything before it void
  phase_ = Phase::kGreeted;
  self_ = out.me() != 0 ? out.me() : self_ != 0 ? self_ : out.new_id();
  number_ = state.player;
  tanks_ = state.tanks;
  battlefield_.ground = Ground::uncharted(state.map, state.map_version);
  for (const Ground& map : maps_->grounds)
    if (map.id() == state.map && map.version() == state.map_version) battlefield_.ground = map;
  settle_at_ = out.now() + kWatcherSettles;
  if (tanks_.empty()) out.wake(settle_at_);
}

void PanicBack::forget_all(Out& out) {
  for (const auto& [number, piece] : battlefield_.pieces()) {
    if (phase_ < Phase::kPlaying) break;  // the room does not know them
    words::Gone gone;
    gone.set_unit(piece.unit);
    out.say(gone);
  }
  battlefield_.clear();
  driver_.remove_all(out);
  driver_.set_active(0);
  over_ = false;
}

void PanicBack::on(const CreatePiece& create, std::uint32_t code, Out& out) {
  if (code > 10 && !is_tank(code)) return out.drop(drops::kCreateReserved);
  Piece piece;
  const Piece* known = battlefield_.find(create.piece);
  piece.number = create.piece;
  piece.unit = known != nullptr ? known->unit : 0;
  piece.code = code;
  piece.health = create.value;
  piece.at = {create.x, create.y};
  piece.mine = is_tank(code) && std::find(tanks_.begin(), tanks_.end(), create.piece) != tanks_.end();
  Piece* there = battlefield_.put(piece);
  if (there == nullptr) return out.drop(drops::kPiecesFull);
  settle_at_ = out.now() + kWatcherSettles;
  if (piece.mine) colour_slot_ = colour_slot_of(code);
  if (phase_ < Phase::kPlaying) return;
  there->owner = owner_of(*there, out);
  if (there->unit == 0) there->unit = out.new_id();
  if (!there->mine)
    driver_.remove(there->number, out);  // a tank may have had its number
  else if (phase_ != Phase::kDefeated && !watches_)
    driver_.add(there->number);
  tell_piece(*there, out);
  if (there->owner != 0) tell_owns(there->owner, out);
  if (!there->mine || !fresh_) tell_spawned(*there, out);
}

void PanicBack::on(const Event& event, std::uint32_t code, Out& out) {
  if (code > kGameOver) return out.drop(drops::kEventReserved);
  if (code == kUpdateAmmo) return on_ammo(event.value, out);
  if (phase_ == Phase::kGreeted) start(out);  // also without a Game Start: a client that returns gets none
  if (code == kGameStart) return;
  if (code == kGameOver) return on_over(event.value == 1, out);
  Piece* piece = battlefield_.find(event.piece);
  if (piece == nullptr) return out.drop(drops::kNoPiece);
  if (code == kUpdateHealth) return on_health(*piece, event.value, out);
  if (code == kDestroy) return on_destroy(*piece, out);
  on_move(*piece, event, out);
}

void PanicBack::on_ammo(std::int32_t ammo, Out& out) {
  ammo_ = std::max(ammo, 0);
  driver_.set_ammo(ammo_);
  if (phase_ >= Phase::kPlaying) tell_ammo(out);
}

void PanicBack::on_health(Piece& victim, std::int32_t health, Out& out) {
  Piece* shooter = battlefield_.shooter_of(victim, out.now());
  if (shooter != nullptr && !shooter->shot_told) tell_shot(*shooter, std::nullopt, out);
  victim.health = health;
  words::Health word;
  word.set_unit(victim.unit);
  word.set_now(health);
  if (is_tank(victim.code)) word.set_max(std::max(kModels[model_of(victim.code)].health, health));
  if (shooter != nullptr) {
    word.set_by(shooter->owner);
    word.set_from_x(battlefield_.ground.tiles().x(shooter->at));
    word.set_from_y(battlefield_.ground.tiles().y(shooter->at));
  }
  out.say(word);
}

void PanicBack::on_destroy(Piece& victim, Out& out) {
  Piece* shooter = battlefield_.shooter_of(victim, out.now());
  if (shooter != nullptr && !shooter->shot_told) tell_shot(*shooter, std::nullopt, out);
  tell_death(victim, shooter, out);
  const core::Id owner = victim.owner;
  driver_.remove(victim.number, out);
  battlefield_.remove(victim.number);
  if (owner == self_ && owner != 0) take_next_tank(out);
  if (owner != 0) tell_owns(owner, out);
}

void PanicBack::on_move(Piece& piece, const Event& move, Out& out) {
  if (!is_direction(move.direction)) return out.drop(drops::kMoveNoDirection);
  const int moved = tiles_moved(move.value);
  const auto asked = driver_.answered(piece.number, move.direction, moved != 0, out);
  piece.facing = move.direction;
  piece.at = near_map(step(piece.at, move.direction, moved));
  piece.stood.reset();
  piece.shot_told = false;
  if (moved == 0) piece.stood = out.now();
  if (moved != 0) battlefield_.ground.see(piece.at);
  out.say(battlefield_.pose(piece));
  if (moved != 0 || !is_tank(piece.code)) return;
  const Tile ahead = step(piece.at, piece.facing);
  if (asked && asked->action == ActionType::kShoot) return tell_shot(piece, asked->shot, out);
  if (asked && !asked->sure) return;
  if (asked && !battlefield_.taken(ahead)) return learn_wall(ahead, out);
  // A turn that we did not ask for: a shot if nothing can have blocked the tank, otherwise a blocked move.
  if (!asked && battlefield_.ground.lets_in(ahead) && !battlefield_.taken(ahead)) tell_shot(piece, std::nullopt, out);
}

void PanicBack::on_over(bool won, Out& out) {
  if (!won) {
    phase_ = Phase::kDefeated;
    driver_.remove_all(out);
    if (driver_.active() != 0) tell_player(self_, colour_slot_, words::WATCH, out);
    driver_.set_active(0);
  }
  if (std::exchange(over_, true)) return out.drop(drops::kOverAlready);
  words::Round round;
  round.set_state(words::Round::OVER);
  round.set_winner(won ? self_ : last_standing());
  out.say(round);
}

/// The only player with tanks left; 0 if there are several.
core::Id PanicBack::last_standing() const {
  core::Id last = 0;
  for (const auto& [number, piece] : battlefield_.pieces()) {
    if (piece.owner == 0 || piece.owner == last) continue;
    if (std::exchange(last, piece.owner) != 0) return 0;
  }
  return last;
}

// -- What our player wants --------------------------------------------------------------------------------------------

void PanicBack::hear(const core::Intent& intent, Out& out) {
  if (intent.by != out.me() || left_) return out.drop(drops::kOtherPlayer, intent);
  std::visit(core::Overloaded{
                 [&](const words::Enter& wish) { enter(wish, out); },
                 [&](const words::Spawn&) { has_lost() ? out.drop(drops::kWatching, intent) : spawn(out); },
                 [&](const words::Select& wish) { select(wish, out); },
                 [&](const words::Leave& wish) { leave(wish.why().empty() ? "the player left" : wish.why(), out); },
                 [&](const auto&) { hear_other(intent, out); }},
             intent.content);
}

/// The game may have begun before the player enters, because the connection already has a place in it.
void PanicBack::enter(const words::Enter& wish, Out& out) {
  name_ = clean(wish.name());
  watches_ = wish.role() == words::WATCH;
  if (phase_ < Phase::kPlaying) return;
  if (watches_) {
    driver_.remove_all(out);
    driver_.set_active(0);
  } else if (phase_ == Phase::kPlaying) {  // it may have watched before
    for (const auto& [number, piece] : battlefield_.pieces())
      if (piece.mine) driver_.add(number);
    if (battlefield_.find(driver_.active()) == nullptr) take_next_tank(out);
  }
  tell_player(self_, colour_slot_, tanks_.empty() || watches_ ? words::WATCH : words::PLAY, out);
}

void PanicBack::hear_other(const core::Intent& intent, Out& out) {
  if (core::as<words::DeathClaim>(intent) != nullptr) return core::drop_unsupported<mapping>(intent, out);
  if (watches_ || phase_ == Phase::kDefeated) return Driver::refuse(intent, drops::kWatching, out);
  // A client that steers all its units at once does not ask to spawn while it has any.
  if (awaits_spawn_ && !fresh_ && core::as<words::Toward>(intent) != nullptr) spawn(out);
  if (awaits_spawn_ && !Driver::names_unit(intent)) return Driver::refuse(intent, drops::kNotInPlay, out);
  if (!driver_.hear(intent, out)) return core::drop_unsupported<mapping>(intent, out);
  // The mouse and a shot of one update are two intents. The mouse waits, so that the shot is sent first.
  core::as<words::Toward>(intent) != nullptr ? out.wake(out.now()) : drive(out);
}

/// Whether the player has no tank, and gets none in this game.
bool PanicBack::has_lost() const {
  const bool has_none = phase_ == Phase::kPlaying && battlefield_.find(driver_.active()) == nullptr;
  return watches_ || has_none || phase_ == Phase::kDefeated;
}

void PanicBack::spawn(Out& out) {
  spawn_wished_ = true;
  const Piece* piece = battlefield_.find(driver_.active());
  if (phase_ != Phase::kPlaying || piece == nullptr || !awaits_spawn_) return;
  awaits_spawn_ = false;
  for (const auto& [number, other] : battlefield_.pieces())
    if (fresh_ && other.mine && &other != piece) tell_spawned(other, out);
  fresh_ = false;
  tell_spawned(*piece, out);  // last, because its client is then told all its tanks
}

void PanicBack::select(const words::Select& wish, Out& out) {
  const Piece* piece = battlefield_.find_unit(wish.unit());
  if (piece == nullptr || !piece->mine) return out.drop(drops::kNoTank, wish);
  driver_.set_active(piece->number);
  tell_owns(self_, out);
}

void PanicBack::take_next_tank(Out& out) {
  if (battlefield_.find(driver_.active()) != nullptr) return;
  driver_.set_active(0);
  for (const std::uint32_t tank : tanks_)
    if (driver_.active() == 0 && battlefield_.find(tank) != nullptr) driver_.set_active(tank);
  awaits_spawn_ = out.me() != 0;
  if (driver_.active() == 0) tell_player(self_, colour_slot_, words::WATCH, out);
}

void PanicBack::tick(Out& out) {
  if (phase_ == Phase::kGreeted && tanks_.empty()) {
    if (out.now() >= settle_at_)
      start(out);
    else
      out.wake(settle_at_);
  }
  drive(out);
}

void PanicBack::drive(Out& out) {
  if (phase_ != Phase::kPlaying || left_) return;
  if (const Piece* piece = driver_.astray(out)) {
    words::Corrected corrected;
    *corrected.mutable_pose() = battlefield_.pose(*piece);
    corrected.set_hard(true);
    out.say(core::Fact(self_, corrected));
  }
  while (const auto order = driver_.next(out)) send(*order, out);
}

void PanicBack::send(const Order& order, Out& out) {
  send_action({number_, order.action, order.direction, order.piece}, out);
}

void PanicBack::send_action(const Action& action, Out& out) { out.send(Lane::kStream, link_.frame(action)); }

void PanicBack::closed(std::string_view why, Out& out) {
  left_ = true;
  if (phase_ >= Phase::kPlaying) return;
  words::Refused refused;
  refused.set_code(words::Refused::SERVER_GONE);
  refused.set_text(std::string(why));
  out.say(refused);
}

void PanicBack::session_ends(std::string_view why, Out& out) { leave(why, out); }

void PanicBack::leave(std::string_view why, Out& out) {
  if (std::exchange(left_, true)) return;
  if (quits_ && phase_ >= Phase::kGreeted) send_action({number_, ActionType::kQuit, Direction::kNone, 0}, out);
  out.close(why);
}

}  // namespace entente::panic
