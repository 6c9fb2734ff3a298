// A room of the toy game: what one side says reaches the right receivers on the other side once and in order.
#include "proxy/core/room/room.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "proxy/core/drops.h"

namespace entente::core::room_test {
namespace {

std::string text(Bytes bytes) { return std::string(as_text(bytes)); }

/// Records all calls that the network would get, as text.
class Stage : public Room::Host {
 public:
  void send(Id end, Lane, Bytes bytes) override { line(end, "sends " + text(bytes)); }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id end, std::string_view why, std::uint32_t code) override {
    line(end, "closes: " + std::string(why) + (code != 0 ? " " + std::to_string(code) : ""));
  }
  void failed(Id end, const Fault& fault) override { line(end, std::string("fails: ") + fault.what); }
  void dial() override { said_ += "dials\n"; }
  bool await_next_server(std::string_view why, Wait) override {
    if (waits) said_ += "waits: " + std::string(why) + "\n";
    return waits;
  }
  std::optional<DetachedPlayer> detach_player() override { return detaches ? detaches() : std::nullopt; }
  void move_failed(std::string_view why, bool other_world) override {
    said_ += "stays: " + std::string(why) + (other_world ? " (another world)" : "") + "\n";
  }
  const WorldState* known_world() override { return known; }
  void heard(const Intent& intent) override { last_number = intent.number; }
  void told(const Fact& fact) override { recorded += std::string(core::name_of(fact)) + " "; }

  std::string take() { return std::exchange(said_, {}); }

  bool waits = false;
  std::function<std::optional<DetachedPlayer>()> detaches;
  const WorldState* known = nullptr;
  std::uint32_t last_number = 0;  ///< of the last intent that the back was to hear
  std::string recorded;           ///< the names of the facts that the host was told

 private:
  void line(Id end, const std::string& what) {
    said_ += (end == kBackId ? std::string("back") : "seat " + std::to_string(end)) + " " + what + "\n";
  }
  std::string said_;
};

/// Says what it receives as chat, and sends what it hears. "enter" enters, "leave" leaves, "late" asks for a tick,
/// "bad" is a fault.
class ToyFront final : public Front {
 public:
  void receive(const Frames& frames, FrontOut& out) override {
    const std::string line = text(frames.bytes);
    if (line == "bad") return out.fail(Fault{"bad line", "line", 0});
    if (line == "stay") awaited_ = true;
    if (line == "ask") return out.say(words::Query());
    if (line == "7") {
      words::Resume resume;
      resume.set_player(7);
      return out.say(resume);
    }
    if (line.starts_with("chatter ")) {
      for (int left = std::stoi(line.substr(8)); left > 0; --left) out.say(words::Say());
      return;
    }
    if (line == "nowhere") {
      words::Toward nowhere;
      nowhere.set_x(std::numeric_limits<double>::quiet_NaN());
      return out.say(nowhere);
    }
    if (line.starts_with("name ")) {
      words::Change change;
      change.set_name(line.substr(5));
      return out.say(change);
    }
    if (line == "late") return out.wake(out.now() + kSecond);
    if (line == "leave") return out.say(words::Leave());
    if (line.find(", ") != std::string::npos) {
      for (std::string_view rest = line; !rest.empty();) {
        const std::string_view each = rest.substr(0, rest.find(", "));
        rest.remove_prefix(std::min(rest.size(), each.size() + 2));
        receive({Lane::kStream, as_bytes(each)}, out);
      }
      return;
    }
    if (line == "enter and speak") {
      out.say(words::Enter());
      for (const char* each : {"one", "two"}) {
        words::Say say;
        say.set_text(each);
        out.say(say);
      }
      return;
    }
    if (line == "bye") return out.close("said bye", 4);
    if (line == "enter") {
      words::Enter enter;
      enter.set_name("toy");
      return out.say(enter);
    }
    words::Say say;
    say.set_text(line);
    out.say(say);
  }
  void hear(const Fact& fact, FrontOut& out) override {
    std::string line = name_of(fact);
    if (const auto* said = as<words::Said>(fact)) line += ":" + said->text();
    out.send(Lane::kStream, as_bytes(line));
  }
  void closed_with_code(std::uint32_t code, std::string_view why, FrontOut& out) override {
    words::Say last;
    last.set_text(std::string(why) + " " + std::to_string(code));
    out.say(last);
  }
  std::optional<Absence> try_reserve_seat(const FrontOut&) override {
    return awaited_ ? std::optional<Absence>({7, kSecond}) : std::nullopt;
  }
  void returned(const Peer& peer, FrontOut& out) override {
    out.send(Lane::kStream, as_bytes("back " + peer.address + " at " + std::to_string(out.now())));
  }
  void tick(FrontOut& out) override { out.send(Lane::kStream, as_bytes("tick " + std::to_string(out.random() % 100))); }

 private:
  bool awaited_ = false;
};

/// Echoes chat to everybody, and "psst..." to its sender only; enters players at once.
class ToyBack final : public Back {
 public:
  void receive(const Frames& frames, BackOut& out) override {
    if (text(frames.bytes) == "kick") return out.close("was kicked");
    if (text(frames.bytes) == "stops" && out.report_server_stopping("it stops")) return;
    if (text(frames.bytes) == "stops") return out.close("stopped");
    words::Notice notice;
    notice.set_text(text(frames.bytes));
    out.say(notice);
  }
  void hear(const Intent& intent, BackOut& out) override {
    if (const auto* say = as<words::Say>(intent)) {
      words::Said said;
      said.set_text(say->text());
      say->text().starts_with("psst") ? out.say(Fact(intent.by, said)) : out.say(said);
    } else if (as<words::Enter>(intent) != nullptr) {
      words::Player player;
      player.set_id(intent.by);
      out.say(player);
      out.say(words::Ready());
    } else if (const auto* change = as<words::Change>(intent)) {
      out.send(Lane::kStream, as_bytes("Change " + change->name()));
    } else {
      out.send(Lane::kStream, as_bytes(std::string(name_of(intent)) + " of " + std::to_string(intent.by)));
    }
  }
  void tick(BackOut& out) override {
    if (to_tell) out.say(*std::exchange(to_tell, std::nullopt));
  }

  std::optional<Fact> to_tell;  // in its next tick
};

struct Play {
  explicit Play(bool shared = true) : room(stage, std::make_unique<ToyBack>(), options(shared)) {}
  static RoomOptions options(bool shared) {
    RoomOptions options;
    options.shared = shared;
    options.chat.commands = true;
    return options;
  }
  Id seat() { return room.seat(std::make_unique<ToyFront>(), {}, now); }
  std::string says(Id end, std::string_view line) {
    room.received(end, {Lane::kStream, as_bytes(line)}, now);
    return stage.take();
  }

