// What a message looks like as a line of text, as a list of fields, and compared with another one.
#include "adapters/wire/print.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

namespace entente::wire::print_test {
namespace {

/// A message whose fields the test names itself.
class Scripted final : public Codec {
 public:
  explicit Scripted(std::function<void(FieldVisitor&)> fields) : fields_(std::move(fields)) {}

  std::span<const Row> rows() const override { return {}; }
  const Row* find(const Frame&) const override { return nullptr; }
  Result<const Row*> decode(const Frame&) override { return Fault{"is not decoded"}; }
  void make(const Row&, Way) override {}
  void encode(Buffer&) const override {}
  void visit(FieldVisitor& visitor) override { fields_(visitor); }

 private:
  std::function<void(FieldVisitor&)> fields_;
};

void number(FieldVisitor& v, const char* name, std::uint64_t bits, Kind kind = Kind::kU8) {
  Scalar scalar{kind, bits};
  v.scalar(name, scalar);
}

void text(FieldVisitor& v, const char* name, std::string chars, TextEnd end = TextEnd::kZero, bool open = false) {
  v.text(name, chars, end, open);
}

void bytes(FieldVisitor& v, const char* name, std::size_t size, Kept kept = Kept::kDeclared) {
  Buffer all(size, 0xab);
  v.rest(name, all, kept);
}

void list(FieldVisitor& v, const char* name, ListEnd end, std::size_t count,
          const std::function<void(std::size_t)>& item) {
  v.list(name, end, count, count);
  for (std::size_t i = 0; i < count; ++i) v.item(i), item(i);
  v.end_list();
}

std::string line(const std::function<void(FieldVisitor&)>& fields) {
  Scripted codec(fields);
  std::string out;
  print({"M", 1, 1, 3, 1, Stage::kPlay, 1}, codec, out);
  return out;
}

/// "path=value …"
std::string shown(const std::function<void(FieldVisitor&)>& fields) {
  Scripted codec(fields);
  std::string all;
  for (const Shown& one : show(codec)) all += (all.empty() ? "" : " ") + one.path + "=" + one.value;
  return all;
}

TEST_CASE("in a printed message, a field after a list has its name, also after an empty list") {
  for (const std::size_t count : {std::size_t{0}, std::size_t{2}}) {
    const auto fields = [count](FieldVisitor& v) {
      list(v, "all", ListEnd::kCount, count, [&](std::size_t i) { number(v, "all", i); });
      number(v, "after", 5);
    };
    CHECK(line(fields) == (count == 0 ? "M all=[] after=5" : "M all=[0 1] after=5"));
    CHECK(shown(fields) == (count == 0 ? "after=5" : "all[0]=0 all[1]=1 after=5"));
  }
}

TEST_CASE("in a printed message, a field after a list of empty lists has its name") {
  const auto fields = [](FieldVisitor& v) {
    list(v, "all", ListEnd::kCount, 1, [&](std::size_t) { list(v, "its", ListEnd::kFixed, 0, [](std::size_t) {}); });
    number(v, "after", 5);
  };
  CHECK(line(fields) == "M all=[its=()] after=5");
  CHECK(shown(fields) == "after=5");
}

TEST_CASE("in a printed message, a group after an empty list has its name") {
  const auto fields = [](FieldVisitor& v) {
    list(v, "all", ListEnd::kZero, 0, [](std::size_t) {});
    v.group("its");
    number(v, "a", 1);
    v.end_group();
    number(v, "end", 2);
  };
  CHECK(line(fields) == "M all=[] its={a=1} end=2");
  CHECK(shown(fields) == "its.a=1 end=2");
}

TEST_CASE("in a printed message, the items of a list have no names, and all of their fields do") {
  const auto fields = [](FieldVisitor& v) {
    list(v, "all", ListEnd::kCount, 2, [&](std::size_t i) {
      v.group("all");
      number(v, "a", i);
      list(v, "its", ListEnd::kFixed, i, [&](std::size_t at) { number(v, "its", 7 + at); });
      number(v, "b", 9);
      v.end_group();
    });
    number(v, "end", 5);
  };
  CHECK(line(fields) == "M all=[{a=0 its=() b=9} {a=1 its=(7) b=9}] end=5");
  CHECK(shown(fields) == "all[0].a=0 all[0].b=9 all[1].a=1 all[1].its[0]=7 all[1].b=9 end=5");
}

TEST_CASE("a number of each kind is printed as its value") {
  const auto printed = [](Kind kind, std::uint64_t bits) {
    return line([&](FieldVisitor& v) { number(v, "n", bits, kind); }).substr(4);
  };
  CHECK(printed(Kind::kU8, 0xff) == "255");
  CHECK(printed(Kind::kU64, ~0ULL) == "18446744073709551615");
  CHECK(printed(Kind::kI8, 0x80) == "-128");
  CHECK(printed(Kind::kI16, 0x8000) == "-32768");
  CHECK(printed(Kind::kI32, 0x80000000U) == "-2147483648");
  CHECK(printed(Kind::kI64, ~0ULL) == "-1");
  CHECK(printed(Kind::kF32, 0x3dcccccdU) == "0.1");
  CHECK(printed(Kind::kF64, 0x3fb999999999999aULL) == "0.1");
  CHECK(printed(Kind::kBool, 1) == "1");
}

TEST_CASE("of printed text, exactly the printable ASCII characters stay as they are") {
  std::string out;
  escape(" ~\x1f\x7f\x80\"\\", out);
  CHECK(out == R"( ~\x1f\x7f\x80\"\\)");
  const auto units = [](std::string_view chars) {
    return line([&](FieldVisitor& v) { text(v, "t", std::string(chars), TextEnd::kZero16); });
  };
  using namespace std::string_view_literals;
  CHECK(units(" \0~\0\"\0"sv) == R"(M t=" ~\"")");
  CHECK(units("\x1f\0\x7f\0a\x01"sv) == R"(M t="\u001f\u007f\u0161")");
}

TEST_CASE("a text without its end is marked, unless it ends with the message") {
  const auto printed = [](TextEnd end, bool open) {
    return line([&](FieldVisitor& v) { text(v, "t", "a", end, open); });
  };
  CHECK(printed(TextEnd::kZero, false) == "M t=\"a\"");
  CHECK(printed(TextEnd::kZero, true) == "M t=\"a\"(no end)");
  CHECK(printed(TextEnd::kFrame, true) == "M t=\"a\"");
}

TEST_CASE("of raw bytes, the number and the first 24 are printed") {
  const auto printed = [](std::size_t size) { return line([&](FieldVisitor& v) { bytes(v, "b", size); }); };
  std::string most;
  for (int i = 0; i < 24; ++i) most += "ab";
  CHECK(printed(0) == "M b=<0 bytes>");
  CHECK(printed(24) == "M b=<24 bytes: " + most + ">");
  CHECK(printed(25) == "M b=<25 bytes: " + most + "…>");
}

TEST_CASE("of the bytes that are not decoded, only those count that should be, and all of them") {
  Scripted codec([](FieldVisitor& v) {
    bytes(v, "map", 7, Kept::kDeclared);
    bytes(v, "a", 3, Kept::kOpaque);
    bytes(v, "b", 4, Kept::kOpaque);
  });
  CHECK(opaque_bytes(codec) == 7);
}

TEST_CASE("a text is found by the name of its field: the first one, up to its NUL, in UTF-8") {
  Scripted codec([](FieldVisitor& v) {
    number(v, "name", 1);
    text(v, "other", "no");
    text(v, "name", std::string("an\0na", 5));
    text(v, "name", "berta");
    text(v, "wide",
         std::string("\xac\x20"
                     "a\0",
                     4),
         TextEnd::kZero16);
    std::string fixed("carla\0x", 7);
    v.fixed_text("fixed", fixed);
  });
  CHECK(text_of(codec, "name") == "an");
  CHECK(text_of(codec, "wide") ==
        "\xe2\x82\xac"
        "a");
  CHECK(text_of(codec, "fixed") == "carla");
  CHECK(text_of(codec, "none").empty());
}

TEST_CASE("two messages with different fields are compared field by field, in wire order") {
  const std::vector<Shown> one = {{"a", "1"}, {"b", "2"}, {"c", "3"}}, two = {{"a", "1"}, {"c", "4"}, {"d", "5"}};
  CHECK(diff(one, two) == "b: 2 -> absent\nc: 3 -> 4\nd: absent -> 5\n");
  CHECK(diff(two, one) == "b: absent -> 2\nc: 4 -> 3\nd: 5 -> absent\n");
  CHECK(diff(one, {}) == "a: 1 -> absent\nb: 2 -> absent\nc: 3 -> absent\n");
  CHECK(diff({}, one) == "a: absent -> 1\nb: absent -> 2\nc: absent -> 3\n");
}

}  // namespace
}  // namespace entente::wire::print_test
