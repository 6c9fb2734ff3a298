#include "proxy/net/names/host_names.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "proxy/net/named_thread.h"

namespace entente::net {
namespace {

constexpr std::size_t kLongestHostName = 253, kLongestLabel = 63;  // RFC 1035, 2.3.4

std::string objection_to_label(std::string_view label) {
  if (label.empty()) return "it has an empty part between dots";
  if (label.size() > kLongestLabel) return "a part between dots has more than 63 characters";
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c >= 0x80; };
  return std::all_of(label.begin(), label.end(), fits) ? "" : "it has a character that no host name has";
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

Outcome<std::vector<Address>> look_up_by_system(const std::string& host) { return resolve(host, 0); }

std::string objection_to_host(std::string_view host) {
  if (Address::parse(host, 0)) return "";
  if (host.ends_with('.')) host.remove_suffix(1);  // the root
  if (host.size() > kLongestHostName) return "it has more than 253 characters";
  std::string_view last;
  for (std::size_t from = 0; from <= host.size(); from += last.size() + 1) {
    last = host.substr(from, host.find('.', from) - from);
    if (std::string why = objection_to_label(last); !why.empty()) return why;
  }
  return all_digits(last) ? "it is neither an IP address nor a name" : "";
}

/// What the threads need, also after their HostNames is gone.
struct HostNames::Shared {
  std::mutex mutex;
  std::condition_variable news;
  LookUp look_up;
  std::function<Millis()> clock;
  std::function<void()> answered;
  std::map<std::string, std::weak_ptr<Host>> hosts;
  std::deque<std::shared_ptr<Host>> queue;
  std::size_t threads = 0;
  bool closed = false;
  std::atomic<std::uint64_t> answers{0};
};

HostNames::HostNames(std::function<void()> answered, LookUp look_up, std::function<Millis()> clock)
    : shared_(std::make_shared<Shared>()) {
  shared_->answered = std::move(answered);
  shared_->look_up = std::move(look_up);
  shared_->clock = std::move(clock);
}

HostNames::~HostNames() {
  const std::lock_guard lock(shared_->mutex);
  shared_->closed = true;
  shared_->queue.clear();
  shared_->news.notify_all();
}

std::shared_ptr<HostNames::Host> HostNames::host(const std::string& name) {
  const std::lock_guard lock(shared_->mutex);
  std::erase_if(shared_->hosts, [](const auto& one) { return one.second.expired(); });
  auto& known = shared_->hosts[name];
  auto host = known.lock();
  if (host == nullptr) known = host = std::make_shared<Host>(shared_, name);
  (void)start(shared_);
  return host;
}

void HostNames::expire() {
  const std::lock_guard lock(shared_->mutex);
  for (const auto& [name, known] : shared_->hosts)
    if (const auto host = known.lock()) host->fresh_ = false;
}

std::uint64_t HostNames::answers() const { return shared_->answers; }

/// Starts the threads that are missing. They are never joined, because a lookup may take long: what they use belongs to
/// all of them. REQUIRES: the mutex is held.
Outcome<Done> HostNames::start(const std::shared_ptr<Shared>& shared) {
  for (; shared->threads < kThreads; ++shared->threads) {
    auto started = start_thread("names", [shared] { serve(shared); });
    if (!started) return shared->threads != 0 ? Outcome<Done>(Done{}) : started.error();
    started->detach();
  }
  return Done{};
}

/// A thread that looks names up.
void HostNames::serve(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  for (;;) {
    shared->news.wait(lock, [&] { return shared->closed || !shared->queue.empty(); });
    if (shared->closed) return;
    const std::shared_ptr<Host> host = std::move(shared->queue.front());
    shared->queue.pop_front();
    lock.unlock();
    auto found = shared->look_up(host->name);
    lock.lock();
    if (shared->closed) return;
    host->under_way_ = false;
    host->fresh_ = true;
    host->answered_at_ = shared->clock();
    host->answer_.why = found ? "" : found.error().text;
    if (found) host->answer_.addresses = std::move(*found);
    ++host->answer_.answers;
    ++shared->answers;
    shared->answered();
  }
}

bool HostNames::Host::look_up(Millis now) {
  const std::lock_guard lock(shared_->mutex);
  if (under_way_) return now >= asked_at_ + kPatience;
  if (fresh_ && now < answered_at_ + kFresh) return true;
  if (shared_->closed) return true;
  if (const auto started = start(shared_); !started) {
    answer_.why = started.error().text;
    return true;  // the next call tries again
  }
  under_way_ = true;
  asked_at_ = now;
  shared_->queue.push_back(shared_from_this());
  shared_->news.notify_one();
  return false;
}

std::vector<Address> HostNames::Host::addresses() const {
  const std::lock_guard lock(shared_->mutex);
  return answer_.addresses;
}

std::string HostNames::Host::why() const {
  const std::lock_guard lock(shared_->mutex);
  return answer_.why;
}

std::uint64_t HostNames::Host::answers() const {
  const std::lock_guard lock(shared_->mutex);
  return answer_.answers;
}

}  // namespace entente::net
