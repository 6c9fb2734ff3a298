#include "proxy/fleet/arena/far_guest.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "proxy/core/drops.h"

namespace entente::fleet {

bus::FromNode::Open describe(const relay::LinkInfo& client) {
  bus::FromNode::Open open;
  open.set_address(client.client.text());
  open.set_game(std::string(client.game->name()));
  open.set_dialect(std::string(client.game->dialects()[client.dialect].name));
  return open;
}

namespace {

constexpr std::size_t kIntentBytes = 256;  // about what an intent takes besides its texts

std::size_t bytes_of(const core::Intent& intent) { return core::message_in(intent).ByteSizeLong() + kIntentBytes; }

}  // namespace

/// Says what the guest has for the room, each time that it is called.
class FarGuest::Front final : public core::Front {
 public:
  explicit Front(FarGuest& guest) : guest_(guest) {}
  void receive(const Frames&, Outlet& out) override { guest_.speak(out); }
  void hear(const core::Fact&, Outlet&) override {}

 private:
  FarGuest& guest_;
};

FarGuest::FarGuest(relay::SharedRoom& room, const relay::LinkInfo& client, const Limits& limits,
                   std::size_t& node_bytes, Seated seated, std::function<void()> closed)
    : room_(room),
      client_(client),
      limits_(limits),
      node_bytes_(node_bytes),
      peer_{client_.client.text(), 0, ""},
      seated_(std::move(seated)),
      closed_(std::move(closed)) {}

FarGuest::~FarGuest() { node_bytes_ -= wants_bytes_ + room_bytes_; }

/// What a player in play wants is passed on at once, so only its number is limited.
bool FarGuest::has_space(const core::Intent& intent, std::size_t bytes) const {
  if (wants_.size() >= kMostWaiting) return false;
  const bool enters = core::as<words::Enter>(intent) != nullptr;
  if (seat_ != 0 && !queued_ && !held_ && !enters_ && !enters) return true;
  return wants_bytes_ + room_bytes_ + bytes <= kMostWaitingBytes &&
         node_bytes_ + bytes <= (enters ? kMostNodeBytes : kMostNodeOthers);
}

bool FarGuest::want(core::Intent intent) {
  if (over_) return false;
  const std::size_t bytes = bytes_of(intent);
  if (!has_space(intent, bytes)) deliver();
  if (over_) return false;
  if (!has_space(intent, bytes)) return note_refused(core::name_of(intent)), false;
  enters_ = enters_ || core::as<words::Enter>(intent) != nullptr;
  wants_bytes_ += bytes;
  node_bytes_ += bytes;
  wants_.push_back(std::move(intent));
  return true;
}

void FarGuest::note_refused(const char* name) {
  const auto known =
      std::find_if(refused_.begin(), refused_.end(), [name](const Refused& one) { return one.name == name; });
  if (known == refused_.end()) return refused_.push_back({name, 1});
  ++known->times;
}

void FarGuest::deliver() {
  if (over_ || held_ || seat_ == 0) return;
  if (!queued_ && !wants_.empty()) {
    enters_ = false;
    room_.take_frames(seat_, {});
    const std::size_t bytes = std::exchange(wants_bytes_, 0);
    if (queued_)
      room_bytes_ += bytes;
    else
      node_bytes_ -= bytes;
  }
  // The room tells nothing to a player who has not asked to enter, so this comes last.
  if (over_ || refused_.empty()) return;
  tells_ = true;
  room_.take_frames(seat_, {});
}

void FarGuest::speak(core::FrontOut& out) {
  if (std::exchange(tells_, false)) {
    for (const Refused& one : std::exchange(refused_, {}))
      for (std::size_t i = 0; i < one.times; ++i) out.drop(core::drops::kHeldTooMany, one);
    return;
  }
  for (core::Intent& one : wants_) out.say(std::move(one));
  wants_.clear();
}

void FarGuest::take_turn() {
  queued_ = false;
  node_bytes_ -= std::exchange(room_bytes_, 0);
  if (over_) return;
  if (room_.over()) return leave("the arena is closed");
  if (seat_ == 0) room_.seat(*this, std::make_unique<Front>(*this), peer_);
  deliver();
}

bool FarGuest::give_seat(core::Id seat) {
  if (over_) return false;
  seat_ = seat;
  seated_(seat);
  return true;
}

void FarGuest::close(std::string_view why, std::uint32_t) {
  seat_ = 0;
  over_ = true;
  why_ = why;
  room_.leave_queues(*this);
  closed_();
}

void FarGuest::leave(std::string_view why) {
  if (std::exchange(over_, true)) return;
  closed_();
  room_.leave_queues(*this);
  if (const core::Id seat = std::exchange(seat_, 0)) room_.gone(seat, why, 0);
}

}  // namespace entente::fleet
