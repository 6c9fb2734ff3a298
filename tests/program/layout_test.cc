// Checks the layers of the sources ("floors") by reading the files: the linker does not notice if a header includes a
// header of a higher floor, or if a file uses a name that another file's header brought in.
#include <doctest/doctest.h>
#include <regex.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/program/source_tree.h"
#include "tests/support/paths.h"
#include "tests/support/pattern.h"

namespace entente::layout_test {

namespace {

// -- The rules --------------------------------------------------------------------------------------------------------

const std::set<std::string> kTop = {
    "CMakeLists.txt", "CMakePresets.json", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE",
    "proxy",          "adapters",          "schema",    "config",       "tests",           "deploy"};

constexpr int kTests = 7;  // may include everything

// The floor of a file, by its path from the root of the tree; nullopt if it is on no floor.
std::optional<int> floor_of(const std::string& path) {
  struct Floor {
    const char* prefix;
    int floor;
  };
  // The first matching prefix counts.
  static constexpr Floor kFloors[] = {{"schema/", 0},        {"proxy/base/", 1},        {"proxy/trace/", 2},
                                      {"proxy/core/", 2},    {"proxy/rules/", 3},       {"proxy/net/", 3},
                                      {"proxy/relay/", 4},   {"proxy/fleet/", 5},       {"proxy/program/", 6},
                                      {"adapters/wire/", 2}, {"adapters/registry.", 6}, {"tests/", kTests}};
  for (const Floor& floor : kFloors)
    if (path.starts_with(floor.prefix)) return floor.floor;
  const bool in_game = path.starts_with("adapters/") && path.find('/', 9) != path.npos;
  return in_game ? std::optional(3) : std::nullopt;
}

struct Keep {
  std::string header;                // a foreign header, as a pattern …
  std::vector<std::string> only_in;  // … that only these may include
};

const std::vector<Keep>& kept() {
  static const std::vector<Keep> all{
      {"uv\\.h|enet/.*|wslay/.*|sys/socket\\.h|sys/epoll\\.h|arpa/inet\\.h|netdb\\.h|systemd/.*", {"proxy/net/"}},
      {"openssl/.*", {"proxy/net/", "adapters/wire/md5.cc"}},
      {"curl/.*", {"proxy/net/"}},
      {"nats/.*|nats\\.h", {"proxy/fleet/"}},
      {"lua5\\.4/.*", {"proxy/rules/"}},
      {"CLI/.*|toml\\+\\+/.*", {"proxy/program/"}},
      {"pcap.*", {"proxy/program/import/"}},
      {"sqlite3\\.h", {"proxy/program/numbers/"}},
      {"spdlog/.*", {"proxy/relay/", "proxy/program/"}},
      {"zstd\\.h", {"proxy/trace/"}},
  };
  return all;
}

// A POSIX expression, with glibc's extensions \b, \w and \s. std::regex takes twenty times as long for the tree.
class Pattern {
 public:
  explicit Pattern(const char* text) { REQUIRE(::regcomp(compiled_.get(), text, REG_EXTENDED) == 0); }

  /// The first match; nullopt if there is none.
  std::optional<std::string> find_in(const std::string& text) const {
    regmatch_t found;
    if (::regexec(compiled_.get(), text.c_str(), 1, &found, 0) != 0) return std::nullopt;
    return text.substr(static_cast<size_t>(found.rm_so), static_cast<size_t>(found.rm_eo - found.rm_so));
  }

