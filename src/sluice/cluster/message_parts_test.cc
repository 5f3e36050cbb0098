// Messages that exceed the transport's limit.
#include "sluice/cluster/message_parts.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "sluice/base/strings.h"
#include "sluice/cluster/cluster_test_util.h"
#include "sluice/cluster/remote_session.h"
#include "sluice/cluster/waiting_for.h"

namespace sluice::cluster {
namespace {

using Results = Result<std::vector<Array>>;

// Nine times the message limit of the servers below.
constexpr int64_t kElements = (9 << 20) / 4;

Array Numbers(float first) {
  Array array = *Array::Make(DType::kF32, Shape({kElements}));
  auto* at = array.mutable_data<float>();
  std::iota(at, at + kElements, first);
  return array;
}

bool Same(const Array& a, const Array& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.bytes())) == 0;
}

TEST(MessageParts, FeedsAndFetchesMayBeLargerThanAMessage) {
  auto cluster = StartCluster(2, {"--max-message-mib", "1"});
  ASSERT_TRUE(cluster);
  // One goes through the master to another task and back.
  for (const char* there : {"/job:worker/task:0", "/job:worker/task:1"}) {
    Client client(StrCat(R"(graph g(%x: f32[?], %y: f32[?]) -> (%a, %b) {
      %a = Neg(%x) on ")",
                         there, R"("
      %b = Identity(%y) on ")",
                         there, R"("
    })"),
                  *cluster);
    Array x = Numbers(-7);
    for (int i = 0; i < 2; ++i) {
      Array y = Numbers(static_cast<float>(i));
      Results got = client.Run({x, y});
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      EXPECT_TRUE(Same((*got)[1], y));
      EXPECT_EQ((*got)[0].data<float>()[kElements - 1],
                -x.data<float>()[kElements - 1]);
    }
  }
  for (int task : {0, 1}) {
    EXPECT_EQ(GaugeOf(*cluster, task, "parts_kept_bytes"), 0);
  }
  ExpectNothingLeft(*cluster, {0, 1});
}

TEST(MessageParts, AGraphMayBeLargerThanAMessage) {
  auto cluster = StartCluster(2, {"--max-message-mib", "1"});
  ASSERT_TRUE(cluster);
  Graph graph;
  Array value = Numbers(3);
  NodeOptions there;
  there.device = "/job:worker/task:1";
  Node* constant =
      *graph.Add(graph.root(), "Const", {}, {{"value", value}}, there);
  Node* last = *graph.Add(graph.root(), "Slice", {{constant->output()}},
                          {{"begin", std::vector<int64_t>{kElements - 1}},
                           {"size", std::vector<int64_t>{1}}},
                          there);
  graph.SetResults(graph.root(), {last->output()});
  Client client(graph, *cluster);
  Results got = client.Run({});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ((*got)[0].data<float>()[0], value.data<float>()[kElements - 1]);
}

// The cancellation was lost while the feeds were in transit, and the step ran.
TEST(MessageParts, ACancelThatComesBeforeTheFeedsStopsTheStep) {
  auto cluster = StartCluster(1);
  ASSERT_TRUE(cluster);
  Client client(R"(graph g(%x: f32[]) -> (%y) {
    %y = Neg(%x)
  })",
                *cluster);
  auto& session = static_cast<RemoteSession&>(*client.master());
  Result<uint64_t> prepared =
      session.SendGraph(client.graph(), ExecutorChoice::kAuto, 0);
  ASSERT_TRUE(prepared.ok()) << prepared.status().ToString();
  std::shared_ptr<Channel> channel =
      *(*DefaultTransport())->Connect(cluster->address(0), 0, {});
  auto call = [&](const char* method, Payload request) {
    auto answered = std::make_shared<WaitingFor<Result<Answer>>>();
    channel->Call(method, std::move(request), 0,
                  [answered](const Status& status, const Payload& payload) {
                    if (!status.ok()) return answered->Bring(status);
                    answered->Bring(DecodeParcel<Answer>(payload));
                  });
    return answered->Wait();
  };
  auto run = [&](uint64_t request) {
    RunPrepared message;
    message.session = session.number();
    message.prepared = *prepared;
    message.request = request;
    return call(methods::kRunPrepared,
                *Wrap(Encode(message), std::vector{Array::Scalar(1.f)}));
  };
  CancelRun cancel;
  cancel.session = session.number();
  cancel.request = 77;
  cancel.why = WireStatus(Cancelled("enough"));
  ASSERT_TRUE(call(methods::kCancel, WrapBytes(Encode(cancel))).ok());
  Result<Answer> stopped = run(77), other = run(78);
  ASSERT_TRUE(stopped.ok() && other.ok());
  EXPECT_EQ(stopped->status.code, Code::kCancelled);
  EXPECT_EQ(stopped->status.message, "enough");
  EXPECT_EQ(other->status.code, Code::kOk) << other->status.message;
}

