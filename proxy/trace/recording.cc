// A message is identified by the name of its schema, because topics and ids are the writer's choice.
#include "proxy/trace/recording.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "proxy/trace/recorder.h"

namespace entente::trace {
namespace {

// How many parts the messages of a file may have, for its bytes so far. A part (a text, or a message in a message)
// takes about 100 bytes of memory, and in a chunk that was made to stop readers less than a bit of the file. Real
// messages have a part for ten bytes or so.
constexpr std::uint64_t kPartsAtOnce = 500'000, kPartsPerByte = 4;
constexpr int kDeepest = 100;  // as far as protobuf parses

/// Counts the parts of a message that is not parsed yet. False: there are more than `left`.
bool count_parts(const google::protobuf::Descriptor& type, google::protobuf::io::CodedInputStream& in, int depth,
                 std::uint64_t& left) {
  using google::protobuf::internal::WireFormatLite;
  while (const std::uint32_t tag = in.ReadTag()) {
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&in, tag)) return true;
      continue;
    }
    std::uint32_t size = 0;
    if (left == 0) return false;
    --left;
    if (!in.ReadVarint32(&size) || size > static_cast<std::uint32_t>(std::numeric_limits<int>::max())) return true;
    const auto* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    if (field == nullptr || field->message_type() == nullptr || depth == kDeepest) {
      if (!in.Skip(static_cast<int>(size))) return true;
      continue;
    }
    const auto outer = in.PushLimit(static_cast<int>(size));
    // What is counted after a malformed part does not matter: such a message cannot be parsed.
    if (!count_parts(*field->message_type(), in, depth + 1, left)) return false;
    in.PopLimit(outer);
  }
  return true;
}

std::uint32_t link_of(const mcap::Channel& channel) {
  std::uint32_t link = 0;
  for (const auto& [key, value] : channel.metadata)
    if (key == "link") std::from_chars(value.data(), value.data() + value.size(), link);
  return link;
}

bool is(const mcap::Schema& schema, const google::protobuf::Descriptor* type) {
  return schema.name == type->full_name();
}

}  // namespace

/// False: it is no such message, or the file's messages have too many parts.
bool Recording::fill(google::protobuf::Message& message, Bytes data) {
  const std::uint64_t most = kPartsAtOnce + kPartsPerByte * reader_.position().record;
  std::uint64_t left = most - std::min(most, parts_);
  const std::uint64_t had = left;
  google::protobuf::io::CodedInputStream in(data.data(), static_cast<int>(data.size()));
  if (!count_parts(*message.GetDescriptor(), in, 0, left)) return false;
  parts_ += had - left;
  return message.ParseFromArray(data.data(), static_cast<int>(data.size()));
}

Outcome<std::unique_ptr<Recording>> Recording::open(const std::string& path, mcap::Limits limits,
                                                    const std::string& name) {
  auto file = FileSource::open(path, name);
  if (!file.ok()) return file.error();
  return std::unique_ptr<Recording>(new Recording(std::move(*file), limits));
}

bool Recording::parse(const mcap::Message& message, bool& ours) {
  event_ = Event{.time = message.log_time};
  const mcap::Channel& channel = *reader_.definitions().channel(message.channel);
  const auto* schema = reader_.definitions().schema(channel.schema);
  ours = true;
  if (schema && is(*schema, Frame::descriptor())) {
    event_.frame = &frame_;
    return fill(frame_, message.data);
  }
  if (schema && is(*schema, Note::descriptor())) {
    event_.note = &note_;
    return fill(note_, message.data);
  }
  if (schema && is(*schema, LinkEvent::descriptor())) {
    if (!fill(link_, message.data)) return false;
    if (link_.has_opened()) event_.opened = &link_.opened();
    if (link_.has_closed()) event_.closed = &link_.closed();
    ours = event_.opened || event_.closed;
    return true;
  }
  if (schema && is(*schema, Snapshot::descriptor())) {
    event_.world = &world_;
    return fill(world_, message.data);
  }
  if (schema && is(*schema, Geometry::descriptor())) {
    event_.geometry = &geometry_;
    return fill(geometry_, message.data);
  }
  if (schema && with_calls_ && is(*schema, Calls::descriptor())) {
    event_.calls = &calls_;
    return fill(calls_, message.data);
  }
  for (const bool fact : {false, true})
    if (schema && is(*schema, fact ? words::Fact::descriptor() : words::Intent::descriptor()))
      return parse_word(message, channel, fact);
  return !(ours = false);
}

/// In older recordings, words do not have their link: each link has channels of its own. Looked up once, because a
/// hostile file may give a channel as much metadata as it likes.
std::uint32_t Recording::link_by(const mcap::Channel& channel) {
  const auto [known, is_new] = channel_links_.try_emplace(channel.id, 0);
  if (is_new) known->second = link_of(channel);
  return known->second;
}

bool Recording::parse_word(const mcap::Message& message, const mcap::Channel& channel, bool fact) {
  if (!(fact ? fill(fact_, message.data) : fill(intent_, message.data))) return false;
  WordEvent word;
  word.link = fact ? fact_.link() : intent_.link();
  if (word.link == 0) word.link = link_by(channel);
  fact_.clear_link(), intent_.clear_link();
  fact ? void(word.fact = &fact_) : void(word.intent = &intent_);
  event_.word = word;
  return true;
}

/// REQUIRES: the end was reached.
bool Recording::is_foreign() const {
  const auto& metadata = reader_.definitions().metadata();
  return !has_events_ && reader_.header().library != "entente" &&
         std::none_of(metadata.begin(), metadata.end(), [](const auto& one) { return one.name == kAboutFile; });
}

bool Recording::recover_helps() {
  if (!reader_.failed()) return false;  // the file is whole; recover() would copy it as it is
  if (reader_.progress().messages > 0) return true;
  while (reader_.pass_damage())
    if (const auto message = reader_.next(); message.ok()) return *message != nullptr;
  return false;
}

Outcome<const Recording::Event*> Recording::next() {
  for (;;) {
    auto message = reader_.next();
    if (!message.ok()) return message.error();
    if (!*message && is_foreign())
      return Error{reader_.name() + ": an MCAP file of another program" +
                   (reader_.header().library.empty() ? "" : " (" + reader_.header().library + ")") +
                   ", not a recording of Entente: none of its " + std::to_string(reader_.progress().messages) +
                   " messages can be read"};
    if (!*message) return nullptr;
    bool ours = false;
    if (!parse(**message, ours))
      return Error{reader_.name() + ": message " + std::to_string(reader_.progress().messages) +
                   " is not what its schema says it is"};
    has_events_ = has_events_ || ours;
    if (ours) return &event_;
  }
}

}  // namespace entente::trace
