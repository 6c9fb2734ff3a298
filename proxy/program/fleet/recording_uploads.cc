#include "proxy/program/fleet/recording_uploads.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "proxy/net/named_thread.h"
#include "proxy/program/log/say.h"
#include "schema/fleet.pb.h"

namespace entente {
namespace {

constexpr std::size_t kLongestStem = 40;
constexpr const char* kTorn = "too much data is waiting for NATS: the fleet does not get the rest of";

/// A name that no other recording has.
std::string unique_name(const std::string& path, std::uint32_t number) {
  constexpr WallTime kMillisecond = 1'000'000;
  std::string stem = fleet::as_token(std::filesystem::path(path).stem().string());
  stem.resize(std::min(stem.size(), kLongestStem));
  return stem + (stem.empty() ? "" : "-") + std::to_string(wall_now() / kMillisecond) + "-" + std::to_string(number);
}

}  // namespace

/// Pieces that wait, oldest first.
struct RecordingUploads::Queue {
  mutable std::mutex mutex;
  std::condition_variable emptied;
  std::deque<Piece> pieces;
  std::size_t bytes = 0;
  std::uint64_t stored = 0, stored_bytes = 0, torn = 0;
  net::Mailbox<int, RecordingUploads>* mailbox = nullptr;  // null: pieces are no longer sent

  /// Returns false if the queue is full. `always`: ignores the limit.
  bool put(Piece piece, bool always) {
    const std::lock_guard lock(mutex);
    if (!always && bytes + piece.bytes.size() > kMostWaiting) return false;
    bytes += piece.bytes.size();
    pieces.push_back(std::move(piece));
    if (mailbox != nullptr) mailbox->wake();
    return true;
  }
};

/// One recording.
class RecordingUploads::Upload final : public trace::Sink {
 public:
  Upload(std::shared_ptr<Queue> queue, std::string subject, std::string file, std::uint64_t run)
      : queue_(std::move(queue)), subject_(std::move(subject)), file_(std::move(file)), run_(run) {}
  /// A recorder that gives up its file, because the file was removed, never calls finish(): the recording ends torn.
  ~Upload() override {
    if (size_ != 0) end(true);
  }
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  const std::string& name() const override { return file_; }
  Outcome<Done> write(Bytes bytes) override {
    while (!bytes.empty() && !ended_) {
      const Bytes piece = bytes.first(std::min(bytes.size(), kPiece));
      const bool fits = put(piece, false, false);
      size_ += piece.size();
      bytes = bytes.subspan(piece.size());
      if (fits) continue;
      log_error("{} {}", kTorn, file_);
      end(true);
      const std::lock_guard lock(queue_->mutex);
      ++queue_->torn;
    }
    return Done{};
  }
  /// Does nothing: only whole pieces are written here.
  Outcome<Done> cut(std::uint64_t) override { return Done{}; }
  Outcome<Done> sync() override { return Done{}; }
  Outcome<Done> finish() override {
    end(false);
    return Done{};
  }

 private:
  void end(bool torn) {
    if (std::exchange(ended_, true)) return;
    torn_ = torn;
    (void)put({}, true, true);
  }
  bool put(Bytes bytes, bool last, bool always) {
    bus::RecordingPiece piece;
    piece.set_file(file_);
    piece.set_run(run_);
    piece.set_offset(size_);
    piece.set_bytes(bytes.data(), bytes.size());
    piece.set_time(wall_now());
    piece.set_last(last);
    piece.set_torn(torn_);
    const std::string text = piece.SerializeAsString();
    return queue_->put(
        {subject_, subject_ + ":" + std::to_string(size_) + (last ? ":last" : ""), Buffer(text.begin(), text.end())},
        always);
  }

