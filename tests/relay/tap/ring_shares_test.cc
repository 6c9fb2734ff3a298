// Who may still write into a ring that fills.
#include "proxy/relay/tap/ring_shares.h"

#include <doctest/doctest.h>

namespace entente::relay::ring_shares_test {
namespace {

/// A ring of 1,000 bytes, of which 900 may wait: nothing is counted below 250, and all may write below 500. The 400
/// bytes beyond are shared.
struct Rig {
  void open(LinkId link, const char* address) { shares.opened(link, *net::Address::parse(address, 1000)); }
  /// While `waiting` bytes wait.
  bool write(LinkId link, std::size_t bytes, std::size_t waiting) {
    return shares.may_write(link, bytes, read + waiting, read);
  }
  RingShares shares{1'000, 900};
  std::size_t read = 0;  // the reader's position
};

TEST_CASE("while a quarter of a ring waits, or less, everybody may write as much as fits") {
  Rig rig;
  rig.open(1, "192.0.2.1");
  for (int i = 0; i < 100; ++i) CHECK(rig.write(1, 1'000, 250));
  CHECK(rig.write(1, 400, 501));  // nothing of that was counted
  CHECK_FALSE(rig.write(1, 1, 501));
}

TEST_CASE("while half of a ring waits, or less, everybody may write, but it counts") {
  Rig rig;
  rig.open(1, "192.0.2.1");
  for (int i = 0; i < 100; ++i) CHECK(rig.write(1, 1'000, 500));
  CHECK_FALSE(rig.write(1, 1, 501));
  CHECK(rig.write(1, 1, 500));
}

TEST_CASE("beyond half of a ring, those who write and one more share the rest equally") {
  Rig rig;
  for (LinkId link = 1; link <= 3; ++link) rig.open(link, ("192.0.2." + std::to_string(link)).c_str());
  CHECK(rig.write(1, 300, 300));      // one writer
  CHECK_FALSE(rig.write(1, 1, 501));  // it has more than half of 400
  CHECK_FALSE(rig.write(2, 201, 501));
  CHECK(rig.write(2, 200, 501));  // two writers
  CHECK_FALSE(rig.write(3, 134, 501));
  CHECK(rig.write(3, 133, 501));
  CHECK_FALSE(rig.write(2, 1, 501));
}

TEST_CASE("all links of an address have one share, and links that are not known may write") {
  Rig rig;
  rig.open(1, "2001:db8::1");
  rig.open(2, "2001:db8::2");  // of one /64
  rig.open(3, "2001:db8:0:1::1");
  CHECK(rig.write(1, 150, 300));
  CHECK(rig.write(2, 50, 501));
  CHECK_FALSE(rig.write(1, 1, 501));
  CHECK_FALSE(rig.write(2, 1, 501));
  CHECK(rig.write(3, 100, 501));
  CHECK(rig.write(99, 1'000, 899));
}

TEST_CASE("an address keeps its share for as long as what it wrote may wait, also if it leaves and comes back") {
  Rig rig;
  rig.open(1, "192.0.2.1");
  CHECK(rig.write(1, 400, 300));
  CHECK_FALSE(rig.write(1, 1, 501));
  rig.shares.closed(1);
  rig.open(2, "192.0.2.1");
  CHECK_FALSE(rig.write(2, 1, 501));
  rig.read = 300;  // a round is over: what was written in it waits no longer, perhaps
  CHECK_FALSE(rig.write(2, 1, 501));
  rig.read = 801;  // another one
  CHECK(rig.write(2, 200, 501));
}

TEST_CASE("who writes in each round has what it wrote in the round before counted, too, and no more") {
  Rig rig;
  rig.open(1, "192.0.2.1");
  rig.open(2, "192.0.2.2");
  CHECK(rig.write(1, 100, 300));
  rig.read = 300;
  CHECK(rig.write(1, 50, 400));        // the next round
  CHECK_FALSE(rig.write(1, 51, 501));  // of half of 400, 150 are used
  CHECK(rig.write(1, 50, 501));
  rig.read = 700;
  CHECK(rig.write(1, 100, 501));  // the round after: 100 of the one before
  CHECK_FALSE(rig.write(1, 1, 501));
}

TEST_CASE("once a quarter of the ring waits, or less, all shares are as new, and those who have left are forgotten") {
  Rig rig;
  rig.open(1, "192.0.2.1");
  rig.open(2, "192.0.2.2");
  CHECK(rig.write(1, 400, 300));
  CHECK(rig.write(2, 100, 300));
  CHECK_FALSE(rig.write(1, 1, 501));
  rig.shares.closed(2);
  CHECK(rig.write(1, 5, 250));
  CHECK(rig.write(1, 400, 501));  // it is the only writer now
  CHECK_FALSE(rig.write(1, 1, 501));
}

TEST_CASE("the closing of a link that is not known changes nothing, and one of several links leaves the share") {
  Rig rig;
  rig.open(1, "192.0.2.1");
  rig.open(2, "192.0.2.1");
  CHECK(rig.write(1, 300, 300));
  rig.shares.closed(77);
  rig.shares.closed(1);
  rig.shares.closed(1);
  CHECK_FALSE(rig.write(2, 1, 501));
  CHECK(rig.write(1, 1, 501));  // it is not known any more
}

}  // namespace
}  // namespace entente::relay::ring_shares_test
