#include "proxy/program/playback/session_view.h"

#include <algorithm>

namespace entente {

using core::Id, core::Micros;

SessionView::SessionView(const RecordedSessions& found, const RecordedSessionInfo& about, WallTime begins)
    : about_(about) {
  const WallTime zero = begins / 1000;
  const auto time_of = [&](Micros room) { return std::max(about.wall_us(room), zero) - zero; };
  from_ = time_of(about.ready.value_or(about.last));
  to_ = time_of(about.last);
  auto session = RecordedSession::open(found, about.link);
  if (!session) return;
  session_ = std::move(*session);
  const WallTime first = about.wall_us(about.first);
  session_->become_part(time_of(about.first), {}, zero - std::min(zero, first));
}

bool SessionView::seek(Micros at) {
  known_.clear();
  own_.clear();
  placed_ = session_ != nullptr && session_->seek(at, world_).ok();
  return placed_;
}

std::optional<core::Fact> SessionView::next(Micros now) {
  const auto at = session_->next_at();
  if (!at || *at > now) return std::nullopt;
  return session_->next();
}

bool SessionView::is_of_same_land(const core::WorldState& told) {
  if (compared_ != told.shared_geometry() || compared_own_ != world_.shared_geometry()) {
    compared_ = told.shared_geometry();
    compared_own_ = world_.shared_geometry();
    same_land_ = compared_->SerializeAsString() == compared_own_->SerializeAsString();
  }
  return same_land_;
}

SessionView::Known* SessionView::known(Id own) {
  const auto found = known_.find(own);
  return found != known_.end() ? &found->second : nullptr;
}

void SessionView::set_known(Id own, Id id) {
  forget(own);
  known_[own] = {id};
  if (id != 0) own_[id] = own;
}

Id SessionView::own(Id id) const {
  const auto found = own_.find(id);
  return found != own_.end() ? found->second : 0;
}

void SessionView::forget(Id own) {
  const auto found = known_.find(own);
  if (found == known_.end()) return;
  const auto own_id = own_.find(found->second.id);
  if (own_id != own_.end() && own_id->second == own) own_.erase(own_id);  // a later unit may have its id
  known_.erase(found);
}

}  // namespace entente
