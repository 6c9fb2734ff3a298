#include "proxy/program/monitor/notifier.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "proxy/base/time.h"
#include "proxy/net/named_thread.h"
#include "proxy/net/service_manager.h"
#include "proxy/relay/proxy_server.h"

namespace entente {
namespace {

constexpr Millis kStatusEvery = 3'000;

}  // namespace

Notifier::Notifier(const relay::ProxyServer& server, std::function<std::string()> status)
    : server_(server), status_(std::move(status)) {
  if (net::tell_service_manager("READY=1\nSTATUS=" + status_()))
    thread_ = net::named_thread("notifier", [this] { run(); });
}

Notifier::~Notifier() {
  ends_ = true;
  waker_.wake();
  if (thread_.joinable()) thread_.join();
}

void Notifier::give(std::int32_t pid) {
  given_ = true;
  net::tell_service_manager("MAINPID=" + std::to_string(pid));
}

void Notifier::tell_stopping() {
  stopping_ = true;
  if (given_) return;
  net::tell_service_manager("STOPPING=1\nSTATUS=stopping");
}

/// Twice in the time that the service manager allows, because a busy machine may be late.
void Notifier::run() {
  const Millis watchdog = net::watchdog_time();
  const Millis period = watchdog != 0 ? std::clamp<Millis>(watchdog / 2, 1, kStatusEvery) : kStatusEvery;
  Millis told_at = steady_now();
  std::string told;
  for (;;) {
    waker_.wait(static_cast<int>(period));
    if (ends_ || given_) return;
    server_.wait_for_workers();
    std::string state = watchdog != 0 ? "WATCHDOG=1\n" : "";
    if (const Millis now = steady_now(); now - told_at >= kStatusEvery && !stopping_) {
      std::string status = status_();
      if (status != told) state += "STATUS=" + status;
      told_at = now;
      told = std::move(status);
    }
    if (!state.empty()) net::tell_service_manager(state);
  }
}

/// The time tells the service manager that this is not an answer to an earlier request.
Notifier::Reloading::Reloading() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  net::tell_service_manager("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(micros));
}

Notifier::Reloading::~Reloading() { net::tell_service_manager("READY=1"); }

}  // namespace entente
