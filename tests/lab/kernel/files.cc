// The C library's calls on files, for what is on the simulated disk (disk.h). Everything else is real.
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/lab/kernel/disk.h"
#include "tests/lab/kernel/memory.h"
#include "tests/lab/kernel/process.h"
#include "tests/lab/kernel/real.h"

namespace {

using namespace entente::lab;

int failed(int error) {
  errno = error;
  return -1;
}
int done(int error) { return error == 0 ? 0 : failed(error); }

bool on_disk(const char* path) { return Kernel::current() != nullptr && Disk::owns(path); }

/// Null: it is not of the simulated disk.
std::shared_ptr<Disk::Opened> opened(int fd) { return Kernel::owns(fd) ? kernel().file_as<Disk::Opened>(fd) : nullptr; }

int describe(const Disk::Inode* its, struct stat* into) {
  *into = {};
  into->st_mode = S_IFDIR | 0755;
  if (its == nullptr) return 0;
  into->st_mode = its->is_socket ? S_IFSOCK | 0600 : S_IFREG | 0600;
  into->st_uid = ::geteuid();
  into->st_ino = its->number;
  into->st_dev = 1;
  into->st_nlink = static_cast<nlink_t>(its->names);
  into->st_size = static_cast<off_t>(its->bytes.size());
  return 0;
}

int look(const char* path, struct stat* into) {
  if (Disk::is_root(path)) return describe(nullptr, into);
  const Disk::Inode* const its = kernel().disk().look(path);
  return its != nullptr ? describe(its, into) : failed(ENOENT);
}

/// A folder that is read.
struct Listing {
  std::vector<std::string> names;
  std::size_t at = 0;
  dirent entry{};
};
std::set<DIR*>& listings() {
  static std::set<DIR*> all;
  return all;
}
Listing* listing(DIR* folder) { return listings().contains(folder) ? reinterpret_cast<Listing*>(folder) : nullptr; }

DIR* list() {
  const Aside aside;
  auto* const its = new Listing;
  for (const std::string& name : kernel().disk().names())
    its->names.push_back(name.substr(std::string_view(Disk::kRoot).size()));
  auto* const folder = reinterpret_cast<DIR*>(its);
  listings().insert(folder);
  return folder;
}

/// The arguments of a process, as /proc has them: each ends with a zero.
std::shared_ptr<File> command_line() {
  const Aside aside;
  auto inode = std::make_shared<Disk::Inode>();
  for (const std::string& one : kernel().processes().arguments(kernel().program()))
    inode->bytes.insert(inode->bytes.end(), one.c_str(), one.c_str() + one.size() + 1);
  return std::make_shared<Disk::Opened>(kernel().disk(), std::move(inode), false);
}

/// What the system says of itself: it differs from machine to machine, and from run to run.
bool is_of_system(const char* path) {
  const std::string_view text = path;
  return Kernel::current() != nullptr && (text.starts_with("/proc/") || text == "/etc/machine-id");
}

bool is_of_process() { return Kernel::current() != nullptr && kernel().processes().has(kernel().program()); }

/// A real file with what is on the disk now: the C library reads it.
std::FILE* open_copy(const char* path) {
  const Disk::Inode* const its = kernel().disk().look(path);
  if (its == nullptr || its->is_socket) return errno = its == nullptr ? ENOENT : ENXIO, nullptr;
  const int fd = ::memfd_create("lab", MFD_CLOEXEC);
  if (fd < 0) return nullptr;
  for (std::size_t at = 0; at < its->bytes.size();) {
    const ssize_t size = ::pwrite(fd, its->bytes.data() + at, its->bytes.size() - at, static_cast<off_t>(at));
    if (size <= 0) return ::close(fd), nullptr;
    at += static_cast<std::size_t>(size);
  }
  return ::fdopen(fd, "re");
}

/// A stream that appends to a file. As the C library's own on a descriptor, it writes 4 KiB at a time, goes on after a
/// part, and drops what cannot be written.
struct Appended {
  std::string path;
  int fd;
  char room[4096];
};

ssize_t append_to(void* its, const char* bytes, std::size_t size) {
  const Appended& to = *static_cast<Appended*>(its);
  std::size_t written = 0;
  while (written < size) {
    const auto file = opened(to.fd);
    if (!file) break;  // the simulation is over
    const ssize_t some = file->write({reinterpret_cast<const std::uint8_t*>(bytes) + written, size - written});
    if (some < 0) return errno = static_cast<int>(-some), static_cast<ssize_t>(written);
    kernel().processes().print(to.path, {bytes + written, static_cast<std::size_t>(some)});
    written += static_cast<std::size_t>(some);
  }
  return static_cast<ssize_t>(written);
}

int close_appended(void* its) {
  if (Kernel::current() == nullptr) return 0;
  const Aside aside;
  const std::unique_ptr<Appended> closed(static_cast<Appended*>(its));
  kernel().close(closed->fd);
  return 0;
}

std::FILE* open_to_append(const char* path) {
  int error = 0;
  if (!kernel().has_descriptor()) return errno = EMFILE, nullptr;
  auto file = kernel().disk().open(path, O_WRONLY | O_CREAT | O_APPEND, error);
  if (!file) return errno = error, nullptr;
  const int fd = kernel().open(std::move(file));
  const Aside aside;
  auto* const its = new Appended{path, fd, {}};
  std::FILE* const stream = ::fopencookie(its, "a", {nullptr, append_to, nullptr, close_appended});
  if (stream != nullptr) std::setvbuf(stream, its->room, _IOFBF, sizeof its->room);
  return stream;
}

std::FILE* open_stream(const char* path, char mode) {
  if (mode == 'r') return open_copy(path);
  return mode == 'a' ? open_to_append(path) : (errno = EROFS, nullptr);
}

bool is_printed(std::FILE* to) { return (to == stdout || to == stderr) && is_of_process(); }

}  // namespace

