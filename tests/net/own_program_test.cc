// This program, started anew: which file, with which arguments, and what it inherits.
#include "proxy/net/process/own_program.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "proxy/net/fd.h"
#include "tests/program/folder.h"

namespace entente::net::own_program_test {
namespace {

/// Waits for its end.
std::optional<int> end_of(OwnProgram& program) {
  std::optional<int> end;
  for (int i = 0; i < 30'000 && !(end = program.ended()); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return end;
}

std::optional<int> end_of_script(const std::string& script) {
  OwnProgram program;
  REQUIRE(program.start({"sh", "-c", script}, "/bin/sh").ok());
  return end_of(program);
}

TEST_CASE("own program: how it ended is told: its exit code, or 128 and its signal; nothing while it runs") {
  CHECK(end_of_script("exit 0") == 0);
  CHECK(end_of_script("exit 3") == 3);
  CHECK(end_of_script("kill -SEGV $$") == 128 + SIGSEGV);
  OwnProgram stopped;
  const auto pid = stopped.start({"sh", "-c", "kill -STOP $$"}, "/bin/sh");
  REQUIRE(pid.ok());
  CHECK(::kill(*pid, 0) == 0);
  CHECK_FALSE(stopped.ended().has_value());
  stopped.signal(SIGKILL);
  CHECK(end_of(stopped) == 128 + SIGKILL);
  stopped.signal(SIGKILL);  // no effect: another process may have this number by now
  CHECK(stopped.ended() == 128 + SIGKILL);
}

TEST_CASE("own program: it inherits our environment but WATCHDOG_PID, none of our descriptors, and an empty input") {
  const Fd open(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  REQUIRE(open);
  ::setenv("WATCHDOG_PID", "1", 1);
  ::setenv("ENTENTE_TEST", "a b=c", 1);
  CHECK(end_of_script("test \"$ENTENTE_TEST\" = 'a b=c' || exit 1; test -z \"${WATCHDOG_PID+set}\" || exit 2; "
                      "test ! -e /proc/self/fd/" +
                      std::to_string(open.get()) + " || exit 3; ! read line || exit 4") == 0);
  ::unsetenv("ENTENTE_TEST");
  ::unsetenv("WATCHDOG_PID");
}

TEST_CASE("own program: a file that cannot be run is an error that names it") {
  OwnProgram program;
  const auto started = program.start({"entente"}, "/nowhere/entente");
  REQUIRE_FALSE(started.ok());
  CHECK(started.error().text.starts_with("cannot start another process (/nowhere/entente): "));
}

// The tests below run this program, with only the test case of the same name.
constexpr const char* kInside = "ENTENTE_OWN_PROGRAM_TEST";

/// The arguments that run the test case `name` of this program, and nothing else.
std::vector<std::string> only(const std::string& name) { return {"test", "--quiet", "--test-case=" + name}; }

/// Runs this test case in another process of this program, from `file`. True: it has passed there.
bool passes_in(const std::string& file, const std::string& name, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = only(name);
  arguments.insert(arguments.end(), more.begin(), more.end());
  ::setenv(kInside, "1", 1);
  OwnProgram program;
  const auto started = program.start(arguments, file);
  ::unsetenv(kInside);
  REQUIRE_MESSAGE(started.ok(), started.error().text);
  return end_of(program) == 0;
}

TEST_CASE("own program: it is started with our arguments, but for the option, which comes last with its new value") {
  const std::string name = "own program: it is started with our arguments?*";
  if (std::getenv(kInside) == nullptr) {
    CHECK(passes_in("", name, {"--old", "1", "a", "--old=2", "--older=3", "", "--old", "--new", "--old"}));
    return;
  }
  std::vector<std::string> wanted = only(name);
  for (const char* one : {"a", "--older=3", "", "--old", "4 5"}) wanted.emplace_back(one);
  CHECK(OwnProgram::arguments_with("--old", "4 5") == wanted);
}

TEST_CASE("own program: it is the file that is now at our path, also if ours was replaced since we began") {
  if (std::getenv(kInside) == nullptr) {
    const Folder folder;
    std::filesystem::copy_file("/proc/self/exe", folder.file("program"));
    CHECK(passes_in(folder.file("program"), "own program: it is the file that is now at our path?*"));
    return;
  }
  const auto path = std::filesystem::read_symlink("/proc/self/exe");
  std::filesystem::remove(path);
  std::ofstream(path) << "#!/bin/sh\nexit 42\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  OwnProgram program;
  const auto started = program.start({"entente"});
  CHECK_MESSAGE(started.ok(), started.error().text);
  CHECK(end_of(program) == 42);
}

}  // namespace
}  // namespace entente::net::own_program_test
