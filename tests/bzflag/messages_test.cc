// Each message decodes to the line that is printed, and encodes to the same bytes.
#include <algorithm>

#include "adapters/bzflag/wire/messages.h"
#include "adapters/wire/message_codec.h"
#include "adapters/wire/print.h"
#include "tests/bzflag/tape.h"

namespace entente::bzflag::messages_test {
namespace {

using wire::Frame, wire::Lane, wire::Stage, wire::Way;

struct Case {
  const char* dialect;
  Way way;
  Lane lane;
  Stage stage;
  std::string_view hex;  // "00*9" stands for nine zero bytes
  std::string_view line;
};

// clang-format off
constexpr Case kCases[] = {
    {"2.4", Way::kToServer, Lane::kStream, Stage::kGreeting, "425a464c41470d0a0d0a",
     "ClientHeader"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kGreeting, "425a46533032323103",
     "Welcome version=\"0221\" id=3"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kGreeting, "425a4653303232310d0a0d0a",
     "TooLate version=\"0221\""},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kGreeting, "524546555345443a676f2061776179",
     "Refused reason=\"go away\""},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kGreeting, "425a465331393130ff",
     "Welcome version=\"1910\" id=255"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0006 6e66 00004100522a",
     "MsgNegotiateFlags flags=[\"\" \"A\" \"R*\"]"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0000 6e66",
     "MsgNegotiateFlags flags=[]"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0011 6674 5858000200000003466f6f00000002686d",
     "MsgFlagType flag=\"XX\" quality=0 shot=2 name=\"Foo\" help=\"hm\""},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0000 7773",
     "MsgWantSettings"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "001e 6773 43960000000100fa00d80004001b00000000000000000064000000000000",
     "MsgGameSettings world_size=300 game_type=1 options=250 max_players=216 max_shots=4 max_flags=27 linear_acceleration=0 angular_acceleration=0 shake_timeout=100 shake_wins=0 sync_time=0"},
    {"2.0", Way::kToClient, Lane::kStream, Stage::kPlay, "001c 6773 43c80000001200d800040004 00*16",
     "MsgGameSettings world_size=400 options=18 max_players=216 max_shots=4 max_flags=4 linear_acceleration=0 angular_acceleration=0 shake_timeout=0 shake_wins=0 sync_time=0"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0000 7768",
     "MsgWantWHash"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0022 7768 74313939363639663230663338313362363931313463383263643032306536316300",
     "MsgWantWHash hash=\"t199669f20f3813b69114c82cd020e61c\""},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "000b 6375 687474703a2f2f782f7700",
     "MsgCacheURL url=\"http://x/w\""},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0004 6777 000003f8",
     "MsgGetWorld offset=1016"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0008 6777 00000000000a6865",
     "MsgGetWorld left=0 data=<4 bytes: 000a6865>"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "0002 6777 03fa",
     "MsgGetWorld offset=1018"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0006 6777 000000006564",
     "MsgGetWorld left=0 data=<4 bytes: 00006564>"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "00f7 656e 0000ffff616e6e 00*29 6869 00*148 322e342e3236 00*55",
     "MsgEnter type=0 team=-1 callsign=\"ann\" motto=\"hi\" token=\"\" version=\"2.4.26\" end=0"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "00f6 656e 0000ffff616e6e 00*29 6869 00*148 322e342e3236 00*54",
     "MsgEnter type=0 team=-1 callsign=\"ann\" motto=\"hi\" token=\"\" version=\"2.4.26\""},
    {"1.10", Way::kToServer, Lane::kStream, Stage::kPlay, "00a5 656e 00010005626f74 00*29 6d654078 00*125",
     "MsgEnter type=1 team=5 callsign=\"bot\" motto=\"me@x\" end=0"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "00ac 656e 7f000001142200030000fffe 00*160",
     "MsgEnter id={ip=(127 0 0 1) port=5154 number=3} type=0 team=65534 callsign=\"\" motto=\"\""},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "00ac 656e 7f0000011422000300000001626f74 00*29 6d654078 00*124",
     "MsgEnter id={ip=(127 0 0 1) port=5154 number=3} type=0 team=1 callsign=\"bot\" motto=\"me@x\""},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0001 6163 07",
     "MsgAccept id=7"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0000 6163",
     "MsgAccept"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0082 726a 000774616b656e 00*123",
     "MsgReject code=7 reason=\"taken\""},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kPlay, "0002 726a 0005",
     "MsgReject code=5"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0000 736b",
     "MsgSuperKill"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0000 6578",
     "MsgExit"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "00ab 6170 0300000002000100040005616e6e 00*29 6869 00*126",
     "MsgAddPlayer id=3 type=0 team=2 wins=1 losses=4 team_kills=5 callsign=\"ann\" motto=\"hi\""},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "00b0 6170 7f000001142200030002000200010004616e6e 00*29 6869 00*126",
     "MsgAddPlayer id={ip=(127 0 0 1) port=5154 number=3} type=2 team=2 wins=1 losses=4 callsign=\"ann\" motto=\"hi\""},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0001 7270 03",
     "MsgRemovePlayer id=3"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0008 7270 7f00000114220003",
     "MsgRemovePlayer id={ip=(127 0 0 1) port=5154 number=3}"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0005 7062 0200030504",
     "MsgPlayerInfo players=[{player=0 bits=3} {player=5 bits=4}]"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0008 6169 010509040a000001",
     "MsgAdminInfo players=[{size=5 player=9 family=4 ip=(10 0 0 1)}]"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "000e 6169 0205027f0000010501047f000001",
     "MsgAdminInfo players=[{size=5 player=2 family=127 local=(0 0 1)} {size=5 player=1 family=4 ip=(127 0 0 1)}]"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0004 6863 0104ffec",
     "MsgHandicap players=[{player=4 handicap=-20}]"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0011 7475 0200010003000400050002000000000000",
     "MsgTeamUpdate teams=[{team=1 size=3 won=4 lost=5} {team=2 size=0 won=0 lost=0}]"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "000a 7475 00010003000200040005",
     "MsgTeamUpdate team=1 size=3 active=2 won=4 lost=5"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "000a 746f 00010003000200040005",
     "MsgTeamUpdate team=1 size=3 active=2 won=4 lost=5"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "000a 746f 001400010000680941b0",
     "MsgTeamUpdate team=20 size=1 active=0 won=26633 lost=16816"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0002 746f 012c",
     "MsgTimeLeft seconds=300"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0008 7363 0103000100020003",
     "MsgScore players=[{player=3 wins=1 losses=2 team_kills=3}]"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "000c 7363 7f0000011422000300010002",
     "MsgScore player={ip=(127 0 0 1) port=5154 number=3} wins=1 losses=2"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "0004 7363 00010002",
     "MsgScore wins=1 losses=2"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0003 736f ff0002",
     "MsgScoreOver player=255 team=2"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "000a 736f 7f00000114220003ffff",
     "MsgScoreOver player={ip=(127 0 0 1) port=5154 number=3} team=65535"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0001 6e52 03",
     "MsgNewRabbit player=3"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0000 6e52",
     "MsgNewRabbit"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0001 7061 01",
     "MsgPause paused=1"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0002 7061 0301",
     "MsgPause player=3 paused=1"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0001 6175 01",
     "MsgAutoPilot on=1"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0002 6175 0300",
     "MsgAutoPilot player=3 on=0"},
    {"1.10", Way::kToServer, Lane::kStream, Stage::kPlay, "0003 6175 010203",
     "MsgAudio data=<3 bytes: 010203>"},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kPlay, "0001 7669 01",
     "MsgVideo data=<1 bytes: 01>"},
    {"1.10", Way::kToServer, Lane::kStream, Stage::kPlay, "0000 6f69",
     "MsgServerControl data=<0 bytes>"},
    {"2.0", Way::kToServer, Lane::kStream, Stage::kPlay, "0002 6b70 6162",
     "MsgKrbPrincipal data=<2 bytes: 6162>"},
    {"2.0", Way::kToServer, Lane::kStream, Stage::kPlay, "0001 6b74 ff",
     "MsgKrbTicket data=<1 bytes: ff>"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0000 616c",
     "MsgAlive"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "0018 616c 3f8000004000000040400000000000003f80000000000000",
     "MsgAlive pos=(1 2 3) forward=(0 1 0)"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0011 616c 033f80000040000000404000003f000000",
     "MsgAlive player=3 pos=(1 2 3) azimuth=0.5"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0020 616c 7f000001142200033f8000004000000040400000000000003f80000000000000",
     "MsgAlive player={ip=(127 0 0 1) port=5154 number=3} pos=(1 2 3) forward=(0 1 0)"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0005 7365 03010500 00",
     "MsgShotEnd player=3 shot=261 reason=0"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0005 7365 03dda20000",
     "MsgShotEnd player=3 shot=56738 reason=0"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "000c 7365 91f969ff0001a9f9dda20000",
     "MsgShotEnd player={ip=(145 249 105 255) port=1 number=43513} shot=56738 reason=0"},
    {"wiki", Way::kToServer, Lane::kDatagram, Stage::kPlay, "0001 6f66 03",
     "MsgUDPLinkRequest player=3"},
    {"wiki", Way::kToClient, Lane::kDatagram, Stage::kPlay, "0000 6f66",
     "MsgUDPLinkRequest"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0000 6f67",
     "MsgUDPLinkEstablished"},
    {"wiki", Way::kToServer, Lane::kDatagram, Stage::kPlay, "0000 6f67",
     "MsgUDPLinkEstablished"},
    {"2.4", Way::kToClient, Lane::kDatagram, Stage::kPlay, "0022 676d 030105 00*24 3f80000000 0107",
     "MsgGMUpdate player=3 shot=261 pos=(0 0 0) vel=(0 0 0) age=1 team=1 target=7"},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kPlay, "0001 6175 ff",
     "MsgAudio data=<1 bytes: ff>"},
    {"1.10", Way::kToServer, Lane::kStream, Stage::kPlay, "0001 7669 ff",
     "MsgVideo data=<1 bytes: ff>"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0007 6b6c 0100010105474d",
     "MsgKilled killer=1 reason=1 shot=261 flag=\"GM\""},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "000b 6b6c fd7064ffff000000000002",
     "MsgKilled killer=253 reason=28772 shot=65535 flag=\"\" driver=2"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0008 6b6c 0001000101050000",
     "MsgKilled victim=0 killer=1 reason=1 shot=261 flag=\"\""},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "000c 6b6c 00fd7064ffff0000ffffffff",
     "MsgKilled victim=0 killer=253 reason=28772 shot=65535 flag=\"\" driver=-1"},
    {"1.10", Way::kToServer, Lane::kStream, Stage::kPlay, "0005 6b6c 0100010105",
     "MsgKilled killer=1 reason=1 shot=261"},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kPlay, "0006 6b6c 000170640105",
     "MsgKilled victim=0 killer=1 reason=28772 shot=261"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "000a 6b6c 7f000001142200030105",
     "MsgKilled killer={ip=(127 0 0 1) port=5154 number=3} shot=261"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0012 6b6c 7f000001142200037f000001142200070105",
     "MsgKilled victim={ip=(127 0 0 1) port=5154 number=3} killer={ip=(127 0 0 1) port=5154 number=7} shot=261"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0004 7470 00020005",
     "MsgTeleport from=2 to=5"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0005 7470 0300020005",
     "MsgTeleport player=3 from=2 to=5"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "000c 7470 7f0000011422000300020005",
     "MsgTeleport player={ip=(127 0 0 1) port=5154 number=3} from=2 to=5"},
    {"2.4", Way::kToServer, Lane::kDatagram, Stage::kPlay, "001b 7073 3f800000030000000900010064ff9c000003e8000000007ffe8002",
     "MsgPlayerUpdateSmall time=1 player=3 order=9 status=1 pos=(100 -100 0) vel=(1000 0 0) azimuth=32766 turn=-32766"},
    {"2.4", Way::kToClient, Lane::kDatagram, Stage::kPlay, "001f 7073 3f800000030000000901010064ff9c000003e8000000007ffe80020bb8fc18",
     "MsgPlayerUpdateSmall time=1 player=3 order=9 status=257 pos=(100 -100 0) vel=(1000 0 0) azimuth=32766 turn=-32766 user_speed=3000 user_turn=-1000"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0026 7073 3f800000030000000907810064ff9c000003e8000000007ffe80027ffe000000020bb8fc1805",
     "MsgPlayerUpdateSmall time=1 player=3 order=9 status=1921 pos=(100 -100 0) vel=(1000 0 0) azimuth=32766 turn=-32766 jump_jets=32766 driver=2 user_speed=3000 user_turn=-1000 sounds=5"},
    {"2.0", Way::kToServer, Lane::kStream, Stage::kPlay, "001c 7073 3f800000030000000904010064ff9c000003e8000000007ffe800205",
     "MsgPlayerUpdateSmall time=1 player=3 order=9 status=1025 pos=(100 -100 0) vel=(1000 0 0) azimuth=32766 turn=-32766 sounds=5"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "002b 7075 3f800000030000000900013f80000040000000404000004080000040a0000040c000003f000000bf000000",
     "MsgPlayerUpdate time=1 player=3 order=9 status=1 pos=(1 2 3) vel=(4 5 6) azimuth=0.5 turn=-0.5"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0036 7075 3f800000030000000907813f80000040000000404000004080000040a0000040c000003f000000bf0000007ffe000000020bb8fc1805",
     "MsgPlayerUpdate time=1 player=3 order=9 status=1921 pos=(1 2 3) vel=(4 5 6) azimuth=0.5 turn=-0.5 jump_jets=32766 driver=2 user_speed=3000 user_turn=-1000 sounds=5"},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kPlay, "002b 7075 3f800000030000000907813f80000040000000404000004080000040a0000040c000003f000000bf000000",
     "MsgPlayerUpdate time=1 player=3 order=9 status=1921 pos=(1 2 3) vel=(4 5 6) azimuth=0.5 turn=-0.5"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "002a 7075 7f0000011422000300013f80000040000000404000004080000040a0000040c000003f000000bf000000",
     "MsgPlayerUpdate player={ip=(127 0 0 1) port=5154 number=3} status=1 pos=(1 2 3) vel=(4 5 6) azimuth=0.5 turn=-0.5"},
    {"2.4", Way::kToServer, Lane::kDatagram, Stage::kPlay, "002b 7362 400000000301053f80000040000000404000004080000040a0000040c00000000000000001474d40600000",
     "MsgShotBegin sent=2 player=3 shot=261 pos=(1 2 3) vel=(4 5 6) age=0 team=1 flag=\"GM\" life=3.5"},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kPlay, "0027 7362 0301053f80000040000000404000004080000040a0000040c0000000000000ffff005040600000",
     "MsgShotBegin player=3 shot=261 pos=(1 2 3) vel=(4 5 6) age=0 team=-1 flag=\"\"+tail2 life=3.5"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "002c 7362 7f0000011422000301053f80000040000000404000004080000040a0000040c0000000000000000a40600000",
     "MsgShotBegin player={ip=(127 0 0 1) port=5154 number=3} shot=261 pos=(1 2 3) vel=(4 5 6) age=0 flag=10 life=3.5"},
    {"2.4", Way::kToClient, Lane::kDatagram, Stage::kPlay, "0005 7365 0301050001",
     "MsgShotEnd player=3 shot=261 reason=1"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "000c 7365 7f0000011422000301050001",
     "MsgShotEnd player={ip=(127 0 0 1) port=5154 number=3} shot=261 reason=1"},
    {"2.4", Way::kToServer, Lane::kDatagram, Stage::kPlay, "0022 676d 0301053f80000040000000404000004080000040a0000040c000003f800000000107",
     "MsgGMUpdate player=3 shot=261 pos=(1 2 3) vel=(4 5 6) age=1 team=1 target=7"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "002e 676d 7f0000011422000301053f80000040000000404000004080000040a0000040c000003f8000007f00000114220007",
     "MsgGMUpdate player={ip=(127 0 0 1) port=5154 number=3} shot=261 pos=(1 2 3) vel=(4 5 6) age=1 target={ip=(127 0 0 1) port=5154 number=7}"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "003b 6675 00010002474d00010001ff3f80000040000000000000003f80000040000000404000004080000040a0000040c00000000000004040000041700000",
     "MsgFlagUpdate flags=[{number=2 record={kind=\"GM\" status=1 endurance=1 owner=255 pos=(1 2 0) launch=(1 2 3) landing=(4 5 6) flight_time=0 flight_end=3 initial_velocity=15}}]"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0002 6675 0000",
     "MsgFlagUpdate flags=[]"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0040 6675 0002000a000100017f000001142200033f80000040000000000000003f80000040000000404000004080000040a0000040c00000000000004040000041700000",
     "MsgFlagUpdate flag={number=2 record={kind=10 status=1 endurance=1 owner={ip=(127 0 0 1) port=5154 number=3} pos=(1 2 0) launch=(1 2 3) landing=(4 5 6) flight_time=0 flight_end=3 initial_velocity=15}}"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0002 6766 0002",
     "MsgGrabFlag number=2"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "003a 6766 030002474d00020001033f80000040000000000000003f80000040000000404000004080000040a0000040c00000000000004040000041700000",
     "MsgGrabFlag player=3 flag={number=2 record={kind=\"GM\" status=2 endurance=1 owner=3 pos=(1 2 0) launch=(1 2 3) landing=(4 5 6) flight_time=0 flight_end=3 initial_velocity=15}}"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0048 6766 7f000001142200030002000a000200017f000001142200033f80000040000000000000003f80000040000000404000004080000040a0000040c00000000000004040000041700000",
     "MsgGrabFlag player={ip=(127 0 0 1) port=5154 number=3} flag={number=2 record={kind=10 status=2 endurance=1 owner={ip=(127 0 0 1) port=5154 number=3} pos=(1 2 0) launch=(1 2 3) landing=(4 5 6) flight_time=0 flight_end=3 initial_velocity=15}}"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "000c 6466 3f8000004000000040400000",
     "MsgDropFlag pos=(1 2 3)"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "003a 6466 030002474d00030001033f80000040000000000000003f80000040000000404000004080000040a0000040c00000000000004040000041700000",
     "MsgDropFlag player=3 flag={number=2 record={kind=\"GM\" status=3 endurance=1 owner=3 pos=(1 2 0) launch=(1 2 3) landing=(4 5 6) flight_time=0 flight_end=3 initial_velocity=15}}"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0002 6366 0001",
     "MsgCaptureFlag team=1"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0005 6366 0300000001",
     "MsgCaptureFlag player=3 flag=0 team=1"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "000c 6366 7f0000011422000300000001",
     "MsgCaptureFlag player={ip=(127 0 0 1) port=5154 number=3} flag=0 team=1"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0002 7466 0304",
     "MsgTransferFlag from=3 to=4"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "003b 7466 03040002474d00020001043f80000040000000000000003f80000040000000404000004080000040a0000040c00000000000004040000041700000",
     "MsgTransferFlag from=3 to=4 flag={number=2 record={kind=\"GM\" status=2 endurance=1 owner=4 pos=(1 2 0) launch=(1 2 3) landing=(4 5 6) flight_time=0 flight_end=3 initial_velocity=15}}"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0015 4e66 3f8000004000000040400000000000054c61736572",
     "MsgNearFlag pos=(1 2 3) name=\"Laser\""},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0081 6d67 fe68656c6c6f 00*123",
     "MsgMessage to=254 text=\"hello\""},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0004 6d67 fa686900",
     "MsgMessage to=250 text=\"hi\""},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0009 6d67 03fe01776176657300",
     "MsgMessage from=3 to=254 kind=1 text=\"waves\""},
    {"2.0", Way::kToClient, Lane::kStream, Stage::kPlay, "0008 6d67 03fe68656c6c6f00",
     "MsgMessage from=3 to=254 text=\"hello\""},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kPlay, "0082 6d67 fd0068656c6c6f00ab 00*121",
     "MsgMessage from=253 to=0 text=\"hello\"+tail123"},
    {"wiki", Way::kToServer, Lane::kStream, Stage::kPlay, "008a 6d67 7f00000114220007000168656c6c6f 00*123",
     "MsgMessage to={ip=(127 0 0 1) port=5154 number=7} team=1 text=\"hello\""},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0092 6d67 7f000001142200030000000000000000000068656c6c6f 00*123",
     "MsgMessage from={ip=(127 0 0 1) port=5154 number=3} to={ip=(0 0 0 0) port=0 number=0} team=0 text=\"hello\""},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "000b 7376 0001045f666f6f03312e35",
     "MsgSetVar variables=[{name=\"_foo\" value=\"1.5\"}]"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0004 746f ffffffff",
     "MsgTimeUpdate seconds=-1"},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kPlay, "0002 746f 012c",
     "MsgTimeUpdate seconds=300"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0008 6774 000660ac3c09f9cf",
     "MsgGameTime microseconds=1795142718192079"},
    {"2.4", Way::kToClient, Lane::kDatagram, Stage::kPlay, "0002 7069 0001",
     "MsgLagPing number=1"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0002 7069 270f",
     "MsgLagPing number=9999"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0001 7272 c7",
     "MsgReplayReset last=199"},
    {"wiki", Way::kToClient, Lane::kStream, Stage::kPlay, "0001 7272 02",
     "MsgReplayReset last=2"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0009 6672 000100000003612f62",
     "MsgFetchResources resources=[{type=0 url=\"a/b\"}]"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0008 6373 00010004626f6f6d",
     "MsgCustomSound type=1 name=\"boom\""},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0000 7167",
     "MsgQueryGame"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "002c 7167 0001001a00100005000100020003000400050006000700080009000a000b000c000d000e000f001000110012",
     "MsgQueryGame game_type=1 options=26 max_players=16 max_shots=5 sizes=(1 2 3 4 5) observers=6 max_sizes=(7 8 9 10 11) max_observers=12 shake_wins=13 shake_timeout=14 max_player_score=15 max_team_score=16 max_time=17 elapsed=18"},
    {"2.0", Way::kToClient, Lane::kStream, Stage::kPlay, "002a 7167 001b00100005000100020003000400050006000700080009000a000b000c000d000e000f001000110012",
     "MsgQueryGame options=27 max_players=16 max_shots=5 sizes=(1 2 3 4 5) observers=6 max_sizes=(7 8 9 10 11) max_observers=12 shake_wins=13 shake_timeout=14 max_player_score=15 max_team_score=16 max_time=17 elapsed=18"},
    {"1.10", Way::kToClient, Lane::kStream, Stage::kPlay, "0024 7167 001b0010000500010002000300040005000700080009000a000b000d000e000f00100011",
     "MsgQueryGame options=27 max_players=16 max_shots=5 sizes=(1 2 3 4 5) max_sizes=(7 8 9 10 11) shake_wins=13 shake_timeout=14 max_player_score=15 max_team_score=16 max_time=17"},
    {"2.4", Way::kToServer, Lane::kStream, Stage::kPlay, "0000 7170",
     "MsgQueryPlayers"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0004 7170 00080002",
     "MsgQueryPlayers teams=8 players=2"},
    {"2.4", Way::kToServer, Lane::kDatagram, Stage::kPlay, "0001 6f66 03",
     "MsgUDPLinkRequest player=3"},
    {"2.4", Way::kToClient, Lane::kDatagram, Stage::kPlay, "0000 6f66",
     "MsgUDPLinkRequest"},
    {"2.4", Way::kToClient, Lane::kStream, Stage::kPlay, "0000 6f67",
     "MsgUDPLinkEstablished"},
    {"2.4", Way::kToServer, Lane::kDatagram, Stage::kPlay, "0000 6f67",
     "MsgUDPLinkEstablished"},
    {"2.4", Way::kToServer, Lane::kDatagram, Stage::kPlay, "0002 0404 0000",
     "MsgPingCodeRequest zero=0"},
    {"2.4", Way::kToClient, Lane::kDatagram, Stage::kPlay, "0038 0303 425a4653303232317f00000114220001047f0000010001001a000500000000000a0014001e10010800080008000800080209000000000000",
     "MsgPingCodeReply version=\"BZFS0221\" server={ip=(127 0 0 1) port=5154 number=1} family=4 address=(127 0 0 1) game_type=1 options=26 max_shots=5 shake_wins=0 shake_timeout=0 max_player_score=10 max_team_score=20 max_time=30 max_players=16 teams=({count=1 most=8} {count=0 most=8} {count=0 most=8} {count=0 most=8} {count=0 most=8} {count=2 most=9}) pad=000000000000"},
    {"1.10", Way::kToClient, Lane::kDatagram, Stage::kPlay, "0038 0303 425a4653313931307f000001142200017f000001001a000500000000000a0014001e1001080008000800080008020900000000000000007f",
     "MsgPingCodeReply version=\"BZFS1910\" server={ip=(127 0 0 1) port=5154 number=1} address=(127 0 0 1) options=26 max_shots=5 shake_wins=0 shake_timeout=0 max_player_score=10 max_team_score=20 max_time=30 max_players=16 teams=({count=1 most=8} {count=0 most=8} {count=0 most=8} {count=0 most=8} {count=0 most=8} {count=2 most=9}) pad=000000000000 more_pad=0000 last_pad=7f"},
};
// clang-format on

