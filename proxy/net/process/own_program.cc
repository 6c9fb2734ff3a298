#include "proxy/net/process/own_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string_view>
#include <utility>

#include "proxy/net/fd.h"
#include "proxy/net/process/close_on_exec.h"

namespace entente::net {
namespace {

/// The path of our executable, also if the file was replaced since we began.
std::string own_executable() {
  std::string path(PATH_MAX, '\0');
  std::size_t size = path.size();
  if (uv_exepath(path.data(), &size) != 0) size = 0;
  path.resize(size);
  constexpr std::string_view kReplaced = " (deleted)";
  if (path.ends_with(kReplaced)) path.resize(path.size() - kReplaced.size());
  return path;
}

/// Each argument ends with a NUL.
std::string own_arguments() {
  const Fd file(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  std::string all;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = ::read(file.get(), part.data(), part.size())) > 0;)
    all.append(part.data(), static_cast<std::size_t>(size));
  return all;
}

std::vector<std::string> variables_without(std::string_view name) {
  std::vector<std::string> all;
  uv_env_item_t* items = nullptr;
  int count = 0;
  if (uv_os_environ(&items, &count) != 0) return all;
  for (int i = 0; i < count; ++i)
    if (items[i].name != name) all.push_back(std::string(items[i].name) + "=" + items[i].value);
  uv_os_free_environ(items, count);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::int32_t own_pid() { return uv_os_getpid(); }

std::vector<std::string> OwnProgram::arguments_with(const std::string& option, const std::string& value) {
  std::vector<std::string> all;
  const std::string texts = own_arguments();
  for (std::size_t at = 0, end = 0; (end = texts.find('\0', at)) != std::string::npos; at = end + 1)
    all.push_back(texts.substr(at, end - at));
  for (auto at = all.begin(); at != all.end();) {
    if (*at == option)
      at = all.erase(at, at + std::min<std::ptrdiff_t>(2, all.end() - at));
    else if (at->starts_with(option + "="))
      at = all.erase(at);
    else
      ++at;
  }
  all.insert(all.end(), {option, value});
  return all;
}

OwnProgram::OwnProgram() : failed_(uv_loop_init(&loop_)) {}

OwnProgram::~OwnProgram() {
  if (failed_ != 0) return;
  if (began_ && !ended_) uv_close(reinterpret_cast<uv_handle_t*>(&process_), nullptr);
  (void)uv_run(&loop_, UV_RUN_DEFAULT);
  (void)uv_loop_close(&loop_);
}

Outcome<std::int32_t> OwnProgram::start(std::vector<std::string> arguments, std::string file) {
  const std::string path = file.empty() ? own_executable() : std::move(file);
  const auto cannot = [&path](int error) {
    return Error{"cannot start another process (" + path + "): " + uv_strerror(error)};
  };
  if (failed_ != 0) return cannot(failed_);
  close_others_on_exec();
  auto variables = variables_without("WATCHDOG_PID");
  const auto argv = pointers_to(arguments), environment = pointers_to(variables);
  std::array<uv_stdio_container_t, 3> files{};
  files[0].flags = UV_IGNORE;
  for (int i = STDOUT_FILENO; i <= STDERR_FILENO; ++i) {
    files[static_cast<std::size_t>(i)].flags = UV_INHERIT_FD;
    files[static_cast<std::size_t>(i)].data.fd = i;
  }
  uv_process_options_t options{};
  options.file = path.c_str();
  options.args = const_cast<char**>(argv.data());
  options.env = const_cast<char**>(environment.data());
  options.stdio = files.data();
  options.stdio_count = static_cast<int>(files.size());
  options.exit_cb = [](uv_process_t* process, std::int64_t code, int signal) {
    static_cast<OwnProgram*>(process->data)->ended_ = signal == 0 ? static_cast<int>(code) : 128 + signal;
    uv_close(reinterpret_cast<uv_handle_t*>(process), nullptr);
  };
  process_.data = this;
  began_ = true;  // a handle that uv_spawn has failed for must be closed, too
  const int error = uv_spawn(&loop_, &process_, &options);
  if (error != 0) return cannot(error);
  return process_.pid;
}

void OwnProgram::signal(int number) {
  if (began_ && !ended_) (void)uv_process_kill(&process_, number);
}

std::optional<int> OwnProgram::ended() {
  if (failed_ != 0) return std::nullopt;
  (void)uv_run(&loop_, UV_RUN_NOWAIT);
  return ended_;
}

}  // namespace entente::net
