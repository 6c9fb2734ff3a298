#include "adapters/ogar/back/back.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "adapters/ogar/back/cell_tracker.h"
#include "adapters/ogar/back/input_planner.h"
#include "adapters/ogar/back/world_finder.h"
#include "adapters/ogar/translate/translators.h"
#include "adapters/ogar/wire/dialect.h"
#include "adapters/ogar/wire/drops.h"
#include "adapters/ogar/wire/mapping.h"
#include "adapters/ogar/wire/text.h"
#include "adapters/ogar/wire/wire.h"
#include "adapters/wire/message_link.h"
#include "proxy/base/text.h"
#include "proxy/core/unsupported.h"
#include "proxy/core/world.h"

namespace entente::ogar {
namespace {

using core::BackOut, core::Intent, core::kSecond, core::Micros;

// Between two pings. Servers send world info only in answer to a ping, and disconnect after a minute of silence.
constexpr Micros kAskInfo = 5 * kSecond;
constexpr std::size_t kServerBehind = 16 * 1024;         // bytes waiting: the server is slow, so the mouse is not sent
constexpr std::uint32_t kNormalClosure = 1000;           // close code of WebSocket
constexpr std::size_t kLongestLine = 400;                // bytes, so that a message with a name stays below 512
constexpr Micros kSlowChat = 2100 * core::kMillisecond;  // MultiOgarII accepts a line every two seconds
constexpr Micros kSpawnPatience = 5 * kSecond;           // for a cell of our own
constexpr Micros kSplitPatience = kSecond;               // for a cell that splits or ejects mass
constexpr Micros kTellSplitAgain = 60 * kSecond;         // that none has split or ejected mass
// For a border or a cell: a server of pieces may send neither before a player spawns.
constexpr Micros kWorldPatience = 5 * kSecond;
constexpr Micros kBorderPatience = 2 * kTick;  // for the first picture after a border, which may be withdrawn before it
constexpr std::size_t kBoardRows = 10;
constexpr std::size_t kMostRows = 100;  // rows, lines or slices of a board
constexpr std::uint8_t kTeamMode = 1;   // from this mode on; OgarII sends 2, its older versions 1

class OgarBack final : public core::Back {
 public:
  explicit OgarBack(std::size_t dialect)
      : dialect_(dialect), link_(wire::Way::kToClient, make_message_codec(dialect)), translator_(dialect) {
    if (kDialects[dialect].pieces) planner_.set_chat_pause(kSlowChat);
  }

  void opened(const core::Peer&, BackOut& out) override {
    Hello hello;
    hello.opcode = kDialects[dialect_].hello;
    hello.version = kDialects[dialect_].newest_version;
    send(hello, out);
    planner_.connected(out.now());
    ask_at_ = out.now() + kAskInfo;
    sent_ = lost_at_ = out.now();
    open_ = true;
    out.wake(out.now() + kTick);
  }

  void receive(const Frames& frames, BackOut& out) override {
    const auto each = [&](const auto& heard) {
      translator_.hear(*heard.message, [this, &out](const Message& message) { take(message, out); });
      return true;
    };
    if (const auto fault = link_.hear(frames, each)) out.fail(*fault);
  }

  void hear(const Intent& intent, BackOut& out) override {
    if (intent.by != out.me()) return out.drop(drops::kNobody, intent);
    const bool taken = planner_.hear(intent, finder_.found(), tracker_, out);
    if (core::as<words::Leave>(intent)) return out.close("the player left", kNormalClosure);
    if (core::as<words::Enter>(intent) || core::as<words::Change>(intent)) tell_me(out);
    if (const auto* change = core::as<words::Change>(intent)) answer(*change, out);
    if (!taken && !core::as<words::WantWorld>(intent)) core::drop_unsupported<mapping>(intent, out);
    if (open_ && planner_.urgent(finder_.found())) out.wake(std::max(out.now(), action_at()));
  }

