// A visitor: the seat that a bridge's player has in an arena. What passes between its session and the arena, and when
// the session gets its player back.
#include "proxy/relay/sessions/visitor.h"

#include <doctest/doctest.h>

#include "tests/relay/sessions/one_shared_room.h"

namespace entente::testing::visitor_test {
namespace {

/// Takes the session's place, and that of the worker.
struct Visiting : OneSharedRoom, relay::Visitor::Owner {
  explicit Visiting(const Change& change = nullptr) : OneSharedRoom(change) {
    relay::Visit visit;
    visit.number = 5;
    visit.client.link = 50;
    visit.client.game = &toy::stream();
    visit.client.client = *net::Address::parse("192.0.2.7:5");
    visit.limits = no_limits();
    visit.front = [this] { return std::make_unique<Puppet>(script); };
    visit.passage = passage;
    relay::Visitor::Owner& owner = *this;
    visitor.emplace(loop, *room, owner, std::move(visit));
  }
  ~Visiting() override {
    room->leave_queues(*visitor);
    visitor.reset();
  }
  void tell_session(const relay::Visit& visit) override {
    CHECK(visit.number == 5);
    ++session_told;
  }
  void gone(relay::Visitor& its) override {
    CHECK(&its == &*visitor);
    ++times_gone;
  }

  /// The session sends so many frames of one byte, with each of which the puppet says what the script has.
  void sends(int frames = 1) {
    relay::WaitingFrames all;
    for (int i = 0; i < frames; ++i) all.add(as_bytes(std::string_view("x")));
    if (passage->to_room.put(all)) visitor->look();
  }
  void says(core::Intent word) {
    script.says.push_back(std::move(word));
    sends();
  }
  /// Its player is in.
  void come_in() {
    visitor->begin();
    until([&] { return visitor->seat_id() != 0; });
    says(enter_as("vera"));
    until([&] { return passage->entered.load(); });
    settle();
  }
  /// Takes what has come to the session. False: nothing more will come.
  bool take() {
    relay::WaitingFrames some;
    const bool more = passage->to_session.take(some);
    taken = some.size();
    return more;
  }

