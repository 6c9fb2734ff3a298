#include "tests/lab/trials.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>

namespace entente::lab {
namespace {

constexpr unsigned kMostCpu = 300;     // seconds for one simulation; most take one
constexpr unsigned kPatience = 1'800;  // seconds, however busy the machine is

/// A trial in a process.
struct Running {
  Trial trial;
  pid_t process = -1;
  int reads = -1;
};

std::string in_shell_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char one : text) quoted += one == '\'' ? std::string("'\\''") : std::string(1, one);
  return quoted + "'";
}

void write_line(int fd, std::string line) {
  line += '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = ::write(fd, rest.data(), rest.size());
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) return;
  }
}

/// One thread hands over to another a hundred thousand times in a second.
void stay_on_one_core(std::uint64_t number) {
  cpu_set_t all, one;
  if (::sched_getaffinity(0, sizeof all, &all) != 0) return;
  std::uint64_t left = number % static_cast<std::uint64_t>(CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all) && left-- == 0) CPU_SET(core, &one);
  (void)::sched_setaffinity(0, sizeof one, &one);
}

/// In the new process: parts are told as they come up, in case the simulation crashes. Returns whether leaks are to be
/// searched for.
bool simulate(const Trial& trial, int tells) {
  ::alarm(kPatience);
  const itimerval most{{}, {kMostCpu, 0}};
  ::setitimer(ITIMER_PROF, &most, nullptr);
  stay_on_one_core(trial.seed);
  if (trial.quiet) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  Plan plan(trial.seed, trial.without, [tells](const std::string& part) { write_line(tells, "part " + part); });
  plan.tells = trial.tells;
  plan.calm = trial.calm;
  Verdict verdict;
  trial.kind().simulate(plan, verdict);
  for (const std::string& what : verdict.wrong) write_line(tells, "wrong " + what);
  for (const std::string& line : verdict.outcome) write_line(tells, "outcome " + line);
  write_line(tells, "sessions " + std::to_string(verdict.sessions));
  write_line(tells, "cut " + std::to_string(verdict.cut));
  write_line(tells, "took " + std::to_string(verdict.took));
  write_line(tells, "hash " + std::to_string(verdict.hash));
  return !verdict.leaks;
}

Running start(Trial trial) {
  int pipe[2];
  std::fflush(stdout);
  if (::pipe2(pipe, O_CLOEXEC) != 0) std::abort();
  const pid_t process = ::fork();
  if (process < 0) std::abort();
  if (process == 0) {
    ::close(pipe[0]);
    const bool whole = simulate(trial, pipe[1]);
    std::fflush(stdout);
    if (!whole) ::_exit(0);
    std::exit(0);
  }
  ::close(pipe[1]);
  return {std::move(trial), process, pipe[0]};
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void read_line(std::string_view line, Verdict& verdict) {
  const std::size_t blank = line.find(' ');
  const std::string_view kind = line.substr(0, blank), rest = line.substr(blank + 1);
  if (kind == "wrong") verdict.wrong.emplace_back(rest);
  if (kind == "outcome") verdict.outcome.emplace_back(rest);
  if (kind == "part") verdict.parts.emplace_back(rest);
  if (kind == "sessions") verdict.sessions = number_of(rest);
  if (kind == "cut") verdict.cut = number_of(rest);
  if (kind == "took") verdict.took = number_of(rest);
  if (kind == "hash") verdict.hash = number_of(rest);
}

Verdict finish(const Running& running) {
  std::string text;
  char room[4096];
  for (ssize_t got = 0; (got = ::read(running.reads, room, sizeof room)) != 0;) {
    if (got > 0) text.append(room, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  ::close(running.reads);
  int status = 0;
  while (::waitpid(running.process, &status, 0) < 0 && errno == EINTR) continue;
  Verdict verdict;
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
    read_line(rest.substr(0, rest.find('\n')), verdict);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    verdict.wrong.push_back("it did not end in " + std::to_string(kPatience) + " s");
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
    verdict.wrong.push_back("it took more than " + std::to_string(kMostCpu) + " s of CPU time");
  else if (WIFSIGNALED(status))
    verdict.wrong.push_back("it was ended by signal " + std::to_string(WTERMSIG(status)));
  else if (WEXITSTATUS(status) != 0)
    verdict.wrong.push_back("it ended with code " + std::to_string(WEXITSTATUS(status)));
  return verdict;
}

}  // namespace

const Scenario* find_scenario(const std::string& name) {
  const auto all = scenarios();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Scenario& one) { return one.name == name; });
  return found != all.end() ? &*found : nullptr;
}

const Scenario& Trial::kind() const {
  if (const Scenario* named = find_scenario(scenario)) return *named;
  return scenarios()[seed % scenarios().size()];
}

std::string Trial::arguments() const {
  std::string all = " --seed " + std::to_string(seed);
  if (!scenario.empty()) all += " --scenario " + scenario;
  if (calm) all += " --calm";
  for (const std::string& part : without) all += " --without " + in_shell_quotes(part);
  return all;
}

Verdict run(const Trial& trial) { return finish(start(trial)); }

void run_all(std::size_t jobs, const std::function<bool(Trial&)>& next,
             const std::function<bool(const Trial&, Verdict)>& done) {
  std::deque<Running> running;
  for (bool more = true; more || !running.empty();) {
    Trial trial;
    while (more && running.size() < jobs && (more = next(trial))) running.push_back(start(trial));
    if (running.empty()) return;
    const Running first = std::move(running.front());
    running.pop_front();
    more = done(first.trial, finish(first)) && more;
  }
}

Trial shrunk(Trial trial, const Verdict& verdict, std::size_t most) {
  trial.quiet = true;
  trial.tells = false;
  std::vector<std::string> parts = verdict.parts;
  std::size_t tried = 0;
  for (std::size_t size = std::max<std::size_t>(parts.size() / 2, 1);;) {
    bool smaller = false;
    for (std::size_t from = 0; from < parts.size() && tried < most; ++tried) {
      const std::size_t to = std::min(from + size, parts.size());
      Trial less = trial;
      less.without.insert(parts.begin() + static_cast<std::ptrdiff_t>(from),
                          parts.begin() + static_cast<std::ptrdiff_t>(to));
      const Verdict seen = run(less);
      if (seen.wrong.empty()) {
        from = to;
        continue;
      }
      trial = std::move(less);
      parts = seen.parts;
      smaller = true;
    }
    if (tried >= most || (size == 1 && !smaller)) break;
    size = std::max<std::size_t>(size / 2, 1);
  }
  trial.quiet = false;
  return trial;
}

}  // namespace entente::lab
