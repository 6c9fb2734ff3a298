// What a server of BZFlag tells the public list (bzfls), and what the list answers. bzfs 2.4 posts a form by HTTP:
// measured with its option -publiclist.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace entente::bzflag {

/// A server, for the list.
struct PublicServer {
  std::string place;  ///< "example.org:5154", as players connect
  std::string title;
  std::string key;                              ///< by which the list knows the operator; may be empty
  std::size_t dialect = 0;                      ///< of game()
  std::uint32_t players = 0, most_players = 0;  ///< most 0: any number
};

/// The form that adds a server, or says anew how many play there.
std::string form_to_add(const PublicServer& server);
/// The form that removes it.
std::string form_to_remove(const std::string& place);
/// Why the list did not take a server, from its answer; "": it did.
std::string objection_of_list(std::string_view answer);

}  // namespace entente::bzflag
