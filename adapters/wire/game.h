// A game as the program sees it: its name in URLs, its dialects, and the makers of its codecs and cutters.
// What a relay must know of a game's settings (greeting, whole frames, goodbye) is data here, so that a relay knows no
// game.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/wire/codec.h"
#include "adapters/wire/frame.h"

namespace entente::wire {

enum class Transport : std::uint8_t {
  kTcp,        ///< one TCP stream
  kTcpAndUdp,  ///< a TCP stream, and datagrams to and from the same port once linked (BZFlag)
  kWebSocket,  ///< a message holds whole frames; of the games so far, one
  kEnet,       ///< a packet holds whole frames: one, or several
};

/// Whether the transport keeps messages apart: no frame begins in one of them and ends in another.
constexpr bool keeps_messages(Transport transport) {
  return transport == Transport::kWebSocket || transport == Transport::kEnet;
}

/// One dialect: its name in URLs and what a person reads about it.
struct DialectInfo {
  std::string_view name;
  std::string_view about;
};

/// Which dialect a server speaks, told from the first bytes it sent.
struct Detected {
  enum class State : std::uint8_t { kNeedMore, kFound, kUnknown } state = State::kNeedMore;
  std::size_t dialect = 0;  ///< index into Game::dialects(), if found
};

/// How to find out what a server speaks without doing it harm.
enum class Probe : std::uint8_t {
  kSilentConnection,  ///< a connection of its own that sends nothing, before any player's
  kNever,             ///< it tells nothing before a client has named its dialect: see Game::named_by_client
  kDefault,           ///< nobody can find out: where no URL says more, it is taken to be the first of dialects()
  kFirstSession,  ///< only a player's own connection (a probe would take a player's place); nothing is sent until sure
};

/// What a datagram from an address not seen before says about whose it is.
struct LinkRequest {
  std::uint32_t player = 0;  ///< the id that the server's greeting gave to the stream this datagram belongs to
};

/// How a game uses ENet.
struct EnetSettings {
  std::size_t channels = 1;  ///< most that a client may ask for
  bool range_coder = false;  ///< compressed; both sides must agree, or nothing connects
};

/// A datagram beside a game's own by which anybody may ask a server how it is.
struct Query {
  std::string_view question;       ///< the whole datagram
  std::size_t largest_answer = 0;  ///< bytes
};

/// What is said to somebody who asks: a server's own answer, or what a server of ours (a bridge's front) says of
/// itself.
struct Status {
  std::string_view name, map, mode;
  std::string_view dialect;
  std::uint32_t players = 0, most_players = 0;
  std::uint32_t ip4 = 0;  ///< by which players reach us, as a number; 0: by IPv6
  std::uint16_t port = 0;
  Bytes server{};  ///< a server's own answer, of which ours is made; empty: there is none
};

/// Why an ENet connection ends, as far as games tell it apart.
enum class EnetParting : std::uint8_t {
  kLeft,
  kFull,
  kTooManyFromAddress,
  kWrongVersion,
  kKicked,
  kServerGone,
  kBanned
};

/// What a server has said so far of a player's coming in.
enum class Entry : std::uint8_t { kUntold, kIn, kBanned };

/// What is the same for all connections of a game. Stateless; lives as long as the program.
class Game {
 public:
  virtual ~Game() = default;

  virtual std::string_view name() const = 0;   ///< the URL scheme
  virtual std::string_view about() const = 0;  ///< one line for `entente games`
  virtual std::uint16_t default_port() const = 0;
  virtual Transport transport() const = 0;
  /// The same game by WebSocket (name+ws://); null if it does not travel so. Lives as long as the program.
  virtual const Game* over_web() const { return transport() == Transport::kWebSocket ? this : nullptr; }
  virtual std::span<const DialectInfo> dialects() const = 0;  ///< the first is the documented default; at most 32

  virtual std::unique_ptr<Codec> codec(std::size_t dialect) const = 0;
  virtual std::unique_ptr<Cutter> cutter(Way way, std::size_t dialect) const = 0;
  /// For one datagram (Transport::kTcpAndUdp); null if the game has none.
  virtual std::unique_ptr<Cutter> datagram_cutter(Way, std::size_t) const { return nullptr; }
  /// Bytes of a datagram to a client, in which as many messages as fit may stand one after the other; 0: each has its
  /// own.
  virtual std::size_t packed_datagram(std::size_t /*dialect*/) const { return 0; }

