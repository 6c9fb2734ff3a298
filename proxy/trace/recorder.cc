// Openings and closings of links are kept until a chunk with them is on the disk, and written again after a failure.
// Without the opening, the game of a link's frames would be unknown.
#include "proxy/trace/recorder.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "proxy/trace/recording_info.h"
#include "proxy/trace/schemas.h"

namespace entente::trace {
namespace {

constexpr std::uint16_t kLinkChannel = 1, kWireChannel = 2, kNoteChannel = 3;
constexpr WallTime kRetry = 1'000'000'000;    // ns between attempts while writing fails
constexpr WallTime kLookEvery = 500'000'000;  // between two checks of the file

/// Fields of a message of protobuf, in the order of their numbers.
class FieldsOfFrame {
 public:
  /// A field with the value 0 is left out.
  void number(int field, std::uint64_t value) {
    if (value == 0) return;
    varint(static_cast<std::uint64_t>(field) << 3U);
    varint(value);
  }
  /// The bytes themselves follow.
  void length(int field, std::size_t size) {
    varint(static_cast<std::uint64_t>(field) << 3U | 2U);
    varint(size);
  }
  void real(int field, float value) {
    varint(static_cast<std::uint64_t>(field) << 3U | 5U);
    std::memcpy(bytes_.data() + size_, &value, sizeof(value));
    size_ += sizeof(value);
  }
  Bytes bytes() const { return Bytes(bytes_).first(size_); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_[size_++] = static_cast<std::uint8_t>(value | 0x80U);
    bytes_[size_++] = static_cast<std::uint8_t>(value);
  }

  static constexpr std::size_t kMostFields = 6, kMostOfEach = 1 + 10;
  std::array<std::uint8_t, kMostFields * kMostOfEach> bytes_;
  std::size_t size_ = 0;
};

// Wall clocks are set back and forth; a jump ends a chunk as age does.
bool apart(WallTime a, WallTime b, WallTime by) { return (a > b ? a - b : b - a) >= by; }

}  // namespace

Recorder::Recorder(std::unique_ptr<Sink> sink, RecorderOptions options)
    : sink_(std::move(sink)), options_(std::move(options)) {}

Outcome<std::unique_ptr<Recorder>> Recorder::open(const std::string& path, RecorderOptions options) {
  return open_file(FileSink::create(path), std::move(options));
}

Outcome<std::unique_ptr<Recorder>> Recorder::open_beside(const std::string& path, RecorderOptions options) {
  return open_file(FileSink::create_beside(path), std::move(options));
}

Outcome<std::unique_ptr<Recorder>> Recorder::open_file(Outcome<std::unique_ptr<FileSink>> sink,
                                                       RecorderOptions options) {
  if (!sink.ok()) return sink.error();
  const std::string part = (*sink)->name(), path = (*sink)->path();
  const auto copy = options.copy;
  if (copy) (*sink)->copy_to(copy(path));
  auto opened = open(std::move(*sink), std::move(options));
  if (!opened) {
    std::remove(part.c_str());  // it holds nothing, and would be in the way of the next try
    return opened;
  }
  (*opened)->path_ = path;
  (*opened)->next_sink_ = [path, copy] {
    auto next = FileSink::create_beside(path);
    if (next && copy) (*next)->copy_to(copy((*next)->path()));
    return next;
  };
  return opened;
}

Outcome<std::unique_ptr<Recorder>> Recorder::open(std::unique_ptr<Sink> sink, RecorderOptions options,
                                                  std::string path) {
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(sink), std::move(options)));
  recorder->path_ = std::move(path);
  if (auto begun = recorder->begin(); !begun.ok()) return begun.error();
  return recorder;
}

// Begins a file, with a schema and a channel of the same id for each topic. They are outside of chunks, so a damaged
// chunk does not affect them.
Outcome<Done> Recorder::begin() {
  writer_.emplace(*sink_, mcap::WriterOptions{.header = {"", "entente"},
                                              .compress = true,
                                              .level = options_.level,
                                              .index_messages = options_.index_messages});
  if (auto begun = writer_->begin(); !begun.ok()) return begun;
  mcap::Metadata about{kAboutFile, {{"program", "entente"}, {"version", options_.version}}};
  if (options_.id != 0) about.values.emplace_back(kFileId, std::to_string(options_.id));
  auto done = writer_->add(about);
  for (const mcap::Metadata& more : options_.metadata)
    if (done.ok()) done = writer_->add(more);
  const auto define = [&](std::uint16_t id, const char* topic, const google::protobuf::Descriptor* type) {
    if (done.ok()) done = writer_->define(protobuf_schema(id, *type));
    if (done.ok()) done = writer_->define(mcap::Channel{id, id, topic, "protobuf", {}});
  };
  define(kLinkChannel, "/link", LinkEvent::descriptor());
  define(kWireChannel, "/wire", Frame::descriptor());
  define(kNoteChannel, "/note", Note::descriptor());
  last_channel_ = kNoteChannel;
  sequences_.assign(last_channel_ + 1U, 0);
  return done;
}

