#include "proxy/program/proxy.h"

#include "adapters/registry.h"
#include "proxy/program/config.h"
#include "proxy/program/misuse.h"
#include "proxy/program/route.h"
#include "proxy/program/serve.h"

namespace entente {
namespace {

int wrong(const char* option, const Error& error) { return misused("entente proxy", option + error.text); }

}  // namespace

void declare_proxy(CLI::App& app, ProxyOptions& options) {
  app.add_option(
         "--listen", options.listen,
         "Where players come to: game://address:port?dialect=name; port 0 is a free one; &strict=yes passes on only "
         "what decodes; for a game over ENet, &mode=datagrams passes its datagrams untouched")
      ->type_name("URL")
      ->required();
  app.add_option("--to", options.to,
                 "The server: game://host:port?dialect=name; without a dialect it is found out before "
                 "anything is sent to it (BZFlag, Panic), or the first that `entente games` has")
      ->type_name("URL")
      ->required();
  app.add_option("--record", options.record, "Where to record (MCAP); {time} and {game} are filled in")
      ->type_name("FILE");
  declare_control_flags(app, options.control);
  declare_log_flags(app, options.log);
}

int run_proxy(const ProxyOptions& options) {
  const auto listen = parse_listen(options.listen, games());
  if (!listen) return wrong("--listen ", listen.error());
  const auto to = parse_to(options.to, games());
  if (!to) return wrong("--to ", to.error());
  if (const auto joined = can_join(*listen, *to); !joined) return wrong("", joined.error());

  config::Config config = preset_config();
  config::Route& route = *config.add_route();
  route.set_listen(options.listen);
  route.set_to(options.to);
  route.set_record(options.record);
  apply(options.log, *config.mutable_log());
  apply(options.control, config);
  return serve(config);
}

}  // namespace entente