  /// By WebSocket its messages are texts: browsers want to be told so.
  virtual bool says_text(std::size_t /*dialect*/) const { return false; }

  /// The largest frame of this game, in bytes, envelope included; a larger one is refused as soon as its length is
  /// known.
  virtual std::size_t largest_frame() const = 0;

  /// The largest that comes from this side.
  virtual std::size_t largest_from(Way) const { return largest_frame(); }

  // -- Manners of a relay ---------------------------------------------------------------------------------------------

  /// The peer that is sent to reads a frame with one call: it must arrive in one write, never split.
  virtual bool whole_frames(Way, Stage) const { return false; }

  /// A client that has not sent this many bytes is still greeting (they are checked by the cutter); 0 = the server
  /// speaks first, or nobody has to.
  virtual std::size_t client_greeting_size(std::size_t) const { return 0; }

  /// What a client must be told before its connection is closed, or it would not notice. Empty: closing is enough.
  virtual Bytes goodbye(std::size_t) const { return {}; }

  /// What these whole frames of a server's stream say of it. A game whose servers ban by no message says kIn at once.
  virtual Entry entry(Bytes /*frames*/, std::size_t /*dialect*/) const { return Entry::kIn; }
  /// What a banned client hears instead of its server; then its connection is closed.
  virtual Buffer banned(std::size_t dialect, std::string_view /*why*/) const {
    const Bytes said = goodbye(dialect);
    return Buffer(said.begin(), said.end());
  }

  virtual Probe probe() const = 0;
  /// `said`: all bytes the server sent so far, before anything was sent to it.
  virtual Detected detect(Bytes said) const = 0;

  /// The dialect that a client's first message names, if it names one that we have.
  virtual std::optional<std::size_t> named_by_client(Bytes) const { return std::nullopt; }

  /// Why this game's real server goes on as if nothing had come when it gets this client frame, which does not decode;
  /// null if it does not. Lives as long as the program.
  virtual const char* ignores(const Frame&, std::size_t /*dialect*/) const { return nullptr; }

  /// The player id that a server's greeting (its first whole frame) gives to this connection, if the game has one.
  virtual std::optional<std::uint32_t> greeted_as(Bytes) const { return std::nullopt; }
  /// What a client's datagram from a new address asks for, if it is a link request.
  virtual std::optional<LinkRequest> link_request(Bytes) const { return std::nullopt; }

  // -- Of games over ENet --------------------------------------------------------------------------------------------

  virtual EnetSettings enet() const { return {}; }
  /// The dialect of a client that connected with this data; nothing: no dialect of this game.
  virtual std::optional<std::size_t> named_by_connect(std::uint32_t) const { return 0; }
  /// What a client of this dialect connects with.
  virtual std::uint32_t connect_data(std::size_t /*dialect*/) const { return 0; }
  virtual std::span<const Query> queries() const { return {}; }
  /// The answer to one of them: texts in UTF-8; with Status::server that one, save that our address stands for its.
  virtual std::string answer(const Query&, const Status&) const { return {}; }
  /// The data of a disconnect.
  virtual std::uint32_t enet_parting(EnetParting) const { return 0; }
  /// A server that disconnects with this data has banned the player.
  virtual bool bans_by(std::uint32_t /*data*/) const { return false; }
  /// How long a client that is turned away stays connected, in milliseconds, so that its player can read why: for
  /// programs that forget all they show at a close.
  virtual std::uint32_t goodbye_ms() const { return 0; }
  /// Bytes that a server may send at once, faster than a client can take them (a map).
  virtual std::size_t largest_burst() const { return 0; }
};

/// Index of `dialect` in game.dialects(), or nothing.
inline std::optional<std::size_t> find_dialect(const Game& game, std::string_view dialect) {
  const auto all = game.dialects();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name == dialect) return i;
  return std::nullopt;
}

}  // namespace entente::wire
