// The token of the operator page: what its file must be, and how often somebody may try a wrong one.
#include "proxy/program/settings/token.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <string>

#include "tests/program/folder.h"

namespace entente::token_test {
namespace {

using Verdict = TokenGuard::Verdict;

const std::string kToken(32, 'a');

net::Address from(const std::string& address) { return *net::Address::parse(address, 4000); }

/// The token in a file with this text; or the error.
std::string read(const Folder& folder, const std::string& text, mode_t mode = 0600) {
  const std::string path = folder.write("token", text);
  REQUIRE(::chmod(path.c_str(), mode) == 0);
  const auto token = read_token(path);
  return token ? *token : token.error().text;
}

TEST_CASE("a token is the first line of its file, of 32 to 256 visible characters") {
  const Folder folder;
  CHECK(read(folder, kToken) == kToken);
  CHECK(read(folder, kToken + "\n# a comment\n") == kToken);
  CHECK(read(folder, kToken + "\r\n") == kToken);
  const std::string longest(256, '~');
  CHECK(read(folder, longest + "\n") == longest);
  CHECK(read(folder, longest) == longest);
  const std::string wrong = "the first line of " + folder.file("token") +
                            " must be a token: 32 to 256 letters, digits and punctuation marks, without blanks";
  for (const std::string& text : {std::string(31, 'a'), std::string(257, 'a'), std::string(257, 'a') + "\n",
                                  std::string(), "\n" + kToken, kToken + " ", kToken + "\x7f", kToken + "\xc3\xa4"})
    CHECK_MESSAGE(read(folder, text) == wrong, text);
}

TEST_CASE("a file that everybody can read or write holds no secret; the group may") {
  const Folder folder;
  CHECK(read(folder, kToken, 0660) == kToken);
  CHECK(read(folder, kToken, 0604).starts_with("everybody on this machine can read the token in "));
  CHECK(read(folder, kToken, 0602).starts_with("everybody on this machine can change the token in "));
}

TEST_CASE("a folder, a pipe and a missing file hold no token, and nobody waits for one") {
  const Folder folder;
  CHECK(read_token(folder.path().string()).error().text.find(" is a folder; ") != std::string::npos);
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(read_token(pipe).error().text == pipe + " is not a file; it must be a file with a token");
  CHECK(read_token(folder.file("none")).error().text ==
        "cannot read the token in " + folder.file("none") + ": No such file or directory");
}

TEST_CASE("an address may try some wrong tokens at once, then one in a second, and the right one always") {
  TokenGuard guard(kToken);
  const net::Address here = from("192.0.2.7");
  Millis now = 1'000;
  for (std::uint32_t i = 0; i < TokenGuard::kWrongBurst; ++i) CHECK(guard.check(here, "x", now) == Verdict::kWrong);
  CHECK(guard.check(here, "x", now) == Verdict::kTooMany);
  CHECK(guard.check(here, kToken, now) == Verdict::kRight);
  now += 999;
  CHECK(guard.check(here, "x", now) == Verdict::kTooMany);
  now += 1;
  CHECK(guard.check(here, "x", now) == Verdict::kWrong);
  CHECK(guard.check(here, "x", now) == Verdict::kTooMany);
}

TEST_CASE("the right token costs an address none of its tries") {
  TokenGuard guard(kToken);
  const net::Address here = from("192.0.2.7");
  for (int i = 0; i < 20; ++i) CHECK(guard.check(here, kToken, 1'000) == Verdict::kRight);
  CHECK(guard.check(here, "x", 1'000) == Verdict::kWrong);
}

TEST_CASE("tries count for a host, whatever its port and however its address is written, and not for others") {
  TokenGuard guard(kToken);
  for (std::uint32_t i = 0; i < TokenGuard::kWrongBurst; ++i) guard.check(from("192.0.2.7"), "x", 1'000);
  CHECK(guard.check(from("192.0.2.7").with_port(5), "x", 1'000) == Verdict::kTooMany);
  CHECK(guard.check(from("::ffff:192.0.2.7"), "x", 1'000) == Verdict::kTooMany);
  CHECK(guard.check(from("192.0.2.8"), "x", 1'000) == Verdict::kWrong);
}

TEST_CASE("a token that is not the right one from its first to its last character is wrong") {
  TokenGuard guard(kToken);
  const net::Address here = from("192.0.2.7");
  CHECK(guard.check(here, kToken.substr(1), 1'000) == Verdict::kWrong);
  CHECK(guard.check(here, kToken + "a", 1'000) == Verdict::kWrong);
  CHECK(guard.check(here, "", 1'000) == Verdict::kWrong);
  CHECK(guard.check(here, kToken.substr(1) + "b", 1'000) == Verdict::kWrong);
}

TEST_CASE("another token is right from now on, and it is told whether it differs") {
  TokenGuard guard(kToken);
  const std::string other(32, 'b');
  CHECK_FALSE(guard.renew(kToken));
  CHECK(guard.check(from("192.0.2.7"), kToken, 1'000) == Verdict::kRight);
  CHECK(guard.renew(other));
  CHECK(guard.check(from("192.0.2.7"), other, 1'000) == Verdict::kRight);
  CHECK(guard.check(from("192.0.2.7"), kToken, 1'000) == Verdict::kWrong);
}

TEST_CASE("addresses beyond those that are remembered share one limit, until the others' limits are full again") {
  TokenGuard guard(kToken);
  for (std::size_t i = 0; i < TokenGuard::kMostKnown; ++i)
    guard.check(from("10.0." + std::to_string(i / 250) + "." + std::to_string(1 + i % 250)), "x", 1'000);
  std::size_t wrong = 0;
  for (int i = 1; i <= 20; ++i)
    wrong += guard.check(from("192.0.2." + std::to_string(i)), "x", 1'000) == Verdict::kWrong ? 1 : 0;
  CHECK(wrong == TokenGuard::kWrongBurst);
  CHECK(guard.check(from("10.0.0.1"), "x", 1'000) == Verdict::kWrong);  // has its own limit
  // A second later, the others' limits are full: they are forgotten, and a newcomer has its own again.
  for (std::uint32_t i = 0; i < TokenGuard::kWrongBurst; ++i)
    CHECK(guard.check(from("192.0.2.30"), "x", 2'001) == Verdict::kWrong);
  CHECK(guard.check(from("192.0.2.30"), "x", 2'001) == Verdict::kTooMany);
  CHECK(guard.check(from("192.0.2.31"), "x", 2'001) == Verdict::kWrong);
}

}  // namespace
}  // namespace entente::token_test
