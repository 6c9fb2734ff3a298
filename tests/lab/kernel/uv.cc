// The part of libuv that the program uses, over the simulated kernel.
// Invariant: as in libuv's manual, within what it leaves open: the order in which ready descriptors are reported, and
// whether timers run before or after events (it depends on the version), come from the seed.
#include <sys/socket.h>
#include <uv.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/lab/kernel/kernel.h"
#include "tests/lab/kernel/local.h"
#include "tests/lab/kernel/process.h"
#include "tests/lab/kernel/real.h"

namespace {

using namespace entente::lab;

/// What the lab knows of a handle of a loop.
struct Watched {
  uv_handle_t* handle = nullptr;
  bool active = false, referred = true, closing = false;
  int fd = -1, events = 0;
  bool sent = false;  // an async
  std::uint64_t due = 0, repeat = 0, order = 0;
  uv_poll_cb on_poll = nullptr;
  uv_timer_cb on_timer = nullptr;
  uv_async_cb on_async = nullptr;
  uv_idle_cb on_idle = nullptr;
  uv_prepare_cb on_prepare = nullptr;
  uv_check_cb on_check = nullptr;
  uv_exit_cb on_exit = nullptr;
  std::size_t program = 0;  // that it has started
  // Of a pipe, whose descriptor is `fd`:
  bool is_pipe = false;
  uv_alloc_cb on_room = nullptr;
  uv_read_cb on_read = nullptr;
  uv_write_t* request = nullptr;
  std::string to_write;
  int write_failed = 0;
  uv_close_cb on_close = nullptr;
};

struct SimulatedLoop {
  std::vector<std::unique_ptr<Watched>> handles;  // in the order of their creation
  std::uint64_t now = 0, timers = 0;
  bool timers_first = false;
};

SimulatedLoop& loop_of(const uv_loop_t* loop) { return *static_cast<SimulatedLoop*>(loop->internal_fields); }

template <class Handle>
Watched& watched(const Handle* handle) {
  return *static_cast<Watched*>(handle->u.reserved[3]);
}

std::uint64_t millis() { return kernel().now() / kMilli; }

template <class Handle>
Watched& add(uv_loop_t* loop, Handle* handle, uv_handle_type type) {
  auto one = std::make_unique<Watched>();
  one->handle = reinterpret_cast<uv_handle_t*>(handle);
  handle->loop = loop;
  handle->type = type;
  handle->u.reserved[3] = one.get();
  return *loop_of(loop).handles.emplace_back(std::move(one));
}

bool is_alive(const SimulatedLoop& loop) {
  return std::any_of(loop.handles.begin(), loop.handles.end(),
                     [](const auto& one) { return one->closing || (one->active && one->referred); });
}

/// Calls `what(handle)` for each that is there now; the calls may add others, and close any.
template <class What>
void each(SimulatedLoop& loop, What&& what) {
  for (std::size_t i = 0, end = loop.handles.size(); i < end; ++i)
    if (Watched& one = *loop.handles[i]; !one.closing) what(one);
}

void run_timers(SimulatedLoop& loop) {
  for (;;) {
    Watched* first = nullptr;
    for (const auto& one : loop.handles)
      if (one->active && one->on_timer != nullptr && one->due <= loop.now &&
          (first == nullptr || std::pair(one->due, one->order) < std::pair(first->due, first->order)))
        first = one.get();
    if (first == nullptr) return;
    first->active = false;
    if (first->repeat != 0) {
      first->active = true;
      first->due = std::max(loop.now, first->due) + first->repeat;
      first->order = ++loop.timers;
    }
    first->on_timer(reinterpret_cast<uv_timer_t*>(first->handle));
  }
}

// -- Pipes ------------------------------------------------------------------------------------------------------------

bool is_written(const Watched& one) { return one.to_write.empty() || one.write_failed != 0; }

void write_some(Watched& one) {
  while (!is_written(one)) {
    const ssize_t size = ::send(one.fd, one.to_write.data(), one.to_write.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EAGAIN) return;
    if (size < 0) one.write_failed = -errno;
    one.to_write.erase(0, size < 0 ? 0 : static_cast<std::size_t>(size));
  }
}

bool has_pipe_event(const Watched& one) {
  const auto file = kernel().file(one.fd);
  return (one.request != nullptr && (is_written(one) || file->writable())) ||
         (one.on_read != nullptr && file->readable());
}

void end_write(Watched& one, int result) {
  if (uv_write_t* const request = std::exchange(one.request, nullptr)) request->cb(request, result);
}

void report_pipe(Watched& one) {
  if (one.request != nullptr) {
    write_some(one);
    if (is_written(one)) end_write(one, one.write_failed);
  }
  if (one.closing || one.on_read == nullptr || !kernel().file(one.fd)->readable()) return;
  auto* const stream = reinterpret_cast<uv_stream_t*>(one.handle);
  uv_buf_t room{};
  one.on_room(one.handle, 65'536, &room);
  const ssize_t size = ::recv(one.fd, room.base, room.len, 0);
  const uv_read_cb call = one.on_read;
  if (size <= 0) one.on_read = nullptr;
  call(stream, size > 0 ? size : size == 0 ? UV_EOF : -errno, &room);
}

// -- Loops ------------------------------------------------------------------------------------------------------------

int events_of(const Watched& one) {
  const auto file = kernel().file(one.fd);
  if (!file) return 0;
  return (file->readable() ? UV_READABLE : 0) | (file->writable() ? UV_WRITABLE : 0);
}

bool has_event(const Watched& one) {
  if (!one.active || one.closing) return false;
  if (one.is_pipe) return has_pipe_event(one);
  if (one.on_async != nullptr) return one.sent;
  if (one.on_exit != nullptr) return kernel().processes().ended(one.program).has_value();
  return one.on_poll != nullptr &&
         ((events_of(one) & one.events) != 0 || (kernel().file(one.fd) && kernel().file(one.fd)->broken()));
}

/// Waits for events, unless there is something else to do, and reports them in any order.
void look_for_events(SimulatedLoop& loop, bool may_wait) {
  Nanos until = kNever;
  for (const auto& one : loop.handles) {
    if (one->closing || (one->active && one->on_idle != nullptr)) may_wait = false;
    if (one->active && one->on_timer != nullptr) until = std::min<Nanos>(until, one->due * kMilli);
  }
  const auto found = [&] {
    return std::any_of(loop.handles.begin(), loop.handles.end(), [](const auto& one) { return has_event(*one); });
  };
  if (may_wait)
    kernel().wait(found, std::max(until, kernel().now()));
  else
    kernel().call();
  loop.now = millis();
  std::vector<Watched*> ready;
  for (const auto& one : loop.handles)
    if (has_event(*one)) ready.push_back(one.get());
  for (std::size_t i = ready.size(); i > 1; --i) std::swap(ready[i - 1], ready[kernel().pick(i - 1)]);
  for (Watched* one : ready) {
    if (!has_event(*one)) continue;  // an earlier one has changed it
    if (one->is_pipe) {
      report_pipe(*one);
      continue;
    }
    if (one->on_async != nullptr) {
      one->sent = false;
      one->on_async(reinterpret_cast<uv_async_t*>(one->handle));
      continue;
    }
    if (one->on_exit != nullptr) {
      one->active = false;
      const int code = *kernel().processes().ended(one->program), signal = code > 128 ? code - 128 : 0;
      one->on_exit(reinterpret_cast<uv_process_t*>(one->handle), signal == 0 ? code : 0, signal);
      continue;
    }
    auto* const polled = reinterpret_cast<uv_poll_t*>(one->handle);
    if (kernel().file(one->fd)->broken()) {  // as libuv: it is not watched any more
      one->active = false;
      one->on_poll(polled, UV_EBADF, 0);
      continue;
    }
    one->on_poll(polled, 0, events_of(*one) & one->events);
  }
}

void finish_closing(SimulatedLoop& loop) {
  std::vector<std::unique_ptr<Watched>> closed;
  for (auto& one : loop.handles)
    if (one->closing) closed.push_back(std::move(one));
  std::erase(loop.handles, nullptr);
  for (const auto& one : closed) end_write(*one, UV_ECANCELED);
  for (const auto& one : closed)
    if (one->on_close != nullptr) one->on_close(one->handle);
}

}  // namespace

extern "C" {

int uv_loop_init(uv_loop_t* loop) {
  auto its = std::make_unique<SimulatedLoop>();
  its->now = millis();
  its->timers_first = kernel().pick(1) == 0;
  loop->internal_fields = its.release();
  return 0;
}

int uv_loop_close(uv_loop_t* loop) {
  if (!loop_of(loop).handles.empty()) return UV_EBUSY;
  delete &loop_of(loop);
  loop->internal_fields = nullptr;
  return 0;
}

int uv_run(uv_loop_t* raw, uv_run_mode mode) {
  SimulatedLoop& loop = loop_of(raw);
  while (is_alive(loop)) {
    loop.now = millis();
    if (loop.timers_first) run_timers(loop);
    each(loop, [](Watched& one) {
      if (one.active && one.on_idle != nullptr) one.on_idle(reinterpret_cast<uv_idle_t*>(one.handle));
    });
    each(loop, [](Watched& one) {
      if (one.active && one.on_prepare != nullptr) one.on_prepare(reinterpret_cast<uv_prepare_t*>(one.handle));
    });
    look_for_events(loop, mode != UV_RUN_NOWAIT && is_alive(loop));
    each(loop, [](Watched& one) {
      if (one.active && one.on_check != nullptr) one.on_check(reinterpret_cast<uv_check_t*>(one.handle));
    });
    finish_closing(loop);
    if (!loop.timers_first) run_timers(loop);
    if (mode != UV_RUN_DEFAULT) break;
  }
  return is_alive(loop) ? 1 : 0;
}

std::uint64_t uv_now(const uv_loop_t* loop) { return loop_of(loop).now; }
std::uint64_t uv_hrtime() { return kernel().now(); }

void uv_walk(uv_loop_t* loop, uv_walk_cb call, void* argument) {
  each(loop_of(loop), [&](const Watched& one) { call(one.handle, argument); });
}

void uv_unref(uv_handle_t* handle) { watched(handle).referred = false; }

void uv_close(uv_handle_t* handle, uv_close_cb on_close) {
  Watched& one = watched(handle);
  one.active = false;
  one.closing = true;
  one.on_close = on_close;
  if (one.is_pipe) kernel().close(one.fd);
}

int uv_is_closing(const uv_handle_t* handle) { return watched(handle).closing ? 1 : 0; }

int uv_timer_init(uv_loop_t* loop, uv_timer_t* timer) { return add(loop, timer, UV_TIMER), 0; }
int uv_timer_start(uv_timer_t* timer, uv_timer_cb call, std::uint64_t after, std::uint64_t repeat) {
  Watched& one = watched(timer);
  SimulatedLoop& loop = loop_of(timer->loop);
  one.on_timer = call;
  one.due = loop.now + after;
  one.repeat = repeat;
  one.order = ++loop.timers;
  one.active = true;
  return 0;
}
int uv_timer_stop(uv_timer_t* timer) { return watched(timer).active = false, 0; }

int uv_poll_init(uv_loop_t* loop, uv_poll_t* poll, int fd) {
  add(loop, poll, UV_POLL).fd = fd;
  return 0;
}
int uv_poll_start(uv_poll_t* poll, int events, uv_poll_cb call) {
  Watched& one = watched(poll);
  one.on_poll = call;
  one.events = events;
  one.active = events != 0;
  return 0;
}
int uv_poll_stop(uv_poll_t* poll) { return watched(poll).active = false, 0; }

int uv_async_init(uv_loop_t* loop, uv_async_t* async, uv_async_cb call) {
  Watched& one = add(loop, async, UV_ASYNC);
  one.on_async = call;
  one.active = true;
  return 0;
}
int uv_async_send(uv_async_t* async) {
  watched(async).sent = true;
  kernel().let_others_run();
  return 0;
}

int uv_idle_init(uv_loop_t* loop, uv_idle_t* idle) { return add(loop, idle, UV_IDLE), 0; }
int uv_idle_start(uv_idle_t* idle, uv_idle_cb call) {
  watched(idle).on_idle = call;
  watched(idle).active = true;
  return 0;
}
int uv_idle_stop(uv_idle_t* idle) { return watched(idle).active = false, 0; }

int uv_prepare_init(uv_loop_t* loop, uv_prepare_t* prepare) { return add(loop, prepare, UV_PREPARE), 0; }
int uv_prepare_start(uv_prepare_t* prepare, uv_prepare_cb call) {
  watched(prepare).on_prepare = call;
  watched(prepare).active = true;
  return 0;
}

// -- Pipes ------------------------------------------------------------------------------------------------------------

int uv_pipe(uv_file ends[2], int reads, int writes) {
  kernel().call();
  const auto [one, other] = LocalSocket::pair(kernel());
  one->blocks = (reads & UV_NONBLOCK_PIPE) == 0;
  other->blocks = (writes & UV_NONBLOCK_PIPE) == 0;
  ends[0] = kernel().open(one);
  ends[1] = ends[0] < 0 ? -1 : kernel().open(other);
  if (ends[1] >= 0) return 0;
  if (ends[0] >= 0) kernel().close(ends[0]);
  return UV_EMFILE;
}

int uv_pipe_init(uv_loop_t* loop, uv_pipe_t* pipe, int) {
  add(loop, pipe, UV_NAMED_PIPE).is_pipe = true;
  return 0;
}

int uv_pipe_open(uv_pipe_t* pipe, uv_file fd) {
  watched(pipe).fd = fd;
  return 0;
}

int uv_fileno(const uv_handle_t* handle, uv_os_fd_t* fd) {
  *fd = watched(handle).fd;
  return watched(handle).closing ? UV_EBADF : 0;
}

/// One request at a time, with one buffer.
int uv_write(uv_write_t* request, uv_stream_t* stream, const uv_buf_t buffers[], unsigned count, uv_write_cb call) {
  Watched& one = watched(stream);
  assert(one.request == nullptr && count == 1);
  (void)count;
  request->handle = stream;
  request->cb = call;
  one.request = request;
  one.to_write.assign(buffers[0].base, buffers[0].len);
  one.active = true;
  write_some(one);
  return 0;
}

int uv_read_start(uv_stream_t* stream, uv_alloc_cb room, uv_read_cb call) {
  Watched& one = watched(stream);
  one.on_room = room;
  one.on_read = call;
  one.active = true;
  return 0;
}

// -- Processes --------------------------------------------------------------------------------------------------------

int uv_spawn(uv_loop_t* loop, uv_process_t* process, const uv_process_options_t* options) {
  Watched& one = add(loop, process, UV_PROCESS);
  kernel().call();
  const std::string_view file = options->file;
  if (file != Processes::kExecutable && file != Processes::kShell && file != Processes::kTool) return UV_ENOENT;
  std::vector<std::string> arguments;
  for (char** argument = options->args; *argument != nullptr; ++argument) arguments.emplace_back(*argument);
  Processes::Standard standard;
  for (std::size_t i = 0; i < standard.size() && static_cast<int>(i) < options->stdio_count; ++i)
    if (const uv_stdio_container_t& its = options->stdio[i]; its.flags == UV_INHERIT_FD && Kernel::owns(its.data.fd))
      standard[i] = kernel().file(its.data.fd);
  one.program = kernel().processes().start(kernel().host(), std::move(arguments), std::move(standard));
  one.on_exit = options->exit_cb;
  one.active = true;
  process->pid = Processes::pid_of(one.program);
  return 0;
}

int uv_process_kill(uv_process_t* process, int number) {
  kernel().processes().signal(watched(process).program, number);
  return 0;
}

uv_pid_t uv_os_getpid() {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(uv_os_getpid);
  return Processes::pid_of(kernel().program());
}

int uv_exepath(char* path, std::size_t* size) {
  if (Kernel::current() == nullptr) return ENTENTE_LAB_REAL(uv_exepath, path, size);
  const std::string_view its = Processes::kExecutable;
  if (*size <= its.size()) return UV_ENOBUFS;
  its.copy(path, its.size());
  path[its.size()] = 0;
  *size = its.size();
  return 0;
}

int uv_check_init(uv_loop_t* loop, uv_check_t* check) { return add(loop, check, UV_CHECK), 0; }
int uv_check_start(uv_check_t* check, uv_check_cb call) {
  watched(check).on_check = call;
  watched(check).active = true;
  return 0;
}

}  // extern "C"
