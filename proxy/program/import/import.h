// Reads connections from a recorded file: a recording of Entente, bzfs, aos_replay or ZeroSpades, a packet capture, or
// JSON lines.
// Invariant: a file is read once, front to back, in bounded memory. An Error names the line, packet or byte; everything
// before it was delivered.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/wire/enet.h"
#include "adapters/wire/frame.h"
#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "schema/game.pb.h"
#include "schema/snapshot.pb.h"
#include "schema/trace.pb.h"

namespace entente {

/// Counts from 0 within one import; the same file gives the same numbers.
using ConnectionId = std::uint32_t;

/// The two ends of a connection, and what the file says about its game.
struct ImportedConnection {
  std::string name;                               ///< for people: an address, or the file's name for it
  std::string game;                               ///< "": unknown
  std::string dialect;                            ///< "": unknown
  std::string server = {};                        ///< its address; "": unknown
  std::string recorded_server = {};               ///< the same, as a recording of Entente has it
  bool continues = false;                         ///< it began before the file
  std::string before = {};                        ///< the file that has what came before; "": unknown
  bool client_sent = false, server_sent = false;  ///< before: what comes first in the file is not the greeting
  bool unnamed = false;                           ///< the file knows no address of the client: `name` is made up
  std::uint32_t link = 0;                         ///< its number in a recording; 0: it has none

  bool sent(wire::Way way) const { return way == wire::Way::kToServer ? client_sent : server_sent; }
};

/// Bytes as they were read or arrived: a piece of a stream, or one whole message or datagram.
struct Imported {
  ConnectionId connection = 0;
  wire::Way way = wire::Way::kToServer;
  wire::Lane lane = wire::Lane::kStream;
  WallTime time = 0;
  Bytes bytes;                                  ///< valid only during the call
  std::optional<wire::EnetCarriage> enet = {};  ///< of a packet of ENet, if the file says
  std::optional<float> seconds = {};            ///< the time as a .demo has it, if `time` is not as exact
  trace::Lab lab = trace::LAB_PASSED;           ///< what the lab of a relay did to it
  std::uint64_t held_us = 0;                    ///< for how long that lab held it
};

/// How a side ended the connection.
struct ImportedClose {
  std::optional<wire::Way> by;  ///< the side that ended it, as the direction in which it sends; none: unknown
  std::optional<int> code;      ///< of a WebSocket's close
  std::string_view reason;      ///< "": none
  WallTime time = 0;
};

/// A note of the program that recorded the file.
struct ImportedNote {
  std::optional<ConnectionId> connection;  ///< whose note it is; none: of no connection that is open
  std::uint32_t link = 0;                  ///< that connection's number in the file; 0: of none
  std::string_view text;                   ///< valid only during the call
  std::uint64_t bytes_lost = 0;            ///< the file lacks these; 0: the note is about an ordinary event
  WallTime time = 0;

  /// For people, with the number in the file.
  std::string text_with_link() const {
    return (link == 0 ? "" : "link " + std::to_string(link) + ": ") + std::string(text);
  }
};

/// Limit of simultaneous connections in one file; more are an Error.
inline constexpr std::size_t kMostConnections = 65'536;

class ImportSink {
 public:
  virtual ~ImportSink() = default;

  /// The time of the first message of the file, from which its times count, if that is not the first `opened`.
  virtual void begins(WallTime) {}
  /// Called before anything else about `id`.
  virtual void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) = 0;
  virtual void bytes(const Imported& piece) = 0;
  /// What came and was not passed on, because the lab of a relay kept it (LAB_KEPT), or passed on something else
  /// (LAB_ALTERED): a whole message or datagram.
  virtual void kept(const Imported&) {}
  /// Its client asked to connect by ENet, with this data.
  virtual void connected(ConnectionId, std::uint32_t /*data*/, WallTime) {}
  /// The file lacks a part of the stream, or of a datagram; 0: an unknown number of bytes.
  virtual void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) = 0;
  /// The file lacks whole messages, and says so; the next data in this direction begins with a whole message.
  /// Greetings are not missing: they come first.
  virtual void message_gap(ConnectionId, wire::Way, std::uint64_t /*messages*/, std::uint64_t /*bytes*/, WallTime) {}
  /// One side ended the connection. The other side may continue for a while, and may end it, too.
  virtual void half_closed(ConnectionId id, const ImportedClose& end) = 0;
  /// Nothing follows for `id`. Called once for each connection, at the latest at the end of the file.
  virtual void connection_over(ConnectionId id) = 0;
  /// A word of a bridge (in an MCAP recording): exactly one of the two is not null; `id` is its player's link.
  virtual void word(ConnectionId, const words::Intent*, const words::Fact*, WallTime) {}
  /// The world of a bridge; a geometry that it refers to came before.
  virtual void world(ConnectionId, const trace::Snapshot&, WallTime) {}
  virtual void geometry(const trace::Geometry&, WallTime) {}
  /// A remark about the file, for people: something is wrong, or missing.
  virtual void remark(std::string_view text) = 0;
  /// By default, a note of a loss is a remark, and others are left out.
  virtual void note(const ImportedNote& note) {
    if (note.bytes_lost != 0) remark(note.text_with_link());
  }
  /// How many bytes of the file were read, about.
  virtual void read_to(std::uint64_t /*bytes*/) {}
  /// The file ends, but is not complete: a program may still write it. True: look again, after a wait in here.
  virtual bool wait_for_more() { return false; }
  /// Polled: true ends the import early, as if the file ended.
  virtual bool enough() const { return false; }
};

struct ImportOptions {
  std::uint16_t port = 0;         ///< the server's port in a packet capture; 0: the side that was connected to
  std::uint16_t likely_port = 0;  ///< the server's, if a connection was open before the capture began
  /// The id of the connection that a datagram asks for. Its receiver is then the server, and another id begins another
  /// connection on the same ports. None: it does not ask. Empty: no datagram does.
  std::function<std::optional<std::uint32_t>(Bytes)> asks_in = {};
  /// Read also what the file's format marks as not to be shown. Only for callers that show no content.
  bool hidden = false;
};

enum class ImportFormat : std::uint8_t { kMcap, kPcap, kJsonLines, kRec, kDemo };

/// The kind of file, by its first bytes; a .demo or .dem of an unknown version by its name.
ImportFormat import_format(Bytes first);
Outcome<ImportFormat> import_format(const std::string& path);

/// Reads all of `path` into `sink`.
Outcome<Done> import_file(const std::string& path, const ImportOptions& options, ImportSink& sink);

}  // namespace entente
