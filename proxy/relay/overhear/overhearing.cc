#include "proxy/relay/overhear/overhearing.h"

#include <algorithm>
#include <utility>

#include "proxy/base/steady_wall.h"
#include "proxy/net/named_thread.h"
#include "proxy/net/thread_share.h"

namespace entente::relay {
namespace {

constexpr int kOverhearEvery = 20;            // ms between looks at the rings, while sessions are open
constexpr std::size_t kOverhearRound = 1024;  // entries between looks at what is due
constexpr int kOverhearNice = 5;              // if a core is short, traffic goes first
constexpr std::uint64_t kNanosPerMicro = 1'000;

}  // namespace

/// Tells a worker's ring, and another sink. A relay's sessions have no words and no worlds.
class Overhearing::Both final : public TapSink {
 public:
  Both(RingSink& ring, TapSink* other) : ring_(ring), other_(other) {}

  void opened(const LinkInfo& info, WallTime at) override {
    ring_.opened(info, at);
    if (other_ != nullptr) other_->opened(info, at);
  }
  void plays(LinkId link, WallTime at) override {
    if (other_ != nullptr) other_->plays(link, at);
  }
  void inserts(LinkId link) override { inserted_ = link; }
  void bytes(LinkId link, wire::Way way, wire::Lane lane, Bytes bytes, WallTime at) override {
    if (is_the_servers(link, way)) ring_.bytes(link, way, lane, bytes, at);
    if (other_ != nullptr) other_->bytes(link, way, lane, bytes, at);
  }
  void packet(LinkId link, wire::Way way, wire::EnetCarriage how, Bytes bytes, WallTime at) override {
    if (is_the_servers(link, way)) ring_.packet(link, way, how, bytes, at);
    if (other_ != nullptr) other_->packet(link, way, how, bytes, at);
  }
  void lab(LinkId link, LabMark mark, std::uint64_t held, WallTime at) override {
    ring_.lab(link, mark, held, at);
    if (other_ != nullptr) other_->lab(link, mark, held, at);
  }
  void note(LinkId link, std::string_view text, WallTime at) override {
    if (other_ != nullptr) other_->note(link, text, at);
  }
  void closed(LinkId link, std::string_view reason, WallTime at) override {
    ring_.closed(link, reason, at);
    if (other_ != nullptr) other_->closed(link, reason, at);
  }

 private:
  /// False: we made it.
  bool is_the_servers(LinkId link, wire::Way way) const { return inserted_ != link || way == wire::Way::kToServer; }

  RingSink& ring_;
  TapSink* const other_;
  LinkId inserted_ = 0;  // its client gets the operator's text; 0: none does
};

struct Overhearing::Session {
  Session(const LinkInfo& its_info, std::shared_ptr<const RouteOptions> its_options, net::EnetUnpacker& unpacker,
          WallTime at)
      : info(its_info),
        options(std::move(its_options)),
        dissector(*its_info.game, its_info.dialect),
        began(at),
        room(OverheardRoom::make(*options->relay_rules, info, info.dialect)) {
    if (info.enet_datagrams) enet.emplace(unpacker, info.game->largest_frame());
  }
  core::Micros time(WallTime at) const { return (at - std::min(at, began)) / kNanosPerMicro; }

  const LinkInfo info;
  const std::shared_ptr<const RouteOptions> options;  // has the rules of `room`
  wire::Dissector dissector;
  std::optional<net::EnetDissector> enet;  // if ENet's datagrams are heard
  const WallTime began;
  TapSink::LabMark mark = TapSink::LabMark::kPassed;  // of the next bytes
  const std::unique_ptr<OverheardRoom> room;          // null: its dialect has no words
};

/// Takes the frames of one entry.
class Overhearing::Hear final : public wire::DissectorSink, public net::EnetHeard {
 public:
  Hear(Session& session, WallTime at) : session_(session), at_(session.time(at)) {}

  void take(wire::Way way, wire::Lane lane, Bytes bytes) {
    if (lane == wire::Lane::kStream)
      session_.dissector.stream(way, bytes, *this);
    else
      session_.dissector.datagram(way, bytes, *this);
  }

  void frame(const wire::Frame& frame) override { (void)session_.room->received(frame, at_); }
  void raw(wire::Way way, wire::Lane lane, Bytes, const Fault* why) override {
    if (lane != wire::Lane::kStream) return;  // a datagram that its receiver does not understand, either
    session_.room->lose(std::string(way == wire::Way::kToServer ? "the client" : "the server") +
                        " sent what is not a message" + (why != nullptr ? std::string(": ") + why->what : ""));
  }
  void connect(std::uint32_t) override {}
  void disconnect(wire::Way, std::uint32_t) override {}
  void packet(wire::Way way, std::uint8_t channel, net::EnetDelivery send, Bytes bytes) override {
    take(way, wire::EnetCarriage{channel, send}.lane(), bytes);
  }
  void fault(wire::Way way, const Fault& fault, Bytes wrong) override {
    if (!wrong.empty()) return;  // its receiver discards it, too
    session_.room->lose(std::string("from the ") + (way == wire::Way::kToServer ? "client, " : "server, ") + fault.what);
  }

