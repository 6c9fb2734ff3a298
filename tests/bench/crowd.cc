// bench_crowd HOST:PORT CLIENTS SECONDS PID: CLIENTS Ogar clients play in the arena at HOST:PORT, whose process is PID,
// in one thread, and count the pictures that they receive. Prints one line of JSON.
// Invariant: each behaves like Cigar2: legacy 6, with a mouse that moves 25 times a second. In legacy 6 a server sends
// a picture each tick, even an empty one, so that the time between two pictures is the tick.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/cell.h"
#include "tests/bench/clock.h"
#include "tests/bench/web_client.h"

namespace entente::bench {
namespace {

constexpr Nanos kTick = kSecond / 25;
constexpr Nanos kWarmUp = 2 * kSecond, kJoinLimit = 40 * kSecond;
constexpr std::size_t kJoiningAtOnce = 16;
constexpr std::uint32_t kSeldom = 50;  // ticks from a shot to the next
constexpr double kFar = 7000;          // map units: nearly half the side of the largest place

// Opcodes of legacy 6: up, then down.
constexpr std::uint8_t kJoin = 0x00, kMouse = 0x10, kSplit = 0x11, kHello = 0xfe, kKey = 0xff;
constexpr std::uint8_t kNodes = 0x10, kOwned = 0x20, kBorder = 0x40;
constexpr std::size_t kEmptyNodes = 9;

void add32(std::int32_t value, Buffer& out) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> shift));
}

/// The results of all clients.
struct Seen {
  std::uint64_t pictures = 0, empty = 0, bytes = 0, lives = 0;
  Histogram gaps;  ///< between a client's picture and its next
};

class Client {
 public:
  Client(Poll& poll, const sockaddr_in& to, unsigned number, Seen& seen)
      : number_(number), seen_(seen), web_(poll, to, [this](Bytes message) { hear(message); }) {}

  bool plays() const { return plays_; }

  /// Asks for a new life if it has none; moves the mouse in a circle; shoots now and then.
  void act(std::uint32_t tick) {
    if ((number_ + tick) % kSeldom == kSeldom / 2) join();
    const double turn = number_ + tick * (static_cast<double>(kTick) / 3e9);
    say({kMouse},
        {static_cast<std::int32_t>(kFar * std::cos(turn)), static_cast<std::int32_t>(kFar * std::sin(turn)), 0});
    if ((number_ + tick) % kSeldom == 0) say({kSplit});
  }

  /// Also counts a wait for a picture that has not arrived yet, if it is longer than a tick.
  void end(Nanos now) {
    if (now - shown_at_ > kTick) seen_.gaps.add(now - shown_at_);
  }

 private:
  void hear(Bytes message) {
    if (message.empty()) return greet();
    if (message[0] == kBorder && !plays_) join();
    if (message[0] == kNodes) look(message);
    if (message[0] != kOwned) return;
    plays_ = true;
    ++seen_.lives;
  }

  void look(Bytes picture) {
    const Nanos now = now_ns();
    ++seen_.pictures;
    seen_.empty += picture.size() == kEmptyNodes;
    seen_.bytes += picture.size();
    if (shown_at_ != 0) seen_.gaps.add(now - shown_at_);
    shown_at_ = now;
  }

  void greet() {
    say({kHello}, {6});
    say({kKey}, {0});
  }

  void join() {
    words_ = {kJoin};
    append(words_, as_bytes("cell" + std::to_string(number_)));
    words_.push_back(0);
    web_.say(words_);
  }

  void say(std::initializer_list<std::uint8_t> opcode, std::initializer_list<std::int32_t> numbers = {}) {
    words_ = opcode;
    for (const std::int32_t number : numbers) add32(number, words_);
    web_.say(words_);
  }

  unsigned number_;
  Seen& seen_;
  WebClient web_;
  Buffer words_;
  bool plays_ = false;
  Nanos shown_at_ = 0;
};

/// All clients; their mouse messages are spread evenly over a tick.
class Crowd {
 public:
  Crowd(const sockaddr_in& to, std::size_t count) { join(to, count); }

  void play(Nanos length) {
    const Nanos end = now_ns() + length;
    for (Nanos now = now_ns(); now < end; now = now_ns()) {
      act(now);
      poll_.turn(1);
    }
  }

  Seen seen;

  void forget() { seen = {}; }
  void end() {
    for (auto& client : clients_) client->end(now_ns());
  }

 private:
  void join(const sockaddr_in& to, std::size_t count) {
    const Nanos limit = now_ns() + kJoinLimit;
    for (std::size_t playing = 0; playing < count;) {
      while (clients_.size() < count && clients_.size() < playing + kJoiningAtOnce)
        clients_.push_back(std::make_unique<Client>(poll_, to, static_cast<unsigned>(clients_.size()), seen));
      poll_.turn(10);
      while (playing < clients_.size() && clients_[playing]->plays()) ++playing;
      if (now_ns() > limit) die("only " + std::to_string(playing) + " clients have a cell after 40 s");
    }
    started_ = now_ns();
  }

  void act(Nanos now) {
    const std::uint64_t due = (now - started_) * clients_.size() / kTick;
    for (; acts_ < due; ++acts_)
      clients_[acts_ % clients_.size()]->act(static_cast<std::uint32_t>(acts_ / clients_.size()));
  }

  Poll poll_;
  std::vector<std::unique_ptr<Client>> clients_;
  Nanos started_ = 0;
  std::uint64_t acts_ = 0;
};

int run(const sockaddr_in& to, std::size_t count, double seconds, pid_t arena) {
  Crowd crowd(to, count);
  crowd.play(kWarmUp);
  crowd.forget();
  const double cpu = cpu_of(arena), own = cpu_of(getpid());
  const Nanos begin = now_ns();
  crowd.play(static_cast<Nanos>(seconds * 1e9));
  const double passed = static_cast<double>(now_ns() - begin) * 1e-9;
  crowd.end();
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf("{\"seconds\": %.3f, \"cpu_share\": %.4f, \"load_share\": %.4f, ", passed, (cpu_of(arena) - cpu) / passed,
              (cpu_of(getpid()) - own) / passed);
  std::printf(
      "\"pictures\": %llu, \"empty\": %llu, \"bytes\": %llu, \"lives\": %llu, \"gaps\": ", number(crowd.seen.pictures),
      number(crowd.seen.empty), number(crowd.seen.bytes), number(crowd.seen.lives));
  crowd.seen.gaps.print();
  std::puts("}");
  return 0;
}

}  // namespace
}  // namespace entente::bench

int main(int count, char** words) {
  if (count != 5) entente::bench::die("bench_crowd HOST:PORT CLIENTS SECONDS PID");
  return entente::bench::run(entente::bench::address(words[1]), static_cast<std::size_t>(std::atoi(words[2])),
                             std::atof(words[3]), std::atoi(words[4]));
}
