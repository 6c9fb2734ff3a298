// codec_bench: nanoseconds per message to decode and to encode, for every row of every dialect of every game, through
// the same virtual interface that the tap uses. Names are <verb>/<game>/<dialect>/<row>/<way>; Google Benchmark's
// options work. Invariant: all measured messages are random legal messages that decode.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include "adapters/registry.h"
#include "adapters/wire/invent.h"

namespace entente {
namespace {

constexpr std::size_t kMessages = 16;  // different ones in turn, so that the branch predictor cannot learn them
constexpr std::uint64_t kSeed = 2026;

/// Messages of one row, one way: their frames, and codecs that keep them decoded.
struct Subject {
  std::array<Buffer, kMessages> frames;
  std::array<std::unique_ptr<wire::Codec>, kMessages> codecs;
  wire::Frame frame;

  Bytes next(std::size_t i) { return frame.bytes = frames[i % kMessages]; }
};

wire::Lane lane_of(const wire::Row& row) {
  for (const auto lane : {wire::Lane::kStream, wire::Lane::kDatagram})
    if ((row.lanes & static_cast<std::uint8_t>(lane)) != 0) return lane;
  return static_cast<wire::Lane>(row.lanes & -row.lanes);
}

std::shared_ptr<Subject> invented(const wire::Game& game, std::size_t dialect, const wire::Row& row, wire::Way way) {
  auto subject = std::make_shared<Subject>();
  wire::Random random(kSeed);
  subject->frame = {way, lane_of(row), row.stage, {}};
  for (std::size_t i = 0; i < kMessages; ++i) {
    subject->codecs[i] = game.codec(dialect);
    wire::invent(row, way, *subject->codecs[i], random);
    subject->codecs[i]->encode(subject->frames[i]);
    subject->next(i);
    if (!subject->codecs[i]->decode(subject->frame)) return nullptr;
  }
  return subject;
}

void tell(benchmark::State& state, const Subject& subject) {
  std::size_t bytes = 0;
  for (const auto& frame : subject.frames) bytes += frame.size();
  state.counters["bytes"] = static_cast<double>(bytes) / kMessages;
}

void decode(benchmark::State& state, Subject& subject) {
  auto& codec = *subject.codecs[0];
  std::size_t i = 0;
  for (auto _ : state) {
    subject.next(i++);
    benchmark::DoNotOptimize(codec.decode(subject.frame).ok());
  }
  tell(state, subject);
}

void encode(benchmark::State& state, Subject& subject) {
  Buffer out;
  std::size_t i = 0;
  for (auto _ : state) {
    out.clear();
    subject.codecs[i++ % kMessages]->encode(out);
    benchmark::DoNotOptimize(out.data());
  }
  tell(state, subject);
}

void add(const wire::Game& game, std::size_t dialect, const wire::Row& row, wire::Way way) {
  const auto subject = invented(game, dialect, row, way);
  const std::string name =
      std::string(game.name()) + "/" + std::string(game.dialects()[dialect].name) + "/" + row.name + "/" + text(way);
  if (!subject) {
    std::fprintf(stderr, "left out, an invented one does not decode: %s\n", name.c_str());
    return;
  }
  benchmark::RegisterBenchmark(("encode/" + name).c_str(), [subject](auto& state) { encode(state, *subject); });
  benchmark::RegisterBenchmark(("decode/" + name).c_str(), [subject](auto& state) { decode(state, *subject); });
}

void add_all(const wire::Game& game) {
  for (std::size_t dialect = 0; dialect < game.dialects().size(); ++dialect) {
    const auto codec = game.codec(dialect);
    for (const wire::Row& row : codec->rows())
      for (const auto way : {wire::Way::kToServer, wire::Way::kToClient})
        if ((row.dialects >> dialect & 1U) != 0 && (row.ways & static_cast<std::uint8_t>(way)) != 0)
          add(game, dialect, row, way);
  }
}

}  // namespace
}  // namespace entente

int main(int argc, char** argv) {
  for (const entente::wire::Game* game : entente::games()) entente::add_all(*game);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
