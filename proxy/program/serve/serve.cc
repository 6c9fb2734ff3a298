#include "proxy/program/serve/serve.h"

#include <optional>
#include <utility>

#include "proxy/net/process/own_program.h"
#include "proxy/program/command.h"
#include "proxy/program/log/log.h"
#include "proxy/program/log/say.h"
#include "proxy/program/misuse.h"
#include "proxy/program/serve/routes.h"
#include "proxy/program/take_over/take_over.h"

namespace entente {
namespace {

std::string program() { return "entente " ENTENTE_VERSION ", process " + std::to_string(net::own_pid()); }

Outcome<Done> serve_logged(const config::Config& config, Reread reread, const std::string& socket,
                           const std::string& file) {
  std::optional<TakeOver> take_over;
  if (!socket.empty()) {
    auto begun = TakeOver::begin(socket);
    if (!begun) return begun.error();
    take_over.emplace(std::move(*begun));
  }
  Routes routes(config, std::move(reread));
  if (const auto opened = routes.open(); !opened) return opened.error();
  log_info("started {}{}", program(), file.empty() ? "" : ", configuration " + file);
  if (const auto ran = routes.run(take_over ? &*take_over : nullptr); !ran) return ran.error();
  const auto closed = routes.close();
  routes.sum_up();
  log_info("stopped {}", program());
  return closed;
}

}  // namespace

int serve(const config::Config& config, Reread reread, const std::string& take_over, const std::string& file) {
  if (const auto started = start_log(config.log()); !started) return report_failure(started.error());
  const auto served = serve_logged(config, std::move(reread), take_over, file);
  if (!served && !take_over.empty()) TakeOver::tell_failure(take_over, served.error().text);
  stop_log();
  return served ? kOk : report_failure(served.error());
}

}  // namespace entente
