// The end of a bridge whose player visits an arena of this process: in place of the server's link.
// Invariant: as for every end (end.h). It is open from the start. It calls its user only in jobs of bounded length
// (schedule.h).
#pragma once

#include <functional>
#include <memory>

#include "proxy/relay/ends/end.h"
#include "proxy/relay/ends/passage.h"

namespace entente::relay {

class ArenaEnd final : public End, private net::Job {
 public:
  /// `party`: whose turn it shares. `tell_arena`: makes the other side look into the passage.
  ArenaEnd(net::Loop& loop, std::shared_ptr<net::Party> party, End::User& user, std::shared_ptr<Passage> passage,
           std::function<void()> tell_arena);
  ~ArenaEnd() override;

  /// There may be news from the arena.
  void look() {
    if (open_) loop_.serve(*this);
  }
  /// Whether the player is in the arena.
  bool entered() const { return passage_->entered; }

  bool adopt(net::Fd) override { return false; }
  int connect(const net::Address&, Outgoing) override;
  void send(Lane, Bytes frame) override;
  void flush() override;
  std::size_t waiting() const override { return out_.size() + passage_->to_room.waiting(); }
  void set_reading(bool on) override;
  void set_priority(net::Priority priority) override { Job::set_priority(priority); }
  void shut_down(std::string_view why, std::uint32_t code) override;
  void hang_up() override { close("the player left"); }
  bool is_open() const override { return open_; }
  net::Address local_address() const override { return {}; }

 private:
  void run() override;
  void close(std::string_view why);

  net::Loop& loop_;
  const std::shared_ptr<Passage> passage_;
  const std::function<void()> tell_arena_;
  WaitingFrames in_, out_;
  bool open_ = true, reads_ = true;
  bool ends_ = false, told_end_ = false;  // nothing more comes; the user knows
};

}  // namespace entente::relay
