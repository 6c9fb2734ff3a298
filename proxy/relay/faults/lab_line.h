// One direction of a session in the lab. What comes is put in; what the plan leaves of it goes out, now or later.
// A unit is what faults happen to: a frame of a stream over TCP, a message of a WebSocket, a packet of ENet, a
// datagram. Invariant: what waits is bounded by `most_waiting` (of streams and messages: beyond it, waits_too_much()
// asks for their peer to be left unread; of packets and datagrams: more are dropped, and counted). Only datagrams
// overtake each other, and packets where the plan says so. Without a plan, everything passes as it comes, after what
// still waits.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/wire/enet.h"
#include "adapters/wire/game.h"
#include "proxy/net/loop.h"
#include "proxy/relay/base/counters.h"
#include "proxy/relay/base/lab_fault.h"
#include "proxy/relay/base/link_info.h"
#include "proxy/relay/faults/lab_dice.h"
#include "proxy/relay/faults/lab_plan.h"
#include "proxy/relay/faults/lab_reader.h"

namespace entente::relay {

/// What the lab passes on.
struct LabUnit {
  Bytes bytes;             ///< valid only during the call
  std::uint32_t tag = 0;   ///< of what was put in; of a stream, the number of whole frames
  std::uint64_t held = 0;  ///< nanoseconds since it came
  bool made = false;       ///< it did not come so: a second copy, or something that was changed
  bool inserted = false;   ///< an operator's text, which the server did not send
  bool part = false;       ///< of what is put in: as `is_part` of LabLine::put()
};

/// How a packet of ENet travels, as the tag of its unit.
inline std::uint32_t lab_tag(const wire::EnetCarriage& how) {
  return std::uint32_t{how.channel} << 8U | static_cast<std::uint32_t>(how.send);
}
inline wire::EnetCarriage lab_carriage(std::uint32_t tag) {
  return {static_cast<std::uint8_t>(tag >> 8U), static_cast<wire::EnetDelivery>(tag & 0xffU)};
}

class LabLine final : private net::Alarm::User {
 public:
  /// What the units are.
  enum class Of : std::uint8_t {
    kStream,     ///< frames over TCP: a frame that is lost comes again later, and what follows waits for it
    kMessages,   ///< of a WebSocket: likewise
    kPackets,    ///< of ENet, above its reliability: even a reliable one is gone if it is lost
    kDatagrams,  ///< they may overtake each other
  };

  class User {
   public:
    virtual ~User() = default;
    /// Passes this on. May end the session, but not destroy the line.
    virtual void lab_passes(LabLine& line, const LabUnit& unit) = 0;
    /// This came, and is not passed on; or something else is passed on instead (`altered`).
    virtual void lab_keeps(LabLine& line, Bytes unit, std::uint32_t tag, bool altered) = 0;
    /// The plan resets the session's connections now. What came this way was kept. Not called for packets and
    /// datagrams.
    virtual void lab_resets(LabLine&) {}
    /// Less waits than before.
    virtual void lab_has_room(LabLine&) {}
    /// Nothing waits any more. Called once for each end_after().
    virtual void lab_has_ended(LabLine&) {}
  };

  /// Decides what may enter at all: the rules of an operator, who may drop messages.
  class Judge {
   public:
    virtual ~Judge() = default;
    /// The others: as in put(); of a part, `tag` is 0. False: it is kept back. May end the session.
    virtual bool lets(Of of, wire::Way way, Bytes unit, std::uint32_t tag, wire::Stage stage) = 0;
  };

  /// What a session counts, and what its route counts.
  struct Counted {
    LabCountsOf<std::uint64_t>& session;
    LabCountsOf<Count>& route;
  };

  /// `info`: of its session, whose dialect may become known later. `session`: LabReport::number. `most_waiting`: bytes
  /// of memory. `user`, `info` and what `counted` refers to outlive it. What waits passes in the turns of the client.
  LabLine(net::Loop& loop, User& user, Of of, wire::Way way, const LinkInfo& info, std::uint64_t session,
          Counted counted, std::size_t most_waiting);

  /// From now on, units must pass `judge`, which outlives this. Null: none.
  void judge_by(Judge* judge) { judge_ = judge; }
  /// `on`: what is put in from now on is an operator's text.
  void set_inserting(bool on) { inserting_ = on; }
  /// From now on, this lab. Units are counted anew. What waits passes when it is due.
  void follow(const RunningLab& lab);

