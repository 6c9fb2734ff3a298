#include "proxy/program/import/pcap.h"

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>

#include "proxy/program/import/packet.h"
#include "proxy/program/import/packet_source.h"
#include "proxy/program/import/tcp.h"

namespace entente {
namespace {

using wire::Lane, wire::Way;

constexpr std::size_t kRemembered = 4'096;  // closed ones, so that a late packet opens nothing

struct Key {
  PacketEndpoint client, server;
  bool tcp = false;

  auto operator<=>(const Key&) const = default;
};

/// One connection, and what hands its streams on.
struct Flow final : TcpStream::To {
  ConnectionId id = 0;
  ImportSink* sink = nullptr;
  TcpStream streams[2];
  bool ended[2] = {};
  bool gone = false;
  std::optional<std::uint32_t> syn[2];  // sequence numbers of those that opened it and answered, if they were captured
  std::list<Key>::iterator talked;      // of UDP: its place among those
  std::optional<std::uint32_t> asked;   // of UDP: the connection that its first datagram asks for
  // Of the packet at hand.
  Way way = Way::kToServer;
  WallTime time = 0;

  static std::size_t index(Way way) { return way == Way::kToServer ? 0 : 1; }

  void stream(Bytes bytes) override { sink->bytes({id, way, Lane::kStream, time, bytes}); }
  void hole(std::uint64_t bytes) override { sink->stream_gap(id, way, bytes, time); }
  void fin() override {
    if (!std::exchange(ended[index(way)], true)) sink->half_closed(id, {way, std::nullopt, "", time});
  }
};

std::string no_ip(int link) { return "link type " + std::to_string(link) + " is not one that carries IP"; }

class PcapImport {
 public:
  PcapImport(std::string name, const ImportOptions& options, ImportSink& sink)
      : name_(std::move(name)), options_(options), sink_(sink) {}

  Outcome<Done> run(PacketSource& source) {
    auto done = read(source);
    finish();
    if (!done) return done;
    if (number_ != 0 && number_ == foreign_) return Error{name_ + ": " + no_ip(foreign_link_)};
    if (headless_ == 0) return done;
    return Error{name_ + ": " + std::to_string(headless_) +
                 " packets contain only headers; capture with a larger snapshot length"};
  }

 private:
  Outcome<Done> read(PacketSource& source) {
    for (;;) {
      if (sink_.enough()) return Done{};
      const auto packet = source.next();
      if (!packet) return Error{name_ + ": " + packet.error().text};
      if (!*packet) return Done{};
      ++number_;
      sink_.read_to(read_ += (*packet)->size);
      if (!known_link((*packet)->link)) {
        ++foreign_;
        foreign_link_ = (*packet)->link;
        continue;
      }
      cut_short_ = (*packet)->cut;
      time_ = (*packet)->time;
      const auto done = take(parse_packet((*packet)->link, (*packet)->bytes));
      if (!done) return done;
    }
  }

  Outcome<Done> take(const ParsedPacket& parsed) {
    if (parsed.kind == ParsedPacket::Kind::kFragment) ++fragments_;
    if (parsed.kind == ParsedPacket::Kind::kBroken) ++(cut_short_ ? headless_ : broken_);
    if (parsed.kind != ParsedPacket::Kind::kPacket) return Done{};
    const Packet& packet = parsed.packet;
    const auto way = way_of(packet);
    if (!way) return Done{};
    const auto at = flow_of(packet, *way);
    if (at == flows_.end()) return wrong("more than 65536 connections at once");
    auto& [key, flow] = *at;
    if (flow.gone) {
      if (!packet.payload.empty()) ++late_;
      return Done{};
    }
    flow.way = *way;
    flow.time = time_;
    if (packet.tcp)
      segment(packet, flow);
    else
      datagram(packet, flow);
    if (flow.ended[0] && flow.ended[1]) close(key, flow);
    return Done{};
  }

  /// Nullopt: the packet is neither to nor from --port, or it is not known which end is the server.
  std::optional<Way> way_of(const Packet& packet) {
    if (options_.port != 0) {
      if (packet.to.port == options_.port) return Way::kToServer;
      if (packet.from.port == options_.port) return Way::kToClient;
      return std::nullopt;
    }
    if (packet.tcp && packet.syn) (packet.ack ? servers_.insert(packet.from) : servers_.insert(packet.to));
    if (servers_.contains(packet.to)) return Way::kToServer;
    if (servers_.contains(packet.from)) return Way::kToClient;
    if (asked_by(packet)) {
      servers_.insert(packet.to);
      return Way::kToServer;
    }
    if (options_.likely_port != 0 && packet.to.port == options_.likely_port) return Way::kToServer;
    if (options_.likely_port != 0 && packet.from.port == options_.likely_port) return Way::kToClient;
    if (!packet.payload.empty()) ++(packet.tcp ? strangers_ : datagrams_);
    return std::nullopt;
  }

  std::optional<std::uint32_t> asked_by(const Packet& packet) const {
    return !packet.tcp && options_.asks_in ? options_.asks_in(packet.payload) : std::nullopt;
  }

  /// Whether the packet opens a connection on the ports of an earlier one. `asked`: by a datagram to the server.
  /// (A SYN may also be the first one's, captured after its answer. An answer alone opens a connection only where the
  /// earlier one is over.)
  static bool begins_another(const Packet& packet, std::optional<std::uint32_t> asked, const Flow& flow) {
    if (asked) return asked != flow.asked;
    if (!packet.tcp || !packet.syn || flow.syn[packet.ack ? 1 : 0] == packet.sequence) return false;
    return flow.gone || (!packet.ack && flow.streams[Flow::index(Way::kToServer)].began());
  }

