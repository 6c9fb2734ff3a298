// The answers of several nodes to one command, as one answer.
// Invariant: a node's answer is foreign text: it is made harmless, and an invalid answer counts as an error of the
// node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace entente {

struct NodeAnswer {
  std::string node;
  std::string text;  // as its control socket answers; empty: it did not answer
};

/// The merged answer to `list`, `find` and other queries. Tables get a first column `node`; for a node that failed,
/// there is a line that begins with '#'. As JSON, each row has a member "node"; for a node that failed, there is an
/// object with "node" and "error".
std::string merged_answers(const std::vector<NodeAnswer>& answers, bool json);

/// The rows of a table, as members of JSON objects. Empty if it is not a table.
struct AnswerRow {
  std::string node;
  std::string link, client, player, game, place, address;  // "" if it has none
};
std::vector<AnswerRow> rows_of_answers(const std::vector<NodeAnswer>& json_answers);

}  // namespace entente
