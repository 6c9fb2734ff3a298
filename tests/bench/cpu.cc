#include <ctime>
#include <fstream>

#include "tests/bench/cell.h"

namespace entente::bench {

double cpu_of(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (pid == 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  double seconds = static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
  const auto text = std::to_string(pid);
  std::ifstream children("/proc/" + text + "/task/" + text + "/children");
  for (pid_t child = 0; children >> child;) seconds += cpu_of(child);
  return seconds;
}

}  // namespace entente::bench
