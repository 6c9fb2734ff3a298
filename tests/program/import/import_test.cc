// What the importers read from files, and their errors about damaged files.
#include <doctest/doctest.h>

#include <cstdio>
#include <sstream>

#include "proxy/program/import/json.h"
#include "proxy/program/import/mcap.h"
#include "proxy/program/import/packet.h"
#include "proxy/program/import/packet_source.h"
#include "proxy/program/import/pcap.h"
#include "proxy/program/import/tcp.h"
#include "tests/program/import/heard.h"
#include "tests/program/import/packets.h"
#include "tests/program/recorded.h"
#include "tests/support/memory_file.h"

namespace entente::import_test {
namespace {

// Link types, as pcap files number them; kRaw is among them.
constexpr std::uint32_t kEthernet = 1, kNull = 0, kSll = 113, kSll2 = 276;

std::string heard_json(const std::string& lines, std::string_view meta = "") {
  HeardImport heard;
  std::istringstream in(lines);
  const auto done = import_json(in, meta, "x.jsonl", heard);
  return heard.all + (done ? "" : done.error().text);
}

std::string heard_pcap(Buffer file, const ImportOptions& options = {}) {
  HeardImport heard;
  const auto done = import_pcap(fmemopen(file.data(), file.size(), "rb"), "x.pcap", options, heard);
  return heard.all + (done ? "" : done.error().text);
}

TEST_CASE("JSON lines: traffic and the ends of connections are read, notes are not") {
  CHECK(heard_json(R"({"t_ms": 0, "conn": "a", "dir": "c2s", "hex": "", "ev": "open"}
{"t_ms": 1.5, "conn": "a", "dir": "c2s", "hex": "00fF", "channel": 0, "flags": 1}
{"dir":"note","note":"anything"}

{"t_ms": 2, "conn": 7, "dir": "s2c", "hex": ""}
{"t_ms": 3, "conn": "a", "dir": "s2c", "hex": "", "ev": "fin"}
{"t_ms": 4, "conn": "a", "dir": "event", "event": "disconnect", "data": 10})") ==
        "open 0 a\nc2s 0 00ff\nopen 1 7\ns2c 1 \nend 0 s2c\nend 0 10\ngone 0\ngone 1\n");
}

TEST_CASE("JSON lines: the data of a client's connect request is read before any traffic") {
  CHECK(heard_json(R"({"t_ms":1,"conn":"a","dir":"event","event":"connecting","data":3}
{"t_ms":2,"conn":"b","dir":"event","event":"client connect","data":4294967295}
{"t_ms":3,"conn":"a","dir":"event","event":"connect","data":0}
{"t_ms":4,"conn":"c","dir":"event","event":"connecting","data":-1}
{"t_ms":5,"conn":"c","dir":"event","event":"connecting","data":4294967296}
{"t_ms":6,"conn":"a","dir":"s2c","hex":"01"})") ==
        "open 0 a\nconnect 0 3\nopen 1 b\nconnect 1 4294967295\ns2c 0 01\ngone 0\ngone 1\n");
}

TEST_CASE("JSON lines: the event of a recorder between two programs tells which side disconnected") {
  for (const auto& [event, way] : {std::pair("client disconnect", "c2s"), std::pair("server disconnect", "s2c")})
    CHECK(heard_json(R"({"t_ms": 1, "conn": "a", "dir": "c2s", "hex": "01"}
{"t_ms": 2, "conn": "a", "dir": "event", "event": ")" +
                     std::string(event) + R"(", "data": 1})") ==
          "open 0 a\nc2s 0 01\nend 0 " + std::string(way) + " 1\ngone 0\n");
}

TEST_CASE("JSON lines: the meta file's ends are sorted into the traffic, after frames of the same millisecond") {
  CHECK(heard_json(R"({"t_ms":5,"conn":"a","dir":"c2s","hex":"01"}
{"t_ms":9,"conn":"a","dir":"s2c","hex":"02"}
)",
                   R"({"events":[{"t_ms":5,"conn":"a","event":"close","code":1003,"reason":"why"},
                                 {"t_ms":1,"conn":"a","event":"open"},
                                 {"t_ms":7,"conn":"never","event":"close","code":1003}]})") ==
        "open 0 a\nc2s 0 01\nend 0 1003 why\ns2c 0 02\ngone 0\n");
  CHECK(heard_json(R"({"t_ms":5,"conn":"a","dir":"c2s","hex":"01"})", "{").starts_with("remark the .meta.json"));
  const auto with_zeros = [](std::size_t count) {
    std::string meta = R"({"x":[0)";
    for (std::size_t i = 1; i < count; ++i) meta += ",0";
    return heard_json(R"({"t_ms":5,"conn":"a","dir":"c2s","hex":"01"})", meta + "]}");
  };
  CHECK_FALSE(with_zeros(100'000).starts_with("remark"));
  CHECK(with_zeros(300'000).starts_with("remark the .meta.json"));
}

TEST_CASE("JSON lines: an error names the line") {
  const std::string good = R"({"t_ms":5,"conn":"a","dir":"c2s","hex":"01"})"
                           "\n";
  CHECK(heard_json(good + "nonsense").find("x.jsonl:2: not a JSON object") != std::string::npos);
  CHECK(heard_json(good + "[1]").find("x.jsonl:2: not a JSON object") != std::string::npos);
  CHECK(heard_json("# A text\n").ends_with(" (and it is neither a recording nor a packet capture)"));
  CHECK(heard_json(good + "nonsense").find("(nor") == std::string::npos);
  CHECK(heard_json(good + R"({"dir":"c2s","hex":"0g"})")
            .ends_with("x.jsonl:2: `hex` is not pairs of hexadecimal digits"));
  CHECK(heard_json(good + R"({"dir":"c2s","hex":"012"})").ends_with("`hex` is not pairs of hexadecimal digits"));
  CHECK(heard_json(good + R"({"dir":"c2s"})").ends_with("x.jsonl:2: has no `hex`"));
  CHECK(heard_json(good + R"({"dir":"up","hex":"01"})").find("`dir` is \"up\"") != std::string::npos);
  CHECK(heard_json(good + std::string((16u << 20) + 9, ' ')).ends_with("x.jsonl:2: longer than 16 MiB"));
  // A value is two bytes here, and hundreds in memory.
  std::string list = R"({"dir":"note","x":[0)", text = R"({"dir":"note","x":")";
  for (int i = 0; i < 1'000; ++i) list += ",0", text += R"(,[{\")";
  CHECK(heard_json(list + "]}").ends_with("x.jsonl:1: not a JSON object with at most 1000 values"));
  CHECK_FALSE(heard_json(text + "\"}").ends_with("values"));
  CHECK(heard_json(good + std::string(100'000, '[')).find("x.jsonl:2: not a JSON object") != std::string::npos);
}

struct Stream final : TcpStream::To {
  std::string all;
  void stream(Bytes bytes) override { all += to_hex(bytes) + " "; }
  void hole(std::uint64_t bytes) override { all += "hole" + std::to_string(bytes) + " "; }
  void fin() override { all += "fin "; }
};

TEST_CASE("a stream is read once and in order, whatever the order and overlap of its segments") {
  TcpStream tcp;
  Stream to;
  const auto segment = [&](std::uint32_t sequence, std::string_view hex, bool fin = false) {
    tcp.segment(sequence, from_hex(hex), 0, fin, to);
  };
  tcp.syn(0xFFFFFFFEU);  // the first byte has number 0xFFFFFFFF: numbers wrap after it
  segment(0xFFFFFFFFU, "0102");
  segment(0xFFFFFFFFU, "0102");  // again
  segment(0, "020304");          // overlaps
  segment(5, "0708", true);      // ahead, with the end
  segment(5, "07");              // ahead again, shorter
  segment(5, "070809");          // ahead again, longer and without the end
  segment(0xFFFFFFFEU, "ff");    // a keep-alive: the byte before
  segment(3, "0506");
  segment(7, "", true);
  CHECK(to.all == "0102 0304 0506 070809 fin ");
  tcp.end(to);
  CHECK(to.all == "0102 0304 0506 070809 fin ");
}

TEST_CASE("a gap that is not filled is reported at the end, or when too much data waits behind it") {
  TcpStream tcp;
  Stream to;
  tcp.syn(0);
  tcp.segment(1, from_hex("01"), 3, false, to);  // three bytes of it were not captured
  tcp.segment(5, from_hex("05"), 0, false, to);
  tcp.segment(9, from_hex("09"), 0, true, to);
  tcp.end(to);
  CHECK(to.all == "01 hole3 05 hole3 09 fin ");

  TcpStream full;
  Stream counted;
  full.syn(0);
  const Buffer piece(1000);
  for (std::uint32_t i = 1; i < 1100; ++i) full.segment(1 + i * 1000, piece, 0, false, counted);
  CHECK(counted.all.starts_with("hole1000 "));
}

TEST_CASE("of a segment that is sent again while it waits, the copy with the most bytes counts, and counts once") {
  TcpStream tcp;
  Stream to;
  tcp.syn(0);
  tcp.segment(3, from_hex("0304"), 2, false, to);  // two bytes of it were not captured
  tcp.segment(3, from_hex("03"), 3, false, to);
  tcp.segment(3, from_hex("030405"), 1, false, to);
  tcp.segment(3, from_hex("03040506"), 0, false, to);
  tcp.segment(3, from_hex("03"), 0, false, to);
  tcp.segment(7, {}, 0, false, to);  // says nothing
  CHECK(to.all.empty());
  tcp.segment(1, from_hex("0102"), 0, false, to);
  CHECK(to.all == "0102 03040506 ");
  tcp.end(to);
  CHECK(to.all == "0102 03040506 ");

  TcpStream again;
  Stream counted;
  again.syn(0);
  for (std::size_t size = 100'000; size < 100'050; ++size) again.segment(2, Buffer(size), 0, false, counted);
  CHECK(counted.all.empty());  // far less than 1 MiB waits
  again.segment(1, from_hex("01"), 0, false, counted);
  CHECK(counted.all.size() == 3 + 2 * 100'049 + 1);
}

TEST_CASE("what waits behind a gap counts no more once it was read") {
  TcpStream tcp;
  Stream to;
  tcp.syn(0);
  constexpr std::uint32_t kHalf = 400'000;
  std::uint32_t at = 1;
  for (int i = 0; i < 4; ++i, at += kHalf + 1) {
    tcp.segment(at + 1, Buffer(kHalf), 0, false, to);
    tcp.segment(at, from_hex("07"), 0, false, to);
  }
  CHECK(to.all.find("hole") == std::string::npos);
}

std::string taken(int link, const Buffer& packet) {
  const ParsedPacket taken = parse_packet(link, packet);
  if (taken.kind != ParsedPacket::Kind::kPacket) return std::to_string(static_cast<int>(taken.kind));
  const Packet& p = taken.packet;
  return text(p.from) + ">" + text(p.to) + (p.tcp ? " tcp " : " udp ") + to_hex(p.payload) +
         (p.missing == 0 ? "" : " -" + std::to_string(p.missing));
}

// Link types as libpcap numbers them once a file is open.
constexpr int kDltNull = 0, kDltEthernet = 1, kDltRaw = 12, kDltSll = 113, kDltSll2 = 276;

TEST_CASE("packets of every link type are parsed, IPv4 and IPv6") {
  const Buffer four = ipv4(kTcpProtocol, tcp({1, 2}, 0, kAck, "aabb"));
  const Buffer six = ipv6(kUdpProtocol, udp({3, 4}, "cc"));
  const std::string four_text = "10.0.0.1:1>10.0.0.2:2 tcp aabb", six_text = "[fd00::1]:3>[fd00::2]:4 udp cc";
  const Buffer macs(12);
  CHECK(taken(kDltRaw, four) == four_text);
  CHECK(taken(kDltRaw, six) == six_text);
  CHECK(taken(kDltEthernet, joined({macs, from_hex("0800"), four, from_hex("000000")})) == four_text);  // with trailer
  CHECK(taken(kDltEthernet, joined({macs, from_hex("8100 0001 86dd"), six})) == six_text);
  CHECK(taken(kDltEthernet, joined({macs, from_hex("88a8 0001 8100 0002 0800"), four})) == four_text);
  CHECK(taken(kDltNull, joined({from_hex("02000000"), four})) == four_text);
  CHECK(taken(kDltSll, joined({Buffer(16), four})) == four_text);
  CHECK(taken(kDltSll, joined({Buffer(14), from_hex("8100 0001 0800"), four})) == four_text);
  CHECK(taken(kDltEthernet, joined({macs, from_hex("9100 0001 0800"), four})) == four_text);
  CHECK(taken(kDltSll2, joined({Buffer(20), six})) == six_text);
  const Buffer options = from_hex("11 00 0000 0000 0000");  // then UDP; 8 bytes
  for (const auto header :
       {std::uint8_t{0}, std::uint8_t{43}, std::uint8_t{60}})  // hop by hop, routing, for the destination
    CHECK(taken(kDltRaw, ipv6(header, udp({3, 4}, "cc"), options)) == six_text);
  const Buffer two = from_hex("3c 00 0000 0000 0000 11 01 0000 0000 0000 0000 0000 0000 0000");
  CHECK(taken(kDltRaw, ipv6(0, udp({3, 4}, "cc"), two)) == six_text);
  CHECK(taken(kDltRaw, ipv6(51, udp({3, 4}, "cc"), from_hex("11 02 0000 0000 0000 0000 0000 0000 0000"))) == six_text);
  CHECK(taken(kDltRaw, ipv6(44, udp({3, 4}, "cc"), from_hex("11 00 0000 00000007"))) == six_text);  // the only fragment
  CHECK(taken(kDltRaw, ipv6(44, udp({3, 4}, "cc"), from_hex("11 00 0001 00000007"))) == "2");
}

TEST_CASE("fragments, other protocols and truncated packets are told apart, and only captured bytes are read") {
  const Buffer packet = ipv4(kTcpProtocol, tcp({1, 2}, 0, kAck, "aabbccdd"));
  for (std::size_t size = 0; size < packet.size(); ++size) {
    const Buffer cut(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string left = std::to_string(packet.size() - size);
    const std::string heads = "10.0.0.1:1>10.0.0.2:2 tcp ";
    CHECK(taken(kDltRaw, cut) ==
          (size < 40 ? "3" : heads + std::string("aabbccdd").substr(0, 2 * (size - 40)) + " -" + left));
  }
  CHECK(taken(kDltRaw, ipv4(kUdpProtocol, udp({1, 2}, "aa"), 0x2000)) == "2");  // more fragments follow
  CHECK(taken(kDltRaw, ipv4(kUdpProtocol, udp({1, 2}, "aa"), 5)) == "2");
  CHECK(taken(kDltRaw, ipv4(1, from_hex("0800"))) == "1");                                // ICMP
  CHECK(taken(kDltEthernet, joined({Buffer(12), from_hex("0806"), Buffer(28)})) == "1");  // ARP
  CHECK_FALSE(known_link(105));                                                           // bare 802.11
}

TEST_CASE("a connection in a capture has its client, both streams and its end") {
  CHECK(heard_pcap(capture({up(10, kSyn), down(20, kSyn | kAck), up(11, kAck, "01"), down(21, kAck, "02"),
                            up(11, kAck, "01"), up(12, kAck | kFin), down(22, kAck | kFin, "03")})) ==
        "open 0 10.0.0.1:1000\nc2s 0 01\ns2c 0 02\nend 0 c2s\ns2c 0 03\nend 0 s2c\ngone 0\n");
}

TEST_CASE("a reset ends a connection at once: late packets are ignored until a SYN opens a new connection") {
  CHECK(heard_pcap(capture(
            {up(10, kSyn), up(11, kAck, "01"), down(0, kRst), up(12, kAck, "02"), up(90, kSyn), up(91, kAck, "03")})) ==
        "open 0 10.0.0.1:1000\nc2s 0 01\nend 0 s2c\ngone 0\nopen 1 10.0.0.1:1000\nc2s 1 03\ngone 1\n"
        "remark 1 packets came after the end of their connection and were ignored\n");
}

TEST_CASE(
    "a SYN/ACK opens the next connection on the same ports if its SYN was not captured; a repeated SYN/ACK does not") {
  const std::string first = "open 0 10.0.0.1:1000\nend 0 c2s\ngone 0\n";
  CHECK(heard_pcap(capture({up(10, kSyn), down(20, kSyn | kAck), up(11, kRst), down(20, kSyn | kAck)})) == first);
  CHECK(heard_pcap(capture({up(10, kSyn), down(20, kSyn | kAck), up(11, kRst), down(70, kSyn | kAck),
                            up(91, kAck, "03")})) == first + "open 1 10.0.0.1:1000\nc2s 1 03\ngone 1\n");
}

TEST_CASE("a new SYN on the same ports opens another connection, also without an end of the first") {
  CHECK(heard_pcap(capture({up(10, kSyn), up(10, kSyn), up(11, kAck, "01"), up(90, kSyn), up(91, kAck, "02")})) ==
        "open 0 10.0.0.1:1000\nc2s 0 01\ngone 0\nopen 1 10.0.0.1:1000\nc2s 1 02\ngone 1\n");
}

TEST_CASE("a new connection on the ports of one that ended stays one, although thousands of others end meanwhile") {
  const auto other = [](std::size_t client, unsigned flags) {
    return ipv4(kTcpProtocol, tcp({static_cast<std::uint16_t>(2'000 + client), 80}, 10, flags));
  };
  Buffer file = capture({up(10, kSyn), up(11, kRst), up(90, kSyn), up(91, kAck, "03")});
  for (std::size_t client = 0; client < 5'000; ++client) {
    put_packet(file, other(client, kSyn));
    put_packet(file, other(client, kRst));
  }
  put_packet(file, up(92, kAck, "04"));
  const std::string heard = heard_pcap(file);
  CHECK(heard.starts_with("open 0 10.0.0.1:1000\nend 0 c2s\ngone 0\nopen 1 10.0.0.1:1000\nc2s 1 03\n"));
  CHECK(heard.ends_with("\nc2s 1 04\ngone 1\n"));
}

TEST_CASE("any number of connections may follow one another in a capture") {
  constexpr std::size_t kAll = 70'000, kPorts = 60'000;
  Buffer file = capture({});
  for (std::size_t i = 0; i < kAll; ++i) {
    const auto client = static_cast<std::uint16_t>(1'000 + i % kPorts),
               server = static_cast<std::uint16_t>(80 + i / kPorts);
    for (const unsigned flags : {kSyn, kRst}) put_packet(file, ipv4(kTcpProtocol, tcp({client, server}, 10, flags)));
  }
  CHECK(heard_pcap(file).ends_with("gone " + std::to_string(kAll - 1) + "\n"));
}

TEST_CASE("a SYN/ACK that was captured before its SYN belongs to the same connection") {
  CHECK(heard_pcap(capture({down(20, kSyn | kAck), up(10, kSyn), up(11, kAck, "01"), down(21, kAck, "02")})) ==
        "open 0 10.0.0.1:1000\nc2s 0 01\ns2c 0 02\ngone 0\n");
}

TEST_CASE("datagrams to and from the server's port are read unchanged") {
  const Buffer hello = ipv4(kUdpProtocol, udp({1000, 80}, "aa")),
               answer = ipv4(kUdpProtocol, udp({80, 1000}, "bb"), 0, true);
  CHECK(heard_pcap(capture({hello, answer}), {80, 0}) ==
        "open 0 10.0.0.1:1000/udp\nc2s 0 datagram aa\ns2c 0 datagram bb\ngone 0\n");
  CHECK(heard_pcap(capture({up(1, kSyn), hello}), {0, 0}).find("c2s 1 datagram aa") != std::string::npos);
  CHECK(heard_pcap(capture({hello}), {81, 0}).empty());
}

TEST_CASE("a connection that began before the capture needs --port") {
  CHECK(heard_pcap(capture({up(10, kAck, "01")})).find("use --port to name the server's port") != std::string::npos);
  for (const ImportOptions& options : {ImportOptions{80, 0}, ImportOptions{0, 80}})
    CHECK(heard_pcap(capture({up(10, kAck, "01"), up(11, kAck, "02")}), options) ==
          "open 0 10.0.0.1:1000\nremark 10.0.0.1:1000 was connected before the capture began\nc2s 0 01\nc2s 0 02\n"
          "gone 0\n");
}

TEST_CASE("the receiver of a connect datagram is a server; datagrams that belong to no connection are counted") {
  const Buffer early = ipv4(kUdpProtocol, udp({80, 1000}, "cc"), 0, true),
               hello = ipv4(kUdpProtocol, udp({1000, 80}, "aa")),
               answer = ipv4(kUdpProtocol, udp({80, 1000}, "aa"), 0, true);
  const Buffer file = capture({early, hello, answer});
  const std::string strangers = " datagrams belong to no connection that begins in the capture; use --port";
  ImportOptions options;
  options.asks_in = [](Bytes datagram) { return to_hex(datagram) == "aa" ? std::optional(1U) : std::nullopt; };
  CHECK(
      heard_pcap(file, options)
          .starts_with("open 0 10.0.0.1:1000/udp\nc2s 0 datagram aa\ns2c 0 datagram aa\ngone 0\nremark 1" + strangers));
  CHECK(heard_pcap(file).starts_with("remark 3" + strangers));
}

TEST_CASE("a datagram that asks for another connection begins it on the same ports; one that is sent again does not") {
  const auto says = [](const char* hex) { return ipv4(kUdpProtocol, udp({1000, 80}, hex)); };
  ImportOptions options;
  options.port = 80;
  options.asks_in = [](Bytes datagram) {
    return datagram[0] >= 0xa0 ? std::optional<std::uint32_t>(datagram[0]) : std::nullopt;
  };
  const std::string name = " 10.0.0.1:1000/udp\n";
  CHECK(heard_pcap(capture({says("01"), says("a1"), says("02"), says("a1"), says("a2"), says("03")}), options) ==
        "open 0" + name + "c2s 0 datagram 01\ngone 0\nopen 1" + name +
            "c2s 1 datagram a1\nc2s 1 datagram 02\nc2s 1 datagram a1\ngone 1\nopen 2" + name +
            "c2s 2 datagram a2\nc2s 2 datagram 03\ngone 2\n");
}

TEST_CASE("packets of a capture that was made after January 2038 keep their date") {
  Buffer file = pcap_file(kRaw);
  put_packet(file, ipv4(kUdpProtocol, udp({1000, 80}, "aa")), SIZE_MAX, 2'200'000'000);
  const auto source = open_packet_source(fmemopen(file.data(), file.size(), "rb"));
  REQUIRE(source.ok());
  const auto packet = (*source)->next();
  REQUIRE(packet.ok());
  REQUIRE(*packet);
  CHECK((*packet)->time == 2'200'000'000'000'000'000);
}

TEST_CASE("bytes that were sent but not captured are a gap") {
  Buffer file = pcap_file(kRaw);
  put_packet(file, up(10, kSyn));
  put_packet(file, up(11, kAck, "010203"), 41);
  put_packet(file, up(14, kAck, "04"));
  CHECK(heard_pcap(file) == "open 0 10.0.0.1:1000\nc2s 0 01\nlost 0 c2s 2\nc2s 0 04\ngone 0\n");
}

TEST_CASE("a datagram that was captured in part is reported as lost") {
  Buffer file = pcap_file(kRaw);
  put_packet(file, ipv4(kUdpProtocol, udp({1000, 80}, "aabbcc")), 29);
  put_packet(file, ipv4(kUdpProtocol, udp({1000, 80}, "dd")));
  CHECK(heard_pcap(file, {80, 0}) == "open 0 10.0.0.1:1000/udp\nlost 0 c2s 2\nc2s 0 datagram dd\ngone 0\n");
  put_packet(file, ipv4(kUdpProtocol, udp({1000, 80}, "ee")), 24);
  CHECK(heard_pcap(file, {80, 0})
            .ends_with("x.pcap: 1 packets contain only headers; capture with a larger snapshot length"));
}

TEST_CASE("with too many clients over datagrams, the one that was silent longest is closed") {
  const auto from = [](std::size_t client) {
    Buffer packet = ipv4(kUdpProtocol, udp({static_cast<std::uint16_t>(1000 + client % 50'000), 80}, "aa"));
    packet[15] = static_cast<std::uint8_t>(1 + client / 50'000);  // the sender's address
    return packet;
  };
  Buffer file = pcap_file(kRaw);
  for (std::size_t client = 0; client < kMostConnections; ++client) put_packet(file, from(client));
  put_packet(file, from(0));
  put_packet(file, from(kMostConnections));
  put_packet(file, from(0));
  for (std::size_t more = 1; more < 4; ++more) put_packet(file, from(kMostConnections + more));
  const std::string heard = heard_pcap(file, {80, 0});
  CHECK(heard.find("c2s 0 datagram aa\ngone 1\nopen 65536 10.0.0.2:16536/udp\nc2s 65536 datagram aa\n"
                   "c2s 0 datagram aa\ngone 2\nopen 65537 10.0.0.2:16537/udp\nc2s 65537 datagram aa\n"
                   "gone 3\nopen 65538 10.0.0.2:16538/udp\nc2s 65538 datagram aa\ngone 4\n") != std::string::npos);
  CHECK(heard.find("65536 connections") == std::string::npos);
}

TEST_CASE("a damaged capture is read up to the damaged packet, which the error names") {
  const Buffer whole = capture({up(10, kSyn), up(11, kAck, "01"), up(12, kAck, "02")});
  const Buffer cut(whole.begin(), whole.end() - 3);
  const std::string heard = heard_pcap(cut);
  CHECK(heard.starts_with("open 0 10.0.0.1:1000\nc2s 0 01\ngone 0\nx.pcap: packet 3: "));

  Buffer huge = capture({up(10, kSyn)});
  for (std::size_t at = 24 + 8; at < 24 + 12; ++at) huge[at] = 0x7F;  // the captured length
  CHECK(heard_pcap(huge).starts_with("x.pcap: packet 1: "));

  Buffer wireless = pcap_file(105);
  put_packet(wireless, Buffer(3));
  CHECK(heard_pcap(wireless) == "x.pcap: link type 105 is not one that carries IP");
  CHECK(heard_pcap(from_hex("d4c3b2a1 02")).starts_with("x.pcap: "));
  for (std::uint32_t link : {kEthernet, kNull, kSll, kSll2}) {
    Buffer file = pcap_file(link);
    put_packet(file, Buffer(3));
    CHECK(heard_pcap(file).find("error") == std::string::npos);
  }
}

TEST_CASE("a recording may have any number of links, but not too many at once") {
  for (const bool closes : {true, false}) {
    Buffer file;
    const auto recorder = trace::Recorder::open(std::make_unique<testing::MemorySink>(file));
    REQUIRE(recorder.ok());
    for (std::uint32_t link = 1; link <= kMostConnections + 1; ++link) {
      record(**recorder, link, trace::TO_SERVER, "aa", link);
      if (closes) (*recorder)->opened(link, opening(link, "panic", "")), (*recorder)->closed(link, link, "left");
    }
    REQUIRE((*recorder)->close(kMostConnections).ok());
    testing::MemorySource source(file);
    trace::Recording recording(source);
    HeardImport heard;
    const auto done = import_mcap(recording, heard);
    CHECK(done.ok() == closes);
    if (!done) CHECK(done.error().text == "memory: more than 65536 connections at once");
    CHECK(heard.all.ends_with("gone 65536\n"));
  }
}

TEST_CASE("the format of a file is recognised by its first bytes") {
  CHECK(import_format(from_hex("894d434150300d0a")) == ImportFormat::kMcap);
  CHECK(import_format(from_hex("d4c3b2a1")) == ImportFormat::kPcap);
  CHECK(import_format(from_hex("4d3cb2a1")) == ImportFormat::kPcap);
  CHECK(import_format(from_hex("0a0d0d0a")) == ImportFormat::kPcap);
  CHECK(import_format(from_hex("0103cdcccc3d0400")) == ImportFormat::kDemo);
  CHECK(import_format(from_hex("0104")) == ImportFormat::kDemo);
  CHECK(import_format(from_hex("0105")) == ImportFormat::kJsonLines);
  CHECK(import_format(as_bytes("{\"t_ms\"")) == ImportFormat::kJsonLines);
  HeardImport heard;
  CHECK(import_file("/nonexistent/x", {}, heard).error().text == "/nonexistent/x: No such file or directory");
}

}  // namespace
}  // namespace entente::import_test
