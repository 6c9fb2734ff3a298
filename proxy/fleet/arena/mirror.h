// The back of an edge's room: an arena whose owner is another node. It gives the room the owner's facts, and sends the
// owner the intents of the edge's players.
// Invariant: ids are the room's own; the owner's are translated. A missed message is detected by its number, and
// repaired by a snapshot. The room's players stay while there is no owner, and enter again at the next one. Messages of
// the owner are checked, because they come from the network.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/core/arena/referee.h"
#include "proxy/core/id_map.h"
#include "proxy/core/pace.h"
#include "proxy/core/room_member.h"
#include "schema/fleet.pb.h"

namespace entente::fleet {

class Mirror final : public core::Back {
 public:
  /// Describes the client of a seat.
  using Describe = std::function<bus::FromNode::Open(core::Id seat)>;

  static constexpr std::size_t kMostQueued = 64U << 20U;  ///< bytes that wait for a snapshot
  static constexpr std::size_t kMostSnapshot = 96U << 20U;
  static constexpr int kRepeats = 3;                    ///< of a change that the owner may have refused
  static constexpr std::size_t kMessage = 256U << 10U;  ///< a longer message to the owner is split

  /// `run`: the node's (schema/fleet.proto).
  Mirror(std::uint64_t run, Describe describe) : run_(run), describe_(std::move(describe)) {}

  // From the owner; tick() must follow (SharedRoom::order). False: the message is invalid, and was ignored.
  bool hear_facts(Bytes bytes);
  bool hear_private(Bytes bytes);
  /// The owner was silent for too long: requests the world again, and accepts the next sender as the owner. So a forged
  /// message with a high epoch does no lasting harm.
  void lose_owner();
  /// Whether messages to the owner can be sent; true at first. While they cannot, intents are treated as without an
  /// owner. Afterwards the world is requested: the owner has missed something.
  void set_line(bool up);
  /// Tells the players who wait for an owner, also those who come later, once each. When there is one again, they are
  /// told `back`. tick() must follow.
  void tell_away(std::string away, std::string back);

  // To the owner.
  /// Messages (bus::FromNode) that are to be sent. With `always`, there is at least one, and the last one requests the
  /// world if it is missing. No other message does, because the owner answers each request with a snapshot.
  std::vector<std::string> take(bool always);
  /// A message that take() has returned could not be sent. tick() must follow, in some later turn.
  void unsent(const std::string& message);
  /// Intents were lost that tick() has to count.
  bool has_lost() const { return !lost_.empty() || !lost_wishes_.empty(); }
  /// An operator has sent a player a line.
  void announced(core::Id seat, std::string_view text);
  /// A snapshot is needed.
  bool lacks_world() const { return !in_step_; }
  /// Closes seats that no longer exist.
  void close_missing(const std::function<bool(core::Id)>& is_seated);

  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t snapshots() const { return snapshots_; }
  std::uint64_t refused() const { return refused_; }

  // core::Back
  void receive(const Frames&, Outlet&) override {}  // it has no link
  void hear(const core::Intent& intent, Outlet& out) override;
  /// As far as it knows: only the owner knows all.
  bool would_play(const core::Intent& enter, const Outlet& out) const override;
  void tick(Outlet& out) override;

 private:
  /// A wish that the next owner will not be told of.
  struct Wish {
    friend const char* name_of(const Wish& wish) { return wish.name; }
    core::Id by = 0;
    const char* name = nullptr;
    std::uint32_t number = 0;   // Intent::number
    std::uint64_t message = 0;  // the number of the FromNode that has it
    core::Micros at = 0;
  };
  struct Seat {
    bool open = false;                             // the owner was told of it
    bool entered = false;                          // the owner had its Enter when it made the last snapshot
    bool ready = false;                            // it has received Ready
    bool refused = false;                          // the owner has refused its last Enter
    core::Pace entries = core::Referee::kEntries;  // as the owner counts them
    int repeats = 0;                               // of a changed motto or skin, if the owner does not know it
    bool spawns = false;                           // it is in play, or wants to be
    bool told_away = false;                        // it was told that there is no owner
    std::optional<core::Intent> wish = {};         // its Enter, with what it changed since
    // Its last Step, Toward or Keys, unless it moves by claims since; and its last Trigger. In this life.
    std::optional<core::Intent> steers = {}, trigger = {};
    std::vector<Wish> sent = {};              // the last of each kind
    std::vector<const char*> told_lost = {};  // the kinds of wishes of which it was told since the last owner came
  };
  struct Private {
    bus::ToNode message;
    std::size_t bytes = 0;
    bool old = false;  // it was sent before the snapshot
  };
  struct Waiting {
    std::string away, back;  // texts
  };
  struct Public {
    bus::Facts message;
    std::size_t bytes = 0;
  };

