// A room with one dialect of BZFlag on both sides is a mirror: in real sessions, each side receives what the other
// sent, except for the differences that adapters/bzflag/README.md lists. Each line of that list is one rule here.
#include <cstring>
#include <fstream>
#include <set>

#include "proxy/core/room/room.h"
#include "tests/bzflag/said.h"
#include "tests/bzflag/tape.h"
#include "tests/support/cut_link.h"
#include "tests/support/paths.h"
#include "tests/support/printed_frame.h"

namespace entente::bzflag::mirror_test {
namespace {

using core::Micros;
using wire::Way;

/// One message a line, as it was sent.
class Lines final : public wire::DissectorSink {
 public:
  explicit Lines(std::size_t dialect) : codec_(game().codec(dialect)) {}
  void frame(const wire::Frame& frame) override { all.push_back(printed_frame(*codec_, frame)); }
  void raw(Way, Lane, Bytes bytes, const Fault*) override { all.push_back("raw " + to_hex(bytes)); }
  std::vector<std::string> all;

 private:
  std::unique_ptr<wire::Codec> codec_;
};

/// What each end of the room was sent, in order, both lanes together.
class Ends final : public core::Room::Host {
 public:
  explicit Ends(std::size_t dialect)
      : to_client(dialect), to_server(dialect), client_(game(), dialect), server_(game(), dialect) {}

  void send(core::Id end, Lane lane, Bytes bytes) override {
    const bool up = end == core::kBackId;
    wire::Dissector& to = up ? server_ : client_;
    const Way way = up ? Way::kToServer : Way::kToClient;
    lane == Lane::kDatagram ? to.datagram(way, bytes, up ? to_server : to_client)
                            : to.stream(way, bytes, up ? to_server : to_client);
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault& fault) override { FAIL(std::string(fault.what)); }
  void dial() override {}

  Lines to_client, to_server;

 private:
  wire::Dissector client_, server_;
};

struct Played {
  std::vector<std::string> from_client, from_server, to_client, to_server;
};

/// The player of an update, and the time in it in seconds.
std::optional<std::pair<std::uint8_t, float>> told_time(Bytes frame) {
  const bool timed = frame.size() > 8 && frame[2] == 0x70 && (frame[3] == 0x73 || frame[3] == 0x75);
  if (!timed) return std::nullopt;
  const std::uint32_t bits = static_cast<std::uint32_t>(frame[4]) << 24U | static_cast<std::uint32_t>(frame[5]) << 16U |
                             static_cast<std::uint32_t>(frame[6]) << 8U | frame[7];
  return std::pair{frame[8], std::bit_cast<float>(bits)};
}

/// Estimates when the lines of a tape were written: between two updates of a player, the time that their timestamps say
/// passes, and at least a millisecond a line.
class Clock {
 public:
  Micros at(Micros now, Bytes frame) {
    now += core::kMillisecond;
    const auto told = told_time(frame);
    if (!told) return now;
    if (const auto last = last_.find(told->first); last != last_.end())
      now = std::max(now, last->second.first + static_cast<Micros>((told->second - last->second.second) * 1e6F));
    last_[told->first] = {now, told->second};
    return now;
  }

