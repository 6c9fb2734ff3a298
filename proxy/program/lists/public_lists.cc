#include "proxy/program/lists/public_lists.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "adapters/aos/public_list.h"
#include "proxy/net/mailbox.h"
#include "proxy/net/named_thread.h"
#include "proxy/program/control/control.h"
#include "proxy/program/log/say.h"
#include "proxy/program/monitor/metrics.h"

namespace entente {

class PublicLists::Thread final : private net::Alarm::User {
 public:
  explicit Thread(PublicLists& owner)
      : owner_(owner),
        options_(owner.options_),
        loop_(owner.loop_),
        names_(std::make_unique<net::HostNames>([this] { mailbox_.wake(); }, options_.look_up)) {
    alarm_.emplace(loop_, static_cast<net::Alarm::User&>(*this));
    client_.emplace(loop_);
  }
  ~Thread() override {
    if (thread_.joinable()) thread_.join();
  }

  Outcome<Done> start() {
    auto started = net::start_thread("lists", [this] { loop_.run(); });
    if (!started) return started.error();
    thread_ = std::move(*started);
    return Done{};
  }

  void set(std::vector<PublicListSettings> settings) { (void)mailbox_.post({std::move(settings), Do::kSet}); }
  void wake() { mailbox_.wake(); }
  void end(bool removes) { (void)mailbox_.post({{}, removes ? Do::kStop : Do::kAbandon}); }

  void mail() {
    std::vector<Letter> letters;
    mailbox_.take(letters);
    for (Letter& one : letters) obey(std::move(one));
    look();
  }

 private:
  enum class Do : std::uint8_t { kSet, kStop, kAbandon };
  struct Letter {
    std::vector<PublicListSettings> settings;
    Do what;
  };
  struct One {
    PublicListSettings settings;
    std::uint16_t port = 0;
    std::unique_ptr<PublicAnnouncement> announcement;
    bool wanted = true;
    bool has_place_of(const One& other) const {
      return announcement->list == other.announcement->list && settings.host == other.settings.host &&
             port == other.port;
    }
  };

  struct Ended {
    std::string name, list;
    AnnouncementState::Report report;
  };

  void obey(Letter letter) {
    if (!client_) return;
    if (letter.what == Do::kSet) {
      settings_ = std::move(letter.settings);
      return;
    }
    settings_.clear();
    stops_at_ = steady_now() + options_.times.at_end;
    for (const One& one : all_) letter.what == Do::kStop ? one.announcement->hurry() : one.announcement->abandon();
  }

  /// Adds the announcements of servers that are new.
  void look_for(const PublicListSettings& settings, std::vector<std::pair<One*, PublicServer>>& found) {
    for (PublicServer& server : owner_.servers_(settings.of)) {
      if (found.size() == kMostServers) return;
      const bool bzflag = server.game == "bzflag" && !settings.bzflag_url.empty();
      const bool aos = server.game == "aos" && !settings.aos_host.empty() && aos::has_list(server.dialect);
      if (!bzflag && !aos) continue;
      auto known = std::find_if(all_.begin(), all_.end(), [&](const One& one) {
        return one.settings.has_same_entry(settings) && one.announcement->name == server.name &&
               one.port == server.port;
      });
      if (known == all_.end()) {
        const auto tell = [this] { alarm_->set(loop_.nanos()); };
        known = all_.insert(all_.end(),
                            One{settings, server.port,
                                bzflag ? announce_bzflag(settings, server.name, options_.times, *client_, *names_, tell)
                                       : announce_aos(settings, server.name, options_.times, loop_, *names_, tell)});
        take_counts(*known->announcement);
      }
      if (known->settings != settings) known->announcement->set(known->settings = settings);
      found.emplace_back(&*known, std::move(server));
    }
  }

  /// Continues the counts of a server that takes players again.
  void take_counts(const PublicAnnouncement& fresh) {
    const auto before = std::find_if(ended_.begin(), ended_.end(), [&](const Ended& one) {
      return one.name == fresh.name && one.list == fresh.list;
    });
    if (before == ended_.end()) return;
    fresh.state->count_on(before->report);
    ended_.erase(before);
  }

