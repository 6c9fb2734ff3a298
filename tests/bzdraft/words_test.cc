// The draft's back as a client of the draft's front: a word given to one comes out of the other unchanged. The ids are
// those of the back: its player is 1 with the tank 103, "ben" is 101 with the tank 102, the flag is 1.
#include <doctest/doctest.h>

#include <vector>

#include "proxy/core/world.h"
#include "tests/bzdraft/said.h"

namespace entente::bzdraft::words_test {
namespace {

template <class Kind>
std::string line(const Kind& kind) {
  std::string text = Kind::descriptor()->name() + " " + kind.ShortDebugString();
  while (text.back() == ' ') text.pop_back();
  return text + "\n";
}

/// One end of the chain: keeps the bytes for its peer, and its words as lines.
template <class Said>
class End final : public core::Out<Said> {
 public:
  void send(Lane lane, Bytes frame) override { sent.emplace_back(lane, Buffer(frame.begin(), frame.end())); }
  std::size_t waiting_bytes() const override { return 0; }
  void close(std::string_view why, std::uint32_t) override { said += "closes: " + std::string(why) + "\n"; }
  void fail(const Fault& fault) override { FAIL(fault.what, fault.field); }
  void say(Said word) override {
    word.at = now();
    if constexpr (std::is_same_v<Said, core::Fact>) known.fold(word);
    std::visit([&](const auto& kind) { said += line(kind); }, word.content);
  }
  void wake(core::Micros) override {}
  void count_drop(const MappingLine& line, const char* word) override { FAIL(subject(line, word), ": ", line.reason); }
  core::Micros now() const override { return core::kSecond; }
  std::uint32_t random() override { return 4; }
  core::Id new_id() override { return ++last_id_; }
  core::Id me() const override { return 1; }
  const core::WorldState& world() const override { return known; }

  core::WorldState known;
  std::vector<std::pair<Lane, Buffer>> sent;
  std::string said;

 private:
  core::Id last_id_ = 100;
};

class Chain {
 public:
  Chain() : front_(faces().front({0, {}})), back_(faces().back({0, {}})) {
    front_->opened({}, ours_);
    tell<words::Room>("game: 'bzdraft' mode: 'capture the flag' most_shots: 3");
    tell<words::Rule>("name: 'hits' value: 'victim'");
    tell<words::World>("hash: 'x' west: -100 east: 100 south: -100 north: 100");
    back_->opened({}, theirs_);
    carry();
    REQUIRE(theirs_.known.geometry() != nullptr);
    ours_.said.clear();
  }
  void come_in() {
    wish(word<words::Enter>(kEnter));
    tell<words::Player>("id: 1 name: 'anna' team: RED motto: 'm'");
    tell<words::Player>("id: 101 name: 'ben' team: GREEN");
    tell<words::Unit>("id: 102 owner: 101 team: GREEN");
    tell<words::Unit>("id: 103 owner: 1 team: RED");
    tell<words::Owns>("player: 101 units: 102 active: 102");
    tell<words::Owns>("player: 1 units: 103 active: 103");
    const std::string last = tell<words::Ready>("");
    CHECK(last.ends_with("Ready\n"));
  }
  /// Gives a fact to the front. Returns what the back says to its room.
  std::string tell(core::Fact fact) {
    fact.at = ours_.now();
    ours_.known.fold(fact);
    front_->hear(fact, ours_);
    carry();
    return std::exchange(theirs_.said, {});
  }
  template <class Word>
  std::string tell(const std::string& text) {
    return tell(core::Fact(word<Word>(text)));
  }
  /// Gives an intent of its player to the back. Returns what the front says to its room.
  std::string wish(core::Intent intent) {
    intent.by = 1;
    back_->hear(intent, theirs_);
    carry();
    theirs_.said.clear();  // what the back knows by itself
    return std::exchange(ours_.said, {});
  }
  template <class Word>
  void tells(const std::string& text) {
    const Word fact = word<Word>(text);
    CHECK(tell(core::Fact(fact)) == line(fact));
  }
  template <class Word>
  void wishes(const std::string& text) {
    const Word intent = word<Word>(text);
    CHECK(wish(core::Intent(intent)) == line(intent));
  }