  void tick(BackOut& out) override {
    if (!open_) return;
    tracker_.tell_changes(out);
    mind_claims(out);
    mind_world(out);
    if (!finder_.found()) planner_.drop_old_lines(out);
    if (out.now() >= ask_at_) ask(out);
    const InputPlanner::Turn turn{out.now() >= sent_ + kTick, out.now() >= action_at()};
    if (turn.mouse || (turn.actions && planner_.urgent(finder_.found()))) steer(turn, out);
    tell_speed(out);
    out.wake(sent_ + kTick > out.now() ? sent_ + kTick : out.now() + kTick);
  }

  /// The spawn name is sent again each second (InputPlanner); this counts, and tells the player, that it has no effect.
  /// A server of pieces that sends nothing is asked only when its world is assumed.
  void mind_claims(BackOut& out) {
    core::PendingClaims& claims = planner_.claims();
    if (tracker_.self().cells == 0) claims.end_life();
    if (tracker_.take_thrown()) end_split(out);
    if (tracker_.self().cells > 0)
      claims.answered(core::Claim::kSpawn);
    else if (!planner_.wants_spawn())
      claims.forget(core::Claim::kSpawn);
    else if (finder_.found() || !kDialects[dialect_].pieces)
      claims.begin(core::Claim::kSpawn, kSpawnPatience, out);
    claims.check(out, [&](core::Claim claim, int) {
      if (claim == core::Claim::kSplit && !split_told_) split_told_ = out.now();
      claims.tell_unanswered(claim, out);
    });
  }

  /// A server with limits of its own may ignore every other wish, so the player is told seldom.
  void end_split(const BackOut& out) {
    thrown_at_ = out.now();
    if (split_told_ && out.now() < *split_told_ + kTellSplitAgain) return planner_.claims().forget(core::Claim::kSplit);
    planner_.claims().answered(core::Claim::kSplit);
    split_told_.reset();
  }

  void closed(std::string_view why, BackOut& out) override {
    open_ = false;
    if (shown_before_) return;  // the room reports why it ends
    words::Refused refused;
    refused.set_code(words::Refused::SERVER_GONE);
    refused.set_text(clean(why));
    out.say(std::move(refused));
  }

  void session_ends(std::string_view why, BackOut& out) override { out.close(why, kNormalClosure); }

 private:
  void send(const Message& message, BackOut& out) {
    translator_.say(message, [this, &out](const Message& one) { out.send(Lane::kStream, link_.frame(one)); });
  }

  // -- What the server says ------------------------------------------------------------------------------------------

  void take(const Message& message, BackOut& out) {
    if (const auto* update = std::get_if<Update>(&message)) return take(*update, out);
    if (std::get_if<Pong>(&message) == nullptr || asked_ == 0) return;
    words::Lag lag;
    lag.set_player(out.me());
    lag.set_ping_s(static_cast<double>(out.now() - asked_) / kSecond);
    asked_ = 0;
    out.say(lag);
  }

  /// Handles the parts in the order in which they apply: clear is first.
  void take(const Update& update, BackOut& out) {
    const auto has = [&](Part part) { return (update.flags & part) != 0; };
    if (has(kClear)) clear(out);
    if (has(kServerInfo)) take(update.server);
    find_world(update, out);
    if (has(kWorldInfo)) take(update.world, out);
    if (has(kCamera)) take(update.camera, out);
    if (has(kAdded))
      for (const AddedCell& cell : update.added) tracker_.added(cell, out);
    if (has(kUpdated))
      for (const UpdatedCell& cell : update.updated) tracker_.updated(cell, out);
    if (has(kEaten))
      for (const Eaten& eaten : update.eaten) tracker_.eaten(eaten);
    if (has(kRemoved))
      for (const std::uint32_t id : update.removed) tracker_.removed(id, out);
    tracker_.done(out);
    if (has(kChat))
      for (const ChatLine& line : update.chat) take(line, out);
    if (has(kBoard)) take(update.board, out);
  }

