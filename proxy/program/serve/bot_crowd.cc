#include "proxy/program/serve/bot_crowd.h"

#include <algorithm>
#include <utility>

#include "proxy/relay/base/reason.h"

namespace entente {

class BotCrowd::Member final : public core::Front {
 public:
  Member(BotCrowd& crowd, std::uint32_t number, std::unique_ptr<core::BotFront> bot)
      : crowd_(crowd), number_(number), bot_(std::move(bot)) {}
  ~Member() override {
    const core::BotTally tally = bot_->tally();
    bot_.reset();
    crowd_.gone(number_, tally, parted_);
  }

  void opened(const core::Peer& peer, core::FrontOut& out) override { bot_->opened(peer, out); }
  void receive(const Frames& frames, core::FrontOut& out) override { bot_->receive(frames, out); }
  void hear(const core::Fact& fact, core::FrontOut& out) override { bot_->hear(fact, out); }
  void tick(core::FrontOut& out) override { bot_->tick(out); }
  void session_ends(std::string_view why, core::FrontOut& out) override {
    parted_ = why;
    bot_->session_ends(why, out);
  }

 private:
  BotCrowd& crowd_;
  const std::uint32_t number_;
  std::unique_ptr<core::BotFront> bot_;
  std::string parted_;  // why its room ended; "": the bot left by itself
};

BotCrowd::BotCrowd(Options options) : options_(std::move(options)), bots_(options_.count) {}

std::unique_ptr<core::Front> BotCrowd::next() {
  core::BotOptions options = options_.each;
  std::uint32_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (called_.empty()) {
      number = made_++;
    } else {
      number = called_.front();
      called_.pop_front();
    }
    bots_.at(number).since = options_.now();
  }
  if (options_.count > 1) options.name += "-" + std::to_string(number + 1);
  auto bot = options_.make ? options_.make(number, options) : std::make_unique<core::Bot>(options);
  return std::make_unique<Member>(*this, number, std::move(bot));
}

std::uint32_t BotCrowd::take_due() {
  const Clock::time_point now = options_.now();
  const std::lock_guard lock(mutex_);
  if (given_up_) return 0;
  const auto due = std::stable_partition(away_.begin(), away_.end(),
                                         [&](std::uint32_t number) { return bots_[number].again > now; });
  const auto count = static_cast<std::uint32_t>(away_.end() - due);
  called_.insert(called_.end(), due, away_.end());
  away_.erase(due, away_.end());
  sum_.reconnects += count;
  return count;
}

bool BotCrowd::wait(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, most, [this] { return given_up_ || gone_ >= options_.count; });
}

void BotCrowd::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

std::chrono::seconds BotCrowd::pause_after(std::uint32_t tries) {
  constexpr std::uint32_t kDoublings = 6;
  return std::min(std::chrono::seconds(1U << std::min(tries, kDoublings)), std::chrono::seconds(60));
}

void BotCrowd::gone(std::uint32_t number, const core::BotTally& tally, const std::string& parted) {
  const bool stopped = parted == relay::text(relay::Reason::kStopped);
  std::string what, unfinished;
  if (!tally.refused.empty())
    what = (tally.in ? "was kicked: " : "could not join: ") + options_.plain(tally.refused);
  else if (!parted.empty() && !stopped)
    what = "lost its connection: " + options_.plain(parted);
  else if (stopped && !tally.in)
    unfinished = "was stopped before the server let it in";
  std::string told;
  {
    const std::lock_guard lock(mutex_);
    if (tally.in && !std::exchange(bots_[number].came, true)) ++sum_.came;
    if (!what.empty()) ++(tally.refused.empty() ? sum_.lost : sum_.turned);
    sum_.spawns += tally.spawns;
    sum_.deaths += tally.deaths;
    sum_.kills += tally.kills;
    sum_.shots += tally.shots;
    if (!tally.refused.empty()) sum_.refused = options_.plain(tally.refused);
    if (!what.empty() || !unfinished.empty()) complain(number, what + unfinished);
    if (options_.reconnect && !stopped && !given_up_)
      told = "bot " + std::to_string(number + 1) + " " + (what.empty() ? "left" : what) + come_again(number);
    else
      ++gone_;
    changed_.notify_all();
  }
  if (!told.empty() && options_.said) options_.said(told);
}

void BotCrowd::complain(std::uint32_t number, const std::string& what) {
  const auto known =
      std::find_if(sum_.failures.begin(), sum_.failures.end(), [&](const BotFailure& one) { return one.what == what; });
  if (known != sum_.failures.end())
    ++known->more;
  else if (sum_.failures.size() < kMostFailures)
    sum_.failures.push_back({number + 1, what, 0});
}

std::string BotCrowd::come_again(std::uint32_t number) {
  Bot& bot = bots_[number];
  const Clock::time_point now = options_.now();
  if (now - bot.since >= kLasting) bot.tries = 0;
  const auto pause = pause_after(bot.tries++);
  bot.again = now + pause;
  away_.push_back(number);
  return "; it reconnects in " + std::to_string(pause.count()) + " s";
}

BotCrowd::Sum BotCrowd::sum() const {
  const std::lock_guard lock(mutex_);
  return sum_;
}

}  // namespace entente
