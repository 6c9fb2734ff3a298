#include "proxy/relay/overhear/followed_room.h"

#include <algorithm>
#include <utility>

namespace entente::relay {
namespace {

/// A longer gap (a capture of two days in one file) is not played tick by tick.
constexpr core::Micros kLongestGap = 600 * core::kSecond;

/// No limits of chat, and nothing is dropped: the server decides what is said.
core::RoomOptions options_of_follower(std::uint32_t seed) {
  core::RoomOptions of_one_game;
  of_one_game.seed = seed;
  of_one_game.drops_before_enter = false;
  of_one_game.chat.commands = true;
  of_one_game.chat.burst = 1'000'000;
  of_one_game.chat.most_bytes = 65'536;
  return of_one_game;
}

}  // namespace

FollowedRoom::FollowedRoom(std::unique_ptr<core::Front> front, std::unique_ptr<core::Back> back, std::uint32_t seed)
    : front_(std::move(front)),
      room_(static_cast<core::Room::Host&>(*this), std::move(back), options_of_follower(seed)) {}

void FollowedRoom::begin(const wire::Game& game, std::size_t dialect) {
  core::Peer client;
  client.connect_data = game.connect_data(dialect);
  seat_ = room_.seat(std::move(front_), client, 0);
  room_.back_opened({}, 0);
}

void FollowedRoom::pass_time(core::Micros until) {
  if (until > now_ + kLongestGap) now_ = until - kLongestGap;
  while (over_.empty() && room_.next_wake() <= until) {
    now_ = std::max(now_, room_.next_wake());
    before_call(now_);
    room_.tick(now_);
  }
  now_ = std::max(now_, until);
}

void FollowedRoom::received(const wire::Frame& frame, core::Micros at) {
  pass_time(at);
  const FrameMark mark{static_cast<std::uint32_t>(frame.bytes.size()), frame.stage};
  if (over_.empty()) before_call(now_);
  if (over_.empty()) room_.received(end_of(frame.way), {frame.lane, frame.bytes, {&mark, 1}}, now_);
}

void FollowedRoom::left(wire::Way way, core::Micros at) {
  pass_time(at);
  if (over_.empty()) before_call(now_);
  if (over_.empty()) room_.gone(end_of(way), way == wire::Way::kToServer ? "client left" : "server left", now_);
}

void FollowedRoom::give_up(std::string why) {
  if (over_.empty()) over_ = std::move(why);
}

void FollowedRoom::close(core::Id end, std::string_view why, std::uint32_t) {
  if (over_.empty()) over_by_server_ = end == core::kBackId;
  give_up((end == core::kBackId ? "our back ended it: " : "our front ended it: ") + std::string(why));
}

void FollowedRoom::failed(core::Id end, const Fault& fault) {
  if (!over_.empty()) return;
  broken_ = true;
  over_by_server_ = end == core::kBackId;
  std::string why =
      std::string(end == core::kBackId ? "the server" : "the client") + " broke its game's rules: " + fault.what;
  if (*fault.field != '\0') why += std::string(" (") + fault.field + ", byte " + std::to_string(fault.offset) + ")";
  give_up(std::move(why));
}

}  // namespace entente::relay
