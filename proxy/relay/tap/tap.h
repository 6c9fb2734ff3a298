// The tap: one thread that decodes and records what the sessions pass on.
// Invariant: it never delays a session. If it cannot keep up, whole entries are dropped, counted, logged and noted in
// the recording. What it cannot decode is counted, logged once a second, and kept as raw bytes.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "adapters/wire/dissect.h"
#include "adapters/wire/secrets.h"
#include "proxy/base/time.h"
#include "proxy/net/enet/enet_dissector.h"
#include "proxy/relay/base/counters.h"
#include "proxy/relay/tap/held_checks.h"
#include "proxy/relay/tap/message_counts.h"
#include "proxy/relay/tap/recording_files.h"
#include "proxy/relay/tap/ring_sink.h"
#include "proxy/trace/recorder.h"

namespace entente::relay {

/// What the tap has seen so far.
struct TapTotals {
  std::vector<MessageCount> messages;
  std::vector<FaultCount> faults;
  std::uint64_t links = 0;  ///< open now
  std::uint64_t frames = 0, bytes = 0;
  std::uint64_t words = 0;                       ///< of rooms
  std::uint64_t raw_bytes = 0;                   ///< the part of `bytes` that is not frames: framing was lost
  std::uint64_t dropped = 0, dropped_bytes = 0;  ///< never seen: the ring was full
  std::uint64_t recorded_frames = 0, recorded_bytes = 0, unrecorded_frames = 0, unrecorded_bytes = 0;
  std::uint64_t file_bytes = 0;  ///< of the files that are being recorded
  std::uint64_t files = 0, rotations = 0, failed_rotations = 0;
  std::uint64_t greetings = 0;  ///< sessions without a file, because their clients did no more than greet
  bool recording_fails = false;
  bool recording = false;  ///< it is on
  bool recorded_ever() const { return recording || files > 0; }
  std::uint64_t wake_ups = 0;
};

class TapThread final : public Tap {
 public:
  struct Options {
    std::size_t ring_bytes = 8 << 20;  ///< for each worker; what waits for the tap's thread
    /// The first file to record into. Null: there is none yet. Its callbacks come on the tap's thread, or on the one
    /// that completes files.
    std::unique_ptr<trace::Recorder> recorder = nullptr;
    RecordingFilesOptions files = {};  ///< without `begin` there is no other file
    bool record = true;                ///< at once, if there is a recorder, or a file for each session
    /// The text field of a message by which a client names its player; "" if it names nobody. Called once for each row.
    std::function<std::string_view(const wire::Game&, const wire::Row&)> player_name = {};
    /// The message by which a game's server asks its client for an echo; "" if there is none. Called once for each
    /// link.
    std::function<std::string_view(const wire::Game&)> ping_message = {};
    /// A link's client has named its player for the first time; and later: this link was closed, after so many
    /// nanoseconds. On the tap's thread. Null: nobody wants to know.
    std::function<void(const LinkInfo&, const std::string& player)> joined = {};
    std::function<void(const LinkInfo&, const std::string& player, std::string_view reason, WallTime length)> left = {};
    std::function<void(std::string_view)> said = {};  ///< a sentence for a person; on the tap's thread
    /// What is blanked in the frames of a game that are recorded; on the tap's thread. Null: nothing.
    std::function<std::vector<wire::Secret>(const wire::Game&)> secrets = {};
    /// Where servers of a game may repeat these secrets. Null: nowhere.
    std::function<std::vector<wire::EchoField>(const wire::Game&)> echoes = {};
  };

  /// Starts the thread, if the machine has one left: started() says so.
  explicit TapThread(Options options);
  ~TapThread() override;
  TapThread(const TapThread&) = delete;
  TapThread& operator=(const TapThread&) = delete;

  /// Without its thread it only completes its recording in stop().
  const Outcome<Done>& started() const { return started_; }

  TapSink& sink(std::size_t worker) override;

  /// Processes everything that the sinks were told, then ends the thread and the recording. REQUIRES: the sinks are no
  /// longer called (ProxyServer::run returned). The destructor does it if this was not called.
  Outcome<Done> stop();

  // The end of a tap before that of the program.
  /// From now on, what the sinks are told is ignored. From any thread; calls may be under way.
  void deafen();
  /// As stop(), and frees the rings. The totals stay. REQUIRES: each worker has answered since deafen().
  Outcome<Done> end();

  /// From any thread.
  TapTotals totals() const;
  /// The name of this link's player, in UTF-8, as the client last wrote it; "" if it is not known. From any thread.
  std::string player(LinkId link) const;
  enum class Order : std::uint8_t { kNone, kStart, kStop, kRotate };
  /// An order that was given, and what will be told of it.
  struct Given {
    std::uint64_t number = 0;
    std::future<Outcome<RecordingStatus>> told;
  };
  /// Orders the tap's thread to start, stop or rotate the recording, or to do nothing. Waits for nothing; whoever does
  /// not want to know the outcome may drop the result. From any thread.
  Given give(Order order);
  /// How long an outcome is waited for, and how long the tap's thread may be busy before its disk is taken to hang; in
  /// milliseconds.
  static constexpr Millis kObeysWithin = 3'000;
  /// The beginning of the error if that time is over.
  static constexpr std::string_view kDiskSilent = "the disk of this recording does not answer";
  /// The status of the recording after an order of give(), or why it was not carried out. Waits until `until` (as
  /// steady_now()) at most, and not at all if the disk hangs already. An order that the thread has not begun by then is
  /// withdrawn. From any thread.
  Outcome<RecordingStatus> outcome(Given given, Millis until);
  /// Both. From any thread; waits at most kObeysWithin.
  Outcome<RecordingStatus> record(Order order);
  /// What is known of the recording without asking the tap's thread. The names and the ages of files that were
  /// completed since the last order or the last new file are still in it. From any thread; waits for nothing.
  RecordingStatus last_status() const;
  /// The number of faults on the links of this route. From any thread.
  std::uint64_t undecoded(std::size_t route) const;
  using RoundTrips = DurationsOf<std::uint64_t, kRoundTripBounds>;
  /// How long clients of this route take to answer a server's ping, from the ping to its echo, both as they passed
  /// here. From any thread.
  RoundTrips round_trips(std::size_t route) const;

