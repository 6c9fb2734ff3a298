#include "proxy/program/import/demo.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "adapters/aos/aos.h"

namespace entente {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kGameVersions[] = {3, 4};  // of the game's dialects, by index; as in ENet's connect data
constexpr std::size_t kHeader = 2;
constexpr std::size_t kPacketHead = 6;  // seconds, size
constexpr float kLastTime = 1e9F;       // seconds: 31 years

WallTime time_of(float seconds) { return static_cast<WallTime>(std::llround(static_cast<double>(seconds) * 1e9)); }
float seconds_of(WallTime since) { return static_cast<float>(static_cast<double>(since) / 1e9); }

/// Below 16 ms a float is finer than a nanosecond.
bool exact(float seconds) { return seconds_of(time_of(seconds)) == seconds; }

class DemoImport {
 public:
  DemoImport(std::istream& file, const std::string& name, ImportSink& sink) : file_(file), name_(name), sink_(sink) {}

  Outcome<Done> run() {
    std::array<std::uint8_t, kHeader> head{};
    if (fill(head) != head.size()) return Error{name_ + ": the file ends within its header"};
    if (head[0] != kVersion)
      return Error{name_ + ": version " + std::to_string(head[0]) + " of aos_replay's format; only 1 can be read"};
    if (!is_demo(head))
      return Error{name_ + ": version " + std::to_string(head[1]) + " of Ace of Spades; only 3 (0.75) and 4 (0.76)" +
                   " can be read"};
    const wire::Game& game = aos::game();
    const auto dialect = game.named_by_connect(head[1]);
    sink_.opened(0, {name_, std::string(game.name()), std::string(game.dialects()[*dialect].name)}, 0);
    auto done = packets();
    sink_.connection_over(0);
    return done;
  }

 private:
  Outcome<Done> packets() {
    std::array<std::uint8_t, kPacketHead> head{};
    while (!sink_.enough()) {
      ++number_;
      const std::uint64_t start = at_;
      const std::size_t got = fill(head);
      if (got == 0) break;
      if (got != head.size()) return cut(start);
      const auto bits = static_cast<std::uint32_t>(head[0] | head[1] << 8U | head[2] << 16U) |
                        static_cast<std::uint32_t>(head[3]) << 24U;
      const auto seconds = std::bit_cast<float>(bits);
      if (std::signbit(seconds) || !(seconds <= kLastTime))
        return wrong(start, "the time is not between 0 and 1000000000 seconds");
      packet_.resize(static_cast<std::size_t>(head[4] | head[5] << 8U));
      if (packet_.empty()) return wrong(start + 4, "a packet of no bytes");
      if (fill(packet_) != packet_.size()) return cut(start);
      tell(seconds);
    }
    return file_.bad() ? Outcome<Done>(Error{name_ + ": cannot be read"}) : Outcome<Done>(Done{});
  }

  void tell(float seconds) {
    Imported piece{0, wire::Way::kToClient, wire::Lane::kStream, time_of(seconds), packet_};
    if (!exact(seconds)) piece.seconds = seconds;
    sink_.read_to(at_);
    sink_.bytes(piece);
  }

  std::size_t fill(std::span<std::uint8_t> to) {
    file_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    const auto got = static_cast<std::size_t>(file_.gcount());
    at_ += got;
    return got;
  }

  Outcome<Done> cut(std::uint64_t start) {
    sink_.remark(name_ + " ends within packet " + std::to_string(number_) + ", which begins at byte " +
                 std::to_string(start));
    return Done{};
  }
  Error wrong(std::uint64_t at, const char* what) const {
    return {name_ + ": packet " + std::to_string(number_) + " at byte " + std::to_string(at) + ": " + what};
  }

  std::istream& file_;
  const std::string& name_;
  ImportSink& sink_;
  Buffer packet_;
  std::uint64_t number_ = 0, at_ = 0;
};

}  // namespace

bool is_demo(Bytes first) {
  return first.size() >= kHeader && first[0] == kVersion &&
         (first[1] == kGameVersions[0] || first[1] == kGameVersions[1]);
}

Outcome<Done> import_demo(std::istream& file, const std::string& name, ImportSink& sink) {
  return DemoImport(file, name, sink).run();
}

bool has_demos(std::size_t dialect) { return dialect < std::size(kGameVersions); }

void put_demo_header(std::size_t dialect, Buffer& out) {
  out.push_back(kVersion);
  out.push_back(kGameVersions[dialect]);
}

void put_demo_packet(WallTime since, std::optional<float> seconds, Bytes packet, Buffer& out) {
  const bool said = seconds && *seconds >= 0 && *seconds <= kLastTime && time_of(*seconds) == since;
  const auto bits = std::bit_cast<std::uint32_t>(said ? *seconds : seconds_of(since));
  for (const unsigned shift : {0U, 8U, 16U, 24U}) out.push_back(static_cast<std::uint8_t>(bits >> shift));
  out.push_back(static_cast<std::uint8_t>(packet.size()));
  out.push_back(static_cast<std::uint8_t>(packet.size() >> 8U));
  append(out, packet);
}

}  // namespace entente
