// The loop of the tap's thread: waits, empties the rings (the oldest entry first), and lets the recorder tick. The rest
// of the file processes the entries.
#include "proxy/relay/tap/tap.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "adapters/wire/print.h"
#include "proxy/base/steady_wall.h"
#include "proxy/base/text.h"
#include "proxy/net/named_thread.h"
#include "proxy/net/thread_share.h"
#include "proxy/relay/tap/to_trace.h"
#include "proxy/trace/lab.h"

namespace entente::relay {
namespace {

using wire::Lane;
using wire::Way;

constexpr int kNap = 20;  // ms between looks at the rings, while links are open
/// ms, while no link is open. Damage to the recording by another program must be reported within a second.
constexpr int kLongNap = 500;
constexpr int kNice = 5;              // if a core is short, traffic goes first, and the tap still gets a fourth of it
constexpr std::size_t kRound = 4096;  // entries between checks of everything else
constexpr std::size_t kLongestName = 64;      // bytes kept of a player's name
constexpr WallTime kAtTheEnd = ~WallTime{0};  // everything may be reported

}  // namespace

struct TapThread::Link {
  Link(const LinkInfo& its_info, MessageCounts& its_counts, RouteCounts& its_route, const GameSecrets& its_secrets,
       net::EnetUnpacker& unpacker, WallTime at)
      : info(its_info),
        counts(its_counts),
        route(its_route),
        secrets(its_secrets),
        dissector(*its_info.game, its_info.dialect),
        opened_at(at) {
    if (info.enet_datagrams) enet.emplace(unpacker, info.game->largest_frame());
  }

  LinkInfo info;
  MessageCounts& counts;
  RouteCounts& route;
  const GameSecrets& secrets;
  SecretEchoes heard;  // what its client wrote
  wire::Dissector dissector;
  std::optional<net::EnetDissector> enet;  // if the tap receives ENet's datagrams
  bool playing[2] = {false, false};        // this way is past its greeting
  std::string player;                      // as in players_
  std::string_view ping_message;           // "": none
  std::array<std::uint8_t, 32> ping{};     // the last one that has no echo yet
  std::size_t ping_bytes = 0;              // of it; 0: there is none
  WallTime pinged = 0;
  LabNote lab;  // about the next bytes
  WallTime opened_at;
};

/// Receives the frames of one entry.
class TapThread::Hear final : public wire::DissectorSink, public net::EnetHeard {
 public:
  Hear(TapThread& tap, Link& link, WallTime at) : tap_(tap), link_(link), at_(at), lab_(std::exchange(link.lab, {})) {}

  /// What was passed on this way, on this lane.
  void take(Way way, Lane lane, Bytes bytes) {
    if (link_.enet)
      link_.enet->datagram(way, bytes, *this);
    else if (lane == Lane::kStream)
      link_.dissector.stream(way, bytes, *this);
    else
      link_.dissector.datagram(way, bytes, *this);
  }

  /// What came this way and was not passed on: frames, a message, a packet or a datagram.
  void keep(Way way, const wire::EnetCarriage& how, bool by_enet, Bytes bytes) {
    if (link_.enet) return keep_enet(way, bytes);
    if (by_enet) how_ = how;
    const auto cutter = cutter_for(way, how.lane());
    const auto keep_frame = [&](wire::Stage stage, Bytes one) { return keep_as({way, how.lane(), stage, one}), true; };
    if (!cutter || wire::cut_message(*cutter, bytes, keep_frame)) keep_frame(wire::Stage::kPlay, bytes);
  }

  void frame(const wire::Frame& frame) override {
    if (frame.stage == wire::Stage::kPlay) link_.playing[frame.way == Way::kToClient] = true;
    tap_.published_.frames.add();
    const auto row = tap_.row_of(link_, frame);
    if (row.ok())
      take_message(frame, **row);
    else
      count(frame.way, row.error(), frame.bytes.size());
    record({link_.info.link, to_trace(frame.way), to_trace(frame.lane),
            row.ok() ? recordable(frame, **row) : frame.bytes, row.ok() ? (*row)->name : "", false});
  }

