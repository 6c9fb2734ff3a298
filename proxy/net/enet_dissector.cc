#include "proxy/net/enet_dissector.h"

#include <enet/enet.h>

namespace entente::net {
namespace {

constexpr std::uint16_t kSentTime = 0x8000, kCompressed = 0x4000;
constexpr std::size_t kLargestDatagram = 4096;  // ENet's largest MTU: what a datagram may expand to

/// A cursor over big-endian fields that says once it ran out.
class Fields {
 public:
  explicit Fields(Bytes in) : in_(in) {}
  std::uint32_t take(std::size_t bytes) {
    if (in_.size() < bytes) {
      short_ = true;
      return 0;
    }
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8U | in_[i];
    in_ = in_.subspan(bytes);
    return value;
  }
  Bytes run(std::size_t bytes) {
    if (in_.size() < bytes) {
      short_ = true;
      return {};
    }
    const Bytes run = in_.first(bytes);
    in_ = in_.subspan(bytes);
    return run;
  }
  bool ran_out() const { return short_; }
  Bytes left() const { return in_; }

 private:
  Bytes in_;
  bool short_ = false;
};

}  // namespace

struct EnetDissector::Command {
  std::uint8_t kind = 0;
  std::uint8_t channel = 0;
  std::uint16_t sequence = 0;
  std::uint32_t data = 0;  // of a connect or disconnect
  Bytes payload;
  // Of a fragment:
  std::uint16_t start = 0;
  std::uint32_t count = 1, number = 0, total = 0, offset = 0;

