// Events that nobody hears.
#pragma once

#include "proxy/relay/events.h"

namespace entente::testing {

struct SilentEvents final : relay::Events {
  void opened(const relay::SessionInfo&, std::uint64_t) override {}
  void closed(const relay::SessionInfo&, const relay::SessionEnd&, std::uint64_t) override {}
  void refused(const relay::SessionInfo&, relay::Reason, const Fault&, std::uint64_t, std::uint64_t) override {}
  void words_dropped(const relay::SessionInfo&, std::string_view, std::uint64_t) override {}
  void said(std::string_view, std::uint64_t) override {}
};

}  // namespace entente::testing
