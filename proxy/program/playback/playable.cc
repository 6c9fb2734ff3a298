#include "proxy/program/playback/playable.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "proxy/program/base/interruption.h"
#include "proxy/program/base/time_text.h"
#include "proxy/program/clips/join.h"
#include "proxy/program/clips/made_words.h"
#include "proxy/program/conversion/convert_words.h"
#include "proxy/program/conversion/mcap_exporter.h"
#include "proxy/program/conversion/overlaps.h"
#include "proxy/program/import/filter.h"
#include "proxy/program/import/input.h"
#include "proxy/program/log/say.h"
#include "proxy/program/playback/agreement.h"
#include "proxy/program/playback/merged_sessions.h"
#include "proxy/program/storage/words_cache.h"

namespace entente {
namespace {

namespace fs = std::filesystem;
using RecordedFileError = RecordedFile::OpenError;

constexpr std::size_t kMostGaps = 5;    // reasons in an error
constexpr std::size_t kMostOthers = 8;  // sessions in the log

RecordedFileError problem(std::string text) { return {kFailed, std::move(text)}; }

/// McapExporter, as long as the words can be written.
class WordsMaker final : public McapExporter {
 public:
  WordsMaker(const RecordedFile& file, trace::Recorder& recorder, ConvertWords& words)
      : McapExporter(file, recorder, {.frames = false, .words = &words}), recorder_(recorder) {}

  bool enough() const override { return recorder_.failing(); }

 private:
  const trace::Recorder& recorder_;
};

/// Notes when the file begins, from which the times of its words count, too.
class BeginNoter final : public ImportFilter {
 public:
  BeginNoter(ImportSink& to, trace::Recorder& recorder, const std::string& name)
      : ImportFilter(to), recorder_(recorder), name_(name) {}

  void begins(WallTime time) override {
    if (!std::exchange(noted_, true)) recorder_.note(time, 0, "the words of " + name_);
  }
  void opened(ConnectionId id, const ImportedConnection& connection, WallTime time) override {
    begins(time);
    to_.opened(id, connection, time);
  }
  void bytes(const Imported& piece) override { to_.bytes(piece); }

 private:
  trace::Recorder& recorder_;
  const std::string& name_;
  bool noted_ = false;
};

/// The words of a file, made in a file without a name.
struct ScratchWords {
  std::shared_ptr<trace::ScratchFile> file;
  std::string damage;             ///< why the rest of the original cannot be read
  std::vector<std::string> gaps;  ///< why something has no words
  bool empty = false;             ///< no frame has words
};

class Opening {
 public:
  explicit Opening(const PlayableOptions& options)
      : options_(options),
        input_(options.input),
        name_(input_.file + others()),
        shown_(fs::path(input_.file).filename().string() + others()),
        progress_(options.terminal, options.patience) {
    input_.shown = shown_;
  }
  ~Opening() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

  Expected<std::unique_ptr<PlayedWords>, RecordedFileError> open() {
    auto found = find();
    if (!found) return found.error();
    return choose(std::move(*found));
  }

  /// The sessions of the file.
  Expected<RecordedSessions, RecordedFileError> find() {
    if (!alone())
      if (const auto joined = join(); !joined) return problem(joined.error().text);
    if (const auto why = objection(input_)) return RecordedFileError{kUsage, why->text};
    const auto set = back_settings_of(options_.set);
    if (!set) return RecordedFileError{kUsage, set.error().text};
    const auto format = import_format(path_);
    if (!format) return problem(format.error().text);
    if (!is_piped(path_)) metadata_ = words_cache_metadata(input_, *set);
    if (!metadata_) return problem(metadata_.error().text);

    if (auto kept = can_keep() ? find_words_cache(path_, *metadata_) : nullptr) {
      auto found = look_into(std::move(kept), "reading the words of");
      if (!found) return found;
      if (!found->sessions.empty() && found->damage.empty()) {
        log_info("{}: using the words in {}", path_, words_cache_of(path_).string());
        return found;
      }
    }
    if (*format == ImportFormat::kMcap) {
      const auto at = input_path(path_);
      if (!at) return problem(at.error().text);
      auto file = trace::FileSource::open(*at, path_);
      if (!file) return problem(file.error().text);
      auto found = look_into(std::move(*file), "reading");
      if (!found || !found->sessions.empty()) return found;
    }
    return make(*set);
  }

 private:
  bool alone() const { return options_.more.empty(); }
  /// Whether its words can be kept beside it.
  bool can_keep() const { return alone() && !options_.temporary && !is_piped(path_); }
  std::string others() const { return alone() ? "" : " and " + std::to_string(options_.more.size()) + " more"; }

