// Takes what is imported apart into frames, connection by connection, for those who write it down elsewhere.
// Law: every byte comes out once: as a frame, or as raw bytes where framing is lost.
#pragma once

#include <map>
#include <memory>

#include "adapters/wire/dissect.h"
#include "proxy/program/import_file.h"

namespace entente {

/// The connection that these datagrams go beside, as a packet capture names the two; else the connection itself.
std::string stream_name(const std::string& connection);

class ConvertSink : public ImportSink {
 public:
  explicit ConvertSink(const RecordedFile& file) : file_(file) {}

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) final;
  void bytes(const Imported& piece) final;
  void lost(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime time) final;

 protected:
  /// How ENet carried what is told now, if it did.
  const std::optional<wire::EnetCarriage>& carriage() const { return carriage_; }

  virtual void begin(ConnectionId id, const ImportedConnection& connection, const Speech& speech, WallTime time) = 0;
  virtual void frame(ConnectionId id, const wire::Frame& frame, WallTime time) = 0;
  virtual void raw(ConnectionId id, wire::Way way, wire::Lane lane, Bytes bytes, WallTime time) = 0;

 private:
  class Link final : public wire::Dissected {
   public:
    Link(ConvertSink& owner, ConnectionId id, const Speech& speech)
        : dissector(*speech.game, speech.dialect), owner_(owner), id_(id) {}

    wire::Dissector dissector;
    WallTime now = 0;

   private:
    void frame(const wire::Frame& frame) override;
    void raw(wire::Way way, wire::Lane lane, Bytes bytes, const Fault* why) override;

    ConvertSink& owner_;
    ConnectionId id_;
  };

  const RecordedFile& file_;
  std::map<ConnectionId, std::unique_ptr<Link>> links_;
  std::optional<wire::EnetCarriage> carriage_;
};

}  // namespace entente