Buffer bytes_of(std::string_view hex) {
  std::string all;
  while (!hex.empty()) {
    const auto star = hex.find("00*");
    all += hex.substr(0, star);
    if (star == std::string_view::npos) break;
    hex.remove_prefix(star + 3);
    const auto digits = std::min(hex.find(' '), hex.size());
    for (int i = std::stoi(std::string(hex.substr(0, digits))); i > 0; --i) all += "00";
    hex.remove_prefix(digits);
  }
  return from_hex(all);
}

std::string line_of(wire::Codec& codec, const Frame& frame) {
  const auto row = codec.decode(frame);
  if (!row) return std::string(row.error().what) + " " + row.error().field + " " + std::to_string(row.error().offset);
  std::string line;
  print(**row, codec, line);
  return line;
}

TEST_CASE("every message decodes to its line, and encodes to the same bytes") {
  for (const Case& c : kCases) {
    INFO(std::string(c.dialect), " ", std::string(c.hex));
    const auto codec = game().codec(dialect_of(c.dialect));
    const Buffer bytes = bytes_of(c.hex);
    CHECK(line_of(*codec, {c.way, c.lane, c.stage, bytes}) == c.line);
    Buffer again;
    codec->encode(again);
    CHECK(to_hex(again) == to_hex(bytes));
  }
}

