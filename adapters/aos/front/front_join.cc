// How a client comes in: its map, who is there, and what it must hear before it plays. See front.h.
#include <algorithm>

#include "adapters/aos/front/front.h"

namespace entente::aos {
namespace {

using core::kMillisecond, core::kSecond;

/// A room may have to ask a server first, and that to wait for players: then it is an open field until there is more.
constexpr core::Micros kPatience = 10 * kSecond;
/// OpenSpades never answers whether it has the map.
constexpr core::Micros kOfferPatience = 2 * kSecond;

constexpr core::Micros kBreath = 2 * kMillisecond;  // between pieces of the map's making
constexpr int kPiecesAtOnce = 4;
constexpr core::Micros kBetweenChunks = 10 * kMillisecond;
constexpr std::size_t kMostWaiting = 48 * 1024;  // of the map, on the way to a slow client

constexpr core::Micros kSpawnAgain = 5 * kSecond;

/// What a client says before it comes in, whatever the document says: its map, its handshake, its version, extensions.
bool may_come_before(std::uint8_t id) { return id == 31 || id == 32 || id == 34 || id == 60; }
constexpr std::uint8_t kExistingPlayer = 9;

words::World open_field() {
  words::World world;
  world.set_name("open field");
  return world;
}

}  // namespace

// -- The map ---------------------------------------------------------------------------------------------------------

/// Whatever is next on the way to kIn.
void FrontSession::load(Outlet& out) {
  switch (stage_) {
    case Stage::kWorld:
      if (patience_ == 0) patience_ = out.now() + kPatience;
      if (out.world().geometry() == nullptr && out.now() < patience_) return out.wake(patience_);
      return begin_map(out);
    case Stage::kMap:
      for (int i = 0; i < kPiecesAtOnce; ++i)
        if (maker_->work()) return offer_map(out);
      return out.wake(out.now() + kBreath);
    case Stage::kOffered:
      if (out.now() < patience_) return out.wake(patience_);
      stage_ = Stage::kSending;
      return send_chunks(out);
    case Stage::kSending:
      return send_chunks(out);
    case Stage::kIn:
      return;
  }
}

void FrontSession::begin_map(Outlet& out) {
  const words::World* world = out.world().geometry();
  shown_world_ = world != nullptr ? world->hash() : "";
  maker_ = maker_of(world != nullptr ? *world : open_field());
  edited_ = false;
  stage_ = Stage::kMap;
  out.wake(out.now());
}

void FrontSession::offer_map(Outlet& out) {
  if (maker_->broken()) out.lose("World.voxels", "no map");
  if (maker_->left_out() != 0) out.lose("World.solids", "what units pass, and what is too much");
  const words::World* world = out.world().geometry();
  MapStart start;
  start.size = static_cast<std::uint32_t>(maker_->stream().size());
  start.crc32 = maker_->crc32();
  start.name.chars = world != nullptr ? wire_text(world->name()) : "field";
  send(start, out);
  sent_ = 0;
  own_.heard.reset();
  stage_ = dialect().map_checksum ? Stage::kOffered : Stage::kSending;
  patience_ = out.now() + kOfferPatience;
  load(out);
}

void FrontSession::on(const MapCached& cached, Outlet& out) {
  if (stage_ != Stage::kOffered) return;
  if (cached.cached != 0) sent_ = maker_->stream().size();
  stage_ = Stage::kSending;
  send_chunks(out);
}

/// As fast as the client takes it, and no faster: other packets shall not wait behind a map.
void FrontSession::send_chunks(Outlet& out) {
  const Buffer& stream = maker_->stream();
  for (std::size_t waits = out.waiting(); sent_ < stream.size() && waits < kMostWaiting; waits += kMapChunk) {
    const Bytes piece = Bytes(stream).subspan(sent_, std::min(kMapChunk, stream.size() - sent_));
    MapChunk chunk;
    chunk.data.assign(piece.begin(), piece.end());
    sent_ += piece.size();
    send(chunk, out);
  }
  if (sent_ < stream.size()) return out.wake(out.now() + kBetweenChunks);
  greet(out);
}

/// Another world, or the same as it was at first: the client drops to its menu, and comes in again by itself. A server
/// of this game has begun anew with whatever world it tells: there, nobody is in play any more.
void FrontSession::told(const words::World& world, const core::Fact&, Outlet& out) {
  edits_.clear();
  owners_.clear();
  const bool shown = world.hash() == shown_world_ && !edited_ && !same_game(out);
  if (stage_ == Stage::kWorld || shown) return;
  bricks_.clear();
  for (Actor& actor : cast_) actor = {};
  own_ = {};
  entered_ = false;
  begin_map(out);
}

/// The order is that of SpadesX: who is there, and then State Data, with which a client begins.
void FrontSession::greet(Outlet& out) {
  if (!std::exchange(asked_version_, true)) send(VersionGet{}, out);
  sides_ = find_sides(out);
  find_tokens(out);
  stage_ = Stage::kIn;
  cast(out);
  for (Slot slot = 1; slot < kMostPlayers; ++slot)
    if (cast_[slot].player != 0) introduce(slot, out);
  send(state_data(out), out);
  own().player = out.me();
  for (const words::WorldEdit& edit : std::exchange(edits_, {})) show_edit(edit, out);
  for (const auto& [id, unit] : out.world().units()) show_bricks(unit.unit, out);
  paint_at_ = next_paint(out);
  out.wake(paint_at_);
  enter(out);
}

// -- The player ------------------------------------------------------------------------------------------------------

/// The law of 0.80: who says anything else first is out. A ban hits all who share the address, so only who says what no
/// client says is banned. What came unreliably may have overtaken what was said first, and is left out.
bool FrontSession::must_enter_first(std::uint8_t id, Lane lane, Outlet& out) {
  if (!enters_first_ || entered_ || id == kExistingPlayer || may_come_before(id) || !wish_.name().empty()) return false;
  if (!clients_say(id, dialect_))
    goodbye("the client said what only servers say", kBanned, out);
  else if (lane == Lane::kDatagram)
    out.lose("packet", "came before the client said who it is");
  else
    goodbye("the client did not say first who it is", kKicked, out);
  return true;
}

void FrontSession::on(const VersionResponse& version, Outlet&) {
  const char letter = static_cast<char>(version.letter);
  const std::string program = letter == 'o' ? "OpenSpades" : letter == 'B' ? "BetterSpades" : std::string(1, letter);
  version_ = text_of(program) + ' ' + std::to_string(version.version[0]) + '.' + std::to_string(version.version[1]) +
             '.' + std::to_string(version.version[2]) + " (" + text_of(version.system.view()) + ')';
}

void FrontSession::on(const ExistingPlayer& player, Outlet& out) {
  if (entered_) return out.lose("ExistingPlayer", "who is in cannot come in");
  const bool again = !wish_.name().empty();
  entered_ = true;
  wish_.set_name(text_of(player.name.view()));
  if (wish_.name().empty()) wish_.set_name("player");
  wish_.set_team(sides_.team_of(player.team));
  wish_.set_role(player.team == kBlue || player.team == kGreen ? words::PLAY : words::WATCH);
  wish_.set_kit(kit_of(std::min<std::uint8_t>(player.weapon, 2)));
  wish_.set_version(version_);
  wish_.set_body(words::Unit::MAN);
  own().tool = player.tool <= kGrenades ? player.tool : std::uint8_t{kGun};
  own_.colour = colour_of(player.colour);
  if (!again || same_game(out)) out.say(wish_);  // its server, too, begins anew
  if (same_game(out)) {
    words::Change colour;
    colour.set_colour(own_.colour);
    out.say(colour);
    words::Tool tool;
    tool.set_number(own().tool);
    out.say(std::move(tool));
    if (wish_.role() == words::PLAY) out.say(words::Spawn());
  }
  if (stage_ == Stage::kIn) enter(out);
}

/// Into play, or up to where one watches, as soon as the room has it so.
void FrontSession::enter(Outlet& out) {
  if (!entered_ || own().told) return;
  const core::PlayerState* me = out.world().player(out.me());
  const core::UnitState* unit = out.world().active_unit(out.me());
  const bool watches = me != nullptr && me->player.role() == words::WATCH && out.world().ready();
  if (watches) {
    dress(own(), out);
    words::Pose above;
    above.set_z(40 * kMetresPerBlock);
    create(kOwn, above, out);
  } else if (unit != nullptr && unit->unit.alive()) {
    own().unit = unit->unit.id();
    dress(own(), out);
    create(kOwn, unit->unit.pose(), out);
  } else {
    ask_spawn(out);
  }
}

/// Servers of this game put a player into play by themselves, once he has said that he wants to.
void FrontSession::ask_spawn(Outlet& out) {
  if (!entered_ || own().alive || wish_.role() != words::PLAY || !out.world().ready() || same_game(out)) return;
  if (out.now() < spawn_at_) return out.wake(spawn_at_);
  spawn_at_ = out.now() + kSpawnAgain;
  out.wake(spawn_at_);
  own().dead = false;
  out.say(words::Spawn());
}

void FrontSession::told(const words::Refused& refused, const core::Fact&, Outlet& out) {
  goodbye(refused.text().empty() ? "refused" : refused.text(), reason_of(refused.code()), out);
}

void FrontSession::told(const words::Kicked& kicked, const core::Fact&, Outlet& out) {
  goodbye(kicked.text().empty() ? "kicked" : kicked.text(), kKicked, out);
}

/// The reason is a number; where there is a game to show it in, lines say it whole, and the last is the reason as
/// BetterSpades shows it when the connection is gone.
void FrontSession::goodbye(std::string_view why, std::uint32_t reason, Outlet& out) {
  if (std::exchange(gone_, true)) return out.close(why, reason);
  if (stage_ == Stage::kIn && !why.empty()) {
    say_line(kNoticeId, kSystemLine, why, out);
    ChatMessage line;
    line.player = kReasonId;
    line.type = kSystemLine;
    line.text.chars = wire_text(why, kLongestReason) + '\0';
    send(line, out);
  }
  const bool custom = dialect().state_updates && (reason == kServerGone || reason == kBadName);
  out.close(why, custom ? kCustom : reason);
}

}  // namespace entente::aos