// ---- One side alone ----

Payload Bytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7);
  return Payload(std::move(bytes));
}

Status Put(MessageParts& parts, uint64_t id, uint64_t offset, uint64_t total,
           const Payload& bytes) {
  Payload message = WrapBytes("head", bytes);
  Result<OpenParcel> open = OpenBytes(message);
  EXPECT_TRUE(open.ok());
  return parts.Put({.id = id, .offset = offset, .total = total}, open->contents,
                   message);
}

TEST(MessageParts, WhatComesIsPutTogetherInOrder) {
  MessageParts parts({});
  Payload all = Bytes(1000);
  EXPECT_TRUE(Put(parts, 5, 0, 1000, all.Part(0, 600)).ok());
  EXPECT_FALSE(parts.Whole(5).ok()) << "not all is there";
  EXPECT_TRUE(Put(parts, 5, 600, 1000, all.Part(600, 400)).ok());
  EXPECT_EQ(parts.kept_bytes(), 1000);
  Result<Payload> whole = parts.Whole(5);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->ToString(), all.ToString());
  EXPECT_FALSE(parts.Whole(5).ok()) << "it is run once";
  EXPECT_EQ(parts.kept_bytes(), 0);
}

TEST(MessageParts, WhatIsNotTheNextPartIsRefusedAndForgotten) {
  for (auto [offset, total, size] :
       {std::tuple<uint64_t, uint64_t, size_t>{50, 1000, 10},
        {200, 1000, 10},
        {100, 900, 10},
        {100, 1000, 901},
        {100, 1000, 0},
        {0, 1000, 10}}) {
    MessageParts parts({});
    ASSERT_TRUE(Put(parts, 5, 0, 1000, Bytes(100)).ok());
    EXPECT_EQ(Put(parts, 5, offset, total, Bytes(size)).code(),
              Code::kDataLoss);
    EXPECT_EQ(parts.kept_bytes(), 0);
    EXPECT_EQ(Put(parts, 5, 110, 1000, Bytes(10)).code(), Code::kAborted);
  }
}

TEST(MessageParts, NoMoreIsKeptThanWasSaid) {
  MessageParts parts({.max_message_bytes = 200, .max_kept_bytes = 1000});
  ASSERT_TRUE(Put(parts, 1, 0, 900, Bytes(10)).ok());
  Status more = Put(parts, 2, 0, 101, Bytes(10));
  EXPECT_EQ(more.code(), Code::kResourceExhausted) << more.ToString();
  EXPECT_EQ(Put(parts, 3, 0, ~uint64_t{0}, Bytes(10)).code(),
            Code::kResourceExhausted);
  // The answer is replaced by an error.
  Result<Answer> answer = DecodeParcel<Answer>(parts.Fit(Bytes(101)));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->status.code, Code::kResourceExhausted);
  EXPECT_EQ(parts.Fit(Bytes(100)).size(), 100u) << "it fits into a message";
}

TEST(MessageParts, WhatNobodyAsksForIsDropped) {
  MessageParts parts({.max_message_bytes = 200, .keep_ms = -1});
  ASSERT_TRUE(Put(parts, 1, 0, 900, Bytes(10)).ok());
  EXPECT_EQ(parts.Fit(Bytes(500)).size(), 24u);
  parts.DropOld();
  EXPECT_EQ(parts.kept_bytes(), 0);
}

TEST(MessageParts, PartsOfAnAnswerThatAreNotThereAreRefused) {
  MessageParts parts({.max_message_bytes = 200});
  Payload note = parts.Fit(Bytes(500));
  uint64_t words[3];
  PayloadReader(note).Read(words, sizeof(words));
  for (auto [offset, size] : {std::pair<uint64_t, uint64_t>{0, 0},
                              {0, 101},
                              {450, 51},
                              {501, 1},
                              {~uint64_t{0}, 2}}) {
    EXPECT_FALSE(parts.Take({words[1], offset, size}).ok());
  }
  EXPECT_FALSE(parts.Take({words[1] + 1, 0, 10}).ok());
  std::string all;
  for (uint64_t at = 0; at < 500; at += 100) {
    Result<Payload> part = parts.Take({words[1], at, 100});
    ASSERT_TRUE(part.ok()) << part.status().ToString();
    all += part->ToString();
  }
  EXPECT_EQ(all, Bytes(500).ToString());
  EXPECT_EQ(parts.kept_bytes(), 0);
}

}  // namespace
}  // namespace sluice::cluster
