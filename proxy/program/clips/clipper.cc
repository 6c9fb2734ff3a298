#include "proxy/program/clips/clipper.h"

#include <algorithm>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/import/input.h"
#include "proxy/program/import/recorded_world.h"
#include "proxy/relay/tap/room_words.h"

namespace entente {
namespace {

using core::Micros;

/// Events of different links may be out of order by less than this, in ns.
constexpr WallTime kLate = 5'000'000'000;
/// What the worlds of all links may take, in bytes, by a high estimate. A recorded world sets its link's share back to
/// its own size, every ten seconds in what a recorder wrote.
constexpr std::size_t kMostCost = std::size_t{4} << 30U, kCostOfEach = 512;
constexpr std::size_t kMostGeometry = 256U << 20U;  // bytes; the worlds of further geometries are left out
constexpr std::size_t kMostOpenings = 200'000;      // that are kept

}  // namespace

Outcome<Done> Clipper::run(Progress* progress) {
  for (;;) {
    const auto event = recording_.next();
    if (!event) return damage_of(recording_, event.error());
    if (*event == nullptr) break;
    if (Interruption::came()) return Error{"interrupted"};
    if (to_.failed()) return Done{};  // finish() says why
    if (progress != nullptr) progress->reached(recording_.progress().whole);
    if (!take(**event)) break;
    if (cost_ > kMostCost) return Error{file_ + ": its worlds before --from need too much memory"};
  }
  if (to_.started()) return Done{};
  if (!start_) return Error{file_ + " has no messages"};
  return Error{"--from " + time_text(part_.from) + " is after the end of " + file_ + ", which is " +
               time_text((last_ - std::min(last_, *start_)) / 1000) + " long"};
}

/// False: nothing more is wanted.
bool Clipper::take(const trace::Recording::Event& event) {
  if (!start_) begin_at(event.time);
  if (event.opened != nullptr && openings_.size() < kMostOpenings) openings_.push_back(*event.opened);
  const bool after = event.time >= end_;
  if (!to_.started() && event.time >= begin_) start();
  if (after) {
    passed_end_ = true;
    return event.time - end_ < kLate;
  }
  last_ = std::max(last_, event.time);
  has_words_ = has_words_ || event.word || event.world != nullptr;
  if (!to_.started()) learn(event);
  if (to_.started()) last_written_ = std::max(last_written_, event.time);
  if (to_.started() && event.word) ++words_;
  write(event);
  return true;
}

void Clipper::write(const trace::Recording::Event& event) {
  if (event.opened == nullptr || !original_.start) return to_.take(event, number(link_of(event)));
  const trace::Opened opened = as_in_original(*event.opened);
  trace::Recording::Event changed;
  changed.time = event.time;
  changed.opened = &opened;
  to_.take(changed, opened.link());
}

/// The opening in the original, which tells more, or one with a new number.
trace::Opened Clipper::as_in_original(const trace::Opened& opened) {
  auto& all = original_.openings;
  const auto same = std::find_if(all.begin(), all.end(), [&](const trace::Opened& one) {
    return one.client() == opened.client() && one.game() == opened.game();
  });
  trace::Opened found = same != all.end() ? *same : opened;
  if (same == all.end()) found.set_link(++last_number_);
  if (same != all.end()) all.erase(same);
  if (found.dialect().empty()) found.set_dialect(opened.dialect());
  numbers_[opened.link()] = found.link();
  return found;
}

/// The number of a link in the new recording.
std::uint32_t Clipper::number(std::uint32_t link) const {
  const auto at = numbers_.find(link);
  return at == numbers_.end() ? link : at->second;
}

void Clipper::begin_at(WallTime start) {
  start_ = last_ = original_.start.value_or(start);
  begin_ = *start_ + part_.from * 1000;
  if (part_.to) end_ = *start_ + *part_.to * 1000;
}

/// What came before the clip.
void Clipper::learn(const trace::Recording::Event& event) {
  if (event.geometry != nullptr) keep(*event.geometry);
  if (event.closed != nullptr) forget(event.closed->link());
  if (event.world != nullptr) {
    const trace::Snapshot& world = *event.world;
    Link& link = link_at(world.link(), world.at_us(), event.time);
    const trace::Geometry* shape = geometry(world.geometry());
    link.world = core::WorldState();
    fold_snapshot(
        world, shape, [](core::Fact&) {}, link.world);
    cost_ -= link.cost;
    link.cost = 0;
    add_cost(link, world.ByteSizeLong() + static_cast<std::size_t>(world.facts_size()) * kCostOfEach +
                       (shape != nullptr ? shape->ByteSizeLong() : 0));
  }
  if (!event.word) return;
  const words::Fact* word = event.word->fact;
  if (word == nullptr) return;
  Link& link = link_at(event.word->link, word->at_us(), event.time);
  if (const auto fact = core::from_message(*word)) link.world.fold(*fact);
  // The other kinds change what is there.
  if (word->has_world() || word->has_world_edit() || word->has_player() || word->has_unit() || word->has_token() ||
      word->has_rule() || word->has_shot() || word->has_board())
    add_cost(link, word->ByteSizeLong() + kCostOfEach);
}

void Clipper::add_cost(Link& link, std::size_t cost) {
  link.cost += cost;
  cost_ += cost;
}

void Clipper::forget(std::uint32_t id) {
  const auto at = links_.find(id);
  if (at == links_.end()) return;
  cost_ -= at->second.cost;
  links_.erase(at);
}

Clipper::Link& Clipper::link_at(std::uint32_t id, Micros at, WallTime time) {
  const auto [found, anew] = links_.try_emplace(id);
  if (anew) found->second.began = time - std::min(time, at * 1000);
  return found->second;
}

void Clipper::keep(const trace::Geometry& geometry) {
  const std::size_t bytes = geometry.ByteSizeLong();
  if (kept_ + bytes > kMostGeometry || !geometries_.try_emplace(geometry.hash(), geometry).second) return;
  kept_ += bytes;
}

const trace::Geometry* Clipper::geometry(const std::string& hash) const {
  const auto at = geometries_.find(hash);
  return at == geometries_.end() ? nullptr : &at->second;
}

/// Begins the clip: the open links, and the worlds of those with words.
void Clipper::start() {
  last_written_ = begin_;
  (void)to_.start(begin_, name_of_file(file_));
  to_.note(begin_, "this is a clip of " + name_of_file(file_) + ", from " + time_text(part_.from) + " on");
  for (const auto& [hash, geometry] : geometries_) to_.geometry(geometry);
  for (const auto& [id, link] : links_) {
    std::string hash;
    if (const words::World* world = link.world.geometry()) {
      const trace::Geometry geometry = relay::geometry_of(*world);
      hash = geometry.hash();
      to_.geometry(geometry);
    }
    const Micros now = (begin_ - std::min(begin_, link.began)) / 1000;
    to_.world(begin_, relay::snapshot_of(number(id), link.world, now, std::move(hash)));
  }
  links_.clear();
  geometries_.clear();
  cost_ = 0;
}

}  // namespace entente