  /// Makes one recording of all, which is read instead.
  Outcome<Done> join() {
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    std::string folder = (error ? fs::path("/tmp") : temporary) / "entente-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) return Error{"cannot create a folder in " + temporary.string()};
    folder_ = folder;
    std::vector<std::string> files{input_.file};
    files.insert(files.end(), options_.more.begin(), options_.more.end());
    input_.file = folder_ + "/joined.mcap";
    const auto joined = join_recordings(files, input_.file, progress_);
    if (!joined) return joined.error();
    return joined->without_words.empty() ? Outcome<Done>(Done{}) : join_translated(files, joined->without_words);
  }

  /// Some files have words, and others do not: these are translated first.
  Outcome<Done> join_translated(std::vector<std::string> files, const std::vector<std::string>& without) {
    std::string frames = without.front();
    if (without.size() > 1) {  // files of a rotation may be among them
      frames = folder_ + "/frames.mcap";
      if (const auto joined = join_recordings(without, frames, progress_); !joined) return joined.error();
    }
    const MadeWords words({.file = frames}, folder_ + "/frames", "", progress_, options_.set);
    if (Interruption::came()) return Error{"interrupted"};
    if (!words.unwritten().empty()) return Error{words.unwritten()};
    if (!words.damage().empty()) return Error{words.damage()};
    std::istringstream lines(words.said());
    for (std::string line; std::getline(lines, line);) log_warn("{}", line);
    if (!words.made()) return Done{};
    std::erase_if(
        files, [&](const std::string& one) { return std::find(without.begin(), without.end(), one) != without.end(); });
    files.push_back(words.path());
    std::error_code error;
    fs::remove(input_.file, error);
    const auto joined = join_recordings(files, input_.file, progress_);
    return joined ? Outcome<Done>(Done{}) : joined.error();
  }

  Expected<RecordedSessions, RecordedFileError> look_into(std::shared_ptr<trace::Source> file, const char* what) {
    const std::uint64_t size = file->size();
    progress_.begin(what + (" " + shown_), size);
    RecordedSessions found = RecordedSessions::find(std::move(file), progress_);
    progress_.clear();
    if (Interruption::came()) return problem("interrupted");
    return found;
  }

  /// How many sessions the file has: those with words, and those that were not translated.
  std::size_t sessions_of(const RecordedSessions& found) const { return found.sessions.size() + left_out_.sessions; }

  Expected<std::unique_ptr<PlayedWords>, RecordedFileError> choose(RecordedSessions found) const {
    if (options_.link == 0 && found.sessions.size() > 1) {
      for (const std::string& sentence : compare_sessions(found.sessions, found.start))
        log_info("{}: {}", name_, sentence);
      if (auto merged = MergedSessions::open(found)) {
        tell_joined(found, merged->text());
        return std::unique_ptr<PlayedWords>(std::move(merged));
      }
      if (auto joined = JoinedSessions::open(found)) {
        tell_joined(found, joined->text());
        return std::unique_ptr<PlayedWords>(std::move(joined));
      }
    }
    auto session = RecordedSession::open(found, options_.link != 0 ? std::optional(options_.link) : std::nullopt);
    if (!session) return problem(session.error().text);
    if (options_.link == 0 && sessions_of(found) > 1) tell_others(found, (*session)->about());
    return std::unique_ptr<PlayedWords>(std::move(*session));
  }

  void tell_joined(const RecordedSessions& found, const std::string& who) const {
    log_info("{} hold{} {} sessions, played as one: {}. {} N plays one alone", name_, alone() ? "s" : "",
             sessions_of(found), who, options_.link_option);
  }

  void tell_others(const RecordedSessions& found, const RecordedSessionInfo& chosen) const {
    std::string others;
    std::size_t listed = 0;
    for (const RecordedSessionInfo& one : found.sessions) {
      if (one.link == chosen.link || ++listed > kMostOthers) continue;
      others += (others.empty() ? "" : ", ") + std::to_string(one.link) + " (" + time_text(one.length()) +
                (one.player.empty() ? "" : ", " + one.player) + ")";
    }
    listed += left_out_.sessions;
    if (const std::size_t untold = listed - std::min(found.sessions.size() - 1, kMostOthers); untold != 0)
      others += (others.empty() ? "" : ", and ") + std::to_string(untold) + " more";
    log_info("{} hold{} {} sessions; link {} was chosen, the longest. {} chooses another: {}", name_,
             alone() ? "s" : "", sessions_of(found), chosen.link, options_.link_option, others);
  }

