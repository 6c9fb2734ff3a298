// What two processes exchange at a take-over: lines and descriptors; and hostile input.
#include "proxy/net/take_over/talk.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

namespace entente::net::talk_test {
namespace {

constexpr Millis kPatience = 20'000, kImpatience = 50;

std::pair<Fd, Fd> pair_of_sockets() {
  std::array<int, 2> raw{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, raw.data()) == 0);
  return {Fd(raw[0]), Fd(raw[1])};
}

Fd pipe_end(Fd& other) {
  std::array<int, 2> raw{};
  REQUIRE(::pipe2(raw.data(), O_CLOEXEC) == 0);
  other = Fd(raw[1]);
  return Fd(raw[0]);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

/// Sends bytes with descriptors, as no Talk would do.
void send_raw(const Fd& to, std::string_view bytes, const std::vector<int>& passed) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  std::vector<std::uint8_t> room(CMSG_SPACE(sizeof(int) * passed.size()));
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!passed.empty()) {
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    cmsghdr* const control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int) * passed.size());
    std::memcpy(CMSG_DATA(control), passed.data(), sizeof(int) * passed.size());
  }
  REQUIRE(::sendmsg(to.get(), &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
}

std::string header(char kind, char size) { return std::string("ENTO\x01", 5) + kind + size + '\0'; }

/// The result of a Talk that receives these bytes and descriptors. No descriptor is left open.
std::string refused(std::string_view bytes, const std::vector<int>& passed) {
  auto [ours, theirs] = pair_of_sockets();
  const Talk talk(std::move(theirs));
  const std::size_t before = open_descriptors();
  send_raw(ours, bytes, passed);
  ::shutdown(ours.get(), SHUT_WR);
  const auto received = talk.receive(kPatience);
  CHECK(open_descriptors() == before);
  REQUIRE_FALSE(received.ok());
  return received.error().text;
}

TEST_CASE("talk: lines and descriptors arrive in order; descriptors work, and are closed on exec") {
  auto [a, b] = pair_of_sockets();
  const Talk ours(std::move(a)), theirs(std::move(b));
  CHECK(ours.is_with_own_user());
  Fd in;
  std::vector<NamedFd> some;
  some.push_back({"first", pipe_end(in)});
  some.push_back({"", Fd(::dup(in.get()))});
  some.push_back({std::string(Talk::kLongestName, 'x'), Fd(::dup(in.get()))});
  REQUIRE(ours.say("here they are", kPatience).ok());
  REQUIRE(ours.send(some, kPatience).ok());
  REQUIRE(ours.say("that is all", kPatience).ok());
  CHECK(*theirs.hear(kPatience) == "here they are");
  const auto got = theirs.receive(kPatience);
  REQUIRE(got.ok());
  REQUIRE(got->size() == 3);
  CHECK((*got)[0].name == "first");
  CHECK((*got)[2].name.size() == Talk::kLongestName);
  for (const NamedFd& one : *got) CHECK((::fcntl(one.fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
  CHECK(::write((*got)[1].fd.get(), "x", 1) == 1);
  char byte = 0;
  CHECK(::read((*got)[0].fd.get(), &byte, 1) == 1);
  CHECK(byte == 'x');
  CHECK(*theirs.hear(kPatience) == "that is all");
}

/// So many copies of a descriptor, named "0", "1" and so on.
std::vector<NamedFd> copies_of(const Fd& one, int count) {
  std::vector<NamedFd> all;
  for (int i = 0; i < count; ++i) all.push_back({std::to_string(i), Fd(::dup(one.get()))});
  return all;
}

/// Makes the kernel hold only a few messages of this socket until they are received.
void hold_few(const Fd& socket) {
  constexpr int kLeast = 1;
  REQUIRE(::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &kLeast, sizeof kLeast) == 0);
}

TEST_CASE("talk: hundreds of descriptors pass, although the kernel holds few at a time") {
  auto [a, b] = pair_of_sockets();
  hold_few(a);
  const Talk ours(std::move(a)), theirs(std::move(b));
  Fd in;
  const Fd out = pipe_end(in);
  const std::vector<NamedFd> many = copies_of(out, 300);
  std::thread sender([&] { CHECK(ours.send(many, kPatience).ok()); });
  const auto got = theirs.receive(kPatience);
  sender.join();
  REQUIRE(got.ok());
  CHECK(got->size() == 300);
  CHECK(got->back().name == "299");
}

TEST_CASE("talk: more descriptors than a take-over passes are refused before any is sent") {
  auto [a, b] = pair_of_sockets();
  const Talk ours(std::move(a)), theirs(std::move(b));
  const auto sent = ours.send(std::vector<NamedFd>(Talk::kMostDescriptors + 1), kPatience);
  REQUIRE_FALSE(sent.ok());
  CHECK(sent.error().text == "a take-over passes at most 1024 sockets");
  CHECK_FALSE(theirs.hear(kImpatience).ok());
}

TEST_CASE("talk: invalid messages are refused and leave no descriptor open") {
  Fd in;
  const Fd out = pipe_end(in);
  const int fd = out.get();
  CHECK(refused(std::string("ENTX\x01\x01\x02\x00zz", 10), {fd}).find("not descriptors of Entente") !=
        std::string::npos);
  CHECK(refused(std::string("ENTO\x02\x01\x02\x00zz", 10), {fd}).find("version 2") != std::string::npos);
  CHECK(refused(header(7, 0), {fd}).find("kind 7") != std::string::npos);
  CHECK(refused(header(1, 2) + "ab", {}).find("0 descriptors come with one name") != std::string::npos);
  CHECK(refused(header(1, 2) + "ab", {fd, fd}).find("2 descriptors come with one name") != std::string::npos);
  CHECK(refused(header(1, 2) + "ab", std::vector<int>(20, fd)).find("too many") != std::string::npos);
  CHECK(refused(header(1, 9) + "ab", {fd}).find("has left") != std::string::npos);
  CHECK(refused(header(1, 2).substr(0, 5), {fd}).find("has left") != std::string::npos);
  CHECK(refused(header(0, 0), {fd}).find("comes with the end") != std::string::npos);
  CHECK(refused(header(0, 3), {}).find("0 descriptors came, not 3") != std::string::npos);
  CHECK(refused(std::string("ENTO\x01\x01\x00\x01", 8) + std::string(256, 'x'), {fd}).find("256 bytes") !=
        std::string::npos);
}

TEST_CASE("talk: too many descriptors, a line that is too long, and descriptors with a line are refused") {
  Fd in;
  const Fd out = pipe_end(in);
  {
    auto [ours, theirs] = pair_of_sockets();
    const Talk talk(std::move(theirs));
    std::thread sender([&from = ours, &out] {
      for (std::size_t i = 0; i <= Talk::kMostDescriptors; ++i) send_raw(from, header(1, 0), {out.get()});
    });
    const auto got = talk.receive(kPatience);
    sender.join();
    REQUIRE_FALSE(got.ok());
    CHECK(got.error().text.find("more than 1024") != std::string::npos);
  }
  {
    auto [ours, theirs] = pair_of_sockets();
    const Talk talk(std::move(theirs));
    send_raw(ours, std::string(Talk::kLongestLine, 'a') + "\n", {});
    CHECK(talk.hear(kPatience).error().text.find("longer than") != std::string::npos);
  }
  auto [ours, theirs] = pair_of_sockets();
  const Talk talk(std::move(theirs));
  send_raw(ours, "x", {out.get()});
  CHECK(talk.hear(kPatience).error().text.find("where a line is expected") != std::string::npos);
}

TEST_CASE("talk: what the kernel says of the sender is no descriptor") {
  auto [ours, theirs] = pair_of_sockets();
  constexpr int kOn = 1;
  REQUIRE(::setsockopt(theirs.get(), SOL_SOCKET, SO_PASSCRED, &kOn, sizeof kOn) == 0);
  const Talk talk(std::move(theirs));
  send_raw(ours, "hello\n", {});
  const auto heard = talk.hear(kPatience);
  REQUIRE_MESSAGE(heard.ok(), heard.error().text);
  CHECK(*heard == "hello");
}

TEST_CASE("talk: a peer that is silent or hangs up does not block the other") {
  auto [a, b] = pair_of_sockets();
  const Talk talk(std::move(a));
  CHECK(talk.hear(kImpatience).error().text.find("in time") != std::string::npos);
  CHECK(talk.receive(kImpatience).error().text.find("in time") != std::string::npos);
  b.reset();
  CHECK(talk.hear(kPatience).error().text.find("has left") != std::string::npos);
  CHECK(talk.say("anybody?", kPatience).error().text.find("has left") != std::string::npos);
  CHECK_FALSE(Talk::open("/no/such/socket").ok());
}

TEST_CASE("talk: a peer that receives nothing does not block the one who sends") {
  auto [a, b] = pair_of_sockets();
  hold_few(a);
  const Talk ours(std::move(a)), theirs(std::move(b));
  Fd in;
  const Fd out = pipe_end(in);
  const std::vector<NamedFd> many = copies_of(out, 100);
  const auto sent = ours.send(many, kImpatience);
  REQUIRE_FALSE(sent.ok());
  CHECK(sent.error().text == "the hand-over is broken: the other process does not answer in time");
}

TEST_CASE("talk: a peer that leaves without reading what it was told has left, too") {
  auto [a, b] = pair_of_sockets();
  const Talk ours(std::move(a));
  REQUIRE(ours.say("hello", kPatience).ok());
  b.reset();
  CHECK(ours.receive(kPatience).error().text == "the hand-over is broken: the other process has left");
}

TEST_CASE("talk: a signal does not end the wait for an answer") {
  static std::atomic<int> signals;
  signals = 0;
  const auto before = std::signal(SIGUSR1, [](int) { ++signals; });
  auto [a, b] = pair_of_sockets();
  const Talk ours(std::move(a)), theirs(std::move(b));
  std::string heard;
  std::atomic<bool> over{false};
  std::thread waits([&] {
    const auto line = ours.hear(kPatience);
    heard = line.ok() ? *line : line.error().text;
    over = true;
  });
  for (int sent = 0; sent < 100; ++sent) {  // only the first ones may come before it waits
    ::pthread_kill(waits.native_handle(), SIGUSR1);
    while (signals <= sent && !over) std::this_thread::yield();
  }
  REQUIRE(theirs.say("hello", kPatience).ok());
  waits.join();
  std::signal(SIGUSR1, before);
  CHECK(heard == "hello");
}

TEST_CASE("talk: the longest line arrives; a name that is too long is not sent") {
  auto [a, b] = pair_of_sockets();
  const Talk ours(std::move(a)), theirs(std::move(b));
  const std::string longest(Talk::kLongestLine - 1, 'a');
  REQUIRE(ours.say(longest, kPatience).ok());
  const auto heard = theirs.hear(kPatience);
  REQUIRE_MESSAGE(heard.ok(), heard.error().text);
  CHECK(*heard == longest);
  Fd in;
  std::vector<NamedFd> some;
  some.push_back({std::string(Talk::kLongestName + 1, 'x'), pipe_end(in)});
  const auto sent = ours.send(some, kPatience);
  REQUIRE_FALSE(sent.ok());
  CHECK(sent.error().text.starts_with("the name of a descriptor is too long"));
}

TEST_CASE("talk: it is known when the other process has left, and a talk that is hung up wakes who waits in it") {
  auto [a, b] = pair_of_sockets();
  const Talk ours(std::move(a));
  {
    const Talk theirs(std::move(b));
    CHECK_FALSE(ours.other_has_left());
    REQUIRE(theirs.say("hello", kPatience).ok());
    CHECK_FALSE(ours.other_has_left());
  }
  CHECK(ours.other_has_left());
  CHECK(*ours.hear(kPatience) == "hello");  // it is heard nevertheless

  auto [c, d] = pair_of_sockets();
  const Talk waits(std::move(c)), other(std::move(d));
  std::string why;
  std::thread thread([&] { why = waits.hear(kPatience).error().text; });
  waits.hang_up();
  thread.join();
  CHECK(why.find("has left") != std::string::npos);
  CHECK(other.other_has_left());
  CHECK(other.is_with_listener_of_own_user());
}

}  // namespace
}  // namespace entente::net::talk_test
