// One WebSocket connection, in either role, from the first byte on TCP: TLS if it has a context, the HTTP upgrade,
// then messages. What is sent waits until flush(), so that the results of one read go out in one write. For a slow
// reader, little is encrypted ahead: what waits can then be shared with other links.
// Invariant: as for every link (link.h): no call calls the user back, and a user may close but not destroy it in a
// callback. When its time is up (Loop::time_is_up), or it is not to be read any more, the rest of what was read waits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proxy/net/tcp.h"
#include "proxy/net/web/http_file.h"
#include "proxy/net/web/http_reply.h"
#include "proxy/net/web/tls.h"
#include "proxy/net/web/websocket.h"
#include "proxy/net/web/websocket_handshake.h"

namespace entente::net {

class WebLink;

/// What a link has of a client whose request it has read, for the link that goes on with the client.
struct HeardRequest {
  std::unique_ptr<Tls> tls;  ///< null: no TLS
  std::unique_ptr<HttpReader> head;
  Buffer early;  ///< what came after the request
};

class WebUser {
 public:
  virtual ~WebUser() = default;

  /// Server: a client's request. Nothing follows until answer(), serve() or decline().
  virtual void asked(WebLink&, const HttpHead&) {}
  /// Client: the server has upgraded.
  virtual void upgraded(WebLink&, const HttpHead&) {}
  /// Client: the server refused the upgrade. The link cannot be used any more. `why`: the beginning of the answer's
  /// body if it is plain text and came with the head; valid only during the call.
  virtual void declined(WebLink&, const HttpHead&, std::string_view /*why*/) {}

  virtual void received(WebLink& link, Opcode opcode, Bytes payload) = 0;
  /// The peer's close frame, its last frame.
  virtual void close_frame(WebLink& link, const CloseFrame& close_frame) = 0;
  /// After a call of call_again(): the link is served again, and still read. No message follows if this calls it again.
  virtual void go_on(WebLink&) {}
  /// Bytes came that are no part of a message: frame headers and TLS overhead. Called with the sum, once it is large.
  virtual void received_overhead(WebLink&, std::size_t /*bytes*/) {}
  /// What was delivered now is over. There may be more to come of what was read.
  virtual void messages_done(WebLink&) {}

  /// The peer broke TLS, HTTP or WebSocket (the fault's field says which) and was told so; nothing more is
  /// delivered.
  virtual void protocol_error(WebLink& link, const Fault& fault, const std::string& detail) = 0;
  virtual void wrote(WebLink& link) = 0;
  /// The peer sends nothing more: it has ended its stream, or TLS. Called once.
  virtual void ended(WebLink& link) = 0;
  virtual void broken(WebLink& link, int error) = 0;
};

class WebLink final : private TcpUser, private WebSocket::User, private Tls::Gate, private Alarm::User {
 public:
  /// What a peer may send after we have ended the conversation, in bytes: it may not have read that yet. Then the link
  /// is closed.
  static constexpr std::size_t kMostAfterEnd = 256 * 1024;
  /// WebUser::received_overhead() is called for more bytes than these. No TLS record is larger.
  static constexpr std::int64_t kOverheadLump = 17 * 1024;

  /// `largest`: bytes of a message from the peer.
  WebLink(Loop& loop, WebSocket::Role role, std::size_t largest, WebUser& user);
  ~WebLink() override { give_key_back(); }
  WebLink(const WebLink&) = delete;
  WebLink& operator=(const WebLink&) = delete;

  // Server.
  /// Takes over an accepted connection. `tls` outlives the link; null: no TLS. `client`: whose handshakes are counted
  /// together (Loop::handshakes). A client whose link ends before the private key was used has no handshake.
  bool adopt(Fd fd, const TlsContext* tls, const Address& client);
  /// Goes on with a client of another link: asked() follows when this link is read, unless it is shut down before.
  bool adopt(Fd fd, HeardRequest heard, const Address& client);
  /// Gives away a client after asked(), while nothing waits for it: its connection, and what was heard. The link is
  /// then closed.
  std::pair<Fd, HeardRequest> release();
  /// The client's request. REQUIRES: asked() was called, and nothing was answered yet.
  const HttpHead& request() const { return head_->head(); }
  /// Whether a part of a request was read.
  bool has_part_of_request() const { return stage_ == Stage::kHead && heard_part_; }
  void answer(const HttpHead& request, const std::string* subprotocol);
  /// Delivers what a client sent before it had the answer. Unlike other calls, it calls the user back.
  void hear_early();
  /// Answers with an error and shuts down.
  void decline(unsigned status, std::string_view why);
  /// Answers the request with a file. `keep`: another one may follow; if not, shuts down.
  void serve(const Asset& file, bool keep);
  void serve(const HttpReply& reply, bool keep);

