// The text of an event: as JSON, as a sentence, and one value of it for a template.
// Invariant: a value is one line of valid UTF-8 without control characters, whatever players call themselves. Addresses
// of people are empty if they are not asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/relay/base/news.h"

namespace entente {

struct HookEvent {
  relay::News news;
  std::string id;  ///< differs from those of all other events, also of other processes
};

/// How an event is shown to one receiver.
struct HookView {
  bool addresses = false;
  std::uint64_t lost = 0;  ///< events for this receiver that were given up or dropped since the last one that it got
};

/// {"event":"join","id":"…","time":"…","lost":0,"text":"…", …} and the event's fields.
std::string event_json(const HookEvent& event, const HookView& view);
/// "anna joined ctf (3 players)"
std::string event_sentence(const relay::News& news, const HookView& view);
/// As a template names it: a field, or "event", "id", "time", "lost" or "text". Empty: this event has no such field.
std::string event_value(const HookEvent& event, const HookView& view, std::string_view name);

/// The table of events and that of their fields, for proxy/manual/hooks.md.
std::string hook_events_table();
std::string hook_fields_table();

}  // namespace entente
