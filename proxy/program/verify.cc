#include "proxy/program/verify.h"

#include <iostream>
#include <map>

#include "adapters/wire/print.h"
#include "proxy/program/verify_link.h"

namespace entente {
namespace {

class Verifier final : public ImportSink {
 public:
  Verifier(const AskedSpeech& asked, const FileSpeech& file, std::ostream& out, std::ostream& err)
      : asked_(asked), file_(file), out_(out), err_(err), bench_{Explainer(err), {}, {}} {}

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override {
    if (!bench_.start) bench_.start = time;
    ++connections_;
    const auto speech = speech_of(connection, asked_, file_);
    if (speech) {
      links_[id] = std::make_unique<VerifiedLink>(connection.name, *speech, bench_);
    } else {
      ++total_.frames;
      ++total_.undecoded;
      remark(connection.name + ": the game '" + connection.game + "' is not one that this program speaks");
    }
  }
  void bytes(const Imported& piece) override {
    if (auto* link = find(piece.connection)) link->bytes(piece);
  }
  void lost(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime) override {
    if (auto* link = find(id)) link->lost(way, bytes);
  }
  void ended(ConnectionId id, const ImportedEnd& end) override {
    if (auto* link = find(id)) link->ended(end);
  }
  void gone(ConnectionId id) override {
    auto* link = find(id);
    if (link == nullptr) return;
    total_ += link->finish();
    out_ << link->line() << '\n';
    links_.erase(id);
  }
  void remark(std::string_view text) override {
    std::string line;
    wire::escape(text, line);
    err_ << line << '\n';
  }

  std::uint64_t connections() const { return connections_; }
  const Tally& finish() {
    bench_.explainer.finish();
    out_ << text(total_) << '\n';
    return total_;
  }

 private:
  VerifiedLink* find(ConnectionId id) {
    const auto at = links_.find(id);
    return at == links_.end() ? nullptr : at->second.get();
  }

  const AskedSpeech& asked_;
  const FileSpeech& file_;
  std::ostream& out_;
  std::ostream& err_;
  Bench bench_;
  std::map<ConnectionId, std::unique_ptr<VerifiedLink>> links_;
  std::uint64_t connections_ = 0;
  Tally total_;
};

}  // namespace

void declare_verify(CLI::App& app, VerifyOptions& options) {
  app.add_option("FILE", options.file, "A recording (MCAP), a packet capture (pcap) or JSON lines")->required();
  app.add_option("--game", options.game, "Its game; default: what the file says or shows");
  app.add_option("--dialect", options.dialect, "Its dialect; default likewise");
  app.add_option("--port", options.port, "The server's port in a packet capture; default: where clients connected to");
}

int run_verify(const VerifyOptions& options) { return verify(options, std::cout, std::cerr); }

int verify(const VerifyOptions& options, std::ostream& out, std::ostream& err) {
  const AskedSpeech asked{options.game, options.dialect};
  if (const auto right = check(asked); !right) {
    err << right.error().text << '\n';
    return kUsage;
  }
  const auto file = find_speech(options.file, options.port, asked);
  if (!file) {
    err << file.error().text << '\n';
    return kFailed;
  }
  if (!file->speech && !file->says_games) {
    err << options.file << ": nothing in it shows which game it is; say --game and --dialect\n";
    return kUsage;
  }
  if (file->guessed_dialect)
    err << options.file << ": nothing in it shows the dialect; read as " << file->speech->game->dialects()[0].name
        << " (--dialect says otherwise)\n";
  Verifier verifier(asked, *file, out, err);
  const auto read = import_messages(options.file, options.port, *file, verifier);
  if (!read) err << read.error().text << '\n';
  if (read && verifier.connections() == 0 && !file->says_games) {
    err << options.file << ": no connection in it" << (options.port == 0 ? "" : " has that port") << '\n';
    return kFailed;
  }
  const Tally& total = verifier.finish();
  return read && total.good() ? kOk : kFailed;
}

}  // namespace entente
