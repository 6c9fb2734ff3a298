#include "proxy/program/serve/proxy.h"

#include <CLI/CLI.hpp>

#include "adapters/registry.h"
#include "proxy/program/base/checked_option.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/config/config.h"
#include "proxy/program/config/config_reader.h"
#include "proxy/program/config/loop.h"
#include "proxy/program/serve/serve.h"
#include "proxy/program/settings/lab.h"
#include "proxy/program/settings/route.h"
#include "proxy/program/settings/url_options.h"

namespace entente {
namespace {

int wrong(const char* option, const Error& error) { return usage_error("entente proxy", option + error.text); }

}  // namespace

void declare_proxy(CLI::App& app, ProxyOptions& options) {
  app.add_option(
         "--listen", options.listen,
         "Address to listen on: game://address:port?dialect=name (port 0: any free port), or game+ws:// for WebSocket, "
         "or game+wss:// for WebSocket with TLS. More options:" +
             help_of_url_options(EndpointRole::kListen))
      ->type_name("URL")
      ->required();
  app.add_option(
         "--to", options.to,
         "Server: game://host:port?dialect=name, or game+ws:// or game+wss://. May be repeated. Default dialect: "
         "for BZFlag and Panic, it is detected. For other games, it is the listener's dialect if the listener has the "
         "same game; otherwise, the first dialect in the list of `entente games`. More options:" +
             help_of_url_options(EndpointRole::kTo))
      ->type_name("URL")
      ->required()
      ->allow_extra_args(false);
  allow_only(
      app.add_option("--policy", options.policy,
                     "Which of several servers (--to more than once) a player gets. first: the first that is "
                     "up and not full. least: the one with the fewest sessions for its weight. hash: a client address "
                     "gets the same server each time, while that server is up and not full (default: first)"),
      {"first", "least", "hash"});
  app.add_option(
         "--hold", options.hold_s,
         "How long players wait while no server can be reached. In bridges, and in relays of Ace of Spades, they also "
         "wait while all servers are full. In a bridge, players whose server goes away also stay connected for this "
         "time, and join again when a server is up (0 to 86400 seconds; default: 0, nobody waits)")
      ->check(integer_from(0, 86400))
      ->type_name("SECONDS");
  app.add_option("--record", options.record,
                 "File to record to (MCAP). In the file name, {time} is replaced by the time at which the file begins, "
                 "{game} by the listener's game")
      ->type_name("FILE");
  auto* const lab = app.add_option(
      "--lab", options.lab,
      "Faults to make on purpose in a relay, to test a client or a server, such as "
      "'to_server: loss=2%, delay=80ms+-20ms, dup=1%, reorder=3%, rate=64kbit; seed=7'. Others: reset=0.1%, "
      "stall=1%:500ms, slice=1-100, 'drop MsgShotBegin 10%', 'delay chat 2s', 'duplicate NAME', 'corrupt one field of "
      "NAME 0.1%', 'at 10s cut the server for 5s'. to_server: or to_client: names the direction; without it, both. The "
      "same seed makes the same faults. `entente ctl lab` shows what was done, and changes it. proxy/manual/lab.md "
      "explains all of them");
  lab->type_name("SPEC");
  app.add_option("--lab-file", options.lab_file, "File with a SPEC as in --lab, on as many lines as you like")
      ->type_name("FILE")
      ->excludes(lab);
  declare_control_options(app, options.control);
  declare_log_options(app, options.log);
}

int run_proxy(const ProxyOptions& options) {
  const auto listen = parse_listen(options.listen, games());
  if (!listen) return wrong("--listen ", listen.error());
  const auto to = parse_servers(options.to, games());
  if (!to) return wrong("--to ", to.error());
  const auto joined = route_kind(*listen, *to);
  if (!joined) return wrong("", joined.error());
  const std::string lab = options.lab_file.empty() ? options.lab : "@" + options.lab_file;
  if (const auto plan = parse_lab(lab, LabRoute(*listen, *joined)); !plan)
    return wrong(options.lab_file.empty() ? "--lab: " : "--lab-file: ", plan.error());

  config::Config config = default_config();
  config::Route& route = *config.add_route();
  route.set_listen(options.listen);
  for (const std::string& url : options.to) route.add_to(url);
  (void)set_key(route, *route.GetDescriptor()->FindFieldByName("policy"), options.policy);
  route.set_hold_s(options.hold_s);
  route.set_lab(lab);
  set_defaults(config);
  route.set_record(options.record);
  if (const std::string loop = loops_of(config, games(), true).front(); !loop.empty())
    return wrong("--to ", Error{loop});
  apply(options.log, *config.mutable_log());
  apply(options.control, config);
  return serve({std::move(config), {}});
}

}  // namespace entente
