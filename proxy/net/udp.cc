#include "proxy/net/udp.h"

#include <cassert>
#include <cerrno>
#include <cstring>

namespace entente::net {
namespace {

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

}  // namespace

bool UdpReader::open(int fd, bool connected) {
  fd_ = fd;
  connected_ = connected;
  if (!poll_.open(loop_, fd, *this)) return false;
  poll_.want(true, false);
  return true;
}

// A connected socket may answer with an ICMP refusal instead; the next datagrams may pass again.
void UdpReader::ready(bool, bool, bool broken) {
  connected_ ? receive_one() : receive_many();
  if (poll_.is_open()) user_.datagrams_done();
  if (broken && poll_.is_open()) poll_.want(true, false);
}

void UdpReader::receive_one() {
  Buffer& room = loop_.datagram_room().bytes;
  const ssize_t size = ::recv(fd_, room.data(), DatagramRoom::kSlotSize, MSG_DONTWAIT);
  if (size >= 0) user_.datagram(Address(), Bytes(room).first(static_cast<std::size_t>(size)));
}

void UdpReader::receive_many() {
  DatagramRoom& room = loop_.datagram_room();
  const int got = ::recvmmsg(fd_, room.headers.data(), DatagramRoom::kSlots, MSG_DONTWAIT, nullptr);
  for (std::size_t i = 0; got > 0 && i < static_cast<std::size_t>(got) && poll_.is_open(); ++i) {
    room.headers[i].msg_hdr.msg_namelen = sizeof(room.from[i]);
    const Bytes bytes(static_cast<const std::uint8_t*>(room.parts[i].iov_base), room.headers[i].msg_len);
    user_.datagram(Address::from(reinterpret_cast<const sockaddr*>(&room.from[i])), bytes);
  }
}

bool udp_send(int fd, Bytes datagram) {
  const auto sent = [&] { return ::send(fd, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0; };
  return sent() || (errno == ECONNREFUSED && sent());  // refused was an earlier one; saying so cost this one its way
}

UdpBatch::UdpBatch(Loop& loop, int fd, bool name_source)
    : loop_(loop), fd_(fd), name_source_(name_source), bytes_(kSlots * kLargestDatagram) {
  for (std::size_t i = 0; i < kSlots; ++i) {
    headers_[i].msg_hdr.msg_iov = &parts_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
  }
}

void UdpBatch::push(const Address& source, const Address& to, Bytes datagram) {
  assert(datagram.size() <= kLargestDatagram);
  const std::size_t slot = used_++;
  if (slot == 0) loop_.later(*this);
  std::uint8_t* const room = bytes_.data() + filled_;  // next to the last one: what is small stays in the cache
  if (!datagram.empty()) std::memcpy(room, datagram.data(), datagram.size());
  filled_ += datagram.size();
  parts_[slot] = {room, datagram.size()};
  to_[slot] = to;
  headers_[slot].msg_hdr.msg_name = const_cast<sockaddr*>(to_[slot].raw());
  headers_[slot].msg_hdr.msg_namelen = to_[slot].size();
  if (name_source_) name_source(slot, source);
  if (used_ == kSlots) {
    loop_.never(*this);
    flush();
  }
}

void UdpBatch::name_source(std::size_t slot, const Address& source) {
  msghdr& header = headers_[slot].msg_hdr;
  header.msg_control = controls_[slot].room;
  header.msg_controllen = sizeof(controls_[slot].room);
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
    if (errno == EINTR) continue;
    const bool full = errno == EAGAIN || errno == ENOBUFS;
    const std::size_t lost = full ? used_ - at : 1;  // else it is this one datagram that cannot go
    lost_ += lost;
    at += lost;
  }
  used_ = filled_ = 0;
}

}  // namespace entente::net
