#include "proxy/program/log/log_events.h"

#include <string>

#include "proxy/base/text.h"
#include "proxy/program/config/route.h"
#include "proxy/program/log/say.h"
#include "proxy/program/time_text.h"

namespace entente {
namespace {

std::string text(const Fault& fault, std::uint64_t at) {
  std::string said = std::string(": ") + fault.what;
  if (*fault.field != '\0') said += std::string(" in ") + fault.field;
  return said + " at byte " + std::to_string(at + fault.offset);
}

/// A wildcard says nothing, so only its port is named.
std::string at_text(const net::Address& listener) {
  return listener.wildcard() ? "port " + std::to_string(listener.port()) : listener.text();
}

/// "from 192.0.2.7:4000"
std::string who_text(const relay::LinkInfo& session) {
  return "from " + (session.client.port() == 0 ? "a bot" : session.client.text());
}

/// " to 192.0.2.9:5154"; nothing in an arena or a replay, which is its own server.
std::string to_text(const relay::LinkInfo& session) {
  const bool known = session.server.port() != 0 && session.server != session.listener;
  return known ? " to " + session.server.text() : "";
}

/// "from 192.0.2.7:4000 at 192.0.2.1:5154"
std::string from_text(const relay::LinkInfo& session) {
  return who_text(session) + (session.client.port() == 0 ? "" : " at " + at_text(session.listener));
}

}  // namespace

void LogEvents::opened(const relay::LinkInfo& session, std::uint64_t suppressed) {
  log_info("session {} opened: {} {}{}{}", session.link, dialect_text(*session.game, session.dialect),
           from_text(session), to_text(session), and_more(suppressed));
}

void LogEvents::closed(const relay::LinkInfo& session, const relay::SessionOutcome& end, std::uint64_t suppressed) {
  const std::string player = end.player.empty() ? player_of_(session.link) : end.player;
  const std::string name = player.empty() ? "" : "\"" + clean(player) + "\" ";
  log_info("session {} closed: {} ({}{} after {}){}", session.link, relay::text(end.reason), name, who_text(session),
           time_text(end.length * 1000), and_more(suppressed));
}

void LogEvents::refused(const relay::LinkInfo& session, relay::Reason reason, const Fault& fault, std::uint64_t at,
                        std::uint64_t suppressed) {
  const bool bot = session.client.port() == 0;
  log_warn("refused {} ({}): {}{}{}", bot ? "a bot" : session.client.text() + " at " + at_text(session.listener),
           dialect_text(*session.game, session.dialect), relay::text(reason),
           *fault.what != '\0' ? text(fault, at) : "", and_more(suppressed));
}

void LogEvents::words_dropped(const relay::LinkInfo& session, std::string_view what, std::uint64_t suppressed) {
  log_info("session {}: not forwarded: {}{}", session.link, what, and_more(suppressed));
}

void LogEvents::informed(std::string_view sentence, std::uint64_t suppressed) {
  log_info("{}{}", sentence, and_more(suppressed));
}

void LogEvents::warned(std::string_view sentence, std::uint64_t suppressed) {
  log_warn("{}{}", sentence, and_more(suppressed));
}

}  // namespace entente
