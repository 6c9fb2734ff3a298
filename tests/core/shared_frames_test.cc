// Frames that several fronts of a room send are encoded once, and are not mixed with frames that only one front sends.
#include "proxy/core/shared_frames.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "proxy/core/room/room.h"
#include "tests/support/heap.h"

namespace entente::core::shared_frames_test {
namespace {

/// What each seat was sent, and where the shared bytes lay.
class Ears final : public Room::Host {
 public:
  void send(Id end, Lane, Bytes bytes) override { heard[end] += as_text(bytes); }
  void send_shared(Id end, Lane lane, const SharedBytes& shared_bytes) override {
    const Bytes bytes = shared_bytes.bytes;
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

/// Sends everything that it hears under one key, and counts the encodings. It closes after `most` of them.
class MapEncoder final : public Front {
 public:
  explicit MapEncoder(int& encoded, int most = 1'000'000) : encoded_(encoded), most_(most) {}
  void receive(const Frames&, FrontOut&) override {}
  void hear(const Fact& fact, FrontOut& out) override {
    if (out.send_cached(Lane::kStream, &kKeys[0])) return;
    ++encoded_;
    Buffer bytes;
    Fact same = fact;
    same.at = 0;
    write(same, bytes);
    out.send_shared(Lane::kStream, &kKeys[0], bytes);
    if (--most_ == 0) out.close("enough");
  }
  const void* map_key() const override { return &kKeys[0]; }

 private:
  int& encoded_;
  int most_;
};

/// Says a world with some edits, and one more edit for each message.
class Builder final : public Back {
 public:
  void opened(const Peer&, BackOut& out) override {
    words::World world;
    world.set_name(std::string(100'000, 'w'));
    out.say(world);
    for (int i = 0; i < 1'000; ++i) edit(out);
    out.say(words::Ready());
  }
  void receive(const Frames&, BackOut& out) override { edit(out); }
  void hear(const Intent&, BackOut&) override {}

 private:
  void edit(BackOut& out) {
    words::WorldEdit edit;
    edit.mutable_edit()->set_x(++count_);
    out.say(edit);
  }
  int count_ = 0;
};

TEST_CASE("a map is encoded once for all who join, its bytes are kept once, and a changed map is encoded again") {
  struct Keeper final : Room::Host {
    void send(Id, Lane, Bytes) override { FAIL("not shared"); }
    void send_shared(Id end, Lane, const SharedBytes& shared) override { heard[end].push_back(shared); }
    std::size_t waiting_bytes(Id) const override { return 0; }
    void close(Id, std::string_view, std::uint32_t) override {}
    void failed(Id, const Fault&) override {}
    void dial() override {}
    std::string all(Id end) const {
      std::string text;
      for (const SharedBytes& one : heard.at(end)) text += as_text(one.bytes);
      return text;
    }
    std::map<Id, std::vector<SharedBytes>> heard;
  } host;
  RoomOptions options;
  options.shared = options.shared_frames_stay = true;
  Room room(host, std::make_unique<Builder>(), options);
  room.back_opened({}, 0);
  int encoded = 0;
  const auto join = [&](Micros now) {
    const int before = encoded;
    const Id seat = room.seat(std::make_unique<MapEncoder>(encoded), {}, now);
    room.forget_shared(now);
    return std::pair(seat, encoded - before);
  };
  const auto first = join(1);
  CHECK(first.second > 1'000);
  std::set<const void*> blocks;
  for (int i = 0; i < 50; ++i) {
    const auto later = join(2);
    CHECK(later.second < 20);
    CHECK(host.all(later.first).size() == host.all(first.first).size());
    for (const SharedBytes& one : host.heard.at(later.first))
      if (one.bytes.size() > 20'000) blocks.insert(one.bytes.data());
  }
  CHECK(blocks.size() == 1);  // the world
  room.received(kBackId, {Lane::kStream, as_bytes("edit")}, 3);
  const auto changed = join(4);
  CHECK(changed.second > 1'000);
  CHECK(join(5).second < 20);
  // After a while, nobody keeps it for the next one.
  room.forget_shared(5 + SharedFrames::kMapStays + 1);
  CHECK(join(6 + SharedFrames::kMapStays).second > 1'000);
}

TEST_CASE("who joins after a client that left amid the map is sent the whole map") {
  Ears ears;
  RoomOptions options;
  options.shared = options.shared_frames_stay = true;
  Room room(ears, std::make_unique<Builder>(), options);
  room.back_opened({}, 0);
  int encoded = 0;
  const Id whole = room.seat(std::make_unique<MapEncoder>(encoded), {}, 0);
  room.received(kBackId, {Lane::kStream, as_bytes("edit")}, 0);  // so that nobody has encoded the map as it is now
  const Id amid = room.seat(std::make_unique<MapEncoder>(encoded, 100), {}, 0);
  REQUIRE_FALSE(room.is_seated(amid));
  const Id next = room.seat(std::make_unique<MapEncoder>(encoded), {}, 0);
  CHECK(ears.heard[amid].size() < ears.heard[whole].size());
  CHECK(ears.heard[next].size() == ears.heard[whole].size());
}

TEST_CASE("a map is kept for ten seconds after it was last sent") {
  SharedFrames frames;
  constexpr std::uint64_t kVersion = 1;
  frames.begin_map(&kKeys[0], kVersion);
  frames.add(&kKeys[0], as_bytes("land"));
  frames.add(&kKeys[1], as_bytes("of another kind of client"));
  frames.end_map(true, kSecond);
  const auto* const map = frames.find_map(&kKeys[0], kVersion, 9 * kSecond);
  REQUIRE(map != nullptr);
  REQUIRE(map->size() == 1);
  CHECK(as_text(map->front().bytes) == "land");
  CHECK(frames.find_map(&kKeys[1], kVersion, 9 * kSecond) == nullptr);
  CHECK(frames.find_map(&kKeys[0], kVersion + 1, 9 * kSecond) == nullptr);
  frames.forget(9 * kSecond + SharedFrames::kMapStays);
  const auto* const kept = frames.find_map(&kKeys[0], kVersion, 9 * kSecond);
  REQUIRE(kept != nullptr);
  CHECK(as_text(kept->front().bytes) == "land");
  frames.forget(9 * kSecond + SharedFrames::kMapStays + 1);
  CHECK(frames.find_map(&kKeys[0], kVersion, 20 * kSecond) == nullptr);
}

TEST_CASE("of the maps of one kind of client only the newest is kept") {
  SharedFrames frames;
  for (const std::uint64_t version : {1U, 2U}) {
    frames.begin_map(&kKeys[0], version);
    frames.end_map(true, 0);
  }
  CHECK(frames.find_map(&kKeys[0], 1, 0) == nullptr);
  CHECK(frames.find_map(&kKeys[0], 2, 0) != nullptr);
}

TEST_CASE("bytes stay as they are for whoever keeps their owner, and pages that nobody keeps are used again") {
  SharedFrames frames;
  const SharedBytes slow = frames.add(&kKeys[0], as_bytes("for a slow reader"));
  for (int i = 0; i < 100; ++i) {
    frames.forget(0);
    frames.next_word();
    const SharedBytes fresh = frames.add(&kKeys[0], as_bytes("something else...."));
    CHECK(fresh.bytes.data() != slow.bytes.data());
  }
  CHECK(as_text(slow.bytes) == "for a slow reader");
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
    kept.push_back(frames.add(key, as_bytes(text)).bytes);
    frames.add(other, as_bytes("between"));
    REQUIRE(frames.find(key) != nullptr);
    CHECK(frames.find(key)->bytes.data() == kept.back().data());
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
  frames.forget(0);
  CHECK(frames.find(key) == nullptr);
  CHECK(as_text(frames.add(key, as_bytes("again")).bytes) == "again");
}

TEST_CASE("after frames are forgotten, little memory is kept, however much they had") {
  for (const std::size_t count : {1'000U, 10'000U}) {
    const std::size_t before = testing::bytes_in_use();
    SharedFrames frames;
    const auto keep_many = [&] {
      for (const char& key : kKeys) {
        for (std::size_t i = 0; i < count; ++i) frames.add(&key, Buffer(1'000));
        frames.add(&key, Buffer(5'000'000));
      }
    };
    for (int round = 0; round < 3; ++round) {
      keep_many();
      CHECK(testing::bytes_in_use() - before > kKeys.size() * (count * 1'000 + 5'000'000));
      frames.forget(0);
      CHECK(testing::bytes_in_use() - before < kKeys.size() * 300'000);
    }
  }
}

}  // namespace
}  // namespace entente::core::shared_frames_test