  const std::shared_ptr<Queue> queue_;
  const std::string subject_, file_;
  const std::uint64_t run_;
  std::uint64_t size_ = 0;
  bool torn_ = false, ended_ = false;
};

RecordingUploads::RecordingUploads(Fleet& fleet, Millis keep)
    : fleet_(fleet),
      keep_(keep),
      queue_(std::make_shared<Queue>()),
      line_(std::make_unique<fleet::BusLine>(fleet.bus(), loop_)),
      ticker_(std::make_unique<net::Ticker>(loop_, static_cast<net::Ticker::User&>(*this), kRetry)) {
  queue_->mailbox = &mailbox_;
  thread_ = net::named_thread("fleet uploads", [this] { loop_.run(); });
}

RecordingUploads::~RecordingUploads() {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->mailbox = nullptr;
  }
  (void)mailbox_.post(0);
  thread_.join();
}

std::unique_ptr<trace::Sink> RecordingUploads::begin(const std::string& path) {
  const std::string subject = fleet_.names().recording(fleet_.node(), unique_name(path, ++begun_));
  return std::make_unique<Upload>(queue_, subject, std::filesystem::path(path).filename().string(), fleet_.run_id());
}

bool RecordingUploads::finish(Millis patience) {
  std::unique_lock lock(queue_->mutex);
  return queue_->emptied.wait_for(lock, std::chrono::milliseconds(patience), [&] { return queue_->pieces.empty(); });
}

void RecordingUploads::mail() {
  std::vector<int> letters;
  mailbox_.take(letters);
  if (letters.empty()) return send();
  line_.reset();
  ticker_.reset();
  mailbox_.close();
}

void RecordingUploads::tick(Millis) { send(); }

/// One at a time, so that they are stored in their order.
void RecordingUploads::send() {
  if (asks_ || line_ == nullptr || !line_->connected()) return;
  if (!opened_) {
    asks_ = true;
    fleet::StreamOptions options;
    options.name = fleet_.names().recordings();
    options.subjects = {fleet_.names().recording("*", "*")};
    options.keep = keep_;
    options.replicas = fleet_.replicas();
    return line_->open_stream(options, [this](const Outcome<std::uint64_t>& outcome) {
      asks_ = false;
      opened_ = true;  // if this failed, storing fails, too, and leads to a retry
      if (outcome) send();
    });
  }
  const std::lock_guard lock(queue_->mutex);
  if (queue_->pieces.empty()) return;
  asks_ = true;
  const Piece& piece = queue_->pieces.front();
  line_->store(piece.subject, piece.bytes, piece.id, [this](const Outcome<std::uint64_t>& outcome) { sent(outcome); });
}

void RecordingUploads::sent(const Outcome<std::uint64_t>& outcome) {
  asks_ = false;
  if (!outcome) {  // once more, at the next tick
    opened_ = false;
    if (!std::exchange(fails_, true)) log_warn("fleet: recordings wait: {}", outcome.error().text);
    return;
  }
  if (std::exchange(fails_, false)) log_info("fleet: recordings are stored again");
  {
    const std::lock_guard lock(queue_->mutex);
    ++queue_->stored;
    queue_->stored_bytes += queue_->pieces.front().bytes.size();
    queue_->bytes -= queue_->pieces.front().bytes.size();
    queue_->pieces.pop_front();
    if (queue_->pieces.empty()) queue_->emptied.notify_all();
  }
  send();
}

void RecordingUploads::measure(Metrics& metrics) const {
  const std::lock_guard lock(queue_->mutex);
  metrics.count("fleet_recording_pieces", "Pieces of recordings that the fleet has stored", {}, queue_->stored);
  metrics.count("fleet_recording_bytes", "Bytes of these pieces", {}, queue_->stored_bytes);
  metrics.gauge("fleet_recording_waiting_bytes", "Bytes of recordings that wait for the fleet", {},
                static_cast<double>(queue_->bytes));
  metrics.count("fleet_recording_torn", "Recordings of which the fleet lacks the rest, because too much waited", {},
                queue_->torn);
}

}  // namespace entente
