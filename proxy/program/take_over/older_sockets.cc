#include "proxy/program/take_over/older_sockets.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "proxy/base/time.h"
#include "proxy/net/local_acceptor.h"

namespace entente {
namespace {

constexpr std::size_t kMostOlder = 64;  // processes; each upgrade leaves at most one

/// Whether this is a socket of a user whom we trust. In a shared folder, anybody can make one of this name.
bool has_trusted_owner(const std::string& path, std::optional<std::uint32_t> also) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode) && net::is_trusted_user(found.st_uid, also);
}

}  // namespace

std::string older_socket(const std::string& control_socket, int pid) {
  return control_socket + "." + std::to_string(pid);
}

std::optional<Error> objection_to_control_path(const std::string& path) {
  constexpr std::string_view kLongestEnding = ".4194304.new";  // the kernel gives no larger process id
  return net::objection_to_local_path(path, kLongestEnding.size());
}

std::vector<OlderSocket> older_sockets(const std::string& control_socket, std::optional<std::uint32_t> also) {
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
    const bool named = read.ec == std::errc() && read.ptr == name.data() + name.size();
    if (named && has_trusted_owner(older.path, also)) all.push_back(std::move(older));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.pid > b.pid; });
  if (all.size() > kMostOlder) all.resize(kMostOlder);
  return all;
}

OlderProcesses older_processes(const std::string& control_socket) {
  constexpr Millis kWithin = 300;          // for all of them: others wait for the answer meanwhile
  constexpr std::size_t kNotSessions = 2;  // lines: "ok" and the names of the columns
  const Millis until = steady_now() + kWithin;
  bool may_be_there = false;
  std::size_t sessions = 0;
  for (const OlderSocket& older : older_sockets(control_socket)) {
    const Millis now = steady_now();
    if (now >= until) return {true, std::nullopt};
    bool nobody = false;
    const auto answer = net::ask_local(older.path, "list", {.within = until - now, .nobody = &nobody});
    if (nobody) continue;
    if (!answer || !answer->starts_with("ok\n")) return {true, std::nullopt};
    const auto lines = static_cast<std::size_t>(std::count(answer->begin(), answer->end(), '\n'));
    may_be_there = true;
    sessions += lines > kNotSessions ? lines - kNotSessions : 0;
  }
  return {may_be_there, sessions};
}

std::string older_as_json(const std::string& control_socket) {
  constexpr Millis kWithin = 600;  // for all of them; each has its share
  const Millis until = steady_now() + kWithin;
  const std::vector<OlderSocket> sockets = older_sockets(control_socket);
  std::string all;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    const Millis now = steady_now();
    const Millis its_end = now + (until > now ? (until - now) / (sockets.size() - i) : 0);
    const std::string one = "{\"process\":" + std::to_string(sockets[i].pid);
    std::string tables;
    bool nobody = false;
    for (const char* table : {"list", "routes", "servers"}) {
      const Millis begun = steady_now();
      const auto answer = net::ask_local(sockets[i].path, "--json " + std::string(table),
                                         {.within = its_end > begun ? its_end - begun : 1, .nobody = &nobody});
      if (!answer || !answer->starts_with('[') || !answer->ends_with("]\n")) {
        tables.clear();
        break;
      }
      tables += ",\"" + std::string(table) + "\":" + answer->substr(0, answer->size() - 1);
    }
    if (nobody) continue;
    all += (all.empty() ? "" : ",") + one + (tables.empty() ? ",\"silent\":true" : tables) + "}";
  }
  return "[" + all + "]";
}

}  // namespace entente
