// Which files are deleted: old recordings, and the oldest ones if there are too many; no other file.
#include "proxy/program/storage/retention.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "proxy/program/storage/words_cache.h"
#include "proxy/trace/mcap.h"
#include "tests/program/folder.h"
#include "tests/program/recorded.h"

namespace entente::retention_test {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

const fs::file_time_type kNow = fs::file_time_type::clock::now();

struct Shelf {
  /// Makes a recording of this age.
  std::uint64_t put(const std::string& name, hours age, bool whole = true) const {
    const std::string path = folder.file(name);
    auto to = trace::Recorder::open(path);
    REQUIRE(to.ok());
    (*to)->opened(1, opening(1, "panic", "be-packed"));
    REQUIRE((*to)->close(2).ok());
    if (!whole) fs::rename(path, path + ".part");
    fs::last_write_time(whole ? path : path + ".part", kNow - age);
    return fs::file_size(whole ? path : path + ".part");
  }
  /// Makes kept words of the recording of this name.
  std::uint64_t words(const std::string& name) const {
    const std::string path = folder.file(name + ".words.mcap");
    const std::string of = has(name) ? folder.file(name) : folder.write("gone", "");
    const auto metadata = words_cache_metadata({.file = of}, {});
    REQUIRE(metadata.ok());
    auto to = trace::Recorder::open(path, {.metadata = {*metadata}});
    REQUIRE(to.ok());
    REQUIRE((*to)->close(2).ok());
    return fs::file_size(path);
  }
  Retention::Options options(hours age, std::uint64_t bytes) {
    return {.directory = folder.path().string(),
            .keep_age = age,
            .keep_bytes = bytes,
            .deleted = [this](const std::string& path, std::uint64_t,
                              const char*) { deleted.push_back(fs::path(path).filename().string()); },
            .failed = [this](const std::string& path, const std::string&) { stuck.push_back(path); },
            .unread = [this](const std::string& path, const std::string&) { unread.push_back(path); },
            .began = kNow - hours(20)};
  }
  std::vector<std::string> look(hours age, std::uint64_t bytes, const RecordingTarget& target) {
    Retention retention(options(age, bytes));
    retention.add(target);
    deleted.clear();
    retention.look(kNow);
    totals = retention.totals();
    return deleted;
  }
  bool has(const std::string& name) const { return fs::exists(fs::symlink_status(folder.file(name))); }

