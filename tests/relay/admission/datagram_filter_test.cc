// Which datagrams of a client pass: by their size, by its own rate, and by the rates of its address.
#include "proxy/relay/admission/datagram_filter.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "tests/support/toy_game.h"

namespace entente::relay::datagram_filter_test {
namespace {

constexpr std::size_t kLargest = 100;
constexpr Millis kNow = 1'000;

std::unique_ptr<wire::Cutter> cutter() { return toy::game().datagram_cutter(wire::Way::kToServer, 0); }

/// A frame of the toy game of this many bytes.
Buffer frame_of(std::size_t size) {
  Buffer frame(size, 0);
  frame[0] = static_cast<std::uint8_t>(size - 2);
  return frame;
}

/// How many datagrams of two bytes pass now.
std::size_t passes_now(DatagramFilter& filter, Millis now = kNow) {
  std::size_t passed = 0;
  while (passed < 1'000 && !filter.objection(frame_of(2), now)) ++passed;
  return passed;
}

std::shared_ptr<SharedRates> rates_of(std::uint32_t bytes, std::uint32_t messages) {
  auto rates = std::make_shared<SharedRates>();
  rates->adapt(bytes, messages, kNow);
  return rates;
}

TEST_CASE("datagram filter: the largest datagram passes, a larger one does not and takes nothing of the rate") {
  DatagramFilter filter(cutter(), kLargest, 1, kNow);
  CHECK(filter.objection(frame_of(kLargest + 1), kNow) == Drop::kTooLarge);
  CHECK_FALSE(filter.objection(frame_of(kLargest), kNow));
  CHECK(filter.objection(frame_of(2), kNow) == Drop::kTooFast);
}

TEST_CASE("datagram filter: a client may send its rate at once, and then so many a second") {
  DatagramFilter filter(cutter(), kLargest, 10, kNow);
  CHECK(passes_now(filter) == 10);
  CHECK(passes_now(filter, kNow + 99) == 0);
  CHECK(passes_now(filter, kNow + 100) == 1);
  DatagramFilter unlimited(cutter(), kLargest, 0, kNow);
  CHECK(passes_now(unlimited) == 1'000);
}

TEST_CASE("datagram filter: the further messages of a packed datagram count against the client's rate") {
  DatagramFilter filter(cutter(), kLargest, 10, kNow);
  CHECK_FALSE(filter.objection(frame_of(2), kNow));
  filter.charge(0, kNow);
  filter.charge(4, kNow);
  CHECK(passes_now(filter) == 5);
}

TEST_CASE("datagram filter: the further messages of a packed datagram count against the rates of its address") {
  DatagramFilter filter(cutter(), kLargest, 0, kNow), other(cutter(), kLargest, 0, kNow);
  const auto rates = rates_of(0, 10);  // twice as many at once
  filter.share(rates);
  other.share(rates);
  CHECK_FALSE(filter.objection(frame_of(2), kNow));
  filter.charge(14, kNow);
  CHECK(passes_now(other) == 5);
  CHECK(passes_now(filter) == 0);
  filter.share(nullptr);
  filter.charge(14, kNow);
  CHECK(passes_now(filter) == 1'000);
}

TEST_CASE("datagram filter: what a client sends above its own rate takes nothing from its address") {
  DatagramFilter fast(cutter(), kLargest, 3, kNow), other(cutter(), kLargest, 0, kNow);
  const auto rates = rates_of(0, 10);
  fast.share(rates);
  other.share(rates);
  for (int i = 0; i < 100; ++i) (void)fast.objection(frame_of(2), kNow);
  CHECK(passes_now(other) == 17);
}

TEST_CASE("datagram filter: the bytes of datagrams count against the rates of the address") {
  DatagramFilter filter(cutter(), kLargest, 0, kNow);
  filter.share(rates_of(100, 0));
  for (int i = 0; i < 2; ++i) CHECK_FALSE(filter.objection(frame_of(kLargest), kNow));
  CHECK(filter.objection(frame_of(2), kNow) == Drop::kTooFast);
}

TEST_CASE("datagram filter: what is not a frame does not pass; without a cutter, anything does") {
  DatagramFilter filter(cutter(), kLargest, 0, kNow);
  CHECK(filter.objection({}, kNow) == Drop::kBadFrame);
  CHECK(filter.objection(Bytes(frame_of(9)).first(8), kNow) == Drop::kBadFrame);
  CHECK(filter.objection(Buffer{255, 0, 0}, kNow) == Drop::kBadFrame);
  DatagramFilter uncut(nullptr, kLargest, 0, kNow);
  CHECK_FALSE(uncut.objection(Buffer{255, 0, 0}, kNow));
}

TEST_CASE("datagram filter: on a strict route, each message of a datagram must decode") {
  StrictFilter strict(toy::game());
  DatagramFilter filter(cutter(), kLargest, 0, kNow);
  const Buffer good{7, 5, 0, 0, 0, 0, 0, 0, 0}, unknown{1, 99, 0};  // three empty texts; no such code
  Buffer both = good;
  append(both, unknown);
  CHECK_FALSE(filter.objection(both, kNow));
  filter.watch(strict, 0);
  CHECK_FALSE(filter.objection(good, kNow));
  CHECK(filter.objection(both, kNow) == Drop::kBadFrame);
  CHECK(filter.objection(unknown, kNow) == Drop::kBadFrame);
}

TEST_CASE("datagram filter: an empty datagram, or one that ends within its frame, does not pass") {
  DatagramFilter filter(cutter(), kLargest, 0, kNow);
  CHECK(filter.objection({}, kNow) == Drop::kBadFrame);
  const Buffer whole = frame_of(10);
  CHECK(filter.objection(Bytes(whole).first(9), kNow) == Drop::kBadFrame);
  CHECK_FALSE(filter.objection(whole, kNow));
}

}  // namespace
}  // namespace entente::relay::datagram_filter_test
