#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <csignal>

#include "tests/support/paths.h"

namespace entente {

Process::Process(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);

  int out[2], err[2];
  [[maybe_unused]] const bool piped = pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0;
  assert(piped);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  posix_spawnattr_t settings;  // SIGHUP gets its default action, even if the tests run under nohup
  posix_spawnattr_init(&settings);
  sigset_t hang_up;
  sigemptyset(&hang_up);
  sigaddset(&hang_up, SIGHUP);
  posix_spawnattr_setsigdefault(&settings, &hang_up);
  posix_spawnattr_setflags(&settings, POSIX_SPAWN_SETSIGDEF);
  if (posix_spawn(&pid_, words[0], &actions, &settings, words.data(), environ) != 0) pid_ = -1;
  posix_spawnattr_destroy(&settings);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);
  out_fd_ = out[0];
  err_fd_ = err[0];
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int fd : {out_fd_, err_fd_})
    if (fd >= 0) close(fd);
}

void Process::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

void Process::take(int& fd, std::string& into) {
  std::array<char, 4096> some;
  const ssize_t got = read(fd, some.data(), some.size());
  if (got > 0) {
    into.append(some.data(), static_cast<std::size_t>(got));
  } else {
    close(fd);
    fd = -1;
  }
}

// Reads from both pipes. Returns false if both are at their end, or the time is over.
bool Process::hear() {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - std::chrono::steady_clock::now());
  if ((out_fd_ < 0 && err_fd_ < 0) || left.count() <= 0) return false;
  std::array<pollfd, 2> fds{{{out_fd_, POLLIN, 0}, {err_fd_, POLLIN, 0}}};
  if (poll(fds.data(), fds.size(), static_cast<int>(left.count())) <= 0) return false;
  if (fds[0].revents != 0) take(out_fd_, out_);
  if (fds[1].revents != 0) take(err_fd_, err_);
  return true;
}

std::optional<std::string> Process::line() {
  while (out_.find('\n') == std::string::npos)
    if (out_fd_ < 0 || !hear()) return {};
  const std::size_t end = out_.find('\n');
  std::string line = out_.substr(0, end);
  out_.erase(0, end + 1);
  return line;
}

bool Process::err_has(std::string_view text) {
  while (err_.find(text) == std::string::npos)
    if (err_fd_ < 0 || !hear()) return false;
  return true;
}

int Process::wait() {
  while (hear()) {
  }
  if (pid_ <= 0 || out_fd_ >= 0 || err_fd_ >= 0) return -1;  // the destructor kills it
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

Ended run(const std::vector<std::string>& argv) {
  Process process(argv);
  const int code = process.wait();
  return {code, process.out(), process.err()};
}

BotEnded run_bot(const std::string& url) {
  BotEnded bot{};
  for (const char* seconds : {"1", "5", "20", "60"}) {
    bot = {run({testing::entente_binary(), "bot", url, "--seconds", seconds}), bot.runs + 1};
    if (bot.code == 0) break;
  }
  return bot;
}

}  // namespace entente