  void clear(BackOut& out) {
    finder_.cleared();
    shown_world_ = false;
    lost_at_ = out.now();
    planner_.left_world();
    tracker_.clear(out);
    board_ = {};
    out.say(board_);
  }

  void take(const ServerInfo& info) {
    teams_ = info.mode >= kTeamMode;
    tracker_.set_teams(teams_);
  }

  /// Looks for the world before the cells of an update are taken. A server of pieces may withdraw a border with the
  /// next message, so that is believed only with the first cells.
  void find_world(const Update& update, BackOut& out) {
    const auto has = [&](Part part) { return (update.flags & part) != 0; };
    const bool was_found = finder_.found(), cells = has(kAdded) && !update.added.empty();
    if (has(kBorder)) finder_.told(update.border, has(kServerInfo));
    if (has(kCamera)) finder_.seen(update.camera.x, update.camera.y);
    if (cells) {
      const auto own = std::ranges::find_if(update.added, [](const AddedCell& cell) { return (cell.flags & 1U) != 0; });
      const AddedCell& cell = own != update.added.end() ? *own : update.added.front();
      finder_.seen(cell.x, cell.y);
    }
    if (finder_.found() && !was_found) found_at_ = out.now();
    if (has(kBorder) || !was_found) tracker_.set_plane(finder_.plane());
    if (!kDialects[dialect_].pieces || cells || has(kUpdated) || has(kRemoved)) show_world(out);
  }

  /// The server has not shown a world, or has shown only its border.
  void mind_world(BackOut& out) {
    if (!finder_.found() && kDialects[dialect_].pieces && out.now() >= lost_at_ + kWorldPatience) finder_.assume();
    if (out.now() >= found_at_ + kBorderPatience) show_world(out);
  }

  /// Reports the world, if it was not, or has changed.
  void show_world(BackOut& out) {
    if (!finder_.found()) return;
    words::World world = finder_.world();
    const bool same = world.hash() == world_hash_;
    if (same && shown_world_) return;
    world_hash_ = world.hash();
    if (!same) out.say(std::move(world));
    shown_world_ = true;
    if (!std::exchange(shown_before_, true)) say_room(out);
    if (out.me() == 0) planner_.watch_leader();
    tell_me(out);
  }

  void say_room(BackOut& out) {
    room_.set_game(std::string(kGameName));
    room_.set_dialect(std::string(kDialectInfo[dialect_].name));
    room_.set_teams(teams_);
    if (room_.mode().empty()) room_.set_mode(teams_ ? "teams" : "free for all");
    out.say(room_);
    say_rule("tick_s", 0.04, out);
    say_rule("respawn", 0, out);
  }

  void take(const WorldInfo& info, BackOut& out) {
    room_.set_name(clean(info.server.chars));
    room_.set_mode(clean(info.mode.chars));
    room_.set_load(std::isfinite(info.load) ? info.load : 0);
    room_.set_uptime_s(info.uptime);
    room_.set_most_players(info.four != 0 ? 0 : info.limit);
    room_.set_players(info.playing);
    room_.set_watchers(info.spectating);
    room_.set_robots(info.internal);
    say_room(out);
  }

  void take(const Camera& camera, BackOut& out) {
    if (!std::isfinite(camera.x) || !std::isfinite(camera.y) || !(camera.scale > 0.001F)) return;
    words::View view;
    const Plane& plane = tracker_.plane();
    view.set_x(plane.east(camera.x));
    view.set_y(plane.north(camera.y));
    view.set_width(plane.metres(kWindowWidth / camera.scale));
    view.set_height(plane.metres(kWindowHeight / camera.scale));
    planner_.set_camera(view.x(), view.y());
    out.me() != 0 ? out.say({out.me(), view}) : out.say(view);
  }

  void take(const ChatLine& line, BackOut& out) {
    words::Said said;
    const std::string name = told_name(line.name.chars);
    const std::uint32_t colour = rgb_of(line.colour);
    if (line.by_server == 0) said.set_from(tracker_.owners().named(name, colour));
    if (line.by_server == 0) said.set_name(name);
    said.set_colour(colour);
    said.set_text(clean(line.text.chars));
    out.say(std::move(said));
  }

