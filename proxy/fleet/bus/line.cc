// A line: its messages, subscriptions and questions.
#include <array>
#include <cstdio>
#include <random>
#include <utility>

#include "proxy/fleet/bus/impl.h"

namespace entente::fleet {
namespace {

constexpr Millis kQuestionStep = 50;

/// 128 random bits.
std::string random_token() {
  std::random_device random;
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x%08x%08x", random(), random(), random(), random());
  return text.data();
}

}  // namespace

/// Checks the time limits of questions while there are any.
class BusLine::Timer final : public net::Ticker::User {
 public:
  Timer(net::Loop& loop, BusLine& line) : line_(line), ticker_(loop, *this, kQuestionStep) {}
  void tick(Millis) override { line_.check_time(); }

 private:
  BusLine& line_;
  net::Ticker ticker_;
};

BusLine::BusLine(Bus& bus, net::Loop& loop, Orders orders)
    : bus_(bus),
      loop_(loop),
      orders_(orders),
      mailbox_(loop, *this),
      inbox_(std::make_shared<Inbox>(mailbox_, bus.impl_->most_waiting())) {
  bus_.impl_->join(inbox_);
}

BusLine::~BusLine() {
  inbox_->close();
  bus_.impl_->unwatch_all(inbox_.get());
  // The inbox stays until that is done.
  bus_.impl_->unsubscribe_all(inbox_.get());
}

void BusLine::mail() {
  mailbox_.take(letters_);
  for (Letter& letter : letters_) {
    inbox_->taken(letter.bytes);
    letter.read(*this);
  }
  letters_.clear();
}

void BusLine::on_state(std::function<void(bool)> state) {
  state_ = std::move(state);
  if (connected())
    inbox_->post(0, Inbox::Drop::kNever, [](BusLine& line) {
      if (line.state_ && line.connected()) line.state_(true);
    });
}

bool BusLine::publish(const std::string& subject, Bytes bytes, const std::string& reply) {
  return bus_.impl_->publish(subject, reply, Buffer(bytes.begin(), bytes.end()));
}

BusLine::SubscriptionId BusLine::subscribe(const std::string& subject, Heard heard) {
  heard_[++last_] = std::make_shared<Heard>(std::move(heard));
  bus_.impl_->subscribe(last_, subject, inbox_);
  return last_;
}

void BusLine::unsubscribe(SubscriptionId subscription) {
  if (heard_.erase(subscription) != 0) bus_.impl_->unsubscribe(inbox_.get(), subscription);
}

void BusLine::heard(SubscriptionId subscription, const BusMessage& message) {
  const auto to = heard_.find(subscription);
  if (to == heard_.end()) return;
  const auto heard = to->second;  // it may unsubscribe
  (*heard)(message);
}

void BusLine::ask(const std::string& subject, Bytes bytes, Millis within, std::size_t most, Answered answered,
                  const std::string& below) {
  const RequestId number = ++last_;
  const std::string at = (below.empty() ? bus_.impl_->inbox_prefix() : below) + "." + random_token();
  questions_[number] = {std::move(answered), {}, most, loop_.nanos() / 1'000'000 + within};
  bus_.impl_->subscribe(number, at, inbox_, Bus::Impl::Brings::kAnswers);
  if (timer_ == nullptr) timer_ = std::make_unique<Timer>(loop_, *this);
  // Without a connection, it is answered as soon as this call has returned.
  if (!publish(subject, bytes, at))
    inbox_->post(0, Inbox::Drop::kNever, [number](BusLine& line) { line.answered(number, {}, true); });
}

void BusLine::answered(RequestId number, BusMessage message, bool nobody) {
  const auto question = questions_.find(number);
  if (question == questions_.end()) return;
  if (!nobody) question->second.answers.push_back(std::move(message));
  if (nobody || question->second.answers.size() >= question->second.most) finish(question);
}

void BusLine::finish(std::unordered_map<RequestId, Question>::iterator question) {
  const Question done = std::move(question->second);
  bus_.impl_->unsubscribe(inbox_.get(), question->first);
  questions_.erase(question);
  done.answered(done.answers);
}

void BusLine::check_time() {
  const Millis now = loop_.nanos() / 1'000'000;
  std::vector<RequestId> late;
  for (const auto& [number, question] : questions_)
    if (question.until <= now) late.push_back(number);
  for (const RequestId number : late)
    if (const auto question = questions_.find(number); question != questions_.end()) finish(question);
  if (questions_.empty()) timer_.reset();
}

}  // namespace entente::fleet
