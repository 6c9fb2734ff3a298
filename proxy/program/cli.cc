// Invariant: a command is one line in the table below; no other code here names a command.
#include "proxy/program/cli.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/program/base/command.h"
#include "proxy/program/base/misuse.h"
#include "proxy/program/clips/clip.h"
#include "proxy/program/clips/join.h"
#include "proxy/program/config/check.h"
#include "proxy/program/control/ctl.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/explain.h"
#include "proxy/program/fleet/archive.h"
#include "proxy/program/games.h"
#include "proxy/program/help.h"
#include "proxy/program/log/library_log.h"
#include "proxy/program/rules/judge.h"
#include "proxy/program/rules/rules.h"
#include "proxy/program/numbers/export.h"
#include "proxy/program/numbers/stats.h"
#include "proxy/program/recordings/inspect.h"
#include "proxy/program/recordings/recordings.h"
#include "proxy/program/recordings/recover.h"
#include "proxy/program/recordings/verify.h"
#include "proxy/program/redact/redact.h"
#include "proxy/program/reproduce/reproduce.h"
#include "proxy/program/serve/arena.h"
#include "proxy/program/serve/bot.h"
#include "proxy/program/serve/proxy.h"
#include "proxy/program/serve/record.h"
#include "proxy/program/serve/replay.h"
#include "proxy/program/serve/run.h"

namespace entente {
namespace {

constexpr const char* kAbout =
    "Entente is a proxy for multiplayer games: it relays, bridges, records and replays them.";

constexpr const char* kFooter =
    "`entente help COMMAND` prints the options of a command, with an example.\n"
    "For example, a relay in front of a server:\n"
    "  entente proxy --listen bzflag://0.0.0.0:5154 --to bzflag://192.0.2.7\n"
    "Commands fail rather than overwrite an existing file.\n"
    "Exit codes: 0 success, 1 failure, 2 invalid command line.\n\n"
    "Terms:\n"
    "  dialect   one version of a game's protocol; `entente games` lists them\n"
    "  relay     passes bytes untouched between clients and servers of one game and dialect\n"
    "  bridge    lets clients of one game play on servers of another game, or of another version of the same game\n"
    "  session   one client's stay, from connecting to disconnecting\n"
    "  link      one conversation in a game's protocol. A session of a relay has one link: from client to server. A\n"
    "            session of a bridge has two: from client to Entente, and from Entente to the server. The number of a\n"
    "            session is the number of its first link\n"
    "  frame     one message of a game, as it was sent. Entente records passwords in it as *\n"
    "  word      one message of Entente's own vocabulary, the same for all games\n"
    "  room      keeps a copy of the game's world, and passes words on. Each player of a bridge has one; all\n"
    "            players of an arena share one\n"
    "  fleet     machines (nodes) that work as one Entente, connected by NATS\n"
    "  TIME      75 or 75.5 (seconds), 1:15 (minutes and seconds), 1:02:05 (hours, too), or 90s, 10m, 2h, 7d";

class Running {
 public:
  virtual ~Running() = default;
  virtual int run() = 0;
};

// Holds the options of one command from when they are read until it runs.
template <auto Declare, class Options>
class Plugged final : public Running {
 public:
  Plugged(CLI::App& app, int (*to_run)(const Options&)) : run_(to_run) { Declare(app, options_); }
  int run() override { return run_(options_); }

