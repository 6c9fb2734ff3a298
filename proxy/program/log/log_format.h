// The two forms of a log line: text for people, JSON for programs.
#pragma once

#include <spdlog/formatter.h>

#include <cstdint>
#include <memory>

namespace entente {

/// `2025-11-20T05:12:31.123Z warn  what happened`; control characters and bytes that are not UTF-8 become \x1b.
std::unique_ptr<spdlog::formatter> text_lines();

/// `{"time":"2025-11-20T05:12:31.123Z","level":"warn","text":"what happened"}`; valid JSON whatever the text holds.
std::unique_ptr<spdlog::formatter> json_lines();

/// From now on each line names this process: `… info  [4242] what happened`, or `"process":4242` in JSON. 0: none does.
void name_process_in_lines(std::int32_t pid);

}  // namespace entente