  static constexpr const char* kEnter =
      "name: 'anna' team: RED motto: 'm' password: 'p' avatar: 'v' claims_deaths: true";

 private:
  void carry() {
    while (!ours_.sent.empty() || !theirs_.sent.empty()) {
      for (const auto& [lane, bytes] : std::exchange(theirs_.sent, {})) front_->receive({lane, bytes}, ours_);
      for (const auto& [lane, bytes] : std::exchange(ours_.sent, {})) back_->receive({lane, bytes}, theirs_);
    }
  }

  End<core::Intent> ours_;
  End<core::Fact> theirs_;
  std::unique_ptr<core::Front> front_;
  std::unique_ptr<core::Back> back_;
};

TEST_CASE("an Enter, and each reason to refuse it, arrive unchanged") {
  Chain chain;
  for (const char* code :
       {"OTHER", "NAME_NEEDS_LOGIN", "SERVER_NEEDS_LOGIN", "BAD_TEAM", "BAD_ROLE", "NO_ROGUES", "TEAM_FULL", "FULL"}) {
    words::Enter enter = word<words::Enter>(Chain::kEnter);
    const std::string asked = chain.wish(core::Intent(enter));
    for (const char* part : {"name: \"anna\" team: RED", "motto: \"m\"", "password: \"p\"", "avatar: \"v\""})
      CHECK(asked.find(part) != std::string::npos);
    chain.tells<words::Refused>(std::string("code: ") + code + " text: 'no' may_retry: true");
  }
}

TEST_CASE("facts of the front's room arrive in the back's room") {
  Chain chain;
  chain.come_in();
  chain.tells<words::Spawned>("unit: 102 pose { unit: 102 x: 5 y: 6.125 z: 0.001 }");
  chain.tells<words::Pose>("unit: 102 x: 7.5 y: -6 z: 1 vx: 24.999 vy: -1 vz: 2 yaw: 1.571 yaw_rate: -0.785 state: 5");
  chain.tells<words::Shot>(
      "shooter: 101 unit: 102 shot: 1 weapon: 18253 kind: GUIDED x: 30 z: 1.57 vy: 100 life: 3 range: 300 team: GREEN");
  CHECK(chain.tell<words::Shot>("shooter: 101 unit: 102 shot: 2 kind: GUIDED x: 30 vy: 100 life: 3")
            .find("weapon: 18253") != std::string::npos);
  CHECK(chain.tell<words::Token>("id: 1 gives: GUIDED state: GROUND").find("code: \"GM\"") != std::string::npos);
  chain.tells<words::ShotMoved>("shooter: 101 shot: 1 target: 1 x: 1 vy: 1");
  chain.tells<words::ShotEnded>("shooter: 101 shot: 1 burst: true");
  chain.tells<words::Teleported>("unit: 102 from: 3 to: 4");
  chain.tells<words::Died>("player: 101 unit: 102 killer: 1 shot: 2 why: BY_SHOT respawn_s: 5");
  chain.tells<words::Score>("player: 101 wins: 3 losses: 65535");
  chain.tells<words::TeamScore>("team: RED wins: 1 losses: 2 size: 1");
  chain.tells<words::Token>("id: 1 kind: TEAM_FLAG code: 'G*' team: GREEN state: GROUND x: 1 y: 2");
  for (const char* why : {"DROP_WISHED", "DROP_KILLED", "DROP_TIMEOUT", "DROP_SCORE"}) {
    chain.tells<words::TokenTaken>(
        "token { id: 1 kind: TEAM_FLAG code: 'G*' team: GREEN state: CARRIED carrier: 101 } by: 101");
    chain.tells<words::TokenDropped>(
        std::string("token { id: 1 kind: TEAM_FLAG code: 'G*' team: GREEN state: GROUND x: 3 } by: 101 why: ") + why);
  }
  const std::string captured = chain.tell<words::TokenCaptured>("token: 1 by: 1 team: GREEN");
  CHECK(captured.starts_with("TokenCaptured token: 1 by: 1 team: GREEN\n"));
  chain.tells<words::Round>("left_s: 60");
  chain.tells<words::Round>("state: OVER winning_team: RED");
  chain.tells<words::Round>("state: OVER winner: 101");
  chain.tells<words::Said>("from: 101 text: 'h\303\251'");
  chain.tells<words::Said>("from: 101 kind: ACTION text: 'waves'");
  chain.tells<words::Said>("from: 101 scope: MY_TEAM to: 3 text: 'green'");
  chain.tells<words::Said>("from: 101 scope: ONE to: 1 text: 'you'");
  chain.tells<words::Notice>("text: 'n'");
  CHECK(chain.tell<words::Player>("id: 101 name: 'bert' team: BLUE motto: 'x' responding: true")
            .starts_with("Player id: 101 name: \"bert\" team: BLUE motto: \"x\" responding: true\n"));
  chain.tell<words::Gone>("unit: 102");
  CHECK(chain.tell<words::PlayerGone>("id: 101") == "Gone unit: 102\nPlayerGone id: 101\n");
  CHECK(chain.tell<words::Kicked>("text: 'no cheating'") ==
        "Notice text: \"no cheating\"\nKicked text: \"no cheating\"\ncloses: super kill by the server\n");
}

TEST_CASE("intents of the back's player arrive in the front's room") {
  Chain chain;
  chain.come_in();
  chain.wishes<words::Spawn>("");
  chain.tells<words::Spawned>("unit: 103 pose { unit: 103 }");
  chain.wishes<words::PoseClaim>(
      "unit: 103 x: 1 y: 2 z: 0.5 vx: 5 vy: -1 vz: 3 yaw: 0.5 yaw_rate: -0.785 state: 5 seq: 1");
  chain.wishes<words::Fire>(
      "unit: 103 shot: 1 weapon: 18253 kind: GUIDED x: 1 y: 2 z: 1.57 vx: 100 life: 3.5 range: 350");
  chain.wishes<words::ShotMoveClaim>("shot: 1 target: 101 x: 5 vx: 2");
  chain.wishes<words::ShotEndClaim>("shooter: 1 shot: 1 burst: true");
  chain.wishes<words::TeleportClaim>("unit: 103 from: 1 to: 2");
  chain.wishes<words::ScoreClaim>("wins: 1 losses: 2");
  chain.tells<words::Token>("id: 1 kind: FLAG code: 'JM' state: GROUND");
  chain.wishes<words::TokenWish>("token: 1");
  chain.tells<words::TokenTaken>("token { id: 1 kind: FLAG code: 'JM' state: CARRIED carrier: 1 } by: 1");
  for (const char* why : {"DROP_WISHED", "DROP_TIMEOUT", "DROP_SCORE", "DROP_KILLED"}) {
    const words::TokenWish drop = word<words::TokenWish>(std::string("token: 1 op: DROP x: 1 y: 2 z: 0.5 why: ") + why);
    CHECK(chain.wish(core::Intent(drop)).ends_with(line(drop)));  // after a PoseClaim
  }
  const words::TokenWish capture = word<words::TokenWish>("token: 1 op: CAPTURE team: RED x: 1 y: 2 z: 0.5");
  CHECK(chain.wish(core::Intent(capture)).ends_with(line(capture)));
  chain.wishes<words::Say>("text: 'hi'");
  chain.wishes<words::Say>("scope: MY_TEAM text: 'hi'");
  chain.wishes<words::Say>("scope: ONE to: 101 text: 'hi'");
  chain.wishes<words::Say>("scope: SERVER text: 'hi'");
  chain.wishes<words::Say>("kind: ACTION text: 'waves'");
  chain.wishes<words::Say>("kind: COMMAND text: '/help'");
  chain.wishes<words::Change>("name: 'anne' team: BLUE");
  const std::string no = chain.tell({1, word<words::ClaimRefused>("why: 'taken'")});
  CHECK(no.starts_with("ClaimRefused why: \"taken\"\n"));
  chain.wishes<words::Change>("name: 'anne'");
  CHECK(chain.tell<words::Player>("id: 1 name: 'anne' team: RED motto: 'm' responding: true") ==
        "Player id: 1 name: \"anne\" team: RED motto: \"m\" responding: true\n");
  chain.wishes<words::DeathClaim>("killer: 101 shot: 7 why: BY_SHOT");
  CHECK(chain.wish(core::Intent(words::Leave())) == "Leave\ncloses: the client left\n");
}

}  // namespace
}  // namespace entente::bzdraft::words_test
