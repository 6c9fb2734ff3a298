#include "proxy/program/import/packet.h"

#include <pcap/dlt.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "proxy/net/address.h"

namespace entente {
namespace {

constexpr std::uint16_t kIpv4 = 0x0800, kIpv6 = 0x86DD, kVlan = 0x8100, kVlanOuter = 0x88A8, kVlanOld = 0x9100;
constexpr std::uint8_t kTcp = 6, kUdp = 17, kFragment = 44;  // the last: of IPv6
constexpr int kRawLink = 101;                                // LINKTYPE_RAW, as some files carry it in place of DLT_RAW

using PacketKind = ParsedPacket::Kind;

std::uint16_t u16(Bytes bytes, std::size_t at) { return static_cast<std::uint16_t>(bytes[at] << 8U | bytes[at + 1]); }
std::uint32_t u32(Bytes bytes, std::size_t at) { return std::uint32_t{u16(bytes, at)} << 16U | u16(bytes, at + 2); }

Bytes after(Bytes bytes, std::size_t size) { return bytes.subspan(std::min(size, bytes.size())); }

/// What the IP header tells of its payload.
struct Inside {
  PacketKind kind = PacketKind::kBroken;
  std::uint8_t protocol = 0;
  PacketEndpoint from, to;
  Bytes bytes;           // as far as captured
  std::size_t size = 0;  // as sent
};

/// Where the type of what the frame carries stands: from `at` on, behind any VLAN tags; nothing: it ends before.
std::optional<std::size_t> type_at(Bytes frame, std::size_t at) {
  for (; frame.size() >= at + 2; at += 4)
    if (const auto type = u16(frame, at); type != kVlan && type != kVlanOuter && type != kVlanOld) return at;
  return std::nullopt;
}

/// Strips the link layer: the IP packet, or nothing if it is none.
std::optional<Bytes> ip_packet(int link, Bytes frame) {
  switch (link) {
    case DLT_EN10MB: {
      const auto at = type_at(frame, 12);
      if (!at || (u16(frame, *at) != kIpv4 && u16(frame, *at) != kIpv6)) return std::nullopt;
      return frame.subspan(*at + 2);
    }
    case DLT_LINUX_SLL:
      return after(frame, type_at(frame, 14).value_or(14) + 2);
    case DLT_LINUX_SLL2:
      return after(frame, 20);
    case DLT_NULL:
    case DLT_LOOP:
      return after(frame, 4);
    default:
      return frame;
  }
}

void addresses(Bytes ip, std::size_t at, std::size_t size, Inside& out) {
  const auto copy = [&](std::size_t from, PacketEndpoint& endpoint) {
    endpoint.v6 = size == 16;
    std::copy_n(ip.begin() + static_cast<std::ptrdiff_t>(from), size, endpoint.ip.begin());
  };
  copy(at, out.from);
  copy(at + size, out.to);
}

/// `header` bytes of the packet, which is `total` long as sent.
void payload(Bytes ip, std::size_t header, std::size_t total, Inside& out) {
  if (total < header || ip.size() < header) return;
  out.size = total - header;
  out.bytes = ip.subspan(header, std::min(ip.size() - header, out.size));
  out.kind = PacketKind::kPacket;
}

Inside inside_v4(Bytes ip) {
  Inside out;
  if (ip.size() < 20) return out;
  out.protocol = ip[9];
  addresses(ip, 12, 4, out);
  // A total length of 0 is left by network cards that cut large sends themselves.
  const std::size_t total = u16(ip, 2) == 0 ? ip.size() : u16(ip, 2);
  payload(ip, std::size_t{4} * (ip[0] & 15U), total, out);
  if (out.kind == PacketKind::kPacket && (u16(ip, 6) & 0x3FFFU) != 0) out.kind = PacketKind::kFragment;
  return out;
}

/// Length of the IPv6 extension header of type `next` at the start of `bytes` (8 or more); 0 if it is none that can be
/// passed.
std::size_t extension(std::uint8_t next, Bytes bytes) {
  constexpr std::uint8_t kHopByHop = 0, kRouting = 43, kAuthentication = 51, kOptions = 60;
  if (next == kFragment)
    return (u16(bytes, 2) & 0xFFF9U) == 0 ? 8 : 0;  // a whole packet may say that it is the only one
  if (next == kHopByHop || next == kRouting || next == kOptions) return 8 + std::size_t{8} * bytes[1];
  return next == kAuthentication ? 8 + std::size_t{4} * bytes[1] : 0;
}

Inside inside_v6(Bytes ip) {
  Inside out;
  if (ip.size() < 40) return out;
  out.protocol = ip[6];
  addresses(ip, 8, 16, out);
  const std::size_t total = u16(ip, 4) == 0 ? ip.size() : 40U + u16(ip, 4);
  std::size_t header = 40;
  while (ip.size() >= header + 8) {
    const std::size_t size = extension(out.protocol, ip.subspan(header));
    if (size == 0) break;
    out.protocol = ip[header];
    header += size;
  }
  payload(ip, header, total, out);
  if (out.protocol == kFragment) out.kind = PacketKind::kFragment;
  return out;
}

void finish(const Inside& inside, std::size_t header, Packet& packet) {
  packet.from = inside.from;
  packet.to = inside.to;
  packet.from.port = u16(inside.bytes, 0);
  packet.to.port = u16(inside.bytes, 2);
  packet.payload = inside.bytes.subspan(header);
  packet.missing = inside.size - inside.bytes.size();
}

ParsedPacket tcp(const Inside& inside) {
  ParsedPacket out{PacketKind::kBroken, {}};
  if (inside.bytes.size() < 20) return out;
  const std::size_t header = std::size_t{4} * (inside.bytes[12] >> 4U);
  if (header < 20 || header > inside.bytes.size()) return out;
  const std::uint8_t flags = inside.bytes[13];
  Packet& packet = out.packet;
  packet.tcp = true;
  packet.fin = (flags & 1U) != 0;
  packet.syn = (flags & 2U) != 0;
  packet.rst = (flags & 4U) != 0;
  packet.ack = (flags & 16U) != 0;
  packet.sequence = u32(inside.bytes, 4);
  finish(inside, header, packet);
  out.kind = PacketKind::kPacket;
  return out;
}

ParsedPacket udp(Inside inside) {
  ParsedPacket out{PacketKind::kBroken, {}};
  if (inside.bytes.size() < 8) return out;
  const std::size_t size = u16(inside.bytes, 4);
  if (size >= 8 && size < inside.size) {
    inside.size = size;
    inside.bytes = inside.bytes.first(std::min(size, inside.bytes.size()));
  }
  finish(inside, 8, out.packet);
  out.kind = PacketKind::kPacket;
  return out;
}

}  // namespace

std::string text(const PacketEndpoint& endpoint) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  std::copy_n(endpoint.ip.begin(), 16, six.sin6_addr.s6_addr);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  std::memcpy(&four.sin_addr, endpoint.ip.data(), 4);
  const auto* raw = endpoint.v6 ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  return net::Address::from(raw).with_port(endpoint.port).text();
}

bool known_link(int link) {
  constexpr int kKnown[] = {DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_NULL, DLT_LOOP,
                            DLT_RAW,    kRawLink,      DLT_IPV4,       DLT_IPV6};
  return std::find(std::begin(kKnown), std::end(kKnown), link) != std::end(kKnown);
}

ParsedPacket parse_packet(int link, Bytes captured) {
  const auto ip = ip_packet(link, captured);
  if (!ip) return {PacketKind::kOther, {}};
  if (ip->empty()) return {PacketKind::kBroken, {}};
  const unsigned version = (*ip)[0] >> 4U;
  if (version != 4 && version != 6) return {PacketKind::kOther, {}};
  const Inside inside = version == 4 ? inside_v4(*ip) : inside_v6(*ip);
  if (inside.kind != PacketKind::kPacket) return {inside.kind, {}};
  if (inside.protocol == kTcp) return tcp(inside);
  return inside.protocol == kUdp ? udp(inside) : ParsedPacket{PacketKind::kOther, {}};
}

}  // namespace entente
