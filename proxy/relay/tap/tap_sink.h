// What a relay tells a tap: which sessions began and ended, and every byte that it passed on.
// Invariant: a sink belongs to one worker and is called on that worker's thread only, on the hot path: it must not
// block and not allocate; it copies what it wants to keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/wire/enet.h"
#include "adapters/wire/frame.h"
#include "proxy/base/bytes.h"
#include "proxy/base/time.h"
#include "proxy/relay/base/link_info.h"

namespace entente::relay {

class TapSink {
 public:
  virtual ~TapSink() = default;

  /// Before the first bytes of `info.link`.
  virtual void opened(const LinkInfo& info, WallTime at) = 0;
  /// What was opened as a health check is a client after all.
  virtual void plays(LinkId, WallTime) {}

  /// Bytes passed on, in their order. By stream: whole frames, one or more, as long as framing holds (else the stream's
  /// bytes as they came); by datagram: exactly one datagram.
  virtual void bytes(LinkId link, wire::Way way, wire::Lane lane, Bytes bytes, WallTime at) = 0;

  /// How the lab of a route (faults/) changed what came.
  enum class LabMark : std::uint8_t {
    kPassed,   ///< it is passed on as it came
    kKept,     ///< it came, and is not passed on
    kAltered,  ///< it came, and the next thing this way is passed on instead
    kMade,     ///< it is passed on, and did not come so
  };
  /// The next bytes() or packet() of this link is what the lab made of it. `held`: nanoseconds since it came. What was
  /// not passed on is reported, too, and is one whole frame, message, packet or datagram.
  virtual void lab(LinkId, LabMark, std::uint64_t /*held*/, WallTime) {}
  /// What is reported next is passed on. `made`: it did not come so.
  void lab_passes(LinkId link, bool made, std::uint64_t held, WallTime at) {
    lab(link, made ? LabMark::kMade : LabMark::kPassed, held, at);
  }
  /// What is reported next came, and is not passed on. `altered`: something else is, instead of it.
  void lab_keeps(LinkId link, bool altered, WallTime at) {
    lab(link, altered ? LabMark::kAltered : LabMark::kKept, 0, at);
  }

  /// What passes to the client of this link from now on does not come from the server, but is an operator's text. 0: no
  /// more of it.
  virtual void inserts(LinkId) {}

  /// As bytes(), for one packet of ENet.
  virtual void packet(LinkId link, wire::Way way, wire::EnetCarriage how, Bytes bytes, WallTime at) {
    this->bytes(link, way, how.lane(), bytes, at);
  }

  /// Whether word() is to be called: words cost more than bytes. May change at any time.
  virtual bool wants_words() const { return false; }
  /// A word of the room of this player's link: an Intent or a Fact of schema/game.proto.
  virtual void word(LinkId, bool /*fact*/, Bytes, WallTime) {}
  /// The calls of the room of this player's link: a message Calls of schema/trace.proto.
  virtual void calls(LinkId, Bytes, WallTime) {}
  /// A number that changes when the recording goes on in a new file. Then it needs geometry() and world() of each room
  /// again, soon.
  virtual std::uint32_t recording_generation() const { return 0; }
  /// The world of the room that this link belongs to, as a message Snapshot of schema/snapshot.proto.
  virtual void world(LinkId, Bytes, WallTime) {}
  /// A message Geometry of schema/snapshot.proto, before the first snapshot of this link that refers to it. False: it
  /// is not taken, and no snapshot may refer to it.
  virtual bool geometry(LinkId, Bytes, WallTime) { return true; }
  /// A sentence about `link`, for whoever reads the recording.
  virtual void note(LinkId, std::string_view /*text*/, WallTime) {}

  /// Nothing follows for `link`. `reason` lives only during the call.
  virtual void closed(LinkId link, std::string_view reason, WallTime at) = 0;
};

/// Gives each worker its sink.
class Tap {
 public:
  virtual ~Tap() = default;
  /// Called in ProxyServer::add for each worker (0, 1, …), before any session opens; relays that share a tap get the
  /// same sink for the same worker. The sink outlives the ProxyServer.
  virtual TapSink& sink(std::size_t worker) = 0;
};

}  // namespace entente::relay
