// A line's orders to JetStream: buckets and streams.
#include <algorithm>
#include <utility>

#include "proxy/fleet/bus/impl.h"

namespace entente::fleet {
namespace {

BucketResult kept_failure(natsStatus status) { return {BucketResult::How::kFailed, {}, failure(status)}; }

BucketResult lost() { return {BucketResult::How::kFailed, {}, "there is no connection to NATS"}; }

BucketResult read_entry(BusConnection& connection, const std::string& bucket, const std::string& key) {
  kvStore* store = connection.bucket(bucket);
  if (store == nullptr) return {BucketResult::How::kFailed, {}, "cannot open the bucket " + bucket};
  kvEntry* entry = nullptr;
  const natsStatus status = kvStore_Get(&entry, store, key.c_str());
  if (status == NATS_NOT_FOUND) return {BucketResult::How::kMissing, {}, {}};
  if (status != NATS_OK) return kept_failure(status);
  BucketResult kept{BucketResult::How::kDone, entry_of(entry), {}};
  kvEntry_Destroy(entry);
  return kept;
}

/// Finds out whether the order failed because somebody else was first.
BucketResult after_failure(BusConnection& connection, const std::string& bucket, const std::string& key,
                           std::uint64_t expected, natsStatus status) {
  BucketResult failed = kept_failure(status);
  BucketResult now = read_entry(connection, bucket, key);
  if (now.how == BucketResult::How::kMissing) return expected != 0 ? now : failed;
  if (!now.done() || now.entry.revision == expected) return failed;
  now.how = BucketResult::How::kConflict;
  return now;
}

/// Writes an entry by `write`, which is given the store and where the new revision goes. `expected`: the revision that
/// must be there; nothing: any.
template <class Write>
BucketResult written(BusConnection& connection, const std::string& bucket, const std::string& key,
                     std::optional<std::uint64_t> expected, const Write& write) {
  kvStore* store = connection.bucket(bucket);
  if (store == nullptr) return {BucketResult::How::kFailed, {}, "cannot open the bucket " + bucket};
  BucketResult kept{BucketResult::How::kDone, {key, {}, 0, false}, {}};
  const natsStatus status = write(store, &kept.entry.revision);
  if (status == NATS_OK) return kept;
  return expected ? after_failure(connection, bucket, key, *expected, status) : kept_failure(status);
}

BucketResult updated(BusConnection& connection, const std::string& bucket, const std::string& key, const Buffer& value,
                     std::uint64_t revision) {
  return written(connection, bucket, key, revision, [&](kvStore* store, std::uint64_t* next) {
    return kvStore_Update(next, store, key.c_str(), value.data(), static_cast<int>(value.size()), revision);
  });
}

Outcome<std::uint64_t> stream_failure(natsStatus status) { return Error{failure(status)}; }

}  // namespace

void BusLine::order_bucket(std::size_t bytes, BucketDone done, std::function<BucketResult(BusConnection&)> order) {
  const RequestId number = ++last_;
  bucket_orders_[number] = std::move(done);
  const auto answer = [inbox = inbox_, number](BucketResult kept) {
    inbox->post(0, Inbox::Drop::kNever, [number, kept = std::move(kept)](BusLine& line) {
      auto one = line.bucket_orders_.extract(number);
      if (!one.empty()) one.mapped()(kept);
    });
  };
  const auto counters = bus_.impl_->counters();
  const auto job = [order = std::move(order), answer, counters](BusConnection* connection) {
    BucketResult kept = connection != nullptr ? order(*connection) : lost();
    if (kept.how == BucketResult::How::kFailed) ++counters->failures;
    answer(std::move(kept));
  };
  const auto thread = orders_ == Orders::kPatient ? Bus::Impl::OrderThread::kPatient : Bus::Impl::OrderThread::kBuckets;
  if (!bus_.impl_->order(thread, bytes + 256, job)) answer({BucketResult::How::kFailed, {}, "too much waits for NATS"});
}

void BusLine::order_stream(std::size_t bytes, Stored stored,
                           std::function<Outcome<std::uint64_t>(BusConnection&)> order) {
  const RequestId number = ++last_;
  stream_orders_[number] = std::move(stored);
  const auto answer = [inbox = inbox_, number](Outcome<std::uint64_t> outcome) {
    inbox->post(0, Inbox::Drop::kNever, [number, outcome = std::move(outcome)](BusLine& line) {
      auto one = line.stream_orders_.extract(number);
      if (!one.empty()) one.mapped()(outcome);
    });
  };
  const auto counters = bus_.impl_->counters();
  const auto job = [order = std::move(order), answer, counters](BusConnection* connection) {
    auto outcome = connection != nullptr ? order(*connection) : Outcome<std::uint64_t>(Error{lost().why});
    if (!outcome) ++counters->failures;
    answer(std::move(outcome));
  };
  if (!bus_.impl_->order(Bus::Impl::OrderThread::kStreams, bytes + 256, job)) answer(Error{"too much waits for NATS"});
}

void BusLine::open_bucket(const BucketOptions& options, BucketDone done) {
  order_bucket(0, std::move(done), [options](BusConnection& connection) -> BucketResult {
    kvConfig config;
    kvConfig_Init(&config);
    config.Bucket = options.name.c_str();
    config.History = static_cast<std::uint8_t>(options.history);
    config.TTL = static_cast<std::int64_t>(options.keep) * 1'000'000;
    config.MaxBytes = options.most_bytes;
    config.Replicas = static_cast<int>(options.replicas);
    config.StorageType = options.in_memory ? js_MemoryStorage : js_FileStorage;
    const auto there = [&, stream = "KV_" + options.name] {
      jsStreamInfo* info = nullptr;
      const natsStatus status = js_GetStreamInfo(&info, connection.stream, stream.c_str(), nullptr, nullptr);
      if (status != NATS_OK) return kept_failure(status);
      BucketResult kept{BucketResult::How::kDone, {}, {}};
      kept.entry.revision = static_cast<std::uint64_t>(info->Created);
      jsStreamInfo_Destroy(info);
      return kept;
    };
    if (BucketResult kept = there(); kept.done()) return kept;
    kvStore* made = nullptr;
    const natsStatus status = js_CreateKeyValue(&made, connection.stream, &config);
    kvStore_Destroy(made);
    const BucketResult failed = kept_failure(status);
    // One that is there with other options is taken as it is.
    if (BucketResult kept = there(); kept.done()) return kept;
    return failed;
  });
}

void BusLine::get(const std::string& bucket, const std::string& key, BucketDone done) {
  order_bucket(0, std::move(done), [=](BusConnection& connection) { return read_entry(connection, bucket, key); });
}

void BusLine::put(const std::string& bucket, const std::string& key, Bytes value, BucketDone done) {
  order_bucket(value.size(), std::move(done),
               [bucket, key, value = Buffer(value.begin(), value.end())](BusConnection& connection) {
                 return written(connection, bucket, key, std::nullopt, [&](kvStore* store, std::uint64_t* revision) {
                   return kvStore_Put(revision, store, key.c_str(), value.data(), static_cast<int>(value.size()));
                 });
               });
}

void BusLine::create(const std::string& bucket, const std::string& key, Bytes value, BucketDone done) {
  order_bucket(value.size(), std::move(done),
               [bucket, key, value = Buffer(value.begin(), value.end())](BusConnection& connection) {
                 return written(connection, bucket, key, 0, [&](kvStore* store, std::uint64_t* revision) {
                   return kvStore_Create(revision, store, key.c_str(), value.data(), static_cast<int>(value.size()));
                 });
               });
}

void BusLine::update(const std::string& bucket, const std::string& key, Bytes value, std::uint64_t revision,
                     BucketDone done) {
  order_bucket(value.size(), std::move(done),
               [bucket, key, revision, value = Buffer(value.begin(), value.end())](BusConnection& connection) {
                 return updated(connection, bucket, key, value, revision);
               });
}

void BusLine::update_if(const std::string& bucket, const std::string& key, Bytes value,
                        std::function<bool(const BusEntry&)> is_expected, BucketDone done) {
  order_bucket(value.size(), std::move(done),
               [bucket, key, is_expected = std::move(is_expected),
                value = Buffer(value.begin(), value.end())](BusConnection& connection) {
                 BucketResult now = read_entry(connection, bucket, key);
                 if (!now.done()) return now;
                 if (is_expected(now.entry)) return updated(connection, bucket, key, value, now.entry.revision);
                 now.how = BucketResult::How::kConflict;
                 return now;
               });
}

void BusLine::remove(const std::string& bucket, const std::string& key, BucketDone done) {
  order_bucket(0, std::move(done), [=](BusConnection& connection) -> BucketResult {
    kvStore* store = connection.bucket(bucket);
    if (store == nullptr) return {BucketResult::How::kFailed, {}, "cannot open the bucket " + bucket};
    const natsStatus status = kvStore_Delete(store, key.c_str());
    return status == NATS_OK ? BucketResult{BucketResult::How::kDone, {}, {}} : kept_failure(status);
  });
}

BusLine::SubscriptionId BusLine::watch(const std::string& bucket, const std::string& keys, Watched watched) {
  watched_[++last_] = std::make_shared<Watched>(std::move(watched));
  bus_.impl_->watch(last_, bucket, keys, inbox_);
  return last_;
}

void BusLine::unwatch(SubscriptionId watch) {
  if (watched_.erase(watch) != 0) bus_.impl_->unwatch(inbox_.get(), watch);
}

void BusLine::open_stream(const StreamOptions& options, Stored done) {
  order_stream(0, std::move(done), [options](BusConnection& connection) -> Outcome<std::uint64_t> {
    std::vector<const char*> subjects;
    for (const std::string& one : options.subjects) subjects.push_back(one.c_str());
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = options.name.c_str();
    config.Subjects = subjects.data();
    config.SubjectsLen = static_cast<int>(subjects.size());
    config.MaxAge = static_cast<std::int64_t>(options.keep) * 1'000'000;
    if (options.most_per_subject != 0) config.MaxMsgsPerSubject = options.most_per_subject;
    if (options.most_bytes != 0) config.MaxBytes = options.most_bytes;
    config.Replicas = options.replicas;
    config.Storage = options.in_memory ? js_MemoryStorage : js_FileStorage;
    config.AllowDirect = true;
    jsErrCode code{};
    const natsStatus status = js_AddStream(nullptr, connection.stream, &config, nullptr, &code);
    // One that is there with other options is taken as it is.
    if (status == NATS_OK || code == JSStreamNameExistErr) return std::uint64_t{0};
    return stream_failure(status);
  });
}

void BusLine::store(const std::string& subject, Bytes bytes, const std::string& id, Stored stored) {
  order_stream(
      bytes.size(), std::move(stored),
      [subject, id, bytes = Buffer(bytes.begin(), bytes.end())](BusConnection& connection) -> Outcome<std::uint64_t> {
        jsPubOptions options;
        jsPubOptions_Init(&options);
        if (!id.empty()) options.MsgId = id.c_str();
        jsPubAck* ack = nullptr;
        const natsStatus status = js_Publish(&ack, connection.stream, subject.c_str(), bytes.data(),
                                             static_cast<int>(bytes.size()), &options, nullptr);
        if (status != NATS_OK) return stream_failure(status);
        const std::uint64_t number = ack->Sequence;
        jsPubAck_Destroy(ack);
        return number;
      });
}

void BusLine::last(const std::string& stream, const std::string& subject,
                   std::function<void(Outcome<std::optional<BusMessage>>)> answered) {
  auto heard = std::make_shared<std::optional<BusMessage>>();
  order_stream(
      0,
      [heard, answered = std::move(answered)](const Outcome<std::uint64_t>& outcome) {
        if (outcome) return answered(std::move(*heard));
        answered(outcome.error());
      },
      [heard, stream, subject](BusConnection& connection) -> Outcome<std::uint64_t> {
        natsMsg* message = nullptr;
        const natsStatus status =
            js_GetLastMsg(&message, connection.stream, stream.c_str(), subject.c_str(), nullptr, nullptr);
        if (status == NATS_NOT_FOUND) return std::uint64_t{0};
        if (status != NATS_OK) return stream_failure(status);
        *heard = message_of(message);
        natsMsg_Destroy(message);
        return std::uint64_t{1};
      });
}

void BusLine::read(const std::string& stream, const std::string& subject, std::uint64_t from, std::size_t most_bytes,
                   Read answered, Millis within) {
  auto all = std::make_shared<std::vector<BusMessage>>();
  order_stream(
      0,
      [all, answered = std::move(answered)](const Outcome<std::uint64_t>& outcome) {
        answered(outcome ? Outcome<std::vector<BusMessage>>(std::move(*all))
                         : Outcome<std::vector<BusMessage>>(outcome.error()));
      },
      [all, stream, subject, from, most_bytes, within](BusConnection& connection) -> Outcome<std::uint64_t> {
        const Millis end = steady_now() + within;
        std::size_t bytes = 0;
        jsDirectGetMsgOptions options;
        jsDirectGetMsgOptions_Init(&options);
        options.NextBySubject = subject.c_str();
        for (options.Sequence = std::max<std::uint64_t>(from, 1); bytes < most_bytes; ++options.Sequence) {
          natsMsg* message = nullptr;
          const natsStatus status = js_DirectGetMsg(&message, connection.stream, stream.c_str(), nullptr, &options);
          if (status == NATS_NOT_FOUND) break;
          if (status != NATS_OK) return stream_failure(status);
          all->push_back(message_of(message));
          all->back().number = options.Sequence = natsMsg_GetSequence(message);
          bytes += size_of(all->back());
          natsMsg_Destroy(message);
          if (steady_now() >= end) break;
        }
        return std::uint64_t{0};
      });
}

void BusLine::subjects(const std::string& stream, const std::string& pattern,
                       std::function<void(Outcome<std::vector<std::string>>)> answered) {
  auto all = std::make_shared<std::vector<std::string>>();
  order_stream(
      0,
      [all, answered = std::move(answered)](const Outcome<std::uint64_t>& outcome) {
        answered(outcome ? Outcome<std::vector<std::string>>(std::move(*all))
                         : Outcome<std::vector<std::string>>(outcome.error()));
      },
      [all, stream, pattern](BusConnection& connection) -> Outcome<std::uint64_t> {
        jsOptions options;
        jsOptions_Init(&options);
        options.Wait = kJetStreamWait;
        options.Stream.Info.SubjectsFilter = pattern.c_str();
        jsStreamInfo* info = nullptr;
        const natsStatus status = js_GetStreamInfo(&info, connection.stream, stream.c_str(), &options, nullptr);
        if (status != NATS_OK) return stream_failure(status);
        if (const jsStreamStateSubjects* subjects = info->State.Subjects; subjects != nullptr)
          for (int i = 0; i < subjects->Count; ++i) all->emplace_back(subjects->List[i].Subject);
        jsStreamInfo_Destroy(info);
        return std::uint64_t{0};
      });
}

}  // namespace entente::fleet
