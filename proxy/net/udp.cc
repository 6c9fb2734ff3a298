#include "proxy/net/udp.h"

#include <cassert>
#include <cerrno>
#include <cstring>
#include <optional>

#include "proxy/net/socket.h"
#include "proxy/net/udp_twin.h"

namespace entente::net {
namespace {

constexpr int kMostRounds = 64;  // rounds in which peers that came meanwhile get their sockets

/// Writes one control message of `type` into `header`'s control room.
template <class Info>
void put_control(msghdr& header, int level, int type, const Info& info) {
  header.msg_controllen = CMSG_SPACE(sizeof(Info));
  cmsghdr* control = CMSG_FIRSTHDR(&header);
  control->cmsg_level = level;
  control->cmsg_type = type;
  control->cmsg_len = CMSG_LEN(sizeof(Info));
  std::memcpy(CMSG_DATA(control), &info, sizeof(Info));
}

/// The local address that a datagram came to, if the kernel reported it.
std::optional<Address> local_address_of(msghdr& header) {
  const cmsghdr* const control = CMSG_FIRSTHDR(&header);
  if (control == nullptr) return std::nullopt;
  if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
    in6_pktinfo info;
    std::memcpy(&info, CMSG_DATA(control), sizeof info);
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_addr = IN6_IS_ADDR_MULTICAST(&info.ipi6_addr) ? in6addr_any : info.ipi6_addr;
    return Address::from(reinterpret_cast<const sockaddr*>(&six)).unmapped();
  }
  if (control->cmsg_level != IPPROTO_IP || control->cmsg_type != IP_PKTINFO) return std::nullopt;
  in_pktinfo info;
  std::memcpy(&info, CMSG_DATA(control), sizeof info);
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_addr = info.ipi_spec_dst;  // what it was sent to may be a broadcast address; this is ours
  return Address::from(reinterpret_cast<const sockaddr*>(&four));
}

/// Makes the kernel report which address each datagram came to.
void want_local_address(int fd, bool v6) {
  const int on = 1;
  (void)setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVPKTINFO : IP_PKTINFO, &on, sizeof on);
}

/// ::ffff:192.0.2.7 for 192.0.2.7, as a socket of IPv6 needs it.
Address mapped(const Address& address) {
  if (address.v6()) return address;
  const auto& four = *reinterpret_cast<const sockaddr_in*>(address.raw());
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = four.sin_port;
  six.sin6_addr.s6_addr[10] = six.sin6_addr.s6_addr[11] = 0xff;
  std::memcpy(&six.sin6_addr.s6_addr[12], &four.sin_addr, sizeof four.sin_addr);
  return Address::from(reinterpret_cast<const sockaddr*>(&six));
}

}  // namespace

/// A socket that is connected to one of many senders.
struct UdpReader::PeerSocket final : Poll::User {
  PeerSocket(UdpReader& its, Fd its_fd)
      : reader(its), fd(std::move(its_fd)), local_address(net::local_address(fd.get())) {}
  void ready(bool, bool, bool broken) override { reader.ready(*this, broken); }
  void close() {
    poll.close();
    fd.reset();
  }

  UdpReader& reader;
  Fd fd;
  const Address local_address;
  Poll poll;
};

UdpReader::UdpReader(Loop& loop, User& user) : loop_(loop), user_(user) { set_party(std::make_shared<Party>()); }

UdpReader::~UdpReader() = default;

bool UdpReader::open(int fd, const Address& bound) { return open(fd, false, bound); }

bool UdpReader::open(int fd) { return open(fd, false, net::local_address(fd)); }

void UdpReader::close() {
  poll_.close();
  for (auto& [address, socket] : peers_) {
    socket->close();
    forgotten_.push_back(std::move(socket));
  }
  peers_.clear();
}

bool UdpReader::open(int fd, bool connected, const Address& bound) {
  fd_ = fd;
  connected_ = connected;
  local_address_ = bound;
  asks_ = !connected && local_address_.wildcard();
  if (asks_) want_local_address(fd, local_address_.v6());
  if (!poll_.open(loop_, fd, *this)) return false;
  poll_.want(true, false);
  return true;
}

// A connected socket may answer with an ICMP refusal instead; the next datagrams may pass again.
void UdpReader::ready(bool, bool, bool broken) {
  const bool more = connected_ ? receive_one() : receive_many();
  if (poll_.is_open()) user_.datagrams_done();
  if (more && poll_.is_open()) poll_.again();
  if (broken && poll_.is_open()) poll_.want(true, false);
}

/// True if there may be more. While the loop keeps up, its next look for events finds out at a lower cost than another
/// call here.
bool UdpReader::receive_one() {
  Buffer& room = loop_.datagram_buffers().bytes;
  const ssize_t size = ::recv(fd_, room.data(), DatagramBuffers::kSlotSize, MSG_DONTWAIT);
  if (size >= 0) user_.datagram(Address(), Bytes(room).first(static_cast<std::size_t>(size)));
  return size >= 0 && loop_.is_behind();
}

/// True if there may be more.
bool UdpReader::receive_many() { return receive_many(fd_, asks_, poll_); }

