// Redacts words and worlds: any message of schema/game.proto and schema/snapshot.proto.
// Invariant: every text and all bytes of the schema have a line; a test fails for one without. What the schema does not
// know is removed.
#pragma once

#include <google/protobuf/message.h>

#include "proxy/program/redact/censor.h"

namespace entente {

/// What this field of a word holds, if it is a text or bytes.
wire::Personal personal_of(const google::protobuf::FieldDescriptor& field);

class WordRedactor {
 public:
  explicit WordRedactor(Censor& censor) : censor_(censor) {}

  void redact(google::protobuf::Message& word);

 private:
  void walk(google::protobuf::Message& message);
  void field(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field);
  std::string text(const google::protobuf::FieldDescriptor& field, const std::string& text);
  std::string bytes(const google::protobuf::FieldDescriptor& field, const std::string& bytes);

  Censor& censor_;
};

}  // namespace entente
