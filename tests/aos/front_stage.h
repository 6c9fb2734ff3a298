// A front on a test stage: the room's player is 1, "anna", with unit 11; player 2, "ben", has unit 12. Map chunks are
// only counted, and snapshots are left out of the output unless a test asks for them.
#pragma once

#include <doctest/doctest.h>
#include <google/protobuf/text_format.h>

#include <string>

#include "adapters/aos/aos.h"
#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/dialect.h"
#include "adapters/aos/wire/wire.h"
#include "tests/aos/said.h"
#include "tests/support/stage.h"

namespace entente::aos {

using core::kMillisecond, core::kSecond, core::Micros;
using Settings = std::map<std::string, std::string, std::less<>>;

template <class Word>
Word word(const std::string& text) {
  Word message;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

inline bool is_snapshot(std::string_view line) { return line.starts_with("sends by datagram "); }

struct Play {
  explicit Play(std::size_t its = 0, Settings settings = {})
      : dialect(its),
        codec(make_message_codec(its)),
        stage(faces().front({its, std::move(settings)}), game(), its, wire::Way::kToClient) {}

  // -- Events; each returns the resulting output, without maps and snapshots
  template <class Word>
  std::string hears(const std::string& text) {
    return told(stage.hears(word<Word>(text)));
  }
  std::string says(const Message& message) {
    Buffer bytes;
    codec->write(message, wire::Way::kToServer, bytes);
    return told(stage.receives(bytes));
  }
  std::string waits(Micros how_long) { return told(stage.waits(how_long)); }
  /// Waits and returns only the snapshots of that time.
  std::string snapshots(Micros how_long) { return kept(stage.waits(how_long), is_snapshot); }
  /// Sends these raw bytes and returns the output.
  std::string receives(const Buffer& bytes, Lane lane = Lane::kStream) { return told(stage.receives(bytes, lane)); }
  std::string opens() { return told(stage.opens({"10.0.0.7:4711", kDialects[dialect].connect_data, ""})); }

  // -- Scenes
  /// A flat room of another game, in which ben drives; the client has its map and knows who is there.
  std::string greets(const std::string& room = "game: 'bzflag'", const std::string& world = kFlat) {
    std::string said = opens();
    said += hears<words::Room>(room);
    said += hears<words::World>(world);
    said += hears<words::Player>("id: 2 name: 'ben' team: GREEN");
    said += hears<words::Unit>("id: 12 owner: 2 alive: true pose { unit: 12 x: 50 y: 25 }");
    said += hears<words::Owns>("player: 2 units: 12 active: 12");
    said += hears<words::Ready>("");
    return said + waits(5 * kSecond);
  }
  std::string enters(std::uint8_t team = 0, std::uint8_t weapon = 0) {
    ExistingPlayer player;
    player.team = team;
    player.weapon = weapon;
    player.tool = 2;
    player.name.chars = std::string("anna\0", 5);
    return says(player);
  }
  std::string spawns() {
    std::string said = hears<words::Player>("id: 1 name: 'anna' team: RED");
    said += hears<words::Unit>("id: 11 owner: 1 pose { unit: 11 }");
    said += hears<words::Owns>("player: 1 units: 11 active: 11");
    return said + hears<words::Spawned>("unit: 11 pose { unit: 11 x: 0 y: 0 yaw: 1.5707963 }");
  }
  /// Another player, and its unit, whose id is 100 more.
  std::string comes(core::Id id, const std::string& player, const std::string& unit) {
    const std::string number = std::to_string(id), his = std::to_string(id + 100);
    std::string said = hears<words::Player>("id: " + number + " " + player);
    said += hears<words::Unit>("id: " + his + " owner: " + number + " " + unit);
    return said + hears<words::Owns>("player: " + number + " units: " + his + " active: " + his);
  }
  void plays(const std::string& room = "game: 'bzflag'", const std::string& world = kFlat) {
    greets(room, world);
    enters();
    spawns();
    waits(2 * kSecond);
  }

  static constexpr const char* kFlat = "hash: 'flat' kind: OPEN west: -400 east: 400 south: -400 north: 400";

  std::size_t dialect;
  std::unique_ptr<wire::MessageCodec<Message>> codec;
  testing::FrontStage stage;
  std::size_t chunks = 0;

 private:
  std::string told(const std::string& said) {
    return kept(said, [&](std::string_view line) {
      const bool chunk = line.starts_with("sends MapChunk ");
      chunks += chunk ? 1 : 0;
      return !chunk && !is_snapshot(line);
    });
  }
};

}  // namespace entente::aos
