// What a member of a room calls, for tests of its parts without a room: the clock stands still, and nobody hears what
// is said. Tests that need more override it.
#pragma once

#include "proxy/core/room_member.h"
#include "proxy/core/world.h"

namespace entente::testing {

template <class Word>
class DeafOut : public core::Out<Word> {
 public:
  void send(Lane, Bytes) override {}
  std::size_t waiting_bytes() const override { return 0; }
  void close(std::string_view, std::uint32_t) override {}
  void fail(const Fault&) override {}
  void say(Word) override {}
  void wake(core::Micros) override {}
  void count_drop(const MappingLine&, const char*) override {}
  core::Micros now() const override { return time; }
  std::uint32_t random() override { return 0; }
  core::Id new_id() override { return ++last_id_; }
  core::Id me() const override { return 1; }
  const core::WorldState& world() const override { return world_; }

  core::Micros time = 0;

 private:
  core::Id last_id_ = 1;
  core::WorldState world_;
};

using DeafBackOut = DeafOut<core::Fact>;
using DeafFrontOut = DeafOut<core::Intent>;

}  // namespace entente::testing
