// A recorded file as commands open it: named by a person, who may also name its game and dialect.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "proxy/program/base/command.h"
#include "proxy/program/base/progress.h"
#include "proxy/program/import/game_dialect.h"
#include "proxy/program/import/import.h"

namespace entente {

/// What commands that read any kind of file say about it in their help.
inline constexpr std::string_view kReadableFiles =
    "Recording (MCAP, .rec of bzfs, or .demo of aos_replay or ZeroSpades), packet capture (pcap) or JSON lines";

struct FileOptions {
  std::string file = {};
  std::string game = {};     ///< "": detected
  std::string dialect = {};  ///< "": detected
  std::uint16_t port = 0;    ///< port of the server in a packet capture; 0: the side that was connected to
  bool growing = false;      ///< a recording that a program may still write: it may lack its end
  std::string shown = {};    ///< its name beside a progress; "": the file's
  bool hidden = false;       ///< as ImportOptions::hidden
};

void declare_file(CLI::App& app, FileOptions& options);
/// Only --game, --dialect and --port.
void declare_reading(CLI::App& app, FileOptions& options);

/// What is wrong with the names of game and dialect.
std::optional<Error> objection(const FileOptions& asked);

class RecordedFile {
 public:
  /// Why a file is not read: an invalid command line (kUsage), or an invalid file (kFailed).
  struct OpenError {
    Exit exit;
    std::string text;
  };

  /// Opens the file and determines its game and dialect. On failure, the reason is printed to `err`, and the error
  /// is an Exit. `command`: for messages, such as "entente verify".
  /// `progress`: of opening and reading; null, or outlives the file.
  static Expected<RecordedFile, int> open(const FileOptions& options, std::string_view command, std::ostream& err,
                                          Progress* progress = nullptr);
  /// As above, for callers that print the reason themselves. Remarks are printed to `err`.
  static Expected<RecordedFile, OpenError> open(const FileOptions& options, std::ostream& err,
                                                Progress* progress = nullptr);

  /// Reads the whole file, with its game's transport taken apart. An Interruption ends it with an Error. `what`: what
  /// the progress is called, before the file's name.
  Outcome<Done> read(ImportSink& sink, const char* what = "reading") const;

  /// What the file lacks of its streams, as far as it was read: "capture.pcap: 22 bytes are missing in 2 places";
  /// empty: nothing.
  std::string lacks() const;

  /// Of Entente (MCAP). Only a recording may have no connection.
  bool is_recording() const { return format_ == ImportFormat::kMcap; }

  /// None: an unknown game.
  std::optional<GameDialect> game_dialect_of(const ImportedConnection& connection) const;

  /// The game and dialect of a connection after its client connected by ENet with `data`. A dialect that was asked for
  /// stays.
  GameDialect as_connected(const GameDialect& game_dialect, std::uint32_t data) const;

 private:
  RecordedFile(const FileOptions& options, ImportFormat format, Progress* progress)
      : options_(options), format_(format), progress_(progress) {}
  std::optional<OpenError> detect(std::ostream& err);
  Outcome<Done> read_all(ImportSink& sink) const;
  void look_closer(DetectedDialects& look, const ImportFile& reads);
  std::optional<OpenError> check_look(const DetectedDialects& look, std::ostream& err) const;
  std::optional<OpenError> take_dialect();

  FileOptions options_;
  ImportFormat format_;
  Progress* progress_;
  struct Gaps {
    std::uint64_t places = 0, bytes = 0;
  };
  mutable Gaps gaps_;                           // found by the last read()
  std::optional<GameDialect> game_dialect_;     // for connections whose game the file does not name
  std::map<std::string, GameDialect> servers_;  // by server address, as detected
};

/// The game and dialect of a connection whose client begins with `first`: a dialect named by the client overrides the
/// option, and one file may contain several.
GameDialect as_named(const GameDialect& game_dialect, Bytes first);

/// One codec for each game and dialect, created when it is first needed.
class Codecs {
 public:
  wire::Codec& of(const GameDialect& game_dialect);

 private:
  std::map<std::pair<std::string_view, std::size_t>, std::unique_ptr<wire::Codec>> codecs_;  // by game and dialect
};

}  // namespace entente
