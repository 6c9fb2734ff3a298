// What a peer may send, in every dialect of one game: the bytes are cut into frames and each frame is decoded.
// Law: what decodes, encodes to the same bytes and prints on one line; the rest is a fault inside the frame.
#include <cstdlib>
#include <string>

#include "adapters/registry.h"
#include "adapters/wire/print.h"
#include "tests/fuzz/frames.h"

namespace {

using namespace entente;
using wire::Frame, wire::Lane, wire::Way;

void require(bool truth) {
  if (!truth) std::abort();
}

void check_frame(wire::Codec& codec, const Frame& frame) {
  const auto row = codec.decode(frame);
  if (!row) {
    require(row.error().what[0] != '\0' && row.error().offset <= frame.bytes.size());
    return;
  }
  static Buffer again;
  again.clear();
  codec.encode(again);
  require(same(again, frame.bytes));
  static std::string line;
  line.clear();
  print(**row, codec, line);
  require(line.find('\n') == std::string::npos);
}

void check_stream(wire::Codec& codec, wire::Cutter& cutter, const fuzz::Input& input) {
  for (Bytes bytes = input.sent; !bytes.empty();) {
    const wire::Cut cut = cutter.next(bytes);
    if (cut.fault || cut.size == 0) return;
    require(cut.size <= bytes.size());
    check_frame(codec, {input.way, input.lane, cut.stage, bytes.first(cut.size)});
    bytes = bytes.subspan(cut.size);
  }
}

void check_message(wire::Codec& codec, wire::Cutter& cutter, const fuzz::Input& input) {
  const wire::Cut cut = cutter.next(input.sent);
  if (!cut.fault) check_frame(codec, {input.way, input.lane, cut.stage, input.sent});
}

void check_guesses(const wire::Game& game, Bytes bytes) {
  const auto detected = game.detect(bytes);
  require(detected.state != wire::Detected::State::kFound || detected.dialect < game.dialects().size());
  require(game.named_by_client(bytes).value_or(0) < game.dialects().size());
  (void)game.greeted_as(bytes);
  (void)game.link_request(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const wire::Game* const game = find_game(ENTENTE_FUZZ_GAME);
  require(game != nullptr);
  const auto input = fuzz::read_input(*game, Bytes(data, size));
  if (!input) return 0;
  const auto cutter = input->lane == Lane::kStream ? game->cutter(input->way, input->dialect)
                                                   : game->datagram_cutter(input->way, input->dialect);
  const auto codec = game->codec(input->dialect);
  if (cutter && keeps_messages(game->transport()))
    check_message(*codec, *cutter, *input);
  else if (cutter)
    check_stream(*codec, *cutter, *input);
  check_guesses(*game, input->sent);
  return 0;
}
