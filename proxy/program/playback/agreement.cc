#include "proxy/program/playback/agreement.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "proxy/program/base/screen_text.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/playback/joined_sessions.h"

namespace entente {
namespace {

using core::Micros;
using What = words::Timeline;

constexpr Micros kLeastSkew = core::kSecond, kMostSkew = 600 * core::kSecond;
constexpr Micros kJitter = 300 * core::kMillisecond;  // one event may reach two players this far apart
constexpr Micros kSame = 2 * core::kSecond;           // like events of two sessions within this time are one event
constexpr std::size_t kLeastPairs = 3, kMostPairs = 200'000, kMostDescribed = 3, kMostSentences = 10;

struct Event {
  std::int64_t at;  // wall clock, us
  std::string text;
};

/// The player's name; empty if it is not known.
std::string name_of(const RecordedSessionInfo& session, core::Id player) {
  const auto found = session.players.find(player);
  return found != session.players.end() ? screen_text(found->second) : "";
}

/// In the order of time. Of players without a name, nothing can be compared.
std::vector<Event> events_of(const RecordedSessionInfo& session) {
  std::vector<Event> all;
  for (const core::Moment& one : session.moments) {
    const std::string who = name_of(session, one.player), by = name_of(session, one.by);
    std::string text;
    if (who.empty()) continue;
    if (one.what == What::KILL && (one.by == 0 || one.by == one.player))
      text = who + " died";
    else if (one.what == What::KILL && !by.empty())
      text = by + " killed " + who;
    else if (one.what == What::CAPTURE)
      text = who + " captured a flag";
    if (!text.empty()) all.push_back({static_cast<std::int64_t>(session.wall_us(one.at)), std::move(text)});
  }
  std::stable_sort(all.begin(), all.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
  return all;
}

/// When each of some events happened, by its text; each text's in the order of time.
using Times = std::map<std::string_view, std::vector<std::int64_t>>;

/// REQUIRES: they are in the order of time, and outlive the result.
Times times_of(const std::vector<Event>& events) {
  Times times;
  for (const Event& one : events) times[one.text].push_back(one.at);
  return times;
}

/// How far the clock of `other` is ahead; 0: not far, or it cannot be told.
std::int64_t skew_of(const std::vector<Event>& told, const std::vector<Event>& other) {
  constexpr auto kMost = static_cast<std::int64_t>(kMostSkew);
  const Times times = times_of(told);
  std::vector<std::int64_t> apart;
  for (const Event& one : other) {
    const auto known = times.find(one.text);
    if (known == times.end()) continue;
    const std::vector<std::int64_t>& same = known->second;
    for (auto at = std::lower_bound(same.begin(), same.end(), one.at - kMost);
         at != same.end() && *at <= one.at + kMost && apart.size() < kMostPairs; ++at)
      apart.push_back(one.at - *at);
  }
  std::sort(apart.begin(), apart.end());
  std::size_t best = 0, best_at = 0;
  for (std::size_t from = 0, to = 0; from < apart.size(); ++from) {
    while (to < apart.size() && apart[to] - apart[from] <= static_cast<std::int64_t>(kJitter)) ++to;
    if (to - from > best) best = to - from, best_at = from;
  }
  if (best < kLeastPairs || 2 * best < std::min(told.size(), other.size())) return 0;
  const std::int64_t skew = apart[best_at + best / 2];
  return std::abs(skew) >= static_cast<std::int64_t>(kLeastSkew) ? skew : 0;
}

/// Those of a time.
std::vector<Event> between(const std::vector<Event>& events, std::int64_t from, std::int64_t to) {
  std::vector<Event> some;
  for (const Event& one : events)
    if (one.at >= from && one.at <= to) some.push_back(one);
  return some;
}

/// The events of `one`, not of its first and last moments, that `other` lacks.
std::vector<Event> lacking(const std::vector<Event>& one, const std::vector<Event>& other, std::int64_t from,
                           std::int64_t to) {
  constexpr auto kNear = static_cast<std::int64_t>(kSame);
  const Times times = times_of(other);
  std::map<std::string_view, std::size_t> passed;  // of each text's: these have their like, or are too early for one
  std::vector<Event> all;
  for (const Event& event : one) {
    const auto known = times.find(event.text);
    if (known != times.end()) {
      const std::vector<std::int64_t>& same = known->second;
      std::size_t& next = passed[event.text];
      while (next < same.size() && same[next] < event.at - kNear) ++next;
      if (next < same.size() && same[next] <= event.at + kNear) {
        ++next;
        continue;
      }
    }
    if (event.at >= from && event.at <= to) all.push_back(event);
  }
  return all;
}

class Agreement {
 public:
  Agreement(std::vector<RecordedSessionInfo>& sessions, std::size_t told, WallTime begin)
      : sessions_(sessions), told_(sessions[told]), events_(events_of(told_)), begin_(begin) {}

  std::vector<std::string> run() {
    for (RecordedSessionInfo& other : sessions_)
      if (&other != &told_ && other.ready && !told_.server.empty() && other.server == told_.server &&
          other.dialect == told_.dialect)
        set_clock(other);
    parts_of(sessions_, begin_);
    for (const auto& [other, events] : compared_) tell_differences(*other, events);
    if (const std::size_t all = sentences_.size(); all > kMostSentences) {
      sentences_.resize(kMostSentences);
      sentences_.push_back(fmt::format("and {} more differences between sessions", all - kMostSentences));
    }
    return std::move(sentences_);
  }

 private:
  void set_clock(RecordedSessionInfo& other) {
    std::vector<Event> events = events_of(other);
    const std::int64_t skew = skew_of(events_, events);
    if (skew != 0 && (skew < 0 || other.began >= static_cast<WallTime>(skew) * 1000)) {
      other.clock_ahead_us += skew;
      for (Event& event : events) event.at -= skew;
      sentences_.push_back(fmt::format("the clock of link {} was {:.1f} s {} that of link {}: it is set right",
                                       other.link,
                                       static_cast<double>(std::abs(skew)) / static_cast<double>(core::kSecond),
                                       skew > 0 ? "ahead of" : "behind", told_.link));
    }
    if (!other.hides && !told_.hides) compared_.emplace_back(&other, std::move(events));
  }

  void tell_differences(const RecordedSessionInfo& other, const std::vector<Event>& events) {
    const auto wall = [](const RecordedSessionInfo& one, Micros at) {
      return static_cast<std::int64_t>(one.wall_us(at));
    };
    const auto margin = static_cast<std::int64_t>(kSame);
    const std::int64_t from = std::max(wall(told_, *told_.ready), wall(other, *other.ready));
    const std::int64_t to = std::min(wall(told_, told_.last), wall(other, other.last));
    const auto here = between(events_, from - margin, to + margin), there = between(events, from - margin, to + margin);
    std::vector<std::tuple<std::int64_t, std::uint32_t, std::string>> all;
    for (const Event& one : lacking(here, there, from + margin, to - margin))
      all.emplace_back(one.at, told_.link, one.text);
    for (const Event& one : lacking(there, here, from + margin, to - margin))
      all.emplace_back(one.at, other.link, one.text);
    if (all.empty()) return;
    std::sort(all.begin(), all.end());
    std::string some;
    for (std::size_t i = 0; i < std::min(all.size(), kMostDescribed); ++i) {
      const auto& [at, link, text] = all[i];
      const std::int64_t since = at - static_cast<std::int64_t>(begin_ / 1000);
      some += fmt::format("{}at {} only link {} tells: {}", i == 0 ? "" : "; ",
                          time_text(static_cast<Micros>(std::max<std::int64_t>(since, 0))), link, text);
    }
    const std::string more =
        all.size() > kMostDescribed ? fmt::format("; and {} more", all.size() - kMostDescribed) : std::string();
    sentences_.push_back(fmt::format("links {} and {} disagree about {} of {} kills and captures: {}{}", told_.link,
                                     other.link, all.size(), std::max(here.size(), there.size()), some, more));
  }

  std::vector<RecordedSessionInfo>& sessions_;
  const RecordedSessionInfo& told_;
  const std::vector<Event> events_;
  WallTime begin_;
  std::vector<std::pair<const RecordedSessionInfo*, std::vector<Event>>> compared_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> compare_sessions(std::vector<RecordedSessionInfo>& sessions, WallTime begin) {
  const std::size_t told = longest_of(sessions);
  return told < sessions.size() ? Agreement(sessions, told, begin).run() : std::vector<std::string>();
}

}  // namespace entente