  // Client.
  /// Connects and sends the request. `tls_name`: the name that the server's certificate must contain. Returns an
  /// errno if it cannot start. `first`: goes out before all else, TLS included.
  int connect(Fd fd, const Address& to, const TlsContext* tls, const std::string& tls_name, UpgradeRequest request,
              Bytes first = {});

  /// REQUIRES: upgraded; not after a close_frame of ours.
  void send(Opcode opcode, Bytes payload);
  /// As send(), if possible without a copy: what waits refers to the payload. REQUIRES: we are the server.
  void send_shared(Opcode opcode, const SharedBytes& payload);
  void send(const CloseFrame& close_frame);
  void flush();

  /// Client: connected, and the request is on its way.
  bool asked() const { return asked_; }
  bool upgraded() const { return stage_ == Stage::kMessages; }
  bool sent_close() const { return sent_close_; }
  std::size_t waiting() const { return tcp_.waiting() + out_.size() + later_.size(); }
  /// The memory that waits (WaitingBytes::weight).
  std::size_t weight() const { return tcp_.weight() + out_.size() + later_.weight(); }
  void set_reading(bool on) { tcp_.set_reading(on); }
  bool is_reading() const { return tcp_.is_reading(); }
  /// The user has not dealt with all of the last message: go_on() follows before the next one, as in Tcp.
  void call_again();
  /// Sends what waits, then closes our direction.
  void shut_down();
  void hang_up();
  /// As hang_up(), but the peer gets a reset, and no end.
  void reset();
  bool is_open() const { return tcp_.is_open(); }

  // As in Tcp.
  void set_priority(Priority priority) { tcp_.set_priority(priority); }
  void set_party(std::shared_ptr<Party> party) {
    party_ = party;
    tcp_.set_party(std::move(party));
  }
  void set_largest_read(std::size_t bytes) { tcp_.set_largest_read(bytes); }
  /// As of Tcp.
  void set_patient() { tcp_.set_patient(); }
  bool is_unserved() const { return tcp_.is_unserved(); }
  bool peer_has_ended() const { return tcp_.peer_has_ended(); }
  Millis last_received() const { return tcp_.last_received(); }
  Millis unserved_millis() const { return tcp_.unserved_millis(); }

 private:
  enum class Stage : std::uint8_t { kHead, kAsked, kMessages, kOver };

  void connected(Tcp&) override;
  void received(Tcp&, wire::Lane, Bytes bytes) override;
  void go_on(Tcp&) override;
  void wrote(Tcp&) override;
  void ended(Tcp&) override { tell_end(); }
  void broken(Tcp&, int error) override { user_.broken(*this, error); }
  void message(Opcode opcode, Bytes payload) override;
  void close_frame(const CloseFrame& close_frame) override;
  void frame_began(std::size_t head, bool message_goes_on) override;

  bool may_use_key() override;
  void rang() override;
  void give_key_back();

  void use_tls(const TlsContext* tls, const std::string& name);
  void decrypt(Bytes bytes);
  void hear_without_tls();
  void pass_shared(const SharedBytes& bytes);
  void encrypt_some();
  void finish_sending();
  void serve_body(const SharedBytes& body, bool keep);
  void ask();
  void hear(Bytes bytes);
  void hear_head(Bytes bytes);
  void hear_request(Bytes rest);
  void hear_response(Bytes rest);
  void hear_messages(Bytes bytes);
  void hear_end();
  void tell_end();
  void wait_if_due();
  void add_overhead(std::int64_t bytes);
  void protocol_error(const Fault& fault, const std::string& detail = {});

  Loop& loop_;
  const WebSocket::Role role_;
  WebUser& user_;
  Tcp tcp_;
  std::unique_ptr<Tls> tls_;
  std::shared_ptr<Party> party_;
  Address client_;                    // of a server's link with TLS
  std::optional<Millis> key_use_;     // when the private key may be used for it
  std::unique_ptr<Alarm> key_alarm_;  // while it waits for that
  std::unique_ptr<HttpReader> head_;  // while it is read, and until its user has answered
  WebSocket messages_;
  std::optional<UpgradeRequest> request_;
  Stage stage_ = Stage::kHead;
  std::size_t after_end_ = 0;  // bytes that came in kOver
  std::int64_t overhead_ = 0;  // not told yet; below 0: the rest of a record whose beginning was told
  bool told_end_ = false;
  bool arrived_ = false;     // with a request that another link has heard
  bool heard_part_ = false;  // of the next request
  bool asked_ = false, shutting_down_ = false, finished_ = false, sent_close_ = false;
  bool behind_ = false;  // the user has not dealt with all of the last message
  Buffer early_;         // came with the head
  Buffer unheard_;       // was read, and waits until the link is served again
  Buffer out_;           // to be flushed: plain
  Buffer plain_, wire_;  // room for TLS
  WaitingBytes later_;   // to be encrypted when the peer has read what comes before
};

}  // namespace entente::net
