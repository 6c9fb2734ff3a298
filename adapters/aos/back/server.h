// The server that a back plays on: the link, the stage of joining, and what the server has sent about its game.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/aos/wire/conversions.h"
#include "adapters/aos/wire/dialect.h"
#include "adapters/aos/wire/drops.h"
#include "adapters/aos/wire/wire.h"
#include "adapters/aos/world/vxl.h"
#include "proxy/core/chat.h"
#include "proxy/core/faces.h"
#include "proxy/core/gameplay/pending_claims.h"
#include "proxy/core/world.h"

namespace entente::aos {

using core::BackOut;

/// How often, at most, a back tells the room the pose of a player. Snapshots come 10 to 60 times a second.
inline constexpr core::Micros kPoseEvery = 50 * core::kMillisecond;
/// How much later than announced a server may create a player again.
inline constexpr core::Micros kSpawnPatience = 5 * core::kSecond;

class Server {
 public:
  enum class Stage : std::uint8_t {
    kMap,           ///< the map loads, until State Data
    kReadyToEnter,  ///< everything is known; waits for the player's wish to play
    kEntering,      ///< has asked to play, and waits for its own Create Player
    kIn,
  };

  explicit Server(std::size_t dialect);

  const Dialect& dialect() const { return kDialects[dialect_]; }
  std::string_view dialect_name() const { return kDialectInfo[dialect_].name; }
  bool loaded() const { return stage >= Stage::kReadyToEnter; }
  bool in() const { return stage == Stage::kIn; }

  /// Calls `take(const Message&)` for each message until the session is over. Packets that cannot be decoded are
  /// dropped; too many of them end the session.
  template <class Take>
  void feed(const Frames& frames, BackOut& out, Take&& take) {
    wire::each_frame(frames, wire::Way::kToClient, [&](const wire::Frame& frame) {
      if (const Message* message = read(frame, out)) take(*message);
      return !gone;
    });
  }
  template <class T>
  void send(const T& message, BackOut& out, Lane lane = Lane::kStream) {
    if (!gone) write(message, out, lane);
  }
  void refuse(words::Refused::Code code, std::string_view text, BackOut& out);
  void fail(const Fault& fault, BackOut& out);

  Stage stage = Stage::kMap;
  bool gone = false;  ///< either side has ended the session
  std::optional<words::Enter> wish;
  std::uint8_t number = 255;  ///< of our player
  VoxelMap map;               ///< without colours
  words::Room room;
  Sides sides;  ///< of this map
  core::LastServerLine last_server_line;
  core::PendingClaims claims;

 private:
  const Message* read(const wire::Frame& frame, BackOut& out);
  void write(const Message& message, BackOut& out, Lane lane);

  std::size_t dialect_;
  std::unique_ptr<wire::MessageCodec<Message>> codec_;
  std::unique_ptr<wire::MessageCodec<Message>> snapshot_codec_;  // reuses the memory of a snapshot's lists
  Buffer buffer_;
  int malformed_ = 0;
};

void tell_rule(const char* name, std::string value, BackOut& out);

}  // namespace entente::aos
