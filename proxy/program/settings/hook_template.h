// The body of a hook's request: JSON in whose strings {{name}} stands for something about the event.
// Invariant: whatever the values are, the result is JSON of the same shape. A value becomes a part of a string, and
// nothing else, because the template is taken apart before values are put in.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/base/fault.h"

namespace google::protobuf {
class Value;
}  // namespace google::protobuf

namespace entente {

class HookTemplate {
 public:
  static constexpr std::size_t kMostBytes = 64 * 1024;  ///< of the text
  static constexpr std::size_t kMostValues = 256;       ///< placeholders

  /// The text of a name.
  using Look = std::function<std::string(std::string_view name)>;

  /// `known`: whether there is something of this name. An error: it is not JSON, or names something unknown.
  static Outcome<HookTemplate> parse(const std::string& json, const std::function<bool(std::string_view)>& known);

  /// The body. {{name:markdown}} is the text with the characters escaped that Markdown gives a meaning.
  std::string body(const Look& look) const;

 private:
  std::shared_ptr<const google::protobuf::Value> json_;
};

/// Each ASCII character that may begin something in Markdown gets a backslash in front of it.
std::string escape_markdown(std::string_view text);

}  // namespace entente
