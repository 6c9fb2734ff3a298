// The words of a line to the control socket. A word with blanks is written in double quotes, in which \" and \\ stand
// for " and \.
#pragma once

#include <string>
#include <string_view>

#include "proxy/base/fault.h"

namespace entente {

/// Without blanks at its ends.
std::string_view trimmed(std::string_view text);

/// Removes and returns the first word, with the blanks around it removed; quotes have no meaning.
std::string_view first_word(std::string_view& rest);

/// Removes and returns the first argument, which may be quoted.
std::string first_argument(std::string_view& rest);

/// The rest of a line as one text: without the quotes, if all of it is in quotes; otherwise unchanged.
std::string whole_text(std::string_view rest);

inline constexpr std::size_t kLongestSayable = 400;  ///< bytes

/// Without control characters; an error if it is longer than `most` bytes, because texts for players are never cut.
Outcome<std::string> sayable_text(std::string_view text, std::size_t most = kLongestSayable);

/// The text as one argument: in quotes, if it needs them.
std::string as_argument(std::string_view text);
/// In quotes, with a backslash before each quote and backslash.
std::string in_quotes(std::string_view text);

/// Removes "OPTION TEXT" from the beginning, and sets `value` to TEXT: an argument in quotes, or one word. Returns
/// false, and changes nothing, if `rest` begins with something else.
bool take_option(std::string_view& rest, std::string_view option, std::string& value);
/// As take_option(), but TEXT without quotes is all of the rest.
bool take_text(std::string_view& rest, std::string_view option, std::string& value);

}  // namespace entente
