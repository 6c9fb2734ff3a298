// Panic's front and back between hostile peers: a client and a server that send arbitrary bytes, at any time.
// Invariant: whatever comes in, only whole messages of the dialect go out. The server receives only Actions that do not
// abort it. The client receives only what it survives: nothing before a Game State, no second Game State before it has
// lost, no unknown piece.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "adapters/panic/panic.h"
#include "adapters/panic/wire/messages.h"
#include "adapters/panic/wire/wire.h"
#include "proxy/core/room/room.h"
#include "tests/fuzz/pieces.h"
#include "tests/fuzz/target.h"
#include "tests/support/cut_link.h"

namespace entente::panic_faces_fuzz {
namespace {

using panic::Action, panic::CreatePiece, panic::Event, panic::GameState;

void require(bool truth) {
  if (!truth) std::abort();
}

/// Checks each message as the released programs would read it.
class Peers final : public core::Room::Host {
 public:
  explicit Peers(std::size_t dialect) : codec_(panic::make_message_codec(dialect)), dialect_(dialect) {}

  void send(core::Id end, Lane, Bytes bytes) override {
    const wire::Way way = end == core::kBackId ? wire::Way::kToServer : wire::Way::kToClient;
    const wire::Cut cut = panic::cut(way, dialect_, bytes);
    require(!cut.fault && cut.size == bytes.size());  // one whole message
    const auto heard = codec_->read({way, Lane::kStream, wire::Stage::kPlay, bytes});
    require(heard.ok());
    if (const auto* action = std::get_if<Action>(heard->message)) return to_server(*action);
    if (const auto* state = std::get_if<GameState>(heard->message)) return to_client(*state);
    require(greeted_);
    if (const auto* create = std::get_if<CreatePiece>(heard->message)) {
      require(heard->code <= 10 || heard->code >= 16);
      known_.insert(create->piece);
    }
    if (const auto* event = std::get_if<Event>(heard->message)) to_client(*event, heard->code);
  }
  std::size_t waiting_bytes(core::Id) const override { return 0; }
  void close(core::Id, std::string_view, std::uint32_t) override {}
  void failed(core::Id, const Fault& fault) override { require(fault.what[0] != '\0'); }
  void dial() override {}

 private:
  static void to_server(const Action& action) {
    if (action.action == panic::ActionType::kQuit) return;
    require(action.action == panic::ActionType::kDrive || action.action == panic::ActionType::kShoot);
    require(action.direction >= panic::Direction::kNorth && action.direction <= panic::Direction::kWest);
  }
  void to_client(const GameState& state) {
    require(!greeted_ || has_lost_);
    greeted_ = true;
    has_lost_ = over_ = false;
    own_ = {state.tanks.begin(), state.tanks.end()};
    known_.clear();
  }
  void to_client(const Event& event, std::uint32_t code) {
    require(code <= panic::kGameOver);
    const bool about_piece = code == panic::kUpdateHealth || code == panic::kDestroy || code == panic::kMove;
    require(!about_piece || known_.contains(event.piece));
    if (code == panic::kDestroy) {
      known_.erase(event.piece);
      has_lost_ |= own_.erase(event.piece) != 0 && own_.empty();
    }
    if (code == panic::kGameOver) require(!std::exchange(over_, true));
  }

  std::unique_ptr<wire::MessageCodec<panic::Message>> codec_;
  std::size_t dialect_;
  bool greeted_ = false, over_ = false, has_lost_ = false;
  std::set<std::uint32_t> known_, own_;  // pieces; own_: the client's tanks
};

}  // namespace

// The first byte is the dialect. Then pieces (pieces.h); sender 0 is the server, 1 the client, and with 2 time passes.
ENTENTE_FUZZ_TARGET(panic_faces) {
  if (size == 0) return 0;
  const std::size_t dialect = data[0] % 3;
  Peers peers(dialect);
  core::Room room(peers, panic::faces().back({dialect, {{"leave", "quit"}}}), {});
  const core::Id seat = room.seat(panic::faces().front({dialect, {}}), {}, 0);
  core::Micros now = 0;
  room.back_opened({}, now);
  testing::CutLink from_client(panic::game(), dialect, wire::Way::kToServer);
  testing::CutLink from_server(panic::game(), dialect, wire::Way::kToClient);
  for (fuzz::Pieces pieces(Bytes(data, size).subspan(1)); pieces.next();) {
    if (pieces.who % 3 == 2)
      pieces.pass(room, now);
    else
      (pieces.who % 3 == 0 ? from_server : from_client)
          .receive(room, pieces.who % 3 == 0 ? core::kBackId : seat, Lane::kStream, pieces.take(), now);
  }
  room.end("the end", now);
  return 0;
}

ENTENTE_FUZZ_FORMAT(panic_faces) {
  return {.voice = [](Bytes all, std::uint8_t mark) -> fuzz::Voice {
    if (mark % 3 == 2) return {};
    return {&panic::game(), all.empty() ? 0U : all[0] % 3U,
            mark % 3 == 0 ? wire::Way::kToClient : wire::Way::kToServer};
  }};
}

}  // namespace entente::panic_faces_fuzz
