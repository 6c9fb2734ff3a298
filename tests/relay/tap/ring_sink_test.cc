// What a worker tells a tap, entry by entry, and what is done when there is no room for it.
#include "proxy/relay/tap/ring_sink.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/toy_game.h"

namespace entente::relay::ring_sink_test {
namespace {

using wire::Lane, wire::Way;

struct Rig {
  explicit Rig(std::size_t ring = 64 << 10) : sink(ring, waker) {}
  void open(LinkId link, const char* address = "192.0.2.1") {
    LinkInfo info;
    info.link = link;
    info.game = &toy::game();
    info.client = *net::Address::parse(address, 1000);
    sink.opened(info, 1);
  }
  /// Fills the ring with bytes of a link that is not known to any share, until the first is dropped.
  void fill(LinkId link = 500, std::size_t size = 200) {
    const std::uint64_t before = sink.dropped().read();
    while (sink.dropped().read() == before) sink.bytes(link, Way::kToClient, Lane::kStream, Buffer(size, 1), 1);
  }
  /// Fills it to its end, with what bytes and words leave free.
  void fill_whole() {
    for (const std::size_t size : {500U, 50U, 0U}) {
      const std::uint64_t before = sink.dropped().read();
      while (sink.dropped().read() == before) sink.note(500, std::string(size, 'x'), 1);
    }
  }
  /// Takes the oldest entry, with its bytes.
  Ring::EntryHeader take() {
    REQUIRE_FALSE(sink.ring().empty());
    const Ring::Entry entry = sink.ring().front();
    Ring::Entry whole = entry;
    const RingSink::LargeBytes large(whole);
    bytes.assign(whole.bytes.begin(), whole.bytes.end());
    sink.ring().pop(entry);
    return whole.header;
  }
  void take_all() {
    while (!sink.ring().empty()) (void)take();
  }
  /// The kinds of all entries.
  std::vector<int> kinds() {
    std::vector<int> all;
    while (!sink.ring().empty()) all.push_back(take().kind);
    return all;
  }
  template <class T>
  T as() const {
    return from_raw<T>(bytes);
  }

