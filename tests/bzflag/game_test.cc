// What a relay asks the game for: framing, greetings, detection, links.
#include "tests/bzflag/tape.h"

namespace entente::bzflag::game_test {
namespace {

using wire::Detected, wire::Frame, wire::Lane, wire::Stage, wire::Way;

/// "greeting:hex play:hex raw(why):hex …"
class Cuts final : public wire::DissectorSink {
 public:
  std::string all;
  void frame(const Frame& frame) override {
    all += (all.empty() ? "" : " ") + std::string(frame.stage == Stage::kGreeting ? "greeting:" : "play:") +
           to_hex(frame.bytes);
  }
  void raw(Way, Lane, Bytes bytes, const Fault* why) override {
    all += (all.empty() ? "" : " ") + std::string("raw(") + (why ? why->what : "") + "):" + to_hex(bytes);
  }
};

std::string cut(const char* dialect, Way way, std::string_view hex, std::size_t grain) {
  wire::Dissector dissector(game(), dialect_of(dialect));
  Cuts cuts;
  const Buffer bytes = from_hex(hex);
  for (std::size_t at = 0; at < bytes.size(); at += grain)
    dissector.stream(way, Bytes(bytes).subspan(at, std::min(grain, bytes.size() - at)), cuts);
  dissector.end(way, cuts, false);
  return cuts.all;
}

TEST_CASE("the greeting is split off once, however the stream is cut") {
  for (const std::size_t grain : std::initializer_list<std::size_t>{1, 3, 1000}) {
    CHECK(cut("2.4", Way::kToServer, "425a464c41470d0a0d0a 00006578", grain) ==
          "greeting:425a464c41470d0a0d0a play:00006578");
    CHECK(cut("2.4", Way::kToClient, "425a465330323231 05 0000736b", grain) ==
          "greeting:425a46533032323105 play:0000736b");
    CHECK(cut("wiki", Way::kToServer, "425a464c41470d0a0d0a 00006578", grain) ==
          "greeting:425a464c41470d0a0d0a play:00006578");
    CHECK(cut("wiki", Way::kToServer, "00006578", grain) == "play:00006578");
    CHECK(cut("1.10", Way::kToServer, "00006e66", grain) == "play:00006e66");
  }
}

TEST_CASE("player id 13 is not mistaken for a TooLate greeting") {
  for (const std::size_t grain : std::initializer_list<std::size_t>{1, 9, 1000})
    CHECK(cut("2.4", Way::kToClient, "425a465330323231 0d 0008677400000000 00000001", grain) ==
          "greeting:425a4653303232310d play:000867740000000000000001");
  CHECK(cut("2.4", Way::kToClient, "425a465330323231 0d", 9) ==
        "greeting:425a4653303232310d");  // bzfs then waits for the client
  CHECK(cut("2.4", Way::kToClient, "425a465330323231 0d0a0d0a", 1000) == "greeting:425a4653303232310d0a0d0a");
  CHECK(cut("2.0", Way::kToClient, "425a465330303236 0d", 9) == "greeting:425a4653303032360d");
}

/// Reads a refusal as a real 2.4 client does: at most 512 bytes after "REFUSED:", without the last one.
std::string read_by_client(Bytes refusal) {
  REQUIRE(as_text(refusal).starts_with("REFUSED:"));
  const std::string_view text = as_text(refusal).substr(8, 512);
  return std::string(text.substr(0, text.empty() ? 0 : text.size() - 1));
}

/// What a client at this stage is sent.
Buffer last_words(const char* dialect, wire::ClientStage stage, wire::Parting parting, std::string_view why) {
  Buffer all;
  for (const Buffer& frame : game().last_words(dialect_of(dialect), stage, parting, why)) append(all, frame);
  return all;
}
Buffer refused(const char* dialect, wire::Parting parting, std::string_view why) {
  return last_words(dialect, wire::ClientStage::kNew, parting, why);
}

TEST_CASE("a client reads the reason for its ban whole, or cut with a mark") {
  for (const char* dialect : {"2.4", "2.0"}) {
    CHECK(read_by_client(refused(dialect, wire::Parting::kBanned, "be nice")) == "be nice");
    const std::string read = read_by_client(refused(dialect, wire::Parting::kBanned, std::string(600, 'x')));
    CHECK(read == std::string(508, 'x') + "...");
  }
}

TEST_CASE("a reject without a reason is no ban, whatever comes after it") {
  for (const char* reject : {"0000726a", "0001726a09", "0001726a00"})
    for (const char* next : {"0009736b", "000a736b", "000b736b", "0900736b"}) {
      Buffer frames = from_hex(reject);
      append(frames, from_hex(next));
      frames.resize(frames.size() + 0x0900);
      CAPTURE(to_hex(Bytes(frames).first(9)));
      CHECK(game().admission(frames, dialect_of("2.4")) == wire::AdmissionState::kUndecided);
      CHECK(game().words_of_ban(frames, dialect_of("2.4")).empty());
    }
  const Buffer banned = from_hex("0002726a0009");
  CHECK(game().admission(banned, dialect_of("2.4")) == wire::AdmissionState::kBanned);
  CHECK(game().words_of_ban(banned, dialect_of("2.4")).empty());
}

TEST_CASE("who only asks is told that nobody plays, once per question") {
  const std::string game_question = "00007167", players_question = "00007170";
  for (const char* dialect : {"2.4", "2.0", "1.10"}) {
    CAPTURE(dialect);
    const std::size_t index = dialect_of(dialect);
    CHECK(game().only_asks({}, index));
    CHECK_FALSE(game().only_asks(from_hex("0000736b"), index));
    CHECK_FALSE(game().only_asks(from_hex(game_question + "0000736b"), index));
    CHECK_FALSE(game().only_asks(from_hex(game_question + "000071"), index));
    const Buffer both = from_hex(game_question + players_question);
    CHECK(game().only_asks(both, index));
    const std::string one = to_hex(game().answer_to_asker(from_hex(game_question), index));
    const std::string other = to_hex(game().answer_to_asker(from_hex(players_question), index));
    CHECK_FALSE(one.empty());
    CHECK_FALSE(other.empty());
    CHECK(to_hex(game().answer_to_asker(both, index)) == one + other);
  }
  CHECK(game().only_asks(from_hex("425a464c41470d0a0d0a" + game_question), dialect_of("2.4")));
  CHECK_FALSE(game().answer_to_asker(from_hex("425a464c41470d0a0d0a" + game_question), dialect_of("2.4")).empty());
}

TEST_CASE("a temporary refusal is not a ban") {
  const std::size_t dialect = dialect_of("2.4");
  CHECK(game().admission(refused("2.4", wire::Parting::kBanned, "be nice"), dialect) == wire::AdmissionState::kBanned);
  const Buffer away = refused("2.4", wire::Parting::kServerGone, "server cannot be reached");
  CHECK(read_by_client(away) == "server cannot be reached; try again later");
  CHECK(game().admission(away, dialect) == wire::AdmissionState::kUndecided);
  const Buffer drains = refused("2.4", wire::Parting::kServerGone, "no new players now; try again later");
  CHECK(read_by_client(drains) == "no new players now; try again later");
  CHECK(game().admission(drains, dialect) == wire::AdmissionState::kUndecided);
}

TEST_CASE("a client of 1.10 is refused with the number that it shows as a full game, unless it is banned") {
  CHECK(to_hex(refused("1.10", wire::Parting::kFull, "full")) == to_hex(as_bytes("BZFS1910\xff")));
  CHECK(to_hex(refused("1.10", wire::Parting::kServerGone, "away")) == to_hex(as_bytes("BZFS1910\xff")));
  CHECK(as_text(refused("1.10", wire::Parting::kBanned, "be nice")).starts_with("REFUSED:be nice"));
}

TEST_CASE("a client that joins gets a reject with the reason, and a player a line of chat; then both a goodbye") {
  const std::string goodbye("\0\0sk", 4);
  for (const char* dialect : {"2.4", "2.0"}) {
    const Buffer joining = last_words(dialect, wire::ClientStage::kJoining, wire::Parting::kFull, "no place");
    CHECK(as_text(joining).starts_with(std::string_view("\0\x82rj\0\x05no place\0", 15)));
    CHECK(as_text(joining).ends_with(goodbye));
  }
  const Buffer old = last_words("1.10", wire::ClientStage::kJoining, wire::Parting::kFull, "no place");
  CHECK(as_text(old) == goodbye);  // it would take a reject for a piece of the world
  for (const char* dialect : {"2.4", "2.0", "1.10"}) {
    const Buffer playing = last_words(dialect, wire::ClientStage::kPlaying, wire::Parting::kKicked, "kicked: spam");
    CHECK(as_text(playing).find("kicked: spam") != std::string_view::npos);
    CHECK(as_text(playing).substr(2, 2) == "mg");
    CHECK(as_text(playing).ends_with(goodbye));
  }
}

TEST_CASE("a server may end the connection before its greeting") {
  CHECK(cut("2.4", Way::kToClient, "0000736b", 1000) == "play:0000736b");
  CHECK(cut("2.4", Way::kToClient, "0000736b", 1) == "play:0000736b");
  const auto codec = game().codec(0);
  const auto end = codec->decode({Way::kToClient, Lane::kStream, Stage::kPlay, from_hex("0000736b")});
  REQUIRE(end.ok());
  CHECK(std::string((*end)->name) == "MsgSuperKill");
}

TEST_CASE("a refusal runs to the end of the stream") {
  CHECK(cut("2.4", Way::kToClient, "524546555345443a 6e6f", 1000) == "greeting:524546555345443a6e6f");
  CHECK(cut("2.4", Way::kToClient, "524546555345443a 6e6f", 1) == "greeting:524546555345443a greeting:6e greeting:6f");
  CHECK(cut("wiki", Way::kToClient, "524546555345443a 6e6f", 1000) == "raw(wrong greeting):524546555345443a6e6f");
  const auto codec = game().codec(0);
  const auto more = codec->decode({Way::kToClient, Lane::kStream, Stage::kGreeting, as_bytes("o")});
  CHECK(std::string((*more)->name) == "RefusedMore");
}

TEST_CASE("framing is lost at a wrong greeting and at a frame that is too large") {
  CHECK(cut("2.4", Way::kToServer, "474554", 1) == "raw(wrong greeting):47 raw():45 raw():54");
  CHECK(cut("2.4", Way::kToServer, "00006578", 4) == "raw(wrong greeting):00006578");
  CHECK(cut("2.4", Way::kToClient, "485454", 3) == "raw(wrong greeting):485454");
  CHECK(cut("1.10", Way::kToServer, "425a464c41470d0a0d0a", 10) == "raw(frame too large):425a464c41470d0a0d0a");
  CHECK(cut("2.0", Way::kToServer, "0400", 2) == "raw():0400");
  CHECK(cut("2.0", Way::kToServer, "0401", 2) == "raw(frame too large):0401");
}

TEST_CASE("a datagram holds one frame or several") {
  wire::Dissector dissector(game(), 0);
  Cuts cuts;
  dissector.datagram(Way::kToClient, from_hex("00006f66 0002706900010000"), cuts);
  CHECK(cuts.all == "play:00006f66 play:000270690001 raw(message too short):0000");
}

TEST_CASE("the dialect is detected from the server's first bytes") {
  const auto state = [](std::string_view said) { return game().detect(as_bytes(said)).state; };
  const auto dialect = [](std::string_view said) {
    return game().dialects()[game().detect(as_bytes(said)).dialect].name;
  };
  for (const char* part : {"", "B", "BZFS", "BZFS022"}) CHECK(state(part) == Detected::State::kNeedMore);
  for (const char* part : {"X", "BZX", "BZFS9999", "BZFLAG\r\n", "HTTP/1.1"})
    CHECK(state(part) == Detected::State::kUnknown);
  CHECK(dialect("BZFS0221\r\n\r\n") == "2.4");
  CHECK(dialect(std::string_view("BZFS0026\0\0\x08gt", 13)) == "2.0");
  CHECK(dialect(std::string_view("BZFS1910\0", 9)) == "1.10");
}

TEST_CASE("a greeting contains the player id, and so does a link request") {
  const auto id = [](std::string_view hex) { return game().greeted_as(from_hex(hex)); };
  CHECK(id("425a465330323231 05") == 5);
  CHECK_FALSE(id("425a465330323231 ff").has_value());  // full
  CHECK_FALSE(id("425a465330323231 0d0a0d0a").has_value());
  CHECK_FALSE(id("524546555345443a 6e").has_value());
  const auto link = [](std::string_view hex) { return game().link_request(from_hex(hex)); };
  CHECK(link("0001 6f66 05")->player == 5);
  CHECK_FALSE(link("0000 6f66").has_value());
  CHECK_FALSE(link("0001 6f67 05").has_value());
  CHECK_FALSE(link("0001 6f66 05 00").has_value());
}

TEST_CASE("messages that a server ignores are distinguished from those that it kicks for") {
  const auto ignores = [](const char* dialect, Lane lane, std::string_view hex) {
    const Buffer bytes = from_hex(hex);
    return game().ignores({Way::kToServer, lane, Stage::kPlay, bytes}, dialect_of(dialect)) != nullptr;
  };
  CHECK_FALSE(ignores("2.4", Lane::kStream, "0000 7a7a"));
  CHECK(ignores("2.0", Lane::kStream, "0000 7a7a"));
  CHECK(ignores("1.10", Lane::kStream, "0004 7363 00010001"));
  CHECK_FALSE(ignores("1.10", Lane::kStream, "0001 7061"));  // not whole
  CHECK_FALSE(ignores("1.10", Lane::kStream, "0000 7061"));  // MsgPause without its payload: it would be read
  CHECK(ignores("2.4", Lane::kDatagram, "0000 616c"));       // MsgAlive
  CHECK(ignores("2.4", Lane::kDatagram, "00"));
  CHECK(ignores("2.4", Lane::kDatagram, "0002 6f66 00"));
  CHECK_FALSE(ignores("2.4", Lane::kDatagram, "0001 7073 00"));
  CHECK(ignores("2.4", Lane::kDatagram, "0001 7362 00"));        // MsgShotBegin
  CHECK(ignores("2.0", Lane::kStream, "425a464c41470d0a0d0a"));  // the header of 2.4
  CHECK_FALSE(ignores("2.4", Lane::kStream, "425a464c41470d0a0d0a"));
  CHECK(game().ignores({Way::kToClient, Lane::kStream, Stage::kPlay, {}}, 0) == nullptr);
}

TEST_CASE("a relay sends the greeting in one write, says goodbye, and waits for a header only in 2.4") {
  CHECK(game().requires_one_write(Way::kToClient, Stage::kGreeting));
  CHECK_FALSE(game().requires_one_write(Way::kToClient, Stage::kPlay));
  CHECK_FALSE(game().requires_one_write(Way::kToServer, Stage::kGreeting));
  CHECK(game().client_greeting_size(dialect_of("2.4")) == 10);
  CHECK(game().client_greeting_size(dialect_of("2.0")) == 0);
  CHECK(to_hex(game().goodbye(0)) == "0000736b");
  CHECK(game().dialects()[0].name == "2.4");
  CHECK(game().default_port() == 5154);
}

}  // namespace
}  // namespace entente::bzflag::game_test
