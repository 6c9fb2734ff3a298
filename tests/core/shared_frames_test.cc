// Frames that several fronts of a room send are encoded once, and are not mixed with frames that only one front sends.
#include "proxy/core/shared_frames.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>
#include <string>

#include "proxy/core/room.h"
#include "tests/support/heap.h"

namespace entente::core::shared_frames_test {
namespace {

/// What each seat was sent, and where the shared bytes lay.
class Ears final : public Room::Host {
 public:
  void send(Id end, Lane, Bytes bytes) override { heard[end] += as_text(bytes); }
  void send_shared(Id end, Lane lane, Bytes bytes) override {
    places.insert(bytes.data());
    ++shared;
    send(end, lane, bytes);
  }
  std::size_t waiting_bytes(Id) const override { return 0; }
  void close(Id, std::string_view, std::uint32_t) override {}
  void failed(Id, const Fault&) override {}
  void dial() override {}

  std::map<Id, std::string> heard;
  std::set<const void*> places;
  std::size_t shared = 0;
};

constexpr std::array<char, 2> kKeys{};

/// Sends the text of each fact under its key, and counts the encodings.
class Encoder final : public Front {
 public:
  Encoder(std::size_t key, int& encoded) : key_(key), encoded_(encoded) {}
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact& fact, FrontOut& out) override {
    const auto* said = as<words::Said>(fact);
    if (said == nullptr) return;
    if (out.send_cached(Lane::kStream, &kKeys[key_])) return;
    ++encoded_;
    out.send_shared(Lane::kStream, &kKeys[key_], as_bytes((key_ == 0 ? "a:" : "b:") + said->text() + " "));
  }

 private:
  std::size_t key_;
  int& encoded_;
};

class Silent final : public Back {
 public:
  void receive(const Frames& frames, BackOut& out) override {
    words::Said said;
    said.set_text(std::string(as_text(frames.bytes)));
    frames.bytes[0] == '2' ? out.say(Fact(2, said)) : out.say(said);
  }
  void hear(const Intent&, BackOut&) override {}
};

TEST_CASE("a fact is encoded once for all fronts with one key, whoever receives it") {
  for (const bool shared_frames_stay : {false, true}) {
    Ears ears;
    RoomOptions options;
    options.shared = true;
    options.shared_frames_stay = shared_frames_stay;
    Room room(ears, std::make_unique<Silent>(), options);
    room.back_opened({}, 0);
    int encoded = 0;
    constexpr std::size_t kSeats = 100;
    for (std::size_t i = 0; i < kSeats; ++i) room.seat(std::make_unique<Encoder>(i % 2, encoded), {}, 0);
    room.received(kBackId, {Lane::kStream, as_bytes("1")}, 0);
    CHECK(encoded == 2);
    CHECK(ears.shared == kSeats);
    CHECK(ears.places.size() == 2);
    CHECK(room.encoded_shared() == 2);
    room.received(kBackId, {Lane::kStream, as_bytes("2")}, 0);  // to one client only
    room.received(kBackId, {Lane::kStream, as_bytes("3")}, 0);
    CHECK(encoded == 2 + 1 + 2);
    CHECK(ears.heard[1] == "a:1 a:3 ");
    CHECK(ears.heard[2] == "b:1 b:2 b:3 ");
    CHECK(ears.heard[100] == "b:1 b:3 ");
  }
}

TEST_CASE("frames of one key are contiguous until they are forgotten") {
  SharedFrames frames;
  const void* const key = &kKeys[0];
  const void* const other = &kKeys[1];
  std::string all;
  std::vector<Bytes> kept;
  for (int i = 0; i < 20'000; ++i) {
    frames.next_word();
    CHECK(frames.find(key) == nullptr);
    const std::string text = std::to_string(i) + (i == 9 ? std::string(200'000, '.') : ",");
    kept.push_back(frames.keep(key, as_bytes(text)));
    frames.keep(other, as_bytes("between"));
    REQUIRE(frames.find(key) != nullptr);
    CHECK(frames.find(key)->data() == kept.back().data());
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
  frames.forget();
  CHECK(frames.find(key) == nullptr);
  CHECK(as_text(frames.keep(key, as_bytes("again"))) == "again");
}

TEST_CASE("after frames are forgotten, little memory is kept, however much they had") {
  for (const std::size_t count : {1'000U, 10'000U}) {
    const std::size_t before = testing::bytes_in_use();
    SharedFrames frames;
    const auto keep_many = [&] {
      for (const char& key : kKeys) {
        for (std::size_t i = 0; i < count; ++i) frames.keep(&key, Buffer(1'000));
        frames.keep(&key, Buffer(5'000'000));
      }
    };
    for (int round = 0; round < 3; ++round) {
      keep_many();
      CHECK(testing::bytes_in_use() - before > kKeys.size() * (count * 1'000 + 5'000'000));
      frames.forget();
      CHECK(testing::bytes_in_use() - before < kKeys.size() * 300'000);
    }
  }
}

}  // namespace
}  // namespace entente::core::shared_frames_test
