// What a tap keeps of health checks.
#include "proxy/relay/tap/held_checks.h"

#include <doctest/doctest.h>

#include <string>

namespace entente::relay::held_checks_test {
namespace {

struct Rig {
  bool hold(LinkId link, RingSink::Kind kind, Bytes bytes = {}) {
    Ring::EntryHeader header;
    header.link = link;
    header.kind = kind;
    header.at = ++at;
    return checks.hold({header, bytes}, [this](const Ring::Entry& entry) {
      taken += (taken.empty() ? "" : " ") + std::to_string(entry.header.link) + ":";
      if (entry.header.kind != RingSink::kOpened) taken += as_text(entry.bytes);
      CHECK(entry.header.at > last);  // in their order
      last = entry.header.at;
    });
  }
  bool open(LinkId link, bool is_check, LinkId session = 0) {
    LinkInfo info;
    info.link = link;
    info.session = session;
    info.health_check = is_check;
    const bool held = hold(link, RingSink::kOpened, {reinterpret_cast<const std::uint8_t*>(&info), sizeof info});
    return held;
  }
  bool say(LinkId link, std::string_view text) { return hold(link, RingSink::kBytes, as_bytes(text)); }

  HeldChecks checks;
  std::string taken;
  WallTime at = 0, last = 0;
};

TEST_CASE("a client is not held, nor what is said of a link that is not known") {
  Rig rig;
  CHECK_FALSE(rig.open(1, false));
  CHECK_FALSE(rig.say(1, "a"));
  CHECK_FALSE(rig.hold(1, RingSink::kPlays));
  CHECK_FALSE(rig.hold(1, RingSink::kClosed));
  CHECK_FALSE(rig.say(2, "b"));
  CHECK(rig.taken.empty());
}

TEST_CASE("what is held is given once its client plays, with the end of its server's link, and later entries pass") {
  Rig rig;
  CHECK(rig.open(1, true));
  CHECK(rig.say(1, "a"));
  CHECK(rig.open(2, false, 1));  // its server's link
  CHECK(rig.say(2, "b"));
  CHECK(rig.hold(2, RingSink::kClosed, as_bytes(std::string_view("c"))));
  CHECK(rig.taken.empty());
  CHECK(rig.hold(2, RingSink::kPlays));
  CHECK(rig.taken == "1: 1:a 2: 2:b 2:c");
  CHECK_FALSE(rig.say(1, "d"));
  CHECK_FALSE(rig.say(2, "e"));
  CHECK_FALSE(rig.open(3, false, 1));
  CHECK(rig.taken == "1: 1:a 2: 2:b 2:c");
}

TEST_CASE("a health check that ends is forgotten with all of its links, and another one goes on") {
  Rig rig;
  CHECK(rig.open(1, true));
  CHECK(rig.open(2, false, 1));
  CHECK(rig.open(3, true));
  CHECK(rig.say(3, "x"));
  CHECK(rig.hold(1, RingSink::kClosed));
  CHECK_FALSE(rig.say(1, "a"));
  CHECK_FALSE(rig.say(2, "a"));
  CHECK(rig.taken.empty());
  CHECK(rig.say(3, "y"));
  CHECK(rig.hold(3, RingSink::kPlays));
  CHECK(rig.taken == "3: 3:x 3:y");
}

TEST_CASE("the check that exceeds what is held of all counts as a client; those before it are still held") {
  Rig rig;
  const std::string half(HeldChecks::kMost / 2, 'x');
  CHECK(rig.open(1, true));
  CHECK(rig.say(1, half));
  CHECK(rig.open(2, true));
  CHECK(rig.taken.empty());
  CHECK(rig.say(2, half));
  CHECK_FALSE(rig.taken.empty());
  CHECK_FALSE(rig.say(2, "more"));
  rig.taken.clear();
  CHECK(rig.say(1, "still held"));
  CHECK(rig.open(3, true));  // there is room again for another one
  CHECK(rig.say(3, half.substr(4'096)));
  CHECK(rig.taken.empty());
}

TEST_CASE("what was given of checks that turned out to be clients counts no longer") {
  Rig rig;
  const std::string part(HeldChecks::kMost / 3, 'x');
  for (LinkId link = 1; link <= 9; ++link) {
    CHECK(rig.open(link, true));
    CHECK(rig.say(link, part));
    CHECK(rig.taken.empty());
    CHECK(rig.hold(link, RingSink::kPlays));
    CHECK_FALSE(rig.taken.empty());
    rig.taken.clear();
  }
}

}  // namespace
}  // namespace entente::relay::held_checks_test
