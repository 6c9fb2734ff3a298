#include "adapters/ogar/front/front.h"

#include <algorithm>

#include "adapters/ogar/front/client_input.h"
#include "adapters/ogar/front/notices.h"
#include "adapters/ogar/front/paint.h"
#include "adapters/ogar/front/scoreboard.h"
#include "adapters/ogar/translate/translators.h"
#include "adapters/ogar/wire/drops.h"
#include "adapters/ogar/wire/mapping.h"
#include "adapters/ogar/wire/text.h"
#include "adapters/ogar/wire/wire.h"
#include "adapters/wire/message_link.h"
#include "proxy/core/gameplay/world_wait.h"
#include "proxy/core/texts.h"
#include "proxy/core/unsupported.h"

namespace entente::ogar {
namespace {

using core::Fact, core::FrontOut, core::kSecond, core::Micros;

constexpr Micros kPatience = kSecond;             // wait for a world, then show the default map until there is one
constexpr Micros kSilence = 60 * kSecond;         // as in OgarII
constexpr std::size_t kClientBehind = 64 * 1024;  // bytes waiting: the client is slow
constexpr std::size_t kMostLinesAPainting = 100;  // lines of chat for one painting
constexpr std::uint32_t kBoardEvery = 4;          // paintings
constexpr const char* kSilent = "nothing received for a minute";
constexpr std::uint32_t kGoingAway = 1001, kRefused = 1003;  // close codes of WebSocket

class OgarFront final : public core::Front {
 public:
  explicit OgarFront(std::size_t dialect)
      : link_(wire::Way::kToServer, make_message_codec(dialect)), translator_(dialect) {}

  void opened(const core::Peer&, FrontOut& out) override {
    heard_ = out.now();
    out.wake(heard_ + kSilence);
  }

  void receive(const Frames& frames, FrontOut& out) override {
    heard_ = out.now();
    const auto each = [&](const auto& heard) { return understand(*heard.message, out), true; };
    if (const auto fault = link_.hear(frames, each)) {
      say(server_line(core::words_for_fault(*fault)), out);
      send_last_lines(out);
      out.fail(*fault);
    }
  }

  void hear(const Fact& fact, FrontOut& out) override {
    painter_.hear(fact, out.world());
    if (core::as<words::Pose>(fact) != nullptr) return;  // the most frequent fact, and only painted
    viewpoint_.hear(fact, out.world(), out.me());
    if (const auto* world = core::as<words::World>(fact)) {
      border_due_ = true;
      if (world->kind() == words::World::VOXELS) out.drop(drops::kVoxels);
    }
    if (core::as<words::Player>(fact) != nullptr || core::as<words::ClaimRefused>(fact) != nullptr) look_on(out);
    if (const auto* view = core::as<words::View>(fact)) viewpoint_.told(*view, out.now());
    if (const auto* clock = core::as<words::Clock>(fact); clock != nullptr && fact.audience == words::PLAYER)
      viewpoint_.follow(clock->follow());  // a Clock for everybody does not contain it
    if (const auto* said = core::as<words::Said>(fact)) say(chat_line(*said, out.world()), out);
    if (std::string notice = notice_of(fact, out.world(), out.me()); !notice.empty() && !painter_.in_resync())
      say(server_line(notice), out);
    if (std::string keys = knows_keys_ ? "" : keys_of(fact, out.world(), out.me()); !keys.empty()) {
      knows_keys_ = true;
      say(server_line(keys), out);
    }
    core::drop_unsupported<mapping>(fact, out);
    if (const auto* kicked = core::as<words::Kicked>(fact))
      return leave(kicked->text().empty() ? "kicked" : kicked->text(), kRefused, out);
    const auto* refused = core::as<words::Refused>(fact);
    if (refused != nullptr && !refused->may_retry()) leave(refused->text(), kRefused, out);
  }

  void tick(FrontOut& out) override {
    if (out.now() - heard_ >= kSilence) {
      say(server_line(kSilent), out);
      return leave(kSilent, kRefused, out);
    }
    if (!greeted_) return out.wake(heard_ + kSilence);
    paint_at_ += kTick;
    if (paint_at_ <= out.now()) paint_at_ = out.now() + kTick;  // late: starts a new grid of ticks
    if (out.waiting_bytes() < kClientBehind) paint(out);
    out.wake(paint_at_);
  }

