// Each message between a master and its task may be lost, unanswered,
// duplicated or altered while the connection is up: the step ends by its
// deadline, with a correct result or an error, and later steps succeed.
#include <gtest/gtest.h>

#include "sluice/base/clock.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/harmful_transport_test_util.h"
#include "sluice/cluster/remote_session.h"
#include "sluice/cluster/task_server.h"
#include "sluice/step/executor_test_util.h"

namespace sluice::cluster {
namespace {

using Results = Result<std::vector<Array>>;

// Tensors go to the other task and back.
const char* const kThereAndBack = R"(graph g(%x: f32[]) -> (%y) {
    %a = Add(%x, 1) on "/job:worker/task:0"
    %b = Mul(%a, 2) on "/job:worker/task:1"
    %y = Add(%b, 3) on "/job:worker/task:0"
  })";

enum class Sender { kMaster, kClient };

// Two tasks in this process and a client. Messages of the first task as a
// master, or messages of the client, may be damaged.
class Pair {
 public:
  explicit Pair(Sender harmed) : harmed_(harmed) {
    options_.keepalive_ms = 300;
    options_.keepalive_timeout_ms = 700;
    options_.attach_ms = 500;
    TaskServerOptions options;
    options.transport = options_;
    first_ = *TaskServer::Start(options, Harmful(Sender::kMaster));
    options.task = 1;
    second_ = *TaskServer::Start(options);
    ClusterSpec spec;
    spec.jobs["worker"] = {first_->address(), second_->address()};
    first_->SetCluster(spec);
    second_->SetCluster(spec);
  }

  // Connects if there is no session.
  Results Run(int64_t timeout_ms) {
    if (!master_) {
      SL_ASSIGN_OR_RETURN(
          master_,
          RemoteSession::Connect(*graph_, StrCat("grpc://", first_->address()),
                                 0, options_, Harmful(Sender::kClient)));
    }
    RunOptions options;
    options.timeout_ms = timeout_ms;
    const Region& root = graph_->root();
    FeedList feeds = {{root.arg(0), Array::Scalar(1.0f)}};
    return master_->Run(root.results(), feeds, root.targets(), options,
                        nullptr);
  }
  HarmfulTransport& transport() { return transport_; }

 private:
  Transport* Harmful(Sender sender) {
    return sender == harmed_ ? &transport_ : nullptr;
  }

  const Sender harmed_;
  TransportOptions options_;
  HarmfulTransport transport_{**DefaultTransport()};
  std::unique_ptr<TaskServer> first_, second_;
  const std::unique_ptr<Graph> graph_ = MustParse(kThereAndBack);
  std::unique_ptr<RemoteMaster> master_;
};

void ExpectSeven(const Results& got) {
  EXPECT_EQ(*(*got)[0].data<float>(), 7.0f);
}

// Whether there was such a message. `first`: one of the first step, which
// includes connecting.
bool HarmOne(Sender sender, int number, Harm harm, bool first) {
  Pair pair(sender);
  if (!first) {
    const Results well = pair.Run(0);
    EXPECT_TRUE(well.ok()) << well.status().ToString();
  }
  pair.transport().DoTo(number, harm);
  const Results harmed = pair.Run(400);
  const bool done = pair.transport().done();
  SCOPED_TRACE(StrCat("message ", number, ": ", pair.transport().what(), ": ",
                      harmed.status().ToString()));
  if (harmed.ok()) {
    ExpectSeven(harmed);
  } else {
    EXPECT_TRUE(done);
    EXPECT_NE(harmed.status().code(), Code::kInternal);
  }
  pair.transport().DoTo(-1, harm);
  // On a busy machine, attaching may take longer than the limit in this test.
  const int64_t end = NowNanos() + 120'000'000'000;
  Results again = pair.Run(0);
  while (!again.ok() && NowNanos() < end) again = pair.Run(0);
  EXPECT_TRUE(again.ok()) << again.status().ToString();
  if (again.ok()) ExpectSeven(again);
  return done;
}

class LostMessages : public testing::TestWithParam<Harm> {};

void HarmEach(Sender sender, Harm harm, int least_first, int least) {
  for (const bool first : {true, false}) {
    int number = 0;
    while (HarmOne(sender, number, harm, first)) ++number;
    EXPECT_GE(number, first ? least_first : least);
  }
}

TEST_P(LostMessages, OfAMaster) {
  // Requests: status, keep, register, hello, send, run.
  HarmEach(Sender::kMaster, GetParam(), 5, 2);
}

TEST_P(LostMessages, OfAClient) {
  // Requests: open session, prepare, run.
  HarmEach(Sender::kClient, GetParam(), 3, 1);
}

std::string NameOf(const testing::TestParamInfo<Harm>& info) {
  const char* const names[] = {"Lost", "Unanswered", "Twice", "Altered"};
  return names[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Harms, LostMessages,
                         testing::Values(Harm::kLost, Harm::kAnswerLost,
                                         Harm::kTwice, Harm::kAltered),
                         NameOf);

}  // namespace
}  // namespace sluice::cluster
