#include "proxy/program/serve/serve.h"

#include <utility>

#include "proxy/net/process/own_program.h"
#include "proxy/program/base/command.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/log/log.h"
#include "proxy/program/log/say.h"
#include "proxy/program/serve/routes.h"
#include "proxy/program/take_over/take_over.h"

namespace entente {
namespace {

std::string program() { return "entente " ENTENTE_VERSION ", process " + std::to_string(net::own_pid()); }

Outcome<Done> serve_logged(const LoadedConfig& loaded, Reread reread, TakeOver* take_over) {
  const std::string& file = loaded.places.file();
  Routes routes(loaded, std::move(reread));
  if (const auto opened = routes.open(); !opened) return opened.error();
  log_info("started {}{}", program(), file.empty() ? "" : ", configuration " + file);
  if (const auto ran = routes.run(take_over); !ran) return ran.error();
  const auto closed = routes.close();
  routes.sum_up();
  log_info("stopped {}", program());
  return closed;
}

}  // namespace

int serve(const LoadedConfig& loaded, Reread reread, TakeOver* take_over) {
  auto served = start_log(loaded.config.log());
  if (served)
    served = serve_logged(loaded, std::move(reread), take_over);
  else
    served = with_place(loaded.places.before("log.file"), served.error());
  if (!served && take_over != nullptr) take_over->fail(served.error().text);
  stop_log();
  return served ? kOk : report_failure(served.error());
}

}  // namespace entente
