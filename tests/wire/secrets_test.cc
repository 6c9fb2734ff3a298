// Which characters of a message are blanked before it is recorded.
#include "adapters/wire/secrets.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/hex.h"
#include "tests/support/toy_game.h"

namespace entente::wire::secrets_test {
namespace {

/// A message of the toy game. `hex`: without its length.
struct Message {
  explicit Message(std::string_view hex) {
    const Buffer payload = from_hex(hex);
    Buffer frame{static_cast<std::uint8_t>(payload.size() - 1)};
    append(frame, payload);
    const auto read = codec->decode({Way::kToServer, Lane::kStream, Stage::kPlay, frame});
    REQUIRE(read.ok());
    row = *read;
  }
  /// Without its length.
  std::string hex() const {
    Buffer frame;
    codec->encode(frame);
    return to_hex(Bytes(frame).subspan(1));
  }
  const std::unique_ptr<Codec> codec = toy::game().codec(0);
  const Row* row = nullptr;
};

/// The message without its secrets; "" if there were none.
std::string blanked(std::string_view hex, const std::vector<Secret>& secrets, SecretEchoes* heard = nullptr) {
  Message message(hex);
  const bool changed = blank_secrets(*message.row, *message.codec, secrets, heard);
  CHECK(changed == (message.hex() != to_hex(from_hex(hex))));
  return changed ? message.hex() : "";
}

/// The same for a message that repeats what was heard.
std::string without_echoes(std::string_view hex, const std::vector<EchoField>& fields, const SecretEchoes& heard) {
  Message message(hex);
  const bool changed = blank_echoes(*message.row, *message.codec, fields, heard);
  CHECK(changed == (message.hex() != to_hex(from_hex(hex))));
  return changed ? message.hex() : "";
}

/// Little-endian 16-bit units as hex.
std::string units(std::string_view text) {
  std::string wide;
  for (const char c : text) (wide += c) += '\0';
  return to_hex(as_bytes(wide));
}

/// An Odds: a text in units of 16 bits, and an empty one.
std::string odds(std::string_view its_units) {
  return "06"
         "0007"
         "0000" +
         units(its_units) +
         "0000"
         "00";
}
/// A Texts: a field of eight bytes, and a text.
std::string texts(std::string_view fixed, std::string_view zero) {
  std::string all(fixed);
  all.resize(8, '\0');
  return "03"
         "00" +
         to_hex(as_bytes(all)) + to_hex(as_bytes(zero)) + "00";
}

TEST_CASE("of a command in 16-bit units, exactly the arguments are blanked") {
  const std::vector<Secret> line = {{"Odds", "units", true}};
  CHECK(blanked(odds("/login sesame"), line) == odds("/login*******"));
  CHECK(blanked(odds("hello sesame"), line).empty());
  CHECK(blanked(odds("/login"), line).empty());
}

TEST_CASE("a secret in 16-bit units is blanked to its end, also an odd byte that is its end") {
  const std::vector<Secret> secret = {{"Odds", "units", false}};
  CHECK(blanked(odds("sesame"), secret) == odds("******"));
  CHECK(blanked("06"
                "0007"
                "0000"
                "ac20 62",
                secret) == to_hex(from_hex("06"
                                           "0007"
                                           "0000"
                                           "2a00 2a")));
}

TEST_CASE("the NULs of a padded secret stay, and what follows the first is blanked, too") {
  const std::vector<Secret> secret = {{"Texts", "fixed", false}};
  CHECK(blanked(texts("open", "zero"), secret) == texts("****", "zero"));
  CHECK(blanked(texts(std::string_view("ab\0cd", 5), ""), secret) == texts(std::string_view("**\0**", 5), ""));
  CHECK(blanked(texts("", "zero"), secret).empty());
}

TEST_CASE("only the fields that hold secrets are blanked, in the messages that have them") {
  CHECK(blanked(texts("open", "sesame"), {{"Texts", "zero", false}}) == texts("open", "******"));
  CHECK(blanked(texts("open", "sesame"), {{"Odds", "zero", false}, {"Texts", "other", false}}).empty());
  CHECK(blanked(texts("open", "sesame"), {{"Odds", "units", false}, {"Texts", "fixed", false}}) ==
        texts("****", "sesame"));
}

TEST_CASE("in a list of texts, each one is blanked") {
  CHECK(blanked("0b 02 6100 6263", {{"Lines", "lines", false}}) == to_hex(from_hex("0b 02 2a00 2a2a")));
}

TEST_CASE("a secret that is blanked is remembered: of a padded field what precedes the NUL, of a line the arguments") {
  SecretEchoes fixed, line, none;
  blanked(texts(std::string_view("key\0old", 7), ""), {{"Texts", "fixed", false}}, &fixed);
  CHECK(fixed.without("the key is old", "*") == "the * is old");
  blanked(odds("/login sesame"), {{"Odds", "units", true}}, &line);
  CHECK(line.without("login sesame", "*") == "login *");
  blanked(odds("hello sesame"), {{"Odds", "units", true}}, &none);
  CHECK_FALSE(none.any());
}

TEST_CASE("where a server repeats a secret, exactly the secret is blanked, in 16-bit units as in bytes") {
  SecretEchoes heard;
  heard.add("sesame");
  CHECK(without_echoes(odds("no Sesame here, sesame"), {{"Odds", "units"}}, heard) == odds("no ****** here, ******"));
  CHECK(without_echoes(texts("", "no Sesame here"), {{"Texts", "zero"}}, heard) == texts("", "no ****** here"));
  CHECK(without_echoes(odds("nothing"), {{"Odds", "units"}}, heard).empty());
}

TEST_CASE("a server's repetition is looked for only in the fields that may have it, of one message or of any") {
  SecretEchoes heard;
  heard.add("sesame");
  CHECK(without_echoes(texts("sesame", "sesame"), {{"Texts", "zero"}}, heard) == texts("sesame", "******"));
  CHECK(without_echoes(texts("sesame", "sesame"), {{"", "fixed"}}, heard) == texts("******", "sesame"));
  CHECK(without_echoes(texts("sesame", "sesame"), {{"Odds", "zero"}}, heard).empty());
  CHECK(without_echoes(texts("sesame", "sesame"), {{"Odds", "zero"}, {"Texts", "fixed"}}, heard) ==
        texts("******", "sesame"));
  CHECK(without_echoes(texts("sesame", "sesame"), {{"Texts", "zero"}}, SecretEchoes()).empty());
}

}  // namespace
}  // namespace entente::wire::secrets_test
