#include "proxy/program/import/packet_source.h"

#include <pcap/pcap.h>

#include <array>
#include <string>

#include "proxy/program/import/pcapng.h"

namespace entente {
namespace {

constexpr std::size_t kPacketHeader = 16;  // in the file

class PcapSource final : public PacketSource {
 public:
  explicit PcapSource(pcap_t* pcap) : pcap_(pcap) {}

  Outcome<std::optional<CapturedPacket>> next() override {
    pcap_pkthdr* header = nullptr;
    const u_char* bytes = nullptr;
    const int got = pcap_next_ex(pcap_.get(), &header, &bytes);
    if (got == PCAP_ERROR_BREAK) return std::optional<CapturedPacket>();
    ++number_;
    if (got != 1) return Error{"packet " + std::to_string(number_) + ": " + pcap_geterr(pcap_.get())};
    CapturedPacket packet;
    packet.link = pcap_datalink(pcap_.get());
    // The file has 32 bits without a sign; libpcap makes times after January 2038 negative. With nanosecond precision,
    // tv_usec holds nanoseconds.
    packet.time = WallTime{static_cast<std::uint32_t>(header->ts.tv_sec)} * 1'000'000'000U +
                  static_cast<WallTime>(header->ts.tv_usec);
    packet.bytes = {bytes, header->caplen};
    packet.cut = header->caplen < header->len;
    packet.size = kPacketHeader + header->caplen;
    return std::optional(packet);
  }

 private:
  struct Close {
    void operator()(pcap_t* pcap) const { pcap_close(pcap); }
  };

  std::unique_ptr<pcap_t, Close> pcap_;
  std::uint64_t number_ = 0;
};

Outcome<std::unique_ptr<PacketSource>> open_pcap(std::FILE* file) {
  std::array<char, PCAP_ERRBUF_SIZE> why{};
  pcap_t* pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why.data());
  if (pcap != nullptr) return std::unique_ptr<PacketSource>(std::make_unique<PcapSource>(pcap));
  std::fclose(file);
  return Error{why.data()};
}

}  // namespace

Outcome<std::unique_ptr<PacketSource>> open_packet_source(std::FILE* file) {
  constexpr std::uint8_t kPcapng[] = {0x0A, 0x0D, 0x0D, 0x0A};
  std::array<std::uint8_t, 4> first{};
  const std::size_t size = std::fread(first.data(), 1, first.size(), file);
  if (std::fseek(file, 0, SEEK_SET) != 0) {  // a pipe
    std::fclose(file);
    return Error{"cannot be read from a pipe"};
  }
  if (!same(Bytes(first).first(size), kPcapng)) return open_pcap(file);
  return std::unique_ptr<PacketSource>(std::make_unique<PcapngReader>(file));
}

}  // namespace entente
