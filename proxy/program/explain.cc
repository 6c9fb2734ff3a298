#include "proxy/program/explain.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

#include "adapters/registry.h"
#include "proxy/program/base/json_text.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/base/suggest.h"
#include "proxy/program/base/table.h"
#include "proxy/program/settings/endpoint.h"

namespace entente {
namespace {

constexpr const char* kAboutColumns =
    "Each line shows a field of a message (`from`), what it becomes in Entente's vocabulary (`word`), and the field\n"
    "of the other game's message that receives it (`to`). The column `how` says how well it arrives:\n"
    "  exact        the same value; a number may be rounded to what the message can hold\n"
    "  lossy        another value, or only a part of it\n"
    "  synthesised  Entente makes the value: a number, a checksum, a default\n"
    "  dropped      not at all\n"
    "`why` gives the reason. `dropped at times` lists what is dropped only in some situations.\n";

using wire::Fidelity, wire::MappingLine, wire::Way;

std::string_view kind_of(std::string_view word) { return word.substr(0, word.find('.')); }

bool goes(const MappingLine& row, Way way) { return (row.ways & static_cast<std::uint8_t>(way)) != 0; }

/// What usually becomes of a field or a word; the other rows are about what is dropped in some situations.
bool holds_always(const MappingLine& row) { return row.fidelity != Fidelity::kDroppedSometimes; }

std::string place(const MappingLine& row) {
  const std::string field(row.field);
  return field.empty() ? row.message : std::string(row.message) + "." + field;
}

/// Whether the row covers only the presence of the word; the word's fields have rows of their own.
bool only_presence(const MappingLine& row) {
  return row.fidelity == Fidelity::kExact && std::string_view(row.field) != "*";
}

/// How well the listener's row matches `word`: 3: the same field or word; 2: the whole word; 1: a field of it; 0: not
/// at all.
int closeness(const MappingLine& row, std::string_view word) {
  const std::string_view said = row.word;
  if (said == word) return 3;
  if (said == kind_of(word)) return only_presence(row) ? 0 : 2;
  return word == kind_of(word) && kind_of(said) == word ? 1 : 0;
}

/// The listener's best row for `word`: the closest one, and of those the most faithful. Null if the listener has no row
/// for the word.
const MappingLine* best(std::span<const MappingLine> listener, std::string_view word, Way way) {
  const MappingLine* found = nullptr;
  const auto better = [&](const MappingLine& row) {
    const int a = closeness(row, word), b = closeness(*found, word);
    return a != b ? a > b : row.fidelity < found->fidelity;
  };
  for (const MappingLine& row : listener)
    if (goes(row, way) && holds_always(row) && closeness(row, word) > 0 && (found == nullptr || better(row)))
      found = &row;
  return found;
}

bool knows_kind(std::span<const MappingLine> listener, std::string_view word, Way way) {
  return std::any_of(listener.begin(), listener.end(), [&](const MappingLine& row) {
    return goes(row, way) && holds_always(row) && kind_of(row.word) == kind_of(word) &&
           row.fidelity != Fidelity::kDropped;
  });
}

std::string both(std::string_view first, std::string_view second) {
  const bool one = first.empty() || second.empty() || first == second;
  return one ? std::string(first.empty() ? second : first) : std::string(first) + "; " + std::string(second);
}

Explained explain_row(const MappingLine& row, std::span<const MappingLine> listener, Way way) {
  Explained told{place(row), row.word, {}, row.fidelity, row.reason};
  if (told.word.empty() || row.fidelity == Fidelity::kDropped) return told;
  const MappingLine* heard = best(listener, told.word, way);
  if (heard == nullptr) {
    told.fidelity = Fidelity::kDropped;
    told.reason = both(row.reason, knows_kind(listener, told.word, way) ? "the other game's equivalent lacks this field"
                                                                        : "the other game has no equivalent");
    return told;
  }
  told.fidelity = std::max(row.fidelity, heard->fidelity);
  told.reason = both(row.reason, heard->reason);
  if (told.fidelity != Fidelity::kDropped) told.to = place(*heard);
  return told;
}

}  // namespace

const char* text(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::kExact:
      return "exact";
    case Fidelity::kLossy:
      return "lossy";
    case Fidelity::kSynthesised:
      return "synthesised";
    case Fidelity::kDropped:
      return "dropped";
    case Fidelity::kDroppedSometimes:
      return "dropped at times";
  }
  return "";
}

std::vector<Explained> explain(std::span<const MappingLine> speaker, std::span<const MappingLine> listener, Way way) {
  std::vector<Explained> all;
  for (const MappingLine& row : speaker)
    if (*row.message != '\0' && goes(row, way) && holds_always(row)) all.push_back(explain_row(row, listener, way));
  return all;
}

std::vector<DroppedAtTimes> explain_drops(std::span<const MappingLine> speaker, std::span<const MappingLine> listener,
                                          Way way) {
  std::vector<DroppedAtTimes> all;
  const auto add = [&](const MappingLine& row) { all.push_back({subject(row), row.reason}); };
  for (const MappingLine& row : speaker)
    if (goes(row, way) && !holds_always(row) && *row.message != '\0') add(row);
  for (const MappingLine& row : listener) {
    const bool is_told = row.word == std::string_view("*") || knows_kind(speaker, row.word, way);
    if (goes(row, way) && !holds_always(row) && *row.message == '\0' && is_told) add(row);
  }
  return all;
}

