// What the lab of a route does on purpose to what passes, as an operator writes it (`--lab`, the key `lab` of a route,
// `entente ctl lab`):
//
//   to_server: loss=2%, delay=80ms±20ms, dup=1%, reorder=3%, rate=64kbit; seed=7
//
//   spec   = clause *( ";" clause )                      a line end is as good as ";"; "#" begins a comment
//   clause = [ way ":" ] fault *( "," fault )
//          | "at" time [ way ":" ] fault *( "," fault ) [ "for" time ]    from then on, or for so long
//          | "seed=" number                              0 to 18446744073709551615; without it: 1
//          | "above" | "below"                           of ENet: what the route's mode must be
//   way    = "to_server" | "to_client"                   without it: both
//   fault  = "loss=" share | "dup=" share | "reorder=" share | "reset=" share
//          | "delay=" time [ ( "±" | "+-" ) time ]
//          | "stall=" share ":" time
//          | "rate=" decimal ( "bit" | "kbit" | "Mbit" | "Gbit" )           a second
//          | "slice=" number [ "-" number ]              bytes
//          | "drop" name [ share ] | "duplicate" name [ share ] | "delay" name time [ share ]
//          | "corrupt" [ "one" "field" "of" ] name [ share ]                without a share: 100%
//          | "cut" "the" "server"                        only after "at"
//   share  = decimal "%"                                 0 to 100, to a ten-thousandth
//   time   = decimal ( "ms" | "s" | "min" )
//
// A fault that is given for one way replaces the same fault that is given for both. A clause with "at" replaces the
// same faults for as long as it lasts; the last of several counts. Faults of messages are the same if they do the same
// to the same messages. Blanks may stand between all of these.
// Invariant: a plan does not change once it is made. Its errors name the offset, in bytes from the beginning of the
// text.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/wire/game.h"
#include "proxy/base/fault.h"
#include "proxy/base/time.h"

namespace entente::relay {

/// A chance, in millionths.
using LabShare = std::uint32_t;
inline constexpr LabShare kLabAlways = 1'000'000;

/// What is done to messages for what they say.
struct LabSaid {
  enum class Does : std::uint8_t { kDrop, kHold, kDuplicate, kCorrupt };

  Does does = Does::kDrop;
  std::string name = {};                   ///< as it was written
  std::vector<std::string> messages = {};  ///< the messages of the game that it stands for (wire::Row::name)
  LabShare share = kLabAlways;
  Millis hold = 0;  ///< of kHold
};

/// What is done to one direction. 0: nothing.
struct LabRules {
  LabShare loss = 0, dup = 0, reorder = 0, reset = 0, stall = 0;
  Millis stall_for = 0;
  Millis delay = 0, jitter = 0;                   ///< `jitter` is at most `delay`
  std::uint64_t rate = 0;                         ///< bits a second
  std::uint32_t slice_least = 0, slice_most = 0;  ///< bytes
  bool cut = false;                               ///< nothing passes
  std::vector<LabSaid> said = {};
};

class LabPlan {
 public:
  static constexpr std::size_t kLongestSpec = 16 * 1024;  // bytes
  static constexpr std::size_t kMostSaid = 64;            // rules about messages, and as many clauses with "at"
  static constexpr Millis kLongestWait = 60'000;          // of what is delayed or stalls

  /// A part of the time since the lab was put on.
  struct Phase {
    Millis from = 0;
    std::array<LabRules, 2> ways = {};  ///< to the server, to the client
    const LabRules& rules(wire::Way way) const { return ways[way == wire::Way::kToClient]; }
  };

  /// The messages that a name stands for: the name of a message, or of a word. An error: there is none, and which names
  /// are near.
  using Names = std::function<Outcome<std::vector<std::string>>(std::string_view name)>;

  /// The text must not be empty. `names`: null if messages cannot be named.
  static Outcome<LabPlan> parse(std::string_view text, const Names& names);

  /// Why the plan cannot be carried out for this transport. `datagrams`: ENet's datagrams pass, not its packets.
  std::optional<Error> objection(wire::Transport transport, bool datagrams) const;

  /// What of it does nothing over this transport, and why: "dup does nothing over TCP, …"; "": all has an effect.
  std::string without_effect(wire::Transport transport) const;

  /// As it was written, in one line and without comments.
  const std::string& text() const { return text_; }
  std::uint64_t seed() const { return seed_; }
  /// The first begins at 0; they are ordered by time.
  const std::vector<Phase>& phases() const { return phases_; }
  /// Whether messages are told apart.
  bool reads() const { return reads_; }

 private:
  friend class LabParser;
  enum class Layer : std::uint8_t { kAny, kAbove, kBelow };

  std::string text_;
  std::uint64_t seed_ = 1;
  std::vector<Phase> phases_;
  Layer layer_ = Layer::kAny;
  bool reads_ = false;
};

/// The lab of a route, as it is now.
struct RunningLab {
  explicit operator bool() const { return plan != nullptr; }

  std::shared_ptr<const LabPlan> plan;  ///< null: there is none
  Millis since = 0;                     ///< when it was put on
};

}  // namespace entente::relay
