// What fronts of a room say alike is encoded once; what only one of them says is not mixed with it.
#include "proxy/core/chorus.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>
#include <string>

#include "proxy/core/room.h"

namespace entente::core::chorus_test {
namespace {

/// What was sent to each seat, and where the shared bytes lay.
class Ears final : public Room::Host {
 public:
  void send(Id end, Lane, Bytes bytes) override { heard[end] += as_text(bytes); }
  void send_shared(Id end, Lane lane, Bytes bytes) override {
    places.insert(bytes.data());
    ++shared;
    send(end, lane, bytes);
  }
  std::size_t waiting(Id) const override { return 0; }
  void close(Id, std::string_view, std::uint32_t) override {}
  void failed(Id, const Fault&) override {}
  void dial() override {}

  std::map<Id, std::string> heard;
  std::set<const void*> places;
  std::size_t shared = 0;
};

constexpr std::array<char, 2> kVoices{};

/// Says each fact's text in its voice, and counts how often it had to spell it.
class Singer final : public Front {
 public:
  Singer(std::size_t voice, int& spelled) : voice_(voice), spelled_(spelled) {}
  void receive(Lane, Bytes, FrontOut&) override {}
  void hear(const Fact& fact, FrontOut& out) override {
    const auto* said = as<words::Said>(fact);
    if (said == nullptr) return;
    if (out.send_again(Lane::kStream, &kVoices[voice_])) return;
    ++spelled_;
    out.send_shared(Lane::kStream, &kVoices[voice_], as_bytes((voice_ == 0 ? "a:" : "b:") + said->text() + " "));
  }

 private:
  std::size_t voice_;
  int& spelled_;
};

class Silent final : public Back {
 public:
  void receive(Lane, Bytes bytes, BackOut& out) override {
    words::Said said;
    said.set_text(std::string(as_text(bytes)));
    bytes[0] == '2' ? out.say(Fact(2, said)) : out.say(said);
  }
  void hear(const Intent&, BackOut&) override {}
};

TEST_CASE("a fact is encoded once for all of a voice, whoever hears it") {
  for (const bool lends : {false, true}) {
    Ears ears;
    RoomOptions options;
    options.shared = true;
    options.lends = lends;
    Room room(ears, std::make_unique<Silent>(), options);
    room.back_opened({}, 0);
    int spelled = 0;
    constexpr std::size_t kSeats = 100;
    for (std::size_t i = 0; i < kSeats; ++i) room.seat(std::make_unique<Singer>(i % 2, spelled), {}, 0);
    room.received(kBackEnd, Lane::kStream, as_bytes("1"), 0);
    CHECK(spelled == 2);
    CHECK(ears.shared == kSeats);
    CHECK(ears.places.size() == 2);
    CHECK(room.encoded_shared() == 2);
    room.received(kBackEnd, Lane::kStream, as_bytes("2"), 0);  // to one alone
    room.received(kBackEnd, Lane::kStream, as_bytes("3"), 0);
    CHECK(spelled == 2 + 1 + 2);
    CHECK(ears.heard[1] == "a:1 a:3 ");
    CHECK(ears.heard[2] == "b:1 b:2 b:3 ");
    CHECK(ears.heard[100] == "b:1 b:3 ");
  }
}

TEST_CASE("what a voice said lies together until it is forgotten, however much it is") {
  Chorus chorus;
  const void* const voice = &kVoices[0];
  const void* const other = &kVoices[1];
  std::string all;
  std::vector<Bytes> kept;
  for (int i = 0; i < 20'000; ++i) {
    chorus.next_word();
    CHECK(chorus.said(voice) == nullptr);
    const std::string text = std::to_string(i) + (i == 9 ? std::string(200'000, '.') : ",");
    kept.push_back(chorus.keep(voice, as_bytes(text)));
    chorus.keep(other, as_bytes("between"));
    REQUIRE(chorus.said(voice) != nullptr);
    CHECK(chorus.said(voice)->data() == kept.back().data());
    all += text;
  }
  std::string read;
  std::size_t apart = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    read += as_text(kept[i]);
    if (i > 0 && kept[i - 1].data() + kept[i - 1].size() != kept[i].data()) ++apart;
  }
  CHECK(read == all);
  CHECK(apart < 10);
  chorus.forget();
  CHECK(chorus.said(voice) == nullptr);
  CHECK(as_text(chorus.keep(voice, as_bytes("again"))) == "again");
}

}  // namespace
}  // namespace entente::core::chorus_test
