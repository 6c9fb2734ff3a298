// What was said on some connections, read from a file that somebody recorded: a recording of ours or of a bzfs, a
// packet capture, or JSON lines. Law: a file is read once, front to back, in bounded memory; what is wrong with it is
// an Error that names the line, packet or byte, and everything before that was told.
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

namespace entente {

/// Counts from 0 within one import; the same file gives the same numbers again.
using ConnectionId = std::uint32_t;

/// Who it was between, and what the file says they spoke.
struct ImportedConnection {
  std::string name;         ///< for a person: an address, or what the file calls it
  std::string game;         ///< "" = the file does not say
  std::string dialect;      ///< likewise
  std::string server = {};  ///< its address; likewise
};

/// Bytes as they were read or arrived: of a stream cut anywhere, or one whole message or datagram.
struct Imported {
  ConnectionId connection = 0;
  wire::Way way = wire::Way::kToServer;
  wire::Lane lane = wire::Lane::kStream;
  WallTime time = 0;
  Bytes bytes;                                  ///< valid only during the call
  std::optional<wire::EnetCarriage> enet = {};  ///< of a packet of ENet, if the file says
};

/// How one side ended a connection.
struct ImportedEnd {
  std::optional<wire::Way> by;  ///< the way in which the one who ended it sends; none = the file does not say
  std::optional<int> code;      ///< of a WebSocket's close
  std::string_view reason;      ///< "" = none was given
  WallTime time = 0;
};

/// At once, in one file: more are an Error.
inline constexpr std::size_t kMostConnections = 65'536;

class ImportSink {
 public:
  virtual ~ImportSink() = default;

  /// Before anything else is told of `id`.
  virtual void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) = 0;
  virtual void bytes(const Imported& piece) = 0;
  /// Its client asked to connect by ENet, with this data.
  virtual void connected(ConnectionId, std::uint32_t /*data*/, WallTime) {}
  /// The file lacks some of the stream here, or of a datagram; 0 = nobody knows how many bytes.
  virtual void lost(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) = 0;
  /// The file lacks whole messages here, and says so: what follows this way begins with one. Not one of a greeting, if
  /// the connection has one: those come first.
  virtual void missing(ConnectionId, wire::Way, std::uint64_t /*messages*/, std::uint64_t /*bytes*/, WallTime) {}
  /// One side ended it. The other may go on for a while, and may end it too.
  virtual void ended(ConnectionId id, const ImportedEnd& end) = 0;
  /// Nothing follows for `id`. Told once for each that was opened, at the latest at the file's end.
  virtual void gone(ConnectionId id) = 0;
  /// A word of a bridge (of an MCAP recording): exactly one of the two is not null; `id` is its player's link.
  virtual void word(ConnectionId, const words::Intent*, const words::Fact*, WallTime) {}
  /// How the world of such a bridge stood; a geometry that it names was told before.
  virtual void world(ConnectionId, const trace::Snapshot&, WallTime) {}
  virtual void geometry(const trace::Geometry&, WallTime) {}
  /// A sentence for a person about the file.
  virtual void remark(std::string_view text) = 0;
  /// Asked now and then: true ends the import early, as if the file ended.
  virtual bool enough() const { return false; }
};

struct ImportOptions {
  std::uint16_t port = 0;         ///< of a packet capture: the server's; 0 = told by who opened the connection
  std::uint16_t likely_port = 0;  ///< the server's, if a connection was open before the capture began
  /// Whether a datagram asks its receiver for a connection, who is the server then; empty = none does.
  std::function<bool(Bytes)> asks_in = {};
};

enum class ImportFormat : std::uint8_t { kMcap, kPcap, kJsonLines, kRec };

/// What a file's first bytes say it is.
ImportFormat import_format(Bytes first);
Outcome<ImportFormat> import_format(const std::string& path);

/// Reads all of `path` into `sink`.
Outcome<Done> import_file(const std::string& path, const ImportOptions& options, ImportSink& sink);

}  // namespace entente
