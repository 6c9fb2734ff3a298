#include "proxy/fleet/arena/mirror.h"

#include <algorithm>
#include <tuple>

#include "proxy/core/bodies.h"
#include "proxy/core/drops.h"
#include "proxy/core/ids.h"
#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/resync_phase.h"
#include "proxy/core/wishes.h"
#include "proxy/core/world.h"
#include "proxy/fleet/arena/finite.h"
#include "proxy/fleet/arena/fleet_arena.h"
#include "proxy/fleet/decode.h"

namespace entente::fleet {
namespace {

using core::as, core::Fact, core::Id, core::Intent;

/// What the next owner must know of a player who is in play.
bool steers(const Intent& intent) {
  return as<words::Step>(intent) != nullptr || as<words::Toward>(intent) != nullptr ||
         as<words::Keys>(intent) != nullptr;
}

// Who comes into play or dies while messages are missed: viewers are told so by an event, because it happens now.

bool revives(const words::Unit& unit, const core::WorldState& before, const core::WorldState& after) {
  const core::UnitState* known = before.unit(unit.id());
  return unit.alive() && known != nullptr && !known->unit.alive() && !after.unit(unit.id())->hidden;
}

bool dies(const words::Unit& unit, const core::WorldState& before) {
  const core::UnitState* known = before.unit(unit.id());
  return !unit.alive() && unit.owner() != 0 && known != nullptr && known->unit.alive();
}

void say_spawned(const words::Unit& unit, core::BackOut& out) {
  words::Spawned spawned;
  spawned.set_unit(unit.id());
  *spawned.mutable_pose() = unit.pose();
  out.say(std::move(spawned));
  if (unit.health() >= unit.max_health()) return;  // Spawned alone means full health
  out.say(core::health_word(unit.id(), unit.health(), unit.max_health()));
}

words::Died death_of(const words::Unit& unit) {
  words::Died died;
  died.set_player(unit.owner());
  died.set_unit(unit.id());
  return died;
}

}  // namespace

// -- From the owner ---------------------------------------------------------------------------------------------------

/// Messages of an earlier owner are ignored; a later owner replaces the current one.
bool Mirror::is_current(std::uint64_t epoch) {
  if (epoch == 0 || (epoch < epoch_ && !lost_owner_)) return false;
  lost_owner_ = false;
  speaks_ = true;
  if (epoch == epoch_) return true;
  epoch_ = epoch;
  begin_anew();
  lose_unheard();
  new_owner_ = true;
  return true;
}

void Mirror::lose_owner() {
  lost_owner_ = true;
  begin_anew();
}

void Mirror::begin_anew() {
  lose_step();
  facts_.clear();
  private_.clear();
  queued_ = 0;
  next_private_ = 0;
  for (auto& [id, seat] : seats_) seat.open = false;
  // The pending messages were for the owner before.
  lose(message_);
  for (const std::string& one : sealed_) unsent(one);
  message_.clear_parts();
  message_bytes_ = 0;
  sealed_.clear();
}

void Mirror::set_line(bool up) {
  if (std::exchange(line_up_, up) != up && up) lose_step();
}

void Mirror::tell_away(std::string away, std::string back) { waiting_ = {std::move(away), std::move(back)}; }

void Mirror::lose_step() {
  in_step_ = false;
  pieces_.clear();
  next_piece_ = 0;
  snapshot_.reset();
}

bool Mirror::hear_facts(Bytes bytes) {
  Public fresh;
  fresh.bytes = bytes.size();
  if (!decode(bytes, fresh.message)) return ++refused_, false;
  if (!is_current(fresh.message.epoch())) return ++refused_, false;
  const std::uint64_t number = fresh.message.number();
  if (in_step_ && number <= last_) return true;  // the snapshot had it
  const std::uint64_t before = facts_.empty() ? last_ : facts_.back().message.number();
  if (number != before + 1 && (in_step_ || !facts_.empty())) {
    lose_step();
    queued_ = 0;
    for (const Private& one : private_) queued_ += one.bytes;
    facts_.clear();
  }
  queued_ += fresh.bytes;
  facts_.push_back(std::move(fresh));
  while (queued_ > kMostQueued && !facts_.empty()) {  // a later snapshot has them
    queued_ -= facts_.front().bytes;
    facts_.pop_front();
    lose_step();
  }
  return true;
}

bool Mirror::hear_private(Bytes bytes) {
  Private fresh;
  fresh.bytes = bytes.size();
  if (!decode(bytes, fresh.message)) return ++refused_, false;
  if (fresh.message.run() != run_) return true;  // it is for the node's other process, after an upgrade
  if (!is_current(fresh.message.epoch())) return ++refused_, false;
  const std::uint64_t number = fresh.message.number();
  if (next_private_ != 0 && number < next_private_) return ++refused_, false;
  if (next_private_ != 0 && number > next_private_) lose_step();
  next_private_ = number + 1;
  heard_ = std::max(heard_, fresh.message.heard());
  if (fresh.message.has_piece() && !take_piece(fresh.message.piece())) return ++refused_, false;
  if (fresh.message.parts().empty()) return true;
  queued_ += fresh.bytes;
  private_.push_back(std::move(fresh));
  if (queued_ <= kMostQueued) return true;
  begin_anew();
  return false;
}

bool Mirror::take_piece(const bus::ToNode::Piece& piece) {
  if (piece.index() == 0) {
    pieces_.clear();
    next_piece_ = 0;
  }
  if (piece.index() != next_piece_ || piece.index() >= piece.count() ||
      pieces_.size() + piece.bytes().size() > kMostSnapshot)
    return false;
  pieces_ += piece.bytes();
  if (++next_piece_ < piece.count()) return true;
  bus::Snapshot snapshot;
  const bool good = snapshot.ParseFromString(pieces_);
  free_memory(pieces_);
  next_piece_ = 0;
  if (!good) return false;
  snapshot_ = std::move(snapshot);
  for (Private& one : private_) one.old = true;
  return true;
}

void Mirror::tick(Outlet& out) {
  for (const Intent& intent : std::exchange(lost_, {}))
    if (!is_kept(intent, out)) tell_lost({intent.by, core::name_of(intent), intent.number}, out);
  for (const Wish& wish : std::exchange(lost_wishes_, {})) tell_lost(wish, out);
  if (std::exchange(speaks_, false)) spoke_at_ = out.now();
  advance(out);
  if (!waiting_) return;
  for (auto& [id, seat] : seats_) tell_waiting(id, seat, out);
  if (in_step_) waiting_.reset();
}

void Mirror::tell_waiting(Id id, Seat& seat, Outlet& out) {
  if (!waiting_ || seat.told_away != in_step_ || (!in_step_ && !seat.wish)) return;
  seat.told_away = !in_step_;
  words::Notice notice;
  notice.set_text(in_step_ ? waiting_->back : waiting_->away);
  out.say(Fact(id, std::move(notice)));
}

/// Delivers everything that is complete.
void Mirror::advance(Outlet& out) {
  if (new_owner_ || snapshot_) note_lives(out);
  // Players enter before the world is requested, so that it contains them.
  if (std::exchange(new_owner_, false)) enter_again(out);
  if (snapshot_) {
    const bus::Snapshot snapshot = *std::exchange(snapshot_, std::nullopt);
    arrive(snapshot, out);
  }
  const auto drop_private = [this] {
    queued_ -= std::min(queued_, private_.front().bytes);
    private_.pop_front();
  };
  while (in_step_) {
    if (!private_.empty() && private_.front().message.facts() <= last_) {
      for (const auto& part : private_.front().message.parts()) apply(part, private_.front().old, out);
      drop_private();
      continue;
    }
    if (facts_.empty()) break;
    const bus::Facts& facts = facts_.front().message;
    const auto number = facts.number();
    int index = 0;
    const auto until = [&](int end) {
      for (; index < end && index < facts.facts_size(); ++index) apply(facts.facts(index), out);
    };
    while (!private_.empty() && private_.front().message.facts() == number) {
      for (const auto& part : private_.front().message.parts()) {
        until(static_cast<int>(std::min<std::uint32_t>(part.before(), 0x7fffffff)));
        apply(part, private_.front().old, out);
      }
      drop_private();
    }
    until(facts.facts_size());
    last_ = number;
    queued_ -= std::min(queued_, facts_.front().bytes);
    facts_.pop_front();
  }
  tell_ready(out);
}

/// The snapshot becomes the world: the room receives the difference.
void Mirror::arrive(const bus::Snapshot& snapshot, Outlet& out) {
  ++snapshots_;
  take_seats(snapshot, out);
  std::vector<Fact> world;
  world.reserve(static_cast<std::size_t>(snapshot.world_size()));
  for (const words::Fact& one : snapshot.world())
    if (auto fact = translated(one, out); fact && fact->audience == words::ALL) world.push_back(std::move(*fact));
  for (const Fact& fact : world) note(fact);
  if (!told_) {
    for (Fact& fact : world) out.say(std::move(fact));
    told_ = true;
  } else {
    core::WorldState next;
    for (Fact& fact : world) {
      fact.at = out.now();
      next.fold(fact);
    }
    out.say(core::resync_clock(0));
    const auto comes_again = [this](Id player) {
      const auto at = seats_.find(player);
      return at != seats_.end() && at->second.wish;
    };
    std::vector<words::Unit> revived, dead;
    core::tell_difference(out.world(), next, comes_again, [&](Fact fact) {
      if (const auto* unit = as<words::Unit>(fact)) {
        const bool comes = revives(*unit, out.world(), next), goes = dies(*unit, out.world());
        if (comes || goes) {
          (comes ? revived : dead).push_back(*unit);
          words::Unit still = *unit;
          still.set_alive(goes);
          fact = Fact(std::move(still));
        }
      }
      out.say(std::move(fact));
    });
    words::Clock end;
    end.set_speed(1);
    out.say(end);
    for (const words::Unit& unit : revived) say_spawned(unit, out);
    for (const words::Unit& unit : dead) {
      Fact died = death_of(unit);
      note(died);
      out.say(std::move(died));
    }
  }
  last_ = snapshot.facts();
  while (!facts_.empty() && facts_.front().message.number() <= last_) {
    queued_ -= std::min(queued_, facts_.front().bytes);
    facts_.pop_front();
  }
  in_step_ = facts_.empty() || facts_.front().message.number() == last_ + 1;
  if (!in_step_) return;
  std::vector<Private> older;
  while (!private_.empty() && private_.front().old) {
    queued_ -= std::min(queued_, private_.front().bytes);
    older.push_back(std::move(private_.front()));
    private_.pop_front();
  }
  for (const Private& one : older)
    for (const auto& part : one.message.parts()) apply(part, true, out);
  enter_again(out);
}

/// Finds which of the owner's players are ours. Forgets ids that the owner no longer uses.
void Mirror::take_seats(const bus::Snapshot& snapshot, Outlet& out) {
  std::set<Id> used;
  for (const words::Fact& one : snapshot.world()) core::each_id(one, [&](Id id) { used.insert(id); });
  const bool known_owner = std::exchange(ids_epoch_, epoch_) == epoch_;
  core::IdMap<Id> kept;
  if (known_owner)
    for (const Id id : used)
      if (const Id known = ids_.id(id)) kept.add(id, known);
  ids_ = std::move(kept);
  for (auto& [id, seat] : seats_) {
    ids_.remove_id(id);
    seat.open = false;
  }
  for (const auto& one : snapshot.seats()) {
    const auto at = seats_.find(one.seat());
    if (at == seats_.end()) {
      close(one.seat(), "gone");
      continue;
    }
    sit(one.seat(), one.player());
    at->second.entered = one.entered();
    if (!at->second.wish) pass(one.seat(), Intent(words::Leave()));  // it has left meanwhile
  }
  for (const auto& one : snapshot.closed())  // perhaps we have missed it
    if (const auto at = seats_.find(one.seat()); at != seats_.end() && at->second.wish && !at->second.open)
      end_seat(at->first, at->second, one.why(), out);
  if (!known_owner && told_) recognise(snapshot, out);
}

/// Players, units and flags of the last owner's world keep their ids in the next one's, so that clients do not see them
/// disappear and reappear.
void Mirror::recognise(const bus::Snapshot& snapshot, Outlet& out) {
  const core::WorldState& room = out.world();
  std::map<std::string, Id> names;
  std::set<Id> free;  // ids of the room that are not assigned yet
  std::multimap<std::tuple<int, int, int>, Id> tokens;
  const auto alike = [](const words::Token& token) {
    return std::tuple(int{token.kind()}, int{token.team()}, int{token.gives()});
  };
  for (const auto& [id, state] : room.players()) {
    if (!seats_.contains(id)) names.emplace(state.player.name(), id), free.insert(id);
    free.insert(state.units.begin(), state.units.end());
  }
  for (const auto& [id, token] : room.tokens()) tokens.emplace(alike(token), id), free.insert(id);
  for (const words::Fact& one : snapshot.world()) {
    if (one.has_player()) {
      if (const auto at = names.find(one.player().name()); at != names.end()) same(one.player().id(), at->second, free);
    } else if (one.has_owns()) {
      const core::PlayerState* player = room.player(ids_.id(one.owns().player()));
      for (int i = 0; player != nullptr && i < one.owns().units_size(); ++i)
        if (static_cast<std::size_t>(i) < player->units.size())
          same(one.owns().units(i), player->units[static_cast<std::size_t>(i)], free);
    } else if (one.has_token()) {
      const auto at = tokens.find(alike(one.token()));
      if (at == tokens.end()) continue;
      same(one.token().id(), at->second, free);
      tokens.erase(at);
    }
  }
}

void Mirror::same(Id owners, Id room, std::set<Id>& free) {
  if (owners != 0 && ids_.id(owners) == 0 && free.erase(room) != 0) ids_.add(owners, room);
}

void Mirror::sit(Id id, Id player) {
  seats_[id].open = true;
  if (player == 0) return;
  ids_.remove_number(player);
  ids_.remove_id(id);
  ids_.add(player, id);
}

/// The owner has taken away the seat.
void Mirror::end_seat(Id id, Seat& seat, const std::string& why, Outlet& out) {
  words::Kicked kicked;
  kicked.set_text(why);
  out.say(Fact(id, std::move(kicked)));
  ids_.remove_id(id);
  seat = {};
}

/// The owner may not know what these players want: it is a new one, or may have missed our messages. They keep their
/// names. What it knows already changes nothing there.
void Mirror::enter_again(Outlet& out) {
  for (auto& [id, seat] : seats_) {
    if (!seat.wish || seat.refused) continue;
    Intent wish = *seat.wish;
    auto& enter = std::get<words::Enter>(wish.content);
    const core::PlayerState* const player = out.world().player(id);
    const bool again = seat.open, enters = !again || (!seat.entered && player == nullptr);
    const bool changed = seat.repeats > 0 && player != nullptr &&
                         (player->player.motto() != enter.motto() || player->player.skin() != enter.skin());
    if (changed) --seat.repeats;
    if (!again) open(id, seat);
    if (player != nullptr) enter.set_name(player->player.name());
    if (enters || changed) pass(id, wish, again);
    const core::UnitState* unit = out.world().active_unit(id);
    if (seat.spawns && (enters || unit == nullptr || !unit->unit.alive())) pass(id, Intent(words::Spawn()));
    // A player who waits to enter does not steer yet.
    for (const auto* still : {&seat.steers, &seat.trigger})
      if ((enters || player != nullptr) && *still) pass(id, **still);
  }
}

/// Sends Ready to players who have entered: as in one process, after the facts of their entering.
void Mirror::tell_ready(Outlet& out) {
  for (const Id id : std::exchange(entered_, {}))
    if (const auto at = seats_.find(id); at != seats_.end() && !std::exchange(at->second.ready, true))
      out.say(Fact(id, words::Ready()));
}

/// Players who are in play must be in play at the next owner, too, however they came into play.
void Mirror::note_lives(const Outlet& out) {
  for (auto& [id, seat] : seats_)
    if (const core::UnitState* unit = out.world().active_unit(id); unit != nullptr && unit->unit.alive())
      seat.spawns = true;
}

/// Notes what a fact means for our players.
void Mirror::note(const Fact& fact) {
  if (as<words::Refused>(fact) != nullptr && fact.audience == words::PLAYER)
    if (const auto at = seats_.find(fact.to); at != seats_.end()) at->second.refused = true;
  const auto* player = as<words::Player>(fact);
  const auto* died = as<words::Died>(fact);
  if (player == nullptr && died == nullptr) return;
  const auto at = seats_.find(player != nullptr ? player->id() : died->player());
  if (at == seats_.end()) return;
  Seat& seat = at->second;
  if (player != nullptr) seat.refused = false;
  if (player != nullptr && !seat.ready && seat.wish) entered_.push_back(at->first);
  if (died == nullptr) return;
  seat.spawns = false;
  seat.steers.reset();
  seat.trigger.reset();
}

void Mirror::apply(const bus::ToNode::Part& part, bool old, Outlet& out) {
  if (part.has_fact()) return apply(part.fact(), out);
  if (old) return;  // the snapshot lists the seats
  if (part.has_seat()) {
    const auto& seat = part.seat();
    return seats_.contains(seat.seat()) ? sit(seat.seat(), seat.player()) : close(seat.seat(), "gone");
  }
  const auto at = part.has_closed() ? seats_.find(part.closed().seat()) : seats_.end();
  if (at != seats_.end()) end_seat(at->first, at->second, part.closed().why(), out);
}

void Mirror::apply(const words::Fact& message, Outlet& out) {
  auto fact = translated(message, out);
  if (!fact) return;
  if (fact->audience == words::PLAYER && as<words::Ready>(*fact) != nullptr) seats_[fact->to].ready = true;
  const auto* player = as<words::PlayerGone>(*fact);
  const auto* unit = as<words::Gone>(*fact);
  const Id gone = player != nullptr ? player->id() : unit != nullptr ? unit->unit() : 0;
  note(*fact);
  out.say(std::move(*fact));
  if (gone != 0 && !seats_.contains(gone)) ids_.remove_id(gone);
}

/// The fact with the room's ids. Nothing: it is not for us, or is invalid.
std::optional<Fact> Mirror::translated(const words::Fact& message, Outlet& out) {
  auto fact = core::from_message(message);
  const auto refuse = [this] { return ++refused_, std::nullopt; };
  if (!fact || !has_finite_numbers(message) || as<words::You>(*fact) != nullptr) return refuse();
  if (fact->audience == words::PLAYER) {
    const Id seat = ids_.id(fact->to);
    if (!seats_.contains(seat)) return refuse();
    fact->to = seat;
  } else {
    fact->cause = 0;
  }
  core::translate_ids(message_in(*fact), [&](Id id) { return room_id(id, out); });
  if (auto* said = std::get_if<words::Said>(&fact->content); said != nullptr && said->scope() == words::Say::ONE)
    said->set_to(room_id(said->to(), out));
  return *std::move(fact);
}

Id Mirror::room_id(Id owners, Outlet& out) {
  if (owners == 0) return 0;
  if (const Id known = ids_.id(owners)) return known;
  const Id fresh = out.new_id();
  ids_.add(owners, fresh);
  return fresh;
}

// -- To the owner -----------------------------------------------------------------------------------------------------

void Mirror::hear(const Intent& intent, Outlet& out) {
  const bool leaves = as<words::Leave>(intent) != nullptr;
  const auto known = seats_.find(intent.by);
  if (leaves && (known == seats_.end() || !known->second.open || !line_up_)) {
    if (known != seats_.end()) remember(known->second, intent);
    return;
  }
  Seat& seat = seats_[intent.by];
  const bool is_in = out.world().player(intent.by) != nullptr;
  if (is_in ? as<words::Change>(intent) != nullptr : as<words::Enter>(intent) != nullptr) seat.entries.take(out.now());
  if (!line_up_ || (!seat.open && !in_step_)) {
    is_kept(intent, out) ? remember(seat, intent) : out.drop(core::drops::kServerAway, intent);
    return tell_waiting(intent.by, seat, out);
  }
  remember(seat, intent);
  if (!seat.open) open(intent.by, seat);
  const std::uint64_t message = number_ + 1;
  pass(intent.by, intent);
  note_sent(seat, intent, message, out);
}

bool Mirror::would_play(const Intent& enter, const Outlet& out) const {
  if (as<words::Enter>(enter)->role() == words::WATCH || out.world().player(enter.by) != nullptr) return false;
  const auto seat = seats_.find(enter.by);
  return seat == seats_.end() || seat->second.entries.next() <= out.now();
}

void Mirror::note_sent(Seat& seat, const Intent& intent, std::uint64_t message, const Outlet& out) {
  const char* const name = core::name_of(intent);
  if (is_kept(intent, out) || !core::is_wish(core::drops::kServerAway, name)) return;
  std::erase_if(seat.sent, [name](const Wish& one) { return one.name == name; });
  seat.sent.push_back({intent.by, name, intent.number, message, out.now()});
}

/// There is another owner. What the last one did not confirm just before it fell silent, it has perhaps not heard.
void Mirror::lose_unheard() {
  constexpr core::Micros kPerhaps = kOwnerLost * core::kMillisecond;
  for (auto& [id, seat] : seats_) {
    seat.told_lost.clear();
    for (const Wish& one : std::exchange(seat.sent, {}))
      if (one.message > heard_ && one.at + kPerhaps > spoke_at_) lost_wishes_.push_back(one);
  }
}

/// As the room does with what a back drops, which cannot know here whose it was.
void Mirror::tell_lost(const Wish& wish, Outlet& out) {
  const MappingLine& line = core::drops::kServerAway;
  out.drop(line, wish);
  const auto at = seats_.find(wish.by);
  if (at == seats_.end() || !at->second.wish || !core::is_wish(line, wish.name)) return;
  auto& told = at->second.told_lost;
  if (std::find(told.begin(), told.end(), wish.name) != told.end()) return;
  told.push_back(wish.name);
  words::Notice notice;
  notice.set_text(core::words_for_drop(line, wish.name));
  Fact fact(wish.by, std::move(notice));
  fact.cause = wish.number;
  out.say(std::move(fact));
}

/// Whether the owner is told again, or the next one, if it does not hear the intent now.
bool Mirror::is_kept(const Intent& intent, const Outlet& out) {
  if (const auto* change = as<words::Change>(intent))
    // The next owner seats a player of the last one under its name and in its team.
    return (!change->has_name() && !change->has_team()) || out.world().player(intent.by) == nullptr;
  return as<words::Enter>(intent) || as<words::Leave>(intent) || as<words::Spawn>(intent) || steers(intent) ||
         as<words::Trigger>(intent);
}

/// Remembers what the next owner must be told.
void Mirror::remember(Seat& seat, const Intent& intent) {
  if (as<words::Enter>(intent) != nullptr) {
    seat.wish = intent;
    seat.refused = false;
  }
  if (as<words::Leave>(intent) != nullptr) {
    seat.wish.reset();
    seat.steers.reset();
    seat.trigger.reset();
    seat.spawns = seat.ready = false;
  }
  if (as<words::Spawn>(intent) != nullptr) seat.spawns = true;
  if (steers(intent)) seat.steers = intent;
  if (as<words::PoseClaim>(intent) != nullptr) seat.steers.reset();  // the player moves itself now
  if (as<words::Trigger>(intent) != nullptr) seat.trigger = intent;
  const auto* change = as<words::Change>(intent);
  if (change == nullptr || !seat.wish) return;
  core::change_wish(std::get<words::Enter>(seat.wish->content), *change);
  if (change->has_motto() || change->has_skin()) seat.repeats = kRepeats;
}

bus::FromNode::Part& Mirror::part(Id seat) {
  auto& fresh = *message_.add_parts();
  fresh.set_seat(seat);
  return fresh;
}

void Mirror::open(Id id, Seat& seat) {
  *part(id).mutable_open() = describe_(id);
  seat.open = true;
  grow(64);
}

void Mirror::pass(Id seat, const Intent& intent, bool again) {
  auto& its = part(seat);
  its.set_again(again);
  auto& message = *its.mutable_intent();
  core::to_message(intent, message);
  message.clear_by();
  message.clear_at_us();
  const bool knows_ids = ids_epoch_ == epoch_;
  core::translate_ids(message, [&](Id id) { return knows_ids ? ids_.number_or(id, 0) : 0; });
  grow(message.ByteSizeLong() + 16);
}

void Mirror::announced(Id seat, std::string_view text) {
  const auto at = seats_.find(seat);
  if (at == seats_.end() || !at->second.open) return;
  part(seat).set_announced(std::string(text));
  grow(text.size() + 16);
}

void Mirror::close(Id seat, const char* why) {
  part(seat).mutable_close()->set_why(why);
  grow(32);
}

/// The message has got a part of about this many bytes. It is complete when it is long enough.
void Mirror::grow(std::size_t bytes) {
  message_bytes_ += bytes;
  if (message_bytes_ > kMessage) seal(false);
}

void Mirror::seal(bool asks) {
  message_.set_epoch(lost_owner_ ? 0 : epoch_);
  message_.set_run(run_);
  message_.set_number(++number_);
  message_.set_wants_world(asks && !in_step_);
  sealed_.push_back(message_.SerializeAsString());
  message_.Clear();
  message_bytes_ = 0;
}

void Mirror::unsent(const std::string& message) {
  if (bus::FromNode said; said.ParseFromString(message)) lose(said);
}

void Mirror::lose(const bus::FromNode& message) {
  for (const auto& part : message.parts()) {
    if (!part.has_intent()) continue;
    auto intent = core::from_message(part.intent());
    if (!intent) continue;
    intent->by = part.seat();
    if (const auto at = seats_.find(intent->by); at != seats_.end())
      std::erase_if(at->second.sent, [&](const Wish& one) { return one.number == intent->number; });
    lost_.push_back(*std::move(intent));
  }
}

std::vector<std::string> Mirror::take(bool always) {
  if (always || message_.parts_size() != 0) seal(always);
  return std::exchange(sealed_, {});
}

void Mirror::close_missing(const std::function<bool(Id)>& is_seated) {
  for (auto at = seats_.begin(); at != seats_.end();) {
    if (is_seated(at->first)) {
      ++at;
      continue;
    }
    if (at->second.open) close(at->first, "left");
    at = seats_.erase(at);
  }
}

}  // namespace entente::fleet
