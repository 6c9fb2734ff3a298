#include "adapters/bzdraft/back/chat.h"

#include "adapters/bzdraft/wire/drops.h"

namespace entente::bzdraft {

void BackChat::hear(const ChatMessage& chat, BackOut& out) {
  std::string text = readable(chat.text.chars);
  if (chat.from == kServer) return state_.hear_server(std::move(text), chat.to == state_.number, out);
  words::Said said;
  said.set_from(server_players_.id_of(chat.from));
  if (text.starts_with(core::kAction)) {
    said.set_kind(words::Say::ACTION);
    text.erase(0, core::kAction.size());
  }
  said.set_text(std::move(text));
  if (const auto team = target_team(chat.to)) {
    said.set_scope(words::Say::MY_TEAM);
    said.set_to(static_cast<std::uint32_t>(team_of(*team)));
  } else if (chat.to != kEveryone) {
    said.set_scope(words::Say::ONE);
    said.set_to(server_players_.id_of(chat.to));
  }
  state_.hear_player(std::move(said), out);
}

void BackChat::hear(const words::Say& say, BackOut& out) {
  ChatMessage chat{state_.number, kEveryone, {}};
  const core::TankServerPlayer* me = server_players_.own();
  if (say.scope() == words::Say::MY_TEAM)
    chat.to = team_target(me != nullptr ? static_cast<std::uint8_t>(me->team) : kRogue);
  if (say.scope() == words::Say::ONE) chat.to = server_players_.number_of(say.to(), kInvalid);
  if (say.scope() == words::Say::SERVER || say.scope() == words::Say::MODERATORS) chat.to = kServer;
  if (chat.to == kInvalid) return out.drop(drops::kNoRecipient);
  const MappingLine* why =
      core::send_lines(say.kind(), core::written(say), kLongestLine, CutAt::kCharacter, [&](std::string_view line) {
        chat.text.chars = line;
        link_.send(out, chat);
      });
  if (why != nullptr) out.drop(*why);
}

}  // namespace entente::bzdraft
