// The layouts of bzfs's own recordings (RecordReplay.cxx:2040 and :1855 at v2.4.26).
// Invariant: as in wire.cc.
#include "adapters/bzflag/rec/wire_rec.h"

#include "adapters/wire/fields.h"

namespace entente::bzflag {

template <class V>
void fields(V& v, RecHeader& m) {
  v.exact("magic", "rrBZ");
  v("version", m.version)("length", m.length)("duration", m.duration)("player", m.player);
  v("flags_size", m.flags_size)("world_size", m.world_size)("callsign", m.callsign)("motto", m.motto);
  v("protocol", m.protocol);
  v.when("dialect.long_application", !v.dialect.short_application, [&] { v("application", m.application); });
  v.when("dialect.short_application", v.dialect.short_application, [&] { v("application", m.short_application); });
  v("hash", m.hash)("settings", m.settings);
  v.when("dialect.long_settings", v.dialect.long_settings, [&] { v("more_settings", m.more_settings); });
  v.when("dialect.short_application", v.dialect.short_application, [&] { v("pad", m.pad); });
}
template <class V>
void fields(V& v, RecPacket& m) {
  v("mode", m.mode)("code", m.code)("size", m.size)("next", m.next)("prev", m.prev)("time", m.time);
  v("stuffing", m.stuffing);
}

std::size_t rec_header_size(const RecForm& form) { return form.long_settings ? 426 : 424; }

Result<RecHeader> read_rec_header(Bytes bytes, const RecForm& form) {
  RecHeader header;
  wire::Reader<RecForm> reader(bytes, form);
  fields(reader, header);
  if (!reader.finish()) return reader.fault();
  return header;
}

RecPacket read_rec_packet(Bytes bytes) {
  assert(bytes.size() == kRecPacketHead);
  RecPacket packet;
  const RecForm form;
  wire::Reader<RecForm> reader(bytes, form);
  fields(reader, packet);
  return packet;
}

void write_rec_header(const RecHeader& header, const RecForm& form, Buffer& out) {
  wire::Writer<RecForm> writer(out, form);
  fields(writer, const_cast<RecHeader&>(header));  // the Writer only reads
}

void write_rec_packet(const RecPacket& packet, Buffer& out) {
  const RecForm form;
  wire::Writer<RecForm> writer(out, form);
  fields(writer, const_cast<RecPacket&>(packet));  // the Writer only reads
}

}  // namespace entente::bzflag
