// Clients and servers of the toy game, and a relay between them. They talk, fall silent, leave, break off and break the
// rules. They use only the C library and the standard library, so they run in a simulation (relays.cc) and over real
// sockets (sockets.cc).
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/lab/plan.h"
#include "tests/lab/watch.h"

namespace entente::lab {

/// How a peer behaves.
enum class Manner : std::uint8_t {
  kTalks,     ///< as its game demands
  kSilent,    ///< says nothing, and waits for the end
  kGarbage,   ///< a client: begins with bytes that are not its game's
  kTooLarge,  ///< a client: ends with a frame that is too large
};

/// What one peer does: how it behaves, how much it says, with which pauses, and how it ends.
struct Habits {
  Manner manner = Manner::kTalks;
  std::size_t frames = 0;
  Nanos pause = 0;
  bool breaks_off = false;  ///< closes at once, without reading what is left
  Draw words{0};            ///< what it says
};

/// One session, as its two peers saw it.
struct Talk {
  Buffer said_by_client, heard_by_server, said_by_server, heard_by_client;
  bool reached_server = false, client_ended = false, server_ended = false;
  bool client_cut = false, server_cut = false;  ///< the connection broke, or a peer broke it off
  Buffer tapped_up, tapped_down;
  std::string reason;  ///< why the relay ended it; empty: it had no session
  Habits client, server;
  Nanos comes_after = 0;
  /// When a peer has said all, when it heard the last bytes, and when it heard of the end. 0: never.
  struct Times {
    Nanos done = 0, last = 0, end = 0;
  } client_times, server_times;
  /// Whether the relay ended it because a peer left.
  bool left() const;
  /// Whether a part may be missing.
  bool cut() const { return client_cut || server_cut || !left(); }
  bool is_polite() const { return client.manner == Manner::kTalks && server.manner == Manner::kTalks; }
};

/// Sessions in the order of the clients' addresses.
using Talks = std::vector<std::unique_ptr<Talk>>;

/// Lets them talk, until every peer has been told of its end. Returns how many clients the server lost before it knew
/// which ones they were.
std::size_t hold_talks(Plan& plan, Talks& talks, Verdict& verdict);

/// What must hold of them. `most_flight`: how long a segment is on its way.
void check_talks(const Talks& talks, std::size_t unnamed, Nanos most_flight, Verdict& verdict);

/// What became of each of them, without what depends on the speed of the machine. The same for the same seed of a calm
/// plan, in a simulation and over real sockets.
void tell_outcome(const Talks& talks, Verdict& verdict);

}  // namespace entente::lab
