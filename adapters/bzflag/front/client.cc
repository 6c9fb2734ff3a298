#include "adapters/bzflag/front/client.h"

#include <charconv>

#include "proxy/base/text.h"

namespace entente::bzflag {
namespace {

/// The number of our client. By it a link request is known that comes from another port than the client's stream: two
/// clients of one address are told apart by what their ports are.
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

float Client::clock(const FrontOut& out) const {
  return static_cast<float>(static_cast<double>(out.now() - opened_) / core::kSecond);
}

/// Dialects without a kind of message write who acts before an action, and a mark behind it: it leaves room for them.
void Client::say(std::uint8_t from, std::uint8_t to, bool action, std::string_view text, FrontOut& out) {
  constexpr std::size_t kActor = std::string_view("* ").size() + kLongestName + std::string_view(" \t*").size();
  const std::size_t most = action ? kLongestLine - kActor : kLongestLine;
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
