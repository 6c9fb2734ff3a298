// HTTP/1.1 heads: read from bytes in arbitrary pieces, and written. Requests with a body are refused, unless their
// reader is told how large one may be.
// Invariant: a head is refused because of its size or number of headers before it takes memory. Bytes after a head are
// left untouched.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/base/bytes.h"
#include "proxy/base/fault.h"

namespace entente::net {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpHead {
  std::string method;       ///< of a request
  std::string target;       ///< of a request: path and query
  unsigned status = 0;      ///< of a response
  bool persistent = false;  ///< of a request: the client may send another one on the same connection
  std::vector<HttpHeader> headers;

  /// The value of the first header with this name, ignoring case; null if there is none.
  const std::string* find(std::string_view name) const;
  /// Whether `token` is in the comma-separated list of the headers with this name, ignoring case.
  bool lists(std::string_view name, std::string_view token) const;
  /// The target up to its query.
  std::string_view path() const;
};

/// Reads one head.
class HttpReader {
 public:
  enum class Of : std::uint8_t { kRequest, kResponse };
  static constexpr std::size_t kMostBytes = 16 * 1024;
  static constexpr std::size_t kMostHeaders = 100;

  /// `most_body`: bytes of a request's body, which follows the head and is not read. It must have a Content-Length.
  explicit HttpReader(Of of, std::size_t most_body = 0);
  ~HttpReader();

  /// How many bytes belong to the head: all of them, until complete(). REQUIRES: not complete, and no fault before.
  Result<std::size_t> feed(Bytes bytes);
  bool complete() const;
  /// REQUIRES: complete.
  const HttpHead& head() const;
  /// Bytes of the request's body. REQUIRES: complete.
  std::size_t body_size() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// "Not Found", …; "" for a status that we never send.
std::string_view http_phrase(unsigned status);

/// Appends a request head.
void write_request_head(std::string_view method, std::string_view target, std::span<const HttpHeader> headers,
                        Buffer& out);
/// Appends a response head.
void write_response_head(unsigned status, std::span<const HttpHeader> headers, Buffer& out);
/// Appends a whole plain-text response, after which the connection is closed.
void write_answer(unsigned status, std::string_view text, Buffer& out);

}  // namespace entente::net
