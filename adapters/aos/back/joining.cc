#include "adapters/aos/back/joining.h"

#include "adapters/aos/wire/dialect.h"
#include "adapters/aos/world/world_from_map.h"

namespace entente::aos {
namespace {

using Stage = Server::Stage;

constexpr core::Micros kEnterPatience = 10 * core::kSecond;
/// A map of a kilobyte takes tens of milliseconds. Servers change it after minutes.
constexpr core::Micros kMapEvery = 10 * core::kSecond;
constexpr int kMapsAtOnce = 4;

void tell_rules(const StateData& state, BackOut& out) {
  tell_rule("hits", "server", out);
  tell_rule("speed", number_text(kWalks * kMetresPerBlock), out);
  tell_rule("shot_range", number_text(double{kSightRange} * kMetresPerBlock), out);
  tell_gun(0, out);
  tell_rule(kRuleFog, colour_text(colour_of(state.fog)), out);
  tell_rule(kRuleColour[0], colour_text(colour_of(state.colour1)), out);
  tell_rule(kRuleColour[1], colour_text(colour_of(state.colour2)), out);
  tell_rule(kRuleName[0], text_of(state.name1.view()), out);
  tell_rule(kRuleName[1], text_of(state.name2.view()), out);
  if (state.mode == 0) tell_rule(kRuleCaptures, std::to_string(state.ctf.limit), out);
}

}  // namespace

/// The first packet of a session, and of each next map. Everything known so far is void.
void Joining::hear(const MapStart& start, BackOut& out) {
  end_vain_wish_to_watch();
  late_change_ = {};
  late_role_ = false;
  const bool asked = server_.stage == Stage::kEntering || waits_for_life();
  asked_after_.reset();
  players_.forget_all(out);
  server_.number = 255;
  server_.claims = {};
  man_.forget();
  hands_.forget();
  objectives_.forget();
  // A request that the server has not answered is made again after the map.
  if (server_.stage != Stage::kMap) wants_spawn_ = asked || (server_.wish && server_.wish->role() == words::WATCH);
  server_.stage = Stage::kMap;
  snapshots_.start_again();
  loading_.reset();
  loaded_ = 0;
  announced_ = start.size;
  map_name_ = text_of(start.name.chars);
  if (server_.dialect().map_checksum) server_.send(MapCached{0}, out);
}

/// Without an answer in time, the server has refused to make our player a spectator. It plays on the next map, too. One
/// who has entered to watch does not ask to spawn there, so it enters again as a spectator.
void Joining::end_vain_wish_to_watch() {
  if (entered_to_watch_) return;
  const ServerPlayer* me = players_.own();
  const bool pending = late_role_ || server_.claims.waits(core::Claim::kChange);
  if (!server_.in() || pending || me == nullptr || !me->alive || me->team == kSpectator) return;
  if (server_.wish) server_.wish->set_role(words::PLAY);
}

void Joining::hear(const MapChunk& chunk, BackOut& out) {
  if (server_.stage != Stage::kMap) return out.drop(drops::kNoMapBegun);
  if (!loading_ && !may_load(out)) return server_.fail(Fault{"a new map too soon after the last ones", "data"}, out);
  if (!loading_) loading_ = std::make_unique<MapReceiver>();
  if (const auto fault = loading_->feed(chunk.data)) return server_.fail(*fault, out);
  loaded_ += chunk.data.size();
  words::WorldProgress progress;
  progress.set_done(loaded_);
  progress.set_total(std::max(loaded_, announced_));
  out.say(progress);
}

/// Whether another map may be loaded now: a token bucket.
bool Joining::may_load(const BackOut& out) {
  maps_paid_ = std::max(maps_paid_, out.now()) + kMapEvery;
  return maps_paid_ <= out.now() + kMapsAtOnce * kMapEvery;
}

/// Comes after the last chunk. The size in Map Start does not show the end (piqueserver always sends the same size).
void Joining::hear(const StateData& state, BackOut& out) {
  if (server_.stage != Stage::kMap) return out.drop(drops::kMapLoaded);
  if (!loading_ || !loading_->complete())
    return server_.refuse(words::Refused::OTHER, "the map ends before its last column", out);
  ReceivedMap map = loading_->take();
  loading_.reset();
  words::World world = world_from_map(map, map_name_);
  learn(std::move(map.solid), std::move(world), state, out);
}

void Joining::learn(VoxelMap map, words::World world, const StateData& state, BackOut& out) {
  server_.map = std::move(map);
  server_.map.forget_colours();
  server_.number = state.player;
  server_.sides = sides_of(colour_of(state.colour1), colour_of(state.colour2));
  for (auto& [number, one] : players_)
    one.player.set_team(server_.sides.team_of(one.team));  // players that came before State Data
  server_.room.set_game(std::string(kGameName));
  server_.room.set_dialect(std::string(server_.dialect_name()));
  server_.room.set_mode(state.mode == 0 ? kCaptureTheFlag : kTerritoryControl);
  server_.room.set_most_players(kMostPlayers);
  server_.room.set_most_shots(1);
  server_.room.set_jumping(true);
  server_.room.set_teams(true);
  out.say(server_.room);
  tell_rules(state, out);
  out.say(std::move(world));
  server_.stage = Stage::kReadyToEnter;
  server_.claims.answered(core::Claim::kEnter);
  words::Round round;
  out.say(round);
  for (auto& [number, one] : players_) players_.tell(one, out);
  introduce(out);
  objectives_.tell_all(state, out);
  out.say(words::Ready());
  enter(out);
}

void Joining::hear(const FogColour& fog, BackOut& out) { tell_rule(kRuleFog, colour_text(colour_of(fog.colour)), out); }

/// Returns the bytes unchanged: piqueserver sends them big endian, unlike everything else.
void Joining::hear(const HandshakeInit& init, BackOut& out) { server_.send(HandshakeReturn{init.challenge}, out); }

/// Uses a letter that no known client has: SpadesX disconnects known clients with a version that it does not accept.
/// Another Entente asks again while it waits for its own server's map.
void Joining::hear(const VersionGet&, BackOut& out) {
  if (server_.stage == Stage::kMap && announced_ == 0) out.say(words::WorldProgress());
  VersionResponse response;
  response.letter = 'e';
  response.version = {1, 0, 0};
  response.system.chars = "Entente";
  server_.send(response, out);
}

void Joining::hear(const words::Enter& wish, BackOut& out) {
  server_.wish = wish;
  take_role(out);
}

/// The player wants to watch, or to play again. Its client moves its camera by itself.
void Joining::hear(const words::Watch& watch, BackOut& out) {
  if (!server_.wish) return out.drop(drops::kNotInPlay, watch);
  server_.wish->set_role(watch.mode() == words::Watch::STOP ? words::PLAY : words::WATCH);
  take_role(out);
}

/// Enters as what the player wants to be, or becomes it. After a map change, a spectator has entered already when its
/// client says that it wants to play.
void Joining::take_role(BackOut& out) {
  const words::Enter& wish = *server_.wish;
  const bool watches = wish.role() == words::WATCH;
  wants_spawn_ = wants_spawn_ || watches;
  if (!watches) entered_to_watch_ = false;
  late_role_ = server_.stage == Stage::kEntering;
  introduce(out);
  enter(out);
  const ServerPlayer* me = players_.own();
  if (!server_.in() || me == nullptr || (me->team == kSpectator) == watches) return;
  if (watches) return hands_.watch(out);
  words::Change change;
  change.set_team(wish.team());
  if (weapon_of(wish.kit()) != me->weapon) change.set_kit(wish.kit());
  hands_.hear(change, out);
}

/// Whether our player has asked to come into play, and the server has not answered: it is dead, or a spectator.
bool Joining::waits_for_life() {
  const ServerPlayer* me = players_.own();
  if (!server_.in() || me == nullptr) return false;
  if (me->team == kSpectator) return server_.wish && server_.wish->role() != words::WATCH;
  return !me->alive && asked_after_ == me->deaths;
}

void Joining::hear(const words::Spawn&, BackOut& out) {
  wants_spawn_ = true;
  if (const ServerPlayer* me = players_.own(); me != nullptr && me->died) asked_after_ = me->deaths;
  enter(out);
}

/// A player who chooses a side wants to play. Hands has heard the change before.
void Joining::hear(const words::Change& change, BackOut& out) {
  if (change.has_team()) entered_to_watch_ = false;
  if (server_.stage == Stage::kReadyToEnter && change.has_team()) hear(words::Spawn(), out);
  if (server_.stage != Stage::kEntering) return;
  if (change.has_team()) late_change_.set_team(change.team());
  if (change.has_kit()) late_change_.set_kit(change.kit());
}

void Joining::catch_up(BackOut& out) {
  const ServerPlayer* me = players_.own();
  if (!server_.in() || me == nullptr) return;
  words::Change change = std::exchange(late_change_, {});
  const bool watches = server_.wish && server_.wish->role() == words::WATCH;
  if (std::exchange(late_role_, false) && (me->team == kSpectator) != watches) return take_role(out);
  if (change.has_team() && players_.side_for(change.team()) == me->team) change.clear_team();
  if (change.has_kit() && weapon_of(change.kit()) == me->weapon) change.clear_kit();
  if (change.has_team() || change.has_kit()) hands_.hear(change, out);
}

/// Reports our player as its client requested it. The server creates the player only when it enters.
void Joining::introduce(BackOut& out) {
  if (server_.stage != Stage::kReadyToEnter || !server_.wish || out.me() == 0) return;
  words::Player me;
  me.set_id(out.me());
  me.set_name(server_.wish->name());
  me.set_role(server_.wish->role());
  if (server_.wish->role() != words::WATCH) me.set_team(server_.sides.team_of(players_.side_for(server_.wish->team())));
  me.set_kit(kit_of(weapon_of(server_.wish->kit())));
  me.set_responding(true);
  out.say(std::move(me));
}

/// Enters once the map is loaded and the player has asked to spawn. A spectator does not have to ask.
void Joining::enter(BackOut& out) {
  if (server_.stage != Stage::kReadyToEnter || !server_.wish || !wants_spawn_) return;
  server_.stage = Stage::kEntering;
  entered_to_watch_ = server_.wish->role() == words::WATCH;
  ExistingPlayer message;
  message.player = server_.number;
  message.team = entered_to_watch_ ? kSpectator : players_.side_for(server_.wish->team());
  message.weapon = weapon_of(server_.wish->kit());
  message.tool = hands_.tool();
  message.colour = wire_colour(hands_.colour());
  message.name.chars = wire_name(server_.wish->name()) + '\0';
  server_.send(message, out);
  server_.claims.begin(core::Claim::kEnter, kEnterPatience, out);
}

void Joining::enter_again(BackOut& out) {
  if (server_.stage != Stage::kEntering) return;
  server_.stage = Stage::kReadyToEnter;
  enter(out);
}

}  // namespace entente::aos
