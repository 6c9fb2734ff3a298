#include "proxy/net/poll.h"

#include <cassert>
#include <utility>

namespace entente::net {

bool Poll::open(Loop& loop, int fd, User& user) {
  assert(!handle_);
  loop_ = &loop;
  user_ = &user;
  wanted_ = watched_ = due_ = 0;
  resting_ = false;
  forget_queued();
  handle_ = make_handle<uv_poll_t>(this, [&](uv_poll_t* it) { return uv_poll_init(loop.raw(), it, fd); });
  return handle_ != nullptr;
}

void Poll::want(bool read, bool write) {
  wanted_ = (read ? UV_READABLE : 0) | (write ? UV_WRITABLE : 0);
  if (!resting_) watch(wanted_);
}

void Poll::again() {
  due_ |= UV_READABLE;
  loop_->serve(*this);
}

void Poll::close() {
  cancel();
  handle_.reset();
}

void Poll::watch(int events) {
  if (events == watched_) return;
  watched_ = events;
  if (events)
    uv_poll_start(handle_.get(), events, &Poll::on_event);
  else
    uv_poll_stop(handle_.get());
}

void Poll::on_event(uv_poll_t* handle, int status, int events) {
  auto* self = static_cast<Poll*>(handle->data);
  // After an error, libuv has stopped watching; the user calls want() again for what it still needs.
  if (status < 0) self->watched_ = 0;
  self->due_ |= events | (status < 0 ? kBroken : 0);
  if (self->waits()) {  // since an earlier turn
    self->resting_ = true;
    return self->watch(0);
  }
  self->loop_->serve(*self);
}

/// The user may have changed its mind since the event was found.
void Poll::run() {
  const int due = std::exchange(due_, 0) & (wanted_ | kBroken);
  if (std::exchange(resting_, false) && (due & kBroken) == 0) watch(wanted_);
  if (due != 0) user_->ready(due & UV_READABLE, due & UV_WRITABLE, due & kBroken);
}

}  // namespace entente::net
