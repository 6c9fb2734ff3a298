#include "proxy/program/conversion/offline_room.h"

#include <algorithm>

#include "adapters/registry.h"

namespace entente {
namespace {

/// A longer gap in the recording (a capture of two days in one file) is not played tick by tick.
constexpr core::Micros kLongestPause = 600 * core::kSecond;

core::RoomOptions options() {
  core::RoomOptions of_one_game;
  of_one_game.chat.commands = true;  // no chat limits: everything recorded was said
  of_one_game.chat.burst = 1'000'000;
  of_one_game.chat.most_bytes = 65'536;
  return of_one_game;
}

}  // namespace

bool can_translate(const GameDialect& game_dialect) {
  return faces_of(*game_dialect.game).has_front(game_dialect.dialect) &&
         faces_of(*game_dialect.game).has_back(game_dialect.dialect);
}

OfflineRoom::OfflineRoom(const GameDialect& game_dialect, User& user,
                         const std::map<std::string, std::string, std::less<>>& settings)
    : user_(user), room_(*this, faces_of(*game_dialect.game).back({game_dialect.dialect, settings}), options()) {
  core::Peer client;
  client.connect_data = game_dialect.game->connect_data(game_dialect.dialect);
  seat_ = room_.seat(faces_of(*game_dialect.game).front({game_dialect.dialect, {}}), client, 0);
  room_.back_opened({}, 0);
}

void OfflineRoom::pass_time(core::Micros until) {
  if (until > now_ + kLongestPause) now_ = until - kLongestPause;
  while (over_.empty() && room_.next_wake() <= until) {
    now_ = std::max(now_, room_.next_wake());
    room_.tick(now_);
  }
  now_ = std::max(now_, until);
}

void OfflineRoom::received(const wire::Frame& frame, core::Micros at) {
  pass_time(at);
  const FrameMark mark{static_cast<std::uint32_t>(frame.bytes.size()), frame.stage};
  if (over_.empty()) room_.received(end_of(frame.way), {frame.lane, frame.bytes, {&mark, 1}}, now_);
}

void OfflineRoom::left(wire::Way way, core::Micros at) {
  pass_time(at);
  if (over_.empty()) room_.gone(end_of(way), way == wire::Way::kToServer ? "client left" : "server left", now_);
}

void OfflineRoom::close(core::Id end, std::string_view why, std::uint32_t) {
  if (over_.empty()) over_ = (end == core::kBackId ? "our back ended it: " : "our front ended it: ") + std::string(why);
}

void OfflineRoom::failed(core::Id end, const Fault& fault) {
  if (!over_.empty()) return;
  broken_ = true;
  over_ = std::string(end == core::kBackId ? "the server" : "the client") + " broke its game's rules: " + fault.what;
  if (*fault.field != '\0') over_ += std::string(" (") + fault.field + ", byte " + std::to_string(fault.offset) + ")";
}

}  // namespace entente
