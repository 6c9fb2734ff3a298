#include "proxy/relay/broadcast/broadcast.h"

#include <algorithm>

namespace entente::relay {
namespace {

/// A room that is called may still tell what became true when the call began.
constexpr core::Micros kLate = 500 * core::kMillisecond;

}  // namespace

Broadcast::Broadcast(Clock clock, std::uint64_t unix_us)
    : clock_(std::move(clock)), born_(clock_()), first_fragment_(unix_us / kFragment) {}

// -- Rooms ------------------------------------------------------------------------------------------------------------

std::uint64_t Broadcast::begin() {
  const std::lock_guard lock(mutex_);
  for (Track& track : tracks_)
    if (track.tape) track.tape->begin(now());
  return ++telling_;
}

void Broadcast::tell(std::uint64_t telling, const core::Fact& fact, std::uint64_t nanos) {
  const std::lock_guard lock(mutex_);
  if (telling != telling_) return;
  for (Track& track : tracks_)
    if (track.tape) track.tape->tell(fact, time_of(nanos));
}

bool Broadcast::owes_world(std::uint64_t telling, std::uint64_t nanos) const {
  if (!wanted()) return false;
  const std::lock_guard lock(mutex_);
  return telling == telling_ && std::any_of(tracks_.begin(), tracks_.end(), [&](const Track& track) {
           return track.tape && track.tape->owes_world(time_of(nanos));
         });
}

void Broadcast::tell(std::uint64_t telling, const core::World& world, core::Micros now, std::uint64_t nanos) {
  const std::lock_guard lock(mutex_);
  if (telling != telling_) return;
  for (Track& track : tracks_)
    if (track.tape && track.tape->owes_world(time_of(nanos))) track.tape->keep(world, now, time_of(nanos));
}

// -- Audiences --------------------------------------------------------------------------------------------------------

std::shared_ptr<LiveView> Broadcast::view(core::See see, core::Micros delay) {
  const std::lock_guard lock(mutex_);
  Track& mine = track(see);
  if (!mine.tape) {
    mine.tape.emplace(see, core::Tape::Limits{.bytes = kMostBytes});
    if (telling_ != 0) mine.tape->begin(now());
  }
  mine.delays.push_back(delay);
  mine.tape->keep_for(kRewind + *std::max_element(mine.delays.begin(), mine.delays.end()));
  wanted_ = true;
  return std::shared_ptr<LiveView>(new LiveView(shared_from_this(), see, delay));
}

void Broadcast::drop(core::See see, core::Micros delay) {
  const std::lock_guard lock(mutex_);
  Track& its = track(see);
  its.delays.erase(std::find(its.delays.begin(), its.delays.end(), delay));
  if (its.delays.empty()) its.tape.reset();
  wanted_ = std::any_of(tracks_.begin(), tracks_.end(), [](const Track& track) { return track.tape.has_value(); });
}

std::optional<core::Micros> Broadcast::begin_of(std::uint64_t fragment) const {
  if (fragment < first_fragment_ || fragment - first_fragment_ > ~core::Micros{0} / kFragment - 2) return std::nullopt;
  return (fragment - first_fragment_) * kFragment;
}

// -- A view -----------------------------------------------------------------------------------------------------------

class LiveView::Reader final : public core::FactSource {
 public:
  explicit Reader(std::shared_ptr<const LiveView> view) : view_(std::move(view)) {}

  core::Micros length() const override { return view_->length(); }
  core::Micros first() const override {
    const std::lock_guard lock(view_->broadcast_->mutex_);
    return view_->tape().first().value_or(0);
  }
  bool begins_with_world() const override { return true; }
  std::optional<core::Micros> next_at() override {
    const std::lock_guard lock(view_->broadcast_->mutex_);
    return view_->tape().next_at(place_);
  }
  bool changes() const override {
    const std::lock_guard lock(view_->broadcast_->mutex_);
    return view_->tape().changes(place_);
  }
  core::Fact next() override {
    const std::lock_guard lock(view_->broadcast_->mutex_);
    return view_->tape().next(place_);
  }
  Outcome<Done> seek(core::Micros at, core::World& world) override {
    const auto end = view_->end();
    if (!end || at > *end) return Error{"that is not to be seen yet"};
    const std::lock_guard lock(view_->broadcast_->mutex_);
    const auto place = view_->tape().seek(at, world);
    if (!place) return place.error();
    place_ = *place;
    return Done{};
  }

 private:
  const std::shared_ptr<const LiveView> view_;
  core::Tape::Place place_;
};

LiveView::~LiveView() { broadcast_->drop(see_, delay_); }

std::unique_ptr<core::FactSource> LiveView::reader() { return std::make_unique<Reader>(shared_from_this()); }

std::optional<core::Micros> LiveView::end() const {
  const core::Micros now = broadcast_->now();
  return now >= delay_ ? std::optional(now - delay_) : std::nullopt;
}

core::Micros LiveView::length() const { return end().value_or(0); }

void LiveView::visit_kills(const std::function<bool(const core::Moment&)>& visit) const {
  const auto end = this->end();
  if (!end) return;
  const std::lock_guard lock(broadcast_->mutex_);
  tape().visit_kills([&](const core::Moment& kill) { return kill.at <= *end && visit(kill); });
}

std::optional<LiveView::Range> LiveView::fragments() const {
  const auto end = this->end();
  if (!end || *end < Broadcast::kFragment) return std::nullopt;
  const std::lock_guard lock(broadcast_->mutex_);
  core::Tape& all = tape();
  const auto first = all.first();
  if (!first) return std::nullopt;
  const core::Micros now = *end + delay_;
  if (now > kLate) all.pass(now - kLate);
  const core::Micros passed = std::min(*end, all.last());
  if (passed < Broadcast::kFragment) return std::nullopt;
  const Range range{broadcast_->fragment_of(*first + Broadcast::kFragment - 1), broadcast_->fragment_of(passed) - 1};
  return range.oldest <= range.newest ? std::optional(range) : std::nullopt;
}

std::vector<core::Fact> LiveView::fragment(std::uint64_t number) const {
  const auto from = broadcast_->begin_of(number);
  std::vector<core::Fact> facts;
  if (!from) return facts;
  const std::lock_guard lock(broadcast_->mutex_);
  facts = tape().between(*from, *from + Broadcast::kFragment);
  return facts;
}

Outcome<Done> LiveView::world_before(std::uint64_t number, core::World& world) const {
  const auto from = broadcast_->begin_of(number);
  if (!from || *from > length()) return Error{"that is not to be seen yet"};
  const std::lock_guard lock(broadcast_->mutex_);
  return tape().world_before(*from, world);
}

}  // namespace entente::relay
