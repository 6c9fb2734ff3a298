// A back of Panic on a test stage.
#pragma once

#include <map>
#include <string>

#include "adapters/panic/panic.h"
#include "tests/panic/lines.h"
#include "tests/support/stage.h"

namespace entente::panic {

/// A back, and the server that it plays on.
struct BackPlay {
  explicit BackPlay(std::size_t dialect = 0, std::map<std::string, std::string, std::less<>> settings = {})
      : lines(dialect), stage(faces().back({dialect, std::move(settings)}), game(), dialect, wire::Way::kToServer) {}

  std::string receives(const Buffer& bytes) {
    return unpadded(slowly ? stage.receives_slowly(bytes) : stage.receives(bytes));
  }
  template <class Word>
  std::string hears(const char* text) {
    return unpadded(stage.hears(word_of<Word>(text)));
  }
  /// Points with the mouse. The back follows it only after all other intents of the same update.
  std::string points(const char* text) {
    const std::string said = hears<words::Toward>(text);
    return said + unpadded(stage.waits(0));
  }

  /// Two own tanks at (1,4) and (1,5), one of blue's at (5,4).
  Buffer greeting() const {
    return joined({lines.state(1, {1, 2}), lines.event(kUpdateAmmo, 0, 100, 0), lines.create(16, 50, 1, 1, 4),
                   lines.create(20, 50, 4, 5, 4), lines.create(17, 30, 2, 1, 5), lines.event(kGameStart, 0, 0, 0)});
  }
  /// Joins and spawns. The units 102 and 103 are the player's, 104 is blue's.
  void start() {
    stage.opens();
    hears<words::Enter>("name: 'anna'");
    hears<words::Spawn>("");
    receives(greeting());
  }

  Lines lines;
  testing::BackStage stage;
  bool slowly = false;
};

}  // namespace entente::panic
