// Our JSON writer writes the same bytes as protobuf's printer, and our reader reads the same as protobuf's parser.
#include "adapters/native/json.h"

#include <doctest/doctest.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/native/codec.h"
#include "adapters/wire/invent.h"
#include "proxy/base/text.h"
#include "schema/game.pb.h"
#include "tests/support/protobuf_json.h"
#include "tests/support/thorough.h"

namespace entente::native::json_test {
namespace {

void check_same(const google::protobuf::Message& message) {
  Buffer ours;
  write_json(message, ours);
  CHECK(as_text(ours) == testing::printed_by_protobuf(message));
}

TEST_CASE("words of every kind are printed as by protobuf") {
  const auto codec = make_codec({Dialect::kJson, true});
  wire::Random random(22);
  for (const wire::Row& row : codec->rows()) {
    const auto way = static_cast<wire::Way>(row.ways);
    for (int i = 0; i < (testing::thorough() ? 200 : 50); ++i) {
      wire::invent(row, way, *codec, random);
      Buffer frame;
      codec->encode(frame);
      words::Intent intent;
      words::Fact fact;
      google::protobuf::Message& message =
          way == wire::Way::kToServer ? static_cast<google::protobuf::Message&>(intent) : fact;
      REQUIRE(parse(Dialect::kJson, Bytes(frame).first(frame.size() - 1), message).ok());
      check_same(message);
    }
  }
}

TEST_CASE("numbers of every size are printed as by protobuf") {
  words::Fact fact;
  words::Pose& pose = *fact.mutable_pose();
  fact.set_at_us(std::numeric_limits<std::uint64_t>::max());
  for (const double number :
       {0.1, 1.0 / 3, 12.5, -0.0, 1e15, 1e16, 123456789012345680.0, 1e21, 1e300, 5e-324, 1e-5, 0.0001, -2.5e-7,
        std::numeric_limits<double>::max(), std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    pose.set_x(number);
    check_same(fact);
  }
  wire::Random random(7);
  for (int i = 0; i < (testing::thorough() ? 20'000 : 5'000); ++i) {
    pose.set_x(std::bit_cast<double>(random()));
    pose.set_y(static_cast<double>(random() % 1'000'000) / 1000);
    check_same(fact);
  }
}

TEST_CASE("texts and rarely used fields are printed as by protobuf") {
  words::Fact fact;
  for (const std::string text : {"", "plain", "a \"quote\" and a \\", "<b>&'</b>", "tab\tand\nline",
                                 "J\xc3\xbcrgen \xe2\x98\x83", "\x7f", "\xe2\x80\xa8", "\xf0\x9f\x98\x80"}) {
    fact.mutable_said()->set_text(text);
    check_same(fact);
  }
  fact.mutable_player()->set_role(static_cast<words::Role>(99));
  check_same(fact);
  fact.mutable_world()->set_voxels("\x01\x02\xff");
  check_same(fact);
  fact.mutable_world()->add_solids()->set_x(1.5);
  fact.mutable_world()->add_solids();
  check_same(fact);
  fact.mutable_owns()->add_units(7);
  fact.mutable_owns()->add_units(9);
  check_same(fact);
  fact.mutable_unit_changed()->set_name("");  // set, though it is empty
  check_same(fact);
  fact.mutable_ready();
  check_same(fact);
}

TEST_CASE("every character is printed as by protobuf") {
  words::Fact fact;
  std::string text;
  for (std::uint32_t point = 0; point < 0x110000; ++point) {
    if (point == 0xd800) point = 0xe000;
    add_character(point, text);
    if (point % 0x400 != 0x3ff) continue;
    fact.mutable_said()->set_text(text);
    check_same(fact);
    text.clear();
  }
}

TEST_CASE("lists of every type are printed as by protobuf") {
  words::Fact fact;
  words::Board& board = *fact.mutable_board();
  for (const float slice : {0.1F, 1e10F, 3.4028235e38F, 1e-45F, std::numeric_limits<float>::infinity()})
    board.add_slices(slice);
  board.add_lines("<a>");
  board.add_lines("");
  board.add_rows()->set_name("J\xc3\xbcrgen");
  check_same(fact);
}

// -- The reader -------------------------------------------------------------------------------------------------------

/// Random JSON, much of it wrong, about the fields of the schema.
class Inventor {
  bool one_in(std::uint64_t n) { return random_() % n == 0; }
  template <class All>
  auto pick(const All& all) {
    return std::data(all)[random_() % std::size(all)];
  }

 public:
  explicit Inventor(std::uint64_t seed) : random_(seed) {}

  std::string message(const google::protobuf::Descriptor& type) {
    std::string json = object(&type, 0);
    if (one_in(12)) json = blank() + json + blank();
    if (one_in(40)) json += pick(kScalars);
    if (one_in(3)) damage(json);
    return json;
  }

 private:
  static constexpr std::string_view kScalars[] = {"null",
                                                  "true",
                                                  "false",
                                                  "nul",
                                                  "truex",
                                                  "0",
                                                  "-0",
                                                  "-0.0",
                                                  "1",
                                                  "-1",
                                                  "7",
                                                  "12.5",
                                                  "1e3",
                                                  "1E+3",
                                                  "1e-400",
                                                  "1e400",
                                                  "-1e309",
                                                  "4294967295",
                                                  "4294967296",
                                                  "4294967295.0",
                                                  "18446744073709551615",
                                                  "18446744073709551616",
                                                  "-9223372036854775808",
                                                  "-9223372036854775809",
                                                  "1e19",
                                                  "2147483648",
                                                  "-2147483649",
                                                  "01",
                                                  "-01",
                                                  "00.5",
                                                  "0x10",
                                                  "0x1.8",
                                                  "-0x1p",
                                                  "-",
                                                  "1.",
                                                  "-.5",
                                                  ".5",
                                                  "1e",
                                                  "1-2",
                                                  "3.4028235e38",
                                                  "3.40282357e38",
                                                  "3.5e38",
                                                  "0.1e1",
                                                  "123456789012345678901234567890",
                                                  "4.9e-324",
                                                  "2e-324",
                                                  "NaN",
                                                  "Infinity",
                                                  R"("")",
                                                  R"("1")",
                                                  R"("+1")",
                                                  R"("+-1")",
                                                  R"("-1")",
                                                  R"("-0")",
                                                  R"(" 1")",
                                                  R"("1 ")",
                                                  R"("\t1")",
                                                  R"("1\n")",
                                                  R"("1\u0000x")",
                                                  R"("0x10")",
                                                  R"("1e2")",
                                                  R"("1.5")",
                                                  R"("1e400")",
                                                  R"("3.5e38")",
                                                  R"("NaN")",
                                                  R"("Infinity")",
                                                  R"("-Infinity")",
                                                  R"("nan")",
                                                  R"("inf")",
                                                  R"("true")",
                                                  R"("YES")",
                                                  R"("f")",
                                                  R"("0")",
                                                  R"(" no")",
                                                  R"("WATCH")",
                                                  R"("watch")",
                                                  R"("PLY")",
                                                  R"("RED")",
                                                  R"("99")",
                                                  R"("-")",
                                                  R"("QUJD")",
                                                  R"("QUI=")",
                                                  R"("QUI")",
                                                  R"("QU\u0000I")",
                                                  R"("_-_-")",
                                                  R"("+/+/")",
                                                  R"("-/")",
                                                  R"("Q Q = =")",
                                                  R"("Q.")",
                                                  "'single'",
                                                  "'don\\'t'",
                                                  R"("a\u0062\n\/\x\v\"")",
                                                  R"("\ud83d\ude00")",
                                                  R"("\uD83D\uDE00")",
                                                  R"("\ud83d")",
                                                  R"("\ud83dA")",
                                                  R"("\ud83d\u0041")",
                                                  R"("\udc00")",
                                                  R"("1\udc00")",
                                                  R"("\u12")",
                                                  R"("\u12g4")",
                                                  R"("\u+123")",
                                                  R"("\)",
                                                  "\"\xff\"",
                                                  "\"\xc3\xbc\"",
                                                  "\"\xed\xa0\x80\"",
                                                  "\"\xf4\x90\x80\x80\"",
                                                  "\"a\nb\"",
                                                  "\"unfinished",
                                                  "name",
                                                  "$a"};
  static constexpr std::string_view kNames[] = {"newer", "", "null", "true", "nullable", "a b", "$x_1", "kind", "1"};