std::array<std::size_t, 4> count(std::span<const Explained> all) {
  std::array<std::size_t, 4> counts{};
  for (const Explained& one : all) ++counts[static_cast<std::size_t>(one.fidelity)];
  return counts;
}

// -- The command ------------------------------------------------------------------------------------------------------

namespace {

struct Pair {
  const wire::Game& client;
  const wire::Game& server;
  std::vector<Explained> up, down;
  std::vector<DroppedAtTimes> up_at_times, down_at_times;
};

Outcome<const wire::Game*> game_named(const std::string& text) {
  if (text.find("://") != std::string::npos) {
    const auto end = parse_endpoint(text, games());
    if (!end) return end.error();
    return end->game;
  }
  if (const wire::Game* found = find_game(text)) return found;
  std::vector<std::string_view> names;
  for (const wire::Game* game : games()) names.push_back(game->name());
  return Error{unknown_name("game", text, names)};
}

std::string summary(std::span<const Explained> all) {
  std::string line = std::to_string(all.size()) + " fields:";
  const auto counts = count(all);
  for (std::size_t i = 0; i < counts.size(); ++i)
    line += (i == 0 ? " " : ", ") + std::to_string(counts[i]) + " " + text(static_cast<Fidelity>(i));
  return line;
}

std::string for_people(std::span<const Explained> all) {
  Rows<5> rows{{"from", "word", "to", "how", "why"}};
  for (const Explained& one : all) rows.push_back({one.from, one.word, one.to, text(one.fidelity), one.reason});
  return in_columns(rows) + summary(all) + "\n";
}

std::string for_people(std::span<const DroppedAtTimes> all) {
  if (all.empty()) return "";
  Rows<2> rows{{"dropped at times", "when"}};
  for (const DroppedAtTimes& one : all) rows.push_back({one.what, one.reason});
  return "\n" + in_columns(rows);
}

std::string for_people(const Pair& pair) {
  const std::string client(pair.client.name()), server(pair.server.name());
  return "What a client of " + client + " sends to a server of " + server + "\n\n" + for_people(pair.up) +
         for_people(pair.up_at_times) + "\nWhat the server sends to the client\n\n" + for_people(pair.down) +
         for_people(pair.down_at_times);
}

void to_json(const char* name, std::span<const Explained> all, std::span<const DroppedAtTimes> at_times,
             std::string& out) {
  ((out += ",\"") += name) += "\":{\"counts\":{";
  const auto counts = count(all);
  for (std::size_t i = 0; i < counts.size(); ++i)
    ((((out += i == 0 ? "\"" : ",\"") += text(static_cast<Fidelity>(i))) += "\":") += std::to_string(counts[i]));
  out += "},\"fields\":[";
  for (const Explained& one : all) {
    out += &one == all.data() ? "\n{\"from\":" : ",\n{\"from\":";
    json_text(one.from, out);
    json_member("word", one.word, out);
    json_member("to", one.to, out);
    json_member("how", text(one.fidelity), out);
    json_member("why", one.reason, out);
    out += '}';
  }
  out += "],\"at_times\":[";
  for (const DroppedAtTimes& one : at_times) {
    out += &one == at_times.data() ? "\n{\"what\":" : ",\n{\"what\":";
    json_text(one.what, out);
    json_member("why", one.reason, out);
    out += '}';
  }
  out += "]}";
}

std::string for_tools(const Pair& pair) {
  std::string out = "{\"client\":";
  json_text(pair.client.name(), out);
  json_member("server", pair.server.name(), out);
  to_json("says", pair.up, pair.up_at_times, out);
  to_json("sees", pair.down, pair.down_at_times, out);
  return out + "}\n";
}

}  // namespace

void declare_explain(CLI::App& app, ExplainOptions& options) {
  app.add_option("CLIENT", options.client, "Game of the client: a name or a URL")->required();
  app.add_option("SERVER", options.server, "Game of the server: a name or a URL")->required();
  app.add_flag("--json", options.json, "Print one JSON object");
  app.footer([] { return std::string(kAboutColumns); });
}

int run_explain(const ExplainOptions& options) {
  const auto client = game_named(options.client), server = game_named(options.server);
  if (!client) return usage_error("entente explain", client.error().text);
  if (!server) return usage_error("entente explain", server.error().text);
  for (const wire::Game* game : {*client, *server})
    if (mapping_of(*game).empty()) {
      std::fprintf(stderr, "entente explain: %s can only be relayed so far, not bridged\n",
                   std::string(game->name()).c_str());
      return kFailed;
    }
  const auto ours = mapping_of(**client), theirs = mapping_of(**server);
  const Pair pair{**client,
                  **server,
                  explain(ours, theirs, Way::kToServer),
                  explain(theirs, ours, Way::kToClient),
                  explain_drops(ours, theirs, Way::kToServer),
                  explain_drops(theirs, ours, Way::kToClient)};
  std::fputs((options.json ? for_tools(pair) : for_people(pair)).c_str(), stdout);
  return kOk;
}

}  // namespace entente
