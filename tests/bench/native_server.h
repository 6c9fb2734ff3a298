// A server of the native vocabulary, as far as a bridge in front of it needs one to be measured: it lets a player in,
// among many tanks, and answers each pose that it claims by one tank's.
// Law: it answers each claim at once, with one pose that has the claim's number.
#pragma once

#include "proxy/base/bytes.h"
#include "proxy/core/word.h"

namespace entente::bench {

class NativeServer {
 public:
  /// Tanks besides the player's own. Each is told of once in so many claims: no front may find that too often.
  static constexpr std::uint32_t kTanks = 60;

  /// What a server says first.
  void greet(Buffer& out);
  /// Takes whole and broken frames of a native client, and appends what it answers.
  void receive(Bytes bytes, Buffer& out);
  /// One tank's pose, without having been asked.
  void say_pose(std::uint32_t number, Buffer& out);

  std::uint64_t claims() const { return claims_; }

 private:
  void answer(const words::Intent& intent, Buffer& out);
  /// Everything, once: the player is as good as in.
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