  void raw(Way way, Lane lane, Bytes bytes, const Fault* why) override {
    tap_.published_.raw_bytes.add(bytes.size());
    if (why) count(way, *why, bytes.size());
    record({link_.info.link, to_trace(way), to_trace(lane), bytes, {}, true});
  }

  void connect(std::uint32_t) override {}
  void disconnect(Way, std::uint32_t) override {}
  void packet(Way way, std::uint8_t channel, net::EnetDelivery send, Bytes bytes) override {
    how_ = wire::EnetCarriage{channel, send};
    if (how_->lane() == Lane::kStream)
      link_.dissector.stream(way, bytes, *this);
    else
      link_.dissector.datagram(way, bytes, *this);
    how_.reset();
  }
  void fault(Way way, const Fault& fault, Bytes wrong) override {
    if (wrong.empty() && *fault.field == '\0') return count(way, fault, 0);  // a gap, not an empty datagram
    if (!may_hold_secrets(way) || std::string_view(fault.field) != net::EnetDissector::kCommand)
      return raw(way, Lane::kDatagram, wrong, &fault);
    Buffer commands(wrong.begin(), wrong.end());
    (void)blank_commands(way, commands);
    raw(way, Lane::kDatagram, commands, &fault);
  }

 private:
  void keep_as(const wire::Frame& frame) {
    const auto row = tap_.row_of(link_, frame);
    record({link_.info.link, to_trace(frame.way), to_trace(frame.lane),
            row.ok() ? recordable(frame, **row) : frame.bytes, row.ok() ? (*row)->name : "", false});
  }

  /// A whole ENet datagram. If it cannot be recorded without its secrets, only its header is.
  void keep_enet(Way way, Bytes datagram) {
    Buffer blanked;
    if (may_hold_secrets(way)) {
      blanked = without_secrets(way, datagram);
      datagram = blanked;
    }
    record({link_.info.link, to_trace(way), to_trace(Lane::kDatagram), datagram, {}, true});
  }

  /// For what does not take part in the stream: it neither expects a greeting nor changes the dissector. Null: these
  /// are not cut.
  std::unique_ptr<wire::Cutter> cutter_for(Way way, Lane lane) const {
    const LinkInfo& info = link_.info;
    auto cutter =
        lane == Lane::kDatagram ? info.game->datagram_cutter(way, info.dialect) : info.game->cutter(way, info.dialect);
    if (cutter) cutter->skip_greeting();
    return cutter;
  }

  bool may_hold_secrets(Way way) const {
    return way == Way::kToServer ? !link_.secrets.written.empty() : link_.heard.any();
  }

  Buffer without_secrets(Way way, Bytes datagram) {
    Buffer all(datagram.begin(), datagram.end());
    const auto header = net::enet_header(datagram);
    if (!header) return all;  // too short for a packet
    const std::size_t header_bytes = header->sent_time ? 4 : 2;
    const auto opened = tap_.unpacker_.open(datagram);
    Buffer commands;
    if (opened) commands.assign(opened->commands.begin(), opened->commands.end());
    const Buffer before = commands;
    const bool read = opened.ok() && blank_commands(way, commands);
    if (read && commands == before) return all;
    all.resize(header_bytes);
    if (read && !header->compressed) append(all, commands);
    return all;
  }

  /// Blanks the secrets in the packets of these commands, and all bytes of fragments. False: a command could not be
  /// read; it and what follows it are blanked.
  bool blank_commands(Way way, std::span<std::uint8_t> commands) {
    net::EnetCommand command;
    for (net::EnetFields in(commands); !in.left().empty(); command = {}) {
      const auto rest = commands.last(in.left().size());
      if (!command.read(in)) return std::fill(rest.begin(), rest.end(), std::uint8_t{'*'}), false;
      const Bytes whole = command.payload;
      if (whole.empty()) continue;
      const auto packet = commands.subspan(static_cast<std::size_t>(whole.data() - commands.data()), whole.size());
      if (const auto send = command.delivery())
        blank_packet(way, wire::EnetCarriage{command.channel, *send}.lane(), packet);
      else
        std::fill(packet.begin(), packet.end(), std::uint8_t{'*'});
    }
    return true;
  }

