// floor_relay HOST:PORT: relays TCP and UDP to HOST:PORT with bare epoll and nothing else; the lower bound that the
// benchmark holds every relay against. Prints "listening 127.0.0.1:PORT" when it is ready.
#include <cstdio>

#include "tests/bench/floor_tcp.h"
#include "tests/bench/floor_udp.h"

int main(int argc, char** argv) {
  using namespace entente::bench;
  if (argc != 2) {
    std::fprintf(stderr, "usage: floor_relay HOST:PORT\n");
    return 2;
  }
  const sockaddr_in to = address(argv[1]);
  Poll poll;
  Port port = open_port();
  FloorTcp tcp(poll, std::move(port.tcp), to);
  FloorUdp udp(poll, std::move(port.udp), to);
  std::printf("listening 127.0.0.1:%u\n", static_cast<unsigned>(port.number));
  std::fflush(stdout);
  while (true) {
    poll.turn(-1);
    tcp.flush();
    udp.flush();
  }
}
