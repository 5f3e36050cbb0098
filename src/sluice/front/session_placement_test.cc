// Sessions that choose devices by the cost model, or insist on those named.
#include "sluice/base/strings.h"
#include "sluice/device/sim/checked_devices_test_util.h"
#include "sluice/front/front_test_util.h"
#include "sluice/front/session.h"

namespace sluice {
namespace {

class SessionPlaces : public CheckedDevices {
 protected:
  // A chain of products, worth a copy there and back.
  void BuildLarge() {
    GraphScope building(graph_);
    x_ = placeholder(f32, {256, 256}, "x");
    Tensor y = x_;
    for (int i = 0; i < 4; ++i)
      y = call("MatMul", {y, x_}, {}, {.name = StrCat("m", i)})[0];
    y_ = y;
    std::vector<float> values;
    for (int i = 0; i < 256 * 256; ++i) {
      values.push_back(static_cast<float>(i % 7 - 3) * 0.02f);
    }
    fed_ = Array::Of<float>({256, 256}, values);
  }
  static SessionOptions Searching() {
    SessionOptions options;
    options.placement.search = true;
    return options;
  }
  std::string Explained(const SessionOptions& options) {
    Session session(graph_, options);
    return session.explain(y_, {{x_, fed_}});
  }
  // Of the simulated devices from this one on: other tests of the process may
  // have made more.
  static void LimitFrom(int sim, int64_t bytes) {
    for (;; ++sim) {
      Result<Device*> found = Devices::Find(StrCat("sim:", sim));
      if (!found.ok()) return;
      (*found)->memory().allocator().SetLimit(bytes);
    }
  }

  Graph graph_{"test"};
  Tensor x_, y_;
  Array fed_;
};

TEST_F(SessionPlaces, OpsGoWhereTheyEndEarliest) {
  BuildLarge();
  Contains(Explained({}), "plan of graph");
  EXPECT_EQ(Explained({}).find("sim:"), std::string::npos);
  std::string found = Explained(Searching());
  for (int i = 0; i < 4; ++i) {
    Contains(found, StrCat("m", i, " -> /device:sim:0: finishes earliest"));
  }
  Contains(found, "predicted");
  Session host(graph_), searching(graph_, Searching());
  Array a = host.run(y_, {{x_, fed_}}), b = searching.run(y_, {{x_, fed_}});
  EXPECT_TRUE(b.on_host());
  EXPECT_TRUE(a.BitEquals(b));
}

TEST_F(SessionPlaces, WhatIsSmallStaysOnTheHost) {
  GraphScope building(graph_);
  Tensor x = placeholder(f32, {4}, "x"), y = tanh(x * 2);
  Session session(graph_, Searching());
  std::string found = session.explain(y, {{x, {1, 2, 3, 4}}});
  EXPECT_EQ(found.find("sim:"), std::string::npos) << found;
  Contains(found, "finishes earliest");
}

TEST_F(SessionPlaces, ANamedDeviceIsKept) {
  BuildLarge();
  GraphScope building(graph_);
  DeviceScope on("sim:2");
  y_ = call("MatMul", {y_, x_}, {}, {.name = "there"})[0];
  std::string found = Explained(Searching());
  Contains(found, "there -> /device:sim:2: asked for");
}

// The limit was that of the device when it was made, whatever it was since.
TEST_F(SessionPlaces, TheLimitOfADeviceCounts) {
  BuildLarge();
  constexpr int64_t kTooLittle = 256 * 256 * 4;
  const int64_t all = SimOptions().memory_bytes;
  LimitFrom(0, kTooLittle);
  std::string host = Explained(Searching());
  LimitFrom(1, all);
  std::string second = Explained(Searching());
  LimitFrom(0, all);
  Contains(second, "m0 -> /device:sim:1: finishes earliest");
  EXPECT_EQ(second.find("-> /device:sim:0"), std::string::npos) << second;
  EXPECT_EQ(host.find("-> /device:sim"), std::string::npos) << host;
}

TEST_F(SessionPlaces, NotSoftIsAnErrorWhereANamedDeviceCannot) {
  GraphScope building(graph_);
  Tensor x = placeholder(f32, {2}, "x"), lost, kernel;
  {
    DeviceScope on("sim:77");
    lost = call("Neg", {x}, {}, {.name = "lost"})[0];
  }
  {
    DeviceScope on("sim:1");
    kernel = call("NonZero", {x}, {}, {.name = "kernel"})[0];
  }
  Session soft(graph_);
  EXPECT_EQ(Elements<float>(soft.run(lost, {{x, {1, 2}}})),
            (std::vector<float>{-1, -2}));
  Contains(soft.explain(lost, {{x, {1, 2}}}), "fell back");
  soft.run(kernel, {{x, {1, 2}}});
  SessionOptions options;
  options.placement.soft = false;
  Session hard(graph_, options);
  Contains(ErrorOf([&] { hard.run(lost, {{x, {1, 2}}}); }),
           "[Neg] \"lost\" asks for device \"/device:sim:77\", which is not "
           "there");
  Contains(ErrorOf([&] { hard.run(kernel, {{x, {1, 2}}}); }),
           "has no kernel for");
  // What it refused leaves it usable.
  Tensor plain = x + 1;
  EXPECT_EQ(Elements<float>(hard.run(plain, {{x, {1, 2}}})),
            (std::vector<float>{2, 3}));
}

TEST_F(SessionPlaces, AreChosenHereAlone) {
  SessionOptions options = Searching();
  options.target = "grpc://localhost:1";
  Contains(ErrorOf([&] { Session(graph_, options); }),
           "SessionOptions.placement says search, which is for sessions of "
           "this process");
}

}  // namespace
}  // namespace sluice
