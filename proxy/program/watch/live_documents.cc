#include "proxy/program/watch/live_documents.h"

#include <algorithm>
#include <charconv>

#include "adapters/native/json.h"
#include "proxy/core/replay/beginning.h"
#include "proxy/core/replay/replay_facts.h"
#include "schema/game.pb.h"

namespace entente {
namespace {

using relay::Broadcast;
using relay::LiveView;

constexpr core::Micros kFragmentSeconds = Broadcast::kFragment / core::kSecond;
/// One document of this size per this time on average. Writing one takes a few ms.
constexpr core::Micros kStartEvery = 50 * core::kMillisecond, kFragmentEvery = 20 * core::kMillisecond;
constexpr std::size_t kOneDocument = 128 * 1024;
/// Viewers may follow so many fragments behind the newest. These are always written.
constexpr std::uint64_t kFollowed = 5;
constexpr std::uint64_t kAgain = 1;  // s: the other process answers on a new connection

struct LiveName {
  bool newest = false, start = false;
  std::uint64_t number = 0;
};

/// Nullopt: it is not the name of a document.
std::optional<LiveName> parse_name(std::string_view name) {
  constexpr std::string_view kLive = "live", kStart = "/start";
  if (!name.starts_with(kLive)) return std::nullopt;
  name.remove_prefix(kLive.size());
  if (name.empty()) return LiveName{.newest = true, .start = true};
  if (name.front() != '/') return std::nullopt;
  name.remove_prefix(1);
  LiveName found;
  if (name.ends_with(kStart)) {
    found.start = true;
    name.remove_suffix(kStart.size());
  }
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), found.number);
  const bool whole = error == std::errc{} && end == name.data() + name.size() && (name == "0" || name.front() != '0');
  return whole ? std::optional(found) : std::nullopt;
}

void add(std::string_view text, Buffer& to) { append(to, as_bytes(text)); }

void add_number(std::string_view key, std::uint64_t number, Buffer& to) {
  add("\"" + std::string(key) + "\":" + std::to_string(number) + ",", to);
}

void add_fact(const core::Fact& fact, bool& first, Buffer& to) {
  words::Fact message;
  to_message(fact, message);
  add(std::exchange(first, false) ? "\n" : ",\n", to);
  native::write_json(message, to);
}

std::shared_ptr<const std::string> text_of(const Buffer& bytes) {
  return std::make_shared<const std::string>(as_text(bytes));
}

net::HttpReply refusal(unsigned status, const std::string& why, std::uint64_t seconds) {
  net::HttpReply reply{status, {{"Content-Type", "text/plain; charset=utf-8"}}, {}};
  reply.body = std::make_shared<const std::string>(why + "\n");
  // A cache that keeps it so long asks again in time.
  reply.headers.push_back({"Cache-Control", "public, max-age=1"});
  if (seconds != 0) reply.headers.push_back({"Retry-After", std::to_string(seconds)});
  reply.headers.push_back({"Access-Control-Allow-Origin", "*"});
  reply.headers.push_back({"Access-Control-Expose-Headers", "Retry-After"});
  return reply;
}

}  // namespace

LiveDocuments::LiveDocuments(std::weak_ptr<LiveView> view)
    : view_(std::move(view)), starts_(kStartEvery, kStartsAtOnce), fragments_(kFragmentEvery, kFragmentsAtOnce) {}