  std::string blank() {
    return std::string(pick(std::array<std::string_view, 6>{" ", "\t\n", "\r", "\v\f", "", "\x1f"}));
  }

  std::string object(const google::protobuf::Descriptor* type, int depth) {
    std::string json = "{";
    const std::uint64_t count = random_() % 4;
    for (std::uint64_t i = 0; i < count; ++i) {
      const google::protobuf::FieldDescriptor* field = nullptr;
      if (type != nullptr && type->field_count() > 0 && !one_in(8))
        field = type->field(static_cast<int>(random_() % static_cast<std::uint64_t>(type->field_count())));
      json += name(field) + (one_in(20) ? blank() + ":" + blank() : ":") + value(field, depth + 1);
      if (i + 1 < count || one_in(15)) json += one_in(60) ? ",," : ",";
    }
    return json + "}";
  }

  std::string name(const google::protobuf::FieldDescriptor* field) {
    std::string name = field == nullptr ? std::string(pick(kNames)) : one_in(3) ? field->json_name() : field->name();
    if (one_in(12)) return name;
    if (one_in(12)) return "'" + name + "'";
    if (one_in(20))
      name = "\\u00" + to_hex(as_bytes(name.substr(0, 1))) + name.substr(std::min<std::size_t>(1, name.size()));
    if (one_in(80)) name += "\\udc00";
    return '"' + name + '"';
  }

