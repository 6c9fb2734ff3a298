// Writes a relay's events to the log. The relay limits their rate.
#pragma once

#include "proxy/relay/events.h"

namespace entente {

class LogEvents final : public relay::Events {
 public:
  void opened(const relay::SessionInfo& session, std::uint64_t suppressed) override;
  void closed(const relay::SessionInfo& session, relay::Reason reason, std::uint64_t suppressed) override;
  void refused(const relay::SessionInfo& session, relay::Reason reason, const Fault& fault, std::uint64_t at,
               std::uint64_t suppressed) override;
  void words_dropped(const relay::SessionInfo& session, std::string_view what, std::uint64_t suppressed) override;
  void noted(std::string_view sentence, std::uint64_t suppressed) override;
  void said(std::string_view sentence, std::uint64_t suppressed) override;
};

}  // namespace entente
