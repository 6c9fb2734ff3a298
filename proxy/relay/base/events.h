// Reports session events to the operator. The program turns them into log lines, and for hooks into requests.
// Invariant: the calls for the log are rate-limited before they get here (log_limiter.h); news() is not. Each kind comes ten times in a burst,
// then once a second; banned clients come once a minute. `suppressed` is the number of similar events that the call
// also stands for. A call that is held back comes later, so in a flood a session's opening may be reported after its
// end. Implementations are thread-safe and do not block: workers call them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/base/fault.h"
#include "proxy/base/time.h"
#include "proxy/relay/base/link_info.h"
#include "proxy/relay/base/news.h"
#include "proxy/relay/base/reason.h"

namespace entente::relay {

/// How a session ended.
struct SessionOutcome {
  Reason reason = Reason::kClientLeft;
  Millis length = 0;        ///< since it was accepted
  std::string player = {};  ///< the name in its room; "" if there is no room, as in a relay: a tap may know it
};

/// What a sentence is about, for logs whose lines have fields. Empty: it is about none, or that is not known.
struct About {
  std::string route = {};    ///< Route::named()
  std::string server = {};   ///< its name, or its address
  std::string address = {};  ///< the client's
  std::string player = {};
  LinkId session = 0;
};

/// What concerns this session. An arena and a replay are their own server, and a bot has no address.
inline About about(const LinkInfo& session, std::string player = {}) {
  const bool in_room = session.server.port() == 0 || session.server == session.listener;
  return {.server = in_room ? "" : session.server.text(),
          .address = session.client.port() == 0 ? "" : session.client.text(),
          .player = std::move(player),
          .session = session.link};
}

/// `route`: Route::named().
class Events {
 public:
  virtual ~Events() = default;

  /// A session's server side is up.
  virtual void opened(const std::string& route, const LinkInfo& session, std::uint64_t suppressed) = 0;

  /// A session that was open ended without a refusal.
  virtual void closed(const std::string& route, const LinkInfo& session, const SessionOutcome& end,
                      std::uint64_t suppressed) = 0;

  /// A client was refused before it had a session (`session.link` is 0), or a session ended with a refusal. If the
  /// reason is what the client sent, `fault` says what is wrong with it, and `at` is the offset of the bad frame in the
  /// stream; otherwise `fault` is empty.
  virtual void refused(const std::string& route, const LinkInfo& session, Reason reason, const Fault& fault,
                       std::uint64_t at, std::uint64_t suppressed) = 0;

  /// A bridge's session or a shared room ended, and some words were not forwarded. `what` lists them.
  virtual void words_dropped(const std::string& route, const LinkInfo& session, std::string_view what,
                             std::uint64_t suppressed) = 0;

  /// Reports news that requires no action, such as that a server is up again. Calls warned() by default.
  virtual void informed(std::string_view sentence, const About& about, std::uint64_t suppressed) {
    warned(sentence, about, suppressed);
  }

  /// A sentence for a person: what was found or went wrong, and what to do next.
  virtual void warned(std::string_view sentence, const About& about, std::uint64_t suppressed) = 0;

  /// Whether somebody wants news of this kind: news() is called only then. Quick, because it is asked for each event.
  virtual bool wants(NewsKind) const { return false; }
  /// Something happened: called each time, at once. Does not take long, whoever receives the news.
  virtual void news(News) {}
};

}  // namespace entente::relay
