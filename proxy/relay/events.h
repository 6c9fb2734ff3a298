// What a relay tells the person who runs it; the program turns it into log lines.
// Law: rate-limited before it gets here: a relay says each kind of thing at most once a second, and how many like it
// it left unsaid since the last. What is not said at once is said about a second later, so that a session's opening may
// be told after its end. Called on workers' threads: an implementation is thread-safe and does not block.
#pragma once

#include <cstdint>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/relay/sessions/reason.h"
#include "proxy/relay/tap/tap_sink.h"

namespace entente::relay {

class Events {
 public:
  virtual ~Events() = default;

  /// A session's server side is up.
  virtual void opened(const SessionInfo& session, std::uint64_t unsaid) = 0;

  /// A session that was open ended without a refusal.
  virtual void closed(const SessionInfo& session, Reason reason, std::uint64_t unsaid) = 0;

  /// A newcomer was turned away (`session.link` is 0), or a session ended by a refusal. `fault` is empty unless what
  /// the client sent is the reason; `at` is then how many bytes it had sent before the frame it stands in.
  virtual void refused(const SessionInfo& session, Reason reason, const Fault& fault, std::uint64_t at,
                       std::uint64_t unsaid) = 0;

  /// A bridged session ended; this is what one side could not tell the other, in words. Only if there was anything.
  virtual void words_dropped(const SessionInfo& session, std::string_view what, std::uint64_t unsaid) = 0;

  /// A sentence for a person: what was found or went wrong, and what to do next.
  virtual void said(std::string_view sentence, std::uint64_t unsaid) = 0;
};

}  // namespace entente::relay
