#include "proxy/program/recordings/inspect_wanted.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "proxy/base/lower_case.h"

namespace entente {
namespace {

/// "3" or "#3", as connections are numbered; 0 = it is none.
ConnectionId number_in(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  ConnectionId number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  return wrong == std::errc{} && end == text.data() + text.size() ? number : 0;
}

/// Counts connections, up to as many as matter.
class Counter final : public ImportSink {
 public:
  explicit Counter(ConnectionId most) : most_(most) {}

  ConnectionId connections = 0;

  void opened(ConnectionId, const ImportedConnection&, WallTime) override { ++connections; }
  void bytes(const Imported&) override {}
  void stream_gap(ConnectionId, wire::Way, std::uint64_t, WallTime) override {}
  void half_closed(ConnectionId, const ImportedClose&) override {}
  void connection_over(ConnectionId) override {}
  void remark(std::string_view) override {}
  bool enough() const override { return connections >= most_; }

 private:
  ConnectionId most_;
};

/// How many connections the file has, or the largest number that is asked for, if it has more.
ConnectionId numbered(const RecordedFile& file, const InspectOptions& options) {
  ConnectionId most = 0;
  for (const std::string& one : options.connections) most = std::max(most, number_in(one));
  Counter counter(most);
  if (most > 0) (void)file.read(counter);  // what is wrong with it is said when it is read again
  return counter.connections;
}

}  // namespace

Wanted::Wanted(const RecordedFile& file, const InspectOptions& options) : options_(options) {
  // The connections of a growing file are not known yet.
  const ConnectionId connections = options.follow ? std::numeric_limits<ConnectionId>::max() : numbered(file, options);
  for (const std::string& one : options.connections) {
    const ConnectionId number = number_in(one);
    if (number != 0 && number <= connections)
      numbers_.insert(number);
    else
      parts_.push_back(one);
  }
}

bool Wanted::connection(ConnectionId id, const std::string& name) const {
  if (options_.connections.empty() || numbers_.contains(id + 1)) return true;
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

bool Wanted::word(const google::protobuf::Message& word) const {
  if (options_.messages.empty()) return true;
  const auto* kind = word.GetReflection()->GetOneofFieldDescriptor(word, word.GetDescriptor()->oneof_decl(0));
  return kind != nullptr && (named(kind->message_type()->name()) || named(kind->name()));
}

bool Wanted::named(std::string_view name) const {
  const auto& all = options_.messages;
  return all.empty() || std::any_of(all.begin(), all.end(), [&](const auto& one) { return equal_but_case(one, name); });
}

bool Wanted::time(WallTime since_start) const {
  const double seconds = static_cast<double>(since_start) / 1e9;
  return seconds >= options_.since && seconds <= options_.until;
}

}  // namespace entente