 private:
  struct Free {
    void operator()(regex_t* one) const {
      ::regfree(one);
      delete one;
    }
  };
  std::unique_ptr<regex_t, Free> compiled_{new regex_t};
};

struct Name {
  Pattern name;
  std::vector<std::string> only_in;  // only these may use it
};

/// Names of system calls and libraries. A file can use them without including their header, if another header does.
std::span<const Name> kept_names() {
  static const Name all[] = {
      {Pattern(
           R"((^|[^[:alnum:]_>.])::(socket|connect|bind|listen|accept4?|send|sendto|sendmm?sg|recv|recvfrom|recvmm?sg|shutdown|)"
           R"(setsockopt|getsockopt|getsockname|getpeername|poll|eventfd|epoll_\w+|pipe2?|fcntl|ioctl)\()"),
       {"proxy/net/", "proxy/program/import/input.cc"}},  // it waits for a pipe
      {Pattern(R"(\b(uv_\w+|enet_(host|peer|packet|address|initialize|crc32|range)\w*|ENet[HPAE]\w+|wslay_\w+|SSL_\w+|)"
               R"(EVP_\w+|curl_\w+|BIO_\w+|X509_\w+|sd_\w+|boost::\w+)\s*[(*&:])"),
       {"proxy/net/", "adapters/wire/md5.cc"}},
      {Pattern(
           R"((^|[^[:alnum:]_>.])::(open|read|write|pread|pwrite|unlink|rename|l?stat|fstat|ftruncate|fsync|fdatasync)\()"),
       {"proxy/net/", "proxy/trace/file.cc", "proxy/program/settings/ban_file.cc", "proxy/program/serve/signals.cc",
        // They ask who owns a file.
        "proxy/program/settings/token.cc", "proxy/program/storage/words_cache.cc", "proxy/program/import/input.cc",
        "proxy/program/take_over/older_sockets.cc",
        // It waits for no pipe.
        "proxy/program/base/read_file.cc"}},
      {Pattern(
           R"((^|[^[:alnum:]_>.])(::)?(getaddrinfo|gethostbyname|getnameinfo|inet_pton|inet_ntop|if_nametoindex)\()"),
       {"proxy/net/"}},
      {Pattern(
           R"((^|[^[:alnum:]_>.])(::|std::)?(fopen|freopen|fdopen|tmpfile|mkstemp|mmap|opendir|mkdir|chmod|chown)\()"),
       {"proxy/net/", "proxy/trace/", "proxy/program/"}},
      {Pattern(R"((^|[^[:alnum:]_>.])(::|std::)?(signal|sigaction|sigprocmask|raise|kill|isatty|sysconf|prctl|)"
               R"([gs]etrlimit|umask|getpid|getuid)\()"),
       {"proxy/net/", "proxy/trace/file.cc", "proxy/relay/proxy_server.cc", "proxy/program/"}},
      {Pattern(R"(\b(pthread_\w+|dlopen|dlsym|usleep|nanosleep)\()"), {}},
      {Pattern(R"(\bsyscall\()"), {"proxy/net/thread_share.cc"}},
      {Pattern(R"(\bstd::j?thread\s*(\w+\s*)?[({])"), {"proxy/net/named_thread.h"}},
      {Pattern(R"(\bsleep_(for|until)\()"), {"proxy/program/"}},
      {Pattern(R"(\bstd::([io]?fstream|filesystem)\b)"),
       {"proxy/trace/", "proxy/program/", "adapters/panic/world/ground.cc"}},  // the maps of Panic are files
      {Pattern(R"(\bstd::(jthread|thread|mutex|shared_mutex|condition_variable)\b)"),
       {"proxy/net/", "proxy/relay/", "proxy/fleet/", "proxy/program/"}},
      {Pattern(R"(\bstd::chrono::\w+_clock\b|\bclock_gettime\()"), {"proxy/base/time.h", "proxy/program/"}},
      {Pattern(R"(\bstd::random_device\b|\b(rand|srand|getrandom)\()"),
       {"proxy/base/keyed_hash.h", "proxy/relay/", "proxy/fleet/bus/line.cc", "proxy/program/serve/taps.cc"}},
      {Pattern(R"(\b(fork|vfork|execv\w*|execl\w*|posix_spawnp?|popen|system|getenv|setenv)\()"),
       {"proxy/net/service_manager.cc",      // systemd tells the journal by the environment
        "adapters/panic/world/ground.cc"}},  // where people unpack games
      {Pattern(R"(\bstd::(cout|cerr|cin)\b|\b(printf|puts|fputs)\()"), {"proxy/program/"}},
      {Pattern(R"(\bZSTD_\w+)"), {"proxy/trace/"}},
      {Pattern(R"(\b(nats|js|kv)[A-Z]?\w*_[A-Z]\w+\()"), {"proxy/fleet/"}},
      {Pattern(R"(\bpcap_\w+)"), {"proxy/program/import/"}},
      {Pattern(R"(\bsqlite3_\w+)"), {"proxy/program/numbers/"}},
      {Pattern(R"(\bspdlog::|\bfmt::)"), {"proxy/relay/", "proxy/program/"}},
      {Pattern(R"(\b(CLI|toml|prometheus)::)"), {"proxy/program/"}},
  };
  return all;
}

const std::set<std::string> kMayCatch = {"proxy/program/main.cc", "proxy/program/cli.cc",
                                         "proxy/program/config/config_reader.cc", "proxy/net/named_thread.h"};

// -- The checks -------------------------------------------------------------------------------------------------------

// "" if `from` may include our header `to`.
std::string fault_of(const std::string& from, const std::string& to) {
  const auto here = floor_of(from);
  const auto there = floor_of(to);
  if (!here) return "stands on no floor";
  if (!there) return "includes " + to + ", which is on no floor (ours are included by their path from the top)";
  if (*here == kTests) return "";
  if (*there < *here || folder(from) == folder(to)) return "";
  if (from.starts_with("adapters/registry.") && *there == 3) return "";
  if (from.starts_with("proxy/program/") && to == "adapters/registry.h") return "";
  return "(floor " + std::to_string(*here) + ") includes " + to + " (floor " + std::to_string(*there) + ")";
}

void check_ours(const std::string& from, const Include& include, Findings& found) {
  const std::string fault = fault_of(from, include.name);
  if (!fault.empty()) found.push_back(from + ": " + fault);
}

bool may(const std::vector<std::string>& only_in, const std::string& path) {
  return std::any_of(only_in.begin(), only_in.end(), [&](const std::string& place) { return path.starts_with(place); });
}

void check_foreign(const std::string& from, const Include& include, Findings& found) {
  if (from.starts_with("tests/")) return;
  for (const Keep& keep : kept()) {
    if (!testing::matched(include.name, keep.header)) continue;
    if (!may(keep.only_in, from))
      found.push_back(from + ": includes <" + include.name + ">, which belongs to " + keep.only_in[0]);
  }
}

void check_names(const std::string& path, const std::string& code, Findings& found) {
  for (const Name& keep : kept_names()) {
    if (may(keep.only_in, path)) continue;
    const auto used = keep.name.find_in(code);
    if (!used) continue;
    std::string name = *used;
    std::erase_if(name, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
    found.push_back(path + ": uses " + name + ", which belongs to " +
                    (keep.only_in.empty() ? "nobody" : keep.only_in[0]));
  }
}

/// Keys that no peer chooses: they count upwards in this process, or are its own objects. (Id: of a room.)
const std::set<std::string> kOwnKeys = {"LinkId", "ConnectionId", "RequestId", "SubscriptionId", "Id", "std::size_t"};

/// Reports hash tables whose keys a peer might choose, and whose hash is not keyed (proxy/base/keyed_hash.h), and
/// tables in the order of addresses, which differs from run to run.
void check_tables(const std::string& path, const std::string& code, Findings& found) {
  for (const std::string kind :
       {"unordered_map<", "unordered_set<", "robin_map<", "robin_set<", "std::map<", "std::set<"})
    for (std::size_t at = code.find(kind); at != std::string::npos; at = code.find(kind, at + 1)) {
      const std::size_t begin = at + kind.size();
      int depth = 1;
      std::size_t end = begin, key_end = 0;
      for (; end < code.size() && depth > 0; ++end) {
        depth += code[end] == '<' || code[end] == '(' ? 1 : code[end] == '>' || code[end] == ')' ? -1 : 0;
        if (key_end == 0 && ((code[end] == ',' && depth == 1) || depth == 0)) key_end = end;
      }
      const std::string key = code.substr(begin, key_end - begin), arguments = code.substr(begin, end - begin);
      if (kind.starts_with("std::")) {
        if (key.find('*') != std::string::npos)
          found.push_back(path + ": has a " + kind + key + ">, which is in the order of addresses");
        continue;
      }
      if (kOwnKeys.contains(key) || key.ends_with('*') || arguments.find("KeyedHash") != std::string::npos ||
          arguments.find("AddressHash") != std::string::npos || arguments.find("NetworkHash") != std::string::npos)
        continue;
      found.push_back(path + ": has a " + kind + key + "> without KeyedHash");
    }
}

void check_words(const std::string& path, const std::string& text, Findings& found) {
  if (path.starts_with("tests/")) return;
  static const Pattern kFields(R"(\bvoid\s+fields\s*\()");
  static const Pattern kCatch(R"(\bcatch\s*\()");
  static const Pattern kThrow(R"(\bthrow\b)");
  const std::string code = code_of(text);
  check_names(path, code, found);
  check_tables(path, code, found);
  const bool game = floor_of(path) == 3 && path.starts_with("adapters/");
  if (game && !testing::matched(path, R"(.*/wire(_\w+)?\.cc)") && kFields.find_in(code))
    found.push_back(path + ": has fields(), which belongs to wire.cc");
  if (!kMayCatch.contains(path) && kCatch.find_in(code)) found.push_back(path + ": catches");
  if (kThrow.find_in(code)) found.push_back(path + ": throws");
}

void check_top(const fs::path& root, Findings& found) {
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    const bool built = name == "build" || name == "node_modules";  // ignored by git
    if (!built && !name.starts_with(".") && !kTop.contains(name))
      found.push_back(name + ": does not belong at the top");
  }
}

/// Reports folders with more files than a reader can survey.
void check_folders(const fs::path& root, Findings& found) {
  constexpr int kMostFiles = 40;
  for (const char* top : {"proxy", "adapters", "schema", "tests"})
    for (auto at = fs::recursive_directory_iterator(root / top); at != fs::recursive_directory_iterator(); ++at) {
      const fs::directory_entry& entry = *at;
      if (!entry.is_directory()) continue;
      const std::string name = entry.path().filename().string();
      if (name == "node_modules" || name == "__pycache__") {  // made by the tests
        at.disable_recursion_pending();
        continue;
      }
      const auto files = std::count_if(fs::directory_iterator(entry.path()), fs::directory_iterator(),
                                       [](const auto& one) { return one.is_regular_file(); });
      if (files > kMostFiles)
        found.push_back(fs::relative(entry.path(), root).generic_string() + ": has " + std::to_string(files) +
                        " files");
    }
}

/// A type or constant that a file declares outside of functions and classes; a function of a header, or in an unnamed
/// namespace.
struct Declared {
  std::string name;      // with its namespace; of a function in an unnamed namespace, with the types of its parameters
  std::string alias;     // of this type
  bool unnamed;          // in an unnamed namespace
  std::string function;  // its name, with its namespace
};

/// "text, int" of "std::string_view name, int count": texts are converted into one another.
std::string types_in(const std::string& parameters) {
  std::string types, one;
  int depth = 0;
  for (const char c : parameters + ",") {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c != ',' || depth != 0) {
      one += c;
      continue;
    }
    const auto type = testing::matched(one, R"( *(?:const )?(.*?)[ &*]+\w+(?: = .*)?)");
    const std::string plain = type ? (*type)[1] : one;
    const bool text = plain == "std::string" || plain == "std::string_view" || plain == "char";
    types += (types.empty() ? "" : ", ") + (text ? "text" : plain);
    one.clear();
  }
  return types;
}

std::vector<Declared> declared_in(const std::string& text, bool header) {
  constexpr const char* kType = R"((?:class|struct|enum class|enum) (\w+)(?:[ :].*[^;]|.*\{.*)?)";
  constexpr const char* kAlias = R"(using (\w+) = (.*);)";
  constexpr const char* kConstant = R"((?:inline |static )*const(?:expr)? .*?\b(k[A-Z]\w*)((?: =|\{|\[).*))";
  constexpr const char* kNext = R"(.*?, (k[A-Z]\w*)( = .*))";  // of a line that declares several constants
  constexpr const char* kFunction =
      R"((?!return|using|typedef)[A-Za-z][\w:<>,&* ]*[ &*](\w+)\(([^()]*)\)(?: noexcept)? \{.*)";
  constexpr const char* kOffered =
      R"((?!return|using|typedef)(?:\[\[\w+\]\] )?[A-Za-z][\w:<>,&* ]*[ &*](\w+)\((?:[^()]|\([^()]*\))*\)?.*)";
  std::vector<Declared> all;
  std::string space;
  bool unnamed = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "namespace {")
      unnamed = true;
    else if (line == "}  // namespace")
      unnamed = false;
    else if (line.starts_with("namespace ") && line.ends_with("{"))
      space = line.substr(10, line.find(" {") - 10);
    else if (const auto type = testing::matched(line, kType))
      all.push_back({space + "::" + (*type)[1], "", unnamed, ""});
    else if (auto constant = testing::matched(line, kConstant))
      for (; constant; constant = testing::matched(std::string((*constant)[2]), kNext))
        all.push_back({space + "::" + (*constant)[1], "", unnamed, ""});
    else if (const auto function = testing::matched(line, kFunction); function && unnamed)
      all.push_back({space + "::" + (*function)[1] + "(" + types_in((*function)[2]) + ")", "", true,
                     space + "::" + (*function)[1]});
    else if (const auto offered = testing::matched(line, kOffered); offered && header && !unnamed)
      all.push_back({"", "", false, space + "::" + (*offered)[1]});
    else if (const auto alias = testing::matched(line, kAlias))
      all.push_back({space + "::" + (*alias)[1], (*alias)[2], unnamed, ""});
  }
  return all;
}

