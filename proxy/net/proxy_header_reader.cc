#include "proxy/net/proxy_header_reader.h"

#include <sys/socket.h>

#include <cerrno>

namespace entente::net {

void ProxyHeaderReader::add(Fd fd, const Address& by) {
  if (waiting_.size() >= kMost) refuse(*waiting_.begin()->second, NoHeader::kTooMany);
  const std::uint64_t number = ++last_;
  One& one = *(waiting_[number] = std::make_unique<One>(*this, number));
  one.fd = std::move(fd);
  one.by = by;
  one.since = loop_.now();
  one.poll.set_priority(Priority::kNewcomer);
  if (!one.poll.open(loop_, one.fd.get(), one)) return refuse(one, NoHeader::kNoFiles);
  one.poll.want(true, false);
}

/// Looks at what is there, and takes what belongs to the header: the client's own bytes stay where they are.
void ProxyHeaderReader::read(One& one) {
  const auto room = loop_.read_buffer().first(kLargestProxyHeader);
  const ssize_t n = ::recv(one.fd.get(), room.data(), room.size(), MSG_PEEK);
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  if (n <= 0) return refuse(one, NoHeader::kLeft);
  const std::size_t before = one.header.size();
  append(one.header, Bytes(room.data(), static_cast<std::size_t>(n)));
  const auto header = read_proxy_header(one.header);
  if (!header) return refuse(one, NoHeader::kWrong, header.error());
  const std::size_t size = *header ? (*header)->size : one.header.size();
  if (::recv(one.fd.get(), room.data(), size - before, 0) != static_cast<ssize_t>(size - before))
    return refuse(one, NoHeader::kLeft);
  if (!*header) return;
  const auto done = take(one);
  done->poll.close();
  const Address client = (*header)->client.value_or(done->by);
  user_.announced(std::move(done->fd), client.port() != 0 ? client : client.with_port(done->by.port()));
}

void ProxyHeaderReader::tick(std::uint32_t limit) {
  if (limit == 0) return;
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    One& one = *(at++)->second;
    if (!one.poll.waits() && loop_.now() > one.since + limit + one.poll.held_up()) refuse(one, NoHeader::kLate);
  }
}

void ProxyHeaderReader::refuse(One& one, NoHeader why, const Fault& fault) {
  const auto gone = take(one);
  gone->poll.close();
  user_.unannounced(std::move(gone->fd), gone->by, why, fault);
}

std::unique_ptr<ProxyHeaderReader::One> ProxyHeaderReader::take(const One& one) {
  auto taken = waiting_.extract(one.number);
  return std::move(taken.mapped());
}

}  // namespace entente::net
