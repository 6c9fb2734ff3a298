#include "proxy/program/bot_crowd.h"

namespace entente {

class BotCrowd::Member final : public core::Front {
 public:
  Member(BotCrowd& crowd, const core::BotOptions& options) : crowd_(crowd), bot_(options) {}
  ~Member() override { crowd_.gone(bot_.tally()); }

  void opened(const core::Peer& peer, core::FrontOut& out) override { bot_.opened(peer, out); }
  void receive(Lane lane, Bytes bytes, core::FrontOut& out) override { bot_.receive(lane, bytes, out); }
  void hear(const core::Fact& fact, core::FrontOut& out) override { bot_.hear(fact, out); }
  void tick(core::FrontOut& out) override { bot_.tick(out); }

 private:
  BotCrowd& crowd_;
  core::Bot bot_;
};

std::unique_ptr<core::Front> BotCrowd::next() {
  core::BotOptions options = each_;
  {
    const std::lock_guard lock(mutex_);
    options.name += expected_ > 1 ? "-" + std::to_string(++made_) : "";
  }
  return std::make_unique<Member>(*this, options);
}

bool BotCrowd::wait(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, most, [this] { return given_up_ || gone_ >= expected_; });
}

void BotCrowd::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

void BotCrowd::gone(const core::BotTally& tally) {
  const std::lock_guard lock(mutex_);
  ++gone_;
  sum_.came += tally.in ? 1 : 0;
  sum_.turned += tally.refused.empty() ? 0 : 1;
  sum_.spawns += tally.spawns;
  sum_.deaths += tally.deaths;
  sum_.kills += tally.kills;
  sum_.shots += tally.shots;
  if (!tally.refused.empty()) sum_.refused = tally.refused;
  changed_.notify_all();
}

BotCrowd::Sum BotCrowd::sum() const {
  const std::lock_guard lock(mutex_);
  return sum_;
}

}  // namespace entente
