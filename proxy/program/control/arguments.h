// The words of a line to the control socket. A word with blanks is written in double quotes, in which \" and \\ stand
// for " and \.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proxy/base/fault.h"
#include "proxy/net/address.h"
#include "proxy/net/network.h"

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
/// Removes the word FLAG from the beginning. Returns false if `rest` begins with something else.
bool take_flag(std::string_view& rest, std::string_view flag);
/// As take_option(), but TEXT without quotes is all of the rest.
bool take_text(std::string_view& rest, std::string_view option, std::string& value);

/// Whether a ban of this network needs `--yes`, because it shuts out a large part of the Internet: more than 2^24
/// addresses of IPv4, or 2^32 hosts of IPv6.
bool is_vast(const net::Network& who);
/// The first of `all` that holds `who` and is larger; nothing: none does. `network_of`: a member's network.
template <class All, class NetworkOf>
std::optional<net::Network> larger_in(const All& all, const net::Network& who, NetworkOf&& network_of) {
  const std::string text = who.text();
  const auto first = net::Address::parse(text.substr(0, text.find('/')), 0);
  for (const auto& one : all)
    if (first && network_of(one).bits() < who.bits() && network_of(one).holds(*first)) return network_of(one);
  return std::nullopt;
}

}  // namespace entente
