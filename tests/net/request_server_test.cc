// Requests are answered while any number of other connections send nothing, or send very small pieces.
// A connection may last an hour here, so that none gets in because another one timed out.
#include "proxy/net/request_server.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <future>
#include <thread>
#include <vector>

#include "proxy/net/socket.h"
#include "tests/support/connection.h"
#include "tests/support/no_files_left.h"

namespace entente::net::request_server_test {
namespace {

constexpr Millis kHour = 3'600'000;

Sockets any_port() {
  auto sockets = listen(*Address::parse("127.0.0.1", 0), false);
  REQUIRE(sockets.ok());
  return std::move(*sockets);
}

/// Answers a line with "heard".
struct Place {
  explicit Place(Millis time = kHour, Sockets listening = any_port()) {
    address = listening.address;
    auto begun = RequestServer::open(
        loop, std::move(listening.tcp),
        [this](std::string_view said, bool, const Fd&) -> std::optional<RequestServer::Answer> {
          if (!said.ends_with('\n')) return std::nullopt;
          if (said == "large\n") return std::string(made_bytes, 'm');
          if (said != "slow\n") return std::string("heard");
          return RequestServer::Answer::later([this](Fd&) {
            end.wait();
            return std::string(made_bytes, 'm');
          });
        },
        time);
    REQUIRE(begun.ok());
    requests = std::move(*begun);
    requests->start();
  }

  Fd guest(std::string_view says = {}) const {
    Fd fd = testing::connect_to(address);
    if (!says.empty()) ::send(fd.get(), says.data(), says.size(), MSG_NOSIGNAL);
    return fd;
  }

  /// Another server of the loop, which answers "beside".
  std::unique_ptr<RequestServer> open_beside(Address* its_address = nullptr) {
    Sockets listening = any_port();
    if (its_address != nullptr) *its_address = listening.address;
    auto begun = RequestServer::open(
        loop, std::move(listening.tcp),
        [](std::string_view, bool, const Fd&) { return std::optional<RequestServer::Answer>(std::string("beside")); },
        kHour);
    REQUIRE(begun.ok());
    (*begun)->start();
    return std::move(*begun);
  }

