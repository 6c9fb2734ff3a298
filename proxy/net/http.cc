#include "proxy/net/http.h"

#include <http_parser.h>

#include <algorithm>
#include <cassert>

namespace entente::net {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

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
    if (same_word(header.name, name)) return &header.value;
  return nullptr;
}

bool HttpHead::lists(std::string_view name, std::string_view token) const {
  for (const HttpHeader& header : headers) {
    if (!same_word(header.name, name)) continue;
    for (std::string_view left = header.value; !left.empty();) {
      const auto comma = left.find(',');
      if (same_word(trimmed(left.substr(0, comma)), token)) return true;
      left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
    }
  }
  return false;
}

std::string_view HttpHead::path() const { return std::string_view(target).substr(0, target.find('?')); }

// -- Reading ----------------------------------------------------------------------------------------------------------

struct HttpReader::Parser {
  http_parser raw{};
  HttpHead head;
  std::size_t bytes = 0;
  bool in_value = false;
  bool complete = false;
  const char* wrong = nullptr;

  static Parser& of(http_parser* raw) { return *static_cast<Parser*>(raw->data); }

  int header_name(std::string_view part) {
    if (head.headers.empty() || in_value) {
      if (head.headers.size() == kMostHeaders) return refuse("too many headers");
      head.headers.emplace_back();
    }
    in_value = false;
    head.headers.back().name += part;
    return 0;
  }

  int headers_complete() {
    const bool length = (raw.flags & F_CONTENTLENGTH) != 0 && raw.content_length != 0;
    if (raw.type == HTTP_REQUEST && (length || (raw.flags & F_CHUNKED) != 0)) return refuse("request with a body");
    head.status = raw.status_code;
    if (raw.type == HTTP_REQUEST) head.method = http_method_str(static_cast<http_method>(raw.method));
    return 2;  // what follows is no body: stop right behind the head
  }

  int refuse(const char* why) {
    wrong = why;
    return -1;
  }

  static http_parser_settings settings() {
    http_parser_settings calls;
    http_parser_settings_init(&calls);
    calls.on_url = [](http_parser* parser, const char* at, std::size_t size) {
      of(parser).head.target.append(at, size);
      return 0;
    };
    calls.on_header_field = [](http_parser* parser, const char* at, std::size_t size) {
      return of(parser).header_name({at, size});
    };
    calls.on_header_value = [](http_parser* parser, const char* at, std::size_t size) {
      of(parser).in_value = true;
      of(parser).head.headers.back().value.append(at, size);
      return 0;
    };
    calls.on_headers_complete = [](http_parser* parser) { return of(parser).headers_complete(); };
    calls.on_message_complete = [](http_parser* parser) {
      of(parser).complete = true;
      return 0;
    };
    return calls;
  }
};

HttpReader::HttpReader(Of of) : parser_(std::make_unique<Parser>()) {
  http_parser_init(&parser_->raw, of == Of::kRequest ? HTTP_REQUEST : HTTP_RESPONSE);
  parser_->raw.data = parser_.get();
}

HttpReader::~HttpReader() = default;

Result<std::size_t> HttpReader::feed(Bytes bytes) {
  static const http_parser_settings kSettings = Parser::settings();
  assert(!parser_->complete && !parser_->wrong);
  const bool cut = bytes.size() > kMostBytes - parser_->bytes;
  const Bytes allowed = bytes.first(cut ? kMostBytes - parser_->bytes : bytes.size());
  const std::size_t taken =
      http_parser_execute(&parser_->raw, &kSettings, reinterpret_cast<const char*>(allowed.data()), allowed.size());
  parser_->bytes += taken;
  if (parser_->complete) return taken;
  if (!parser_->wrong && HTTP_PARSER_ERRNO(&parser_->raw) != HPE_OK) parser_->wrong = "not HTTP/1.1";
  if (!parser_->wrong && cut) parser_->wrong = "head too large";
  if (parser_->wrong) return Fault{parser_->wrong, "head", parser_->bytes};
  return taken;
}

bool HttpReader::complete() const { return parser_->complete; }

const HttpHead& HttpReader::head() const {
  assert(complete());
  return parser_->head;
}

// -- Writing ----------------------------------------------------------------------------------------------------------

std::string_view http_phrase(unsigned status) {
  switch (status) {
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 426:
      return "Upgrade Required";
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

void write_request(std::string_view method, std::string_view target, std::span<const HttpHeader> headers, Buffer& out) {
  put(method, out);
  put(" ", out);
  put(target, out);
  put(" HTTP/1.1\r\n", out);
  put_headers(headers, out);
}

void write_response(unsigned status, std::span<const HttpHeader> headers, Buffer& out) {
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
  write_response(status, std::span(headers, status == 426 ? 4 : 3), out);
  put(text, out);
}

}  // namespace entente::net
