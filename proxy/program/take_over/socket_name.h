// The name of a socket that is passed at a take-over: "listener 0.0.0.0:5154", "control", "own control" or
// "older". The third is a control socket that its process made, and so removes in the end; the last a connection to a
// process that was taken over from before, and has no control socket.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proxy/net/address.h"

namespace entente {

struct SocketName {
  enum class Kind : std::uint8_t { kListener, kControl, kOwnControl, kOlder } kind = Kind::kListener;
  net::Address bound = {};

  std::string text() const {
    if (kind == Kind::kListener) return "listener " + bound.text();
    if (kind == Kind::kOlder) return "older";
    return kind == Kind::kControl ? "control" : "own control";
  }
  static std::optional<SocketName> parse(std::string_view text) {
    if (text == "control") return SocketName{Kind::kControl};
    if (text == "own control") return SocketName{Kind::kOwnControl};
    if (text == "older") return SocketName{Kind::kOlder};
    constexpr std::string_view kBefore = "listener ";
    if (!text.starts_with(kBefore)) return std::nullopt;
    const auto at = net::Address::parse(text.substr(kBefore.size()));
    if (!at) return std::nullopt;
    return SocketName{Kind::kListener, *at};
  }
};

}  // namespace entente
