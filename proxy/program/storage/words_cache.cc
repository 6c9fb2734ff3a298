#include "proxy/program/storage/words_cache.h"

#include <sys/stat.h>

#include <chrono>
#include <optional>

#include "proxy/net/local_acceptor.h"
#include "proxy/trace/recording.h"

namespace entente {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMadeEnding = ".words.mcap";
constexpr const char* kMetadata = "words of another file";

/// What the file says about itself, if it is a cache.
std::optional<trace::mcap::Metadata> metadata_of(trace::Source& file) {
  trace::mcap::Reader reader(file);
  (void)reader.next();  // reads what is before the first message, which may be damaged
  for (const trace::mcap::Metadata& one : reader.definitions().metadata())
    if (one.name == kMetadata) return one;
  return std::nullopt;
}

/// Whether the cache was written by us, by root, or by the owner of the file: in a shared folder, anybody could put one
/// beside a file, with other words in it.
bool is_of_trusted_user(const fs::path& cache, const std::string& file) {
  struct stat its {
  }, of_file{};
  if (::lstat(cache.c_str(), &its) != 0 || ::stat(file.c_str(), &of_file) != 0) return false;
  return net::is_trusted_user(its.st_uid, of_file.st_uid);
}

}  // namespace

fs::path words_cache_of(const fs::path& file) { return file.string() + std::string(kMadeEnding); }

fs::path file_of_words_cache(const fs::path& cache) {
  const std::string name = cache.string();
  if (!name.ends_with(kMadeEnding) || cache.filename().string().size() == kMadeEnding.size()) return {};
  return name.substr(0, name.size() - kMadeEnding.size());
}

bool is_words_cache(const fs::path& path) {
  std::error_code error;
  if (file_of_words_cache(path).empty() || !fs::is_regular_file(path, error)) return false;
  const auto file = trace::FileSource::open(path.string());
  return file && metadata_of(**file);
}

Outcome<trace::mcap::Metadata> words_cache_metadata(const FileOptions& from, const Settings& set) {
  std::string settings;
  for (const auto& [name, value] : set) settings += name + '=' + value + '\n';
  std::error_code error;
  const auto bytes = fs::file_size(from.file, error);
  if (error) return Error{from.file + ": " + error.message()};
  const auto changed = fs::last_write_time(from.file, error);
  if (error) return Error{from.file + ": " + error.message()};
  const auto since = std::chrono::file_clock::to_sys(changed).time_since_epoch();
  return trace::mcap::Metadata{kMetadata,
                               {{"version", ENTENTE_VERSION},
                                {"bytes", std::to_string(bytes)},
                                {"changed", std::to_string(std::chrono::nanoseconds(since).count())},
                                {"game", from.game},
                                {"dialect", from.dialect},
                                {"port", std::to_string(from.port)},
                                {"set", settings}}};
}

std::shared_ptr<trace::Source> find_words_cache(const std::string& file, const trace::mcap::Metadata& wanted) {
  const fs::path path = words_cache_of(file);
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return nullptr;
  if (!is_of_trusted_user(path, file)) return nullptr;
  auto cache = trace::FileSource::open(path.string());
  if (!cache) return nullptr;
  const auto found = metadata_of(**cache);
  if (!found || found->values != wanted.values) return nullptr;
  return std::move(*cache);
}

Outcome<Done> keep_words(trace::ScratchFile& words, const std::string& file) {
  const fs::path path = words_cache_of(file);
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error)) && !is_words_cache(path))
    return Error{path.string() + " exists already, and is another file"};
  return words.keep(path.string());
}

std::uint64_t remove_words_cache(const fs::path& file) {
  const fs::path path = words_cache_of(file);
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error)) || !is_words_cache(path)) return 0;
  const auto bytes = fs::file_size(path, error);
  return !error && fs::remove(path, error) && !error ? bytes : 0;
}

}  // namespace entente
