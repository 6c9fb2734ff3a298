// The recordings that `export` and `stats` read: any file that `entente replay` plays, or several as one.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "proxy/program/import/file.h"
#include "proxy/program/numbers/row_builder.h"

namespace entente::numbers {

struct Source {
  std::vector<std::string> files = {};
  FileOptions input = {};             ///< how to read the first
  std::vector<std::string> set = {};  ///< settings of the games' backs: "key=value"
  std::uint32_t link = 0;             ///< 0: the longest session, and others before and after it
};

void declare_source(CLI::App& app, Source& source);

/// What a file is called in reports: without its folder; of several, the first and how many more.
std::string name_of(const Source& source);

/// Opens the recording. `command`: for messages, such as "entente stats", which are printed to `err`. On failure, the
/// reason is printed, and the error is an Exit. An Interruption is a failure, too.
Expected<std::unique_ptr<PlayedWords>, int> open(const Source& source, const char* command, std::ostream& err);

/// Reads all of it as rows. `every`: between positions, 0: none. `end`: called once if positions end before the
/// recording, with a sentence that says when and why; may be empty.
Outcome<Done> read(PlayedWords& words, const std::string& name, core::Micros every, RowSink& to,
                   const std::function<void(const std::string&)>& end = {});

}  // namespace entente::numbers
