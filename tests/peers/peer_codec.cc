// Our codecs on standard input and output, one frame per line, to compare with peers that are written in another
// language from the documents alone.
//   peer_codec GAME DIALECT invent SEED COUNT     COUNT random legal frames of every message kind and way
//   peer_codec GAME DIALECT decode                each line "way lane stage hex" of the input, decoded and encoded
//   again
// A line out: way, lane, stage, hex, name, path=value..., separated by tabs (values as `entente inspect` prints them);
// for a frame that does not decode: fault, what, field, offset.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "adapters/registry.h"
#include "adapters/wire/invent.h"
#include "adapters/wire/print.h"
#include "tests/support/hex.h"

namespace entente {
namespace {

using wire::Codec, wire::Frame, wire::Lane, wire::Row, wire::Stage, wire::Way;

const char* text(Stage stage) { return stage == Stage::kGreeting ? "greeting" : "play"; }

void write_kept(const Row& row, const Frame& frame, Codec& codec) {
  Buffer bytes;
  codec.encode(bytes);
  std::cout << (frame.way == Way::kToServer ? "client" : "server") << '\t' << wire::text(frame.lane) << '\t'
            << text(frame.stage) << '\t' << to_hex(bytes) << '\t' << row.name;
  for (const auto& field : wire::show(codec)) std::cout << '\t' << field.path << '=' << field.value;
  std::cout << '\n';
}

void invent_all(Codec& codec, std::size_t dialect, unsigned seed, unsigned count) {
  wire::Random random(seed);
  for (const Row& row : codec.rows()) {
    if ((row.dialects >> dialect & 1U) == 0) continue;
    for (const Way way : {Way::kToServer, Way::kToClient}) {
      if ((row.ways & static_cast<unsigned>(way)) == 0) continue;
      const Lane lane = (row.lanes & static_cast<unsigned>(Lane::kStream)) != 0 ? Lane::kStream : Lane::kDatagram;
      for (unsigned i = 0; i < count; ++i) {
        wire::invent(row, way, codec, random);
        write_kept(row, {way, lane, row.stage, {}}, codec);
      }
    }
  }
}

void decode_line(const std::string& line, Codec& codec) {
  std::string way, lane, stage, hex;
  std::istringstream(line) >> way >> lane >> stage >> hex;
  const Buffer bytes = from_hex(hex);
  const Frame frame = {way == "client" ? Way::kToServer : Way::kToClient,
                       lane == "datagram" ? Lane::kDatagram : Lane::kStream,
                       stage == "greeting" ? Stage::kGreeting : Stage::kPlay, bytes};
  if (const auto row = codec.decode(frame))
    write_kept(**row, frame, codec);
  else
    std::cout << "fault\t" << row.error().what << '\t' << row.error().field << '\t' << row.error().offset << '\n';
}

int run(int argc, char** argv) {
  const wire::Game* game = argc > 3 ? find_game(argv[1]) : nullptr;
  const auto dialect = game != nullptr ? find_dialect(*game, argv[2]) : std::nullopt;
  const std::string verb = argc > 3 ? argv[3] : "";
  if (!dialect || (verb == "invent" ? argc != 6 : verb != "decode")) {
    std::cerr << "usage: peer_codec GAME DIALECT (invent SEED COUNT | decode)\n";
    return 2;
  }
  const auto codec = game->codec(*dialect);
  if (verb == "invent") {
    const auto number = [](const char* digits) { return static_cast<unsigned>(std::strtoul(digits, nullptr, 10)); };
    invent_all(*codec, *dialect, number(argv[4]), number(argv[5]));
  } else {
    for (std::string line; std::getline(std::cin, line); std::cout.flush()) decode_line(line, *codec);
  }
  return 0;
}

}  // namespace
}  // namespace entente

int main(int argc, char** argv) { return entente::run(argc, argv); }
