// Recordings of bzfs (.rec, from 2.0 on): its messages with their times, after a header that holds the world.
// Invariant: a file that was read is written again with the same bytes. A size in a file never decides how much memory
// is allocated.
#pragma once

#include <optional>
#include <vector>

#include "adapters/bzflag/wire/messages.h"
#include "adapters/bzflag/world/world.h"
#include "adapters/wire/frame.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::bzflag {

struct RecHeader {
  std::uint32_t version = 1;
  std::uint32_t length = 0;                      // of the header with flags and world
  std::int64_t duration = 0;                     // microseconds
  std::uint32_t player = 253;                    // who requested the recording; 253 the server
  std::uint32_t flags_size = 0, world_size = 0;  // bytes
  Text<32> callsign;
  Text<128> motto;
  Text<8> protocol;  // "BZFS0221"
  Text<128> application;
  Text<114> short_application;  // in 2.4.14: headers have 14 bytes less here, and more at the end
  Text<64> hash;
  std::array<std::uint8_t, 32> settings{};      // MsgGameSettings as sent, with its envelope
  std::array<std::uint8_t, 2> more_settings{};  // its last two bytes, from 2.4 on
  Pad<14> pad;
};

struct RecPacket {
  std::uint16_t mode = 0;
  Code code = 0;
  std::uint32_t size = 0;            // of the payload
  std::uint32_t next = 0, prev = 0;  // file positions
  std::int64_t time = 0;             // microseconds since 1970
  Pad<8> stuffing;                   // without meaning; real servers leave old memory here
};

enum RecMode : std::uint16_t {
  kRecReal = 0,    ///< a broadcast message
  kRecState = 1,   ///< part of a snapshot
  kRecUpdate = 2,  ///< a snapshot begins; no message
  kRecHidden = 3,  ///< not shown in a replay: private chat, commands, addresses
};

/// Whether servers send this message in the snapshot with which a recording begins.
bool is_state(Code code);

/// Whether the servers of this dialect can record.
bool has_recordings(std::size_t dialect);

/// Reads a file, which must outlive it, packet by packet.
class RecReader {
 public:
  /// A fault if it is not a .rec file, or its dialect is unknown.
  static Result<RecReader> open(Bytes file);

  std::size_t dialect() const { return dialect_; }
  bool short_header() const { return short_; }
  const RecHeader& header() const { return header_; }
  const std::vector<Text<2>>& flags() const { return flags_; }
  Bytes world() const { return world_; }
  /// How many bytes of the file were read.
  std::size_t position() const { return at_; }

  struct Packet {
    RecPacket head;
    Bytes payload;
  };
  /// The next packet; nothing at the end. A fault if the file ends within a packet (the server died), or has a packet
  /// that no frame can hold.
  Result<std::optional<Packet>> next();

 private:
  RecReader() = default;

  Bytes file_;
  std::size_t at_ = 0, dialect_ = 0;
  bool short_ = false;
  RecHeader header_;
  std::vector<Text<2>> flags_;
  Bytes world_;
};

/// Appends a file to a buffer. Positions, sizes and the header's length are computed; given ones are ignored.
class RecWriter {
 public:
  RecWriter(std::size_t dialect, bool short_header, const RecHeader& header, const std::vector<Text<2>>& flags,
            Bytes world, Buffer& out);

  /// REQUIRES: a payload that a frame could hold.
  void add(const RecPacket& packet, Bytes payload);
  /// Writes the duration into the header. Without this call the header keeps the given one.
  void close(std::int64_t duration);

 private:
  Buffer& out_;
  std::size_t start_;
  std::uint32_t prev_ = 0;  // 0 before the first packet
};

/// Converts a session of a client into a recording that bzfs replays: the world and the settings, a snapshot of what
/// the client was sent while joining, the broadcasts after that, and what the server broadcast of the client to all
/// others, which only the client said: its movement.
class RecExport {
 public:
  explicit RecExport(std::size_t dialect) : dialect_(dialect) {}

  /// Takes the frames of one connection, in order. `time`: microseconds since 1970.
  void hear(const wire::Frame& frame, std::int64_t time);

  /// Appends the file. A fault if the client was never sent the world or the settings.
  std::optional<Fault> write(Buffer& out) const;

 private:
  struct Said {
    RecPacket head;
    Buffer payload;
  };
  bool learn(Code code, Bytes frame, Bytes payload);
  void learn_settings(Bytes frame);
  void learn_world(Bytes payload);
  void keep(Code code, Bytes payload, std::int64_t time);
  void hear_client(Code code, Bytes payload, std::int64_t time);
  bool is_relayed(Code code, Bytes payload) const;

  std::size_t dialect_;
  RecHeader header_;
  bool has_settings_ = false, world_whole_ = false, joined_ = false, alive_ = false;
  std::optional<std::uint8_t> me_;
  Buffer world_;
  std::vector<Said> said_;
};

}  // namespace entente::bzflag
