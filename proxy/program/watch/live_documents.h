// A broadcast by HTTP, for caches: a start document, and fragments of a fixed time, in native's JSON. For who may see
// what when, see LiveView.
// Invariant: a fragment never changes. Each is written once, and kept as long as there is room for it. However many are
// asked for, old ones are written at a limited rate. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/core/pace.h"
#include "proxy/net/web/http_reply.h"
#include "proxy/relay/broadcast/broadcast.h"

namespace entente {

class LiveDocuments {
 public:
  /// Bytes of documents that are kept.
  static constexpr std::size_t kMostKept = 32U << 20U;
  /// How many old documents are written at once: starts before the newest, and fragments (all that viewers can go
  /// back). A large one counts as several.
  static constexpr unsigned kStartsAtOnce = 64, kFragmentsAtOnce = 300;

  /// Once the view has gone, there is nothing.
  explicit LiveDocuments(std::weak_ptr<relay::LiveView> view);

  /// "live": the world as the newest fragment begins. "live/N/start": as fragment N begins. "live/N": that fragment.
  /// Other names are not known. 503 with Retry-After: too many old documents were asked for.
  std::optional<net::HttpReply> answer(const net::HttpHead& request, std::string_view name);

  // A take-over. From any thread.
  /// From now on, no fragment is given out that was not over before: another process may broadcast soon.
  void hold();
  /// That process does not take over: hold() no longer applies.
  void go_on();
  /// That process broadcasts now: from now on, each document is refused with 503.
  void end();

  /// How many documents were written.
  std::uint64_t written() const;

 private:
  using Text = std::shared_ptr<const std::string>;
  /// A fragment's number, and whether it is the start before it.
  using Key = std::pair<std::uint64_t, bool>;

  Text find(const Key& key);
  Text write(const Key& key, const relay::LiveView& view);
  static Text write_fragment(std::uint64_t number, const relay::LiveView& view);
  static Text write_start(std::uint64_t number, const relay::LiveView& view);
  bool limit(std::optional<relay::LiveView::Range>& range) const;

  const std::weak_ptr<relay::LiveView> view_;
  mutable std::mutex take_over_;       // of the next two
  std::optional<std::uint64_t> last_;  // after hold(): the last fragment; 0: none was over
  bool ended_ = false;
  mutable std::mutex mutex_;  // of what follows
  std::map<Key, std::pair<Text, std::list<Key>::iterator>> kept_;
  std::map<Key, std::weak_ptr<const std::string>> still_read_;  // dropped from kept_, as long as slow readers have them
  std::list<Key> used_;                                         // the latest last
  std::size_t bytes_ = 0;
  std::uint64_t written_ = 0;
  core::Pace starts_, fragments_;  // of old ones; in the broadcast's time
};

}  // namespace entente
