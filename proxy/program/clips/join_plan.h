// What `join` knows of its files before it writes: their times and links, and the number of each link in the new
// recording.
// Invariant: a link that goes on in the next file of a rotation is one link. Any other has a number of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proxy/trace/recording.h"

namespace entente {

/// A link in one of the files.
struct JoinLink {
  trace::Opened opened;
  WallTime opened_at = 0;
  bool closed = false;
  std::optional<WallTime> first = {};  ///< frames, words and worlds; none: there are none
  WallTime last = 0;                   ///< the same
  std::uint64_t events = 0;            ///< all of them

  std::uint32_t number = 0;                       ///< in the new recording
  std::optional<std::size_t> previous_part = {};  ///< the last earlier file that has a part of it
};

struct JoinFile {
  std::string path;
  std::uint64_t id = 0;                ///< in its metadata; 0: none
  std::string clip_of = {};            ///< the name of the file that it was cut from; "": it is no clip
  std::optional<WallTime> start = {};  ///< none: the file has no events
  WallTime end = 0;
  bool has_frames = false, has_words = false;
  std::map<std::uint32_t, JoinLink> links;  ///< by their number in the file
};

/// Reads all of the file. An error also if it is damaged.
Outcome<JoinFile> read_join_file(const std::string& path);

/// Sorts the files by time and numbers their links. An error if two files have the same part of a link.
Outcome<Done> plan_join(std::vector<JoinFile>& files);

}  // namespace entente
