// bench_stampede HOST:PORT CLIENTS SECONDS: CLIENTS native JSON clients connect to the arena at HOST:PORT at once, send
// `enter`, read all that they receive, and disconnect after SECONDS. Meanwhile a player who joined before drives, and
// measures how long the arena takes to send its pose back. Prints one line of JSON.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/bench/clock.h"
#include "tests/bench/histogram.h"
#include "tests/bench/sockets.h"

namespace entente::bench {
namespace {

constexpr Nanos kMillisecond = kSecond / 1'000;
constexpr Nanos kEvery = 20 * kMillisecond;    // between two claims of the player
constexpr Nanos kQuiet = 2 * kSecond;          // before the crowd connects
constexpr Nanos kAfterwards = 20 * kSecond;    // after it has disconnected
constexpr Nanos kNormal = 50 * kMillisecond;   // an echo that takes longer is late
constexpr double kStep = 0.002;                // metres from one claim to the next
constexpr std::size_t kConnectingAtOnce = 64;  // less than a listener's backlog

/// The number that follows `key` in a line of JSON; 0 if it has none.
double number_after(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  return at == std::string_view::npos ? 0 : std::strtod(line.data() + at + key.size(), nullptr);
}

/// The player: one blocking connection on a separate thread.
class Player {
 public:
  explicit Player(const sockaddr_in& to) : fd_(open_socket(Kind::kTcp, nullptr)) {
    start_connect(fd_, to);
    say("{\"enter\":{\"name\":\"player\"}}\n");
  }

  void play() {
    Nanos next = now_ns();
    while (!stop) {
      const Nanos now = now_ns();
      if (placed_ && now >= next) claim(now), next = now + kEvery;
      pollfd one{fd_.get(), POLLIN, 0};
      if (::poll(&one, 1, 1) > 0) hear();
    }
  }

  std::atomic<bool> stop = false;
  std::atomic<bool> ready = false;

  struct Echo {
    Nanos said, heard;
  };
  const std::vector<Echo>& echoes() const { return echoes_; }

 private:
  void say(std::string_view line) {
    while (::write(fd_.get(), line.data(), line.size()) < 0) {
      if (errno != EAGAIN && errno != ENOTCONN) die("the player was closed");
      usleep(1'000);
    }
  }

  /// Sends a step to and fro, each to a different place, by which its echo is recognised.
  void claim(Nanos now) {
    echoes_.push_back({now, 0});
    char line[256];
    std::snprintf(line, sizeof(line), "{\"pose_claim\":{\"unit\":%u,\"x\":%.6f,\"y\":%.6f,\"yaw\":%.6f,\"seq\":%zu}}\n",
                  unit_, x_ + kStep * static_cast<double>(echoes_.size()), y_, yaw_, echoes_.size());
    say(line);
  }

  void hear() {
    static char bytes[1 << 16];
    const auto got = ::read(fd_.get(), bytes, sizeof(bytes));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != ENOTCONN)) die("the player was closed");
    if (got > 0) heard_.append(bytes, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end; (end = heard_.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(std::string_view(heard_).substr(begin, end - begin));
    heard_.erase(0, begin);
  }

  void take(std::string_view line) {
    if (line.find("\"you\":{") != std::string_view::npos)
      me_ = static_cast<unsigned>(number_after(line, "\"player\":"));
    const std::string owns = "\"owns\":{\"player\":" + std::to_string(me_) + ",";
    if (line.find(owns) != std::string_view::npos) {
      unit_ = static_cast<unsigned>(number_after(line, "\"units\":["));
      say("{\"spawn\":{}}\n");
    }
    const std::string mine = "\"unit\":" + std::to_string(unit_) + ",";
    if (unit_ == 0 || line.find(mine) == std::string_view::npos) return;
    if (line.find("\"spawned\":{") != std::string_view::npos) {
      x_ = number_after(line, "\"x\":"), y_ = number_after(line, "\"y\":"), yaw_ = number_after(line, "\"yaw\":");
      ready = placed_ = true;
    } else if (placed_ && line.find("\"pose\":{") != std::string_view::npos) {
      const double steps = (number_after(line, "\"x\":") - x_) / kStep;
      const auto step = static_cast<std::size_t>(std::llround(steps));
      if (step == 0 || step > echoes_.size() || echoes_[step - 1].heard != 0) return;
      echoes_[step - 1].heard = now_ns();
    }
  }

  Fd fd_;
  std::string heard_;
  unsigned me_ = 0, unit_ = 0;
  double x_ = 0, y_ = 0, yaw_ = 0;
  bool placed_ = false;
  std::vector<Echo> echoes_;
};

/// One client of the crowd: sends `enter` as soon as it can, and reads.
class Visitor final : public Watched {
 public:
  Visitor(Poll& poll, const sockaddr_in& to, unsigned number, unsigned& connected)
      : poll_(poll), number_(number), connected_(connected), fd_(open_socket(Kind::kTcp, nullptr)) {
    start_connect(fd_, to);
    poll_.watch(fd_, EPOLLOUT, *this);
  }

