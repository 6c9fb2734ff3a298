// Verifies one connection: takes its bytes and returns a Tally.
// Invariant: a client's message that does not decode waits for the server's reaction. It counts as refused only if the
// server closes the connection because of it, or is known to ignore it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/wire/dissect.h"
#include "proxy/program/import/file.h"
#include "proxy/program/recordings/verify_explain.h"
#include "proxy/program/recordings/verify_tally.h"

namespace entente {

/// Shared by all links of one run.
struct VerifyContext {
  ProblemReporter reporter;
  std::optional<WallTime> start;  ///< time of the first thing in the file
  Codecs codecs;
};

class VerifiedLink final : wire::DissectorSink {
 public:
  VerifiedLink(std::string name, const GameDialect& game_dialect, VerifyContext& context);

  const GameDialect& game_dialect() const { return game_dialect_; }
  /// Its client connected by ENet, for the first time or again, and now uses this dialect.
  void connected(const GameDialect& game_dialect);
  void bytes(const Imported& piece);
  void lost(wire::Way way, std::uint64_t bytes);
  /// Whole messages are not in the file; the rest can still be verified.
  void missing(wire::Way way);
  void ended(const ImportedClose& end);
  /// Nothing follows: the messages that still wait are counted as undecoded.
  const Tally& finish();

  /// The connection's line. REQUIRES: finish().
  std::string line() const;
  /// Each message is exact, and no byte is left over.
  bool flawless() const;

 private:
  struct Waiting {
    WallTime time;
    ProblemReport report;
  };

  void frame(const wire::Frame& frame) override;
  void raw(wire::Way way, wire::Lane lane, Bytes bytes, const Fault* why) override;

  void speak(const GameDialect& game_dialect);
  void count_waiting();
  void count_older(WallTime now);
  void count_until(std::vector<Waiting>::iterator end);
  void compare(const wire::Frame& frame, const wire::Row& row);
  void undecoded(const wire::Frame& frame, const Fault& fault);
  void after_loss(wire::Way way, Bytes bytes);
  ProblemReport explain(wire::Way way, const MessageProblem& problem);
  std::size_t index(wire::Way way) const { return way == wire::Way::kToServer ? 0 : 1; }

  std::string name_;
  GameDialect game_dialect_;
  VerifyContext& context_;
  wire::Codec* codec_;
  wire::Dissector dissector_;
  Tally tally_;
  WallTime now_ = 0;
  std::vector<Waiting> waiting_;  // client messages that did not decode
  bool client_spoke_ = false, client_ended_ = false;
  std::optional<std::uint64_t> lost_[2];  // bytes that the file lacks, until what follows them is counted
  std::uint64_t uncut_[2] = {};           // bytes after framing was lost
  Buffer again_;
};

}  // namespace entente
