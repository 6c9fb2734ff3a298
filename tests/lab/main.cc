// lab [--seed N] [--count N] [--hours H] [--jobs N] [--scenario NAME] [--without PART]… [--calm] [--tell] [--trace]:
// simulates the program from one seed, or from several. Prints what did not hold, and the command that runs the failing
// simulation again with as few parts as possible. The last line is the hash of all that happened: the same seed and
// commit give the same one.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "proxy/base/hash.h"
#include "tests/lab/kernel/kernel.h"
#include "tests/lab/kernel/process.h"
#include "tests/lab/trials.h"

namespace entente::lab {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  Trial trial;
  std::uint64_t count = 1;
  double hours = 0;  ///< wall time; 0: `count` simulations
  std::uint64_t jobs = 1;
};

/// The sum over all simulations.
struct Sum {
  std::uint64_t passed = 0, failed = 0, hash = 0;
  std::size_t sessions = 0, cut = 0;
  double seconds = 0;  // simulated
};

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

/// A whole number of at least `least`; false: it is none.
bool read_number(std::string_view text, std::uint64_t least, std::uint64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size() && into >= least;
}

std::optional<Options> read(int count, char** arguments) {
  Options options;
  bool seeded = false;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = arguments[i];
    if (name == "--tell" || name == "--calm") {
      (name == "--tell" ? options.trial.tells : options.trial.calm) = true;
      --i;
      continue;
    }
    if (name == "--trace") {
      Kernel::traces = true;
      --i;
      continue;
    }
    if (i + 1 == count) return std::nullopt;
    const char* const value = arguments[i + 1];
    if (name == "--seed") {
      if (!read_number(value, 0, options.trial.seed)) return std::nullopt;
      seeded = true;
    } else if (name == "--count") {
      if (!read_number(value, 1, options.count)) return std::nullopt;
    } else if (name == "--hours") {
      options.hours = std::strtod(value, nullptr);
      if (!(options.hours > 0)) return std::nullopt;
    } else if (name == "--jobs") {
      if (!read_number(value, 1, options.jobs)) return std::nullopt;
    } else if (name == "--scenario" && find_scenario(value) != nullptr) {
      options.trial.scenario = value;
    } else if (name == "--without") {
      options.trial.without.insert(value);
    } else {
      return std::nullopt;
    }
  }
  if (options.hours > 0 && !seeded)  // fresh ones each time
    options.trial.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) / 1000;
  return options;
}

void print(const Trial& trial, const Verdict& verdict) {
  for (const std::string& line : verdict.outcome)
    std::printf("seed %llu, %s\n", static_cast<unsigned long long>(trial.seed), line.c_str());
  for (const std::string& what : verdict.wrong)
    std::printf("seed %llu (%s): %s\n", static_cast<unsigned long long>(trial.seed), trial.kind().name, what.c_str());
}

/// Runs a failing trial with fewer parts.
void explain(const Trial& trial, const Verdict& verdict) {
  std::printf("shrinking seed %llu, which has %zu parts\n", static_cast<unsigned long long>(trial.seed),
              verdict.parts.size());
  std::fflush(stdout);
  const Trial less = shrunk(trial, verdict);
  const Verdict seen = run(less);
  print(less, seen);
  std::printf("it fails with these parts:\n");
  for (const std::string& part : seen.parts) std::printf("  %s\n", part.c_str());
  std::printf("run it again: tests/lab/run%s\n", less.arguments().c_str());
}

/// The hash that a fresh process gives, which has other addresses in memory.
std::string hash_elsewhere(const Trial& trial) {
  char self[4096] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0) return "";
  const std::string command = "'" + std::string(self) + "'" + trial.arguments() + " 2>&1 | tail -n 1";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
  char line[256] = {};
  if (!pipe || std::fgets(line, sizeof line, pipe.get()) == nullptr) return "";
  return std::string(line).substr(0, std::string_view(line).find('\n'));
}

void tell_progress(const Sum& sum, double wall) {
  std::printf("%llu simulations, %.2f simulated hours in %.2f hours: %.0f times as fast\n",
              static_cast<unsigned long long>(sum.passed + sum.failed), sum.seconds / 3600, wall / 3600,
              sum.seconds / wall);
  std::fflush(stdout);
}

int run_all_of(const Options& options) {
  constexpr std::uint64_t kTwice = 4;  // so many are compared with a fresh process
  Sum sum;
  std::uint64_t begun = 0;
  std::optional<std::pair<Trial, Verdict>> first;
  const auto began = Clock::now();
  double told_at = 0;
  const auto next = [&](Trial& trial) {
    if (options.hours > 0 ? seconds_since(began) >= options.hours * 3600 : begun == options.count) return false;
    trial = options.trial;
    trial.seed += begun++;
    return true;
  };
  const auto done = [&](const Trial& trial, Verdict verdict) {
    const bool several = options.hours > 0 || options.count > 1;
    if (several && trial.seed - options.trial.seed < kTwice && verdict.wrong.empty() &&
        hash_elsewhere(trial) != hex_of(verdict.hash))
      verdict.wrong.emplace_back("another process has another hash");
    ++(verdict.wrong.empty() ? sum.passed : sum.failed);
    sum.sessions += verdict.sessions;
    sum.cut += verdict.cut;
    sum.seconds += static_cast<double>(verdict.took) / 1e9;
    sum.hash = several ? sum.hash * 31 + verdict.hash : verdict.hash;
    if (options.hours > 0 && seconds_since(began) > told_at + 60) {
      told_at = seconds_since(began);
      tell_progress(sum, told_at);
    }
    print(trial, verdict);
    if (verdict.wrong.empty()) return true;
    if (!first) first.emplace(trial, std::move(verdict));
    return options.hours <= 0;  // else it stops at the first failure
  };
  run_all(options.jobs, next, done);
  const double wall = seconds_since(began);
  if (first && (options.hours > 0 || options.count > 1)) explain(first->first, first->second);
  std::printf("%zu sessions, %zu of them cut\n", sum.sessions, sum.cut);
  tell_progress(sum, wall);
  std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(sum.passed),
              static_cast<unsigned long long>(sum.failed));
  std::printf("%s\n", hex_of(sum.hash).c_str());
  return sum.failed == 0 && sum.passed != 0 ? 0 : 1;
}

}  // namespace
}  // namespace entente::lab

/// Less of what AddressSanitizer keeps of freed memory saves a fifth of the time. ASAN_OPTIONS overrides it.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=16:malloc_context_size=4"; }

int main(int count, char** arguments) {
  const auto options = entente::lab::read(count, arguments);
  if (options) {
    entente::lab::Processes::find_globals();
    return entente::lab::run_all_of(*options);
  }
  std::fprintf(stderr,
               "usage: lab [--seed N] [--count N] [--hours H] [--jobs N] [--scenario relays|games|program|fleet] "
               "[--without PART]… "
               "[--calm] [--tell] [--trace]\n");
  return 2;
}
