// Players of other games in one arena with an Ogar client: none of their names or skins can end a text in the client's
// stream.
#include <doctest/doctest.h>

#include <string>

#include "adapters/ogar/ogar.h"
#include "proxy/core/arena/referee.h"
#include "proxy/core/room/room.h"
#include "tests/ogar/picture.h"
#include "tests/ogar/spoken.h"
#include "tests/support/cut_link.h"

namespace entente::testing::guests_test {
namespace {

using core::Id, core::Intent, core::Micros;
using namespace std::string_literals;

/// Sends the intents that the test gives it.
class Guest final : public core::Front {
 public:
  void receive(const Frames&, core::FrontOut& out) override {
    for (Intent& intent : std::exchange(to_say, {})) out.say(std::move(intent));
  }
  void hear(const core::Fact&, core::FrontOut&) override {}

  std::vector<Intent> to_say;
};

/// An arena with a player of another game, and an Ogar client that watches.
class Arena final : public core::Room::Host {
 public:
  Arena() {
    core::RoomOptions options;
    options.shared = true;
    room_ = std::make_unique<core::Room>(*this, std::make_unique<core::Referee>(core::Arena{{}, core::courtyard(50)}),
                                         options);
    room_->back_opened({}, now_);
    auto front = std::make_unique<Guest>();
    guest_ = front.get();
    guest_seat_ = room_->seat(std::move(front), {}, now_);
    viewer_ = room_->seat(ogar::faces().front({}), {}, now_);
    testing::CutLink(ogar::game(), 0, wire::Way::kToServer)
        .receive(*room_, viewer_, Lane::kStream, client_hello(), now_);
  }

  void says(Intent intent) {
    const std::uint8_t nudge = 0;
    guest_->to_say.push_back(std::move(intent));
    room_->received(guest_seat_, {Lane::kStream, {&nudge, 1}}, now_);
  }
  void lasts(Micros how_long) {
    for (const Micros until = now_ + how_long; now_ < until; now_ += 10 * core::kMillisecond) room_->tick(now_);
  }

  Picture picture;

  // -- core::Room::Host
  void send(Id end, Lane lane, Bytes bytes) override {
    if (end != viewer_) return;
    const auto heard = codec_->read({wire::Way::kToClient, lane, wire::Stage::kPlay, bytes});
    REQUIRE(heard.ok());
    picture.take(*heard->message);
  }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view why, std::uint32_t) override { FAIL(std::string(why)); }
  void failed(Id, const Fault& fault) override { FAIL(fault.what << " " << fault.field); }
  void dial() override {}

 private:
  std::unique_ptr<ogar::MessageCodec> codec_ = ogar::make_message_codec(0);
  std::unique_ptr<core::Room> room_;
  Guest* guest_ = nullptr;
  Id guest_seat_ = 0, viewer_ = 0;
  Micros now_ = 0;
};

std::pair<std::string, std::string> name_and_skin(const Picture& picture) {
  for (const auto& [id, cell] : picture.cells)
    if (!cell.name.empty()) return {cell.name, cell.skin};
  return {};
}

TEST_CASE("ogar front: the name and skin of a player of another game arrive as whole texts, whatever they contain") {
  Arena arena;
  words::Enter enter;
  enter.set_name("J\xc3\xbcr\0\x08\0gen"s);
  enter.set_skin("c\0at"s);
  arena.says(enter);
  arena.says(words::Spawn());
  arena.lasts(core::kSecond);
  CHECK(name_and_skin(arena.picture) == std::pair("J\xc3\xbcrgen"s, "cat"s));
  REQUIRE(arena.picture.board.rows.size() == 1);
  CHECK(arena.picture.board.rows[0].name.chars == "J\xc3\xbcrgen");

  words::Change change;
  change.set_name("an\0na"s);
  change.set_skin(std::string(60'000, 'x'));
  arena.says(change);
  words::Say say;
  say.set_text("hello");
  arena.says(say);
  arena.lasts(core::kSecond);
  CHECK(name_and_skin(arena.picture) == std::pair("anna"s, std::string(61, 'x') + "..."));
  CHECK(arena.picture.chat.find("anna: hello\n") != std::string::npos);
  CHECK(arena.picture.mismatched == 0);
}

}  // namespace
}  // namespace entente::testing::guests_test