 private:
  Session& session_;
  const core::Micros at_;
};

Overhearing::Overhearing(std::size_t ring_bytes) : ring_bytes_(ring_bytes) {
  if (auto started = net::start_thread("rules", [this] { run(); }))
    thread_ = std::move(*started);
  else
    started_ = started.error();
}

Overhearing::~Overhearing() { stop(); }

TapSink& Overhearing::sink(std::size_t worker, std::size_t route, std::shared_ptr<const RouteOptions> options,
                           TapSink* other) {
  const std::lock_guard lock(mutex_);
  while (rings_.size() <= worker) rings_.push_back(std::make_unique<RingSink>(ring_bytes_, waker_));
  routes_[route] = std::move(options);
  return *sinks_.emplace_back(std::make_unique<Both>(*rings_[worker], other));
}

void Overhearing::stop() {
  if (!thread_.joinable()) return;
  stopping_.store(true, std::memory_order_release);
  waker_.wake();
  thread_.join();
}

void Overhearing::run() {
  net::give_way(kOverhearNice);
  bool stops = false;
  while (!stops) {
    waker_.wait(sessions_.empty() ? -1 : kOverhearEvery);
    stops = stopping_.load(std::memory_order_acquire);
    while (drain(kOverhearRound)) tick();
    tick();
  }
}

/// Takes up to so many entries; true if there may be more.
bool Overhearing::drain(std::size_t entries) {
  {
    const std::lock_guard lock(mutex_);
    for (auto i = heard_.size(); i < rings_.size(); ++i) heard_.push_back(rings_[i].get());
  }
  bool more = false;
  for (RingSink* const from : heard_) {
    for (std::size_t left = entries; left != 0 && !from->ring().empty(); --left) {
      const Ring::Entry entry = from->ring().front();
      Ring::Entry whole = entry;
      const RingSink::LargeBytes beside(whole);
      take(whole);
      from->ring().pop(entry);
    }
    more = more || !from->ring().empty();
  }
  return more;
}

void Overhearing::take(const Ring::Entry& entry) {
  switch (static_cast<RingSink::Kind>(entry.header.kind)) {
    case RingSink::kOpened:
      return take_opened(entry);
    case RingSink::kBytes:
    case RingSink::kPacket:
      return take_bytes(entry);
    case RingSink::kLabNote:
      if (Session* const session = find(entry.header.link)) session->mark = from_raw<LabNote>(entry.bytes).mark;
      return;
    case RingSink::kClosed:
      if (Session* const session = find(entry.header.link); session != nullptr && session->room != nullptr)
        session->room->end(session->time(entry.header.at));
      sessions_.erase(entry.header.link);
      return;
    case RingSink::kGap:
      return take_gap(entry);
    default:
      return;
  }
}

void Overhearing::take_opened(const Ring::Entry& entry) {
  const auto info = from_raw<LinkInfo>(entry.bytes);
  std::shared_ptr<const RouteOptions> options;
  {
    const std::lock_guard lock(mutex_);
    const auto found = routes_.find(info.route);
    if (found != routes_.end()) options = found->second;
  }
  if (options != nullptr)
    sessions_[info.link] = std::make_unique<Session>(info, std::move(options), unpacker_, entry.header.at);
}

/// What a lab did not pass on is not heard.
void Overhearing::take_bytes(const Ring::Entry& entry) {
  Session* const session = find(entry.header.link);
  if (session == nullptr || session->room == nullptr) return;
  const auto mark = std::exchange(session->mark, TapSink::LabMark::kPassed);
  if (mark == TapSink::LabMark::kKept || mark == TapSink::LabMark::kAltered) return;
  const auto way = static_cast<wire::Way>(entry.header.way);
  Hear hear(*session, entry.header.at);
  if (static_cast<RingSink::Kind>(entry.header.kind) == RingSink::kPacket)
    hear.packet(way, entry.header.channel, static_cast<wire::EnetDelivery>(entry.header.lane), entry.bytes);
  else if (session->enet)
    session->enet->datagram(way, entry.bytes, hear);
  else
    hear.take(way, static_cast<wire::Lane>(entry.header.lane), entry.bytes);
}

void Overhearing::take_gap(const Ring::Entry& entry) {
  const auto gap = from_raw<Gap>(entry.bytes);
  for (const auto& [link, session] : sessions_)
    if ((gap.link == 0 || gap.link == link) && session->room != nullptr)
      session->room->lose("rules are too slow for what passes: " + std::to_string(gap.bytes) + " bytes are missing");
}

void Overhearing::tick() {
  const WallTime now = steady_wall_now();
  for (const auto& [link, session] : sessions_)
    if (session->room != nullptr && session->room->wakes_at() <= session->time(now))
      session->room->tick(session->time(now));
}

Overhearing::Session* Overhearing::find(LinkId link) {
  const auto found = sessions_.find(link);
  return found != sessions_.end() ? found->second.get() : nullptr;
}

}  // namespace entente::relay
