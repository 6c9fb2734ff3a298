#include "proxy/net/process/child_process.h"

#include <unistd.h>

#include "proxy/net/process/close_on_exec.h"

namespace entente::net {

Outcome<Done> ChildProcess::start(const std::string& command) {
  close_others_on_exec();

  std::string shell = "/bin/sh", option = "-c", text = command;
  char* arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  uv_stdio_container_t files[3]{};
  files[0].flags = UV_IGNORE;
  for (int i = 1; i < 3; ++i) {
    files[i].flags = UV_INHERIT_FD;
    files[i].data.fd = STDERR_FILENO;
  }
  uv_process_options_t options{};
  options.file = shell.c_str();
  options.args = arguments;
  options.stdio = files;
  options.stdio_count = 3;
  options.flags = UV_PROCESS_DETACHED;  // Ctrl-C is for us, not for the server that it starts
  options.exit_cb = [](uv_process_t* process, std::int64_t code, int signal) {
    if (process->data != nullptr) static_cast<ChildProcess*>(process->data)->end(code, signal);
  };

  // A handle that uv_spawn has failed for must be closed, too.
  process_ = Handle<uv_process_t>(new uv_process_t{});
  process_->data = this;
  const int error = uv_spawn(loop_.raw(), process_.get(), &options);
  if (error == 0) return Done{};
  process_.reset();
  return Error{uv_strerror(error)};
}

void ChildProcess::end(std::int64_t code, int signal) {
  process_.reset();
  user_.exited(*this, code, signal);
}

}  // namespace entente::net
