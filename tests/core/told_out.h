// What a part of a room member does, as lines of text, for tests of the part without a room:
//   says Pose unit: 7 x: 1       loses Fire: why       closes: why       fails: what       waits for the server: why
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "tests/core/deaf_out.h"

namespace entente::testing {

template <class Word>
class ToldOut : public DeafOut<Word> {
 public:
  void close(std::string_view why, std::uint32_t) override { line("closes: " + std::string(why)); }
  void fail(const Fault& fault) override { line(std::string("fails: ") + fault.what); }
  void say(Word word) override {
    std::string what = std::string("says ") + core::name_of(word) + " " + core::message_in(word).ShortDebugString();
    while (what.back() == ' ') what.pop_back();
    if constexpr (std::is_same_v<Word, core::Fact>)
      if (word.audience == words::PLAYER) what += " (to " + std::to_string(word.to) + ")";
    line(what);
  }
  void wake(core::Micros at) override { asked = std::min(asked, at); }
  void count_drop(const MappingLine& lost, const char* word) override {
    line("loses " + subject(lost, word) + ": " + lost.reason);
  }
  bool report_server_stopping(std::string_view why) override {
    if (holds) line("waits for the server: " + std::string(why));
    return holds;
  }
  const core::WorldState& world() const override { return known; }

  void knows(core::Fact fact) {
    fact.at = this->time;
    known.fold(fact);
  }
  void line(const std::string& what) { told += what + "\n"; }
  std::string take() { return std::exchange(told, {}); }

  static constexpr core::Micros kNever = ~core::Micros{0};
  core::Micros asked = kNever;  // the earliest tick that it has asked for
  bool holds = false;           // the room lets players wait for the next server
  std::string told;
  core::WorldState known;
};

using ToldBackOut = ToldOut<core::Fact>;
using ToldFrontOut = ToldOut<core::Intent>;

}  // namespace entente::testing
