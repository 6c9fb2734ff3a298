#include "proxy/program/settings/limits.h"

#include <doctest/doctest.h>
#include <google/protobuf/message.h>

#include <array>
#include <bit>
#include <cstdint>

#include "proxy/program/config/config.h"

namespace entente::limits_test {

namespace {

constexpr std::size_t kLimits = sizeof(Limits) / sizeof(std::uint32_t);  // each limit is a uint32
using Numbers = std::array<std::uint32_t, kLimits>;

}  // namespace

TEST_CASE("every limit has a key, and the key's preset is the limit's default") {
  CHECK(config::Limits::descriptor()->field_count() == int{kLimits});
  CHECK(std::bit_cast<Numbers>(limits_of(default_config().limits())) == std::bit_cast<Numbers>(Limits{}));
}

TEST_CASE("each key changes its limit and no other") {
  const auto& kind = *config::Limits::descriptor();
  for (int i = 0; i < kind.field_count(); ++i) {
    CAPTURE(kind.field(i)->name());
    config::Limits settings = default_config().limits();
    settings.GetReflection()->SetUInt32(&settings, kind.field(i), 77'777);
    Numbers expected = std::bit_cast<Numbers>(Limits{});
    expected[static_cast<std::size_t>(i)] = 77'777;
    CHECK(std::bit_cast<Numbers>(limits_of(settings)) == expected);
  }
}

}  // namespace entente::limits_test
