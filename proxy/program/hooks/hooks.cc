#include "proxy/program/hooks/hooks.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "proxy/net/mailbox.h"
#include "proxy/net/named_thread.h"
#include "proxy/net/process/own_program.h"
#include "proxy/net/secret.h"
#include "proxy/program/base/counted.h"
#include "proxy/program/control/arguments.h"
#include "proxy/program/control/control.h"
#include "proxy/program/log/say.h"
#include "proxy/program/monitor/metrics.h"

namespace entente {
namespace {

using relay::NewsField, relay::NewsKind;

/// Differs from that of any other process, also on other machines.
std::string new_prefix() {
  const std::string self = std::to_string(net::own_pid()) + " " + std::to_string(wall_now());
  return net::signature(net::machine_key(), self).substr(0, 16);
}

bool is_about_a_route(const relay::News& news) {
  return !news.text(NewsField::kRoute).empty() || !news.text(NewsField::kArena).empty();
}

/// The arena or the route.
std::string place_key(const relay::News& news) {
  const std::string_view arena = news.text(NewsField::kArena);
  return std::string(arena.empty() ? news.text(NewsField::kRoute) : arena);
}

/// The news that nobody is there any more.
relay::News empty_like(const relay::News& news) {
  return relay::News(NewsKind::kEmpty)
      .set(NewsField::kRoute, std::string(news.text(NewsField::kRoute)))
      .set(NewsField::kArena, std::string(news.text(NewsField::kArena)));
}

bool is_for(const HookSettings& settings, const relay::News& news) {
  if (!settings.wants(news.kind())) return false;
  if (settings.routes.empty() || !is_about_a_route(news)) return true;
  return std::any_of(settings.routes.begin(), settings.routes.end(), [&](const std::string& one) {
    return one == news.text(NewsField::kRoute) || one == news.text(NewsField::kArena);
  });
}

template <class Lines>
auto find_named(Lines& lines, const std::string& name) {
  return std::find_if(lines.begin(), lines.end(), [&](const auto& one) { return one->settings.name == name; });
}

}  // namespace

// -- The thread -------------------------------------------------------------------------------------------------------

class Hooks::Thread final : private HookRunner::Owner, private net::Alarm::User {
 public:
  Thread(const Options& options, net::Loop& loop)
      : options_(options),
        loop_(loop),
        names_(std::make_unique<net::HostNames>([this] { mailbox_.wake(); }, options.look_up)) {
    alarm_.emplace(loop_, static_cast<net::Alarm::User&>(*this));
    client_.emplace(loop_);
  }
  ~Thread() override { stop(); }

  Outcome<Done> start() {
    auto started = net::start_thread("hooks", [this] { loop_.run(); });
    if (!started) return started.error();
    thread_ = std::move(*started);
    return Done{};
  }

  /// Serves these lines from now on.
  void set(std::vector<std::shared_ptr<HookLine>> lines) { (void)mailbox_.post({std::move(lines), false}); }
  void wake() { mailbox_.wake(); }
  void stop() {
    (void)mailbox_.post({{}, true});
    if (thread_.joinable()) thread_.join();
  }

  void mail() {
    std::vector<Letter> letters;
    mailbox_.take(letters);
    for (Letter& one : letters) one.stops ? begin_to_stop() : take(std::move(one.lines));
    look();
  }

 private:
  struct Letter {
    std::vector<std::shared_ptr<HookLine>> lines;
    bool stops;
  };

  void take(std::vector<std::shared_ptr<HookLine>> lines) {
    std::vector<std::unique_ptr<HookRunner>> fresh;
    for (std::shared_ptr<HookLine>& line : lines) {
      const auto known = std::find_if(runners_.begin(), runners_.end(),
                                      [&](const auto& one) { return one && &one->line() == line.get(); });
      fresh.push_back(known != runners_.end()
                          ? std::move(*known)
                          : std::make_unique<HookRunner>(std::move(line), options_.patience, loop_, *client_, *names_,
                                                         static_cast<HookRunner::Owner&>(*this)));
    }
    runners_ = std::move(fresh);
  }

  bool may_run() override {
    return std::count_if(runners_.begin(), runners_.end(), [](const auto& one) { return one->runs_command(); }) <
           static_cast<std::ptrdiff_t>(kMostCommands);
  }
  /// A runner is in a callback: all are looked at later.
  void ended() override {
    looks_again_ = true;
    alarm_->set(loop_.nanos());
  }
  void rang() override { look(); }