/// Files of a floor are compiled as one unit: a name in an unnamed namespace must not be in another file of the floor,
/// and a function there must not hide one of a header of the floor.
class OwnNames {
 public:
  void see(const std::string& path, const std::string& text, Findings& found) {
    if (testing::matched(path, R"(adapters/(\w+/)+(wire|mapping)\.cc|tests/.*)")) return;  // CMakeLists.txt
    for (const auto& [name, alias, unnamed, function] : declared_in(text, path.ends_with(".h"))) {
      if (!function.empty()) see_function(path, function, unnamed, found);
      if (name.empty()) continue;
      const auto [at, is_new] = seen_.try_emplace({folder(path), name}, Seen{path, alias, unnamed});
      const Seen& other = at->second;
      const bool same = !alias.empty() && alias == other.alias;
      if (is_new || same || other.path == path || !(unnamed || other.unnamed)) continue;
      found.push_back(path + ": declares " + name + ", as does " + other.path);
    }
  }

 private:
  using Name = std::pair<std::string, std::string>;  // of a floor, and in it
  struct Seen {
    std::string path, alias;
    bool unnamed;
  };

  void see_function(const std::string& path, const std::string& function, bool unnamed, Findings& found) {
    const Name name{folder(path), function};
    (unnamed ? own_functions_ : offered_functions_).try_emplace(name, path);
    const auto own = own_functions_.find(name), offered = offered_functions_.find(name);
    if (own != own_functions_.end() && offered != offered_functions_.end())
      found.push_back(own->second + ": its own " + function + "() hides that of " + offered->second);
  }

