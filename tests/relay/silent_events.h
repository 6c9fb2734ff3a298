// Ignores all events.
#pragma once

#include "proxy/relay/base/events.h"

namespace entente::testing {

struct SilentEvents final : relay::Events {
  void opened(const std::string&, const relay::LinkInfo&, std::uint64_t) override {}
  void closed(const std::string&, const relay::LinkInfo&, const relay::SessionOutcome&, std::uint64_t) override {}
  void refused(const std::string&, const relay::LinkInfo&, relay::Reason, const Fault&, std::uint64_t,
               std::uint64_t) override {}
  void words_dropped(const std::string&, const relay::LinkInfo&, std::string_view, std::uint64_t) override {}
  void warned(std::string_view, const relay::About&, std::uint64_t) override {}
};

}  // namespace entente::testing