  void look() {
    if (!client_) return;
    all_.reserve(all_.size() + kMostServers);
    std::vector<std::pair<One*, PublicServer>> found;
    for (const PublicListSettings& settings : settings_) look_for(settings, found);
    const Millis now = steady_now();
    Millis next = settings_.empty() ? PublicAnnouncement::kNever : now + options_.times.look;
    for (One& one : all_) {
      const auto its =
          std::find_if(found.begin(), found.end(), [&](const auto& server) { return server.first == &one; });
      one.wanted = its != found.end();
      if (!one.wanted &&
          std::any_of(found.begin(), found.end(), [&](const auto& server) { return server.first->has_place_of(one); }))
        one.announcement->abandon();  // it was renamed: its place in the list goes on
      next = std::min(next, one.announcement->look(one.wanted ? &its->second : nullptr, now));
    }
    std::erase_if(all_, [this](const One& one) {
      const bool ended = !one.wanted && !one.announcement->is_open();
      if (!ended) return false;
      Ended counts{one.announcement->name, one.announcement->list, one.announcement->state->report()};
      std::erase_if(ended_, [&](const Ended& old) { return old.name == counts.name && old.list == counts.list; });
      ended_.push_back(std::move(counts));
      return true;
    });
    if (ended_.size() > kMostServers)
      ended_.erase(ended_.begin(), ended_.end() - static_cast<std::ptrdiff_t>(kMostServers));
    publish();
    if (stops_at_ != 0) {
      if (all_.empty() || now >= stops_at_) return close();
      next = std::min(next, stops_at_);
    }
    if (next != PublicAnnouncement::kNever) alarm_->set(loop_.nanos() + (next - std::min(next, now)) * 1'000'000);
  }

  void publish() const {
    const std::lock_guard lock(owner_.mutex_);
    owner_.rows_.clear();
    owner_.states_.clear();
    for (const One& one : all_) {
      owner_.rows_.push_back({one.announcement->name, one.announcement->list, {}});
      owner_.states_.push_back(one.announcement->state);
    }
  }

  void rang() override { look(); }

  void close() {
    all_.clear();
    names_.reset();
    client_.reset();
    alarm_.reset();
    mailbox_.close();
  }

  static constexpr std::size_t kMostServers = 256;

  PublicLists& owner_;
  const Options& options_;
  net::Loop& loop_;
  net::Mailbox<Letter, Thread> mailbox_{loop_, *this};
  std::unique_ptr<net::HostNames> names_;
  std::optional<net::Alarm> alarm_;
  std::optional<net::HttpClient> client_;
  std::vector<PublicListSettings> settings_;
  std::vector<One> all_;
  std::vector<Ended> ended_;  // the newest last; at most kMostServers
  Millis stops_at_ = 0;       // 0: it does not stop
  std::thread thread_;
};

PublicLists::PublicLists(Servers servers, Options options)
    : servers_(std::move(servers)), options_(std::move(options)) {}

PublicLists::~PublicLists() { stop(); }

std::string PublicLists::set(std::vector<PublicListSettings> fresh) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || fresh == settings_) return "";
  if (thread_ == nullptr) {
    auto made = std::make_unique<Thread>(*this);
    if (const auto started = made->start(); !started) {
      log_error("nothing is announced in public lists until the next reload: {}", started.error().text);
      return "nothing is announced in public lists until the next reload: " + started.error().text + "\n";
    }
    thread_ = std::move(made);
  }
  settings_ = std::move(fresh);
  thread_->set(settings_);
  return "changed: the announcements in public lists\n";
}

void PublicLists::look_soon() {
  const std::lock_guard lock(mutex_);
  if (thread_ != nullptr && !stopped_) thread_->wake();
}

void PublicLists::abandon() { begin_end(false); }

void PublicLists::stop() {
  begin_end(true);
  std::unique_ptr<Thread> thread;
  {
    const std::lock_guard lock(mutex_);
    thread = std::move(thread_);
  }
}

void PublicLists::begin_end(bool removes) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(stopped_, true) && thread_ != nullptr) thread_->end(removes);
}

std::vector<PublicLists::Row> PublicLists::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<Row> all = rows_;
  for (std::size_t i = 0; i < all.size(); ++i) all[i].report = states_[i]->report();
  return all;
}

void PublicLists::measure(Metrics& metrics) const {
  for (const Row& one : rows()) {
    const Metrics::Labels labels = {{"route", one.name}, {"list", one.list}};
    metrics.gauge("list_has_us", "1 while the listener is in the public list", labels, one.report.listed ? 1 : 0);
    metrics.count("list_told", "What a public list was told and took", labels, one.report.told);
    metrics.count("list_failures", "What a public list refused, or did not get", labels, one.report.failed);
  }
}

void add_lists_command(Control& control, const PublicLists& lists) {
  control.add("lists", "Lists what is announced in public lists: listener, list, whether it is there, and why not.",
              [&lists](std::string_view rest) -> Reply {
                if (!rest.empty()) return Error{"lists takes no arguments"};
                std::vector<ReplyRow> rows;
                for (const PublicLists::Row& one : lists.rows())
                  rows.push_back({text_field("route", one.name), text_field("list", one.list),
                                  flag_field("listed", one.report.listed), text_field("error", one.report.error)});
                return Reply::table({"route", "list", "listed", "error"}, rows);
              });
}

}  // namespace entente
