#include "proxy/program/playback/joined_sessions.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <set>
#include <variant>

#include "proxy/core/ids.h"
#include "proxy/program/base/time_text.h"

namespace entente {
namespace {

using core::Id, core::Micros;

constexpr Micros kWorthIt = 5 * core::kSecond;
constexpr Micros kShortGap = 5 * core::kSecond;  // such as that of a player who connects again
constexpr std::size_t kMostParts = 1'000, kMostNamedParts = 8;

/// What a session can tell, and parts of it; in microseconds of the wall clock.
struct Span {
  std::size_t session;
  WallTime from, to;
};

/// Whether it is better to go on with `one` than with `best` (null: nothing): of those that are there the one that
/// stays longest; if none is, the next.
bool is_better(const Span& one, const Span* best, WallTime from) {
  if (best == nullptr) return true;
  const bool there = one.from <= from, best_there = best->from <= from;
  if (there != best_there) return there;
  return there ? one.to > best->to : one.from < best->from;
}

/// Adds those that tell something from `from` until `to`, one after another.
void fill(const std::vector<Span>& spans, WallTime from, WallTime to, std::vector<Span>& parts) {
  while (parts.size() < kMostParts) {
    const Span* best = nullptr;
    for (const Span& one : spans)
      if (std::min(one.to, to) >= std::max(one.from, from) + kWorthIt && is_better(one, best, from)) best = &one;
    if (best == nullptr) return;
    parts.push_back({best->session, std::max(best->from, from), std::min(best->to, to)});
    from = parts.back().to;
  }
}

struct NamedStay {
  Id id;
  std::string name;
  RecordedStay stay;
};

/// Numbers for those of one name, who are given in the order in which they came: the lowest that nobody has.
class NumbersOfName {
 public:
  std::size_t take(const RecordedStay& stay) {
    for (; !taken_.empty() && taken_.top().first <= stay.came; taken_.pop()) free_.insert(taken_.top().second);
    if (free_.empty()) free_.insert(++last_);
    const std::size_t number = *free_.begin();
    free_.erase(free_.begin());
    taken_.emplace(stay.gone, number);
    return number;
  }

 private:
  using Taken = std::pair<std::uint64_t, std::size_t>;  // until when, and the number

