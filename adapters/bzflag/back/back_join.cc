// How a back comes in: greeting, flags, settings, world, and then the door. See back.h.
#include "adapters/bzflag/back/back.h"
#include "adapters/bzflag/losses.h"
#include "adapters/bzflag/world/geography.h"
#include "proxy/base/text.h"

namespace entente::bzflag {
namespace {

constexpr int kLinkTries = 5;

std::string lower(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

/// A ban's reason as people read it: without the codes by which bzfs colours it in a terminal ("\x1b[37m"), and without
/// the word "REFUSED:", which it says twice.
std::string ban_reason(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.starts_with("\x1b[")) {
      text.remove_prefix(std::min(text.find_first_not_of("0123456789;", 2), text.size() - 1) + 1);
      continue;
    }
    out += text.front();
    text.remove_prefix(1);
  }
  if (out.starts_with(kRefusedWord)) out.erase(0, kRefusedWord.size());
  out.erase(0, std::min(out.find_first_not_of(' '), out.size()));
  return out;
}

}  // namespace

void BackSession::on(const Welcome& welcome, Outlet& out) {
  if (welcome.id == kNobody) return refuse(words::Refused::FULL, "the server has no slot", out);
  if (welcome.version.view() != speaks_.version.substr(kMagicWord.size()) && !speaks_.address_ids)
    return refuse(words::Refused::WRONG_VERSION, "the server speaks another version", out);
  number_ = welcome.id;
  stage_ = Stage::kFlags;
  ask_for_link(out);
  NegotiateFlags flags;
  for (const auto code : all_flags()) flags.flags.emplace_back().set(code);
  peer_.stream(out, flags);
  if (speaks_.queries) peer_.stream(out, QueryPlayers{});  // for their names: two of one name are not let in
}

void BackSession::on(const TooLate&, Outlet& out) {
  refuse(words::Refused::SERVER_GONE, "the server waited in vain for our header", out);
}

void BackSession::on(const Refused& refused, Outlet& out) {
  refuse(words::Refused::BANNED, ban_reason(refused.reason.view()), out);
}

void BackSession::on(const NegotiateFlags& missing, Outlet& out) {
  if (stage_ != Stage::kFlags) return;
  if (!missing.flags.empty()) out.lose(loss::kMissingFlags);
  stage_ = speaks_.settings ? Stage::kSettings : Stage::kHash;
  speaks_.settings ? peer_.stream(out, WantSettings{}) : peer_.stream(out, WantWorldHash{});
}

void BackSession::on(const GameSettings& settings, Outlet& out) {
  if (stage_ != Stage::kSettings) return;
  learn_settings(settings, out);
  stage_ = Stage::kHash;
  peer_.stream(out, WantWorldHash{});
}

void BackSession::learn_settings(const GameSettings& settings, Outlet& out) {
  size_ = settings.world_size > 0 && settings.world_size < 1e6F ? settings.world_size : 800;
  room_.set_game(std::string(game().name()));
  room_.set_dialect(std::string(speaks_.name));
  room_.set_mode(std::string(mode_of(settings.game_type)));
  room_.set_most_players(settings.max_players);
  room_.set_most_shots(settings.max_shots);
  room_.set_jumping((settings.options & kJumping) != 0);
  room_.set_ricochet((settings.options & kRicochet) != 0);
  room_.set_teams(settings.game_type != 2);
  out.say(room_);
  const auto raw = [&](const char* name, double value) {
    tell_rule(std::string("BZFLAG.") + name, shortest(static_cast<float>(value)), out);
  };
  raw("options", settings.options);
  raw("maxFlags", settings.max_flags);
  raw("linearAcceleration", settings.linear_acceleration);
  raw("angularAcceleration", settings.angular_acceleration);
  raw("shakeTimeout", settings.shake_timeout);
  raw("shakeWins", settings.shake_wins);
  tell_rule("hits", "victim", out);
  for (const auto& ruled : ruled_variables())  // as they are if nobody sets them; MsgSetVar comes when we are in
    tell_rule(ruled.rule, shortest(variables_[ruled.variable]), out);
}

void BackSession::on(const WorldHash& hash, Outlet& out) {
  if (stage_ != Stage::kHash) return;
  hash_ = clean(hash.hash.view());
  stage_ = Stage::kWorld;
  peer_.stream(out, GetWorld{});
}