  /// Reads one command; false if it is cut short or of no known kind.
  bool read(Fields& in) {
    kind = static_cast<std::uint8_t>(in.take(1) & ENET_PROTOCOL_COMMAND_MASK);
    channel = static_cast<std::uint8_t>(in.take(1));
    sequence = static_cast<std::uint16_t>(in.take(2));
    switch (kind) {
      case ENET_PROTOCOL_COMMAND_ACKNOWLEDGE:
        in.run(4);
        break;
      case ENET_PROTOCOL_COMMAND_CONNECT:
        in.run(40), data = in.take(4);
        break;
      case ENET_PROTOCOL_COMMAND_VERIFY_CONNECT:
        in.run(40);
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

  void read_fragment(Fields& in) {
    start = static_cast<std::uint16_t>(in.take(2));
    const std::size_t size = in.take(2);
    count = in.take(4);
    number = in.take(4);
    total = in.take(4);
    offset = in.take(4);
    payload = in.run(size);
  }
};

EnetDissector::EnetDissector() : range_coder_(enet_range_coder_create()) {}
EnetDissector::~EnetDissector() { enet_range_coder_destroy(range_coder_); }

void EnetDissector::datagram(wire::Way way, Bytes bytes, EnetHeard& to) {
  Fields in(bytes);
  const auto flags = static_cast<std::uint16_t>(in.take(2));
  if ((flags & kSentTime) != 0) in.take(2);
  if (in.ran_out()) return to.fault(way, {"datagram too short", "header", 0}, bytes);
  const Bytes body = expand(flags, in.left());
  if (body.empty()) return to.fault(way, {"no commands", "", bytes.size()}, bytes);
  commands(way, body, to);
}

/// The body, through the range coder if the header says so; empty if that fails.
Bytes EnetDissector::expand(std::uint16_t flags, Bytes body) {
  if ((flags & kCompressed) == 0) return body;
  expanded_.resize(kLargestDatagram);
  const std::size_t size =
      enet_range_coder_decompress(range_coder_, body.data(), body.size(), expanded_.data(), expanded_.size());
  return Bytes(expanded_).first(size);
}

void EnetDissector::commands(wire::Way way, Bytes body, EnetHeard& to) {
  Fields in(body);
  while (!in.left().empty()) {
    const Bytes at = in.left();
    const std::size_t offset = body.size() - at.size();
    Command command;
    if (!command.read(in)) return to.fault(way, {"not an ENet command", "command", offset}, at);
    if (const char* what = act(way, command, to)) to.fault(way, {what, "command", offset}, at);
  }
}

/// Null, or what is wrong with the command.
const char* EnetDissector::act(wire::Way way, const Command& command, EnetHeard& to) {
  switch (command.kind) {
    case ENET_PROTOCOL_COMMAND_CONNECT:
      sides_ = {};
      from_start_ = true;
      to.connect(command.data);
      return nullptr;
    case ENET_PROTOCOL_COMMAND_DISCONNECT:
      to.disconnect(way, command.data);
      return nullptr;
    case ENET_PROTOCOL_COMMAND_SEND_RELIABLE:
    case ENET_PROTOCOL_COMMAND_SEND_FRAGMENT:
      return reliable(way, command, to);
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE:
      to.packet(way, command.channel, EnetSend::kUnreliable, command.payload);
      return nullptr;
    case ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED:
      to.packet(way, command.channel, EnetSend::kUnsequenced, command.payload);
      return nullptr;
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE_FRAGMENT:
      return unreliable(way, command, to);
    default:
      return nullptr;  // acknowledgements, pings and the like carry nothing of the game's
  }
}

const char* EnetDissector::reliable(wire::Way way, const Command& command, EnetHeard& to) {
  Side& mine = side(way);
  Channel& channel = mine.channels[command.channel];
  const bool whole = command.kind == ENET_PROTOCOL_COMMAND_SEND_RELIABLE;
  const std::uint16_t first = whole ? command.sequence : command.start;
  // Unwrapped numbers start high enough that one may lie before the first that was seen.
  constexpr std::uint64_t kFar = 1U << 20U;
  if (channel.next == 0) channel.next = kFar + (from_start_ ? 1U : first);
  const auto ahead = static_cast<std::int16_t>(first - static_cast<std::uint16_t>(channel.next));
  if (ahead < 0) return nullptr;  // sent again
  const std::uint64_t at = channel.next + static_cast<std::uint64_t>(ahead);
  const char* what = fill(mine, command, channel.reliable, at);
  const bool too_far = !channel.reliable.empty() && channel.reliable.rbegin()->first - channel.next > kWindow;
  deliver(way, command.channel, channel, to, too_far);
  return what ? what : too_far ? "reliable packets are missing" : nullptr;
}

const char* EnetDissector::unreliable(wire::Way way, const Command& command, EnetHeard& to) {
  Side& mine = side(way);
  Held& held = mine.channels[command.channel].unreliable;
  const char* what = fill(mine, command, held, command.start);
  const auto found = held.find(command.start);
  if (found != held.end() && found->second.missing == 0) {
    to.packet(way, command.channel, EnetSend::kUnreliable, found->second.bytes);
    mine.kept -= found->second.bytes.size();
    held.erase(found);
  }
  constexpr std::size_t kUnderWay = 32;  // a lost fragment leaves its packet unfinished for ever
  if (held.size() > kUnderWay) {
    mine.kept -= held.begin()->second.bytes.size();
    held.erase(held.begin());
  }
  return what;
}

/// Puts a packet, or a fragment of one, where it belongs.
const char* EnetDissector::fill(Side& mine, const Command& command, Held& held, std::uint64_t at) {
  const bool whole = command.kind == ENET_PROTOCOL_COMMAND_SEND_RELIABLE;
  const std::size_t total = whole ? command.payload.size() : command.total;
  if (total > kLargestPacket || command.count > total + 1 || command.count == 0) return "packet too large";
  auto found = held.find(at);
  if (found == held.end()) {
    if (mine.kept + total > kBudget) return "too many packets under way";
    mine.kept += total;
    found = held.emplace(at, Pieces{Buffer(total), std::vector<bool>(command.count), command.count}).first;
  }
  Pieces& pieces = found->second;
  if (pieces.bytes.size() != total || pieces.have.size() != command.count || command.number >= command.count ||
      command.offset > total || command.payload.size() > total - command.offset)
    return "fragment does not fit its packet";
  if (pieces.have[command.number]) return nullptr;
  pieces.have[command.number] = true;
  --pieces.missing;
  std::copy(command.payload.begin(), command.payload.end(),
            pieces.bytes.begin() + static_cast<std::ptrdiff_t>(command.offset));
  return nullptr;
}

void EnetDissector::deliver(wire::Way way, std::uint8_t id, Channel& channel, EnetHeard& to, bool over_gaps) {
  while (!channel.reliable.empty()) {
    const auto first = channel.reliable.begin();
    if (first->first != channel.next && !over_gaps) return;
    if (first->second.missing > 0 && !over_gaps) return;
    channel.next = first->first + first->second.sequences();
    if (first->second.missing == 0) to.packet(way, id, EnetSend::kReliable, first->second.bytes);
    side(way).kept -= first->second.bytes.size();
    channel.reliable.erase(first);
  }
}

void EnetDissector::end(EnetHeard& to) {
  for (const auto way : {wire::Way::kToServer, wire::Way::kToClient})
    for (auto& [id, channel] : side(way).channels) deliver(way, id, channel, to, true);
}

}  // namespace entente::net
