// A shared room on the loop of the test, whose guests are the test's own: each says what the test wants, and keeps what
// it is told.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/base/mapping.h"
#include "proxy/core/world.h"
#include "proxy/relay/sessions/guest.h"
#include "proxy/relay/sessions/shared_room.h"
#include "tests/relay/enet_peers.h"
#include "tests/relay/running.h"
#include "tests/support/toy_game.h"

namespace entente::testing {

/// What the front of a guest says, and what it hears.
struct Script {
  std::vector<core::Intent> greets;  ///< as soon as it has its seat
  std::vector<core::Intent> says;    ///< when it receives something
  std::optional<Fault> fails;
  std::optional<core::Absence> absence;
  std::vector<std::string> heard;  ///< the kinds of the facts
  std::vector<std::string> said;   ///< the texts of chat
  std::vector<std::uint64_t> clocks;
  std::string goodbye, closed;
  std::uint32_t closed_code = 0;
};

class Puppet final : public core::Front {
 public:
  explicit Puppet(Script& script) : script_(script) {}
  void opened(const core::Peer&, core::FrontOut& out) override {
    for (core::Intent& one : std::exchange(script_.greets, {})) out.say(std::move(one));
  }
  void receive(const Frames&, core::FrontOut& out) override {
    for (core::Intent& one : std::exchange(script_.says, {})) out.say(std::move(one));
    if (script_.fails) out.fail(*script_.fails);
  }
  void hear(const core::Fact& fact, core::FrontOut& out) override {
    script_.heard.emplace_back(core::name_of(fact));
    if (const auto* one = core::as<words::Said>(fact)) script_.said.push_back(one->text());
    if (const auto* clock = core::as<words::Clock>(fact)) script_.clocks.push_back(clock->us());
    out.send(Lane::kStream, as_bytes(std::string_view(core::name_of(fact))));
  }
  std::optional<core::Absence> try_reserve_seat(const core::FrontOut&) override { return script_.absence; }
  void closed(std::string_view why, core::FrontOut&) override { script_.closed = why; }
  void closed_with_code(std::uint32_t code, std::string_view why, core::FrontOut&) override {
    script_.closed = why;
    script_.closed_code = code;
  }
  void session_ends(std::string_view why, core::FrontOut& out) override {
    script_.goodbye = why;
    out.close(why, 7);
  }

 private:
  Script& script_;
};

inline constexpr MappingLine kNoGuns = dropped_up("Fire", "", "there are no guns");

/// Lets everybody in but the player "unwanted", and repeats what is said.
class HouseBack final : public core::Back {
 public:
  void opened(const core::Peer&, core::BackOut& out) override { out.say(words::Ready()); }
  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (const auto* enter = core::as<words::Enter>(intent)) {
      words::Refused no;
      no.set_text("nobody wants you");
      if (enter->name() == "unwanted") return out.say({intent.by, no});
      words::Player player;
      player.set_id(intent.by);
      player.set_name(enter->name());
      player.set_role(enter->role());
      player.set_team(enter->team());
      out.say(player);
    } else if (core::as<words::Leave>(intent) != nullptr) {
      words::PlayerGone gone;
      gone.set_id(intent.by);
      out.say(gone);
    } else if (const auto* say = core::as<words::Say>(intent)) {
      words::Said said;
      said.set_text(say->text());
      out.say(said);
    } else if (core::as<words::Fire>(intent) != nullptr) {
      out.drop(kNoGuns, intent);
    }
  }
  void tick(core::BackOut& out) override {
    for (core::Fact& one : std::exchange(tells, {})) out.say(std::move(one));
    if (closes) out.close(*closes);
    if (every != 0) out.wake(out.now() + every);
  }

  std::vector<core::Fact> tells;  ///< at its next tick
  core::Micros every = 0;         ///< between its ticks; 0: it does not ask for them
  std::optional<std::string> closes;
};

inline words::Enter enter_as(const std::string& name, words::Role role = words::PLAY) {
  words::Enter enter;
  enter.set_name(name);
  enter.set_role(role);
  return enter;
}

inline words::Say say_this(const std::string& text) {
  words::Say say;
  say.set_text(text);
  return say;
}

/// Asks for a step of this length.
inline words::Playback step_by(double seconds) {
  words::Playback wish;
  wish.set_by_s(seconds);
  return wish;
}

class Actor final : public relay::Guest {
 public:
  Actor(relay::SharedRoom& room, relay::LinkId link, const char* from = "192.0.2.1:5",
        const Limits& limits = no_limits())
      : room_(room), limits_(limits) {
    info_.link = link;
    info_.game = &toy::stream();
    info_.client = *net::Address::parse(from);
    peer_.address = from;
  }

