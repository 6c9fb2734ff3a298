// TOML into a protobuf message, by reflection: the schema's field names are the keys, its rules are the checks.
// Law: all that is wrong is collected, each with its place; a message that was read with no problem has every key set.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace google::protobuf {
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace entente {

/// A place in a file, counted from 1. 0 = the file as a whole.
struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Problem {
  Place place;
  std::string text;  ///< "limits.workers: 0 is out of range, …"
};

struct Reading {
  std::vector<Problem> problems;        ///< in no order
  std::map<std::string, Place> places;  ///< where each key's value stands, by path: "route[0].listen"
  bool syntax_error = false;            ///< it is not TOML; nothing was read
};

/// Fills `into` from `toml`; keys that are not in it get their presets.
Reading read_toml(std::string_view toml, google::protobuf::Message& into);

/// Sets a plain key to what was written for it as a text, as on a command line. What is wrong with it; empty: nothing.
std::string set_key(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field,
                    std::string_view text);

/// Gives every key that is not set its preset.
void set_presets(google::protobuf::Message& message);

}  // namespace entente
