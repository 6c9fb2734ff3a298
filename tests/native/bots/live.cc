// native_bot PORT NAME: plays behind a native listener of this machine; says what it saw when that ends.
// Needs nothing but protobuf and sockets.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

#include "tests/native/bots/bot.h"

int main(int count, char** given) {
  if (count != 3) return 2;
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(given[1])));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 1;

  Bot bot{given[2], [&](const words::Intent& intent) {
            const std::string word = intent.SerializeAsString();
            const std::uint32_t size = htonl(static_cast<std::uint32_t>(word.size()));
            const std::string frame = std::string(reinterpret_cast<const char*>(&size), sizeof size) + word;
            (void)!send(server, frame.data(), frame.size(), MSG_NOSIGNAL);
          }};
  using Clock = std::chrono::steady_clock;
  std::string heard, some(65536, '\0');
  for (auto next = Clock::now();;) {
    if (Clock::now() >= next) bot.act(), next += std::chrono::milliseconds(200);
    pollfd wait{server, POLLIN, 0};
    if (poll(&wait, 1, 20) == 0) continue;
    const ssize_t got = recv(server, some.data(), some.size(), 0);
    if (got <= 0) break;
    heard.append(some, 0, static_cast<std::size_t>(got));
    for (std::uint32_t size; heard.size() >= sizeof size; heard.erase(0, sizeof size + size)) {
      heard.copy(reinterpret_cast<char*>(&size), sizeof size);
      if (heard.size() < sizeof size + (size = ntohl(size))) break;
      if (words::Fact fact; fact.ParseFromArray(heard.data() + sizeof size, static_cast<int>(size))) bot.hear(fact);
    }
  }
  bot.report();
  return close(server);
}
