#include "proxy/net/proxies/proxy_header_reader.h"

#include <sys/socket.h>

#include <cerrno>

#include "proxy/net/proxies/forwarded.h"
#include "proxy/net/socket.h"

namespace entente::net {
namespace {

/// Makes the kernel report the socket as readable only once it has this many bytes, or has ended.
void wake_at(int fd, std::size_t bytes) {
  const int least = static_cast<int>(bytes);
  (void)::setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
}

}  // namespace

void ProxyHeaderReader::add(Fd fd, const Address& by) {
  if (waiting_.size() >= kMost) refuse(*waiting_.begin()->second, NoHeader::kTooMany);
  const std::uint64_t number = ++last_;
  One& one = *(waiting_[number] = std::make_unique<One>(*this, number));
  one.fd = std::move(fd);
  one.by = by;
  one.since = loop_.now();
  if (proxies_->naming == ClientNaming::kForwarded) one.head = std::make_unique<HttpReader>(HttpReader::Of::kRequest);
  one.poll.set_priority(Priority::kNewcomer);
  one.poll.set_party(loop_.client_party(by));
  if (!one.poll.open(loop_, one.fd.get(), one)) return refuse(one, NoHeader::kOutOfDescriptors);
  one.poll.want(true, false);
}

void ProxyHeaderReader::read(One& one) {
  if (one.checks) return read_check(one);
  one.head ? read_request(one) : read_proxy_protocol(one);
}

/// Peeks at the received bytes, and takes only the header: the client's own bytes stay in the socket.
void ProxyHeaderReader::read_proxy_protocol(One& one) {
  const auto room = loop_.read_buffer().first(kLargestProxyHeader);
  const ssize_t n = ::recv(one.fd.get(), room.data(), room.size(), MSG_PEEK);
  if (n < 0 && errno == EAGAIN) return;
  if (n <= 0) return refuse(one, NoHeader::kLeft);
  const std::size_t before = one.header.size();
  append(one.header, Bytes(room.data(), static_cast<std::size_t>(n)));
  const auto header = read_proxy_header(one.header);
  if (!header) return refuse(one, NoHeader::kWrong, header.error());
  const std::size_t size = *header ? (*header)->size : one.header.size();
  if (::recv(one.fd.get(), room.data(), size - before, 0) != static_cast<ssize_t>(size - before))
    return refuse(one, NoHeader::kLeft);
  if (!*header) return;
  const std::optional<Address>& client = (*header)->client;
  const bool own = client && client->unmapped() == one.by.unmapped();  // as HAProxy's checks with version 1
  if (!(*header)->health_check && !own) return announce(one, client.value_or(one.by));
  one.checks = true;
  one.since = loop_.now();
  one.queued = one.poll.queued_millis();
  read_check(one);
}

/// The bytes of a health check, or its end.
void ProxyHeaderReader::read_check(One& one) {
  std::uint8_t first = 0;
  const ssize_t n = ::recv(one.fd.get(), &first, 1, MSG_PEEK);
  if (n > 0) return announce(one, one.by, true);
  if (n < 0 && errno == EAGAIN) return;
  refuse(one, NoHeader::kLeft);
}

/// Peeks at the request, and takes nothing: the session reads it.
void ProxyHeaderReader::read_request(One& one) {
  const int fd = one.fd.get();
  const auto room = loop_.read_buffer().first(HttpReader::kMostBytes + 1);
  const ssize_t n = ::recv(fd, room.data(), room.size(), MSG_PEEK);
  if (n < 0 && errno == EAGAIN) return;
  if (n <= 0) return refuse(one, NoHeader::kLeft);
  const auto there = static_cast<std::size_t>(n);
  if (there == one.heard) return peer_has_ended(fd) ? refuse(one, NoHeader::kLeft) : void();
  const auto read = one.head->feed(Bytes(room).first(there).subspan(one.heard));
  if (!read) return refuse(one, NoHeader::kWrong, read.error());
  one.heard = there;
  if (!one.head->complete()) return wake_at(fd, there + 1);
  const auto client = forwarded_client(one.head->head(), *proxies_);
  if (!client) return refuse(one, NoHeader::kWrong, client.error());
  wake_at(fd, 1);
  announce(one, *client);
}

void ProxyHeaderReader::announce(One& one, const Address& client, bool health_check) {
  const auto done = take(one);
  done->poll.close();
  user_.client_named(std::move(done->fd), client.port() != 0 ? client : client.with_port(done->by.port()),
                     health_check);
}

void ProxyHeaderReader::tick(std::uint32_t limit) {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    One& one = *(at++)->second;
    const Millis most = one.checks ? kCheckSilence : Millis{limit};
    const Millis queued = one.poll.queued_millis() - one.queued;  // our delay, not the peer's
    if (most == 0 || one.poll.waits() || loop_.now() <= one.since + most + queued) continue;
    one.checks ? announce(one, one.by, true) : refuse(one, NoHeader::kLate);
  }
}

void ProxyHeaderReader::refuse(One& one, NoHeader why, const Fault& fault) {
  const auto gone = take(one);
  gone->poll.close();
  user_.client_unnamed(std::move(gone->fd), gone->by, gone->checks ? NoHeader::kLeft : why, fault);
}

std::unique_ptr<ProxyHeaderReader::One> ProxyHeaderReader::take(const One& one) {
  auto taken = waiting_.extract(one.number);
  return std::move(taken.mapped());
}

}  // namespace entente::net
