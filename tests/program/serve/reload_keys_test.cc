// Which changes of a configuration a reload applies at once, which ones replace a route or an arena, and which ones
// need a restart.
#include "proxy/program/serve/reload.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "proxy/program/config/config.h"

namespace entente::reload_keys_test {
namespace {

using Lines = std::vector<std::string>;

config::Arena arena() {
  config::Arena made;
  made.set_name("yard");
  made.set_seats(8);
  made.add_listen("native://127.0.0.1:1");
  return made;
}

config::Route route() {
  config::Route made;
  made.set_listen("panic://127.0.0.1:1");
  made.add_to("panic://192.0.2.7:1");
  return made;
}

TEST_CASE("an arena goes on while only its listeners and rules change; anything else begins a new match") {
  const auto goes_on = [](auto&& change) {
    config::Arena fresh = arena();
    change(fresh);
    CHECK(goes_on_with(fresh, arena()) == goes_on_with(arena(), fresh));
    return goes_on_with(arena(), fresh);
  };
  CHECK(goes_on([](auto&) {}));
  CHECK(goes_on([](auto& one) { one.add_listen("native://127.0.0.1:2"); }));
  CHECK(goes_on([](auto& one) { one.set_listen(0, "native://127.0.0.1:2"); }));
  CHECK(goes_on([](auto& one) { one.add_rules("a.lua"); }));
  CHECK(goes_on([](auto& one) { one.add_watch()->add_listen("native://127.0.0.1:3"); }));
  CHECK_FALSE(goes_on([](auto& one) { one.set_seats(9); }));
  CHECK_FALSE(goes_on([](auto& one) { one.set_name("field"); }));
  CHECK_FALSE(goes_on([](auto& one) { one.set_record("a.mcap"); }));
  CHECK_FALSE(goes_on([](auto& one) { one.set_jumping(true); }));
}

TEST_CASE("a route goes on while only what applies at once or its watchers change") {
  const auto goes_on = [](auto&& change) {
    config::Route fresh = route();
    change(fresh);
    return goes_on_with(route(), fresh);
  };
  CHECK(goes_on([](auto&) {}));
  CHECK(goes_on([](auto& one) { one.mutable_limits()->set_sessions(5); }));
  CHECK(goes_on([](auto& one) { one.add_allow("10.0.0.0/8"); }));
  CHECK(goes_on([](auto& one) { one.add_deny("10.0.0.0/8"); }));
  CHECK(goes_on([](auto& one) { one.set_lab("delay=10ms"); }));
  CHECK(goes_on([](auto& one) { one.add_rules("a.lua"); }));
  CHECK(goes_on([](auto& one) { one.add_watch(); }));
  CHECK_FALSE(goes_on([](auto& one) { one.set_to(0, "panic://192.0.2.8:1"); }));
  CHECK_FALSE(goes_on([](auto& one) { one.set_listen("panic://127.0.0.1:2"); }));
  CHECK_FALSE(goes_on([](auto& one) { one.set_name("ctf"); }));
  CHECK_FALSE(goes_on([](auto& one) { one.set_announce(true); }));
}

TEST_CASE("the keys of a route that have changed and apply at once are named, and no others") {
  config::Route fresh = route();
  CHECK(changed_keys(route(), fresh).empty());
  fresh.set_to(0, "panic://192.0.2.8:1");
  fresh.set_name("ctf");
  fresh.add_watch();
  CHECK(changed_keys(route(), fresh).empty());
  fresh.add_allow("10.0.0.0/8");
  fresh.mutable_limits()->set_sessions(5);
  fresh.add_rules("a.lua");
  Lines changed = changed_keys(route(), fresh);
  std::sort(changed.begin(), changed.end());
  CHECK(changed == Lines{"allow", "limits", "rules"});
  CHECK(changed_keys(fresh, fresh).empty());
}

TEST_CASE("a reload serves the keys that need a restart as they are, and the others as they were read") {
  config::Config running, fresh;
  running.set_public_host("192.0.2.1");
  running.mutable_recording()->set_secrets(config::Recording::blank);
  running.mutable_limits()->set_sessions(5);
  *running.add_route() = route();
  fresh.set_public_host("192.0.2.2");
  fresh.mutable_recording()->set_secrets(config::Recording::keep);
  fresh.mutable_limits()->set_sessions(6);
  *fresh.add_route() = route();
  *fresh.add_arena() = arena();
  const config::Config served = served_until_restart(running, fresh);
  CHECK(served.public_host() == "192.0.2.1");
  CHECK(served.recording().secrets() == config::Recording::blank);
  CHECK(served.limits().sessions() == 6);
  CHECK(served.route_size() == 1);
  CHECK(served.arena_size() == 1);
  CHECK(takes_restart(running, served).empty());
  running.clear_public_host();
  CHECK_FALSE(served_until_restart(running, fresh).has_public_host());
}

TEST_CASE("what a reload applies at once is told with its old and its new value") {
  config::Config before = default_config(), fresh = before;
  CHECK(applied_at_once(before, fresh).empty());
  before.mutable_limits()->set_sessions(200);
  fresh.mutable_limits()->set_sessions(150);
  CHECK(applied_at_once(before, fresh) == Lines{"changed: limits.sessions: 200 -> 150"});
  fresh = before;
  fresh.mutable_access()->add_deny("192.0.2.7");
  CHECK(applied_at_once(before, fresh) == Lines{"added: access.deny[0]: \"192.0.2.7\""});
  CHECK(applied_at_once(fresh, before) == Lines{"deleted: access.deny[0]: \"192.0.2.7\""});
  CHECK(takes_restart(before, fresh).empty());
  fresh = before;
  fresh.mutable_control()->set_socket("/run/c.sock");
  CHECK(applied_at_once(before, fresh).empty());
}

TEST_CASE("what needs a restart is told; routes, arenas, hooks and lists do not need one") {
  const config::Config before = default_config();
  const auto restart = [&](auto&& change) {
    config::Config fresh = before;
    change(fresh);
    return takes_restart(before, fresh).size();
  };
  CHECK(restart([](auto&) {}) == 0);
  CHECK(restart([](auto& all) { all.mutable_control()->set_socket("/run/c.sock"); }) == 1);
  CHECK(restart([](auto& all) { all.mutable_metrics()->set_listen("127.0.0.1:9"); }) == 1);
  CHECK(restart([](auto& all) { all.mutable_recording()->set_directory("/var"); }) == 1);
  CHECK(restart([](auto& all) { all.mutable_operator_()->set_listen("127.0.0.1:9"); }) == 1);
  CHECK(restart([](auto& all) { all.mutable_operator_()->set_token_file("/etc/token"); }) == 0);
  CHECK(restart([](auto& all) { *all.add_route() = route(); }) == 0);
  CHECK(restart([](auto& all) { *all.add_arena() = arena(); }) == 0);
  CHECK(restart([](auto& all) { all.add_hook()->set_name("a"); }) == 0);
  CHECK(restart([](auto& all) { all.add_list()->set_of("a"); }) == 0);
  CHECK(restart([](auto& all) { all.mutable_log()->set_level(config::Log::debug); }) == 0);
  CHECK(restart([](auto& all) { all.mutable_log()->set_format(config::Log::json); }) == 1);
}

TEST_CASE("an arena of the fleet that is removed or changed needs a restart, because this node may own it") {
  config::Config before = default_config();
  *before.add_arena() = arena();
  before.mutable_arena(0)->set_fleet(true);
  config::Config fresh = before;
  CHECK(takes_restart(before, fresh).empty());
  fresh.mutable_arena(0)->add_rules("a.lua");
  CHECK(takes_restart(before, fresh).empty());
  fresh.mutable_arena(0)->set_fleet(false);
  CHECK(takes_restart(before, fresh) == Lines{"arena 'yard': this node may own it until then"});
  fresh.clear_arena();
  CHECK(takes_restart(before, fresh) == Lines{"arena 'yard': this node may own it until then"});
  CHECK(takes_restart(fresh, before).empty());  // it is added
}

}  // namespace
}  // namespace entente::reload_keys_test
