// `entente verify` with real traffic, with Entente's recordings, and with a codec that encodes wrongly.
#include "proxy/program/recordings/verify.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "adapters/aos/aos.h"
#include "adapters/panic/panic.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/recordings/verify_link.h"
#include "proxy/trace/recording.h"
#include "tests/program/folder.h"
#include "tests/program/import/packets.h"
#include "tests/program/recorded.h"
#include "tests/support/toy_game.h"

namespace entente::verify_test {
namespace {

using wire::Lane, wire::Way;

struct Verified {
  int exit = 0;
  std::string out, err;

  std::string last() const {
    const std::size_t before = out.rfind('\n', out.size() - 2);
    return before == std::string::npos ? out : out.substr(before + 1);
  }
};

Verified verified(const FileOptions& from) {
  std::ostringstream out, err;
  const int exit = verify({from, true}, out, err);
  return {exit, out.str(), err.str()};
}

std::string tally(int frames, int refused = 0) {
  return "frames=" + std::to_string(frames) + " exact=" + std::to_string(frames - refused) +
         " opaque=0 refused=" + std::to_string(refused) + " undecoded=0 mismatched=0\n";
}

TEST_CASE("control characters in an error about a file are escaped") {
  const Folder folder;
  const std::string file = folder.write("a.jsonl", R"({"dir":"\u001b]0;owned\u0007\n","conn":"a","hex":"00"})");
  const Verified wrong = verified({file});
  CHECK(wrong.exit == kFailed);
  CHECK(wrong.err.find("\"\\x1b]0;owned\\x07\\x0a\"") != std::string::npos);
  CHECK(wrong.err.find_first_of("\x1b\a") == std::string::npos);
}

TEST_CASE("only connections with a problem have a line, unless --connections is set") {
  const Folder folder;
  const auto lines = [&](const std::string& hex, bool connections) {
    std::ostringstream out, err;
    FileOptions from;
    from.file = folder.write("a.jsonl", R"({"dir":"c2s","conn":"a","hex":"0001010200000001"})"
                                        "\n"
                                        R"({"dir":"c2s","conn":"b","hex":")" +
                                            hex + "\"}\n");
    from.game = "panic";
    from.dialect = "be-packed";
    verify({from, connections}, out, err);
    const std::string all = out.str();
    return std::count(all.begin(), all.end(), '\n');
  };
  CHECK(lines("0001010200000001", false) == 1);  // the total
  CHECK(lines("0001010200000001", true) == 3);
  CHECK(lines("00010102000000", false) == 2);  // one line for b, which is cut off
}

TEST_CASE("real traffic decodes, and encodes to the same bytes") {
  struct Case {
    const char* file;
    const char* game;
    const char* dialect;
    std::uint16_t port;
    int frames;
    int refused;
  };
  constexpr Case kCases[] = {
      {"panic/master-2p-test-kill-win.jsonl", "panic", "le-padded", 0, 273, 0},
      {"panic/master-bad-split-5-3.jsonl", "panic", "le-padded", 0, 24, 0},
      {"panic/master-reconnect-and-late-join.jsonl", "panic", "le-padded", 0, 33, 0},
      {"panic/patched-be-2p-smallreads.jsonl", "panic", "be-packed", 0, 95, 0},
      {"panic/patched-be-2p-test-kill-win.jsonl", "panic", "be-packed", 0, 273, 0},
      {"panic/serverbranch-2p-test-kill-win.jsonl", "panic", "mixed", 0, 273, 0},
      {"bzflag/bzfs2426-bzadmin-chat.pcap", "bzflag", "2.4", 5701, 85, 0},
      {"bzflag/bzfs1108-hand-session.pcap", "bzflag", "1.10", 5745, 176, 0},
      {"aos/betterspades-start.pcap", "aos", "0.75", 33001, 56, 0},
      {"ogar/m3-18-kicks.jsonl", "ogar", "modern3", 0, 64, 13},
      {"ogar/l21-teams.jsonl", "ogar", "modern3", 0, 467, 0},  // each client names its dialect
  };
  for (const Case& one : kCases) {
    INFO(one.file);
    const Verified asked = verified({trace_file(one.file), one.game, one.dialect, one.port});
    CHECK(asked.exit == kOk);
    CHECK(asked.err == "");
    CHECK(asked.last() == tally(one.frames, one.refused));
  }
}

