#include "adapters/bzflag/translate/last_words.h"

#include <utility>

#include "adapters/bzflag/translate/dialect_translator.h"
#include "adapters/bzflag/wire/conversions.h"
#include "adapters/bzflag/wire/wire.h"
#include "proxy/base/text.h"
#include "proxy/core/texts.h"

namespace entente::bzflag {
namespace {

using wire::ClientStage, wire::Parting, wire::Way;

constexpr std::size_t kMostRead = 512;  // a client reads no more of a refusal (ServerLink.cxx:299 at v2.4.26)

Buffer to_frame(const Message& message, std::size_t dialect) {
  Buffer frame;
  make_message_codec(dialect)->write(message, Way::kToClient, frame);
  return frame;
}

words::Refused::Code refusal_code(Parting parting) {
  switch (parting) {
    case Parting::kFull:
    case Parting::kTooManyFromAddress:
      return words::Refused::FULL;
    case Parting::kBanned:
      return words::Refused::BANNED;
    case Parting::kWrongVersion:
      return words::Refused::WRONG_VERSION;
    case Parting::kServerGone:
      return words::Refused::SERVER_GONE;
    case Parting::kKicked:
    case Parting::kLeft:
      break;
  }
  return words::Refused::OTHER;
}

/// Instead of a greeting: "REFUSED:" and a text, whose last byte clients drop. A client of 1.10 shows "Incompatible
/// server version REFUSED:"; where that misleads, it gets the greeting of a full server, which it shows as "Game is
/// full or over.  Try again later.".
std::vector<Buffer> instead_of_greeting(const Dialect& dialect, Parting parting, std::string_view why) {
  const bool for_now =
      parting == Parting::kFull || parting == Parting::kTooManyFromAddress || parting == Parting::kServerGone;
  std::string said;
  if (dialect.refusals && !dialect.shows_refusals && for_now)
    said = std::string(dialect.version) + static_cast<char>(kNobody);
  else if (dialect.refusals)
    said = std::string(kRefusedWord) + refusal(parting == Parting::kBanned, why).reason.chars;
  else
    said = as_text(kSuperKillFrame);
  return {Buffer(said.begin(), said.end())};
}

}  // namespace

std::string ban_words(std::string_view text) {
  std::string out;
  text = text.substr(0, text.find('\0'));
  while (!text.empty()) {
    if (text.starts_with("\x1b[")) {
      text.remove_prefix(std::min(text.find_first_not_of("0123456789;", 2), text.size() - 1) + 1);
      continue;
    }
    out += text.front();
    text.remove_prefix(1);
  }
  if (out.starts_with(kRefusedWord)) out.erase(0, kRefusedWord.size());
  out.erase(0, std::min(out.find_first_not_of(' '), out.size()));
  return out;
}

bool is_refused_for_now(std::string_view text) { return text.substr(0, text.find('\0')).ends_with(core::kTryAgain); }

Refused refusal(bool banned, std::string_view why) {
  std::string text(why);
  if (!banned && !is_refused_for_now(text)) text += core::kTryAgain;
  Refused said;
  said.reason.chars = fitted(text, kMostRead - 1) + '\0';
  return said;
}

std::vector<Buffer> chat_of_server(std::size_t dialect, std::string_view text) {
  std::vector<Buffer> frames;
  DialectTranslator translator(dialect, Way::kToClient);
  while (!text.empty()) {
    Chat chat;
    chat.from = player_id(kServerId);
    chat.to = player_id(kEverybody);
    chat.text.chars = std::string(take_piece(text, kLongestLine, CutAt::kBlank)) + '\0';
    const Message message(std::move(chat));
    for (const Message& said : translator.say(message)) frames.push_back(to_frame(said, dialect));
  }
  return frames;
}

std::vector<Buffer> last_words(std::size_t dialect, ClientStage stage, Parting parting, std::string_view why) {
  const Dialect& its = kDialects[dialect];
  std::vector<Buffer> frames;
  if (stage == ClientStage::kNew && !why.empty()) return instead_of_greeting(its, parting, why);
  if (stage == ClientStage::kPlaying) frames = chat_of_server(dialect, why);
  // A client of 1.10 that loads the world would take a reject for a piece of it (playing.cxx:5312 at v1.10.8).
  if (stage == ClientStage::kJoining && its.reject_text && !why.empty()) {
    Reject reject;
    reject.code = reject_code(refusal_code(parting));
    reject.reason.set(fitted(why, kLongestText));
    frames.push_back(to_frame(reject, dialect));
  }
  frames.emplace_back(std::begin(kSuperKillFrame), std::end(kSuperKillFrame));
  return frames;
}

}  // namespace entente::bzflag
