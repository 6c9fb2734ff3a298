#include "proxy/program/serve/serve.h"

#include <utility>

#include "proxy/program/command.h"
#include "proxy/program/log/log.h"
#include "proxy/program/misuse.h"
#include "proxy/program/serve/routes.h"

namespace entente {
namespace {

int serve_logged(const config::Config& config, Reread reread) {
  Routes routes(config, std::move(reread));
  if (const auto opened = routes.open(); !opened) return failed(opened.error());
  routes.run();
  const auto closed = routes.close();
  routes.sum_up();
  return closed ? kOk : failed(closed.error());
}

}  // namespace

int serve(const config::Config& config, Reread reread) {
  if (const auto started = start_log(config.log()); !started) return failed(started.error());
  const int code = serve_logged(config, std::move(reread));
  stop_log();
  return code;
}

}  // namespace entente