 private:
  Options options_;
  int (*run_)(const Options&);
};

template <auto Declare, class Options>
std::unique_ptr<Running> plugged(CLI::App& app, int (*run)(const Options&)) {
  return std::make_unique<Plugged<Declare, Options>>(app, run);
}

template <auto Declare, auto Run>
std::unique_ptr<Running> plug(CLI::App& app) {
  return plugged<Declare>(app, Run);
}

struct Command {
  const char* name;
  const char* about;
  const char* example;
  std::unique_ptr<Running> (*plug)(CLI::App&);
};

constexpr Command kCommands[] = {
    {"proxy", "Put a proxy in front of one or more servers, for clients of the same or another game",
     "entente proxy --listen bzflag://0.0.0.0:5154 --to bzflag://127.0.0.1:5155 --record evening.mcap",
     plug<declare_proxy, run_proxy>},
    {"run", "Run the proxies (routes) and arenas in a configuration file", "entente run config/relay-bzflag.toml",
     plug<declare_run, run_run>},
    {"arena", "Host a match for players of all games, without a game server",
     "entente arena --listen 'bzflag://0.0.0.0:5154?dialect=2.4' --listen ogar+ws://0.0.0.0:8443 --listen "
     "'aos://0.0.0.0:32887?dialect=0.75' --bots 6",
     plug<declare_arena, run_arena>},
    {"bot", "Run bots on a server",
     "entente bot 'bzflag://127.0.0.1:5154?dialect=2.4' --count 4 --behaviour hunt --seconds 60",
     plug<declare_bot, run_bot>},
    {"replay", "Replay a recorded session to clients of any game, or its player to a server",
     "entente replay evening.mcap --listen 'bzflag://0.0.0.0:5154?dialect=2.4' --at 1:30 --speed 2",
     plug<declare_replay, run_replay>},
    {"record", "Join a server as a spectator and record the session",
     "entente record --from 'bzflag://127.0.0.1:5154?dialect=2.4' evening.mcap --seconds 60",
     plug<declare_record, run_record>},
    {"ctl", "Control a running program: list and kick players, ban their addresses, reload, seek",
     "entente ctl --socket /run/user/1000/entente.sock kick 3 no cheating", plug<declare_ctl, run_ctl>},
    {"check", "Check a configuration file, or print an example", "entente check config/example.toml",
     plug<declare_check, run_check>},
    {"games", "List the games with their dialects, ports and settings", "entente games",
     plug<declare_games, run_games>},
    {"explain", "Explain what works, and what is lost, when a client of one game plays on a server of another",
     "entente explain panic bzflag", plug<declare_explain, run_explain>},
    {"recordings", "List the recordings in a folder: date, length, servers, players, kills",
     "entente recordings /var/lib/entente", plug<declare_recordings, run_recordings>},
    {"archive", "Copy the recordings of a fleet from NATS into files", "entente archive node.toml --to /srv/recordings",
     plug<declare_archive, run_archive>},
    {"inspect", "Print the messages of a recorded file, one per line",
     "entente inspect evening.mcap --connection 1 --message MsgMessage", plug<declare_inspect, run_inspect>},
    {"verify", "Decode each message of a file, encode it again, and check that the bytes are the same",
     "entente verify session.pcap --game bzflag --dialect 2.4 --port 5154", plug<declare_verify, run_verify>},
    {"reproduce", "Run a recorded bridge again with the same input, and compare what it sends with the recording",
     "entente reproduce evening.mcap", plug<declare_reproduce, run_reproduce>},
    {"convert", "Convert a recorded file to .mcap, to a .rec for bzfs, or to a .demo for aos_replay and ZeroSpades",
     "entente convert session.pcap -o session.rec", plug<declare_convert, run_convert>},
    {"clip", "Copy a part of a recording into a new recording",
     "entente clip evening.mcap --from 1:00 --to 2:10 -o clip.mcap", plug<declare_clip, run_clip>},
    {"join", "Join several recordings, such as the files of a rotation, into one",
     "entente join evening.mcap evening-2.mcap -o whole.mcap", plug<declare_join, run_join>},
    {"redact", "Write a copy of a recording without names, addresses, chat and passwords",
     "entente redact evening.mcap --last 120 -o report.mcap", plug<declare_redact, run_redact>},
    {"stats", "Count what happened in a recording: score board, who killed whom, heat maps",
     "entente stats evening.mcap --html evening.html", plug<declare_stats, run_stats>},
    {"export", "Write what happened in a recording as tables: CSV, JSON lines or SQLite",
     "entente export evening.mcap --sqlite evening.db --every 0.5", plug<declare_export, run_export>},
    {"rules", "Check files with rules in Lua, or print their reference", "entente rules config/rules/chat_filter.lua",
     plug<declare_rules, run_rules>},
    {"judge", "Run rules over recordings, and print what they report about players",
     "entente judge config/rules/aim_check.lua evening.mcap", plug<declare_judge, run_judge>},
    {"recover", "Write a repaired copy of a recording that was cut off or damaged", "entente recover evening.mcap.part",
     plug<declare_recover, run_recover>},
    {"help", "List the commands, or the options of one command", "entente help proxy", plug<declare_help, run_help>},
};

std::string footer(const Command& command) { return std::string("Example:\n  ") + command.example; }

struct Plugs {
  std::vector<CLI::App*> apps;
  std::vector<std::unique_ptr<Running>> running;  // null: its options are not declared
};

/// The command in the first argument; "" if the options of all commands are needed. Declaring all options takes longer
/// than most commands run.
std::string_view only_command(int argc, const char* const* argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  const auto is_first = [first](const Command& command) { return first == command.name; };
  return first != "help" && std::ranges::any_of(kCommands, is_first) ? first : std::string_view();
}

/// `only`: declares the options of this command alone; empty: of all.
Plugs plug_all(CLI::App& app, std::string_view only) {
  Plugs plugs;
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(command.name, command.about);
    plugs.apps.push_back(sub);
    plugs.running.push_back(nullptr);
    if (!only.empty() && only != command.name) continue;
    sub->footer(footer(command));
    plugs.running.back() = command.plug(*sub);
    for (CLI::Option* option : sub->get_options())
      if (option->get_positional()) option->type_name("");  // its name says enough
  }
  return plugs;
}

/// The command's exit code; kFailed if it succeeded but its output could not be written.
int told(int code) {
  std::cout.flush();
  if (std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  const int lost = report_failure({"cannot write to standard output"});
  return code == kOk ? lost : code;
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
  redirect_library_logs();
  CLI::App app{kAbout, "entente"};
  app.set_version_flag("--version", std::string("entente ") + ENTENTE_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  const Plugs plugs = plug_all(app, only_command(argc, argv));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return told(app.exit(error));  // --help, --version
    return usage_error(app, error);
  }
  for (std::size_t i = 0; i < plugs.apps.size(); ++i)
    if (plugs.running[i] != nullptr && plugs.apps[i]->parsed()) return told(plugs.running[i]->run());
  return kUsage;
}

}  // namespace entente
