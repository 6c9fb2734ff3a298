#include "proxy/net/outbox.h"

#include <doctest/doctest.h>

#include <string>

namespace entente::net::outbox_test {
namespace {

/// Writes down what is written out, after its name.
struct Scribe : Outbox::Sender {
  Scribe(std::string& l, char n) : log(l), name(n) {}
  void write_out(Bytes bytes) override { (log += name) += as_text(bytes); }
  std::string& log;
  char name;
};

TEST_CASE("what is taken goes out at the flush, in the order sent, once") {
  std::string log;
  Scribe a(log, 'a'), b(log, 'b');
  Outbox outbox;
  CHECK(outbox.take(a, as_bytes("1")));
  CHECK(outbox.take(b, as_bytes("2")));
  CHECK(outbox.take(a, as_bytes("3")));
  CHECK(log.empty());
  outbox.flush();
  CHECK(log == "a1b2a3");
  outbox.flush();
  CHECK(log == "a1b2a3");
}

TEST_CASE("what one sends without another's in between is one write") {
  std::string log;
  Scribe a(log, 'a'), b(log, 'b');
  Outbox outbox;
  for (const char* text : {"1", "", "2"}) CHECK(outbox.take(a, as_bytes(text)));
  CHECK(outbox.take(b, as_bytes("3")));
  CHECK(outbox.take(b, as_bytes("4")));
  outbox.flush();
  CHECK(log == "a12b34");
}

TEST_CASE("what is too large goes out after all that was sent before it") {
  std::string log;
  Scribe a(log, 'a');
  Outbox outbox;
  CHECK(outbox.take(a, as_bytes("1")));
  CHECK_FALSE(outbox.take(a, as_bytes(std::string(5000, 'x'))));
  CHECK(log == "a1");
}

TEST_CASE("a full outbox goes out by itself, and nothing is lost or moved") {
  std::string log, wanted;
  Scribe a(log, 'a'), b(log, 'b');
  Outbox outbox;
  for (int i = 0; i < 5000; ++i) {
    const std::string text = std::to_string(i) + std::string(static_cast<std::size_t>(i % 100), '.');
    CHECK(outbox.take(i % 2 == 0 ? a : b, as_bytes(text)));
    wanted += (i % 2 == 0 ? 'a' : 'b') + text;
  }
  CHECK_FALSE(log.empty());
  outbox.flush();
  CHECK(log == wanted);
}

}  // namespace
}  // namespace entente::net::outbox_test