  void come() { room_.wait_for_seat(*this); }
  void say(std::vector<core::Intent> words) {
    for (core::Intent& one : words) script.says.push_back(std::move(one));
    room_.take_frames(seat, {Lane::kStream, as_bytes(std::string_view("x"))});
  }
  void say(core::Intent word) { say(std::vector{std::move(word)}); }
  bool was_told(std::string_view what) const { return std::find(told.begin(), told.end(), what) != told.end(); }
  std::ptrdiff_t times_told(std::string_view what) const { return std::count(told.begin(), told.end(), what); }
  bool heard(std::string_view kind) const {
    return std::find(script.heard.begin(), script.heard.end(), kind) != script.heard.end();
  }

  // Guest
  bool give_seat(core::Id id) override {
    told.push_back("seat " + std::to_string(id));
    seat = id;
    return !gone;
  }
  bool send(Lane, const SharedBytes& bytes) override {
    sent += bytes.bytes.size();
    if (overflows) room_.overflowed(seat);
    return !std::exchange(touched_, true);
  }
  void flush() override {
    touched_ = false;
    told.emplace_back("flush");
  }
  std::size_t waiting() const override { return 0; }
  void close(std::string_view why, std::uint32_t code) override {
    told.push_back("close " + std::string(why) + " " + std::to_string(code));
  }
  void failed(const Fault& fault) override { told.push_back(std::string("failed ") + fault.what); }
  void spoke(const core::Intent& intent) override { told.push_back(std::string("spoke ") + core::name_of(intent)); }
  void turned_away(std::string_view why) override { told.push_back("turned away " + std::string(why)); }
  std::optional<relay::Reason> wait_to_enter() override {
    told.emplace_back("waits");
    return objection;
  }
  bool try_claim_session(std::uint32_t number) override { return number == claims; }
  void player_entered(const words::Player& player) override { told.push_back("entered " + player.name()); }
  const core::Peer& peer() const override { return peer_; }
  core::Id seat_id() const override { return seat; }
  const Limits& limits() const override { return limits_; }
  const relay::LinkInfo& client() const override { return info_; }
  bool hears() const override { return all; }
  void end_seat(relay::Reason why) override {
    told.push_back(std::string("end ") + relay::text(why));
    room_.gone(seat, relay::text(why), 0);
  }
  void take_up_session() override { told.emplace_back("takes up"); }
  void take_turn() override {
    told.emplace_back("turn");
    if (seat == 0) room_.seat(*this, std::make_unique<Puppet>(script), peer_);
  }

  Script script;
  std::vector<std::string> told;
  core::Id seat = 0;
  std::size_t sent = 0;  ///< bytes
  bool gone = false, overflows = false;
  bool all = true;  ///< hears what is for everybody
  std::optional<relay::Reason> objection;
  std::uint32_t claims = 0;  ///< the player whose session it can take up

 private:
  relay::SharedRoom& room_;
  const Limits limits_;
  relay::LinkInfo info_;
  core::Peer peer_;
  bool touched_ = false;
};

struct OneSharedRoom : Turning {
  using Change = std::function<void(relay::SharedRoomOptions&)>;
  explicit OneSharedRoom(const Change& change = nullptr) {
    state.options.name = "a test";
    state.options.game = &toy::stream();
    state.options.chat.every = 0;
    state.options.seed = 1;
    state.options.back = [this] {
      auto made = std::make_unique<HouseBack>();
      stage = made.get();
      return made;
    };
    if (change) change(state.options);
    room.emplace(loop, state, 1, heard);
    room->open(&tapped.sink(0));
    settle();
  }
  ~OneSharedRoom() override {
    for (const auto& one : actors) room->leave_queues(*one);
    room.reset();
  }
  /// Runs the loop until `done` returns true, for so many turns at most.
  bool within(int turns, const std::function<bool()>& done) {
    for (int i = 0; i < turns && !done(); ++i) uv_run(loop.raw(), UV_RUN_ONCE);
    return done();
  }
  /// A guest that waits for its seat.
  Actor& comes(const char* from = "192.0.2.1:5") {
    actors.push_back(std::make_unique<Actor>(*room, static_cast<relay::LinkId>(actors.size() + 2), from, guest_limits));
    actors.back()->come();
    return *actors.back();
  }
  Actor& seated(const char* from = "192.0.2.1:5") {
    Actor& one = comes(from);
    until([&] { return one.seat != 0; });
    return one;
  }
  /// A guest whose player is in.
  Actor& enters(const std::string& name, const char* from = "192.0.2.1:5", words::Role role = words::PLAY) {
    Actor& one = seated(from);
    one.say(enter_as(name, role));
    until([&] { return one.was_told("entered " + name); });
    settle();
    return one;
  }
  /// The back says this to all.
  void tell(core::Fact fact) {
    room->order([&](core::Back&) { stage->tells.push_back(std::move(fact)); });
    settle();
  }
  bool knows(core::Id player) const { return room->world().player(player) != nullptr; }

  Heard heard;
  Tapped tapped;
  relay::SharedRoomState state;
  HouseBack* stage = nullptr;
  std::optional<relay::SharedRoom> room;
  std::vector<std::unique_ptr<Actor>> actors;
  Limits guest_limits = no_limits();  ///< of those who come from now on
};

}  // namespace entente::testing