/// Stops as soon as `poll` is closed.
bool UdpReader::receive_many(int fd, bool asks, const Poll& poll) {
  DatagramBuffers& room = loop_.datagram_buffers();
  std::array<PacketInfo, DatagramBuffers::kSlots> infos;  // used up before this returns, as all in the room
  for (std::size_t i = 0; i < infos.size(); ++i) {
    msghdr& header = room.headers[i].msg_hdr;
    header.msg_namelen = sizeof(room.from[i]);
    header.msg_control = asks ? &infos[i] : nullptr;
    header.msg_controllen = asks ? sizeof(infos[i]) : 0;
  }
  const int got = ::recvmmsg(fd, room.headers.data(), DatagramBuffers::kSlots, MSG_DONTWAIT, nullptr);
  for (std::size_t i = 0; got > 0 && i < static_cast<std::size_t>(got) && poll.is_open(); ++i) {
    if (const auto local = local_address_of(room.headers[i].msg_hdr))
      local_address_ = local->with_port(local_address_.port());
    const Bytes bytes(static_cast<const std::uint8_t*>(room.parts[i].iov_base), room.headers[i].msg_len);
    user_.datagram(Address::from(reinterpret_cast<const sockaddr*>(&room.from[i])).unmapped(), bytes);
  }
  return got == static_cast<int>(DatagramBuffers::kSlots);
}

// -- Peers with sockets of their own ----------------------------------------------------------------------------------

bool UdpReader::give_sockets(const std::function<std::vector<Peer>()>& peers) {
  bool more = true;
  for (int i = 0; more && i < kMostRounds; ++i) {
    more = false;
    for (const Peer& peer : peers()) {
      if (!poll_.is_open() || peers_.contains(peer.address)) continue;
      if (!give_socket(peer)) return false;
      more = true;
    }
  }
  return true;
}

/// Before it was connected, the socket may have received what is meant for others: that is delivered here and now.
bool UdpReader::give_socket(const Peer& peer) {
  Fd fd = udp_socket_for(peer.address, peer.local_address.wildcard() ? local_address_ : peer.local_address, fd_);
  if (!fd) return false;
  auto made = std::make_unique<PeerSocket>(*this, std::move(fd));
  PeerSocket& socket = *made;
  socket.poll.set_party(loop_.client_party(peer.address));
  if (!socket.poll.open(loop_, socket.fd.get(), socket)) return false;
  socket.poll.want(true, false);
  peers_[peer.address] = std::move(made);
  ready(socket, false);
  return true;
}

void UdpReader::forget(const Address& peer) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  found->second->close();
  forgotten_.push_back(std::move(found->second));
  peers_.erase(found);
}

void UdpReader::ready(PeerSocket& socket, bool broken) {
  local_address_ = socket.local_address;
  const bool more = receive_many(socket.fd.get(), false, socket.poll);
  user_.datagrams_done();
  if (!socket.poll.is_open()) return;
  if (more) socket.poll.again();
  if (broken) socket.poll.want(true, false);
}

void UdpReader::read_all() {
  while (poll_.is_open() && receive_many()) user_.datagrams_done();
  if (poll_.is_open()) user_.datagrams_done();
}

bool udp_send(int fd, Bytes datagram) {
  const auto sent = [&] { return ::send(fd, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0; };
  // ECONNREFUSED is about an earlier datagram, and kept this one from being sent.
  return sent() || (errno == ECONNREFUSED && sent());
}

UdpBatch::UdpBatch(Loop& loop, int fd, bool name_source)
    : loop_(loop),
      fd_(fd),
      name_source_(name_source),
      v6_(net::local_address(fd).v6()),
      bytes_(kSlots * kLargestDatagram) {
  for (std::size_t i = 0; i < kSlots; ++i) {
    headers_[i].msg_hdr.msg_iov = &parts_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
  }
}

void UdpBatch::push(const Address& source, const Address& to, Bytes datagram) {
  assert(datagram.size() <= kLargestDatagram);
  const std::size_t slot = used_++;
  if (slot == 0) loop_.later(*this);
  std::uint8_t* const room = bytes_.data() + filled_;  // next to the last one, so that small batches stay in the cache
  if (!datagram.empty()) std::memcpy(room, datagram.data(), datagram.size());
  filled_ += datagram.size();
  parts_[slot] = {room, datagram.size()};
  to_[slot] = v6_ ? mapped(to) : to;
  headers_[slot].msg_hdr.msg_name = const_cast<sockaddr*>(to_[slot].raw());
  headers_[slot].msg_hdr.msg_namelen = to_[slot].size();
  if (name_source_) name_source(slot, v6_ ? mapped(source) : source);
  if (used_ == kSlots) {
    loop_.cancel_later(*this);
    flush();
  }
}

void UdpBatch::name_source(std::size_t slot, const Address& source) {
  msghdr& header = headers_[slot].msg_hdr;
  header.msg_control = infos_[slot].room;
  header.msg_controllen = sizeof(infos_[slot].room);
  if (source.v6()) {
    in6_pktinfo info{};
    info.ipi6_addr = reinterpret_cast<const sockaddr_in6*>(source.raw())->sin6_addr;
    put_control(header, IPPROTO_IPV6, IPV6_PKTINFO, info);
  } else {
    in_pktinfo info{};
    info.ipi_spec_dst = reinterpret_cast<const sockaddr_in*>(source.raw())->sin_addr;
    put_control(header, IPPROTO_IP, IP_PKTINFO, info);
  }
}

void UdpBatch::flush() {
  std::size_t at = 0;
  while (at < used_) {
    const int sent =
        ::sendmmsg(fd_, headers_.data() + at, static_cast<unsigned>(used_ - at), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      at += static_cast<std::size_t>(sent);
      continue;
    }
    const bool full = errno == EAGAIN || errno == ENOBUFS;
    const std::size_t lost = full ? used_ - at : 1;  // otherwise only this datagram cannot be sent
    lost_ += lost;
    at += lost;
  }
  used_ = filled_ = 0;
}

}  // namespace entente::net
