#include "adapters/bzflag/back/chat.h"

#include "adapters/bzflag/wire/drops.h"
#include "proxy/base/even_line.h"
#include "proxy/base/text.h"

namespace entente::bzflag {

void BackChat::hear(const Chat& chat, BackOut& out) {
  std::string text = well_formed(chat.text.view());
  if (chat.from.byte == kServerId) return state_.hear_server(std::move(text), chat.to.byte == state_.number, out);
  words::Said said;
  said.set_from(server_players_.id_of(chat.from.byte));
  said.set_text(std::move(text));
  if (chat.kind != 0) said.set_kind(words::Say::ACTION);
  if (const auto team = target_team(chat.to.byte)) {
    said.set_scope(words::Say::MY_TEAM);
    said.set_to(static_cast<std::uint32_t>(team_of(*team)));
  } else if (chat.to.byte == kAdmins) {
    said.set_scope(words::Say::MODERATORS);
  } else if (chat.to.byte != kEverybody) {
    said.set_scope(words::Say::ONE);
    said.set_to(server_players_.id_of(chat.to.byte));
  }
  state_.hear_player(std::move(said), out);
}

/// bzfs kicks a player who writes a byte that is not printable ASCII (isSpamOrGarbage in bzfs.cxx, from v2.4.4 to
/// v2.4.26). Stock clients write no other.
void BackChat::hear(const words::Say& say, BackOut& out) {
  ChatRequest request;
  request.to = player_id(kEverybody);
  const core::TankServerPlayer* me = server_players_.own();
  if (say.scope() == words::Say::MY_TEAM)
    request.to = player_id(team_target(me != nullptr ? me->team : std::int16_t{0}));
  if (say.scope() == words::Say::ONE) request.to = player_id(server_players_.number_of(say.to(), kNobody));
  if (say.scope() == words::Say::MODERATORS) request.to = player_id(kAdmins);
  if (say.scope() == words::Say::SERVER) request.to = player_id(kServerId);
  if (say.scope() == words::Say::ONE && request.to.byte == kNobody) return out.drop(drops::kNoRecipient);
  const std::string written = core::written(say), text = ascii(written);
  const bool command = say.kind() == words::Say::COMMAND;  // is one line
  if (command && text != written) return out.drop(drops::kCommandNotExact);
  const std::size_t most = command ? kLongestLine : even_line(text.size(), kLongestLine);
  const MappingLine* why = core::send_lines(say.kind(), text, most, CutAt::kBlank, [&](std::string_view line) {
    request.text.chars.assign(line);
    request.text.chars.resize(kLongestLine + 1);  // as real clients pad it
    link_.stream(out, request);
  });
  if (why != nullptr) out.drop(*why);
}

}  // namespace entente::bzflag
