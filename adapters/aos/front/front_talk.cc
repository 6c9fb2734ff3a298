// What is said, both ways. See front.h.
#include "adapters/aos/cp437.h"
#include "adapters/aos/front/front.h"
#include "proxy/base/text.h"
#include "proxy/core/chat.h"

namespace entente::aos {

void FrontSession::on(const ChatMessage& chat, Outlet& out) {
  if (!entered_) return out.lose("ChatMessage", "not in yet");
  if (chat.type > kLineToTeam) return out.lose("ChatMessage.type", "what only a server says");
  words::Say say;
  say.set_text(text_of(chat.text.view()));
  if (say.text().empty()) return;
  if (chat.type == kLineToTeam) say.set_scope(words::Say::MY_TEAM);
  if (say.text().starts_with('/')) say.set_kind(words::Say::COMMAND);
  out.say(std::move(say));
}

/// In pieces that every client shows. The document of 0.80 knows CP437 alone.
void FrontSession::say_line(std::uint8_t from, std::uint8_t type, std::string_view text, Outlet& out) {
  while (!text.empty()) {
    const std::string_view line = take_piece(text, kLongestLine, CutAt::kBlank);
    ChatMessage chat;
    chat.player = from;
    chat.type = type;
    chat.text.chars = dialect().state_updates ? wire_text(line) : to_wire(line);
    chat.text.chars += '\0';
    send(chat, out);
  }
}

void FrontSession::told(const words::Said& said, const core::Fact&, Outlet& out) {
  const auto slot = slot_of_player(said.from());
  const bool shown = slot && (*slot == kOwn || cast_[*slot].told);
  const bool to_one = said.scope() == words::Say::ONE || said.scope() == words::Say::MODERATORS;
  const std::string text = said.kind() == words::Say::ACTION ? "* " + said.text() : said.text();
  if (shown && !to_one)
    return say_line(*slot, said.scope() == words::Say::MY_TEAM ? kLineToTeam : kLineToAll, text, out);
  const core::PlayerState* from = out.world().player(said.from());
  const std::string& name = from != nullptr ? from->player.name() : said.name();
  const std::string who = name.empty() ? "" : name + (to_one ? " (to you): " : ": ");
  say_line(kNoticeId, kSystemLine, who + text, out);
}

void FrontSession::told(const words::Notice& notice, const core::Fact&, Outlet& out) {
  say_line(kNoticeId, kSystemLine, notice.text(), out);
}

void FrontSession::told(const words::Waiting& waiting, const core::Fact&, Outlet& out) {
  say_line(kNoticeId, kSystemLine, core::line_of(waiting), out);
}

}  // namespace entente::aos
