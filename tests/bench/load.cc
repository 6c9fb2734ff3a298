// load: the echo server and the clients of the relay benchmark, in one thread of one process, one epoll.
// Prints the addresses of its servers, "echo 127.0.0.1:PORT native 127.0.0.1:PORT". Then it answers each line
// `tcp|udp|bridge HOST:PORT CONNECTIONS SECONDS RATE PID` of its standard input with one line of JSON: the results of
// CONNECTIONS players through the relay (or the bridge to native) at HOST:PORT, whose process is PID. Several relays,
// separated by commas, share the players.
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/bench/echo.h"
#include "tests/bench/native_echo.h"
#include "tests/bench/players.h"

namespace entente::bench {
namespace {

struct Input : Watched {
  Input() : fd(dup(STDIN_FILENO)) {}
  void ready(std::uint32_t) override { pending = true; }
  Fd fd;
  bool pending = false;
};

std::vector<std::string> parts(const std::string& list) {
  std::vector<std::string> found;
  std::istringstream rest(list);
  for (std::string part; std::getline(rest, part, ',');) found.push_back(part);
  return found;
}

Cell parse(const std::string& line) {
  std::istringstream words(line);
  std::string kind, to, relays;
  Cell cell;
  words >> kind >> to >> cell.connections >> cell.seconds >> cell.rate >> relays;
  if (!words || (kind != "tcp" && kind != "udp" && kind != "bridge")) die("not a cell: " + line);
  cell.kind = kind == "udp" ? Kind::kUdp : Kind::kTcp;
  cell.bridged = kind == "bridge";
  for (const auto& one : parts(to)) cell.to.push_back(address(one));
  for (const auto& one : parts(relays)) cell.relays.push_back(std::stoi(one));
  return cell;
}

void print(const Report& report) {
  const auto messages = static_cast<double>(report.messages);
  std::printf("{\"rate\": %.1f, \"cpu_us\": %.4f, \"lost\": %llu, \"skipped\": %llu, \"latency\": ",
              messages / report.seconds, report.messages ? report.cpu_seconds * 1e6 / messages : 0,
              static_cast<unsigned long long>(report.lost), static_cast<unsigned long long>(report.skipped));
  report.latency.print();
  std::puts("}");
  std::fflush(stdout);
}

// The disconnects of one cell must be over before the next cell begins.
void wait_until_all_left(Poll& poll, Echo& echo, NativeEcho& native) {
  for (int turns = 0; echo.connections() + native.connections() > 0 && turns < 2000; ++turns) {
    poll.turn(1);
    echo.sweep();
    native.sweep();
  }
}

int serve() {
  Poll poll;
  Echo echo(poll);
  NativeEcho native(poll);
  Input input;
  poll.watch(input.fd, EPOLLIN, input);
  std::printf("echo 127.0.0.1:%u native 127.0.0.1:%u\n", unsigned{echo.port()}, unsigned{native.port()});
  std::fflush(stdout);
  std::string line;
  while (true) {
    input.pending = false;
    poll.turn(-1);
    echo.sweep();
    native.sweep();
    if (!input.pending) continue;
    if (!std::getline(std::cin, line)) return 0;
    poll.change(input.fd, 0, input);
    print(Players(poll, parse(line)).run());
    wait_until_all_left(poll, echo, native);
    poll.change(input.fd, EPOLLIN, input);
  }
}

}  // namespace
}  // namespace entente::bench

int main() { return entente::bench::serve(); }
