#include "adapters/bzflag/back/joining.h"

#include <utility>

#include "adapters/bzflag/translate/last_words.h"
#include "adapters/bzflag/wire/drops.h"
#include "adapters/bzflag/wire/flag_effects.h"
#include "adapters/bzflag/world/world_conversions.h"
#include "proxy/base/lower_case.h"
#include "proxy/base/text.h"
#include "proxy/core/texts.h"

namespace entente::bzflag {
namespace {

constexpr int kLinkTries = 5;
constexpr int kMostEmptyChunks =
    30;  // another Entente sends them, at most each 4 s, while it waits for the world itself

}  // namespace

Joining::Joining(const core::FaceOptions& options, PeerLink& link, core::JoinState& state,
                 core::TankServerPlayers& players, Tank& tank, ServerRules& rules, TankRules& tank_rules)
    : link_(link),
      state_(state),
      server_players_(players),
      tank_(tank),
      rules_(rules),
      tank_rules_(tank_rules),
      dialect_(options.dialect),
      follows_(options.follows),
      wants_udp_link_(options.setting("udp") != "off"),
      says_header_(link.dialect().header == Header::kRequired ||
                   (link.dialect().header == Header::kOptional && options.setting("header") != "off")) {}

void Joining::greet(BackOut& out) {
  tank_.start_clock(out.now());
  if (says_header_) link_.stream(out, ClientHeader{});
}

void Joining::hear(const Welcome& welcome, BackOut& out) {
  if (welcome.id == kNobody) return refuse(words::Refused::FULL, "the server has no free slot", out);
  if (welcome.version.view() != link_.dialect().version.substr(kMagicWord.size()) && !link_.dialect().address_ids)
    return refuse(words::Refused::WRONG_VERSION, "the server speaks another version", out);
  state_.number = welcome.id;
  state_.stage = Stage::kLoading;
  next_ = Next::kFlags;
  ask_for_link(out);
  NegotiateFlags flags;
  for (const FlagEffect& flag : flag_effects()) flags.flags.emplace_back().set(flag.code);
  link_.stream(out, flags);
  if (link_.dialect().queries) link_.stream(out, QueryPlayers{});  // for names in use: they are refused
}

void Joining::hear(const TooLate&, BackOut& out) {
  refuse(words::Refused::SERVER_GONE, "the server did not receive our header in time", out);
}

void Joining::hear(const Refused& refused, BackOut& out) {
  const std::string why = clean(ban_words(refused.reason.view()));
  refuse(core::is_for_now(why) ? words::Refused::SERVER_GONE : words::Refused::BANNED, why, out);
}

void Joining::hear(const NegotiateFlags& missing, BackOut& out) {
  if (next_ != Next::kFlags) return;
  if (!missing.flags.empty()) out.drop(drops::kMissingFlags);
  next_ = link_.dialect().settings ? Next::kSettings : Next::kHash;
  link_.dialect().settings ? link_.stream(out, WantSettings{}) : link_.stream(out, WantWorldHash{});
}

/// The answer to MsgQueryPlayers.
void Joining::hear(const AddPlayer& added, BackOut&) {
  if (!state_.in() && taken_.size() < 256) taken_.insert(lower_case(added.callsign.view()));
}

void Joining::hear(const words::Query& query, BackOut& out) {
  if (next_ > Next::kFlags && query.kind() == words::Query::GAME) link_.stream(out, QueryGame{});
}

void Joining::hear(const GameSettings& settings, BackOut& out) {
  if (next_ != Next::kSettings) return;
  rules_.learn(settings, out);
  next_ = Next::kHash;
  link_.stream(out, WantWorldHash{});
}

void Joining::hear(const WorldHash& hash, BackOut& out) {
  if (next_ != Next::kHash) return;
  hash_ = clean(hash.hash.view());
  next_ = Next::kWorld;
  link_.stream(out, GetWorld{});
}

void Joining::hear(const WorldChunk& chunk, BackOut& out) {
  if (next_ != Next::kWorld) return;
  append(database_, chunk.data);
  if (chunk.left == 0) return learn_world(out);
  if (chunk.data.empty() && ++empty_chunks_ <= kMostEmptyChunks) return ask_for_world(out);
  if (chunk.data.empty() || database_.size() > kLargestWorld)
    return refuse(words::Refused::OTHER, "the server's world is incomplete or too large", out);
  words::WorldProgress progress;
  progress.set_done(database_.size());
  progress.set_total(database_.size() + chunk.left);
  out.say(progress);
  ask_for_world(out);
}

void Joining::ask_for_world(BackOut& out) {
  GetWorld more;
  more.offset = static_cast<std::uint32_t>(database_.size());
  link_.stream(out, more);
}

void Joining::learn_world(BackOut& out) {
  const auto world = read_world(database_, dialect_);
  const std::size_t bytes = std::exchange(database_, {}).size();
  if (!world) return refuse(words::Refused::OTHER, "the server's world cannot be read", out);
  const auto* records = std::get_if<RecordWorld>(&*world);
  if (records != nullptr) rules_.learn(settings_of(*records), out);
  ConvertedWorld converted = world_from_database(
      records != nullptr ? groups_of(*records) : *std::get_if<GroupWorld>(&*world), bytes, tank_rules_.size);
  converted.world.set_hash(hash_);
  for (std::size_t i = 0; i < converted.left_out; ++i) out.drop(drops::kShapesFull);
  if (converted.cut) out.drop(drops::kWorldCut);
  tank_.terrain = core::Terrain(converted.world);
  if (tank_.terrain.left_out() != 0) out.drop(core::drops::kTerrainFull);
  out.say(std::move(converted.world));
  state_.stage = Stage::kReadyToEnter;
  next_ = Next::kNothing;
  if (state_.wish) enter(out);
}

void Joining::enter(BackOut& out) {
  if (state_.stage != Stage::kReadyToEnter) return;
  state_.stage = Stage::kEntering;
  const bool watches = state_.wish->role() == words::WATCH;
  Enter message;
  message.type = state_.wish->role() == words::ROBOT ? kRobotPlayer : kTankPlayer;
  message.team = watches ? kObserverTeam : wire_team(state_.wish->team(), kAutomaticTeam);
  const auto taken = [&](const std::string& name) { return taken_.contains(lower_case(name)); };
  message.callsign.set(free_name(legal_callsign(state_.wish->name()), kLongestName, 1, taken));
  const std::string motto = fitted(state_.wish->motto(), kLongestText);
  message.motto.set(link_.dialect().strict_motto ? legal_motto(motto) : motto);
  message.token.set(state_.wish->token());
  message.version.set(state_.wish->version());
  message.end = 0;
  link_.stream(out, message);
}

void Joining::hear(const Accept&, BackOut& out) {
  const bool enters_without_world = follows_ && !state_.in() && state_.wish;  // as bzadmin does
  if (state_.stage != Stage::kEntering && !enters_without_world) return;
  state_.come_in(out.now());
  server_players_.add_own();
  ask_for_link(out);
}

void Joining::hear(const Reject& reject, BackOut& out) { refuse(refusal_of(reject.code), reject.reason.view(), out); }

void Joining::hear(const SuperKill&, BackOut& out) {
  if (state_.in()) return state_.be_kicked("super kill by the server", out);
  constexpr const char* kNoReason = "the server ended the session, and gave no reason";
  if (out.report_server_stopping(kNoReason)) return void(state_.goodbye_said = true);
  refuse(words::Refused::SERVER_GONE, kNoReason, out);
}

void Joining::refuse(words::Refused::Code code, std::string_view text, BackOut& out) {
  if (core::is_for_now(text) && out.report_server_stopping(text)) return void(state_.goodbye_said = true);
  const bool may_retry =
      code == words::Refused::FULL || code == words::Refused::NAME_TAKEN || code == words::Refused::TOO_SOON;
  state_.refuse(code, text, may_retry, out);
}

// -- The datagram link ------------------------------------------------------------------------------------------------

void Joining::ask_for_link(BackOut& out) {
  if (!wants_udp_link_ || link_.udp_linked || next_ == Next::kGreeting ||
      (!link_.dialect().early_link && state_.stage != Stage::kIn) || udp_link_tries_ >= kLinkTries)
    return;
  if (udp_link_tries_ > 0 && out.now() < udp_link_asked_ + core::kSecond)
    return out.wake(udp_link_asked_ + core::kSecond);
  ++udp_link_tries_;
  udp_link_asked_ = out.now();
  link_.datagram(out, LinkRequest{state_.number});
  out.wake(out.now() + core::kSecond);
}

/// By datagram: our datagrams reach the server. Our answer confirms that its datagrams reach us.
void Joining::hear(const LinkAnswer&, BackOut& out) {
  link_.udp_linked = true;
  link_.datagram(out, LinkEstablished{});
}

}  // namespace entente::bzflag
