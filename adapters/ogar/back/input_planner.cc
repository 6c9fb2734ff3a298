#include "adapters/ogar/back/input_planner.h"

#include <algorithm>
#include <cmath>

#include "adapters/ogar/wire/drops.h"
#include "adapters/ogar/wire/text.h"

namespace entente::ogar {
namespace {

using core::Course, core::kSecond, core::Overloaded;

constexpr double kSmallestToSplit = 60;              // Settings.js, mass 36
constexpr double kFar = 50;                          // metres: how far away the mouse is put to give a direction
constexpr double kAhead = 0.5;                       // seconds by which a claimed pose is extrapolated
constexpr core::Micros kAskAgain = kSecond;          // for a spawn, if none has come
constexpr core::Micros kLinePatience = 8 * kSecond;  // of a line of chat, for a world; longer than kWorldPatience
constexpr std::size_t kMostLinesWaiting = 5;
constexpr std::size_t kLongestCommand = 66;  // 16-bit units: at most 198 bytes of UTF-8, which no dialect cuts
constexpr int kTicksHeld = 2;
constexpr std::size_t kMostToSplit = 16;         // of one player (Settings.js)
constexpr double kGrown = 1.1;                   // by so much, a cell is worth another try to eject mass
constexpr std::uint32_t kMostSplitsAWish = 255;  // the width of the field
constexpr std::uint32_t kMostEjects = 3;         // the server takes one every other tick

void add(std::uint32_t more, std::uint32_t most, std::uint32_t& count) { count = std::min(count + more, most); }
std::uint8_t take(std::uint32_t& count) { return static_cast<std::uint8_t>(std::exchange(count, 0U)); }
bool take_one(std::uint32_t& count) { return count > 0 && count-- > 0; }

bool can_split(const CellTracker::Self& self) { return self.largest >= kSmallestToSplit && self.cells < kMostToSplit; }

}  // namespace

bool InputPlanner::hear(const core::Intent& intent, bool shown_world, CellTracker& tracker, core::BackOut& out) {
  if (steering_.hear(intent)) {
    steered_at_ = intent.at;
    return true;
  }
  const auto shot = steering_.shooting(intent, 0, 0);  // a split does not depend on the place
  return std::visit(Overloaded{[&](const words::Enter& word) { return enter(word, tracker, out), true; },
                               [&](const words::Change& word) { return change(word, out), true; },
                               [&](const words::Spawn&) { return wants_spawn_ = true; },
                               [&](const words::Watch& word) { return watch(word, tracker, out), true; },
                               [&](const words::Split& word) {
                                 const std::uint32_t count = std::clamp(word.count(), 1U, kMostSplitsAWish);
                                 add(count, kMostSplitsAWish, word.minions() ? minion_splits_ : splits_);
                                 return true;
                               },
                               [&](const words::Eject& word) {
                                 add(1, kMostEjects, word.minions() ? minion_ejects_ : ejects_);
                                 return true;
                               },
                               [&](const words::Button& word) { return press(word.down()), true; },
                               [&](const words::Freeze&) { return freeze_ = true; },
                               [&](const words::Say& word) { return say(word, shown_world, out), true; },
                               [&](const words::Fire&) { return shoot(*shot, tracker, out), true; },
                               [&](const words::Trigger&) { return shot ? shoot(*shot, tracker, out) : void(), true; },
                               [](const auto&) { return false; }},
                    intent.content);
}

void InputPlanner::enter(const words::Enter& word, const CellTracker& tracker, core::BackOut& out) {
  enter_ = word;
  entered_ = true;
  if (word.role() != words::WATCH || watching_ != Watching::kNot) return;
  if (tracker.self().cells > 0) return refuse_to_watch(out);
  watching_ = Watching::kLeader;
}

void InputPlanner::change(const words::Change& word, core::BackOut& out) {
  if (word.has_name()) enter_.set_name(word.name());
  if (word.has_skin()) enter_.set_skin(word.skin());
  if (word.has_team() || word.has_kit() || word.has_colour() || word.has_motto()) out.drop(drops::kOtherChange);
}

/// Servers ignore a wish to watch of a player who has cells.
void InputPlanner::refuse_to_watch(core::BackOut& out) {
  out.drop(drops::kWatchInPlay);
  words::ClaimRefused refused;
  refused.set_why("you can watch only when you have no cell");
  out.say({out.me(), std::move(refused)});
}

void InputPlanner::watch(const words::Watch& word, const CellTracker& tracker, core::BackOut& out) {
  if (word.mode() != words::Watch::STOP && tracker.self().cells > 0) return refuse_to_watch(out);
  has_place_ = word.mode() == words::Watch::PLACE;
  place_x_ = word.x();
  place_y_ = word.y();
  switch (word.mode()) {
    case words::Watch::STOP:
      watching_ = Watching::kNot;
      wants_spawn_ = entered_;
      return;
    case words::Watch::PLAYER:
      out.drop(drops::kWatchOne);
      [[fallthrough]];
    case words::Watch::LEADER:
      watching_ = Watching::kLeader;
      break;
    default:
      watching_ = Watching::kRoam;
  }
  wants_spawn_ = false;
}

void InputPlanner::say(const words::Say& word, bool shown_world, core::BackOut& out) {
  if (word.scope() != words::Say::EVERYBODY) return out.drop(drops::kChatForSome);
  if (lines_.size() >= kMostLinesWaiting) return out.drop(shown_world ? drops::kChatTooFast : drops::kChatWithoutWorld);
  const bool command = word.kind() == words::Say::COMMAND;
  if (command && cut(word.text(), kLongestCommand).size() < word.text().size()) return out.drop(drops::kCommandTooLong);
  std::string text = clean(trimmed(word.text()));
  if (!text.empty()) lines_.push_back({std::move(text), out.now()});
}

void InputPlanner::drop_old_lines(core::BackOut& out) {
  while (!lines_.empty() && out.now() >= lines_.front().said_at + kLinePatience) {
    lines_.pop_front();
    out.drop(drops::kChatWithoutWorld);
  }
}

/// A shot is a split if the cell is large enough for one, otherwise an ejected piece of mass. If a stock server would
/// ignore both, the shot is dropped, and the mouse stays where it is.
void InputPlanner::shoot(const core::Shooting& shot, CellTracker& tracker, core::BackOut& out) {
  const CellTracker::Self self = tracker.self();
  const bool splits = can_split(self);
  const bool ejects = self.largest >= tracker.smallest_to_eject();
  if (shot.fire != nullptr && shot.fire->kind() != words::RAY)
    tracker.gunfire().wished(shot.fire->shot(), splits || ejects, out);
  if (self.cells == 0) return out.drop(drops::kNoCell);
  if (!splits && !ejects) {
    try_to_eject(self.largest, tracker.smallest_to_eject());
    return out.drop(drops::kTooSmall);
  }
  splits ? add(1, kMostSplitsAWish, splits_) : add(1, kMostEjects, ejects_);
  if (!shot.yaw) return;
  aim_ = *shot.yaw;
  aimed_ = kTicksHeld;
}

/// Other servers may let smaller cells eject mass, and do not say so. So the server is asked, but after a vain try not
/// again before the cell has grown. CellTracker sees the ejected mass, if there is any (`known`), and the next shot is
/// passed on.
void InputPlanner::try_to_eject(double size, double known) {
  if (size < kGrown * tried_size_ && tried_size_ < known) return;
  tried_size_ = size;
  add(1, kMostEjects, ejects_);
}

void InputPlanner::press(bool down) {
  if (down && !q_wish_) q_again_ = 1;  // also if it is released before the next update
  q_wish_ = down;
}

bool InputPlanner::urgent(bool shown_world) const {
  return splits_ + minion_splits_ + ejects_ + minion_ejects_ > 0 || freeze_ || q_wish_ != q_down_ || q_again_ > 0 ||
         (shown_world && (wants_spawn_ || !lines_.empty() || watching_ != is_watching_));
}

Input InputPlanner::next(const CellTracker& tracker, bool shown_world, Turn turn, core::Micros now) {
  Input input;
  const CellTracker::Self self = tracker.self();
  if (self.cells > 0) {
    wants_spawn_ = false;
    watching_ = is_watching_ = Watching::kNot;
    has_place_ = false;  // the cells follow their player's mouse
  } else if (had_cells_) {
    steering_.stop();  // the wishes were for the last life
    splits_ = ejects_ = 0;
  }
  had_cells_ = self.cells > 0;
  point(tracker, self, now, input);
  if (turn.mouse) {
    ++q_held_;
    if (aimed_ > 0) --aimed_;
  }
  if (!turn.actions) return input;
  act(tracker, self, input);
  button(turn.mouse, input);
  if (!shown_world) return input;
  if (wants_spawn_ && now >= spawn_at_) {
    const std::string tagged = tag(enter_.name(), enter_.skin());
    const bool fits = cut(tagged, kLongestName).size() == tagged.size();
    input.spawn = fits ? tagged : fitted_units(enter_.name(), kLongestName);  // rather the name than the skin
    spawn_at_ = now + kAskAgain;
    watching_ = is_watching_ = Watching::kNot;
  }
  go_watching(input);
  if (lines_.empty() || now < chat_at_) return input;
  input.say = std::move(lines_.front().text);
  lines_.pop_front();
  chat_at_ = now + chat_pause_;
  return input;
}

void InputPlanner::point(const CellTracker& tracker, const CellTracker::Self& self, core::Micros now, Input& input) {
  double x = self.cells > 0 ? self.x : camera_x_, y = self.cells > 0 ? self.y : camera_y_;
  const Course course = steering_.course(x, y, 0);
  if (aimed_ > 0) {
    x += kFar * std::cos(aim_);
    y += kFar * std::sin(aim_);
  } else if (has_place_) {
    x = place_x_;
    y = place_y_;
  } else if (const words::PoseClaim* claim = steering_.claim()) {
    // Some clients send a claim only when the last one no longer fits, so they have moved on since.
    const double ahead = kAhead + static_cast<double>(std::min(now - steered_at_, kSecond)) / kSecond;
    x = claim->x() + ahead * claim->vx();
    y = claim->y() + ahead * claim->vy();
  } else if (course.kind != Course::Kind::kStay) {
    x = course.x;
    y = course.y;
    // In a tick a cell moves as far as its mouse is away, up to its top speed. So a near mouse slows it down.
    const double step = course.speed * tracker.plane().metres(speed_of(self.largest));
    const double far = std::hypot(x - self.x, y - self.y);
    if (course.speed < 1 && self.cells > 0 && far > step) {
      x = std::lerp(self.x, x, step / far);
      y = std::lerp(self.y, y, step / far);
    }
  }
  input.x = to_i32(tracker.plane().x(x));
  input.y = to_i32(tracker.plane().y(y));
}

void InputPlanner::act(const CellTracker& tracker, const CellTracker::Self& self, Input& input) {
  input.splits = take(splits_);
  input.minion_splits = take(minion_splits_);
  input.eject = take_one(ejects_);
  input.minion_eject = take_one(minion_ejects_);
  input.minion_freeze = std::exchange(freeze_, false);
  const bool must_split = input.splits != 0 && can_split(self);
  input.must_throw = must_split || (input.eject && self.largest >= tracker.smallest_to_eject());
}

/// A press between two updates of the mouse is held as long as a press that comes with the next update.
void InputPlanner::button(bool paced, Input& input) {
  if (q_down_ && (!q_wish_ || q_again_ > 0) && q_held_ >= kTicksHeld) {
    q_down_ = false;
    q_held_ = 0;
    input.q_release = true;
  } else if (!q_down_ && (q_wish_ || q_again_ > 0) && q_held_ > 0) {
    q_down_ = true;
    q_held_ = paced ? 0 : -1;
    q_again_ = 0;
    input.q_press = true;
  }
}

/// Roaming needs two steps: first spectating (a flag), then Q.
void InputPlanner::go_watching(Input& input) {
  if (watching_ == is_watching_ || watching_ == Watching::kNot) {
    is_watching_ = watching_;
    return;
  }
  if (watching_ == Watching::kLeader || is_watching_ == Watching::kNot) {
    input.spectate = true;
    is_watching_ = Watching::kLeader;
  } else {
    q_again_ = 1;
    is_watching_ = Watching::kRoam;
  }
}

}  // namespace entente::ogar
