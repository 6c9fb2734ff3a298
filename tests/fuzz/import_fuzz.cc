// Captures, .demo files and JSON lines with arbitrary contents, as input of `verify`: the first byte chooses the
// format, the game and whether the port is known. Invariant: a file is imported, or refused with a sentence. Each
// connection that opens is closed, no event names a connection that is not open, and every message is counted once.
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

#include "adapters/registry.h"
#include "proxy/program/import/demo.h"
#include "proxy/program/import/enet.h"
#include "proxy/program/import/json.h"
#include "proxy/program/import/mcap.h"
#include "proxy/program/import/pcap.h"
#include "proxy/program/recordings/verify_link.h"
#include "tests/fuzz/target.h"
#include "tests/support/memory_file.h"

namespace entente::import_fuzz {
namespace {

constexpr std::uint16_t kPort = 33001;  // of the seeds that need one

void require(bool law) {
  if (!law) std::abort();
}

/// Verifies all of the file, and checks the importer's events.
class Judge final : public ImportSink {
 public:
  explicit Judge(const wire::Game& game) : game_dialect_{&game, 0}, context_{ProblemReporter(ignored_), 0, {}} {}
  ~Judge() override { require(links_.empty()); }

  void opened(ConnectionId id, const ImportedConnection& connection, WallTime) override {
    require(id == opened_++);
    links_[id] = std::make_unique<VerifiedLink>(connection.name, game_dialect_, context_);
  }
  void bytes(const Imported& piece) override { link(piece.connection).bytes(piece); }
  void stream_gap(ConnectionId id, wire::Way way, std::uint64_t bytes, WallTime) override { link(id).lost(way, bytes); }
  void half_closed(ConnectionId id, const ImportedClose& end) override { link(id).ended(end); }
  void connection_over(ConnectionId id) override {
    const Tally& tally = link(id).finish();
    require(tally.frames == tally.exact + tally.opaque + tally.refused + tally.undecoded + tally.mismatched);
    require(tally.mismatched == 0);
    require(link(id).line().find('\n') == std::string::npos);
    links_.erase(id);
  }
  void remark(std::string_view text) override { require(!text.empty()); }

 private:
  VerifiedLink& link(ConnectionId id) {
    const auto at = links_.find(id);
    require(at != links_.end());
    return *at->second;
  }

  GameDialect game_dialect_;
  std::ostringstream ignored_;
  VerifyContext context_;
  ConnectionId opened_ = 0;
  std::map<ConnectionId, std::unique_ptr<VerifiedLink>> links_;
};

Outcome<Done> import(unsigned format, bool port, Bytes file, ImportSink& sink) {
  switch (format) {
    case 0: {
      std::FILE* in = fmemopen(const_cast<std::uint8_t*>(file.data()), file.size(), "rb");
      return import_pcap(in, "x", {static_cast<std::uint16_t>(port ? kPort : 0), 0}, sink);
    }
    case 1: {
      testing::MemorySource source(file);
      trace::Recording recording(source, {1U << 20U, 1U << 20U, 1U << 20U});
      return import_mcap(recording, sink);
    }
    case 3: {
      std::istringstream in{std::string(as_text(file))};
      return import_demo(in, "x", sink);
    }
    default: {
      const auto text = as_text(file);
      const std::size_t nul = text.find('\0');  // ends the meta file, if there is one
      const bool meta = nul != std::string_view::npos;
      std::istringstream lines{std::string(text.substr(meta ? nul + 1 : 0))};
      return import_json(lines, text.substr(0, meta ? nul : 0), "x", sink);
    }
  }
}

}  // namespace

ENTENTE_FUZZ_TARGET(import) {
  if (size < 2) return 0;
  const unsigned choice = data[0];
  const wire::Game& game = *games()[choice / 8 % games().size()];
  Judge judge(game);
  EnetImport packets(judge);
  ImportSink& sink = game.transport() == wire::Transport::kEnet ? static_cast<ImportSink&>(packets) : judge;
  const auto done = import(choice % 4, (choice & 4U) != 0, {data + 1, size - 1}, sink);
  require(done.ok() || !done.error().text.empty());
  return 0;
}

}  // namespace entente::import_fuzz
