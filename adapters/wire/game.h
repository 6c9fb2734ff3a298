// A game as the program sees it: its name in URLs, its dialects, and factories for its codecs and cutters. What a
// relay must observe for a game (greeting, whole frames, goodbye) is data here, so that relays know no game.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/wire/codec.h"
#include "adapters/wire/frame.h"

namespace entente::wire {

enum class Transport : std::uint8_t {
  kTcp,        ///< one TCP stream
  kTcpAndUdp,  ///< a TCP stream, and datagrams to and from the same port once linked (BZFlag)
  kWebSocket,  ///< a message holds whole frames: so far, every game puts exactly one into it
  kEnet,       ///< a packet holds whole frames: one, or several
};

/// Whether the transport keeps messages apart, so that frames never span two messages.
constexpr bool keeps_messages(Transport transport) {
  return transport == Transport::kWebSocket || transport == Transport::kEnet;
}

/// One dialect: its name in URLs, and a description for people.
struct DialectInfo {
  std::string_view name;
  std::string_view about;
};

/// A server's dialect, as far as its first bytes show it.
struct Detected {
  enum class State : std::uint8_t { kNeedMore, kFound, kUnknown } state = State::kNeedMore;
  std::size_t dialect = 0;  ///< index into Game::dialects(), if found
};

/// How to find out a server's dialect without harm.
enum class Probe : std::uint8_t {
  kSilentConnection,  ///< a silent connection before any player's
  kNever,             ///< servers show nothing until a client names its dialect: see Game::named_by_client
  kDefault,           ///< impossible: unless the URL names a dialect, the first of dialects() is assumed
  kFirstSession,  ///< on a player's own connection, because a probe would take a player's place; nothing is sent until
                  ///< it is known
};

/// A client's request to link a datagram address to its stream.
struct LinkRequest {
  std::uint32_t player = 0;  ///< the id that the server's greeting gave to that stream
};

/// How a game uses ENet.
struct EnetSettings {
  std::size_t channels = 1;  ///< maximum that a client may ask for
  bool range_coder = false;  ///< compressed; both sides must agree, or nothing connects
};

/// A datagram outside the game's own protocol, by which anyone may query a server.
struct Query {
  std::string_view question;       ///< the whole datagram
  std::size_t largest_answer = 0;  ///< bytes
};

/// The answer to a query: a server's own, or that of our server side (a bridge's front).
struct Status {
  std::string_view name, map, mode;
  std::string_view dialect;
  std::uint32_t players = 0, most_players = 0;  ///< most 0: any number
  std::uint32_t ip4 = 0;                        ///< our address, as players reach it, as a number; 0: IPv6
  std::uint16_t port = 0;
  Bytes server{};  ///< a server's own answer, on which ours is based; empty: none
};

/// A server's own HTTP, and where its clients reach that instead.
struct HttpPlace {
  std::uint16_t server_port = 0;  ///< of the game, and of its HTTP
  std::string host;               ///< of the relay; "": the one in the URL, which is the server's public one
  std::uint16_t port = 0;
};

/// Why a connection ends, in terms that games can express.
enum class Parting : std::uint8_t {
  kLeft,                ///< the player wanted it
  kFull,                ///< there is no place now
  kTooManyFromAddress,  ///< there is no place for one more from this address
  kWrongVersion,
  kKicked,      ///< the client, or its player, did something that is not accepted
  kServerGone,  ///< the server is away, or does not take players now
  kBanned
};

/// How far a client has come: it decides by which messages it can be told why its connection ends.
enum class ClientStage : std::uint8_t {
  kNew,      ///< it was sent nothing yet
  kJoining,  ///< its player is not in the game yet
  kPlaying,
};

/// How far a player's admission by the server has come.
enum class AdmissionState : std::uint8_t { kUndecided, kIn, kBanned };

/// What is common to all connections of a game. Stateless; lives as long as the program.
class Game {
 public:
  virtual ~Game() = default;

  virtual std::string_view name() const = 0;   ///< the URL scheme
  virtual std::string_view about() const = 0;  ///< one line for `entente games`
  virtual std::uint16_t default_port() const = 0;
  virtual Transport transport() const = 0;
  /// The same game over WebSocket (name+ws://); null if there is none. Lives as long as the program.
  virtual const Game* over_web() const { return transport() == Transport::kWebSocket ? this : nullptr; }
  virtual std::span<const DialectInfo> dialects() const = 0;  ///< the first is the documented default; at most 32

  virtual std::unique_ptr<Codec> codec(std::size_t dialect) const = 0;
  virtual std::unique_ptr<Cutter> cutter(Way way, std::size_t dialect) const = 0;
  /// A cutter for one datagram (Transport::kTcpAndUdp); null if the game has none.
  virtual std::unique_ptr<Cutter> datagram_cutter(Way, std::size_t) const { return nullptr; }
  /// Size up to which messages to a client are packed into one datagram; 0: one message per datagram.
  virtual std::size_t packed_datagram(std::size_t /*dialect*/) const { return 0; }

  /// Whether its WebSocket messages are text frames.
  virtual bool uses_text_messages(std::size_t /*dialect*/) const { return false; }

  /// The largest frame of this game in bytes, with its envelope; a larger one is refused as soon as its length is
  /// known.
  virtual std::size_t largest_frame() const = 0;

  /// The largest frame from this side.
  virtual std::size_t largest_from(Way) const { return largest_frame(); }

