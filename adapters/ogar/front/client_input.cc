#include "adapters/ogar/front/client_input.h"

#include "adapters/ogar/front/looks.h"
#include "adapters/ogar/wire/text.h"
#include "proxy/base/text.h"
#include "proxy/core/bodies.h"

namespace entente::ogar {
namespace {

using core::FrontOut;

constexpr std::size_t kMostBytes = 4 * kLongestName;

}  // namespace

void ClientInput::mouse(double x, double y, FrontOut& out) {
  const bool moved = x != x_ || y != y_;
  x_ = x;
  y_ = y;
  check_state();
  if (told_ && !moved) return;
  if (!plays() && viewpoint_.state() != Viewpoint::State::kRoaming) return;
  told_ = true;
  words::Toward toward;
  toward.set_x(Plane().east(x));
  toward.set_y(Plane().north(y));
  out.say(toward);
}

/// The place of the mouse is sent again when a new life or flight begins.
void ClientInput::check_state() {
  if (std::exchange(told_in_, viewpoint_.state()) != viewpoint_.state()) told_ = false;
}

void ClientInput::spawn(const std::string& tagged_name, FrontOut& out) {
  if (plays()) return;
  const Tagged tagged = untag(whole_characters(cut(tagged_name, kLongestName), kMostBytes));
  const bool renamed = tagged.name != name_, reskinned = tagged.skin != skin_;
  name_ = tagged.name;
  skin_ = tagged.skin;
  if (viewpoint_.watches()) {
    words::Watch stop;
    stop.set_mode(words::Watch::STOP);
    out.say(stop);
  }
  viewpoint_.watch(Viewpoint::State::kIdle);
  entered_ ? change(renamed, reskinned, out) : enter(words::PLAY, out);
  out.say(words::Spawn());
}

void ClientInput::change(bool name, bool skin, FrontOut& out) {
  if (!name && !skin) return;
  words::Change change;
  if (name) change.set_name(name_);
  if (skin) change.set_skin(skin_);
  out.say(std::move(change));
}

void ClientInput::enter(words::Role role, FrontOut& out) {
  entered_ = true;
  words::Enter enter;
  enter.set_name(name_);
  enter.set_skin(skin_);
  enter.set_role(role);
  out.say(std::move(enter));
}

/// The next unit of a player who steers one of several. 0: there is no other.
core::Id ClientInput::next_unit(const FrontOut& out) {
  const core::PlayerState* me = out.world().player(out.me());
  core::Id first = 0, next = 0;
  bool past = false;
  if (me == nullptr) return 0;
  for (const core::Id id : me->units) {
    const core::UnitState* state = out.world().unit(id);
    if (state == nullptr || !is_shown(*state) || !core::is_body(state->unit.kind())) continue;
    if (first == 0) first = id;
    if (past && next == 0) next = id;
    past = past || id == me->active;
  }
  const core::Id chosen = next != 0 ? next : first;
  return chosen != me->active ? chosen : 0;
}

void ClientInput::spectate(FrontOut& out) {
  if (!plays()) watch(Viewpoint::State::kLeader, out);
}

void ClientInput::press(bool down, FrontOut& out) {
  if (plays()) {
    if (const core::Id next = next_unit(out)) {
      words::Select select;
      select.set_unit(next);
      return down ? out.say(select) : void();
    }
    words::Button button;
    button.set_down(down);
    return out.say(button);
  }
  if (down)
    watch(viewpoint_.state() == Viewpoint::State::kLeader ? Viewpoint::State::kRoaming : Viewpoint::State::kLeader,
          out);
}

void ClientInput::watch(Viewpoint::State how, FrontOut& out) {
  viewpoint_.watch(how);
  if (!entered_) enter(words::WATCH, out);
  words::Watch watch;
  watch.set_mode(how == Viewpoint::State::kLeader ? words::Watch::LEADER : words::Watch::ROAM);
  out.say(watch);
}

void ClientInput::split(std::uint8_t count, bool minions, FrontOut& out) {
  if (count == 0) return;
  words::Split split;
  split.set_count(count);
  split.set_minions(minions);
  out.say(split);
}

void ClientInput::eject(bool minions, FrontOut& out) {
  words::Eject eject;
  eject.set_minions(minions);
  out.say(eject);
}

void ClientInput::freeze(FrontOut& out) {
  words::Freeze freeze;
  freeze.set_on(frozen_ = !frozen_);
  out.say(freeze);
}

void ClientInput::say(const std::string& text, FrontOut& out) {
  const std::string_view line = trimmed(text);
  if (line.empty()) return;
  words::Say say;
  say.set_text(std::string(line));
  if (line.starts_with('/')) say.set_kind(words::Say::COMMAND);
  out.say(std::move(say));
}

}  // namespace entente::ogar
