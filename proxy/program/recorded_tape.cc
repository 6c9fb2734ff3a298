#include "proxy/program/recorded_tape.h"

#include <functional>
#include <map>

#include "proxy/program/tape_time.h"
#include "proxy/trace/recording.h"

namespace entente {
namespace {

using core::Fact, core::Micros;

constexpr Micros kMostTime = 30ULL * 24 * 60 * 60 * core::kSecond;  // a fact that says more is not believed

/// Calls `take` for each event as far as the file can be read; what then is wrong with it, if anything.
std::string each_event(trace::Recording& recording, const std::function<void(const trace::Recording::Event&)>& take) {
  for (;;) {
    const auto event = recording.next();
    if (!event) return event.error().text;
    if (*event == nullptr) return {};
    take(**event);
  }
}

class Listing {
 public:
  void take(const trace::Recording::Event& event) {
    if (event.opened != nullptr) speech_[event.opened->link()] = event.opened->game() + " " + event.opened->dialect();
    if (!event.said) return;
    SpokenLink& link = links_[event.said->link];
    if (event.said->intent != nullptr && event.said->intent->has_enter() && link.player.empty())
      link.player = event.said->intent->enter().name();
    if (event.said->fact != nullptr) take(*event.said->fact, link);
  }

  /// Those with facts.
  std::vector<SpokenLink> links() const {
    std::vector<SpokenLink> all;
    for (const auto& [number, link] : links_) {
      if (link.facts == 0) continue;
      all.push_back(link);
      all.back().link = number;
      if (const auto at = speech_.find(number); at != speech_.end()) all.back().speech = at->second;
    }
    return all;
  }

 private:
  static void take(const words::Fact& fact, SpokenLink& link) {
    if (fact.at_us() > kMostTime) return;
    if (link.facts++ == 0) link.first = fact.at_us();
    link.first = std::min(link.first, fact.at_us());
    link.last = std::max(link.last, fact.at_us());
  }

  std::map<std::uint32_t, std::string> speech_;
  std::map<std::uint32_t, SpokenLink> links_;
};

std::string text(const SpokenLink& link) {
  return "  --link " + std::to_string(link.link) + "  " + link.speech +
         (link.player.empty() ? "" : ", player '" + link.player + "'") + ", " + std::to_string(link.facts) +
         " facts, " + tape_time_text(link.length()) + "\n";
}

Error none_of(const std::string& path, const std::vector<SpokenLink>& links, std::optional<std::uint32_t> wanted) {
  if (links.empty())
    return {path + " holds no words of a bridged session; `entente convert " + path +
            " --to OUT.mcap --words` makes them of what it holds, if that game has both faces"};
  std::string error = wanted ? path + ": link " + std::to_string(*wanted) + " has no words; these have:\n"
                             : path + " holds " + std::to_string(links.size()) + " sessions; choose one:\n";
  for (const SpokenLink& link : links) error += text(link);
  error.pop_back();
  return {error};
}

Outcome<SpokenLink> choose(const std::string& path, std::optional<std::uint32_t> wanted) {
  const auto recording = trace::Recording::open(path);
  if (!recording) return recording.error();
  Listing listing;
  const std::string damage = each_event(**recording, [&](const auto& event) { listing.take(event); });
  const auto links = listing.links();
  if (links.empty() && !damage.empty()) return Error{damage};
  for (const SpokenLink& link : links)
    if (wanted ? link.link == *wanted : links.size() == 1) return link;
  return none_of(path, links, wanted);
}

}  // namespace

Outcome<std::unique_ptr<RecordedTape>> RecordedTape::open(const std::string& path, std::optional<std::uint32_t> link) {
  const auto chosen = choose(path, link);
  if (!chosen) return chosen.error();
  auto tape = std::make_unique<RecordedTape>();
  tape->about_ = *chosen;
  if (const auto loaded = tape->load(path); !loaded) return loaded.error();
  return tape;
}

Outcome<Done> RecordedTape::load(const std::string& path) {
  const auto recording = trace::Recording::open(path);
  if (!recording) return recording.error();
  bool full = false;
  damage_ = each_event(**recording, [&](const trace::Recording::Event& event) {
    if (event.said && event.said->fact != nullptr && event.said->link == about_.link) full |= !hold(*event.said->fact);
  });
  if (!full) return Done{};
  return Error{path + ": the words of link " + std::to_string(about_.link) + " are more than " +
               std::to_string(kMostBytes >> 20U) + " MiB, more than is held in memory"};
}

/// A clock that went back did not: its time is that of the fact before. False: there is no room for it.
bool RecordedTape::hold(const words::Fact& fact) {
  if (!core::from_message(fact) || fact.at_us() > kMostTime) return ++unread_, true;
  const std::size_t size = fact.ByteSizeLong(), begin = bytes_.size();
  if (size > kMostBytes - begin) return false;
  bytes_.resize(begin + size);
  fact.SerializeWithCachedSizesToArray(bytes_.data() + begin);
  const Micros at = std::max(fact.at_us() - about_.first, length());
  facts_.push_back({at, begin, static_cast<std::uint32_t>(size)});
  return true;
}

std::optional<Micros> RecordedTape::next_at() {
  return next_ < facts_.size() ? std::optional(facts_[next_].at) : std::nullopt;
}

Fact RecordedTape::next() { return read(facts_[next_++]); }

Fact RecordedTape::read(const Held& held) const {
  auto fact = core::read_fact(Bytes(bytes_).subspan(held.begin, held.size));
  fact->at = held.at;
  return std::move(*fact);
}

Outcome<Done> RecordedTape::seek(Micros at, core::World& world) {
  world = core::World();
  for (next_ = 0; next_ < facts_.size() && facts_[next_].at <= at; ++next_) world.fold(read(facts_[next_]));
  return Done{};
}

}  // namespace entente
