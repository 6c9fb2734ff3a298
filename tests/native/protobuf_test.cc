// Our check of protobuf refuses only what libprotobuf refuses, and leaves it nothing to report.
#include "adapters/native/protobuf.h"

#include <doctest/doctest.h>
#include <google/protobuf/stubs/logging.h>

#include <string>
#include <utility>

#include "adapters/native/codec.h"
#include "adapters/wire/invent.h"
#include "schema/game.pb.h"
#include "tests/support/hex.h"
#include "tests/support/thorough.h"

namespace entente::native::protobuf_test {

TEST_CASE("a group of a later schema is skipped if it ends, and only then") {
  const auto reads = [](const char* hex) {
    words::Fact fact;
    return read_protobuf(from_hex(hex), fact, nullptr).ok();
  };
  CHECK(reads("a306 a406"));            // group 100
  CHECK(reads("a306 a306 a406 a406"));  // in itself
  CHECK(reads("a306 0801 a406"));       // with a number in it
  for (const char* open : {"a306", "a306 0801", "a306 a306 a406", "a406", "a306 a406 a406"}) CHECK_FALSE(reads(open));
  words::Fact fact;
  const auto open = read_protobuf(from_hex("a306 0801"), fact, nullptr);
  CHECK(open.error().field == std::string("word"));
  CHECK(open.error().offset == 4);  // the end, where it is still open
}

TEST_CASE("any protobuf is read as by libprotobuf, which reports nothing") {
  static int reports = 0;
  reports = 0;
  const auto count = [](google::protobuf::LogLevel, const char*, int, const std::string&) { ++reports; };
  auto* const before = google::protobuf::SetLogHandler(+count);
  const auto codec = make_codec({Dialect::kProtobuf, false});
  wire::Random random(56);
  int read = 0, told = 0;
  for (const wire::Row& row : codec->rows()) {
    const auto way = static_cast<wire::Way>(row.ways);
    for (int i = 0; i < (testing::thorough() ? 2'000 : 200); ++i) {
      wire::invent(row, way, *codec, random);
      Buffer bytes;
      codec->encode(bytes);
      for (std::uint64_t damage = random() % 3; damage > 0 && !bytes.empty(); --damage)
        bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
      if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
      words::Intent intent, intent_by_them;
      words::Fact fact, fact_by_them;
      const bool up = way == wire::Way::kToServer;
      google::protobuf::Message &ours = up ? static_cast<google::protobuf::Message&>(intent) : fact,
                                &theirs = up ? static_cast<google::protobuf::Message&>(intent_by_them) : fact_by_them;
      const auto result = read_protobuf(bytes, ours, nullptr);
      CHECK(reports == 0);
      const bool by_them = theirs.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
      told += std::exchange(reports, 0);
      CHECK(result.ok() == by_them);
      if (result && by_them) CHECK(ours.SerializeAsString() == theirs.SerializeAsString());
      if (!result) CHECK(result.error().offset <= bytes.size());
      read += by_them ? 1 : 0;
    }
  }
  CHECK(read > 1'000);
  CHECK(told > 10);  // texts that libprotobuf would have reported
  google::protobuf::SetLogHandler(before);
}

}  // namespace entente::native::protobuf_test
