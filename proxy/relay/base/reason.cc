#include "proxy/relay/base/reason.h"

#include "proxy/core/texts.h"
#include "proxy/relay/base/inquiry.h"

namespace entente::relay {

const char* text(Reason reason) {  // NOLINT(readability-function-size): a table
  switch (reason) {
    case Reason::kClientLeft:
      return "client left";
    case Reason::kServerLeft:
      return "server left";
    case Reason::kStopped:
      return core::kProxyStopped;
    case Reason::kKicked:
      return "kicked";
    case Reason::kBannedNow:
      return "banned by the operator";
    case Reason::kReferred:
      return "moved";
    case Reason::kDrained:
      return "drained";
    case Reason::kResumed:
      return "took up its lost session";
    case Reason::kTooMany:
      return "too many sessions";
    case Reason::kTooManyFromAddress:
      return "too many sessions from one address";
    case Reason::kTooFast:
      return "connecting too fast";
    case Reason::kNotAllowed:
      return "address not allowed";
    case Reason::kBanned:
      return "banned";
    case Reason::kNotProxy:
      return "not a trusted proxy";
    case Reason::kDraining:
      return "draining";
    case Reason::kOutOfDescriptors:
      return "out of file descriptors";
    case Reason::kBadFrame:
      return "bad frame";
    case Reason::kProtocolFault:
      return "protocol fault";
    case Reason::kBadRequest:
      return "bad request";
    case Reason::kGreetTimeout:
      return "no greeting in time";
    case Reason::kDialectMismatch:
      return "server speaks another dialect";
    case Reason::kDialectUnknown:
      return "server's dialect is unknown";
    case Reason::kClientDialect:
      return "client's dialect is unknown";
    case Reason::kClientReset:
      return "client reset";
    case Reason::kServerReset:
      return "server reset";
    case Reason::kServerUnreachable:
      return "server cannot be reached";
    case Reason::kServerDeclined:
      return "server declined";
    case Reason::kServerProtocolError:
      return "server broke the protocol";
    case Reason::kServerTimeout:
      return "server does not answer";
    case Reason::kIdle:
      return "idle";
    case Reason::kClientStalled:
      return "client does not read";
    case Reason::kAddressStalled:
      return "too much waits for its address";
    case Reason::kServerStalled:
      return "server does not read";
    case Reason::kHalfClosed:
      return "half closed too long";
    case Reason::kLabReset:
      return "reset by the lab";
    case Reason::kCount:
      break;
  }
  return "?";
}

Telling telling(Reason reason) {  // NOLINT(readability-function-size): a table
  using wire::Parting;
  switch (reason) {
    case Reason::kClientLeft:
    case Reason::kClientReset:
    case Reason::kResumed:
    case Reason::kLabReset:
      return {};
    case Reason::kServerLeft:
      return {Parting::kServerGone, 502, "the server closed the connection; try again later"};
    case Reason::kStopped:
      return {Parting::kServerGone, 503, core::kProxyStopped};
    case Reason::kKicked:
      return {Parting::kKicked, 403, "kicked"};
    case Reason::kBannedNow:
      return {Parting::kBanned, 403, "banned"};
    case Reason::kReferred:
      return {Parting::kServerGone, 503, "the player was moved to another server"};
    case Reason::kDrained:
      return {Parting::kServerGone, 503, "the server is being closed; try again later"};
    case Reason::kTooMany:
      return {Parting::kFull, 503, "the server is full; try again later"};
    case Reason::kTooManyFromAddress:
      return {Parting::kTooManyFromAddress, 429, "too many players from your address; try again later"};
    case Reason::kTooFast:
      return {Parting::kFull, 429, "too many connections from your address; try again later"};
    case Reason::kNotAllowed:
      return {Parting::kBanned, 403, "nobody may come from your address"};
    case Reason::kBanned:
      return {Parting::kBanned, 403, "you are banned"};
    case Reason::kNotProxy:
      return {Parting::kServerGone, 403, "players cannot connect here directly; connect to the public address instead"};
    case Reason::kDraining:
      return {Parting::kServerGone, 503, "the server takes no new players now; try again later"};
    case Reason::kOutOfDescriptors:
      return {Parting::kServerGone, 503, "the server is overloaded; try again later"};
    case Reason::kBadFrame:
      return {Parting::kKicked, 400, "your game sent data that the server does not understand"};
    case Reason::kProtocolFault:
      return {Parting::kKicked, 400, core::kBrokeProtocol};
    case Reason::kBadRequest:
      return {Parting::kKicked, 400, "your game sent a request that the server does not understand"};
    case Reason::kGreetTimeout:
      return {Parting::kKicked, 408, "your game did not send its greeting in time; try again later"};
    case Reason::kDialectMismatch:
      return {Parting::kWrongVersion, 502, "the server speaks another version of the game"};
    case Reason::kDialectUnknown:
      return {Parting::kServerGone, 502, "the server speaks a version of the game that is not supported here"};
    case Reason::kClientDialect:
      return {Parting::kWrongVersion, 400, "this version of the game is not supported here"};
    case Reason::kServerReset:
      return {Parting::kServerGone, 502, "the connection to the server is broken; try again later"};
    case Reason::kServerUnreachable:
      return {Parting::kServerGone, 502, "the server cannot be reached; try again later"};
    case Reason::kServerDeclined:
      return {Parting::kServerGone, 502, "the server refused the connection"};
    case Reason::kServerProtocolError:
      return {Parting::kServerGone, 502, "the server sent something that cannot be understood; try again later"};
    case Reason::kServerTimeout:
      return {Parting::kServerGone, 504, "the server does not answer; try again later"};
    case Reason::kIdle:
      return {Parting::kKicked, 504, "nothing was sent for too long"};
    case Reason::kClientStalled:
      return {Parting::kKicked, 503, "your connection is too slow for what the server sends"};
    case Reason::kAddressStalled:
      return {Parting::kKicked, 503, "too much data waits for the players of your address"};
    case Reason::kServerStalled:
      return {Parting::kServerGone, 503, "the server is too slow; try again later"};
    case Reason::kHalfClosed:
      return {Parting::kServerGone, 503, "one side closed the connection, and the other did not follow"};
    case Reason::kCount:
      break;
  }
  return {};
}

std::string words_for_player(Reason reason, const Fault& fault) {
  std::string all = telling(reason).words;
  if (telling(reason).parting != wire::Parting::kKicked || *fault.what == 0) return all;
  all += std::string(": ") + fault.what;
  return *fault.field != 0 ? all + " in " + fault.field : all;
}

std::string words_for_sent_away(Reason reason, std::string_view why) {
  if (reason == Reason::kReferred) return std::string(why);
  return std::string(reason == Reason::kBannedNow ? "banned" : "kicked") + (why.empty() ? "" : ": ") + std::string(why);
}

const char* why_not(AnnounceResult result) {
  switch (result) {
    case AnnounceResult::kNotIn:
      return "still joining";
    case AnnounceResult::kNoChat:
      return "the game has no chat";
    case AnnounceResult::kOff:
      return "in a relay, and announce is off";
    case AnnounceResult::kSlow:
      return "the client is too slow";
    case AnnounceResult::kCannot:
      return "not possible in a relay of this kind";
    default:
      return "";
  }
}

const char* text(Drop drop) {
  switch (drop) {
    case Drop::kUnknownSource:
      return "of no session";
    case Drop::kTooLarge:
      return "too large";
    case Drop::kTooFast:
      return "too fast";
    case Drop::kBadFrame:
      return "bad frame";
    case Drop::kUnproven:
      return "client not proven";
    case Drop::kNotLinked:
      return "not linked";
    case Drop::kQueueFull:
      return "queue full";
    case Drop::kTooManyWait:
      return "too many wait";
    case Drop::kCount:
      break;
  }
  return "?";
}

const char* what_helps(Drop drop) {
  switch (drop) {
    case Drop::kTooLarge:
      return "limits.datagram_bytes is the largest allowed size";
    case Drop::kTooFast:
      return "limits.datagrams_per_second is the limit of each player; status queries are limited to two a second from "
             "one address";
    case Drop::kQueueFull:
      return "the machine is overloaded; use more workers on more cores, or allow fewer players";
    default:
      return "";
  }
}

}  // namespace entente::relay
