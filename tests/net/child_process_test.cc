// A command of the operator: it runs, its end is reported, and it inherits no descriptors.
#include "proxy/net/process/child_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "proxy/net/fd.h"
#include "tests/program/folder.h"
#include "tests/support/no_files_left.h"

namespace entente::net::child_process_test {
namespace {

struct Parent final : ChildProcess::User {
  void exited(ChildProcess&, std::int64_t code, int signal) override { ends.emplace_back(code, signal); }
  /// Runs it and waits for its end.
  void run(const std::string& command) {
    REQUIRE(child.start(command).ok());
    CHECK(child.runs());
    loop.run();
    CHECK_FALSE(child.runs());
  }

  Loop loop;
  ChildProcess child{loop, *this};
  std::vector<std::pair<std::int64_t, int>> ends;
};

TEST_CASE("the end of a command is reported: its exit code, or the signal that ended it") {
  Parent parent;
  parent.run("true");
  parent.run("test \"a b\" = 'a b' && exit 7");
  parent.run("kill -9 $$");
  parent.run("/there/is/no/such/program 2>/dev/null");
  CHECK(parent.ends == std::vector<std::pair<std::int64_t, int>>{{0, 0}, {7, 0}, {0, 9}, {127, 0}});
}

/// A command for start() that writes its process id to a file, and runs on.
struct Sleeper {
  std::string command() const { return "echo $$ > " + folder.file("pid") + "; exec sleep 1000"; }
  pid_t pid() const {
    for (;; std::this_thread::yield()) {
      std::ifstream in(folder.file("pid"));
      std::string line;
      if (std::getline(in, line) && !in.eof()) return std::stoi(line);
    }
  }
  Folder folder;
};

/// Runs the loop until a process that ends is reaped. False: it was not in time.
bool is_reaped(Loop& loop, pid_t pid) {
  struct Ticks final : Ticker::User {
    void tick(Millis) override {}
  } ticks;
  const Ticker ticker(loop, ticks, 1);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(40);
  while (::kill(pid, 0) == 0 && std::chrono::steady_clock::now() < until) uv_run(loop.raw(), UV_RUN_ONCE);
  return ::kill(pid, 0) != 0;
}

TEST_CASE("a detached command runs on, also when the loop has ended, and its end is not reported") {
  const Sleeper sleeper;
  {
    Parent parent;
    REQUIRE(parent.child.start(sleeper.command()).ok());
    parent.child.detach();
    CHECK_FALSE(parent.child.runs());
    parent.loop.run();
    CHECK(parent.ends.empty());
  }
  const pid_t pid = sleeper.pid();
  CHECK(::waitpid(pid, nullptr, WNOHANG) == 0);  // it runs
  ::kill(pid, SIGKILL);
  CHECK(::waitpid(pid, nullptr, 0) == pid);
}

TEST_CASE(
    "a command that nobody waits for leaves no zombie when it ends: one that was detached, and one that was killed") {
  Parent parent;
  const Sleeper sleeper;
  REQUIRE(parent.child.start(sleeper.command()).ok());
  parent.child.detach();
  ::kill(sleeper.pid(), SIGKILL);
  CHECK(is_reaped(parent.loop, sleeper.pid()));

  for (const bool destroyed : {false, true}) {
    CAPTURE(destroyed);
    pid_t pid = 0;
    {
      ChildProcess child(parent.loop, parent);
      REQUIRE(child.start({"sh", "-c", "echo $$; exec sleep 1000"}, "").ok());
      while (!child.output().ends_with('\n')) uv_run(parent.loop.raw(), UV_RUN_ONCE);
      pid = std::stoi(child.output());
      if (!destroyed) {
        child.kill();
        CHECK(is_reaped(parent.loop, pid));
      }
    }
    CHECK(is_reaped(parent.loop, pid));
  }
  CHECK(parent.ends.empty());
}

TEST_CASE("a command runs on when its ChildProcess is gone, whatever that ran before") {
  const Sleeper sleeper;
  const std::string fifo = sleeper.folder.file("fifo");
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const Fd to_command(::open(fifo.c_str(), O_RDWR | O_CLOEXEC));
  Parent parent;
  {
    ChildProcess child(parent.loop, parent);
    REQUIRE(child.start({"true"}, "").ok());  // a program, which would end with it
    while (child.runs()) uv_run(parent.loop.raw(), UV_RUN_ONCE);
    REQUIRE(child.start("echo $$ > " + sleeper.folder.file("pid") + "; read -r line < " + fifo + "; exit 7").ok());
    CHECK(sleeper.pid() > 0);
  }
  parent.loop.run();
  CHECK(::write(to_command.get(), "\n", 1) == 1);
  int status = 0;
  CHECK(::waitpid(sleeper.pid(), &status, 0) == sleeper.pid());
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(parent.ends.size() == 1);
}

TEST_CASE("a command has nothing to read, and is in a process group of its own, which Ctrl-C does not reach") {
  Parent parent;
  parent.run("test -z \"$(cat)\"");
  CHECK(parent.ends.back() == std::pair<std::int64_t, int>(0, 0));
  REQUIRE(
      parent.child.start({"sh", "-c", "read -r pid name state parent group rest < /proc/$$/stat; echo $$ $group"}, "")
          .ok());
  parent.loop.run();
  const std::string output = parent.child.output();
  const std::string pid = output.substr(0, output.find(' '));
  CHECK(output == pid + ' ' + pid + '\n');
}

TEST_CASE("who has killed a program may start the next one, which is reported") {
  Parent parent;
  REQUIRE(parent.child.start({"sh", "-c", "echo first; exec sleep 1000"}, "").ok());
  while (parent.child.output() != "first\n") uv_run(parent.loop.raw(), UV_RUN_ONCE);
  parent.child.kill();
  CHECK_FALSE(parent.child.runs());
  REQUIRE(parent.child.start({"sh", "-c", "echo second; exit 4"}, "").ok());
  parent.loop.run();
  CHECK(parent.child.output() == "second\n");
  CHECK(parent.ends == std::vector<std::pair<std::int64_t, int>>{{4, 0}});
}

TEST_CASE("a command does not inherit descriptors that a library opened without O_CLOEXEC") {
  Parent parent;
  const Fd open(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  REQUIRE(open);
  parent.run("test ! -e /proc/self/fd/" + std::to_string(open.get()));
  CHECK(parent.ends.back() == std::pair<std::int64_t, int>(0, 0));
}

TEST_CASE("a program is given a text, and its output is kept") {
  Parent parent;
  REQUIRE(parent.child.start({"cat", "/dev/stdin"}, "a 'text' $HOME\n").ok());
  parent.loop.run();
  CHECK(parent.child.output() == "a 'text' $HOME\n");
  CHECK(parent.ends.back() == std::pair<std::int64_t, int>(0, 0));
  REQUIRE(parent.child.start({"sh", "-c", "echo out; echo err >&2; exit 3"}, "not read").ok());
  parent.loop.run();
  CHECK(parent.child.output() == "out\nerr\n");
  CHECK(parent.ends.back() == std::pair<std::int64_t, int>(3, 0));
}

TEST_CASE("a program that cannot be run is an error, and is not reported") {
  Parent parent;
  CHECK_FALSE(parent.child.start({"/there/is/no/such/program"}, "text").ok());
  CHECK_FALSE(parent.child.runs());
  parent.loop.run();
  CHECK(parent.ends.empty());
}

TEST_CASE("a program is not started if no descriptors are left, and the error says what to do") {
  Parent parent;
  const testing::NoFilesLeft none;
  const auto started = parent.child.start({"cat"}, "text");
  REQUIRE_FALSE(started.ok());
  CHECK(started.error().text ==
        "no pipes for the program: Too many open files; raise the limit of open files (ulimit -n)");
  CHECK_FALSE(parent.child.runs());
}

TEST_CASE("a program may read nothing of a long text, and write without end") {
  std::signal(SIGPIPE, SIG_IGN);  // as every program that serves
  Parent parent;
  REQUIRE(parent.child.start({"true"}, std::string(10'000'000, 'x')).ok());
  parent.loop.run();
  REQUIRE(parent.child.start({"sh", "-c", "head -c 5000000 /dev/zero"}, "").ok());
  parent.loop.run();
  CHECK(parent.child.output().size() == ChildProcess::kMostOutput);
  CHECK(parent.ends == std::vector<std::pair<std::int64_t, int>>{{0, 0}, {0, 0}});
}

/// Whether a process that is not our child is gone, or waits for the system to reap it.
bool is_gone(const std::string& pid) {
  std::ifstream in("/proc/" + pid + "/stat");
  std::string stat;
  std::getline(in, stat);
  return stat.empty() || stat.find(") Z ") != std::string::npos;
}

TEST_CASE("a program ends with what it has started: when it ends, and when it is killed") {
  Parent parent;
  REQUIRE(parent.child.start({"sh", "-c", "sleep 1000 & echo $!"}, "").ok());
  parent.loop.run();
  std::string pid = parent.child.output();
  REQUIRE(!pid.empty());
  pid.pop_back();
  while (!is_gone(pid)) std::this_thread::yield();

  REQUIRE(parent.child.start({"sh", "-c", "sleep 1000 & echo $!; wait"}, "").ok());
  while (!parent.child.output().ends_with('\n')) uv_run(parent.loop.raw(), UV_RUN_ONCE);
  pid = parent.child.output();
  pid.pop_back();
  parent.child.kill();
  while (!is_gone(pid)) std::this_thread::yield();
  CHECK(parent.ends.size() == 1);
}

}  // namespace
}  // namespace entente::net::child_process_test