TEST_CASE("every message has a case in the table, in a dialect that has it") {
  const auto codec = game().codec(0);
  for (const wire::Row& row : codec->rows()) {
    if (row.stage == Stage::kGreeting) continue;
    for (const Way way : {Way::kToServer, Way::kToClient}) {
      if ((row.ways & static_cast<std::uint8_t>(way)) == 0) continue;
      const bool found = std::any_of(std::begin(kCases), std::end(kCases), [&](const Case& c) {
        return c.way == way && (row.dialects >> dialect_of(c.dialect) & 1U) != 0 && c.line.starts_with(row.name);
      });
      CHECK_MESSAGE(found, std::string(row.name), " ", std::string(text(way)));
    }
  }
}

TEST_CASE("a code that a dialect does not have is unknown, and never mistaken for another") {
  const auto unknown = [](const char* dialect, Way way, std::string_view hex) {
    return line_of(*game().codec(dialect_of(dialect)), {way, Lane::kStream, Stage::kPlay, from_hex(hex)});
  };
  CHECK(unknown("2.4", Way::kToServer, "0000 7a7a") == "unknown message code 0");
  CHECK(unknown("2.4", Way::kToServer, "0000 6f69") == "unknown message code 0");           // MsgServerControl
  CHECK(unknown("2.4", Way::kToServer, "0004 7363 00010001") == "unknown message code 0");  // MsgScore is the server's
  CHECK(unknown("1.10", Way::kToServer, "0000 7773") == "unknown message code 0");          // MsgWantSettings
  CHECK(unknown("wiki", Way::kToClient, "0000 7376") == "unknown message code 0");          // MsgSetVar
  CHECK(unknown("2.4", Way::kToClient, "0000 656e") == "unknown message code 0");           // MsgEnter to the client
}

