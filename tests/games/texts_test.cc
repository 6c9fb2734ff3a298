// Every text of a room reaches the clients of every game whole, or cut with a mark, unless the game has no place for it
// (kNoPlace). The client is the game's own back, in a second room; the game's bytes connect both rooms.
#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "proxy/base/text.h"
#include "proxy/core/bodies.h"
#include "proxy/core/room/room.h"
#include "tests/support/cut_link.h"

namespace entente::texts_test {
namespace {

using core::Id, core::kMillisecond, core::kSecond, core::Micros;

/// `count` different words: "w000 w001 …".
std::string long_text(std::size_t count, char letter, char between) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(1000 + i).substr(1);
    text += (i == 0 ? std::string() : std::string(1, between)) + letter + number;
  }
  return text;
}

/// How many of the words of `text` are in `heard`, in order from the first; and what follows the last of them.
std::pair<std::size_t, std::string> words_heard(const std::string& heard, const std::string& text) {
  constexpr std::size_t kWord = 4;
  std::size_t at = 0, count = 0;
  for (std::size_t i = 0; i + kWord <= text.size(); i += kWord + 1, ++count) {
    const std::size_t found = heard.find(text.substr(i, kWord), at);
    if (found == std::string::npos) break;
    at = found + kWord;
  }
  return {count, heard.substr(at, kWord + 1 + kCutMark.size())};
}

/// The back of the server's room: a field with one other player, and the facts that a test adds.
class Truth final : public core::Back {
 public:
  void opened(const core::Peer&, core::BackOut& out) override {
    words::Room room;
    room.set_game("texts");
    room.set_teams(true);
    out.say(room);
    words::World world;
    world.set_hash("field");
    world.set_west(-400), world.set_east(400), world.set_south(-400), world.set_north(400);
    out.say(world);
    out.say(words::Round());
    enlist(other = out.new_id(), "ben", words::RED, 50, out);
    out.say(words::Ready());
  }
  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (const auto* enter = core::as<words::Enter>(intent)) {
      if (!refusal.empty()) {
        words::Refused refused;
        refused.set_text(refusal);
        return out.say({intent.by, refused});
      }
      enlist(intent.by, enter->name(), words::BLUE, 0, out);
      guest = intent.by;
    } else if (core::as<words::Spawn>(intent) != nullptr && guest != 0) {
      words::Spawned spawned;
      spawned.set_unit(units_.at(guest));
      spawned.mutable_pose()->set_unit(spawned.unit());
      out.say(spawned);
    }
  }
  void tick(core::BackOut& out) override {
    for (core::Fact& fact : std::exchange(queue_, {})) out.say(std::move(fact));
  }
  void say(core::Fact fact) { queue_.push_back(std::move(fact)); }
  void enlist(Id id, const std::string& name, words::Team team, double x, core::BackOut& out) {
    words::Player player;
    player.set_id(id);
    player.set_name(name);
    player.set_team(team);
    player.set_responding(true);
    out.say(player);
    words::Unit unit;
    unit.set_id(units_[id] = out.new_id());
    unit.set_owner(id);
    unit.set_team(team);
    unit.set_name(name);
    unit.set_alive(id == other);
    unit.mutable_pose()->set_unit(unit.id());
    unit.mutable_pose()->set_x(x);
    core::say_owned(std::move(unit), out);
    if (id != other) out.say(words::Ready());
  }

  std::string refusal;
  Id other = 0, guest = 0;

 private:
  std::map<Id, Id> units_;
  std::vector<core::Fact> queue_;
};

/// The front of the client's room: a player who keeps what he is told.
class Witness final : public core::Front {
 public:
  /// What the player was told so far. Outlives the Witness.
  struct Memory {
    std::string heard;
    bool ready = false;
  };
  explicit Witness(Memory& memory) : memory_(memory) {}

  void opened(const core::Peer&, core::FrontOut& out) override {
    words::Enter enter;
    enter.set_name("anna");
    enter.set_team(words::BLUE);
    out.say(enter);
    out.say(words::Spawn());
  }
  void receive(const Frames&, core::FrontOut&) override {}
  void hear(const core::Fact& fact, core::FrontOut&) override {
    if (core::as<words::World>(fact) != nullptr) return;
    if (core::as<words::Ready>(fact) != nullptr) memory_.ready = true;
    std::visit([&](const auto& word) { memory_.heard += word.ShortDebugString() + "\n"; }, fact.content);
  }