void BackSession::on(const WorldChunk& chunk, Outlet& out) {
  if (stage_ != Stage::kWorld) return;
  append(database_, chunk.data);
  if (chunk.left == 0) return learn_world(out);
  if (chunk.data.empty() || database_.size() > kLargestWorld)
    return refuse(words::Refused::OTHER, "the server's world does not end", out);
  words::WorldProgress progress;
  progress.set_done(database_.size());
  progress.set_total(database_.size() + chunk.left);
  out.say(progress);
  GetWorld more;
  more.offset = static_cast<std::uint32_t>(database_.size());
  peer_.stream(out, more);
}

void BackSession::learn_world(Outlet& out) {
  const auto world = read_world(database_, dialect_);
  database_ = {};
  if (!world) return refuse(words::Refused::OTHER, "the server's world cannot be read", out);
  const auto* records = std::get_if<RecordWorld>(&*world);
  if (records != nullptr) learn_settings(settings_of(*records), out);
  Geography land = geography(records != nullptr ? groups_of(*records) : *std::get_if<GroupWorld>(&*world), size_);
  land.world.set_hash(hash_);
  for (std::size_t i = 0; i < land.boxed; ++i) out.lose(loss::kMesh);
  own_.terrain = core::Terrain(land.world);
  out.say(std::move(land.world));
  stage_ = Stage::kAtTheDoor;
  if (wish_) enter(out);
}

void BackSession::enter(Outlet& out) {
  if (stage_ != Stage::kAtTheDoor) return;
  stage_ = Stage::kEntering;
  const bool watches = wish_->role() == words::WATCH;
  Enter message;
  message.type = wish_->role() == words::ROBOT ? kRobotPlayer : kTankPlayer;
  message.team = watches ? kObserverTeam : wire_team(wish_->team(), kAutomaticTeam);
  const auto taken = [&](const std::string& name) { return taken_.contains(lower(name)); };
  message.callsign.set(free_name(legal_callsign(wish_->name()), kLongestName, 1, taken));
  message.motto.set(fitted(wish_->motto(), kLongestText));
  message.token.set(wish_->token());
  message.version.set(wish_->version());
  message.end = 0;
  peer_.stream(out, message);
}

void BackSession::on(const Accept&, Outlet& out) {
  if (stage_ != Stage::kEntering) return;
  stage_ = Stage::kIn;
  players_.add(number_, me_);
  ask_for_link(out);
}

void BackSession::on(const Reject& reject, Outlet& out) { refuse(refusal_of(reject.code), reject.reason.view(), out); }

void BackSession::on(const SuperKill&, Outlet& out) {
  if (stage_ != Stage::kIn) return refuse(words::Refused::SERVER_GONE, "the server ended the session", out);
  goodbye_ = true;
  words::Kicked kicked;
  kicked.set_text(last_words_.why(out.now(), "the server ended the session"));
  out.say(kicked);
  out.close("super kill by the server");
}

void BackSession::refuse(words::Refused::Code code, std::string_view text, Outlet& out) {
  words::Refused refused;
  refused.set_code(code);
  refused.set_text(clean(text));
  refused.set_may_retry(code == words::Refused::FULL || code == words::Refused::NAME_TAKEN ||
                        code == words::Refused::TOO_SOON);
  out.say(refused);
  const bool was_there = !std::exchange(goodbye_, true);
  if (was_there) out.close(text);
}

// -- The datagram link ------------------------------------------------------------------------------------------------

/// Until it stands; a lost datagram is sent again. bzfs never links some local ports, so it ends some day.
void BackSession::ask_for_link(Outlet& out) {
  if (!wants_link_ || peer_.linked || stage_ == Stage::kGreeting || (!speaks_.early_link && stage_ != Stage::kIn) ||
      link_tries_ >= kLinkTries)
    return;
  if (link_tries_ > 0 && out.now() < link_asked_ + core::kSecond) return out.wake(link_asked_ + core::kSecond);
  ++link_tries_;
  link_asked_ = out.now();
  peer_.datagram(out, LinkRequest{number_});
  out.wake(out.now() + core::kSecond);
}

/// By datagram: the server hears us. It still wants to know whether we hear it.
void BackSession::on(const LinkAnswer&, Outlet& out) {
  peer_.linked = true;
  peer_.datagram(out, LinkEstablished{});
}

/// By stream: our request was understood.
void BackSession::on(const LinkEstablished&, Outlet&) { peer_.linked = true; }

}  // namespace entente::bzflag
