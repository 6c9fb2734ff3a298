#include "adapters/aos/front/front.h"

#include "adapters/aos/wire/drops.h"
#include "adapters/aos/wire/mapping.h"
#include "proxy/core/parts.h"
#include "proxy/core/texts.h"
#include "proxy/core/unsupported.h"

namespace entente::aos {
namespace {

/// Facts that are handled even before the client has loaded its map.
template <class T>
constexpr bool kAlways = std::is_same_v<T, words::Refused> || std::is_same_v<T, words::Kicked> ||
                         std::is_same_v<T, words::World> || std::is_same_v<T, words::WorldEdit>;

/// Facts that need no handler: the world keeps them, and they are sent with other packets or in snapshots.
template <class T>
constexpr bool kInTheWorld =
    std::is_same_v<T, words::Room> || std::is_same_v<T, words::You> || std::is_same_v<T, words::TeamScore> ||
    std::is_same_v<T, words::Pose> || std::is_same_v<T, words::Ready> || std::is_same_v<T, words::Hidden> ||
    std::is_same_v<T, words::WorldProgress>;

/// Ids that a client may send before Existing Player, whatever the 0.80 draft says: Map Cached, Handshake Return,
/// Version Response, extensions.
bool may_come_before(std::uint8_t id) { return id == 31 || id == 32 || id == 34 || id == 60; }
constexpr std::uint8_t kExistingPlayer = 9;

}  // namespace

AosFront::AosFront(const core::FaceOptions& options)
    : client_(options.dialect),
      enters_first_(options.setting("first").empty() ? client_.tells_states() : options.setting("first") == "ban"),
      snapshots_(options.setting("rate"), client_, map_, players_, movement_) {}

void AosFront::opened(const core::Peer& peer, Outlet& out) {
  if (peer.connect_data != client_.dialect().connect_data)
    return goodbye("the client speaks another version", kWrongVersion, out);
  out.say(words::WantWorld());  // makes the room connect to its server
  load(out);
}

void AosFront::receive(const Frames& frames, Outlet& out) {
  if (gone_) return;
  std::optional<Fault> wrong;
  const auto each = [&](const wire::Frame& frame) {
    if (frame.bytes.empty()) return wrong = Fault{"empty packet", "", 0}, false;
    if (must_enter_first(frame.bytes[0], frame.lane, out)) return false;
    const auto heard = client_.read(frame);
    if (heard)
      std::visit([&](const auto& message) { take(message, out); }, *heard->message);
    else if (wire::unknown_code(heard.error()))
      out.drop(drops::kUnknownUp);
    else if (client_.tells_states() && frame.bytes[0] == 0)
      out.drop(drops::kUpdateWrongLength);
    else
      wrong = heard.error();
    return !wrong && !gone_;
  };
  wire::each_frame(frames, wire::Way::kToServer, each);
  if (!wrong || gone_) return;
  gone_ = true;
  tell_end(core::words_for_fault(*wrong), out);
  out.fail(*wrong);
}

template <class Message>
void AosFront::take(const Message& message, Outlet& out) {
  core::hand(message, out, profile_, entry_, movement_, weapons_, block_edits_, chat_);
}

void AosFront::hear(const core::Fact& fact, Outlet& out) {
  if (gone_) return;
  resync_.hear(fact);
  map_.wait().hear(fact);
  std::visit(
      [&]<class Word>(const Word& word) {
        if (kAlways<Word> || map_.loaded())
          take_fact(word, out);
        else if constexpr (std::is_same_v<Word, words::Said> || std::is_same_v<Word, words::Notice>)
          chat_.keep(word);
      },
      fact.content);
  if (gone_) return;
  if (map_.waits_for_world()) load(out);
  if (map_.loaded()) entry_.enter(out);
}

template <class Word>
void AosFront::take_fact(const Word& word, Outlet& out) {
  core::hand(word, out, block_edits_, players_, movement_, weapons_, fights_, objectives_, chat_);
  if constexpr (!kInTheWorld<Word> && !core::kOneHears<Word, Outlet, BlockEdits, PlayerTable, ClientMovement,
                                                       ClientWeapons, Fights, Objectives, FrontChat>) {
    core::drop_unsupported<mapping>(word, out);
  }
}

void AosFront::take_fact(const words::Player& player, Outlet& out) {
  const auto look = [&] { return std::pair(players_.own().side, players_.own().watches); };
  const auto before = look();
  players_.hear(player, out);
  if (look() != before) entry_.side_changed();
}

void AosFront::take_fact(const words::ClaimRefused& refused, Outlet& out) { entry_.hear_refused(refused.why(), out); }

void AosFront::tick(Outlet& out) {
  if (gone_) return;
  if (!map_.loaded()) return load(out);
  block_edits_.send_on(out);
  if (!snapshots_.due(out)) return;
  snapshots_.plan(out);
  entry_.ask_spawn(out);
  movement_.walk(out);
  movement_.check_place(out);
  objectives_.refresh(out);
  objectives_.reach(out);
  weapons_.fill_magazine(out);
  weapons_.mind_guns(out);
  entry_.check_side(out);
  weapons_.feel_mass(out);
  fights_.stop_shooting(out);
  players_.refresh(out);
  floor_marks_.look(out);
  snapshots_.send(out);
  snapshots_.wait(out);
}

// -- Coming in, and leaving ------------------------------------------------------------------------------------------

void AosFront::load(Outlet& out) {
  if (map_.load(out)) greet(out);
  if (map_.gave_up()) goodbye(map_.wait().why(), kServerGone, out);
}

void AosFront::take(const MapCached& cached, Outlet& out) {
  if (map_.hear_cached(cached.cached != 0, out)) greet(out);
}

/// Uses the order of SpadesX: first the players, then State Data, which starts the game on the client.
void AosFront::greet(Outlet& out) {
  if (!std::exchange(asked_version_, true)) client_.send(VersionGet{}, out);
  objectives_.begin(out);
  entry_.catch_up(out);
  players_.greet(out);
  objectives_.send_state_data(out);
  players_.own().player = out.me();
  block_edits_.catch_up(out);
  snapshots_.plan(out);
  snapshots_.wait(out);
  chat_.tell_kept(out);
  if (map_.guessed()) client_.notice(core::kOpenFieldText, out);
  entry_.enter(out);
}

/// Sends the client another world, or the same without its edits: the client drops to its menu and joins again by
/// itself. A server of this game starts anew whenever it sends a world: nobody is in play any more.
void AosFront::take_fact(const words::World&, Outlet& out) {
  block_edits_.forget_edits();
  const words::World* const world = out.world().geometry();  // it has a hash, also if the fact has none
  const bool shown = world != nullptr && map_.is_of(*world) && !block_edits_.edited() && !same_game(out);
  if (map_.waits_for_world() || shown) return;
  block_edits_.forget_map();
  floor_marks_.forget();
  players_.clear();
  entry_.forget();
  movement_.forget();
  weapons_.forget();
  objectives_.leave_token();
  profile_.leave();
  map_.begin(out);
}

void AosFront::begins(const PlayerEntry& own, Outlet& out) {
  movement_.begin(own, out);
  weapons_.begin(own);
  entry_.spawned();
  profile_.set_colour(kPlainColour);
  objectives_.leave_token();
}

/// Enforces the 0.80 rule that Existing Player comes first. A client that breaks it is disconnected. A ban would hit
/// everybody at its address, so only a packet that no client sends leads to a ban. An unreliable packet may have
/// overtaken Existing Player, so it is dropped.
bool AosFront::must_enter_first(std::uint8_t id, Lane lane, Outlet& out) {
  const bool may = profile_.known() || profile_.entered() || id == kExistingPlayer || may_come_before(id);
  if (!enters_first_ || may) return false;
  if (!client_.says(id))
    goodbye("the client sent a packet that only servers send", kBanned, out);
  else if (lane == Lane::kDatagram)
    out.drop(drops::kTooEarly);
  else
    goodbye("the client did not identify itself first", kKicked, out);
  return true;
}

void AosFront::take_fact(const words::Refused& refused, Outlet& out) {
  goodbye(refused.text().empty() ? "refused" : refused.text(), reason_of(refused.code()), out);
}

void AosFront::take_fact(const words::Kicked& kicked, Outlet& out) {
  goodbye(kicked.text().empty() ? "kicked" : kicked.text(), kKicked, out);
}

void AosFront::session_ends(std::string_view why, Outlet& out) { goodbye(why, kServerGone, out); }

void AosFront::tell_end(std::string_view why, Outlet& out) {
  if (!map_.loaded() || why.empty()) return;
  if (!client_.has_noticed(why)) client_.notice(why, out);
  if (profile_.shows_reasons()) client_.send_reason(why, out);
}

/// Disconnects with a reason, which is a number. A client that is in the game is first told the full reason in a chat
/// line, unless the server has just said it; BetterSpades shows another one when the connection is gone.
void AosFront::goodbye(std::string_view why, std::uint32_t reason, Outlet& out) {
  if (std::exchange(gone_, true)) return out.close(why, reason);
  tell_end(why, out);
  const bool custom = client_.tells_states() && (reason == kServerGone || reason == kBadName);
  out.close(why, custom ? kCustom : reason);
}

}  // namespace entente::aos
