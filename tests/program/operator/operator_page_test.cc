// The operator page: its token, the requests that it refuses, the commands that it runs; then in a running program.
#include "proxy/program/operator/operator_page.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "proxy/program/control/control.h"
#include "tests/program/folder.h"
#include "tests/support/connection.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace entente::operator_page_test {
namespace {

using Refusal = OperatorPage::Refusal;

const std::string kToken = "0123456789abcdef0123456789abcdef";

std::string token_file(const Folder& folder, const std::string& text, mode_t mode = 0600) {
  const std::string path = folder.file("token");
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
  return path;
}

/// The answer to these bytes, up to the end of the connection.
std::string asked(const net::Address& at, std::string_view bytes, bool finishes = false) {
  const net::Fd fd = testing::connect_to(at);
  ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (finishes) ::shutdown(fd.get(), SHUT_WR);
  return testing::read_all(fd);
}

/// A request with commands. Each member may be replaced.
struct Request {
  std::string body = R"(["list"])";
  std::string method = "POST", path = "/orders";
  std::string host = "Host: 127.0.0.1:8080\r\n", origin{}, type = "Content-Type: application/json\r\n";
  std::string token = "Authorization: Bearer " + kToken + "\r\n";

  std::string text() const {
    return method + " " + path + " HTTP/1.1\r\n" + host + origin + type + token +
           (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" + body;
  }
};

struct Page {
  explicit Page(const std::vector<std::string>& proxies = {}) {
    config::Operator config;
    config.set_listen("127.0.0.1:0");
    config.set_token_file(token_file(folder, kToken + "\n"));
    config.add_hosts("Games.Example.org");
    for (const std::string& network : proxies) config.add_forwarded(network);
    auto opened = OperatorPage::open(loop, config, [this](std::string_view line, const std::string& by) {
      last_by = by;
      lines.emplace_back(line);
      return R"({"done":"it"})";
    });
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? "" : opened.error().text));
    page = std::move(*opened);
    page->start();
  }
  std::string ask(const Request& request) const { return asked(page->address(), request.text()); }
  /// Whether the request is refused with this status and reason, and no command is run.
  bool refuses(const Request& request, unsigned status, Refusal why) {
    const std::uint64_t before = page->refused(why);
    const std::size_t carried = lines.size();
    const std::string answer = ask(request);
    CAPTURE(answer);
    return answer.starts_with("HTTP/1.1 " + std::to_string(status) + " ") && page->refused(why) == before + 1 &&
           lines.size() == carried;
  }

  Folder folder;
  std::vector<std::string> lines;  // the commands that were run
  std::string last_by;             // who sent the last one
  net::RequestLoop loop{"control", "commands"};
  std::unique_ptr<OperatorPage> page;
};

// -- The token --------------------------------------------------------------------------------------------------------

TEST_CASE("the token is the first line of a file that must not be readable by everybody") {
  const Folder folder;
  CHECK(*read_token(token_file(folder, kToken)) == kToken);
  CHECK(*read_token(token_file(folder, kToken + "\r\nmore\n")) == kToken);
  CHECK(*read_token(token_file(folder, std::string(256, 'x') + "\n", 0640)) == std::string(256, 'x'));
  const auto why = [&](const std::string& text, mode_t mode = 0600) {
    const auto token = read_token(token_file(folder, text, mode));
    return token.ok() ? "" : token.error().text;
  };
  CHECK(why(kToken, 0644).find("chmod o-r") != std::string::npos);
  for (const std::string& text : {std::string(), std::string("short"), kToken.substr(1), std::string(257, 'x'),
                                  kToken + " with blanks", "\n" + kToken, kToken + "\xc3\xa4"})
    CHECK(why(text).find("must be a token") != std::string::npos);
  CHECK(why(kToken, 0602).find("chmod o-w") != std::string::npos);
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK(read_token(folder.file("pipe")).error().text.find("is not a file") != std::string::npos);  // and does not wait
  if (const std::string others = token_file(folder, kToken); ::chown(others.c_str(), 65'534, 65'534) == 0)
    CHECK(read_token(others).error().text.find("belongs to another user") != std::string::npos);
  CHECK(read_token(folder.file("none")).error().text.find("cannot read") != std::string::npos);
  CHECK(read_token(folder.file("")).error().text.find("is a folder") != std::string::npos);
}