  Micros now = 0;
  Stage stage;
  Room room;
};

TEST_CASE("chat reaches everybody, and the first word dials the server") {
  Play play;
  const Id anna = play.seat(), ben = play.seat();
  CHECK(play.stage.take() == "seat 1 sends You\nseat 2 sends You\n");
  CHECK(play.says(anna, "hello") == "dials\nseat 1 sends Said:hello\nseat 2 sends Said:hello\n");
  CHECK(play.says(ben, "psst") == "seat 2 sends Said:psst\n");
  CHECK(play.says(kBackId, "rain") == "");  // its link is not up, so nothing can have come
}

/// Has players of its own, with the ids 2 and 4, a unit with the id 5, and a token with the id 7.
class CrowdedBack final : public Back {
 public:
  void receive(const Frames&, BackOut&) override {}
  void hear(const Intent&, BackOut& out) override {
    for (const Id id : {2U, 4U}) {
      words::Player player;
      player.set_id(id);
      out.say(player);
    }
    words::Unit unit;
    unit.set_id(5);
    out.say(unit);
    words::Token token;
    token.set_id(7);
    out.say(token);
    out.say(words::Ready());
  }
};

/// Says a fact for the audience that its server's line names.
class Herald final : public Back {
 public:
  void receive(const Frames& frames, BackOut& out) override {
    const std::string line = text(frames.bytes);
    words::Notice notice;
    notice.set_text(line);
    Fact fact(notice);
    if (line == "admins") fact.audience = words::ADMINS;
    if (line == "reds") fact.audience = words::TEAM, fact.to = words::RED;
    if (line == "second") fact.audience = words::PLAYER, fact.to = 2;
    out.say(std::move(fact));
  }
  /// The first player is an administrator, and red; the second has all other badges, and is blue.
  void hear(const Intent& intent, BackOut& out) override {
    words::Player player;
    player.set_id(intent.by);
    player.set_team(intent.by == 1 ? words::RED : words::BLUE);
    if (intent.by == 1) player.set_badges(words::ADMIN);
    if (intent.by == 2) player.set_badges(words::REGISTERED | words::VERIFIED | words::PAUSED | words::AUTOPILOT);
    if (intent.by <= 2) out.say(player);
  }
};

TEST_CASE("a fact reaches those for whom it is: all, a team, the administrators, or one player") {
  Stage stage;
  Room room(stage, std::make_unique<Herald>(), Play::options(true));
  room.back_opened({}, 0);
  for (Id id = 1; id <= 3; ++id) {  // the third is not known to the server
    REQUIRE(room.seat(std::make_unique<ToyFront>(), {}, 0) == id);
    room.received(id, {Lane::kStream, as_bytes("enter")}, 0);
  }
  const auto who_hears = [&](std::string_view line) {
    stage.take();
    room.received(kBackId, {Lane::kStream, as_bytes(line)}, 0);
    return stage.take();
  };
  CHECK(who_hears("all") == "seat 1 sends Notice\nseat 2 sends Notice\nseat 3 sends Notice\n");
  CHECK(who_hears("admins") == "seat 1 sends Notice\n");
  CHECK(who_hears("reds") == "seat 1 sends Notice\n");
  CHECK(who_hears("second") == "seat 2 sends Notice\n");
}

TEST_CASE("a room that has given all ids begins again, and gives none that is in use") {
  Stage stage;
  RoomOptions options = Play::options(true);
  options.ids_after = kLastId - 1;
  Room room(stage, std::make_unique<CrowdedBack>(), options);
  const auto seat = [&] { return room.seat(std::make_unique<ToyFront>(), {}, 0); };
  CHECK(seat() == kLastId);
  room.received(kLastId, {Lane::kStream, as_bytes("hello")}, 0);
  CHECK(seat() == 1);
  CHECK(seat() == 3);
  CHECK(seat() == 6);
  room.gone(1, "left", 0);
  CHECK(seat() == 8);  // not at once
}

TEST_CASE("a back gets no command of another game, and its sender is told so") {
  Stage stage;
  RoomOptions options;
  options.shared = true;
  Room room(stage, std::make_unique<ToyBack>(), options);
  const Id anna = room.seat(std::make_unique<ToyFront>(), {}, 0);
  room.seat(std::make_unique<ToyFront>(), {}, 0);
  stage.take();
  room.received(anna, {Lane::kStream, as_bytes("/password sesame")}, 0);
  CHECK(stage.take() == "seat 1 sends Notice\n");
  room.received(anna, {Lane::kStream, as_bytes("hello")}, 0);
  CHECK(stage.take() == "dials\nseat 1 sends Said:hello\nseat 2 sends Said:hello\n");
}

TEST_CASE("a back gets no number that is not finite") {
  Play play;
  play.seat();
  play.room.back_opened({}, 0);
  play.says(1, "enter");
  CHECK(play.says(1, "nowhere") == "seat 1 sends ClaimRefused\n");
  CHECK(play.says(1, "nowhere") == "");  // told once
  CHECK(play.room.ledger().entries().size() == 1);
}

TEST_CASE("in a room of one player, what only a player does is not passed on before its Enter; it is told so once") {
  Play play(false);
  play.seat();
  play.stage.take();
  const auto refused = [&] {
    std::string all;
    for (const auto& entry : play.room.ledger().entries()) {
      CHECK(entry.line == &drops::kNotEntered);
      all += entry.what() + " " + std::to_string(entry.times) + "\n";
    }
    return all;
  };
  CHECK(play.says(1, "hello") == "seat 1 sends ClaimRefused\n");
  CHECK(play.says(1, "hello") == "");
  CHECK(play.says(1, "name anna") == "seat 1 sends ClaimRefused\n");
  CHECK(play.says(1, "ask") == "");
  CHECK(refused() == "Say 2\nChange 1\n");
  CHECK(play.says(1, "enter").starts_with("dials\n"));
  CHECK(play.says(1, "hello") == "seat 1 sends Said:hello\n");
  play.says(1, "leave");
  CHECK(play.says(1, "hello") == "");
  CHECK(refused() == "Say 3\nChange 1\n");
}

TEST_CASE("a room that follows others passes on what is said before an Enter") {
  Stage stage;
  RoomOptions options = Play::options(false);
  options.drops_before_enter = false;
  Room room(stage, std::make_unique<ToyBack>(), options);
  room.seat(std::make_unique<ToyFront>(), {}, 0);
  stage.take();
  room.received(1, {Lane::kStream, as_bytes("hello")}, 0);
  CHECK(stage.take() == "dials\nseat 1 sends Said:hello\n");
}

TEST_CASE("a back gets names without control characters, and otherwise unchanged") {
  Play play;
  play.seat();
  play.room.back_opened({}, 0);
  const auto named = [&](const std::string& name) { return play.says(1, "name " + name); };
  play.says(1, "enter");
  CHECK(named(std::string("an\0\1na\n\0", 8)) == "back sends Change anna\n");
  CHECK(named("J\xc3\xbcrgen \xe2\x98\x83") == "back sends Change J\xc3\xbcrgen \xe2\x98\x83\n");
}

TEST_CASE("a late client gets the world") {
  Play play;
  play.seat();
  play.says(1, "enter");
  const Id late = play.seat();
  CHECK(late == 2);
  CHECK(play.stage.take() ==
        "seat 2 sends You\nseat 2 sends Room\nseat 2 sends Player\nseat 2 sends Owns\n"
        "seat 2 sends Score\nseat 2 sends Board\nseat 2 sends Round\nseat 2 sends Ready\n");
}

TEST_CASE("a player for whom the world has no room is refused, and leaves") {
  Play play;
  play.room.back_opened({}, play.now);
  const Id anna = play.seat();
  play.says(anna, "enter");
  for (Id id = 1'000'000; play.room.world().players().size() < WorldLimits{}.players; ++id) {
    words::Player other;
    other.set_id(id);
    play.room.order([&](Back& back) { static_cast<ToyBack&>(back).to_tell = Fact(other); }, play.now);
  }
  const Id ben = play.seat();
  play.stage.take();
  const std::string news = play.says(ben, "enter");
  CHECK(news.find("seat " + std::to_string(ben) + " sends Refused") != std::string::npos);
  CHECK(news.find("sends Player") == std::string::npos);
  CHECK(news.find("back sends Leave of " + std::to_string(ben)) != std::string::npos);
  CHECK(news.find("seat " + std::to_string(anna) + " sends Refused") == std::string::npos);
}

TEST_CASE(
    "a player whom a full room refuses is told why, also in what the host records; those who have not entered are "
    "not") {
  class Recorder final : public Stage {
   public:
    void told(const Fact& fact) override {
      if (as<words::Refused>(fact) != nullptr) recorded.push_back(fact);
    }
    std::vector<Fact> recorded;
  };
  constexpr Micros kNow = 7 * kSecond;
  Recorder host;
  Room room(host, std::make_unique<ToyBack>(), Play::options(true));
  room.back_opened({}, kNow);
  const auto introduce = [&](Id id) {
    words::Player player;
    player.set_id(id);
    room.order([&](Back& back) { static_cast<ToyBack&>(back).to_tell = Fact(player); }, kNow);
  };
  const Id ben = room.seat(std::make_unique<ToyFront>(), {}, kNow);
  Id other = 1'000'000;
  while (room.world().players().size() < WorldLimits{}.players) introduce(other++);
  host.take();
  introduce(ben);    // it has not entered
  introduce(other);  // has no seat
  CHECK(host.recorded.empty());
  CHECK(host.take().find("Leave") == std::string::npos);
  room.received(ben, {Lane::kStream, as_bytes("enter")}, kNow);
  REQUIRE(host.recorded.size() == 1);
  const Fact& fact = host.recorded.front();
  CHECK(fact.at == kNow);
  CHECK(fact.audience == words::PLAYER);
  CHECK(fact.to == ben);
  CHECK(as<words::Refused>(fact)->code() == words::Refused::FULL);
  CHECK(as<words::Refused>(fact)->text() == "there are too many players and spectators here: try again later");
}

TEST_CASE("a player that entered leaves when its link is gone, and others go on") {
  Play play;
  play.seat();
  play.seat();
  play.room.back_opened({}, 0);
  play.says(1, "enter");
  play.room.gone(1, "reset", 5);
  CHECK(play.stage.take() == "back sends Leave of 1\n");
  CHECK(play.says(2, "still here") == "seat 2 sends Said:still here\n");
  CHECK_FALSE(play.room.over());
}

TEST_CASE("when a server announces its stop, the room waits for the next one if its host waits, and else ends") {
  Play play(false);
  play.seat();
  play.room.back_opened({}, 0);
  play.says(1, "enter");
  REQUIRE(play.room.transition().outlives_server());
  SUBCASE("the host waits") {
    play.stage.waits = true;
    CHECK(play.says(kBackId, "stops") == "waits: it stops\n");
    CHECK_FALSE(play.room.over());
    CHECK(play.room.transition().replace_back(std::make_unique<ToyBack>(), {"it stops"}, 1) == Wait::kServer);
    CHECK_FALSE(play.room.transition().awaits_server());  // this one lets players in at once
    play.stage.take();
    CHECK(play.says(1, "still here") == "seat 1 sends Said:still here\n");
  }
  SUBCASE("the host does not") {
    play.says(kBackId, "stops");
    CHECK(play.room.over());
  }
}

/// Lets players in at once. When its server ends the connection with a code, it says whether that was a dismissal.
class CandidBack final : public Back {
 public:
  enum Code : std::uint32_t { kKicks = 1, kBans, kGoes };

  void receive(const Frames&, BackOut&) override {}
  void hear(const Intent& intent, BackOut& out) override {
    words::Player player;
    player.set_id(intent.by);
    if (as<words::Enter>(intent) != nullptr) out.say(player), out.say(words::Ready());
  }
  void closed_with_code(std::uint32_t code, std::string_view, BackOut& out) override {
    if (code == kKicks) return out.say(words::Kicked());
    words::Refused refused;
    refused.set_code(code == kBans ? words::Refused::BANNED : words::Refused::SERVER_GONE);
    out.say(refused);
  }
};

TEST_CASE("a player whose server dismisses it while it goes does not wait for the next one") {
  for (const auto code : {CandidBack::kKicks, CandidBack::kBans, CandidBack::kGoes}) {
    CAPTURE(code);
    Stage stage;
    Room room(stage, std::make_unique<CandidBack>(), Play::options(false));
    const Id anna = room.seat(std::make_unique<ToyFront>(), {}, 0);
    room.back_opened({}, 0);
    room.received(anna, {Lane::kStream, as_bytes("enter")}, 0);
    REQUIRE(room.transition().outlives_server());
    const bool stays = code == CandidBack::kGoes;
    CHECK(room.transition().replace_back(std::make_unique<ToyBack>(), {"it left", code}, 1) ==
          (stays ? Wait::kServer : Wait::kNothing));
    CHECK(room.over() == !stays);
    const std::string said = stage.take();
    CHECK((said.find("seat 1 sends Kicked\n") != std::string::npos) == (code == CandidBack::kKicks));
  }
}

/// Lets players in at once, and says a farewell.
class PoliteBack final : public Back {
 public:
  void receive(const Frames&, BackOut&) override {}
  void hear(const Intent& intent, BackOut& out) override {
    words::Player player;
    player.set_id(out.me());
    if (as<words::Enter>(intent) != nullptr) out.say(player), out.say(words::Ready());
  }
  void session_ends(std::string_view, BackOut& out) override { out.say(words::Notice()); }
};

class OpenFront final : public Front {
 public:
  void receive(const Frames&, FrontOut& out) override {
    for (Intent& intent : std::exchange(to_say, {})) out.say(std::move(intent));
  }
  void hear(const Fact& fact, FrontOut&) override { heard.push_back(fact); }
  bool takes_another_world() const override { return true; }

  std::vector<Intent> to_say;
  std::vector<Fact> heard;
};

class MovableFront final : public Front {
 public:
  void receive(const Frames& frames, FrontOut& out) override {
    const std::string line = text(frames.bytes);
    words::Watch watch;
    watch.set_mode(words::Watch::ROAM);
    words::Enter enter;
    if (line == "enter to watch") enter.set_role(words::WATCH);
    if (line == "enter as a man") enter.set_body(words::Unit::MAN);
    if (line.starts_with("enter")) out.say(enter);
    if (line == "spawn") out.say(words::Spawn());
    if (line == "watch") out.say(watch);
    if (line == "leave") out.say(words::Leave());
    if (line == "fire") out.say(words::Fire());
    watch.set_mode(words::Watch::STOP);
    if (line == "stop watching") out.say(watch);
    words::Toward nowhere;
    nowhere.set_x(std::numeric_limits<double>::quiet_NaN());
    if (line == "nowhere") out.say(nowhere);
    words::Change change;
    change.set_team(words::RED);
    if (line == "choose a side") out.say(change);
    if (line == "ask for the world") out.say(words::WantWorld());
  }
  void hear(const Fact& fact, FrontOut& out) override {
    const std::string cause = fact.cause != 0 ? " for intent " + std::to_string(fact.cause) : "";
    out.send(Lane::kStream, as_bytes(name_of(fact) + cause));
  }
  bool takes_another_world() const override { return true; }
};

TEST_CASE("a player who has moved to another server does not receive the farewell of the last one") {
  Stage stage;
  Room room(stage, std::make_unique<PoliteBack>(), Play::options(false));
  const Id anna = room.seat(std::make_unique<MovableFront>(), {}, 0);
  room.back_opened({}, 0);
  room.received(anna, {Lane::kStream, as_bytes("enter")}, 0);
  REQUIRE(room.transition().can_move());
  stage.take();
  room.transition().begin_move(std::make_unique<PoliteBack>(), 1);
  room.back_opened({}, 1, kNextBackId);
  CHECK(stage.take() == "back closes: the player moves to another server\n");
}

/// Sends what it hears, and says what its server's line names.
class LedBack final : public Back {
 public:
  void receive(const Frames& frames, BackOut& out) override {
    const std::string line = text(frames.bytes);
    if (line == "progress") out.say(words::WorldProgress());
    if (line == "notices")
      for (int i = 0; i < 100; ++i) out.say(words::Notice());
    if (line.starts_with("in")) {
      out.say(me(role_));
      out.say(words::Ready());
    }
    if (line == "plays") out.say(me(words::PLAY));
    if (line == "watches") out.say(me(words::WATCH));
    if (line == "in, and kicks") out.say(kicked());
    if (line == "in, kicks and goes") out.say(kicked()), out.close("kicked");
    if (line == "in, and goes") out.close("it stops");
    if (line == "in, and nonsense") out.fail(Fault{"nonsense", "line", 0});
    if (line == "spawned") {
      words::Unit unit;
      unit.set_id(unit_ = out.new_id());
      unit.set_owner(player_);
      words::Owns owns;
      owns.set_player(player_);
      owns.add_units(unit_);
      owns.set_active(unit_);
      words::Spawned spawned;
      spawned.set_unit(unit_);
      out.say(unit);
      out.say(owns);
      out.say(spawned);
    }
    if (line == "died") {
      words::Died died;
      died.set_player(player_);
      died.set_unit(unit_);
      out.say(died);
    }
  }
  void hear(const Intent& intent, BackOut& out) override {
    player_ = intent.by;
    if (const auto* enter = as<words::Enter>(intent)) role_ = enter->role(), team_ = enter->team();
    out.send(Lane::kStream, as_bytes(name_of(intent)));
  }

