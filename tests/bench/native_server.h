// A minimal native server for measuring a bridge in front of it: it admits a player among many tanks, and answers each
// pose claim with the pose of one tank.
// Invariant: it answers each claim at once, with one pose that has the claim's number.
#pragma once

#include "proxy/base/bytes.h"
#include "proxy/core/word.h"

namespace entente::bench {

class NativeServer {
 public:
  /// Tanks besides the player's own. Each has one pose in so many claims, few enough that no front drops any.
  static constexpr std::uint32_t kTanks = 60;

  /// The server's first bytes.
  void greet(Buffer& out);
  /// Reads whole and partial frames of a native client, and appends the answers.
  void receive(Bytes bytes, Buffer& out);
  /// One tank's pose, without a claim.
  void say_pose(std::uint32_t number, Buffer& out);

  std::uint64_t claims() const { return claims_; }

 private:
  void answer(const words::Intent& intent, Buffer& out);
  /// Sends the whole state once; the player is then in play.
  void tell(Buffer& out);
  template <class Kind>
  void say(const Kind& kind, Buffer& out);

  Buffer heard_;
  words::Intent intent_;
  words::Fact fact_;
  core::Fact pose_{words::Pose()};
  std::uint32_t next_tank_ = 0;
  bool told_ = false;
  std::uint64_t claims_ = 0;
};

/// Appends a word as a frame of the native game's `protobuf` dialect by TCP.
void write_native(const google::protobuf::Message& word, Buffer& out);

}  // namespace entente::bench