  /// Takes one unit. May call the user. `tag`: of packets, a lab_tag(); of messages, their opcode; of a stream, how
  /// many frames end with it. `stage`: of a stream. `is_part`: of a stream: it is not one whole frame. It means nothing
  /// to the plan, and passes after all that waits.
  void put(Bytes unit, std::uint32_t tag, wire::Stage stage = wire::Stage::kPlay, bool is_part = false);
  /// Calls lab_has_ended() when what waits now has passed. False: nothing waits.
  bool end_after();
  /// Passes on at once what waits, whatever the plan says.
  void flush();
  /// Forgets what waits. The user keeps it, frame by frame, unless a piece of it has passed.
  void clear();

  wire::Way way() const { return way_; }
  bool empty() const { return waiting_.empty(); }
  /// Memory of what waits, in bytes.
  std::size_t waiting() const { return bytes_; }
  bool waits_too_much() const { return bytes_ > most_waiting_; }

 private:
  /// Nanoseconds, as Loop::nanos(), and a number that keeps the order of what is due at the same time.
  using Due = std::pair<std::uint64_t, std::uint64_t>;
  struct Waiting {
    std::size_t weight() const { return bytes.size() + kOverhead + starts.size() * sizeof starts.front(); }

    Buffer bytes;
    std::vector<std::uint32_t> starts = {};  // of the frames after the first: offsets in `bytes`
    std::uint32_t tag = 0;
    std::uint64_t unit = 0, came = 0;
    bool made = false, inserted = false, part = false;
    std::uint32_t slice_least = 0, slice_most = 0;  // as in LabRules
    std::size_t passed = 0;                         // bytes
  };
  static constexpr std::size_t kOverhead = 128;          // memory of what waits, beside its bytes
  static constexpr std::size_t kMostMerged = 16 * 1024;  // bytes of a stream that wait as one

  void rang() override { run(true); }
  const LabRules& rules(std::uint64_t now);
  void put_untouched(const LabUnit& unit);
  bool is_lossy() const { return of_ == Of::kPackets || of_ == Of::kDatagrams; }
  void count(LabFault fault);
  bool hits(LabShare share, LabFault fault) const { return dice_.hits(share, unit_, fault); }
  std::uint64_t due(const LabUnit& unit, const LabRules& rules, std::uint64_t now, bool lost);
  std::uint64_t after_what_waits(std::uint64_t at);
  LabReader& reader();
  void read(Bytes unit, std::uint32_t tag, wire::Stage stage, const LabRules& rules, std::uint64_t now);
  bool read_frame(const wire::Frame& frame, std::uint32_t tag, const LabRules& rules, std::uint64_t now);
  void take(const LabUnit& unit, Millis hold, const LabRules& rules, std::uint64_t now);
  void lose(Bytes unit, std::uint32_t tag, LabFault fault);
  void add(std::uint64_t at, const LabUnit& unit, const LabRules& rules, std::uint64_t now, bool held_back = false);
  bool merge(std::uint64_t at, const LabUnit& unit, const LabRules& rules, std::uint64_t now);
  void park(std::uint64_t at, const LabUnit& unit, const LabRules& rules, std::uint64_t now);
  void unpark(std::uint64_t at);
  void run(bool in_job);
  void pass_first(std::uint64_t now, bool whole);
  void keep(const Waiting& gone);
  void set_alarm(std::uint64_t now);
  void tell_ends();

  net::Loop& loop_;
  User& user_;
  const Of of_;
  const wire::Way way_;
  const LinkInfo& info_;
  const std::uint64_t session_;
  const Counted counted_;
  const std::size_t most_waiting_;
  net::Alarm alarm_;
  Judge* judge_ = nullptr;
  bool inserting_ = false;  // what is put in is an operator's text

  RunningLab lab_;
  std::unique_ptr<LabReader> reader_;  // made when it is needed
  Buffer rest_;                        // of a unit that is read: what is left of it
  std::vector<Buffer> copies_;         // of its frames, to be passed on after it
  std::size_t frames_read_ = 0;        // of the unit
  LabDice dice_{0, 0, wire::Way::kToServer, wire::Lane::kStream};
  std::size_t phase_ = 0;   // of the plan
  std::uint64_t unit_ = 0;  // the number of the last one
  std::uint64_t added_ = 0;
  std::map<Due, Waiting> waiting_;
  std::size_t bytes_ = 0;            // of memory
  std::optional<Due> last_;          // of a stream: what was added last, apart from what is held back
  std::optional<Due> parked_;        // what the next unit overtakes
  std::uint64_t parked_due_ = 0;     // when it would have been due
  std::uint64_t free_at_ = 0;        // ns: when what came before has passed at the plan's rate
  std::uint64_t stalled_until_ = 0;  // ns
  std::uint64_t last_due_ = 0;       // ns: of what may not be overtaken
  std::uint64_t next_piece_at_ = 0;  // ns
  std::size_t ends_ = 0;             // so often, lab_has_ended() is to be called
};

}  // namespace entente::relay
