// The commands of an operator: which sessions they mean, what is done to each, and what the waiting thread is told.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "proxy/relay/base/inquiry.h"

namespace entente::relay::commands_test {
namespace {

using Action = SessionCommand::Action;

/// A session that notes what is done to it.
struct Session {
  explicit Session(std::size_t its_route, std::string its_server = "one:1")
      : route(its_route), server(std::move(its_server)) {}
  bool listed() const { return is_listed; }
  SessionReport report() const {
    SessionReport report;
    report.route = route;
    report.bytes = done.size();
    return report;
  }
  void send_away(Reason reason, std::string_view why) {
    done.push_back(std::string(text(reason)) + ": " + std::string(why));
  }
  void end_drained(std::string_view why) { done.push_back("drained: " + std::string(why)); }
  bool leave_server(std::string_view its, std::string_view why) {
    if (its != server) return false;
    done.push_back("leaves: " + std::string(why));
    return true;
  }
  AnnounceResult say(std::string_view what) {
    done.push_back("hears: " + std::string(what));
    return AnnounceResult::kSlow;
  }
  void move(const std::shared_ptr<MoveOrder>& order) { done.push_back("moves to " + std::to_string(order->route)); }

  std::size_t route;
  std::string server;
  bool is_listed = true;
  std::vector<std::string> done;
};

/// Three sessions: 1 and 2 on the route 0, 3 on the route 1.
struct Sessions {
  Sessions() {
    all[1] = std::make_unique<Session>(0);
    all[2] = std::make_unique<Session>(0, "two:2");
    all[3] = std::make_unique<Session>(1);
  }
  std::vector<SessionReport> carry_out(const SessionCommand& command) {
    Inquiry inquiry;
    {
      Inquiry::Part part(inquiry);
      relay::carry_out(command, part, all);
    }
    return inquiry.wait();
  }
  /// What was done to them: "1 kicked: x; ".
  std::string done() const {
    std::string what;
    for (const auto& [link, session] : all)
      for (const std::string& one : session->done) what += std::to_string(link) + " " + one + "; ";
    return what;
  }
  std::map<LinkId, std::unique_ptr<Session>> all;
};

TEST_CASE("commands: a command means all sessions, or those of a route, or one of them") {
  struct Case {
    std::optional<LinkId> link;
    std::optional<std::size_t> route;
    const char* done;
  };
  for (const Case& one :
       {Case{{}, {}, "1 kicked: x; 2 kicked: x; 3 kicked: x; "}, Case{{}, 0, "1 kicked: x; 2 kicked: x; "},
        Case{2, {}, "2 kicked: x; "}, Case{2, 0, "2 kicked: x; "}, Case{2, 1, ""}, Case{9, {}, ""}}) {
    Sessions sessions;
    SessionCommand command{.link = one.link, .route = one.route, .action = Action::kKick, .text = "x"};
    const auto found = sessions.carry_out(command);
    const std::string done = sessions.done();
    CHECK(done == one.done);
    CHECK(found.size() == static_cast<std::size_t>(std::count(done.begin(), done.end(), ';')));
    command.none = true;
    CHECK(sessions.carry_out(command).empty());
    CHECK(sessions.done() == one.done);
  }
}

TEST_CASE("commands: a session that is not listed is neither reported, nor is anything done to it") {
  Sessions sessions;
  sessions.all[1]->is_listed = false;
  CHECK(sessions.carry_out({}).size() == 2);
  CHECK(sessions.carry_out({.action = Action::kBan, .text = "x"}).size() == 2);
  CHECK(sessions.done() == "2 banned by the operator: x; 3 banned by the operator: x; ");
}

TEST_CASE("commands: each kind does one thing, and the report is that of the session before it") {
  struct Case {
    Action action;
    const char* done;
  };
  for (const Case& one : {Case{Action::kNothing, ""}, Case{Action::kKick, "3 kicked: x; "},
                          Case{Action::kBan, "3 banned by the operator: x; "}, Case{Action::kRefer, "3 moved: x; "},
                          Case{Action::kEndDrained, "3 drained: x; "}, Case{Action::kSay, "3 hears: x; "},
                          Case{Action::kMove, "3 moves to 7; "}, Case{Action::kLeaveServer, "3 leaves: x; "}}) {
    Sessions sessions;
    const auto found = sessions.carry_out(
        {.link = 3, .action = one.action, .text = "x", .move = std::make_shared<MoveOrder>(7), .server = "one:1"});
    CHECK(sessions.done() == one.done);
    REQUIRE(found.size() == 1);
    CHECK(found[0].bytes == 0);
    CHECK(found[0].told == (one.action == Action::kSay ? AnnounceResult::kSlow : AnnounceResult::kNotAsked));
  }
}

TEST_CASE("commands: those who are to leave a server are reported only if they are on it") {
  Sessions sessions;
  CHECK(sessions.carry_out({.action = Action::kLeaveServer, .text = "x", .server = "two:2"}).size() == 1);
  CHECK(sessions.done() == "2 leaves: x; ");
}

TEST_CASE("commands: only those that end all sessions that they mean have a reason") {
  CHECK(reason_to_end(Action::kKick) == Reason::kKicked);
  CHECK(reason_to_end(Action::kBan) == Reason::kBannedNow);
  CHECK(reason_to_end(Action::kRefer) == Reason::kReferred);
  CHECK(reason_to_end(Action::kEndDrained) == Reason::kDrained);
  for (const Action other : {Action::kNothing, Action::kLeaveServer, Action::kSay, Action::kMove})
    CHECK_FALSE(reason_to_end(other));
}

TEST_CASE("commands: who asks gets what all workers have found, once the last of them has answered or is gone") {
  Inquiry inquiry;
  std::vector<Inquiry::Part> parts;
  for (int i = 0; i < 3; ++i) parts.emplace_back(inquiry);
  std::thread workers([&parts] {
    for (Inquiry::Part& one : parts) {
      Inquiry::Part part = std::move(one);
      if (&one != &parts.back()) part.found(SessionReport());
    }
  });
  CHECK(inquiry.wait().size() == 2);
  workers.join();
}

TEST_CASE("an order to move a player: only the first answer counts, and who waits is told it") {
  MoveOrder order(7);
  order.answer({MoveResult::How::kMoved, "", 12});
  order.answer_stays("too late");
  for (int i = 0; i < 2; ++i) {
    const MoveResult result = order.wait(0);
    CHECK(result.how == MoveResult::How::kMoved);
    CHECK(result.text.empty());
    CHECK(result.took == 12);
  }
}

TEST_CASE("an order to move a player: until it is answered, it is under way, and says for what it waits") {
  MoveOrder order(7);
  CHECK(order.wait(0).how == MoveResult::How::kUnderWay);
  CHECK(order.wait(0).text.empty());
  order.set_waiting_for("a seat");
  CHECK(order.wait(0).text == "a seat");
  order.set_waiting_for("a server");
  CHECK(order.wait(0).text == "a server");
  order.answer_stays("it is full");
  CHECK(order.wait(0).how == MoveResult::How::kStays);
  CHECK(order.wait(0).text == "it is full");
}

}  // namespace
}  // namespace entente::relay::commands_test