TEST_CASE("a recording that is marked to lack a link's first messages is verified from the first message that it has") {
  const Folder folder;
  const std::string file = folder.file("a.mcap");
  {
    const auto to = recorder(file);
    to->opened(1, opening(1, "bzflag", "2.4"));
    const Buffer exit = from_hex("0000 6578"), time = from_hex("0008 6774 0000000000000001");
    to->frame(2, {.link = 1, .way = trace::TO_SERVER, .lane = trace::STREAM, .bytes = exit, .missing = {2, 30}});
    to->frame(3, {.link = 1, .way = trace::TO_CLIENT, .lane = trace::STREAM, .bytes = time, .missing = {7, 900}});
    to->frame(4, {.link = 1, .way = trace::TO_CLIENT, .lane = trace::STREAM, .bytes = time});
    REQUIRE(to->close(5).ok());
  }
  std::ostringstream out, err;
  REQUIRE(convert({{.file = file}, folder.file("b.mcap")}, out, err) == kOk);
  for (const std::string& one : {file, folder.file("b.mcap")}) {
    const Verified told = verified({one});
    CHECK(told.exit == kOk);
    CHECK(told.last() == tally(3));
    CHECK(told.err ==
          "connection 1: 2 messages c2s of 30 bytes are not recorded\n"
          "connection 1: 7 messages s2c of 900 bytes are not recorded\n");
    const auto recording = trace::Recording::open(one);
    REQUIRE(recording.ok());
    std::string names;
    for (;;) {
      const auto event = (*recording)->next();
      REQUIRE(event.ok());
      if (*event == nullptr) break;
      if (const trace::Frame* frame = (*event)->frame; frame != nullptr) names += frame->name() + " ";
    }
    if (one != file) CHECK(names == "MsgExit MsgGameTime MsgGameTime ");  // each frame is cut again and has its name
  }
}

TEST_CASE("clients in one file may use several dialects if they name them") {
  Folder folder;
  const std::string file = folder.write("mix.jsonl",
                                        R"({"t_ms":1,"conn":"m","dir":"c2s","hex":"0103000000"}
{"t_ms":2,"conn":"l","dir":"c2s","hex":"fe0b000000"}
{"t_ms":3,"conn":"l","dir":"s2c","hex":"3308026100"}
{"t_ms":4,"conn":"m","dir":"s2c","hex":"02"}
)");
  for (const char* dialect : {"", "modern3", "legacy6"}) {
    const Verified said = verified({.file = file, .game = "ogar", .dialect = dialect});
    CHECK(said.out == "m ogar modern3 " + tally(2) + "l ogar legacy11 " + tally(2) + tally(4));
  }
}

TEST_CASE("game, dialect and port are detected if the traffic shows them") {
  for (const char* file :
       {"panic/master-2p-test-kill-win.jsonl", "panic/serverbranch-2p-test-kill-win.jsonl",
        "panic/patched-be-2p-smallreads.jsonl", "bzflag/bzfs2426-bzadmin-chat.pcap", "aos/betterspades-start.pcap"}) {
    const Verified found = verified({trace_file(file), "", "", 0});
    CHECK(found.exit == kOk);
    CHECK(found.err == "");
  }
}

