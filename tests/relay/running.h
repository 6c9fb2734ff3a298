// A relay that runs on its own threads while the test acts as its peers. Its events and its tap's data are kept.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "proxy/relay/proxy_server.h"
#include "tests/relay/peers.h"

namespace entente::testing {

/// Keeps the events of a relay, as lines of text.
class Heard final : public relay::Events {
 public:
  void opened(const std::string&, const relay::LinkInfo& session, std::uint64_t more) override {
    note("opened " + session.client.text(), more);
  }
  void closed(const std::string&, const relay::LinkInfo& session, const relay::SessionOutcome& end,
              std::uint64_t more) override {
    {
      std::lock_guard lock(mutex_);
      last_closed_ = {session.link, end.length};
    }
    note(std::string(relay::text(end.reason)) + (end.player.empty() ? "" : ": " + end.player), more);
  }
  void refused(const std::string&, const relay::LinkInfo&, relay::Reason reason, const Fault& fault, std::uint64_t at,
               std::uint64_t more) override {
    std::string line = relay::text(reason);
    if (*fault.what) line += std::string(": ") + fault.what + "/" + fault.field + " at " + std::to_string(at);
    note(line, more);
  }
  void words_dropped(const std::string&, const relay::LinkInfo&, std::string_view what, std::uint64_t more) override {
    note("words_dropped " + std::string(what), more);
  }
  void warned(std::string_view sentence, const relay::About&, std::uint64_t more) override {
    note(std::string(sentence), more);
  }

  bool wants(relay::NewsKind) const override { return wants_news; }
  void news(relay::News news) override {
    std::lock_guard lock(mutex_);
    news_.push_back(std::move(news));
  }

  /// Waits for the first news of this kind.
  relay::News first_news(relay::NewsKind kind) {
    std::optional<relay::News> found;
    REQUIRE(eventually([&] {
      std::lock_guard lock(mutex_);
      const auto at = std::find_if(news_.begin(), news_.end(), [=](const auto& one) { return one.kind() == kind; });
      if (at != news_.end()) found = *at;
      return found.has_value();
    }));
    return *found;
  }
  std::size_t count_news(relay::NewsKind kind) {
    std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(news_.begin(), news_.end(), [=](const auto& one) { return one.kind() == kind; }));
  }
  /// Waits for a line that contains `part`. False: none came.
  bool line(std::string_view part) {
    return eventually([&] {
      const auto all = lines();
      return std::any_of(all.begin(), all.end(), [&](auto& one) { return one.find(part) != std::string::npos; });
    });
  }
  std::vector<std::string> lines() {
    std::lock_guard lock(mutex_);
    return lines_;
  }
  /// The number and the length of the session that was logged last as closed.
  std::pair<relay::LinkId, Millis> last_closed() {
    std::lock_guard lock(mutex_);
    return last_closed_;
  }
  /// How many events have a line that contains `part`, including those that another event only counts.
  std::uint64_t told(std::string_view part) {
    std::lock_guard lock(mutex_);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].find(part) != std::string::npos) sum += 1 + more_[i];
    return sum;
  }

  std::atomic<bool> wants_news = false;  ///< they are kept

 private:
  void note(std::string line, std::uint64_t more) {
    std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    more_.push_back(more);
  }
  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::vector<relay::News> news_;
  std::pair<relay::LinkId, Millis> last_closed_;
  std::vector<std::uint64_t> more_;  // for each line, the events that it only counts
};

/// Keeps what a tap receives.
class Tapped final : public relay::Tap, private relay::TapSink {
 public:
  struct Record {
    Buffer to_server, to_client;
    std::vector<Buffer> datagrams_to_server, datagrams_to_client;
    std::string closed;
    std::vector<Buffer> kept;  // by a lab
    std::string notes;         // one line each
    relay::TapSink::LabMark mark = relay::TapSink::LabMark::kPassed;
  };

  relay::TapSink& sink(std::size_t) override { return *this; }
  Record record(relay::LinkId link) {
    std::lock_guard lock(mutex_);
    return records_[link];
  }
  /// Waits until there is a note of this link with this text.
  bool noted(relay::LinkId link, std::string_view text) {
    const bool is_there = eventually([&] { return record(link).notes.find(text) != std::string::npos; });
    if (!is_there) MESSAGE("the notes of link ", link, ":\n", record(link).notes);
    return is_there;
  }
  /// How many sessions were opened and not closed.
  std::size_t left_open() {
    std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(records_.begin(), records_.end(), [](auto& one) { return one.second.closed.empty(); }));
  }

 private:
  void opened(const relay::LinkInfo& session, WallTime) override {
    std::lock_guard lock(mutex_);
    records_[session.link] = {};
  }
  void lab(relay::LinkId link, LabMark mark, std::uint64_t, WallTime) override {
    std::lock_guard lock(mutex_);
    records_.at(link).mark = mark;
  }
  void bytes(relay::LinkId link, wire::Way way, wire::Lane lane, Bytes bytes, WallTime) override {
    std::lock_guard lock(mutex_);
    Record& record = records_.at(link);
    const LabMark mark = std::exchange(record.mark, LabMark::kPassed);
    if (mark == LabMark::kKept || mark == LabMark::kAltered) return record.kept.push_back({bytes.begin(), bytes.end()});
    const bool up = way == wire::Way::kToServer;
    if (lane == wire::Lane::kStream)
      append(up ? record.to_server : record.to_client, bytes);
    else
      (up ? record.datagrams_to_server : record.datagrams_to_client).emplace_back(bytes.begin(), bytes.end());
  }
  void note(relay::LinkId link, std::string_view text, WallTime) override {
    std::lock_guard lock(mutex_);
    records_[link].notes.append(text).append("\n");
  }
  void closed(relay::LinkId link, std::string_view reason, WallTime) override {
    std::lock_guard lock(mutex_);
    records_.at(link).closed = reason;
  }

  std::mutex mutex_;
  std::map<relay::LinkId, Record> records_;
};

