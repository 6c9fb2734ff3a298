// Words on their way to a tap: as the messages of schema/game.proto, without what is secret in them.
#pragma once

#include "proxy/core/ledger.h"
#include "proxy/core/word.h"
#include "proxy/relay/tap_sink.h"

namespace entente::relay {

class BridgeWords {
 public:
  /// `tap` may be null, or may not want words: then nothing is written.
  BridgeWords(TapSink* tap, bool with_secrets)
      : tap_(tap != nullptr && tap->wants_words() ? tap : nullptr), with_secrets_(with_secrets) {}

  void tell(LinkId link, const core::Intent& word, WallTime at) { tell_any(link, word, false, at); }
  void tell(LinkId link, const core::Fact& word, WallTime at) { tell_any(link, word, true, at); }

 private:
  template <class Word>
  void tell_any(LinkId link, const Word& word, bool fact, WallTime at);

  TapSink* tap_;
  bool with_secrets_;
  Buffer written_;  // reused
};

/// "Say (no chat) 3 times, Fire (…) once": what could not be told, most often first, at most so many kinds of it.
std::string text(const core::Ledger& ledger, std::size_t most_kinds = 12);

}  // namespace entente::relay
