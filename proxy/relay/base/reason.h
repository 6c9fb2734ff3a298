// Why a session ended or a newcomer was turned away, and why a datagram was not passed on.
// Invariant: each ending has exactly one reason; each reason has one counter, one name, and words for the player whose
// connection ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/wire/game.h"
#include "proxy/base/bytes.h"

namespace entente::relay {

enum class Reason : std::uint8_t {
  // Ordinary endings.
  kClientLeft,
  kServerLeft,
  kStopped,    ///< we are shutting down
  kKicked,     ///< by the operator
  kBannedNow,  ///< the operator banned its address
  kReferred,   ///< the operator moved it, and told it where to connect
  kDrained,    ///< the route was drained, and its time was over
  kResumed,    ///< the client resumed its earlier session, which took over the connection

  // Refusals: we turned the client away.
  kTooMany,             ///< Limits::sessions
  kTooManyFromAddress,  ///< Limits::sessions_per_address
  kTooFast,             ///< Limits::connects_per_second
  kNotAllowed,          ///< Access: clients from that address are not allowed
  kBanned,              ///< Bans
  kNotProxy,            ///< Route::proxies: it is not a trusted load balancer; its PROXY header was not read
  kDraining,            ///< the route takes no newcomers
  kOutOfDescriptors,    ///< the process is out of file descriptors
  kBadFrame,            ///< the client's bytes are not its game's; the Fault says where
  kProtocolFault,       ///< the client's messages break its game's rules; the Fault says where (bridges)
  kBadRequest,          ///< the client's HTTP request, or its TLS; the Fault says why
  kGreetTimeout,        ///< Limits::greet_ms
  kDialectMismatch,     ///< the server speaks another dialect than the listener
  kDialectUnknown,      ///< the server did not show a dialect that we know
  kClientDialect,       ///< the client named a dialect that we do not know, or cannot bridge

  // Broken or given up.
  kClientReset,
  kServerReset,
  kServerUnreachable,    ///< it cannot be reached
  kServerDeclined,       ///< it refused the WebSocket upgrade, or the player
  kServerProtocolError,  ///< it broke TLS, HTTP, WebSocket or (bridges) its game's rules
  kServerTimeout,        ///< Limits::connect_ms
  kIdle,                 ///< Limits::idle_ms
  kClientStalled,        ///< Limits::stall_ms
  kServerStalled,
  kAddressStalled,  ///< Limits::address_waiting_bytes
  kHalfClosed,      ///< Limits::half_closed_ms
  kLabReset,        ///< the lab of the route reset its connections, on purpose
  kCount
};

constexpr std::size_t kReasons = static_cast<std::size_t>(Reason::kCount);

/// "client left", "too many sessions", …: lives as long as the program.
const char* text(Reason reason);

/// What the client is told when its session ends for a reason.
struct Telling {
  wire::Parting parting = wire::Parting::kLeft;  ///< as its game expresses it
  unsigned http = 503;                           ///< the status with which its WebSocket's request is answered
  const char* words = "";  ///< for its player; empty: the client has gone, or got what it asked for
};

Telling telling(Reason reason);

/// The words for its player, with what is wrong if the client itself is at fault.
std::string words_for_player(Reason reason, const Fault& fault);

/// The operator sent the player away.
constexpr bool is_sent_away(Reason reason) {
  return reason == Reason::kKicked || reason == Reason::kBannedNow || reason == Reason::kReferred;
}

/// The words for a player who is sent away, such as "kicked: no cheating" or "banned". REQUIRES: is_sent_away(reason).
std::string words_for_sent_away(Reason reason, std::string_view why);

/// We turned the client away (as opposed to: a peer left, or something broke).
constexpr bool is_refusal(Reason reason) { return reason >= Reason::kTooMany && reason <= Reason::kClientDialect; }

/// Why a datagram was not passed on.
enum class Drop : std::uint8_t {
  kUnknownSource,  ///< belongs to no session
  kTooLarge,       ///< Limits::datagram_bytes
  kTooFast,        ///< Limits::datagrams_per_second
  kBadFrame,       ///< not one whole message of its game
  kUnproven,       ///< more than may be sent to a client that has not proven its address
  kNotLinked,      ///< the other side cannot be reached by datagram (yet)
  kQueueFull,      ///< its worker, or the kernel, is behind
  kTooManyWait,    ///< by ENet: too many packets of its peer are incomplete or out of order
  kCount
};

constexpr std::size_t kDrops = static_cast<std::size_t>(Drop::kCount);

const char* text(Drop drop);
/// Advice for the operator; "" if there is none.
const char* what_helps(Drop drop);

}  // namespace entente::relay
