// The accounts of deploy/fleet/accounts on a real nats-server: what each role may publish and subscribe to.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "proxy/fleet/subjects.h"
#include "tests/fleet/station.h"
#include "tests/support/nats_server.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::fleet::roles_test {
namespace {

using testing::Station;

/// The accounts of a fleet in a folder, and a server that uses them.
class Fleet {
 public:
  explicit Fleet(const std::vector<std::string>& accounts) {
    std::string pattern = (std::filesystem::temp_directory_path() / "entente-roles-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::vector<std::string> argv = {entente::testing::source_dir() + "/deploy/fleet/accounts", "entente", folder_};
    argv.insert(argv.end(), accounts.begin(), accounts.end());
    const Ended made = run(argv);
    REQUIRE_MESSAGE(made.code == 0, made.err);
    std::ofstream(folder_ + "/nats.conf") << "include ./users.conf\n";
    server_ = std::make_unique<NatsServer>(std::vector<std::string>{"-c", folder_ + "/nats.conf"});
  }
  ~Fleet() {
    server_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  BusOptions options(const std::string& user, const std::string& node) const {
    BusOptions options;
    options.servers = {server_->url()};
    options.user = user;
    std::getline(std::ifstream(folder_ + "/" + user + ".password"), options.password);
    options.inbox = "entente.inbox." + node;
    return options;
  }
  std::filesystem::perms mode(const std::string& file) const {
    return std::filesystem::status(folder_ + "/" + file).permissions();
  }

 private:
  std::string folder_;
  std::unique_ptr<NatsServer> server_;
};

/// The connection of one node.
struct Member {
  Member(const Fleet& fleet, const std::string& user, const std::string& node)
      : bus(fleet.options(user, node)), its(bus) {
    REQUIRE(its.connects());
  }
  void say(const std::string& subject, const std::string& reply = {}) {
    CHECK(its.line->publish(subject, Buffer{1}, reply));
  }
  std::vector<std::string>& hear(const std::string& subject) {
    its.line->subscribe(subject, [this](const BusMessage& message) { heard.push_back(message.subject); });
    return heard;
  }
  /// Waits until the server has processed earlier messages and subscriptions: it answers a later request.
  void settle(const std::string& stream = "KV_entente-bans") {
    bool answered = false;
    its.line->ask("$JS.API.STREAM.INFO." + stream, {}, 10'000, 1,
                  [&](const std::vector<BusMessage>& all) { answered = !all.empty(); });
    CHECK(its.until([&] { return answered; }));
  }

  Bus bus;
  Station its;
  std::vector<std::string> heard;
};

TEST_CASE("an edge can speak only for its own players: not as an owner, another node or an operator") {
  if (NatsServer::is_missing()) return;
  const Fleet fleet({"a=edge", "b=edge,recorder", "home=owner", "boss=operator"});
  Member a(fleet, "a", "a"), home(fleet, "home", "home"), boss(fleet, "boss", "boss"), b(fleet, "b", "b");
  const Subjects names("entente");
  b.hear(names.facts("field"));
  b.hear(names.to("field", "b"));
  b.hear(names.order("b"));
  b.hear(names.operation("who"));
  b.hear(names.queue("17", "*"));
  home.hear(names.from("field", "*"));
  boss.hear(names.state("*"));
  for (Member* one : {&home, &boss, &b}) one->settle();

  a.say(names.facts("field"));
  a.say(names.to("field", "b"));
  a.say(names.from("field", "b"));
  a.say(names.state("b"));
  a.say(names.order("b"));
  a.say(names.operation("who"));
  a.say("entente.inbox.boss.x");
  a.say("$KV.entente-bans.net.10.0.0.1");
  a.say("$KV.entente-leases.arena.field");
  a.say(names.saved_arena("field"));
  a.say(names.recording("b", "x"));
  a.say(names.queue("17", "b"));
  a.say("$JS.API.STREAM.DELETE.KV_entente-bans");
  a.say("$JS.API.STREAM.CREATE.evil");
  a.say(names.from("field", "a"));
  a.say(names.queue("17", "a"));
  a.say(names.state("a"));
  home.say(names.facts("field"));
  home.say(names.to("field", "b"));
  boss.say(names.order("b"));
  boss.say(names.operation("who"));
  // Messages of one connection stay in order: any earlier one would have arrived before the last.
  CHECK(home.its.until([&] { return !home.heard.empty(); }));
  CHECK(home.heard == std::vector{names.from("field", "a")});
  CHECK(boss.its.until([&] { return !boss.heard.empty(); }));
  CHECK(boss.heard == std::vector{names.state("a")});
  CHECK(b.its.until([&] { return b.heard.size() >= 5; }));
  std::sort(b.heard.begin(), b.heard.end());
  CHECK(b.heard == std::vector{names.facts("field"), names.to("field", "b"), names.order("b"), names.operation("who"),
                               names.queue("17", "a")});
}

TEST_CASE("an edge cannot listen to another node; each node answers at its own subject, and only to operators") {
  if (NatsServer::is_missing()) return;
  const Fleet fleet({"a=edge", "b=edge", "home=owner", "boss=operator"});
  Member a(fleet, "a", "a"), b(fleet, "b", "b"), home(fleet, "home", "home"), boss(fleet, "boss", "boss");
  const Subjects names("entente");
  a.hear(names.to("field", "b"));
  a.hear(names.from("field", "*"));
  a.hear(names.order("b"));
  a.hear("entente.inbox.>");
  a.hear("entente.answer.>");
  std::vector<std::string> asked;
  b.its.line->subscribe(names.order("b"), [&](const BusMessage& message) { asked.push_back(message.reply); });
  b.hear(names.to("field", "b"));
  a.settle();
  b.settle();
  std::vector<BusMessage> answers;
  bool done = false;
  const auto answered = [&](std::vector<BusMessage> all) {
    answers = std::move(all);
    done = true;
  };
  boss.its.line->ask(names.order("b"), Buffer{1}, 30'000, 1, answered, names.answer("b"));
  CHECK(b.its.until([&] { return asked.size() == 1; }));
  CHECK(asked[0].starts_with("entente.answer.b."));
  a.say(asked[0]);  // not even if it knew the subject
  a.settle();
  CHECK(b.its.line->publish(asked[0], Buffer{7}));
  CHECK(boss.its.until([&] { return done; }));
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].bytes == Buffer{7});
  home.say(names.to("field", "b"));
  CHECK(b.its.until([&] { return !b.heard.empty(); }));
  a.settle();
  CHECK(a.heard.empty());
}

TEST_CASE("no account can reach a subject by naming it as the reply subject of its own message") {
  if (NatsServer::is_missing()) return;
  const Fleet fleet({"b=edge", "home=edge,owner", "files=archive", "boss=operator"});
  Member b(fleet, "b", "b"), home(fleet, "home", "home"), files(fleet, "files", "files"), boss(fleet, "boss", "boss");
  const Subjects names("entente");
  std::vector<Buffer> orders;
  b.its.line->subscribe(names.order("b"), [&](const BusMessage& message) { orders.push_back(message.bytes); });
  b.settle();
  home.hear(names.facts("field"));
  home.settle();
  home.say(names.facts("field"), names.order("b"));
  CHECK(home.its.until([&] { return !home.heard.empty(); }));
  home.say(names.order("b"));
  home.settle();
  files.hear(names.state("*"));
  files.settle("KV_entente-leases");
  files.say(names.state("files"), names.order("b"));
  files.settle("KV_entente-leases");  // an answer to the earlier message would come before this
  files.say(names.order("b"));
  files.settle("KV_entente-leases");
  CHECK(files.heard.empty());
  CHECK(boss.its.line->publish(names.order("b"), Buffer{9}));
  CHECK(b.its.until([&] { return !orders.empty(); }));
  CHECK(orders == std::vector<Buffer>{Buffer{9}});
}

TEST_CASE("no account can reach a subject by a message that JetStream stores and sends there") {
  if (NatsServer::is_missing()) return;
  const Fleet fleet({"b=edge", "home=owner"});
  Member b(fleet, "b", "b"), home(fleet, "home", "home");
  const Subjects names("entente");
  b.hear(names.order("b"));
  b.hear(names.to("field", "b"));
  b.settle();
  bool stored = false;
  StreamOptions stream;
  stream.name = names.saved_arena_stream();
  stream.subjects = {names.saved_arena("*")};
  home.its.line->open_stream(stream, [](const Outcome<std::uint64_t>&) {});
  home.its.line->store(names.saved_arena("field"), Buffer{7}, "", [&](const auto& done) { stored = done.ok(); });
  CHECK(home.its.until([&] { return stored; }));
  home.its.line->publish("$JS.API.DIRECT.GET." + names.saved_arena_stream(), as_bytes(R"({"seq":1})"),
                         names.order("b"));
  CHECK(b.its.until([&] { return b.bus.counts().forged == 1; }));
  home.say(names.to("field", "b"));
  CHECK(b.its.until([&] { return !b.heard.empty(); }));
  CHECK(b.heard == std::vector{names.to("field", "b")});
}

TEST_CASE("an owner can use its own edge; each denied operation is reported once, and all are counted") {
  if (NatsServer::is_missing()) return;
  const Fleet fleet({"home=owner"});
  const Subjects names("entente");
  std::vector<std::string> refusals;
  std::mutex mutex;
  BusOptions options = fleet.options("home", "home");
  options.refused = [&](const std::string& what) {
    const std::lock_guard lock(mutex);
    refusals.push_back(what);
  };
  Bus bus(options);
  Station its(bus);
  REQUIRE(its.connects());
  std::vector<std::string> heard;
  for (const std::string& one : {names.facts("field"), names.to("field", "home"), names.from("field", "*")})
    its.line->subscribe(one, [&](const BusMessage& message) { heard.push_back(message.subject); });
  const std::vector<std::string> all = {names.facts("field"), names.to("field", "home"), names.from("field", "home")};
  for (const std::string& one : all) CHECK(its.line->publish(one, Buffer{1}));
  CHECK(its.until([&] { return heard.size() == all.size(); }));
  CHECK(heard == all);
  CHECK(bus.counts().refused == 0);

  for (const std::string& one : {names.order("b"), names.order("b"), names.operation("who")})
    CHECK(its.line->publish(one, Buffer{1}));
  its.line->subscribe(names.state("*"), [](const BusMessage&) {});
  CHECK(its.until([&] { return bus.counts().refused == 4; }));
  REQUIRE(its.until([&] {
    const std::lock_guard lock(mutex);
    return refusals.size() == 3;
  }));
  CHECK(refusals[0].find(names.order("b")) != std::string::npos);
  CHECK(refusals[1].find(names.operation("who")) != std::string::npos);
  CHECK(refusals[2].find(names.state("*")) != std::string::npos);
}

TEST_CASE("each role can do its work: an operator bans, an edge learns it, an owner has a lease, a recorder stores") {
  if (NatsServer::is_missing()) return;
  const Fleet fleet({"edges:any=edge", "home=owner", "boss=operator", "rec=recorder", "files=archive"});
  Member edge(fleet, "edges", "pod-7"), home(fleet, "home", "home"), boss(fleet, "boss", "boss"),
      rec(fleet, "rec", "rec"), files(fleet, "files", "files");
  const Subjects names("entente");
  BucketOptions bucket;
  bucket.name = names.bans();
  CHECK(boss.its.order([&](auto done) { boss.its.line->open_bucket(bucket, done); }).done());
  CHECK(boss.its.order([&](auto done) { boss.its.line->put(names.bans(), "net.10.0.0.1", Buffer{1}, done); }).done());
  std::vector<std::string> keys;
  bool complete = false;
  edge.its.line->watch(names.bans(), ">", [&](const BusEntry* entry) {
    if (entry != nullptr) return keys.push_back(entry->key);
    complete = true;
  });
  CHECK(edge.its.until([&] { return complete; }));
  CHECK(keys == std::vector<std::string>{"net.10.0.0.1"});
  CHECK(boss.its.order([&](auto done) { boss.its.line->put(names.bans(), "net.10.0.0.2", Buffer{1}, done); }).done());
  CHECK(edge.its.until([&] { return keys.size() == 2; }));
  CHECK(!edge.its.order([&](auto done) { edge.its.line->put(names.bans(), "net.10.0.0.3", Buffer{1}, done); }).done());

  bucket.name = names.leases();
  CHECK(home.its.order([&](auto done) { home.its.line->open_bucket(bucket, done); }).done());
  const BucketResult lease =
      home.its.order([&](auto done) { home.its.line->create(names.leases(), "arena.field", Buffer{1}, done); });
  CHECK(lease.done());
  CHECK(home.its
            .order([&](auto done) {
              home.its.line->update(names.leases(), "arena.field", Buffer{2}, lease.entry.revision, done);
            })
            .done());
  CHECK(home.its.order([&](auto done) { home.its.line->get(names.leases(), "arena.field", done); }).done());
  CHECK(!home.its.order([&](auto done) { home.its.line->put(names.leases(), "archive", Buffer{1}, done); }).done());
  CHECK(files.its.order([&](auto done) { files.its.line->open_bucket(bucket, done); }).done());
  CHECK(files.its.order([&](auto done) { files.its.line->create(names.leases(), "archive", Buffer{1}, done); }).done());

  std::optional<Outcome<std::uint64_t>> stored;
  const auto is_stored = [&](Member& who, auto&& order) {
    stored.reset();
    order([&](Outcome<std::uint64_t> outcome) { stored = std::move(outcome); });
    CHECK(who.its.until([&] { return stored.has_value(); }));
    return stored->ok();
  };
  StreamOptions stream;
  stream.name = names.recordings();
  stream.subjects = {names.recording("*", "*")};
  CHECK(is_stored(rec, [&](auto done) { rec.its.line->open_stream(stream, done); }));
  CHECK(is_stored(rec, [&](auto done) { rec.its.line->store(names.recording("rec", "x"), Buffer{1}, "", done); }));
  CHECK(!is_stored(rec, [&](auto done) { rec.its.line->store(names.recording("b", "x"), Buffer{1}, "", done); }));
  std::optional<Outcome<std::vector<BusMessage>>> read;
  files.its.line->read(names.recordings(), names.recording("*", "*"), 1, 1'000, [&](auto outcome) { read = outcome; });
  CHECK(files.its.until([&] { return read.has_value(); }));
  REQUIRE(read->ok());
  CHECK((*read)->size() == 1);
}

TEST_CASE("passwords are readable by their owner only, and are kept when accounts are made again") {
  if (NatsServer::is_missing()) return;
  const Fleet fleet({"a=edge"});
  using std::filesystem::perms;
  for (const char* file : {"users.conf", "a.password"})
    CHECK(fleet.mode(file) == (perms::owner_read | perms::owner_write));
}

}  // namespace
}  // namespace entente::fleet::roles_test
