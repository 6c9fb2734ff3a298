#include "proxy/core/gameplay/claims.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cmath>

namespace entente::core {
namespace {

/// Finite only if all six values are.
template <class Word>
double sum_of_way(const Word& word) {
  return word.x() + word.y() + word.z() + word.vx() + word.vy() + word.vz();
}

/// True: all its numbers are finite. False: perhaps not. A sum is looked at sooner than each number.
bool has_finite_sums(const Intent& intent) {
  return std::visit(
      Overloaded{
          [](const words::Watch& word) { return std::isfinite(word.x() + word.y()); },
          [](const words::Step& word) { return std::isfinite(word.x() + word.y()); },
          [](const words::Toward& word) { return std::isfinite(word.x() + word.y()); },
          [](const words::Keys& word) { return std::isfinite(word.yaw() + word.pitch()); },
          [](const words::PoseClaim& word) {
            return std::isfinite(sum_of_way(word) + word.yaw() + word.pitch() + word.yaw_rate() + word.sent_at());
          },
          [](const words::Fire& word) { return std::isfinite(sum_of_way(word) + word.life() + word.range()); },
          [](const words::ShotMoveClaim& word) { return std::isfinite(sum_of_way(word)); },
          [](const words::TokenWish& word) { return std::isfinite(word.x() + word.y() + word.z()); },
          [](const words::Edit& word) {
            return std::isfinite(word.x() + word.y() + word.z() + word.x2() + word.y2() + word.z2());
          },
          [](const words::Playback& word) { return std::isfinite(word.by_s() + word.speed()); },
          [](const auto&) { return true; },
      },
      intent.content);
}

std::string field_not_finite(const google::protobuf::Message& word) {
  const google::protobuf::Descriptor& kind = *word.GetDescriptor();
  for (int i = 0; i < kind.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *kind.field(i);
    if (field.cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_DOUBLE &&
        !std::isfinite(word.GetReflection()->GetDouble(word, &field)))
      return field.name();
  }
  return "";
}

}  // namespace

words::Pose pose_of(const words::PoseClaim& claim) {
  words::Pose pose;
  pose.set_unit(claim.unit());
  pose.set_x(claim.x());
  pose.set_y(claim.y());
  pose.set_z(claim.z());
  pose.set_vx(claim.vx());
  pose.set_vy(claim.vy());
  pose.set_vz(claim.vz());
  pose.set_yaw(claim.yaw());
  pose.set_pitch(claim.pitch());
  pose.set_yaw_rate(claim.yaw_rate());
  pose.set_state(claim.state());
  pose.set_seq(claim.seq());
  return pose;
}

words::PoseClaim claim_of(const words::Pose& pose) {
  words::PoseClaim claim;
  claim.set_unit(pose.unit());
  claim.set_x(pose.x());
  claim.set_y(pose.y());
  claim.set_z(pose.z());
  claim.set_vx(pose.vx());
  claim.set_vy(pose.vy());
  claim.set_vz(pose.vz());
  claim.set_yaw(pose.yaw());
  claim.set_pitch(pose.pitch());
  claim.set_yaw_rate(pose.yaw_rate());
  claim.set_state(pose.state());
  claim.set_seq(pose.seq());
  return claim;
}

std::string not_finite(const Intent& intent) {
  if (has_finite_sums(intent)) return "";
  return std::visit([](const auto& word) { return field_not_finite(word); }, intent.content);
}

}  // namespace entente::core
