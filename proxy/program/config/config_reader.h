// Reads TOML into a protobuf message by reflection: the schema's field names are the keys, and its rules are the
// checks.
// Invariant: all errors are collected, each with its place. A message that was read without errors has every key set.
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

/// A place in a file, counted from 1. 0: the file as a whole.
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
  std::map<std::string, Place> places;  ///< place of each key's value, by path: "route[0].listen"
  bool syntax_error = false;            ///< not valid TOML; nothing was read
};

/// Fills `into` from `toml`; missing keys get their defaults.
Reading read_toml(std::string_view toml, google::protobuf::Message& into);

/// Sets a plain key from text, as on a command line. Returns the error; empty: none.
std::string set_key(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field,
                    std::string_view text);

/// Sets every missing key to its default.
void set_defaults(google::protobuf::Message& message);

}  // namespace entente