  void look() {
    if (!client_) return;
    const Millis now = steady_now();
    Millis next = HookRunner::kNever;
    looks_again_ = false;
    for (const auto& one : runners_) next = std::min(next, one->look(now));
    if (looks_again_) next = now;  // one ended a command, and another may wait for that
    // Those whose commands run now come last when the next turn is given.
    std::stable_partition(runners_.begin(), runners_.end(), [](const auto& one) { return !one->runs_command(); });
    if (stops_at_ != 0) {
      const bool all = std::all_of(runners_.begin(), runners_.end(), [](const auto& one) { return one->is_idle(); });
      if (all || now >= stops_at_) return close();
      next = std::min(next, stops_at_);
    }
    if (next != HookRunner::kNever) alarm_->set(loop_.nanos() + (next - std::min(next, now)) * 1'000'000);
  }

  void begin_to_stop() {
    if (stops_at_ != 0 || !client_) return;
    stops_at_ = steady_now() + options_.patience.at_end;
    for (const auto& one : runners_) one->hurry();
  }

  void close() {
    for (const auto& one : runners_)
      if (const auto left = one->line().report(); left.waiting != 0)
        log_warn("hook '{}': {} not sent when the program stopped", one->line().settings.name,
                 counted(left.waiting, "event"));
    runners_.clear();
    names_.reset();
    client_.reset();
    alarm_.reset();
    mailbox_.close();
  }

  const Options& options_;
  net::Loop& loop_;
  net::Mailbox<Letter, Thread> mailbox_{loop_, *this};
  std::unique_ptr<net::HostNames> names_;
  std::optional<net::Alarm> alarm_;
  std::optional<net::HttpClient> client_;
  std::vector<std::unique_ptr<HookRunner>> runners_;
  bool looks_again_ = false;
  Millis stops_at_ = 0;  // 0: it does not stop
  std::thread thread_;
};

// -- From any thread --------------------------------------------------------------------------------------------------

Hooks::Hooks(Options options) : options_(std::move(options)), prefix_(new_prefix()) {}

Hooks::~Hooks() { stop(); }

std::string Hooks::set(std::vector<HookSettings> fresh) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return "";
  std::string told;
  std::vector<std::shared_ptr<HookLine>> lines;
  std::uint32_t kinds = 0;
  for (HookSettings& settings : fresh) {
    kinds |= settings.kinds;
    const auto before = find_named(lines_, settings.name);
    if (before != lines_.end() && (*before)->settings.source == settings.source) {
      lines.push_back(*before);
      continue;
    }
    told += (before != lines_.end() ? "changed: hook '" : "added: hook '") + settings.name + "'\n";
    lines.push_back(std::make_shared<HookLine>(std::move(settings)));
    if (before != lines_.end()) lines.back()->inherit(**before);
  }
  for (const auto& old : lines_) {
    if (find_named(lines, old->settings.name) != lines.end()) continue;
    const std::size_t waiting = old->report().waiting;
    told += "removed: hook '" + old->settings.name + "'" +
            (waiting != 0 ? "; " + counted(waiting, "event") + " not sent" : "") + "\n";
  }
  lines_ = std::move(lines);
  kinds_ = kinds;
  if (thread_ == nullptr && !lines_.empty()) {
    auto made = std::make_unique<Thread>(options_, loop_);
    if (const auto started = made->start(); !started) {
      log_error("hooks are not told until the next reload: {}", started.error().text);
      return told + "hooks are not told until the next reload: " + started.error().text + "\n";
    }
    thread_ = std::move(made);
  }
  if (thread_ != nullptr) thread_->set(lines_);
  return told;
}

/// Joins and leaves are always counted, because a hook may be added later.
bool Hooks::wants(NewsKind kind) const {
  if (kind == NewsKind::kJoin || kind == NewsKind::kLeave) return true;
  return (kinds_ >> static_cast<unsigned>(kind) & 1U) != 0;
}

std::shared_ptr<const HookEvent> Hooks::numbered(relay::News news) {
  return std::make_shared<const HookEvent>(HookEvent{std::move(news), prefix_ + "-" + std::to_string(++last_id_)});
}

std::uint64_t Hooks::count_players(const std::string& place, NewsKind kind) {
  if (kind == NewsKind::kJoin) return ++players_[place];
  const auto found = players_.find(place);
  if (found == players_.end()) return 0;
  if (--found->second != 0) return found->second;
  players_.erase(found);
  return 0;
}

