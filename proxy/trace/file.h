// Where recordings are written to and read from: Sink, Source, and files.
// Invariant: a file gets its name only when it is complete; until then it is NAME.part. No existing file is
// overwritten.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::trace {

/// Grows at its end. Used by one thread at a time. Errors name the file, and are for people. A failed write may leave
/// some of its bytes; the caller then cuts the file back to its last good size.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual const std::string& name() const = 0;
  virtual Outcome<Done> write(Bytes bytes) = 0;
  virtual Outcome<Done> cut(std::uint64_t size) = 0;  ///< removes everything after the first `size` bytes
  virtual Outcome<Done> sync() = 0;                   ///< returns when all written bytes are on the disk
  virtual Outcome<Done> finish() = 0;                 ///< the file is complete; nothing is written after this
  /// Whether what was written is still there. An error says what another program did to the file; nothing more can
  /// be written.
  virtual Outcome<Done> check() { return Done{}; }
};

/// A number of bytes, readable at any offset. Used by one thread at a time. Errors as in Sink.
class Source {
 public:
  virtual ~Source() = default;
  virtual const std::string& name() const = 0;
  virtual std::uint64_t size() const = 0;
  /// Fills all of `to`. REQUIRES: offset + to.size() <= size().
  virtual Outcome<Done> read(std::uint64_t offset, std::span<std::uint8_t> to) = 0;
  /// Updates size(), because a program may still write the file. False: it is as before.
  virtual Outcome<bool> look_again() { return false; }
};

/// Whether this error of a FileSink says that there is no room: on the disk, or by a quota or a limit.
bool says_full(const Error& error);

/// Syncs the folder of this file: only then is a rename in it on the disk. Errors are ignored, because some file
/// systems cannot do it.
void sync_folder_of(const std::string& path);

/// A file descriptor, closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept { return std::swap(fd_, other.fd_), *this; }
  ~Descriptor() { reset(); }
  void reset();
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Writes PATH.part, which finish() renames to PATH. Without finish() or discard(), PATH.part stays, for `entente
/// recover`.
class FileSink final : public Sink {
 public:
  /// Ignores SIGXFSZ for the whole process. Fails if PATH or PATH.part exists. Another `suffix` than ".part" is for
  /// programs that read a .part while they write, and for files that `entente recover` cannot repair.
  static Outcome<std::unique_ptr<FileSink>> create(const std::string& path, const char* suffix = ".part");
  /// The same with the first free name of "a.mcap", "a-2.mcap", "a-3.mcap" …
  static Outcome<std::unique_ptr<FileSink>> create_beside(const std::string& path);

  const std::string& path() const { return path_; }

  const std::string& name() const override { return part_; }
  Outcome<Done> write(Bytes bytes) override;
  Outcome<Done> cut(std::uint64_t size) override;
  Outcome<Done> sync() override;
  Outcome<Done> finish() override;
  Outcome<Done> check() override;
  /// Aborts: removes PATH.part.
  void discard();
  /// From now on, `copy` gets what is written here; what fails there does not count. REQUIRES: nothing is written yet.
  void copy_to(std::unique_ptr<Sink> copy) { copy_ = std::move(copy); }

 private:
  FileSink(std::string path, std::string part, Descriptor file)
      : path_(std::move(path)), part_(std::move(part)), file_(std::move(file)) {}

  std::string path_;
  std::string part_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  std::unique_ptr<Sink> copy_;  // may be null
};

/// A file without a name, to be written and then read. It is gone with its last owner, unless it was kept.
class ScratchFile final : public Source {
 public:
  /// In this folder, with the permissions that `mode` has. `name`: for messages. Ignores SIGXFSZ for the whole process.
  static Outcome<std::shared_ptr<ScratchFile>> create(const std::string& folder, std::string name, unsigned mode);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() override;

  /// Appends to it. REQUIRES: the file outlives it.
  std::unique_ptr<Sink> writer();
  /// Gives it this name, in its folder. A file that has the name already is replaced.
  Outcome<Done> keep(const std::string& path);
  /// Where this process can open it, as long as it lives.
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }
  Outcome<Done> read(std::uint64_t offset, std::span<std::uint8_t> to) override;

 private:
  class Writer;
  ScratchFile(std::string name, std::string part, Descriptor file)
      : name_(std::move(name)), part_(std::move(part)), file_(std::move(file)) {}

  std::string name_;
  std::string part_;  // its name until it is kept, where the file system has no files without one; otherwise empty
  Descriptor file_;
  std::uint64_t size_ = 0;
};

class FileSource final : public Source {
 public:
  /// `name`: for messages; "": the path.
  static Outcome<std::unique_ptr<FileSource>> open(const std::string& path, const std::string& name = {});

  const std::string& name() const override { return name_; }
  std::uint64_t size() const override { return size_; }
  Outcome<Done> read(std::uint64_t offset, std::span<std::uint8_t> to) override;
  /// An error if the file was removed: nobody will write to it.
  Outcome<bool> look_again() override;

 private:
  FileSource(std::string name, Descriptor file, std::uint64_t size)
      : name_(std::move(name)), file_(std::move(file)), size_(size) {}

  std::string name_;
  Descriptor file_;
  std::uint64_t size_;
};

}  // namespace entente::trace
