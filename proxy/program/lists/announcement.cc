#include "proxy/program/lists/announcement.h"

#include <algorithm>
#include <utility>

#include "adapters/aos/public_list.h"
#include "adapters/bzflag/public_list.h"
#include "proxy/base/text.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/log/say.h"

namespace entente {
namespace {

constexpr Millis kLookAgainSoon = 100;       // while a name is looked up
constexpr std::size_t kLongestReason = 200;  // bytes of a list's answer
constexpr unsigned kMostFailures = 6;        // of removals: by then, the list has forgotten the server

// -- BZFlag -----------------------------------------------------------------------------------------------------------

class BzflagAnnouncement final : public PublicAnnouncement, private net::HttpClient::User {
 public:
  BzflagAnnouncement(const PublicListSettings& settings, const std::string& its_name, const ListTimes& times,
                     net::HttpClient& client, net::HostNames& names, std::function<void()> tell)
      : PublicAnnouncement(its_name, settings.bzflag_url, settings, times), client_(client), tell_(std::move(tell)) {
    const auto url = net::HttpUrl::parse(settings.bzflag_url);
    if (url && !net::Address::parse(url->host, 0)) host_ = names.host(url->host);
  }

  Millis look(const PublicServer* server, Millis now) override {
    if (hurries_ && adds_) request_.reset();  // it may never be answered
    if (request_ != nullptr) return kNever;
    if (server != nullptr) place_ = net::host_and_port(settings_.host, server->port);
    const std::string form = server != nullptr ? form_for(*server)
                             : may_be_there_   ? bzflag::form_to_remove(place_)
                                               : "";
    const bool changed = form != told_;
    Millis due = std::max(due_, told_at_ == 0 ? 0 : told_at_ + (changed ? times_.change : times_.again));
    if (server == nullptr) due = hurries_ ? 0 : due_;
    if (form.empty()) return kNever;
    if (now < due) return due;
    if (host_ != nullptr && !host_->look_up(now)) return now + kLookAgainSoon;
    send(form, server != nullptr, now);
    return kNever;
  }
  bool is_open() const override { return may_be_there_ || request_ != nullptr; }
  void abandon() override {
    request_.reset();
    may_be_there_ = false;
  }

 private:
  std::string form_for(const PublicServer& server) const {
    return bzflag::form_to_add(
        {place_, settings_.title, settings_.bzflag_key, server.dialect, server.players, server.most_players});
  }

  void send(const std::string& form, bool adds, Millis now) {
    if (host_ != nullptr && host_->addresses().empty()) {
      const std::string why = host_->why();
      return ended(adds, "no address of the list was found" + (why.empty() ? "" : ": " + why), now);
    }
    net::HttpCall call{settings_.bzflag_url};
    if (host_ != nullptr) call.to = host_->addresses();
    call.headers = {"Content-Type: application/x-www-form-urlencoded"};
    call.body = form;
    call.time = times_.answer;
    sent_ = form;
    adds_ = adds;
    may_be_there_ = may_be_there_ || adds;
    request_ = client_.send(call, static_cast<net::HttpClient::User&>(*this));
  }

  void answered(const net::HttpOutcome& outcome) override {
    request_.reset();
    std::string why;
    if (outcome.status == 0)
      why = outcome.error;
    else if (outcome.status != 200)
      why = "it answered " + std::to_string(outcome.status);
    else if (const std::string said = bzflag::objection_of_list(outcome.beginning); !said.empty())
      why = "it says: " + std::string(whole_characters(said, kLongestReason));
    ended(adds_, why, steady_now());
  }

  void ended(bool adds, const std::string& why, Millis now) {
    if (!adds && (why.empty() || hurries_ || failures_ + 1 >= kMostFailures)) may_be_there_ = false;
    if (!adds || why.empty()) told_ = adds ? sent_ : "";
    told_at_ = adds && why.empty() ? now : 0;
    why.empty() ? succeed(adds, now) : fail(why, now, adds);
    tell_();
  }

  net::HttpClient& client_;
  const std::function<void()> tell_;
  std::shared_ptr<net::HostNames::Host> host_;  // null: the URL has an address
  std::unique_ptr<net::HttpClient::Request> request_;
  std::string place_, sent_, told_;
  bool adds_ = false;
  bool may_be_there_ = false;  // a try that failed may still have put it there, or the process before us has
};

// -- Ace of Spades ----------------------------------------------------------------------------------------------------

class AosAnnouncement final : public PublicAnnouncement, private net::EnetHost::User {
 public:
  AosAnnouncement(const PublicListSettings& settings, const std::string& its_name, const ListTimes& times,
                  net::Loop& loop, net::HostNames& names, std::function<void()> tell)
      : PublicAnnouncement(its_name, net::host_and_port(settings.aos_host, settings.aos_port), settings, times),
        tell_(std::move(tell)),
        enet_(loop, static_cast<net::EnetHost::User&>(*this)) {
    address_ = net::Address::parse(settings.aos_host, settings.aos_port);
    if (!address_) host_ = names.host(settings.aos_host);
  }
  ~AosAnnouncement() override {
    if (enet_.is_open()) enet_.close();
  }

