// The end of a bridge whose player visits an arena of this process: in place of the server's link.
// Law: as for every end (end.h). It is open from the start. It calls its user only in look().
#pragma once

#include <functional>
#include <memory>

#include "proxy/relay/ends/end.h"
#include "proxy/relay/ends/passage.h"

namespace entente::relay {

class ArenaEnd final : public End {
 public:
  /// `tell_arena`: makes the other side look into the passage. `tell_us`: has look() called soon, but not
  /// before it returns.
  ArenaEnd(End::User& user, std::shared_ptr<Passage> passage, std::function<void()> tell_arena,
           std::function<void()> tell_us);
  ~ArenaEnd() override;

  /// There may be news from the arena.
  void look();
  /// Whether the player is in the arena.
  bool entered() const { return passage_->entered; }

  bool adopt(net::Fd) override { return false; }
  int connect(const net::Address&, Outgoing) override;
  void send(Lane, Bytes frame) override;
  void flush() override;
  std::size_t waiting() const override { return out_.size() + passage_->to_room.waiting(); }
  void set_reading(bool on) override;
  void shut_down(std::string_view why, std::uint32_t code) override;
  void hang_up() override { close("the player left"); }
  bool is_open() const override { return open_; }
  net::Address local_address() const override { return {}; }

 private:
  void close(std::string_view why);

  const std::shared_ptr<Passage> passage_;
  const std::function<void()> tell_arena_, tell_us_;
  WaitingFrames in_, out_;
  bool open_ = true, reads_ = true;
};

}  // namespace entente::relay