  bool takes_another_world() const override { return true; }

  void session_ends(std::string_view why, FrontOut& out) override {
    say(server_line(why), out);
    leave(why, kGoingAway, out);
  }

 private:
  // -- What the client says ------------------------------------------------------------------------------------------

  void understand(const Message& said, FrontOut& out) {
    const bool meant = translator_.hear(
        said, [this, &out](const Message& message) { std::visit([&](const auto& one) { take(one, out); }, message); });
    if (!meant) out.drop(drops::kMinionCollect);
  }

  void take(const Hello&, FrontOut& out) {
    greeted_ = true;
    greeted_at_ = out.now();
    paint_at_ = out.now();
    out.say(words::WantWorld());
    out.wake(out.now());
  }

  void take(const Ping&, FrontOut& out) {
    tell(Pong{}, out);
    info_due_ = true;
  }

  /// Handles the parts in OgarII's order.
  void take(const ClientUpdate& update, FrontOut& out) {
    const auto has = [&](Wish wish) { return (update.flags & wish) != 0; };
    input_.mouse(update.x, update.y, out);
    input_.split(update.splits, false, out);
    input_.split(update.minion_splits, true, out);
    if (has(kSpawn)) input_.spawn(heard(update.name), out);
    if (has(kSpectate)) input_.spectate(out);
    if (has(kQPress) != has(kQRelease)) input_.press(has(kQPress), out);  // both at once cancel each other
    if (has(kEject)) input_.eject(false, out);
    if (has(kMinionEject)) input_.eject(true, out);
    if (has(kMinionFreeze)) input_.freeze(out);
    if (has(kSay))
      for (const ZText& line : update.chat) input_.say(heard(line), out);
  }

  /// Messages that clients do not send, or that are not in modern3. The table and the translator never pass one.
  template <class T>
  void take(const T&, FrontOut&) {
    assert(false);
  }

  /// A player who may only watch sees the leader, whatever it asked for.
  void look_on(const FrontOut& out) {
    const core::PlayerState* me = out.world().player(out.me());
    if (me != nullptr && me->player.role() == words::WATCH && viewpoint_.state() == Viewpoint::State::kIdle)
      viewpoint_.watch(Viewpoint::State::kLeader);
  }

  // -- What it is shown ----------------------------------------------------------------------------------------------

  /// Of too many lines, the oldest are lost: the last one may say why the session ends.
  void say(ChatLine line, FrontOut& out) {
    if (lines_.size() >= kMostLinesAPainting) {
      out.drop(drops::kChatFull);
      lines_.erase(lines_.begin());
    }
    lines_.push_back(std::move(line));
  }

  void paint(FrontOut& out) {
    if (!bordered_ && out.world().geometry() == nullptr && out.now() - greeted_at_ < kPatience) return;
    Update& update = *std::get_if<Update>(&update_);
    update.flags = 0;
    viewpoint_.look(out.world(), out.me(), input_.mouse_x(), input_.mouse_y(), out.now());
    add_border(update, out);
    add_camera(update);
    add_world_info(update, out);
    add_chat(update);
    add_board(update, out);
    add_cells(update, out);
    if (update.flags != 0 || translator_.wants_every_picture()) tell(update_, out);
    give_back(update);
  }

  void tell(const Message& message, FrontOut& out) {
    translator_.say(message, [this, &out](const Message& one) { out.send(Lane::kStream, link_.frame(one)); });
  }

  void add_border(Update& update, FrontOut& out) {
    if (bordered_ && !std::exchange(border_due_, false)) return;
    const words::World* world = out.world().geometry();
    const Border border = world != nullptr ? border_of(*world) : default_border();
    const bool first = !std::exchange(bordered_, true);
    if (world == nullptr) {  // only the first time: a world is not forgotten
      out.drop(drops::kWorldLate);
      say(server_line(core::kOpenFieldText), out);
    }
    if (!first && is_shown(border)) return;
    update.border = border;
    update.server = {static_cast<std::uint8_t>(out.world().room().teams() ? 2 : 0), 1, 3, 6};  // as OgarII 1.3.6
    update.flags |= kBorder | kServerInfo;
    if (first) return;
    update.flags |= kClear;  // another world
    painter_.forget();
    board_.forget();
  }

