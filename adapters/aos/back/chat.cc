#include "adapters/aos/back/chat.h"

#include "adapters/aos/wire/cp437.h"
#include "proxy/base/even_line.h"
#include "proxy/base/text.h"

namespace entente::aos {
namespace {

// Types of a chat line. Higher ones are also lines of the server (from an extension).
constexpr std::uint8_t kToTeam = 1, kSystem = 2, kBig = 3, kWarning = 5, kError = 6;

words::Notice::Level level_of(std::uint8_t type) {
  if (type == kBig) return words::Notice::BIG;
  return type == kWarning || type == kError ? words::Notice::WARNING : words::Notice::INFO;
}

using core::Micros;

// SpadesX mutes at 5 lines in 2 s and refuses two within 400 ms, piqueserver mutes at 5 in 10 s.
constexpr Micros kLineEvery = 450 * core::kMillisecond, kLinesWithin = 10'500 * core::kMillisecond;
constexpr std::size_t kMostLines = 8;

}  // namespace

void BackChat::hear(const ChatMessage& chat, BackOut& out) {
  const ServerPlayer* from = players_.find(chat.player);
  const std::string text = text_of(chat.text.view());
  if (chat.type >= kSystem || from == nullptr) {
    server_.last_server_line.heard(text, out.now());
    words::Notice notice;
    notice.set_level(level_of(chat.type));
    notice.set_text(text);
    return out.say(std::move(notice));
  }
  words::Said said;
  said.set_from(from->player.id());
  if (chat.type == kToTeam) {
    said.set_scope(words::Say::MY_TEAM);
    said.set_to(static_cast<std::uint32_t>(from->player.team()));
  }
  said.set_text(text);
  out.say(std::move(said));
}

void BackChat::hear(const words::Say& say, BackOut& out) {
  if (!server_.in()) return out.drop(drops::kNotInPlay, say);
  // A server reads only the text of a command. It shows any other line to everybody, or to a side.
  const bool few = say.scope() != words::Say::EVERYBODY && say.scope() != words::Say::MY_TEAM;
  if (few && say.kind() != words::Say::COMMAND) return out.drop(drops::kChatForFew);
  const std::uint8_t type = say.scope() == words::Say::MY_TEAM ? 1 : 0;
  const std::string whole = say.kind() == words::Say::ACTION ? "* " + say.text() : say.text();
  bool too_fast = false;
  const bool only_cp437 = server_.dialect().state_updates;  // as in Client::say_line()
  const auto add = [&](std::string_view line) {
    if (lines_.size() < kMostLines)
      lines_.push_back(static_cast<char>(type) + (only_cp437 ? wire_text(line) : to_wire(line)));
    else
      too_fast = true;
  };
  const bool command = say.kind() == words::Say::COMMAND;  // is one line
  const std::size_t most = command ? kLongestLine : even_line(whole.size(), kLongestLine);
  if (const MappingLine* unsent = core::send_lines(say.kind(), whole, most, CutAt::kBlank, add)) out.drop(*unsent);
  if (too_fast) out.drop(drops::kChatTooFast);
  speak_on(out);
}

void BackChat::speak_on(BackOut& out) {
  while (!lines_.empty() && server_.in()) {
    const Micros oldest = spoke_[spoken_ % spoke_.size()], last = spoke_[(spoken_ + 3) % spoke_.size()];
    if (spoken_ >= spoke_.size() && out.now() < oldest + kLinesWithin) return;
    if (spoken_ > 0 && out.now() < last + kLineEvery) return;
    spoke_[spoken_++ % spoke_.size()] = out.now();
    ChatMessage chat;
    chat.player = server_.number;
    chat.type = static_cast<std::uint8_t>(lines_.front()[0]);
    chat.text.chars = lines_.front().substr(1) + '\0';
    lines_.pop_front();
    server_.send(chat, out);
  }
}

}  // namespace entente::aos
