#include "proxy/net/web/http.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cassert>

#include "proxy/base/lower_case.h"

namespace entente::net {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

void put(std::string_view text, Buffer& out) { append(out, as_bytes(text)); }

void put_headers(std::span<const HttpHeader> headers, Buffer& out) {
  for (const HttpHeader& header : headers) {
    put(header.name, out);
    put(": ", out);
    put(header.value, out);
    put("\r\n", out);
  }
  put("\r\n", out);
}

}  // namespace

const std::string* HttpHead::find(std::string_view name) const {
  for (const HttpHeader& header : headers)
    if (equal_but_case(header.name, name)) return &header.value;
  return nullptr;
}

bool HttpHead::lists(std::string_view name, std::string_view token) const {
  for (const HttpHeader& header : headers) {
    if (!equal_but_case(header.name, name)) continue;
    for (std::string_view left = header.value; !left.empty();) {
      const auto comma = left.find(',');
      if (equal_but_case(trimmed(left.substr(0, comma)), token)) return true;
      left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
    }
  }
  return false;
}

std::string_view HttpHead::path() const { return std::string_view(target).substr(0, target.find('?')); }

// -- Reading ----------------------------------------------------------------------------------------------------------

namespace heads {

namespace beast = boost::beast;
using Refusal = boost::system::error_code;

/// What Boost.Beast finds in a head goes into an HttpHead. It never sees a body: we stop after the head.
template <bool kIsRequest>
class HeadParser final : public beast::http::basic_parser<kIsRequest> {
 public:
  explicit HeadParser(HttpHead& head) : head_(head) {
    this->header_limit(HttpReader::kMostBytes);
    this->skip(!kIsRequest);  // whatever body a response announces
  }
  bool too_many() const { return too_many_; }

 private:
  using View = beast::string_view;
  using Left = boost::optional<std::uint64_t>;

  static std::string text(View view) { return {view.data(), view.size()}; }

  void on_request_impl(beast::http::verb, View method, View target, int, Refusal&) override {
    head_.method = text(method);
    head_.target = text(target);
  }
  void on_response_impl(int status, View, int, Refusal&) override { head_.status = static_cast<unsigned>(status); }
  void on_field_impl(beast::http::field, View name, View value, Refusal& refusal) override {
    too_many_ = head_.headers.size() == HttpReader::kMostHeaders;
    if (too_many_)
      refusal = beast::http::error::header_limit;
    else
      head_.headers.push_back({text(name), text(value)});
  }
  void on_header_impl(Refusal&) override {}
  void on_body_init_impl(const Left&, Refusal&) override {}
  std::size_t on_body_impl(View, Refusal&) override { return 0; }
  void on_chunk_header_impl(std::uint64_t, View, Refusal&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View, Refusal&) override { return 0; }
  void on_finish_impl(Refusal&) override {}

  HttpHead& head_;
  bool too_many_ = false;
};

}  // namespace heads

struct HttpReader::Parser {
  Parser(Of one, std::size_t body) : of(one), most_body(body) {}

  /// Reads what is there of the head.
  template <bool kIsRequest>
  void read(heads::HeadParser<kIsRequest>& parser) {
    heads::Refusal refusal;
    const std::size_t taken = parser.put(boost::asio::buffer(unread.data(), unread.size()), refusal);
    unread.erase(unread.begin(), unread.begin() + static_cast<std::ptrdiff_t>(taken));
    size += taken;
    if (refusal == boost::beast::http::error::need_more) return;
    if (refusal) {
      const bool large = refusal == boost::beast::http::error::header_limit;
      wrong = parser.too_many() ? "too many headers" : large ? "head too large" : "not HTTP/1.1";
    } else if (kIsRequest) {
      const std::uint64_t length = parser.content_length().value_or(0);
      if (parser.chunked() || (length != 0 && most_body == 0))
        wrong = "request with a body";
      else if (length > most_body)
        wrong = "body too large";
      body_size = static_cast<std::size_t>(length);
      head.persistent = parser.keep_alive();
    }
    complete = wrong == nullptr;
  }
  void read() { of == Of::kRequest ? read(request) : read(response); }

  const Of of;
  const std::size_t most_body;
  HttpHead head;
  heads::HeadParser<true> request{head};
  heads::HeadParser<false> response{head};
  std::size_t size = 0;  // bytes that were read
  std::size_t body_size = 0;
  Buffer unread;  // bytes of an incomplete head
  bool complete = false;
  const char* wrong = nullptr;
};

HttpReader::HttpReader(Of of, std::size_t most_body) : parser_(std::make_unique<Parser>(of, most_body)) {}

HttpReader::~HttpReader() = default;

Result<std::size_t> HttpReader::feed(Bytes bytes) {
  Parser& parser = *parser_;
  assert(!parser.complete && !parser.wrong);
  const std::size_t before = parser.size + parser.unread.size();
  const bool cut = bytes.size() > kMostBytes - before;
  append(parser.unread, bytes.first(cut ? kMostBytes - before : bytes.size()));
  if (parser.unread.empty()) return 0;
  // Beast waits for the end of a head. Input that does not begin with a capital letter (TLS, noise) is refused at once.
  if (parser.size == 0 && (parser.unread[0] < 'A' || parser.unread[0] > 'Z')) parser.wrong = "not HTTP/1.1";
  if (!parser.wrong) parser.read();
  if (parser.complete) return parser.size - before;
  if (!parser.wrong && cut) parser.wrong = "head too large";
  if (parser.wrong) return Fault{parser.wrong, "head", parser.size};
  return bytes.size();
}

bool HttpReader::complete() const { return parser_->complete; }

const HttpHead& HttpReader::head() const {
  assert(complete());
  return parser_->head;
}

std::size_t HttpReader::body_size() const {
  assert(complete());
  return parser_->body_size;
}

// -- Writing ----------------------------------------------------------------------------------------------------------

std::string_view http_phrase(unsigned status) {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

void write_request_head(std::string_view method, std::string_view target, std::span<const HttpHeader> headers,
                        Buffer& out) {
  put(method, out);
  put(" ", out);
  put(target, out);
  put(" HTTP/1.1\r\n", out);
  put_headers(headers, out);
}

void write_response_head(unsigned status, std::span<const HttpHeader> headers, Buffer& out) {
  put("HTTP/1.1 " + std::to_string(status) + " ", out);
  put(http_phrase(status), out);
  put("\r\n", out);
  put_headers(headers, out);
}

void write_answer(unsigned status, std::string_view text, Buffer& out) {
  const HttpHeader headers[] = {{"Content-Type", "text/plain; charset=utf-8"},
                                {"Content-Length", std::to_string(text.size())},
                                {"Connection", "close"},
                                {"Upgrade", "websocket"}};
  write_response_head(status, std::span(headers, status == 426 ? 4 : 3), out);
  put(text, out);
}

}  // namespace entente::net
