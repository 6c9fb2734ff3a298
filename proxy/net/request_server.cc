#include "proxy/net/request_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <utility>

#include "proxy/net/named_thread.h"
#include "proxy/net/socket.h"

namespace entente::net {
namespace {

constexpr std::size_t kMostSkipped = 256 * 1024;  // bytes after the question
constexpr std::size_t kMostSlow = 64U << 20U;     // bytes of questions that wait for slow answers
constexpr Millis kLongWait = 3'600'000;

/// Adds the bytes to `skipped`. False: the client sends no more, or too much.
bool skip_rest(int fd, std::size_t& skipped) {
  char room[4096];
  while (skipped <= kMostSkipped) {
    const ssize_t size = ::recv(fd, room, sizeof room, 0);
    if (size <= 0) return size < 0 && errno == EAGAIN;
    skipped += static_cast<std::size_t>(size);
  }
  return false;
}

}  // namespace

// -- The loop ---------------------------------------------------------------------------------------------------------

RequestLoop::RequestLoop(std::string name, std::string slow_name)
    : name_(std::move(name)),
      slow_name_(std::move(slow_name)),
      news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      no_news_why_(errno) {}

RequestLoop::~RequestLoop() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
}

void RequestLoop::add(RequestServer& server) {
  const std::lock_guard lock(mutex_);
  servers_.push_back(&server);
  changed_ = true;
  wake();
  if (thread_.joinable()) return;
  slow_.emplace(slow_name_, kMostSlow, nullptr, [] {});
  thread_ = named_thread(name_, [this] { run(); });
}

void RequestLoop::remove(RequestServer& server) {
  const std::lock_guard lock(mutex_);
  changed_ = true;
  std::erase(servers_, &server);
  wake();
}

void RequestLoop::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(news_.get(), &one, sizeof one);
}

void RequestLoop::run() {
  std::vector<pollfd> polled;
  std::unique_lock lock(mutex_);
  while (!ends_) {
    changed_ = false;
    polled.assign(1, {news_.get(), POLLIN, 0});
    Millis patience = kLongWait;
    const Millis since = steady_now();
    for (RequestServer* one : servers_) {
      one->take_answers(since);
      patience = std::min(patience, one->add_to(polled, since));
    }
    lock.unlock();
    (void)::poll(polled.data(), polled.size(), static_cast<int>(patience));  // if it fails, nothing was found
    std::uint64_t news = 0;
    [[maybe_unused]] const auto read = ::read(news_.get(), &news, sizeof news);
    lock.lock();
    if (changed_) continue;  // what was found may belong to a server that is gone
    const Millis now = steady_now();
    std::span<const pollfd> rest(polled.begin() + 1, polled.end());
    for (RequestServer* one : servers_) {
      rest = one->turn(rest, now);
      one->turned_.notify_all();
    }
  }
}

// -- A server ---------------------------------------------------------------------------------------------------------

/// Answers that are made on the loop's second thread, also while the server goes.
struct RequestServer::Slow {
  struct Made {
    std::uint64_t number;
    Fd client;
    std::string answer;
  };
  std::mutex mutex;
  std::condition_variable idle;
  bool gone = false, busy = false;
  std::vector<Made> made;
};

Outcome<std::unique_ptr<RequestServer>> RequestServer::open(RequestLoop& loop, Fd listening, Hear hear, Millis time) {
  if (!loop.news_) return lack_error("cannot serve the control socket and pages", loop.no_news_why_);
  return std::unique_ptr<RequestServer>(new RequestServer(loop, std::move(listening), std::move(hear), time));
}

RequestServer::RequestServer(RequestLoop& loop, Fd listening, Hear hear, Millis time)
    : loop_(loop),
      hear_(std::move(hear)),
      time_(time),
      listening_(std::move(listening)),
      slow_(std::make_shared<Slow>()) {}

RequestServer::~RequestServer() {
  loop_.remove(*this);
  std::unique_lock lock(slow_->mutex);
  slow_->gone = true;
  slow_->idle.wait(lock, [this] { return !slow_->busy; });
}

void RequestServer::stop_listening() {
  const std::lock_guard lock(loop_.mutex_);
  listening_.reset();
  loop_.changed_ = true;
  loop_.wake();
}

void RequestServer::finish() {
  stop_listening();
  std::unique_lock lock(loop_.mutex_);
  const Millis began = steady_now();
  const auto is_over = [&] {
    const Millis waited = steady_now() - began;
    return waited >= kTime || std::all_of(talks_.begin(), talks_.end(), [&](const Talk& talk) {
             return talk.lingers() || (talk.is_silent() && waited >= kSilence);
           });
  };
  while (!is_over()) turned_.wait_for(lock, std::chrono::milliseconds(kGrace));
}

/// Until a connection's time limit, or the end of our rest.
Millis RequestServer::add_to(std::vector<pollfd>& polled, Millis now) const {
  const bool room = has_room(now), listens = room && now >= rests_until_;
  polled.push_back({listens ? listening_.get() : -1, POLLIN, 0});
  for (const Talk& talk : talks_)
    polled.push_back({talk.waits ? -1 : talk.fd.get(), static_cast<short>(talk.listens() ? POLLIN : POLLOUT), 0});
  Millis until = now + kLongWait;
  const auto first = std::find_if(talks_.begin(), talks_.end(), [](const Talk& talk) { return !talk.waits; });
  if (first != talks_.end()) until = std::min(until, first->began + (room ? time_ : kGrace));
  if (rests_until_ > now) until = std::min(until, rests_until_);
  return until > now ? until - now : 0;
}