  Expected<RecordedSessions, RecordedFileError> make(const Settings& set) {
    std::ostringstream remarks;
    const auto file = RecordedFile::open(input_, remarks, &progress_);
    std::istringstream lines(remarks.str());
    for (std::string line; std::getline(lines, line);) log_warn("{}", line);
    if (!file) return file.error();
    if (options_.once && options_.link == 0) left_out_ = overlapped(*file);
    auto made = make_beside_or_elsewhere(*file, set);
    if (!made) return problem(made.error().text);
    const bool long_work = progress_.took_long();
    const double seconds = std::chrono::duration<double>(progress_.elapsed()).count();
    auto found = look_into(made->file, "reading the words of");
    if (!found) return found;
    // The longest connection has words of a part only, or none, or its player never knew the world.
    const bool none_knows =
        std::none_of(found->sessions.begin(), found->sessions.end(), [](auto& one) { return one.ready; });
    if (!left_out_.connections.empty() && (!made->gaps.empty() || none_knows)) {
      left_out_ = {};
      made = make_beside_or_elsewhere(*file, set);
      if (!made) return problem(made.error().text);
      found = look_into(made->file, "reading the words of");
      if (!found) return found;
    }
    if (made->empty || found->sessions.empty()) return problem(nothing_in(*made));
    for (const std::string& gap : made->gaps) log_info("{}: {}", name_, gap);
    if (long_work && !options_.once) tell_kept(*made, seconds);
    if (!made->damage.empty()) found->damage = made->damage;
    return found;
  }

  std::string nothing_in(const ScratchWords& made) const {
    if (!made.damage.empty()) return made.damage;
    std::string text = name_ + (alone() ? " holds" : " hold") + " nothing that can be replayed";
    for (std::size_t i = 0; i < std::min(made.gaps.size(), kMostGaps); ++i)
      text += (i == 0 ? ": " : "; ") + made.gaps[i];
    return text;
  }

  /// Words of a damaged file are not kept, so that the damage is reported again each time the file is played.
  void tell_kept(const ScratchWords& made, double seconds) const {
    const std::string made_in = fmt::format("{}: made words in {:.1f} s", name_, seconds);
    if (!can_keep()) {
      const char* const of = !alone() ? "several files" : options_.temporary ? "a fetched recording" : "a pipe";
      return log_info("{}; words of {} are not kept", made_in, of);
    }
    if (!made.damage.empty()) return log_info("{}; they are not kept, because the file is damaged", made_in);
    const auto kept = keep_words(*made.file, path_);
    if (kept)
      log_info("{}; they are kept in {}", made_in, words_cache_of(path_).string());
    else
      log_info("{}; they cannot be kept: {}", made_in, kept.error().text);
  }

  /// Where the file is, so that the words can be kept there; if that is impossible, in the folder for temporary files.
  Outcome<ScratchWords> make_beside_or_elsewhere(const RecordedFile& file, const Settings& set) {
    const fs::path beside = fs::path(path_).parent_path();
    if (auto made = make_in(beside.empty() ? "." : beside.string(), file, set)) return made;
    std::error_code error;
    const fs::path elsewhere = fs::temp_directory_path(error);
    auto made = make_in(error ? "/tmp" : elsewhere.string(), file, set);
    if (made) return made;
    return Error{"there is no room for the words of " + name_ + ": " + made.error().text};
  }

  std::vector<trace::mcap::Metadata> about_words() const {
    return metadata_->name.empty() ? std::vector<trace::mcap::Metadata>() : std::vector{*metadata_};
  }

  Outcome<ScratchWords> make_in(const std::string& folder, const RecordedFile& file, const Settings& set) {
    std::error_code error;
    const auto mode = static_cast<unsigned>(fs::status(path_, error).permissions()) & 0666U;
    auto scratch = trace::ScratchFile::create(folder, "the words of " + name_, error ? 0600U : mode | 0600U);
    if (!scratch) return scratch.error();
    const auto recorder = trace::Recorder::open((*scratch)->writer(), {.on_full = trace::RecorderOptions::OnFull::kStop,
                                                                       .sync = trace::RecorderOptions::Sync::kNever,
                                                                       .keeps_part = false,
                                                                       .version = ENTENTE_VERSION,
                                                                       .metadata = about_words()});
    if (!recorder) return recorder.error();
    ConvertWords words(**recorder, set);
    WordsMaker maker(file, **recorder, words);
    ConnectionFilter wanted(maker, left_out_.connections);
    BeginNoter noter(wanted, **recorder, shown_);
    const auto read = file.read(noter, "making words of");
    const auto closed = (*recorder)->close(maker.last());
    if (!closed) return closed.error();
    if ((*recorder)->failing() || (*recorder)->lost().bytes != 0) return Error{(*recorder)->why()};
    return ScratchWords{std::move(*scratch), read ? "" : read.error().text, words.gaps(), words.words_of_frames() == 0};
  }

  const PlayableOptions& options_;
  FileOptions input_;
  const std::string& path_ = input_.file;
  const std::string name_;   // for people
  const std::string shown_;  // in one line of a terminal
  std::string folder_;       // for the joined recording; "": there is none
  Progress progress_;
  Overlapped left_out_;  // without words
  Outcome<trace::mcap::Metadata> metadata_ = trace::mcap::Metadata();
};

}  // namespace

Expected<std::unique_ptr<PlayedWords>, RecordedFileError> open_playable(const PlayableOptions& options) {
  return Opening(options).open();
}

Expected<RecordedSessions, RecordedFileError> open_words(const PlayableOptions& options) {
  return Opening(options).find();
}

}  // namespace entente
