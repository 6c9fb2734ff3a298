// A command of the operator: it runs, its end is reported, and it inherits no descriptors.
#include "proxy/net/process/child_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "proxy/net/fd.h"

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

TEST_CASE("a detached command runs on, and its end is not reported") {
  Parent parent;
  REQUIRE(parent.child.start("exec sleep 0").ok());
  parent.child.detach();
  parent.loop.run();
  CHECK(parent.ends.empty());
}

TEST_CASE("a command does not inherit descriptors that a library opened without O_CLOEXEC") {
  Parent parent;
  const Fd open(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  REQUIRE(open);
  parent.run("test ! -e /proc/self/fd/" + std::to_string(open.get()));
  CHECK(parent.ends.back() == std::pair<std::int64_t, int>(0, 0));
}

}  // namespace
}  // namespace entente::net::child_process_test
