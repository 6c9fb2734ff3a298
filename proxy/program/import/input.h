// Files that a person names to be read. They are read more than once, so what comes out of a pipe is copied first.
// Invariant: an Interruption ends the wait for a pipe at once. A device, a socket or a folder is refused, never opened.
#pragma once

#include <memory>
#include <string>

#include "proxy/base/fault.h"
#include "proxy/trace/recording.h"

namespace entente {

/// The name for standard input.
inline constexpr const char* kStandardInput = "-";

/// Whether this names a pipe, or standard input.
bool is_piped(const std::string& path);

/// Where `path` can be opened to be read, any number of times: `path` itself, or the copy of a pipe, which has no name
/// and is gone when the program ends. Errors say what cannot be read, and why. Not for several threads at once.
Outcome<std::string> input_path(const std::string& path);

/// A recording (MCAP) at input_path(). Errors have the name that the person wrote.
Outcome<std::unique_ptr<trace::Recording>> open_input(const std::string& path);

/// Why the rest of a recording cannot be read, and how to save the rest, if that is possible. Nothing can be read
/// after.
Error damage_of(trace::Recording& recording, const Error& error);

}  // namespace entente
