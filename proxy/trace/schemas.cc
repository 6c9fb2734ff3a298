// Built from the descriptors that protoc generated: what is embedded cannot differ from what is written.
#include "proxy/trace/schemas.h"

#include <google/protobuf/descriptor.pb.h>

#include <unordered_set>

namespace entente::trace {
namespace {

using google::protobuf::FileDescriptor;

void add(const FileDescriptor& file, std::unordered_set<const FileDescriptor*>& seen,
         google::protobuf::FileDescriptorSet& set) {
  if (!seen.insert(&file).second) return;
  for (int i = 0; i < file.dependency_count(); ++i) add(*file.dependency(i), seen, set);
  file.CopyTo(set.add_file());
}

}  // namespace

mcap::Schema protobuf_schema(std::uint16_t id, const google::protobuf::Descriptor& type) {
  google::protobuf::FileDescriptorSet set;
  std::unordered_set<const FileDescriptor*> seen;
  add(*type.file(), seen, set);
  Buffer data(set.ByteSizeLong());
  set.SerializeToArray(data.data(), static_cast<int>(data.size()));
  return {id, type.full_name(), "protobuf", std::move(data)};
}

}  // namespace entente::trace