/// No limits to rates, to the number of sessions, or to the time until a player is admitted.
inline Limits no_limits() {
  Limits limits;
  limits.connects_per_second = limits.bytes_per_second = limits.messages_per_second = limits.datagrams_per_second = 0;
  limits.address_bytes_per_second = limits.address_messages_per_second = 0;
  limits.server_bytes_per_second = limits.server_messages_per_second = 0;
  limits.sessions = limits.sessions_per_address = limits.enters_per_second = 0;
  limits.ready_ms = limits.lobby_ms = limits.address_waiting_bytes = 0;
  return limits;
}

/// One route. It runs on its own thread until the end of the test.
class Serving {
 public:
  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  relay::Totals totals() const { return server_.totals(0); }
  std::vector<relay::SessionReport> sessions() const { return server_.sessions(); }
  relay::ProxyServer& server() { return server_; }
  const relay::ProxyServer& server() const { return server_; }
  bool kick(relay::LinkId link, std::string_view why) { return server_.kick(link, why); }
  void set_draining(bool draining) { server_.set_draining(0, draining); }
  std::size_t end_sessions(std::string_view why) { return server_.end_sessions(0, why); }
  std::vector<relay::SessionReport> say(std::string_view text) { return server_.announce(0, text); }
  void set_rules(relay::NewcomerRules rules) { server_.set_rules(0, std::move(rules)); }
  /// Waits until no session is left.
  bool empty() const {
    return eventually([&] { return totals().current_sessions() == 0; });
  }
  /// Waits until so many sessions have ended for this reason.
  bool ended(relay::Reason reason, std::uint64_t times = 1) const {
    return eventually([&] { return totals().by(reason) >= times; });
  }
  bool dropped(relay::Drop drop, std::uint64_t times = 1) const {
    return eventually([&] { return totals().by(drop) >= times; });
  }

  Heard heard;
  Tapped tapped;
  net::Address address;

 protected:
  explicit Serving(std::size_t workers, net::LookUp look_up = net::look_up_by_system,
                   const net::Schedule::Clock& nanos = net::Loop::clock())
      : server_(workers, heard, std::move(look_up), nanos) {}
  ~Serving() { stop(); }

  /// Runs the route in `options`, with this server.
  void serve(relay::RouteOptions options, const net::Address& server, const Limits& limits, relay::Tap* tap,
             std::size_t listen_dialect = 0) {
    options.listen_dialect = listen_dialect;
    options.servers[0].host = server.ip_text();
    options.servers[0].port = server.port();
    serve_all(std::move(options), limits, tap);
  }
  /// The same, with the servers in `options`.
  void serve_all(relay::RouteOptions options, const Limits& limits, relay::Tap* tap = nullptr) {
    options.limits = limits;
    options.tap = tap ? tap : &tapped;
    const auto listening = server_.add(options);
    REQUIRE_MESSAGE(listening.ok(), (listening.ok() ? "" : listening.error().text));
    address = listening->address;
    thread_ = std::thread([this] { server_.run(); });
  }

 private:
  relay::ProxyServer server_;
  std::thread thread_;
};

/// One relay in front of `server`.
class Running : public Serving {
 public:
  Running(const wire::Game& game, const net::Address& server, Limits limits = no_limits(), std::size_t workers = 1,
          std::optional<std::size_t> server_dialect = 0, relay::Tap* tap = nullptr, relay::WebOptions web = {},
          relay::EnetMode enet = relay::EnetMode::kPackets, bool strict = false, relay::Bans* bans = nullptr,
          relay::Access access = {}, bool announce = false)
      : Serving(workers) {
    relay::RouteOptions options;
    options.game = &game;
    options.servers[0].dialect = server_dialect;
    options.listen = loopback(server.v6());
    options.web = std::move(web);
    options.enet = enet;
    options.strict = strict;
    options.bans = bans;
    options.access = {std::move(access)};
    options.announce = announce;
    serve(std::move(options), server, limits, tap);
  }
};

}  // namespace entente::testing
