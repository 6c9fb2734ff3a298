// What players claim: poses in two words, and numbers that are not finite.
#include "proxy/core/gameplay/claims.h"

#include <doctest/doctest.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <variant>

namespace entente::core::claims_test {
namespace {

TEST_CASE("either word that carries a motion gives its place and velocity") {
  words::ShotMoved moved;
  set_way(std::array{1.0, 2.0, 3.0}, std::array{4.0, 5.0, 6.0}, moved);
  CHECK(moved.ShortDebugString() == "x: 1 y: 2 z: 3 vx: 4 vy: 5 vz: 6");
}

TEST_CASE("a claim that becomes a pose, and a claim again, keeps each field that both have") {
  words::PoseClaim claim;
  const auto& kind = *claim.GetDescriptor();
  for (int i = 0; i < kind.field_count(); ++i) {
    const auto& field = *kind.field(i);
    if (words::Pose::descriptor()->FindFieldByName(field.name()) == nullptr) continue;
    if (field.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_DOUBLE)
      claim.GetReflection()->SetDouble(&claim, &field, i + 1);
    else
      claim.GetReflection()->SetUInt32(&claim, &field, static_cast<std::uint32_t>(i + 1));
  }
  CHECK(claim_of(pose_of(claim)).ShortDebugString() == claim.ShortDebugString());
}

/// Sets the n-th field that is a double; false if there are fewer.
bool set_double(google::protobuf::Message& word, int n, double value, std::string& name) {
  const auto& kind = *word.GetDescriptor();
  for (int i = 0; i < kind.field_count(); ++i) {
    const auto& field = *kind.field(i);
    if (field.cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_DOUBLE || n-- != 0) continue;
    word.GetReflection()->SetDouble(&word, &field, value);
    name = field.name();
    return true;
  }
  return false;
}

/// For each field of each kind of intent that is a double.
template <class... Kinds>
int for_each_double(std::variant<Kinds...>*, double value,
                    const std::function<void(const Intent&, std::string)>& call) {
  int count = 0;
  const auto of_kind = [&](auto word) {
    const auto plain = word;
    std::string name;
    for (int n = 0; set_double(word = plain, n, value, name); ++n, ++count) call(Intent(word), name);
  };
  (of_kind(Kinds()), ...);
  return count;
}

TEST_CASE("an intent with a number that is not finite is recognized, and the field is named") {
  const double large = std::numeric_limits<double>::max(), infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {std::nan(""), infinite, -infinite}) {
    const int all =
        for_each_double(static_cast<IntentKind*>(nullptr), wrong,
                        [](const Intent& intent, const std::string& name) { CHECK(not_finite(intent) == name); });
    CHECK(all > 40);
  }
  for (const double fine : {0.0, large, -large})
    for_each_double(static_cast<IntentKind*>(nullptr), fine,
                    [](const Intent& intent, const std::string&) { CHECK(not_finite(intent) == ""); });
  words::Toward far;
  far.set_x(large);
  far.set_y(large);
  CHECK(not_finite(Intent(far)) == "");
  CHECK(not_finite(Intent(words::Spawn())) == "");
}

}  // namespace
}  // namespace entente::core::claims_test