TEST_CASE("a wrong dialect is a failure with an explanation") {
  const Verified wrong = verified({trace_file("panic/master-bad-split-5-3.jsonl"), "panic", "be-packed", 0});
  CHECK(wrong.exit == kFailed);
  CHECK(wrong.last() == "frames=8 exact=6 opaque=0 refused=0 undecoded=2 mismatched=0\n");
  CHECK(wrong.err.find("p1 s2c at 0.000 s: ") != std::string::npos);
  CHECK(wrong.err.find("does not decode: unknown message type, field type, byte 0 of 3\n    [00]00 03") !=
        std::string::npos);
  CHECK(wrong.out.find("could not be cut into messages") != std::string::npos);
}

TEST_CASE("an unfinished message at the end of the file is reported, and not a failure") {
  const Folder folder;
  const auto file = folder.write("x.jsonl", R"({"t_ms":1,"conn":"p","dir":"c2s","hex":"00010102000000010001"})");
  const Verified cut = verified({file, "panic", "be-packed", 0});
  CHECK(cut.exit == kOk);
  CHECK(cut.out ==
        "p panic be-packed frames=1 exact=1 opaque=0 refused=0 undecoded=0 mismatched=0 "
        "(c2s: 2 bytes of an unfinished message)\n" +
            tally(1));
}

TEST_CASE("wrong options are a usage error, a wrong file is a failure") {
  const Folder folder;
  const auto panic = trace_file("panic/master-bad-split-5-3.jsonl");
  CHECK(verified({panic, "pannic", "", 0}).err.find("did you mean 'panic'?") != std::string::npos);
  CHECK(verified({panic, "pannic", "", 0}).exit == kUsage);
  CHECK(verified({panic, "panic", "packed", 0}).exit == kUsage);
  const Verified foreign = verified({panic, "", "2.4", 0});
  CHECK(foreign.exit == kUsage);
  CHECK(foreign.err.starts_with(
      "entente verify: unknown dialect '2.4' of panic; dialects: be-packed, le-padded, mixed\n"));
  const auto silent = folder.write("silent.jsonl", R"({"t_ms":1,"conn":"p","dir":"c2s","hex":"00"})");
  CHECK(verified({silent, "", "", 0}).exit == kUsage);
  CHECK(verified({silent, "", "mixed", 0}).exit == kUsage);

  CHECK(verified({folder.file("none"), "panic", "", 0}).exit == kFailed);
  CHECK(verified({folder.write("empty", ""), "panic", "", 0}).err.find("the file is empty") != std::string::npos);
}

TEST_CASE("a broken file, or one without the connection, is a failure and not a usage error, whatever game is given") {
  const Folder folder;
  const auto text = folder.write("text", "hello\n"), cut = folder.write("cut.pcap", "\xd4\xc3\xb2\xa1 short");
  const auto chat = trace_file("bzflag/bzfs2426-bzadmin-chat.pcap");
  const FileOptions kSaid[] = {{}, {.game = "bzflag"}, {.game = "bzflag", .dialect = "2.4"}, {.dialect = "2.4"}};
  for (FileOptions from : kSaid) {
    CAPTURE(from.game);
    CAPTURE(from.dialect);
    const auto refusal = [&](const std::string& file, std::uint16_t port) {
      from.file = file, from.port = port;
      const Verified said = verified(from);
      CHECK(said.exit == kFailed);
      CHECK(said.out == "");
      return said.err;
    };
    CHECK(refusal(text, 0).starts_with("entente verify: " + text + ":1: not a JSON object: "));
    CHECK(refusal(cut, 0).starts_with("entente verify: " + cut + ": truncated dump file"));
    CHECK(refusal(chat, 9999) == "entente verify: " + chat + " has no connection with port 9999\n");
  }
}

TEST_CASE("a dialect without a game belongs to the game that the file shows") {
  const auto panic = trace_file("panic/master-bad-split-5-3.jsonl");
  CHECK(verified({.file = panic, .dialect = "le-padded"}).last() == tally(24));
  const Verified wrong = verified({.file = panic, .dialect = "be-packed"});
  CHECK(wrong.exit == kFailed);
  CHECK(wrong.last() == "frames=8 exact=6 opaque=0 refused=0 undecoded=2 mismatched=0\n");
}

