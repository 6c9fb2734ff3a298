// The entry point of every test program in the copy of the source that has mutants, in place of tests/support/main.cc.
// Invariant: the server itself runs no test, so it has one thread when it forks, and no test sees what another one left.
//
// With ENTENTE_SERVES, each line of the standard input asks for one test case: mutant, test case, milliseconds it may take, and file for
// what it says, with tabs between them. The answer is a line: passed, failed or late.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include "tests/mutants/mutant.h"

namespace {

struct Request {
  int mutant = 0;        // or 0
  int test_case = 0;     // as of doctest's --first
  int milliseconds = 0;  // > 0
  std::string log;
};

bool parse(const std::string& line, Request& request) {
  std::istringstream fields(line);
  return (fields >> request.mutant >> request.test_case >> request.milliseconds >> std::ws) && std::getline(fields, request.log);
}

/// In the child. The programs that the test starts have the mutant, too.
[[noreturn]] void run_test(const char* program, const Request& request) {
  ::setsid();
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int log = ::open(request.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (nothing < 0 || log < 0) ::_exit(2);
  ::dup2(nothing, 0);
  ::dup2(log, 1);
  ::dup2(log, 2);
  ::close(nothing);
  ::close(log);
  ::setenv("ENTENTE_MUTANT", std::to_string(request.mutant).c_str(), 1);
  ::unsetenv("ENTENTE_SERVES");
  entente_mutants::chosen = request.mutant;
  const std::string first = "--first=" + std::to_string(request.test_case);
  const std::string last = "--last=" + std::to_string(request.test_case);
  const char* const words[] = {program, first.c_str(), last.c_str(), "--abort-after=1", "--no-colors"};
  const int code = doctest::Context(static_cast<int>(std::size(words)), words).run();
  std::cout.flush();
  std::fflush(nullptr);
  ::_exit(code == 0 ? 0 : 1);
}

/// Awaits the child, and ends it and what it started if it is late, or if nobody awaits the answer any more.
const char* outcome(pid_t child, int milliseconds) {
  const int ended = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  pollfd awaited[] = {{ended, POLLIN, 0}, {0, 0, 0}};  // of the standard input, only that it was closed
  const int happened = ended >= 0 ? ::poll(awaited, std::size(awaited), milliseconds) : -1;
  ::kill(-child, SIGKILL);
  ::kill(child, SIGKILL);  // it may not have its group yet
  int status = 0;
  ::waitpid(child, &status, 0);
  if (ended >= 0) ::close(ended);
  if (happened < 0) return nullptr;
  if (happened == 0) return "late";
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "passed" : "failed";
}

int serve(const char* program) {
  const auto threads = std::filesystem::directory_iterator("/proc/self/task");
  if (std::distance(begin(threads), end(threads)) != 1) {
    std::fprintf(stderr, "%s has threads before its first test: it cannot be forked\n", program);
    return 2;
  }
  for (std::string line; std::getline(std::cin, line);) {
    Request request;
    if (!parse(line, request)) return 2;
    const pid_t child = ::fork();
    if (child == 0) run_test(program, request);
    const char* const answer = child > 0 ? outcome(child, request.milliseconds) : nullptr;
    if (answer == nullptr) return 2;
    std::cout << answer << std::endl;
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  return std::getenv("ENTENTE_SERVES") != nullptr ? serve(words[0]) : doctest::Context(count, words).run();
}
