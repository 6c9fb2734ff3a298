// `inspect --json` writes each message as valid JSON with the values of the message.
#include "proxy/program/recordings/json_fields.h"

#include <doctest/doctest.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "adapters/registry.h"
#include "adapters/wire/invent.h"

namespace entente::json_fields_test {
namespace {

std::string json_of(wire::Codec& codec) {
  std::string out;
  json_fields(codec, out);
  return out;
}

/// A message with two fields of one name, and a third in a group.
class Repeating final : public wire::Codec {
 public:
  std::span<const wire::Row> rows() const override { return {}; }
  const wire::Row* find(const wire::Frame&) const override { return nullptr; }
  Result<const wire::Row*> decode(const wire::Frame&) override { return Fault{"nothing is read", "", 0}; }
  void make(const wire::Row&, wire::Way) override {}
  void encode(Buffer&) const override {}
  void visit(wire::FieldVisitor& visitor) override {
    wire::Scalar value{wire::Kind::kU8, 1};
    visitor.scalar("x", value);
    visitor.group("inside");
    visitor.scalar("x", value);
    visitor.end_group();
    visitor.scalar("x", value);
  }
};

TEST_CASE("the second field with the same name gets a number") {
  Repeating codec;
  CHECK(json_of(codec) == R"({"x":1,"inside":{"x":1},"x_2":1})");
}

TEST_CASE("every message of every game is a valid JSON object") {
  wire::Random random(5);
  for (const wire::Game* game : games())
    for (std::size_t dialect = 0; dialect < game->dialects().size(); ++dialect) {
      const auto codec = game->codec(dialect);
      for (const wire::Row& row : codec->rows())
        for (const wire::Way way : {wire::Way::kToServer, wire::Way::kToClient}) {
          if ((row.dialects >> dialect & 1U) == 0 || (row.ways & static_cast<std::uint8_t>(way)) == 0) continue;
          wire::invent(row, way, *codec, random);
          const std::string json = json_of(*codec);
          google::protobuf::Struct read;
          const auto status = google::protobuf::util::JsonStringToMessage(json, &read);
          CHECK_MESSAGE(status.ok(), std::string(game->name()), " ", row.name, ": ", status.ToString(), json);
          CHECK(json.find('\x1b') == std::string::npos);
        }
    }
}

TEST_CASE("numbers are JSON numbers, 64-bit numbers are in quotes, texts are unchanged, lists and groups nest") {
  const auto codec = find_game("native")->codec(1);
  const std::string line =
      R"({"at_us":"7","number":2,"enter":{"name":"an\"na \u001b é","role":"WATCH","flags_known":["US","GM"],"claims_deaths":true}})"
      "\n";
  REQUIRE(codec->decode({wire::Way::kToServer, Lane::kStream, wire::Stage::kPlay, as_bytes(line)}).ok());
  const std::string json = json_of(*codec);
  CHECK(json.starts_with(R"({"at_us":"7","by":0,"number":2,"enter":{"name":"an\"na \u001b é","team":0,"role":1,)"));
  CHECK(json.find(R"("flags_known":["US","GM"])") != std::string::npos);
  CHECK(json.find(R"("claims_deaths":true)") != std::string::npos);
}

}  // namespace
}  // namespace entente::json_fields_test