  bool is_current(std::uint64_t epoch);
  void begin_anew();
  void lose_step();
  bool take_piece(const bus::ToNode::Piece& piece);
  void advance(Outlet& out);
  void arrive(const bus::Snapshot& snapshot, Outlet& out);
  void take_seats(const bus::Snapshot& snapshot, Outlet& out);
  void recognise(const bus::Snapshot& snapshot, Outlet& out);
  void enter_again(Outlet& out);
  void tell_ready(Outlet& out);
  void apply(const bus::ToNode::Part& part, bool old, Outlet& out);
  void apply(const words::Fact& message, Outlet& out);
  std::optional<core::Fact> translated(const words::Fact& message, Outlet& out);
  core::Id room_id(core::Id owners, Outlet& out);
  void same(core::Id owners, core::Id room, std::set<core::Id>& free);
  void sit(core::Id seat, core::Id player);
  void end_seat(core::Id id, Seat& seat, const std::string& why, Outlet& out);
  void note_lives(const Outlet& out);
  void note(const core::Fact& fact);
  static bool is_kept(const core::Intent& intent, const Outlet& out);
  void tell_waiting(core::Id id, Seat& seat, Outlet& out);
  void lose(const bus::FromNode& message);
  void lose_unheard();
  void note_sent(Seat& seat, const core::Intent& intent, std::uint64_t message, const Outlet& out);
  void tell_lost(const Wish& wish, Outlet& out);
  void remember(Seat& seat, const core::Intent& intent);
  void open(core::Id id, Seat& seat);
  void pass(core::Id seat, const core::Intent& intent, bool again = false);
  void close(core::Id seat, const char* why);
  bus::FromNode::Part& part(core::Id seat);
  void grow(std::size_t bytes);
  void seal(bool asks);

  const std::uint64_t run_;
  const Describe describe_;
  std::uint64_t epoch_ = 0;
  bool in_step_ = false;     // the world is the owner's, up to last_
  bool told_ = false;        // the room has had a world
  bool new_owner_ = false;   // which does not know the seats yet
  bool lost_owner_ = false;  // no owner has sent anything since
  bool line_up_ = true;
  std::optional<Waiting> waiting_;             // players are told of a missing owner
  std::vector<core::Intent> lost_;             // were not sent, and are not counted yet
  std::vector<Wish> lost_wishes_;              // the last owner has perhaps not heard them; they are not counted yet
  bool speaks_ = false;                        // the owner has sent something since the last tick
  core::Micros spoke_at_ = 0;                  // the time of the first tick after that
  std::uint64_t heard_ = 0;                    // the owner has received our messages up to this number
  std::vector<core::Id> entered_;              // seats that must receive Ready
  std::uint64_t last_ = 0, next_private_ = 0;  // numbers; next_private_ 0: any
  std::deque<Public> facts_;
  std::deque<Private> private_;
  std::size_t queued_ = 0;  // bytes of both
  std::string pieces_;
  std::uint32_t next_piece_ = 0;
  std::optional<bus::Snapshot> snapshot_;
  core::IdMap<core::Id> ids_;  // the owner's to the room's
  std::uint64_t ids_epoch_ = 0;
  std::map<core::Id, Seat> seats_;
  bus::FromNode message_;
  std::size_t message_bytes_ = 0;
  std::vector<std::string> sealed_;
  std::uint64_t number_ = 0, snapshots_ = 0, refused_ = 0;
};

}  // namespace entente::fleet
