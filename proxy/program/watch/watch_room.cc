#include "proxy/program/watch/watch_room.h"

#include <utility>

#include "adapters/native/native.h"
#include "proxy/base/steady_wall.h"
#include "proxy/base/time.h"
#include "proxy/core/replay/replay.h"
#include "proxy/program/log/say.h"

namespace entente {

std::shared_ptr<relay::Broadcast> new_broadcast(const std::string& of) {
  relay::BroadcastOptions options;
  options.overflowed = [of, most = options.most_bytes] {
    log_warn(
        "the broadcast of {} stands still: {} MiB do not hold what its viewers have not seen yet. A shorter delay_s "
        "needs less",
        of, most >> 20U);
  };
  return std::make_shared<relay::Broadcast>(steady_nanos, steady_wall_now() / 1000, std::move(options));
}

std::shared_ptr<relay::LiveView> view_of(relay::Broadcast& broadcast, const config::Watch& settings) {
  return broadcast.view(settings.see() == config::Watch::teams ? core::See::kTeams : core::See::kPublic,
                        settings.delay_s() * core::kSecond);
}

relay::SharedRoomOptions watch_room(const std::string& of, std::shared_ptr<relay::LiveView> view) {
  relay::SharedRoomOptions options;
  options.name = "a broadcast of " + of;
  options.game = &native::game();
  options.chat.commands = true;  // of the replay itself
  // The options outlive the room, and must not keep the view.
  options.back = [view = std::make_shared<std::shared_ptr<relay::LiveView>>(std::move(view))] {
    return std::make_unique<core::Replay>(std::shared_ptr<core::RecordingSource>(std::exchange(*view, nullptr)));
  };
  return options;
}

net::HttpDocuments served(std::shared_ptr<LiveDocuments> documents) {
  return [documents = std::move(documents)](const net::HttpHead& request, std::string_view name) {
    return documents->answer(request, name);
  };
}

void close_watch_room(relay::ProxyServer& server, std::size_t room) {
  server.order(
      room, [](core::Back& back) { static_cast<core::Replay&>(back).stop("the broadcast has changed; join again"); });
  server.retire_shared_room(room);
}

}  // namespace entente
