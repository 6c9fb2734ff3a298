// A message is identified by the name of its schema, because topics and ids are the writer's choice.
#include "proxy/trace/recording.h"

#include <charconv>

namespace entente::trace {
namespace {

bool fill(google::protobuf::MessageLite& message, Bytes data) {
  return message.ParseFromArray(data.data(), static_cast<int>(data.size()));
}

/// In older recordings, words do not have their link: each link has channels of its own.
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

Outcome<std::unique_ptr<Recording>> Recording::open(const std::string& path, mcap::Limits limits) {
  auto file = FileSource::open(path);
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

bool Recording::parse_word(const mcap::Message& message, const mcap::Channel& channel, bool fact) {
  if (!(fact ? fill(fact_, message.data) : fill(intent_, message.data))) return false;
  WordEvent word;
  word.link = fact ? fact_.link() : intent_.link();
  if (word.link == 0) word.link = link_of(channel);
  fact_.clear_link(), intent_.clear_link();
  fact ? void(word.fact = &fact_) : void(word.intent = &intent_);
  event_.word = word;
  return true;
}

Outcome<const Recording::Event*> Recording::next() {
  for (;;) {
    auto message = reader_.next();
    if (!message.ok()) return message.error();
    if (!*message) return nullptr;
    bool ours = false;
    if (!parse(**message, ours))
      return Error{reader_.name() + ": message " + std::to_string(reader_.progress().messages) +
                   " is not what its schema says it is"};
    if (ours) return &event_;
  }
}

}  // namespace entente::trace
