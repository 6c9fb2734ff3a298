// Real sessions of real programs decode to the last byte and encode to the same bytes.
#include "adapters/wire/print.h"
#include "tests/bzflag/tape.h"

namespace entente::bzflag::captures_test {
namespace {

class Exact final : public wire::DissectorSink {
 public:
  explicit Exact(std::string_view dialect) : codec_(game().codec(dialect_of(dialect))) {}

  void frame(const wire::Frame& frame) override {
    ++frames;
    INFO(std::string(text(frame.way)), " ", to_hex(frame.bytes));
    const auto row = codec_->decode(frame);
    if (!row) {
      FAIL_CHECK(std::string(row.error().what), " in ", std::string(row.error().field), " at ", row.error().offset);
      return;
    }
    ++seen[std::string((*row)->name) + " " + text(frame.way)];
    again_.clear();
    codec_->encode(again_);
    CHECK(to_hex(again_) == to_hex(frame.bytes));
    CHECK(wire::opaque_bytes(*codec_) == 0);
  }
  void raw(wire::Way, wire::Lane, Bytes bytes, const Fault* why) override {
    FAIL_CHECK("raw ", to_hex(bytes), " ", std::string(why ? why->what : ""));
  }

  std::size_t frames = 0;
  std::map<std::string, std::size_t> seen;

 private:
  std::unique_ptr<wire::Codec> codec_;
  Buffer again_;
};

struct Tape {
  const char* name;
  const char* dialect;
  std::size_t frames;
  std::size_t kinds;
};
constexpr Tape kTapes[] = {
    {"bzfs2426-bzadmin-chat", "2.4", 85, 13},         {"bzfs2426-gui-two-tanks", "2.4", 584, 42},
    {"bzfs2426-gui-flags-teleport", "2.4", 1286, 46}, {"bzfs2016-hand-session", "2.0", 201, 56},
    {"bzfs2016-gui-two-tanks", "2.0", 352, 43},       {"bzfs1108-gui-two-tanks", "1.10", 700, 31},
    {"bzfs1108-hand-session", "1.10", 176, 50},
};

TEST_CASE("real sessions are encoded exactly as captured, however the stream is cut") {
  for (const Tape& tape : kTapes) {
    for (const std::size_t grain : std::initializer_list<std::size_t>{0, 1, 7}) {
      INFO(std::string(tape.name), " grain ", grain);
      Exact exact(tape.dialect);
      play_tape(tape.name, tape.dialect, grain, exact);
      CHECK(exact.frames == tape.frames);
      CHECK(exact.seen.size() == tape.kinds);
    }
  }
}

}  // namespace
}  // namespace entente::bzflag::captures_test
