// The room of one audience of a broadcast: a replay of the broadcast so far, with a clock for each viewer.
#pragma once

#include <memory>
#include <string>

#include "proxy/net/web/http_reply.h"
#include "proxy/program/watch/live_documents.h"
#include "proxy/relay/broadcast/broadcast.h"
#include "proxy/relay/proxy_server.h"
#include "schema/config.pb.h"

namespace entente {

/// A broadcast that begins now. `of`: as for watch_room().
std::shared_ptr<relay::Broadcast> new_broadcast(const std::string& of);

/// The view of an audience.
std::shared_ptr<relay::LiveView> view_of(relay::Broadcast& broadcast, const config::Watch& settings);

/// `of`: what is broadcast, for the log.
relay::SharedRoomOptions watch_room(const std::string& of, std::shared_ptr<relay::LiveView> view);

/// Serves these documents.
net::HttpDocuments served(std::shared_ptr<LiveDocuments> documents);

/// Ends the room and the sessions of its viewers.
void close_watch_room(relay::ProxyServer& server, std::size_t room);

}  // namespace entente