  void blank_packet(Way way, Lane lane, std::span<std::uint8_t> packet) {
    const auto cutter = cutter_for(way, lane);
    Bytes left = packet;
    const auto blank = [&](wire::Stage stage, Bytes one) {
      const wire::Frame frame{way, lane, stage, one};
      const auto row = tap_.row_of(link_, frame);
      if (!row) return true;
      const Bytes safe = recordable(frame, **row);
      if (safe.data() == one.data()) return true;  // it has no secret
      const auto here = packet.subspan(static_cast<std::size_t>(one.data() - packet.data()), one.size());
      if (safe.size() == one.size())
        std::copy(safe.begin(), safe.end(), here.begin());
      else
        std::fill(here.begin(), here.end(), std::uint8_t{'*'});
      return true;
    };
    if (!cutter || wire::cut_message(*cutter, left, blank)) blank(wire::Stage::kPlay, left);
  }

  /// The frame that the codec has just decoded, without its secrets. Valid until the next call.
  Bytes recordable(const wire::Frame& frame, const wire::Row& row) {
    wire::Codec& codec = link_.counts.codec();
    if (frame.way == Way::kToServer) {
      if (!wire::blank_secrets(row, codec, link_.secrets.written, &link_.heard)) return frame.bytes;
    } else if (!link_.heard.any() || !codec.decode(frame) ||  // counts may know the row without decoding again
               !wire::blank_echoes(row, codec, link_.secrets.repeated, link_.heard)) {
      return frame.bytes;
    }
    tap_.blanked_.clear();
    codec.encode(tap_.blanked_);
    return tap_.blanked_;
  }
  void take_message(const wire::Frame& frame, const wire::Row& row) {
    link_.counts.add(frame.way, row, frame.bytes.size());
    if (frame.way == Way::kToServer) tap_.name_player(link_, row);
    if (!link_.ping_message.empty() && row.name == link_.ping_message) time_ping(link_, frame, at_);
  }

  void record(trace::FrameView view) {
    if (!tap_.recording_) return;
    if (how_) view.delivery = to_trace(how_->send), view.channel = how_->channel;
    view.joined = std::exchange(joined_, link_.info.has_room);
    view.lab = to_trace(lab_.mark);
    view.held_us = lab_.held / 1'000;
    tap_.recording_->frame(at_, view);
  }

  void count(Way way, const Fault& fault, std::size_t bytes) {
    link_.route.undecoded.add();
    const auto say = link_.counts.add(way, fault, at_);
    if (!say.now) return;
    auto sentence = std::string(link_.counts.game().name()) + " " + std::string(link_.counts.dialect_name()) +
                    " link " + std::to_string(link_.info.link) + " " + text(way) + ": " + std::to_string(bytes) +
                    " bytes could not be decoded: " + fault.what;
    if (*fault.field) sentence += std::string(" (") + fault.field + ", byte " + std::to_string(fault.offset) + ")";
    if (say.suppressed) sentence += "; " + std::to_string(say.suppressed) + " more like it since the last report";
    tap_.say(sentence);
  }

