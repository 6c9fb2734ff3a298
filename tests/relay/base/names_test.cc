// The names of reasons, drops and faults, which are in the log and in metrics: each has one of its own.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "proxy/relay/base/inquiry.h"
#include "proxy/relay/base/lab_fault.h"
#include "proxy/relay/base/reason.h"

namespace entente::relay::names_test {
namespace {

/// The names of the first `count` values.
template <class Value, class Name>
std::set<std::string> names(std::size_t count, Name&& name) {
  std::set<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.insert(name(static_cast<Value>(i)));
  return all;
}

TEST_CASE("each reason to end, each drop and each fault of a lab has a name of its own") {
  constexpr auto kReasons = static_cast<std::size_t>(Reason::kCount), kDrops = static_cast<std::size_t>(Drop::kCount);
  const auto reasons = names<Reason>(kReasons, [](Reason one) { return text(one); });
  const auto drops = names<Drop>(kDrops, [](Drop one) { return text(one); });
  const auto faults = names<LabFault>(kLabFaults, [](LabFault one) { return text(one); });
  CHECK(reasons.size() == kReasons);
  CHECK(drops.size() == kDrops);
  CHECK(faults.size() == kLabFaults);
  for (const auto& all : {reasons, drops, faults}) CHECK_FALSE((all.contains("") || all.contains("?")));
}

TEST_CASE("each announcement that does not reach its player says why") {
  const auto whys = names<AnnounceResult>(static_cast<std::size_t>(AnnounceResult::kCannot) + 1, why_not);
  CHECK(whys.size() == static_cast<std::size_t>(AnnounceResult::kCannot));  // two need no reason
  for (const auto needs_none : {AnnounceResult::kYes, AnnounceResult::kNotAsked})
    CHECK(std::string(why_not(needs_none)).empty());
}

}  // namespace
}  // namespace entente::relay::names_test