  // -- What a relay must observe --------------------------------------------------------------------------------------

  /// Whether receivers read a frame with one call, so that it must arrive in one write, never split.
  virtual bool requires_one_write(Way, Stage) const { return false; }

  /// The size of a client's greeting in bytes (the cutter checks its content). 0: the server speaks first, or neither
  /// side has to.
  virtual std::size_t client_greeting_size(std::size_t) const { return 0; }

  /// The bytes without which a client would not notice that its connection is closed. Empty: closing is enough.
  virtual Bytes goodbye(std::size_t) const { return {}; }

  /// What these whole frames of a server's stream say about admission. A game whose servers have no message for bans
  /// returns kIn at once.
  virtual AdmissionState admission(Bytes /*frames*/, std::size_t /*dialect*/) const { return AdmissionState::kIn; }
  /// The reason in the server's frames from which admission() read a ban, for people; empty: they give none.
  virtual std::string words_of_ban(Bytes /*frames*/, std::size_t /*dialect*/) const { return {}; }
  /// Whether servers also answer HTTP requests on the port of the game.
  virtual bool answers_http(std::size_t /*dialect*/) const { return false; }
  /// These whole frames of such a server's stream, with each URL of its own HTTP changed to that of the relay. Empty:
  /// they have no such URL.
  virtual Buffer with_http_at(Bytes /*frames*/, std::size_t /*dialect*/, const HttpPlace&) const { return {}; }
  /// The last messages to a client, which tell its player why the connection ends, as far as the game can at this
  /// stage: frames, or packets. Over ENet and WebSocket, a number (enet_parting(), the close code) and a reason may
  /// follow.
  virtual std::vector<Buffer> last_words(std::size_t dialect, ClientStage, Parting, std::string_view /*why*/) const {
    const Bytes said = goodbye(dialect);
    return said.empty() ? std::vector<Buffer>() : std::vector<Buffer>{Buffer(said.begin(), said.end())};
  }
  /// Whether last_words() says why. If so, a relay must know where the frames of the server end.
  virtual bool has_last_words() const { return false; }

  virtual Probe probe() const = 0;
  /// `said`: all bytes that the server has sent, before anything was sent to it.
  virtual Detected detect(Bytes said) const = 0;

  /// The dialect that a client's first message names, if it is a known one.
  virtual std::optional<std::size_t> named_by_client(Bytes) const { return std::nullopt; }

  /// Why real servers ignore this client frame, which does not decode; null if they do not. Lives as long as the
  /// program.
  virtual const char* ignores(const Frame&, std::size_t /*dialect*/) const { return nullptr; }

  /// The player id that a server's greeting (its first whole frame) assigns to the connection, if the game has one.
  virtual std::optional<std::uint32_t> greeted_as(Bytes) const { return std::nullopt; }
  /// The link request in a client's datagram from a new address, if it is one.
  virtual std::optional<LinkRequest> link_request(Bytes) const { return std::nullopt; }

  // -- Questions by stream --------------------------------------------------------------------------------------------
  // Some clients join no game: they only ask who plays. A relay answers them for a server that sleeps.

  /// The greeting of a server that gives its client this player id. Empty: clients of this game ask no such questions.
  virtual Buffer greeting(std::size_t /*dialect*/, std::uint32_t /*player*/) const { return {}; }
  /// Whether these whole frames of a client are only such questions.
  virtual bool only_asks(Bytes /*frames*/, std::size_t /*dialect*/) const { return false; }
  /// The answer of a server on which nobody plays to such questions. REQUIRES: only_asks().
  virtual Buffer answer_to_asker(Bytes /*frames*/, std::size_t /*dialect*/) const { return {}; }

  // -- Games over ENet ------------------------------------------------------------------------------------------------

  virtual EnetSettings enet() const { return {}; }
  /// The dialect of a client that connected with this data; nothing: not a dialect of this game.
  virtual std::optional<std::size_t> named_by_connect(std::uint32_t) const { return 0; }
  /// The connect data of a client of this dialect.
  virtual std::uint32_t connect_data(std::size_t /*dialect*/) const { return 0; }
  virtual std::span<const Query> queries() const { return {}; }
  /// The answer to a query: texts in UTF-8; with Status::server the server's answer, with our address in place of
  /// its own.
  virtual std::string answer(const Query&, const Status&) const { return {}; }
  /// The data of a disconnect.
  virtual std::uint32_t enet_parting(Parting) const { return 0; }
  /// Whether a server that disconnects with this data has banned the player.
  virtual bool bans_by(std::uint32_t /*data*/) const { return false; }
  /// How long a refused client stays connected, in milliseconds, so that its player can read why: for programs that
  /// clear their screen when the connection closes.
  virtual std::uint32_t refuse_linger_ms() const { return 0; }
  /// Whether a server may send a player only what is in sight, so that two players know different units.
  virtual bool hides_units() const { return false; }
  /// Whether a player can be shown a text while playing.
  virtual bool has_chat() const { return true; }
  /// The messages that show `text` to a player in the game: frames, packets or WebSocket messages, which may be sent
  /// between any two messages of the server. Empty: not known.
  virtual std::vector<Buffer> announcement(std::size_t /*dialect*/, std::string_view /*text*/) const { return {}; }
  /// Over ENet: whether a client that sends this packet has a player in the game, who can be shown a text.
  virtual bool shows_player(Bytes /*packet*/) const { return true; }
  /// Bytes that a server may send at once, faster than a client can read them (a map).
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
