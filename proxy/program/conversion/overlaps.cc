#include "proxy/program/conversion/overlaps.h"

#include <algorithm>

#include "proxy/program/conversion/session_times.h"

namespace entente {

Overlapped overlapped(const RecordedFile& file) {
  const SessionTimes times = session_times(file);
  if (!times.whole || times.hides || times.all.empty()) return {};
  const SessionTime& longest = *std::max_element(times.all.begin(), times.all.end(),
                                                 [](const auto& a, const auto& b) { return a.length() < b.length(); });
  Overlapped within;
  for (const SessionTime& one : times.all) {
    if (&one == &longest || one.first < longest.first || one.last > longest.last) continue;
    within.connections.insert(one.ids.begin(), one.ids.end());
    ++within.sessions;
  }
  return within;
}

}  // namespace entente
