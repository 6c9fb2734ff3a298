// Makes a recording for bzfs from a session of a client.
// Invariant: what only that client was sent (its own join, pings, private chat) is hidden or left out.
#include <algorithm>

#include "adapters/bzflag/rec/rec.h"
#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/wire/wire.h"

namespace entente::bzflag {
namespace {

constexpr std::uint8_t kEveryone = 254;

/// Whether a message is only for one client, and useless to others.
bool is_personal(Code code) {
  switch (code) {
    case Reject::kCode:
    case SuperKill::kCode:
    case NegotiateFlags::kCode:
    case FlagType::kCode:
    case CacheUrl::kCode:
    case LinkAnswer::kCode:
    case LinkEstablished::kCode:
    case LagPing::kCode:
    case ReplayReset::kCode:
    case GameAnswer::kCode:
    case PlayersAnswer::kCode:
    case PingReply::kCode:
      return true;
    default:
      return false;
  }
}

/// Chat that is a command to the server (perhaps with a password). Recordings of bzfs contain it, hidden.
bool is_command(Bytes payload) {
  const std::size_t kind = payload.size() > 2 && payload[2] <= 1 ? 1 : 0;  // 2.4 has a kind there, 2.0 the text
  return payload.size() > 2 + kind && payload[2 + kind] == '/';
}

/// Whether a server records the message, but does not show it in a replay.
bool is_hidden(Code code, Bytes payload) {
  if (code == AdminInfo::kCode || code == NearFlag::kCode) return true;
  if (code != Chat::kCode) return false;
  const bool private_word = payload.size() < 2 || payload[1] != kEveryone;
  return private_word || is_command(payload);
}

}  // namespace

bool is_state(Code code) {
  switch (code) {
    case SetVar::kCode:
    case TeamUpdate::kCode:
    case FlagUpdate::kCode:
    case AddPlayer::kCode:
    case PlayerInfo::kCode:
    case AdminInfo::kCode:
    case AutoPilot::kCode:
    case Handicap::kCode:
    case Alive::kCode:
    case NewRabbit::kCode:
    case GameTime::kCode:
    case TimeLeft::kCode:
      return true;
    default:
      return false;
  }
}

void RecExport::keep(Code code, Bytes payload, std::int64_t time) {
  if (!joined_ && !is_state(code)) {
    if (me_) return;  // the client is still joining
    joined_ = true;   // there is no join: the session was a replay itself
  }
  if (is_hidden(code, payload)) return;
  Said said;
  said.head.mode = joined_ ? kRecReal : kRecState;
  said.head.code = code;
  said.head.time = time;
  said.payload.assign(payload.begin(), payload.end());
  said_.push_back(std::move(said));
}

/// Whether the server passes this message of the client on to all others, but not back. In 2.0 that is so for guided
/// missiles, too. The tank must be alive, and the client's own.
bool RecExport::is_relayed(Code code, Bytes payload) const {
  const bool guided = code == GuidedUpdate::kCode && !kDialects[dialect_].timed_shots;
  const std::size_t id = guided ? 0 : sizeof(float);  // an update begins with its time
  if (!guided && code != PlayerUpdate::kCode && code != PlayerUpdateSmall::kCode) return false;
  return joined_ && alive_ && payload.size() > id && payload[id] == me_;
}

void RecExport::hear_client(Code code, Bytes payload, std::int64_t time) {
  if (is_relayed(code, payload)) keep(code, payload, time);
}

void RecExport::hear(const wire::Frame& frame, std::int64_t time) {
  if (frame.stage != wire::Stage::kPlay || frame.bytes.size() < kFrameHead) return;
  const auto code = static_cast<Code>(frame.bytes[2] << 8U | frame.bytes[3]);
  const Bytes payload = frame.bytes.subspan(kFrameHead);
  if (frame.way == wire::Way::kToServer) return hear_client(code, payload, time);
  if (!payload.empty() && payload[0] == me_) {
    if (code == Alive::kCode) alive_ = true;
    if (code == Killed::kCode) alive_ = false;
  }
  if (is_personal(code) || learn(code, frame.bytes, payload)) return;
  keep(code, payload, time);
  if (code == AddPlayer::kCode && !payload.empty() && payload[0] == me_) joined_ = true;
}

/// Handles messages for the header, and those that decide where the snapshot ends. False: any other message.
bool RecExport::learn(Code code, Bytes frame, Bytes payload) {
  switch (code) {
    case WorldHash::kCode:
      header_.hash.set(as_text(payload.first(std::min<std::size_t>(payload.size(), 33))));
      return true;
    case GameSettings::kCode:
      learn_settings(frame);
      return true;
    case WorldChunk::kCode:
      learn_world(payload);
      return true;
    case Accept::kCode:
      if (!payload.empty()) me_ = payload[0];
      return true;
    default:
      return false;
  }
}

void RecExport::learn_settings(Bytes frame) {
  const Bytes first = frame.first(std::min(frame.size(), header_.settings.size()));
  const Bytes more = frame.subspan(first.size());
  std::copy(first.begin(), first.end(), header_.settings.begin());
  if (more.size() == header_.more_settings.size()) std::copy(more.begin(), more.end(), header_.more_settings.begin());
  has_settings_ = true;
}

void RecExport::learn_world(Bytes payload) {
  if (payload.size() < 4 || world_whole_ || world_.size() > kLargestWorld) return;
  append(world_, payload.subspan(4));
  world_whole_ = (payload[0] | payload[1] | payload[2] | payload[3]) == 0;
}

std::optional<Fault> RecExport::write(Buffer& out) const {
  if (!has_settings_) return Fault{"the server never sent its settings"};
  if (!world_whole_) return Fault{"the client never requested the world: it already had it"};
  if (!joined_ || said_.empty()) return Fault{"the client never joined"};
  RecHeader header = header_;
  header.protocol.set(kDialects[dialect_].version);
  header.callsign.set("SERVER");
  header.application.set("entente");
  RecWriter writer(dialect_, false, header, {}, world_, out);
  RecPacket snapshot;
  snapshot.mode = kRecUpdate;
  snapshot.time = said_.front().head.time;
  writer.add(snapshot, {});
  for (const Said& said : said_) writer.add(said.head, said.payload);
  writer.close(said_.back().head.time - said_.front().head.time);
  return std::nullopt;
}

}  // namespace entente::bzflag
