// What a back asks of a server that does not answer.
#include "proxy/core/gameplay/pending_claims.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/core/deaf_out.h"

namespace entente::core::pending_claims_test {
namespace {

/// Records what a back asks for.
class Asked final : public testing::DeafBackOut {
 public:
  void say(Fact fact) override {
    if (const auto* notice = as<words::Notice>(fact); notice != nullptr && fact.to == 1) told.push_back(notice->text());
  }
  void wake(Micros at) override { wakes = std::min(wakes, at); }
  void count_drop(const MappingLine& line, const char* word) override {
    lost += std::string(word) + ": " + line.reason + "\n";
  }

  Micros wakes = kNever;
  std::vector<std::string> told;
  std::string lost;
  static constexpr Micros kNever = 1'000 * kSecond;
};

std::string late(PendingClaims& claims, Asked& out, Micros time) {
  std::string found;
  out.time = time;
  out.wakes = Asked::kNever;
  claims.check(out, [&](Claim claim, int times) {
    found += std::to_string(static_cast<int>(claim)) + " x" + std::to_string(times) + "\n";
  });
  return found;
}

TEST_CASE("a claim without an answer is late once, when its time is over") {
  PendingClaims claims;
  Asked out;
  claims.begin(Claim::kSpawn, 2 * kSecond, out);
  CHECK(out.wakes == 2 * kSecond);
  out.time = kSecond;
  claims.begin(Claim::kSpawn, 2 * kSecond, out);  // gives no more time
  CHECK(late(claims, out, kSecond) == "");
  CHECK(out.wakes == 2 * kSecond);
  CHECK(claims.waits(Claim::kSpawn));
  CHECK(late(claims, out, 2 * kSecond) == "1 x1\n");
  CHECK_FALSE(claims.waits(Claim::kSpawn));
  CHECK(late(claims, out, 9 * kSecond) == "");
  CHECK(out.wakes == Asked::kNever);
  claims.begin(Claim::kSpawn, kSecond, out);
  CHECK(late(claims, out, 10 * kSecond) == "1 x2\n");
}

TEST_CASE("an answered claim is never late, and its count begins anew") {
  PendingClaims claims;
  Asked out;
  claims.begin(Claim::kDeath, kSecond, out);
  CHECK(late(claims, out, kSecond) == "2 x1\n");
  claims.begin(Claim::kDeath, kSecond, out);
  claims.answered(Claim::kDeath);
  CHECK(late(claims, out, 9 * kSecond) == "");
  claims.begin(Claim::kDeath, kSecond, out);
  CHECK(late(claims, out, 10 * kSecond) == "2 x1\n");
}

TEST_CASE("the end of a life forgets what the unit wanted to do, but not that it wants to live") {
  PendingClaims claims;
  Asked out;
  for (const Claim claim : {Claim::kSpawn, Claim::kDeath, Claim::kFire, Claim::kGrab, Claim::kFlag, Claim::kPause,
                            Claim::kEdit, Claim::kReload, Claim::kSplit})
    claims.begin(claim, kSecond, out);
  claims.end_life();
  CHECK(late(claims, out, kSecond) == "1 x1\n");
}

TEST_CASE("a claim that nobody waits for any more is not late, but was not answered either") {
  PendingClaims claims;
  Asked out;
  claims.begin(Claim::kFlag, kSecond, out);
  CHECK(late(claims, out, kSecond) == "5 x1\n");
  claims.tell_unanswered(Claim::kFlag, out);
  claims.begin(Claim::kFlag, kSecond, out);
  claims.forget(Claim::kFlag);
  CHECK_FALSE(claims.waits(Claim::kFlag));
  CHECK(late(claims, out, 9 * kSecond) == "");
  claims.begin(Claim::kFlag, kSecond, out);
  CHECK(late(claims, out, 10 * kSecond) == "5 x2\n");
  claims.tell_unanswered(Claim::kFlag, out);
  CHECK(out.told.size() == 1);
}

TEST_CASE("each unanswered claim is counted, and told once until the server answers") {
  PendingClaims claims;
  Asked out;
  for (int i = 0; i < 3; ++i) claims.tell_unanswered(Claim::kFlag, out);
  CHECK(out.told == std::vector<std::string>{"the server has not changed who carries the flag"});
  CHECK(out.lost ==
        "TokenWish: the server did not answer in time\nTokenWish: the server did not answer in time\n"
        "TokenWish: the server did not answer in time\n");
  claims.answered(Claim::kFlag);
  claims.tell_unanswered(Claim::kFlag, out);
  CHECK(out.told.size() == 2);
  for (int claim = 0; claim <= static_cast<int>(Claim::kSplit); ++claim) {
    const std::size_t told = out.told.size(), lost = out.lost.size();
    claims.tell_unanswered(static_cast<Claim>(claim), out);
    CHECK(out.lost.size() > lost);
    const bool tells = static_cast<Claim>(claim) != Claim::kFlag && static_cast<Claim>(claim) != Claim::kGrab;
    CHECK((out.told.size() > told) == tells);
  }
}

}  // namespace
}  // namespace entente::core::pending_claims_test
