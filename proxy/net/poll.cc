#include "proxy/net/poll.h"

#include <cassert>

namespace entente::net {

bool Poll::open(Loop& loop, int fd, User& user) {
  assert(!handle_);
  user_ = &user;
  watched_ = 0;
  handle_ = make_handle<uv_poll_t>(this, [&](uv_poll_t* it) { return uv_poll_init(loop.raw(), it, fd); });
  return handle_ != nullptr;
}

void Poll::want(bool read, bool write) {
  const int events = (read ? UV_READABLE : 0) | (write ? UV_WRITABLE : 0);
  if (events == watched_) return;
  watched_ = events;
  if (events)
    uv_poll_start(handle_.get(), events, &Poll::on_event);
  else
    uv_poll_stop(handle_.get());
}

void Poll::on_event(uv_poll_t* handle, int status, int events) {
  auto* self = static_cast<Poll*>(handle->data);
  if (status < 0) self->watched_ = 0;  // libuv has stopped watching; the user wants again what it still wants
  self->user_->ready(events & UV_READABLE, events & UV_WRITABLE, status < 0);
}

}  // namespace entente::net
