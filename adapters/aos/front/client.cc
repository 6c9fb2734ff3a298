#include "adapters/aos/front/client.h"

#include "adapters/aos/wire/cp437.h"
#include "proxy/base/even_line.h"
#include "proxy/base/text.h"

namespace entente::aos {

Client::Client(std::size_t dialect) : dialect_(dialect), codec_(make_message_codec(dialect)) {}

void Client::send(const Message& message, FrontOut& out, Lane lane) {
  bytes_.clear();
  codec_->write(message, wire::Way::kToClient, bytes_);
  out.send(lane, bytes_);
}

/// The 0.80 draft has only CP437.
void Client::say_line(std::uint8_t from, std::uint8_t type, std::string_view text, FrontOut& out) {
  const std::size_t most = even_line(text.size(), kLongestLine);
  while (!text.empty()) {
    const std::string_view line = take_piece(text, most, CutAt::kBlank);
    ChatMessage chat;
    chat.player = from;
    chat.type = type;
    chat.text.chars = tells_states() ? wire_text(line) : to_wire(line);
    chat.text.chars += '\0';
    send(chat, out);
  }
}

void Client::notice(std::string_view text, FrontOut& out) {
  noticed_[next_noticed_++ % noticed_.size()] = text;
  say_line(kNoticeId, kSystemLine, text, out);
}

bool Client::has_noticed(std::string_view text) const {
  return std::ranges::any_of(noticed_, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

void Client::send_reason(std::string_view why, FrontOut& out) {
  ChatMessage line;
  line.player = kReasonId;
  line.type = kSystemLine;
  line.text.chars = wire_text(why, kLongestReason) + '\0';
  send(line, out);
}

}  // namespace entente::aos
