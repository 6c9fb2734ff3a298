#include "adapters/bzflag/front/chat.h"

#include "adapters/bzflag/wire/drops.h"
#include "proxy/base/text.h"
#include "proxy/core/chat.h"

namespace entente::bzflag {

/// Chat that a client addresses to itself is returned here, without the room: bzadmin leaves only after it has received
/// its own message.
void FrontChat::hear(const ChatRequest& chat, FrontOut& out) {
  if (!client_.in()) return out.drop(drops::kChatTooEarly);
  const std::uint8_t to = chat.to.byte;
  if (to == client_.number()) return client_.say(client_.number(), client_.number(), false, chat.text.view(), out);
  words::Say word = core::say_of(well_formed(chat.text.view()));
  if (to == kAdmins) {
    word.set_scope(words::Say::MODERATORS);
  } else if (target_team(to)) {
    word.set_scope(words::Say::MY_TEAM);
  } else if (to == kServerId) {
    word.set_scope(words::Say::SERVER);
  } else if (to != kEverybody) {
    word.set_scope(words::Say::ONE);
    word.set_to(players_.player_of(to));
    if (word.to() == 0) return out.drop(drops::kChatToNobody);
  }
  out.say(std::move(word));
}

void FrontChat::hear(const words::Said& said, FrontOut& out) {
  std::uint8_t to = kEverybody;
  switch (said.scope()) {
    case words::Say::MY_TEAM:
      to = team_target(wire_team(static_cast<words::Team>(said.to()), players_.own().team));
      break;
    case words::Say::ONE:
      to = players_.number_of(said.to(), client_.number());
      break;
    case words::Say::MODERATORS:
      to = kAdmins;
      break;
    default:
      break;
  }
  const std::uint8_t from = said.from() != 0 ? players_.number_of(said.from(), kServerId) : kServerId;
  const bool named = from == kServerId && !said.name().empty();
  client_.say(from, to, said.kind() == words::Say::ACTION, named ? said.name() + ": " + said.text() : said.text(), out);
}

void FrontChat::notice(const words::Notice& notice, words::Audience audience, FrontOut& out) {
  client_.say(kServerId, audience == words::PLAYER ? client_.number() : kEverybody, false, notice.text(), out);
}

}  // namespace entente::bzflag