 private:
  words::Player me(words::Role role) const {
    words::Player player;
    player.set_id(player_);
    player.set_role(role);
    player.set_team(team_);
    return player;
  }
  static words::Kicked kicked() {
    words::Kicked kicked;
    kicked.set_text("not you");
    return kicked;
  }
  Id player_ = 0, unit_ = 0;
  words::Role role_ = words::PLAY;
  words::Team team_ = words::TEAM_ANY;
};

/// A player, its own server, and the next one.
struct Travel {
  Travel() : room(stage, std::make_unique<LedBack>(), Play::options(false)) {
    anna = room.seat(std::make_unique<MovableFront>(), {}, 0);
    room.back_opened({}, 0);
  }
  void wants(std::string_view line) { room.received(anna, {Lane::kStream, as_bytes(line)}, 0); }
  void server(std::string_view line) { room.received(kBackId, {Lane::kStream, as_bytes(line)}, 0); }
  /// What happens when the next server says this, after the player's own is lost. `meanwhile`: as ServerLoss has it.
  std::string comes_back(std::string_view line = "in", bool meanwhile = false) {
    room.transition().replace_back(std::make_unique<LedBack>(), {"it is lost", 0, meanwhile}, 0);
    room.back_opened({}, 0);
    stage.take();
    server(line);
    return stage.take();
  }
  /// The same, while the player moves there.
  std::string moves(std::string_view line = "in") {
    room.transition().begin_move(std::make_unique<LedBack>(), 0);
    room.back_opened({}, 0, kNextBackId);
    stage.take();
    room.received(kNextBackId, {Lane::kStream, as_bytes(line)}, 0);
    return stage.take();
  }

  Stage stage;
  Room room;
  Id anna = 0;
};

constexpr const char* kSpawns = "back sends Spawn\n";

/// What the next server said in vain to a player who was not there yet.
std::string not_there(const Ledger& ledger) {
  std::string all;
  for (const auto& entry : ledger.entries())
    if (entry.line == &drops::kOtherServer) all += entry.what() + " " + std::to_string(entry.times) + ", ";
  return all;
}

TEST_CASE("what the room says in a player's name does not count among the player's intents") {
  Travel travel;
  travel.wants("enter");  // intent 1
  travel.server("in");
  travel.server("spawned");
  SUBCASE("at the next server, after its own is lost") { CHECK(travel.comes_back().ends_with(kSpawns)); }
  SUBCASE("at the server to which it is moved") { CHECK(travel.moves().ends_with(kSpawns)); }
  travel.stage.take();
  travel.wants("nowhere");
  CHECK(travel.stage.take() == "seat 1 sends ClaimRefused for intent 2\n");
}

std::size_t count(const std::string& text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST_CASE("a player who has asked to spawn does so at the next server, however its own is lost") {
  Travel travel;
  travel.wants("enter");
  SUBCASE("while the world comes") {
    travel.server("progress");
    travel.wants("spawn");
    CHECK(travel.comes_back().ends_with(kSpawns));
  }
  SUBCASE("twice, before there is a world") {
    travel.wants("spawn");
    travel.comes_back("");
    REQUIRE(travel.room.announce(travel.anna, "the server is away", 0));
    CHECK(travel.comes_back().ends_with(kSpawns));
  }
  SUBCASE("before it is put into play") {
    travel.server("in");
    travel.wants("spawn");
    CHECK(travel.comes_back().ends_with(kSpawns));
  }
  SUBCASE("because the player is moved") {
    travel.server("in");
    travel.wants("spawn");
    CHECK(travel.moves().ends_with(kSpawns));
  }
  SUBCASE("and it has stopped to watch since") {
    travel.server("in");
    travel.wants("watch");
    travel.wants("spawn");
    travel.wants("stop watching");
    CHECK(travel.comes_back().ends_with(kSpawns));
  }
}

TEST_CASE("a player who comes into play while it is moved is put into play at the next server") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.wants("spawn");
  CHECK(travel.moves("") == "");
  travel.server("spawned");
  travel.stage.take();
  travel.room.received(kNextBackId, {Lane::kStream, as_bytes("in")}, 0);
  CHECK(travel.stage.take().ends_with(kSpawns));
}

TEST_CASE("a player who is dead and does not wait to spawn stays so at the next server") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  SUBCASE("it has not asked") {}
  SUBCASE("it has had the life that it asked for") {
    travel.wants("spawn");
    travel.server("spawned");
    travel.server("died");
  }
  SUBCASE("it has asked to watch instead") {
    travel.wants("spawn");
    travel.wants("watch");
  }
  CHECK(travel.comes_back().find(kSpawns) == std::string::npos);
  CHECK_FALSE(travel.room.transition().awaits_server());
}

TEST_CASE("a dead player whose client leaves its next lives to the server spawns at the next one") {
  Travel travel;
  travel.wants("enter as a man");
  travel.server("in");
  travel.wants("spawn");
  travel.server("spawned");
  travel.server("died");
  SUBCASE("its server is lost") { CHECK(travel.comes_back().ends_with(kSpawns)); }
  SUBCASE("it is moved") { CHECK(travel.moves().ends_with(kSpawns)); }
}

TEST_CASE("a dead player who watches does not spawn at the next server, although its client leaves its lives to it") {
  Travel travel;
  travel.wants("enter as a man");
  travel.server("in");
  travel.wants("spawn");
  travel.server("spawned");
  travel.server("died");
  travel.wants("watch");
  SUBCASE("its server is lost") { CHECK(travel.comes_back().find(kSpawns) == std::string::npos); }
  SUBCASE("it is moved") { CHECK(travel.moves().find(kSpawns) == std::string::npos); }
}

TEST_CASE("a player who has begun to watch, or to play, does so at the next server") {
  const auto role_after = [](std::initializer_list<std::string_view> story, bool moves) {
    Travel travel;
    for (const std::string_view line : story) {
      if (line == "lost")
        travel.comes_back();
      else
        line.starts_with("enter") || line == "watch" || line == "choose a side" ? travel.wants(line)
                                                                                : travel.server(line);
    }
    moves ? travel.moves() : travel.comes_back();
    return travel.room.world().player(travel.anna)->player.role();
  };
  for (const bool moves : {false, true}) {
    CAPTURE(moves);
    CHECK(role_after({"enter", "in", "watch", "watches"}, moves) == words::WATCH);
    CHECK(role_after({"enter to watch", "in", "plays"}, moves) == words::PLAY);
    CHECK(role_after({"enter", "in", "watch", "watches", "lost", "plays", "spawned"}, moves) == words::PLAY);
    CHECK(role_after({"enter", "in", "watch", "watches", "choose a side"}, moves) == words::PLAY);
    CHECK(role_after({"enter to watch", "in", "watch", "choose a side"}, moves) == words::PLAY);
    CHECK(role_after({"enter", "in", "watches"}, moves) == words::PLAY);  // there was no other place for it
  }
}

TEST_CASE(
    "a team that a player chooses is remembered for its next server, but not one that it chooses in a waiting room") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.comes_back("in", true);
  const auto team = [&] { return travel.room.world().player(travel.anna)->player.team(); };
  travel.wants("choose a side");
  travel.moves();
  CHECK(team() == words::TEAM_ANY);
  travel.wants("choose a side");
  SUBCASE("its server is lost") { travel.comes_back(); }
  SUBCASE("it is moved") { travel.moves(); }
  CHECK(team() == words::RED);
}

/// A player in a shared room, and the room of its own to which it goes.
struct Departure {
  Departure()
      : from(there, std::make_unique<LedBack>(), Play::options(true)),
        to(here, std::make_unique<LedBack>(), Play::options(false)) {
    anna = from.seat(std::make_unique<MovableFront>(), {}, 0);
    from.back_opened({}, 0);
    wants("enter");
    from.received(kBackId, {Lane::kStream, as_bytes("in")}, 0);
  }
  void wants(std::string_view line) { from.received(anna, {Lane::kStream, as_bytes(line)}, 0); }
  void sets_off() {
    REQUIRE(from.transition().can_take_out(anna));
    here.detaches = [&] { return std::optional(from.transition().take_out(anna, 0)); };
    to.transition().expect(from, anna, 0);
    moves_on();
  }
  /// To the next server.
  void moves_on() {
    to.transition().begin_move(std::make_unique<LedBack>(), 0);
    to.back_opened({}, 0, kNextBackId);
  }
  /// The next server lets it in.
  std::string arrives() {
    to.received(kNextBackId, {Lane::kStream, as_bytes("in")}, 0);
    return here.take();
  }
  std::string goes() { return sets_off(), arrives(); }

  Stage there, here;
  Room from, to;
  Id anna = 0;
};

TEST_CASE("a player who waits to spawn in a shared room does so at the server to which it is moved") {
  Departure departure;
  departure.wants("spawn");
  CHECK(departure.goes().ends_with(kSpawns));
}

TEST_CASE("the intents of a player who comes from a shared room keep on being numbered") {
  Departure departure;
  departure.wants("watch");
  departure.wants("watch");
  const std::uint32_t before = departure.there.last_number;
  REQUIRE(before == 3);
  departure.goes();
  departure.to.received(departure.anna, {Lane::kStream, as_bytes("watch")}, 0);
  CHECK(departure.here.last_number == before + 1);
}

