#include "proxy/core/room/intent_delivery.h"

#include <algorithm>
#include <string>
#include <utility>

#include "proxy/core/drops.h"
#include "proxy/core/gameplay/claims.h"
#include "proxy/core/room/member_slot.h"
#include "proxy/core/texts.h"
#include "proxy/core/wishes.h"

namespace entente::core {
namespace {

constexpr std::size_t kMostUnadmitted = 64;               // intents of each player who waits to be admitted
constexpr std::size_t kMostUnadmittedBytes = 64U << 10U;  // of these intents

/// Whether the seat was not told of this line and word before.
bool tells_first(Seat& seat, const MappingLine& line, const char* word) {
  const std::pair<const MappingLine*, const char*> drop{&line, word};
  if (std::find(seat.told_drops.begin(), seat.told_drops.end(), drop) != seat.told_drops.end()) return false;
  seat.told_drops.push_back(drop);
  return true;
}

}  // namespace

void IntentDelivery::queue(Intent&& intent) {
  intent.at = room_.now_;
  waiting_.push_back(std::move(intent));
}

void IntentDelivery::queue_collected(std::vector<Intent> intents) {
  collected_ = intents.size();
  for (Intent& intent : intents) queue(std::move(intent));
}

void IntentDelivery::admit(Seat& seat) {
  seat.admitted = !seat.unadmitted.empty();
  for (Intent& intent : seat.unadmitted) queue(std::move(intent));
  seat.forget_unadmitted();
}

void IntentDelivery::deliver() {
  ++round_;
  delivering_.swap(waiting_);
  auto held = std::exchange(held_, {});
  for (Intent& intent : held)
    if (Seat* const seat = room_.seat_with(intent.by)) hold_or_deliver(intent, *seat);
  for (Intent& intent : delivering_) deliver(intent);
  delivering_.clear();
}

void IntentDelivery::deliver(Intent& intent) {
  Seat* const seat = room_.seat_with(intent.by);
  const bool was_collected = collected_ != 0;
  if (was_collected) --collected_;
  if (seat == nullptr || awaits_entry(intent, *seat)) return;
  if (!was_collected && room_.host_.collects(intent)) return;
  was_collected ? deliver_to_back(intent, *seat) : hold_or_deliver(intent, *seat);
}

/// What follows an intent that waits waits, too, so that the order stays.
void IntentDelivery::hold_or_deliver(Intent& intent, Seat& seat) {
  const bool comes_or_goes = as<words::Enter>(intent) != nullptr || as<words::Leave>(intent) != nullptr;
  const bool waits = seat.held_in == round_ || (seat.entered_in == round_ && !comes_or_goes);
  if (!room_.options_.shared || !waits) return deliver_to_back(intent, seat);
  seat.held_in = round_;
  held_.push_back(std::move(intent));
}

void IntentDelivery::deliver_to_back(Intent& intent, Seat& seat) {
  ++room_.work_;
  if (room_.options_.drops_before_enter && !room_.options_.shared && !seat.inside && is_of_player(intent))
    return refuse(intent, seat, drops::kNotEntered, drops::kNotEntered.reason);
  if (auto* say = std::get_if<words::Say>(&intent.content)) {
    if (const auto refusal = chat_.filter(*say, intent.by, room_.now_)) {
      if (refusal.why == &drops::kCommandElsewhere && is_of_rule(intent)) return;
      room_.ledger_.add(*refusal.why);
      if (refusal.tell) notify(seat, std::string("not passed on: ") + refusal.why->reason, intent.number);
      return;
    }
  }
  if (const std::string field = not_finite(intent); !field.empty()) return refuse_number(intent, seat, field);
  clean_texts(intent);
  room_.host_.heard(intent);
  if (!room_.host_.passes(intent)) {
    const auto* const say = as<words::Say>(intent);  // a command was for a rule: nothing is lost
    if (say == nullptr || say->kind() != words::Say::COMMAND) room_.ledger_.add(drops::kRule, name_of(intent));
    return;
  }
  if (as<words::Resume>(intent) != nullptr) return resume(intent);
  if (as<words::Query>(intent) != nullptr && !room_.options_.shared && !dialled_) return learn_known_world();
  if (as<words::Enter>(intent) != nullptr) make_way(intent);
  room_.transition_.remember(intent, seat);
  dial_once();
  if (room_.transition_.withholds_from_back(intent)) return;
  heard_ = &intent;
  if (as<words::Enter>(intent) != nullptr) seat.entered_in = round_;
  room_.back_->hear(intent);
  heard_ = nullptr;
  room_.transition_.hear(intent);
}

/// Whether the intent, a command that cannot be passed on, is for an operator's rule.
bool IntentDelivery::is_of_rule(Intent& intent) {
  erase_controls(*std::get<words::Say>(intent.content).mutable_text());
  if (room_.host_.passes(intent)) return false;
  room_.host_.heard(intent);
  return true;
}

/// Handled by the host, not the back, because it is about links.
void IntentDelivery::resume(const Intent& intent) {
  if (room_.host_.try_resume_seat(intent.by, as<words::Resume>(intent)->player())) return;
  words::ClaimRefused refused;
  refused.set_why("no player with that number is expected from that address");
  Fact answer(intent.by, refused);
  answer.cause = intent.number;
  room_.facts_.queue(std::move(answer));
}

/// Holds an Enter that the host does not admit yet, and all later intents of that player. True if the intent was
/// handled.
bool IntentDelivery::awaits_entry(Intent& intent, Seat& seat) {
  if (as<words::Leave>(intent) != nullptr) {
    const bool was_in = std::exchange(seat.inside, false) || seat.unadmitted.empty();
    seat.entered = false;
    drop_unadmitted(seat);
    return !was_in;  // the back did not receive its Enter, so it does not need the Leave
  }
  if (seat.unadmitted.empty()) {
    if (as<words::Enter>(intent) == nullptr) return false;
    const bool admitted = std::exchange(seat.admitted, false) || seat.has_left() || room_.host_.admits(intent.by);
    if (admitted) seat.entered = seat.inside = true;
    if (admitted) return false;
  }
  const std::size_t bytes = seat.unadmitted_bytes + message_in(intent).ByteSizeLong();
  if (seat.unadmitted.size() < kMostUnadmitted && bytes <= kMostUnadmittedBytes) {
    seat.unadmitted_bytes = bytes;
    seat.unadmitted.push_back(std::move(intent));
    return true;
  }
  heard_ = &intent;  // so that the notice names the intent that it answers
  count_drop(seat.me(), drops::kHeldTooMany, name_of(intent));
  heard_ = nullptr;
  return true;
}

void IntentDelivery::drop_unadmitted(Seat& seat) {
  for (const Intent& intent : seat.unadmitted) {
    if (as<words::Enter>(intent) != nullptr) continue;
    heard_ = &intent;
    count_drop(seat.me(), drops::kNotEntered, name_of(intent));
  }
  heard_ = nullptr;
  seat.forget_unadmitted();
}

/// A question about the game needs no server.
void IntentDelivery::learn_known_world() {
  WorldState& world = room_.facts_.world();
  world = WorldState();
  if (const WorldState* const known = room_.host_.known_world())
    known->tell_without_map([&](const Fact& fact) { world.fold(fact); });
}

/// What is known before the back has said anything is what learn_known_world() found.
void IntentDelivery::dial_once() {
  if (std::exchange(dialled_, true)) return;
  if (!room_.facts_.has_world()) room_.facts_.world() = WorldState();
  room_.host_.dial();
}

/// If the room is full, ends the seat of an absent player, so that a new player can enter: the seat that would expire
/// first.
void IntentDelivery::make_way(const Intent& enter) {
  const WorldState& world = room_.world();
  const std::uint32_t most = world.room().most_players();
  if (!room_.options_.shared || most == 0 || !room_.back_->would_play(enter)) return;
  const auto plays = [](const auto& player) { return player.second.player.role() != words::WATCH; };
  if (static_cast<std::size_t>(std::count_if(world.players().begin(), world.players().end(), plays)) < most) return;
  Seat* oldest = nullptr;
  for (auto& [id, seat] : room_.seats_)
    if (seat->is_kept() && (oldest == nullptr || seat->kept_until < oldest->kept_until)) oldest = seat.get();
  if (oldest == nullptr) return;
  oldest->lose("its seat went to somebody else", 0);
  Intent gone{words::Leave()};
  gone.at = room_.now_;
  oldest->sign(gone);
  deliver(gone);
}

void IntentDelivery::count_drop(Id member, const MappingLine& line, const char* word, std::uint64_t times) {
  room_.ledger_.add(line, word, times);
  if (!room_.options_.tells_drops || member == kNextBackId || !is_wish(line, word)) return;
  Seat* const seat = room_.seat_with(member != kBackId ? member : heard_ != nullptr ? heard_->by : room_.back_->me());
  if (seat == nullptr || seat->has_left()) return;
  const bool waits = !seat->unadmitted.empty();  // to enter
  if ((!seat->entered && !waits) || !tells_first(*seat, line, word)) return;
  notify(*seat, words_for_drop(line, word), heard_ != nullptr ? heard_->number : 0);
}

void IntentDelivery::refuse_number(const Intent& intent, Seat& seat, const std::string& field) {
  refuse(intent, seat, drops::kNotFinite, std::string(name_of(intent)) + "." + field + " is not a finite number");
}

/// The author of the client is told, once of each kind of intent, even if no person waits for what becomes of it.
void IntentDelivery::refuse(const Intent& intent, Seat& seat, const MappingLine& line, std::string why) {
  const char* const name = name_of(intent);
  room_.ledger_.add(line, name);
  if (seat.has_left() || !tells_first(seat, line, name)) return;
  words::ClaimRefused refused;
  refused.set_why(std::move(why));
  Fact answer(seat.me(), std::move(refused));
  answer.cause = intent.number;
  room_.facts_.queue(std::move(answer));
}

/// `cause`: the number of the intent that this answers.
void IntentDelivery::notify(const Seat& seat, std::string text, std::uint32_t cause) {
  words::Notice notice;
  notice.set_text(std::move(text));
  Fact answer(seat.me(), std::move(notice));
  answer.cause = cause;
  room_.facts_.queue(std::move(answer));
}

}  // namespace entente::core