  std::size_t last_ = 0;
  std::set<std::size_t> free_;
  std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken_;
};

/// Adds the names with their numbers.
void add_numbered(std::vector<NamedStay> all, std::map<Id, std::string>& names) {
  std::stable_sort(all.begin(), all.end(), [](const NamedStay& a, const NamedStay& b) {
    return a.stay.came != b.stay.came ? a.stay.came < b.stay.came : a.id < b.id;
  });
  std::map<std::string, NumbersOfName> numbers;
  for (const NamedStay& one : all) names[one.id] = one.name + " " + std::to_string(numbers[one.name].take(one.stay));
}

}  // namespace

std::size_t longest_of(const std::vector<RecordedSessionInfo>& sessions) {
  std::size_t longest = sessions.size();
  for (std::size_t i = 0; i < sessions.size(); ++i)
    if (longest == sessions.size() || sessions[i].tells_more_than(sessions[longest])) longest = i;
  return longest != sessions.size() && sessions[longest].ready ? longest : sessions.size();
}

std::vector<SessionPart> parts_of(const std::vector<RecordedSessionInfo>& sessions, WallTime& begin) {
  const std::size_t longest = longest_of(sessions);
  if (longest == sessions.size()) return {};
  const RecordedSessionInfo& main = sessions[longest];
  const auto span_of = [&](std::size_t i) {
    return Span{i, sessions[i].wall_us(*sessions[i].ready), sessions[i].wall_us(sessions[i].last)};
  };
  std::vector<Span> others;
  for (std::size_t i = 0; i < sessions.size(); ++i)
    if (i != longest && sessions[i].ready && !main.server.empty() && sessions[i].server == main.server &&
        sessions[i].dialect == main.dialect)
      others.push_back(span_of(i));
  std::vector<Span> spans;
  const Span own = span_of(longest);
  fill(others, 0, own.from, spans);
  spans.push_back(own);
  fill(others, own.to, ~WallTime{0}, spans);

  WallTime first = main.wall_us(main.first);
  for (const Span& one : spans) first = std::min(first, sessions[one.session].wall_us(sessions[one.session].first));
  if (begin == 0) begin = first * 1000;
  const WallTime zero = begin / 1000;
  std::vector<SessionPart> parts;
  for (const Span& one : spans)  // a clock that was set right may begin before the file
    parts.push_back({one.session, std::max(one.from, zero) - zero, std::max(one.to, zero) - zero});
  return parts;
}

void JoinedSessions::Ids::learn(const RecordedSessionInfo& session) {
  const auto [at, news] = names_.try_emplace(session.link);
  if (!news) return;
  Names& names = at->second;
  const auto stay_of = [&](Id id) {
    const auto stay = session.stays.find(id);
    return stay != session.stays.end() ? stay->second : RecordedStay{};
  };
  std::vector<NamedStay> players, units;
  for (const auto& [id, name] : session.players) players.push_back({id, "player " + name, stay_of(id)});
  add_numbered(std::move(players), names);
  for (const auto& [id, owner] : session.units) {
    const auto whose = names.find(owner);
    if (whose == names.end()) continue;
    RecordedStay stay = stay_of(id);
    stay.gone = std::min(stay.gone, stay_of(owner).gone);
    units.push_back({id, "unit of " + whose->second, stay});
  }
  add_numbered(std::move(units), names);
}

Id JoinedSessions::Ids::translated(std::uint32_t link, Id id) {
  Id& known = ids_[{link, id}];
  if (known != 0) return known;
  const Names& names = names_[link];
  const auto name = names.find(id);
  if (name == names.end()) return known = ++last_;
  Id& named = named_[name->second];
  if (named == 0) named = ++last_;
  return known = named;
}

Id JoinedSessions::Ids::own(std::uint32_t link, Id id) {
  Id& known = own_[{link, id}];
  return known != 0 ? known : known = ++last_;
}

std::unique_ptr<JoinedSessions> JoinedSessions::open(const RecordedSessions& found, std::size_t least) {
  auto joined = std::make_unique<JoinedSessions>();
  joined->begin_ = found.start;
  joined->parts_ = parts_of(found.sessions, joined->begin_);
  if (joined->parts_.size() < std::max<std::size_t>(least, 1)) return nullptr;
  joined->found_ = found;
  joined->ids_ = std::make_shared<Ids>();
  for (const SessionPart& part : joined->parts_) {
    const RecordedSessionInfo& info = joined->info(part);
    joined->ids_->learn(info);
    if (info.length() > joined->about_.length()) joined->about_ = info;
  }
  return joined->go_to_part(0) ? std::move(joined) : nullptr;
}

Outcome<Done> JoinedSessions::go_to_part(std::size_t part) {
  at_ = part;
  const RecordedSessionInfo& about = info(parts_[part]);
  auto session = RecordedSession::open(found_, about.link);
  if (!session) return session.error();
  session_ = std::move(*session);
  const WallTime zero = begin_ / 1000;
  session_->become_part(
      begins_of(about), [ids = ids_, link = about.link](Id id) { return ids->translated(link, id); },
      zero - std::min(zero, about.wall_us(about.first)));
  session_->hear_intents(hear_);
  return Done{};
}

std::string JoinedSessions::text() const {
  std::string text;
  for (std::size_t i = 0; i < std::min(parts_.size(), kMostNamedParts); ++i)
    text +=
        (i == 0 ? "link " : ", link ") + std::to_string(info(parts_[i]).link) + " from " + time_text(parts_[i].from);
  return text +
         (parts_.size() > kMostNamedParts ? ", and " + std::to_string(parts_.size() - kMostNamedParts) + " more" : "");
}

/// At a change, when the next part begins: its world is wanted first.
std::optional<Micros> JoinedSessions::next_at() {
  for (;;) {
    const auto at = session_->next_at();
    const bool last = at_ + 1 == parts_.size();
    if (at && (last || *at < parts_[at_].to)) return changes_ ? parts_[at_].from : *at;
    core::WorldState unwanted;
    if (!changes_) ended_ = parts_[at_].to;
    if (last || !go_to_part(at_ + 1) || !session_->seek(parts_[at_].from, unwanted)) return std::nullopt;
    changes_ = true;
  }
}

std::optional<Micros> JoinedSessions::gap_from() const {
  return parts_[at_].from > ended_ + kShortGap ? std::optional(ended_) : std::nullopt;
}

/// Each part's own.
std::vector<core::Moment> JoinedSessions::moments() const {
  std::vector<core::Moment> all;
  for (const SessionPart& part : parts_) {
    const RecordedSessionInfo& about = info(part);
    for (const core::Moment& one : about.moments) {
      const Micros at = time_of(about, one.at);
      if (at < part.from || at >= part.to) continue;
      const auto id = [&](Id own) { return own == 0 ? 0 : ids_->translated(about.link, own); };
      all.push_back({at, one.what, id(one.player), id(one.by)});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  return all;
}

core::Fact JoinedSessions::next() {
  changes_ = false;
  return session_->next();
}

Outcome<Done> JoinedSessions::seek(Micros at, core::WorldState& world) {
  std::size_t part = 0;
  while (part + 1 < parts_.size() && at >= parts_[part + 1].from) ++part;
  if (part != at_)
    if (const auto gone = go_to_part(part); !gone) return gone;
  changes_ = false;
  return session_->seek(std::min(at, parts_[part].to), world);
}

}  // namespace entente