TEST_CASE("a player is not moved to a server that lets it in and turns it away at once") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  std::string told;
  SUBCASE("by a kick") {
    told = travel.moves("in, and kicks");
    CHECK(told.ends_with("stays: not you\n"));
  }
  SUBCASE("by a kick, and it hangs up") {
    told = travel.moves("in, kicks and goes");
    CHECK(told.ends_with("stays: not you\n"));
  }
  SUBCASE("it hangs up") {
    told = travel.moves("in, and goes");
    CHECK(told.ends_with("stays: it does not accept the player\n"));
  }
  SUBCASE("it breaks the rules") {
    told = travel.moves("in, and nonsense");
    CHECK(told.ends_with("stays: it does not accept the player\n"));
  }
  CHECK(told.find("back closes") == std::string::npos);
  travel.wants("spawn");
  CHECK(travel.stage.take() == kSpawns);  // it plays on at its own server
}

TEST_CASE("a player who asks to watch while it is moved watches at the next server, and is not put into play there") {
  const char* const kWatches = "back sends Watch\n";
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.wants("spawn");
  travel.server("spawned");
  travel.moves("");
  travel.wants("watch");
  const auto arrives = [&] {
    travel.stage.take();
    travel.room.received(kNextBackId, {Lane::kStream, as_bytes("in")}, 0);
    return travel.stage.take();
  };
  SUBCASE("it wants nothing else") {
    const std::string told = arrives();
    CHECK(told.ends_with(kWatches));
    CHECK(told.find(kSpawns) == std::string::npos);
  }
  SUBCASE("it then chooses a side") {
    travel.wants("choose a side");
    CHECK(arrives().ends_with(kSpawns));
  }
  SUBCASE("it then asks to spawn") {
    travel.wants("spawn");
    CHECK(arrives().ends_with(kSpawns));
  }
  SUBCASE("that move fails, and it has chosen a side before the next one") {
    travel.room.gone(kNextBackId, "it is reset", 0);
    travel.wants("choose a side");
    travel.moves("");
    CHECK(arrives().ends_with(kSpawns));
  }
}

TEST_CASE(
    "a player who asks to watch while its server is away watches at the next one, and is not put into play there") {
  const char* const kWatches = "back sends Watch\n";
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.wants("spawn");
  travel.server("spawned");
  travel.comes_back("");
  travel.wants("watch");
  const auto arrives = [&] {
    travel.stage.take();
    travel.server("in");
    return travel.stage.take();
  };
  SUBCASE("it wants nothing else") {
    const std::string told = arrives();
    CHECK(told.ends_with(kWatches));
    CHECK(told.find(kSpawns) == std::string::npos);
    CHECK(travel.moves().find(kWatches) == std::string::npos);  // told once
  }
  SUBCASE("that server is lost, too") { CHECK(travel.comes_back().ends_with(kWatches)); }
  SUBCASE("it then does not want to watch any more") {
    travel.wants("stop watching");
    CHECK(arrives().ends_with(kSpawns));
  }
  SUBCASE("it then chooses a side") {
    travel.wants("choose a side");
    CHECK(arrives().ends_with(kSpawns));
  }
  SUBCASE("it then asks to spawn") {
    travel.wants("spawn");
    CHECK(arrives().ends_with(kSpawns));
  }
}

TEST_CASE("a player who could not be moved once can be moved later, and hears nothing of the first try") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.moves("notices");
  travel.room.gone(kNextBackId, "it is reset", 0);
  CHECK(travel.stage.take().ends_with("stays: it is reset\n"));
  const std::string told = travel.moves();
  CHECK(told.starts_with("back closes: the player moves to another server\n"));
  CHECK(told.find("Notice") == std::string::npos);
}

TEST_CASE("of what its next server says to a player while it is moved, 64 notices are kept until it is there") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  CHECK(travel.moves("notices") == "");
  travel.room.received(kNextBackId, {Lane::kStream, as_bytes("in")}, 0);
  CHECK(count(travel.stage.take(), "seat 1 sends Notice\n") == 64);
  CHECK(not_there(travel.room.ledger()) == "Notice 36, ");
}

TEST_CASE("of what a player says before its server says anything, the next server gets the first 64 intents") {
  class Counts final : public Back {
   public:
    explicit Counts(int& heard) : heard_(heard) {}
    void receive(const Frames&, BackOut&) override {}
    void hear(const Intent&, BackOut&) override { ++heard_; }

   private:
    int& heard_;
  };
  for (const int said : {63, 64, 65, 1'000}) {
    CAPTURE(said);
    Travel travel;
    travel.wants("enter");
    for (int i = 1; i < said; ++i) travel.wants("spawn");
    int heard = 0;
    travel.room.transition().replace_back(std::make_unique<Counts>(heard), {"it is lost"}, 0);
    CHECK(heard == std::min(said, 64));
    const std::vector<Ledger::Entry>& lost = travel.room.ledger().entries();
    REQUIRE(lost.size() == (said > 64 ? 1U : 0U));
    travel.room.transition().replace_back(std::make_unique<Counts>(heard), {"it is lost"}, 0);
    if (lost.empty()) continue;
    CHECK(lost.front().line == &drops::kEarlyTooMany);
    CHECK(lost.front().what() == "Spawn");
    CHECK(lost.front().times == static_cast<std::uint64_t>(said) - 64);  // once
  }
}

TEST_CASE("a player who watches in a shared room does so at each server to which it is moved") {
  Departure departure;
  const auto role = [&] { return departure.to.world().player(departure.anna)->player.role(); };
  SUBCASE("it watched before it set off") {
    departure.wants("watch");
    departure.from.received(kBackId, {Lane::kStream, as_bytes("watches")}, 0);
    departure.goes();
    CHECK(role() == words::WATCH);
  }
  SUBCASE("it has asked to watch on its way") {
    departure.wants("spawn");
    departure.sets_off();
    departure.wants("watch");
    const std::string told = departure.arrives();
    CAPTURE(told);
    CHECK(told.ends_with("back sends Watch\n"));
    departure.to.received(kBackId, {Lane::kStream, as_bytes("watches")}, 0);
  }
  departure.moves_on();
  departure.arrives();
  CHECK(role() == words::WATCH);
}

/// Says the intents that the test gives it, and keeps the facts that it hears.
/// Keeps the Enter and the changes that it hears, as text. Lets its player in when its server says so.
class Registrar final : public Back {
 public:
  explicit Registrar(std::string& heard) : heard_(heard) {}
  void receive(const Frames&, BackOut& out) override {
    out.say(player_);
    out.say(words::Ready());
  }
  void hear(const Intent& intent, BackOut& out) override {
    if (const auto* enter = as<words::Enter>(intent)) {
      player_.set_id(intent.by);
      player_.set_team(enter->team());
      heard_ += "enters: " + enter->ShortDebugString() + "\n";
    } else if (const auto* change = as<words::Change>(intent)) {
      heard_ += "changes: " + change->ShortDebugString() + "\n";
      if (change->has_team()) player_.set_team(change->team()), out.say(player_);
    }
  }

 private:
  std::string& heard_;
  words::Player player_;
};

words::Enter first_wish() {
  words::Enter enter;
  enter.set_name("anna");
  enter.set_team(words::RED);
  enter.set_kit(1);
  enter.set_motto("hello");
  enter.set_skin("tiger");
  return enter;
}

/// One of each thing that a player can change and that its next server needs to know.
std::vector<words::Change> changes() {
  std::vector<words::Change> all(5);
  all[0].set_name("bella");
  all[1].set_team(words::BLUE);
  all[2].set_kit(2);
  all[3].set_motto("bye");
  all[4].set_skin("zebra");
  return all;
}

/// The first wish with this change.
std::string entry_with(const words::Change& change) {
  words::Enter enter = first_wish();
  if (change.has_name()) enter.set_name(change.name());
  if (change.has_team()) enter.set_team(change.team());
  if (change.has_kit()) enter.set_kit(change.kit());
  if (change.has_motto()) enter.set_motto(change.motto());
  if (change.has_skin()) enter.set_skin(change.skin());
  return "enters: " + enter.ShortDebugString() + "\n";
}

constexpr std::string_view kAnything = "-";

TEST_CASE("a player enters its next server with the name, team, kit, motto and skin that it has chosen last") {
  for (const words::Change& change : changes())
    for (const bool moves : {false, true}) {
      CAPTURE(moves);
      Stage stage;
      std::string first, next;
      Room room(stage, std::make_unique<Registrar>(first), Play::options(false));
      auto front = std::make_unique<OpenFront>();
      OpenFront& its = *front;
      const Id anna = room.seat(std::move(front), {}, 0);
      room.back_opened({}, 0);
      const auto says = [&](Intent intent) {
        its.to_say.push_back(std::move(intent));
        room.received(anna, {Lane::kStream, as_bytes(kAnything)}, 0);
      };
      says(first_wish());
      room.received(kBackId, {Lane::kStream, as_bytes(kAnything)}, 0);
      says(change);
      if (moves)
        room.transition().begin_move(std::make_unique<Registrar>(next), 0);
      else
        room.transition().replace_back(std::make_unique<Registrar>(next), {"it is lost"}, 0);
      CHECK(next == entry_with(change));
    }
}

TEST_CASE("what a player of a shared room has changed on its way to a server is changed there, and nothing else") {
  std::vector<words::Change> all = changes();
  all.emplace_back();  // it changes nothing
  for (const words::Change& change : all) {
    Stage there, here;
    std::string first, next, never;
    Room from(there, std::make_unique<Registrar>(first), Play::options(true));
    Room to(here, std::make_unique<Registrar>(never), Play::options(false));
    auto front = std::make_unique<OpenFront>();
    OpenFront& its = *front;
    const Id anna = from.seat(std::move(front), {}, 0);
    from.back_opened({}, 0);
    const auto says = [&](Intent intent) {
      its.to_say.push_back(std::move(intent));
      from.received(anna, {Lane::kStream, as_bytes(kAnything)}, 0);
    };
    says(first_wish());
    from.received(kBackId, {Lane::kStream, as_bytes(kAnything)}, 0);
    REQUIRE(from.transition().can_take_out(anna));
    here.detaches = [&] { return std::optional(from.transition().take_out(anna, 0)); };
    to.transition().expect(from, anna, 0);
    to.transition().begin_move(std::make_unique<Registrar>(next), 0);
    to.back_opened({}, 0, kNextBackId);
    const bool nothing = change.ByteSizeLong() == 0;
    if (!nothing) says(change);
    to.received(kNextBackId, {Lane::kStream, as_bytes(kAnything)}, 0);
    CHECK(next == entry_with({}) + (nothing ? "" : "changes: " + change.ShortDebugString() + "\n"));
  }
}

/// Says all kinds of facts when its server says anything, and then lets its player in.
class Newsy final : public Back {
 public:
  void receive(const Frames& frames, BackOut& out) override {
    if (text(frames.bytes) == "news") {
      words::Said of_another, of_server;
      of_another.set_from(77);
      of_another.set_text("of another");
      of_server.set_text("of the server");
      out.say(of_another);
      out.say(of_server);
      out.say(words::Notice());
      out.say(words::WorldProgress());
      out.say(words::Waiting());
      out.say(words::ClaimRefused());
      return;
    }
    words::Player player;
    player.set_id(player_);
    out.say(player);
    out.say(words::Ready());
  }
  void hear(const Intent& intent, BackOut& out) override {
    player_ = intent.by;
    out.send(Lane::kStream, as_bytes(name_of(intent)));
  }

 private:
  Id player_ = 0;
};

TEST_CASE(
    "a player who waits for its server hears what the next one tells it, but not the chat of those who play there") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.room.transition().replace_back(std::make_unique<Newsy>(), {"it is lost"}, 0);
  travel.room.back_opened({}, 0);
  travel.stage.take();
  travel.server("news");
  CHECK(travel.stage.take() ==
        "seat 1 sends Said\nseat 1 sends Notice\nseat 1 sends Waiting\nseat 1 sends ClaimRefused\n");
  CHECK(travel.room.transition().awaits_server());
}

