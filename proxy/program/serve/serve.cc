#include "proxy/program/serve/serve.h"

#include <optional>
#include <utility>

#include "proxy/program/command.h"
#include "proxy/program/log/log.h"
#include "proxy/program/misuse.h"
#include "proxy/program/serve/routes.h"
#include "proxy/program/take_over/take_over.h"

namespace entente {
namespace {

int serve_logged(const config::Config& config, Reread reread, const std::string& socket) {
  std::optional<TakeOver> take_over;
  if (!socket.empty()) {
    auto begun = TakeOver::begin(socket);
    if (!begun) return failed(begun.error());
    take_over.emplace(std::move(*begun));
  }
  Routes routes(config, std::move(reread));
  if (const auto opened = routes.open(); !opened) return failed(opened.error());
  if (const auto ran = routes.run(take_over ? &*take_over : nullptr); !ran) return failed(ran.error());
  const auto closed = routes.close();
  routes.sum_up();
  return closed ? kOk : failed(closed.error());
}

}  // namespace

int serve(const config::Config& config, Reread reread, const std::string& take_over) {
  if (const auto started = start_log(config.log()); !started) return failed(started.error());
  const int code = serve_logged(config, std::move(reread), take_over);
  stop_log();
  return code;
}

}  // namespace entente