  std::map<Name, Seen> seen_;
  std::map<Name, std::string> own_functions_, offered_functions_;  // in which file
};

Findings check_tree(const fs::path& root) {
  Findings found;
  OwnNames names;
  check_top(root, found);
  check_folders(root, found);
  for (const std::string& path : sources(root)) {
    const std::string text = text_of(root / path);
    names.see(path, text, found);
    for (const Include& include : includes_of(text))
      include.ours ? check_ours(path, include, found) : check_foreign(path, include, found);
    check_words(path, text, found);
  }
  return found;
}

/// The findings in the tree with this file, which is then removed.
std::string with(SourceTree& tree, const std::string& path, const std::string& text) {
  tree.keep(path, text);
  std::string findings = all(check_tree(tree.root()));
  tree.remove(path);
  return findings;
}

}  // namespace

TEST_CASE("the source tree keeps the rules") { CHECK(all(check_tree(testing::source_dir())) == ""); }

TEST_CASE("a planted fault of each kind is found") {
  SourceTree tree;
  struct Case {
    std::string path, text, finding;
  };
  for (
      const Case& c : std::vector<Case>{
          {"proxy/base/a.h", "#include \"proxy/net/address.h\"\n",
           "proxy/base/a.h: (floor 1) includes proxy/net/address.h (floor 3)\n"},
          {"proxy/trace/a.cc", "// first\n  #  include  \"adapters/wire/game.h\"\n",
           "proxy/trace/a.cc: (floor 2) includes adapters/wire/game.h (floor 2)\n"},
          {"adapters/panic/a.cc", "#include \"adapters/bzflag/bzflag.h\"\n",
           "adapters/panic/a.cc: (floor 3) includes adapters/bzflag/bzflag.h (floor 3)\n"},
          {"adapters/panic/a.cc", "#include \"proxy/net/address.h\"\n",
           "adapters/panic/a.cc: (floor 3) includes proxy/net/address.h (floor 3)\n"},
          {"proxy/relay/a.cc", "#include \"adapters/registry.h\"\n",
           "proxy/relay/a.cc: (floor 4) includes adapters/registry.h (floor 6)\n"},
          {"proxy/net/a.cc", "#include \"tests/support/hex.h\"\n",
           "proxy/net/a.cc: (floor 3) includes tests/support/hex.h (floor 7)\n"},
          {"proxy/net/a.cc", "#include \"address.h\"\n",
           "proxy/net/a.cc: includes address.h, which is on no floor (ours are included by their path from the top)\n"},
          {"proxy/a.cc", "#include \"proxy/base/time.h\"\n", "proxy/a.cc: stands on no floor\n"},
          {"proxy/relay/a.cc", "#include <uv.h>\n", "proxy/relay/a.cc: includes <uv.h>, which belongs to proxy/net/\n"},
          {"proxy/program/a.cc", "void f() { sd_notify(0, 0); }\n",
           "proxy/program/a.cc: uses sd_notify(, which belongs to proxy/net/\n"},
          {"adapters/wire/a.cc", "#include <sys/socket.h>\n",
           "adapters/wire/a.cc: includes <sys/socket.h>, which belongs to proxy/net/\n"},
          {"proxy/program/a.cc", "#include <nats/nats.h>\n",
           "proxy/program/a.cc: includes <nats/nats.h>, which belongs to proxy/fleet/\n"},
          {"proxy/program/a.cc", "void f() { natsConnection_Close(0); }\n",
           "proxy/program/a.cc: uses natsConnection_Close(, which belongs to proxy/fleet/\n"},
          {"proxy/program/recordings/verify.cc", "#include <pcap/pcap.h>\n",
           "proxy/program/recordings/verify.cc: includes <pcap/pcap.h>, which belongs to proxy/program/import/\n"},
          {"proxy/relay/a.cc", "void f(int fd) { ::send(fd, 0, 0, 0); }\n",
           "proxy/relay/a.cc: uses ::send(, which belongs to proxy/net/\n"},
          {"adapters/ogar/a.cc", "void f() { (void)enet_host_flush(0); }\n",
           "adapters/ogar/a.cc: uses enet_host_flush(, which belongs to proxy/net/\n"},
          {"proxy/core/a.cc", "auto now() { return std::chrono::steady_clock::now(); }\n",
           "proxy/core/a.cc: uses std::chrono::steady_clock, which belongs to proxy/base/time.h\n"},
          {"proxy/core/a.cc", "std::mutex lock;\n", "proxy/core/a.cc: uses std::mutex, which belongs to proxy/net/\n"},
          {"adapters/aos/a.cc", "std::ifstream map;\n",
           "adapters/aos/a.cc: uses std::ifstream, which belongs to proxy/trace/\n"},
          {"adapters/aos/a.cc", "auto* map = std::fopen(\"map\", \"r\");\n",
           "adapters/aos/a.cc: uses std::fopen(, which belongs to proxy/net/\n"},
          {"proxy/relay/a.cc", "int found = getaddrinfo(0, 0, 0, 0);\n",
           "proxy/relay/a.cc: uses getaddrinfo(, which belongs to proxy/net/\n"},
          {"proxy/core/a.cc", "void f() { ::kill(1, 9); }\n",
           "proxy/core/a.cc: uses ::kill(, which belongs to proxy/net/\n"},
          {"proxy/net/a.cc", "void f() { std::this_thread::sleep_for(1ms); }\n",
           "proxy/net/a.cc: uses sleep_for(, which belongs to proxy/program/\n"},
          {"proxy/program/a.cc", "auto home = getenv(\"HOME\");\n",
           "proxy/program/a.cc: uses getenv(, which belongs to proxy/net/service_manager.cc\n"},
          {"adapters/panic/wire/messages.h", "template <class V>\nvoid fields(V& v, Action& m);\n",
           "adapters/panic/wire/messages.h: has fields(), which belongs to wire.cc\n"},
          {"proxy/relay/a.cc", "void f() { try { g(); } catch (...) {} }\n", "proxy/relay/a.cc: catches\n"},
          {"proxy/base/a.h", "inline void f() { throw 1; }\n", "proxy/base/a.h: throws\n"},
          {"proxy/core/a.h", "std::unordered_map<std::string, std::vector<int>> names_;\n",
           "proxy/core/a.h: has a unordered_map<std::string> without KeyedHash\n"},
          {"proxy/core/a.h",
           "std::unordered_map<LinkId, int> a;\nstd::unordered_set<int, KeyedHash<int>> b;\ntsl::robin_map<int, Id> "
           "c;\n",
           "proxy/core/a.h: has a robin_map<int> without KeyedHash\n"},
          {"proxy/core/a.h", "std::map<int, int*> a;\nstd::set<std::pair<const Row*, int>> b;\n",
           "proxy/core/a.h: has a std::set<std::pair<const Row*, int>>, which is in the order of addresses\n"},
          {"cmake", "", "cmake: does not belong at the top\n"}}) {
    CAPTURE(c.path);
    CAPTURE(c.text);
    CHECK(with(tree, c.path, c.text) == c.finding);
  }
}

