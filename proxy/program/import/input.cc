#include "proxy/program/import/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "proxy/program/base/interruption.h"
#include "proxy/trace/file.h"

namespace entente {
namespace {

constexpr int kLookForSignal = 100;  // ms between looks for an Interruption

bool is_standard_input(const std::string& path) {
  return path == kStandardInput || path == "/dev/stdin" || path == "/dev/fd/0" || path == "/proc/self/fd/0";
}

bool stat_of_input(const std::string& path, struct stat& about) {
  return is_standard_input(path) ? ::fstat(STDIN_FILENO, &about) == 0 : ::stat(path.c_str(), &about) == 0;
}

/// What comes out of it one piece after another, until its end.
bool flows(const std::string& path, const struct stat& about) {
  if (S_ISFIFO(about.st_mode)) return true;
  return is_standard_input(path) && (S_ISSOCK(about.st_mode) || ::isatty(STDIN_FILENO) == 1);
}

Error cannot_use(const std::string& path, const char* why) { return {path + ": " + why}; }

/// Without O_NONBLOCK, opening a pipe waits for its writer, and cannot be interrupted.
trace::Descriptor open_flow(const std::string& path) {
  return trace::Descriptor(is_standard_input(path) ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                                   : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

Outcome<Done> copy_flow(const std::string& path, const trace::Descriptor& from, trace::Sink& to) {
  std::array<std::uint8_t, 65'536> piece{};
  for (;;) {
    if (Interruption::came()) return Error{"interrupted"};
    pollfd ready{from.get(), POLLIN, 0};
    const int some = ::poll(&ready, 1, kLookForSignal);
    if (some < 0 && errno != EINTR) return cannot_use(path, std::strerror(errno));
    if (some <= 0) continue;
    const auto got = ::read(from.get(), piece.data(), piece.size());
    if (got < 0 && errno != EINTR && errno != EAGAIN) return cannot_use(path, std::strerror(errno));
    if (got == 0) return Done{};
    if (got < 0) continue;
    if (auto written = to.write(Bytes(piece.data(), static_cast<std::size_t>(got))); !written) return written;
  }
}

Outcome<std::shared_ptr<trace::ScratchFile>> copy_of_flow(const std::string& path) {
  const trace::Descriptor from = open_flow(path);
  if (from.get() < 0) return cannot_use(path, std::strerror(errno));
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  auto made = trace::ScratchFile::create(error ? "/tmp" : folder.string(), "the copy of " + path, 0600);
  if (!made) return made;
  if (const auto done = copy_flow(path, from, *(*made)->writer()); !done) return done.error();
  return made;
}

}  // namespace

bool is_piped(const std::string& path) {
  struct stat about {};
  return path == kStandardInput || (stat_of_input(path, about) && flows(path, about));
}

Outcome<std::string> input_path(const std::string& path) {
  static std::map<std::string, std::shared_ptr<trace::ScratchFile>> copies;  // until the program ends
  const std::string name = is_standard_input(path) ? kStandardInput : path;
  if (const auto known = copies.find(name); known != copies.end()) return known->second->path();
  struct stat about {};
  if (!stat_of_input(path, about)) return cannot_use(path, std::strerror(errno));
  if (S_ISREG(about.st_mode)) return path == kStandardInput ? std::string("/dev/stdin") : path;
  if (S_ISDIR(about.st_mode)) return cannot_use(path, "it is a folder, not a file");
  if (!flows(path, about)) return cannot_use(path, "it is neither a file nor a pipe");
  const auto made = copy_of_flow(path);
  if (!made) return made.error();
  return (copies[name] = *made)->path();
}

Outcome<std::unique_ptr<trace::Recording>> open_input(const std::string& path) {
  const auto at = input_path(path);
  if (!at) return at.error();
  return trace::Recording::open(*at, {}, path);
}

Error damage_of(trace::Recording& recording, const Error& error) {
  return {error.text + (recording.recover_helps() ? "; `entente recover` saves the readable part" : "")};
}

}  // namespace entente
