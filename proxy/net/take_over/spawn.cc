#include "proxy/net/take_over/spawn.h"

#include <linux/close_range.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>

namespace entente::net {
namespace {

/// The path of our executable, also if the file was replaced since we began.
std::string own_executable() {
  std::array<char, PATH_MAX> room{};
  const ssize_t size = ::readlink("/proc/self/exe", room.data(), room.size());
  std::string path(room.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  constexpr std::string_view kReplaced = " (deleted)";
  if (path.ends_with(kReplaced)) path.resize(path.size() - kReplaced.size());
  return path;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::vector<std::string> own_arguments(const std::string& without) {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> all;
  for (std::string one; std::getline(file, one, '\0');) all.push_back(one);
  for (auto at = all.begin(); at != all.end();) {
    if (*at == without)
      at = all.erase(at, std::min(at + 2, all.end()));
    else if (at->starts_with(without + "="))
      at = all.erase(at);
    else
      ++at;
  }
  return all;
}

// Between fork() and execve() only what a signal handler may call: another thread may hold any lock.
Outcome<pid_t> spawn_anew(const std::vector<std::string>& arguments) {
  const std::string path = own_executable();
  std::vector<std::string> argument_texts = arguments, variable_texts;
  for (char** one = environ; *one != nullptr; ++one)
    if (!std::string_view(*one).starts_with("WATCHDOG_PID=")) variable_texts.emplace_back(*one);
  const auto argv = pointers_to(argument_texts), variables = pointers_to(variable_texts);
  const pid_t pid = ::fork();
  if (pid == 0) {
    (void)::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    ::execve(path.c_str(), argv.data(), variables.data());
    ::_exit(127);
  }
  if (pid > 0) return pid;
  const int error = errno;
  return Error{std::string("cannot start another process: ") + std::strerror(error)};
}

std::optional<int> ended(pid_t pid) {
  int status = 0;
  const pid_t found = ::waitpid(pid, &status, WNOHANG);
  if (found == 0 || (found < 0 && errno == EINTR)) return std::nullopt;
  if (found < 0) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace entente::net
