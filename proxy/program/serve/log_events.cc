#include "proxy/program/serve/log_events.h"

#include <array>
#include <string>

#include "proxy/base/text.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/log/say.h"
#include "proxy/program/settings/route.h"

namespace entente {
namespace {

std::string fault_text(const Fault& fault, std::uint64_t at) {
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

relay::About about(const std::string& route, const relay::LinkInfo& session, const std::string& player = {}) {
  relay::About about = relay::about(session, player);
  about.route = route;
  return about;
}

/// " (route ctf)"; nothing if the route has no name of its own, because the line has its listener.
std::string on_route(const std::string& route) {
  return route.find(' ') == std::string::npos && !route.empty() ? " (route " + route + ")" : "";
}

template <class... Values>
void log_about(LogLevel level, const relay::About& about, const char* reason, fmt::format_string<Values...> format,
               Values&&... values) {
  const std::string session = about.session == 0 ? "" : std::to_string(about.session), player = clean(about.player);
  const std::array<LogField, 6> fields{{{"session", session},
                                        {"route", about.route},
                                        {"server", about.server},
                                        {"address", about.address},
                                        {"player", player},
                                        {"reason", reason}}};
  write_log(level, format, fmt::make_format_args(values...), fields);
}

}  // namespace

void LogEvents::opened(const std::string& route, const relay::LinkInfo& session, std::uint64_t suppressed) {
  log_about(LogLevel::kInfo, about(route, session), "", "session {} opened: {} {}{}{}{}", session.link,
            dialect_text(*session.game, session.dialect), from_text(session), to_text(session), on_route(route),
            and_more(suppressed));
}

void LogEvents::closed(const std::string& route, const relay::LinkInfo& session, const relay::SessionOutcome& end,
                       std::uint64_t suppressed) {
  const std::string player = end.player.empty() ? player_of_(session.link) : end.player;
  const std::string name = player.empty() ? "" : "\"" + clean(player) + "\" ";
  const char* const reason = relay::text(end.reason);
  log_about(LogLevel::kInfo, about(route, session, player), reason, "session {} closed: {} ({}{} after {}){}{}",
            session.link, reason, name, who_text(session), time_text(end.length * 1000), on_route(route),
            and_more(suppressed));
}

void LogEvents::refused(const std::string& route, const relay::LinkInfo& session, relay::Reason reason,
                        const Fault& fault, std::uint64_t at, std::uint64_t suppressed) {
  const bool bot = session.client.port() == 0;
  log_about(LogLevel::kWarn, about(route, session), relay::text(reason), "refused {} ({}): {}{}{}{}",
            bot ? "a bot" : session.client.text() + " at " + at_text(session.listener),
            dialect_text(*session.game, session.dialect), relay::text(reason),
            *fault.what != '\0' ? fault_text(fault, at) : "", on_route(route), and_more(suppressed));
}

void LogEvents::words_dropped(const std::string& route, const relay::LinkInfo& session, std::string_view what,
                              std::uint64_t suppressed) {
  log_about(LogLevel::kInfo, about(route, session), "", "session {}: not forwarded: {}{}", session.link, what,
            and_more(suppressed));
}

void LogEvents::informed(std::string_view sentence, const relay::About& about, std::uint64_t suppressed) {
  log_about(LogLevel::kInfo, about, "", "{}{}", sentence, and_more(suppressed));
}

void LogEvents::warned(std::string_view sentence, const relay::About& about, std::uint64_t suppressed) {
  log_about(LogLevel::kWarn, about, "", "{}{}", sentence, and_more(suppressed));
}

}  // namespace entente
