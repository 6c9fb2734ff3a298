#include "adapters/bzflag/front/client.h"

#include <charconv>

#include "proxy/base/even_line.h"
#include "proxy/base/text.h"

namespace entente::bzflag {
namespace {

/// The player number of our client. It identifies the session of a link request that comes from another port than the
/// client's stream. It depends on the client's port, so that two clients behind one address differ.
std::uint8_t number_for(std::string_view address) {
  unsigned port = 0;
  const std::string_view digits = address.substr(address.rfind(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return static_cast<std::uint8_t>(port % kMostPlayers);
}

}  // namespace

void Client::begin(std::string_view address, core::Micros now) {
  number_ = number_for(address);
  opened_ = now;
}

float Client::clock(const FrontOut& out) const { return clock_of(out.now() - opened_, dialect()); }

/// Leaves room in an action for what dialects without message kinds add: the player's name before the text, and a mark
/// after it.
void Client::say(std::uint8_t from, std::uint8_t to, bool action, std::string_view text, FrontOut& out) {
  constexpr std::size_t kActor = std::string_view("* ").size() + kLongestName + std::string_view(" \t*").size();
  const std::size_t most = even_line(text.size(), action ? kLongestLine - kActor : kLongestLine);
  while (!text.empty()) {
    Chat chat;
    chat.from = player_id(from);
    chat.to = player_id(to);
    chat.kind = action ? 1 : 0;
    chat.text.chars = std::string(take_piece(text, most, CutAt::kBlank)) + '\0';
    stream(out, chat);
  }
}

}  // namespace entente::bzflag
