// The C library's calls on files, for what is on the simulated disk (disk.h). Everything else is real.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "tests/lab/disk.h"
#include "tests/lab/real.h"

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
  into->st_mode = S_IFREG | 0644;
  into->st_ino = its->number;
  into->st_dev = 1;
  into->st_nlink = static_cast<nlink_t>(its->names);
  into->st_size = static_cast<off_t>(its->bytes.size());
  return 0;
}

int look(const char* path, struct stat* into) {
  const Disk::Inode* const its = kernel().disk().look(path);
  return its != nullptr ? describe(its, into) : failed(ENOENT);
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  const bool nowhere = Kernel::current() != nullptr && std::strcmp(path, "/dev/null") == 0;
  if (!nowhere && !on_disk(path)) return ENTENTE_LAB_REAL(open, path, flags, mode);
  int error = 0;
  std::shared_ptr<File> file = std::make_shared<File>();  // /dev/null: it takes the place of a descriptor
  if (!nowhere) file = kernel().disk().open(path, flags, error);
  if (!file) return failed(error);
  const int fd = kernel().open(std::move(file));
  return fd < 0 ? failed(EMFILE) : fd;
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
