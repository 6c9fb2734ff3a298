// A recorded file as the commands take it: named by a person, who may say what it is in, or leave that to the file.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "proxy/program/command.h"
#include "proxy/program/import/import.h"
#include "proxy/program/import/speech.h"

namespace entente {

struct FileOptions {
  std::string file = {};
  std::string game = {};     ///< "" = what the file says or shows
  std::string dialect = {};  ///< likewise
  std::uint16_t port = 0;    ///< of the server, in a packet capture; 0 = whoever was connected to
};

void declare_file(CLI::App& app, FileOptions& options);

class RecordedFile {
 public:
  /// Settles what it is in. Where that fails, a person was told why on `err`, and the error is an Exit.
  /// `command`: who asks, as "entente verify".
  static Expected<RecordedFile, int> open(const FileOptions& options, std::string_view command, std::ostream& err);

  /// All of it, from its beginning, with the transport of its game taken apart.
  Outcome<Done> read(ImportSink& sink) const;

  /// None: it is of a game that this program does not speak.
  std::optional<Speech> speech_of(const ImportedConnection& connection) const;

  /// What a connection of this speech speaks after its client connected by ENet with `data`. A dialect that was asked
  /// for stays.
  Speech as_connected(const Speech& speech, std::uint32_t data) const;

 private:
  /// Why it is not read: the command line is not understood (kUsage), or the file is not what it should be (kFailed).
  struct Refusal {
    Exit exit;
    std::string why;
  };

  RecordedFile(const FileOptions& options, ImportFormat format) : options_(options), format_(format) {}
  std::optional<Refusal> settle(std::ostream& err);
  void look_closer(FirstLook& look, const ImportFile& reads);
  std::optional<Refusal> check_look(const FirstLook& look, std::ostream& err) const;
  std::optional<Refusal> take_dialect();
  /// Whether it may well have no connection: it is a recording, not a capture of which somebody expected some.
  bool may_be_empty() const { return format_ == ImportFormat::kMcap; }

  FileOptions options_;
  ImportFormat format_;
  std::optional<Speech> speech_;           // of connections of which the file itself says none
  std::map<std::string, Speech> servers_;  // of whose connections it shows some
};

/// What a connection speaks whose client begins with `first`: a client that names its dialect knows better than whoever
/// started us, and one file may hold several.
Speech as_named(const Speech& speech, Bytes first);

/// One codec for each speech, made when it is first wanted.
class Codecs {
 public:
  wire::Codec& of(const Speech& speech);

 private:
  std::map<std::pair<const wire::Game*, std::size_t>, std::unique_ptr<wire::Codec>> codecs_;
};

}  // namespace entente
