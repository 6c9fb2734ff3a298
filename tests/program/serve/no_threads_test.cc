// A program that serves, on a machine that has no thread left.
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "adapters/registry.h"
#include "proxy/net/named_thread.h"
#include "proxy/program/config/config.h"
#include "proxy/program/serve/routes.h"
#include "proxy/program/take_over/take_over.h"
#include "tests/program/asked.h"
#include "tests/relay/late_server.h"

namespace entente::no_threads_test {
namespace {

using testing::FakeServer, testing::Stream;

std::string route(const FakeServer& to, const std::string& port, const std::string& more) {
  return "[[route]]\nlisten = \"panic://127.0.0.1:" + port + "?dialect=be-packed\"\nto = \"panic://" +
         to.address().text() + "?dialect=be-packed\"\n" + more;
}

/// While it exists, no thread can be started.
struct NoThreads {
  NoThreads() { net::no_thread_left() = true; }
  ~NoThreads() { net::no_thread_left() = false; }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
};

// An upgrade that succeeded would start this test again.
TEST_CASE("without a thread left, a reload and an upgrade fail, and a player plays on") {
  const FakeServer server;
  Asked it;
  const auto write = [&](const std::string& rest) {
    it.folder.write("a.toml", "[control]\nsocket = \"" + it.folder.file("c.sock") + "\"\n" + rest);
  };
  const auto read = [&](const Machine& machine) { return load_config(it.folder.file("a.toml"), games(), &machine); };
  const std::string port = std::to_string(testing::free_for_both().port());
  const std::string kept = route(server, port, "");
  write(kept);
  const auto loaded = read(Machine{});
  REQUIRE(loaded.ok());
  Routes routes(*loaded, read);
  REQUIRE(routes.open().ok());
  std::thread serves([&] { CHECK(routes.run().ok()); });
  CHECK(it.answers("routes", port));
  const Stream client = Stream::to(*net::Address::parse("127.0.0.1", static_cast<std::uint16_t>(std::stoi(port))));
  const Stream at_server = server.accept();

  const std::string why = net::no_thread_error().text;
  const std::string more = kept + "[[arena]]\nname = \"pit\"\nlisten = [\"native://127.0.0.1:0?dialect=json\"]\n";
  {
    const NoThreads none;
    write(more);
    const std::string refused = it.answer("reload");
    CHECK_MESSAGE(refused.starts_with("error: configuration not reloaded: "), refused);
    CHECK_MESSAGE(has(refused, why), refused);
    CHECK(it.answer("upgrade") == "error: " + why + "\n");
    CHECK(has(it.answer(kTakeOver), "error: " + why));
    write(kept + "[[hook]]\nname = \"duty\"\nurl = \"http://127.0.0.1:9/\"\nevents = [\"join\"]\n");
    CHECK(has(it.answer("reload"), "hooks are not told until the next reload: " + why));
    at_server.send(Buffer{1, 2, 3});
    CHECK(client.read(3) == Buffer{1, 2, 3});
  }
  write(more);
  CHECK(has(it.answer("reload"), "added: arena 'pit'"));
  (void)::kill(::getpid(), SIGTERM);
  serves.join();
  CHECK(routes.close().ok());
}

}  // namespace
}  // namespace entente::no_threads_test
