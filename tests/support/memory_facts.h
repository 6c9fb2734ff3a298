// A FactReader in memory, for tests. Invariant: as for every FactReader (proxy/core/replay/fact_reader.h). It seeks by
// folding from the beginning, so tests compare other readers with it.
#pragma once

#include <vector>

#include "proxy/core/replay/fact_reader.h"

namespace entente::testing {

class MemoryFacts final : public core::FactReader {
 public:
  /// `facts`: in the order of their times.
  explicit MemoryFacts(std::vector<core::Fact> facts) : facts_(std::move(facts)) {}

  core::Micros end_time() const override { return facts_.empty() ? 0 : facts_.back().at; }
  std::optional<core::Micros> next_at() override {
    return next_ < facts_.size() ? std::optional(facts_[next_].at) : std::nullopt;
  }
  core::Fact next() override { return facts_[next_++]; }
  Outcome<Done> seek(core::Micros at, core::WorldState& world) override {
    ++seeks_;
    if (at >= broken_from_) return Error{"the tape is torn"};
    world = core::WorldState();
    in_second_ = at >= second_;
    for (next_ = 0; next_ < facts_.size() && facts_[next_].at <= at; ++next_)
      if (!in_second_ || !anew_ || facts_[next_].at >= second_) world.fold(facts_[next_]);
    return Done{};
  }
  bool next_is_other_session() const override {
    return next_ < facts_.size() && facts_[next_].at >= second_ && !in_second_;
  }

  std::vector<core::Moment> moments() const override {
    std::vector<core::Moment> all;
    for (const core::Fact& fact : facts_)
      if (const auto* died = core::as<words::Died>(fact))
        all.push_back({fact.at, words::Timeline::KILL, died->player(), died->killer()});
    return all;
  }

  void tear(core::Micros at) { broken_from_ = at; }
  /// The facts from there on are of a second session. `anew`: they tell its whole world.
  void begin_second(core::Micros at, bool anew = false) { second_ = at, anew_ = anew; }
  /// How often it was told to seek.
  std::size_t seeks() const { return seeks_; }

 private:
  std::vector<core::Fact> facts_;
  std::size_t next_ = 0, seeks_ = 0;
  core::Micros broken_from_ = ~core::Micros{0}, second_ = ~core::Micros{0};
  bool in_second_ = false, anew_ = false;
};

}  // namespace entente::testing
