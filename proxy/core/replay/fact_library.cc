#include "proxy/core/replay/fact_library.h"

#include <algorithm>

namespace entente::core {
namespace {

constexpr std::size_t kGeometryCost = 1'000;

std::size_t cost_of(const Fact& fact) { return as<words::World>(fact) != nullptr ? kGeometryCost : 1; }

}  // namespace

class FactLibrary::Reader final : public FactReader {
 public:
  explicit Reader(FactLibrary& library) : library_(library) {}

  Micros end_time() const override { return library_.end_time(); }
  Micros first() const override { return library_.source_->first(); }
  bool begins_with_world() const override { return library_.source_->begins_with_world(); }
  std::vector<Moment> moments() const override { return library_.moments(); }
  bool next_is_other_session() const override {
    return segment_ && next_ == segment_->facts.size() && segment_->changes;
  }

  std::optional<Micros> next_at() override {
    while (segment_ && next_ == segment_->facts.size()) {
      if (segment_->changes) return segment_->to;
      if (segment_->last) return std::nullopt;
      auto following = library_.segment(segment_->to, false);
      if (!following) return std::nullopt;
      segment_ = *following;
      next_ = 0;
    }
    return segment_ ? std::optional(segment_->facts[next_].at) : std::nullopt;
  }
  Fact next() override { return segment_->facts[next_++]; }

  Outcome<Done> seek(Micros at, WorldState& world) override {
    const auto found = library_.find(at);
    if (!found) return found.error();
    const WorldState* const begins = library_.kept_world((*found)->from);
    if (begins == nullptr) return Error{"the recording has no world there"};  // find() has just kept it
    segment_ = *found;
    world.copy(*begins, 0);
    for (next_ = 0; next_ < segment_->facts.size() && segment_->facts[next_].at <= at; ++next_)
      world.fold(segment_->facts[next_]);
    return Done{};
  }

 private:
  FactLibrary& library_;
  SharedSegment segment_;
  std::size_t next_ = 0;
};

std::unique_ptr<FactReader> FactLibrary::reader() { return std::make_unique<Reader>(*this); }

/// The segment with the facts directly after `at`; its world is kept.
Outcome<FactLibrary::SharedSegment> FactLibrary::find(Micros at) {
  at = std::min(at, end_time());
  auto found = segment(at / kSegment * kSegment, true);
  while (found && at >= (*found)->to && !(*found)->last) found = segment((*found)->to, true);
  if (!found || kept_world((*found)->from) != nullptr) return found;
  if (const auto stands = stand_at((*found)->from); !stands) return stands.error();
  keep_world((*found)->from);
  return found;
}

/// The segment that begins there.
Outcome<FactLibrary::SharedSegment> FactLibrary::segment(Micros from, bool with_world) {
  const auto at = segments_.find(from);
  if (at == segments_.end()) return load(from, with_world);
  used_.splice(used_.end(), used_, at->second.used);
  return at->second.segment;
}

Outcome<Done> FactLibrary::stand_at(Micros from) {
  if (stands_ && stands_at_ == from) return Done{};
  stands_ = false;
  if (const auto found = source_->seek(from, world_); !found) return found.error();
  stands_ = true;
  stands_at_ = from;
  return Done{};
}

Outcome<FactLibrary::SharedSegment> FactLibrary::load(Micros from, bool with_world) {
  if (const auto stands = stand_at(from); !stands) return stands.error();
  if (with_world) keep_world(from);
  ++read_;
  auto made = std::make_shared<Segment>();
  made->from = from;
  made->to = (from / kSegment + 1) * kSegment;
  while (const auto at = source_->next_at()) {
    if (source_->next_is_other_session()) {
      made->changes = *at <= made->to;
      if (made->changes) made->to = *at;
      break;
    }
    if (*at > made->to) {  // a gap belongs to the segment before it
      made->to = std::max(made->to, (*at - 1) / kSegment * kSegment);
      break;
    }
    if (made->cost >= kMostFacts && !made->facts.empty() && made->facts.back().at < *at) {
      made->to = made->facts.back().at;
      break;
    }
    Fact fact = source_->next();
    world_.fold(fact);
    made->cost += cost_of(fact);
    made->cost < kMostAtOnce ? made->facts.push_back(std::move(fact)) : void(++skipped_);
  }
  made->last = !made->changes && !source_->next_at();
  made->facts.shrink_to_fit();
  stands_ = !made->changes;
  stands_at_ = made->to;
  const SharedSegment held = std::move(made);
  segments_[from] = {held, used_.insert(used_.end(), from)};
  cost_ += held->cost + 1;
  forget_some();
  return held;
}

void FactLibrary::keep_world(Micros at) {
  if (kept_world(at) != nullptr) return;
  worlds_.emplace_back(at, WorldState()).second.copy(world_, 0);
  if (worlds_.size() > kMostWorlds) worlds_.pop_front();
}

const WorldState* FactLibrary::kept_world(Micros at) {
  const auto found = std::find_if(worlds_.begin(), worlds_.end(), [at](const auto& one) { return one.first == at; });
  if (found == worlds_.end()) return nullptr;
  worlds_.splice(worlds_.end(), worlds_, found);
  return &worlds_.back().second;
}

/// Forgets the least recently used segments, but never the one used last.
void FactLibrary::forget_some() {
  while (cost_ > kMostKept && used_.size() > 1) {
    const auto oldest = segments_.find(used_.front());
    cost_ -= oldest->second.segment->cost + 1;
    segments_.erase(oldest);
    used_.pop_front();
  }
}

}  // namespace entente::core