void Recorder::opened(WallTime time, const Opened& opened) {
  const bool now = ready(time);  // before the link is added, because it may write all links
  auto& link = links_[opened.link()];
  link = {};
  link.opened_at = time;
  link.opened = opened;
  if (!now) return;
  put_opened(opened.link(), link);
  end_chunk_if_due(time);
}

void Recorder::closed(WallTime time, std::uint32_t id, std::string_view reason) {
  const bool now = ready(time);
  const auto found = links_.find(id);
  found_ = {};
  if (found == links_.end()) return;
  found->second.closed_at = time;
  found->second.reason = reason;
  if (now) {
    put_closed(id, found->second);
    end_chunk_if_due(time);
  } else if (!found->second.opened_written) {
    links_.erase(found);  // came and went while nothing could be written
  }
}

void Recorder::frame(WallTime time, const FrameView& frame) {
  const Amount amount{1, frame.bytes.size()};
  const bool now = ready(time);
  Link* const link = find(frame.link);
  Direction* const direction = link != nullptr ? &link->directions[frame.way == TO_CLIENT] : nullptr;
  if (direction != nullptr) direction->missing += frame.missing;
  if (!now) {
    if (direction != nullptr) direction->missing += amount;
    return lose(amount);
  }
  const Amount missing = direction != nullptr ? std::exchange(direction->missing, {}) : frame.missing;
  if (direction != nullptr) {
    direction->in_chunk += amount;
    direction->in_chunk += missing;
    put_in_chunk(frame.link, *link);
  }
  in_chunk_ += amount;
  put_frame(time, frame, missing);
  end_chunk_if_due(time);
}

void Recorder::note(WallTime time, std::uint32_t link, std::string_view text, std::uint64_t bytes_lost) {
  if (!ready(time)) return void(unsaid_.bytes += bytes_lost);
  noted_in_chunk_.bytes += bytes_lost;
  put_note(time, link, text, bytes_lost);
  end_chunk_if_due(time);
}

void Recorder::tick(WallTime now) {
  if (apart(looked_at_, now, kLookEvery)) look_after_file(now);
  if (failing_ && !ready(now)) return;
  end_chunk_if_due(now);
}

// Whether a message can be written now. While writing fails, it tries again once a second, and then first writes what
// is missing.
bool Recorder::ready(WallTime now) {
  if (!failing_ || trying_) return true;
  if (options_.on_full == RecorderOptions::OnFull::kStop || !apart(failed_at_, now, kRetry)) return false;
  if (!file_is_lost_)
    begin_again(now);
  else if (!begin_new_file(now).ok())
    return false;
  return true;
}

/// Checks the file. If another program spoiled it, continues in a new one and returns true.
bool Recorder::look_after_file(WallTime now) {
  looked_at_ = now;
  if (file_is_lost_ || !next_sink_) return false;
  const auto there = sink_->check();
  if (there.ok()) return false;
  forget_file(there.error());
  const auto begun = begin_new_file(now);
  if (!begun.ok()) tell_failed({why_ + "; " + begun.error().text});
  return true;
}

/// The file is spoiled: counts everything in it as lost.
void Recorder::forget_file(const Error& why) {
  lose(std::exchange(in_chunk_, {}));
  lose(std::exchange(recorded_, {}));
  noted_in_chunk_ = {};
  unsaid_ = lost_;  // the notes in the old file are lost, too
  settle_links(false);
  for (auto& [id, link] : links_) {
    link.opened_written = false;
    for (Direction& direction : link.directions) direction.missing += std::exchange(direction.settled, {});
  }
  found_ = {};
  std::erase_if(links_, [](const auto& one) { return one.second.reason.has_value(); });
  channels_ = {};
  others_.clear();
  other_types_.clear();
  lacks_channels_ = false;
  geometries_in_chunk_.clear();
  geometries_.clear();  // the caller gives them again
  kept_ = 0;
  failing_ = file_is_lost_ = true;
  trying_ = false;
  why_ = why.text;
}

