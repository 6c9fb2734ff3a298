// A socket in the file system: who may connect, what to do with an existing file, and slow clients.
#include "proxy/net/local_acceptor.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include "proxy/net/service_manager.h"
#include "tests/support/connection.h"

namespace entente::net::local_acceptor_test {
namespace {

struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("entente-acceptor-" + std::to_string(::getpid()));
};

RequestLoop& requests() {
  static RequestLoop loop("control", "commands");
  return loop;
}

std::unique_ptr<LocalAcceptor> echo(const std::string& path) {
  auto acceptor = LocalAcceptor::open(
      requests(), path, [](std::string_view line, const LocalPeer&) { return "you said " + std::string(line); });
  REQUIRE_MESSAGE(acceptor.ok(), (acceptor.ok() ? "" : acceptor.error().text));
  (*acceptor)->start();
  return std::move(*acceptor);
}

std::string why_not(const std::string& path) {
  const auto acceptor =
      LocalAcceptor::open(requests(), path, [](std::string_view, const LocalPeer&) { return std::string(); });
  return acceptor.ok() ? "" : acceptor.error().text;
}

/// A hand-made connection.
class Guest {
 public:
  explicit Guest(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    path.copy(to.sun_path, sizeof to.sun_path - 1);
    const timeval patience{40, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    REQUIRE(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  }
  void say(std::string_view text) const {
    CHECK(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }
  void finish() const { ::shutdown(fd_.get(), SHUT_WR); }
  /// Everything until the acceptor closes.
  std::string hear() const { return testing::read_all(fd_); }

 private:
  Fd fd_;
};

TEST_CASE("a line is answered and the connection closed, in any number of pieces") {
  const Folder folder;
  const auto path = folder / "a.sock";
  const auto acceptor = echo(path);
  const auto answer = ask_local(path, "hello");
  REQUIRE(answer.ok());
  CHECK(*answer == "you said hello");

  const Guest slow(path);
  for (const char* piece : {"he", "ll", "o\r", "\nmore that nobody hears"}) slow.say(piece);
  CHECK(slow.hear() == "you said hello");
  const Guest unended(path);
  unended.say("hello");
  unended.finish();
  CHECK(unended.hear() == "you said hello");
  const Guest silent(path);
  silent.finish();
  CHECK(silent.hear().empty());
}

TEST_CASE("a client is known by user and process") {
  const Folder folder;
  const auto path = folder / "a.sock";
  const auto acceptor = LocalAcceptor::open(requests(), path, [](std::string_view, const LocalPeer& by) {
    return std::to_string(by.uid) + " " + std::to_string(by.pid);
  });
  REQUIRE(acceptor.ok());
  (*acceptor)->start();
  CHECK(*ask_local(path, "hello") == std::to_string(::getuid()) + " " + std::to_string(::getpid()));
}

/// Listens at `path`, and answers each line by `answer(connection)`.
class Impostor {
 public:
  Impostor(const std::string& path, std::function<void(const Fd&)> answer, unsigned user = ::geteuid())
      : thread_([this, path, answer = std::move(answer), user] { run(path, answer, user); }) {
    while (!listens_) listens_.wait(false);
  }
  ~Impostor() {
    ::shutdown(fd_.get(), SHUT_RDWR);
    thread_.join();
  }

 private:
  void run(const std::string& path, const std::function<void(const Fd&)>& answer, unsigned user) {
    fd_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    CHECK(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
    if (user != ::geteuid()) ::syscall(SYS_setresuid, -1, user, -1);  // of this thread alone
    CHECK(::listen(fd_.get(), 4) == 0);
    listens_ = true;
    listens_.notify_all();
    for (;;) {
      const Fd one(::accept(fd_.get(), nullptr, nullptr));
      if (!one) return;
      answer(one);
    }
  }

  Fd fd_;
  std::atomic<bool> listens_{false};
  std::thread thread_;
};

TEST_CASE("an answer is bounded in size and in time") {
  const Folder folder;
  const Impostor endless(folder / "endless", [](const Fd& to) {
    const std::string much(60'000, 'x');
    while (::send(to.get(), much.data(), much.size(), MSG_NOSIGNAL) > 0) continue;
  });
  const auto large = ask_local(folder / "endless", "list", {.within = 60'000});
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().text.ends_with("answers with more than 16 MiB"));

  std::atomic<int> sent{0};
  const Impostor slow(folder / "slow", [&](const Fd& to) {  // never silent for long
    while (::send(to.get(), "x", 1, MSG_NOSIGNAL) > 0)
      ++sent, std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  const auto late = ask_local(folder / "slow", "list", {.within = 200});
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().text.find("no answer from ") != std::string::npos);
}

TEST_CASE("an answer that breaks off is an error") {
  const Folder folder;
  const Impostor fails(folder / "fails", [](const Fd& to) { ::send(to.get(), "half", 4, MSG_NOSIGNAL); });  // unheard
  const auto answer = ask_local(folder / "fails", "list");
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().text == "cannot receive an answer from " + (folder / "fails") + ": Connection reset by peer");
}

TEST_CASE("a signal does not end the wait for an answer") {
  static std::atomic<int> signals;
  signals = 0;
  const auto before = std::signal(SIGUSR1, [](int) { ++signals; });
  const Folder folder;
  std::promise<void> asked, may_answer;
  const Impostor slow(folder / "slow", [&](const Fd& to) {
    char room[16];
    ::recv(to.get(), room, sizeof room, 0);
    asked.set_value();
    may_answer.get_future().wait();
    ::send(to.get(), "at last", 7, MSG_NOSIGNAL);
  });
  std::string heard;
  std::atomic<bool> over{false};
  std::thread asks([&] {
    const auto answer = ask_local(folder / "slow", "list");
    heard = answer.ok() ? *answer : answer.error().text;
    over = true;
  });
  asked.get_future().wait();
  for (int sent = 0; sent < 100; ++sent) {  // only the first ones may come before it waits
    ::pthread_kill(asks.native_handle(), SIGUSR1);
    while (signals <= sent && !over) std::this_thread::yield();
  }
  may_answer.set_value();
  asks.join();
  std::signal(SIGUSR1, before);
  CHECK(heard == "at last");
}

TEST_CASE("a program of another user is not asked") {
  constexpr unsigned kNobody = 65'534;
  CHECK(is_trusted_user(::geteuid()));
  CHECK(is_trusted_user(0));
  CHECK(is_trusted_user(kNobody, kNobody));
  if (::geteuid() == kNobody) return;
  CHECK_FALSE(is_trusted_user(kNobody));
  if (::geteuid() != 0) return;  // only root can play another user
  const Folder folder;
  std::atomic<bool> asked{false};
  const Impostor impostor(
      folder / "a.sock",
      [&](const Fd& to) {
        char room[16];
        asked = ::recv(to.get(), room, sizeof room, 0) > 0;
      },
      kNobody);
  const auto answer = ask_local(folder / "a.sock", "list");
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().text.find("belongs to another user (65534)") != std::string::npos);
  CHECK_FALSE(asked);
  LocalPeer by;
  const auto any = ask_local(folder / "a.sock", "list", {.any_user = true, .by = &by});
  CHECK_MESSAGE(any.ok(), (any.ok() ? "" : any.error().text));
  CHECK(by.uid == kNobody);
}

TEST_CASE("a line that is too long is refused and not executed") {
  const Folder folder;
  const auto acceptor = echo(folder / "a.sock");
  const Guest guest(folder / "a.sock");
  guest.say(std::string(100'000, 'x'));
  CHECK(guest.hear() == "error: a line has at most 1024 bytes\n");
  CHECK(*ask_local(folder / "a.sock", std::string(1024, 'y')) == "you said " + std::string(1024, 'y'));
}

TEST_CASE("a silent client is closed in time") {
  const Folder folder;
  const auto path = folder / "a.sock";
  const auto acceptor = echo(path);
  const auto began = steady_now();
  const Guest idle(path);
  CHECK(idle.hear().empty());
  CHECK(steady_now() - began >= RequestServer::kTime - 100);
}

/// The mode of the file at `path`; 0 if there is none.
unsigned mode_of(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 0777U : 0;
}

TEST_CASE(
    "the socket is accessible to its owner only from the first moment, whatever the umask, and removed with the "
    "acceptor") {
  const Folder folder;
  const auto path = folder / "a.sock";
  const mode_t before = ::umask(0);
  std::atomic<unsigned> seen = 0;
  std::atomic<bool> over = false;
  std::thread watch([&] {
    while (!over) seen |= mode_of(path);
  });
  for (int i = 0; i < 300; ++i) {
    const auto acceptor = echo(path);
    CHECK(mode_of(path) == 0600);
  }
  over = true;
  watch.join();
  ::umask(before);
  CHECK((seen & 0177U) == 0);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a dead process's socket is replaced; a live socket, or another file, is left alone") {
  const Folder folder;
  const auto path = folder / "a.sock";
  {
    const Fd dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    REQUIRE(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
  }
  REQUIRE(std::filesystem::exists(path));
  {
    const auto acceptor = echo(path);
    CHECK(why_not(path) == "another program listens on " + path + "; name another path");
    CHECK(*ask_local(path, "still there?") == "you said still there?");
  }
  std::ofstream(folder / "file") << "precious";
  CHECK(why_not(folder / "file") == (folder / "file") + " is not a socket; name another path");
  CHECK(std::filesystem::file_size(folder / "file") == 8);
  CHECK(why_not(folder / "no/such/folder").find("No such file or directory") != std::string::npos);
  CHECK(why_not(std::string(200, 'x')).find("its length must be 1 to 107 bytes") != std::string::npos);
}

TEST_CASE("an acceptor does not remove a socket that has replaced its own") {
  const Folder folder;
  const auto path = folder / "a.sock";
  auto first = echo(path);
  std::filesystem::remove(path);
  const auto second = echo(path);
  first.reset();
  CHECK(*ask_local(path, "hello") == "you said hello");
}

TEST_CASE("an acceptor that leaves its socket to another process does not remove it, and answers nobody new") {
  const Folder folder;
  const auto path = folder / "a.sock";
  auto acceptor = echo(path);
  CHECK(acceptor->removes());
  acceptor->leave();
  CHECK_FALSE(acceptor->removes());
  acceptor.reset();
  CHECK(std::filesystem::exists(path));
  CHECK_FALSE(ask_local(path, "hello").ok());
}

TEST_CASE("an acceptor removes a socket that was passed to it only if the process before it made it") {
  const Folder folder;
  const auto path = folder / "a.sock";
  for (const bool removes : {false, true}) {
    CAPTURE(removes);
    auto first = echo(path);
    add_passed(Fd(::dup(first->listening())), {}, removes);
    first->leave();
    const auto answer = [](std::string_view line, const LocalPeer&) { return "second: " + std::string(line); };
    auto second = LocalAcceptor::open(requests(), path, answer);
    REQUIRE(second.ok());
    CHECK((*second)->removes() == removes);
    (*second)->start();
    CHECK((*second)->removes() == removes);
    CHECK(*ask_local(path, "hello") == "second: hello");
    second->reset();
    CHECK(std::filesystem::exists(path) != removes);
    std::filesystem::remove(path);
  }
}

TEST_CASE("who asks is told which program answers, and that one which listens is silent") {
  const Folder folder;
  LocalPeer by;
  bool silent = false;
  {
    const auto acceptor = echo(folder / "a.sock");
    CHECK(ask_local(folder / "a.sock", "hello", {.by = &by, .silent = &silent}).ok());
  }
  CHECK(by.pid == ::getpid());
  CHECK(by.uid == ::getuid());
  CHECK_FALSE(silent);
  CHECK_FALSE(ask_local(folder / "none", "hello", {.silent = &silent}).ok());
  CHECK_FALSE(silent);
  std::promise<void> asked;
  const Impostor mute(folder / "mute", [&](const Fd&) { asked.get_future().wait(); });
  const auto none = ask_local(folder / "mute", "hello", {.within = 50, .silent = &silent});
  asked.set_value();
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().text == "no answer from " + (folder / "mute") + " within 50 ms");
  CHECK(silent);
}

TEST_CASE("a line one byte too long is refused, and a path must leave room for the one beside it") {
  const Folder folder;
  const auto acceptor = echo(folder / "a.sock");
  CHECK(*ask_local(folder / "a.sock", std::string(1025, 'y')) == "error: a line has at most 1024 bytes\n");
  CHECK_FALSE(objection_to_local_path(std::string(107, 'x')));
  CHECK(objection_to_local_path(std::string(108, 'x')));
  CHECK_FALSE(objection_to_local_path(std::string(103, 'x'), 4));
  CHECK(objection_to_local_path(std::string(104, 'x'), 4));
  CHECK(objection_to_local_path(""));
}

TEST_CASE("a missing acceptor is reported") {
  const Folder folder;
  const auto answer = ask_local(folder / "none", "hello");
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().text == "cannot connect to " + (folder / "none") + ": No such file or directory");
}

}  // namespace
}  // namespace entente::net::local_acceptor_test
