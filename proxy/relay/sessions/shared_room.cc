#include "proxy/relay/sessions/shared_room.h"

#include <algorithm>
#include <cctype>
#include <random>
#include <utility>

#include "proxy/base/steady_wall.h"
#include "proxy/base/text.h"
#include "proxy/core/arena/referee.h"
#include "proxy/relay/admission/admission.h"
#include "proxy/relay/sessions/guest.h"

namespace entente::relay {
namespace {

/// How often players enter who had to wait for the rate of their address. They enter together, because each turn of the
/// loop in which somebody enters is told to all.
constexpr Millis kEntryBeat = 50;
/// With many guests, what all are told within these nanoseconds is sent together: a write to each is the largest cost.
constexpr std::size_t kMany = 24;
constexpr std::uint64_t kGatherNanos = 10'000'000;
/// While the loop has more to read, more guests may be leaving: departures are collected for this many milliseconds.
constexpr Millis kGatherGone = 250;
/// Clients that rules may ban although their links are gone, before those of empty seats are forgotten.
constexpr std::size_t kFewPast = 64;

core::RoomOptions room_options(const SharedRoomOptions& options) {
  core::RoomOptions room;
  room.seed = options.seed != 0 ? options.seed : std::random_device{}();
  room.shared = true;
  room.chat = options.chat;
  room.tells_drops = true;
  room.most_words = SharedRoom::kMostWords;
  room.shared_frames_stay = true;
  return room;
}

/// "red"; "" for no team.
std::string name_of_team(words::Team team) {
  if (team == words::TEAM_ANY) return "";
  std::string name = words::Team_Name(team);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// The best first.
std::vector<NewsScore> sorted(std::vector<NewsScore> scores) {
  std::stable_sort(scores.begin(), scores.end(), [](const NewsScore& a, const NewsScore& b) {
    return a.wins != b.wins ? a.wins > b.wins : a.losses < b.losses;
  });
  return scores;
}

/// Of those who play. `is_bot`: whether a player has no client.
template <class IsBot>
std::vector<NewsScore> player_scores(const core::WorldState& world, IsBot&& is_bot) {
  std::vector<NewsScore> all;
  for (const auto& [id, its] : world.players())
    if (its.player.role() != words::WATCH)
      all.push_back({clean(its.player.name()), name_of_team(its.player.team()), its.score.wins(), its.score.losses(),
                     is_bot(id)});
  return sorted(std::move(all));
}

std::vector<NewsScore> team_scores(const core::WorldState& world) {
  std::vector<NewsScore> all;
  for (const auto& [team, its] : world.team_scores()) all.push_back({"", name_of_team(team), its.wins(), its.losses()});
  return sorted(std::move(all));
}

}  // namespace

SharedRoom::SharedRoom(net::Loop& loop, SharedRoomState& state, LinkId link, Events& events)
    : RoomHost(loop),
      loop_(loop),
      state_(state),
      events_(events),
      info_{link, state.options.game, 0, {}, {}, {}},
      stand_ins_(state.options.stand_ins) {
  if (state.options.lockstep_tick == 0) return;
  lockstep_.emplace(state.options.lockstep_tick);
  own_time_ = 0;
}

SharedRoom::~SharedRoom() {
  annex_.reset();
  loop_.cancel_later(*this);
}

void SharedRoom::open(TapSink* tap) {
  tap_ = tap;
  start_clock();
  const core::RoomOptions options = room_options(state_.options);
  if (tap_) {
    tap_->opened(info_, wall_in_call());
    tap_->note(info_.link, state_.options.name + ": a room with seed " + std::to_string(options.seed), wall_in_call());
  }
  if (state_.options.annex) annex_ = state_.options.annex(*this, loop_);
  auto back = state_.options.back();
  const bool arena = dynamic_cast<const core::Referee*>(back.get()) != nullptr;
  open_room(std::move(back), options, tap, info_.link, state_.options.record_secrets, state_.options.broadcast);
  keep_rules(state_.options.rules, {options.seed, options.chat.commands, arena});
  call_room([](core::Room& room, core::Micros at) { room.back_opened({}, at); });
}

// -- The room ---------------------------------------------------------------------------------------------------------

/// Makes sure that at_turn_end() is called in this turn.
void SharedRoom::begin_turn() {
  if (!std::exchange(in_turn_, true)) loop_.later(*this);
}

void SharedRoom::settle_call(core::Micros at) {
  begin_turn();
  for (const auto& [from, to] : std::exchange(returning_, {})) move(from, to, at);
  for (const core::Id id : std::exchange(entered_, {})) make_way(id, at);
  if (!end_reason_) stand_ins_.look_after(*room_, at);
}

std::string SharedRoom::name_of(core::Id guest) const {
  const core::PlayerState* player = room_ ? room_->world_seen_by(guest).player(guest) : nullptr;
  return player != nullptr ? player->player.name() : "";
}

void SharedRoom::after_call() {
  state_.orphaned.add(room_->world().orphaned() - state_.orphaned.read());
  for (const auto& [id, why] : std::exchange(to_end_, {}))
    if (Guest* guest = find(id)) guest->end_seat(why);
  for (const core::Id id : std::exchange(hasty_, {}))
    dismiss(id, "more than 256 KiB of your intents wait for the arena's time to advance");
  for (const core::Id id : std::exchange(taking_up_, {}))
    if (Guest* guest = find(id)) guest->take_up_session();
  forget_past_clients();
  if (lockstep_) {
    if (room_->over()) lockstep_->all_left();
    room_->count_drops(lockstep_->take_drops());
  }
  if (room_->over()) tell_end();
}

// -- A crowd ----------------------------------------------------------------------------------------------------------

void SharedRoom::wait_for_seat(Guest& guest) {
  to_seat_.add(guest.client().client, &guest, 0, 1, loop_.now());
  begin_turn();
}

/// Queues the guest. All requests to enter of a turn are served at its end. A guest may ask again while it waits: after
/// a Leave, in the same read.
bool SharedRoom::admits(core::Id seat) {
  Guest* const guest = find(seat);
  if (guest == nullptr) return true;
  const Limits& limits = guest->limits();
  if (!to_enter_.add(guest->client().client, guest, limits.enters_per_second, limits.enters_burst, loop_.now()))
    return false;
  if (const auto why = guest->wait_to_enter()) to_end_.emplace_back(seat, *why);
  return false;
}

void SharedRoom::leave_queues(Guest& guest) {
  to_seat_.remove(&guest);
  to_enter_.remove(&guest);
}

/// Queues a departure. The room is told about all departures of a turn at its end.
void SharedRoom::depart(core::Id seat, std::string_view why, std::uint32_t code) {
  if (over()) return;
  room_->unlink(seat);
  if (departed_.empty()) gone_since_ = loop_.now();
  departed_.push_back({seat, std::string(why), code});
  begin_turn();
}

/// Serves one departure, entry or seat; false if there is none. Departures come first, because each player present
/// makes the rest more expensive. Once the room is over, only those who wait for a seat are served, and
/// refused.
bool SharedRoom::serve_crowd() {
  if (!over() && !departed_.empty() && !(loop_.is_behind() && loop_.now() < gone_since_ + kGatherGone)) {
    const Departed one = std::move(departed_.front());
    departed_.pop_front();
    call_room([&](core::Room& room, core::Micros at) { room.gone(one.seat, one.why, at, one.code); });
    return true;
  }
  const Millis now = loop_.now();
  if (!over() && !to_enter_.empty() && now >= enter_at_) {
    if (Guest* const guest = to_enter_.take(nullptr, now)) {
      call_room([&](core::Room& room, core::Micros at) { room.admit(guest->seat_id(), at); });
      if (!to_enter_.contains(guest)) guest->take_turn();  // else what it said meanwhile asks to enter again
      return true;
    }
    enter_at_ = now + kEntryBeat;
  }
  Guest* const guest = to_seat_.take(nullptr, now);
  if (guest != nullptr) guest->take_turn();
  return guest != nullptr;
}

void SharedRoom::at_turn_end() {
  const std::uint64_t work = room_->work() + kTurnWork, until = loop_.nanos() + kTurnNanos;
  while (serve_crowd() && room_->work() < work && loop_.nanos() < until) {
  }
  const bool is_done = advance();
  in_turn_ = false;
  if (!is_done || (over() && !to_seat_.empty())) begin_turn();
  if (annex_) annex_->turn_ends();
  const std::uint64_t nanos = loop_.nanos();
  if (guests_.size() < kMany || nanos >= flushed_at_ + kGatherNanos || over()) flush(nanos);
  const Millis now = loop_.now();
  if (now >= tidy_at_) {
    to_seat_.tidy(now);
    to_enter_.tidy(now);
    tidy_at_ = now + kTidyEvery;
  }
  if (!over()) set_alarm(next_turn(now));
}

// -- Lockstep ---------------------------------------------------------------------------------------------------------

/// Bots of the room are no guests: they think while time advances.
bool SharedRoom::collects(core::Intent& intent) {
  const core::Id seat = intent.by;
  if (!lockstep_ || find(seat) == nullptr || !lockstep_->collects(intent)) return false;
  if (lockstep_->is_full(seat)) hasty_.push_back(seat);
  return true;
}

/// Lets time pass as far as the guests have asked for. False: the rest is for the next turn.
bool SharedRoom::advance() {
  if (!lockstep_) return true;
  const std::uint64_t enough = loop_.nanos() + kTurnNanos;
  while (!over() && (in_step_ || begin_step())) {
    const core::Micros goal = lockstep_->until();  // kNever: those who had asked have left
    while (goal != core::Lockstep::kNever && room_->next_wake() <= goal) {
      if (loop_.nanos() >= enough) return false;
      own_time_ = std::max(*own_time_, room_->next_wake());
      call_room([](core::Room& room, core::Micros at) { room.tick(at); });
    }
    in_step_ = false;
    if (goal == core::Lockstep::kNever) continue;
    own_time_ = goal;
    for (const core::Lockstep::Step& step : lockstep_->take_due(goal))
      call_room([&](core::Room& room, core::Micros at) { room.tell_time(step.player, step.number, at); });
  }
  return true;
}

/// What was collected takes effect. False: time may not advance.
bool SharedRoom::begin_step() {
  if (!lockstep_->may_advance(loop_.now())) return false;
  for (const core::Id late : lockstep_->take_late())
    announce(late, "time advances without you until you ask for a step: you asked for none in 10 s");
  for (std::vector<core::Intent>& of_one : lockstep_->begin(*own_time_))
    call_room([&](core::Room& room, core::Micros at) { room.hear_collected(std::move(of_one), at); });
  return in_step_ = true;
}

/// Sends out what guests were told.
void SharedRoom::flush(std::uint64_t nanos) {
  flushed_at_ = nanos;
  flushing_.swap(touched_);
  for (const core::Id id : flushing_)
    if (Guest* guest = find(id)) guest->flush();
  flushing_.clear();
  loop_.outbox().flush();
  room_->forget_shared(micros());
}

/// When at_turn_end() is needed next: when the room wants to be woken, guests are to be flushed, or the crowd is to be
/// served.
std::uint64_t SharedRoom::next_turn(Millis now) {
  std::uint64_t at = lockstep_ ? kNever : wakes_at();
  if (lockstep_ && lockstep_->next_look() != core::Lockstep::kNever) at = lockstep_->next_look() * 1'000'000;
  if (!touched_.empty()) at = std::min(at, flushed_at_ + kGatherNanos);
  if (!departed_.empty() || to_seat_.ready(now) || (now >= enter_at_ && to_enter_.ready(now))) return 1;
  return to_enter_.empty() ? at : std::min<std::uint64_t>(at, enter_at_ * 1'000'000);
}

void SharedRoom::order(const std::function<void(core::Back&)>& order) {
  call_room([&](core::Room& room, core::Micros at) { room.order(order, at); });
}

void SharedRoom::seat(Guest& guest, std::unique_ptr<core::Front> front, const core::Peer& peer) {
  call_room([&](core::Room& room, core::Micros at) {
    seating_ = &guest;
    const core::Id id = room.seat(std::move(front), peer, at, guest.hears());
    seating_ = nullptr;
    newest_ = id;
    if (guest.give_seat(id)) guests_[id] = &guest;  // else its front has closed it already
  });
}

bool SharedRoom::announce(core::Id guest, std::string_view text) {
  bool told = false;
  call_room([&](core::Room& room, core::Micros at) { told = room.announce(guest, text, at); });
  if (told) announced(guest, text);
  return told;
}

void SharedRoom::announced(core::Id guest, std::string_view text) {
  if (annex_) annex_->announced(guest, text);
}

void SharedRoom::dismiss(core::Id guest, std::string_view why) {
  call_room([&](core::Room& room, core::Micros at) { room.dismiss(guest, why, at); });
}

void SharedRoom::gone(core::Id guest, std::string_view why, std::uint32_t code) {
  forget(guest);
  depart(guest, why, code);
}

std::optional<core::DetachedPlayer> SharedRoom::take_out(core::Id guest) {
  if (!can_take_out(guest)) return std::nullopt;
  if (Guest* const leaves = find(guest)) leave_queues(*leaves);
  forget(guest);
  std::optional<core::DetachedPlayer> taken;
  call_room([&](core::Room& room, core::Micros at) { taken = room.transition().take_out(guest, at); });
  return taken;
}

// -- Away and back ----------------------------------------------------------------------------------------------------

std::optional<core::Absence> SharedRoom::lost(Guest& guest, core::Id seat, std::string_view why, std::uint32_t code) {
  forget(seat);
  std::optional<core::Absence> absence;
  call_room([&](core::Room& room, core::Micros at) {
    absence = room.keep(seat, at);
    if (!absence) return depart(seat, why, code);
    const Millis now = loop_.now();
    absences_.add({0, guest.client().client, absence->number}, seat, now, now + absence->within / core::kMillisecond);
  });
  return absence;
}

bool SharedRoom::try_resume_seat(core::Id seat, std::uint32_t number) {
  Guest* const guest = find(seat);
  if (guest == nullptr) return false;
  const auto kept = absences_.claim({0, guest->client().client, number}, loop_.now());
  if (kept && room_->keeps(*kept)) {
    returning_.emplace_back(seat, *kept);
    return true;
  }
  if (!guest->try_claim_session(number)) return false;
  taking_up_.push_back(seat);
  return true;
}

/// Kept seats count for their address. If they and the guests from there are too many, the oldest kept seats are given
/// up.
void SharedRoom::make_way(core::Id id, core::Micros at) {
  const Guest* const guest = find(id);
  if (guest == nullptr) return;
  absences_.forget([&](core::Id seat) { return !room_->keeps(seat); });
  const Limits& limits = guest->limits();
  const net::Address network = guest->client().client.host_key();
  const auto from_there = [&](const net::Address& from) { return from.host_key() == network; };
  std::size_t all = absences_.count(0, loop_.now(), from_there);
  if (limits.sessions_per_address == 0 || all == 0) return;
  for (const auto& [seat, other] : guests_) all += from_there(other->client().client) ? 1 : 0;
  for (; all > limits.sessions_per_address; --all) {
    const auto kept = absences_.give_up(0, loop_.now(), from_there);
    if (!kept) return;
    room_->gone(*kept, "its seat went to somebody else", at);
  }
}

/// Moves a guest that resumes from its new seat to the one it had.
void SharedRoom::move(core::Id from, core::Id to, core::Micros at) {
  Guest* const guest = find(from);
  if (guest == nullptr) return;
  forget(from);
  room_->gone(from, "took up its lost session", at);
  guests_[to] = guest;
  touched_.push_back(to);  // what it was sent in the seat `from` may still wait
  guest->give_seat(to);
  if (!room_->returned(to, guest->peer(), at)) close(to, "its seat is gone", 0);
}

// -- What the room wants ----------------------------------------------------------------------------------------------

/// An unknown id above the newest seat belongs to the guest that is being seated, unless it is a bot's.
Guest* SharedRoom::find(core::Id guest) const {
  if (found_.second != nullptr && found_.first == guest) return found_.second;
  const auto at = guests_.find(guest);
  if (at != guests_.end()) return (found_ = *at).second;
  return guest > newest_ && !stand_ins_.has(guest) ? seating_ : nullptr;
}

void SharedRoom::send_shared(core::Id end, Lane lane, const SharedBytes& shared) {
  Guest* const guest = find(end);
  if (guest != nullptr && guest->send(lane, shared)) touched_.push_back(end);
}

const LinkInfo* SharedRoom::client_of(core::Id seat) const {
  const Guest* const guest = find(seat);
  return guest != nullptr && guest->client().link != 0 ? &guest->client() : nullptr;
}

const LinkInfo* SharedRoom::past_client_of(core::Id player) const {
  const Guest* const guest = find(player);
  if (guest != nullptr && guest->client().client.port() != 0) return &guest->client();
  const auto at = past_clients_.find(player);
  return at != past_clients_.end() ? &at->second : nullptr;
}

void SharedRoom::forget(core::Id guest) {
  const LinkInfo* const client = state_.options.rules != nullptr ? client_of(guest) : nullptr;
  if (client != nullptr) past_clients_.insert_or_assign(guest, *client);
  guests_.erase(guest);
  found_ = {};
}

/// Seldom, because it looks at each of them.
void SharedRoom::forget_past_clients() {
  if (past_clients_.size() <= most_past_) return;
  std::erase_if(past_clients_, [this](const auto& one) { return !room_->is_seated(one.first); });
  most_past_ = std::max(kFewPast, 2 * past_clients_.size());
}

std::size_t SharedRoom::waiting_bytes(core::Id end) const {
  const Guest* const guest = find(end);
  return guest != nullptr ? guest->waiting() : 0;
}

void SharedRoom::close(core::Id end, std::string_view why, std::uint32_t code) {
  if (end == core::kBackId) {
    if (!end_reason_) end_reason_ = Reason::kServerLeft;
  } else if (Guest* const guest = find(end)) {
    guest->close(why, code);
    forget(end);
  }
}

void SharedRoom::failed(core::Id end, const Fault& fault) {
  Guest* const guest = find(end);
  if (guest != nullptr) guest->failed(fault);
}

void SharedRoom::heard(const core::Intent& intent) {
  RoomHost::heard(intent);
  if (Guest* const guest = find(intent.by)) guest->spoke(intent);
  // Who is in already does not enter again.
  if (core::as<words::Enter>(intent) != nullptr && room_->world().player(intent.by) == nullptr)
    entered_.push_back(intent.by);
}

/// "bzflag 2.4", or "bot" if no guest has this seat.
std::string SharedRoom::game_dialect_of(core::Id player) const {
  const Guest* const guest = find(player);
  if (guest == nullptr) return "bot";
  const LinkInfo& info = guest->client();
  return std::string(info.game->name()) + " " + std::string(info.game->dialects()[info.dialect].name);
}

void SharedRoom::told(const core::Fact& fact) {
  stand_ins_.heard(fact);
  state_.attendance.told(fact, [this](core::Id player) { return game_dialect_of(player); });
  RoomHost::told(fact);
  if (annex_) annex_->told(fact);
  if (const auto* player = core::as<words::Player>(fact))
    if (Guest* const guest = find(player->id())) {
      guest->player_entered(*player);
      if (lockstep_) lockstep_->entered(player->id(), player->role() != words::WATCH);
      begin_match();
    }
  if (const auto* gone = core::as<words::PlayerGone>(fact); gone != nullptr && lockstep_) lockstep_->left(gone->id());
  if (const auto* round = core::as<words::Round>(fact))
    round->state() == words::Round::OVER ? end_match() : begin_match();
  const auto* refused = core::as<words::Refused>(fact);
  if (fact.audience != words::PLAYER || refused == nullptr) return;
  if (lockstep_) lockstep_->left(fact.to);
  if (Guest* const guest = find(fact.to)) guest->turned_away(refused->text());
}

// -- A match, for hooks -----------------------------------------------------------------------------------------------

/// A round without people is no match.
void SharedRoom::begin_match() {
  if (match_began_ != 0 || guests_.empty() || state_.options.arena.empty() || !room_) return;
  if (room_->world().round().state() == words::Round::OVER) return;
  match_began_ = loop_.now();
  if (events_.wants(NewsKind::kMatchBegun))
    events_.news(News(NewsKind::kMatchBegun).set(NewsField::kArena, state_.options.arena));
}

void SharedRoom::end_match() {
  const Millis began = std::exchange(match_began_, 0);
  if (began == 0 || !events_.wants(NewsKind::kMatchEnded)) return;
  const core::WorldState& world = room_->world();
  const core::PlayerState* const winner = world.player(world.round().winner());
  events_.news(News(NewsKind::kMatchEnded)
                   .set(NewsField::kArena, state_.options.arena)
                   .set(NewsField::kSeconds, (loop_.now() - began) / 1'000)
                   .set(NewsField::kWinner, winner != nullptr ? clean(winner->player.name()) : "")
                   .set(NewsField::kWinningTeam, name_of_team(world.round().winning_team()))
                   .set(NewsField::kScores, player_scores(world, [this](core::Id id) { return find(id) == nullptr; }))
                   .set(NewsField::kTeams, team_scores(world)));
}

// -- The end ----------------------------------------------------------------------------------------------------------

void SharedRoom::end(Reason reason) {
  if (over()) return;
  if (annex_ && !end_reason_) annex_->room_ends(reason);
  if (!end_reason_) end_reason_ = reason;
  call_room([&](core::Room& room, core::Micros at) { room.end(telling(reason).words, at); });
}

void SharedRoom::tell_end() {
  if (std::exchange(told_end_, true)) return;
  alarm_.clear();
  state_.attendance.room_ended();
  const core::Ledger& ledger = room_->ledger();
  if (!ledger.entries().empty()) events_.words_dropped(state_.options.name, info_, text(ledger), 0);
  if (tap_ == nullptr) return;
  tell_rest();
  tap_->closed(info_.link, text(end_reason_.value_or(Reason::kStopped)), steady_wall_now());
}

}  // namespace entente::relay
