#include "adapters/bzdraft/front/client.h"

#include "proxy/base/text.h"

namespace entente::bzdraft {

void Client::say(std::uint8_t from, std::uint8_t to, std::string_view text, FrontOut& out) {
  while (!text.empty()) {
    ChatMessage chat{from, to, {}};
    chat.text.chars = take_piece(text, kLongestLine, CutAt::kCharacter);
    send(out, chat);
  }
}

}  // namespace entente::bzdraft
