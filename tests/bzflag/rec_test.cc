// Recordings of a real bzfs, and recordings that we make from a session.
#include "adapters/bzflag/rec/rec.h"

#include <algorithm>
#include <cstring>

#include "adapters/wire/print.h"
#include "tests/bzflag/tape.h"
#include "tests/support/paths.h"

namespace entente::bzflag::rec_test {
namespace {

using wire::Frame, wire::Lane, wire::Stage, wire::Way;

Buffer file_of(const char* name) {
  std::ifstream file(testing::source_dir() + "/tests/traces/bzflag/" + name, std::ios::binary);
  REQUIRE(file.is_open());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A packet's payload as the frame that a server would send.
Buffer frame_of(const RecReader::Packet& packet) {
  Buffer frame;
  for (const std::size_t number : {packet.payload.size(), std::size_t{packet.head.code}}) {
    frame.push_back(static_cast<std::uint8_t>(number >> 8U));
    frame.push_back(static_cast<std::uint8_t>(number));
  }
  append(frame, packet.payload);
  return frame;
}

/// Writes a copy of the recording.
Buffer copied(RecReader& reader) {
  Buffer out;
  RecWriter writer(reader.dialect(), reader.short_header(), reader.header(), reader.flags(), reader.world(), out);
  for (;;) {
    const auto packet = reader.next();
    REQUIRE(packet.ok());
    if (!*packet) return out;
    writer.add((*packet)->head, (*packet)->payload);
  }
}

TEST_CASE("a copy of a real recording is equal byte for byte") {
  const Buffer file = file_of("bzfs2426-ctf.rec");
  auto reader = RecReader::open(file);
  REQUIRE(reader.ok());
  CHECK(game().dialects()[reader->dialect()].name == "2.4");
  CHECK_FALSE(reader->short_header());
  CHECK(reader->header().protocol.view() == "BZFS0221");
  CHECK(reader->header().application.view().starts_with("2.4.26"));
  CHECK(world_hash(reader->world(), WorldSource::kRandom) == reader->header().hash.view());
  CHECK(reader->flags().size() > 10);
  CHECK(same(copied(*reader), file));
}

TEST_CASE("a real recording holds the server's messages, which are encoded exactly as read") {
  const Buffer file = file_of("bzfs2426-ctf.rec");
  auto reader = RecReader::open(file);
  REQUIRE(reader.ok());
  const auto codec = game().codec(reader->dialect());
  std::map<int, int> modes;
  for (;;) {
    const auto packet = reader->next();
    REQUIRE(packet.ok());
    if (!*packet) break;
    ++modes[(*packet)->head.mode];
    if ((*packet)->head.mode == kRecUpdate) continue;
    const Buffer frame = frame_of(**packet);
    INFO(to_hex(frame));
    const auto row = codec->decode({Way::kToClient, Lane::kStream, Stage::kPlay, frame});
    REQUIRE(row.ok());
    Buffer again;
    codec->encode(again);
    CHECK(to_hex(again) == to_hex(frame));
  }
  CHECK(modes[kRecReal] > 100);
  CHECK(modes[kRecState] > 50);
  CHECK(modes[kRecUpdate] > 1);
  CHECK(modes[kRecHidden] > 0);
}

TEST_CASE("the faulty header of 2.4.14 is read and written unchanged") {
  Buffer file = file_of("bzfs2426-ctf.rec");
  auto whole = RecReader::open(file);
  REQUIRE(whole.ok());
  Buffer narrow;
  RecHeader header = whole->header();
  header.short_application.set("2.4.14");
  header.hash.set(whole->header().hash.view());
  RecWriter writer(whole->dialect(), true, header, whole->flags(), whole->world(), narrow);
  auto reader = RecReader::open(narrow);
  REQUIRE(reader.ok());
  CHECK(reader->short_header());
  CHECK(reader->header().short_application.view() == "2.4.14");
  CHECK(reader->header().hash.view() == header.hash.view());
  CHECK(reader->world().size() == whole->world().size());
  CHECK(same(copied(*reader), narrow));
}

TEST_CASE("a truncated recording is a fault, or ends where it was cut") {
  const Buffer file = file_of("bzfs2426-ctf.rec");
  const std::size_t header = RecReader::open(file)->header().length;
  for (std::size_t size = 0; size < file.size(); size += size < header + 300 ? 1 : 997) {
    auto reader = RecReader::open(Bytes(file).first(size));
    CHECK(reader.ok() == (size >= header));
    while (reader.ok()) {
      const auto packet = reader->next();
      if (!packet || !*packet) break;
    }
  }
  Buffer hostile = file;
  std::memset(hostile.data() + 28, 0xFF, 4);  // a world of 4 GiB
  CHECK_FALSE(RecReader::open(hostile).ok());
  hostile = file;
  std::memset(hostile.data() + header + 4, 0xFF, 4);  // a packet of 4 GiB
  auto reader = RecReader::open(hostile);
  REQUIRE(reader.ok());
  CHECK_FALSE(reader->next().ok());
}

/// Feeds a session's frames to an export, 1 ms apart.
class Hear final : public wire::DissectorSink {
 public:
  RecExport& to;
  std::int64_t time = 1'000'000;
  explicit Hear(RecExport& e) : to(e) {}
  /// Updates of the client's own tank.
  std::size_t updates = 0;
  std::uint8_t own = 0;
  void frame(const Frame& frame) override {
    const auto code = static_cast<Code>(frame.bytes[2] << 8U | frame.bytes[3]);
    if (frame.way == Way::kToServer && (code == PlayerUpdate::kCode || code == PlayerUpdateSmall::kCode))
      ++updates, own = frame.bytes[8];
    to.hear(frame, time += 1000);
  }
  void raw(Way, Lane, Bytes, const Fault*) override {}
};

TEST_CASE("a session becomes a recording") {
  RecExport out(dialect_of("2.4"));
  Hear hear(out);
  play_tape("bzfs2426-gui-two-tanks", "2.4", 0, hear, 1);
  Buffer file;
  CHECK_FALSE(out.write(file).has_value());
  auto reader = RecReader::open(file);
  REQUIRE(reader.ok());
  CHECK(world_hash(reader->world(), WorldSource::kRandom) == reader->header().hash.view());
  CHECK(to_hex(Bytes(reader->header().settings).first(4)) == "001e6773");

  std::vector<std::pair<int, Code>> heads;
  std::size_t own = 0;
  for (;;) {
    const auto packet = reader->next();
    REQUIRE(packet.ok());
    if (!*packet) break;
    const auto& [head, payload] = **packet;
    heads.emplace_back(head.mode, head.code);
    own += head.mode == kRecReal && head.code == PlayerUpdateSmall::kCode && payload[4] == hear.own;
  }
  // Only the client itself said how it moved. It also did before it was in the game.
  CHECK(hear.updates > 50);
  CHECK(own <= hear.updates);
  CHECK(own > hear.updates / 2);
  CHECK(heads.front() == std::pair<int, Code>{kRecUpdate, 0});
  CHECK(std::count(heads.begin(), heads.end(), std::pair<int, Code>{kRecState, SetVar::kCode}) > 1);
  CHECK(std::count(heads.begin(), heads.end(), std::pair<int, Code>{kRecState, AddPlayer::kCode}) == 1);
  CHECK(std::count(heads.begin(), heads.end(), std::pair<int, Code>{kRecReal, PlayerUpdateSmall::kCode}) > 50);
  for (const Code never : {LagPing::kCode, Accept::kCode, WorldChunk::kCode, NegotiateFlags::kCode})
    CHECK(std::none_of(heads.begin(), heads.end(), [&](const auto& h) { return h.second == never; }));
}

TEST_CASE("a recording lacks commands, private lines and addresses; other lines are shown") {
  struct Line {
    std::uint8_t to;
    const char* text;
    int mode;
  };
  static constexpr int kNone = -1;
  const Line lines[] = {{254, "/password sesame", kNone},
                        {5, "for you alone", kNone},
                        {250, "for the team", kNone},
                        {254, "hello", kRecReal}};
  for (const Line& line : lines) {
    const std::string text = line.text;
    CAPTURE(text);
    RecExport out(dialect_of("2.4"));
    Hear hear(out);
    play_tape("bzfs2426-gui-two-tanks", "2.4", 0, hear, 1);
    Buffer chat = {0, 0, static_cast<std::uint8_t>(Chat::kCode >> 8U), static_cast<std::uint8_t>(Chat::kCode & 0xFFU)};
    append(chat, Buffer{5, line.to, 0});  // from player 5, a line of chat
    append(chat, as_bytes(text));
    chat.push_back(0);
    chat[1] = static_cast<std::uint8_t>(chat.size() - 4);
    out.hear({Way::kToClient, Lane::kStream, Stage::kPlay, chat}, hear.time += 1000);
    AdminInfo addresses;
    addresses.players.emplace_back();
    Buffer admin;
    make_message_codec(dialect_of("2.4"))->write(addresses, Way::kToClient, admin);
    out.hear({Way::kToClient, Lane::kStream, Stage::kPlay, admin}, hear.time += 1000);
    Buffer file;
    REQUIRE_FALSE(out.write(file).has_value());
    auto reader = RecReader::open(file);
    REQUIRE(reader.ok());
    int found = kNone;
    for (;;) {
      const auto packet = reader->next();
      REQUIRE(packet.ok());
      if (!*packet) break;
      if ((*packet)->head.code == Chat::kCode && as_text((*packet)->payload).find(text) != std::string_view::npos)
        found = (*packet)->head.mode;
      CHECK((*packet)->head.code != AdminInfo::kCode);
    }
    CHECK(found == line.mode);
  }
}

TEST_CASE("a session without its world cannot become a recording") {
  RecExport none(0);
  Buffer file;
  CHECK(none.write(file).has_value());
  CHECK(file.empty());
  RecExport chat(0);
  Hear hear(chat);
  play_tape("bzfs2426-bzadmin-chat", "2.4", 0, hear, 1);  // bzadmin asks for no world
  CHECK(chat.write(file).has_value());
  CHECK(file.empty());
}

}  // namespace
}  // namespace entente::bzflag::rec_test
