// One pass: a Reader that continues after each damage, and a Writer.
#include "proxy/trace/recover.h"

#include <set>

#include "proxy/trace/writer.h"

namespace entente::trace {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;  // the reader has the whole file: nothing is lost by waiting

// A reader's error without the file and the byte that it begins with.
std::string bare(const std::string& text, const std::string& name) {
  const auto place = name + ": at byte ";
  if (!text.starts_with(place)) return text;
  const auto end = text.find(": ", place.size());
  return end == text.npos ? text : text.substr(end + 2);
}

class Copy {
 public:
  Copy(Source& in, Sink& out, mcap::Limits limits) : in_(in), reader_(in, limits), writer_(out) {}

  Outcome<Recovered> run(const std::function<bool()>& interrupted) {
    reader_.learn_from_summary();
    if (auto begun = writer_.begin(); !begun.ok()) return begun.error();
    for (;;) {
      if (interrupted && interrupted()) return Error{"interrupted"};
      auto message = reader_.next();
      if (message.ok() && !*message) break;
      if (message.ok()) {
        if (auto took = take(**message); !took.ok()) return took.error();
      } else if (!pass(message.error())) {
        break;
      }
    }
    return end();
  }

 private:
  // False: there is nothing more.
  bool pass(const Error& error) {
    const auto passed = reader_.pass_damage();
    const auto at = reader_.failed_at();
    const auto lost = passed.value_or(reader_.in_data() ? in_.size() - at : 0);
    ++report_.damages;
    report_.bytes_lost += lost;
    if (report_.first.size() < Recovered::kDamagesTold)
      report_.first.push_back({at, lost, bare(error.text, in_.name())});
    return passed.has_value();
  }

  Outcome<Done> take(const mcap::Message& message) {
    if (auto defined = define(*reader_.definitions().channel(message.channel)); !defined.ok()) return defined;
    writer_.message(message);
    return writer_.chunk_bytes() < kChunkBytes ? Done{} : writer_.end_chunk();
  }

  Outcome<Done> define(const mcap::Channel& channel) {
    if (!channels_.insert(channel.id).second) return Done{};
    if (const auto* schema = reader_.definitions().schema(channel.schema); schema && schemas_.insert(schema->id).second)
      if (auto defined = writer_.define(*schema); !defined.ok()) return defined;
    return writer_.define(channel);
  }

  Outcome<Recovered> end() {
    const auto& found = reader_.definitions();
    if (reader_.progress().whole == 0 && reader_.progress().messages == 0)
      return Error{in_.name() + ": nothing in it can be read as MCAP"};
    Outcome<Done> done = Done{};
    for (const auto& [id, channel] : found.channels())
      if (done.ok()) done = define(channel);
    for (const auto& metadata : found.metadata())
      if (done.ok()) done = writer_.add(metadata);
    if (done.ok() && report_.damages > 0) done = writer_.add(told());
    if (done.ok()) done = writer_.end();
    if (!done.ok()) return done.error();
    report_.messages = reader_.progress().messages;
    report_.chunks = reader_.progress().chunks;
    report_.attachments_left_out = reader_.progress().attachments;
    report_.was_whole = reader_.progress().complete;
    return report_;
  }

  // The metadata by which the new file says what it lacks.
  mcap::Metadata told() const {
    mcap::Metadata told{"entente recover", {{"bytes passed over", std::to_string(report_.bytes_lost)}}};
    for (const auto& damage : report_.first)
      told.values.emplace_back("byte " + std::to_string(damage.offset), damage.what);
    return told;
  }

  Source& in_;
  mcap::Reader reader_;
  mcap::Writer writer_;
  std::set<std::uint16_t> schemas_, channels_;
  Recovered report_;
};

}  // namespace

Outcome<Recovered> recover(Source& in, Sink& out, mcap::Limits limits, const std::function<bool()>& interrupted) {
  return Copy(in, out, limits).run(interrupted);
}

Outcome<Recovered> recover(const std::string& in, const std::string& out, const std::function<bool()>& interrupted,
                           const std::string& name) {
  auto source = FileSource::open(in, name);
  if (!source.ok()) return source.error();
  auto sink = FileSink::create(out, ".recovering");
  if (!sink.ok()) return sink.error();
  auto report = recover(**source, **sink, {}, interrupted);
  Outcome<Done> done = Done{};
  if (report.ok()) done = (*sink)->sync();
  if (report.ok() && done.ok()) done = (*sink)->finish();
  if (report.ok() && done.ok()) return report;
  (*sink)->discard();
  return report.ok() ? done.error() : report.error();
}

}  // namespace entente::trace
