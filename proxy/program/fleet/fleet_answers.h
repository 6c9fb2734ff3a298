// The answers of several nodes to one command, as one answer.
// Invariant: a node's answer is foreign text: it is made harmless, and an invalid answer counts as an error of the
// node.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace entente {

/// An answer that is longer, or has more lines, does not reach other nodes: by default, NATS accepts messages of 1 MiB.
inline constexpr std::size_t kLongestAnswer = (1 << 20) - 4'096;  ///< bytes
inline constexpr std::ptrdiff_t kMostAnswerLines = 20'000;

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