  Millis look(const PublicServer* server, Millis now) override {
    if (server == nullptr) return leave(now);
    if (leaves_) return kNever;
    if (up_) {
      report(*server, now);
      return kNever;
    }
    if (peer_ != nullptr) {
      if (now < connects_until_) return connects_until_;
      enet_.disconnect_now(*std::exchange(peer_, nullptr), 0);
      fail("it does not answer", now);
    }
    if (now < due_) return due_;
    if (host_ != nullptr && !host_->look_up(now)) return now + kLookAgainSoon;
    connect(now);
    return peer_ != nullptr ? connects_until_ : due_;
  }
  bool is_open() const override { return peer_ != nullptr; }
  /// The master removes what it was told over our connection, when that ends.
  void abandon() override { abandoned_ = true; }

 private:
  void connect(Millis now) {
    std::optional<net::Address> to;
    if (address_)
      to = *address_;
    else
      for (const net::Address& one : host_->addresses())
        if (!one.v6()) to = one.with_port(settings_.aos_port);  // ENet knows IPv4 only
    if (!to) return fail("no address of the list was found", now);
    if (!enet_.is_open()) {
      const auto opened = enet_.open({.peers = 1, .channels = 1, .range_coder = true, .largest_packet = 4096});
      if (!opened) return fail(opened.error().text, now);
    }
    peer_ = enet_.connect(*to, 1, aos::kMasterVersion);
    if (peer_ == nullptr) return fail("there is no place for a connection", now);
    connects_until_ = now + times_.answer;
  }

  void report(const PublicServer& server, Millis now) {
    const Buffer about =
        aos::packet_to_add({settings_.title, server.mode, server.map, server.port, server.most_players});
    const Buffer count = aos::packet_of_count(server.players);
    if (about == told_ && count == told_count_) return;
    if (told_at_ != 0 && now < told_at_ + times_.change / 10) return;
    if (about != told_) enet_.send(*peer_, 0, net::EnetPacket(about, net::EnetDelivery::kReliable));
    enet_.send(*peer_, 0, net::EnetPacket(count, net::EnetDelivery::kReliable));
    told_ = about;
    told_count_ = count;
    told_at_ = now;
    succeed(true, now);
  }

  Millis leave(Millis now) {
    if (peer_ == nullptr) return kNever;
    if (!up_) {
      enet_.disconnect_now(*std::exchange(peer_, nullptr), 0);
      return kNever;
    }
    if (!std::exchange(leaves_, true)) {
      enet_.disconnect(*peer_, 0);
      if (!abandoned_) succeed(false, now);
    }
    return kNever;
  }

  void connected(net::EnetPeer&, std::uint32_t) override {
    up_ = true;
    tell_();
  }
  void received(net::EnetPeer&, std::uint8_t, net::EnetPacket) override {}  // a master has nothing to say
  void disconnected(net::EnetPeer&, std::uint32_t data) override {
    const bool was_up = std::exchange(up_, false);
    peer_ = nullptr;
    told_.clear();
    told_at_ = 0;
    if (!std::exchange(leaves_, false))
      fail(was_up ? "it has disconnected us (" + std::to_string(data) + ")" : "it does not answer", steady_now());
    tell_();
  }

  const std::function<void()> tell_;
  net::EnetHost enet_;
  Outcome<net::Address> address_ = Error{""};
  std::shared_ptr<net::HostNames::Host> host_;  // null: it has an address
  net::EnetPeer* peer_ = nullptr;
  bool up_ = false, leaves_ = false, abandoned_ = false;
  Millis connects_until_ = 0;
  Buffer told_, told_count_;
};

}  // namespace

void AnnouncementState::set(bool listed, const std::string& error) {
  const std::lock_guard lock(mutex_);
  report_.listed = listed;
  error.empty() ? ++report_.told : ++report_.failed;
  report_.error = error;
}

void AnnouncementState::count_on(const Report& before) {
  const std::lock_guard lock(mutex_);
  report_.told += before.told;
  report_.failed += before.failed;
}

void PublicAnnouncement::succeed(bool listed, Millis) {
  const bool before = state->report().listed;
  state->set(listed, "");
  if (failures_ != 0 || listed != before) log_info("{} is {} the list {}", name, listed ? "in" : "no longer in", list);
  failures_ = 0;
}

void PublicAnnouncement::fail(const std::string& why, Millis now, bool adds) {
  state->set(false, why);
  if (failures_++ == 0)
    log_warn("{} cannot be {} {}: {}", name, adds ? "announced at" : "removed from", list, screen_text(why));
  due_ = now + std::min(times_.most_retry, times_.retry << std::min(failures_ - 1, 10U));
}

std::unique_ptr<PublicAnnouncement> announce_bzflag(const PublicListSettings& settings, const std::string& name,
                                                    const ListTimes& times, net::HttpClient& client,
                                                    net::HostNames& names, std::function<void()> tell) {
  return std::make_unique<BzflagAnnouncement>(settings, name, times, client, names, std::move(tell));
}

std::unique_ptr<PublicAnnouncement> announce_aos(const PublicListSettings& settings, const std::string& name,
                                                 const ListTimes& times, net::Loop& loop, net::HostNames& names,
                                                 std::function<void()> tell) {
  return std::make_unique<AosAnnouncement>(settings, name, times, loop, names, std::move(tell));
}

}  // namespace entente
