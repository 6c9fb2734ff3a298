#include "tests/lab/bans.h"

#include <set>

#include "tests/lab/games.h"
#include "tests/lab/service.h"

namespace entente::lab {
namespace {

constexpr Nanos kMostLate = 5 * kSecond;

Nanos wall_ahead() { return kernel().wall() - kernel().now(); }

}  // namespace

BanOrders::Given BanOrders::give(Draw& draw, const std::function<std::string(const std::string& line)>& ask) {
  const std::string network = "198.51.100." + std::to_string(draw.number(1, 4));
  Given given{draw.chance(0.6), ""};
  Its& its = networks_[network];
  const std::uint64_t seconds = given.bans && draw.chance(0.4) ? draw.number(5, 60) : 0;
  const std::size_t number = ++its.given;
  const bool alone = its.under_way++ == 0;
  given.answer =
      ask((given.bans ? "ban " : "unban ") + network + (seconds != 0 ? " --for " + std::to_string(seconds) + "s" : ""));
  --its.under_way;
  its.banned = std::nullopt;
  if (alone && its.given == number && given.done()) its.banned = given.bans;
  its.ends = seconds != 0 ? std::optional(kernel().now() + seconds * kSecond) : std::nullopt;
  its.wall_ahead = wall_ahead();
  return given;
}

std::map<std::string, std::size_t> BanOrders::settled() const {
  std::map<std::string, std::size_t> all;
  for (const auto& [network, its] : networks_)
    if (its.under_way == 0) all[network] = its.given;
  return all;
}

std::vector<std::string> BanOrders::check(const std::string& answer,
                                          const std::map<std::string, std::size_t>& since) const {
  std::vector<std::string> wrong;
  const std::set<std::string> banned = first_fields(answer);
  for (const auto& [network, its] : networks_) {
    const auto before = since.find(network);
    if (before == since.end() || before->second != its.given || !its.banned) continue;
    bool must_be = *its.banned;
    if (must_be && its.ends) {
      const Nanos now = kernel().now();
      if (its.wall_ahead != wall_ahead() || (now < *its.ends + kMostLate && *its.ends < now + kMostLate)) continue;
      must_be = now < *its.ends;
    }
    if (banned.contains(network) != must_be)
      wrong.push_back(network + (must_be ? " is not banned any more" : " is still banned"));
  }
  return wrong;
}

}  // namespace entente::lab
