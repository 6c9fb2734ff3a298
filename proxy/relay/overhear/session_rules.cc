#include "proxy/relay/overhear/session_rules.h"

#include <utility>

#include "proxy/net/web/websocket.h"

namespace entente::relay {

using wire::Lane;
using wire::Way;

SessionRules::SessionRules(net::Loop& loop, User& user, const RelayRules& rules, const LinkInfo& info,
                           std::size_t most_early)
    : loop_(loop),
      user_(user),
      rules_(rules),
      info_(info),
      most_early_(most_early),
      epoch_(loop.nanos()),
      alarm_(loop, static_cast<net::Alarm::User&>(*this)) {
  if (info.client.port() != 0) alarm_.set_party(loop.client_party(info.client));
}

bool SessionRules::lets(LabLine::Of of, Way way, Bytes unit, std::uint32_t tag, wire::Stage stage) {
  const bool is_control = of == LabLine::Of::kMessages && tag > static_cast<std::uint32_t>(net::Opcode::kBinary);
  if (over_ || is_control || (inserting_ && way == Way::kToClient)) return true;
  if (of == LabLine::Of::kStream && tag == 0) {  // no whole frames
    if (room_)
      room_->lose(way == Way::kToServer ? "the client sent a part of a message"
                                        : "the server sent a part of a message");
    return true;
  }
  if (!room_ && !open_room(of, way, unit)) return true;
  lets_ = true;
  hear(of, way, unit, tag, stage);
  const bool lets = lets_;
  set_alarm();
  const bool may_be_forged = of == LabLine::Of::kDatagrams;
  if (way == Way::kToClient || may_be_forged || !room_->client_is_wrong() || std::exchange(told_wrong_, true))
    return lets;
  user_.client_is_wrong();
  return false;
}

/// False: there is none yet, or never.
bool SessionRules::open_room(LabLine::Of of, Way way, Bytes unit) {
  if (tried_) return false;
  const bool may_name = of == LabLine::Of::kMessages;
  if (may_name && way == Way::kToClient && early_bytes_ + unit.size() <= most_early_) {
    early_bytes_ += sizeof(Buffer) + unit.size();
    early_.emplace_back(unit.begin(), unit.end());
    return false;
  }
  tried_ = true;
  const auto named = may_name && way == Way::kToServer ? info_.game->named_by_client(unit) : std::nullopt;
  const std::size_t dialect = named.value_or(info_.dialect);
  room_ = OverheardRoom::make(rules_, info_, dialect);
  if (!room_) return false;
  dissector_ = std::make_unique<wire::Dissector>(*info_.game, dialect);
  for (const Buffer& one : std::exchange(early_, {})) dissector_->stream(Way::kToClient, one, *this);
  return true;
}

void SessionRules::hear(LabLine::Of of, Way way, Bytes unit, std::uint32_t tag, wire::Stage stage) {
  if (of == LabLine::Of::kStream) return frame({way, Lane::kStream, stage, unit});
  const bool in_stream =
      of == LabLine::Of::kMessages || (of == LabLine::Of::kPackets && lab_carriage(tag).lane() == Lane::kStream);
  in_stream ? dissector_->stream(way, unit, *this) : dissector_->datagram(way, unit, *this);
}

void SessionRules::end() {
  if (std::exchange(over_, true) || !room_) return;
  room_->end(micros());
  alarm_.clear();
}

void SessionRules::rang() {
  if (over_ || !room_) return;
  room_->tick(micros());
  set_alarm();
}

void SessionRules::set_alarm() {
  const core::Micros wake = room_->wakes_at();
  wake == UINT64_MAX ? alarm_.clear() : alarm_.set(epoch_ + wake * 1000);
}

}  // namespace entente::relay
