// Passwords, tokens and the arguments of commands of every game do not get into a recording, whatever else the message
// contains.
#include "proxy/program/settings/secrets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "adapters/aos/aos.h"
#include "adapters/registry.h"
#include "adapters/wire/invent.h"

namespace entente::secrets_test {
namespace {

using wire::Way;

constexpr std::string_view kSesame = "sesame-open-7";

/// Writes `text` into each text field of that name, of 8 or 16 bits.
class Fill final : public wire::FieldVisitor {
 public:
  Fill(std::string_view name, std::string_view text) : name_(name), text_(text) {}
  int filled = 0;

  void scalar(const char*, wire::Scalar&) override {}
  void fixed_text(const char* name, std::span<char> chars) override {
    if (name != name_) return;
    ++filled;
    std::fill(chars.begin(), chars.end(), '\0');
    std::copy_n(text_.begin(), std::min(text_.size(), chars.size()), chars.begin());
  }
  void text(const char* name, std::string& chars, wire::TextEnd end, bool&) override {
    if (name != name_) return;
    ++filled;
    chars.clear();
    for (const char c : text_) {
      chars += c;
      if (end == wire::TextEnd::kZero16) chars += '\0';
    }
  }
  void padding(const char*, std::span<std::uint8_t>) override {}
  void rest(const char*, Buffer&, wire::Kept) override {}
  bool part(const char*, bool there, bool) override { return there; }
  std::size_t form(const char*, std::size_t now, std::span<const std::size_t>) override { return now; }
  std::size_t list(const char*, wire::ListEnd, std::size_t count, std::size_t) override { return count; }

