// POSIX files, opened for appending. If another program truncates the file, a write at an offset would leave a hole and
// the expected size; an append shows in check().
#include "proxy/trace/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace entente::trace {
namespace {

std::string why(int code) { return ": " + std::generic_category().message(code); }

Error failed(const char* doing, const std::string& path, int code = errno) {
  return {std::string("cannot ") + doing + " " + path + why(code)};
}

bool exists(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0;
}

// Renames, but never over an existing file. On file systems without RENAME_NOREPLACE, this is a check and a rename.
int rename_unless_there(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL) return errno;  // glibc also makes it of ENOSYS
  if (exists(to)) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

const char* why_left(std::string_view suffix) {
  return suffix == ".part" ? "a recording was not closed; repair it with `entente recover`, or move it away"
                           : "its writer was interrupted or is still running; remove it and try again";
}

/// All of `bytes`, at the end of the file. Counts in `size` what was written.
Outcome<Done> append_to(const Descriptor& file, const std::string& name, Bytes bytes, std::uint64_t& size) {
  while (!bytes.empty()) {
    const auto got = ::write(file.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return failed("write", name, got < 0 ? errno : EIO);
    size += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return Done{};
}

Outcome<Done> read_from(const Descriptor& file, const std::string& name, std::uint64_t offset,
                        std::span<std::uint8_t> to) {
  while (!to.empty()) {
    const auto got = ::pread(file.get(), to.data(), to.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", name);
    if (got == 0) return Error{"cannot read " + name + ": it became shorter while it was read"};
    offset += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
  return Done{};
}

}  // namespace

bool says_full(const Error& error) {
  const auto says = [&](int code) { return error.text.ends_with(why(code)); };
  return says(ENOSPC) || says(EDQUOT) || says(EFBIG);
}

void sync_folder_of(const std::string& path) {
  auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0) ::fsync(opened.get());
}

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Outcome<std::unique_ptr<FileSink>> FileSink::create(const std::string& path, const char* suffix) {
  if (exists(path)) return Error{path + " exists already: choose another name or move it away"};
  std::signal(SIGXFSZ, SIG_IGN);  // at a file size limit, write() then fails; by default the process dies
  const auto part = path + suffix;
  Descriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0 && errno == EEXIST) return Error{part + " exists already: " + why_left(suffix)};
  if (file.get() < 0) return failed("create", part);
  return std::unique_ptr<FileSink>(new FileSink(path, part, std::move(file)));
}

Outcome<std::unique_ptr<FileSink>> FileSink::create_beside(const std::string& path) {
  const std::filesystem::path whole(path);
  std::string name = path;
  const auto is_taken = [&] { return exists(name + ".part") || exists(name); };  // in this order: it may be completed
  for (int n = 2;; ++n) {
    if (!is_taken())
      if (auto created = create(name); created || !is_taken()) return created;  // another thread may take it meanwhile
    name = (whole.parent_path() / whole.stem()).string() + "-" + std::to_string(n) + whole.extension().string();
  }
}

Outcome<Done> FileSink::write(Bytes bytes) {
  if (auto written = append_to(file_, part_, bytes, size_); !written.ok()) return written;
  if (auto there = check(); !there.ok()) return there;
  if (copy_) (void)copy_->write(bytes);
  return Done{};
}

Outcome<Done> FileSink::check() {
  struct stat open {};
  if (::fstat(file_.get(), &open) != 0) return failed("look at", part_);
  struct stat named {};
  const bool there = ::lstat(part_.c_str(), &named) == 0;
  if (!there && errno != ENOENT && errno != ENOTDIR) return Done{};  // its folder cannot be read for now
  if (!there) return Error{part_ + " was removed or renamed"};
  if (open.st_ino != named.st_ino || open.st_dev != named.st_dev) return Error{part_ + " was replaced by another file"};
  const auto size = static_cast<std::uint64_t>(open.st_size);
  if (size == size_) return Done{};
  return Error{part_ + " was changed by another program: it has " + std::to_string(size) + " bytes instead of " +
               std::to_string(size_)};
}

Outcome<Done> FileSink::cut(std::uint64_t size) {
  if (auto there = check(); !there.ok()) return there;
  if (::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) return failed("cut back", part_);
  size_ = size;
  return Done{};
}

Outcome<Done> FileSink::sync() {
  if (::fdatasync(file_.get()) != 0) return failed("sync", part_);
  return Done{};
}

Outcome<Done> FileSink::finish() {
  if (const auto code = rename_unless_there(part_, path_); code != 0)
    return failed(("rename " + part_ + " to").c_str(), path_, code);
  sync_folder_of(path_);
  file_.reset();
  if (copy_) (void)copy_->finish();
  return Done{};
}

void FileSink::discard() {
  file_.reset();
  ::unlink(part_.c_str());
}

Outcome<std::unique_ptr<FileSource>> FileSource::open(const std::string& path, const std::string& name) {
  const std::string& shown = name.empty() ? path : name;
  // A pipe among the files of a folder must not make us wait for its writer. For a file, O_NONBLOCK means nothing.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return failed("open", shown);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return failed("look at", shown);
  if (!S_ISREG(about.st_mode)) return Error{"cannot read " + shown + ": it is not a file"};
  const auto size = static_cast<std::uint64_t>(about.st_size);
  return std::unique_ptr<FileSource>(new FileSource(shown, std::move(file), size));
}

Outcome<bool> FileSource::look_again() {
  struct stat about {};
  if (::fstat(file_.get(), &about) != 0) return failed("look at", name_);
  if (about.st_nlink == 0) return Error{name_ + " was removed"};
  const auto before = std::exchange(size_, static_cast<std::uint64_t>(about.st_size));
  return size_ != before;
}

Outcome<Done> FileSource::read(std::uint64_t offset, std::span<std::uint8_t> to) {
  return read_from(file_, name_, offset, to);
}

class ScratchFile::Writer final : public Sink {
 public:
  explicit Writer(ScratchFile& to) : to_(to) {}

  const std::string& name() const override { return to_.name_; }
  Outcome<Done> write(Bytes bytes) override { return append_to(to_.file_, to_.name_, bytes, to_.size_); }
  Outcome<Done> cut(std::uint64_t size) override {
    if (::ftruncate(to_.file_.get(), static_cast<off_t>(size)) != 0) return failed("cut back", to_.name_);
    to_.size_ = size;
    return Done{};
  }
  Outcome<Done> sync() override { return Done{}; }  // what a crash loses can be made again
  Outcome<Done> finish() override { return Done{}; }

 private:
  ScratchFile& to_;
};

Outcome<std::shared_ptr<ScratchFile>> ScratchFile::create(const std::string& folder, std::string name, unsigned mode) {
  std::signal(SIGXFSZ, SIG_IGN);
  std::string part;
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, mode));
  if (file.get() < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
    part = (std::filesystem::path(folder) / ".entente-XXXXXX").string();
    file = Descriptor(::mkostemp(part.data(), O_APPEND | O_CLOEXEC));
    if (file.get() >= 0) ::fchmod(file.get(), mode);
  }
  if (file.get() < 0) return failed("create a file in", folder);
  return std::shared_ptr<ScratchFile>(new ScratchFile(std::move(name), std::move(part), std::move(file)));
}

ScratchFile::~ScratchFile() {
  if (!part_.empty()) ::unlink(part_.c_str());
}

std::unique_ptr<Sink> ScratchFile::writer() { return std::make_unique<Writer>(*this); }

// A link cannot replace a file, so the file first gets a name beside it.
Outcome<Done> ScratchFile::keep(const std::string& path) {
  if (part_.empty()) {
    const std::string own = this->path(), beside = path + ".new";
    const auto link = [&] { return ::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, beside.c_str(), AT_SYMLINK_FOLLOW) == 0; };
    // A program that was killed here left the name.
    const bool linked = link() || (errno == EEXIST && ::unlink(beside.c_str()) == 0 && link());
    if (!linked) return failed("create", beside);
    part_ = beside;
  }
  if (::rename(part_.c_str(), path.c_str()) != 0) return failed(("rename " + part_ + " to").c_str(), path);
  part_.clear();
  return Done{};
}

Outcome<Done> ScratchFile::read(std::uint64_t offset, std::span<std::uint8_t> to) {
  return read_from(file_, name_, offset, to);
}

}  // namespace entente::trace
