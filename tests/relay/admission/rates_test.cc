// Rates: what may come at once, what may come in the long run, and when a peer that exceeded them is read again.
#include "proxy/relay/admission/rates.h"

#include <doctest/doctest.h>

namespace entente::relay::rates_test {
namespace {

TEST_CASE("rates: twice the rate may come at once, and not one more") {
  for (const bool by_bytes : {true, false}) {
    const auto charge = [by_bytes](Rates& rates, std::size_t count) {
      return by_bytes ? rates.charge(count, 0, 0) : rates.charge(0, count, 0);
    };
    Rates rates(by_bytes ? 10 : 0, by_bytes ? 0 : 10, 0), other = rates;
    CHECK(charge(rates, 20));
    CHECK_FALSE(charge(rates, 1));
    CHECK_FALSE(charge(other, 21));
  }
}

TEST_CASE("rates: who has taken too much has to wait until all of it, and one more, has come back") {
  Rates rates(0, 10, 0);
  CHECK_FALSE(rates.charge(0, 25, 0));
  CHECK_FALSE(rates.ready(0));
  CHECK_FALSE(rates.ready(599));  // five too many, and one: six tenths of a second
  CHECK(rates.ready(600));
  CHECK_FALSE(rates.full(2'499));
  CHECK(rates.full(2'500));
}

TEST_CASE("rates: both bytes and messages count, whichever is exceeded") {
  Rates bytes(10, 10, 0), messages(10, 10, 0);
  CHECK_FALSE(bytes.charge(21, 1, 0));
  CHECK_FALSE(bytes.ready(0));
  CHECK_FALSE(messages.charge(1, 21, 0));
  CHECK_FALSE(messages.ready(0));
  CHECK_FALSE(messages.full(100));
}

TEST_CASE("rates: what exceeds the bytes counts as messages, too") {
  Rates rates(10, 10, 0);
  CHECK_FALSE(rates.charge(21, 20, 0));
  rates.adapt(0, 10, 0);
  CHECK_FALSE(rates.charge(0, 1, 0));
}

TEST_CASE("rates: without a limit, anything may come") {
  Rates rates(0, 0, 0);
  CHECK(rates.charge(1'000'000'000, 1'000'000'000, 0));
  CHECK(rates.ready(0));
  CHECK(rates.full(0));
}

TEST_CASE("rates: a lower limit holds at once, a higher one gives nothing, and what was taken too much stays so") {
  Rates rates(0, 10, 0);
  rates.adapt(0, 2, 0);
  CHECK(rates.charge(0, 4, 0));
  CHECK_FALSE(rates.charge(0, 1, 0));
  rates.adapt(0, 1'000, 0);
  CHECK_FALSE(rates.charge(0, 1, 0));
  rates.adapt(0, 0, 0);
  CHECK(rates.charge(0, 1'000, 0));
  rates.adapt(0, 10, 0);  // there was no limit: all of it may come at once
  CHECK(rates.charge(0, 20, 0));
}

TEST_CASE("rates: a clock that is a little behind takes nothing away, and gives nothing twice") {
  Rates rates(0, 10, 1'000);
  CHECK(rates.charge(0, 20, 1'000));
  CHECK_FALSE(rates.ready(900));
  CHECK_FALSE(rates.ready(1'099));
  CHECK(rates.ready(1'100));
}

TEST_CASE("rates: a datagram is counted unless the limits are exceeded already") {
  SharedRates rates;
  rates.adapt(0, 1, 0);
  CHECK(rates.take_datagram(1, 0));
  CHECK(rates.take_datagram(1, 0));
  CHECK_FALSE(rates.take_datagram(1, 0));
  CHECK_FALSE(rates.take_datagram(1, 999));
  CHECK(rates.take_datagram(1, 1'000));  // those that were dropped did not count
  SharedRates bytes;
  bytes.adapt(10, 0, 0);
  CHECK(bytes.take_datagram(1'000, 0));  // it began within the limits
  CHECK_FALSE(bytes.take_datagram(1, 0));
}

TEST_CASE("rates: of a server above its rates, the clients of an address get a 64th, at least one a second") {
  SharedRates rates;
  rates.adapt_part(0, 640, 0);
  CHECK(rates.charge_part(0, 20, 0));
  CHECK_FALSE(rates.charge_part(0, 1, 0));
  CHECK_FALSE(rates.part_ready(199));
  CHECK(rates.part_ready(200));
  CHECK_FALSE(rates.full(200));
  CHECK(rates.full(2'100));
  SharedRates small;
  small.adapt_part(0, 5, 0);
  CHECK(small.charge_part(0, 2, 0));
  CHECK_FALSE(small.charge_part(0, 1, 0));
  SharedRates none;
  none.adapt_part(0, 0, 0);
  CHECK(none.charge_part(1'000'000, 1'000'000, 0));
}

TEST_CASE("bucket: a token is taken only if there is one") {
  Bucket bucket(2, 3, 0);
  for (int i = 0; i < 3; ++i) CHECK(bucket.take_one(0));
  CHECK_FALSE(bucket.take_one(0));
  CHECK_FALSE(bucket.take_one(499));
  CHECK(bucket.take_one(500));  // what failed took nothing
  CHECK_FALSE(bucket.take_one(500));
  CHECK_FALSE(bucket.full(1'999));
  CHECK(bucket.full(2'000));
}

TEST_CASE("bucket: one without a burst lets one through whenever nothing is owed") {
  Bucket bucket(10, 0, 0);
  CHECK(bucket.ready(0));
  CHECK(bucket.take_one(0));
  CHECK_FALSE(bucket.ready(99));
  CHECK(bucket.ready(100));
}

TEST_CASE("bucket: a change of its rate counts from then on, and what was refilled before stays") {
  Bucket bucket(1, 100, 0);
  CHECK(bucket.charge(100, 0));
  bucket.adapt(1'000, 100, 2'000);  // two have come back
  CHECK(bucket.take_one(2'000));
  CHECK(bucket.take_one(2'000));
  CHECK_FALSE(bucket.take_one(2'000));
  CHECK(bucket.take_one(2'001));
}

}  // namespace
}  // namespace entente::relay::rates_test
