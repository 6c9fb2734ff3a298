// What waits in a link: order, what is copied and what is shared, and memory that comes back.
#include "proxy/net/output/waiting_bytes.h"

#include <doctest/doctest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/heap.h"

namespace entente::net::waiting_bytes_test {
namespace {

SharedBytes shared(std::size_t size, std::uint8_t fill) {
  const auto owner = std::make_shared<const Buffer>(size, fill);
  return {*owner, owner};
}

/// Writes up to `most` bytes, as a socket takes them.
Buffer write(WaitingBytes& from, std::size_t most) {
  iovec places[3];
  Buffer out;
  const std::size_t count = from.fill(places);
  for (std::size_t i = 0; i < count; ++i)
    append(out, {static_cast<const std::uint8_t*>(places[i].iov_base), places[i].iov_len});
  out.resize(std::min(out.size(), most));
  from.drop(out.size());
  return out;
}

TEST_CASE("copies and shared bytes come out in order, whatever is written at once") {
  std::mt19937 random(3);
  WaitingBytes waiting;
  Buffer in, out;
  for (int i = 0; i < 3'000; ++i) {
    const auto fill = static_cast<std::uint8_t>(random());
    if (random() % 8 == 0) {
      const SharedBytes large = shared(WaitingBytes::kWorthSharing + random() % 1000, fill);
      waiting.add(large);
      append(in, large.bytes);
    } else {
      const Buffer small(random() % 3000, fill);
      waiting.add(small);
      append(in, small);
    }
    while (random() % 3 != 0 && !waiting.empty()) append(out, write(waiting, random() % 30'000));
    REQUIRE(waiting.size() == in.size() - out.size());
    if (!waiting.empty()) REQUIRE(waiting.first()[0] == in[out.size()]);
  }
  while (!waiting.empty()) append(out, write(waiting, 100'000));
  CHECK(out == in);
  CHECK(waiting.weight() == 0);
}

TEST_CASE("what many wait for is kept once, and as long as somebody waits") {
  constexpr std::size_t kReaders = 400, kSize = 1U << 20U;
  std::vector<WaitingBytes> readers(kReaders);
  std::weak_ptr<const void> kept;
  {
    const SharedBytes page = shared(kSize, 7);
    kept = page.owner;
    for (WaitingBytes& one : readers) one.add(page);
  }
  std::size_t all = 0;
  for (const WaitingBytes& one : readers) {
    CHECK(one.size() == kSize);
    all += one.weight();
  }
  CHECK(all <= kSize);
  for (WaitingBytes& one : readers)
    while (!one.empty()) one.drop(std::min<std::size_t>(one.size(), 70'000));
  CHECK(kept.expired());
}

TEST_CASE("a few shared bytes are copied, so that they do not keep a whole page") {
  const SharedBytes page = shared(64 * 1024, 1);
  WaitingBytes waiting;
  waiting.add({page.bytes.first(WaitingBytes::kWorthSharing - 1), page.owner});
  CHECK(page.owner.use_count() == 1);
  waiting.add({page.bytes.first(WaitingBytes::kWorthSharing), page.owner});
  CHECK(page.owner.use_count() == 2);
}

TEST_CASE("shared bytes that follow each other in a page wait in one piece") {
  const SharedBytes page = shared(8 * WaitingBytes::kWorthSharing, 1);
  const auto part = [&](std::size_t from, std::size_t size) {
    return SharedBytes{page.bytes.subspan(from, size), page.owner};
  };
  constexpr std::size_t kPart = 2 * WaitingBytes::kWorthSharing;
  WaitingBytes waiting;
  CHECK(waiting.first().empty());
  waiting.add(part(0, kPart));
  waiting.add(part(kPart, kPart));
  waiting.add(part(3 * kPart, kPart));  // leaves a gap
  CHECK(waiting.size() == 3 * kPart);
  iovec places[4];
  REQUIRE(waiting.fill(places) == 2);
  CHECK(places[0].iov_base == page.bytes.data());
  CHECK(places[0].iov_len == 2 * kPart);
  CHECK(places[1].iov_base == page.bytes.data() + 3 * kPart);
  waiting.drop(kPart + 1);
  CHECK(waiting.first().data() == page.bytes.data() + kPart + 1);
}

TEST_CASE("pieces that were written are forgotten, however long a queue never becomes empty") {
  WaitingBytes waiting;
  Buffer in, out;
  for (int i = 0; i < 1'000; ++i) {
    const SharedBytes piece = shared(WaitingBytes::kWorthSharing, static_cast<std::uint8_t>(i));
    append(in, piece.bytes);
    waiting.add(piece);
    if (i >= 10) append(out, write(waiting, piece.bytes.size()));
    CHECK(waiting.weight() <= 11 * WaitingBytes::kWorthSharing);
  }
  while (!waiting.empty()) append(out, write(waiting, 100'000));
  CHECK(out == in);
}

TEST_CASE("a queue that never becomes empty takes no more memory, however many pieces pass through it") {
  constexpr std::size_t kPart = WaitingBytes::kWorthSharing;
  const SharedBytes page = shared(4 * kPart, 1);
  WaitingBytes waiting;
  const std::ptrdiff_t before = testing::bytes_here();
  for (std::size_t i = 0; i < 20'000; ++i) {
    waiting.add({page.bytes.subspan(i % 2 * 2 * kPart, kPart), page.owner});  // not next to the one before
    if (i >= 10) waiting.drop(kPart);
  }
  CHECK(testing::bytes_here() - before < 8 * 1024);
  CHECK(waiting.size() == 10 * kPart);
}

TEST_CASE("a queue that was drained keeps little memory, however long it was, and whatever it held") {
  WaitingBytes waiting;
  const std::ptrdiff_t before = testing::bytes_here();
  SUBCASE("copies, written at once") { waiting.add(Buffer(1U << 20U, 1)); }
  SUBCASE("copies, written in pieces") {
    waiting.add(Buffer(1U << 20U, 1));
    while (waiting.size() > 1) waiting.drop(waiting.size() / 2);
  }
  SUBCASE("many pieces") {
    for (std::uint8_t i = 0; i < 200; ++i) {
      waiting.add(shared(WaitingBytes::kWorthSharing, i));
      waiting.add(Buffer(100, i));
    }
  }
  SUBCASE("it is cleared") {
    waiting.add(Buffer(1U << 20U, 1));
    waiting.clear();
  }
  waiting.drop(waiting.size());
  CHECK(waiting.empty());
  CHECK(testing::bytes_here() - before < 8 * 1024);
}

TEST_CASE("a queue that was short, and was drained, takes no new memory for the next bytes") {
  WaitingBytes waiting;
  for (int i = 0; i < 2; ++i) {
    waiting.add(Buffer(100, 1));
    waiting.drop(100);
  }
  const Buffer more(3'000, 2);
  const std::size_t before = testing::allocations_here();
  for (int i = 0; i < 5; ++i) {
    waiting.add(more);
    CHECK(waiting.first().size() == more.size());
    waiting.drop(1'000);
    waiting.drop(waiting.size());
  }
  const std::size_t after = testing::allocations_here();
  CHECK(after == before);
}

TEST_CASE("bytes are moved to the front of a queue once more than half were written, and all that is left comes out") {
  WaitingBytes waiting;
  Buffer all(10'000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i * 7);
  waiting.add(all);
  waiting.drop(5'000);
  CHECK(waiting.weight() == 10'000);  // half is not more than half
  waiting.drop(1);
  CHECK(waiting.weight() == 4'999);
  CHECK(waiting.size() == 4'999);
  waiting.add(as_bytes(std::string_view("end")));
  Buffer rest = write(waiting, 100'000);
  Buffer expected(all.begin() + 5'001, all.end());
  append(expected, as_bytes(std::string_view("end")));
  CHECK(rest == expected);
  CHECK(waiting.empty());
  CHECK(waiting.first().empty());
}

}  // namespace
}  // namespace entente::net::waiting_bytes_test
