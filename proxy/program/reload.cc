#include "proxy/program/reload.h"

#include <google/protobuf/util/message_differencer.h>

#include <sstream>

namespace entente {
namespace {

/// Takes out what may change.
void fix(config::Config& config) {
  config.clear_limits();
  config.mutable_log()->clear_level();
  config.mutable_access()->clear_allow();
  config.mutable_access()->clear_deny();
  for (config::Route& route : *config.mutable_route()) {
    route.clear_allow();
    route.clear_deny();
  }
}

}  // namespace

std::vector<std::string> takes_restart(config::Config running, config::Config fresh) {
  fix(running);
  fix(fresh);
  std::string differences;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&differences);
  differencer.Compare(running, fresh);
  std::vector<std::string> lines;
  std::istringstream in(differences);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace entente
