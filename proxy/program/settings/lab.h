// The lab of a route, as an operator writes it: faults that are made on purpose. relay/faults/lab_plan.h has the
// grammar; this adds what only the games know, and files.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "proxy/base/fault.h"
#include "proxy/program/settings/route.h"
#include "proxy/relay/faults/lab_plan.h"
#include "proxy/relay/route/route_options.h"

namespace entente {

/// The route that has the lab.
struct LabRoute {
  LabRoute(const ListenEnd& listen, std::optional<RouteKind> kind);
  explicit LabRoute(const relay::RouteOptions& options);

  const wire::Game* game;
  std::optional<std::size_t> dialect;  ///< nothing: clients name theirs
  bool datagrams;                      ///< ENet's datagrams pass, not its packets
  bool relay;
};

/// The plan for a text, or "@FILE" for what is in a file. Null: the text is empty. An error: the offset in the text,
/// and why.
Outcome<std::shared_ptr<const relay::LabPlan>> parse_lab(const std::string& text, const LabRoute& route);

/// What `name` stands for in this game: the message of that name, or the messages that carry the word of that name.
Outcome<std::vector<std::string>> messages_called(std::string_view name, const LabRoute& route);

}  // namespace entente
