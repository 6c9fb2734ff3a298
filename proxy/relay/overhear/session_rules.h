// The rules of a relay that may drop messages (RelayRules::rewrite), in one session, on its worker.
// Invariant: a message waits for no more than a call of each rule, which is bounded (rules::Limits). Only whole
// messages are dropped: frames, messages of a WebSocket, packets, datagrams. What cannot be understood passes, but a
// client who cannot be understood on its stream is sent away, because it could say anything.
#pragma once

#include <memory>
#include <vector>

#include "adapters/wire/dissect.h"
#include "proxy/net/loop.h"
#include "proxy/relay/faults/lab_line.h"
#include "proxy/relay/overhear/overheard_room.h"

namespace entente::relay {

class SessionRules final : public LabLine::Judge, private net::Alarm::User, private wire::DissectorSink {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// The session must end.
    virtual void client_is_wrong() = 0;
  };

  /// `info`: of the session, whose dialect may become known later. `most_early`: bytes of a server that speaks before
  /// the client has named its dialect. All references outlive it.
  SessionRules(net::Loop& loop, User& user, const RelayRules& rules, const LinkInfo& info, std::size_t most_early);

  bool lets(LabLine::Of of, wire::Way way, Bytes unit, std::uint32_t tag, wire::Stage stage) override;
  /// What goes to the client is the operator's text, and is not heard.
  void set_inserting(bool on) { inserting_ = on; }
  /// The session ends.
  void end();

 private:
  bool open_room(LabLine::Of of, wire::Way way, Bytes unit);
  void hear(LabLine::Of of, wire::Way way, Bytes unit, std::uint32_t tag, wire::Stage stage);
  void frame(const wire::Frame& frame) override { lets_ = room_->received(frame, micros()) && lets_; }
  void raw(wire::Way, wire::Lane, Bytes, const Fault*) override {}  // whoever gets it cannot read it, either
  void rang() override;
  void set_alarm();
  core::Micros micros() const { return (loop_.nanos() - epoch_) / 1000; }

  net::Loop& loop_;
  User& user_;
  const RelayRules& rules_;
  const LinkInfo& info_;
  const std::size_t most_early_;
  const std::uint64_t epoch_;  // the room's time 0, by Loop::nanos
  net::Alarm alarm_;
  std::unique_ptr<wire::Dissector> dissector_;  // of what is no frame of a stream
  std::unique_ptr<OverheardRoom> room_;         // null: nothing was said yet, or its dialect has no words
  std::vector<Buffer> early_;                   // what the server said before the dialect was known
  std::size_t early_bytes_ = 0;
  bool tried_ = false, over_ = false, inserting_ = false, told_wrong_ = false;
  bool lets_ = true;  // what is being heard
};

}  // namespace entente::relay