void Hooks::post(relay::News news) {
  const std::lock_guard lock(mutex_);
  std::optional<relay::News> last;
  if (news.kind() == NewsKind::kLeave || news.kind() == NewsKind::kJoin) {
    const std::string place = place_key(news);
    const std::uint64_t players = count_players(place, news.kind());
    news.set(NewsField::kPlayers, players);
    if (players != 0)
      held_.erase(place);
    else if (holds_empty_ && tells_empty_)
      held_.insert_or_assign(place, empty_like(news));
    else if (tells_empty_)
      last = empty_like(news);
  }
  if (kinds_ == 0 || stopped_) return;
  put(numbered(std::move(news)), nullptr);
  if (last) put(numbered(std::move(*last)), nullptr);
}

void Hooks::hold_empty(bool on) {
  const std::lock_guard lock(mutex_);
  holds_empty_ = on;
  if (on) return;
  for (const auto& [place, news] : std::exchange(held_, {}))
    if (kinds_ != 0 && !stopped_) put(numbered(empty_like(news)), nullptr);
}

void Hooks::stop_telling_empty() {
  const std::lock_guard lock(mutex_);
  tells_empty_ = false;
  held_.clear();
}

void Hooks::put(const std::shared_ptr<const HookEvent>& event, const HookLine* only) {
  bool news = false;
  const Millis now = steady_now();
  for (const auto& line : lines_)
    if (only != nullptr ? line.get() == only : is_for(line->settings, event->news))
      news = line->put(event, now) == HookLine::Put::kFirst || news;
  if (news && thread_ != nullptr) thread_->wake();
}

Outcome<Done> Hooks::test(const std::string& name, const std::string& by) {
  const std::lock_guard lock(mutex_);
  const auto found = find_named(lines_, name);
  if (found == lines_.end()) return Error{"there is no hook '" + name + "'; `hooks` lists them"};
  put(numbered(relay::News(NewsKind::kTest).set(NewsField::kText, by)), found->get());
  return Done{};
}

void Hooks::stop() {
  std::unique_ptr<Thread> thread;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    kinds_ = 0;
    thread = std::move(thread_);
  }
}

std::vector<std::shared_ptr<const HookLine>> Hooks::lines() const {
  const std::lock_guard lock(mutex_);
  return {lines_.begin(), lines_.end()};
}

void Hooks::measure(Metrics& metrics) const {
  for (const auto& line : lines()) {
    const Metrics::Labels labels = {{"hook", line->settings.name}};
    const HookLine::Report its = line->report();
    metrics.count("hook_events_delivered", "Events that a hook's receiver has taken", labels, its.totals.delivered);
    metrics.count("hook_events_failed", "Events that a hook gave up", labels, its.totals.failed);
    metrics.count("hook_events_dropped", "Events that a hook dropped because too many waited", labels,
                  its.totals.dropped);
    metrics.count("hook_retries", "How often a hook tried an event again", labels, its.totals.retried);
    metrics.gauge("hook_events_waiting", "Events that wait for a hook's receiver", labels,
                  static_cast<double>(its.waiting));
    metrics.gauge("hook_fails", "1 while the last try of a hook has failed", labels, its.error.empty() ? 0 : 1);
  }
}

void add_hooks_command(Control& control, Hooks& hooks) {
  control.add_order(
      "hooks [test NAME]",
      "Lists the hooks: what waits, what was sent, retried, given up and dropped, and why the last try failed. test: "
      "sends a test event to a hook.",
      [&hooks](std::string_view rest) -> Reply {
        if (trimmed(rest).empty()) {
          std::vector<ReplyRow> rows;
          for (const auto& line : hooks.lines()) {
            const HookLine::Report its = line->report();
            rows.push_back({text_field("hook", line->settings.name), text_field("to", line->settings.target()),
                            number_field("waiting", its.waiting), number_field("sent", its.totals.delivered),
                            number_field("retried", its.totals.retried), number_field("given_up", its.totals.failed),
                            number_field("dropped", its.totals.dropped), text_field("error", its.error)});
          }
          return Reply::table({"hook", "to", "waiting", "sent", "retried", "given_up", "dropped", "error"}, rows)
              .only_asked();
        }
        const std::string what = first_argument(rest), name = first_argument(rest);
        if (what != "test" || name.empty() || !trimmed(rest).empty()) return Error{"usage: hooks [test NAME]"};
        if (const auto sent = hooks.test(name, "by `entente ctl`"); !sent) return sent.error();
        return "a test event waits for hook '" + name + "'; `hooks` shows what becomes of it\n";
      });
}

}  // namespace entente