TEST_CASE("a folder with too many files is found") {
  SourceTree tree;
  for (int i = 0; i < 41; ++i) tree.keep("tests/real/" + std::to_string(i) + ".py");
  CHECK(with(tree, "tests/a_test.cc", "") == "tests/real: has 41 files\n");
}

TEST_CASE("a name in an unnamed namespace that another file of the floor has is found") {
  SourceTree tree;
  const std::string own =
      "namespace entente {\nnamespace {\n\nclass Sum final {\n};\nconstexpr int kMost = 1;\n\n}  // namespace\n";
  tree.keep("proxy/program/a.cc", own);
  CHECK(with(tree, "proxy/program/b/b.cc", own) ==
        "proxy/program/b/b.cc: declares entente::Sum, as does proxy/program/a.cc\n"
        "proxy/program/b/b.cc: declares entente::kMost, as does proxy/program/a.cc\n");
  CHECK(with(tree, "proxy/program/b/b.h", "namespace entente {\nstruct Sum {};\n") ==
        "proxy/program/b/b.h: declares entente::Sum, as does proxy/program/a.cc\n");
  CHECK(with(tree, "proxy/program/b/b.h", "namespace entente {\nclass Sum;\n") == "");
  CHECK(with(tree, "proxy/program/b/b.h", "namespace entente::b {\nclass Sum {};\n") == "");
  CHECK(with(tree, "proxy/relay/b.cc", own) == "");
  tree.keep("proxy/program/c.cc", "namespace entente {\nnamespace {\nusing Kind = Packet::Kind;\n");
  CHECK(with(tree, "proxy/program/d.cc", "namespace entente {\nnamespace {\nusing Kind = Packet::Kind;\n") == "");
  CHECK(with(tree, "proxy/program/d.cc", "namespace entente {\nnamespace {\nusing Kind = wire::Kind;\n") ==
        "proxy/program/d.cc: declares entente::Kind, as does proxy/program/c.cc\n");
}

