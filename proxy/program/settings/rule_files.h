// Reads the files of the key `rules`, and checks them by running them without a room.
#pragma once

#include <google/protobuf/repeated_field.h>

#include <memory>
#include <string>
#include <vector>

#include "proxy/base/fault.h"
#include "proxy/rules/room_rules.h"

namespace entente {

/// One file. An error has its name and, if Lua gives one, the line.
Outcome<rules::RuleFile> read_rule(const std::string& path);

/// The path itself, or of a folder all files that end with .lua, by name; an error if there are none.
Outcome<std::vector<std::string>> rule_files_at(const std::string& path);

/// All of them, in this order. Two must not have the same name, because `state` and messages go by it.
Outcome<std::shared_ptr<const rules::RuleSet>> read_rules(const google::protobuf::RepeatedPtrField<std::string>& paths);

}  // namespace entente