 private:
  struct RouteCounts {
    Count undecoded;
    DurationsOf<Count, kRoundTripBounds> round_trips;
  };
  struct Link;
  class Hear;

  void run();
  int patience() const;
  bool drain(std::size_t entries);
  RingSink* oldest();
  void take(const Ring::Entry& entry);
  void take_opened(const Ring::Entry& entry);
  void take_bytes(const Ring::Entry& entry);
  void take_lab(const Ring::Entry& entry);
  void take_closed(const Ring::Entry& entry);
  void take_gap(const Ring::Entry& entry);
  void take_word(const Ring::Entry& entry);
  void take_world(const Ring::Entry& entry);
  void take_calls(const Ring::Entry& entry);
  void take_word_gap(const Ring::Entry& entry);
  void lose(Link& link, const Gap& gap, WallTime at);
  Result<const wire::Row*> row_of(Link& link, const wire::Frame& frame);
  bool is_read(const Link& link, const wire::Row& row);
  std::string_view name_field(const Link& link, const wire::Row& row);
  void name_player(Link& link, const wire::Row& row);
  void end_link(Link& link, std::string_view reason, WallTime at);
  MessageCounts& counts_of(const LinkInfo& info);
  RouteCounts& counts_of(std::size_t route);
  static void time_ping(Link& link, const wire::Frame& frame, WallTime at);
  struct GameSecrets {
    std::vector<wire::Secret> written;
    std::vector<wire::EchoField> repeated;
  };
  const GameSecrets& secrets_of(const wire::Game& game);
  Link* find(LinkId id);
  void obey();
  Outcome<RecordingStatus> obey(Order order);
  void remember(const RecordingStatus& status);
  bool recording() const { return recording_ && recording_->on(); }
  struct Usage {
    WallTime at = 0, cpu = 0;  // ns
    long waits = 0, preempted = 0;
  };
  static Usage usage(WallTime now);
  std::string why_slow(WallTime now);
  void tell_drops(WallTime now);
  void tell_suppressed(WallTime now);
  void publish();
  void say(const std::string& sentence) const;

  Options options_;
  net::Waker waker_;
  mutable std::mutex mutex_;  // of the three lists, which only grow
  std::vector<std::unique_ptr<RingSink>> sinks_;
  std::vector<std::unique_ptr<MessageCounts>> counts_;
  std::vector<std::unique_ptr<RouteCounts>> routes_;  // by LinkInfo::route
  mutable std::mutex players_mutex_;
  std::unordered_map<LinkId, std::string> players_;  // names, of open links

  struct Asked {
    std::uint64_t number;
    Order order;
    std::promise<Outcome<RecordingStatus>> told;
  };
  mutable std::mutex orders_mutex_;  // of the next four
  std::vector<Asked> orders_;
  std::uint64_t last_order_ = 0;       // its number
  bool obeys_ = true;                  // until it stops
  RecordingStatus said_;               // when it was told last, or a file began
  bool can_record_ = false;            // set once
  std::atomic<Millis> busy_since_{0};  // as steady_now(); 0: the thread waits for something to do

  // The tap's thread only.
  WordsWanted wanted_;                         // read by the sinks
  std::unique_ptr<RecordingFiles> recording_;  // null: it only counts
  std::vector<RingSink*> rings_;
  HeldChecks checks_;
  std::unordered_map<LinkId, std::unique_ptr<Link>> links_;
  Link* last_ = nullptr;  // found last
  std::unordered_map<const wire::Row*, std::string_view> name_fields_;
  net::EnetUnpacker unpacker_;
  std::unordered_map<const wire::Game*, GameSecrets> secrets_;
  Buffer blanked_;  // reused: a frame without its secrets
  std::uint64_t told_drops_ = 0;
  Usage used_;  // by this thread, when it last kept up
  WallTime told_drops_at_ = 0;

  // Written by the tap's thread, read by any.
  struct Published {
    Count frames, bytes, words, raw_bytes, wake_ups;
    std::atomic<std::uint64_t> links{0}, recorded_frames{0}, recorded_bytes{0}, unrecorded_frames{0},
        unrecorded_bytes{0};
    std::atomic<std::uint64_t> file_bytes{0}, files{0}, rotations{0}, failed_rotations{0}, greetings{0};
    std::atomic<bool> recording_fails{false}, recording{false};
  } published_;

  bool deaf_ = false;  // under mutex_
  bool stopped_ = false;
  Outcome<Done> started_ = Done{};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace entente::relay
