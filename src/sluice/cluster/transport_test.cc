// The contract of Transport, tested on this program's transport.
#include "sluice/cluster/transport.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>

#include "sluice/base/strings.h"
#include "sluice/cluster/waiting_for.h"

namespace sluice::cluster {
namespace {

// Methods: "/t/echo" returns its request; "/t/hold" blocks its thread until
// someone calls "/t/free". Streams report their events.
class Echo final : public Service {
 public:
  void Serve(const std::string& method, Payload request,
             std::shared_ptr<ServedCall> call) override {
    if (method == "/t/hold") {
      held.fetch_add(1);
      freed.acquire();
    } else if (method == "/t/free") {
      freed.release(held.load());
    } else if (method == "/t/nobody") {
      return;
    } else if (method != "/t/echo") {
      return call->Refuse(Unimplemented(StrCat("there is no ", method)));
    }
    call->Reply(std::move(request));
  }
  bool IsStream(std::string_view method) const override {
    return method == "/t/stream";
  }
  StreamEvents Accept(const std::string&,
                      std::shared_ptr<Stream> stream) override {
    StreamEvents events;
    events.message = [stream](Payload payload) {
      if (payload.ToString() == "end") {
        return stream->Close(Aborted("as you say"));
      }
      stream->Write(std::move(payload));
    };
    events.closed = [this](const Status& why) { closed.Bring(why); };
    return events;
  }
  std::atomic<int> held{0};
  std::counting_semaphore<> freed{0};
  WaitingFor<Status> closed;
};

class TransportTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<Transport*> found = DefaultTransport();
    ASSERT_TRUE(found.ok()) << found.status().message();
    transport_ = *found;
    auto server = transport_->Listen("127.0.0.1:0", echo_, {});
    ASSERT_TRUE(server.ok()) << server.status().message();
    server_ = *std::move(server);
    channel_ = Connect();
  }
  std::shared_ptr<Channel> Connect() {
    return *transport_->Connect(StrCat("127.0.0.1:", server_->port()), 0, {});
  }

  struct Answer {
    Status status;
    std::string text;
  };
  using Asked = std::shared_ptr<WaitingFor<Answer>>;
  Asked Start(const std::string& method, const std::string& text) {
    auto asked = std::make_shared<WaitingFor<Answer>>();
    channel_->Call(method, Payload(text), 0,
                   [asked](const Status& status, const Payload& payload) {
                     asked->Bring({status, payload.ToString()});
                   });
    return asked;
  }
  Answer Ask(const std::string& method, const std::string& text) {
    Asked asked = Start(method, text);
    channel_->HelpUntil([&] { return asked->there(); });
    return asked->Wait();
  }

  Echo echo_;
  Transport* transport_ = nullptr;
  std::unique_ptr<Server> server_;
  std::shared_ptr<Channel> channel_;
};

TEST_F(TransportTest, AnswersComeWithHelpAndWithout) {
  for (int i = 0; i < 200; ++i) {
    std::string text = std::to_string(i);
    EXPECT_EQ(Ask("/t/echo", text).text, text);
    // No helper, right after another thread has helped.
    EXPECT_EQ(Start("/t/echo", text)->Wait().text, text);
  }
  EXPECT_EQ(Ask("/t/what", "").status.code(), Code::kUnimplemented);
  EXPECT_EQ(Ask("/t/nobody", "").status.code(), Code::kInternal);
}

TEST_F(TransportTest, ManyThreadsHelpAtOnce) {
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        std::string text = StrCat(t, ":", i);
        right += Ask("/t/echo", text).text == text;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 800);
}

// The handler of one call waits for another call to be served.
TEST_F(TransportTest, CallsThatHoldTheirThreadDoNotHoldUpOthers) {
  std::vector<Asked> held;
  for (int i = 0; i < 4; ++i) held.push_back(Start("/t/hold", "h"));
  while (echo_.held.load() < 4) std::this_thread::yield();
  EXPECT_EQ(Ask("/t/echo", "meanwhile").text, "meanwhile");
  EXPECT_EQ(Ask("/t/free", "f").text, "f");
  for (const Asked& asked : held) EXPECT_EQ(asked->Wait().text, "h");
}

TEST_F(TransportTest, StreamsKeepTheirOrderAndTellTheirEnd) {
  std::mutex mu;
  std::string heard;
  auto ended = std::make_shared<WaitingFor<Status>>();
  auto stream = channel_->Open(
      "/t/stream",
      {.message =
           [&](const Payload& payload) {
             std::lock_guard lock(mu);
             heard += payload.ToString();
           },
       .closed = [ended](const Status& why) { ended->Bring(why); }});
  std::string want;
  for (int i = 0; i < 1000; ++i) {
    stream->Write(Payload(std::to_string(i)));
    want += std::to_string(i);
  }
  channel_->HelpUntil([&] {
    std::lock_guard lock(mu);
    return heard.size() == want.size();
  });
  for (;;) {
    std::lock_guard lock(mu);
    if (heard.size() == want.size()) break;
  }
  EXPECT_EQ(heard, want);
  stream->Write(Payload("end"));
  Status why = ended->Wait();
  EXPECT_EQ(why.code(), Code::kAborted) << why.message();
  EXPECT_EQ(echo_.closed.Wait().code(), Code::kAborted);
}

TEST_F(TransportTest, AStreamThatIsGivenUpIsLostAtTheOtherEnd) {
  auto ended = std::make_shared<WaitingFor<Status>>();
  auto heard = std::make_shared<WaitingFor<bool>>();
  auto stream = channel_->Open(
      "/t/stream",
      {.message = [heard](const Payload&) { heard->Bring(true); },
       .closed = [ended](const Status& why) { ended->Bring(why); }});
  stream->Write(Payload("x"));
  heard->Wait();
  stream = nullptr;
  EXPECT_FALSE(ended->Wait().ok());
  EXPECT_EQ(echo_.closed.Wait().code(), Code::kUnavailable);
}

TEST_F(TransportTest, AServerThatEndsEndsStreamsAndRefusesCalls) {
  auto ended = std::make_shared<WaitingFor<Status>>();
  auto heard = std::make_shared<WaitingFor<bool>>();
  auto stream = channel_->Open(
      "/t/stream",
      {.message = [heard](const Payload&) { heard->Bring(true); },
       .closed = [ended](const Status& why) { ended->Bring(why); }});
  stream->Write(Payload("x"));
  heard->Wait();
  server_ = nullptr;
  EXPECT_FALSE(ended->Wait().ok());
  EXPECT_FALSE(Ask("/t/echo", "x").status.ok());
}

}  // namespace
}  // namespace sluice::cluster