TEST_CASE("the page has no refusal, and fixes the lane of each message of the UDP link") {
  const auto read = [](const char* dialect, Way way, Lane lane, std::string_view hex, Stage stage = Stage::kPlay) {
    return line_of(*game().codec(dialect_of(dialect)), {way, lane, stage, from_hex(hex)});
  };
  const std::string_view refusal = "524546555345443a6e6f";
  CHECK(read("1.10", Way::kToClient, Lane::kStream, refusal, Stage::kGreeting) == "Refused reason=\"no\"");
  CHECK(read("wiki", Way::kToClient, Lane::kStream, refusal, Stage::kGreeting) == "unknown message code 0");
  CHECK(read("wiki", Way::kToClient, Lane::kStream, "6e6f", Stage::kGreeting) == "unknown message code 0");
  CHECK(read("2.4", Way::kToServer, Lane::kStream, "0001 6f66 03") == "MsgUDPLinkRequest player=3");
  CHECK(read("wiki", Way::kToServer, Lane::kStream, "0001 6f66 03") == "unknown message code 0");
  CHECK(read("wiki", Way::kToClient, Lane::kStream, "0000 6f66") == "unknown message code 0");
  CHECK(read("wiki", Way::kToServer, Lane::kStream, "0000 6f67") == "unknown message code 0");
  CHECK(read("wiki", Way::kToClient, Lane::kDatagram, "0000 6f67") == "unknown message code 0");
}

