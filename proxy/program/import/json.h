// Reads JSON lines: one message, packet or read a line, as `{"t_ms":…,"conn":…,"dir":"c2s","hex":…}`; any other fields
// may be there. A line with `ev`, or with `dir` "note" or "event", is a remark: of these only the end of a connection
// is told, and with what a client asks for one by ENet, as `{…,"dir":"event","event":"connecting","data":3}`.
// Law: one line is held at a time, and none longer than a limit.
#pragma once

#include <istream>
#include <string>
#include <string_view>

#include "proxy/program/import/import.h"

namespace entente {

/// `meta`: the text of the `.meta.json` beside the file, which tells how connections ended; "" = there is none.
/// `name`: the file's, for errors.
Outcome<Done> import_json(std::istream& lines, std::string_view meta, const std::string& name, ImportSink& sink);

}  // namespace entente
