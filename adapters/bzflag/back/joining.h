// How a back joins a server: greeting, flags, settings, world, then the request to play. Also makes the datagram link
// beside the stream.
#pragma once

#include <set>

#include "adapters/bzflag/back/rules.h"
#include "proxy/core/faces.h"

namespace entente::bzflag {

class Joining {
 public:
  Joining(const core::FaceOptions& options, PeerLink& link, core::JoinState& state, core::TankServerPlayers& players,
          Tank& tank, ServerRules& rules, TankRules& tank_rules);

  void greet(BackOut& out);
  void enter(BackOut& out);
  /// Asks for the datagram link until there is one, because datagrams get lost. Gives up after a while, because bzfs
  /// never links some local ports.
  void ask_for_link(BackOut& out);
  /// Whether the server would kick us for a shot now, because it wants shots by datagram and the link is missing.
  bool lacks_udp_link() const { return link_.dialect().linked_shots && wants_udp_link_ && !link_.udp_linked; }

  void hear(const Welcome& welcome, BackOut& out);
  void hear(const TooLate& late, BackOut& out);
  void hear(const Refused& refused, BackOut& out);
  void hear(const NegotiateFlags& missing, BackOut& out);
  void hear(const AddPlayer& added, BackOut& out);
  void hear(const GameSettings& settings, BackOut& out);
  void hear(const WorldHash& hash, BackOut& out);
  void hear(const WorldChunk& chunk, BackOut& out);
  void hear(const Accept& accept, BackOut& out);
  void hear(const Reject& reject, BackOut& out);
  void hear(const SuperKill&, BackOut& out);
  void hear(const LinkAnswer&, BackOut& out);
  /// By stream: the server has accepted our request.
  void hear(const LinkEstablished&, BackOut&) { link_.udp_linked = true; }
  /// The answer always goes by stream, even if the ping came by datagram.
  void hear(const LagPing& ping, BackOut& out) { link_.stream(out, ping); }
  void hear(const words::Query& query, BackOut& out);

 private:
  enum class Next : std::uint8_t { kGreeting, kFlags, kSettings, kHash, kWorld, kNothing };

  void ask_for_world(BackOut& out);
  void learn_world(BackOut& out);
  void refuse(words::Refused::Code code, std::string_view text, BackOut& out);

  PeerLink& link_;
  core::JoinState& state_;
  core::TankServerPlayers& server_players_;
  Tank& tank_;
  ServerRules& rules_;
  const TankRules& tank_rules_;
  const std::size_t dialect_;
  const bool follows_;  // core::FaceOptions::follows
  const bool wants_udp_link_, says_header_;
  Next next_ = Next::kGreeting;  // the answer that is expected next
  std::set<std::string> taken_;  // callsigns of players who were there before us, in lower case
  std::string hash_;
  Buffer database_;
  int empty_chunks_ = 0;
  core::Micros udp_link_asked_ = 0;
  int udp_link_tries_ = 0;
};

}  // namespace entente::bzflag
