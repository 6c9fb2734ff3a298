#include "proxy/net/request_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "proxy/net/named_thread.h"
#include "proxy/net/socket.h"

namespace entente::net {
namespace {

constexpr std::size_t kMostSkipped = 256 * 1024;  // bytes after the question

/// Adds the bytes to `skipped`. False: the client sends no more, or too much.
bool skip_rest(int fd, std::size_t& skipped) {
  char room[4096];
  while (skipped <= kMostSkipped) {
    const ssize_t size = ::recv(fd, room, sizeof room, 0);
    if (size <= 0) return size < 0 && (errno == EAGAIN || errno == EINTR);
    skipped += static_cast<std::size_t>(size);
  }
  return false;
}

}  // namespace

Outcome<std::unique_ptr<RequestServer>> RequestServer::open(Fd listening, Hear hear, Millis time) {
  Fd closing(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!closing) return machine_error("cannot open an eventfd", errno, "raise the limit of open files");
  return std::unique_ptr<RequestServer>(
      new RequestServer(std::move(listening), std::move(closing), std::move(hear), time));
}

RequestServer::RequestServer(Fd listening, Fd closing, Hear hear, Millis time)
    : hear_(std::move(hear)), time_(time), listening_(std::move(listening)), closing_(std::move(closing)) {}

void RequestServer::start(const std::string& name) {
  thread_ = named_thread(name, [this] { run(); });
}

RequestServer::~RequestServer() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(closing_.get(), &one, sizeof one);
  if (thread_.joinable()) thread_.join();
}

void RequestServer::run() {
  for (;;) {
    const Millis since = steady_now();
    const bool listens = has_room(since) && since >= rests_until_;
    std::vector<pollfd> polled = {{closing_.get(), POLLIN, 0}, {listens ? listening_.get() : -1, POLLIN, 0}};
    for (const Talk& talk : talks_)
      polled.push_back({talk.fd.get(), static_cast<short>(talk.listens() ? POLLIN : POLLOUT), 0});
    if (::poll(polled.data(), polled.size(), patience(since)) < 0 && errno != EINTR) return;
    if (polled[0].revents != 0) return;
    const Millis now = steady_now();
    std::size_t i = 2;
    std::erase_if(talks_,
                  [&](Talk& talk) { return (polled[i++].revents != 0 && !go_on(talk)) || now >= talk.began + time_; });
    bound_answers();
    if (polled[1].revents == 0) continue;
    for (std::size_t n = 0; n < kMostConnections && has_room(now) && accept(now);) ++n;
    bound_answers();
  }
}

/// The newest answer is never dropped, however large it is.
void RequestServer::bound_answers() {
  const auto size = [](const Talk& talk) { return talk.answer ? talk.answer->size() : 0; };
  std::size_t all = 0;
  for (const Talk& talk : talks_) all += size(talk);
  while (all > kMostAnswers && talks_.size() > 1) {
    const auto oldest =
        std::find_if(talks_.begin(), talks_.end() - 1, [&](const Talk& talk) { return size(talk) != 0; });
    if (oldest == talks_.end() - 1) return;
    all -= size(*oldest);
    talks_.erase(oldest);
  }
}

/// Milliseconds until a connection's time limit, or the end of our rest; -1: there is neither.
int RequestServer::patience(Millis now) const {
  if (talks_.empty() && rests_until_ <= now) return -1;
  Millis until = now + time_;
  if (!talks_.empty()) until = talks_.front().began + (has_room(now) ? time_ : kGrace);
  if (rests_until_ > now) until = std::min(until, rests_until_);
  return static_cast<int>(std::min<Millis>(until > now ? until - now : 0, kTime));
}

bool RequestServer::has_room(Millis now) const {
  return talks_.size() < kMostConnections || now >= talks_.front().began + kGrace;
}

/// Drops the oldest connection that waits for no answer; if all wait for one, the oldest. False: none is old enough.
bool RequestServer::make_room(Millis now) {
  const auto old = [now](const Talk& talk) { return now >= talk.began + kGrace; };
  auto goes = std::find_if(talks_.begin(), talks_.end(), [&](const Talk& talk) { return talk.listens() && old(talk); });
  if (goes == talks_.end()) goes = std::find_if(talks_.begin(), talks_.end(), old);
  if (goes == talks_.end()) return false;
  talks_.erase(goes);
  return true;
}

/// False: no more connections can be accepted now. A new client has often already sent its question, so it is read at
/// once.
bool RequestServer::accept(Millis now) {
  Fd fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd) {
    if (!is_shortage(errno)) return errno == EINTR || errno == ECONNABORTED;
    if (make_room(now)) return true;
    rests_until_ = now + kRest;
    return false;
  }
  if (talks_.size() >= kMostConnections) make_room(now);
  Talk talk{.fd = std::move(fd), .began = now};
  if (go_on(talk)) talks_.push_back(std::move(talk));
  return true;
}

/// False: the conversation is over.
bool RequestServer::go_on(Talk& talk) const {
  if (talk.lingers()) return skip_rest(talk.fd.get(), talk.skipped);
  if (!talk.answer && !hear(talk)) return false;
  if (!talk.fd) return false;  // it was taken away
  return !talk.answer || tell(talk);
}

/// False: the client left without a question, or sends it in too many pieces.
bool RequestServer::hear(Talk& talk) const {
  char room[4096];
  const ssize_t size = ::recv(talk.fd.get(), room, sizeof room, 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (++talk.pieces > kMostPieces) return false;
  if (size == 0 && talk.said.empty()) return false;
  talk.said.append(room, static_cast<std::size_t>(size));
  talk.answer = hear_(talk.said, size == 0, talk.fd);
  return talk.answer || size > 0;
}

/// False: the client has left, or has the whole answer and sends no more. A client that still sends is read for
/// a while: closing with unread data would reset the connection, and the client could lose our answer.
bool RequestServer::tell(Talk& talk) {
  const std::string_view left = std::string_view(*talk.answer).substr(talk.told);
  const ssize_t size = ::send(talk.fd.get(), left.data(), left.size(), MSG_NOSIGNAL);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  talk.told += static_cast<std::size_t>(size);
  if (!talk.lingers()) return true;
  ::shutdown(talk.fd.get(), SHUT_WR);
  return skip_rest(talk.fd.get(), talk.skipped);
}

}  // namespace entente::net
