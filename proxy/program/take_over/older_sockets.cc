#include "proxy/program/take_over/older_sockets.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "proxy/net/local_acceptor.h"
#include "proxy/net/take_over/talk.h"

namespace entente {

std::string older_socket(const std::string& control_socket, int pid) {
  return control_socket + "." + std::to_string(pid);
}

std::vector<OlderSocket> older_sockets(const std::string& control_socket) {
  std::vector<OlderSocket> all;
  const std::filesystem::path socket(control_socket);
  const std::string before = socket.filename().string() + ".";
  std::error_code error;
  const auto folder = socket.has_parent_path() ? socket.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    OlderSocket older{it->path().string()};
    if (!name.starts_with(before)) continue;
    const auto read = std::from_chars(name.data() + before.size(), name.data() + name.size(), older.pid);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size()) all.push_back(std::move(older));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.pid > b.pid; });
  return all;
}

std::size_t older_sessions(const std::string& control_socket) {
  constexpr Millis kListWithin = 300;
  constexpr std::size_t kNotSessions = 2;  // lines: "ok" and the names of the columns
  std::size_t sessions = 0;
  for (const OlderSocket& older : older_sockets(control_socket)) {
    const auto answer = net::ask_local(older.path, "list", kListWithin);
    if (!answer || !answer->starts_with("ok\n")) continue;
    const auto lines = static_cast<std::size_t>(std::count(answer->begin(), answer->end(), '\n'));
    sessions += lines > kNotSessions ? lines - kNotSessions : 0;
  }
  return sessions;
}

bool has_older_process(const std::string& control_socket) {
  const auto all = older_sockets(control_socket);
  return std::any_of(all.begin(), all.end(), [](const OlderSocket& one) { return net::Talk::open(one.path).ok(); });
}

}  // namespace entente