TEST_CASE(
    "a player who is moved hears once it is there what the next server has announced, and none of the chat there") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.room.transition().begin_move(std::make_unique<Newsy>(), 0);
  travel.room.back_opened({}, 0, kNextBackId);
  travel.stage.take();
  travel.room.received(kNextBackId, {Lane::kStream, as_bytes("news")}, 0);
  CHECK(travel.stage.take() == "");
  travel.room.received(kNextBackId, {Lane::kStream, as_bytes("in")}, 0);
  CHECK(travel.stage.take() ==
        "back closes: the player moves to another server\nseat 1 sends Said\nseat 1 sends Notice\n");
  CHECK(not_there(travel.room.ledger()) == "Said 1, Waiting 1, ClaimRefused 1, ");
}

TEST_CASE("what the others say on the next server before the player is there is counted as lost") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.room.transition().replace_back(std::make_unique<Newsy>(), {"it is lost"}, 0);
  travel.room.back_opened({}, 0);
  travel.server("news");
  CHECK(not_there(travel.room.ledger()) == "Said 1, ");
}

TEST_CASE("while a player's server is away, what it does there is counted as lost; its wishes are not") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.room.transition().replace_back(std::make_unique<Newsy>(), {"it is lost"}, 0);
  travel.room.back_opened({}, 0);
  travel.stage.take();
  travel.wants("watch");
  travel.wants("spawn");
  travel.wants("choose a side");
  travel.wants("ask for the world");
  travel.wants("fire");
  CHECK(travel.stage.take() == "back sends Change\n");
  REQUIRE(travel.room.ledger().entries().size() == 1);
  CHECK(travel.room.ledger().entries().front().line == &drops::kServerAway);
  CHECK(travel.room.ledger().entries().front().what() == "Fire");
}

TEST_CASE("what a player changes while it is moved reaches both servers, and what else it does only its own") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.moves("");
  travel.wants("choose a side");
  CHECK(travel.stage.take() == "back sends Change\nseat 4294967295 sends Change\n");
  travel.wants("fire");
  CHECK(travel.stage.take() == "back sends Fire\n");
}

TEST_CASE("a player who leaves while it is moved is not moved") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.moves("");
  travel.wants("leave");
  CHECK(travel.stage.take().find("stays: the player leaves\n") != std::string::npos);
  CHECK(travel.room.transition().next() == nullptr);
}

TEST_CASE("a move can be cancelled while it is under way, and only then") {
  Travel travel;
  travel.wants("enter");
  travel.server("in");
  travel.stage.take();
  travel.room.transition().cancel_move("another order", 0);
  CHECK(travel.stage.take() == "");
  travel.moves("");
  travel.room.transition().cancel_move("another order", 0);
  CHECK(travel.stage.take() == "seat 4294967295 closes: another order\nstays: another order\n");
  travel.room.transition().cancel_move("too late", 0);
  CHECK(travel.stage.take() == "");
  CHECK(travel.room.transition().can_move());
}

TEST_CASE("only a player who is in, on a server that goes on, can be moved, and to one server at a time") {
  Travel travel;
  const auto can_move = [&] { return travel.room.transition().can_move(); };
  CHECK_FALSE(can_move());
  travel.wants("enter");
  travel.server("progress");
  CHECK_FALSE(can_move());
  travel.server("in");
  CHECK(can_move());
  SUBCASE("it is moved already") { travel.moves(""); }
  SUBCASE("its server is lost") { travel.comes_back(""); }
  SUBCASE("its server has gone") { travel.room.gone(kBackId, "it is reset", 0); }
  SUBCASE("the room ends") { travel.room.end("closing time", 0); }
  CHECK_FALSE(can_move());
}

TEST_CASE("only a player who is in and there can be taken out of a shared room") {
  Departure departure;
  const auto can_go = [&](Id id) { return departure.from.transition().can_take_out(id); };
  CHECK(can_go(departure.anna));
  CHECK_FALSE(can_go(99));
  const Id ben = departure.from.seat(std::make_unique<MovableFront>(), {}, 0);
  CHECK_FALSE(can_go(ben));  // has not entered
  departure.from.received(ben, {Lane::kStream, as_bytes("enter")}, 0);
  CHECK_FALSE(can_go(ben));  // the server has not said that it is in
  SUBCASE("it leaves") { departure.wants("leave"); }
  SUBCASE("its link is gone") { departure.from.unlink(departure.anna); }
  SUBCASE("the room ends") { departure.from.end("closing time", 0); }
  SUBCASE("it has been taken out") { (void)departure.from.transition().take_out(departure.anna, 0); }
  CHECK_FALSE(can_go(departure.anna));
}

TEST_CASE("a player who is taken out of a shared room has left it, and its client is not told so") {
  Departure departure;
  departure.there.take();
  const DetachedPlayer taken = departure.from.transition().take_out(departure.anna, 0);
  CHECK(taken.front != nullptr);
  CHECK(as<words::Enter>(taken.wish) != nullptr);
  CHECK(taken.world.player(departure.anna) != nullptr);
  CHECK(taken.last_number == 1);
  CHECK_FALSE(departure.from.is_seated(departure.anna));
  CHECK(departure.there.take() == "back sends Leave\n");
}

/// Lets its player into a world of this name.
class Mapped final : public Back {
 public:
  explicit Mapped(const char* map) : map_(map) {}
  void receive(const Frames&, BackOut&) override {}
  void hear(const Intent& intent, BackOut& out) override {
    if (as<words::Enter>(intent) == nullptr) return;
    words::World map;
    map.set_name(map_);
    words::Player player;
    player.set_id(intent.by);
    out.say(map);
    out.say(player);
    out.say(words::Ready());
  }

 private:
  const char* const map_;
};

TEST_CASE("a player whose client cannot load another world goes only to a server with the same one") {
  for (const bool same : {false, true})
    for (const bool moves : {false, true}) {
      CAPTURE(same);
      CAPTURE(moves);
      Stage stage;
      Room room(stage, std::make_unique<Mapped>("hills"), Play::options(false));
      const Id anna = room.seat(std::make_unique<ToyFront>(), {}, 0);
      room.back_opened({}, 0);
      room.received(anna, {Lane::kStream, as_bytes("enter")}, 0);
      stage.take();
      auto next = std::make_unique<Mapped>(same ? "hills" : "plains");
      if (moves)
        room.transition().begin_move(std::move(next), 0);
      else
        room.transition().replace_back(std::move(next), {"it is lost"}, 0);
      const std::string told = stage.take();
      CAPTURE(told);
      const auto is_told = [&](std::string_view what) { return told.find(what) != std::string::npos; };
      CHECK(is_told("stays: it has another world (another world)\n") == (moves && !same));
      CHECK(is_told("back closes: the player moves to another server\n") == (moves && same));
      CHECK(is_told("closes: the server is back with another world; join again\n") == (!moves && !same));
      CHECK(room.over() == (!moves && !same));
    }
}

TEST_CASE("the host of a player who is moved learns that it leaves, that it has moved, and that it has arrived") {
  class Witness final : public Stage {
   public:
    void close(Id, std::string_view, std::uint32_t) override { all += "closes "; }
    void on_leaving_server() override { all += "leaves "; }
    void moved() override { all += "moved "; }
    void on_arrival(Micros now) override { all += "arrives at " + std::to_string(now); }
    std::string all;
  };
  Witness host;
  Room room(host, std::make_unique<Mapped>("hills"), Play::options(false));
  const Id anna = room.seat(std::make_unique<ToyFront>(), {}, 0);
  room.back_opened({}, 0);
  room.received(anna, {Lane::kStream, as_bytes("enter")}, 0);
  room.transition().begin_move(std::make_unique<Mapped>("hills"), 7);
  CHECK(host.all == "leaves closes moved arrives at 7");
}

TEST_CASE("the room's time is told to one player alone, as the answer to its intent") {
  Stage stage;
  Room room(stage, std::make_unique<ToyBack>(), Play::options(true));
  std::vector<OpenFront*> fronts;
  for (int i = 0; i < 2; ++i) {
    auto front = std::make_unique<OpenFront>();
    fronts.push_back(front.get());
    room.seat(std::move(front), {}, 0);
  }
  for (OpenFront* front : fronts) front->heard.clear();
  room.tell_time(2, 9, 7);
  CHECK(fronts[0]->heard.empty());
  REQUIRE(fronts[1]->heard.size() == 1);
  const Fact& fact = fronts[1]->heard.front();
  CHECK(fact.cause == 9);
  CHECK(fact.at == 7);
  CHECK(fact.audience == words::PLAYER);
  CHECK(fact.to == 2);
  REQUIRE(as<words::Clock>(fact) != nullptr);
  CHECK(as<words::Clock>(fact)->us() == 7);
  CHECK(as<words::Clock>(fact)->speed() == 1);
  CHECK(as<words::Clock>(fact)->paused());
  room.tell_time(99, 9, 8);  // it has left meanwhile
  CHECK(fronts[1]->heard.size() == 1);
}

TEST_CASE("a back learns its server's dialect while its link is up") {
  class Polyglot final : public Back {
   public:
    void speaks(std::size_t dialect, BackOut& out) override {
      dialects.push_back(dialect);
      out.say(words::Notice());
    }
    void receive(const Frames&, BackOut&) override {}
    void hear(const Intent&, BackOut&) override {}
    std::vector<std::size_t> dialects;
  };
  Stage stage;
  auto made = std::make_unique<Polyglot>();
  Polyglot& back = *made;
  Room room(stage, std::move(made), Play::options(true));
  auto front = std::make_unique<OpenFront>();
  const OpenFront& its = *front;
  room.seat(std::move(front), {}, 0);
  room.back_speaks(1, 0);
  CHECK(back.dialects.empty());
  room.back_opened({}, 0);
  room.back_speaks(2, 5);
  CHECK(back.dialects == std::vector<std::size_t>{2});
  REQUIRE(as<words::Notice>(its.heard.back()) != nullptr);
  CHECK(its.heard.back().at == 5);
  room.back_speaks(3, 0, kNextBackId);  // there is no such back
  CHECK(back.dialects.size() == 1);
}

class Collector final : public Stage {
 public:
  bool collects(Intent& intent) override { return kept.push_back(std::move(intent)), true; }
  std::vector<Intent> kept;
};