 private:
  std::string_view name_, text_;
};

std::string letters(Bytes bytes) {
  std::string text(as_text(bytes));
  std::erase(text, '\0');  // of 16-bit units
  return text;
}

/// A message of the row with this text in the secret field; empty if the one that was invented has no such field.
Buffer made(const wire::Row& row, wire::Codec& codec, const wire::Secret& secret, std::string_view text,
            wire::Random& random) {
  wire::invent(row, Way::kToServer, codec, random);
  Fill fill(secret.field, text);
  codec.visit(fill);
  Buffer frame;
  if (fill.filled > 0) codec.encode(frame);
  return frame;
}

/// The frame as it would be recorded.
Buffer recorded(const wire::Row& row, wire::Codec& codec, const wire::Game& game, const Buffer& frame) {
  const auto read = codec.decode({Way::kToServer, wire::Lane::kStream, row.stage, frame});
  REQUIRE(read.ok());
  if (!wire::blank_secrets(**read, codec, secrets_of(game))) return frame;
  Buffer out;
  codec.encode(out);
  return out;
}

void check(const wire::Game& game, std::size_t dialect, const wire::Secret& secret, std::set<std::string>& seen) {
  wire::Random random(7);
  const auto codec = game.codec(dialect);
  for (const wire::Row& row : codec->rows()) {
    if (row.name != secret.message || (row.dialects >> dialect & 1U) == 0 || (row.ways & 1U) == 0) continue;
    const std::string text = (secret.line ? "/password " : "") + std::string(kSesame);
    for (int i = 0; i < 300; ++i) {
      const Buffer frame = made(row, *codec, secret, text, random);
      if (frame.empty()) continue;
      CAPTURE(row.name);
      REQUIRE(letters(frame).find(kSesame) != std::string::npos);
      const Buffer blank = recorded(row, *codec, game, frame);
      CHECK(letters(blank).find(kSesame) == std::string::npos);
      if (game.name() != "native" && game.name() != "native+ws") CHECK(blank.size() == frame.size());
      if (secret.line) CHECK(letters(blank).find("/password") != std::string::npos);
      REQUIRE(codec->decode({Way::kToServer, wire::Lane::kStream, row.stage, blank}).ok());
      Buffer again;
      codec->encode(again);
      CHECK(again == blank);
      seen.insert(std::string(game.name()) + " " + secret.message + "." + secret.field);
      if (!secret.line) continue;
      const Buffer chat = made(row, *codec, secret, "hello /password sesame", random);
      if (!chat.empty()) CHECK(recorded(row, *codec, game, chat) == chat);
      if (as_text(frame).find(kSesame) != std::string_view::npos) continue;
      // In units of 16 bits: behind a no-break space, which servers cut off.
      const Buffer behind = made(row, *codec, secret, "\xa0/password " + std::string(kSesame), random);
      if (!behind.empty()) CHECK(letters(recorded(row, *codec, game, behind)).find(kSesame) == std::string::npos);
    }
  }
}

/// A line of a client of Ace of Spades.
struct AosLine {
  explicit AosLine(std::string_view line) : codec(aos::game().codec(0)) {
    wire::Random random(7);
    const auto rows = codec->rows();
    const auto found = std::find_if(rows.begin(), rows.end(), [](const wire::Row& one) {
      return one.name == std::string_view("ChatMessage") && (one.dialects & 1U) != 0 && (one.ways & 1U) != 0;
    });
    REQUIRE(found != rows.end());
    row = &*found;
    frame = made(*row, *codec, {"ChatMessage", "text", true}, line, random);
  }
  const std::unique_ptr<wire::Codec> codec;
  const wire::Row* row = nullptr;
  Buffer frame;
};

/// How a line of Ace of Spades is recorded; empty if no message with it could be made.
std::string recorded_line(std::string_view line) {
  const AosLine its(line);
  return letters(recorded(*its.row, *its.codec, aos::game(), its.frame));
}

TEST_CASE("of a command, exactly the arguments are blanked, also in a line that is marked as UTF-8") {
  for (const std::string mark : {"", "\xff"}) {
    CHECK(recorded_line(mark + "/login sesame").find(mark + "/login*******") != std::string::npos);
    CHECK(recorded_line(mark + "hello sesame").find(mark + "hello sesame") != std::string::npos);
  }
}

TEST_CASE("a secret is known where the server repeats it, also if its line was marked as UTF-8") {
  for (const std::string mark : {"", "\xff"}) {
    const AosLine its(mark + "/login sesame");
    const auto read = its.codec->decode({Way::kToServer, wire::Lane::kStream, its.row->stage, its.frame});
    REQUIRE(read.ok());
    SecretEchoes heard;
    CHECK(wire::blank_secrets(**read, *its.codec, secrets_of(aos::game()), &heard));
    CHECK(heard.without("nobody logs in by sesame", "*") == "nobody logs in by *");
  }
}

/// A server's line of chat that repeats a secret, in all messages of a game that can.
void check_echoes(const wire::Game& game, std::size_t dialect, std::set<std::string>& seen) {
  wire::Random random(7);
  const auto codec = game.codec(dialect);
  const auto fields = echoes_of(game);
  SecretEchoes heard;
  heard.add_arguments("/identify " + std::string(kSesame));
  for (const wire::Row& row : codec->rows())
    for (const wire::EchoField& field : fields) {
      if ((row.dialects >> dialect & 1U) == 0 || (row.ways & 2U) == 0) continue;
      if (!field.message.empty() && field.message != row.name) continue;
      wire::invent(row, Way::kToClient, *codec, random);
      Fill fill(field.field, "Unknown command [identify Sesame-Open-7]");
      codec->visit(fill);
      Buffer frame, blank;
      codec->encode(frame);
      if (fill.filled == 0 || letters(frame).find("Sesame-Open-7") == std::string::npos) continue;  // it is cut there
      const auto read = codec->decode({Way::kToClient, wire::Lane::kStream, row.stage, frame});
      if (!read.ok()) continue;
      CAPTURE(row.name);
      CHECK(wire::blank_echoes(**read, *codec, fields, heard));
      codec->encode(blank);
      CHECK(letters(blank).find("Sesame") == std::string::npos);
      CHECK(letters(blank).find("Unknown command [identify " + std::string(kSesame.size(), '*')) != std::string::npos);
      seen.insert(std::string(game.name()) + " " + row.name);
    }
}

TEST_CASE("a server's answer that repeats a secret is blanked in every game") {
  std::set<std::string> seen;
  for (const wire::Game* game : games())
    for (const wire::Game* one : {game, game->over_web()})
      for (std::size_t dialect = 0; one != nullptr && dialect < one->dialects().size(); ++dialect)
        check_echoes(*one, dialect, seen);
  for (const char* chat : {"aos ChatMessage", "bzdraft MsgMessage", "bzflag MsgMessage", "native Said", "native Notice",
                           "native+ws Said", "ogar ChatMessage"}) {
    CHECK_MESSAGE(seen.contains(chat), std::string(chat));
  }
}

TEST_CASE("a secret is found in any case and where it is cut, and only there") {
  SecretEchoes heard;
  CHECK_FALSE(heard.any());
  for (const char* none : {"hello", "/me waves at all", "/x ab", "/password", "/password ****"})
    heard.add_arguments(none);
  CHECK_FALSE(heard.any());
  heard.add_arguments(" /Register  Open Sesame ");
  CHECK(heard.without("Unknown command [register open sesame]", "*") == "Unknown command [register *]");
  CHECK(heard.without("OPEN SESAME and open sesam", "*") == "* and *");
  CHECK(heard.without("open door, sesame", "*") == "open door, sesame");
  const std::string longest(1000, 'q');
  heard.add(longest);
  CHECK(heard.without(longest + " " + std::string(31, 'q'), "*").find('q') == 4 + 1);  // 256, 256, 256 and 232 bytes
  for (int i = 0; i < 100; ++i) heard.add("secret number " + std::to_string(1000 + i));
  CHECK(heard.without("open sesame", "*") == "open sesame");  // only the latest are kept
}

TEST_CASE("the secrets of every game are known, and blanked in a frame that still decodes") {
  std::set<std::string> seen;
  for (const wire::Game* game : games())
    for (const wire::Game* one : {game, game->over_web()})
      for (std::size_t dialect = 0; one != nullptr && dialect < one->dialects().size(); ++dialect)
        for (const wire::Secret& secret : secrets_of(*one)) check(*one, dialect, secret, seen);
  CHECK(seen == std::set<std::string>{"aos ChatMessage.text", "bzdraft MsgEnter.password", "bzdraft MsgMessage.text",
                                      "bzflag MsgEnter.token", "bzflag MsgMessage.text", "native Enter.password",
                                      "native Enter.token", "native Say.text", "native+ws Enter.password",
                                      "native+ws Enter.token", "native+ws Say.text", "ogar ClientUpdate.chat",
                                      "ogar Say.text"});
}

}  // namespace
}  // namespace entente::secrets_test
