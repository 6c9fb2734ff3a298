#include "proxy/relay/reason.h"

#include "proxy/core/texts.h"
#include "proxy/relay/inquiry.h"

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
    case Reason::kServedPage:
      return "got a page";
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
    case Reason::kServerStalled:
      return "server does not read";
    case Reason::kHalfClosed:
      return "half closed too long";
    case Reason::kCount:
      break;
  }
  return "?";
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
