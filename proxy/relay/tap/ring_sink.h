// A worker's side of the tap: writes what the worker reports into a ring.
// Invariant: a call never waits and, in steady state, neither allocates nor makes system calls. What does not fit is
// counted, and reported as a gap once there is space. Some space is reserved for openings and closings. What is large,
// such as a world, lies beside the ring; the same bytes that are told to several links one after another lie there
// once.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "proxy/net/waker.h"
#include "proxy/relay/base/counters.h"
#include "proxy/relay/tap/ring.h"
#include "proxy/relay/tap/ring_shares.h"
#include "proxy/relay/tap/tap_sink.h"

namespace entente::relay {

/// A value that lies in an entry's bytes.
template <class T>
T from_raw(Bytes bytes) {
  T value;
  constexpr std::size_t kSize = sizeof(T);  // NOLINT(bugprone-sizeof-expression): it may be a pointer
  assert(bytes.size() == kSize);
  std::memcpy(static_cast<void*>(&value), bytes.data(), kSize);
  return value;
}

/// What rooms ask before they tell words. Written by the tap's thread, read by any.
struct WordsWanted {
  std::atomic<bool> wanted{false};
  std::atomic<std::uint32_t> recording_generation{0};  ///< TapSink::recording_generation()
};

/// Bytes of one direction of one link that were dropped.
struct Gap {
  LinkId link = 0;  ///< 0: of some links of this worker, too many to say which
  wire::Way way = wire::Way::kToServer;
  wire::Lane lane = wire::Lane::kStream;
  std::uint64_t bytes = 0;
};

/// As TapSink::lab().
struct LabNote {
  TapSink::LabMark mark = TapSink::LabMark::kPassed;
  std::uint64_t held = 0;  ///< ns
};

/// Words and worlds that were dropped.
struct WordGap {
  LinkId link = 0;  ///< 0: of several links
  std::uint64_t words = 0, bytes = 0;
};

class RingSink final : public TapSink {
 public:
  /// The kind of a Ring::Entry, and what its bytes are.
  enum Kind : std::uint8_t {
    kOpened,    ///< a LinkInfo
    kBytes,     ///< what was passed on
    kPacket,    ///< a packet of ENet; the header's lane is its EnetDelivery
    kClosed,    ///< the reason
    kGap,       ///< a Gap
    kIntent,    ///< a word, as a message of schema/game.proto
    kFact,      ///< likewise
    kNote,      ///< a sentence
    kWorld,     ///< a Snapshot, as a message of schema/snapshot.proto
    kGeometry,  ///< a Geometry, likewise
    kWordGap,   ///< a WordGap
    kCalls,     ///< as a message of schema/trace.proto
    kPlays,     ///< nothing
    kLabNote,   ///< a LabNote about the next kBytes or kPacket of the link
  };

  /// Larger entries lie beside the ring: at most this many bytes of them.
  static constexpr std::size_t kLarge = 128U << 10U, kMostBeside = 128U << 20U;
  /// Gaps that are not written yet, beside 4 for each open link (2 ways, 2 lanes). Of more, it is not told which links
  /// they are of.
  static constexpr std::size_t kMostGaps = 1024;

  /// The bytes of an entry that lie beside the ring.
  class LargeBytes {
   public:
    /// Gives the entry, the ring's oldest, its bytes, which are valid as long as this object.
    explicit LargeBytes(Ring::Entry& entry);

   private:
    friend class RingSink;
    using Shared = std::shared_ptr<const Buffer>;
    static constexpr std::uint8_t kFlag = 0x80;  // in the kind of an entry whose bytes are the address of a Shared
    std::unique_ptr<const Shared> bytes_;
  };

  /// `wanted` outlives the sink. Null: the sink never wants words.
  RingSink(std::size_t ring_bytes, net::Waker& waker, const WordsWanted* wanted = nullptr);
  ~RingSink() override;

  void opened(const LinkInfo& info, WallTime at) override;
  void plays(LinkId link, WallTime at) override;
  void bytes(LinkId link, wire::Way way, wire::Lane lane, Bytes bytes, WallTime at) override;
  void packet(LinkId link, wire::Way way, wire::EnetCarriage how, Bytes bytes, WallTime at) override;
  void lab(LinkId link, LabMark mark, std::uint64_t held, WallTime at) override;
  void closed(LinkId link, std::string_view reason, WallTime at) override;
  bool wants_words() const override {
    return wanted_ != nullptr && !deaf() && wanted_->wanted.load(std::memory_order_relaxed);
  }
  std::uint32_t recording_generation() const override {
    return wanted_ != nullptr ? wanted_->recording_generation.load(std::memory_order_relaxed) : 0;
  }
  void word(LinkId link, bool fact, Bytes word, WallTime at) override;
  void calls(LinkId link, Bytes calls, WallTime at) override;
  void world(LinkId link, Bytes world, WallTime at) override;
  bool geometry(LinkId link, Bytes geometry, WallTime at) override;
  void note(LinkId link, std::string_view text, WallTime at) override;

  /// From now on, the calls of the worker do nothing. From any thread; a call may be under way.
  void deafen() { deaf_.store(true, std::memory_order_relaxed); }
  /// Frees the ring. REQUIRES: the ring is empty, and the worker has seen deafen().
  void free_ring() { ring_.free(); }

  /// Writes pending gaps and closings, which the other calls do, too. False if there is not enough space yet.
  bool write_pending(WallTime at) { return !owing_ || write_owed(at); }

  Ring& ring() { return ring_; }
  const Count& dropped() const { return dropped_; }  ///< dropped calls, apart from closed()
  const Count& dropped_bytes() const { return dropped_bytes_; }

 private:
  bool deaf() const { return deaf_.load(std::memory_order_relaxed); }
  bool write_owed(WallTime at);
  bool write_gaps_of(LinkId link, WallTime at, std::size_t spare);
  bool write_word_gap(WallTime at, std::size_t spare);
  bool put(const Ring::EntryHeader& header, Bytes bytes);
  bool put_beside(Ring::EntryHeader header, Bytes bytes);
  void push(const Ring::EntryHeader& header, wire::Lane lane, Bytes bytes);
  void miss(LinkId link, wire::Way way, wire::Lane lane, std::size_t bytes);
  bool push_word(const Ring::EntryHeader& header, Bytes word);
  bool may_put(LinkId link, std::size_t bytes);

  Ring ring_;
  net::Waker& waker_;
  const WordsWanted* const wanted_;
  const std::size_t spare_;  // what bytes() leaves free for the others
  RingShares shares_;
  std::size_t open_ = 0;

  std::atomic<std::size_t> beside_bytes_{0};  // that lie beside the ring
  std::weak_ptr<const Buffer> last_beside_;

  std::atomic<bool> deaf_{false};
  bool owing_ = false;  // there are gaps or missed closings to tell first
  std::map<std::uint64_t, Gap> gaps_;
  WordGap word_gap_;
  std::vector<LinkId> missed_closings_;  // has room for as many as are open
  Count dropped_, dropped_bytes_;
};

}  // namespace entente::relay
