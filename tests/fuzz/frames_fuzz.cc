// Arbitrary bytes of a peer, in every dialect of one game: they are cut into frames, and each frame is decoded.
// Invariant: a frame that decodes encodes to the same bytes and prints on one line; for any other, the reported fault
// is inside the frame.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "adapters/registry.h"
#include "adapters/wire/dissect.h"
#include "adapters/wire/print.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/target.h"

namespace entente::frames_fuzz {
namespace {

using wire::Frame, wire::Lane, wire::Way;

void require(bool truth) {
  if (!truth) std::abort();
}

/// Checks every frame, and that each byte comes out once and in order.
class Check final : public wire::DissectorSink {
 public:
  explicit Check(wire::Codec& codec) : codec_(codec) {}

  void frame(const Frame& frame) override {
    append(came_, frame.bytes);
    const auto row = codec_.decode(frame);
    if (!row) {
      require(row.error().what[0] != '\0' && row.error().offset <= frame.bytes.size());
      return;
    }
    again_.clear();
    codec_.encode(again_);
    require(same(again_, frame.bytes));
    line_.clear();
    print(**row, codec_, line_);
    require(line_.find('\n') == std::string::npos);
  }

  void raw(Way, Lane, Bytes bytes, const Fault* why) override {
    append(came_, bytes);
    require(why == nullptr || why->what[0] != '\0');
  }

  void sent(Bytes bytes) { append(went_, bytes); }
  void all_came() const { require(same(came_, went_)); }

 private:
  wire::Codec& codec_;
  Buffer went_, came_, again_;
  std::string line_;
};

void run_stream(wire::Dissector& dissector, const fuzz::Input& input, Check& check) {
  for (Bytes left = input.sent; !left.empty();) {
    const Bytes piece = left.first(std::min(left.size(), input.piece));
    check.sent(piece);
    dissector.stream(input.way, piece, check);
    left = left.subspan(piece.size());
  }
}

// Messages and datagrams have their sizes before them (see frames.h).
void run_messages(wire::Dissector& dissector, const fuzz::Input& input, Check& check) {
  for (Bytes left = input.sent; left.size() >= 2;) {
    const Bytes message = fuzz::take_message(left);
    check.sent(message);
    if (input.lane == Lane::kDatagram)
      dissector.datagram(input.way, message, check);
    else
      dissector.stream(input.way, message, check);
  }
}

/// Asks the game all that a relay asks about the bytes of a peer.
void check_guesses(const wire::Game& game, std::size_t dialect, Bytes bytes) {
  const auto detected = game.detect(bytes);
  require(detected.state != wire::Detected::State::kFound || detected.dialect < game.dialects().size());
  require(game.named_by_client(bytes).value_or(0) < game.dialects().size());
  (void)game.greeted_as(bytes);
  (void)game.link_request(bytes);
  (void)game.admission(bytes, dialect);
  (void)game.words_of_ban(bytes, dialect);
  (void)game.with_http_at(bytes, dialect, {.server_port = 5154, .host = "relay.example", .port = 80});
  (void)game.shows_player(bytes);
  if (game.only_asks(bytes, dialect)) (void)game.answer_to_asker(bytes, dialect);
  wire::Status status{};
  status.dialect = game.dialects()[dialect].name;
  status.server = bytes;
  for (const wire::Query& query : game.queries()) (void)game.answer(query, status);
  for (const auto lane : {wire::Lane::kStream, wire::Lane::kDatagram})
    (void)game.ignores({wire::Way::kToServer, lane, wire::Stage::kPlay, bytes}, dialect);
}

}  // namespace
}  // namespace entente::frames_fuzz

namespace entente::fuzz {

int run_frames(const wire::Game& game, Bytes bytes) {
  using namespace frames_fuzz;
  const auto input = fuzz::read_input(game, bytes);
  if (!input) return 0;
  const auto codec = game.codec(input->dialect);
  wire::Dissector dissector(game, input->dialect);
  Check check(*codec);
  (fuzz::in_messages(game, input->lane) ? run_messages : run_stream)(dissector, *input, check);
  dissector.end(input->way, check, false);
  check.all_came();
  check_guesses(game, input->dialect, input->sent);
  return 0;
}

Format format_of_frames(const wire::Game& game, Bytes bytes) {
  const auto voice = [&game](Bytes input, std::uint8_t) -> Voice {
    const auto head = read_input(game, input);
    return head ? Voice{&game, head->dialect, head->way, head->lane} : Voice{};
  };
  const auto head = read_input(game, bytes);
  const bool messages = in_messages(game, head ? head->lane : wire::Lane::kStream);
  return {.head = 3, .marked = false, .size_bytes = messages ? 2U : 0U, .big_endian = true, .voice = voice};
}

}  // namespace entente::fuzz

#ifdef ENTENTE_LIBFUZZER
namespace entente::fuzz {
namespace {
const wire::Game& fuzzed() {
  static const wire::Game* const game = find_game(ENTENTE_FUZZ_GAME);
  return *game;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto run = [](const std::uint8_t* from, std::size_t bytes) { return run_frames(fuzzed(), Bytes(from, bytes)); };
  return watched("frames_" ENTENTE_FUZZ_GAME, run, data, size);
}
ENTENTE_FUZZ_FORMAT(frames) { return format_of_frames(fuzzed(), input); }

}  // namespace entente::fuzz
#endif
