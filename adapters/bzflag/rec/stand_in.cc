#include "adapters/bzflag/rec/stand_in.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "adapters/bzflag/rec/rec.h"
#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/dialect.h"
#include "adapters/bzflag/wire/wire.h"

namespace entente::bzflag {
namespace {

constexpr std::size_t kEnvelope = 4;

constexpr std::string_view kName = "recording";

/// The code of a message from the server; nothing for other frames.
std::optional<Code> frame_code(const wire::Frame& frame) {
  if (frame.way != wire::Way::kToClient || frame.stage != wire::Stage::kPlay || frame.bytes.size() < kEnvelope)
    return {};
  return static_cast<Code>(frame.bytes[2] << 8U | frame.bytes[3]);
}

bool ends_world(const wire::Frame& frame) {
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  return frame_code(frame) == WorldChunk::kCode && frame.bytes.size() >= kEnvelope + 4 &&
         std::all_of(frame.bytes.begin() + kEnvelope, frame.bytes.begin() + kEnvelope + 4, is_zero);
}

}  // namespace

StandIn::StandIn(std::size_t dialect) : dialect_(dialect), codec_(make_message_codec(dialect)) {}

StandIn::Line StandIn::line(wire::Way way, const Message& message, wire::Stage stage) const {
  Line line{way, stage, {}};
  codec_->write(message, way, line.bytes);
  return line;
}

std::vector<StandIn::Line> StandIn::before(const wire::Frame& frame) {
  std::vector<Line> lines;
  if (stage_ == Stage::kNothing) {
    const bool welcome = frame.way == wire::Way::kToClient && frame.bytes.size() == kWelcomeSize &&
                         as_text(frame.bytes).starts_with(kMagicWord);
    stage_ = welcome ? Stage::kWelcomed : Stage::kDone;
    if (welcome) number_ = frame.bytes.back();
  } else if (stage_ == Stage::kWelcomed) {
    // A server sends its settings only on request. If no client has requested them, this is a .rec.
    stage_ = frame_code(frame) == GameSettings::kCode ? Stage::kJoins : Stage::kDone;
    if (stage_ != Stage::kJoins) return lines;
    if (kDialects[dialect_].header != Header::kNever)
      lines.push_back(line(wire::Way::kToServer, ClientHeader{}, wire::Stage::kGreeting));
    lines.push_back(line(wire::Way::kToClient, NegotiateFlags{}));
  } else if (const auto code = frame_code(frame); stage_ == Stage::kHearsState && code && !is_state(*code)) {
    // The snapshot has ended. A server sends a joining client's own player last.
    stage_ = Stage::kDone;
    AddPlayer self;
    self.id = player_id(number_);
    self.type = kTankPlayer;
    self.team = kObserverTeam;
    self.callsign.set(kName);
    lines.push_back(line(wire::Way::kToClient, self));
  }
  return lines;
}

std::vector<StandIn::Line> StandIn::after(const wire::Frame& frame) {
  std::vector<Line> lines;
  if (stage_ != Stage::kJoins || !ends_world(frame)) return lines;
  stage_ = Stage::kHearsState;
  Enter enter;
  enter.type = kTankPlayer;
  enter.team = kObserverTeam;
  enter.callsign.set(kName);
  enter.end = 0;
  lines.push_back(line(wire::Way::kToServer, enter));
  lines.push_back(line(wire::Way::kToClient, Accept{player_id(number_)}));
  return lines;
}

}  // namespace entente::bzflag
