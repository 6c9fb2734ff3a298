// `entente reproduce`: a bridge's recording is reproduced, differences are shown, and the error of a file that cannot
// be reproduced has the reason.
#include "proxy/program/reproduce/reproduce.h"

#include <doctest/doctest.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "proxy/program/base/interruption.h"
#include "proxy/program/conversion/convert.h"
#include "proxy/program/reproduce/recorded_link.h"
#include "proxy/relay/tap/recording_files.h"
#include "proxy/trace/recording.h"
#include "tests/program/folder.h"
#include "tests/program/native_client.h"
#include "tests/program/recorded.h"
#include "tests/support/listening.h"
#include "tests/support/pattern.h"
#include "tests/support/process.h"

namespace entente::reproduce_test {
namespace {

const std::string kEntente = testing::entente_binary();

struct Said {
  int exit;
  std::string out, err;
};

Said reproduced(const std::string& file, bool json = false, const std::string& small = "", core::Micros age = 0) {
  std::ostringstream out, err;
  Progress quiet(nullptr);
  const int exit = reproduce({file, json, small, age}, quiet, out, err);
  return {exit, out.str(), err.str()};
}

std::string last_line(const std::string& text) {
  return text.empty() ? "" : text.substr(text.rfind('\n', text.size() - 2) + 1);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

bool is_json(const std::string& text) {
  google::protobuf::Struct any;
  return google::protobuf::util::JsonStringToMessage(text, &any).ok();
}

// -- Kept recordings -------------------------------------------------------------------------------------------------

/// Changes an event of a recording; returns false to leave it out of the copy.
using Change = std::function<bool(trace::Frame*, trace::Calls*, trace::Opened*)>;
/// Adds something before a frame, given how many frames there were before it.
using Insert = std::function<void(trace::Recorder&, WallTime, int frames)>;

std::string changed(const Folder& folder, const std::string& from, const Change& change,
                    const std::string& name = "changed.mcap", const Insert& insert = {}, bool with_closings = true) {
  const std::string path = folder.file(name);
  std::filesystem::remove(path);  // from the previous call
  const auto to = recorder(path);
  const auto recording = trace::Recording::open(from);
  REQUIRE(recording.ok());
  (*recording)->with_calls();
  WallTime last = 0;
  int frames = 0;
  for (;;) {
    const auto event = (*recording)->next();
    REQUIRE(event.ok());
    if (*event == nullptr) break;
    last = (*event)->time;
    if ((*event)->opened != nullptr) {
      trace::Opened opened = *(*event)->opened;
      if (change(nullptr, nullptr, &opened)) to->opened(last, opened);
    }
    if ((*event)->frame != nullptr) {
      if (insert) insert(*to, last, frames++);
      trace::Frame frame = *(*event)->frame;
      if (!change(&frame, nullptr, nullptr)) continue;
      trace::FrameView view{frame.link(), frame.way(), frame.lane(), as_bytes(frame.data()), frame.name(), frame.raw()};
      view.joined = frame.joined();
      view.missing = {frame.frames_missing(), frame.bytes_missing()};
      to->frame(last, view);
    }
    if ((*event)->calls != nullptr) {
      trace::Calls calls = *(*event)->calls;
      if (!change(nullptr, &calls, nullptr)) continue;
      const std::string bytes = calls.SerializeAsString();
      to->calls(last, as_bytes(bytes));
    }
    if ((*event)->closed != nullptr && with_closings)
      to->closed(last, (*event)->closed->link(), (*event)->closed->reason());
  }
  REQUIRE(to->close(last).ok());
  return path;
}

/// A recording that was made with a folder of maps has the folder beside it as NAME.maps. Returns a copy of the
/// recording that refers to that folder.
std::string with_maps(const Folder& folder, const std::filesystem::path& file) {
  const std::string maps = std::filesystem::path(file).replace_extension(".maps").string();
  if (!std::filesystem::is_directory(maps)) return file.string();
  const auto set = [&](trace::Frame*, trace::Calls* calls, trace::Opened*) {
    if (calls != nullptr)
      for (auto& detail : *calls->mutable_details())
        if (detail.has_began()) (*detail.mutable_began()->mutable_back()->mutable_settings())["maps"] = maps;
    return true;
  };
  return changed(folder, file.string(), set, file.filename().string());
}

std::vector<std::string> kept() {
  static const Folder copies;
  static const std::vector<std::string> files = [] {
    std::vector<std::string> found;
    std::error_code missing;
    for (const auto& one : std::filesystem::directory_iterator(trace_file("bridges"), missing))
      if (one.path().extension() == ".mcap") found.push_back(with_maps(copies, one.path()));
    std::sort(found.begin(), found.end());
    return found;
  }();
  return files;
}

TEST_CASE("each front and each back sends the same frames as when tests/traces/bridges was recorded") {
  const auto files = kept();
  REQUIRE(files.size() > 10);
  std::set<std::string> fronts, backs;
  for (const std::string& file : files) {
    const Said said = reproduced(file);
    CHECK_MESSAGE(said.exit == kOk, file << ":\n"
                                         << said.out << said.err
                                         << "If the change is intended, record them again: tests/traces/README.md");
    for (const auto& pair : testing::all_matches(said.out, R"((\w+) [\w.-]+ on (\w+) )"))
      fronts.insert(pair[1]), backs.insert(pair[2]);
  }
  const std::set<std::string> games = {"aos", "bzdraft", "bzflag", "ogar", "panic"};
  CHECK(fronts == games);
  CHECK(backs == games);
}

/// Ages of rooms: the sessions, which are longer than 8 s, pass the end of a counter of 31 or 32 bits of microseconds,
/// milliseconds, 10 ms and seconds (36 minutes, 72 minutes, 25 days, 50 days, 248 days, 136 years). Each is a multiple
/// of 6 s, as what a front sends at regular times depends on when the room began.
std::vector<core::Micros> ages() {
  constexpr core::Micros kBefore = 2 * core::kSecond, kMultiple = 6 * core::kSecond;
  std::vector<core::Micros> found;
  for (const core::Micros unit : {core::Micros{1}, core::kMillisecond, 10 * core::kMillisecond, core::kSecond})
    for (const unsigned bits : {31U, 32U}) found.push_back(((unit << bits) - kBefore) / kMultiple * kMultiple);
  return found;
}

TEST_CASE("a room that is old when its session begins sends the same frames as a young one") {
  for (const std::string& file : kept())
    for (const core::Micros age : ages()) {
      const Said said = reproduced(file, false, "", age);
      CHECK_MESSAGE(said.exit == kOk, file << " at the age of " << age / core::kSecond << " s:\n"
                                           << said.out << said.err);
    }
}

// -- New recordings --------------------------------------------------------------------------------------------------

TEST_CASE("secrets are compared in the blanked form that the recording has") {
  const Folder folder;
  const std::string file = folder.file("a.mcap");
  Process place({kEntente, "arena", "--listen", "bzflag://127.0.0.1:0?dialect=2.4"});
  Process bridge({kEntente, "proxy", "--listen", "native://127.0.0.1:0?dialect=json", "--to",
                  "bzflag://127.0.0.1:" + std::to_string(testing::listening_port(place, "bzflag 2.4")) + "?dialect=2.4",
                  "--record", file});
  {
    NativeClient anna(testing::listening_port(bridge, "native json"));
    anna.says(R"({"enter":{"name":"anna","password":"sesame","token":"12345"}})"
              "\n");
    REQUIRE(anna.hears([](const auto& fact) { return fact.has_ready(); }).has_value());
    anna.says(R"({"say":{"text":"/password sesame"}})"
              "\n");
    anna.says(R"({"say":{"text":"hello"}})"
              "\n");
    CHECK(anna.hears([](const auto& fact) { return fact.has_said() && fact.said().text() == "hello"; }).has_value());
  }
  bridge.signal(SIGTERM);
  CHECK(bridge.wait() == 0);
  const Said said = reproduced(file);
  CHECK_MESSAGE(said.exit == kOk, said.out << said.err);
  CHECK(has(said.out, "link 1: \"anna\", native json on bzflag 2.4, "));
}

// -- Differences -----------------------------------------------------------------------------------------------------

/// A recording of a client of BZFlag on a server of Panic.
std::string example() {
  for (const std::string& file : kept())
    if (has(file, "/bzflag-panic")) return file;
  return "";
}

/// True for the frame of this name that has `left` such frames before it.
struct Nth {
  std::string name;
  int left;
  bool operator()(const trace::Frame* frame) { return frame != nullptr && frame->name() == name && left-- == 0; }
};

TEST_CASE("a changed frame is shown with its fields and the frame before it") {
  const Folder folder;
  Nth third{"MsgPlayerUpdate", 2};
  const std::string file = changed(folder, example(), [&](trace::Frame* frame, auto*, auto*) {
    if (frame != nullptr && frame->way() == trace::TO_CLIENT && third(frame))
      (*frame->mutable_data())[frame->data().size() - 4] ^= 0x40;  // the first byte of a number
    return true;
  });
  const Said said = reproduced(file);
  CHECK(said.exit == kFailed);
  CHECK_MESSAGE(has(last_line(said.out), " changed=1 missing=0 extra=0"), said.out);
  CHECK(has(said.out, "  first difference at "));
  CHECK(has(said.out, " s, to the client (link "));
  CHECK(has(said.out, "), after "));
  CHECK(has(said.out, "\n  expected: MsgPlayerUpdate "));
  CHECK(has(said.out, "\n  got:      MsgPlayerUpdate "));
  CHECK(has(said.out, " -> "));
  const Said json = reproduced(file, true);
  CHECK(json.exit == kFailed);
  CHECK(has(json.out, R"("first":{"at":)"));
  CHECK(has(json.out, R"(,"expected":"MsgPlayerUpdate )"));
  const std::string all = json.out.substr(json.out.rfind(']'));
  CHECK(all.starts_with(R"(],"same":0,"different":1,"failed":0,"fed":)"));
  CHECK(all.ends_with(R"(,"changed":1,"missing":0,"extra":0})"
                      "\n"));
}

TEST_CASE("a number that another C library rounds differently is not a difference") {
  const Folder folder;
  Nth third{"MsgPlayerUpdate", 2};
  const Said said = reproduced(changed(folder, example(), [&](trace::Frame* frame, auto*, auto*) {
    if (frame != nullptr && frame->way() == trace::TO_CLIENT && third(frame)) frame->mutable_data()->back() ^= 1;
    return true;
  }));
  CHECK_MESSAGE(said.exit == kOk, said.out);
  CHECK_MESSAGE(has(last_line(said.out), " rounded=1 changed=0 missing=0 extra=0"), said.out);
}

TEST_CASE("a frame more or less does not make other frames different") {
  const Folder folder;
  Nth gone{"MsgPlayerUpdate", 4};
  const Said extra = reproduced(changed(folder, example(), [&](trace::Frame* frame, auto*, auto*) {
    return frame == nullptr || frame->way() != trace::TO_CLIENT || !gone(frame);
  }));
  CHECK(extra.exit == kFailed);
  CHECK_MESSAGE(has(last_line(extra.out), " changed=0 missing=0 extra=1"), extra.out);
  CHECK(has(extra.out, "\n  expected: nothing\n  got:      MsgPlayerUpdate "));
}

TEST_CASE("differences in the frames to the server are found") {
  const Folder folder;
  bool first = true;
  const Said said = reproduced(changed(folder, example(), [&](trace::Frame*, trace::Calls* calls, auto*) {
    if (calls != nullptr && std::exchange(first, false))
      calls->mutable_details(0)->mutable_began()->mutable_back()->set_dialect("mixed");
    return true;
  }));
  CHECK(said.exit == kFailed);
  CHECK_MESSAGE(has(said.out, " s, to the server"), said.out);
}

// -- Failures --------------------------------------------------------------------------------------------------------

void fails(const std::string& file, std::string_view why) {
  const Said said = reproduced(file);
  CHECK(said.exit == kFailed);
  CHECK_MESSAGE(has(said.out + said.err, why), said.out << said.err);
}

TEST_CASE("the error about a file without a bridge says that there is nothing to play again") {
  const Folder folder;
  fails(trace_file("aos/betterspades-start.pcap"), "is not a recording of Entente; there is nothing to play again\n");
  fails(folder.file("none.mcap"), "none.mcap");
  {
    const auto relay = recorder(folder.file("relay.mcap"));
    relay->opened(1, opening(1, "panic", "be-packed"));
    record(*relay, 1, trace::TO_SERVER, "00", 2);
    REQUIRE(relay->close(3).ok());
  }
  fails(folder.file("relay.mcap"), "nothing was translated in this recording");
  Process arena(
      {kEntente, "arena", "--listen", "native://127.0.0.1:0?dialect=json", "--record", folder.file("b.mcap")});
  {
    NativeClient anna(testing::listening_port(arena, "native json"));
    anna.says("{\"enter\":{\"name\":\"anna\"}}\n");
    CHECK(anna.hears([](const auto& fact) { return fact.has_ready(); }).has_value());
  }
  arena.signal(SIGTERM);
  CHECK(arena.wait() == 0);
  fails(folder.file("b.mcap"), "this is the recording of an arena or a replay");
}

TEST_CASE("the error about an incomplete recording names the missing part") {
  const Folder folder;
  int calls = 0;
  const auto each_calls = [&](const std::function<bool(int number, trace::Calls&)>& change) {
    calls = 0;
    return changed(folder, example(),
                   [&](trace::Frame*, trace::Calls* one, auto*) { return one == nullptr || change(calls++, *one); });
  };
  fails(each_calls([](int, auto&) { return false; }), "nothing was translated");  // and there are no words
  fails(each_calls([](int number, auto&) { return number != 0; }), "the session began before the file");
  fails(each_calls([](int number, auto&) { return number != 1; }), "a part of its room's calls is not recorded");
  const auto began = [&](const std::function<void(trace::RoomBegan&)>& change) {
    return each_calls([&](int, trace::Calls& one) {
      if (one.details_size() > 0 && one.details(0).has_began()) change(*one.mutable_details(0)->mutable_began());
      return true;
    });
  };
  fails(began([](auto& one) { one.mutable_front()->set_game("chess"); }), "the game 'chess' is not supported");
  fails(began([](auto& one) { one.mutable_back()->set_dialect("le"); }), "panic has no dialect 'le'");
  fails(began([](auto& one) { (*one.mutable_back()->mutable_settings())["leave"] = "now"; }), "the setting leave=now ");
  fails(began([](auto& one) { (*one.mutable_back()->mutable_settings())["left"] = "x"; }),
        "panic has no setting 'left'");
  fails(changed(folder, example(),
                [](auto*, auto*, trace::Opened* opened) { return opened == nullptr || opened->game() != "panic"; }),
        ", of its server, is not in the file");
  fails(changed(folder, example(),
                [](auto*, auto*, trace::Opened* opened) { return opened == nullptr || opened->game() != "bzflag"; }),
        "the link is not in the file");
  int frames = 0;
  fails(changed(folder, example(),
                [&](trace::Frame* frame, auto*, auto*) {
                  return frame == nullptr || frame->way() != trace::TO_SERVER || ++frames < 30;
                }),
        " are not recorded");
}

TEST_CASE("a recording that was cut off is reproduced up to its end, and the command fails") {
  const Folder folder;
  std::ifstream file(example(), std::ios::binary);
  std::stringstream all;
  all << file.rdbuf();
  const std::string cut = folder.write("cut.mcap", all.str().substr(0, all.str().size() * 9 / 10));
  const Said said = reproduced(cut);
  CHECK(said.exit == kFailed);
  CHECK(said.err.starts_with("entente reproduce: "));
  CHECK_FALSE(has(said.out, "first difference"));
}

// -- As all long commands --------------------------------------------------------------------------------------------

TEST_CASE("the command shows its progress, and a signal ends it") {
  std::ostringstream terminal, out, err;
  Progress progress(&terminal, std::chrono::milliseconds(0));
  CHECK(reproduce({example(), false, ""}, progress, out, err) == kOk);
  CHECK(has(terminal.str(), "\rreproducing bzflag-panic"));
  CHECK(terminal.str().ends_with("\r\x1b[K"));
  const Interruption interruption;
  REQUIRE(std::raise(SIGTERM) == 0);
  const Said said = reproduced(example());
  CHECK(said.exit == kFailed);
  CHECK(said.err == "entente reproduce: interrupted\n");
  CHECK(said.out == "");
}

TEST_CASE("a small copy is reproduced with the same result") {
  const Folder folder;
  const Said said = reproduced(example(), false, folder.file("small.mcap"));
  CHECK(said.exit == kOk);
  CHECK(reproduced(folder.file("small.mcap")).out == said.out);
}

/// The links of a recording with their ends, all that is known of the frames of one link, and the last time.
std::vector<std::string> contents_of(const std::string& path, std::uint32_t link) {
  const auto recording = trace::Recording::open(path);
  REQUIRE(recording.ok());
  std::vector<std::string> all;
  WallTime last = 0;
  for (;;) {
    const auto event = (*recording)->next();
    REQUIRE(event.ok());
    if (*event == nullptr) break;
    const std::string at = std::to_string((*event)->time) + " ";
    if (const auto* opened = (*event)->opened) all.push_back(at + opened->ShortDebugString());
    if (const auto* closed = (*event)->closed) all.push_back(at + closed->ShortDebugString());
    if (const auto* frame = (*event)->frame; frame != nullptr && frame->link() == link)
      all.push_back(at + frame->ShortDebugString());
    last = std::max(last, (*event)->time);
  }
  all.push_back(std::to_string(last));
  return all;
}

TEST_CASE("a small copy has all links, their ends, and all that is known of each frame") {
  constexpr std::uint32_t kRelay = 99;
  const Folder folder;
  const std::string file = changed(
      folder, example(), [](auto*, auto*, auto*) { return true; }, "both.mcap",
      [](trace::Recorder& to, WallTime time, int before) {
        if (before == 0) to.opened(time, opening(kRelay, "aos", "0.75"));
        if (before != 3) return;
        trace::FrameView view{kRelay, trace::TO_SERVER, trace::DATAGRAM, as_bytes(std::string_view("hello")), "a name",
                              false};
        view.delivery = trace::UNSEQUENCED;
        view.channel = 2;
        view.missing = {3, 50};
        view.joined = true;
        to.frame(time, view);
        to.closed(time, kRelay, "idle");
      });
  REQUIRE(reproduced(file, false, folder.file("small.mcap")).exit == kOk);
  const auto all = contents_of(file, kRelay);
  CHECK(all.size() > 5);
  CHECK(contents_of(folder.file("small.mcap"), kRelay) == all);
}

TEST_CASE("the first file of a rotation is reproduced up to its end, and so is its small copy") {
  for (const int in_first : {20, 60, 120}) {  // before and after the first calls of the session are written
    CAPTURE(in_first);
    const Folder folder;
    int frames = 0;
    const std::string first = changed(
        folder, example(), [&](trace::Frame* frame, auto*, auto*) { return frame == nullptr || frames++ < in_first; },
        "first.mcap",
        [in_first](trace::Recorder& to, WallTime time, int before) {
          if (before == in_first) to.note(time, 0, relay::kContinuesIn + "first-2.mcap");
        },
        false);
    REQUIRE(frames > in_first);
    const Said said = reproduced(first, false, folder.file("small.mcap"));
    CHECK_MESSAGE(said.exit == kOk, said.out << said.err);
    const Said again = reproduced(folder.file("small.mcap"));
    CHECK_MESSAGE(again.exit == kOk, again.out << again.err);
    CHECK(again.out == said.out);
  }
}

TEST_CASE("a full disk leaves no small copy, and is an error") {
  const Folder folder;
  const std::string whole = folder.file("whole.mcap");
  REQUIRE(reproduced(example(), false, whole).exit == kOk);
  const std::string blocks = std::to_string(std::filesystem::file_size(whole) / 2 / 512);
  const Ended limited = run({"/bin/sh", "-c", "ulimit -f " + blocks + "; exec \"$0\" reproduce \"$1\" --small \"$2\"",
                             kEntente, example(), folder.file("small.mcap")});
  CHECK(limited.code == kFailed);
  CHECK_MESSAGE(has(limited.err, "small.mcap is not written: "), limited.err);
  CHECK(folder.names() == std::set<std::string>{"whole.mcap"});
}

TEST_CASE("a bridge's session that is silent while a relay passes much is reproduced") {
  constexpr std::uint32_t kRelay = 99;
  const Folder folder;
  const std::string file = changed(
      folder, example(), [](auto*, auto*, auto*) { return true; }, "busy.mcap",
      [](trace::Recorder& to, WallTime time, int before) {
        if (before != 0) return;  // the session has said nothing yet
        const Buffer much(1U << 20U);
        to.opened(time, opening(kRelay, "panic", "be-packed"));
        for (int i = 0; i < 65; ++i) to.frame(time, {kRelay, trace::TO_SERVER, trace::STREAM, much, "", true});
      });
  const Said said = reproduced(file);
  CHECK_MESSAGE(said.exit == kOk, said.out << said.err);
}

TEST_CASE("no small copy is left behind if the recording cannot be reproduced, or the command is interrupted") {
  const Folder folder;
  const std::string relayed = folder.file("relayed.mcap");
  std::ostringstream out, err;
  REQUIRE(convert({{.file = trace_file("bzflag/bzfs2426-bzadmin-chat.pcap")}, relayed}, out, err) == kOk);
  CHECK(reproduced(relayed, false, folder.file("small.mcap")).exit == kFailed);
  const Interruption interruption;
  REQUIRE(std::raise(SIGTERM) == 0);
  CHECK(reproduced(example(), false, folder.file("small.mcap")).exit == kFailed);
  CHECK(folder.names() == std::set<std::string>{"relayed.mcap"});
}

TEST_CASE("a session in JSON has its player, its sides, its length and its figures, and what is wrong with it") {
  const Folder folder;
  const auto one_session = [](const std::string& file) {
    const std::string out = reproduced(file, true).out;
    CHECK(is_json(out));
    const std::size_t begin = out.find("{\"link\":");
    return out.substr(begin, out.rfind(']') - begin);
  };
  const std::string good = one_session(example());
  const std::string text = reproduced(example()).out;
  const auto shown = testing::all_matches(text, R"re(link \d+: "([^"]*)", (.*) on (.*), [\d:.]+[^:]*: fed=(\d+))re");
  REQUIRE_MESSAGE(shown.size() == 1, text);
  for (const auto& [name, at] : {std::pair{"player", 1}, std::pair{"front", 2}, std::pair{"back", 3}}) {
    const std::string member = std::string(",\"") + name + "\":\"" + shown[0][static_cast<std::size_t>(at)] + "\"";
    CHECK_MESSAGE(has(good, member), member << " in " << good);
  }
  CHECK(testing::all_matches(good, R"re("seconds":\d+\.\d{6},"fed":\d+,"equal":\d+,)re").size() == 1);
  CHECK(good.ends_with(R"("changed":0,"missing":0,"extra":0,"closed_differently":0})"));

  Nth third{"MsgPlayerUpdate", 2};
  const std::string different = one_session(changed(folder, example(), [&](trace::Frame* frame, auto*, auto*) {
    if (frame != nullptr && frame->way() == trace::TO_CLIENT && third(frame))
      (*frame->mutable_data())[frame->data().size() - 4] ^= 0x40;
    return true;
  }));
  for (const char* member : {R"(,"first":{"at":)", R"(,"where":"to the client (link )", R"(,"after":")",
                             R"(,"expected":"MsgPlayerUpdate )", R"(,"got":"MsgPlayerUpdate )", R"(,"fields":")"})
    CHECK_MESSAGE(has(different, member), member);
  CHECK_FALSE(has(different, R"(,"after":"")"));
  CHECK_FALSE(has(different, R"(,"problem":)"));

  int calls = 0;
  const std::string failed = one_session(
      changed(folder, example(), [&](auto*, trace::Calls* one, auto*) { return one == nullptr || calls++ != 1; }));
  CHECK(has(failed, R"(,"problem":"a part of its room's calls is not recorded)"));
}

TEST_CASE("of a link that is ignored no frame waits, and its last time is known") {
  RecordedLink link(opening(7, "panic", "be-packed"));
  trace::Frame frame;
  frame.set_data("12345");
  frame.set_way(trace::TO_SERVER);
  link.add(frame, 10);
  frame.set_way(trace::TO_CLIENT);
  link.add(frame, 11);
  CHECK(link.waits_since() == 10);
  CHECK(link.waiting_bytes() >= 10);
  (void)link.take(wire::Way::kToServer);
  CHECK(link.waits_since() == 11);
  link.ignore();
  CHECK(link.waiting_bytes() == 0);
  CHECK_FALSE(link.waits_since().has_value());
  link.add(frame, 12);
  CHECK(link.next_frame(wire::Way::kToClient) == nullptr);
  CHECK(link.waiting_bytes() == 0);
  CHECK(link.last_time() == 12);
}

}  // namespace
}  // namespace entente::reproduce_test
