// Packets and captures for tests. Only the header fields that the importers read are set.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "proxy/base/bytes.h"
#include "tests/support/hex.h"

namespace entente {

inline void put16(Buffer& out, std::size_t value) {
  out.push_back(static_cast<std::uint8_t>(value >> 8U));
  out.push_back(static_cast<std::uint8_t>(value));
}
inline void put32(Buffer& out, std::size_t value) {
  put16(out, value >> 16U);
  put16(out, value);
}
inline Buffer joined(std::initializer_list<Bytes> parts) {
  Buffer out;
  for (const Bytes part : parts) append(out, part);
  return out;
}

/// Little endian, as in these pcap files.
inline void put32le(Buffer& out, std::size_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

enum Flag : std::uint8_t { kFin = 1, kSyn = 2, kRst = 4, kAck = 16 };

struct Ports {
  std::uint16_t from, to;
};

inline Buffer tcp(Ports ports, std::uint32_t sequence, unsigned flags, std::string_view payload_hex = "") {
  Buffer out;
  put16(out, ports.from);
  put16(out, ports.to);
  put32(out, sequence);
  put32(out, 0);
  out.push_back(5U << 4U);
  out.push_back(static_cast<std::uint8_t>(flags));
  out.resize(20);
  append(out, from_hex(payload_hex));
  return out;
}

inline Buffer udp(Ports ports, std::string_view payload_hex) {
  const Buffer payload = from_hex(payload_hex);
  Buffer out;
  put16(out, ports.from);
  put16(out, ports.to);
  put16(out, 8 + payload.size());
  put16(out, 0);
  append(out, payload);
  return out;
}

inline constexpr std::uint8_t kTcpProtocol = 6, kUdpProtocol = 17;

/// From 10.0.0.1 to 10.0.0.2, or back.
inline Buffer ipv4(std::uint8_t protocol, Bytes payload, std::uint16_t fragment = 0, bool back = false) {
  Buffer out = from_hex("4500");
  put16(out, 20 + payload.size());
  put16(out, 0);
  put16(out, fragment);
  out.push_back(64);
  out.push_back(protocol);
  append(out, from_hex(back ? "0000 0a000002 0a000001" : "0000 0a000001 0a000002"));
  append(out, payload);
  return out;
}

/// A TCP packet from a client's port 1000 to its server's port 80, or back.
inline Buffer up(std::uint32_t sequence, unsigned flags, std::string_view hex = "") {
  return ipv4(kTcpProtocol, tcp({1000, 80}, sequence, flags, hex));
}
inline Buffer down(std::uint32_t sequence, unsigned flags, std::string_view hex = "") {
  return ipv4(kTcpProtocol, tcp({80, 1000}, sequence, flags, hex), 0, true);
}

/// From fd00::1 to fd00::2, with extension headers before the payload. `first` is the type of the first header.
inline Buffer ipv6(std::uint8_t first, Bytes payload, Bytes extensions = {}) {
  Buffer out = from_hex("60000000");
  put16(out, payload.size() + extensions.size());
  out.push_back(first);
  out.push_back(64);
  append(out, from_hex("fd000000000000000000000000000001 fd000000000000000000000000000002"));
  append(out, extensions);
  append(out, payload);
  return out;
}

/// ENet datagrams: a client's connect, a server's disconnect, and a reliable packet, the only one of its sender.
inline Buffer enet_connect(std::uint32_t connection, std::uint32_t data) {
  Buffer out = from_hex("8fff 0000 82ff 0001 0000ffff 00000578 00008000 00000001" + std::string(40, '0'));
  put32(out, connection);
  put32(out, data);
  return out;
}
inline Buffer enet_disconnect(std::uint32_t data) {
  Buffer out = from_hex("0000 04ff 0000");
  put32(out, data);
  return out;
}
inline Buffer enet_packet(std::string_view hex) {
  const Buffer payload = from_hex(hex);
  Buffer out = from_hex("8000 0000 8600 0001");
  put16(out, payload.size());
  append(out, payload);
  return out;
}

/// The file's header. Link types are those of pcap files.
inline Buffer pcap_file(std::uint32_t link) {
  Buffer out = from_hex("d4c3b2a1 02000400 0000000000000000 00000400");
  put32le(out, link);
  return out;
}

/// Appends a packet, of which `captured` bytes are in the file (by default, all).
inline void put_packet(Buffer& file, Bytes packet, std::size_t captured = SIZE_MAX, std::uint32_t second = 1) {
  const Bytes kept = packet.first(std::min(captured, packet.size()));
  put32le(file, second);
  put32le(file, 0);
  put32le(file, kept.size());
  put32le(file, packet.size());
  append(file, kept);
}

inline constexpr std::uint32_t kRaw = 101;  // LINKTYPE_RAW

/// A capture of bare IP packets.
inline Buffer capture(std::initializer_list<Buffer> packets) {
  Buffer file = pcap_file(kRaw);
  for (const Buffer& packet : packets) put_packet(file, packet);
  return file;
}

/// A capture of datagrams between a client and the server of this port.
struct DatagramCapture {
  explicit DatagramCapture(std::uint16_t server) : port(server) {}
  DatagramCapture& up(Bytes payload) { return put({1000, port}, payload, false); }
  DatagramCapture& down(Bytes payload) { return put({port, 1000}, payload, true); }
  std::string text() const { return std::string(as_text(file)); }

  DatagramCapture& put(Ports ports, Bytes payload, bool back) {
    put_packet(file, ipv4(kUdpProtocol, udp(ports, to_hex(payload)), 0, back), SIZE_MAX, second);
    return *this;
  }
  DatagramCapture& at(std::uint32_t time) {
    second = time;
    return *this;
  }
  std::uint16_t port;
  std::uint32_t second = 1;  // of the packets that follow
  Buffer file = pcap_file(kRaw);
};

/// A client of Ace of Spades that asks for 0.75, is refused, and plays 0.76. Each side sends a packet that only 0.76
/// has.
inline DatagramCapture second_try() {
  DatagramCapture capture(32887);
  capture.up(enet_connect(1, 3)).down(enet_disconnect(3));
  capture.up(enet_connect(2, 4)).down(enet_packet("12 00001800 01020304 6100")).up(enet_packet("1f 01"));
  return capture;
}

}  // namespace entente