  Folder folder;
  std::vector<std::string> deleted, stuck, unread;
  Retention::Totals totals;
};

using Names = std::vector<std::string>;

const RecordingTarget kTimed{"{game}-{route}-{time}.mcap", "panic", 2};

TEST_CASE("recordings that are older than keep_s are deleted if their names match the pattern") {
  Shelf shelf;
  shelf.put("panic-2-20260101T000000Z.mcap", hours(50));
  shelf.put("panic-2-20260101T000000Z-2.mcap", hours(49));
  shelf.put("panic-2-20260103T000000Z.mcap", hours(5));
  for (const char* other : {"panic-3-20260101T000000Z.mcap", "bzflag-2-20260101T000000Z.mcap", "panic-2-evening.mcap",
                            "my panic-2-20260101T000000Z.mcap", "panic-2-20260101T000000Z.mcap.old"})
    shelf.put(other, hours(500));
  CHECK(shelf.look(hours(48), 0, kTimed) == Names{"panic-2-20260101T000000Z.mcap", "panic-2-20260101T000000Z-2.mcap"});
  CHECK(shelf.totals.deleted == 2);
  CHECK(shelf.totals.kept == 1);
  CHECK(shelf.has("panic-2-20260103T000000Z.mcap"));
  CHECK(shelf.has("my panic-2-20260101T000000Z.mcap"));
}

TEST_CASE("the later files of a name that is taken are deleted, whatever their number, but none with a date") {
  Shelf shelf;
  for (const char* name : {"a.mcap", "a-9999.mcap", "a-10000.mcap", "a-99999.mcap"}) shelf.put(name, hours(50));
  for (const char* other : {"a-20260101.mcap", "a-260101.mcap", "a-0.mcap", "a-012.mcap"}) shelf.put(other, hours(500));
  shelf.put("a-10001.mcap", hours(5));
  shelf.look(hours(48), 0, {"a.mcap", "panic", 2});
  std::sort(shelf.deleted.begin(), shelf.deleted.end());
  CHECK(shelf.deleted == Names{"a-10000.mcap", "a-9999.mcap", "a-99999.mcap", "a.mcap"});
  CHECK(shelf.totals.kept == 1);
}

TEST_CASE("old recordings of a named route are deleted, also in a folder of its name and after its name has changed") {
  Shelf shelf;
  fs::create_directory(shelf.folder.file("ctf"));
  for (const char* name : {"ctf/1.mcap", "ctf-1.mcap", "duel-1.mcap", "ffa-1.mcap"}) shelf.put(name, hours(50));
  CHECK(shelf.look(hours(48), 0, {"{route}/{link}.mcap", "bzflag", 1, "ctf"}) == Names{"1.mcap"});
  Retention retention(shelf.options(hours(48), 0));
  for (const char* name : {"ctf", "duel"}) retention.add({"{route}-{link}.mcap", "bzflag", 1, name});
  shelf.deleted.clear();
  retention.look(kNow);
  std::sort(shelf.deleted.begin(), shelf.deleted.end());
  CHECK(shelf.deleted == Names{"ctf-1.mcap", "duel-1.mcap"});
}

TEST_CASE("when the wall clock is set, no recording is older or younger for that") {
  for (const hours set_by : {hours(24), -hours(24), hours(500'000)}) {
    Shelf shelf;
    shelf.put("a.mcap", hours(40));
    Retention retention(shelf.options(hours(48), 0));
    retention.add({"{link}.mcap", "panic", 1});
    retention.add({"a.mcap", "panic", 1});
    Millis steady = 1'000;
    const auto look = [&](hours later) {
      steady += static_cast<Millis>(std::chrono::milliseconds(later).count());
      retention.look(kNow + set_by + hours(steady / 3'600'000), steady);
    };
    retention.look(kNow, steady);
    shelf.put("1.mcap", hours(0));  // was changed before the clock was set
    look(hours(1));
    CHECK(shelf.deleted.empty());
    look(hours(7));
    CHECK(shelf.deleted.empty());
    look(hours(1));
    CHECK(shelf.deleted == Names{"a.mcap"});
    look(hours(38));
    CHECK(shelf.deleted.size() == 1);
    look(hours(3));
    CHECK(shelf.deleted == Names{"a.mcap", "1.mcap"});
  }
}

TEST_CASE("recordings age while their folder or they themselves cannot be read, and that is said once") {
  Shelf shelf;
  const std::string folder = shelf.folder.file("in"), moved = shelf.folder.file("moved");
  fs::create_directory(folder);
  Retention::Options options = shelf.options(hours(48), 0);
  options.directory = folder;
  Retention retention(options);
  retention.add({"{link}.mcap", "panic", 1});
  retention.add({"new/{link}.mcap", "panic", 1});  // this folder is made later
  const auto look = [&](hours at) {
    retention.look(kNow + at, 1'000 + static_cast<Millis>(std::chrono::milliseconds(at).count()));
  };
  shelf.put("in/1.mcap", hours(46));
  look(hours(0));
  CHECK(shelf.unread.empty());
  SUBCASE("the folder") {
    fs::rename(folder, moved);
    for (int i = 0; i < 2; ++i) {
      look(hours(1));
      CHECK(shelf.unread == Names{folder});
    }
    fs::rename(moved, folder);
  }
  SUBCASE("the folder, because a file is in its place") {
    fs::rename(folder, moved);
    shelf.folder.write("in", "");
    look(hours(1));
    CHECK(shelf.unread == Names{folder, folder + "/new"});
    fs::remove(folder);
    fs::rename(moved, folder);
    fs::create_directory(folder + "/new");
    shelf.put("in/new/2.mcap", hours(46));
    look(hours(3));
    std::sort(shelf.deleted.begin(), shelf.deleted.end());
    CHECK(shelf.deleted == Names{"1.mcap", "2.mcap"});
    return;
  }
  SUBCASE("a file") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const int next = ::dup(0);  // the lowest number that is free
    REQUIRE(next >= 0);
    ::close(next);
    rlimit none = before;
    none.rlim_cur = static_cast<rlim_t>(next) + 1;  // enough to list a folder
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    look(hours(1));
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(shelf.unread == Names{folder});
  }
  CHECK(shelf.deleted.empty());
  look(hours(3));
  CHECK(shelf.deleted == Names{"1.mcap"});
  CHECK(shelf.unread.size() == 1);
}

TEST_CASE("kept words count towards the size of their recording, and are deleted with it") {
  Shelf shelf;
  const std::uint64_t each = shelf.put("a.mcap", hours(5));
  shelf.put("a-2.mcap", hours(4));
  const std::uint64_t words = shelf.words("a.mcap");
  const std::uint64_t other = shelf.words("a-3.mcap");
  shelf.put("a-2.mcap.words.mcap", hours(1));  // a recording with such a name, not kept words
  const RecordingTarget target{"a.mcap", "panic", 1};
  CHECK(shelf.look(hours(9), 0, target).empty());
  CHECK(shelf.totals.kept == 2);
  CHECK(shelf.totals.kept_bytes == 2 * each + words);
  CHECK(shelf.look(hours(0), 2 * each + words, target).empty());
  CHECK(shelf.look(hours(0), 2 * each + words - 1, target) == Names{"a.mcap"});
  CHECK(shelf.totals.deleted_bytes == each + words);
  CHECK(shelf.totals.kept_bytes == each);
  CHECK_FALSE(shelf.has("a.mcap.words.mcap"));
  CHECK(shelf.look(hours(3), 0, target) == Names{"a-2.mcap"});
  CHECK(shelf.has("a-2.mcap.words.mcap"));
  CHECK(other != 0);
}

TEST_CASE("above keep_mb the oldest are deleted; files being written count, but are not deleted") {
  Shelf shelf;
  const std::uint64_t each = shelf.put("a.mcap", hours(1));
  shelf.put("a-2.mcap", hours(4));
  shelf.put("a-3.mcap", hours(3));
  shelf.put("a-4.mcap", hours(9), false);
  shelf.put("a-5.mcap", hours(21), false);  // left by a crash
  const RecordingTarget target{"a.mcap", "panic", 1};
  CHECK(shelf.look(hours(0), 4 * each, target).empty());
  CHECK(shelf.totals.kept == 4);
  CHECK(shelf.totals.kept_bytes == 4 * each);
  CHECK(shelf.look(hours(0), 4 * each - 1, target) == Names{"a-2.mcap"});
  CHECK(shelf.look(hours(0), 1, target) == Names{"a-3.mcap"});  // never the newest
  CHECK(shelf.has("a-4.mcap.part"));
  CHECK(shelf.totals.kept == 2);
}

TEST_CASE("links, folders and foreign files are not deleted, whatever their names") {
  Shelf shelf;
  shelf.put("elsewhere", hours(90));
  fs::create_symlink(shelf.folder.file("elsewhere"), shelf.folder.file("a-2.mcap"));
  fs::create_directory(shelf.folder.file("a-3.mcap"));
  shelf.folder.write("a-4.mcap", "a letter to my mother, of which nobody has a copy");
  shelf.folder.write("a-5.mcap", "");
  CHECK(shelf.look(hours(0), 1, {"a.mcap", "panic", 1}).empty());
  CHECK(shelf.look(hours(1), 0, {"a.mcap", "panic", 1}).empty());
  CHECK(shelf.totals.kept == 0);
  for (const char* name : {"elsewhere", "a-2.mcap", "a-3.mcap", "a-4.mcap", "a-5.mcap"}) CHECK(shelf.has(name));
}

TEST_CASE("regular expression characters in a name have no special meaning") {
  Shelf shelf;
  shelf.put("a+b[1].(x).mcap", hours(2));
  shelf.put("aab1.x.mcap", hours(2));
  CHECK(shelf.look(hours(1), 0, {"a+b[1].(x).mcap", "panic", 1}) == Names{"a+b[1].(x).mcap"});
  shelf.put("17.mcap", hours(2));
  CHECK(shelf.look(hours(1), 0, {"{link}.mcap", "panic", 1}) == Names{"17.mcap"});
}

TEST_CASE("a recording that two patterns match counts once") {
  Shelf shelf;
  const std::uint64_t each = shelf.put("a-1.mcap", hours(5));
  shelf.put("a-2.mcap", hours(4));
  Retention retention(shelf.options(hours(48), 2 * each));
  retention.add({"a.mcap", "panic", 1});  // also its later files
  retention.add({"a-{link}.mcap", "bzflag", 2});
  retention.look(kNow);
  CHECK(shelf.deleted.empty());
  CHECK(retention.totals().kept == 2);
  CHECK(retention.totals().kept_bytes == 2 * each);
}

TEST_CASE("recordings of another program, and the beginning of one, are left alone without a word") {
  Shelf shelf;
  Buffer other(trace::mcap::kMagic.begin(), trace::mcap::kMagic.end());
  shelf.folder.write("a.mcap", std::string(as_text(other)));
  put(other, trace::mcap::Header{"", "another program, which writes MCAP files, too"});
  shelf.folder.write("a-2.mcap", std::string(as_text(other)));
  for (const char* name : {"a.mcap", "a-2.mcap"}) fs::last_write_time(shelf.folder.file(name), kNow - hours(500));
  CHECK(shelf.look(hours(1), 1, {"a.mcap", "panic", 1}).empty());
  CHECK(shelf.totals.kept == 0);
  CHECK(shelf.unread.empty());
}

TEST_CASE("a recording that was changed is as old as its last change") {
  Shelf shelf;
  shelf.put("a.mcap", hours(40));
  shelf.put("a-2.mcap", hours(40));
  Retention retention(shelf.options(hours(48), 0));
  retention.add({"a.mcap", "panic", 1});
  const auto look = [&](hours later) {
    retention.look(kNow + later, 1'000 + static_cast<Millis>(std::chrono::milliseconds(later).count()));
  };
  look(hours(0));
  fs::last_write_time(shelf.folder.file("a-2.mcap"), kNow + hours(5));
  look(hours(6));
  look(hours(9));
  CHECK(shelf.deleted == Names{"a.mcap"});
  look(hours(52));
  CHECK(shelf.deleted.size() == 1);
  look(hours(54));
  CHECK(shelf.deleted == Names{"a.mcap", "a-2.mcap"});
}

TEST_CASE("a recording that an earlier look did not find is not older than that look, whatever its time") {
  Shelf shelf;
  Retention retention(shelf.options(hours(15), 0));
  retention.add({"a.mcap", "panic", 1});
  const auto look = [&](hours later) {
    retention.look(kNow + later, 1'000 + static_cast<Millis>(std::chrono::milliseconds(later).count()));
  };
  look(hours(0));
  look(hours(10));
  shelf.put("a.mcap", hours(40));  // its time is from before the clock was set
  look(hours(11));
  look(hours(24));
  CHECK(shelf.deleted.empty());
  look(hours(26));
  CHECK(shelf.deleted == Names{"a.mcap"});
}

TEST_CASE("an old recording that cannot be read for the moment is deleted later") {
  Shelf shelf;
  shelf.put("a.mcap", hours(60));
  Retention retention(shelf.options(hours(48), 0));
  retention.add({"a.mcap", "panic", 1});
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const int next = ::dup(0);  // the lowest number that is free
  REQUIRE(next >= 0);
  ::close(next);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next) + 1;  // enough to list a folder
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  retention.look(kNow);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(shelf.deleted.empty());
  CHECK(shelf.has("a.mcap"));
  CHECK(retention.totals().kept == 0);
  CHECK(shelf.unread == Names{shelf.folder.path().string()});
  retention.look(kNow);
  CHECK(shelf.deleted == Names{"a.mcap"});
}

TEST_CASE("kept words are known by their name and by what is in them, and no link is taken for them") {
  Shelf shelf;
  shelf.put("a.mcap", hours(1));
  const std::uint64_t bytes = shelf.words("a.mcap");
  const auto file = [&](const char* name) { return shelf.folder.file(name); };
  CHECK(is_words_cache(file("a.mcap.words.mcap")));
  fs::copy_file(file("a.mcap.words.mcap"), file("b.mcap"));
  CHECK_FALSE(is_words_cache(file("b.mcap")));
  fs::copy_file(file("a.mcap.words.mcap"), file(".words.mcap"));
  CHECK(file_of_words_cache(file(".words.mcap")).empty());  // of no file
  fs::create_directory(file("c.mcap.words.mcap"));
  CHECK_FALSE(is_words_cache(file("c.mcap.words.mcap")));
  fs::create_symlink(file("a.mcap.words.mcap"), file("d.mcap.words.mcap"));
  CHECK(remove_words_cache(file("d.mcap")) == 0);
  CHECK(shelf.has("d.mcap.words.mcap"));
  CHECK(remove_words_cache(file("a.mcap")) == bytes);
  CHECK_FALSE(shelf.has("a.mcap.words.mcap"));
}

}  // namespace
}  // namespace entente::retention_test