TEST_CASE("a shot has the same number in every message, 65535 is no shot, and statuses of the page are unsigned") {
  const auto read = [](const char* dialect, Way way, std::string_view hex) {
    return line_of(*game().codec(dialect_of(dialect)), {way, Lane::kStream, Stage::kPlay, bytes_of(hex)});
  };
  CHECK(read("2.4", Way::kToServer, "0022 676d 03dda2 00*28 0001 07").starts_with("MsgGMUpdate player=3 shot=56738 "));
  CHECK(read("2.4", Way::kToServer, "0007 6b6c 01 0001 dda2 474d") ==
        "MsgKilled killer=1 reason=1 shot=56738 flag=\"GM\"");
  CHECK(read("2.4", Way::kToServer, "0007 6b6c 01 0003 ffff 0000") ==
        "MsgKilled killer=1 reason=3 shot=65535 flag=\"\"");
  static_assert(kNoShot == 65535);
  CHECK(read("wiki", Way::kToServer, "002a 7075 7f00000114220003 8001 00*32").find(" status=32769 ") !=
        std::string::npos);
}

TEST_CASE("chat of the page has 128 bytes; chat of real programs has any length") {
  const auto read = [](const char* dialect, std::string_view hex) {
    return line_of(*game().codec(dialect_of(dialect)), {Way::kToServer, Lane::kStream, Stage::kPlay, bytes_of(hex)});
  };
  CHECK(read("wiki", "008a 6d67 7f00000114220007 0001 6869 00*126").ends_with(" team=1 text=\"hi\""));
  CHECK(read("wiki", "000d 6d67 7f00000114220007 0001 686900") == "message too short text 14");
  CHECK(read("wiki", "008b 6d67 7f00000114220007 0001 6869 00*127") == "bytes left over  142");
  CHECK(read("2.4", "0004 6d67 fe686900") == "MsgMessage to=254 text=\"hi\"");
}