Outcome<Done> Recorder::begin_new_file(WallTime now) {
  failed_at_ = now;
  auto sink = next_sink_();
  if (!sink.ok()) return sink.error();
  const std::string path = (*sink)->path();
  FileSink& file = **sink;
  auto old = std::exchange(sink_, std::move(*sink));
  path_ = path;
  if (auto begun = begin(); !begun.ok()) {
    file.discard();
    return begun;
  }
  file_is_lost_ = false;
  ++files_;
  if (options_.moved) options_.moved({why_}, path);
  begin_again(now);
  return Done{};
}

Recorder::Link* Recorder::find(std::uint32_t id) {
  if (found_.second != nullptr && found_.first == id) return found_.second;
  const auto found = links_.find(id);
  if (found == links_.end()) return nullptr;
  found_ = {id, &found->second};
  return found_.second;
}

void Recorder::put_in_chunk(std::uint32_t id, Link& link) {
  if (!std::exchange(link.in_chunk, true)) links_in_chunk_.push_back(id);
}

void Recorder::begin_again(WallTime now) {
  trying_ = true;
  put_note(now, 0, std::to_string(unsaid_.frames) + " frames are not recorded: " + why_, unsaid_.bytes);
  noted_in_chunk_ += std::exchange(unsaid_, {});
  for (auto& [id, link] : links_) {
    if (!link.opened_written) put_opened(id, link);
    if (link.reason) put_closed(id, link);
  }
}

void Recorder::put(std::uint16_t channel, WallTime time, const google::protobuf::MessageLite& message) {
  if (writer_->chunk_bytes() == 0) chunk_began_ = time;
  const auto size = message.ByteSizeLong();
  const auto to = writer_->message({channel, ++sequences_[channel], time, time, {}}, size);
  message.SerializeWithCachedSizesToArray(to.data());
}

void Recorder::put(std::uint16_t channel, WallTime time, std::initializer_list<Bytes> parts) {
  if (writer_->chunk_bytes() == 0) chunk_began_ = time;
  std::size_t size = 0;
  for (const Bytes part : parts) size += part.size();
  auto to = writer_->message({channel, ++sequences_[channel], time, time, {}}, size);
  for (const Bytes part : parts) {
    std::copy(part.begin(), part.end(), to.begin());
    to = to.subspan(part.size());
  }
}

/// A message Frame as protobuf would write it, without making one: it takes a third of the time.
void Recorder::put_frame(WallTime time, const FrameView& frame, const Amount& missing) {
  FieldsOfFrame head, name, tail;
  head.number(Frame::kLinkFieldNumber, frame.link);
  head.number(Frame::kWayFieldNumber, static_cast<std::uint64_t>(frame.way));
  head.number(Frame::kLaneFieldNumber, static_cast<std::uint64_t>(frame.lane));
  if (!frame.bytes.empty()) head.length(Frame::kDataFieldNumber, frame.bytes.size());
  name.number(Frame::kRawFieldNumber, frame.raw ? 1 : 0);
  if (!frame.name.empty()) name.length(Frame::kNameFieldNumber, frame.name.size());
  tail.number(Frame::kDeliveryFieldNumber, static_cast<std::uint64_t>(frame.delivery));
  tail.number(Frame::kChannelFieldNumber, frame.channel);
  tail.number(Frame::kFramesMissingFieldNumber, missing.frames);
  tail.number(Frame::kBytesMissingFieldNumber, missing.bytes);
  if (frame.seconds) tail.real(Frame::kSecondsFieldNumber, *frame.seconds);
  tail.number(Frame::kJoinedFieldNumber, frame.joined ? 1 : 0);
  tail.number(Frame::kLabFieldNumber, static_cast<std::uint64_t>(frame.lab));
  tail.number(Frame::kHeldUsFieldNumber, frame.held_us);
  put(kWireChannel, time, {head.bytes(), frame.bytes, name.bytes(), as_bytes(frame.name), tail.bytes()});
}

void Recorder::put_opened(std::uint32_t id, Link& link) {
  LinkEvent event;
  *event.mutable_opened() = link.opened;
  put(kLinkChannel, link.opened_at, event);
  put_in_chunk(id, link);
}