extern "C" {

std::FILE* fopen(const char* path, const char* mode) {
  if (is_of_system(path)) return errno = ENOENT, nullptr;
  return on_disk(path) ? open_stream(path, mode[0]) : ENTENTE_LAB_REAL(fopen, path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  if (is_of_system(path)) return errno = ENOENT, nullptr;
  return on_disk(path) ? open_stream(path, mode[0]) : ENTENTE_LAB_REAL(fopen64, path, mode);
}

std::size_t fwrite(const void* what, std::size_t size, std::size_t count, std::FILE* to) {
  if (!is_printed(to)) return ENTENTE_LAB_REAL(fwrite, what, size, count, to);
  kernel().processes().print("", {static_cast<const char*>(what), size * count});
  return count;
}

int printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char text[4096];
  const int size = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (size > 0) (void)fwrite(text, 1, std::min<std::size_t>(static_cast<std::size_t>(size), sizeof text - 1), stdout);
  return size;
}

int fputs(const char* text, std::FILE* to) {
  if (!is_printed(to)) return ENTENTE_LAB_REAL(fputs, text, to);
  kernel().processes().print("", text);
  return 0;
}

DIR* opendir(const char* path) {
  if (is_of_system(path)) return errno = ENOENT, nullptr;
  if (!on_disk(path)) return ENTENTE_LAB_REAL(opendir, path);
  return Disk::is_root(path) ? list() : (errno = ENOTDIR, nullptr);
}

DIR* fdopendir(int fd) {
  const auto its = opened(fd);
  if (!its) return ENTENTE_LAB_REAL(fdopendir, fd);
  if (its->inode() != nullptr) return errno = ENOTDIR, nullptr;
  kernel().close(fd);
  return list();
}

dirent* readdir(DIR* folder) {
  Listing* const its = listing(folder);
  if (its == nullptr) return ENTENTE_LAB_REAL(readdir, folder);
  if (its->at == its->names.size()) return nullptr;
  const std::string& name = its->names[its->at++];
  its->entry = {};
  name.copy(its->entry.d_name, sizeof its->entry.d_name - 1);
  return &its->entry;
}

int closedir(DIR* folder) {
  Listing* const its = listing(folder);
  if (its == nullptr) return ENTENTE_LAB_REAL(closedir, folder);
  listings().erase(folder);
  delete its;
  return 0;
}

int access(const char* path, int mode) noexcept {
  if (!on_disk(path)) return ENTENTE_LAB_REAL(access, path, mode);
  return Disk::is_root(path) || kernel().disk().look(path) != nullptr ? 0 : failed(ENOENT);
}

ssize_t readlink(const char* path, char* into, std::size_t size) noexcept {
  return is_of_system(path) ? failed(ENOENT) : ENTENTE_LAB_REAL(readlink, path, into, size);
}

int fchmod(int fd, mode_t mode) noexcept { return Kernel::owns(fd) ? 0 : ENTENTE_LAB_REAL(fchmod, fd, mode); }

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return on_disk(path) || is_of_system(path) ? open(path, flags, mode)
                                             : ENTENTE_LAB_REAL(openat, folder, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  const bool nowhere = Kernel::current() != nullptr && std::strcmp(path, "/dev/null") == 0;
  const bool own = is_of_process() && std::strcmp(path, "/proc/self/cmdline") == 0;
  if (is_of_system(path) && !own) return failed(ENOENT);
  if (!nowhere && !own && !on_disk(path)) return ENTENTE_LAB_REAL(open, path, flags, mode);
  if (!kernel().has_descriptor()) return failed(EMFILE);  // before the file is made, as Linux
  int error = 0;
  std::shared_ptr<File> file = std::make_shared<File>();  // /dev/null: it takes the place of a descriptor
  if (own) file = command_line();
  if (!nowhere && !own) file = kernel().disk().open(path, flags, error);
  return file ? kernel().open(std::move(file)) : failed(error);
}

ssize_t pread(int fd, void* into, size_t size, off_t offset) {
  const auto its = opened(fd);
  if (!its) return ENTENTE_LAB_REAL(pread, fd, into, size, offset);
  const ssize_t got = its->read(static_cast<std::uint64_t>(offset), {static_cast<std::uint8_t*>(into), size});
  return got >= 0 ? got : failed(static_cast<int>(-got));
}

int fstat(int fd, struct stat* into) noexcept {
  const auto its = opened(fd);
  return its ? describe(its->inode(), into) : ENTENTE_LAB_REAL(fstat, fd, into);
}

int lstat(const char* path, struct stat* into) noexcept {
  return on_disk(path) ? look(path, into) : ENTENTE_LAB_REAL(lstat, path, into);
}

int stat(const char* path, struct stat* into) noexcept {
  return on_disk(path) ? look(path, into) : ENTENTE_LAB_REAL(stat, path, into);
}

int ftruncate(int fd, off_t size) noexcept {
  const auto its = opened(fd);
  return its ? done(its->cut(static_cast<std::uint64_t>(size))) : ENTENTE_LAB_REAL(ftruncate, fd, size);
}

int fsync(int fd) {
  const auto its = opened(fd);
  return its ? done(its->sync()) : ENTENTE_LAB_REAL(fsync, fd);
}

int fdatasync(int fd) {
  const auto its = opened(fd);
  return its ? done(its->sync()) : ENTENTE_LAB_REAL(fdatasync, fd);
}

int rename(const char* from, const char* to) noexcept {
  if (!on_disk(from)) return ENTENTE_LAB_REAL(rename, from, to);
  return done(kernel().disk().rename(from, to, true));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (!on_disk(from)) return ENTENTE_LAB_REAL(renameat2, from_folder, from, to_folder, to, flags);
  return done(kernel().disk().rename(from, to, (flags & RENAME_NOREPLACE) == 0));
}

int unlink(const char* path) noexcept {
  return on_disk(path) ? done(kernel().disk().remove(path)) : ENTENTE_LAB_REAL(unlink, path);
}

int remove(const char* path) noexcept {  // the library's own calls unlink() of the system
  return on_disk(path) ? unlink(path) : ENTENTE_LAB_REAL(remove, path);
}

}  // extern "C"
