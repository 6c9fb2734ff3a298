// What a relay counts: in which range a duration is, and that the sum over the workers leaves nothing out.
#include "proxy/relay/base/counters.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace entente::relay::counters_test {
namespace {

/// All single counts of a worker, each once.
std::vector<Count*> all_of(Counters& counters) {
  std::vector<Count*> all{&counters.begun,       &counters.stalls,       &counters.throttled,
                          &counters.server_bans, &counters.unframed,     &counters.held_back_lines,
                          &counters.orphaned,    &counters.gone,         &counters.held,
                          &counters.holds_ended, &counters.brought_back, &counters.http_connections,
                          &counters.http_found,  &counters.http_missing, &counters.http_later,
                          &counters.moved,       &counters.opening.sum,  &counters.length.sum};
  for (auto* traffic : {&counters.to_server, &counters.to_client})
    for (Count* one : {&traffic->bytes, &traffic->frames, &traffic->datagrams, &traffic->datagram_bytes})
      all.push_back(one);
  const auto add = [&all](auto& counts) {
    for (Count& one : counts) all.push_back(&one);
  };
  add(counters.ended);
  add(counters.dropped);
  add(counters.opening.in);
  add(counters.length.in);
  for (auto& way : counters.lab.by) add(way);
  return all;
}

/// The same of a sum.
std::vector<std::uint64_t> all_of(const Totals& totals) {
  std::vector<std::uint64_t> all{
      totals.begun,           totals.stalls,           totals.throttled,  totals.server_bans,  totals.unframed,
      totals.held_back_lines, totals.orphaned,         totals.gone,       totals.held,         totals.holds_ended,
      totals.brought_back,    totals.http_connections, totals.http_found, totals.http_missing, totals.http_later,
      totals.moved,           totals.opening.sum,      totals.length.sum};
  for (const auto* traffic : {&totals.to_server, &totals.to_client})
    for (const std::uint64_t one : {traffic->bytes, traffic->frames, traffic->datagrams, traffic->datagram_bytes})
      all.push_back(one);
  const auto add = [&all](const auto& counts) { all.insert(all.end(), counts.begin(), counts.end()); };
  add(totals.ended);
  add(totals.dropped);
  add(totals.opening.in);
  add(totals.length.in);
  for (const auto& way : totals.lab.by) add(way);
  return all;
}

TEST_CASE("counters: the totals are the sums of what all workers have counted, of each count by itself") {
  Counters first, second;
  const auto ones = all_of(first), others = all_of(second);
  static_assert(sizeof(Count) == sizeof(std::uint64_t));
  REQUIRE(ones.size() == sizeof(Counters) / sizeof(Count));  // none is forgotten here
  std::vector<std::uint64_t> sums;
  for (std::size_t i = 0; i < ones.size(); ++i) {
    ones[i]->add(i + 1);
    others[i]->add(1'000);
    sums.push_back(i + 1'001);
  }
  Totals totals;
  totals.add(first);
  totals.add(second);
  CHECK(all_of(totals) == sums);
}

TEST_CASE("counters: a duration is in the first range whose bound it does not exceed, or in the last one") {
  DurationsOf<Count, kOpeningBounds> durations;
  for (const Millis bound : kOpeningBounds) count(durations, bound);
  for (const Count& range : durations.in) CHECK(range.read() == (&range == &durations.in.back() ? 0 : 1));
  count(durations, 0);
  CHECK(durations.in.front().read() == 2);
  count(durations, kOpeningBounds[0] + 1);
  CHECK(durations.in[1].read() == 2);
  count(durations, kOpeningBounds.back() + 1);
  CHECK(durations.in.back().read() == 1);
  Millis sum = 0;
  for (const Millis bound : kOpeningBounds) sum += bound;
  CHECK(durations.sum.read() == sum + kOpeningBounds[0] + 1 + kOpeningBounds.back() + 1);
}

TEST_CASE("counters: the refused clients are those of all refusals, and of no other end") {
  Totals totals;
  for (std::size_t i = 0; i < kReasons; ++i) totals.ended[i] = 1;
  CHECK(totals.refused() == 15);
  for (const Reason why : {Reason::kTooMany, Reason::kClientDialect}) {  // the first and the last
    totals.ended[static_cast<std::size_t>(why)] = 100;
    CHECK(is_refusal(why));
  }
  CHECK(totals.refused() == 213);
  for (const Reason why : {Reason::kResumed, Reason::kClientReset}) {
    totals.ended[static_cast<std::size_t>(why)] = 100;
    CHECK_FALSE(is_refusal(why));
  }
  CHECK(totals.refused() == 213);
  CHECK(totals.by(Reason::kClientReset) == 100);
}

TEST_CASE("counters: a sum that was taken while sessions end shows none, not a huge number") {
  Totals totals;
  totals.begun = 7;
  totals.gone = 5;
  totals.held = 3;
  totals.holds_ended = 2;
  CHECK(totals.current_sessions() == 2);
  CHECK(totals.held_now() == 1);
  totals.gone = 8;
  totals.holds_ended = 4;
  CHECK(totals.current_sessions() == 0);
  CHECK(totals.held_now() == 0);
}

TEST_CASE("counters: what sessions did not forward is added up by line and word") {
  static constexpr MappingLine kOne{}, kOther{};
  core::Ledger first, second;
  for (int i = 0; i < 3; ++i) first.add(kOne);
  first.add(kOther, "Shot");
  for (int i = 0; i < 2; ++i) second.add(kOne);
  for (int i = 0; i < 4; ++i) second.add(kOther, "Spawn");
  Losses losses;
  losses.add(first);
  losses.add(second);
  losses.add(core::Ledger());
  const auto all = losses.all();
  REQUIRE(all.size() == 3);
  CHECK(all[0].times == 5);
  CHECK(all[1].times == 1);
  CHECK(all[2].times == 4);
}

}  // namespace
}  // namespace entente::relay::counters_test
