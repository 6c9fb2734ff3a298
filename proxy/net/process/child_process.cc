#include "proxy/net/process/child_process.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "proxy/net/fd.h"
#include "proxy/net/process/close_on_exec.h"
#include "proxy/net/socket.h"

namespace entente::net {
namespace {

constexpr int kMostReads = 64;  // of what an ended program has left in the pipe

/// A pipe between a program and us.
struct Pipe {
  Fd theirs;
  Handle<uv_pipe_t> ours;
};

/// `reads`: whether we read. Nothing: it failed, and errno says why.
std::optional<Pipe> make_pipe(Loop& loop, void* owner, bool reads) {
  uv_file ends[2];
  if (const int error = uv_pipe(ends, reads ? UV_NONBLOCK_PIPE : 0, reads ? 0 : UV_NONBLOCK_PIPE); error != 0) {
    errno = -error;
    return std::nullopt;
  }
  Fd ours(ends[reads ? 0 : 1]), theirs(ends[reads ? 1 : 0]);
  auto handle = make_handle<uv_pipe_t>(owner, [&](uv_pipe_t* it) { return uv_pipe_init(loop.raw(), it, 0); });
  if (handle == nullptr || uv_pipe_open(handle.get(), ours.get()) != 0) return std::nullopt;
  (void)ours.release();
  return Pipe{std::move(theirs), std::move(handle)};
}

}  // namespace

/// What a program is still to read. The loop frees it.
struct ChildProcess::Input {
  uv_write_t request{};
  std::string text;
};

Outcome<Done> ChildProcess::start(const std::string& command) {
  std::string shell = "/bin/sh", option = "-c", text = command;
  uv_stdio_container_t files[3]{};
  files[0].flags = UV_IGNORE;
  for (int i = 1; i < 3; ++i) {
    files[i].flags = UV_INHERIT_FD;
    files[i].data.fd = STDERR_FILENO;
  }
  return spawn({shell.data(), option.data(), text.data(), nullptr}, files);
}

Outcome<Done> ChildProcess::start(const std::vector<std::string>& arguments, std::string input) {
  std::vector<std::string> texts = arguments;
  std::vector<char*> pointers;
  for (std::string& one : texts) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  auto in = make_pipe(loop_, this, false), out = make_pipe(loop_, this, true);
  if (!in || !out) return lack_error("no pipes for the program", errno);
  output_.clear();
  uv_stdio_container_t files[3]{};
  for (int i = 0; i < 3; ++i) {
    files[i].flags = UV_INHERIT_FD;
    files[i].data.fd = (i == STDIN_FILENO ? in : out)->theirs.get();
  }
  const auto begun = spawn(std::move(pointers), files);
  if (!begun) return begun;
  is_program_ = true;
  input_ = std::move(in->ours);
  written_ = std::move(out->ours);
  feed(std::move(input));
  uv_read_start(
      reinterpret_cast<uv_stream_t*>(written_.get()),
      [](uv_handle_t* pipe, std::size_t, uv_buf_t* into) {
        auto& buffer = static_cast<ChildProcess*>(pipe->data)->buffer_;
        *into = uv_buf_init(buffer.data(), static_cast<unsigned>(buffer.size()));
      },
      [](uv_stream_t* pipe, ssize_t size, const uv_buf_t* from) {
        auto* const self = static_cast<ChildProcess*>(pipe->data);
        if (size > 0)
          self->keep(from->base, static_cast<std::size_t>(size));
        else if (size < 0)
          self->written_.reset();
      });
  return begun;
}

Outcome<Done> ChildProcess::spawn(std::vector<char*> arguments, uv_stdio_container_t (&files)[3]) {
  close_others_on_exec();
  is_program_ = false;
  uv_process_options_t options{};
  options.file = arguments.front();
  options.args = arguments.data();
  options.stdio = files;
  options.stdio_count = 3;
  options.flags = UV_PROCESS_DETACHED;  // Ctrl-C is for us, not for the server that it starts
  options.exit_cb = [](uv_process_t* process, std::int64_t code, int signal) {
    if (process->data != nullptr) return static_cast<ChildProcess*>(process->data)->end(code, signal);
    HandleCloser()(process);
  };

  // A handle that uv_spawn has failed for must be closed, too.
  process_ = Handle<uv_process_t>(new uv_process_t{});
  process_->data = this;
  const int error = uv_spawn(loop_.raw(), process_.get(), &options);
  if (error == 0) return Done{};
  process_.reset();
  return Error{uv_strerror(error)};
}

/// A program that does not read, or ends early, is none of our business.
void ChildProcess::feed(std::string input) {
  auto* const all = new Input{.text = std::move(input)};
  all->request.data = all;
  const uv_buf_t text = uv_buf_init(all->text.data(), static_cast<unsigned>(all->text.size()));
  const auto written = [](uv_write_t* request, int) {
    auto* const pipe = request->handle;
    auto* const self = static_cast<ChildProcess*>(pipe->data);
    delete static_cast<Input*>(request->data);
    if (uv_is_closing(reinterpret_cast<uv_handle_t*>(pipe)) == 0) self->input_.reset();
  };
  if (uv_write(&all->request, reinterpret_cast<uv_stream_t*>(input_.get()), &text, 1, written) == 0) return;
  delete all;
  input_.reset();
}

void ChildProcess::keep(const char* bytes, std::size_t size) {
  output_.append(bytes, std::min(size, kMostOutput - output_.size()));
}

/// The group has the number of the program, which leads it.
void ChildProcess::end_group() const { (void)::kill(-process_->pid, SIGKILL); }

void ChildProcess::kill() {
  if (process_ != nullptr && is_program_) end_group();
  detach();
  input_.reset();
  written_.reset();
}

/// The handle stays open until the process has ended: libuv reaps no other process. The loop closes it if it ends
/// first.
void ChildProcess::detach() {
  if (process_ == nullptr) return;
  process_->data = nullptr;
  uv_unref(reinterpret_cast<uv_handle_t*>(process_.get()));
  (void)process_.release();
}

void ChildProcess::end(std::int64_t code, int signal) {
  if (is_program_) end_group();
  uv_os_fd_t fd = -1;
  if (written_ != nullptr && uv_fileno(reinterpret_cast<uv_handle_t*>(written_.get()), &fd) == 0) {
    ssize_t size = 0;
    for (int i = 0; i < kMostReads && (size = ::read(fd, buffer_.data(), buffer_.size())) > 0; ++i)
      keep(buffer_.data(), static_cast<std::size_t>(size));
  }
  input_.reset();
  written_.reset();
  process_.reset();
  user_.exited(*this, code, signal);
}

}  // namespace entente::net