  /// The packet's connection, opened if it is new; the end if there are too many.
  std::map<Key, Flow>::iterator flow_of(const Packet& packet, Way way) {
    const bool up = way == Way::kToServer;
    const Key key{up ? packet.from : packet.to, up ? packet.to : packet.from, packet.tcp};
    const auto asked = up ? asked_by(packet) : std::nullopt;
    auto at = flows_.find(key);
    if (at != flows_.end() && begins_another(packet, asked, at->second)) {
      if (!at->second.gone) end_flow(at->second);
      if (!packet.tcp) talked_.erase(at->second.talked);
      flows_.erase(at);
      at = flows_.end();
    }
    if (at == flows_.end() && flows_.size() >= kMostConnections) give_up_datagrams();
    if (at != flows_.end() || flows_.size() >= kMostConnections) return at;
    at = flows_.try_emplace(key).first;
    Flow& flow = at->second;
    flow.id = opened_++;
    flow.sink = &sink_;
    flow.asked = asked;
    if (!packet.tcp) flow.talked = talked_.insert(talked_.end(), key);
    sink_.opened(flow.id, {text(key.client) + (packet.tcp ? "" : "/udp"), "", "", text(key.server)}, time_);
    if (packet.tcp && !packet.syn) sink_.remark(text(key.client) + " was connected before the capture began");
    return at;
  }

  void segment(const Packet& packet, Flow& flow) {
    TcpStream& stream = flow.streams[Flow::index(flow.way)];
    if (packet.syn) {
      stream.syn(packet.sequence);
      flow.syn[packet.ack ? 1 : 0] = packet.sequence;
    }
    const std::uint32_t first = packet.sequence + (packet.syn ? 1U : 0U);
    stream.segment(first, packet.payload, packet.missing, packet.fin, flow);
    if (packet.rst) {
      flow.fin();
      flow.ended[0] = flow.ended[1] = true;
    }
  }

  /// UDP has no end of a connection, so the connection that was silent longest is closed to make room.
  void give_up_datagrams() {
    if (talked_.empty()) return;
    const auto oldest = flows_.find(talked_.front());
    end_flow(oldest->second);
    flows_.erase(oldest);
    talked_.pop_front();
  }

  void datagram(const Packet& packet, Flow& flow) {
    talked_.splice(talked_.end(), talked_, flow.talked);
    if (packet.missing != 0)
      sink_.stream_gap(flow.id, flow.way, packet.missing, time_);
    else
      sink_.bytes({flow.id, flow.way, Lane::kDatagram, time_, packet.payload});
  }

  /// Delivers the data that waits after a gap, and reports that nothing follows.
  void end_flow(Flow& flow) {
    flow.gone = true;
    for (const Way way : {Way::kToServer, Way::kToClient}) {
      flow.way = way;
      flow.streams[Flow::index(way)].end(flow);
      flow.streams[Flow::index(way)] = {};
    }
    sink_.connection_over(flow.id);
  }

  /// The connection stays for a while as one that is gone, so that a late packet opens nothing.
  void close(const Key& key, Flow& flow) {
    end_flow(flow);
    closed_.emplace_back(key, flow.id);
    if (closed_.size() <= kRemembered) return;
    const auto oldest = flows_.find(closed_.front().first);
    if (oldest != flows_.end() && oldest->second.id == closed_.front().second) flows_.erase(oldest);
    closed_.pop_front();
  }

  void finish() {
    std::map<ConnectionId, Flow*> open;
    for (auto& [key, flow] : flows_)
      if (!flow.gone) open[flow.id] = &flow;
    for (auto& [id, flow] : open) {
      flow->time = time_;
      end_flow(*flow);
    }
    const auto say = [&](std::uint64_t count, const char* what) {
      if (count != 0) sink_.remark(std::to_string(count) + what);
    };
    if (foreign_ != number_) say(foreign_, " packets are of interfaces whose link type does not carry IP");
    say(fragments_, " IP fragments were ignored");
    say(broken_, " packets have incomplete headers and were ignored");
    say(late_, " packets came after the end of their connection and were ignored");
    say(strangers_,
        " packets belong to connections that were open before the capture began; use --port to name the server's port");
    say(datagrams_,
        " datagrams belong to no connection that begins in the capture; use --port to name the server's port");
  }

  Error wrong(const std::string& what) const { return {name_ + ": packet " + std::to_string(number_) + ": " + what}; }

  std::string name_;
  ImportOptions options_;
  ImportSink& sink_;
  std::uint64_t number_ = 0, read_ = 0;
  std::uint64_t foreign_ = 0;  // packets of link types without IP
  int foreign_link_ = 0;       // of the last one
  WallTime time_ = 0;
  std::set<PacketEndpoint> servers_;
  std::map<Key, Flow> flows_;
  std::deque<std::pair<Key, ConnectionId>> closed_;
  std::list<Key> talked_;  // of UDP, whoever was silent longest first
  ConnectionId opened_ = 0;
  bool cut_short_ = false;  // the packet at hand: not all of it is in the file
  std::uint64_t fragments_ = 0, broken_ = 0, headless_ = 0, late_ = 0;
  std::uint64_t strangers_ = 0, datagrams_ = 0;  // of TCP, and of UDP, whose server is not known
};

}  // namespace

Outcome<Done> import_pcap(std::FILE* file, const std::string& name, const ImportOptions& options, ImportSink& sink) {
  const auto source = open_packet_source(file);
  if (!source) return Error{name + ": " + source.error().text};
  return PcapImport(name, options, sink).run(**source);
}

}  // namespace entente
