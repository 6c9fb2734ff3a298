// The recordings of this node on their way into the stream FLEET-rec, piece by piece.
// Invariant: a recorder never waits for NATS. Pieces wait in memory while there is no connection, up to a limit; then
// the recording is torn: later pieces are not stored, and the last piece is marked as torn.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "proxy/fleet/bus.h"
#include "proxy/net/loop.h"
#include "proxy/net/mailbox.h"
#include "proxy/program/fleet/fleet.h"
#include "proxy/program/monitor/metrics.h"
#include "proxy/trace/file.h"

namespace entente {

class RecordingUploads final : private net::Ticker::User {
 public:
  static constexpr std::size_t kPiece = 256 << 10;          ///< bytes of a message; NATS takes up to 1 MiB
  static constexpr std::size_t kMostWaiting = 256u << 20u;  ///< bytes
  static constexpr Millis kRetry = 250;

  /// `fleet` outlives it. `keep`: how long the stream keeps a piece; 0: for ever.
  RecordingUploads(Fleet& fleet, Millis keep);
  /// Drops the pieces that still wait.
  ~RecordingUploads() override;
  RecordingUploads(const RecordingUploads&) = delete;
  RecordingUploads& operator=(const RecordingUploads&) = delete;

  /// Begins a recording of this file. Writing to the sink never fails. From any thread; the sink may outlive this.
  std::unique_ptr<trace::Sink> begin(const std::string& path);
  /// Waits until everything is stored, for at most `patience`. Returns false if something was not stored.
  bool finish(Millis patience);
  void measure(Metrics& metrics) const;

 private:
  struct Piece {
    std::string subject, id;
    Buffer bytes;
  };
  class Upload;
  struct Queue;

  friend class net::Mailbox<int, RecordingUploads>;
  void mail();
  void tick(Millis now) override;
  void send();
  void sent(const Outcome<std::uint64_t>& outcome);

  Fleet& fleet_;
  const Millis keep_;
  const std::shared_ptr<Queue> queue_;
  std::atomic<std::uint32_t> begun_{0};
  // Used only on the loop's thread.
  net::Loop loop_;
  net::Mailbox<int, RecordingUploads> mailbox_{loop_, *this};
  std::unique_ptr<fleet::BusLine> line_;
  std::unique_ptr<net::Ticker> ticker_;
  bool opened_ = false, asks_ = false, fails_ = false;
  std::thread thread_;
};

}  // namespace entente