  TapThread& tap_;
  Link& link_;
  const WallTime at_;
  const LabNote lab_;
  std::optional<wire::EnetCarriage> how_;  // of the packet that is taken apart
  bool joined_ = false;                    // the next frame comes together with the one before
};

TapThread::TapThread(Options options) : options_(std::move(options)) {
  const bool on = options_.record && (options_.recorder || options_.files.each_session);
  if (options_.recorder || options_.files.begin)
    recording_ = std::make_unique<RecordingFiles>(std::move(options_.files), std::move(options_.recorder), on, wanted_);
  can_record_ = recording_ != nullptr;
  publish();
  if (auto started = net::start_thread("tap", [this] { run(); }))
    thread_ = std::move(*started);
  else
    started_ = started.error();
}

TapThread::~TapThread() {
  if (auto stopped = stop(); !stopped.ok()) say(stopped.error().text);
}

TapSink& TapThread::sink(std::size_t worker) {
  const std::lock_guard lock(mutex_);
  while (sinks_.size() <= worker)
    sinks_.push_back(std::make_unique<RingSink>(options_.ring_bytes, waker_, recording_ ? &wanted_ : nullptr));
  if (deaf_) sinks_[worker]->deafen();
  return *sinks_[worker];
}

Outcome<Done> TapThread::stop() {
  if (std::exchange(stopped_, true)) return Done{};
  stopping_.store(true, std::memory_order_release);
  waker_.wake();
  if (thread_.joinable()) thread_.join();
  {
    const std::lock_guard lock(orders_mutex_);
    obeys_ = false;
  }
  obey();
  const auto now = steady_wall_now();
  for (bool settled = false; !settled; drain(kRound)) {
    settled = true;
    for (auto* sink : rings_) settled &= sink->write_pending(now);
  }
  while (drain(kRound)) continue;
  for (auto& [id, link] : links_) end_link(*link, "the recording ended", now);
  links_.clear();
  tell_drops(kAtTheEnd);
  tell_suppressed(kAtTheEnd);
  Outcome<Done> done = Done{};
  if (recording_) done = recording_->close(now);
  publish();
  recording_.reset();
  return done;
}

void TapThread::deafen() {
  const std::lock_guard lock(mutex_);
  deaf_ = true;
  for (const auto& sink : sinks_) sink->deafen();
}

Outcome<Done> TapThread::end() {
  auto done = stop();
  const std::lock_guard lock(mutex_);
  for (const auto& sink : sinks_) sink->free_ring();
  return done;
}

void TapThread::run() {
  net::give_way(kNice);
  while (!stopping_.load(std::memory_order_acquire)) {
    busy_since_ = 0;
    waker_.wait(patience());
    published_.wake_ups.add();
    // What is left when the program stops is taken by stop(), at the usual priority.
    for (bool more = true; more && !stopping_.load(std::memory_order_acquire);) {
      busy_since_ = steady_now();
      more = drain(kRound);
      const auto now = steady_wall_now();
      if (recording_) recording_->tick(now);
      obey();
      tell_drops(now);
      tell_suppressed(now);
      publish();
    }
  }
}

// How long to wait for the waker: without limit if nothing can come without a wake(), and nothing is recorded.
int TapThread::patience() const {
  const bool unwritten = recording_ && recording_->pending();
  const bool suppressed = std::ranges::any_of(counts_, [](const auto& counts) { return counts->has_suppressed(); });
  if (!links_.empty() || unwritten || suppressed) return kNap;
  return recording() ? kLongNap : -1;
}

TapThread::Given TapThread::give(Order order) {
  std::promise<Outcome<RecordingStatus>> told;
  Given given{0, told.get_future()};
  {
    const std::lock_guard lock(orders_mutex_);
    if (!can_record_ || !obeys_) {
      told.set_value(Error{can_record_ ? "the program is stopping" : "this process cannot record"});
      return given;
    }
    given.number = ++last_order_;
    orders_.push_back({given.number, order, std::move(told)});
  }
  waker_.wake();
  return given;
}

Outcome<RecordingStatus> TapThread::outcome(Given given, Millis until) {
  const auto is_told = [&](Millis within) {
    return given.told.wait_for(std::chrono::milliseconds(within)) == std::future_status::ready;
  };
  const Millis since = busy_since_;
  if (since != 0) until = std::min(until, since + kObeysWithin);
  if (is_told(std::max<Millis>(until - steady_now(), 0))) return given.told.get();
  bool withdrawn = false;
  {
    const std::lock_guard lock(orders_mutex_);
    withdrawn = std::erase_if(orders_, [&](const Asked& one) { return one.number == given.number; }) != 0;
  }
  if (!withdrawn && is_told(0)) return given.told.get();
  return Error{std::string(kDiskSilent) + (withdrawn ? "" : "; the order is carried out once it does")};
}

Outcome<RecordingStatus> TapThread::record(Order order) { return outcome(give(order), steady_now() + kObeysWithin); }

void TapThread::obey() {
  std::vector<Asked> orders;
  {
    const std::lock_guard lock(orders_mutex_);
    orders.swap(orders_);
  }
  for (Asked& asked : orders) {
    auto done = obey(asked.order);
    publish();
    if (done) remember(*done);
    asked.told.set_value(std::move(done));
  }
}

Outcome<RecordingStatus> TapThread::obey(Order order) {
  const auto now = steady_wall_now();
  Outcome<Done> done = Done{};
  if (order == Order::kStart) done = recording_->start(now);
  if (order == Order::kStop) done = recording_->stop(now);
  if (order == Order::kRotate) done = recording_->rotate(now);
  if (!done) return done.error();
  return recording_->status();
}

/// Takes up to so many entries; true if there may be more.
bool TapThread::drain(std::size_t entries) {
  {
    const std::lock_guard lock(mutex_);
    for (auto i = rings_.size(); i < sinks_.size(); ++i) rings_.push_back(sinks_[i].get());
  }
  for (; entries > 0; --entries) {
    auto* from = oldest();
    if (!from) return false;
    const auto entry = from->ring().front();
    Ring::Entry whole = entry;
    const RingSink::LargeBytes beside(whole);
    if (!checks_.hold(whole, [this](const Ring::Entry& held) { take(held); })) take(whole);
    from->ring().pop(entry);
  }
  return true;
}

// The sink whose first entry is the oldest, so that the workers' entries are taken in the order of their times, as far
// as they have arrived.
RingSink* TapThread::oldest() {
  RingSink* found = nullptr;
  WallTime at = 0;
  for (auto* sink : rings_) {
    if (sink->ring().empty()) continue;
    if (rings_.size() == 1) return sink;
    const auto front = sink->ring().front().header.at;
    if (found && front >= at) continue;
    found = sink;
    at = front;
  }
  return found;
}

void TapThread::take(const Ring::Entry& entry) {
  switch (static_cast<RingSink::Kind>(entry.header.kind)) {
    case RingSink::kOpened:
      return take_opened(entry);
    case RingSink::kBytes:
    case RingSink::kPacket:
      return take_bytes(entry);
    case RingSink::kClosed:
      return take_closed(entry);
    case RingSink::kGap:
      return take_gap(entry);
    case RingSink::kIntent:
    case RingSink::kFact:
      return take_word(entry);
    case RingSink::kWorld:
    case RingSink::kGeometry:
      return take_world(entry);
    case RingSink::kCalls:
      return take_calls(entry);
    case RingSink::kWordGap:
      return take_word_gap(entry);
    case RingSink::kPlays:
      return;
    case RingSink::kLabNote:
      return take_lab(entry);
    case RingSink::kNote:
      if (recording_) recording_->note(entry.header.at, entry.header.link, as_text(entry.bytes));
  }
}

void TapThread::take_opened(const Ring::Entry& entry) {
  const auto info = from_raw<LinkInfo>(entry.bytes);
  links_[info.link] = std::make_unique<Link>(info, counts_of(info), counts_of(info.route), secrets_of(*info.game),
                                             unpacker_, entry.header.at);
  last_ = nullptr;
  const bool of_client = info.session == 0;
  if (of_client && options_.ping_message) links_[info.link]->ping_message = options_.ping_message(*info.game);
  if (!recording_) return;
  trace::Opened opened;
  opened.set_link(info.link);
  opened.set_game(std::string(info.game->name()));
  opened.set_dialect(std::string(info.game->dialects()[info.dialect].name));
  const auto known = [](const net::Address& address) { return address.port() != 0 ? address.text() : ""; };
  opened.set_client(known(info.client));  // a bot and an arena have none
  opened.set_server(known(info.server));
  opened.set_listener(known(info.listener));
  recording_->opened(entry.header.at, opened, info.session != 0 ? info.session : info.link, info.may_only_greet);
}

void TapThread::take_lab(const Ring::Entry& entry) {
  if (auto* link = find(entry.header.link)) link->lab = from_raw<LabNote>(entry.bytes);
}

void TapThread::take_bytes(const Ring::Entry& entry) {
  auto* link = find(entry.header.link);
  if (!link) return published_.raw_bytes.add(entry.bytes.size());  // its opening was dropped
  const bool by_enet = static_cast<RingSink::Kind>(entry.header.kind) == RingSink::kPacket;
  const bool is_passed = trace::was_passed_on(to_trace(link->lab.mark));
  const auto way = static_cast<Way>(entry.header.way);
  Hear hear(*this, *link, entry.header.at);
  if (!is_passed) {
    auto send = static_cast<wire::EnetDelivery>(entry.header.lane);
    if (!by_enet)
      send = static_cast<Lane>(entry.header.lane) == Lane::kStream ? wire::EnetDelivery::kReliable
                                                                   : wire::EnetDelivery::kUnreliable;
    return hear.keep(way, {entry.header.channel, send}, by_enet, entry.bytes);
  }
  published_.bytes.add(entry.bytes.size());
  if (by_enet)
    hear.packet(way, entry.header.channel, static_cast<wire::EnetDelivery>(entry.header.lane), entry.bytes);
  else
    hear.take(way, static_cast<Lane>(entry.header.lane), entry.bytes);
}

void TapThread::take_closed(const Ring::Entry& entry) {
  auto* link = find(entry.header.link);
  if (!link) return;
  end_link(*link, entry.bytes.empty() ? "not known: the tap could not keep up" : as_text(entry.bytes), entry.header.at);
  links_.erase(entry.header.link);
  last_ = nullptr;
  const std::lock_guard lock(players_mutex_);
  players_.erase(entry.header.link);
}

void TapThread::end_link(Link& link, std::string_view reason, WallTime at) {
  Hear hear(*this, link, at);
  if (link.enet) link.enet->end(hear);
  link.dissector.end(Way::kToServer, hear, false);
  link.dissector.end(Way::kToClient, hear, false);
  if (recording_) recording_->closed(at, link.info.link, reason);
  if (!link.player.empty() && options_.left)
    options_.left(link.info, link.player, reason, at - std::min(at, link.opened_at));
}

void TapThread::take_gap(const Ring::Entry& entry) {
  const auto gap = from_raw<Gap>(entry.bytes);
  if (recording_) recording_->note(entry.header.at, gap.link, "the tap could not keep up", gap.bytes);
  if (gap.link != 0) {
    if (auto* link = find(gap.link)) lose(*link, gap, entry.header.at);
    return;
  }
  // Too many links to say which: any may have lost bytes, either way.
  for (auto& [id, link] : links_)
    for (const auto way : {Way::kToServer, Way::kToClient}) lose(*link, {id, way, Lane::kStream, 0}, entry.header.at);
}

// A sink is given whole frames as long as framing holds, so the bytes after a gap begin with a frame. There are two
// exceptions: the link's framing was lost (bytes are pending), or the greeting was lost, without which a cutter does
// not know its stage.
void TapThread::lose(Link& link, const Gap& gap, WallTime at) {
  link.lab = {};  // it may have been about what is lost
  Hear hear(*this, link, at);
  if (link.enet) return link.enet->lost(hear);
  if (gap.lane != Lane::kStream) return;
  if (link.playing[gap.way == Way::kToClient] && link.dissector.pending(gap.way) == 0) return;
  link.dissector.end(gap.way, hear, true);
}

/// The row of the frame. It is decoded if it comes from a peer, or if something in it must be read; a room's own frames
/// decode.
Result<const wire::Row*> TapThread::row_of(Link& link, const wire::Frame& frame) {
  const Way ours = link.info.session != 0 ? Way::kToServer : Way::kToClient;
  const wire::Row* const row = link.info.has_room && frame.way == ours ? link.counts.find(frame) : nullptr;
  if (row == nullptr || (ours == Way::kToServer && is_read(link, *row))) return link.counts.decode(frame);
  return row;
}

/// Whether the recording or the names of players need what is in such a message to the server.
bool TapThread::is_read(const Link& link, const wire::Row& row) {
  const auto& secrets = link.secrets.written;
  const bool secret = std::any_of(secrets.begin(), secrets.end(),
                                  [&](const wire::Secret& one) { return one.message == std::string_view(row.name); });
  return secret || !name_field(link, row).empty();
}

std::string_view TapThread::name_field(const Link& link, const wire::Row& row) {
  if (!options_.player_name) return {};
  const auto [known, fresh] = name_fields_.try_emplace(&row);
  if (fresh) known->second = options_.player_name(*link.info.game, row);
  return known->second;
}

/// Notes the player's name, if the message that the link's codec has just decoded contains it.
void TapThread::name_player(Link& link, const wire::Row& row) {
  const std::string_view field = name_field(link, row);
  if (field.empty()) return;
  const std::string told = wire::text_of(link.counts.codec(), field);
  const std::string_view name = whole_characters(told, kLongestName);
  if (name.empty() || name == link.player) return;
  const bool first = link.player.empty();
  link.player = name;
  if (first && options_.joined) options_.joined(link.info, link.player);
  if (recording_) recording_->player(link.info.link, name);
  const std::lock_guard lock(players_mutex_);
  players_[link.info.link] = link.player;
}

TapThread::Link* TapThread::find(LinkId id) {
  if (last_ && last_->info.link == id) return last_;
  const auto found = links_.find(id);
  return last_ = found == links_.end() ? nullptr : found->second.get();
}

MessageCounts& TapThread::counts_of(const LinkInfo& info) {
  for (auto& counts : counts_)
    if (&counts->game() == info.game && counts->dialect() == info.dialect) return *counts;
  const std::lock_guard lock(mutex_);
  return *counts_.emplace_back(std::make_unique<MessageCounts>(*info.game, info.dialect));
}

TapThread::RouteCounts& TapThread::counts_of(std::size_t route) {
  const std::lock_guard lock(mutex_);
  while (routes_.size() <= route) routes_.push_back(std::make_unique<RouteCounts>());
  return *routes_[route];
}

void TapThread::time_ping(Link& link, const wire::Frame& frame, WallTime at) {
  constexpr WallTime kNanosPerMilli = 1'000'000;
  if (frame.way == Way::kToClient) {
    link.ping_bytes = frame.bytes.size() <= link.ping.size() ? frame.bytes.size() : 0;
    std::copy_n(frame.bytes.begin(), link.ping_bytes, link.ping.begin());
    link.pinged = at;
  } else if (link.ping_bytes != 0 && same(frame.bytes, Bytes(link.ping.data(), link.ping_bytes))) {
    link.ping_bytes = 0;
    if (at >= link.pinged) count(link.route.round_trips, static_cast<Millis>((at - link.pinged) / kNanosPerMilli));
  }
}

const TapThread::GameSecrets& TapThread::secrets_of(const wire::Game& game) {
  const auto [at, fresh] = secrets_.try_emplace(&game);
  if (fresh && options_.secrets) at->second.written = options_.secrets(game);
  if (fresh && options_.echoes) at->second.repeated = options_.echoes(game);
  return at->second;
}

void TapThread::say(const std::string& sentence) const {
  if (options_.said) options_.said(sentence);
}

}  // namespace entente::relay
