#include <doctest/doctest.h>

#include <set>

#include "adapters/wire/dissect.h"
#include "adapters/wire/fields.h"
#include "adapters/wire/invent.h"
#include "adapters/wire/outline.h"
#include "adapters/wire/print.h"
#include "tests/support/hex.h"
#include "tests/support/laws.h"
#include "tests/support/printed_frame.h"
#include "tests/support/toy_game.h"

namespace entente::fields_test {
namespace {

using wire::Frame, wire::Lane, wire::Stage, wire::Way;

Frame play(Way way, Bytes bytes) { return {way, Lane::kStream, Stage::kPlay, bytes}; }

/// "Name field=value …" of a frame of dialect `dialect`, or "fault: what field offset".
std::string printed(std::string_view hex, std::size_t dialect = 0, Way way = Way::kToServer) {
  const auto codec = toy::game().codec(dialect);
  const Buffer bytes = from_hex(hex);
  return printed_frame(*codec, play(way, bytes));
}

TEST_CASE("invented messages survive, in every dialect") { check_invented_messages_survive(toy::game(), 200); }
TEST_CASE("damaged messages are faults or exact") { check_damaged_messages_are_faults_or_exact(toy::game(), 200); }

TEST_CASE("a counted text that is too long is refused before it is copied, and exact bytes are compared") {
  CHECK(printed("0a05 01 61 0000 00000002 6263") == "Named small=\"a\" middle=\"\" large=\"bc\"");
  CHECK(printed("0a05 01 61 0000 7fffffff 6263") == "fault: message too short large 10");
  const auto codec = toy::game().codec(0);
  CHECK(codec->decode({Way::kToServer, Lane::kStream, Stage::kGreeting, as_bytes("TOY!")}).ok());
  CHECK_FALSE(codec->decode({Way::kToServer, Lane::kStream, Stage::kGreeting, as_bytes("TOY?")}).ok());
  CHECK(outline(toy::game()).find("exactly                \"TOY!\"") != std::string::npos);
}
TEST_CASE("a text that contains its own terminator is cut there when it is written") {
  struct Dialect {
    wire::ByteOrder order = wire::ByteOrder::kLittle;
  };
  Buffer out;
  wire::ZText bytes{std::string("a\0b", 3)}, units{std::string("a\0\0c\0\0b\0", 8)}, cut{std::string("a\0b", 3), true};
  wire::Writer<Dialect>(out, Dialect{}).zero_text("bytes", bytes).ucs2_text("units", units).ucs2_text("cut", cut);
  CHECK(to_hex(out) == to_hex(from_hex("6100 6100 0063 0000 610062")));
}
TEST_CASE("of a list or text that is longer than its count can say, the beginning is written, with the right count") {
  struct Dialect {
    wire::ByteOrder order = wire::ByteOrder::kLittle;
  };
  std::vector<std::uint8_t> list(70'000, 7), few(300, 8);
  std::string text(300, 'a');
  Buffer out;
  wire::Writer<Dialect>(out, Dialect{})
      .list<std::uint16_t>("list", list)
      .list<std::uint8_t>("few", few)
      .text<std::uint8_t>("text", text)
      .list_byte_swapped<std::uint8_t>("few", few);
  CHECK(out.size() == 2 + 65'535 + 3 * (1 + 255));
  std::vector<std::uint8_t> back, few_back, swapped;
  std::string text_back;
  const Dialect dialect;
  wire::Reader<Dialect> reader(out, dialect);
  reader.list<std::uint16_t>("list", back)
      .list<std::uint8_t>("few", few_back)
      .text<std::uint8_t>("text", text_back)
      .list_byte_swapped<std::uint8_t>("few", swapped);
  CHECK(reader.finish());
  CHECK(back.size() == 65'535);
  CHECK(few_back.size() == 255);
  CHECK(text_back.size() == 255);
  CHECK(swapped == few_back);
}
TEST_CASE("numbers have the byte order of the dialect, and swapped ones the opposite") {
  CHECK(printed("2e01"
                "05"
                "fffe"
                "010203"
                "0000000000000007"
                "3f800000"
                "4000000000000000"
                "01"
                "3f800000 40000000 bf000000"
                "01000000"
                "aabbcc") == "Numbers a=5 b=-2 c=66051 d=7 e=1 f=2 g=1 pos=(1 2 -0.5) other=1 pad=aabbcc");
  CHECK(printed("3201"
                "0a000000"
                "05"
                "feff"
                "030201"
                "0700000000000000"
                "0000803f"
                "0000000000000040"
                "00"
                "0000803f 00000040 000000bf"
                "00000001"
                "000000",
                1) == "Numbers stamp=10 a=5 b=-2 c=66051 d=7 e=1 f=2 g=0 pos=(1 2 -0.5) other=1 pad=000000");
}

TEST_CASE("a message that is cut anywhere is refused, with the field that is not complete and its offset") {
  const Buffer whole = from_hex(
      "2e01 05 fffe 010203 0000000000000007 3f800000 4000000000000000 01"
      "3f800000 40000000 bf000000 01000000 aabbcc");
  struct Field {
    const char* name;
    std::size_t begin, end;
  };
  for (const Field& field : {Field{"a", 2, 3},
                             {"b", 3, 5},
                             {"c", 5, 8},
                             {"d", 8, 16},
                             {"e", 16, 20},
                             {"f", 20, 28},
                             {"g", 28, 29},
                             {"pos", 29, 33},
                             {"pos", 33, 37},
                             {"pos", 37, 41},
                             {"other", 41, 45},
                             {"pad", 45, 48}})
    for (std::size_t size = field.begin; size < field.end; ++size) {
      const auto codec = toy::game().codec(0);
      CHECK(printed_frame(*codec, play(Way::kToServer, Bytes(whole).first(size))) ==
            std::string("fault: message too short ") + field.name + " " + std::to_string(field.begin));
    }
}

TEST_CASE("a bool that is neither 0 nor 1 is refused") {
  CHECK(printed("2e01 05 fffe 010203 0000000000000007 3f800000 4000000000000000 02"
                "3f800000 40000000 bf000000 01000000 aabbcc") == "fault: neither 0 nor 1 g 29");
}

TEST_CASE("a frame has the message of its code, direction, lane and stage, and no other") {
  const auto codec = toy::game().codec(0);
  const auto name = [&](std::string_view hex, Way way, Lane lane, Stage stage) {
    const Buffer bytes = from_hex(hex);
    const wire::Row* row = codec->find({way, lane, stage, bytes});
    const auto read = codec->decode({way, lane, stage, bytes});
    CHECK((read.ok() ? *read : nullptr) == row);
    return std::string(row != nullptr ? row->name : "");
  };
  for (const char* code : {"7", "8", "9"}) {
    const std::string apart = "050" + std::string(code) + " 00 0000 0000";
    CHECK(name(apart, Way::kToServer, Lane::kStream, Stage::kPlay) == "Apart");
    CHECK(name(apart, Way::kToServer, Lane::kDatagram, Stage::kPlay).empty());
    CHECK(name(apart, Way::kToClient, Lane::kStream, Stage::kPlay).empty());
  }
  CHECK(name("000c", Way::kToServer, Lane::kStream, Stage::kPlay).empty());
  CHECK(name("0000", Way::kToServer, Lane::kStream, Stage::kPlay).empty());  // the greeting's code
  CHECK(name("0204 0001", Way::kToServer, Lane::kDatagram, Stage::kPlay) == "Forms");
  CHECK(name("0204 0001", Way::kToClient, Lane::kDatagram, Stage::kPlay) == "Blob");
  CHECK(name("544f5921", Way::kToServer, Lane::kStream, Stage::kGreeting) == "Hello");
  CHECK(name("746f7908", Way::kToClient, Lane::kStream, Stage::kGreeting) == "Welcome");
  CHECK(printed("00") == "fault: unknown message code 0");  // shorter than its envelope
  CHECK(printed("") == "fault: unknown message code 0");
}

TEST_CASE("a text of a fixed size holds as many characters as fit, and shows those before a NUL") {
  wire::Text<4> text;
  CHECK(text.view().empty());
  text.set("abcde");
  CHECK(text.view() == "abcd");
  text.set("xy");
  CHECK(text.view() == "xy");
  CHECK(std::string_view(text.chars.data(), 4) == std::string_view("xy\0\0", 4));
  CHECK(wire::EndText{std::string("ab\0c", 4)}.view() == "ab");
  CHECK(wire::EndText{"ab"}.view() == "ab");
}

/// Sets every number to its largest bits, and asks for lists of so many items and for every part.
class Extremes final : public wire::FieldVisitor {
 public:
  Extremes(std::size_t items, bool open) : items_(items), open_(open) {}
  void code(std::uint32_t& code, std::uint32_t, std::uint32_t last) override { code = last; }
  void scalar(const char*, wire::Scalar& value) override {
    value.bits = value.kind == wire::Kind::kBool ? 1 : ~std::uint64_t{0};
  }
  void fixed_text(const char*, std::span<char> chars) override { std::fill(chars.begin(), chars.end(), 'x'); }
  void text(const char*, std::string& chars, wire::TextEnd end, bool& open) override {
    chars = end == wire::TextEnd::kZero16 ? std::string("x\0", 2) : "x";
    open = open_;
  }
  void padding(const char*, std::span<std::uint8_t>) override {}
  void rest(const char*, Buffer& bytes, wire::Kept) override { bytes.assign(2, 7); }
  bool part(const char*, bool there, bool free) override { return there || free; }
  std::size_t form(const char*, std::size_t, std::span<const std::size_t> sizes) override { return sizes.size() - 1; }
  std::size_t list(const char*, wire::ListEnd end, std::size_t count, std::size_t most) override {
    return end == wire::ListEnd::kFixed ? count : std::min(items_, most);
  }

 private:
  std::size_t items_;
  bool open_;
};

/// The message after such a visit.
std::string after_extremes(std::string_view name, std::size_t items, bool open = false) {
  const auto codec = toy::game().codec(0);
  for (const wire::Row& row : codec->rows()) {
    if (row.name != name) continue;
    codec->make(row, Way::kToServer);
    Extremes extremes(items, open);
    codec->visit(extremes);
    Buffer bytes;
    codec->encode(bytes);
    return printed_frame(*codec, play(Way::kToServer, bytes));
  }
  return "";
}

TEST_CASE("whatever a visitor writes, a message keeps what its layout fixes: limits, counts and ends") {
  CHECK(after_extremes("Odds", 0) == "Odds version=9 narrow=-1 units=\"x\" any=\"x\"");
  CHECK(after_extremes("Apart", 2) ==
        "Apart code=9 names=2 numbers=2 pad=0000 name=[\"x\" \"x\"] number=[4294967295 4294967295]");
  for (const bool open : {false, true}) {
    CHECK(after_extremes("Strict", 0, open) == "Strict text=\"x\" bits=65535 count=0 numbers=[]");
    CHECK(after_extremes("Strict", 3, open) == "Strict text=\"x\" bits=65535 count=3 numbers=[65535 65535 65535]");
  }
  CHECK(after_extremes("Forms", 0) == "Forms base=65535 wide=4294967295 tail=255");
  CHECK(after_extremes("Named", 0) == "Named small=\"x\" middle=\"x\" large=\"x\"");
}

TEST_CASE(
    "invented messages of the same seed are the same, and have no more lists, texts and bytes than their budget") {
  const auto codec = toy::game().codec(0);
  const auto invented = [&](const wire::Row& row, std::uint64_t seed, std::size_t budget) {
    wire::Random random(seed);
    invent(row, (row.ways & 1U) != 0 ? Way::kToServer : Way::kToClient, *codec, random, budget);
    Buffer bytes;
    codec->encode(bytes);
    return to_hex(bytes);
  };
  std::set<std::string> named, lists;
  for (const wire::Row& row : codec->rows())
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::string name = row.name;
      CHECK(invented(row, seed, 512) == invented(row, seed, 512));
      if (name == "Named") CHECK(invented(row, seed, 0) == "070500000000000000");
      if (name == "Lists")
        CHECK(invented(row, seed, 0) ==
              "07020000000000"
              "0000");
      if (name == "Blob") CHECK(invented(row, seed, 0) == "0004");
      if (name == "Named") CHECK(invented(row, seed, 20).size() <= 2 * (9 + 20));
      if (name == "Named") named.insert(invented(row, seed, 512));
      if (name == "Lists") lists.insert(invented(row, seed, 15));
    }
  CHECK(named.size() > 10);
  CHECK(lists == std::set<std::string>{"070200000000000000"});  // too little for an item
}

TEST_CASE("lists end by count, at a zero, or with the message") {
  CHECK(printed("2002"
                "02 0001 0002"
                "00000007 6100"
                "00000000"
                "0001 05000000"
                "00000001 6200 00000002 00") ==
        "Lists counted=[1 2] zeroed=[{id=7 name=\"a\"}] turned=[5] to_end=[{id=1 name=\"b\"} {id=2 name=\"\"}]");
  CHECK(printed("0a02"
                "02 0001 0002"
                "00000007 61") == "fault: message too short zeroed 12");
}

TEST_CASE("an excessive count is refused before memory is allocated") {
  CHECK(printed("0302 ff 0001") == "fault: count exceeds the bytes left counted 3");
}

TEST_CASE("a list may be separate from its count") {
  CHECK(printed("0e08 02 0001 aabb 6100 6200 0000000a 05") == "fault: bytes left over  15");
  CHECK(printed("0d08 02 0001 aabb 6100 6200 0a000000") ==
        "Apart code=8 names=2 numbers=1 pad=aabb name=[\"a\" \"b\"] number=[10]");
  CHECK(printed("0707 ff 0001 aabb 6100") == "fault: count exceeds the bytes left name 7");
  CHECK(printed("0707 02 0000 aabb 0000") == "Apart code=7 names=2 numbers=0 pad=aabb name=[\"\" \"\"] number=[]");
  CHECK(printed("0707 03 0000 aabb 0000") == "fault: count exceeds the bytes left name 7");
}

TEST_CASE("for a message with a range of codes, every code is invented") {
  const auto codec = toy::game().codec(0);
  const wire::Row& row = codec->rows().back();
  REQUIRE(row.first_code != row.last_code);
  wire::Random random(1);
  std::set<std::uint8_t> codes;
  for (int i = 0; i < 50; ++i) {
    invent(row, Way::kToServer, *codec, random);
    Buffer bytes;
    codec->encode(bytes);
    codes.insert(bytes[1]);
  }
  CHECK(codes == std::set<std::uint8_t>{7, 8, 9});
}

TEST_CASE("what follows a NUL is kept, a missing NUL is remembered") {
  CHECK(printed("0d03 00 6162007a00000000 7a00 6578") == "Texts flags=0 fixed=\"ab\"+tail6 zero=\"z\" end=\"ex\"");
  CHECK(printed("0b03 00 6162000000000000 7a7a") == "Texts flags=0 fixed=\"ab\" zero=\"zz\"(no end) end=\"\"");
}

TEST_CASE("a text whose NUL must be there is refused without it") {
  CHECK(printed("060a 7a7a00 0001 00") == "Strict text=\"zz\" bits=1 count=0 numbers=[]");
  CHECK(printed("020a 7a7a") == "fault: no NUL ends the text text 4");
}

TEST_CASE("a number that is signed in one dialect only is unsigned in the others") {
  CHECK(printed("040a 00 fffe 00") == "Strict text=\"\" bits=65534 count=0 numbers=[]");
}

TEST_CASE("a count of meaningful items is at most the number of items") {
  CHECK(printed("080a 00 0000 01 0007 0008") == "Strict text=\"\" bits=0 count=1 numbers=[7 8]");
  CHECK(printed("080a 00 0000 03 0007 0008") == "fault: count exceeds the bytes left numbers 10");
}

TEST_CASE("a count of texts may exceed the bytes left where the peer allows it: the missing texts are empty") {
  CHECK(printed("040b 03 610062") == "Lines lines=[\"a\" \"b\"(no end) \"\"(no end)]");
  CHECK(printed("020b 03 62") == "Lines lines=[\"b\"(no end) \"\"(no end) \"\"(no end)]");
  CHECK(printed("020b 04 62") == "fault: count exceeds the bytes left lines 3");
}

TEST_CASE("printed text has its control characters escaped") {
  CHECK(printed("0c03 00 1b5b324a0a000000 2200 ff") ==
        "Texts flags=0 fixed=\"\\x1b[2J\\x0a\" zero=\"\\\"\" end=\"\\xff\"");
}

TEST_CASE("forms are distinguished by length") {
  CHECK(printed("0204 0001") == "Forms base=1");
  CHECK(printed("0604 0001 00000002") == "Forms base=1 wide=2");
  CHECK(printed("0704 0001 00000002 09") == "Forms base=1 wide=2 tail=9");
  CHECK(printed("0304 000100") == "fault: no form of this length form 2");
}

TEST_CASE(
    "16-bit text ends at a 16-bit 0, or with the message; text of either width is recognized by its second byte") {
  CHECK(printed("0f06 0007 fffe 61002600ac200000 620000") ==
        "Odds version=7 narrow=-2 units=\"a&\\u20ac\" any=\"b\\x00\"(no end)");
  CHECK(printed("0c06 0007 0000 0000 62006300 0000") == "Odds version=7 narrow=0 units=\"\" any=\"bc\"");
  CHECK(printed("0906 0007 0000 0000 626300") == "Odds version=7 narrow=0 units=\"\" any=\"bc\"");
  CHECK(printed("0706 0007 0000 610062") == "Odds version=7 narrow=0 units=\"a\\x62\"(no end) any=\"\"(no end)");
}

TEST_CASE("a fixed value that differs is refused") {
  CHECK(printed("0606 000a 0000 0000") == "fault: value out of range version 4");
  CHECK(printed("0606 0006 0000 0000") == "fault: value out of range version 4");
  CHECK(printed("0606 0009 0000 0000") == "Odds version=9 narrow=0 units=\"\" any=\"\"(no end)");
  CHECK(printed("0406 0007 0000") == "fault: message too short units 6");
}

TEST_CASE("bytes left over are a fault, with their offset") {
  CHECK(printed("2f01"
                "05"
                "fffe"
                "010203"
                "0000000000000007"
                "3f800000"
                "4000000000000000"
                "01"
                "3f800000 40000000 bf000000"
                "01000000"
                "aabbcc"
                "00") == "fault: bytes left over  48");
}

TEST_CASE("opaque bytes are counted, and the same code is another message in the other direction") {
  const auto codec = toy::game().codec(0);
  const Buffer bytes = from_hex("0304 010203");
  REQUIRE(codec->decode(play(Way::kToClient, bytes)).ok());
  CHECK(wire::opaque_bytes(*codec) == 3);
}

TEST_CASE("diff names the fields that differ, and those that only one has") {
  const auto codec = toy::game().codec(0);
  const auto shown = [&](std::string_view hex) {
    const Buffer bytes = from_hex(hex);
    REQUIRE(codec->decode(play(Way::kToServer, bytes)).ok());
    return show(*codec);
  };
  CHECK(diff(shown("0604 0001 00000002"), shown("0604 0001 00000002")).empty());
  CHECK(diff(shown("0604 0001 00000002"), shown("0204 0003")) == "base: 1 -> 3\nwide: 2 -> absent\n");
  CHECK(diff(shown("0204 0003"), shown("0604 0001 00000002")) == "base: 3 -> 1\nwide: absent -> 2\n");
  const char *one = "0d02 01 0001 00000000 0001 05000000", *two = "0f02 02 0001 0002 00000000 0001 05000000";
  CHECK(diff(shown(one), shown(two)) == "counted[1]: absent -> 2\n");  // not those after it
  CHECK(diff(shown(two), shown(one)) == "counted[1]: 2 -> absent\n");
}

TEST_CASE("the outline separates dialects only where they differ") {
  const std::string text = wire::outline(toy::game());
  CHECK(text.find("Dialects big, little:") != std::string::npos);
  CHECK(text.find("    0  u32                    stamp") != std::string::npos);
  CHECK(text.find("f32[3]                 pos") != std::string::npos);
  CHECK(text.find("zeroed, until an item's first number is 0:") != std::string::npos);
}

struct Heard final : wire::DissectorSink {
  std::string all;
  void frame(const Frame& f) override { (all += f.stage == Stage::kGreeting ? "g:" : "f:") += to_hex(f.bytes) + " "; }
  void raw(Way, Lane, Bytes bytes, const Fault* why) override {
    all += std::string("raw(") + (why ? why->what : "") + "):" + to_hex(bytes) + " ";
  }
};

TEST_CASE("a stream gives the same frames however it is cut") {
  const Buffer bytes = from_hex("544f5921 0204 0001 0001 0604 0001 00000002");
  Heard whole;
  wire::Dissector(toy::game(), 0).stream(Way::kToServer, bytes, whole);
  CHECK(whole.all == "g:544f5921 f:02040001 f:0001 f:0604000100000002 ");
  for (std::size_t at = 1; at < bytes.size(); ++at) {
    Heard cut;
    wire::Dissector dissector(toy::game(), 0);
    dissector.stream(Way::kToServer, Bytes(bytes).first(at), cut);
    dissector.stream(Way::kToServer, Bytes(bytes).subspan(at), cut);
    CHECK(cut.all == whole.all);
  }
}

TEST_CASE("once framing is lost, every byte still comes out, and the fault is reported once") {
  Heard heard;
  wire::Dissector dissector(toy::game(), 0);
  dissector.stream(Way::kToServer, from_hex("544f5921 ff00"), heard);
  dissector.stream(Way::kToServer, from_hex("0102"), heard);
  CHECK(heard.all == "g:544f5921 raw(frame too large):ff00 raw():0102 ");
}

TEST_CASE("a datagram may hold several frames, but no partial one") {
  Heard heard;
  wire::Dissector dissector(toy::game(), 0);
  dissector.datagram(Way::kToClient, from_hex("0204 0001 0304 00"), heard);
  CHECK(heard.all == "f:02040001 raw(message too short):030400 ");
}

TEST_CASE(
    "on a transport of messages, each message is a frame, even an empty one; a refused one does not lose the framing") {
  Heard heard;
  wire::Dissector dissector(toy::messages(), 0);
  for (const Buffer& bytes : {from_hex("0001"), Buffer(), Buffer(300), from_hex("02")})
    dissector.stream(Way::kToServer, bytes, heard);
  CHECK(heard.all == "f:0001 f: raw(message too large):" + std::string(600, '0') + " f:02 ");
  CHECK(dissector.pending(Way::kToServer) == 0);
}

TEST_CASE("a packet is cut into its frames; an incomplete frame comes out raw, and does not lose the framing") {
  Heard heard;
  wire::Dissector dissector(toy::packets(), 0);
  for (const char* hex : {"0204 0001 0001", "0204 0001 0304 00", "02", "ff", "0004"})
    dissector.stream(Way::kToServer, from_hex(hex), heard);
  CHECK(heard.all ==
        "f:02040001 f:0001 f:02040001 raw(message too short):030400 raw(message too short):02 "
        "raw(frame too large):ff f:0004 ");
}

TEST_CASE("an incomplete frame at the end comes out raw") {
  Heard heard;
  wire::Dissector dissector(toy::game(), 0);
  dissector.stream(Way::kToClient, from_hex("746f"), heard);
  CHECK(dissector.pending(Way::kToClient) == 2);
  dissector.end(Way::kToClient, heard, false);
  CHECK(heard.all == "raw():746f ");
}

}  // namespace
}  // namespace entente::fields_test
