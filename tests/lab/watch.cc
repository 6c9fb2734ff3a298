#include "tests/lab/watch.h"

#include <algorithm>
#include <numeric>

#include "tests/lab/kernel/memory.h"

namespace entente::lab {

void Told::opened(const std::string& route, const relay::LinkInfo& session, std::uint64_t) {
  tell(route + ": " + session.client.text() + " opened");
}

void Told::closed(const std::string& route, const relay::LinkInfo& session, const relay::SessionOutcome& end,
                  std::uint64_t) {
  tell(route + ": " + session.client.text() + " closed: " + relay::text(end.reason) + " " + end.player);
}

void Told::refused(const std::string& route, const relay::LinkInfo& session, relay::Reason reason, const Fault& fault,
                   std::uint64_t at, std::uint64_t more) {
  refusals[static_cast<std::size_t>(reason)] += 1 + more;
  tell(route + ": " + session.client.text() + " refused: " + relay::text(reason) + " " + fault.what + " " +
       fault.field + " at " + std::to_string(at));
}

void Told::warned(std::string_view sentence, const relay::About&, std::uint64_t) { tell(std::string(sentence)); }

std::size_t Followed::open() const {
  return static_cast<std::size_t>(std::count_if(sessions_.begin(), sessions_.end(), [this](const auto& one) {
    return one.first.first == life_ && one.second.reason.empty();
  }));
}

void Followed::opened(const relay::LinkInfo& session, WallTime) {
  const Aside aside;
  if (!sessions_.emplace(Key(life_, session.link), Session{session.client, session.route, "", {}, {}}).second)
    verdict_.wrong.push_back("link " + std::to_string(session.link) + " was opened twice");
  most_open_ = std::max(most_open_, open());
}

void Followed::bytes(relay::LinkId link, wire::Way way, wire::Lane lane, Bytes bytes, WallTime) {
  const Aside aside;
  const auto its = sessions_.find({life_, link});
  if (its == sessions_.end() || !its->second.reason.empty())
    return verdict_.wrong.push_back("the tap was told bytes of link " + std::to_string(link) + ", which is not open");
  Passed& passed = way == wire::Way::kToServer ? its->second.to_server : its->second.to_client;
  if (lane == wire::Lane::kDatagram) return append(passed.datagrams, bytes);
  append(passed.stream, bytes);
  passed.when.emplace_back(kernel().now(), passed.stream.size());
}

void Followed::closed(relay::LinkId link, std::string_view reason, WallTime) {
  const Aside aside;
  const auto its = sessions_.find({life_, link});
  if (its == sessions_.end() || !its->second.reason.empty())
    verdict_.wrong.push_back("the tap was told the end of link " + std::to_string(link) + ", which is not open");
  else if (reason.empty())
    verdict_.wrong.push_back("link " + std::to_string(link) + " has no reason for its end");
  else
    its->second.reason = reason;
}

namespace {

/// " 2 client left, 1 banned,"
std::string listed(const std::array<std::uint64_t, relay::kReasons>& ended) {
  std::string all;
  for (std::size_t i = 0; i < ended.size(); ++i)
    if (ended[i] != 0) all += " " + std::to_string(ended[i]) + " " + text(static_cast<relay::Reason>(i)) + ",";
  return all;
}

}  // namespace

void check_totals(const relay::Totals& totals, const std::string& route, Verdict& verdict) {
  const auto wrong = [&](const std::string& what) { verdict.wrong.push_back("route " + route + ": " + what); };
  if (totals.begun != totals.gone)
    wrong(std::to_string(totals.begun) + " sessions began, and " + std::to_string(totals.gone) + " are gone");
  const auto ended = std::accumulate(totals.ended.begin(), totals.ended.end(), std::uint64_t{0});
  if (ended < totals.begun || ended > totals.begun + totals.refused())
    wrong(std::to_string(totals.begun) + " sessions began, and " + std::to_string(ended) +
          " have a reason:" + listed(totals.ended));
  if (totals.held != totals.holds_ended)
    wrong(std::to_string(totals.held) + " players were held, and " + std::to_string(totals.holds_ended) + " let go");
  if (totals.brought_back > totals.held) wrong("more players were brought back than held");
}

}  // namespace entente::lab
