#include "proxy/net/output/outbox.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace entente::net::outbox_test {
namespace {

/// Logs each write after its name, with a comma between parts.
struct Scribe : Outbox::Sender {
  Scribe(std::string& l, char n) : log(l), name(n) {}
  void write_out(std::span<const Outbox::Part> parts) override {
    log += name;
    for (std::size_t i = 0; i < parts.size(); ++i) (log += i == 0 ? "" : ",") += as_text(parts[i].bytes);
  }
  std::string& log;
  char name;
};

TEST_CASE("each sender writes once at the flush, in the order of sending") {
  std::string log;
  Scribe a(log, 'a'), b(log, 'b');
  Outbox outbox;
  CHECK_FALSE(Outbox::holds(a));
  CHECK(outbox.take(a, as_bytes("1")));
  CHECK(outbox.take(b, as_bytes("2")));
  CHECK(outbox.take(a, as_bytes("3")));
  CHECK(Outbox::holds(a));
  CHECK(log.empty());
  outbox.flush();
  CHECK(log == "a1,3b2");
  CHECK_FALSE(Outbox::holds(a));
  outbox.flush();
  CHECK(log == "a1,3b2");
}

TEST_CASE("contiguous bytes are one part") {
  std::string log;
  Scribe a(log, 'a'), b(log, 'b');
  Outbox outbox;
  for (const char* text : {"1", "", "2"}) CHECK(outbox.take(a, as_bytes(text)));
  CHECK(outbox.take(b, as_bytes("3")));
  CHECK(outbox.take(b, as_bytes("4")));
  outbox.flush();
  CHECK(log == "a12b34");
}

TEST_CASE("lent bytes are not copied, and keep their place among the others") {
  std::string log;
  Scribe a(log, 'a'), b(log, 'b');
  Outbox outbox;
  std::string shared = "onetwo";
  const Bytes one = as_bytes(shared).first(3), two = as_bytes(shared).subspan(3);
  outbox.lend(a, {one, {}});
  outbox.lend(b, {one, {}});
  outbox.lend(b, {two, {}});
  CHECK(outbox.take(a, as_bytes("own")));
  outbox.lend(a, {two, {}});
  shared[5] = 'O';
  outbox.flush();
  CHECK(log == "aone,own,twObonetwO");
}

TEST_CASE("more parcels than fit are written early, each once") {
  std::string log;
  Scribe a(log, 'a');
  Outbox outbox;
  const std::string shared = "xy";
  for (int i = 0; i < 10'000; ++i) outbox.lend(a, {as_bytes(shared).first(1), {}});
  CHECK_FALSE(log.empty());
  outbox.flush();
  CHECK(std::count(log.begin(), log.end(), 'x') == 10'000);
}

TEST_CASE("a parcel that is too large is written after all earlier ones") {
  std::string log;
  Scribe a(log, 'a');
  Outbox outbox;
  CHECK(outbox.take(a, as_bytes("1")));
  CHECK_FALSE(outbox.take(a, as_bytes(std::string(5000, 'x'))));
  CHECK(log == "a1");
}

TEST_CASE("a full outbox is written early, and nothing is lost or reordered") {
  std::string a_log, b_log, wanted_a, wanted_b;
  Scribe a(a_log, 'a'), b(b_log, 'b');
  Outbox outbox;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = std::to_string(i) + std::string(static_cast<std::size_t>(i % 100), '.');
    CHECK(outbox.take(i % 2 == 0 ? a : b, as_bytes(text)));
    (i % 2 == 0 ? wanted_a : wanted_b) += text;
  }
  CHECK_FALSE(a_log.empty());
  outbox.flush();
  std::erase_if(a_log, [](char c) { return c == 'a' || c == ','; });
  std::erase_if(b_log, [](char c) { return c == 'b' || c == ','; });
  CHECK(a_log == wanted_a);
  CHECK(b_log == wanted_b);
}

}  // namespace
}  // namespace entente::net::outbox_test