TEST_CASE(
    "a function in an unnamed namespace that another file of the floor has, with parameters that convert, is found") {
  SourceTree tree;
  const std::string begin = "namespace entente {\nnamespace {\n\n";
  tree.keep("proxy/program/a.cc", begin + "std::string quoted(std::string_view text, int times) { return f(text); }\n");
  CHECK(with(tree, "proxy/program/b.cc", begin + "std::string quoted(const std::string& word, int most) {\n}\n") ==
        "proxy/program/b.cc: declares entente::quoted(text, int), as does proxy/program/a.cc\n");
  CHECK(with(tree, "proxy/program/b.cc", begin + "std::string quoted(const Word& word, int most) {\n}\n") == "");
  CHECK(with(tree, "proxy/program/b.cc", begin + "std::string quoted(std::string_view text) {\n}\n") == "");
}

TEST_CASE("a function in an unnamed namespace that hides one of a header of the floor is found") {
  SourceTree tree;
  tree.keep("proxy/program/a.cc", "namespace entente {\nnamespace {\n\nPlace place_of(const Word& word) {\n}\n");
  CHECK(with(tree, "proxy/program/b/b.h", "namespace entente {\nPlace place_of(const Text& text,\n") ==
        "proxy/program/a.cc: its own entente::place_of() hides that of proxy/program/b/b.h\n");
  CHECK(with(tree, "proxy/program/b/b.h", "namespace entente::b {\nPlace place_of(const Text& text);\n") == "");
  CHECK(with(tree, "proxy/relay/b.h", "namespace entente {\nPlace place_of(const Text& text);\n") == "");
  CHECK(with(tree, "proxy/program/b/b.h", "namespace entente {\nstruct Text {\n  Place place_of() const;\n") == "");
}

TEST_CASE("correct files have no findings") {
  SourceTree tree;
  CHECK(with(tree, "proxy/net/a.cc",
             "#include \"proxy/net/address.h\"\n#include <uv.h>\n#include \"adapters/wire/game.h\"\n"
             "// nobody may catch (this) or throw that\nconst char* s = \"throw catch (\";\n") == "");
  CHECK(with(tree, "proxy/core/a.cc", "void f(Word& word) { if (word.kill()) word.open(), it->send(); }\n") == "");
  CHECK(with(tree, "adapters/registry.cc", "#include \"adapters/panic/panic.h\"\n") == "");
  CHECK(with(tree, "adapters/panic/wire/wire.cc", "template <class V> void fields(V& v, Action& m) {}\n") == "");
  CHECK(with(tree, "adapters/bzflag/world/wire_world.cc", "template <class V> void fields(V& v, Wall& m) {}\n") == "");
  CHECK(with(tree, "tests/net/a_test.cc", "#include \"proxy/net/address.h\"\n#include <uv.h>\n") == "");
}

}  // namespace entente::layout_test
