#include "adapters/aos/front/chat.h"
#include "adapters/aos/wire/drops.h"
#include "proxy/core/chat.h"

namespace entente::aos {
namespace {

constexpr std::size_t kMostKept = 8;  // lines; of more, the oldest are dropped

}  // namespace

void FrontChat::hear(const ChatMessage& chat, FrontOut& out) {
  if (!profile_.entered()) return out.drop(drops::kChatTooEarly);
  if (chat.type > kLineToTeam) return out.drop(drops::kServersChat);
  words::Say say;
  say.set_text(text_of(chat.text.view()));
  if (say.text().empty()) return;
  if (chat.type == kLineToTeam) say.set_scope(words::Say::MY_TEAM);
  if (say.text().starts_with('/')) say.set_kind(words::Say::COMMAND);
  out.say(std::move(say));
}

void FrontChat::hear(const words::Said& said, FrontOut& out) {
  const auto slot = players_.slot_of_player(said.from());
  const bool shown = slot && (*slot == kOwn || players_[*slot].told);
  const bool to_one = said.scope() == words::Say::ONE || said.scope() == words::Say::MODERATORS;
  const std::string text = said.kind() == words::Say::ACTION ? "* " + said.text() : said.text();
  if (shown && !to_one)
    return client_.say_line(*slot, said.scope() == words::Say::MY_TEAM ? kLineToTeam : kLineToAll, text, out);
  const core::PlayerState* from = out.world().player(said.from());
  const std::string& name = from != nullptr ? from->player.name() : said.name();
  const std::string who = name.empty() ? "" : name + (to_one ? " (to you): " : ": ");
  client_.notice(who + text, out);
}

void FrontChat::hear(const words::Waiting& waiting, FrontOut& out) { client_.notice(core::line_of(waiting), out); }

void FrontChat::keep(const words::Said& said) {
  if (said.from() == 0 && said.name().empty()) keep_line(said.text());
}

void FrontChat::keep_line(const std::string& line) {
  if (kept_.size() == kMostKept) kept_.pop_front();
  kept_.push_back(line);
}

void FrontChat::tell_kept(FrontOut& out) {
  for (; !kept_.empty(); kept_.pop_front()) client_.notice(kept_.front(), out);
}

}  // namespace entente::aos