  std::promise<void> made;     // slow answers wait for it
  std::size_t made_bytes = 4;  // of a slow or large answer
  const std::shared_future<void> end = made.get_future().share();
  RequestLoop loop{"test", "slow test"};  // ends first: slow answers are made on its thread
  Address address;
  std::unique_ptr<RequestServer> requests;
};

TEST_CASE(
    "a request is answered while three times as many connections as there are places send nothing, or half a line") {
  const Place place;
  for (const std::string_view beginning : {"", "half"}) {
    std::vector<Fd> idle;
    for (std::size_t i = 0; i < 3 * RequestServer::kMostConnections; ++i) idle.push_back(place.guest(beginning));
    CHECK(testing::read_all(place.guest("question\n")) == "heard");
    for (std::size_t i = 0; i < RequestServer::kMostConnections; ++i)
      CHECK(testing::read_all(idle[i]).empty());  // the oldest made room
    pollfd youngest{idle.back().get(), POLLIN, 0};
    CHECK(::poll(&youngest, 1, 0) == 0);
  }
}

TEST_CASE("while an answer waits, others are heard and answered, also by another server of the loop") {
  Place place;
  Address its_address;
  auto beside = place.open_beside(&its_address);
  const auto asks_beside = [&] {
    const Fd fd = testing::connect_to(its_address);
    ::send(fd.get(), "x", 1, MSG_NOSIGNAL);
    return testing::read_all(fd);
  };
  const Fd slow = place.guest("slow\n"), waits = place.guest("slow\n");
  CHECK(testing::read_all(place.guest("question\n")) == "heard");
  CHECK(asks_beside() == "beside");
  std::vector<Fd> idle;  // which may not push out those that wait
  for (std::size_t i = 0; i < RequestServer::kMostConnections; ++i) idle.push_back(place.guest("half"));
  CHECK(testing::read_all(place.guest("question\n")) == "heard");
  beside.reset();  // while the loop runs
  place.made.set_value();
  CHECK(testing::read_all(slow) == "mmmm");
  CHECK(testing::read_all(waits) == "mmmm");
}

TEST_CASE("an answer that is made while another server of the loop goes is sent") {
  for (int round = 0; round < 300; ++round) {
    Place place;
    auto beside = place.open_beside();
    const Fd slow = place.guest("slow\n");
    CHECK(testing::read_all(place.guest("question\n")) == "heard");
    std::thread goes([&] { beside.reset(); });
    place.made.set_value();
    goes.join();
    REQUIRE(testing::read_all(slow) == "mmmm");
  }
}

TEST_CASE("the time in which an answer is made does not count as time in which its client does not read it") {
  constexpr Millis kTime = 1'000;
  Place place(kTime);
  place.made_bytes = 8U << 20U;  // more than the sockets take at once
  const Fd slow = place.guest("slow\n"), later = place.guest("half");
  CHECK(testing::read_all(later).empty());  // its time is over, and so would be the time of the older question
  place.made.set_value();
  CHECK(testing::read_all(slow).size() == place.made_bytes);
}

TEST_CASE("a client who was slow to ask has as much time to read the answer as any other, who gets no more for it") {
  constexpr Millis kTime = 6'000;
  Place place(kTime);
  const Place clock(kTime * 6 / 10);  // whose clients are closed after that time
  place.made_bytes = 8U << 20U;       // more than the sockets take at once
  const Fd client = place.guest("lar"), silent = place.guest();
  CHECK(testing::read_all(clock.guest()).empty());
  CHECK(::send(client.get(), "ge\n", 3, MSG_NOSIGNAL) == 3);
  CHECK(testing::read_all(silent).empty());  // its time is over, and so would be the client's, who came earlier
  CHECK(testing::read_all(client).size() == place.made_bytes);
}

TEST_CASE("when too many bytes of answers wait for slow readers, the oldest reader is closed, and the others go on") {
  Place place;
  place.made_bytes = RequestServer::kMostAnswers / 3;
  std::vector<Fd> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(place.guest("slow\n"));
    CHECK(testing::read_all(place.guest("question\n")) == "heard");  // so they are connected in order
  }
  place.made.set_value();
  CHECK(testing::read_all(slow[3]).size() == place.made_bytes);
  CHECK(testing::read_all(slow[0]).size() < place.made_bytes);
  CHECK(testing::read_all(slow[1]).size() == place.made_bytes);
  CHECK(testing::read_all(slow[2]).size() == place.made_bytes);
}

TEST_CASE("a full server makes room by closing one who has asked nothing, not one who still reads an answer") {
  Place place;
  const Place clock(RequestServer::kGrace + 1);  // whose clients are closed when they could make room
  place.made_bytes = 8U << 20U;                  // more than the sockets take at once
  const Fd reader = place.guest("large\n");
  pollfd answered{reader.get(), POLLIN, 0};
  REQUIRE(::poll(&answered, 1, 40'000) == 1);
  const Fd silent = place.guest();
  CHECK(testing::read_all(place.guest("question\n")) == "heard");  // so the others are connected
  CHECK(testing::read_all(clock.guest()).empty());
  std::vector<Fd> idle;
  while (idle.size() < RequestServer::kMostConnections - 2) idle.push_back(place.guest());
  CHECK(testing::read_all(place.guest("question\n")) == "heard");
  pollfd closed{silent.get(), POLLIN, 0};
  CHECK(::poll(&closed, 1, 0) == 1);
  CHECK(testing::read_all(reader).size() == place.made_bytes);
}

TEST_CASE("the newest answer is sent, however large it is") {
  Place place;
  place.made_bytes = RequestServer::kMostAnswers + 1;
  const Fd silent = place.guest();
  CHECK(testing::read_all(place.guest("large\n")).size() == place.made_bytes);
}

TEST_CASE("a server that is full of clients who read no answer closes the oldest, and answers the next") {
  constexpr std::size_t kRoom = 16 * 1024;  // of a Unix socket; of TCP, the kernel makes it as large as it wants
  Sockets listening;
  listening.tcp = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  socklen_t size = sizeof(sa_family_t);  // the kernel chooses a name
  REQUIRE(::bind(listening.tcp.get(), reinterpret_cast<const sockaddr*>(&at), size) == 0);
  size = sizeof at;
  REQUIRE(::getsockname(listening.tcp.get(), reinterpret_cast<sockaddr*>(&at), &size) == 0);
  REQUIRE(::listen(listening.tcp.get(), SOMAXCONN) == 0);
  Place place(kHour, std::move(listening));
  const Place clock(RequestServer::kGrace + 1);  // whose clients are closed when they could make room
  const auto guest = [&](std::string_view says) {
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&at), size) == 0);
    REQUIRE(::send(fd.get(), says.data(), says.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(says.size()));
    return fd;
  };
  place.made_bytes = RequestServer::kMostAnswers / RequestServer::kMostConnections - 1;  // so there is room for another
  REQUIRE(place.made_bytes > 8 * kRoom);
  std::vector<Fd> readers;
  while (readers.size() < RequestServer::kMostConnections) readers.push_back(guest("large\n"));
  pollfd last{readers.back().get(), POLLIN, 0};
  REQUIRE(::poll(&last, 1, 40'000) == 1);  // it is answered, and so are the others
  CHECK(testing::read_all(clock.guest()).empty());
  CHECK(testing::read_all(guest("question\n")) == "heard");
  CHECK(testing::read_all(readers[0]).size() < place.made_bytes);
  CHECK(testing::read_all(readers[1]).size() == place.made_bytes);
}

TEST_CASE("if no descriptors are left, the oldest who has asked nothing makes room for the next client") {
  const Place place;
  const Place clock(RequestServer::kGrace + 1);  // whose clients are closed when they could make room
  const Fd silent = place.guest();
  CHECK(testing::read_all(place.guest("question\n")) == "heard");  // so it is connected
  CHECK(testing::read_all(clock.guest()).empty());
  const Fd next(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const testing::NoFilesLeft none;
  REQUIRE(::connect(next.get(), place.address.raw(), place.address.size()) == 0);
  REQUIRE(::send(next.get(), "question\n", 9, MSG_NOSIGNAL) == 9);
  CHECK(testing::read_all(next) == "heard");
  CHECK(testing::read_all(silent).empty());
}

TEST_CASE("a server that stops listening answers those who are connected, also if they ask later") {
  Place place;
  const Fd asks_now = place.guest("slow\n"), asks_later = place.guest("he");
  CHECK(testing::read_all(place.guest("first\n")) == "heard");  // so the others are connected
  place.requests->stop_listening();
  const auto listens = [&] {
    const Fd newcomer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(newcomer.get(), place.address.raw(), place.address.size()) == 0;
  };
  while (listens()) std::this_thread::yield();  // until the loop has woken up
  const std::string_view rest = "llo\n";
  CHECK(::send(asks_later.get(), rest.data(), rest.size(), MSG_NOSIGNAL) == 4);
  CHECK(testing::read_all(asks_later) == "heard");
  std::thread ending([&] { place.requests->finish(); });
  place.made.set_value();
  CHECK(testing::read_all(asks_now) == "mmmm");
  ending.join();
}

TEST_CASE("a server that finishes does not wait long for those who say nothing") {
  Place place;
  const Fd silent = place.guest(), stays = place.guest("first\n");
  std::array<std::uint8_t, 5> answer{};
  REQUIRE(testing::receive_whole(stays.get(), answer) == answer.size());  // so both are connected
  const Millis began = steady_now();
  place.requests->finish();
  CHECK(steady_now() < began + RequestServer::kTime);
  CHECK(steady_now() >= began + RequestServer::kSilence);  // its question may be on the way
}

TEST_CASE("a server that finishes waits for a question that has begun") {
  Place place;
  const Place clock(RequestServer::kSilence * 3 / 2);  // whose clients are closed after that time
  const Fd slow = place.guest("half");
  CHECK(testing::read_all(place.guest("first\n")) == "heard");  // so the other is connected
  std::atomic<bool> finished{false};
  std::thread ending([&] {
    place.requests->finish();
    finished = true;
  });
  CHECK(testing::read_all(clock.guest()).empty());
  CHECK_FALSE(finished);
  CHECK(::send(slow.get(), " a question\n", 12, MSG_NOSIGNAL) == 12);
  CHECK(testing::read_all(slow) == "heard");
  ending.join();
}

TEST_CASE("a client that sends its line in too many pieces is closed before the line is complete") {
  const Place place;
  const Fd slow = place.guest();
  std::size_t said = 0;
  pollfd shut{slow.get(), POLLIN, 0};
  while (said < 5'000 && ::poll(&shut, 1, 1) == 0) said += ::send(slow.get(), "x", 1, MSG_NOSIGNAL) == 1 ? 1 : 0;
  CHECK(said >= RequestServer::kMostPieces);
  CHECK(said < 5'000);
  CHECK(testing::read_all(slow).empty());
}

TEST_CASE("a client that has its answer and sends on is closed") {
  const Place place;
  const Fd client = place.guest("question\n");
  std::array<std::uint8_t, 5> answer{};
  REQUIRE(testing::receive_whole(client.get(), answer) == answer.size());
  const std::string more(16 * 1024, 'x');
  std::size_t sent = 0;
  constexpr std::size_t kMuch = 64U << 20U;  // more than sockets hold
  while (sent < kMuch) {
    const ssize_t size = ::send(client.get(), more.data(), more.size(), MSG_NOSIGNAL);
    if (size <= 0) break;
    sent += static_cast<std::size_t>(size);
  }
  CHECK(sent < kMuch);
}

}  // namespace
}  // namespace entente::net::request_server_test
