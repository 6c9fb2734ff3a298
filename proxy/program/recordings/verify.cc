#include "proxy/program/recordings/verify.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <map>

#include "adapters/wire/print.h"
#include "proxy/core/word.h"
#include "proxy/program/base/interruption.h"
#include "proxy/program/base/screen_text.h"
#include "proxy/program/recordings/verify_link.h"

namespace entente {
namespace {

constexpr const char* kMeaning =
    "The last line is the result. `frames` is the number of messages. Each message is also counted in exactly one of\n"
    "these numbers:\n"
    "  exact       decoding and encoding it again gives the same bytes\n"
    "  opaque      the same, but some of the bytes were only copied, because their meaning is unknown\n"
    "  refused     a client's message does not decode, and the server rejected it, too: the server closed\n"
    "              the connection within 4 s, or is known to ignore such messages\n"
    "  undecoded   the message does not decode, or a part of it was not captured. A connection of an unknown game\n"
    "              counts as one such message\n"
    "  mismatched  decoding and encoding it again gives different bytes\n"
    "Words of an unknown kind are added to `undecoded`, but not to `frames`. A message that the end of the file cuts\n"
    "off is reported, but not counted. The first message with each kind of problem is explained on standard error.\n"
    "The exit code is 1 if any message is opaque, undecoded or mismatched, if the file is damaged, or if a packet\n"
    "capture has no connection.\n";

class Verifier final : public ImportSink {
 public:
  Verifier(const RecordedFile& file, bool connections, std::ostream& out, std::ostream& err)
      : file_(file), connections_(connections), out_(out), err_(err), context_{ProblemReporter(err), {}, {}} {}

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override {
    if (!context_.start) context_.start = time;
    const auto game_dialect = file_.game_dialect_of(connection);
    if (game_dialect) {
      VerifiedLink& link = *(links_[id] = std::make_unique<VerifiedLink>(connection.name, *game_dialect, context_));
      for (const auto way : {wire::Way::kToServer, wire::Way::kToClient})
        if (connection.sent(way)) link.missing(way);
    } else {
      ++total_.frames;
      ++total_.undecoded;
      remark(connection.name + ": the game '" + connection.game + "' is not supported");
    }
  }
  void bytes(const Imported& piece) override {
    if (auto* link = find(piece.connection)) link->bytes(piece);
  }
  void connected(ConnectionId id, std::uint32_t data, WallTime) override {
    if (auto* link = find(id)) link->connected(file_.as_connected(link->game_dialect(), data));
  }
  void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime) override {
    if (auto* link = find(id)) link->lost(way, bytes);
  }
  void message_gap(ConnectionId id, wire::Way way, std::uint64_t messages, std::uint64_t bytes, WallTime) override {
    remark("connection " + std::to_string(id + 1) + ": " + std::to_string(messages) + " messages " + wire::text(way) +
           " of " + std::to_string(bytes) + " bytes are not recorded");
    if (auto* link = find(id)) link->missing(way);
  }
  void word(ConnectionId id, const words::Intent* intent, const words::Fact* fact, WallTime) override {
    Buffer bytes;  // as core reads it: a word whose kind is not set, or not known, is none
    const google::protobuf::MessageLite* word = intent;
    if (intent == nullptr) word = fact;
    bytes.resize(word->ByteSizeLong());
    word->SerializeWithCachedSizesToArray(bytes.data());
    const bool known = intent != nullptr ? core::read_intent(bytes).ok() : core::read_fact(bytes).ok();
    ++words_;
    if (known) return;
    ++total_.undecoded;
    remark("connection " + std::to_string(id + 1) + ": a word of unknown kind");
  }
  void half_closed(ConnectionId id, const ImportedClose& end) override {
    if (auto* link = find(id)) link->ended(end);
  }
  void connection_over(ConnectionId id) override {
    auto* link = find(id);
    if (link == nullptr) return;
    total_ += link->finish();
    if (connections_ || !link->flawless()) out_ << link->line() << '\n';
    links_.erase(id);
  }
  void remark(std::string_view text) override {
    std::string line;
    wire::escape(text, line);
    err_ << line << '\n';
  }

  const Tally& finish() {
    context_.reporter.finish();
    if (words_ != 0) out_ << words_ << " words\n";
    out_ << text(total_) << '\n';
    return total_;
  }

 private:
  VerifiedLink* find(ConnectionId id) {
    const auto at = links_.find(id);
    return at == links_.end() ? nullptr : at->second.get();
  }

  const RecordedFile& file_;
  const bool connections_;
  std::ostream& out_;
  std::ostream& err_;
  VerifyContext context_;
  std::map<ConnectionId, std::unique_ptr<VerifiedLink>> links_;
  std::uint64_t words_ = 0;
  Tally total_;
};

}  // namespace

void declare_verify(CLI::App& app, VerifyOptions& options) {
  declare_file(app, options.input);
  app.add_flag("--connections", options.connections,
               "Print a line for each connection (default: only for those with a problem)");
  app.footer([] { return std::string(kMeaning); });
}

int run_verify(const VerifyOptions& options) {
  const Interruption interruption;
  Progress progress(progress_terminal());
  return verify(options, std::cout, std::cerr, &progress);
}

int verify(const VerifyOptions& options, std::ostream& out, std::ostream& err, Progress* progress) {
  FileOptions input = options.input;
  input.hidden = true;
  const auto file = RecordedFile::open(input, "entente verify", err, progress);
  if (!file) return file.error();
  Verifier verifier(*file, options.connections, out, err);
  const auto read = file->read(verifier);
  if (!read) err << "entente verify: " << screen_text(read.error().text) << '\n';
  const Tally& total = verifier.finish();
  return read && total.good() ? kOk : kFailed;
}

}  // namespace entente
