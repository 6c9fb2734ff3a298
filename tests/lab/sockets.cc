// Relays of the toy game over real sockets and in real time: the program `lab_sockets`, which takes the arguments of
// `lab` (main.cc). `agree` compares the two.
#include "proxy/base/hash.h"
#include "tests/lab/talks.h"
#include "tests/lab/trials.h"

namespace entente::lab {
namespace {

constexpr Nanos kNoBound = 3'600'000 * kMilli;  // a busy machine may be late

void run_relays(Plan& plan, Verdict& verdict) {
  Talks talks;
  const std::size_t unnamed = hold_talks(plan, talks, verdict);
  check_talks(talks, unnamed, kNoBound, verdict);
  tell_outcome(talks, verdict);
  std::string all;
  for (const std::string& line : verdict.outcome) all += line + "\n";
  verdict.hash = fnv1a(as_bytes(all));
}

constexpr Scenario kScenarios[] = {{"relays", run_relays}};

}  // namespace

std::span<const Scenario> scenarios() { return kScenarios; }

}  // namespace entente::lab