 private:
  std::map<std::uint8_t, std::pair<Micros, float>> last_;
};

/// Plays one connection of a tape. `grain`: at most so many stream bytes at once, 0 = as cut.
Played play(const std::string& name, std::size_t dialect, std::size_t grain) {
  Ends ends(dialect);
  core::RoomOptions options;
  options.chat.commands = true;
  core::Room room(ends, faces().back({dialect, {}}), options);
  Micros now = 0;
  const core::Id seat = room.seat(faces().front({dialect, {}}), {}, now);
  room.back_opened({}, now);
  testing::CutLink client_link(game(), dialect, Way::kToServer), server_link(game(), dialect, Way::kToClient);
  wire::Dissector client(game(), dialect), server(game(), dialect);
  Lines from_client(dialect), from_server(dialect);
  Clock clock;

  std::ifstream file(testing::source_dir() + "/tests/traces/bzflag/" + name + ".txt");
  REQUIRE(file.is_open());
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    int connection = 0;
    std::string way_name, lane_name, hex;
    words >> connection >> way_name >> lane_name >> hex;
    if (connection != 1 || lane_name == "end") continue;
    const Way way = way_name == "c2s" ? Way::kToServer : Way::kToClient;
    const Lane lane = lane_name == "datagram" ? Lane::kDatagram : Lane::kStream;
    const Buffer bytes = from_hex(hex);
    const Micros until = clock.at(now, bytes);
    while (now < until) {
      now = std::min(until, std::max(now, room.next_wake()));
      if (room.next_wake() <= now) room.tick(now);
    }
    const bool up = way == Way::kToServer;
    wire::Dissector& tape = up ? client : server;
    Lines& said = up ? from_client : from_server;
    lane == Lane::kDatagram ? tape.datagram(way, bytes, said) : tape.stream(way, bytes, said);
    const std::size_t step = grain == 0 || lane == Lane::kDatagram ? bytes.size() : grain;
    for (std::size_t at = 0; at < bytes.size(); at += step)
      (up ? client_link : server_link)
          .receive(room, up ? seat : core::kBackId, lane, Bytes(bytes).subspan(at, std::min(step, bytes.size() - at)),
                   now);
  }
  return {from_client.all, from_server.all, ends.to_client.all, ends.to_server.all};
}

// -- What the README lists -------------------------------------------------------------------------------------------

std::string without(std::string line, const std::string& field) {
  const std::size_t at = line.find(" " + field + "=");
  if (at == std::string::npos) return line;
  return line.erase(at, line.find(' ', at + 1) - at);
}

/// Words cannot express jump jets, sounds and drivers: their status bits and fields are not passed on.
std::string without_tail(std::string line) {
  const std::size_t at = line.find(" status=");
  if (at == std::string::npos) return line;
  const int status = std::stoi(line.substr(at + 8));
  const std::size_t end = line.find(' ', at + 1);
  line.replace(at, end - at, " status=" + std::to_string(status & 0x7f));
  return without(without(without(std::move(line), "jump_jets"), "sounds"), "driver");
}

bool starts(const std::string& line, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return line.starts_with(name); });
}

std::vector<std::string> listed(const std::vector<std::string>& all, Way way, std::size_t dialect) {
  std::vector<std::string> out;
  std::set<std::string> ended, dead;
  for (std::string line : all) {
    // An update that arrived after its tank's death.
    const auto of = [&](const char* field) {
      const std::size_t at = line.find(field);
      return at == std::string::npos ? "" : line.substr(at, line.find(' ', at) - at).substr(std::strlen(field));
    };
    if (way == Way::kToClient && starts(line, {"MsgKilled"})) dead.insert(of("victim="));
    if (way == Way::kToClient && starts(line, {"MsgAlive"})) dead.erase(of("player="));
    if (starts(line, {"MsgPlayerUpdate"}) && dead.contains(of("player="))) continue;
    // Each side has its own UDP link, lag and clock.
    if (starts(line, {"MsgUDPLink", "MsgLagPing", "MsgGameTime"})) continue;
    // Our back asks for the names of the players, whether its client asks or not.
    if (line == "MsgQueryPlayers") continue;
    // Our front answers this itself, before the server does.
    if (way == Way::kToClient && starts(line, {"MsgNegotiateFlags"})) continue;
    // The world is rebuilt, with a hash that clients do not cache. 1.10 writes the time into its world after hashing
    // it.
    if (dialect != kDialect24 && way == Way::kToClient && starts(line, {"MsgWantWHash", "MsgGetWorld"})) continue;
    // The flags that a client of 1.10 knows, in our order.
    if (dialect == kDialect110 && starts(line, {"MsgNegotiateFlags"})) continue;
    // Only what is new is passed on.
    if (line.starts_with("MsgPlayerInfo") && line.find("bits=1") == std::string::npos) continue;
    // The old memory that a 1.10 program sends after the end of a text.
    for (std::size_t at = 0; dialect == kDialect110 && (at = line.find("\"+tail", at)) != std::string::npos;)
      line.erase(at + 1, std::min(line.find_first_of(" }", at), line.size()) - at - 1);
    // The value is a pointer in the server's memory.
    if (const std::size_t at = line.find(" {name=\"poll\""); at != std::string::npos)
      line.erase(at, line.find('}', at) + 1 - at);
    if (starts(line, {"MsgPlayerUpdate"})) {
      line = without_tail(line);
      // Updates of the remains of a dead tank.
      const std::size_t at = line.find(" status=");
      if ((std::stoi(line.substr(at + 8)) & 1) == 0) continue;
      if (way == Way::kToClient) line = without(line, "time");  // on our front's clock
    }
    if (starts(line, {"MsgShotBegin"})) line = without(line, "sent");  // derived from the last update's time
    // A ray and a shock wave have no speed in words.
    if (starts(line, {"MsgShotBegin"}))
      for (const char* flag : {" flag=\"L\"", " flag=\"TH\"", " flag=\"SW\""})
        if (line.find(flag) != std::string::npos)
          line.erase(line.find(" vel=("), line.find(')', line.find(" vel=(")) + 1 - line.find(" vel=("));
    if (starts(line, {"MsgGMUpdate"})) line = without(line, "age");
    // A flag that nobody carries has no owner.
    for (const char* state : {"1", "3", "4", "5"})
      for (std::size_t at = 0;
           (at = line.find(std::string("status=") + state + " endurance=", at)) != std::string::npos;) {
        at = line.find("owner=", at);
        line.replace(at, line.find(' ', at) - at, "owner=255");
      }
    // A shot ends once.
    if (starts(line, {"MsgShotEnd"}) && way == Way::kToClient) {
      const std::string shot = line.substr(0, line.find(" reason"));
      if (!ended.insert(shot).second) continue;
    }
    if (starts(line, {"MsgShotBegin"}) && way == Way::kToClient) {
      std::istringstream words(line);
      std::string name, player, shot;
      words >> name >> player >> shot;
      ended.erase("MsgShotEnd " + player + " " + shot);
    }
    out.push_back(line);
  }
  return out;
}