  std::string value(const google::protobuf::FieldDescriptor* field, int depth) {
    if (depth < 6 && one_in(10)) return list(field, depth);
    if (field != nullptr && field->is_repeated() && !one_in(6)) return list(field, depth);
    if (field != nullptr && field->message_type() != nullptr && !one_in(8)) return object(field->message_type(), depth);
    if (field != nullptr && field->enum_type() != nullptr && one_in(2))
      return '"' + field->enum_type()->value(static_cast<int>(random_() % 2))->name() + '"';
    if (depth < 6 && one_in(16)) return object(nullptr, depth);
    return std::string(pick(kScalars));
  }

  std::string list(const google::protobuf::FieldDescriptor* field, int depth) {
    std::string json = "[";
    const std::uint64_t count = random_() % 3;
    for (std::uint64_t i = 0; i < count; ++i) json += value(field, depth + 3) + (i + 1 < count || one_in(9) ? "," : "");
    return json + "]";
  }

  void damage(std::string& json) {
    constexpr std::string_view kBytes("{}[]:,\"'\\untf0-1.eE+ x\t\0\x80\xc3", 27);
    const std::size_t at = random_() % (json.size() + 1);
    switch (random_() % 4) {
      case 0:
        return void(json.insert(at, 1, pick(kBytes)));
      case 1:
        return void(json.erase(std::min(at, json.size() - 1), 1));
      case 2:
        return void(json[std::min(at, json.size() - 1)] = pick(kBytes));
      default:
        return json.resize(at);
    }
  }

  wire::Random random_;
};

TEST_CASE("any JSON is read as by protobuf") {
  auto* const before = google::protobuf::SetLogHandler(nullptr);  // protobuf prints each half of a surrogate pair
  Inventor inventor(56);
  const words::Intent intent;
  const words::Fact fact;
  for (int i = 0; i < (testing::thorough() ? 200'000 : 10'000); ++i) {
    const google::protobuf::Message& type = i % 2 == 0 ? static_cast<const google::protobuf::Message&>(intent) : fact;
    const std::string json = inventor.message(*type.GetDescriptor());
    const std::string difference = testing::difference_in_json(json, type);
    INFO(json);
    CHECK(difference == "");
  }
  google::protobuf::SetLogHandler(before);
}

TEST_CASE("the largest nesting of objects is as for protobuf, and arrays nest without bound or recursion") {
  const words::Intent intent;
  for (const std::size_t deep : {1U, 98U, 99U, 100U, 101U, 5'000U}) {
    CAPTURE(deep);
    std::string objects, arrays(deep, '[');
    for (std::size_t i = 0; i < deep; ++i) objects += "{\"newer\":";
    CHECK(testing::difference_in_json(objects + "1" + std::string(deep, '}'), intent) == "");
    arrays += "1" + std::string(deep, ']');
    CHECK(testing::difference_in_json("{\"newer\":" + arrays + "}", intent) == "");
    CHECK(testing::difference_in_json("{\"enter\":{\"flags_known\":" + arrays + "}}", intent) == "");
    CHECK(testing::difference_in_json("{\"enter\":" + arrays + "}", intent) == "");
  }
}

TEST_CASE("any number of objects stands side by side, in fields of the schema and in others") {
  const words::Fact fact;
  std::string objects, fields;
  for (int i = 0; i < 150; ++i) {
    objects += i == 0 ? "{}" : ",{}";
    fields += i == 0 ? "\"newer\":{}" : ",\"newer\":{}";
  }
  for (const std::string& json : {"{\"board\":{\"rows\":[" + objects + "]}}", "{\"newer\":[" + objects + "]}",
                                  "{\"newer\":{" + fields + "}}", "{" + fields + "}"}) {
    CAPTURE(json);
    CHECK(testing::difference_in_json(json, fact) == "");
    words::Fact read;
    CHECK(parse(Dialect::kJson, as_bytes(json), read).ok());
  }
}

TEST_CASE("the largest message of a client is read in steps that grow with its length") {
  // What is costly to read for one byte would be for all of them.
  const std::string fill(kLargestIntent / 2, '9');
  const words::Intent intent;
  for (const std::string& json : {"{\"toward\":{\"x\":" + fill + "}}", "{\"toward\":{\"x\":0." + fill + "}}",
                                  "{\"toward\":{\"x\":\"" + fill + "\"}}", "{\"" + fill + "\":1}",
                                  "{\"say\":{\"text\":\"" + fill + "\"}}", "{\"enter\":{\"role\":\"" + fill + "\"}}",
                                  std::string(kLargestIntent / 2, ' ') + "{}" + std::string(kLargestIntent / 2, '\t')})
    CHECK(testing::difference_in_json(json, intent) == "");
}

}  // namespace
}  // namespace entente::native::json_test
