// arena_bench: the cost of a tick of an arena full of cells: the referee, applying its facts, and every cell's picture,
// from the bytes of its mouse to the bytes for the network. A tick is 40 ms; an arena that takes longer cannot keep its
// rate. One thread, like an arena. The same with all rules of config/rules (`ruled_tick`).
//
// To count instructions, which are the same on a busy machine, run it twice for a difference without the start:
//   for ticks in 25 150; do valgrind --tool=callgrind bench_arena 100 $ticks config/rules; done
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/ogar/ogar.h"
#include "adapters/ogar/wire/wire.h"
#include "proxy/core/arena/referee.h"
#include "proxy/core/room/room.h"
#include "proxy/rules/room_rules.h"

namespace entente {
namespace {

using core::Id, core::Micros;

constexpr Micros kTick = 40 * core::kMillisecond;

/// Counts what goes out, and has rules.
class Network final : public core::Room::Host, private rules::RoomView {
 public:
  /// All in this folder.
  void begin_rules(const std::string& folder, const core::Room& room, Micros now) {
    room_ = &room;
    auto set = std::make_shared<rules::RuleSet>();
    for (const auto& one : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(one.path());
      auto rule = rules::check_rule(one.path().filename().string(), {std::istreambuf_iterator<char>(file), {}});
      if (!rule) die("rule", rule.error().text);
      set->push_back(std::move(*rule));
    }
    rules = std::make_unique<rules::RoomRules>(std::move(set), static_cast<const rules::RoomView&>(*this),
                                               rules::RoomRules::Options{}, now);
  }
  bool passes(core::Intent& intent) override {
    return rules == nullptr || rules->hear(intent, intent.at) != rules::Rule::Answer::kDrop;
  }
  void begin_turn(Micros now) {
    if (rules != nullptr) rules->tick(now);
  }
  void end_turn() {
    if (rules == nullptr) return;
    actions += rules->actions().size();
    rules->actions().clear();
  }
  void send(Id, Lane, Bytes bytes) override { sent += bytes.size(), ++frames; }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view why, std::uint32_t) override { die("closed", why); }
  void failed(Id, const Fault& fault) override { die("failed", fault.what); }
  void dial() override {}
  void told(const core::Fact& fact) override {
    deaths += core::as<words::Died>(fact) != nullptr;
    if (rules != nullptr) rules->told(fact, fact.at);
  }
  std::size_t sent = 0, frames = 0, deaths = 0, actions = 0;
  std::unique_ptr<rules::RoomRules> rules;  // null: there are none

 private:
  const core::WorldState& world() const override { return room_->world(); }
  bool is_here(Id) const override { return true; }
  bool is_arena() const override { return true; }

  const core::Room* room_ = nullptr;
  [[noreturn]] static void die(const char* what, std::string_view why) {
    std::fprintf(stderr, "a cell %s: %s\n", what, std::string(why).c_str());
    std::abort();
  }
};

/// Cells of modern3 whose mice wander, in a courtyard whose area per cell is always the same.
class Crowd {
 public:
  /// `rules`: a folder; "": there are none.
  explicit Crowd(std::size_t count, const std::string& rules = "")
      : room_(network, referee(count), options()), codec_(ogar::make_message_codec(0)) {
    room_.back_opened({}, now_);
    if (!rules.empty()) network.begin_rules(rules, room_, now_);
    for (std::size_t i = 0; i < count; ++i) {
      seats_.push_back(room_.seat(ogar::faces().front({}), {}, now_));
      ogar::Hello hello;
      hello.opcode = 1;
      hello.version = 3;
      say(seats_.back(), hello);
      ogar::ClientUpdate spawn;
      spawn.flags = ogar::kSpawn;
      spawn.name.chars = "cell" + std::to_string(i) + '\0';
      say(seats_.back(), spawn);
    }
  }

  /// Every cell's mouse moves, and some of them shoot.
  void tick() {
    for (std::size_t i = 0; i < seats_.size(); ++i) {
      ogar::ClientUpdate mouse;
      const double turn = static_cast<double>(i) + static_cast<double>(now_) / 3e6;
      mouse.x = static_cast<std::int32_t>(7000 * std::cos(turn));
      mouse.y = static_cast<std::int32_t>(7000 * std::sin(turn));
      mouse.splits = (i + now_ / kTick) % 50 == 0;
      say(seats_[i], mouse);
    }
    now_ += kTick;
    network.begin_turn(now_);
    while (room_.next_wake() <= now_) room_.tick(now_);
    network.end_turn();
  }

  Network network;

 private:
  static std::unique_ptr<core::Back> referee(std::size_t count) {
    core::ArenaRules rules;
    rules.most_players = static_cast<std::uint32_t>(count);
    const double half_side = std::min(400.0, 40 * std::sqrt(static_cast<double>(count)));
    return std::make_unique<core::Referee>(core::Arena{rules, core::courtyard(half_side)});
  }
  static core::RoomOptions options() {
    core::RoomOptions options;
    options.seed = 5;
    options.shared = true;
    options.most_words = 100'000;
    return options;
  }
  template <class Message>
  void say(Id seat, const Message& message) {
    bytes_.clear();
    codec_->write(message, wire::Way::kToServer, bytes_);
    const bool greets = std::is_same_v<Message, ogar::Hello>;
    const FrameMark mark{static_cast<std::uint32_t>(bytes_.size()), greets ? Stage::kGreeting : Stage::kPlay};
    room_.received(seat, {Lane::kStream, bytes_, {&mark, 1}}, now_);
  }

  Micros now_ = core::kSecond;
  core::Room room_;
  std::unique_ptr<wire::MessageCodec<ogar::Message>> codec_;
  std::vector<Id> seats_;
  Buffer bytes_;
};

void measure(benchmark::State& state, bool ruled) {
  Crowd crowd(static_cast<std::size_t>(state.range(0)), ruled ? ENTENTE_RULES : "");
  for (int i = 0; i < 50; ++i) crowd.tick();
  const std::size_t sent = crowd.network.sent, frames = crowd.network.frames;
  for (auto _ : state) crowd.tick();
  const auto ticks = static_cast<double>(state.iterations());
  state.counters["bytes"] = static_cast<double>(crowd.network.sent - sent) / ticks;
  state.counters["frames"] = static_cast<double>(crowd.network.frames - frames) / ticks;
  state.counters["deaths"] = static_cast<double>(crowd.network.deaths);
  if (ruled) state.counters["rules"] = static_cast<double>(crowd.network.rules->running());
}

void tick(benchmark::State& state) { measure(state, false); }
void ruled_tick(benchmark::State& state) { measure(state, true); }
BENCHMARK(tick)->Arg(10)->Arg(100)->Arg(250)->Arg(500)->Unit(benchmark::kMillisecond);
BENCHMARK(ruled_tick)->Arg(10)->Arg(100)->Arg(250)->Arg(500)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace entente

/// bench_arena PLAYERS TICKS [FOLDER]: only that, for a profiler; with the rules of a folder.
int main(int count, char** arguments) {
  const auto number = [&](int at) { return count > at ? std::strtoul(arguments[at], nullptr, 10) : 0; };
  if (number(1) != 0) {
    entente::Crowd crowd(number(1), count > 3 ? arguments[3] : "");
    for (auto left = number(2); left != 0; --left) crowd.tick();
    return 0;
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
