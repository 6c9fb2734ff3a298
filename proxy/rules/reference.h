// The reference of rules for people, and their types for editors, made from functions.h and the schema.
#pragma once

#include <string>

namespace entente::rules {

/// Markdown: each handler and function with its text and example, then the words with their fields.
std::string reference();
/// Annotations of LuaLS (https://luals.github.io/wiki/annotations/): a file that editors read, and nobody runs.
std::string editor_types();

}  // namespace entente::rules
