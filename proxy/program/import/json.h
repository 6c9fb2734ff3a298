// Reads JSON lines: one message, packet or read per line, as `{"t_ms":…,"conn":…,"dir":"c2s","hex":…}`; other fields
// are ignored. A line with `ev`, or with `dir` "note" or "event", is a remark. Of remarks only the end of a
// connection is used, and an ENet connect with its data: `{…,"dir":"event","event":"connecting","data":3}`.
// Invariant: one line is held at a time, up to a limit.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "proxy/program/import/import.h"

namespace entente {

/// `meta`: the text of the `.meta.json` beside the file, which says how connections ended; "": none. `name`: the
/// file's name, for errors.
Outcome<Done> import_json(std::istream& lines, std::string_view meta, const std::string& name, ImportSink& sink);

}  // namespace entente