TEST_CASE("each server of one capture is read in the dialect that it shows") {
  const Folder folder;
  Buffer file = pcap_file(kRaw);
  const auto greets = [&](std::uint16_t server, std::string_view hex) {
    put_packet(file, ipv4(kTcpProtocol, tcp({1000, server}, 10, kSyn)));
    put_packet(file, ipv4(kTcpProtocol, tcp({server, 1000}, 20, kSyn | kAck), 0, true));
    put_packet(file, ipv4(kTcpProtocol, tcp({server, 1000}, 21, kAck, hex), 0, true));
  };
  greets(81, to_hex(as_bytes("BZFS0026")) + "00");
  greets(82, to_hex(as_bytes("BZFS0221")) + "ff");
  // Panic, le-padded
  greets(83, "0101010001000300000000010000000200000003 2000632d6400000000000000 10ba4556320000000100000001040000");
  const std::string name = folder.write("three.pcap", std::string(as_text(file)));
  const Verified found = verified({.file = name});
  CHECK(found.err == "");
  CHECK(found.out == "10.0.0.1:1000 bzflag 2.0 " + tally(1) + "10.0.0.1:1000 bzflag 2.4 " + tally(1) +
                         "10.0.0.1:1000 panic le-padded " + tally(3) + tally(5));
  const Verified asked = verified({.file = name, .game = "bzflag", .port = 82});
  CHECK(asked.out == "10.0.0.1:1000 bzflag 2.4 " + tally(1) + tally(1));
}

TEST_CASE("a capture of ENet from its connect needs neither port nor dialect") {
  const Verified found = verified({.file = trace_file("aos/betterspades-start.pcap"), .game = "aos"});
  CHECK(found.exit == kOk);
  CHECK(found.err == "");
  CHECK(found.out.find("/udp aos 0.75 ") != std::string::npos);
  CHECK(found.last() == tally(56));
}

