#include "proxy/relay/broadcast/broadcast.h"

#include <algorithm>
#include <utility>

namespace entente::relay {
namespace {

/// How late a fact may be told: a room may tell facts as of the beginning of the current call.
constexpr core::Micros kLate = 500 * core::kMillisecond;

}  // namespace

Broadcast::Broadcast(Clock clock, std::uint64_t unix_us, BroadcastOptions options)
    : clock_(std::move(clock)), options_(std::move(options)), born_(clock_()), first_fragment_(unix_us / kFragment) {}

// -- Rooms ------------------------------------------------------------------------------------------------------------

std::uint64_t Broadcast::begin() {
  const std::lock_guard lock(mutex_);
  for (Track& track : tracks_)
    if (track.tape) track.tape->begin(now());
  return ++source_id_;
}

void Broadcast::tell(std::uint64_t source_id, const core::Fact& fact, std::uint64_t nanos) {
  const std::lock_guard lock(mutex_);
  if (source_id != source_id_) return;
  for (Track& track : tracks_)
    if (track.tape) track.tape->append(fact, time_of(nanos));
  look_for_overflow();
}

bool Broadcast::owes_world(std::uint64_t source_id, std::uint64_t nanos) const {
  if (!wanted()) return false;
  const std::lock_guard lock(mutex_);
  return source_id == source_id_ && std::any_of(tracks_.begin(), tracks_.end(), [&](const Track& track) {
           return track.tape && track.tape->owes_world(time_of(nanos));
         });
}

void Broadcast::tell(std::uint64_t source_id, const core::WorldState& world, core::Micros now, std::uint64_t nanos) {
  const std::lock_guard lock(mutex_);
  if (source_id != source_id_) return;
  for (Track& track : tracks_)
    if (track.tape && track.tape->owes_world(time_of(nanos))) track.tape->append_snapshot(world, now, time_of(nanos));
  look_for_overflow();
}

void Broadcast::look_for_overflow() {
  const auto overflows = [](const Track& track) { return track.tape && track.tape->overflows(); };
  if (overflowed_ || std::none_of(tracks_.begin(), tracks_.end(), overflows)) return;
  overflowed_ = true;
  if (options_.overflowed) options_.overflowed();
}

// -- Audiences --------------------------------------------------------------------------------------------------------

std::shared_ptr<LiveView> Broadcast::view(core::See see, core::Micros delay) {
  const std::lock_guard lock(mutex_);
  Track& mine = track(see);
  if (!mine.tape) {
    mine.tape.emplace(see, core::TapeLimits{.bytes = options_.rewind_bytes, .most_bytes = options_.most_bytes});
    if (source_id_ != 0) mine.tape->begin(now());
  }
  mine.delays.push_back(delay);
  keep_for_all(mine);
  wanted_ = true;
  return std::shared_ptr<LiveView>(new LiveView(shared_from_this(), see, delay));
}

/// The longest delay decides.
void Broadcast::keep_for_all(Track& track) {
  const core::Micros longest = *std::max_element(track.delays.begin(), track.delays.end());
  track.tape->keep_for(longest + kLeastRewind, longest + kRewind);
}

void Broadcast::drop(core::See see, core::Micros delay) {
  const std::lock_guard lock(mutex_);
  Track& its = track(see);
  its.delays.erase(std::find(its.delays.begin(), its.delays.end(), delay));
  its.delays.empty() ? its.tape.reset() : keep_for_all(its);
  wanted_ = std::any_of(tracks_.begin(), tracks_.end(), [](const Track& track) { return track.tape.has_value(); });
}

std::optional<core::Micros> Broadcast::begin_of(std::uint64_t fragment) const {
  if (fragment < first_fragment_ || fragment - first_fragment_ > ~core::Micros{0} / kFragment - 2) return std::nullopt;
  return (fragment - first_fragment_) * kFragment;
}

// -- A view -----------------------------------------------------------------------------------------------------------

class LiveView::Reader final : public core::FactReader {
 public:
  explicit Reader(std::shared_ptr<const LiveView> view) : view_(std::move(view)) {}

  core::Micros end_time() const override { return view_->end_time(); }
  core::Micros first() const override {
    const std::lock_guard lock(view_->broadcast_->mutex_);
    return view_->tape().first().value_or(0);
  }
  bool begins_with_world() const override { return true; }
  std::optional<core::Micros> next_at() override {
    if (next_) return next_->at;
    const std::lock_guard lock(view_->broadcast_->mutex_);
    const auto at = view_->tape().next_at(place_);
    if (at && !view_->tape().changes(place_)) next_ = view_->tape().next(place_);
    return at;
  }
  bool next_is_other_session() const override { return !next_; }
  core::Fact next() override { return *std::exchange(next_, std::nullopt); }
  Outcome<Done> seek(core::Micros at, core::WorldState& world) override {
    const auto end = view_->end();
    if (!end || at > *end) return Error{"that part is not available yet"};
    const std::lock_guard lock(view_->broadcast_->mutex_);
    const auto place = view_->tape().seek(at, world);
    if (!place) return place.error();
    place_ = *place;
    next_.reset();
    return Done{};
  }

 private:
  const std::shared_ptr<const LiveView> view_;
  core::Tape::Place place_;         // after next_
  std::optional<core::Fact> next_;  // taken together with its time: the tape may forget it at any moment
};

LiveView::~LiveView() { broadcast_->drop(see_, delay_); }

std::unique_ptr<core::FactReader> LiveView::reader() { return std::make_unique<Reader>(shared_from_this()); }

std::optional<core::Micros> LiveView::end() const {
  const core::Micros now = broadcast_->now();
  return now >= delay_ ? std::optional(now - delay_) : std::nullopt;
}

core::Micros LiveView::end_time() const { return end().value_or(0); }

std::optional<core::Micros> LiveView::begins_in() const {
  const std::lock_guard lock(broadcast_->mutex_);
  const auto first = tape().first();
  const core::Micros now = broadcast_->now();
  if (!first || tape().overflows()) return std::nullopt;
  return std::max(*first + delay_, now) - now;
}

bool LiveView::overflows() const {
  const core::Micros end = end_time();
  const std::lock_guard lock(broadcast_->mutex_);
  return tape().overflows() && tape().first() > end;
}

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

std::optional<std::vector<core::Fact>> LiveView::fragment(std::uint64_t number) const {
  const auto from = broadcast_->begin_of(number);
  if (!from) return std::nullopt;
  const std::lock_guard lock(broadcast_->mutex_);
  const auto first = tape().first();
  if (!first || *from < *first) return std::nullopt;  // part of it was forgotten since it was in fragments()
  return tape().between(*from, *from + Broadcast::kFragment);
}

Outcome<Done> LiveView::world_before(std::uint64_t number, core::WorldState& world) const {
  const auto from = broadcast_->begin_of(number);
  if (!from || *from > end_time()) return Error{"that part is not available yet"};
  const std::lock_guard lock(broadcast_->mutex_);
  return tape().world_before(*from, world);
}

}  // namespace entente::relay
