// Panic as the program sees it. The real programs leave little choice: the server treats every read as one whole Action
// over its last buffer, the client calls recv once per message part, and each extra connection takes a player's place.
#include "adapters/panic/panic.h"

#include "adapters/panic/wire/dialect.h"
#include "adapters/panic/wire/messages.h"
#include "adapters/panic/wire/wire.h"

namespace entente::panic {
namespace {

using wire::Detected;

class PanicCutter final : public wire::Cutter {
 public:
  PanicCutter(wire::Way way, std::size_t dialect) : way_(way), dialect_(dialect) {}
  wire::Cut next(Bytes bytes) override { return cut(way_, dialect_, bytes); }

 private:
  wire::Way way_;
  std::size_t dialect_;
};

/// Whether `said`, the first bytes of a server, fit `dialect`: Game State, Update Ammo without a piece, then a Create.
Detected::State speaks(std::size_t dialect, Bytes said) {
  if (said.empty()) return Detected::State::kNeedMore;
  if (said[0] != kGameState) return Detected::State::kUnknown;
  const std::size_t state = cut(wire::Way::kToClient, dialect, said).size;
  if (state == 0) return Detected::State::kNeedMore;
  const Bytes ammo = said.subspan(state);
  if (ammo.empty()) return Detected::State::kNeedMore;
  if (ammo[0] != kUpdateAmmo) return Detected::State::kUnknown;
  const std::size_t size = cut(wire::Way::kToClient, dialect, ammo).size;
  if (size == 0 || ammo.size() == size) return Detected::State::kNeedMore;
  const bool nobody = (ammo[size - 4] | ammo[size - 3] | ammo[size - 2] | ammo[size - 1]) == 0;
  const bool piece = ammo[size] >= kFirstPiece && ammo[size] < kFirstEvent;
  return nobody && piece ? Detected::State::kFound : Detected::State::kUnknown;
}

class PanicGame final : public wire::Game {
 public:
  std::string_view name() const override { return kGameName; }
  std::string_view about() const override { return "Tank Commander Panic, protocol version 2"; }
  std::uint16_t default_port() const override { return 4410; }
  wire::Transport transport() const override { return wire::Transport::kTcp; }
  bool has_chat() const override { return false; }
  std::span<const wire::DialectInfo> dialects() const override { return kDialectInfos; }

  std::unique_ptr<wire::Codec> codec(std::size_t dialect) const override { return make_codec(dialect); }
  std::unique_ptr<wire::Cutter> cutter(wire::Way way, std::size_t dialect) const override {
    return std::make_unique<PanicCutter>(way, dialect);
  }
  std::size_t largest_frame() const override { return kLargestFrame; }

  bool requires_one_write(wire::Way, wire::Stage) const override { return true; }
  wire::Probe probe() const override { return wire::Probe::kFirstSession; }

  /// Certain only when exactly one dialect fits and no other still could.
  Detected detect(Bytes said) const override {
    Detected found{Detected::State::kUnknown, 0};
    for (std::size_t i = 0; i < kDialects.size(); ++i) {
      const auto state = speaks(i, said);
      if (state == Detected::State::kNeedMore) return {};
      if (state != Detected::State::kFound) continue;
      if (found.state == Detected::State::kFound) return {Detected::State::kUnknown, 0};
      found = {state, i};
    }
    return found;
  }
};

}  // namespace

const wire::Game& game() {
  static const PanicGame kGame;
  return kGame;
}

}  // namespace entente::panic
