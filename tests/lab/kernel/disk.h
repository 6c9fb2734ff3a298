// The disk of the simulated kernel: files under kRoot, and their faults.
// Invariant: what was synced survives a crash of the machine. What was only written may be lost from its end on, and
// the last changes of names since the folder was synced may not have happened. To sync a file syncs its name, too, and
// what was changed before, as the usual file systems do.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/lab/kernel/kernel.h"

namespace entente::lab {

class Disk {
 public:
  /// What is under this path is simulated; it is one folder.
  static constexpr const char* kRoot = "/lab/";
  static bool owns(const char* path) {
    return path != nullptr && (std::string_view(path).starts_with(kRoot) || is_root(path));
  }
  static bool is_root(std::string_view path) { return path == kRoot || std::string(path) + "/" == kRoot; }

  explicit Disk(Kernel& kernel) : kernel_(kernel) {}

  /// How often each fault happens.
  struct DiskFaults {
    double short_write = 0, interrupt = 0;  ///< of each write
    double fail = 0;                        ///< of each write, sync and cut
    Nanos slow = 0;                         ///< a call takes up to so long
    std::uint64_t room = UINT64_MAX;        ///< bytes of all files together
  } faults;

  struct Inode {
    Buffer bytes;
    std::size_t synced = 0;
    std::uint64_t number = 0;
    int names = 0;
    bool is_socket = false;
    std::weak_ptr<File> socket{};  ///< that is bound there
  };
  class Opened final : public File {
   public:
    Opened(Disk& disk, std::shared_ptr<Inode> its, bool folder) : disk_(disk), its_(std::move(its)), folder_(folder) {}
    // Each returns what the call of the C library returns, or minus an errno.
    ssize_t write(Bytes bytes);
    ssize_t read(std::uint64_t offset, std::span<std::uint8_t> into) const;
    /// From where the last one ended.
    ssize_t read(std::span<std::uint8_t> into);
    int cut(std::uint64_t size);
    int sync();
    const Inode* inode() const { return folder_ ? nullptr : its_.get(); }

   private:
    Disk& disk_;
    const std::shared_ptr<Inode> its_;
    const bool folder_;
    std::uint64_t at_ = 0;
  };

  /// Null: `error` says why not.
  std::shared_ptr<Opened> open(const std::string& path, int flags, int& error);
  /// Writes a whole file at once, as from another machine: the disk may be full.
  void put(const std::string& path, Bytes bytes);
  /// Null: there is none.
  const Inode* look(const std::string& path) const;
  /// False: the name is taken.
  bool add_socket(const std::string& path, std::weak_ptr<File> socket);
  int rename(const std::string& from, const std::string& to, bool replaces);
  int remove(const std::string& path);

  /// The machine crashes: of what was not synced, a part is lost, or is damaged. REQUIRES: the programs that use it
  /// were killed.
  void tear();
  bool torn() const { return torn_; }
  std::vector<std::string> names() const;
  /// Whether it could not keep what it was given, or not in time.
  bool harmed() const { return harmed_; }
  std::uint64_t used() const;

 private:
  /// A change of names, and what they named before it; null: nothing.
  struct Change {
    std::shared_ptr<const Inode> of;
    std::vector<std::pair<std::string, std::shared_ptr<Inode>>> before;
  };
  void take_time();
  bool fails();
  std::shared_ptr<Inode> fresh_inode();
  /// Notes what these names are now, before `of` is created, renamed or removed.
  void note(std::shared_ptr<const Inode> of, std::initializer_list<std::string> names);
  void sync_names(const Inode& of);
  Kernel& kernel_;
  std::map<std::string, std::shared_ptr<Inode>> files_;
  std::vector<Change> changes_;  // that a crash may undo, the oldest first
  std::uint64_t last_number_ = 0;
  bool harmed_ = false, torn_ = false;
};

}  // namespace entente::lab
