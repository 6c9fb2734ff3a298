// Cuts imported connections into frames, for subclasses that write them elsewhere.
// Invariant: every byte comes out once: in a frame, or as raw bytes if framing is lost. A connection that changes its
// dialect comes out as two connections, one after the other.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "adapters/wire/dissect.h"
#include "proxy/program/import/file.h"

namespace entente {

/// The connection to which these datagrams belong, by the names of a packet capture; otherwise the connection
/// itself.
std::string stream_name(const std::string& connection);

class ConvertSink : public ImportSink {
  class Link;

 public:
  explicit ConvertSink(const RecordedFile& file) : file_(file) {}

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) final;
  void connected(ConnectionId id, std::uint32_t data, WallTime time) final;
  void bytes(const Imported& piece) final;
  void kept(const Imported& piece) final;
  void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) final;
  void message_gap(ConnectionId id, wire::Way way, std::uint64_t messages, std::uint64_t bytes, WallTime time) final;
  void half_closed(ConnectionId id, const ImportedClose& how) final;
  void connection_over(ConnectionId id) final;

  /// What could not be cut into messages, and came out as raw bytes, for people: where it begins, and why. "": nothing.
  std::string uncut() const;
  /// Messages so far.
  std::uint64_t frames() const { return frames_; }

 protected:
  /// How ENet carried the current data, if it did.
  const std::optional<wire::EnetCarriage>& carriage() const { return carriage_; }
  /// The time of the current data as a .demo has it, if it is more exact.
  std::optional<float> seconds() const { return seconds_; }
  /// What a lab did to the current data, and for how long it held it.
  std::pair<trace::Lab, std::uint64_t> lab() const { return lab_; }
  /// From now on, this is the current data.
  void set_current(const Imported& piece) {
    carriage_ = piece.enet;
    seconds_ = piece.seconds;
    lab_ = {piece.lab, piece.held_us};
  }

  /// Nothing follows on the connection: what comes out raw is the beginning of a message.
  bool ends() const { return ends_; }

  /// The connection, opened before the first data, which may determine its dialect. Null: it was left out.
  Link* start(ConnectionId id, WallTime time);

  virtual void begin(ConnectionId id, const ImportedConnection& connection, const GameDialect& game_dialect,
                     WallTime time) = 0;
  virtual void frame(ConnectionId id, const wire::Frame& frame, WallTime time) = 0;
  virtual void raw(ConnectionId id, wire::Way way, wire::Lane lane, Bytes bytes, WallTime time) = 0;
  /// What a lab did not pass on (ImportSink::kept).
  virtual void frame_kept(ConnectionId, const wire::Frame&, WallTime) {}
  /// The file says that messages are missing before the next one in this direction.
  virtual void frame_gap(ConnectionId, wire::Way, std::uint64_t /*messages*/, std::uint64_t /*bytes*/, WallTime) {}
  virtual void side_closed(ConnectionId id, const ImportedClose& how) = 0;
  virtual void connection_finished(ConnectionId id) = 0;

 private:
  class Link final : public wire::DissectorSink {
   public:
    Link(ConvertSink& owner, ConnectionId id, ImportedConnection connection, const GameDialect& speaks, WallTime time)
        : about(std::move(connection)),
          game_dialect(speaks),
          dissector(*speaks.game, speaks.dialect),
          now(time),
          owner_(owner),
          id_(id) {}

    const ImportedConnection about;
    const GameDialect game_dialect;
    wire::Dissector dissector;
    WallTime now;
    bool begun = false;

   private:
    void frame(const wire::Frame& frame) override;
    void raw(wire::Way way, wire::Lane lane, Bytes bytes, const Fault* why) override;

    ConvertSink& owner_;
    ConnectionId id_;
  };

  Link* find(ConnectionId id);

  const RecordedFile& file_;
  std::map<ConnectionId, std::unique_ptr<Link>> links_;
  std::optional<wire::EnetCarriage> carriage_;
  std::optional<float> seconds_;
  std::pair<trace::Lab, std::uint64_t> lab_{trace::LAB_PASSED, 0};
  bool ends_ = false;
  std::string first_uncut_;
  std::uint64_t frames_ = 0, uncut_bytes_ = 0;
};

}  // namespace entente