 private:
  Memory& memory_;
};

/// The room of the Truth and that of the Witness, connected by the bytes of a game.
class Wire {
 public:
  Wire(const wire::Game& game, std::size_t dialect)
      : game_(game),
        dialect_(dialect),
        server_(server_end_, own(truth_ = new Truth), shared()),
        client_(client_end_, faces_of(game).back({dialect, {}}), {}),
        up_link_(game, dialect, wire::Way::kToServer),
        down_link_(game, dialect, wire::Way::kToClient) {
    server_.back_opened({}, now_);
    client_.seat(std::make_unique<Witness>(memory_), {}, now_);
  }

  Truth& truth() { return *truth_; }
  const std::string& heard() const { return memory_.heard; }
  bool ready() const { return memory_.ready && truth_->guest != 0; }

  void says(core::Fact fact) {
    server_.order([&](core::Back&) { truth_->say(std::move(fact)); }, now_);
    waits(2 * kSecond);
  }
  /// Until `done`, 30 s at most.
  template <class Done>
  void waits_for(Done&& done) {
    for (const Micros until = now_ + 30 * kSecond; now_ < until && !done();) waits(100 * kMillisecond);
  }
  void waits(Micros how_long) {
    for (const Micros until = now_ + how_long; now_ < until; now_ += 5 * kMillisecond) {
      server_.tick(now_);
      client_.tick(now_);
      pass();
    }
  }

 private:
  struct Sent {
    Lane lane;
    Buffer bytes;
  };
  struct End final : core::Room::Host {
    void send(Id end, Lane lane, Bytes bytes) override {
      if ((end == core::kBackId) == is_client) sent.push_back({lane, Buffer(bytes.begin(), bytes.end())});
    }
    std::size_t waiting_bytes(Id) const override { return 0; }
    void close(Id end, std::string_view reason, std::uint32_t number) override {
      if ((end == core::kBackId) != is_client) return;
      closed = true;
      why = reason;
      code = number;
    }
    void failed(Id, const Fault& fault) override { FAIL_CHECK((std::string(fault.what) + " " + fault.field)); }
    void dial() override { dialled = true; }

    explicit End(bool client) : is_client(client) {}

    const bool is_client;  ///< its link is its back's
    std::deque<Sent> sent;
    bool dialled = false, closed = false;
    std::string why;
    std::uint32_t code = 0;
  };

  static core::RoomOptions shared() {
    core::RoomOptions options;
    options.shared = true;
    return options;
  }
  static std::unique_ptr<core::Back> own(core::Back* back) { return std::unique_ptr<core::Back>(back); }

  void pass() {
    if (client_end_.dialled && !up_) {
      up_ = true;
      core::Peer peer{"10.0.0.7:4711", game_.connect_data(dialect_), "/"};
      seat_ = server_.seat(faces_of(game_).front({dialect_, {}}), peer, now_);
      client_.back_opened({"10.0.0.1:5154", 0, ""}, now_);
    }
    for (; !client_end_.sent.empty() && !server_end_.closed; client_end_.sent.pop_front())
      up_link_.receive(server_, seat_, client_end_.sent.front().lane, client_end_.sent.front().bytes, now_);
    for (; !server_end_.sent.empty() && !client_end_.closed; server_end_.sent.pop_front())
      down_link_.receive(client_, core::kBackId, server_end_.sent.front().lane, server_end_.sent.front().bytes, now_);
    if (!server_end_.closed || parted_) return;
    parted_ = true;
    const bool tells = game_.transport() == wire::Transport::kWebSocket;  // its close carries a text
    client_.gone(core::kBackId, tells ? server_end_.why : "", now_, server_end_.code);
  }

  const wire::Game& game_;
  std::size_t dialect_;
  Micros now_ = 0;
  End server_end_{false}, client_end_{true};
  Truth* truth_ = nullptr;
  Witness::Memory memory_;
  core::Room server_, client_;
  testing::CutLink up_link_, down_link_;
  Id seat_ = 0;
  bool up_ = false, parted_ = false;
};

