#include "sluice/cluster/array_wire.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "sluice/base/strings.h"
#include "sluice/cluster/frame.h"
#include "sluice/cluster/messages.h"
#include "sluice/tensor/list.h"

namespace sluice::cluster {
namespace {

Result<Array> RoundTrip(const Array& array) {
  std::string head;
  Payload contents;
  SL_RETURN_IF_ERROR(WriteArray(array, &head, &contents));
  std::string_view left = head;
  PayloadReader reader(contents);
  SL_ASSIGN_OR_RETURN(Array back, ReadArray(&left, &reader));
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(reader.left(), 0u);
  return back;
}

void ExpectSame(const Array& array) {
  Result<Array> back = RoundTrip(array);
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_TRUE(back->BitEquals(array))
      << back->ToString() << " for " << array.ToString();
}

Array AList() {
  auto list = MakeRef<ListValue>(DType::kF32, PartialShape({any}), 7);
  SL_CHECK(list->Resize(4).ok());
  list->Set(0, Array::Vector<float>({1, 2}));
  list->Set(2, Array::Vector<float>({3}));
  list->Set(3, Array::Vector<float>({4, 5, 6}));
  (void)list->Take(3);
  return ListArray(std::move(list));
}

TEST(ArrayWire, EveryTypeComesBackToTheBit) {
  for (int t = 1; t < kNumDTypes; ++t) {
    auto dtype = static_cast<DType>(t);
    if (dtype >= DType::kString) continue;
    for (const Shape& shape :
         {Shape(), Shape({3}), Shape({2, 0}), Shape({2, 3, 4})}) {
      Array array = Array::Zeros(dtype, shape);
      auto* bytes = static_cast<char*>(array.mutable_raw());
      for (int64_t i = 0; i < array.bytes(); ++i) {
        bytes[i] = static_cast<char>(dtype == DType::kBool ? i % 2 : i * 37);
      }
      ExpectSame(array);
    }
  }
}

TEST(ArrayWire, StridedTextsAndLists) {
  Array square = Array::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  Strides strides{};
  strides[0] = 1;
  strides[1] = 3;
  int64_t before = CopiedToSend();
  ExpectSame(Array::View(square, 0, {3, 2}, strides));
  EXPECT_EQ(CopiedToSend() - before, 24);
  ExpectSame(Array::Of<std::string>({2}, {std::string("a\0b", 3), ""}));
  ExpectSame(AList());
  auto nested = MakeRef<ListValue>(DType::kList, PartialShape(Shape()));
  ASSERT_TRUE(nested->Append(AList()).ok());
  ASSERT_TRUE(nested->Append(*Array::Make(DType::kList, Shape())).ok());
  ExpectSame(ListArray(std::move(nested)));
  Result<Array> back = RoundTrip(AList());
  const ListValue* list = ListOf(*back);
  EXPECT_TRUE(list->taken(3));
  EXPECT_FALSE(list->taken(1));
  EXPECT_EQ(list->max_size(), 7);
}

TEST(ArrayWire, WhatLiesContiguousIsNotCopied) {
  Array big = Array::Zeros(DType::kF32, {1000});
  std::string head;
  Payload contents;
  int64_t before = CopiedToSend();
  ASSERT_TRUE(WriteArray(big, &head, &contents).ok());
  ASSERT_EQ(contents.slices().size(), 1u);
  EXPECT_EQ(static_cast<const void*>(contents.slices()[0].data), big.raw());
  EXPECT_EQ(CopiedToSend(), before);
}

TEST(ArrayWire, HandlesStayWhereTheyAre) {
  std::string head;
  Payload contents;
  EXPECT_EQ(
      WriteArray(*Array::Make(DType::kResource, Shape()), &head, &contents)
          .message(),
      "a handle (resource[]) cannot leave its task; fetch the value it "
      "stands for instead");
}

TEST(ArrayWire, FramesThatWereChangedAreRefused) {
  Frame frame;
  frame.kind = FrameKind::kTensor;
  frame.key = {3, 99};
  frame.session = 1;
  frame.step = 2;
  Payload contents;
  ASSERT_TRUE(
      WriteArray(Array::Vector<float>({1, 2, 3}), &frame.head, &contents).ok());
  std::string bytes = WriteFrame(frame, contents).ToString();
  int frames = 0;
  Status status = ReadFrames(Payload(bytes + bytes), [&](Frame f) {
    ++frames;
    EXPECT_EQ(f.key, (MessageKey{3, 99}));
    EXPECT_TRUE(f.tensor.BitEquals(Array::Vector<float>({1, 2, 3})));
  });
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(frames, 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      EXPECT_FALSE(ReadFrames(Payload(changed), [](Frame) {}).ok())
          << "byte " << i << " bit " << bit;
    }
  }
  for (size_t n = 1; n < bytes.size(); ++n) {
    EXPECT_FALSE(ReadFrames(Payload(bytes.substr(0, n)), [](Frame) {}).ok());
  }
}

// Past the checksums: any bytes are refused or decode to an array.
TEST(ArrayWire, AnyBytesAreReadOrRefused) {
  std::string head;
  Payload contents;
  ASSERT_TRUE(WriteArray(AList(), &head, &contents).ok());
  ASSERT_TRUE(
      WriteArray(Array::Of<std::string>({2}, {"ab", "cde"}), &head, &contents)
          .ok());
  std::string body = contents.ToString();
  std::mt19937 random(1);
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string changed = head;
    for (uint32_t k = 0; k <= random() % 3; ++k) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    changed.resize(random() % 2 ? changed.size() : random() % changed.size());
    Payload payload(body);
    std::string_view left = changed;
    PayloadReader reader(payload);
    Result<Array> array = ReadArray(&left, &reader);
    read += array.ok();
    if (!array.ok()) {
      EXPECT_TRUE(array.status().code() == Code::kDataLoss ||
                  array.status().code() == Code::kResourceExhausted)
          << array.status().ToString();
    }
    (void)Decode<StatusReply>(changed);
    (void)Unwrap(Payload(changed));
  }
  EXPECT_GT(read, 100);
}

