#include "proxy/net/enet/enet_wire.h"

#include <enet/enet.h>

namespace entente::net {
namespace {

constexpr std::uint16_t kSentTime = 0x8000, kCompressed = 0x4000;
static_assert(EnetCommand::kAcknowledge == ENET_PROTOCOL_COMMAND_ACKNOWLEDGE &&
              EnetCommand::kConnect == ENET_PROTOCOL_COMMAND_CONNECT &&
              EnetCommand::kVerifyConnect == ENET_PROTOCOL_COMMAND_VERIFY_CONNECT &&
              EnetCommand::kDisconnect == ENET_PROTOCOL_COMMAND_DISCONNECT);

constexpr std::uint8_t kBeside = 0xFF;  // the channel of what is not a packet

}  // namespace

std::uint32_t EnetFields::take(std::size_t bytes) {
  if (in_.size() < bytes) {
    short_ = true;
    return 0;
  }
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8U | in_[i];
  in_ = in_.subspan(bytes);
  return value;
}

Bytes EnetFields::run(std::size_t bytes) {
  if (in_.size() < bytes) {
    short_ = true;
    return {};
  }
  const Bytes run = in_.first(bytes);
  in_ = in_.subspan(bytes);
  return run;
}

bool EnetCommand::read(EnetFields& in) {
  kind = static_cast<std::uint8_t>(in.take(1) & ENET_PROTOCOL_COMMAND_MASK);
  channel = static_cast<std::uint8_t>(in.take(1));
  sequence = static_cast<std::uint16_t>(in.take(2));
  switch (kind) {
    case ENET_PROTOCOL_COMMAND_ACKNOWLEDGE:
      acknowledged = static_cast<std::uint16_t>(in.take(2));
      acknowledged_time = static_cast<std::uint16_t>(in.take(2));
      break;
    case ENET_PROTOCOL_COMMAND_CONNECT:
      read_connect(in);
      data = in.take(4);
      break;
    case ENET_PROTOCOL_COMMAND_VERIFY_CONNECT:
      read_connect(in);
      break;
    case ENET_PROTOCOL_COMMAND_DISCONNECT:
      data = in.take(4);
      break;
    case ENET_PROTOCOL_COMMAND_PING:
      break;
    case ENET_PROTOCOL_COMMAND_SEND_RELIABLE:
      payload = in.run(in.take(2));
      break;
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE:
    case ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED:
      start = static_cast<std::uint16_t>(in.take(2));
      payload = in.run(in.take(2));
      break;
    case ENET_PROTOCOL_COMMAND_SEND_FRAGMENT:
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE_FRAGMENT:
      read_fragment(in);
      break;
    case ENET_PROTOCOL_COMMAND_BANDWIDTH_LIMIT:
      in.run(8);
      break;
    case ENET_PROTOCOL_COMMAND_THROTTLE_CONFIGURE:
      in.run(12);
      break;
    default:
      return false;
  }
  return !in.ran_out();
}

std::optional<wire::EnetDelivery> EnetCommand::delivery() const {
  switch (kind) {
    case ENET_PROTOCOL_COMMAND_SEND_RELIABLE:
      return wire::EnetDelivery::kReliable;
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE:
      return wire::EnetDelivery::kUnreliable;
    case ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED:
      return wire::EnetDelivery::kUnsequenced;
    default:
      return std::nullopt;
  }
}

void EnetCommand::read_connect(EnetFields& in) {
  peer = static_cast<std::uint16_t>(in.take(2));
  incoming_session = static_cast<std::uint8_t>(in.take(1));
  session = static_cast<std::uint8_t>(in.take(1));
  mtu = in.take(4);
  in.run(4);  // window
  channels = in.take(4);
  in.run(20);  // bandwidths and throttle
  connect_id = in.take(4);
}

void EnetCommand::read_fragment(EnetFields& in) {
  start = static_cast<std::uint16_t>(in.take(2));
  const std::size_t size = in.take(2);
  count = in.take(4);
  number = in.take(4);
  total = in.take(4);
  offset = in.take(4);
  payload = in.run(size);
}

EnetUnpacker::EnetUnpacker() : range_coder_(enet_range_coder_create()), expanded_(ENET_PROTOCOL_MAXIMUM_MTU) {}
EnetUnpacker::~EnetUnpacker() { enet_range_coder_destroy(range_coder_); }

Result<EnetUnpacker::Opened> EnetUnpacker::open(Bytes datagram) {
  const auto header = enet_header(datagram);
  if (!header) return Fault{"datagram too short", "header", 0};
  Opened opened{*header, datagram.subspan(header->sent_time ? 4 : 2)};
  if (header->compressed) {
    const std::size_t size = enet_range_coder_decompress(range_coder_, opened.commands.data(), opened.commands.size(),
                                                         expanded_.data(), expanded_.size());
    opened.commands = Bytes(expanded_).first(size);
  }
  if (opened.commands.empty()) return Fault{"no commands", "", datagram.size()};
  return opened;
}

std::optional<EnetHeader> enet_header(Bytes datagram) {
  EnetFields in(datagram);
  const auto first = static_cast<std::uint16_t>(in.take(2));
  EnetHeader header{static_cast<std::uint16_t>(first & 0x3FFF), (first & kCompressed) != 0, {}};
  if ((first & kSentTime) != 0) header.sent_time = static_cast<std::uint16_t>(in.take(2));
  if (in.ran_out()) return std::nullopt;
  return header;
}

std::optional<EnetCommand> enet_connect(Bytes datagram, EnetUnpacker& unpacker) {
  const auto header = enet_header(datagram);
  if (!header || header->peer() != EnetHeader::kNobody || !header->sent_time) return std::nullopt;
  const auto asked = enet_command(datagram, ENET_PROTOCOL_COMMAND_CONNECT, unpacker);
  if (!asked || asked->channel != kBeside || asked->peer >= ENET_PROTOCOL_MAXIMUM_PEER_ID) return std::nullopt;
  if (asked->mtu < ENET_PROTOCOL_MINIMUM_MTU || asked->mtu > ENET_PROTOCOL_MAXIMUM_MTU) return std::nullopt;
  if (asked->channels == 0 || asked->channels > ENET_PROTOCOL_MAXIMUM_CHANNEL_COUNT) return std::nullopt;
  return asked;
}

std::optional<EnetCommand> enet_command(Bytes datagram, std::uint8_t kind, EnetUnpacker& unpacker) {
  const auto opened = unpacker.open(datagram);
  if (!opened) return std::nullopt;
  EnetCommand command;
  for (EnetFields in(opened->commands); !in.left().empty() && command.read(in); command = {})
    if (command.kind == kind) return command;
  return std::nullopt;
}

std::array<std::uint8_t, 10> enet_disconnect(std::uint16_t to, std::uint32_t data) {
  constexpr unsigned kKind = EnetCommand::kDisconnect, kUnsequenced = ENET_PROTOCOL_COMMAND_FLAG_UNSEQUENCED;
  const auto byte = [](std::uint32_t value, std::size_t shift) { return static_cast<std::uint8_t>(value >> shift); };
  std::array<std::uint8_t, 10> all{byte(to, 8), byte(to, 0), byte(kKind | kUnsequenced, 0), kBeside};
  for (std::size_t i = 0; i < 4; ++i) all[6 + i] = byte(data, 24 - 8 * i);
  return all;
}

}  // namespace entente::net