bool is_update(const std::string& line) { return line.starts_with("MsgPlayerUpdate"); }

std::vector<std::string> without_updates(std::vector<std::string> all) {
  std::erase_if(all, is_update);
  return all;
}

std::ptrdiff_t updates(const std::vector<std::string>& all) { return std::count_if(all.begin(), all.end(), is_update); }

/// The first difference: up to four lines of each side from there on.
std::string parting(const std::vector<std::string>& said, const std::vector<std::string>& passed) {
  const auto [a, b] = std::mismatch(said.begin(), said.end(), passed.begin(), passed.end());
  std::string text;
  for (auto line = a; line != said.end() && line < a + 4; ++line) text += "said   " + *line + "\n";
  for (auto line = b; line != passed.end() && line < b + 4; ++line) text += "passed " + *line + "\n";
  return text;
}

TEST_CASE("real sessions pass the mirror unchanged, except for the listed differences, however the stream is cut") {
  struct Tape {
    const char* name;
    std::size_t dialect, least;  // lines each way
    bool dense = false;          // its clients send updates more often than a face passes them on
  };
  for (const Tape& tape : std::initializer_list<Tape>{{"bzfs2426-gui-two-tanks", kDialect24, 100},
                                                      {"bzfs2426-gui-flags-teleport", kDialect24, 100},
                                                      {"bzfs2016-gui-two-tanks", kDialect20, 50},
                                                      {"bzfs1108-gui-two-tanks", kDialect110, 50, true}}) {
    for (const std::size_t grain : std::initializer_list<std::size_t>{0, 1}) {
      INFO(std::string(tape.name), " grain ", grain);
      const Played played = play(tape.name, tape.dialect, grain);
      const auto said = listed(played.from_server, Way::kToClient, tape.dialect);
      const auto heard = listed(played.to_client, Way::kToClient, tape.dialect);
      const auto asked = listed(played.from_client, Way::kToServer, tape.dialect);
      const auto passed = listed(played.to_server, Way::kToServer, tape.dialect);
      CHECK(said.size() > tape.least);
      CHECK(asked.size() > tape.least);
      if (!tape.dense) {
        CHECK(parting(said, heard) == "");
        CHECK(parting(asked, passed) == "");
      } else {
        CHECK(parting(without_updates(said), without_updates(heard)) == "");
        CHECK(parting(without_updates(asked), without_updates(passed)) == "");
        CHECK(updates(heard) * 2 > updates(said));
        CHECK(updates(passed) * 2 > updates(asked));
      }
    }
  }
}

}  // namespace
}  // namespace entente::bzflag::mirror_test
