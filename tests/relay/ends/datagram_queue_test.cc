// Datagrams that wait: for the worker of their session, or for the turn of their sender.
#include "proxy/relay/ends/datagram_queue.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "proxy/relay/ends/datagram_inbox.h"

namespace entente::relay::datagram_queue_test {
namespace {

net::Address from(std::uint16_t port) { return *net::Address::parse("192.0.2.1", port); }

/// Takes up to so many; "link:port:text " for each.
std::string taken(DatagramQueue& queue, int most, bool& nothing_left) {
  std::string all;
  const auto hand_out = [&all](LinkId link, const net::Address& its, Bytes datagram) {
    all += std::to_string(link) + ":" + std::to_string(its.port()) + ":" + std::string(as_text(datagram)) + " ";
  };
  nothing_left = queue.take(hand_out, [&most] { return --most > 0; });
  return all;
}

TEST_CASE("datagram queue: datagrams come out as they came in, oldest first, also if the reader pauses") {
  DatagramQueue queue;
  bool nothing_left = false;
  for (const LinkId link : {1U, 2U, 3U})
    CHECK(queue.put(link, from(static_cast<std::uint16_t>(40'000 + link)), as_bytes("abc").first(link)));
  CHECK(taken(queue, 2, nothing_left) == "1:40001:a 2:40002:ab ");
  CHECK_FALSE(nothing_left);
  CHECK(queue.put(4, from(40'004), {}));  // meanwhile
  CHECK(taken(queue, 9, nothing_left) == "3:40003:abc 4:40004: ");
  CHECK(nothing_left);
  CHECK(taken(queue, 9, nothing_left) == "");
  CHECK(nothing_left);
}

TEST_CASE("datagram queue: it takes as many bytes as are allowed and no more, and as many again once they are gone") {
  // What a datagram costs beside its bytes.
  std::size_t label = 0;
  while (!DatagramQueue(label).put(1, from(1), {})) ++label;
  const Buffer ten(10);
  bool nothing_left = false;
  for (const std::size_t spare : {0U, 1U}) {
    DatagramQueue queue(3 * (label + ten.size()) - spare);
    for (int round = 0; round < 3; ++round) {
      std::size_t fits = 0;
      while (queue.put(7, from(1), ten)) ++fits;
      CHECK(fits == 3 - spare);
      (void)taken(queue, 9, nothing_left);
      CHECK(nothing_left);
    }
  }
}

/// A job that does `what` in its turn.
struct Turn final : net::Job {
  explicit Turn(std::function<void()> its) : what(std::move(its)) {}
  void run() override { what(); }
  std::function<void()> what;
};

struct Keeper final : DatagramInbox::User {
  void take_datagram(const net::Address&, Bytes datagram) override { heard += as_text(datagram); }
  std::string heard;
};

TEST_CASE(
    "datagram inbox: in a turn with time a datagram is handed on at once; otherwise it waits, and keeps its place") {
  net::Loop loop;
  Keeper keeper;
  DatagramInbox inbox(loop, keeper, std::make_shared<net::Party>());
  std::string at_once, behind;
  Turn turn([&] {
    (void)inbox.put(from(1), as_bytes("a"));
    at_once = keeper.heard;
  });
  loop.serve(turn);
  loop.run();
  CHECK(at_once == "a");
  (void)inbox.put(from(1), as_bytes("b"));  // nobody's turn
  CHECK(keeper.heard == "a");
  Turn other([&] {
    (void)inbox.put(from(1), as_bytes("c"));
    behind = keeper.heard;
  });
  loop.serve(other);  // the loop's own chores come first
  loop.run();
  CHECK(behind == "a");
  CHECK(keeper.heard == "abc");
}

TEST_CASE("datagram inbox: if the time of a turn is up, the rest comes in later turns") {
  const auto steps = std::make_shared<std::uint64_t>(0);
  net::Loop loop([steps] { return *steps += net::Schedule::kJobTime; });  // each datagram takes all of it
  Keeper keeper;
  DatagramInbox inbox(loop, keeper, std::make_shared<net::Party>());
  for (const char* text : {"a", "b", "c", "d"}) CHECK(inbox.put(from(1), as_bytes(text)));
  loop.run();
  CHECK(keeper.heard == "abcd");
}

TEST_CASE("datagram inbox: it keeps a limited number of bytes, and takes more once they were handed on") {
  net::Loop loop;
  Keeper keeper;
  DatagramInbox inbox(loop, keeper, std::make_shared<net::Party>());
  const Buffer kilobyte(1024, 'x');
  for (int round = 0; round < 2; ++round) {
    keeper.heard.clear();
    std::size_t fits = 0;
    while (fits <= DatagramInbox::kMost / kilobyte.size() && inbox.put(from(1), kilobyte)) ++fits;
    CHECK(fits > DatagramInbox::kMost / kilobyte.size() / 2);
    CHECK(fits < DatagramInbox::kMost / kilobyte.size());
    loop.run();
    CHECK(keeper.heard.size() == fits * kilobyte.size());
  }
}

}  // namespace
}  // namespace entente::relay::datagram_queue_test
