// Writes a relay's events to the log, whose rate the relay limits, and gives its news to the hooks.
// Invariant: in JSON, a line has the route, the server, the address, the player, the session and the reason as fields,
// as far as it is about one.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "proxy/program/hooks/hooks.h"
#include "proxy/relay/base/events.h"

namespace entente {

class LogEvents final : public relay::Events {
 public:
  /// `player_of`: the name of a link's player in a relay, "" if it is not known. Called from any thread.
  /// `hooks` outlives it.
  LogEvents(std::function<std::string(relay::LinkId)> player_of, Hooks& hooks)
      : player_of_(std::move(player_of)), hooks_(hooks) {}

  void opened(const std::string& route, const relay::LinkInfo& session, std::uint64_t suppressed) override;
  void closed(const std::string& route, const relay::LinkInfo& session, const relay::SessionOutcome& end,
              std::uint64_t suppressed) override;
  void refused(const std::string& route, const relay::LinkInfo& session, relay::Reason reason, const Fault& fault,
               std::uint64_t at, std::uint64_t suppressed) override;
  void words_dropped(const std::string& route, const relay::LinkInfo& session, std::string_view what,
                     std::uint64_t suppressed) override;
  void informed(std::string_view sentence, const relay::About& about, std::uint64_t suppressed) override;
  void warned(std::string_view sentence, const relay::About& about, std::uint64_t suppressed) override;
  bool wants(relay::NewsKind kind) const override { return hooks_.wants(kind); }
  void news(relay::News news) override { hooks_.post(std::move(news)); }

 private:
  const std::function<std::string(relay::LinkId)> player_of_;
  Hooks& hooks_;
};

}  // namespace entente