TEST_CASE("what members say in a call has the time of the call") {
  Collector host;
  Room room(host, std::make_unique<ToyBack>(), Play::options(true));
  auto front = std::make_unique<OpenFront>();
  OpenFront& its = *front;
  const Id anna = room.seat(std::move(front), {}, 1);
  REQUIRE(!its.heard.empty());
  CHECK(its.heard.back().at == 1);
  its.to_say.emplace_back(words::Enter());
  room.received(anna, {Lane::kStream, as_bytes(std::string_view("-"))}, 2);
  room.hear_collected(std::exchange(host.kept, {}), 3);
  REQUIRE(as<words::Ready>(its.heard.back()) != nullptr);
  CHECK(its.heard.back().at == 3);
  REQUIRE(room.announce(anna, "hello", 4));
  CHECK(its.heard.back().at == 4);
  room.order([](Back& back) { static_cast<ToyBack&>(back).to_tell = Fact(words::Notice()); }, 5);
  REQUIRE(as<words::Notice>(its.heard.back()) != nullptr);
  CHECK(its.heard.back().at == 5);
}

TEST_CASE("a back that has gone gets no order") {
  Stage stage;
  Room room(stage, std::make_unique<ToyBack>(), Play::options(true));
  room.gone(kBackId, "it is reset", 0);
  bool ordered = false;
  room.order([&](Back&) { ordered = true; }, 0);
  CHECK_FALSE(ordered);
}

TEST_CASE("what a host has collected is delivered at once when it says so, and what comes later is collected again") {
  Collector host;
  Room room(host, std::make_unique<ToyBack>(), Play::options(true));
  room.seat(std::make_unique<ToyFront>(), {}, 0);
  host.take();
  const auto says = [&](std::string_view line) {
    room.received(1, {Lane::kStream, as_bytes(line)}, 0);
    return host.take();
  };
  CHECK(says("hello") == "");
  REQUIRE(host.kept.size() == 1);
  std::vector<Intent> collected = std::exchange(host.kept, {});
  Intent of_one_who_left = collected.front();
  of_one_who_left.by = 99;
  collected.insert(collected.begin(), std::move(of_one_who_left));
  room.hear_collected(std::move(collected), 5);
  CHECK(host.take() == "dials\nseat 1 sends Said:hello\n");
  CHECK(host.kept.empty());
  CHECK(says("again") == "");
  CHECK(host.kept.size() == 1);
}

TEST_CASE("a seat without a link gets nothing") {
  Play play;
  play.seat();
  play.seat();
  play.stage.take();
  play.room.unlink(1);
  CHECK(play.says(2, "hello") == "dials\nseat 2 sends Said:hello\n");
  CHECK(play.says(1, "hello") == "");  // and nothing comes from it
}

/// Sends each word that it hears in a frame that all such fronts share. Enters when its client says anything.
class SharingFront final : public Front {
 public:
  void receive(const Frames&, FrontOut& out) override { out.say(words::Enter()); }
  void hear(const Fact& fact, FrontOut& out) override {
    static const char kKey = 0;
    if (!out.send_cached(Lane::kStream, &kKey)) out.send_shared(Lane::kStream, &kKey, as_bytes(name_of(fact)));
  }
};

TEST_CASE("a player whose server is lost is told at once that it has died and that its unit is gone") {
  Stage stage;
  Room room(stage, std::make_unique<LedBack>(), Play::options(false));
  const Id anna = room.seat(std::make_unique<SharingFront>(), {}, 0);
  room.back_opened({}, 0);
  room.received(anna, {Lane::kStream, as_bytes(kAnything)}, 0);
  for (const char* const line : {"in", "spawned"}) room.received(kBackId, {Lane::kStream, as_bytes(line)}, 0);
  stage.take();
  stage.recorded.clear();
  room.transition().replace_back(std::make_unique<LedBack>(), {"it is lost"}, 0);
  CHECK(stage.take() == "seat 1 sends Died\nseat 1 sends Gone\nseat 1 sends Owns\n");
  CHECK(stage.recorded == "Died Gone Owns ");  // by its host
}

/// Has a player with a unit.
class Inhabited final : public Back {
 public:
  void receive(const Frames&, BackOut& out) override {
    words::Player player;
    player.set_id(5);
    words::Unit unit;
    unit.set_id(6);
    unit.set_owner(5);
    out.say(player);
    out.say(unit);
  }
  void hear(const Intent&, BackOut&) override {}
};

TEST_CASE("a client that has not entered yet is told that those whom it has seen are gone with their server") {
  Stage stage;
  Room room(stage, std::make_unique<Inhabited>(), Play::options(false));
  room.seat(std::make_unique<MovableFront>(), {}, 0);
  room.back_opened({}, 0);
  room.received(kBackId, {Lane::kStream, as_bytes(kAnything)}, 0);
  stage.take();
  REQUIRE(room.transition().outlives_server());
  room.transition().replace_back(std::make_unique<Inhabited>(), {"it is lost"}, 0);
  CHECK(stage.take() == "seat 1 sends Gone\nseat 1 sends PlayerGone\n");
  CHECK(room.world().players().empty());
}

TEST_CASE("a player whose chat is not passed on is told why, as the answer to what it said") {
  Stage stage;
  RoomOptions options;
  options.shared = true;
  Room room(stage, std::make_unique<ToyBack>(), options);
  auto front = std::make_unique<OpenFront>();
  OpenFront& its = *front;
  const Id anna = room.seat(std::move(front), {}, 0);
  words::Say command;
  command.set_text("/password sesame");
  its.to_say.emplace_back(words::Query());
  its.to_say.emplace_back(command);
  room.received(anna, {Lane::kStream, as_bytes(kAnything)}, 0);
  const Fact& answer = its.heard.back();
  REQUIRE(as<words::Notice>(answer) != nullptr);
  CHECK(as<words::Notice>(answer)->text() == std::string("not passed on: ") + drops::kCommandElsewhere.reason);
  CHECK(answer.cause == 2);
}

TEST_CASE("what a rule of the operator stops is counted, unless it is a command, which was for the rule") {
  class Strict final : public Stage {
   public:
    bool passes(Intent&) override { return false; }
  };
  Strict host;
  Room room(host, std::make_unique<ToyBack>(), Play::options(true));
  room.seat(std::make_unique<ToyFront>(), {}, 0);
  host.take();
  for (const char* const line : {"/vote", "hello", "hello"})
    room.received(1, {Lane::kStream, as_bytes(std::string_view(line))}, 0);
  CHECK(host.take() == "");
  REQUIRE(room.ledger().entries().size() == 1);
  CHECK(room.ledger().entries().front().line == &drops::kRule);
  CHECK(room.ledger().entries().front().what() == "Say");
  CHECK(room.ledger().entries().front().times == 2);
}

TEST_CASE("a command of another game may be for an operator's rule: the host hears it, without control characters") {
  class Ruled final : public Stage {
   public:
    void heard(const Intent& intent) override { lines += as<words::Say>(intent)->text() + "\n"; }
    bool passes(Intent&) override { return !stops; }
    std::string lines;
    bool stops = true;
  };
  Ruled host;
  RoomOptions options;
  options.shared = true;
  Room room(host, std::make_unique<ToyBack>(), options);
  room.seat(std::make_unique<ToyFront>(), {}, 0);
  host.take();
  const auto says = [&](std::string_view line, Micros now) {
    room.received(1, {Lane::kStream, as_bytes(line)}, now);
    return std::exchange(host.lines, {}) + host.take();
  };
  CHECK(says("/vo\x01te", 0) == "/vote\n");
  CHECK(room.ledger().entries().empty());
  CHECK(says("  ", kSecond) == "");  // says nothing, and nobody waits for an answer
  CHECK(room.ledger().entries().front().line == &drops::kNothingSaid);
  for (int i = 0; i < 100; ++i) (void)says("/vote", 2 * kSecond);
  CHECK(std::any_of(room.ledger().entries().begin(), room.ledger().entries().end(),
                    [](const auto& entry) { return entry.line == &drops::kChatTooFast; }));
  host.stops = false;
  CHECK(says("/vote", 60 * kSecond) == "seat 1 sends Notice\n");
}

TEST_CASE("what a player of a shared room says together with its Enter is heard when the player is in the world") {
  class Asked final : public Stage {
   public:
    bool passes(Intent& intent) override {
      heard += std::string(name_of(intent)) + (room->world().player(intent.by) != nullptr ? " in\n" : " out\n");
      return true;
    }
    const Room* room = nullptr;
    std::string heard;
  } stage;
  Room room(stage, std::make_unique<ToyBack>(), Play::options(true));
  stage.room = &room;
  const auto says = [&](Id seat, std::string_view line) {
    room.received(seat, {Lane::kStream, as_bytes(line)}, 0);
    return std::exchange(stage.heard, {});
  };
  const Id anna = room.seat(std::make_unique<ToyFront>(), {}, 0);
  stage.take();
  CHECK(says(anna, "enter and speak") == "Enter out\nSay in\nSay in\n");
  CHECK(stage.take() ==
        "dials\nseat 1 sends Player\nseat 1 sends Ready\nseat 1 sends Said:one\nseat 1 sends Said:two\n");
  const Id ben = room.seat(std::make_unique<ToyFront>(), {}, 0);
  CHECK(says(ben, "nobody") == "Say out\n");
  CHECK(says(ben, "enter and speak") == "Enter out\nSay in\nSay in\n");
  CHECK(says(ben, "leave") == "Leave in\n");
  const Id carl = room.seat(std::make_unique<ToyFront>(), {}, 0);
  CHECK(says(carl, "enter, speak, leave") == "Enter out\nSay in\nLeave in\n");
  CHECK(says(carl, "enter, speak, leave, enter, speak") == "Enter in\nSay in\nLeave in\nEnter in\nSay in\n");
}

TEST_CASE("a player is told once of each kind of wish that is not passed on, as the answer to the first of them") {
  class Deaf final : public Back {
   public:
    void receive(const Frames&, BackOut&) override {}
    void hear(const Intent& intent, BackOut& out) override {
      if (as<words::Change>(intent) != nullptr) out.drop(drops::kKitOrColour);
    }
  };
  for (const bool tells : {true, false}) {
    CAPTURE(tells);
    Stage stage;
    RoomOptions options = Play::options(true);
    options.tells_drops = tells;
    Room room(stage, std::make_unique<Deaf>(), options);
    auto front = std::make_unique<OpenFront>();
    OpenFront& its = *front;
    const Id anna = room.seat(std::move(front), {}, 0);
    its.heard.clear();
    its.to_say.emplace_back(words::Enter());
    for (int i = 0; i < 3; ++i) its.to_say.emplace_back(words::Change());
    room.received(anna, {Lane::kStream, as_bytes(kAnything)}, 0);
    CHECK(room.ledger().entries().front().times == 3);
    REQUIRE(its.heard.size() == (tells ? 1U : 0U));
    if (!tells) continue;
    REQUIRE(as<words::Notice>(its.heard.front()) != nullptr);
    CHECK(as<words::Notice>(its.heard.front())->text() ==
          std::string("not passed on: Change: ") + drops::kKitOrColour.reason);
    CHECK(its.heard.front().cause == 2);
  }
}

