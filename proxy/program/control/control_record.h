// The commands recordings and record.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proxy/program/control/control.h"
#include "proxy/relay/tap/tap.h"

namespace entente {

/// A route or an arena that can be recorded.
struct Recordable {
  std::size_t number = 1;  ///< of the route, from 1; of an arena: of its first listener
  std::string name;        ///< as in the summary: "bzflag 2.4 127.0.0.1:5154"
  relay::TapThread* tap = nullptr;
  bool retired = false;    ///< removed by a reload; its sessions go on
  std::string arena = {};  ///< its name; empty: it is a route
};

void add_record_commands(Control& control, std::function<std::vector<Recordable>()> all);

}  // namespace entente
