#include "proxy/core/chat.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "proxy/base/lower_case.h"
#include "proxy/base/text.h"
#include "proxy/core/world.h"

namespace entente::core {
namespace {

/// Whether servers' scripts take it for a command: '!' and a letter, as in "!help".
bool is_script_command(std::string_view text) {
  text = without_indent(text);
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return text.size() > 1 && text[0] == '!' && letter(text[1]);
}

/// What fronts write instead of invalid UTF-8.
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

}  // namespace

std::string line_of(const words::Waiting& waiting) {
  if (waiting.need() == 0) return "waiting for the game to begin";
  return "waiting for players: " + std::to_string(waiting.have()) + " of " + std::to_string(waiting.need());
}

std::string line_of(const words::Round& round, const WorldState& world) {
  const PlayerState* winner = world.player(round.winner());
  const bool side = round.winning_team() != words::TEAM_ANY;
  if (winner == nullptr && !side) return "the round is over";
  return "the round is over: " +
         (winner != nullptr ? winner->player.name() : lower_case(words::Team_Name(round.winning_team()))) + " has won";
}

std::string line_of_hit(const words::Health& health, double& known) {
  const double before = std::exchange(known, health.now());
  if (before == 0 || !(health.now() < before) || health.now() <= 0) return {};
  const auto whole = [](double number) { return std::to_string(std::lround(std::clamp(number, 0.0, 1e6))); };
  return "hit " + whole(health.now()) + (health.max() > 0 ? "/" + whole(health.max()) : "");
}

void LastServerLine::heard(std::string_view line, Micros now) {
  constexpr Micros kWelcome = 2 * kSecond, kRightBefore = 3 * kSecond, kAtOnce = 50 * kMillisecond;
  line_ = line;
  until_ = now + (!let_in_at_ || now < *let_in_at_ + kWelcome ? kAtOnce : kRightBefore);
}

std::string LastServerLine::why(Micros now, std::string_view otherwise) const {
  constexpr std::string_view kReason = "eason given";  // BanCommands.cxx:347 at v2.0.16, :457 at v2.4.26
  if (line_.empty() || now > until_) return std::string(otherwise);
  const std::size_t said = line_.find(kReason), colon = line_.find(':');
  if (said > std::string_view(" r").size()) return line_;
  const std::size_t reason = line_.find_first_not_of(" :", colon);
  return reason != std::string::npos ? line_.substr(reason) : line_;
}

words::Say say_of(std::string_view written) {
  words::Say say;
  if (written.starts_with(kAction)) {
    say.set_kind(words::Say::ACTION);
    written.remove_prefix(kAction.size());
  } else if (written.starts_with('/')) {
    say.set_kind(words::Say::COMMAND);
  }
  say.set_text(std::string(written));
  return say;
}

Chat::Refusal Chat::filter(words::Say& say, Id by, Micros now) {
  std::string& text = *say.mutable_text();
  if (say.kind() == words::Say::CHAT && text.starts_with('/')) say.set_kind(words::Say::COMMAND);
  // A command that is passed on is no chat: a server, or a replay ("/seek 1:20"), limits its commands itself.
  const bool counts = !rules_.commands || say.kind() != words::Say::COMMAND;
  const Micros free_at = std::max(spoken_[by], now);
  if (counts && free_at + rules_.every > now + rules_.burst * rules_.every) {
    Micros& told_at = slowed_[by];
    const bool tell = told_at == 0 || now >= told_at + kSecond;
    if (tell) told_at = std::max<Micros>(now, 1);
    return {&drops::kChatTooFast, tell};
  }
  if (counts) spoken_[by] = free_at + rules_.every;

  if (!rules_.commands && (say.kind() == words::Say::COMMAND || is_command(text) || is_script_command(text)))
    return {&drops::kCommandElsewhere, true};
  if (say.kind() == words::Say::COMMAND && !text.starts_with('/')) return {&drops::kCommandWithoutSlash, true};
  const std::size_t written = text.size();
  erase_controls(text);
  const bool whole =
      written <= rules_.most_bytes && text.size() == written && text.find(kReplacement) == std::string::npos;
  text = fitted(text, rules_.most_bytes);
  if (text.find_first_not_of(' ') == std::string::npos) return {&drops::kNothingSaid};
  if (!whole && text.starts_with('/')) return {&drops::kCommandNotExact, true};
  return {};
}

}  // namespace entente::core
