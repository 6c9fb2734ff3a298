// An end over one TCP connection, with UDP datagrams beside it if the game has them. A client's datagrams come through
// the listener's socket, a server's through a socket of this end with the connection's local port. If the game's
// clients accept several messages in one datagram, the messages of a turn are packed.
#pragma once

#include <optional>
#include <vector>

#include "adapters/wire/frame_reader.h"
#include "proxy/net/udp.h"
#include "proxy/relay/admission/datagram_filter.h"
#include "proxy/relay/ends/link_end.h"

namespace entente::relay {

class TcpEnd final : public LinkEnd<net::Tcp, net::TcpUser>, private net::UdpReader::User {
 public:
  TcpEnd(WorkerRoute& worker_route, End::User& user, const EndOptions& options);

  bool adopt(net::Fd client) override;
  int connect(const net::Address& server, Outgoing outgoing) override;
  void send(Lane lane, Bytes frame) override;
  void lend(Lane lane, const SharedBytes& frame) override;
  void flush() override;
  std::size_t waiting() const override { return link_.waiting() + gathered_bytes_; }
  std::size_t weight() const override { return link_.weight() + own_.size(); }
  void set_peer_dialect(std::size_t dialect) override;
  void datagram(const net::Address& from, Bytes bytes) override;
  Millis last_datagram() const override { return last_datagram_; }
  void shut_down(std::string_view why, std::uint32_t code) override;
  net::Fd release() override;
  void hang_up() override;

 private:
  void connected(net::Tcp& link) override;
  void received(net::Tcp& link, wire::Lane lane, Bytes bytes) override;
  void go_on(net::Tcp& link) override;
  void broken(net::Tcp& link, int error) override;

  bool find_dialect();
  void conclude(const std::optional<Fault>& fault);
  void gather(const SharedBytes& bytes);
  void send_datagram(Bytes bytes);

  const bool finds_dialect_;
  const std::size_t most_held_;   // bytes
  std::optional<Buffer> unsure_;  // what the peer sent while its dialect is detected
  wire::FrameReader heard_;
  std::optional<DatagramFilter> filter_;  // if its game has datagrams
  net::Fd udp_;                           // towards a server
  net::UdpReader reader_;
  std::optional<net::Address> client_;  // where its datagrams come from
  /// What is sent and not flushed yet: lent bytes, or some of `own_`.
  struct Piece {
    SharedBytes lent;
    std::size_t own = 0;  // bytes; 0: it is lent
  };
  const bool gathers_;
  std::vector<Piece> gathered_;
  Buffer own_;
  std::size_t gathered_bytes_ = 0;
  std::size_t most_packed_;  // bytes of messages in one datagram to a client; 0: one message in each
  Buffer packed_;            // the next datagram
  Millis last_datagram_ = 0;
};

}  // namespace entente::relay
