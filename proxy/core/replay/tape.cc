#include "proxy/core/replay/tape.h"

#include <algorithm>
#include <cstring>

#include "proxy/core/ids.h"
#include "proxy/core/replay/difference.h"
#include "proxy/core/replay/resync_phase.h"

namespace entente::core {
namespace {

/// Ids below this are those of viewers.
constexpr Id kFirstBase = 1U << 24U, kLastBase = 1U << 31U;

/// Bytes of a land without edits.
constexpr std::size_t kLeastLand = sizeof(WorldState);

std::size_t geometry_bytes(const WorldState& world) {
  return world.geometry() != nullptr ? world.geometry()->ByteSizeLong() : 0;
}

struct RecordHead {
  std::uint64_t at = 0;
  std::uint32_t size = 0, reserved = 0;
};

RecordHead head_at(const Buffer& records, std::size_t offset) {
  RecordHead head;
  std::memcpy(&head, records.data() + offset, sizeof head);
  return head;
}

}  // namespace

// -- Writing ----------------------------------------------------------------------------------------------------------

void Tape::begin(Micros at) {
  pass(at);
  began_ = true;
  writes_ = false;
  land_changed_ = true;
  base_ = base_ == 0 || base_ + highest_ > kLastBase ? kFirstBase : base_ + highest_ + 1;
  highest_ = 0;
}

bool Tape::owes_world(Micros at) const {
  if (began_) return true;
  if (!writes_) return false;
  return at >= chunks_.back().from + limits_.world_every || chunks_.back().facts.size() >= limits_.chunk_bytes;
}

void Tape::append_snapshot(const WorldState& world, Micros now, Micros at) {
  if (!world.ready()) return;
  pass(at);
  Chunk made;
  made.number = next_number_++;
  made.from = last_;
  made.changes = std::exchange(began_, false);
  made.base = base_;
  if (std::exchange(land_changed_, false) || chunks_.empty()) {
    auto land = std::make_shared<WorldState>();
    land->share_map(world);
    const bool known = !chunks_.empty() && chunks_.back().land->geometry() == world.geometry();
    made.land_bytes = (known ? 0 : geometry_bytes(world)) + kLeastLand + world.edits().size() * sizeof(BlockEdit);
    made.land = std::move(land);
  } else {
    made.land = chunks_.back().land;
  }
  world.tell_without_map([&](Fact& fact) {
    Micros since = true_since(fact, world, now);
    since = now > since ? now - since : 0;
    if (show(fact, see_)) add(made.world, fact, last_ > since ? last_ - since : 0);
    note_ids(fact);
  });
  bytes_ += made.bytes();
  chunks_.push_back(std::move(made));
  writes_ = true;
  forget();
}

void Tape::append(const Fact& fact, Micros at) {
  pass(at);
  if (!writes_) return;
  if (as<words::World>(fact) != nullptr || as<words::WorldEdit>(fact) != nullptr) land_changed_ = true;
  Fact shown = fact;
  if (!show(shown, see_)) return;
  note_ids(shown);
  note_kill(shown);
  Chunk& last = chunks_.back();
  const std::size_t before = last.facts.size();
  add(last.facts, shown, last_);
  bytes_ += last.facts.size() - before;
  forget();
}

void Tape::note_ids(const Fact& fact) {
  each_id(message_in(fact), [this](Id id) { highest_ = std::max(highest_, id); });
}

void Tape::note_kill(const Fact& fact) {
  const auto* const died = as<words::Died>(fact);
  if (died == nullptr) return;
  const auto read = [this](Id id) { return id != 0 ? base_ + id : 0; };
  kills_.push_back({last_, words::Timeline::KILL, read(died->player()), read(died->killer())});
  if (kills_.size() > kMostKills) kills_.pop_front();
}

void Tape::pass(Micros at) { last_ = std::max(last_, at); }

void Tape::add(Buffer& to, Fact& fact, Micros at) {
  fact.at = 0;  // the head has it
  const std::size_t start = to.size();
  to.resize(start + sizeof(RecordHead));
  write(fact, to);
  const RecordHead head{at, static_cast<std::uint32_t>(to.size() - start - sizeof(RecordHead)), 0};
  std::memcpy(to.data() + start, &head, sizeof head);
}

void Tape::forget() {
  const Micros needed = last_ - std::min(last_, limits_.least);
  const auto is_old = [&] {
    return bytes_ > limits_.most_bytes || (bytes_ > limits_.bytes && chunks_[1].from <= needed) ||
           (last_ > limits_.span && chunks_[1].from < last_ - limits_.span);
  };
  while (chunks_.size() > 1 && is_old()) {
    Chunk &oldest = chunks_[0], &next = chunks_[1];
    if (next.land_bytes == 0) {  // it has the same land
      std::swap(next.land_bytes, oldest.land_bytes);
    } else if (next.land->geometry() == oldest.land->geometry()) {
      next.land_bytes += geometry_bytes(*next.land);
      bytes_ += geometry_bytes(*next.land);
    }
    bytes_ -= oldest.bytes();
    chunks_.pop_front();
    overflows_ = true;
  }
  overflows_ = overflows_ && chunks_.front().from > needed;
  while (!kills_.empty() && kills_.front().at < chunks_.front().from) kills_.pop_front();
}

// -- Reading ----------------------------------------------------------------------------------------------------------

std::optional<Micros> Tape::first() const {
  return chunks_.empty() ? std::nullopt : std::optional(chunks_.front().from);
}

void Tape::visit_kills(const std::function<bool(const Moment&)>& visit) const {
  for (const Moment& kill : kills_)
    if (!visit(kill)) return;
}

const Tape::Chunk* Tape::chunk(std::uint64_t number) const {
  if (chunks_.empty() || number < chunks_.front().number || number > chunks_.back().number) return nullptr;
  return &chunks_[number - chunks_.front().number];
}

Micros Tape::time_at(const Buffer& records, std::size_t offset) { return head_at(records, offset).at; }

Fact Tape::read(const Chunk& chunk, const Buffer& records, std::size_t& offset) {
  const RecordHead head = head_at(records, offset);
  const auto fact = read_fact(Bytes(records).subspan(offset + sizeof(RecordHead), head.size));
  offset += sizeof(RecordHead) + head.size;
  Fact result = fact.ok() ? *fact : Fact(words::Notice());  // the Notice is never used, because add() wrote the fact
  translate_ids(message_in(result), [&](Id id) { return chunk.base + id; });
  result.at = head.at;
  return result;
}

Outcome<Tape::Place> Tape::go_to(Micros at, bool with_its_facts, WorldState& world) const {
  auto after = std::partition_point(chunks_.begin(), chunks_.end(), [&](const Chunk& one) {
    return with_its_facts ? one.from <= at : one.from < at;  // a chunk's world has the facts of its time
  });
  if (after == chunks_.begin() && !chunks_.empty() && chunks_.front().from == at) ++after;
  if (after == chunks_.begin()) return Error{"that time is no longer held, or not yet"};
  const Chunk& found = *std::prev(after);
  read_world(found, world);
  Place place{found.number, 0};
  while (place.offset < found.facts.size()) {
    const Micros its = time_at(found.facts, place.offset);
    if (with_its_facts ? its > at : its >= at) break;
    world.fold(read(found, found.facts, place.offset));
  }
  return place;
}

void Tape::read_world(const Chunk& chunk, WorldState& world) {
  world = WorldState();
  world.share_map(*chunk.land, [&](Id id) { return chunk.base + id; });
  for (std::size_t offset = 0; offset < chunk.world.size();) world.fold(read(chunk, chunk.world, offset));
  world.fold(Fact(words::Ready()));
}

Outcome<Done> Tape::world_before(Micros at, WorldState& world) const {
  const auto place = go_to(at, false, world);
  if (!place) return place.error();
  return Done{};
}

std::vector<Fact> Tape::between(Micros from, Micros to) const {
  std::vector<Fact> facts;
  for (const Chunk& one : chunks_) {
    if (one.from >= to) break;
    const Chunk* const following = chunk(one.number + 1);
    if (following != nullptr && following->from < from) continue;
    if (one.changes && one.from >= from) tell_change(one, [&](Fact fact) { facts.push_back(std::move(fact)); });
    for (std::size_t offset = 0; offset < one.facts.size();) {
      const RecordHead head = head_at(one.facts, offset);
      if (head.at >= to) break;
      if (head.at >= from)
        facts.push_back(read(one, one.facts, offset));
      else
        offset += sizeof(RecordHead) + head.size;
    }
  }
  return facts;
}

/// Tells what a reader who knows the world before this chunk must receive.
void Tape::tell_change(const Chunk& to, const std::function<void(Fact)>& say) const {
  const Chunk* const before = chunk(to.number - 1);
  if (before == nullptr) return;
  WorldState old, fresh;
  read_world(*before, old);
  for (std::size_t offset = 0; offset < before->facts.size();) old.fold(read(*before, before->facts, offset));
  read_world(to, fresh);
  const auto say_then = [&](Fact fact) {
    fact.at = to.from;
    say(std::move(fact));
  };
  say_then(resync_clock(to.from));
  tell_difference(
      old, fresh, [](Id) { return false; }, say_then);
  words::Clock goes_on;
  goes_on.set_us(to.from);
  goes_on.set_speed(1);
  goes_on.set_live(true);
  say_then(goes_on);
}

std::optional<Micros> Tape::next_at(Place& place) const {
  const Chunk* at = chunk(place.chunk);
  if (at == nullptr) return first();
  while (place.offset >= at->facts.size()) {
    const Chunk* const following = chunk(at->number + 1);
    if (following == nullptr) return std::nullopt;
    if (following->changes) return following->from;
    at = following;
    place = {following->number, 0};
  }
  return time_at(at->facts, place.offset);
}

bool Tape::changes(const Place& place) const {
  const Chunk* const at = chunk(place.chunk);
  if (at == nullptr) return true;
  if (place.offset < at->facts.size()) return false;
  const Chunk* const following = chunk(at->number + 1);
  return following != nullptr && following->changes;
}

Fact Tape::next(Place& place) const {
  const Chunk& at = *chunk(place.chunk);
  return read(at, at.facts, place.offset);
}

}  // namespace entente::core