  /// The first kMostRows of them.
  template <class T>
  static std::span<const T> first_rows(const std::vector<T>& all, BackOut& out) {
    if (all.size() > kMostRows) out.drop(drops::kBoardFull);
    return {all.data(), std::min(all.size(), kMostRows)};
  }

  void take(const Board& board, BackOut& out) {
    words::Board told;
    if (board.type == 1) add_rows(first_rows(board.rows, out), out, told);
    if (board.type == 2) add_slices(first_rows(board.slices, out), out, told);
    if (board.type == 3)
      for (const ZText& line : first_rows(board.lines, out)) told.add_lines(clean(line.chars));
    if (told.SerializeAsString() == board_.SerializeAsString()) return;
    board_ = told;
    out.say(std::move(told));
  }

  void add_rows(std::span<const BoardRow> rows, BackOut& out, words::Board& told) {
    if (!teams_) count(rows, out);
    for (const BoardRow& row : rows) add_row(row, out, *told.add_rows());
  }

  static void add_slices(std::span<const float> slices, BackOut& out, words::Board& told) {
    if (std::all_of(slices.begin(), slices.end(), [](float s) { return std::isfinite(s); }))
      told.mutable_slices()->Add(slices.begin(), slices.end());
    else
      out.drop(drops::kSlicesNotFinite);
  }

  /// The board lists players that are in play. If it has fewer than ten rows, there are no others.
  void count(std::span<const BoardRow> rows, BackOut& out) {
    std::vector<std::string> names;
    for (const BoardRow& row : rows) names.push_back(told_name(row.name.chars));
    tracker_.owners().told_alive(names, rows.size() < kBoardRows, out);
  }

  void add_row(const BoardRow& row, BackOut& out, words::Board::Row& to) {
    const bool me = (row.flags & 3U) != 0;
    to.set_place(row.position);
    to.set_name(told_name(row.name.chars));
    to.set_me(me);
    to.set_marked((row.flags & 1U) != 0);
    const core::PlayerState* known = me ? out.world().player(out.me()) : nullptr;
    if (known != nullptr && to.name().empty()) to.set_name(known->player.name());  // legacy servers do not send it
    to.set_player(me ? out.me() : tracker_.owners().named(to.name(), 0));
  }

  /// Reports our player once there is a world, and again whenever it has changed.
  void tell_me(BackOut& out) {
    const words::Enter* enter = planner_.entered();
    if (!shown_world_ || enter == nullptr || out.me() == 0) return;
    words::Player me;
    if (const auto* known = out.world().player(out.me())) me = known->player;
    const CellOwners::Owner* const told = tracker_.owners().find(out.me());
    me.set_id(out.me());
    if (tracker_.self().cells == 0) {
      me.set_name(enter->name());
      me.set_skin(enter->skin());
    }
    me.set_role(told != nullptr ? told->player.role() : enter->role());
    if (me.team() == words::TEAM_ANY && !teams_) me.set_team(words::ROGUE);
    me.set_responding(true);
    tracker_.owners().set_me(me, out);
    if (!std::exchange(ready_, true)) out.say(words::Ready());
  }

  /// In play, the server keeps the name and skin until the next life.
  void answer(const words::Change& change, BackOut& out) const {
    if (tracker_.self().cells == 0 || (!change.has_name() && !change.has_skin())) return;
    words::ClaimRefused refused;
    refused.set_why("a new name or skin applies from the next life on");
    out.say({out.me(), std::move(refused)});
  }

  void say_rule(const char* name, double value, BackOut& out) {
    words::Rule rule;
    rule.set_name(name);
    rule.set_value(std::to_string(value));
    out.say(std::move(rule));
  }

