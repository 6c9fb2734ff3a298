#include "tests/lab/bans.h"

#include <set>

#include "tests/lab/service.h"

namespace entente::lab {

BanOrders::Given BanOrders::give(Draw& draw, const std::function<std::string(const std::string& line)>& ask) {
  const std::string network = "198.51.100." + std::to_string(draw.number(1, 4));
  Given given{draw.chance(0.6), ""};
  Its& its = networks_[network];
  const std::size_t number = ++its.given;
  const bool alone = its.under_way++ == 0;
  given.answer = ask((given.bans ? "ban " : "unban ") + network);
  --its.under_way;
  its.banned = std::nullopt;
  if (alone && its.given == number && given.done()) its.banned = given.bans;
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
    if (banned.contains(network) != *its.banned)
      wrong.push_back(network + (*its.banned ? " is not banned any more" : " is still banned"));
  }
  return wrong;
}

}  // namespace entente::lab