TEST_CASE("a team's score is written with the page's code, unless another is given") {
  const auto codec = game().codec(dialect_of("wiki"));
  const auto& typed_codec = dynamic_cast<const wire::MessageCodec<Message>&>(*codec);
  Buffer drawn, chosen;
  typed_codec.write(OneTeamUpdate{1, 3, 2, 4, 5}, Way::kToClient, drawn);
  typed_codec.write(OneTeamUpdate{1, 3, 2, 4, 5}, Way::kToClient, chosen, OneTeamUpdate::kCode);
  CHECK(to_hex(drawn) == "000a746f00010003000200040005");
  CHECK(to_hex(chosen) == "000a747500010003000200040005");
}

TEST_CASE("a message that is too short or too long is a fault with field and offset") {
  const auto fault = [](const char* dialect, Way way, std::string_view hex) {
    return line_of(*game().codec(dialect_of(dialect)), {way, Lane::kStream, Stage::kPlay, from_hex(hex)});
  };
  CHECK(fault("2.4", Way::kToClient, "0001 7061 03") == "message too short paused 5");
  CHECK(fault("2.4", Way::kToClient, "0003 7061 030100") == "bytes left over  6");
  CHECK(fault("2.4", Way::kToClient, "0002 7376 ffff") == "count exceeds the bytes left variables 6");
  CHECK(fault("2.4", Way::kToServer, "0009 6b6c fd7064ffff00000000") == "message too short driver 11");
  CHECK(fault("wiki", Way::kToClient, "0003 746f 000102") == "bytes left over  6");
  CHECK(fault("1.10", Way::kToClient, "000a 746f 00010003000200040005") == "bytes left over  6");
}

}  // namespace
}  // namespace entente::bzflag::messages_test
