// A room with Panic on both sides is a mirror: each side receives what the other sent, byte for byte, except for the
// differences that adapters/panic/README.md lists. Played from recordings of the released programs, in all dialects.
#include <doctest/doctest.h>

#include <map>

#include "adapters/panic/panic.h"
#include "adapters/wire/dissect.h"
#include "proxy/core/room/room.h"
#include "tests/panic/lines.h"
#include "tests/panic/maps.h"
#include "tests/program/folder.h"
#include "tests/support/cut_link.h"
#include "tests/support/printed_frame.h"
#include "tests/support/recorded.h"

namespace entente::panic::mirror_test {
namespace {

using core::Micros;
using wire::Way;

/// What each end of the room was sent.
class Ends final : public core::Room::Host {
 public:
  void send(core::Id end, Lane, Bytes bytes) override { append(end == core::kBackId ? to_server : to_client, bytes); }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override { closed = true; }
  void failed(core::Id, const Fault& fault) override { FAIL(fault.what); }
  void dial() override {}

  Buffer to_client, to_server;
  bool closed = false;
};

/// One player's room: our front towards the client, our back towards the server. The back sends Quit when its player
/// leaves, and has a map on which no shot can leave.
struct Mirror {
  Mirror(std::size_t dialect, const Folder& maps)
      : room(ends, faces().back({dialect, {{"leave", "quit"}, {"maps", maps.path().string()}}}), {}),
        client_link(game(), dialect, Way::kToServer),
        server_link(game(), dialect, Way::kToClient) {
    seat = room.seat(faces().front({dialect, {}}), {}, 0);
    room.back_opened({}, 0);
  }
  void passes(Micros until) {
    while (room.next_wake() <= until) {
      now = std::max(now, room.next_wake());
      room.tick(now);
    }
    now = std::max(now, until);
  }
  void receives(Way from, Bytes bytes) {
    const bool server = from == Way::kToClient;
    (server ? server_link : client_link).receive(room, server ? core::kBackId : seat, Lane::kStream, bytes, now);
  }

  Ends ends;
  core::Room room;
  testing::CutLink client_link, server_link;
  core::Id seat;
  Micros now = 0;
};

/// One message a line, without padding.
class Read final : public wire::DissectorSink {
 public:
  explicit Read(std::size_t dialect) : codec_(game().codec(dialect)) {}
  void frame(const wire::Frame& frame) override { lines.push_back(unpadded(printed_frame(*codec_, frame))); }
  void raw(Way, Lane, Bytes bytes, const Fault*) override { lines.push_back("raw " + to_hex(bytes)); }
  std::vector<std::string> lines;

 private:
  std::unique_ptr<wire::Codec> codec_;
};

std::vector<std::string> read(std::size_t dialect, Way way, Bytes bytes) {
  Read to(dialect);
  wire::Dissector dissector(game(), dialect);
  dissector.stream(way, bytes, to);
  dissector.end(way, to, false);
  return to.lines;
}

/// The same messages with zeros as padding, as we write it. The server's padding is old memory.
Buffer without_padding(std::size_t dialect, Bytes bytes) {
  Buffer all;
  Lines to(dialect);
  while (!bytes.empty()) {
    const wire::Cut cut = panic::cut(Way::kToClient, dialect, bytes);
    REQUIRE(cut.size != 0);
    const auto heard = to.codec->read({Way::kToClient, Lane::kStream, wire::Stage::kPlay, bytes.first(cut.size)});
    REQUIRE(heard.ok());
    Message message = *heard->message;
    if (auto* state = std::get_if<GameState>(&message)) state->padding = {}, state->count_padding = {};
    if (auto* create = std::get_if<CreatePiece>(&message)) create->padding = {}, create->end_padding = {};
    if (auto* event = std::get_if<Event>(&message)) event->padding = {};
    to.codec->write(message, Way::kToClient, all, heard->code);
    bytes = bytes.subspan(cut.size);
  }
  return all;
}

struct Session {
  Session(std::size_t dialect, const Folder& maps) : mirror(dialect, maps) {}
  Mirror mirror;
  Buffer from_client, from_server;
  Micros later = 0;  // scripted players act faster than our back allows, so their time is stretched
};

/// Plays the capture, each player through its own mirror. `piece`: bytes at a time.
std::map<std::string, std::unique_ptr<Session>> played(const std::string& name, std::size_t dialect,
                                                       std::size_t piece) {
  const Folder maps;
  maps.write("yard.map", walled_map(30, 20));
  std::map<std::string, std::unique_ptr<Session>> sessions;
  for (const testing::Recorded& record : testing::recorded("panic/" + name)) {
    auto& session = sessions[record.connection];
    if (!session) session = std::make_unique<Session>(dialect, maps);
    if (record.way == Way::kToServer) session->later += 120 * core::kMillisecond;
    session->mirror.passes(record.at + session->later);
    append(record.way == Way::kToServer ? session->from_client : session->from_server, record.bytes);
    for (Bytes left = record.bytes; !left.empty() && !session->mirror.ends.closed;) {
      const Bytes now = left.first(std::min(left.size(), piece));
      session->mirror.receives(record.way, now);
      left = left.subspan(now.size());
    }
  }
  return sessions;
}

/// A listed difference on the way to the client: only the first GameOver is passed on.
std::vector<std::string> with_one_end(std::vector<std::string> lines) {
  bool over = false;
  std::erase_if(lines,
                [&](const std::string& line) { return line.starts_with("GameOver") && std::exchange(over, true); });
  return lines;
}

/// A listed difference on the way to the server: an Action without an action is not passed on.
std::vector<std::string> with_wishes(std::vector<std::string> lines) {
  std::erase_if(lines, [](const std::string& line) { return line.find("action=0") != std::string::npos; });
  return lines;
}

void check_mirrored(const std::string& name, std::size_t dialect) {
  for (const std::size_t piece : {std::size_t{1} << 20U, std::size_t{1}}) {
    for (const auto& [who, session] : played(name, dialect, piece)) {
      const std::string player = who;
      CAPTURE(name);
      CAPTURE(player);
      const Ends& ends = session->mirror.ends;
      CHECK(read(dialect, Way::kToClient, ends.to_client) ==
            with_one_end(read(dialect, Way::kToClient, session->from_server)));
      CHECK(read(dialect, Way::kToServer, ends.to_server) ==
            with_wishes(read(dialect, Way::kToServer, session->from_client)));
      if (player != "p1") continue;  // no listed difference happened to the first player
      CHECK(to_hex(ends.to_client) == to_hex(without_padding(dialect, session->from_server)));
      CHECK(to_hex(ends.to_server) == to_hex(session->from_client));
    }
  }
}

TEST_CASE("a whole game of the released programs passes the mirror unchanged, in every dialect") {
  check_mirrored("patched-be-2p-test-kill-win.jsonl", 0);
  check_mirrored("master-2p-test-kill-win.jsonl", 1);
  check_mirrored("serverbranch-2p-test-kill-win.jsonl", 2);
}

TEST_CASE("small reads make no difference") { check_mirrored("patched-be-2p-smallreads.jsonl", 0); }

}  // namespace
}  // namespace entente::panic::mirror_test
