// What a process tells the one that takes over from it about bans and listed networks.
#include "proxy/program/take_over/restrictions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace entente::restrictions_test {
namespace {

net::Network network(const std::string& text) {
  const auto parsed = net::Network::parse(text);
  REQUIRE_MESSAGE(parsed.ok(), text);
  return *parsed;
}

Restrictions some() {
  using enum relay::ListedNetwork::List;
  Restrictions known;
  known.bans = {{network("192.0.2.1"), 4'000'000'000, "cheats", true, "10.0.0.1:5154"},
                {network("2001:db8::/64"), relay::Ban::kForGood, "", false, ""}};
  known.listed = {{network("198.51.100.0/24"), kAllow, "friends"}, {network("203.0.113.7"), kDeny, ""}};
  bus::SharedBan lifted;
  lifted.set_network("192.0.2.9");
  lifted.set_lifted(true);
  lifted.set_changed(7);
  known.shared = {lifted};
  return known;
}

bool same(const relay::Ban& a, const relay::Ban& b) {
  return a.who == b.who && a.until == b.until && a.why == b.why && a.by_server == b.by_server && a.where == b.where;
}

TEST_CASE("restrictions: what is handed over is all that was known") {
  const Restrictions known = some();
  const auto answer = answer_with(known, 1'000);
  CHECK(answer.left_out == 0);
  const auto got = restrictions_of(answer.bytes);
  REQUIRE(got.ok());
  REQUIRE(got->bans.size() == 2);
  CHECK(same(got->bans[0], known.bans[1]));  // operators' bans come first
  CHECK(same(got->bans[1], known.bans[0]));
  REQUIRE(got->listed.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(got->listed[i].who == known.listed[i].who);
    CHECK(got->listed[i].list == known.listed[i].list);
    CHECK(got->listed[i].why == known.listed[i].why);
  }
  REQUIRE(got->shared.size() == 1);
  CHECK(got->shared[0].SerializeAsString() == known.shared[0].SerializeAsString());
  CHECK(got->stale_file == "");
}

TEST_CASE("restrictions: a ban file is stale only if all bans of operators and all networks are handed over") {
  Restrictions known = some();
  known.stale_file = "/var/lib/entente/bans";
  const std::size_t all = answer_with(known, 1'000).bytes.size();
  std::size_t whole = 0;
  for (std::size_t most = 0; most < all + 20; ++most) {
    const auto answer = answer_with(known, most);
    const auto got = restrictions_of(answer.bytes);
    REQUIRE(got.ok());
    CHECK(answer.bytes.size() <= std::max<std::size_t>(most, 15));  // its first line has 15
    if (got->stale_file.empty()) continue;
    ++whole;
    CHECK(got->stale_file == known.stale_file);
    CHECK(got->listed.size() == 2);
    CHECK_FALSE(got->bans.at(0).by_server);
  }
  CHECK(whole > 0);
  CHECK(restrictions_of(answer_with(known, 80).bytes)->stale_file == "");
}

TEST_CASE("restrictions: an answer has at most its bytes, and servers' bans are left out first") {
  Restrictions known = some();
  for (int i = 0; i < 100; ++i)
    known.bans.push_back(
        {network("10.0.0." + std::to_string(i)), relay::Ban::kForGood, std::string(50, 'x'), true, ""});
  for (const std::size_t most : {400U, 1'000U, 3'000U}) {
    const auto answer = answer_with(known, most);
    CHECK(answer.bytes.size() <= most);
    CHECK(answer.bytes.size() + most / 10 + 100 > most);  // hardly more is left out than is necessary
    const auto got = restrictions_of(answer.bytes);
    REQUIRE(got.ok());
    CHECK_FALSE(got->bans.empty());
    CHECK_FALSE(got->bans[0].by_server);
    CHECK(got->bans.size() + answer.left_out == known.bans.size());
    CHECK(got->listed.size() == 2);
    CHECK(got->shared.size() == 1);
  }
  CHECK(answer_with(known, 0).left_out == known.bans.size() + known.listed.size() + known.shared.size());
}

TEST_CASE("restrictions: what an older program answers, and what is broken, is an error") {
  const auto why = [](const std::string& answer) {
    const auto got = restrictions_of(answer);
    return got ? std::string("none") : got.error().text;
  };
  CHECK(why("error: unknown command\nmore") == "error: unknown command");
  CHECK(why("error: \x1b[31m") == "error: \\x1b[31m");
  CHECK(why("").empty());
  CHECK(why("restrictions 1\n") == "none");  // nothing is known
  CHECK(why("restrictions 1\n\x0a\x7f") == "its answer cannot be decoded");
  CHECK(why("restrictions 1\n\x0a\x03\x0a\x01x").find("x") != std::string::npos);  // a ban of the network "x"
}

}  // namespace
}  // namespace entente::restrictions_test