TEST_CASE("the game of a WebSocket capture is detected from its messages") {
  const Folder folder;
  const auto hex = [](std::string_view text) { return to_hex(as_bytes(text)); };
  const std::string asks = hex("GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n");
  const std::string switches = hex("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
  const auto at = [](std::size_t start, const std::string& said) {
    return static_cast<std::uint32_t>(start + said.size() / 2);
  };
  const Buffer hello = up(at(11, asks), kAck, "8285 00000000 0103000000");  // modern3
  const Buffer file = capture({up(10, kSyn), down(20, kSyn | kAck), up(11, kAck, asks), down(21, kAck, switches), hello,
                               down(at(21, switches), kAck, "8201 02")});
  const Verified found = verified({.file = folder.write("web.pcap", std::string(as_text(file)))});
  CHECK(found.err == "");
  CHECK(found.out == "10.0.0.1:1000 ogar modern3 " + tally(2) + tally(2));
}

TEST_CASE("each ENet connect sets the dialect, unless an option names it") {
  const Folder folder;
  const std::string file = folder.write("twice.pcap", second_try().text());
  const Verified played = verified({.file = file, .game = "aos"});
  CHECK(played.exit == kOk);
  CHECK(played.err == "");
  CHECK(played.out == "10.0.0.1:1000/udp aos 0.75 " + tally(0) + "10.0.0.1:1000/udp aos 0.76 " + tally(2) + tally(2));
  const Verified asked = verified({.file = file, .game = "aos", .dialect = "0.75"});
  CHECK(asked.exit == kFailed);
  CHECK(asked.out.starts_with("10.0.0.1:1000/udp aos 0.75 "));

  const std::string lines = folder.write("two.jsonl",
                                         R"({"t_ms":1,"conn":"a","dir":"event","event":"connecting","data":3}
{"t_ms":2,"conn":"b","dir":"event","event":"client connect","data":4}
{"t_ms":3,"conn":"a","dir":"s2c","hex":"1200001800"}
{"t_ms":4,"conn":"b","dir":"s2c","hex":"1200001800010203046100"}
)");
  for (const char* game : {"", "aos"})
    CHECK(verified({.file = lines, .game = game}).out ==
          "a aos 0.75 " + tally(1) + "b aos 0.76 " + tally(1) + tally(2));
}

TEST_CASE("queries outside of ENet and their answers are decoded") {
  const Folder folder;
  DatagramCapture capture(32887);
  capture.up(as_bytes("HELLO")).down(as_bytes("HI")).up(as_bytes("HELLOLAN")).down(as_bytes(R"({"name":"a"})"));
  const Verified found = verified({.file = folder.write("lan.pcap", capture.text()), .game = "aos", .dialect = "0.75"});
  CHECK(found.exit == kOk);
  CHECK(found.err == "");
  CHECK(found.last() == tally(4));
}

TEST_CASE("a file that is damaged in the middle is verified up to the damage, which is reported") {
  const Folder folder;
  const std::string good = R"({"t_ms":1,"conn":"p","dir":"c2s","hex":"0001010200000001"})";
  const Verified lines = verified({folder.write("x.jsonl", good + "\nnonsense\n" + good), "panic", "be-packed", 0});
  CHECK(lines.exit == kFailed);
  CHECK(lines.err.find("x.jsonl:2: ") != std::string::npos);
  CHECK(lines.last() == tally(1));

  std::ifstream in(trace_file("bzflag/bzfs2426-bzadmin-chat.pcap"), std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  const auto text = bytes.str();
  const Verified cut = verified({folder.write("x.pcap", text.substr(0, text.size() - 5)), "bzflag", "2.4", 5701});
  CHECK(cut.exit == kFailed);
  CHECK(cut.err.find("x.pcap: packet 168: ") != std::string::npos);
  CHECK(cut.last() == tally(85));
}

/// The capture with at most `most` bytes of each packet from the 40th on.
std::string cut_short(const std::string& capture, std::size_t most) {
  std::ifstream in(trace_file(capture), std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  const std::string text = all.str();
  const Bytes file = as_bytes(text);
  const auto number = [&](std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = 4; i > 0; --i) value = value << 8U | file[at + i - 1];
    return value;
  };
  constexpr std::size_t kFileHead = 24, kPacketHead = 16;
  Buffer out(file.begin(), file.begin() + kFileHead);
  std::size_t packet = 1;
  for (std::size_t at = kFileHead, size = 0; at < file.size(); at += kPacketHead + size, ++packet) {
    size = number(at + 8);
    const std::size_t kept = packet < 40 ? size : std::min(size, most);
    append(out, file.subspan(at, 8));
    put32le(out, kept);
    append(out, file.subspan(at + 12, 4 + kept));
  }
  return std::string(as_text(out));
}

TEST_CASE("a capture with truncated packets is a failure, also if nothing follows them") {
  const Folder folder;
  const Verified streams =
      verified({folder.write("s.pcap", cut_short("bzflag/bzfs2426-bzadmin-chat.pcap", 66)), "bzflag", "2.4", 5701});
  CHECK(streams.exit == kFailed);
  CHECK(streams.last().starts_with("frames="));
  CHECK(streams.last().find(" undecoded=0 ") == std::string::npos);
  CHECK(streams.err.find("bytes here") != std::string::npos);

  const std::string datagrams = "aos/betterspades-start.pcap";
  const Verified part = verified({folder.write("d.pcap", cut_short(datagrams, 60)), "aos", "0.75", 33001});
  CHECK(part.exit == kFailed);
  CHECK(part.last().find(" undecoded=0 ") == std::string::npos);

  const auto heads = folder.write("h.pcap", cut_short(datagrams, 38));
  const Verified headless = verified({heads, "aos", "0.75", 33001});
  CHECK(headless.exit == kFailed);
  CHECK(headless.err.find("h.pcap: ") != std::string::npos);
  CHECK(headless.err.find(" packets contain only headers; capture with a larger snapshot length\n") !=
        std::string::npos);
}

// -- Recordings -------------------------------------------------------------------------------------------------------

TEST_CASE("a recording has the game and dialect of each connection") {
  const Folder folder;
  const auto path = folder.file("x.mcap");
  const auto to = recorder(path);
  to->opened(4'000'000'000, opening(1, "panic", "le-padded"));
  to->opened(4'000'000'000, opening(2, "panic", "be-packed"));
  record(*to, 1, trace::TO_SERVER, "0100010201000000", 5);
  record(*to, 2, trace::TO_CLIENT, "23010000000100000001", 5);
  to->closed(6'000'000'000, 1, "client left");
  REQUIRE(to->close(7'000'000'000).ok());
  const Verified all = verified({path, "", "", 0});
  CHECK(all.exit == kOk);
  CHECK(all.out ==
        "127.0.0.1:4001 panic le-padded frames=1 exact=1 opaque=0 refused=0 undecoded=0 mismatched=0\n"
        "127.0.0.1:4002 panic be-packed frames=1 exact=1 opaque=0 refused=0 undecoded=0 mismatched=0\n" +
            tally(2));
  CHECK(all.err == "");
}

TEST_CASE("a recording of an unknown game is a failure, an empty one is not") {
  const Folder folder;
  const auto foreign = recorder(folder.file("foreign.mcap"));
  foreign->opened(1, opening(1, "chess\x1b[2J", ""));
  record(*foreign, 1, trace::TO_SERVER, "00", 5);
  REQUIRE(foreign->close(2).ok());
  const Verified unknown = verified({folder.file("foreign.mcap"), "", "", 0});
  CHECK(unknown.exit == kFailed);
  CHECK(unknown.err == "127.0.0.1:4001: the game 'chess\\x1b[2J' is not supported\n");

  REQUIRE(recorder(folder.file("nothing.mcap"))->close(2).ok());
  const Verified nothing = verified({folder.file("nothing.mcap"), "", "", 0});
  CHECK(nothing.exit == kOk);
  CHECK(nothing.out == tally(0));
}

TEST_CASE("a recording that was cut off is verified up to its end, and is a failure") {
  const Folder folder;
  const auto path = folder.file("x.mcap");
  const auto to = recorder(path);
  to->opened(1, opening(1, "panic", "be-packed"));
  record(*to, 1, trace::TO_SERVER, "0001010200000001", 5);
  REQUIRE(to->close(2).ok());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  const Verified cut = verified({path, "", "", 0});
  CHECK(cut.exit == kFailed);
  CHECK(cut.err.find("entente recover") != std::string::npos);
  CHECK(cut.last() == tally(1));
}

// -- One connection ---------------------------------------------------------------------------------------------------

struct Link {
  explicit Link(const wire::Game& game, std::size_t dialect = 0)
      : context{ProblemReporter(err), 0, {}}, link("x", {&game, dialect}, context) {}

  void say(Way way, std::string_view hex, WallTime time = 0) {
    link.bytes({0, way, Lane::kStream, time, from_hex(hex)});
  }
  std::string result() { return text(link.finish()); }

  std::ostringstream err;
  VerifyContext context;
  VerifiedLink link;
};

constexpr WallTime kSecond = 1'000'000'000;
/// A greeting of the toy game's client, and a frame with an unknown code.
constexpr const char* kGreeted = "544f5921";
constexpr const char* kUnknown = "0155aa";
constexpr const char* kRefused = "frames=2 exact=1 opaque=0 refused=1 undecoded=0 mismatched=0";
constexpr const char* kUndecoded = "frames=2 exact=1 opaque=0 refused=0 undecoded=1 mismatched=0";

std::string after_bad_message(const std::vector<ImportedClose>& ends) {
  Link link(toy::game());
  link.say(Way::kToServer, kGreeted);
  link.say(Way::kToServer, kUnknown, 10 * kSecond);
  for (const ImportedClose& end : ends) link.link.ended(end);
  return link.result();
}

TEST_CASE("a client's bad message is refused only if its server closed the link for it") {
  const auto by_server = Way::kToClient, by_client = Way::kToServer;
  CHECK(after_bad_message({}) == kUndecoded);
  CHECK(after_bad_message({{by_server, {}, "", 11 * kSecond}}) == kRefused);
  CHECK(after_bad_message({{by_server, {}, "", 15 * kSecond}}) == kUndecoded);  // too late to be the reason
  CHECK(after_bad_message({{by_client, {}, "", 10 * kSecond}, {by_server, {}, "", 10 * kSecond}}) == kUndecoded);
  CHECK(after_bad_message({{{}, 1003, "no", 11 * kSecond}}) == kRefused);
  CHECK(after_bad_message({{{}, 1000, "", 11 * kSecond}}) == kUndecoded);
  CHECK(after_bad_message({{{}, {}, "", 11 * kSecond}}) == kUndecoded);  // it is unknown who closed
}

TEST_CASE("a bad message that the server closed the link for is refused, however many older ones it passed over") {
  for (const int older : {1, 300}) {
    CAPTURE(older);
    Link link(toy::game());
    link.say(Way::kToServer, kGreeted);
    for (int i = 0; i < older; ++i) link.say(Way::kToServer, kUnknown, 10 * kSecond);
    link.say(Way::kToServer, kUnknown, 20 * kSecond);
    link.link.ended({Way::kToClient, {}, "", 21 * kSecond});
    CHECK(link.result() == "frames=" + std::to_string(older + 2) +
                               " exact=1 opaque=0 refused=1 undecoded=" + std::to_string(older) + " mismatched=0");
  }
}

TEST_CASE("the end of a connection has no effect on the next one with the same ports") {
  Link link(toy::game());
  link.say(Way::kToServer, kGreeted);
  link.say(Way::kToServer, kUnknown);
  link.link.ended({Way::kToServer, {}, "", 0});
  link.link.connected(link.link.game_dialect());
  link.link.ended({Way::kToClient, {}, "", 0});
  link.say(Way::kToServer, kUnknown);
  link.link.ended({Way::kToClient, {}, "", 0});
  CHECK(link.result() == "frames=3 exact=1 opaque=0 refused=1 undecoded=1 mismatched=0");
}

TEST_CASE("a client's message that its server ignores counts as refused, unless it is a ban") {
  Link link(aos::game());
  for (const char* packet : {"28 01", "0d"}) link.say(Way::kToServer, packet);
  CHECK(link.result() == "frames=2 exact=0 opaque=0 refused=1 undecoded=1 mismatched=0");
}

TEST_CASE("a server's bad message is never refused") {
  Link link(toy::game());
  link.say(Way::kToClient, "746f7901");
  link.say(Way::kToClient, kUnknown);
  link.link.ended({Way::kToClient, {}, "", 0});
  CHECK(link.result() == kUndecoded);
}

TEST_CASE("a message with bytes that are kept but not decoded is opaque") {
  Link link(toy::game());
  link.say(Way::kToClient, "746f7901 0304010203");
  CHECK(link.result() == "frames=2 exact=1 opaque=1 refused=0 undecoded=0 mismatched=0");
  CHECK(link.err.str() ==
        "x s2c at 0.000 s: Blob is opaque: 3 bytes are not understood, byte 0 of 5\n"
        "    [03]04 0102 03\n");
}

TEST_CASE("a gap in a stream counts as one undecoded message, however much follows") {
  Link link(toy::game());
  link.say(Way::kToServer, kGreeted);
  link.link.lost(Way::kToServer, 7);
  link.say(Way::kToServer, "0204 0001");
  link.say(Way::kToServer, "0204 0001");
  CHECK(link.result() == kUndecoded);
  CHECK(link.err.str().find("the file lacks 7 bytes here") != std::string::npos);
  CHECK(link.link.line().ends_with("(c2s: 8 bytes could not be cut into messages)"));
}

TEST_CASE("gaps at the end of a stream are counted") {
  Link link(toy::game());
  link.say(Way::kToServer, kGreeted);
  link.link.lost(Way::kToServer, 7);
  link.link.lost(Way::kToServer, 9);
  link.link.lost(Way::kToClient, 1);
  CHECK(link.result() == "frames=4 exact=1 opaque=0 refused=0 undecoded=3 mismatched=0");
}

/// Panic with a codec that encodes the last byte of each message wrongly.
class Liar final : public wire::Game {
 public:
  std::string_view name() const override { return real_.name(); }
  std::string_view about() const override { return real_.about(); }
  std::uint16_t default_port() const override { return real_.default_port(); }
  wire::Transport transport() const override { return real_.transport(); }
  std::span<const wire::DialectInfo> dialects() const override { return real_.dialects(); }
  std::unique_ptr<wire::Cutter> cutter(Way way, std::size_t dialect) const override {
    return real_.cutter(way, dialect);
  }
  std::size_t largest_frame() const override { return real_.largest_frame(); }
  wire::Probe probe() const override { return real_.probe(); }
  wire::Detected detect(Bytes said) const override { return real_.detect(said); }
  std::unique_ptr<wire::Codec> codec(std::size_t dialect) const override {
    return std::make_unique<LyingCodec>(real_.codec(dialect));
  }
  const char* ignores(const wire::Frame& frame, std::size_t) const override {
    return frame.bytes.size() == 3 ? "messages of three bytes are ignored" : nullptr;
  }

 private:
  class LyingCodec final : public wire::Codec {
   public:
    explicit LyingCodec(std::unique_ptr<wire::Codec> honest) : honest_(std::move(honest)) {}
    std::span<const wire::Row> rows() const override { return honest_->rows(); }
    const wire::Row* find(const wire::Frame& frame) const override { return honest_->find(frame); }
    Result<const wire::Row*> decode(const wire::Frame& frame) override { return honest_->decode(frame); }
    void make(const wire::Row& row, Way way) override { honest_->make(row, way); }
    void visit(wire::FieldVisitor& visitor) override { honest_->visit(visitor); }
    void encode(Buffer& out) const override {
      honest_->encode(out);
      out.back() ^= 1;
    }

   private:
    std::unique_ptr<wire::Codec> honest_;
  };

  const wire::Game& real_ = panic::game();
};

TEST_CASE("a message that encodes to other bytes is a mismatch, and the report names the field") {
  const Liar liar;
  Link link(liar);
  link.say(Way::kToServer, "0001010200000001");
  CHECK(link.result() == "frames=1 exact=0 opaque=0 refused=0 undecoded=0 mismatched=1");
  CHECK(link.err.str().find("Action does not survive: encodes to 8 bytes, there 0001 0102 0000 00[00], field piece, "
                            "byte 7 of 8\n    0001 0102 0000 00[01]\n") != std::string::npos);
}

TEST_CASE("each kind of problem is reported once") {
  Link link(toy::game());
  link.say(Way::kToClient, "746f7901");
  for (int i = 0; i < 100; ++i) link.say(Way::kToClient, kUnknown);
  CHECK(link.result() == "frames=101 exact=1 opaque=0 refused=0 undecoded=100 mismatched=0");
  const std::string err = link.err.str();
  CHECK(std::count(err.begin(), err.end(), '\n') == 2);
}

}  // namespace
}  // namespace entente::verify_test