struct Case {
  const char* name;
  char letter;
  std::size_t words;
  char between;
  core::Fact (*fact)(Truth&, const std::string&);
};

core::Fact said(Truth& truth, const std::string& text, words::Say::Kind kind) {
  words::Said word;
  word.set_from(truth.other);
  word.set_kind(kind);
  word.set_text(text);
  return word;
}

constexpr Case kCases[] = {
    {"Notice", 'n', 60, ' ',
     [](Truth&, const std::string& text) {
       words::Notice notice;
       notice.set_text(text);
       return core::Fact(notice);
     }},
    {"Said", 's', 50, ' ', [](Truth& truth, const std::string& text) { return said(truth, text, words::Say::CHAT); }},
    {"Said, an action", 'a', 50, ' ',
     [](Truth& truth, const std::string& text) { return said(truth, text, words::Say::ACTION); }},
    {"Player.name", 'p', 12, '-',
     [](Truth& truth, const std::string& text) {
       words::Player player;
       player.set_id(truth.other);
       player.set_name(text);
       player.set_team(words::RED);
       player.set_responding(true);
       return core::Fact(player);
     }},
    {"Kicked", 'k', 50, ' ',
     [](Truth& truth, const std::string& text) {
       words::Kicked kicked;
       kicked.set_text(text);
       return core::Fact(truth.guest, kicked);
     }},
};

/// A text that a game cannot show.
struct NoPlace {
  std::string_view game, dialect, text;
};
constexpr NoPlace kNoPlace[] = {
    {"bzflag", "1.10", "Refused"},  // a number says why
    {"bzflag", "wiki", "Refused"},
};

bool has_no_place(const wire::Game& game, std::size_t dialect, std::string_view text) {
  return std::ranges::any_of(kNoPlace, [&](const NoPlace& one) {
    return one.game == game.name() && one.dialect == game.dialects()[dialect].name && one.text == text;
  });
}

void check_arrival(const Wire& wire, const wire::Game& game, std::size_t dialect, std::string_view what,
                   const std::string& text) {
  const auto heard_words = words_heard(wire.heard(), text);
  const auto& count = heard_words.first;  // no bindings: clang 14 cannot capture them
  const auto& after = heard_words.second;
  const std::string_view mark =
      what == "Player.name" ? kCutMark.substr(1) : kCutMark;  // Ace of Spades has a shorter one
  const bool whole = count == (text.size() + 1) / 5, marked = after.find(mark) != std::string::npos;
  INFO(game.name() << " " << game.dialects()[dialect].name << ", " << what << ": " << count << " words, then '" << after
                   << "'");
  if (has_no_place(game, dialect, what))
    CHECK(count == 0);
  else
    CHECK((whole || (count > 0 && marked)));
}

/// All but Panic, none of whose messages has a text, and native, whose messages are the words.
template <class F>
void for_each_bridge(F&& f) {
  for (const wire::Game* game : games())
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect)
      if (game->name() != "panic" && game->name() != "native") f(*game, dialect);
}

TEST_CASE("a room's texts arrive whole, or cut with a mark, at the clients of every game") {
  for_each_bridge([](const wire::Game& game, std::size_t dialect) {
    Wire wire(game, dialect);
    wire.waits_for([&] { return wire.ready(); });
    INFO(game.name() << " " << game.dialects()[dialect].name);
    REQUIRE(wire.ready());
    wire.waits(3 * kSecond);
    for (const Case& one : kCases) {
      const std::string text = long_text(one.words, one.letter, one.between);
      wire.says(one.fact(wire.truth(), text));
      check_arrival(wire, game, dialect, one.name, text);
    }
  });
}

TEST_CASE("the reason of a refusal arrives whole, or cut with a mark, in every game that can show it") {
  for_each_bridge([](const wire::Game& game, std::size_t dialect) {
    Wire wire(game, dialect);
    const std::string text = long_text(50, 'r', ' ');
    wire.truth().refusal = text;
    wire.waits(20 * kSecond);
    check_arrival(wire, game, dialect, "Refused", text);
  });
}

}  // namespace
}  // namespace entente::texts_test
