#include "proxy/relay/admission/entry_queue.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <ctime>
#include <string>

namespace entente::relay::entry_queue_test {
namespace {

net::Address from(int last) { return *net::Address::parse("127.0.0." + std::to_string(last), 1000); }

/// Those that are let in at that time, in order.
std::string all(EntryQueue<int>& queue, Millis now) {
  std::string names;
  while (const int who = queue.take(0, now)) names += std::to_string(who) + " ";
  return names;
}

TEST_CASE("addresses take turns, and each address keeps its order") {
  EntryQueue<int> queue;
  for (const int who : {11, 12, 13}) queue.add(from(1), who, 0, 1, 0);
  for (const int who : {21, 22}) queue.add(from(2), who, 0, 1, 0);
  queue.add(from(3), 31, 0, 1, 0);
  CHECK(queue.size() == 6);
  CHECK(all(queue, 0) == "11 21 31 12 22 13 ");
  CHECK(queue.empty());
}

TEST_CASE("an address over its rate waits, and delays no other address") {
  EntryQueue<int> queue;
  for (const int who : {11, 12, 13, 14}) queue.add(from(1), who, 10, 2, 0);
  for (const int who : {21, 22, 23}) queue.add(from(2), who, 0, 1, 0);
  CHECK(all(queue, 0) == "11 21 12 22 23 ");
  CHECK_FALSE(queue.ready(99));
  CHECK(queue.ready(100));
  CHECK(all(queue, 100) == "13 ");
  CHECK(all(queue, 199) == "");
  CHECK(all(queue, 200) == "14 ");
}

TEST_CASE("a client that is gone is skipped") {
  EntryQueue<int> queue;
  for (const int who : {11, 12}) queue.add(from(1), who, 0, 1, 0);
  queue.add(from(2), 21, 0, 1, 0);
  queue.remove(21);
  queue.remove(11);
  queue.remove(71);
  CHECK(all(queue, 0) == "12 ");
  queue.tidy(0);
  CHECK(queue.known() == 0);
}

TEST_CASE("who waits already keeps its place, and is not added again") {
  EntryQueue<int> queue;
  for (const int who : {11, 12, 13}) CHECK(queue.add(from(1), who, 10, 2, 0));
  CHECK_FALSE(queue.add(from(1), 11, 10, 2, 0));
  CHECK_FALSE(queue.add(from(2), 13, 0, 1, 0));  // also under another address
  CHECK(queue.size() == 3);
  CHECK(all(queue, 0) == "11 12 ");
  CHECK(queue.contains(13));
  CHECK_FALSE(queue.contains(11));
  CHECK(queue.add(from(1), 11, 10, 2, 0));
  queue.remove(13);
  CHECK(all(queue, 100) == "11 ");
  CHECK(queue.empty());
}

TEST_CASE("an address is forgotten once its rate has recovered") {
  EntryQueue<int> queue;
  for (const int who : {11, 12}) queue.add(from(1), who, 10, 2, 0);
  CHECK(all(queue, 0) == "11 12 ");
  queue.tidy(100);
  CHECK(queue.known() == 1);
  queue.tidy(200);
  CHECK(queue.known() == 0);
}

TEST_CASE("an address whose last client has left has one turn when others of it come, not two") {
  EntryQueue<int> queue;
  queue.add(from(1), 11, 0, 1, 0);
  queue.remove(11);
  for (const int who : {12, 13, 14}) queue.add(from(1), who, 0, 1, 0);
  for (const int who : {21, 22}) queue.add(from(2), who, 0, 1, 0);
  CHECK(all(queue, 0) == "12 21 13 22 14 ");
  CHECK_FALSE(queue.ready(0));
}

/// Counts how often two of them are compared.
struct Counted {
  explicit operator std::uint64_t() const { return number; }
  bool operator==(const Counted& other) const { return ++comparisons, number == other.number; }
  std::uint64_t number;
  static inline std::uint64_t comparisons = 0;
};

TEST_CASE("a client who leaves is found at once, however many of its address wait") {
  EntryQueue<Counted> queue;
  constexpr std::uint64_t kMany = 4'000;
  for (std::uint64_t who = 1; who <= kMany; ++who) queue.add(from(1), {who}, 0, 1, 0);
  Counted::comparisons = 0;
  for (std::uint64_t who = kMany; who > 1; --who) queue.remove({who});
  CHECK(Counted::comparisons < 20 * kMany);
  CHECK(queue.size() == 1);
  CHECK(queue.take({0}, 0) == Counted{1});
}

TEST_CASE("a changed rate holds for those who wait already") {
  EntryQueue<int> queue;
  for (const int who : {11, 12, 13}) queue.add(from(1), who, 0, 1, 0);
  queue.add(from(1), 14, 1, 2, 0);
  CHECK(all(queue, 0) == "11 12 ");
  queue.add(from(1), 15, 0, 1, 0);
  CHECK(all(queue, 0) == "13 14 15 ");
}

TEST_CASE("a changed rate keeps an address's turn, and the rate of an address that may enter again counts at once") {
  EntryQueue<int> queue;
  for (const int who : {11, 12}) queue.add(from(1), who, 0, 1, 0);
  queue.add(from(2), 21, 0, 1, 0);
  queue.add(from(1), 13, 1, 1, 0);
  CHECK(all(queue, 0) == "11 21 ");
  CHECK_FALSE(queue.ready(999));
  queue.add(from(1), 14, 10, 1, 0);
  CHECK_FALSE(queue.ready(99));
  CHECK(all(queue, 100) == "12 ");
  queue.remove(13);
  queue.remove(14);
  CHECK_FALSE(queue.ready(60'000));
}

TEST_CASE("addresses over their rate enter in the order in which their rate lets them") {
  EntryQueue<int> queue;
  for (const int who : {11, 12}) queue.add(from(1), who, 1, 1, 0);
  for (const int who : {21, 22}) queue.add(from(2), who, 10, 1, 0);
  for (const int who : {31, 32}) queue.add(from(3), who, 3, 1, 0);
  CHECK(all(queue, 0) == "11 21 31 ");
  CHECK(all(queue, 99) == "");
  CHECK(all(queue, 333) == "22 ");
  CHECK(queue.ready(334));
  CHECK(all(queue, 1'000) == "32 12 ");
}

TEST_CASE("addresses over their rate are not looked at, however many there are") {
  EntryQueue<std::uint32_t> queue;
  constexpr std::uint32_t kMany = 20'480;  // a multiple of 256
  for (std::uint32_t who = 1; who <= 2 * kMany; ++who) {
    const std::string ip = "10.0." + std::to_string(who % kMany / 256) + "." + std::to_string(who % 256);
    queue.add(*net::Address::parse(ip, 1000), who, 1, 1, 0);
  }
  std::uint32_t let_in = 0;
  while (queue.take(0, 0) != 0) ++let_in;
  CHECK(let_in == kMany);
  const std::clock_t before = std::clock();
  for (std::uint32_t i = 0; i < kMany; ++i) {
    REQUIRE(queue.take(0, 999) == 0);
    REQUIRE_FALSE(queue.ready(999));
  }
  CHECK((std::clock() - before) / CLOCKS_PER_SEC < 5);  // to look at all of them each time takes minutes
}

TEST_CASE("an address with waiting clients is not forgotten, however long they wait") {
  EntryQueue<int> queue;
  queue.add(from(1), 11, 10, 2, 0);
  queue.tidy(60'000);
  CHECK(queue.known() == 1);
  CHECK(all(queue, 60'000) == "11 ");
}

}  // namespace
}  // namespace entente::relay::entry_queue_test
