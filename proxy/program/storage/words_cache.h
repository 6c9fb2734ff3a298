// The words that were made of a recorded file, kept beside it: evening.mcap.words.mcap beside evening.mcap.
// Invariant: a file of this name that is not such a cache is never used, replaced or deleted.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "proxy/program/import/file.h"
#include "proxy/program/settings/endpoint.h"
#include "proxy/trace/file.h"
#include "proxy/trace/mcap.h"

namespace entente {

/// The name that the words of this file have.
std::filesystem::path words_cache_of(const std::filesystem::path& file);

/// The file whose words have this name; empty if it is not the name of such a cache.
std::filesystem::path file_of_words_cache(const std::filesystem::path& cache);

/// Whether it is a cache, by its name and by what is in it.
bool is_words_cache(const std::filesystem::path& path);

/// The description stored in a cache: the file that it was made of, in its present state, and how that file was read.
/// An error says why the file cannot be examined. `set`: of the games' backs, for the translation.
Outcome<trace::mcap::Metadata> words_cache_metadata(const FileOptions& from, const Settings& set);

/// The cache beside the file, if it says the same as `wanted` and is newer than the file; otherwise null.
std::shared_ptr<trace::Source> find_words_cache(const std::string& file, const trace::mcap::Metadata& wanted);

/// Keeps the words beside the file. An earlier cache is replaced.
Outcome<Done> keep_words(trace::ScratchFile& words, const std::string& file);

/// Deletes the cache beside the file, if there is one. Returns its bytes.
std::uint64_t remove_words_cache(const std::filesystem::path& file);

}  // namespace entente
