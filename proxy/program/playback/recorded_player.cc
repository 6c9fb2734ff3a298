#include "proxy/program/playback/recorded_player.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "proxy/base/text.h"
#include "proxy/core/ids.h"
#include "proxy/core/seconds.h"
#include "proxy/core/world.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/import/recorded_world.h"
#include "proxy/trace/recording.h"

namespace entente {
namespace {

using core::Fact, core::Id, core::Intent, core::Micros;

constexpr std::size_t kMostDifferences = 20;
constexpr std::size_t kLongestSaid = 80;       // bytes of a text in an answer
constexpr Micros kLinger = 2 * core::kSecond;  // after the last wish, for answers to it

template <class T, class... All>
constexpr bool is_one_of = (std::is_same_v<T, All> || ...);

/// What changes from one run to the next, or is told all the time.
template <class T>
constexpr bool is_volatile =
    is_one_of<T, words::Pose, words::Corrected, words::Hidden, words::Input, words::Lag, words::Clock, words::Score,
              words::TeamScore, words::Board, words::UnitChanged, words::Health, words::Ammo, words::ShotMoved,
              words::ShotEnded, words::View, words::Zone, words::Rule, words::WorldProgress, words::WorldEdit,
              words::Timeline, words::You, words::Owns, words::Token>;

/// What concerns every player who is there.
template <class T>
constexpr bool is_for_all = is_one_of<T, words::Ready, words::Refused, words::Kicked, words::Notice, words::Waiting,
                                      words::World, words::ClaimRefused>;

std::string said_text(const std::string& text) {
  return " '" + screen_text(whole_characters(text, kLongestSaid)) + "'";
}

template <class T>
std::string name_of_word() {
  return std::string(T::descriptor()->name());
}

template <class T>
std::string what_it_says(const T& word) {
  std::string text = name_of_word<T>();
  if constexpr (is_one_of<T, words::Refused, words::Kicked, words::Notice, words::Said>) text += said_text(word.text());
  return text;
}

}  // namespace

// -- What was answered ------------------------------------------------------------------------------------------------

void Answers::learn(const Fact& fact) {
  if (const auto* you = core::as<words::You>(fact)) me_ = you->player();
  if (me_ == 0) return;
  if (const auto* owns = core::as<words::Owns>(fact); owns != nullptr && owns->player() == me_) {
    units_.clear();
    for (const Id unit : owns->units()) own(unit);
  }
  if (const auto* unit = core::as<words::Unit>(fact); unit != nullptr && unit->owner() == me_) own(unit->id());
}

void Answers::hear(const Fact& fact) {
  learn(fact);
  std::visit(
      [&](const auto& word) {
        using Word = std::decay_t<decltype(word)>;
        if constexpr (std::is_same_v<Word, words::Kicked>) sent_away_ = true;
        if constexpr (std::is_same_v<Word, words::Refused>) sent_away_ = sent_away_ || !word.may_retry();
        if constexpr (!is_volatile<Word>) {
          bool own = is_for_all<Word>;
          if (!own) core::each_id(word, [&](Id id) { own = own || is_own(id); });
          if (!own) return;
          std::string text = what_it_says(word);
          if (counts_.size() >= kMostTexts && !counts_.contains(text)) text = name_of_word<Word>();
          ++counts_[text];
          if (in_order_.size() < kMost) in_order_.push_back(text);
        }
        if constexpr (std::is_same_v<Word, words::Gone>) units_.erase(word.unit());
      },
      fact.content);
}

void Answers::own(Id unit) {
  if (units_.size() < kMostUnits) units_.insert(unit);
  if (units_ever_.size() < kMostUnits && std::find(units_ever_.begin(), units_ever_.end(), unit) == units_ever_.end())
    units_ever_.push_back(unit);
}

std::vector<std::string> differences(const Answers& before, const Answers& now) {
  std::vector<std::string> lines;
  std::set<std::string> kinds;
  for (const Answers* one : {&before, &now})
    for (const auto& [kind, count] : one->counts()) kinds.insert(kind);
  const auto count = [](const Answers& of, const std::string& kind) {
    const auto found = of.counts().find(kind);
    return found != of.counts().end() ? found->second : 0;
  };
  for (const std::string& kind : kinds) {
    const std::uint64_t then = count(before, kind), today = count(now, kind);
    if (then == today) continue;
    if (lines.size() == kMostDifferences) break;
    lines.push_back(kind + ": " + std::to_string(then) + " before, " + std::to_string(today) + " now");
  }
  const auto& one = before.in_order();
  const auto& other = now.in_order();
  const auto [a, b] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (a == one.end() && b == other.end()) return lines;
  const auto shown = [](auto at, const auto& all) { return at == all.end() ? std::string("nothing more") : *at; };
  lines.insert(lines.begin(), "answer " + std::to_string(a - one.begin() + 1) + ": " + shown(a, one) + " before, " +
                                  shown(b, other) + " now");
  return lines;
}

std::vector<std::string> differences(const Answers& before, const PlayedBack::Player& now) {
  std::vector<std::string> lines = differences(before, now.answers);
  if (!now.whole && !now.answers.sent_away())
    lines.insert(lines.begin(), "did not stay until the end of the recording");
  return lines;
}

// -- What was recorded ------------------------------------------------------------------------------------------------

namespace {

/// Calls `take` for each event until it returns false. What cannot be read ends it.
template <class Take>
void read_events(const RecordedSessions& found, Take&& take) {
  trace::Recording recording(*found.file);
  for (;;) {
    const auto event = recording.next();
    if (!event || *event == nullptr || !take(**event)) return;
  }
}

/// The event's intent, if it is one of this session. The caller converts it.
const words::Intent* intent_of(const trace::Recording::Event& event, const RecordedSessionInfo& about) {
  if (!event.word || event.word->link != about.link) return nullptr;
  const words::Intent* const intent = event.word->intent;
  return intent != nullptr && is_of_session(intent->at_us(), about.first, about.last) ? intent : nullptr;
}

/// The id of the player of this session. A recording has no You: the room says it to the player alone. 0: unknown.
Id own_id_in(const RecordedSessions& found, const RecordedSessionInfo& about) {
  Id player = 0;
  read_events(found, [&](const trace::Recording::Event& event) {
    if (const words::Intent* const intent = intent_of(event, about)) player = intent->by();
    return player == 0;
  });
  return player;
}

}  // namespace

Outcome<RecordedPlayer> RecordedPlayer::read(const RecordedSessions& found, std::uint32_t link) {
  const auto about = std::find_if(found.sessions.begin(), found.sessions.end(),
                                  [&](const RecordedSessionInfo& one) { return one.link == link; });
  if (about == found.sessions.end()) return Error{"the recording has no link " + std::to_string(link)};
  RecordedPlayer player;
  player.first = about->first;
  player.last = about->last;
  player.ready = about->ready;
  player.names = about->players;
  player.name = about->player;
  player.answers.set_me(own_id_in(found, *about));
  bool told = false, entered = player.answers.me() == 0;  // entered before the recording began
  /// Notes what the player entered as. Returns whether the fact is about the player.
  const auto see = [&](const Fact& fact) {
    const auto* own = core::as<words::Player>(fact);
    if (own == nullptr || own->id() == 0 || own->id() != player.answers.me()) return false;
    if (std::exchange(told, true)) return true;
    player.enter.set_team(own->team());
    player.enter.set_role(own->role());
    player.enter.set_kit(own->kit());
    player.enter.set_motto(own->motto());
    player.enter.set_skin(own->skin());
    return true;
  };
  std::set<Id> players;  // that wished something
  bool too_long = false;
  read_events(found, [&](const trace::Recording::Event& event) {
    if (event.world != nullptr && event.world->link() == link &&
        is_of_session(event.world->at_us(), about->first, about->last))
      for (const words::Fact& fact : event.world->facts())
        if (const auto word = core::from_message(fact)) {
          if (see(*word) && event.world->at_us() == about->first) entered = true;
          player.answers.learn(*word);
        }
    if (event.word && event.word->link == link)
      if (const words::Fact* const fact = event.word->fact;
          fact != nullptr && is_of_session(fact->at_us(), about->first, about->last))
        if (const auto word = core::from_message(*fact)) {
          see(*word);
          player.answers.hear(*word);
        }
    const words::Intent* const intent = intent_of(event, *about);
    const auto word = intent != nullptr ? std::optional(core::from_message(*intent)) : std::nullopt;
    if (!word || !word->ok()) return true;
    if (intent->by() != 0) players.insert(intent->by());
    too_long = player.wishes.size() == kMostWishes;
    if (!too_long) player.wishes.push_back({intent->at_us(), **word});
    return !too_long;
  });
  if (too_long)
    return Error{"the session has more than " + std::to_string(kMostWishes) + " wishes; cut it with `entente clip`"};
  if (players.size() > 1)
    return Error{"link " + std::to_string(link) + " has the wishes of " + std::to_string(players.size()) +
                 " players, as an arena's recording has; only the recording of a relay or a bridge can be played to a "
                 "server"};
  if (player.wishes.empty())
    return Error{"the player of link " + std::to_string(link) +
                 " wished nothing: there is nothing to play to a server"};
  player.was_in = entered && about->begins_with_world && about->ready == about->first;
  return player;
}

std::vector<PlayedBack::Player> PlayedBack::players() const {
  const std::lock_guard lock(mutex_);
  std::vector<Player> all = players_;
  std::sort(all.begin(), all.end(), [](const Player& a, const Player& b) { return a.number < b.number; });
  return all;
}

// -- Playing ----------------------------------------------------------------------------------------------------------

/// Lets the next Enter, and the wishes before it, be said before the player knows the world: some servers tell a world
/// only to those who have entered. False: no Enter is left.
bool PlayingBack::enter_next() {
  const auto& wishes = recorded_.wishes;
  for (std::size_t i = next_; i < wishes.size(); ++i)
    if (std::holds_alternative<words::Enter>(wishes[i].intent.content)) return entering_ = i + 1, true;
  return false;
}

/// When the next wish is to be said.
Micros PlayingBack::due_next() const {
  const Micros at = recorded_.wishes[next_].at;
  return ready_ || next_ >= entering_ ? due(at) : opened_ + (at - std::min(at, recorded_.first));
}

/// When what was recorded at that time is to be said. What came after the player knew the world waits for that.
Micros PlayingBack::due(Micros recorded) const {
  if (recorded_.ready && recorded >= *recorded_.ready)
    return ready_ ? *ready_ + (recorded - *recorded_.ready) : ~Micros{0};
  return opened_ + (recorded - std::min(recorded, recorded_.first));
}

void PlayingBack::opened(const core::Peer&, core::FrontOut& out) {
  opened_ = out.now();
  if (recorded_.was_in || !enter_next()) {
    words::Enter enter = recorded_.enter;
    enter.set_name(name_);
    out.say(enter);
  }
  tick(out);
}

void PlayingBack::tick(core::FrontOut& out) {
  const auto& wishes = recorded_.wishes;
  while (next_ < wishes.size() && due_next() <= out.now())
    ++(say(wishes[next_++].intent, out) ? player_.said : player_.left_out);
  if (next_ < wishes.size()) {
    const Micros at = due_next();
    return at != ~Micros{0} ? out.wake(at) : void();
  }
  const Micros last = due(std::max(recorded_.last, wishes.back().at));
  if (last == ~Micros{0}) return;  // it waits for the world
  // A server that ends its sessions at a certain time may do so a little earlier now.
  const Micros nearly = last - std::min(last, kLinger);
  if (out.now() < nearly) return out.wake(nearly);
  player_.whole = true;
  if (out.now() < last + kLinger) return out.wake(last + kLinger);
  out.close("the recording has ended");
}

/// False: it is about something that is not there.
bool PlayingBack::say(const Intent& recorded, core::FrontOut& out) {
  if (std::holds_alternative<words::Leave>(recorded.content)) return true;  // it leaves at the end
  Intent now = recorded;
  bool known = true;
  std::visit(
      [&](auto& word) {
        core::translate_ids(word, [&](Id id) {
          const Id live = now_called(id, out);
          known = known && live != 0;
          return live;
        });
        if constexpr (std::is_same_v<std::decay_t<decltype(word)>, words::Enter>) word.set_name(name_);
        if (known) out.say(word);
      },
      now.content);
  return known;
}

/// The id here of a player or a unit of the recording; 0: it has none.
Id PlayingBack::now_called(Id recorded, core::FrontOut& out) const {
  if (recorded == recorded_.answers.me()) return out.me();
  const auto name = recorded_.names.find(recorded);
  if (name != recorded_.names.end()) {
    for (const auto& [id, player] : out.world().players())
      if (player.player.name() == name->second) return id;
    return 0;
  }
  const auto& before = recorded_.answers.units_ever();
  const auto own = std::find(before.begin(), before.end(), recorded);
  const std::set<Id>& now = player_.answers.units();
  if (own == before.end() || now.empty()) return 0;
  const auto place = static_cast<std::size_t>(own - before.begin()) % now.size();
  return *std::next(now.begin(), static_cast<std::ptrdiff_t>(place));
}

void PlayingBack::refuse(const std::string& why, core::FrontOut& out) {
  tally_.refused = why.empty() ? "refused" : why;
  out.close(tally_.refused);
}

void PlayingBack::hear(const Fact& fact, core::FrontOut& out) {
  player_.answers.hear(fact);
  if (const auto* const refused = std::get_if<words::Refused>(&fact.content)) {
    if (refused->may_retry() && enter_next()) return tick(out);
    return refuse(refused->text(), out);
  }
  if (const auto* const kicked = std::get_if<words::Kicked>(&fact.content)) return refuse(kicked->text(), out);
  if (!std::holds_alternative<words::Ready>(fact.content) || ready_) return;
  ready_ = out.now();
  tally_.in = true;
  tick(out);
}

}  // namespace entente