std::span<const pollfd> RequestServer::turn(std::span<const pollfd> polled, Millis now) {
  const std::size_t mine = 1 + talks_.size();
  const bool comes = polled[0].revents != 0;
  std::size_t i = 1;
  std::erase_if(talks_, [&](Talk& talk) {
    const bool moves = polled[i++].revents != 0;
    return !talk.waits && ((moves && !go_on(talk, now)) || (!talk.waits && now >= talk.began + time_));
  });
  const auto is_older = [](const Talk& one, const Talk& other) { return one.began < other.began; };
  if (!std::is_sorted(talks_.begin(), talks_.end(), is_older))  // some were answered
    std::stable_sort(talks_.begin(), talks_.end(), is_older);
  bound_answers();
  if (comes)
    for (std::size_t n = 0; n < kMostConnections && has_room(now) && accept(now);) ++n;
  bound_answers();
  return polled.subspan(mine);
}

/// Called before each wait: whatever the wake-up was for, no answer is left behind.
void RequestServer::take_answers(Millis now) {
  std::vector<Slow::Made> made;
  {
    const std::lock_guard lock(slow_->mutex);
    made.swap(slow_->made);
  }
  for (Slow::Made& one : made) {
    const auto at =
        std::find_if(talks_.begin(), talks_.end(), [&](const Talk& talk) { return talk.number == one.number; });
    Talk talk = std::move(*at);
    talks_.erase(at);
    if (!one.client) continue;  // it was taken away
    talk.fd = std::move(one.client);
    talk.set_answer(std::move(one.answer), now);
    talk.waits = false;
    if (tell(talk)) talks_.push_back(std::move(talk));
  }
  bound_answers();
}

/// The newest answer is never dropped, however large it is.
void RequestServer::bound_answers() {
  const auto size = [](const Talk& talk) { return talk.answer ? talk.answer->size() : 0; };
  std::size_t all = 0;
  for (const Talk& talk : talks_) all += size(talk);
  while (all > kMostAnswers) {
    const auto oldest =
        std::find_if(talks_.begin(), talks_.end() - 1, [&](const Talk& talk) { return size(talk) != 0; });
    if (oldest == talks_.end() - 1) return;
    all -= size(*oldest);
    talks_.erase(oldest);
  }
}

bool RequestServer::has_room(Millis now) const {
  const auto old = [now](const Talk& talk) { return !talk.waits && now >= talk.began + kGrace; };
  return talks_.size() < kMostConnections || std::any_of(talks_.begin(), talks_.end(), old);
}

/// Drops the oldest connection that waits for no answer; if all wait for one, the oldest. False: none is old enough.
bool RequestServer::make_room(Millis now) {
  const auto old = [now](const Talk& talk) { return !talk.waits && now >= talk.began + kGrace; };
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
  Talk talk{.number = ++last_number_, .fd = std::move(fd), .began = now};
  if (go_on(talk, now)) talks_.push_back(std::move(talk));
  return true;
}

/// False: the conversation is over.
bool RequestServer::go_on(Talk& talk, Millis now) {
  if (talk.lingers()) return skip_rest(talk.fd.get(), talk.skipped);
  if (!talk.answer && !hear(talk, now)) return false;
  return !talk.answer || tell(talk);
}

/// False: the client left without a question, or sends it in too many pieces.
bool RequestServer::hear(Talk& talk, Millis now) {
  char room[4096];
  const ssize_t size = ::recv(talk.fd.get(), room, sizeof room, 0);
  if (size < 0) return errno == EAGAIN;
  if (++talk.pieces > kMostPieces) return false;
  if (size == 0 && talk.said.empty()) return false;
  talk.said.append(room, static_cast<std::size_t>(size));
  auto answer = hear_(talk.said, size == 0, talk.fd);
  if (!answer) return size > 0;
  if (answer->make) return make_later(talk, std::move(answer->make));
  talk.set_answer(std::move(answer->text), now);
  return true;
}

/// False: too much waits.
bool RequestServer::make_later(Talk& talk, Answer::Make make) {
  talk.waits = true;
  const auto client = std::make_shared<Fd>(std::move(talk.fd));
  return loop_.slow_->put(talk.said.size(),
                          [&loop = loop_, slow = slow_, number = talk.number, client, make = std::move(make)] {
                            {
                              const std::lock_guard lock(slow->mutex);
                              if (slow->gone) return;
                              slow->busy = true;
                            }
                            std::string answer = make(*client);
                            const std::lock_guard lock(slow->mutex);
                            slow->busy = false;
                            slow->made.push_back({number, std::move(*client), std::move(answer)});
                            slow->idle.notify_all();
                            loop.wake();
                          });
}

/// False: the client has left, or has the whole answer and sends no more. A client that still sends is read for
/// a while: closing with unread data would reset the connection, and the client could lose our answer.
bool RequestServer::tell(Talk& talk) {
  const std::string_view left = std::string_view(*talk.answer).substr(talk.told);
  const ssize_t size = ::send(talk.fd.get(), left.data(), left.size(), MSG_NOSIGNAL);
  if (size < 0) return errno == EAGAIN;
  talk.told += static_cast<std::size_t>(size);
  if (!talk.lingers()) return true;
  ::shutdown(talk.fd.get(), SHUT_WR);
  return skip_rest(talk.fd.get(), talk.skipped);
}

}  // namespace entente::net