  /// Reports the speed of our player's cells. Larger cells are slower, and clients of other games need the limit.
  void tell_speed(BackOut& out) {
    const CellTracker::Self self = tracker_.self();
    if (self.cells == 0 || out.now() < speed_at_) return;
    const double speed = tracker_.plane().metres(speed_of(self.largest)) * kSecond / kTick;
    if (std::abs(speed - speed_) < 0.02 * speed) return;
    speed_ = speed;
    speed_at_ = out.now() + 2 * kSecond;
    say_rule("speed", speed, out);
  }

  // -- What we send --------------------------------------------------------------------------------------------------

  void ask(BackOut& out) {
    ask_at_ = out.now() + kAskInfo;
    asked_ = out.now();
    send(Ping{}, out);
  }

  /// When the next action may be sent: at most one per tick, because a server reads actions once a tick. It need not
  /// wait for an update of the mouse, except while the mouse is held along a shot.
  Micros action_at() const { return std::max(acted_, planner_.aims() ? sent_ : 0) + kTick; }

  void steer(InputPlanner::Turn turn, BackOut& out) {
    const Input input = planner_.next(tracker_, finder_.found(), turn, out.now());
    if (input.has_action() || !turn.mouse) acted_ = out.now();
    const bool due =
        turn.mouse && finder_.found() && planner_.steers(tracker_.self()) && out.waiting_bytes() < kServerBehind;
    if (!due && !input.has_action()) return;
    if (turn.mouse)
      sent_ = out.now() - sent_ < 2 * kTick ? sent_ + kTick : out.now();  // 25 a second, even if ticks are late
    write(input);
    send(update_, out);
    // A server limits how often cells split and eject mass.
    const bool just_threw = thrown_at_ && out.now() < *thrown_at_ + kSplitPatience;
    if (input.must_throw && !just_threw) planner_.claims().begin(core::Claim::kSplit, kSplitPatience, out);
  }

  void write(const Input& input) {
    auto& update = *std::get_if<ClientUpdate>(&update_);
    const auto flag = [](bool on, Wish wish) { return static_cast<std::uint8_t>(on ? wish : 0); };
    update.x = input.x;
    update.y = input.y;
    update.splits = input.splits;
    update.minion_splits = input.minion_splits;
    update.flags = flag(input.spawn.has_value(), kSpawn) | flag(input.spectate, kSpectate) |
                   flag(input.q_press, kQPress) | flag(input.q_release, kQRelease) | flag(input.eject, kEject) |
                   flag(input.minion_eject, kMinionEject) | flag(input.minion_freeze, kMinionFreeze) |
                   flag(input.say.has_value(), kSay);
    if (input.spawn) set(update.name, *input.spawn);
    update.chat.resize(input.say ? 1 : 0);
    if (input.say) set(update.chat[0], fitted(*input.say, kLongestLine));
  }

  const std::size_t dialect_;
  wire::MessageLink<Message> link_;
  ServerTranslator translator_;
  Message update_{std::in_place_type<ClientUpdate>};

  CellTracker tracker_;
  InputPlanner planner_;
  WorldFinder finder_;
  std::string world_hash_;  ///< of the world that was reported
  words::Room room_;
  words::Board board_;
  bool open_ = false;
  bool shown_world_ = false;   ///< the world that the server shows us was reported
  bool shown_before_ = false;  ///< it has shown us one in this session
  bool ready_ = false, teams_ = false;
  Micros sent_ = 0;                   ///< when the mouse was last sent
  Micros acted_ = 0;                  ///< when an action was last sent
  std::optional<Micros> thrown_at_;   ///< when a cell of ours last split or ejected mass
  std::optional<Micros> split_told_;  ///< when the player was told that a split or an eject was not answered
  Micros ask_at_ = 0, asked_ = 0;     ///< when to ping again; when an unanswered ping was sent, or 0
  double speed_ = 0;
  Micros speed_at_ = 0;
  Micros lost_at_ = 0, found_at_ = 0;  ///< since when there is no world, or a world
};

}  // namespace

std::unique_ptr<core::Back> make_back(const core::FaceOptions& options) {
  return std::make_unique<OgarBack>(options.dialect);
}

}  // namespace entente::ogar