TEST_CASE("wrong tokens are limited for each address, and the right one is always accepted") {
  TokenGuard guard(kToken);
  const auto a = *net::Address::parse("192.0.2.7:1"), again = *net::Address::parse("192.0.2.7:2"),
             b = *net::Address::parse("192.0.2.8:1");
  using Verdict = TokenGuard::Verdict;
  CHECK(guard.check(a, kToken, 0) == Verdict::kRight);
  for (std::uint32_t i = 0; i < TokenGuard::kWrongBurst; ++i)
    CHECK(guard.check(a, kToken.substr(0, i), 0) == Verdict::kWrong);
  CHECK(guard.check(again, "x", 0) == Verdict::kTooMany);
  CHECK(guard.check(again, kToken, 0) == Verdict::kRight);  // behind an HTTP proxy, all clients share an address
  CHECK(guard.check(a, "x", 0) == Verdict::kTooMany);       // the right token does not reset the limit
  CHECK(guard.check(b, "x", 0) == Verdict::kWrong);
  CHECK(guard.check(a, "x", 1'000) == Verdict::kWrong);
  CHECK(guard.check(a, "x", 1'001) == Verdict::kTooMany);
}

TEST_CASE("the memory for addresses with wrong tokens is bounded, and further addresses share one limit") {
  TokenGuard guard(kToken);
  using Verdict = TokenGuard::Verdict;
  const auto at = [](std::size_t i) {
    return *net::Address::parse("10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256), 1);
  };
  constexpr std::size_t kMost = TokenGuard::kMostKnown;
  for (std::size_t i = 0; i < kMost; ++i) CHECK(guard.check(at(i), "x", 0) == Verdict::kWrong);
  for (std::size_t i = 0; i < TokenGuard::kWrongBurst; ++i)
    CHECK(guard.check(at(kMost + i), "x", 0) == Verdict::kWrong);
  CHECK(guard.check(at(kMost + 100), "x", 0) == Verdict::kTooMany);
  CHECK(guard.check(at(kMost + 100), kToken, 0) == Verdict::kRight);
  CHECK(guard.check(at(0), "x", 0) == Verdict::kWrong);  // has a limit for itself
  for (std::size_t i = 0; i < TokenGuard::kWrongBurst; ++i)
    CHECK(guard.check(at(kMost + 100), "x", 60'000) == Verdict::kWrong);  // the first addresses have been forgotten
  CHECK(guard.check(at(kMost + 101), "x", 60'000) == Verdict::kWrong);
}

// -- Requests ---------------------------------------------------------------------------------------------------------

TEST_CASE("commands come as a JSON array, and their answers go back as one") {
  Page page;
  const std::string answer = page.ask({.body = R"(["list", "kick 7 --why \"be nice\""])"});
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(answer.find("Content-Type: application/json\r\n") != std::string::npos);
  CHECK(answer.find("Cache-Control: no-store\r\n") != std::string::npos);
  CHECK(answer.ends_with("\r\n\r\n[{\"done\":\"it\"},{\"done\":\"it\"}]"));
  CHECK(page.lines == std::vector<std::string>{"list", "kick 7 --why \"be nice\""});
  CHECK(page.last_by.starts_with("by the operator page, from 127.0.0.1:"));
}

TEST_CASE("the page and its files need no token, and load nothing else") {
  const Page page;
  const std::string host = "Host: localhost:8080\r\n\r\n";
  const std::string index = asked(page.page->address(), "GET / HTTP/1.1\r\n" + host);
  CHECK(index.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html"));
  CHECK(index.find("Content-Security-Policy: default-src 'none'; script-src 'self';") != std::string::npos);
  CHECK(index.find("frame-ancestors 'none'") != std::string::npos);
  for (const char* file : {"main.js", "style.css", "icon.svg"}) {
    CHECK(index.find(std::string("=\"") + file + "\"") != std::string::npos);
    CHECK(
        asked(page.page->address(), std::string("GET /") + file + " HTTP/1.1\r\n" + host).starts_with("HTTP/1.1 200 "));
  }
  CHECK(index.find("http:") == std::string::npos);
  CHECK(index.find("https:") == std::string::npos);
  CHECK(index.find("style=") == std::string::npos);
  CHECK(page.lines.empty());
}

TEST_CASE("a request for a foreign host name is refused") {
  Page page;
  for (const char* host :
       {"Host: evil.example\r\n", "Host: evil.example:8080\r\n", "Host: 127.0.0.1.evil.example\r\n",
        "Host: localhost.evil.example\r\n", "Host: \r\n", "", "Host: 127.0.0.1:80x\r\n", "Host: [::1\r\n",
        "Host: 127.0.0.1\r\nHost: evil.example\r\n", "Host: games.example.org.\r\n", "Host: a@127.0.0.1\r\n"}) {
    CAPTURE(host);
    CHECK(page.refuses({.host = host}, 403, Refusal::kHost));
    CHECK(page.refuses({.body = "", .method = "GET", .path = "/", .host = host}, 403, Refusal::kHost));
  }
  for (const char* host : {"Host: 127.0.0.1\r\n", "Host: 192.0.2.7:8080\r\n", "Host: [::1]:9000\r\n",
                           "Host: LOCALHOST:1\r\n", "Host: games.example.org\r\n", "host: GAMES.example.org:443\r\n"})
    CHECK(page.ask({.host = host}).starts_with("HTTP/1.1 200 "));
}

TEST_CASE("a request from a page of another origin is refused, even with the token") {
  Page page;
  for (const char* origin :
       {"Origin: http://evil.example\r\n", "Origin: null\r\n", "Origin: \r\n", "Origin: http://127.0.0.1\r\n",
        "Origin: http://127.0.0.1:3000\r\n", "Origin: http://127.0.0.1:8080.evil.example\r\n",
        "Origin: ftp://127.0.0.1:8080\r\n", "Origin: http://127.0.0.1:8080\r\nOrigin: http://evil.example\r\n"}) {
    CAPTURE(origin);
    CHECK(page.refuses({.origin = origin}, 403, Refusal::kOrigin));
  }
  CHECK(page.ask({.origin = "Origin: http://127.0.0.1:8080\r\n"}).starts_with("HTTP/1.1 200 "));
  CHECK(page.ask({.origin = "Origin: https://127.0.0.1:8080\r\n"}).starts_with("HTTP/1.1 200 "));  // a proxy has TLS
}

TEST_CASE("commands are accepted only by POST, and other paths do not exist") {
  Page page;
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}) {
    CAPTURE(method);
    CHECK(page.refuses({.method = method}, 405, Refusal::kNotThere));
  }
  CHECK(page.refuses({.path = "/"}, 405, Refusal::kNotThere));
  for (const char* path :
       {"/order", "/orders/", "//orders", "/../token", "/index.html/", "/package.json", "/%6frders"}) {
    CAPTURE(path);
    CHECK(page.refuses({.path = path}, 404, Refusal::kNotThere));
  }
}

TEST_CASE("a request target without a leading slash names no file") {
  Page page;
  for (const char* target : {"?x", "?", "xmain.js", "main.js", "*", "http://127.0.0.1:8080/", "%2f"}) {
    CAPTURE(target);
    CHECK(page.refuses({.body = "", .method = "GET", .path = target}, 404, Refusal::kNotThere));
    CHECK(page.refuses({.path = target}, 404, Refusal::kNotThere));
  }
  CHECK(page.ask({}).starts_with("HTTP/1.1 200 "));
}

TEST_CASE("no command is run without the token, which is accepted only in its header") {
  Page page;
  for (const std::string& token :
       {std::string(), "Authorization: " + kToken + "\r\n", "Authorization: Basic " + kToken + "\r\n",
        "Cookie: token=" + kToken + "\r\n", "Authorization: Bearer " + kToken + "\r\nAuthorization: Bearer x\r\n"}) {
    CAPTURE(token);
    CHECK(page.refuses({.token = token}, 401, Refusal::kNoToken));
  }
  CHECK(page.refuses({.path = "/orders?token=" + kToken, .token = ""}, 401, Refusal::kNoToken));
  for (const std::string& token : {kToken.substr(1), kToken + "0", std::string("x"), std::string(kToken.size(), '0')})
    CHECK(page.refuses({.token = "Authorization: Bearer " + token + "\r\n"}, 401, Refusal::kWrongToken));
  CHECK(page.refuses({.token = "Authorization: bearer  " + kToken + "\r\n"}, 401, Refusal::kWrongToken));
  CHECK(page.refuses({.token = "Authorization: Bearer x\r\n"}, 429, Refusal::kTooManyTokens));
  CHECK(page.ask({}).starts_with("HTTP/1.1 200 "));
}

TEST_CASE("behind an HTTP proxy, the client's address is the one in its header") {
  Page page({"127.0.0.0/8"});
  const auto from = [](const std::string& client) { return "X-Forwarded-For: 203.0.113.1, " + client + "\r\n"; };
  const std::string wrong = "Authorization: Bearer x\r\n";
  CHECK(page.ask({.origin = from("192.0.2.7:4711")}).starts_with("HTTP/1.1 200 "));
  CHECK(page.last_by == "by the operator page, from 192.0.2.7:4711");
  CHECK(page.ask({.origin = "Forwarded: for=\"[2001:db8::7]\"\r\n"}).starts_with("HTTP/1.1 200 "));
  CHECK(page.last_by.starts_with("by the operator page, from [2001:db8::7]:"));
  CHECK_FALSE(page.last_by.ends_with(":0"));  // the proxy's port
  for (std::uint32_t i = 0; i < TokenGuard::kWrongBurst; ++i)
    CHECK(page.refuses({.origin = from("192.0.2.7"), .token = wrong}, 401, Refusal::kWrongToken));
  CHECK(page.refuses({.origin = from("192.0.2.7"), .token = wrong}, 429, Refusal::kTooManyTokens));
  CHECK(page.refuses({.origin = from("192.0.2.8"), .token = wrong}, 401, Refusal::kWrongToken));
}

TEST_CASE("a request from an HTTP proxy must name the client, and only the proxy may send requests") {
  Page page({"127.0.0.1"});
  for (const char* header : {"", "X-Forwarded-For: unknown\r\n", "X-Forwarded-For: rubbish\r\n",
                             "X-Forwarded-For: 192.0.2.7\r\nForwarded: for=192.0.2.8\r\n"}) {
    CAPTURE(header);
    CHECK(page.refuses({.origin = header}, 400, Refusal::kNoClient));
    CHECK(page.refuses({.body = "", .method = "GET", .path = "/", .origin = header}, 400, Refusal::kNoClient));
  }
  Page elsewhere({"10.0.0.0/8", "2001:db8::/32"});
  CHECK(elsewhere.refuses({}, 403, Refusal::kNotProxy));
  CHECK(elsewhere.refuses({.origin = "X-Forwarded-For: 192.0.2.7\r\n"}, 403, Refusal::kNotProxy));
}

TEST_CASE("a body that is not a list of commands is refused") {
  Page page;
  std::string nine = R"(["a")";
  for (std::size_t i = 0; i < OperatorPage::kMostCommands; ++i) nine += R"(,"a")";
  for (const std::string& body :
       {std::string(), std::string("list"), std::string("[]"), std::string(R"({"orders":["list"]})"),
        std::string(R"("list")"), std::string("[1]"), std::string("[null]"), std::string(R"([["list"]])"),
        std::string(R"([""])"), std::string(R"(["list\nkick 7"])"), std::string(R"(["list\u0000"])"),
        std::string(R"(["list")"), nine + "]", "[\"" + std::string(1025, 'a') + "\"]", std::string(5'000, '[')}) {
    CAPTURE(body);
    CHECK(page.refuses({.body = body}, 400, Refusal::kMalformed));
  }
  CHECK(page.refuses({.type = "Content-Type: text/plain\r\n"}, 415, Refusal::kMalformed));
  CHECK(page.refuses({.type = ""}, 415, Refusal::kMalformed));
  CHECK(page.ask({.body = "[\"" + std::string(OperatorPage::kMostBody, 'a') + "\"]"}).starts_with("HTTP/1.1 413 "));
  CHECK(page.lines.empty());
}

TEST_CASE("a request that is cut off is not run") {
  Page page;
  const std::string whole = Request{}.text();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const std::string answer = asked(page.page->address(), whole.substr(0, size), true);
    CHECK((answer.empty() || answer.starts_with("HTTP/1.1 400 ")));
  }
  CHECK(page.lines.empty());
}

TEST_CASE("the requests of all operators together have a rate limit") {
  const Page page;
  std::string last;
  for (std::uint32_t i = 0; i <= 3 * OperatorPage::kPerSecond && !last.starts_with("HTTP/1.1 429 "); ++i)
    last = page.ask({});
  CHECK(last.ends_with("too many requests"));
  CHECK(page.page->refused(Refusal::kTooMany) == 1);
}

// -- A running program ------------------------------------------------------------------------------------------------

struct Program {
  explicit Program(const std::string& more = "") {
    std::ofstream(folder.file("c.toml")) << "[operator]\nlisten = \"127.0.0.1:0\"\ntoken_file = \""
                                         << token_file(folder, kToken)
                                         << "\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n[recording]\ndirectory = \""
                                         << folder.file("") << "\"\n[[route]]\nlisten = \"panic://127.0.0.1:0\"\n"
                                         << "to = \"panic://127.0.0.1:9?dialect=be-packed\"\n"
                                         << more;
    process.emplace(std::vector<std::string>{testing::entente_binary(), "run", folder.file("c.toml")});
    REQUIRE(process->line());
    metrics = address_in(process->line(), "/metrics");
    page = address_in(process->line(), "/");
  }
  static net::Address address_in(const std::optional<std::string>& line, std::string_view end) {
    REQUIRE(line);
    REQUIRE(line->ends_with(end));
    const std::size_t from = line->find("http://") + 7;
    const auto address = net::Address::parse(std::string_view(*line).substr(from, line->size() - end.size() - from));
    REQUIRE(address.ok());
    return *address;
  }
  std::string order(const std::string& body) const { return asked(page, Request{.body = body}.text()); }

  Folder folder;
  std::optional<Process> process;
  net::Address metrics, page;
};

TEST_CASE("a program without a control socket is controlled by its page, and logs who did what") {
  Program program;
  const std::string told =
      program.order(R"(["routes","servers","recordings","ban 192.0.2.7 --why \"be nice\"","bans"])");
  CHECK(told.find(R"([[{"route":"panic be-packed 127.0.0.1:)") != std::string::npos);
  CHECK(
      told.find(R"("draining":false,"sessions":0,"waiting":0,"opened":0,"refused":0,"to_server":0,"to_client":0}])") !=
      std::string::npos);
  CHECK(told.find(R"("recording":"off")") != std::string::npos);
  CHECK(told.find(R"({"done":"banned 192.0.2.7 forever, 0 sessions ended","sessions":[]})") != std::string::npos);
  CHECK(told.find(R"("address":"192.0.2.7","until":"forever","by":"us","why":"be nice","where":null)") !=
        std::string::npos);
  CHECK(program.order(R"(["nonsense"])").find("unknown command 'nonsense'") != std::string::npos);
  CHECK(asked(program.page, Request{.host = "Host: evil.example\r\n"}.text()).starts_with("HTTP/1.1 403 "));
  const std::string numbers = asked(program.metrics, "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  CHECK(numbers.find("entente_operator_requests_total 2\n") != std::string::npos);
  CHECK(numbers.find("entente_operator_refused_total{reason=\"foreign host\"} 1\n") != std::string::npos);
  program.process->signal(SIGTERM);
  CHECK(program.process->wait() == 0);
  const std::string& log = program.process->err();
  CHECK(log.find("control: ban 192.0.2.7 --why \"be nice\" (by the operator page, from 127.0.0.1:") !=
        std::string::npos);
  CHECK(log.find("operator page: refused a request from 127.0.0.1:") != std::string::npos);
  CHECK(log.find("foreign host evil.example") != std::string::npos);
}

TEST_CASE("a refusal whose log line was held back is logged with the next request of any kind") {
  Program program;
  for (const char* host : {"first.example", "second.example"})
    CHECK(asked(program.page, Request{.host = std::string("Host: ") + host + "\r\n"}.text())
              .starts_with("HTTP/1.1 403 "));
  CHECK(program.process->err_has("foreign host first.example"));
  std::jthread visitor([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      asked(program.page, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  CHECK(program.process->err_has("foreign host second.example"));
}

TEST_CASE("a reload reads the token again; with a bad token it changes nothing") {
  Program program;
  const std::string other(32, 'x');
  const auto status = [&](const std::string& token, const std::string& body = R"(["list"])") {
    return asked(program.page, Request{.body = body, .token = "Authorization: Bearer " + token + "\r\n"}.text());
  };
  CHECK(status(other).starts_with("HTTP/1.1 401 "));
  token_file(program.folder, "short");
  const std::string refused = status(kToken, R"(["reload"])");
  CHECK(refused.find("configuration not reloaded: ") != std::string::npos);
  CHECK(refused.find(": operator.token_file: the first line of ") != std::string::npos);
  CHECK(status(kToken).starts_with("HTTP/1.1 200 "));
  token_file(program.folder, other);
  CHECK(status(kToken).starts_with("HTTP/1.1 200 "));  // until a reload
  CHECK(status(kToken, R"(["reload"])").find("changed: operator.token_file") != std::string::npos);
  CHECK(status(kToken).starts_with("HTTP/1.1 401 "));
  CHECK(status(other).starts_with("HTTP/1.1 200 "));
  CHECK(status(other, R"(["reload"])").find("changed: ") == std::string::npos);
  program.process->signal(SIGTERM);
  CHECK(program.process->wait() == 0);
}

TEST_CASE("a configuration with a page and no token is refused") {
  const Folder folder;
  const auto why =
      [&](const std::string& lines) {
        std::ofstream(folder.file("c.toml"))
            << "[[route]]\nlisten = \"panic://127.0.0.1:0\"\nto = \"panic://127.0.0.1:9\"\n[operator]\n"
            << lines;
        return run({testing::entente_binary(), "check", folder.file("c.toml")}).err;
      };
  CHECK(why("listen = \"127.0.0.1:0\"\n").find("operator.token_file: the page needs a token") != std::string::npos);
  CHECK(why("listen = \"127.0.0.1:0\"\ntoken_file = \"/x\"\nforwarded = [\"10.0.0.0/8\", \"proxy\"]\n")
            .find("operator.forwarded[1]: 'proxy' is not a network") != std::string::npos);
  CHECK(why("listen = \"somewhere\"\ntoken_file = \"/x\"\n").find("operator.listen") != std::string::npos);
}

}  // namespace
}  // namespace entente::operator_page_test
