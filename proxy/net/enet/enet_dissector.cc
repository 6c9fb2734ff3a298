#include "proxy/net/enet/enet_dissector.h"

#include <enet/enet.h>

#include <algorithm>
#include <utility>

namespace entente::net {
namespace {

constexpr const char* kTooFar = "a packet too far ahead";
constexpr const char* kGivenUp = "a reliable packet that was given up";

/// Whether ENet takes this reliable number, if `current` was the last one in order: it discards one that is seven
/// windows ahead or more.
bool takes(std::uint16_t number, std::uint16_t current) {
  constexpr int kNumbers = 0x1000, kWindows = 16, kMostAhead = 7;
  const int here = current / kNumbers, there = number / kNumbers + (number < current ? kWindows : 0);
  return there >= here && there < here + kMostAhead;
}

}  // namespace

bool EnetDissector::datagram(wire::Way way, Bytes bytes, EnetHeard& to) {
  const auto opened = unpacker_.open(bytes);
  if (opened) return commands(way, *opened, to);
  to.fault(way, opened.error(), bytes);
  return false;
}

/// As ENet, reads nothing after a connect within a connection.
bool EnetDissector::commands(wire::Way way, const EnetUnpacker::Opened& opened, EnetHeard& to) {
  const Bytes body = opened.commands;
  const bool may_connect = way == wire::Way::kToServer && opened.header.peer() == EnetHeader::kNobody;
  EnetFields in(body);
  bool had_packet = false;
  while (!in.left().empty()) {
    const Bytes at = in.left();
    const std::size_t offset = body.size() - at.size();
    EnetCommand command;
    if (!command.read(in)) {
      to.fault(way, {"not an ENet command", kCommand, offset}, at);
      break;
    }
    if (command.kind == EnetCommand::kConnect && (!may_connect || offset != 0)) {
      to.fault(way, {"a connect within a connection", kCommand, offset}, at);
      break;
    }
    if (const char* what = act(way, command, to))
      to.fault(way, {what, kCommand, offset}, at.first(at.size() - in.left().size()));
    else if (command.delivery() || !command.payload.empty())
      had_packet = true;
  }
  return had_packet;
}

/// Null, or what is wrong with the command.
const char* EnetDissector::act(wire::Way way, const EnetCommand& command, EnetHeard& to) {
  switch (command.kind) {
    case ENET_PROTOCOL_COMMAND_CONNECT:
      return connect(command, to), nullptr;
    case ENET_PROTOCOL_COMMAND_DISCONNECT:
      to.disconnect(way, command.data);
      return nullptr;
    case ENET_PROTOCOL_COMMAND_SEND_RELIABLE:
    case ENET_PROTOCOL_COMMAND_SEND_FRAGMENT:
      return reliable(way, command, to);
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE:
      if (is_too_far(side(way).channels[command.channel], command)) return kTooFar;
      if (side(way).channels[command.channel].newest.follows(command))
        to.packet(way, command.channel, EnetDelivery::kUnreliable, command.payload);
      return nullptr;
    case ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED:
      if (side(way).unsequenced.is_new(command.start))
        to.packet(way, command.channel, EnetDelivery::kUnsequenced, command.payload);
      return nullptr;
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE_FRAGMENT:
      return fragment(way, command, to);
    default:
      return nullptr;  // acknowledgements, pings and the like carry no game data
  }
}

/// A connect that was lost, or not answered in time, is sent again.
void EnetDissector::connect(const EnetCommand& command, EnetHeard& to) {
  if (connect_ == command.connect_id) return;
  connect_ = command.connect_id;
  sides_ = {};
  from_start_ = true;
  to.connect(command.data);
}

const char* EnetDissector::reliable(wire::Way way, const EnetCommand& command, EnetHeard& to) {
  Side& mine = side(way);
  Channel& channel = mine.channels[command.channel];
  const bool whole = command.kind == ENET_PROTOCOL_COMMAND_SEND_RELIABLE;
  const std::uint16_t first = whole ? command.sequence : command.start;
  // Unwrapped numbers start high enough that one may lie before the first that was seen.
  constexpr std::uint64_t kFar = 1U << 20U;
  if (channel.next == 0) channel.next = kFar + (from_start_ ? 1U : first);
  const auto next = static_cast<std::uint16_t>(channel.next);
  const auto ahead = static_cast<std::int16_t>(first - next);
  if (ahead < 0) return channel.has_given_up(first) ? kGivenUp : nullptr;  // sent again
  if (!takes(first, static_cast<std::uint16_t>(next - 1))) return kTooFar;
  const std::uint64_t at = channel.next + static_cast<std::uint64_t>(ahead);
  const auto came = [&] {
    const auto held = channel.reliable.find(at);
    return held == channel.reliable.end() ? 0 : held->second.came.size();
  };
  const std::size_t before = came();
  const char* what = fill(mine, command, channel.reliable, at);
  channel.held += came() - before;
  std::size_t later = channel.held;  // than what is missing
  if (const auto oldest = channel.reliable.begin(); oldest != channel.reliable.end() && oldest->first == channel.next)
    later -= oldest->second.came.size();
  const bool given_up = later > kWindow;
  if (given_up) to.fault(way, {"reliable packets are missing", "", 0}, {});
  deliver(way, command.channel, channel, to, given_up);
  return what;
}

/// Of an unreliable packet: ENet keeps it until its reliable number has come, and goes on with others.
bool EnetDissector::is_too_far(const Channel& channel, const EnetCommand& command) const {
  if (channel.next == 0 && !from_start_) return false;
  const auto current = static_cast<std::uint16_t>(channel.next == 0 ? 0 : channel.next - 1);
  return static_cast<std::int16_t>(command.sequence - current) > static_cast<int>(kWindow);
}

/// Sequenced packets that are late are dropped, as their receiver does; unreliable numbers begin again after each
/// reliable packet.
bool EnetDissector::Newest::precedes(const EnetCommand& command) const {
  const auto after = static_cast<std::int16_t>(command.sequence - reliable);
  return !seen || after > 0 || (after == 0 && static_cast<std::int16_t>(command.start - unreliable) > 0);
}

bool EnetDissector::Newest::follows(const EnetCommand& command) {
  if (!precedes(command)) return false;
  *this = {true, command.sequence, command.start};
  return true;
}

/// False if the number came before and is still remembered.
bool EnetDissector::Recent::is_new(std::uint16_t number) {
  if (!std::exchange(any, true)) latest = number;
  const auto ahead = static_cast<std::int16_t>(number - latest);
  if (ahead > 0) {
    seen = ahead < kWide ? seen << static_cast<unsigned>(ahead) : 0;
    latest = number;
  }
  const int behind = ahead > 0 ? 0 : -ahead;
  if (behind >= kWide) return true;
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(behind);
  const bool fresh = (seen & bit) == 0;
  seen |= bit;
  return fresh;
}

/// Fragments that overlap leave gaps, which are zero.
Buffer EnetDissector::Pieces::packet() const {
  Buffer bytes(total);
  for (const auto& [number, fragment] : came)
    std::copy(fragment.bytes.begin(), fragment.bytes.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(fragment.offset));
  return bytes;
}

void EnetDissector::drop(Side& side, Held& held, Held::iterator at) {
  side.kept -= at->second.kept();
  held.erase(at);
}

const char* EnetDissector::fragment(wire::Way way, const EnetCommand& command, EnetHeard& to) {
  Side& mine = side(way);
  Channel& channel = mine.channels[command.channel];
  if (is_too_far(channel, command)) return kTooFar;
  if (!channel.newest.precedes(command)) return nullptr;
  Held& held = channel.unreliable;
  const std::uint64_t at = std::uint64_t{command.sequence} << 16U | command.start;
  const char* what = fill(mine, command, held, at);
  const auto found = held.find(at);
  if (found != held.end() && found->second.whole()) {
    (void)channel.newest.follows(command);
    to.packet(way, command.channel, EnetDelivery::kUnreliable, found->second.packet());
    drop(mine, held, found);
  }
  constexpr std::size_t kUnderWay = 32;  // a lost fragment leaves its packet unfinished for ever
  if (held.size() > kUnderWay) {
    to.fault(way, {"an unreliable packet is incomplete", "", 0}, {});
    drop(mine, held, held.begin());
  }
  return what;
}

/// Goes on to the number `to`, unless it is there already: packets of a hostile peer may overlap. `came`: the numbers
/// before it have come, and are not given up.
void EnetDissector::Channel::pass(std::uint64_t to, bool came) {
  if (to <= next) return;
  if (!came && !given_up) given_up = std::make_unique<std::bitset<kBehind>>();
  if (given_up)
    for (std::uint64_t number = std::max(next, to - std::min(to, kBehind)); number < to; ++number)
      given_up->set(number % kBehind, !came);
  next = to;
}

/// Puts a packet, or a fragment of one, where it belongs.
const char* EnetDissector::fill(Side& mine, const EnetCommand& command, Held& held, std::uint64_t at) {
  const bool whole = command.kind == ENET_PROTOCOL_COMMAND_SEND_RELIABLE;
  const std::size_t total = whole ? command.payload.size() : command.total;
  const bool large = !whole && total > largest_packet_;
  if (large || command.count > total + 1 || command.count == 0) return "packet too large";
  auto found = held.find(at);
  if (found == held.end()) {
    if (mine.kept + kBookkeeping > budget()) return "too many packets under way";
    found = held.emplace(at, Pieces{total, command.count, {}}).first;
    mine.kept += kBookkeeping;
  }
  Pieces& pieces = found->second;
  if (pieces.total != total || pieces.count != command.count || command.number >= command.count ||
      command.offset > total || command.payload.size() > total - command.offset)
    return "fragment does not fit its packet";
  if (pieces.came.contains(command.number)) return nullptr;
  if (pieces.came.size() + 1 == pieces.count && pieces.filled + command.payload.size() != total)
    return "fragments do not add up to their packet";
  if (mine.kept + command.payload.size() + kBookkeeping > budget()) return "too many packets under way";
  pieces.came.emplace(command.number, Fragment{command.offset, {command.payload.begin(), command.payload.end()}});
  pieces.filled += command.payload.size();
  mine.kept += command.payload.size() + kBookkeeping;
  return nullptr;
}

void EnetDissector::deliver(wire::Way way, std::uint8_t id, Channel& channel, EnetHeard& to, bool over_gaps) {
  while (!channel.reliable.empty()) {
    const auto first = channel.reliable.begin();
    if (first->first != channel.next && !over_gaps) return;
    if (!first->second.whole() && !over_gaps) return;
    channel.pass(first->first, false);
    channel.pass(first->first + first->second.count, first->second.whole());
    release_first(way, id, channel, to);
  }
}

void EnetDissector::release_first(wire::Way way, std::uint8_t id, Channel& channel, EnetHeard& to) {
  const auto first = channel.reliable.begin();
  channel.held -= first->second.came.size();
  if (first->second.whole()) to.packet(way, id, EnetDelivery::kReliable, first->second.packet());
  drop(side(way), channel.reliable, first);
}

void EnetDissector::lost(EnetHeard& to) {
  end(to);
  for (Side& one : sides_) {
    one.unsequenced = {};
    for (auto& [id, channel] : one.channels) {
      channel.next = 0;
      channel.given_up.reset();
      channel.newest = {};
    }
  }
  from_start_ = false;
}

void EnetDissector::end(EnetHeard& to) {
  for (const auto way : {wire::Way::kToServer, wire::Way::kToClient})
    for (auto& [id, channel] : side(way).channels)
      while (!channel.reliable.empty()) release_first(way, id, channel, to);
}

}  // namespace entente::net