  void ready(std::uint32_t events) override {
    if ((events & EPOLLOUT) != 0) {
      poll_.change(fd_, EPOLLIN, *this);
      ++connected_;
      return send_whole(fd_, as_bytes("{\"enter\":{\"name\":\"visitor " + std::to_string(number_) + "\"}}\n"), "enter");
    }
    static std::array<char, 1 << 16> bytes;
    const auto got = ::read(fd_.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      closed = true;
      return hang_up();
    }
    heard += static_cast<std::uint64_t>(got);
    if (in) return;
    const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
    in = text.find("\"name\":\"visitor " + std::to_string(number_) + "\"") != std::string_view::npos;
    if (text.find("\"kicked\"") != std::string_view::npos) why = std::string(text.substr(text.rfind("\"kicked\"")));
  }

  void hang_up() { fd_ = Fd(); }

  bool in = false, closed = false;
  std::uint64_t heard = 0;
  std::string why;

 private:
  Poll& poll_;
  unsigned number_;
  unsigned& connected_;
  Fd fd_;
};

/// The waits in ms for the poses sent between two times; an echo that never came counts until the end.
void print(const char* name, const std::vector<Player::Echo>& echoes, Nanos from, Nanos to, Nanos end) {
  std::vector<Nanos> waits;
  for (const auto& echo : echoes)
    if (echo.said >= from && echo.said < to) waits.push_back((echo.heard != 0 ? echo.heard : end) - echo.said);
  std::sort(waits.begin(), waits.end());
  const auto at = [&](double share) {
    return waits.empty()
               ? 0.0
               : static_cast<double>(waits[static_cast<std::size_t>(share * static_cast<double>(waits.size() - 1))]) /
                     1e6;
  };
  std::printf("\"%s\": {\"echoes\": %zu, \"p50_ms\": %.1f, \"p99_ms\": %.1f, \"worst_ms\": %.1f}, ", name, waits.size(),
              at(0.5), at(0.99), at(1));
}

int run(const sockaddr_in& to, unsigned count, double seconds) {
  Player player(to);
  std::thread playing([&] { player.play(); });
  for (const Nanos limit = now_ns() + 10 * kSecond; !player.ready;) {
    if (now_ns() > limit) die("the player did not get into play");
    usleep(1'000);
  }
  usleep(kQuiet / 1'000);

  Poll poll;
  std::vector<std::unique_ptr<Visitor>> crowd;
  unsigned connected = 0;
  const Nanos came = now_ns();
  while (connected < count) {
    while (crowd.size() < count && crowd.size() < connected + kConnectingAtOnce)
      crowd.push_back(std::make_unique<Visitor>(poll, to, static_cast<unsigned>(crowd.size()), connected));
    poll.turn(10);
  }
  const Nanos all_connected = now_ns(), end = came + static_cast<Nanos>(seconds * 1e9);
  Nanos all_in = 0;
  while (now_ns() < end) {
    poll.turn(10);
    if (all_in != 0) continue;
    if (std::all_of(crowd.begin(), crowd.end(), [](const auto& one) { return one->in; })) all_in = now_ns();
  }
  unsigned in = 0, closed = 0;
  std::uint64_t heard = 0;
  for (const auto& one : crowd) in += one->in, closed += one->closed, heard += one->heard;
  for (const auto& one : crowd)
    if (!one->why.empty()) std::fprintf(stderr, "turned away: %s\n", one->why.c_str());
  const Nanos going = now_ns();
  for (const auto& one : crowd) one->hang_up();
  const Nanos gone = now_ns();
  usleep(kAfterwards / 1'000);
  player.stop = true;
  playing.join();
  const Nanos over = now_ns();

  Nanos normal = gone;
  for (const auto& echo : player.echoes())
    if (echo.said < over - kSecond && (echo.heard == 0 || echo.heard - echo.said > kNormal))
      normal = std::max(normal, echo.heard != 0 ? echo.heard : over);
  const auto ms = [](Nanos time) { return static_cast<double>(time) / 1e6; };
  std::printf("{\"connected_ms\": %.0f, \"in\": %u, \"closed\": %u, \"all_in_ms\": %.0f, \"heard_mb\": %.1f, ",
              ms(all_connected - came), in, closed, all_in != 0 ? ms(all_in - came) : 0,
              static_cast<double>(heard) / 1e6);
  print("before", player.echoes(), 0, came, over);
  print("there", player.echoes(), came, going, over);
  print("after", player.echoes(), going, over - kSecond, over);
  std::printf("\"normal_after_ms\": %.0f}\n", ms(normal - gone));
  return 0;
}

}  // namespace
}  // namespace entente::bench

int main(int count, char** words) {
  if (count != 4) entente::bench::die("bench_stampede HOST:PORT CLIENTS SECONDS");
  return entente::bench::run(entente::bench::address(words[1]), static_cast<unsigned>(std::atoi(words[2])),
                             std::atof(words[3]));
}
