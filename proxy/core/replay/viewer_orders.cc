#include "proxy/core/replay/viewer_orders.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace entente::core {
namespace {

constexpr double kFarthest = 1e7;  // seconds

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Seconds of "80", "1:20" or "1:02:05.5".
std::optional<double> time_of(std::string_view text) {
  double all = 0;
  for (int place = 0; place < 3; ++place) {
    const std::size_t colon = text.find(':');
    const auto value = number(text.substr(0, colon));
    if (!value || *value < 0 || (place > 0 && *value >= 60)) return std::nullopt;
    all = all * 60 + *value;
    if (all > kFarthest) return std::nullopt;
    if (colon == std::string_view::npos) return all;
    text.remove_prefix(colon + 1);
  }
  return std::nullopt;
}

Outcome<ChatOrder> seek(std::string_view to) {
  ChatOrder order;
  const bool back = to.starts_with('-'), on = to.starts_with('+');
  const auto time = time_of(to.substr(back || on ? 1 : 0));
  if (!time) return Error{"a time is written like /seek 1:20, /seek 80, /seek +10 or /seek -10"};
  if (back || on)
    order.wish.by_s = back ? -*time : *time;
  else
    order.wish.at = static_cast<Micros>(std::llround(*time * static_cast<double>(kSecond)));
  return order;
}

Outcome<ChatOrder> speed(std::string_view text) {
  const auto value = number(text);
  if (!value || *value < kSlowestView || *value > kFastestView)
    return Error{"the speed is 0.25 to 16, for example /speed 2"};
  ChatOrder order;
  order.wish.speed = value;
  return order;
}

}  // namespace

void ViewerWish::add(const ViewerWish& later) {
  if (later.at || later.kill != words::Playback::NO_KILL) {
    at = later.at;
    kill = later.kill;
    by_s = 0;
  }
  by_s = std::clamp(by_s + later.by_s, -kFarthest, kFarthest);
  if (later.speed) speed = later.speed;
  if (later.paused) paused = later.paused;
  from_chat = later.from_chat;
}

ViewerWish wish_of(const words::Playback& word) {
  ViewerWish wish;
  if (word.has_us()) wish.at = word.us();
  wish.by_s = std::clamp(word.by_s(), -kFarthest, kFarthest);
  if (word.has_speed()) wish.speed = std::clamp(word.speed(), kSlowestView, kFastestView);
  if (word.has_paused()) wish.paused = word.paused();
  if (words::Playback::Kill_IsValid(word.kill())) wish.kill = word.kill();
  return wish;
}

Outcome<ChatOrder> parse_chat_order(std::string_view line) {
  line = trimmed(line);
  const std::size_t blank = line.find(' ');
  const std::string_view command = line.substr(0, blank);
  const std::string_view rest = blank == std::string_view::npos ? std::string_view() : trimmed(line.substr(blank));
  ChatOrder order;
  if (command == "/seek") return seek(rest);
  if (command == "/speed") return speed(rest);
  if (command == "/pause" || command == "/play") {
    order.wish.paused = command == "/pause";
  } else if (command == "/live") {
    order.live = true;
    order.wish.at = ~Micros{0};
    order.wish.speed = 1;
    order.wish.paused = false;
  } else if (command == "/next") {
    order.wish.kill = words::Playback::NEXT_KILL;
  } else if (command == "/previous" || command == "/prev") {
    order.wish.kill = words::Playback::PREVIOUS_KILL;
  } else if (command == "/follow") {
    order.kind = ChatOrder::Kind::kFollow;
    order.name = rest;
  } else if (command == "/time") {
    order.kind = ChatOrder::Kind::kWhere;
  } else if (command == "/help") {
    order.kind = ChatOrder::Kind::kHelp;
  } else {
    return Error{"no such command; /help lists them"};
  }
  return order;
}

std::string chat_help_of_time() {
  return "/seek 1:20, /seek +10, /seek -10: go there. /pause, /play, /speed 2 (0.25 to 16). /time: where you are";
}

std::string chat_help() { return "/next, /previous: go to a kill. /follow NAME: kills of this player only"; }

std::string clock_text(Micros at) {
  const Micros all = at / kSecond, hours = all / 3600, minutes = all / 60 % 60, left = all % 60;
  const auto two = [](Micros value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  if (hours == 0) return std::to_string(minutes) + ":" + two(left);
  return std::to_string(hours) + ":" + two(minutes) + ":" + two(left);
}

}  // namespace entente::core