  const std::shared_ptr<relay::Passage> passage = std::make_shared<relay::Passage>();
  Script script;
  int session_told = 0, times_gone = 0;
  std::size_t taken = 0;  ///< bytes
  std::optional<relay::Visitor> visitor;
};

TEST_CASE("visitor: what its session sent before it has a seat, and before it is in, is heard then, in order") {
  Visiting its;
  its.visitor->begin();
  its.script.says = {enter_as("vera")};
  its.sends();
  CHECK(its.visitor->seat_id() == 0);
  CHECK_FALSE(its.passage->entered);
  its.until([&] { return its.passage->entered.load(); });
  CHECK(its.knows(its.visitor->seat_id()));
  its.says(say_this("hello"));
  its.until([&] { return !its.script.said.empty(); });
  CHECK(its.script.said == std::vector<std::string>{"hello"});
  CHECK(its.room->client_of(its.visitor->seat_id())->link == 50);
}

TEST_CASE(
    "visitor: what the arena says is put into the passage once a turn, and the session is told once until it takes "
    "it") {
  Visiting its;
  its.come_in();
  (void)its.take();
  CHECK(its.taken > 0);
  CHECK(its.visitor->waiting() == 0);
  const int before = its.session_told;
  words::Said said;
  said.set_text("hello");
  its.tell(said);
  its.until([&] { return its.session_told == before + 1; });
  its.tell(said);
  its.settle();
  CHECK(its.session_told == before + 1);
  CHECK(its.visitor->waiting() == 2 * std::string_view("Said").size());
  CHECK(its.take());
  CHECK(its.taken == 2 * std::string_view("Said").size());
  its.tell(said);
  its.until([&] { return its.session_told == before + 2; });
}

TEST_CASE(
    "visitor: when its session ends the visit, what it sent before is heard, and the others hear that it has left") {
  Visiting its;
  its.come_in();
  Actor& anna = its.enters("anna");
  const core::Id seat = its.visitor->seat_id();
  its.script.says = {say_this("goodbye")};
  its.sends();
  if (its.passage->to_room.close("the server is back")) its.visitor->look();
  its.until([&] { return its.times_gone == 1; });
  CHECK(anna.script.said == std::vector<std::string>{"goodbye"});
  its.until([&] { return anna.heard("PlayerGone"); });
  CHECK_FALSE(its.room->is_seated(seat));
  CHECK(its.script.closed == "the server is back");
  CHECK_FALSE(its.take());
  its.visitor->leave("again");
  CHECK(its.times_gone == 1);
  CHECK(its.passage->to_session.why() == "the server is back");
}

TEST_CASE("visitor: nothing of the arena's goodbye reaches the session, which learns why the arena does not keep it") {
  struct Row {
    const char* why;
    std::function<void(Visiting&)> end;
  };
  const Row rows[] = {
      {"kicked", [](auto& its) { its.room->dismiss(its.visitor->seat_id(), "kicked"); }},
      {"the proxy is stopping", [](auto& its) { its.room->stop(); }},
      {"the player's session reads too slowly",
       [](auto& its) { its.visitor->end_seat(relay::Reason::kClientStalled); }},
  };
  for (const Row& row : rows) {
    CAPTURE(row.why);
    Visiting its;
    its.come_in();
    (void)its.take();
    const int before = its.session_told;
    row.end(its);
    its.settle();
    CHECK(its.session_told == before + 1);
    CHECK_FALSE(its.take());
    CHECK(its.taken == 0);
    CHECK_FALSE(its.passage->to_session.why().empty());
    if (std::string_view(row.why) != "the proxy is stopping") CHECK(its.passage->to_session.why() == row.why);
    CHECK(its.times_gone == 1);
    CHECK_FALSE(its.room->is_seated(its.visitor->seat_id()));
  }
}

TEST_CASE("visitor: a player whom the arena refuses goes back to its session, with the reason") {
  Visiting its;
  its.visitor->begin();
  its.until([&] { return its.visitor->seat_id() != 0; });
  its.says(enter_as("unwanted"));
  its.until([&] { return its.passage->to_session.why() == "nobody wants you"; });
  CHECK_FALSE(its.take());
  CHECK_FALSE(its.passage->entered);
}

/// Lets everybody only watch.
class Full final : public core::Back {
 public:
  void opened(const core::Peer&, core::BackOut& out) override { out.say(words::Ready()); }
  void receive(const Frames&, core::BackOut&) override {}
  void hear(const core::Intent& intent, core::BackOut& out) override {
    if (core::as<words::Enter>(intent) == nullptr) return;
    words::Player player;
    player.set_id(intent.by);
    player.set_role(words::WATCH);
    out.say(player);
  }
};

TEST_CASE("visitor: a player who may only watch goes back to its session, unless it wanted to watch") {
  for (const bool wants_to_watch : {false, true}) {
    CAPTURE(wants_to_watch);
    Visiting its([](relay::SharedRoomOptions& options) { options.back = [] { return std::make_unique<Full>(); }; });
    its.visitor->begin();
    its.until([&] { return its.visitor->seat_id() != 0; });
    its.says(enter_as("vera", wants_to_watch ? words::WATCH : words::PLAY));
    its.until([&] { return its.passage->entered || !its.passage->to_session.why().empty(); });
    CHECK(its.passage->entered == wants_to_watch);
    CHECK(its.passage->to_session.why() == (wants_to_watch ? "" : "it is full"));
  }
}

TEST_CASE("visitor: if the arena ends before the visitor has its seat, its session gets the player back") {
  Visiting its;
  its.visitor->begin();
  its.room->stop();
  its.visitor->look();
  its.until([&] { return its.times_gone == 1; });
  CHECK(its.passage->to_session.why() == "the arena is closed");
  CHECK(its.session_told == 1);
  its.visitor->take_turn();
  CHECK(its.visitor->seat_id() == 0);
  CHECK_FALSE(its.visitor->give_seat(3));
}

TEST_CASE("visitor: a session that ends the visit before the visitor has a seat gets none") {
  Visiting its;
  its.visitor->begin();
  its.visitor->leave("the player left");
  CHECK(its.times_gone == 1);
  its.settle();
  CHECK(its.visitor->seat_id() == 0);
  CHECK(its.script.heard.empty());
}

TEST_CASE("visitor: a session that is to send more is told when much of what it sent was taken") {
  for (const int frames : {4 * 1024 - 1, 4 * 1024}) {
    CAPTURE(frames);
    Visiting its;
    its.come_in();
    const int before = its.session_told;
    its.sends(frames);
    its.until([&] { return its.passage->to_room.waiting() == 0; });
    CHECK(its.session_told == before + (frames < 4 * 1024 ? 0 : 1));
  }
}

TEST_CASE("visitor: one whose session takes nothing leaves above 32 MiB, and costs the others nothing") {
  Visiting its;
  its.come_in();
  Actor& anna = its.enters("anna");
  const std::string large(1024 * 1024, 'x');
  const SharedBytes frame{as_bytes(large), {}};
  for (int i = 0; i < 31; ++i) (void)its.visitor->send(Lane::kStream, frame);
  its.visitor->flush();
  anna.say(say_this("still here"));
  CHECK(its.times_gone == 0);
  (void)its.visitor->send(Lane::kStream, frame);
  anna.say(say_this("too much"));
  CHECK(its.times_gone == 1);
  CHECK(its.passage->to_session.why() == "the player's session reads too slowly");
  its.until([&] { return anna.heard("PlayerGone"); });
  CHECK(anna.script.said.size() == 2);
}

TEST_CASE("visitor: what waited before it had its seat counts for that limit, once it has its seat") {
  Visiting its;
  const std::string large(33 * 1024 * 1024, 'x');
  (void)its.visitor->send(Lane::kStream, {as_bytes(large), {}});
  its.visitor->begin();
  its.until([&] { return its.visitor->seat_id() != 0; });
  CHECK(its.times_gone == 0);
  words::Said said;
  said.set_text("hello");
  its.tell(said);
  CHECK(its.times_gone == 1);
  CHECK(its.passage->to_session.why() == "the player's session reads too slowly");
}

}  // namespace
}  // namespace entente::testing::visitor_test
