// native_bot PORT NAME: plays whatever a native listener of this machine has (schema/NATIVE.md); then says what it saw.
#include <arpa/inet.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "schema/game.pb.h"

using namespace entente::words;

int main(int count, char** given) {
  if (count != 3) return 2;
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in at{AF_INET, htons(static_cast<in_port_t>(std::stoi(given[1]))), {htonl(INADDR_LOOPBACK)}, {}};
  if (connect(server, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return 1;
  std::uint32_t me = 0, turn = 0, shots = 0, size = 0;
  Owns own;
  std::map<std::uint32_t, Pose> alive;  // units of players
  std::set<std::uint32_t> players, moved;

  const auto far = [](const Pose& a, const Pose& b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); };
  const auto say = [&](const Intent& wish) {
    std::string frame = wish.SerializeAsString();
    size = htonl(static_cast<std::uint32_t>(frame.size()));
    frame.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
    send(server, frame.data(), frame.size(), MSG_NOSIGNAL);
  };
  const auto hear = [&](const Fact& fact) {
    if (Intent wish; fact.has_you()) me = fact.you().player(), wish.mutable_enter()->set_name(given[2]), say(wish);
    if (fact.has_player()) players.insert(fact.player().id());
    if (fact.has_owns() && fact.owns().player() == me) own = fact.owns();
    if (fact.unit().alive() && fact.unit().owner() != 0) alive[fact.unit().id()] = fact.unit().pose();
    if (fact.has_spawned()) alive[fact.spawned().unit()] = fact.spawned().pose();
    if (fact.has_died()) alive.erase(fact.died().unit());
    if (fact.has_gone()) alive.erase(fact.gone().unit());
    if (fact.has_shot()) ++shots;
    const auto unit = alive.find(fact.pose().unit());
    if (unit == alive.end()) return;
    if (far(unit->second, fact.pose()) > 0.1) moved.insert(unit->first);
    unit->second = fact.pose();
  };
  const auto act = [&] {  // toward the nearest who is over 20 m away, else around the middle; fires every 2 s
    Intent wish;
    const bool now = me != 0 && turn++ % 10 == 0;
    if (!alive.contains(own.active())) return wish.mutable_spawn(), now ? say(wish) : void();
    const Pose& mine = alive[own.active()];
    std::map<double, Pose> others;
    for (const auto& [unit, pose] : alive)
      if (std::ranges::count(own.units(), unit) == 0) others[far(mine, pose)] = pose;
    const auto to = others.upper_bound(20);
    wish.mutable_toward()->set_x(to != others.end() ? to->second.x() : 90 * std::cos(turn / 30.0));
    wish.mutable_toward()->set_y(to != others.end() ? to->second.y() : 90 * std::sin(turn / 30.0));
    say(wish);
    if (others.empty() || !now) return;
    Fire& fire = *wish.mutable_fire();
    fire.set_shot(turn), fire.set_x(mine.x()), fire.set_y(mine.y());
    fire.set_vx(others.begin()->second.x() - mine.x()), fire.set_vy(others.begin()->second.y() - mine.y());
    say(wish);
  };

  std::string message;
  for (auto next = std::chrono::steady_clock::now();;) {
    if (std::chrono::steady_clock::now() >= next) act(), next += std::chrono::milliseconds(200);
    if (pollfd ready{server, POLLIN, 0}; poll(&ready, 1, 20) == 0) continue;
    if (recv(server, &size, sizeof size, MSG_WAITALL) != sizeof size) break;
    message.resize(ntohl(size));
    if (recv(server, message.data(), message.size(), MSG_WAITALL) <= 0) break;
    if (Fact fact; fact.ParseFromString(message)) hear(fact);
  }
  std::cout << "saw " << players.size() << " players, " << moved.size() << " units move, " << shots << " shots\n";
}