std::optional<net::HttpReply> LiveDocuments::answer(const net::HttpHead& request, std::string_view name) {
  const auto asked = parse_name(name);
  if (!asked) return std::nullopt;
  const auto view = view_.lock();
  auto range = view ? view->fragments() : std::nullopt;
  if (!limit(range)) return refusal(503, "another process broadcasts now; connect again", kAgain);
  if (!range) {
    const std::string why = view && view->overflows() ? core::kOverflows : "the broadcast has not begun";
    return refusal(asked->newest ? 503 : 404, why, kFragmentSeconds);
  }
  const std::uint64_t number = asked->newest ? range->newest : asked->number;
  if (number > range->newest) {
    const std::uint64_t ahead = std::min<std::uint64_t>(number - range->newest, 3'600);
    return refusal(404, "that fragment is not over yet", ahead == 1 ? 1 : ahead * kFragmentSeconds);
  }
  if (number < range->oldest) return refusal(404, "that fragment is no longer there", 0);
  const std::string tag = "\"" + std::to_string(number) + (asked->start ? "s" : "") + "\"";
  net::HttpReply reply{200, {{"Content-Type", "application/json"}, {"ETag", tag}}, {}};
  reply.headers.push_back({"Cache-Control", asked->newest ? "public, max-age=1" : "public, max-age=86400, immutable"});
  reply.headers.push_back({"Access-Control-Allow-Origin", "*"});
  reply.headers.push_back({"X-Content-Type-Options", "nosniff"});
  if (const std::string* known = request.find("If-None-Match"); known != nullptr && *known == tag) {
    reply.status = 304;
    return reply;
  }
  const Key key{number, asked->start};
  const std::lock_guard lock(mutex_);
  reply.body = find(key);
  if (reply.body) return reply;
  core::Pace& pace = asked->start ? starts_ : fragments_;
  const core::Micros now = view->broadcast().now();
  const bool old = number + (asked->start ? 0 : kFollowed) < range->newest;
  if (old && !pace.take(now))
    return refusal(503, "too many old documents are asked for", (pace.next() - now) / core::kSecond + 1);
  reply.body = write(key, *view);
  if (!reply.body) return refusal(404, "that fragment is no longer there", 0);
  if (old) pace.owe(now, reply.body->size() / kOneDocument);
  return reply;
}

void LiveDocuments::hold() {
  const std::lock_guard lock(take_over_);
  const auto view = view_.lock();
  const auto range = view ? view->fragments() : std::nullopt;
  last_ = range ? range->newest : 0;
}

void LiveDocuments::go_on() {
  const std::lock_guard lock(take_over_);
  last_.reset();
}

void LiveDocuments::end() {
  const std::lock_guard lock(take_over_);
  ended_ = true;
}

/// Takes from `range` what is held back. False: this process broadcasts no longer.
bool LiveDocuments::limit(std::optional<LiveView::Range>& range) const {
  const std::lock_guard lock(take_over_);
  if (last_ && range) range->newest = std::min(range->newest, *last_);
  if (range && range->newest < range->oldest) range.reset();
  return !ended_;
}

std::uint64_t LiveDocuments::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

/// Null: it is to be written. REQUIRES: mutex_.
LiveDocuments::Text LiveDocuments::find(const Key& key) {
  if (const auto known = kept_.find(key); known != kept_.end()) {
    used_.splice(used_.end(), used_, known->second.second);
    return known->second.first;
  }
  // Slow readers may still wait for one that was dropped here: they and this one share it.
  const auto read = still_read_.find(key);
  return read != still_read_.end() ? read->second.lock() : nullptr;
}

/// Null: that fragment is no longer there. REQUIRES: mutex_.
LiveDocuments::Text LiveDocuments::write(const Key& key, const LiveView& view) {
  const Text text = key.second ? write_start(key.first, view) : write_fragment(key.first, view);
  if (!text) return text;
  ++written_;
  bytes_ += text->size();
  kept_[key] = {text, used_.insert(used_.end(), key)};
  while (bytes_ > kMostKept && used_.size() > 1) {
    const auto oldest = kept_.find(used_.front());
    bytes_ -= oldest->second.first->size();
    std::erase_if(still_read_, [](const auto& one) { return one.second.expired(); });
    still_read_[oldest->first] = oldest->second.first;
    kept_.erase(oldest);
    used_.pop_front();
  }
  return text;
}

LiveDocuments::Text LiveDocuments::write_fragment(std::uint64_t number, const LiveView& view) {
  const auto facts = view.fragment(number);
  if (!facts) return nullptr;
  Buffer out;
  add("{", out);
  add_number("fragment", number, out);
  add_number("begins_us", view.broadcast().begin_of(number).value_or(0), out);
  add("\"facts\":[", out);
  bool first = true;
  for (const core::Fact& fact : *facts) add_fact(fact, first, out);
  add("]}\n", out);
  return text_of(out);
}

LiveDocuments::Text LiveDocuments::write_start(std::uint64_t number, const LiveView& view) {
  core::WorldState world;
  if (!view.world_before(number, world)) return nullptr;
  const core::Micros begins = view.broadcast().begin_of(number).value_or(0);
  Buffer out;
  add("{", out);
  add_number("fragment", number, out);
  add_number("begins_us", begins, out);
  add_number("fragment_us", Broadcast::kFragment, out);
  add_number("delay_us", view.delay(), out);
  add("\"facts\":[", out);
  bool first = true;
  world.tell([&](core::Fact& fact) {
    fact.at = core::true_since(fact, world, begins);
    add_fact(fact, first, out);
  });
  add("]}\n", out);
  return text_of(out);
}

}  // namespace entente