TEST(Messages, ComeBackAsTheyWere) {
  StatusReply reply;
  reply.self = {"/job:a/task:1", "h:1", ~uint64_t{0}};
  reply.gauges = {{"x", -5}, {"y", 0}};
  reply.waits = {"a", ""};
  Result<StatusReply> back = Decode<StatusReply>(Encode(reply));
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(back->self.task, reply.self.task);
  EXPECT_EQ(back->self.incarnation, ~uint64_t{0});
  ASSERT_EQ(back->gauges.size(), 2u);
  EXPECT_EQ(back->gauges[0].value, -5);
  EXPECT_EQ(back->waits, reply.waits);
  WireStatus status(InvalidArgument("no"), true);
  Result<WireStatus> same = Decode<WireStatus>(Encode(status));
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->ToStatus().ToString(), InvalidArgument("no").ToString());
  EXPECT_TRUE(same->derived);
}

// The field numbers of a message, as its struct lists them.
struct Numbers {
  std::vector<int> all;
  template <class T>
  void operator()(int number, const T&) {
    all.push_back(number);
  }
};
template <class M>
std::vector<int> NumbersOf() {
  M message;
  Numbers numbers;
  message.Fields(numbers);
  return numbers.all;
}

// The same from cluster.proto.
std::vector<int> NumbersIn(const std::string& proto, const std::string& name) {
  std::vector<int> numbers;
  size_t at = proto.find("message " + name + " {");
  if (at == std::string::npos) return {-1};
  std::istringstream lines(proto.substr(at, proto.find("\n}", at) - at));
  for (std::string line; std::getline(lines, line);) {
    size_t equals = line.find(" = ");
    if (equals != line.npos)
      numbers.push_back(std::stoi(line.substr(equals + 3)));
  }
  return numbers;
}

// Once the checksum covered the elements alone: a changed bit in the types gave
// another tensor, one in the message's numbers another step.
TEST(Messages, ThatWereChangedAreRefused) {
  RunGraph run;
  run.session = 7;
  run.piece = 3;
  run.step = 19;
  const Array arrays[] = {Array::Vector<float>({1, 2}),
                          Array::Scalar(int64_t{5})};
  Result<Payload> wrapped = Wrap(Encode(run), arrays);
  ASSERT_TRUE(wrapped.ok() && Unwrap(*wrapped).ok());
  const std::string bytes = wrapped->ToString();
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      EXPECT_FALSE(Unwrap(Payload(changed)).ok())
          << "byte " << i << " bit " << bit;
    }
  }
}

TEST(Messages, AreThoseOfClusterProto) {
  std::ifstream file("src/sluice/cluster/cluster.proto");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string proto = text.str();
#define SAME(M) EXPECT_EQ(NumbersOf<M>(), NumbersIn(proto, #M)) << #M
  SAME(WireStatus);
  SAME(TaskInfo);
  SAME(Gauge);
  SAME(StatusReply);
  SAME(Answer);
  SAME(KeepWorkerSession);
  SAME(RegisterGraph);
  SAME(ForgetGraph);
  SAME(RunGraph);
  SAME(AbortStep);
  SAME(FetchPart);
  SAME(Hello);
  SAME(ResetContainer);
  SAME(KeepSession);
  SAME(SessionOpened);
  SAME(PrepareGraph);
  SAME(RunPrepared);
  SAME(CancelRun);
  SAME(ReleasePrepared);
#undef SAME
  EXPECT_EQ(NumbersOf<WireTrace>(), NumbersIn(proto, "TaskTrace"));
  EXPECT_EQ(NumbersOf<WireTrace::Row>(), NumbersIn(proto, "TraceRow"));
  EXPECT_EQ(NumbersOf<WireTrace::Item>(), NumbersIn(proto, "TraceItem"));
  // The methods too: "/sluice.v1.Worker/RunGraph".
  for (const char* method :
       {methods::kStatus, methods::kKeepWorkerSession, methods::kRegister,
        methods::kForget, methods::kRun, methods::kAbort, methods::kFetch,
        methods::kTensors, methods::kReset, methods::kKeepSession,
        methods::kPrepare, methods::kRunPrepared, methods::kCancel,
        methods::kRelease}) {
    std::string name =
        std::string(method).substr(std::string_view(method).rfind('/') + 1);
    EXPECT_NE(proto.find("rpc " + name + "("), std::string::npos) << method;
  }
}

}  // namespace
}  // namespace sluice::cluster