TEST_CASE("what a back drops by itself is told to nobody in a shared room, whoever spoke last") {
  class Drops final : public Back {
   public:
    void receive(const Frames&, BackOut&) override {}
    void hear(const Intent&, BackOut& out) override { out.wake(out.now()); }
    void tick(BackOut& out) override { out.drop(drops::kKitOrColour); }
  };
  Stage stage;
  RoomOptions options = Play::options(true);
  options.tells_drops = true;
  Room room(stage, std::make_unique<Drops>(), options);
  room.seat(std::make_unique<ToyFront>(), {}, 0);
  room.received(1, {Lane::kStream, as_bytes("enter")}, 0);
  stage.take();
  room.tick(0);
  REQUIRE(room.ledger().entries().size() == 1);
  CHECK(stage.take() == "");
}

TEST_CASE("a player whose words wait is told which of them was lost, as the answer to it") {
  class NeverAdmits final : public Stage {
   public:
    bool admits(Id) override { return false; }
  };
  NeverAdmits host;
  RoomOptions options = Play::options(true);
  options.tells_drops = true;
  Room room(host, std::make_unique<ToyBack>(), options);
  auto front = std::make_unique<OpenFront>();
  OpenFront& its = *front;
  const Id anna = room.seat(std::move(front), {}, 0);
  const auto says = [&](Intent intent) {
    its.heard.clear();
    its.to_say.push_back(std::move(intent));
    room.received(anna, {Lane::kStream, as_bytes(kAnything)}, 0);
    return its.heard.empty() ? 0 : its.heard.front().cause;
  };
  words::Say line, long_line;
  line.set_text("hello");
  long_line.set_text(std::string(100'000, 'x'));
  CHECK(says(words::Enter()) == 0);  // 1
  CHECK(says(line) == 0);            // 2
  CHECK(says(long_line) == 3);       // too long to wait
  CHECK(says(words::Leave()) == 2);  // the first of those that have waited in vain
}

TEST_CASE("the room to which a player goes gives no id that the player's old room gives meanwhile") {
  Departure departure;
  departure.goes();
  departure.to.received(kBackId, {Lane::kStream, as_bytes("spawned")}, 0);
  const UnitState* const unit = departure.to.world().active_unit(departure.anna);
  REQUIRE(unit != nullptr);
  CHECK(unit->unit.id() > 1'000'000);
  CHECK(departure.from.seat(std::make_unique<MovableFront>(), {}, 0) < 1'000'000);
}

TEST_CASE("a player who asks for a seat of its own gets it from the host, or is told that there is none") {
  class Keeper final : public Stage {
   public:
    bool try_resume_seat(Id seat, std::uint32_t number) override {
      asked += std::to_string(seat) + " for " + std::to_string(number) + " ";
      return number == 7;
    }
    std::string asked;
  };
  Keeper host;
  Room room(host, std::make_unique<ToyBack>(), Play::options(true));
  auto front = std::make_unique<OpenFront>();
  OpenFront& its = *front;
  const Id anna = room.seat(std::move(front), {}, 0);
  its.heard.clear();
  for (const std::uint32_t number : {7U, 8U}) {
    words::Resume resume;
    resume.set_player(number);
    its.to_say.emplace_back(resume);
  }
  room.received(anna, {Lane::kStream, as_bytes(kAnything)}, 0);
  CHECK(host.asked == "1 for 7 1 for 8 ");
  REQUIRE(its.heard.size() == 1);
  REQUIRE(as<words::ClaimRefused>(its.heard.front()) != nullptr);
  CHECK(as<words::ClaimRefused>(its.heard.front())->why() ==
        "no player with that number is expected from that address");
  CHECK(its.heard.front().cause == 2);
  CHECK(host.take() == "");  // the server need not know
}

TEST_CASE("a seat that hears nothing gets only what is for its player, and its intents keep their numbers") {
  Play play;
  play.seat();
  const Id deaf = play.room.seat(std::make_unique<ToyFront>(), {}, 0, false);
  CHECK(play.stage.take() == "seat 1 sends You\n");
  CHECK(play.says(1, "hello") == "dials\nseat 1 sends Said:hello\n");
  CHECK(play.says(deaf, "hello") == "seat 1 sends Said:hello\n");
  CHECK(play.stage.last_number == 0);
  CHECK(play.says(deaf, "psst") == "seat 2 sends Said:psst\n");
}

TEST_CASE("a seat whose player is gone is not ticked any more") {
  Play play;
  play.seat();
  play.seat();
  play.says(1, "late");
  play.room.gone(1, "left", 0);
  play.stage.take();
  play.room.tick(kSecond);
  CHECK(play.stage.take() == "");
  CHECK(play.room.next_wake() > 100 * kSecond);
}

TEST_CASE("a player who has come back in time is there for good") {
  Play play;
  play.seat();
  play.room.back_opened({}, 0);
  play.says(1, "enter");
  play.says(1, "stay");
  REQUIRE(play.room.keep(1, 0));
  REQUIRE(play.room.returned(1, {}, kSecond - 1));
  CHECK_FALSE(play.room.keeps(1));
  CHECK_FALSE(play.room.returned(1, {}, kSecond - 1));  // it is there
  play.room.tick(5 * kSecond);
  CHECK(play.room.is_seated(1));
}

TEST_CASE("only a player who is in the game can be told something in the server's name") {
  Play play;
  play.seat();
  play.seat();
  CHECK_FALSE(play.room.announce(1, "hello", 0));
  CHECK_FALSE(play.room.announce(9, "hello", 0));
  play.says(1, "enter");
  play.stage.take();
  CHECK(play.room.announce(1, "hello", 0));
  CHECK(play.stage.take() == "seat 1 sends Said:hello\n");
  play.says(1, "leave");
  CHECK_FALSE(play.room.announce(1, "hello", 0));
}

TEST_CASE("a front gets the numeric reason of its client's end, and its last words are still heard") {
  Play play;
  play.seat();
  play.seat();
  play.room.gone(1, "left", 5, 10);
  CHECK(play.stage.take() == "seat 1 sends You\nseat 2 sends You\ndials\nseat 2 sends Said:left 10\n");
  play.room.gone(2, "left", 5);
  CHECK(play.stage.take() == "");
}

TEST_CASE("the seat of an absent player is kept for a while") {
  Play play;
  play.seat();
  play.seat();
  play.room.back_opened({}, 0);
  play.says(1, "enter");
  CHECK_FALSE(play.room.keep(1, 0));  // it has not asked to be kept
  play.says(1, "stay");
  CHECK_FALSE(play.room.returned(1, {}, 0));  // it is present
  const auto absence = play.room.keep(1, 10);
  REQUIRE(absence);
  CHECK(absence->number == 7);
  play.stage.take();
  CHECK(play.says(2, "where is he?") == "seat 2 sends Said:where is he?\n");
  CHECK(play.says(1, "nobody hears this") == "");
  play.room.tick(10 + kSecond - 2);
  CHECK(play.room.returned(1, {"there:2", 0, ""}, 10 + kSecond - 1));
  CHECK(play.stage.take() == "seat 1 sends back there:2 at 1000009\n");
  CHECK(play.says(1, "here") == "seat 1 sends Said:here\nseat 2 sends Said:here\n");
  REQUIRE(play.room.keep(1, 20 + kSecond));
  play.room.tick(20 + 2 * kSecond);
  CHECK(play.stage.take() == "back sends Leave of 1\n");
  CHECK_FALSE(play.room.returned(1, {}, 20 + 2 * kSecond));
}

TEST_CASE("the seat of an absent player ends in time, also if its front had something else to do before") {
  Play play;
  play.seat();
  play.room.back_opened({}, 0);
  play.says(1, "enter");
  play.says(1, "stay");
  play.says(1, "late");
  REQUIRE(play.room.keep(1, kSecond / 2));
  play.room.tick(kSecond);
  play.stage.take();
  play.room.tick(2 * kSecond);
  CHECK(play.stage.take() == "back sends Leave of 1\n");
}

TEST_CASE("who played when a client asked is not in its game when it joins") {
  WorldState known;
  words::Player player;
  player.set_id(9);
  known.fold(player);
  Play play(false);
  play.stage.known = &known;
  play.seat();
  play.says(1, "ask");
  CHECK(play.room.world().player(9) != nullptr);
  WorldState later;
  player.set_id(10);
  later.fold(player);
  play.stage.known = &later;
  play.says(1, "ask");  // the one has left, the other has come
  CHECK(play.room.world().player(9) == nullptr);
  CHECK(play.room.world().player(10) != nullptr);
  play.says(1, "enter");
  CHECK(play.room.world().player(10) == nullptr);
  play.room.back_opened({}, 0);
  CHECK(play.says(1, "ask") == "back sends Query of 1\n");
  CHECK(play.room.world().player(9) == nullptr);
}

TEST_CASE("a player that asks for a session that is not kept is refused, and the server does not notice") {
  Play play;
  play.seat();
  play.stage.take();
  CHECK(play.says(1, "7") == "seat 1 sends ClaimRefused\n");
}

TEST_CASE("a room of a single player ends with the player") {
  Play play(false);
  play.seat();
  play.says(1, "enter");
  play.room.back_opened({}, 0);
  play.stage.take();
  CHECK(play.says(1, "bye") == "seat 1 closes: said bye 4\nback sends Leave of 1\nback closes: the player left\n");
  CHECK(play.room.over());
}

TEST_CASE("a room ends with its back") {
  Play play;
  play.seat();
  play.says(1, "enter");
  play.room.back_opened({}, 0);
  play.stage.take();
  CHECK(play.says(kBackId, "kick") == "back closes: was kicked\nseat 1 closes: the server is gone\n");
  CHECK(play.room.over());
  CHECK(play.says(1, "anybody?") == "");
}

TEST_CASE("a room that is ended says goodbye to everybody once") {
  Play play;
  play.seat();
  play.room.back_opened({}, 0);
  play.stage.take();
  play.room.end("closing time", 9);
  CHECK(play.stage.take() == "seat 1 closes: closing time\nback closes: closing time\n");
  CHECK(play.room.over());
  play.room.end("again", 9);
  CHECK(play.stage.take() == "");
}

TEST_CASE("a dismissed player is told goodbye, and nobody else") {
  Play play;
  play.seat();
  play.seat();
  play.room.back_opened({}, 0);
  play.says(1, "enter");
  play.stage.take();
  play.room.dismiss(1, "too slow", 4);
  CHECK(play.stage.take() == "seat 1 closes: too slow\nback sends Leave of 1\n");
  play.room.dismiss(1, "again", 5);
  CHECK(play.says(2, "still here") == "seat 2 sends Said:still here\n");
}

TEST_CASE("a player that is not admitted yet waits with all its words, and others go on") {
  class NoAdmission final : public Room::Host {
   public:
    explicit NoAdmission(Stage& its_stage) : stage(its_stage) {}
    void send(Id end, Lane lane, Bytes bytes) override { stage.send(end, lane, bytes); }
    std::size_t waiting_bytes(Id) const override { return 0; }
    void close(Id end, std::string_view why, std::uint32_t code) override { stage.close(end, why, code); }
    void failed(Id, const Fault&) override {}
    void dial() override {}
    bool admits(Id seat) override { return asked.push_back(seat), false; }
    void told(const Fact& fact) override { told_at = fact.at; }
    Stage& stage;
    std::vector<Id> asked;
    Micros told_at = 0;
  };
  Stage stage;
  NoAdmission host(stage);
  RoomOptions options = Play::options(true);
  options.tells_drops = true;
  Room room(host, std::make_unique<ToyBack>(), options);
  room.seat(std::make_unique<ToyFront>(), {}, 0);
  room.seat(std::make_unique<ToyFront>(), {}, 0);
  stage.take();
  const auto says = [&](Id seat, std::string_view line) {
    room.received(seat, {Lane::kStream, as_bytes(line)}, 0);
    return stage.take();
  };
  CHECK(says(1, "enter") == "");
  CHECK(says(1, "hello") == "");
  CHECK(says(2, "me first") == "seat 1 sends Said:me first\nseat 2 sends Said:me first\n");
  CHECK(host.asked == std::vector<Id>{1});
  SUBCASE("but not with more bytes than a bound") {
    const std::string large(40'000, 'x');
    std::string told;
    for (const std::string& line : {large, std::string(100'000, 'y'), large, std::string("see you")})
      told += says(1, line);
    CHECK(told == "seat 1 sends Notice\n");  // once
    const auto& lost = room.ledger().entries();
    const auto its = std::find_if(lost.begin(), lost.end(), [](auto& one) { return one.line == &drops::kHeldTooMany; });
    REQUIRE(its != lost.end());
    CHECK(its->times == 2);  // the long line, and the second of the large ones, because together they are too long
    CHECK(std::count_if(lost.begin(), lost.end(), [](auto& one) { return one.line == &drops::kHeldTooMany; }) == 1);
    room.admit(1, 5);
    const std::string said = stage.take();
    CHECK(said.find("see you") != std::string::npos);
    CHECK(said.find('y' + std::string(10, 'y')) == std::string::npos);
  }
  SUBCASE("and what it said before it left counts no more when it comes again") {
    const std::string large(40'000, 'x');
    CHECK(says(1, large) == "");
    says(1, "leave");
    CHECK(says(1, "enter") == "");
    CHECK(says(1, large) == "");
    room.admit(1, 5);
    CHECK(stage.take().find("sends Said:xxx") != std::string::npos);
  }
  SUBCASE("until it is admitted") {
    room.admit(1, 5);
    CHECK(stage.take() ==
          "seat 1 sends Player\nseat 2 sends Player\nseat 1 sends Ready\nseat 2 sends Ready\n"
          "seat 1 sends Said:hello\nseat 2 sends Said:hello\n");
    CHECK(host.told_at == 5);
    CHECK(says(1, "in") == "seat 1 sends Said:in\nseat 2 sends Said:in\n");
    room.admit(1, 6);
    CHECK(stage.take() == "");
    CHECK(host.asked.size() == 1);
  }
  SUBCASE("and is asked about again, also if it was admitted when it did not wait") {
    room.admit(1, 5);
    room.admit(1, 6);
    says(1, "leave");
    CHECK(says(1, "enter") == "");
    CHECK(host.asked.size() == 2);
  }
  SUBCASE("or until it is gone; others do not notice") {
    room.unlink(1);
    CHECK(says(2, "alone") == "seat 2 sends Said:alone\n");
    room.gone(1, "reset", 5);
    room.admit(1, 6);
    CHECK(stage.take() == "");
  }
  SUBCASE("and what it has said is counted as lost if it goes before, and it is told so if it can be") {
    const auto lost = [&] {
      std::uint64_t times = 0;
      for (const Ledger::Entry& one : room.ledger().entries())
        if (one.line == &drops::kNotEntered && one.what() == "Say") times += one.times;
      return times;
    };
    SUBCASE("by itself") {
      CHECK(says(1, "leave") == "seat 1 sends Notice\n");
      CHECK(lost() == 1);
      CHECK(says(1, "enter, one, two, leave") == "");  // it was told so
      CHECK(lost() == 3);
    }
    SUBCASE("because its link is gone") {
      room.gone(1, "reset", 5);
      CHECK(stage.take() == "");
      CHECK(lost() == 1);
    }
    CHECK(room.ledger().entries().size() == 1);  // the Enter is not lost
  }
  SUBCASE("and also leaves at the back if it goes while its next Enter waits") {
    room.back_opened({}, 4);
    room.admit(1, 5);
    stage.take();
    CHECK(says(1, "enter") == "");
    CHECK(host.asked.size() == 2);
    SUBCASE("by itself") { CHECK(says(1, "leave").ends_with("back sends Leave of 1\n")); }
    SUBCASE("because its link is gone") {
      room.gone(1, "reset", 6);
      CHECK(stage.take().ends_with("back sends Leave of 1\n"));
    }
  }
  SUBCASE("and the room keeps a bounded number of its words") {
    for (int i = 0; i < 1'000; ++i) says(1, "more");
    room.admit(1, 5);
    const std::string all = stage.take();
    CHECK(static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n')) < 200);
    CHECK(room.ledger().entries().size() == 2);  // one of them is from the chat rules
  }
}

TEST_CASE("more intents at once than may wait in a room end it") {
  constexpr int kMost = 20;
  for (const int count : {kMost, kMost + 1}) {
    CAPTURE(count);
    Stage stage;
    RoomOptions options = Play::options(true);
    options.most_words = kMost;
    Room room(stage, std::make_unique<ToyBack>(), options);
    room.seat(std::make_unique<ToyFront>(), {}, 0);
    room.received(1, {Lane::kStream, as_bytes("chatter " + std::to_string(count))}, 0);
    CHECK(room.is_seated(1) == (count <= kMost));
    const auto& lost = room.ledger().entries();
    const bool flooded =
        std::any_of(lost.begin(), lost.end(), [](const auto& entry) { return entry.line == &drops::kFlooded; });
    CHECK(flooded == (count > kMost));
  }
}

TEST_CASE("more facts at once than may wait in a room end it") {
  constexpr int kMost = 20;
  class Chatty final : public Back {
   public:
    explicit Chatty(int count) : count_(count) {}
    void receive(const Frames&, BackOut&) override {}
    void hear(const Intent&, BackOut& out) override {
      for (int i = 0; i < count_; ++i) out.say(words::Notice());
    }

   private:
    const int count_;
  };
  for (const int count : {kMost, kMost + 1}) {
    CAPTURE(count);
    Stage stage;
    RoomOptions options = Play::options(true);
    options.most_words = kMost;
    Room room(stage, std::make_unique<Chatty>(count), options);
    room.seat(std::make_unique<ToyFront>(), {}, 0);
    room.received(1, {Lane::kStream, as_bytes("hello")}, 0);
    CHECK(room.is_seated(1) == (count <= kMost));
    CHECK((stage.take().find("Notice") != std::string::npos) == (count <= kMost));  // none of too many is told
  }
}

TEST_CASE("a fault closes the link that caused it") {
  Play play;
  play.seat();
  play.stage.take();
  CHECK(play.says(1, "bad") == "seat 1 fails: bad line\nseat 1 closes: bad line\n");
}

TEST_CASE("a tick is granted once") {
  Play play;
  play.seat();
  play.says(1, "late");
  CHECK(play.room.next_wake() == kSecond);
  play.room.tick(kSecond - 1);
  play.stage.take();
  play.room.tick(kSecond);
  CHECK(play.stage.take().starts_with("seat 1 sends tick "));
  CHECK(play.room.next_wake() > 100 * kSecond);
}

TEST_CASE("timers fire in the order of their times, and at the same time in the order of ids") {
  TimerQueue wakes;
  std::vector<TimerQueue::Timer> wishes(200);
  std::mt19937 dice(4);
  for (Id id = 0; id < 200; ++id) {
    wishes[id].id = id;
    wakes.add(wishes[id], dice() % 1000);
    wakes.add(wishes[id], dice() % 1000);  // the earlier one counts
  }
  for (Id id = 0; id < 200; id += 3) wakes.drop(wishes[id]);
  Micros now = 0;
  std::size_t granted = 0;
  while (wakes.next() != TimerQueue::kNever) {
    CHECK(wakes.next() >= now);
    now = wakes.next() + dice() % 20;
    Id last = 0;
    for (const TimerQueue::Timer* due : wakes.take_due(now, 16)) {
      CHECK(due->id % 3 != 0);
      CHECK(due->id > last);
      last = due->id;
      ++granted;
    }
  }
  CHECK(granted == 133);
}

TEST_CASE("a timer that is taken back delays no other one") {
  constexpr Id kMany = 31;
  for (Id gone = 0; gone < kMany; ++gone) {
    CAPTURE(gone);
    TimerQueue wakes;
    std::vector<TimerQueue::Timer> timers(std::size_t{2} * kMany);
    for (Id id = 0; id < timers.size(); ++id) timers[id].id = id;
    for (Id id = 0; id < kMany; ++id) {
      Id below = id + 1;  // the place in a heap: one of its halves has late timers, the other has early ones
      while (below > 3) below /= 2;
      wakes.add(timers[id], below == 2 ? 1'000 + id : id);
    }
    wakes.drop(timers[gone]);
    for (Id id = kMany; id < timers.size(); ++id) wakes.add(timers[id], 5'000 + id);
    std::size_t taken = 0;
    for (Micros last = 0; wakes.next() != TimerQueue::kNever; ++taken) {
      REQUIRE(wakes.next() >= last);
      last = wakes.next();
      REQUIRE(wakes.take_due(last, 1).size() == 1);
    }
    CHECK(taken == timers.size() - 1);
  }
}

TEST_CASE("timers that fire at the same time run in batches, each once") {
  Play play;
  constexpr int kCrowd = 2 * static_cast<int>(kMostTicks) + 5;
  for (int i = 1; i <= kCrowd; ++i) {
    play.seat();
    play.says(static_cast<Id>(i), "late");
  }
  play.stage.take();
  for (const int served : {64, 64, 5}) {
    CHECK(play.room.next_wake() == kSecond);
    play.room.tick(kSecond);
    const std::string all = play.stage.take();
    CHECK(std::count(all.begin(), all.end(), '\n') == served);
  }
  CHECK(play.room.next_wake() > 100 * kSecond);
}

TEST_CASE("an order to the back is followed by a tick of the back") {
  class Obedient final : public Back {
   public:
    void receive(const Frames&, BackOut&) override {}
    void hear(const Intent&, BackOut&) override {}
    void tick(BackOut& out) override { out.say(words::Notice()); }
  };
  Stage stage;
  Room room(stage, std::make_unique<Obedient>(), Play::options(true));
  room.seat(std::make_unique<ToyFront>(), {}, 0);
  stage.take();
  bool ordered = false;
  room.order([&](Back&) { ordered = true; }, 5);
  CHECK(ordered);
  CHECK(stage.take() == "seat 1 sends Notice\n");
}

TEST_CASE("the same calls give the same bytes") {
  const auto act = [] {
    Play play;
    play.seat();
    play.seat();
    play.room.back_opened({}, 3);
    std::string all;
    for (int i = 0; i < 50; ++i) {
      play.now = static_cast<Micros>(i) * kSecond;
      all += play.says(i % 3 ? 1 : 2, i % 5 ? "late" : "word");
      play.room.tick(play.now);
      all += play.stage.take();
    }
    return all;
  };
  CHECK(act() == act());
}

}  // namespace
}  // namespace entente::core::room_test