  bool is_shown(const Border& border) const {
    const Border& shown = std::get_if<Update>(&update_)->border;
    return shown.left == border.left && shown.right == border.right && shown.top == border.top &&
           shown.bottom == border.bottom;
  }

  void add_camera(Update& update) {
    if (!viewpoint_.watches()) return;
    const View& view = viewpoint_.view();
    update.camera = {static_cast<float>(view.x), static_cast<float>(view.y), static_cast<float>(view.scale)};
    update.flags |= kCamera;
  }

  void add_world_info(Update& update, FrontOut& out) {
    if (!std::exchange(info_due_, false)) return;
    const words::Room& room = out.world().room();
    WorldInfo& info = update.world;
    set(info.server, room.name());
    set(info.mode, room.mode());
    info.load = room.load();
    info.uptime = room.uptime_s();
    info.four = 0;
    info.limit = to_u16(room.most_players());
    std::uint32_t players = room.players(), watchers = room.watchers();
    if (players == 0 && watchers == 0)  // most servers do not count them
      for (const auto& [id, player] : out.world().players())
        ++(player.player.role() == words::WATCH ? watchers : players);
    info.playing = to_u16(players);
    info.spectating = to_u16(watchers);
    info.internal = to_u16(room.robots());
    info.external = to_u16(static_cast<double>(players) + watchers);
    update.flags |= kWorldInfo;
  }

  void add_chat(Update& update) {
    if (lines_.empty()) return;
    update.chat.swap(lines_);
    update.flags |= kChat;
  }

  void add_board(Update& update, FrontOut& out) {
    if (++painted_ % kBoardEvery != 0 || !board_.refresh(out.world(), out.me(), out.now())) return;
    update.board = board_.board();
    update.flags |= kBoard;
  }

  void add_cells(Update& update, FrontOut& out) {
    Changes& changes = painter_.paint(viewpoint_, out);
    update.added.swap(changes.added);
    update.updated.swap(changes.updated);
    update.eaten.swap(changes.eaten);
    update.removed.swap(changes.removed);
    if (!update.added.empty()) update.flags |= kAdded;
    if (!update.updated.empty()) update.flags |= kUpdated;
    if (!update.eaten.empty()) update.flags |= kEaten;
    if (!update.removed.empty()) update.flags |= kRemoved;
  }

  /// Clears the lists of an update that was sent, and keeps their memory. Most cells are added at a client's beginning:
  /// the memory for so many is not kept.
  static void give_back(Update& update) {
    constexpr std::size_t kKept = 64;
    update.chat.clear();
    update.added.clear();
    if (update.added.capacity() > kKept) update.added.shrink_to_fit();
    update.updated.clear();
    update.eaten.clear();
    update.removed.clear();
  }

  /// Sends the last lines, then closes.
  void leave(std::string_view why, std::uint32_t code, FrontOut& out) {
    send_last_lines(out);
    out.close(why, code);
  }

  void send_last_lines(FrontOut& out) {
    if (!greeted_ || lines_.empty()) return;
    Update& update = *std::get_if<Update>(&update_);
    update.flags = 0;
    add_chat(update);
    tell(update_, out);
    give_back(update);
  }

  wire::MessageLink<Message> link_;
  ClientTranslator translator_;
  Message update_{std::in_place_type<Update>};

  Viewpoint viewpoint_;
  ClientInput input_{viewpoint_};
  Painter painter_;
  Scoreboard board_;
  std::vector<ChatLine> lines_;
  bool greeted_ = false, bordered_ = false, border_due_ = false, info_due_ = false, knows_keys_ = false;
  Micros heard_ = 0, greeted_at_ = 0, paint_at_ = 0;
  std::uint32_t painted_ = 0;
};

}  // namespace

std::unique_ptr<core::Front> make_front(const core::FaceOptions& options) {
  return std::make_unique<OgarFront>(options.dialect);
}

}  // namespace entente::ogar
