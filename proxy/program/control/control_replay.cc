#include "proxy/program/control/control_replay.h"

#include <spdlog/fmt/fmt.h>

#include <charconv>

#include "proxy/program/base/time_text.h"

namespace entente {
namespace {

constexpr const char* kDone = "accepted\n";  // the replay's thread carries it out; `status` shows the result

Reply seek(ReplayControl& replay, std::string_view rest) {
  const auto at = parse_time(rest);
  if (!at) return at.error();
  replay.seek(*at);
  return std::string(kDone);
}

Reply set_speed(ReplayControl& replay, std::string_view rest) {
  const auto speed = parse_speed(rest);
  if (!speed) return speed.error();
  replay.set_speed(*speed);
  return std::string(kDone);
}

Reply status_of(const core::Replay::Status& status) {
  const char* how = status.over ? "over" : status.paused ? "paused" : status.watchers == 0 ? "waiting" : "playing";
  const std::string speed = fmt::format("{}", status.speed);
  return Reply::table({"state", "at", "length", "speed", "watchers"},
                      {{text_field("state", how), text_field("at", time_text(status.at)),
                        text_field("length", time_text(status.length)), ReplyField{"speed", speed, speed},
                        number_field("watchers", status.watchers)}});
}

}  // namespace

Outcome<double> parse_speed(std::string_view text) {
  double speed = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), speed);
  const bool whole = wrong == std::errc{} && end == text.data() + text.size();
  if (whole && speed >= core::Replay::kSlowest && speed <= core::Replay::kFastest) return speed;
  return Error{
      fmt::format("expected a number from {} to {}, got '{}'", core::Replay::kSlowest, core::Replay::kFastest, text)};
}

void add_replay_commands(Control& control, ReplayControl& replay) {
  const auto plain = [](const char* name, std::function<Reply()> act) {
    return [name, act = std::move(act)](std::string_view rest) -> Reply {
      if (!rest.empty()) return Error{std::string(name) + " takes no arguments"};
      return act();
    };
  };
  control.add_order("pause", "Pauses the replay, for all viewers.",
                    plain("pause", [&replay] { return replay.pause(true), kDone; }));
  control.add_order("resume", "Resumes the replay.", plain("resume", [&replay] { return replay.pause(false), kDone; }));
  control.add_order("seek TIME", "Jumps to a time in the recording, such as 75, 75.5 or 1:15.",
                    [&replay](std::string_view rest) { return seek(replay, rest); });
  control.add_order("speed X", "Sets the playback speed: 2 is twice as fast.",
                    [&replay](std::string_view rest) { return set_speed(replay, rest); });
  control.add("status", "Shows whether the replay plays, its position, length, speed and number of viewers.",
              plain("status", [&replay] { return status_of(replay.status()); }));
}

}  // namespace entente
