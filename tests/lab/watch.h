// What the program under test tells its operator and its tap in a simulation, and what must hold of it.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "proxy/relay/base/counters.h"
#include "proxy/relay/base/events.h"
#include "proxy/relay/tap/tap_sink.h"
#include "tests/lab/kernel/kernel.h"
#include "tests/lab/plan.h"

namespace entente::lab {

/// Counts what the operator is told.
class Told : public relay::Events {
 public:
  /// `who`: whose operator it is.
  Told(const Plan& plan, std::string who) : plan_(plan), who_(std::move(who)) {}
  /// How often each refusal was told, also those that another one stands for.
  std::array<std::uint64_t, relay::kReasons> refusals{};

  void opened(const std::string& route, const relay::LinkInfo& session, std::uint64_t more) override;
  void closed(const std::string& route, const relay::LinkInfo& session, const relay::SessionOutcome& end,
              std::uint64_t more) override;
  void refused(const std::string& route, const relay::LinkInfo& session, relay::Reason reason, const Fault& fault,
               std::uint64_t at, std::uint64_t more) override;
  void words_dropped(const std::string&, const relay::LinkInfo&, std::string_view, std::uint64_t) override {}
  void warned(std::string_view sentence, const relay::About& about, std::uint64_t more) override;

 private:
  void tell(const std::string& what) const { plan_.tell(who_ + ": " + what); }
  const Plan& plan_;
  const std::string who_;
};

/// Follows sessions by what a tap is told.
class Followed final : public relay::Tap, private relay::TapSink {
 public:
  explicit Followed(Verdict& verdict) : verdict_(verdict) {}
  /// What passed on a link in one direction.
  struct Passed {
    Buffer stream, datagrams;
    std::vector<std::pair<Nanos, std::size_t>> when;  ///< how long the stream was at that time
  };
  struct Session {
    net::Address client;
    std::size_t route = 0;
    std::string reason;  ///< empty: it is open
    Passed to_server, to_client;
  };
  /// The program may begin anew: then it has another life, from 1, in which links have the same numbers.
  using Key = std::pair<int, relay::LinkId>;
  const std::map<Key, Session>& sessions() const { return sessions_; }
  int life() const { return life_; }
  void begin_life() {
    ++life_;
    most_open_ = 0;
  }
  /// In this life.
  std::size_t open() const;
  /// The most that were open at once.
  std::size_t most_open() const { return most_open_; }

  relay::TapSink& sink(std::size_t) override { return *this; }

 private:
  void opened(const relay::LinkInfo& session, WallTime at) override;
  void bytes(relay::LinkId link, wire::Way way, wire::Lane lane, Bytes bytes, WallTime at) override;
  void closed(relay::LinkId link, std::string_view reason, WallTime at) override;

  Verdict& verdict_;
  std::map<Key, Session> sessions_;
  int life_ = 0;
  std::size_t most_open_ = 0;
};

/// What must hold of a route when no session is left. `refusals`: what was told of all routes.
void check_totals(const relay::Totals& totals, const std::string& route, Verdict& verdict);

}  // namespace entente::lab