  net::Waker waker;
  RingSink sink;
  Buffer bytes;
};

using Kinds = std::vector<int>;

TEST_CASE("each call is one entry with its link, its time, its way and its lane") {
  Rig rig;
  rig.open(7);
  CHECK(rig.take().kind == RingSink::kOpened);
  CHECK(rig.as<LinkInfo>().link == 7);
  rig.sink.bytes(7, Way::kToClient, Lane::kDatagram, as_bytes(std::string_view("abc")), 11);
  Ring::EntryHeader header = rig.take();
  CHECK(header.kind == RingSink::kBytes);
  CHECK(header.link == 7);
  CHECK(header.at == 11);
  CHECK(static_cast<Way>(header.way) == Way::kToClient);
  CHECK(static_cast<Lane>(header.lane) == Lane::kDatagram);
  CHECK(as_text(rig.bytes) == "abc");
  rig.sink.packet(7, Way::kToServer, {3, wire::EnetDelivery::kUnsequenced}, as_bytes(std::string_view("d")), 12);
  header = rig.take();
  CHECK(header.kind == RingSink::kPacket);
  CHECK(static_cast<Way>(header.way) == Way::kToServer);
  CHECK(static_cast<wire::EnetDelivery>(header.lane) == wire::EnetDelivery::kUnsequenced);
  CHECK(header.channel == 3);
  rig.sink.plays(7, 13);
  CHECK(rig.take().kind == RingSink::kPlays);
  rig.sink.word(7, true, rig.bytes, 14);
  rig.sink.word(7, false, rig.bytes, 14);
  rig.sink.calls(7, rig.bytes, 14);
  rig.sink.world(7, rig.bytes, 14);
  CHECK(rig.sink.geometry(7, rig.bytes, 14));
  CHECK(rig.kinds() ==
        Kinds{RingSink::kFact, RingSink::kIntent, RingSink::kCalls, RingSink::kWorld, RingSink::kGeometry});
  rig.sink.note(7, "a note", 15);
  CHECK(rig.take().kind == RingSink::kNote);
  CHECK(as_text(rig.bytes) == "a note");
  rig.sink.closed(7, "left", 16);
  header = rig.take();
  CHECK(header.kind == RingSink::kClosed);
  CHECK(header.at == 16);
  CHECK(as_text(rig.bytes) == "left");
  CHECK(rig.sink.ring().empty());
}

TEST_CASE("what a lab did stands before what it is about") {
  Rig rig;
  rig.sink.lab_passes(7, true, 5, 1);
  rig.sink.lab_passes(7, false, 6, 1);
  rig.sink.lab_keeps(7, true, 1);
  rig.sink.lab_keeps(7, false, 1);
  std::vector<std::pair<TapSink::LabMark, std::uint64_t>> marks;
  while (!rig.sink.ring().empty()) {
    CHECK(rig.take().kind == RingSink::kLabNote);
    marks.emplace_back(rig.as<LabNote>().mark, rig.as<LabNote>().held);
  }
  using Mark = TapSink::LabMark;
  CHECK(marks == std::vector<std::pair<Mark, std::uint64_t>>{
                     {Mark::kMade, 5}, {Mark::kPassed, 6}, {Mark::kAltered, 0}, {Mark::kKept, 0}});
}

TEST_CASE("words are wanted, and a recording has a number, only as the tap says") {
  net::Waker waker;
  WordsWanted wanted;
  RingSink with(4096, waker, &wanted), without(4096, waker);
  CHECK_FALSE(with.wants_words());
  wanted.wanted = true;
  wanted.recording_generation = 9;
  CHECK(with.wants_words());
  CHECK(with.recording_generation() == 9);
  CHECK_FALSE(without.wants_words());
  CHECK(without.recording_generation() == 0);
}

TEST_CASE("the tap is woken for an opening, for what lies beside the ring, for a loss, and when half of it waits") {
  Rig rig;
  CHECK_FALSE(rig.waker.wait(0));
  rig.open(1);
  CHECK(rig.waker.wait(0));
  const Buffer small(1'000, 1);
  std::size_t waiting = 0;
  for (; waiting + 2'000 < rig.sink.ring().capacity() / 2; waiting += 1'024)
    rig.sink.bytes(900, Way::kToClient, Lane::kStream, small, 1);
  CHECK_FALSE(rig.waker.wait(0));
  for (int i = 0; i < 3; ++i) rig.sink.bytes(900, Way::kToClient, Lane::kStream, small, 1);
  CHECK(rig.waker.wait(0));
  rig.take_all();
  rig.sink.closed(1, "left", 1);
  CHECK_FALSE(rig.waker.wait(0));
  rig.sink.bytes(900, Way::kToClient, Lane::kStream, Buffer(RingSink::kLarge + 1, 1), 1);
  CHECK(rig.waker.wait(0));
  rig.fill();
  CHECK(rig.waker.wait(0));
  rig.take_all();
}

TEST_CASE("an entry lies beside the ring only if it is larger than kLarge") {
  Rig rig(1 << 20);
  for (const bool large : {false, true}) {
    rig.sink.bytes(1, Way::kToClient, Lane::kStream, Buffer(RingSink::kLarge + (large ? 1 : 0), 7), 1);
    REQUIRE_FALSE(rig.sink.ring().empty());
    CHECK((rig.sink.ring().front().bytes.size() < 100) == large);
    CHECK(rig.take().kind == RingSink::kBytes);
    CHECK(rig.bytes == Buffer(RingSink::kLarge + (large ? 1 : 0), 7));
  }
}

TEST_CASE("what was read of what lay beside the ring leaves its room to others") {
  Rig rig(1 << 20);
  constexpr std::size_t kSize = 16U << 20U;
  for (std::size_t i = 0; i < 3 * RingSink::kMostBeside / kSize; ++i) {
    rig.sink.bytes(1, Way::kToClient, Lane::kStream, Buffer(kSize, static_cast<std::uint8_t>(i)), 1);
    CHECK(rig.take().kind == RingSink::kBytes);
  }
  CHECK(rig.sink.dropped().read() == 0);
}

TEST_CASE("a loss is told of each way and lane of a link, with its bytes, before the next entry of that link") {
  Rig rig(4096);
  rig.fill_whole();
  rig.sink.bytes(500, Way::kToClient, Lane::kStream, Buffer(1, 1), 1);
  const std::uint64_t before = rig.sink.dropped().read(), bytes_before = rig.sink.dropped_bytes().read();
  const Buffer some(400, 2);
  for (const Way way : {Way::kToServer, Way::kToClient})
    for (const Lane lane : {Lane::kStream, Lane::kDatagram})
      for (int i = 0; i < 2; ++i) rig.sink.bytes(3, way, lane, some, 1);
  rig.sink.packet(3, Way::kToServer, {0, wire::EnetDelivery::kReliable}, some, 1);  // counts as stream
  CHECK(rig.sink.dropped().read() == before + 9);
  CHECK(rig.sink.dropped_bytes().read() == bytes_before + 9 * 400);
  rig.take_all();
  rig.sink.word(3, true, some, 2);
  std::vector<std::uint64_t> lost;
  LinkId last = 0;
  while (!rig.sink.ring().empty()) {
    const Ring::EntryHeader header = rig.take();
    last = header.link;
    if (header.kind == RingSink::kFact) break;
    REQUIRE(header.kind == RingSink::kGap);
    const Gap gap = rig.as<Gap>();
    CHECK(gap.link == 3);
    CHECK(header.link == 3);
    CHECK(gap.way == (lost.size() < 2 ? Way::kToServer : Way::kToClient));
    CHECK(gap.lane == (lost.size() % 2 == 0 ? Lane::kStream : Lane::kDatagram));
    lost.push_back(gap.bytes);
  }
  CHECK(lost == std::vector<std::uint64_t>{1'200, 800, 800, 800});
  CHECK(last == 3);
  REQUIRE(rig.take().kind == RingSink::kGap);  // that of the other link is told, too
  CHECK(rig.as<Gap>().link == 500);
  CHECK(rig.sink.ring().empty());
  rig.sink.word(3, true, some, 3);
  CHECK(rig.kinds() == Kinds{RingSink::kFact});  // all was told once
}

TEST_CASE("what links with neighbouring numbers miss is told of each, each way") {
  Rig rig(4096);
  rig.fill_whole();
  std::map<std::tuple<LinkId, Way, Lane>, std::uint64_t> missed, told;
  std::uint64_t size = 10;
  for (LinkId link = 1; link <= 8; ++link)
    for (const Way way : {Way::kToServer, Way::kToClient})
      for (const Lane lane : {Lane::kStream, Lane::kDatagram}) {
        rig.sink.bytes(link, way, lane, Buffer(++size, 1), 1);
        missed[{link, way, lane}] = size;
      }
  for (bool all = false; !all;) {
    rig.take_all();
    all = rig.sink.write_pending(2);
    while (!rig.sink.ring().empty()) {
      REQUIRE(rig.take().kind == RingSink::kGap);
      const Gap gap = rig.as<Gap>();
      told[{gap.link, gap.way, gap.lane}] += gap.bytes;
    }
  }
  CHECK(told == missed);
}

TEST_CASE("missing words of one link are told with it, of several without, and the next gap begins anew") {
  Rig rig(4096);
  const Buffer word(500, 1);
  const auto miss = [&](LinkId link) {
    const std::uint64_t before = rig.sink.dropped().read();
    rig.sink.word(link, true, word, 1);
    CHECK(rig.sink.dropped().read() == before + 1);
  };
  const auto told = [&] {
    rig.take_all();
    CHECK(rig.sink.write_pending(2));
    REQUIRE(rig.take().kind == RingSink::kWordGap);
    CHECK(rig.sink.ring().empty());
    return rig.as<WordGap>();
  };
  rig.fill_whole();
  miss(5);
  miss(5);
  WordGap gap = told();
  CHECK(gap.link == 5);
  CHECK(gap.words == 2);
  CHECK(gap.bytes == 1'000);
  rig.fill_whole();
  miss(5);
  miss(6);
  miss(5);
  gap = told();
  CHECK(gap.link == 0);
  CHECK(gap.words == 3);
  rig.fill_whole();
  miss(6);
  gap = told();
  CHECK(gap.link == 6);
  CHECK(gap.words == 1);
  CHECK(gap.bytes == 500);
}

TEST_CASE("a closing that did not fit is told later, once, without its reason") {
  Rig rig(4096);
  rig.open(3);
  while (true) {  // fill what is kept free for openings and closings, too
    const std::uint64_t before = rig.sink.dropped().read();
    rig.sink.note(3, std::string(500, 'x'), 1);
    if (rig.sink.dropped().read() != before) break;
  }
  for (int i = 0; i < 40; ++i) rig.sink.note(3, "", 1);
  rig.sink.closed(3, "gone", 1);
  CHECK_FALSE(rig.sink.write_pending(1));
  rig.take_all();
  CHECK(rig.sink.write_pending(2));
  const Ring::EntryHeader header = rig.take();
  CHECK(header.kind == RingSink::kClosed);
  CHECK(header.link == 3);
  CHECK(rig.bytes.empty());
  CHECK(rig.sink.ring().empty());
  CHECK(rig.sink.write_pending(3));
  CHECK(rig.sink.ring().empty());
}

TEST_CASE("closings that did not fit are told half a ring at a time, each once, while the reader makes room") {
  constexpr LinkId kLinks = 300;
  Rig rig(4096);
  for (LinkId link = 1; link <= kLinks; ++link) {
    rig.open(link);
    rig.take_all();
  }
  rig.fill_whole();
  for (LinkId link = 1; link <= kLinks; ++link) rig.sink.closed(link, "gone", 1);
  std::map<LinkId, int> told;
  int rounds = 0;
  for (bool all = false; !all; ++rounds) {
    REQUIRE(rounds < 100);
    rig.take_all();
    all = rig.sink.write_pending(2);
    std::size_t bytes = 0;
    while (!rig.sink.ring().empty()) {
      const Ring::EntryHeader header = rig.take();
      bytes += sizeof header + rig.bytes.size();
      if (header.kind == RingSink::kClosed) ++told[header.link];
    }
    CHECK(bytes <= 4096 / 2 + sizeof(Ring::EntryHeader));
  }
  CHECK(rounds > 2);
  CHECK(told.size() == kLinks);
  for (const auto& [link, times] : told) CHECK(times == 1);
  CHECK(rig.sink.write_pending(3));
  CHECK(rig.sink.ring().empty());
}

TEST_CASE("openings and closings have room that bytes and words leave free") {
  Rig rig(4096);
  rig.open(3);
  rig.fill();
  const std::uint64_t before = rig.sink.dropped().read();
  rig.open(4);
  rig.sink.closed(3, "left", 1);
  rig.sink.plays(4, 1);
  CHECK(rig.sink.dropped().read() == before);
  const Kinds kinds = rig.kinds();
  const auto has = [&](int kind) { return std::count(kinds.begin(), kinds.end(), kind); };
  CHECK(has(RingSink::kOpened) == 2);
  CHECK(has(RingSink::kClosed) == 1);
  CHECK(has(RingSink::kPlays) == 1);
}

TEST_CASE("while a loss cannot be told yet, what follows it of the same link is lost, too") {
  Rig rig(4096);
  rig.fill(500, 400);
  rig.sink.bytes(3, Way::kToServer, Lane::kStream, Buffer(400, 1), 1);
  // There is room for a few bytes more, but not for the gap as well.
  std::size_t small = 0;
  while (rig.sink.dropped().read() < 4 && small++ < 1'000) rig.sink.bytes(500, Way::kToServer, Lane::kStream, {}, 1);
  const std::uint64_t before = rig.sink.dropped().read();
  rig.sink.bytes(3, Way::kToServer, Lane::kStream, {}, 1);
  CHECK(rig.sink.dropped().read() == before + 1);
  while (!rig.sink.ring().empty())
    if (rig.take().kind == RingSink::kBytes) CHECK(rig.bytes.size() != 3);
}

TEST_CASE("a ring has the next power of two of bytes, and at least 4 KiB") {
  CHECK(Ring(1).capacity() == 4096);
  CHECK(Ring(4096).capacity() == 4096);
  CHECK(Ring(4097).capacity() == 8192);
}

TEST_CASE("a ring can be filled to its last byte, apart from what is to be left free") {
  constexpr std::size_t kHead = sizeof(Ring::EntryHeader);
  for (const std::size_t spare : {0U, 512U}) {
    Ring ring(4096);
    CHECK_FALSE(ring.push({}, Buffer(4096 - spare - kHead + 1), spare));
    CHECK(ring.empty());
    CHECK(ring.push({}, Buffer(4096 - spare - kHead), spare));
    CHECK(ring.more_than(2));
    CHECK_FALSE(ring.push({}, {}, spare));
    REQUIRE_FALSE(ring.empty());
    ring.pop(ring.front());
    CHECK(ring.push({}, {}, spare));
  }
}

TEST_CASE("more than a part of a ring waits only if it is more") {
  Ring ring(4096);
  const Buffer part(1024 - sizeof(Ring::EntryHeader));
  CHECK_FALSE(ring.more_than(4));
  CHECK(ring.push({}, part, 0));
  CHECK_FALSE(ring.more_than(4));
  CHECK(ring.push({}, {}, 0));
  CHECK(ring.more_than(4));
  CHECK_FALSE(ring.more_than(2));
  REQUIRE_FALSE(ring.empty());
  ring.pop(ring.front());
  CHECK_FALSE(ring.more_than(4));
}

TEST_CASE("an opening, a client that plays and a lab's mark that do not fit are counted as dropped") {
  Rig rig(4096);
  rig.fill_whole();
  std::uint64_t dropped = rig.sink.dropped().read();
  rig.open(7);
  CHECK(rig.sink.dropped().read() == ++dropped);
  rig.sink.plays(7, 1);
  CHECK(rig.sink.dropped().read() == ++dropped);
  rig.sink.lab(7, TapSink::LabMark::kKept, 0, 1);
  CHECK(rig.sink.dropped().read() == ++dropped);
}

TEST_CASE("what was missed is told before it is told that a client plays") {
  Rig rig;
  rig.open(1);
  rig.fill();
  rig.take_all();
  rig.sink.plays(1, 1);
  CHECK(rig.kinds() == Kinds{RingSink::kGap, RingSink::kPlays});
}

TEST_CASE("gaps of as many links as can be kept are told of each; those of one more are told without a link") {
  for (const bool more : {false, true}) {
    CAPTURE(more);
    Rig rig(4096);
    rig.fill_whole();
    std::uint64_t missed = 0;
    const auto miss = [&](LinkId link) {
      rig.sink.bytes(link, Way::kToServer, Lane::kStream, Buffer(10, 1), 1);
      missed += 10;
    };
    constexpr LinkId kFirst = 1'000;
    for (LinkId i = 0; i < RingSink::kMostGaps; ++i) miss(kFirst + i);
    miss(kFirst);  // of this one, there is a gap already
    if (more) miss(kFirst + RingSink::kMostGaps);
    std::size_t of_links = 0;
    std::uint64_t told = 0, told_without = 0;
    for (bool all = false; !all;) {
      rig.take_all();
      all = rig.sink.write_pending(2);
      while (!rig.sink.ring().empty()) {
        if (rig.take().kind != RingSink::kGap) continue;
        const Gap gap = rig.as<Gap>();
        told += gap.bytes;
        if (gap.link == 0) told_without += gap.bytes;
        if (gap.link != 0) ++of_links;
      }
    }
    CHECK(of_links == (more ? 0 : RingSink::kMostGaps));
    CHECK(told == missed);
    CHECK(told_without == (more ? missed : 0));
  }
}

}  // namespace
}  // namespace entente::relay::ring_sink_test
