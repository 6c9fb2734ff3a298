// The two forms of a log line: text for people, JSON for programs.
#pragma once

#include <spdlog/formatter.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "proxy/program/log/say.h"

namespace entente {

/// What the formatters below make a line of: a text, and fields that only JSON lines show.
std::string log_payload(std::string text, std::span<const LogField> fields);

/// `2025-11-20T05:12:31.123Z warn  what happened`; control characters and bytes that are not UTF-8 become \x1b.
/// `journal`: `<4>what happened`, because the journal has the time and shows the priority.
std::unique_ptr<spdlog::formatter> text_lines(bool journal = false);

/// `{"time":"2025-11-20T05:12:31.123Z","level":"warn","text":"what happened","player":"anna"}`; valid JSON whatever the
/// text and the fields hold. `journal`: with `<4>` before it.
std::unique_ptr<spdlog::formatter> json_lines(bool journal = false);

/// From now on each line names this process: `… info  [4242] what happened`, or `"process":4242` in JSON. 0: none does.
void name_process_in_lines(std::int32_t pid);

}  // namespace entente
