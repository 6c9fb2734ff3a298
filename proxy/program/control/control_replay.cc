#include "proxy/program/control/control_replay.h"

#include <spdlog/fmt/fmt.h>

#include <charconv>

#include "proxy/program/time_text.h"

namespace entente {
namespace {

constexpr const char* kDone = "accepted\n";  // the replay's own thread does it; `status` shows the result

Outcome<std::string> seek(ReplayControl& replay, std::string_view rest) {
  const auto at = parse_time(rest);
  if (!at) return at.error();
  replay.seek(*at);
  return std::string(kDone);
}

Outcome<std::string> set_speed(ReplayControl& replay, std::string_view rest) {
  double speed = 0;
  const auto [end, wrong] = std::from_chars(rest.data(), rest.data() + rest.size(), speed);
  const bool whole = wrong == std::errc{} && end == rest.data() + rest.size();
  if (!whole || !(speed >= core::Replay::kSlowest && speed <= core::Replay::kFastest))
    return Error{fmt::format("speed must be a number from {} to {}", core::Replay::kSlowest, core::Replay::kFastest)};
  replay.set_speed(speed);
  return std::string(kDone);
}

std::string status_text(const core::Replay::Status& status) {
  const char* how = status.over ? "over" : status.paused ? "paused" : status.watchers == 0 ? "waiting" : "playing";
  return fmt::format("state\tat\tlength\tspeed\twatchers\n{}\t{}\t{}\t{}\t{}\n", how, time_text(status.at),
                     time_text(status.length), status.speed, status.watchers);
}

}  // namespace

void add_replay_commands(Control& control, ReplayControl& replay) {
  const auto plain = [&control](const char* name, const char* about, std::function<std::string()> act) {
    control.add(name, about, [name, act = std::move(act)](std::string_view rest) -> Outcome<std::string> {
      if (!rest.empty()) return Error{std::string(name) + " takes no arguments"};
      return act();
    });
  };
  plain("pause", "Pauses the replay, for all viewers.", [&replay] { return replay.pause(true), kDone; });
  plain("resume", "Resumes the replay.", [&replay] { return replay.pause(false), kDone; });
  control.add("seek TIME", "Jumps to a time in the recording: seconds, or minutes:seconds.",
              [&replay](std::string_view rest) { return seek(replay, rest); });
  control.add("speed X", "Sets the playback speed: 2 is twice as fast.",
              [&replay](std::string_view rest) { return set_speed(replay, rest); });
  plain("status", "Shows whether the replay plays, its position, length, speed and number of viewers.",
        [&replay] { return status_text(replay.status()); });
}

}  // namespace entente
