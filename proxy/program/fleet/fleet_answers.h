// The answers of several nodes to one command, as one answer.
// Law: what a node answered is foreign text: it is made harmless, and what is no answer counts as an error of the node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace entente {

struct NodeAnswer {
  std::string node;
  std::string text;  // as its control socket answers; empty: it did not answer
};

/// What `list`, `find` and other questions are answered. Tables get a first column `node`; a node that failed is a line
/// that begins with '#'. As JSON, each row has a member "node"; of a node that failed, beside it only "error".
std::string merged_answers(const std::vector<NodeAnswer>& answers, bool json);

/// The rows of a table, as members of JSON objects. Nothing if it is no table.
struct AnswerRow {
  std::string node;
  std::string link, client, player, game, place, address;  // "" if it has none
};
std::vector<AnswerRow> rows_of_answers(const std::vector<NodeAnswer>& json_answers);

}  // namespace entente
