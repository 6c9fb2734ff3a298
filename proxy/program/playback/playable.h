// Opens a recorded file of any kind to be played: a session of it, as words. A recording of a bridge or an arena has
// words. Of any other file they are made, and kept beside it if that takes long.
// Invariant: the file itself is never changed. What cannot be played is an error that says why. An Interruption of the
// caller ends it with such an error; then nothing is left in the folder for temporary files.
#pragma once

#include <chrono>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/program/base/progress.h"
#include "proxy/program/conversion/recorded_session.h"
#include "proxy/program/import/file.h"

namespace entente {

struct PlayableOptions {
  FileOptions input = {};
  std::vector<std::string> more = {};       ///< other recordings (MCAP), which are joined with it
  std::vector<std::string> set = {};        ///< settings of the games' backs: "key=value"
  std::uint32_t link = 0;                   ///< of the session to play; 0: the longest session
  std::string_view link_option = "--link";  ///< the option that chooses it, for messages
  bool once = false;  ///< it is read once from end to end: words of what is not read are not made, and none are kept
  bool temporary = false;                    ///< the file is a copy, removed once it is open; its words are not kept
  std::chrono::milliseconds patience{1000};  ///< what takes longer shows its progress, and its words are kept
  std::ostream* terminal = progress_terminal();  ///< for progress; null: none
};

/// The sessions of such a file, with their words. A file without words is translated first.
Expected<RecordedSessions, RecordedFile::OpenError> open_words(const PlayableOptions& options);

/// Logs what it does: which session it chose of several, how long it took to make words, where they are kept.
Expected<std::unique_ptr<PlayedWords>, RecordedFile::OpenError> open_playable(const PlayableOptions& options);

}  // namespace entente
