// Our JSON printer writes the same bytes as protobuf's.
#include "adapters/native/json.h"

#include <doctest/doctest.h>

#include <bit>
#include <limits>
#include <string>

#include "adapters/native/codec.h"
#include "adapters/wire/invent.h"
#include "schema/game.pb.h"
#include "tests/support/thorough.h"

namespace entente::native::json_test {
namespace {

void check_same(const google::protobuf::Message& message) {
  Buffer ours, theirs;
  write_json(message, ours);
  print_json(message, theirs);
  CHECK(as_text(ours) == as_text(theirs));
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

}  // namespace
}  // namespace entente::native::json_test
