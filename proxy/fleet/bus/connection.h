// A connection to NATS, and the entries of a bucket, as libnats gives them.
#pragma once

#include <nats/nats.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "proxy/fleet/bus/libnats.h"

namespace entente::fleet {

/// Destroyed with its last user.
struct BusConnection {
  natsConnection* nats = nullptr;
  jsCtx* stream = nullptr;
  std::mutex mutex;
  std::map<std::pair<std::thread::id, std::string>, kvStore*> buckets;  // each thread has its own

  BusConnection() = default;
  BusConnection(const BusConnection&) = delete;
  BusConnection& operator=(const BusConnection&) = delete;
  ~BusConnection() {
    for (const auto& [of, bucket] : buckets) kvStore_Destroy(bucket);
    jsCtx_Destroy(stream);
    natsConnection_Destroy(nats);
  }

  /// Null: it cannot be opened. An opened bucket stays open, even if the server loses it.
  kvStore* bucket(const std::string& name) {
    std::unique_lock lock(mutex);
    kvStore*& store = buckets[{std::this_thread::get_id(), name}];
    lock.unlock();
    if (store == nullptr) js_KeyValue(&store, stream, name.c_str());
    return store;
  }
};

/// The entries of a bucket, as a kvWatcher of libnats reads them. A kvWatcher that is destroyed deletes its consumer by
/// a name that another thread of libnats may replace meanwhile, which crashed after a reconnect (3.4). This one leaves
/// its consumer to the server, which deletes it if nobody listens.
class BucketReader {
 public:
  BucketReader(jsCtx* stream, const std::string& bucket, const std::string& keys) : prefix_("$KV." + bucket + ".") {
    const std::string name = "KV_" + bucket;
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = name.c_str();
    options.Ordered = true;
    options.Config.DeliverPolicy = js_DeliverLastPerSubject;
    jsConsumerInfo* info = nullptr;
    status_ = js_SubscribeSync(&entries_, stream, (prefix_ + keys).c_str(), nullptr, &options, nullptr);
    if (status_ == NATS_OK) status_ = natsSubscription_GetConsumerInfo(&info, entries_, nullptr, nullptr);
    if (status_ == NATS_OK) pending_ = info->NumPending + info->Delivered.Consumer;
    if (status_ == NATS_TIMEOUT) status_ = NATS_ERR;  // for next(), it would mean that no entry has come yet
    jsConsumerInfo_Destroy(info);
  }
  ~BucketReader() { natsSubscription_Destroy(entries_); }
  BucketReader(const BucketReader&) = delete;
  BucketReader& operator=(const BucketReader&) = delete;

  /// The next entry; null, once, after the entries that were there at first. NATS_TIMEOUT: none within `patience`
  /// milliseconds.
  natsStatus next(std::shared_ptr<BusEntry>& entry, std::int64_t patience) {
    entry = nullptr;
    if (status_ != NATS_OK) return status_;
    if (pending_ == 0U) return pending_.reset(), NATS_OK;
    natsMsg* message = nullptr;
    status_ = natsSubscription_NextMsg(&message, entries_, patience);
    if (status_ == NATS_TIMEOUT) return std::exchange(status_, NATS_OK);
    if (status_ == NATS_OK) status_ = read(*message, entry);
    natsMsg_Destroy(message);
    return status_;
  }

 private:
  natsStatus read(natsMsg& message, std::shared_ptr<BusEntry>& entry) {
    const std::string subject = natsMsg_GetSubject(&message);
    jsMsgMetaData* meta = nullptr;
    if (!subject.starts_with(prefix_)) return NATS_ERR;
    if (const natsStatus status = natsMsg_GetMetaData(&meta, &message); status != NATS_OK) return status;
    const char* operation = nullptr;
    const bool gone = natsMsgHeader_Get(&message, "KV-Operation", &operation) == NATS_OK;
    entry = std::make_shared<BusEntry>(BusEntry{subject.substr(prefix_.size()),
                                                buffer_of(natsMsg_GetData(&message), natsMsg_GetDataLength(&message)),
                                                meta->Sequence.Stream, gone});
    if (pending_) pending_ = std::min(*pending_ - 1, meta->NumPending);
    jsMsgMetaData_Destroy(meta);
    return NATS_OK;
  }

  const std::string prefix_;
  natsSubscription* entries_ = nullptr;
  natsStatus status_ = NATS_OK;
  std::optional<std::uint64_t> pending_;  // entries that were there at first and are not read yet; none: all were read
};

}  // namespace entente::fleet
