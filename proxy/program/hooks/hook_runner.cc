#include "proxy/program/hooks/hook_runner.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <utility>
#include <vector>

#include "proxy/net/secret.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

constexpr Millis kAskNameAgain = 100;  // while a name is looked up
constexpr Millis kTellEvery = 60'000;  // how often the log is told of events that were given up
constexpr std::string_view kIdInUrl = "{id}";

/// "t=1795870000,v1=…": the HMAC-SHA-256 of "1795870000.BODY".
std::string signature_of(const std::string& secret, const std::string& body, std::time_t now) {
  const std::string time = std::to_string(now);
  return "t=" + time + ",v1=" + net::signature(secret, time + "." + body);
}

std::string url_for(std::string url, const std::string& id) {
  for (std::size_t at = 0; (at = url.find(kIdInUrl, at)) != std::string::npos; at += id.size())
    url.replace(at, kIdInUrl.size(), id);
  return url;
}

bool is_worth_a_retry(unsigned status) { return status == 0 || status == 408 || status == 429 || status >= 500; }

}  // namespace

HookRunner::HookRunner(std::shared_ptr<HookLine> line, const HookPatience& patience, net::Loop& loop,
                       net::HttpClient& client, net::HostNames& names, Owner& owner)
    : line_(std::move(line)),
      patience_(patience),
      client_(client),
      owner_(owner),
      child_(loop, static_cast<net::ChildProcess::User&>(*this)),
      dice_(
          static_cast<std::minstd_rand::result_type>(std::hash<std::string>()(line_->settings.name) + steady_nanos())) {
  if (const auto& at = line_->settings.at; at && !net::Address::parse(at->host, 0)) host_ = names.host(at->host);
}

Millis HookRunner::look(Millis now) {
  if (child_.runs()) {
    if (now < ends_) return ends_;
    child_.kill();
    end(Result::kRetry, "the command took longer than " + std::to_string(line_->settings.time / 1'000) + " s");
  }
  if (is_busy()) return kNever;
  current_ = line_->front();
  if (current_.event == nullptr) return kNever;
  if (now < due_ && !hurries_) return due_;
  if (!line_->settings.at && !owner_.may_run()) return kNever;  // look() follows when another one ends
  if (!finds_addresses(now)) return now + kAskNameAgain;
  begin(now);
  return child_.runs() ? ends_ : is_busy() ? kNever : now;
}

/// False: a lookup is under way.
bool HookRunner::finds_addresses(Millis now) { return host_ == nullptr || host_->look_up(now); }

HookView HookRunner::view() {
  told_lost_ = line_->lost();
  return {line_->settings.addresses, told_lost_};
}

void HookRunner::begin(Millis now) { line_->settings.at ? send() : run(now); }

void HookRunner::send() {
  const HookSettings& its = line_->settings;
  const HookEvent& event = *current_.event;
  if (host_ != nullptr && host_->addresses().empty()) {
    const std::string why = host_->why();
    return end(Result::kRetry, "no address of " + its.at->host + (why.empty() ? " was found in time" : ": " + why));
  }
  net::HttpCall call;
  call.url = url_for(its.url, event.id);
  call.put = its.put;
  if (host_ != nullptr) call.to = host_->addresses();
  const HookView seen = view();
  const auto look = [&](std::string_view name) { return event_value(event, seen, name); };
  call.body = its.body ? its.body->body(look) : event_json(event, seen);
  call.headers = {"Content-Type: application/json",
                  std::string("X-Entente-Event: ") + relay::row_of(event.news.kind()).name,
                  "X-Entente-Id: " + event.id};
  if (!its.secret.empty())
    call.headers.push_back("X-Entente-Signature: " + signature_of(its.secret, call.body, std::time(nullptr)));
  if (!its.token.empty()) call.headers.push_back("Authorization: Bearer " + its.token);
  call.authorities = its.authorities;
  call.time = its.time;
  request_ = client_.send(call, static_cast<net::HttpClient::User&>(*this));
}

void HookRunner::run(Millis now) {
  const HookSettings& its = line_->settings;
  const HookView seen = view();
  const HookEvent& event = *current_.event;
  const auto look = [&](std::string_view name) { return event_value(event, seen, name); };
  const auto begun = child_.start(its.command, (its.body ? its.body->body(look) : event_json(event, seen)) + "\n");
  if (!begun) return end(Result::kRetry, "cannot run " + its.command.front() + ": " + begun.error().text);
  ends_ = now + its.time;
}

void HookRunner::answered(const net::HttpOutcome& outcome) {
  request_.reset();
  if (outcome.status >= 200 && outcome.status < 300) return end(Result::kDelivered, "");
  std::string error = outcome.status == 0 ? outcome.error : "it answered " + std::to_string(outcome.status);
  if (outcome.status >= 300 && outcome.status < 400) error += ", a redirect; set url to the place where it leads";
  end(is_worth_a_retry(outcome.status) ? Result::kRetry : Result::kRefused, error, outcome.retry_after);
}

void HookRunner::exited(net::ChildProcess& child, std::int64_t code, int signal) {
  if (!child.output().empty())
    log_debug("hook '{}': the command says: {}", line_->settings.name, screen_text(child.output()));
  if (code == 0 && signal == 0) return end(Result::kDelivered, "");
  end(Result::kRetry, "the command ended " +
                          (signal != 0 ? "by signal " + std::to_string(signal) : "with code " + std::to_string(code)));
}

/// Less by up to a half, so that many receivers or programs do not come at once.
Millis HookRunner::backoff() {
  const Millis whole = std::min(patience_.most, patience_.first << std::min(failures_ - 1, 16U));
  return whole - std::uniform_int_distribution<Millis>(0, whole / 2)(dice_);
}

void HookRunner::end(Result result, const std::string& error, std::optional<Millis> rest) {
  const std::string& name = line_->settings.name;
  const Millis now = steady_now();
  if (result == Result::kDelivered) {
    line_->delivered(told_lost_);
    if (failures_ != 0) log_info("hook '{}' works again", name);
    failures_ = 0;
    due_ = 0;
    return owner_.ended();
  }
  if (failures_++ == 0)
    log_warn("hook '{}': {} does not take an event: {}", name, line_->settings.target(), screen_text(error));
  const bool too_old = now - current_.since >= line_->settings.give_up;
  due_ = now + (rest ? std::min(*rest, patience_.asked) : result == Result::kRefused ? 0 : backoff());
  if (result == Result::kRefused || too_old || hurries_)
    give_up(now, error);
  else
    line_->retry(error);
  owner_.ended();
}

/// With those that wait for as long: the receiver does not take them, either.
void HookRunner::give_up(Millis now, const std::string& error) {
  line_->set_error(error);
  bool more = true;
  while (more) {
    line_->fail();
    ++untold_;
    const HookLine::Waiting next = line_->front();
    more = next.event != nullptr && (hurries_ || now - next.since > line_->settings.give_up);
  }
  current_ = {};
  if (told_at_ != 0 && now < told_at_ + kTellEvery && !hurries_) return;
  log_warn("hook '{}': gave up {}: {}", line_->settings.name, counted(std::exchange(untold_, 0), "event"),
           screen_text(error));
  told_at_ = now;
}

}  // namespace entente