void Recorder::put_closed(std::uint32_t id, Link& link) {
  LinkEvent event;
  event.mutable_closed()->set_link(id);
  event.mutable_closed()->set_reason(*link.reason);
  put(kLinkChannel, link.closed_at, event);
  put_in_chunk(id, link);
}

void Recorder::put_note(WallTime time, std::uint32_t link, std::string_view text, std::uint64_t bytes_lost) {
  Note note;
  note.set_link(link);
  note.set_text(text.data(), text.size());
  note.set_bytes_lost(bytes_lost);
  put(kNoteChannel, time, note);
}

void Recorder::end_chunk_if_due(WallTime now) {
  if (writer_->chunk_bytes() < options_.chunk_bytes && !apart(chunk_began_, now, options_.chunk_age)) return;
  end_chunk(now);
}

void Recorder::end_chunk(WallTime now) {
  if (writer_->chunk_bytes() == 0) return;
  auto done = writer_->end_chunk();
  if (!done.ok()) {
    if (!look_after_file(now)) failed(now, done.error());
    return;
  }
  written();
  if (options_.sync != RecorderOptions::Sync::kEachChunk) return;
  const auto synced = sink_->sync();
  if (!synced.ok() && !sync_fails_ && options_.failed) options_.failed(synced.error());
  sync_fails_ = !synced.ok();
}

void Recorder::written() {
  recorded_ += in_chunk_;
  ever_recorded_ += in_chunk_;
  in_chunk_ = {};
  const auto said = std::exchange(noted_in_chunk_, {});
  settle_links(true);
  settle_geometries(true);
  trying_ = told_failed_ = false;
  if (std::exchange(failing_, false) && options_.resumed) options_.resumed(said);
}

void Recorder::lose(const Amount& amount) {
  lost_ += amount;
  unsaid_ += amount;
}

void Recorder::failed(WallTime now, const Error& error) {
  lose(std::exchange(in_chunk_, {}));
  unsaid_ += std::exchange(noted_in_chunk_, {});
  settle_links(false);
  settle_geometries(false);
  trying_ = false;
  failed_at_ = now;
  why_ = error.text;
  failing_ = true;
  tell_failed(error);
}

/// Once, until a chunk is written again.
void Recorder::tell_failed(const Error& error) {
  if (!std::exchange(told_failed_, true) && options_.failed) options_.failed(error);
}

// Updates the links that had data in the chunk that just ended.
void Recorder::settle_links(bool were_written) {
  found_ = {};
  for (const auto id : links_in_chunk_) {
    const auto found = links_.find(id);
    if (found == links_.end()) continue;
    auto& link = found->second;
    link.in_chunk = false;
    for (Direction& direction : link.directions)
      (were_written ? direction.settled : direction.missing) += std::exchange(direction.in_chunk, {});
    link.opened_written |= were_written;
    if (link.reason && (were_written || !link.opened_written)) links_.erase(found);
  }
  links_in_chunk_.clear();
}

/// Writes the losses that no note could report, as metadata outside of chunks.
Outcome<Done> Recorder::say_lost() {
  if (unsaid_.frames == 0 && unsaid_.bytes == 0) return Done{};
  return writer_->add(
      {kNotRecorded,
       {{"frames", std::to_string(unsaid_.frames)}, {"bytes", std::to_string(unsaid_.bytes)}, {"why", why_}}});
}

Outcome<Done> Recorder::close(WallTime now) {
  look_after_file(now);
  if (file_is_lost_)
    if (auto begun = begin_new_file(now); !begun.ok()) return Error{why_ + "; " + begun.error().text};
  if (failing_ && !trying_ && options_.on_full == RecorderOptions::OnFull::kContinue) begin_again(now);
  end_chunk(now);
  auto done = say_lost();
  if (done.ok() && !summary_.empty()) (void)writer_->add({kRecordingInfo, summary_});
  if (done.ok()) done = writer_->end();
  if (done.ok() && options_.sync != RecorderOptions::Sync::kNever) done = sink_->sync();
  if (done.ok()) done = sink_->finish();
  if (done.ok() || !options_.keeps_part) return done;
  return Error{done.error().text + "; what was recorded is in " + sink_->name() + ": `entente recover` repairs it"};
}

}  // namespace entente::trace
