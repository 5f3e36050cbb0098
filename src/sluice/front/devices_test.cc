// Imperative calls and recorded functions on several devices: the same bits,
// gradients and errors as on the host.
#include "sluice/device/devices.h"

#include "sluice/base/strings.h"
#include "sluice/device/sim/checked_devices_test_util.h"
#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

class FrontDevices : public CheckedDevices {
 protected:
  static std::string ErrorOf(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
};

constexpr const char* kDevices[] = {"cpu:0", "cpu:1", "sim:0", "sim:1"};

Tensor Some() {
  Tensor flat = constant({0.5f, -1.25f, 2.0f, 3.5f, -0.125f, 1.0f});
  return reshape(flat, {2, 3}).clone();
}

TEST_F(FrontDevices, TensorsTellWhereTheyAre) {
  Tensor x = Some();
  EXPECT_EQ(x.device(), "/device:cpu:0");
  for (const char* name : kDevices) {
    Tensor y = x.to(name);
    EXPECT_EQ(y.device(), std::string("/device:") + name);
    EXPECT_EQ(y.to_vector<float>(), x.to_vector<float>());
    EXPECT_EQ((y + y).device(), y.device());
    EXPECT_EQ(sum(y).item<float>(), sum(x).item<float>());
  }
  EXPECT_TRUE(ErrorOf([&] {
                (void)x.to("gpu:7");
              }).find("there is no device \"gpu:7\"") != std::string::npos);
}

// It was passed over: tensors were made on the host.
TEST_F(FrontDevices, AScopeOfADeviceThatIsNotHereIsRefused) {
  auto imperatively = [](const char* name) {
    return ErrorOf([&] {
      DeviceScope on(name);
      (void)zeros({2});
    });
  };
  auto captured = [](const char* name) {
    return ErrorOf([&] {
      (void)function([&](Tensor x) {
        DeviceScope on(name);
        return x + zeros({2});
      })(constant({1.0f, 2.0f}));
    });
  };
  for (const char* name : {"gpu:7", "sim:77", "/device:cpu:99"}) {
    std::string want = StrCat("there is no device \"", name, "\"");
    EXPECT_NE(imperatively(name).find(want), std::string::npos) << name;
    EXPECT_NE(captured(name).find(want), std::string::npos) << name;
  }
  for (const char* name : {"/job:worker/task:1", "/task:1/device:cpu:0"}) {
    EXPECT_NE(imperatively(name).find("is of a task"), std::string::npos);
    EXPECT_NE(captured(name).find("is of a task"), std::string::npos);
  }
  // What was in force before is again.
  EXPECT_EQ(zeros({2}).device(), "/device:cpu:0");
  Graph graph;
  GraphScope building(graph);
  DeviceScope on("/job:worker/task:1/device:gpu:7");
  EXPECT_EQ(zeros({2}).device(), "/job:worker/task:1/device:gpu:7");
}

TEST_F(FrontDevices, GradientsAreWhereTheirTensorsAre) {
  auto gradient = [](const char* device) {
    Tensor x = Some().to(device).detach().requires_grad_();
    Tensor w = constant({0.25f, -0.5f, 1.5f}).to(device).detach();
    w.requires_grad_();
    Tensor y = tanh(x * w + 1.0f);
    Tensor loss = sum(y * y) + sum(softmax(x)) * 2.0f;
    loss.backward();
    EXPECT_EQ(x.grad().device(), x.device());
    EXPECT_EQ(w.grad().device(), w.device());
    std::vector<float> all = x.grad().to_vector<float>();
    for (float v : w.grad().to_vector<float>()) all.push_back(v);
    all.push_back(loss.item<float>());
    return all;
  };
  std::vector<float> want = gradient("cpu:0");
  for (const char* name : kDevices) EXPECT_EQ(gradient(name), want) << name;
}

TEST_F(FrontDevices, AGradientGoesBackWhereItsTensorCameFrom) {
  Tensor x = Some().requires_grad_();
  Tensor y = sum(exp((x.to("sim:0") * 3.0f).to("sim:1")).to("cpu:1"));
  y.backward();
  EXPECT_EQ(x.grad().device(), "/device:cpu:0");
  Tensor want = Some().requires_grad_();
  sum(exp(want * 3.0f)).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), want.grad().to_vector<float>());
}

TEST_F(FrontDevices, OperandsOnTwoDevicesAreNamed) {
  Tensor a = Some().to("sim:0"), b = Some();
  std::string error = ErrorOf([&] { (void)(a + b); });
  for (const char* part : {"[Add]", "a is f32[2,3] on /device:sim:0",
                           "b is f32[2,3] on /device:cpu:0", "wanted both"}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
  // Numbers of the host go anywhere.
  EXPECT_EQ((a * constant(2.0f)).device(), a.device());
}

TEST_F(FrontDevices, WritesInPlaceAreDoneThere) {
  Tensor x = Some().to("sim:0");
  Tensor row = x[0];
  x.mul_(2.0f);
  row.add_(1.0f);
  x[1].zero_();
  Tensor want = Some();
  Tensor want_row = want[0];
  want.mul_(2.0f);
  want_row.add_(1.0f);
  want[1].zero_();
  EXPECT_EQ(x.to_vector<float>(), want.to_vector<float>());
  EXPECT_EQ(row.to_vector<float>(), want_row.to_vector<float>());
}

TEST_F(FrontDevices, AScopeSaysWhereTensorsAreMade) {
  Tensor made_before = Some();
  DeviceScope on("sim:1");
  EXPECT_EQ(zeros({2, 2}).device(), "/device:sim:1");
  EXPECT_EQ(Some().device(), "/device:sim:1");
  EXPECT_EQ(random_uniform({3}).device(), "/device:sim:1");
  EXPECT_EQ((made_before + 1.0f).device(), "/device:cpu:0");
}

// An index that only the device reads, and that is wrong.
TEST_F(FrontDevices, WhatFailsOnADeviceIsToldWhenItIsWaitedFor) {
  Tensor x = Some().to("sim:0");
  Tensor bad = gather(x, constant({int64_t{7}}).to("sim:0"));
  std::string error = ErrorOf([&] { (void)bad.to_vector<float>(); });
  EXPECT_NE(error.find("[Gather]"), std::string::npos) << error;
  EXPECT_EQ(sum(x).item<float>(), sum(Some()).item<float>());
}

TEST_F(FrontDevices, ARecordedFunctionRunsWhereItsArgumentsAre) {
  auto body = [](Tensor x) {
    auto [n, y] = while_loop([](Tensor i, Tensor) { return i < 4; },
                             [&](Tensor i, Tensor v) {
                               return std::tuple(i + 1, tanh(v * x) + 0.5f);
                             },
                             0, x);
    return y;
  };
  auto step = function(body);
  for (const char* name : kDevices) {
    Tensor x = Some().to(name);
    Tensor got = step(x);
    EXPECT_EQ(got.to_vector<float>(), step(Some()).to_vector<float>()) << name;
    EXPECT_EQ(got.device(), x.device());
  }
}

// Code is recorded for the devices it was called with: it asks for them, and
// what it decides by them holds for no others.
TEST_F(FrontDevices, AFunctionIsRecordedForTheDevicesOfItsArguments) {
  std::vector<std::string> seen;
  auto step = function([&](Tensor x) {
    seen.push_back(x.device());
    Tensor y = x.device() == "/device:sim:0" ? x * 3.0f : x * 2.0f;
    seen.push_back(y.device());
    return y.to("sim:1");
  });
  for (int round = 0; round < 2; ++round) {
    for (const char* name : kDevices) {
      Tensor x = Some().to(name);
      Tensor got = step(x);
      float by = std::string(name) == "sim:0" ? 3.0f : 2.0f;
      EXPECT_EQ(got.device(), "/device:sim:1");
      EXPECT_EQ(got.to_vector<float>(), (x * by).to_vector<float>()) << name;
    }
  }
  std::vector<std::string> want;
  for (const char* name : kDevices) {
    for (int twice = 0; twice < 2; ++twice) {
      want.push_back(std::string("/device:") + name);
    }
  }
  EXPECT_EQ(seen, want);  // each once: the second round records nothing
  ASSERT_EQ(step.traces().size(), 4u);
  EXPECT_NE(step.traces()[2].why.find("is f32[?,?] on /device:sim:0"),
            std::string::npos)
      << step.traces()[2].why;
}

TEST_F(FrontDevices, AFunctionRefusesOperandsOnTwoDevicesAsCallsDo) {
  auto step = function([](Tensor a, Tensor b) { return tanh(a) + b; });
  Tensor here = Some(), there = Some().to("sim:0");
  std::string error = ErrorOf([&] { (void)step(there, here); });
  for (const char* part : {"[Add]", "on /device:sim:0", "on /device:cpu:0",
                           "wanted both on one device"}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
  EXPECT_EQ(step(there, there).device(), "/device:sim:0");
  EXPECT_EQ(step(here, here).device(), "/device:cpu:0");
}

// Captured it was made where it was read.
TEST_F(FrontDevices, AFunctionRefusesWhatTheHostMakesBesideADevicesTensor) {
  auto zeros_made = [](Tensor x) { return x + zeros({2, 3}); };
  auto constant_made = [](Tensor x) { return Some() * x; };
  auto in_loop = [](Tensor x) {
    auto [i, y] =
        while_loop([](Tensor n, Tensor) { return n < 2; },
                   [&](Tensor n, Tensor v) { return std::tuple(n + 1, v + x); },
                   0, zeros({2, 3}));
    return y;
  };
  auto written = [](Tensor x) {
    Tensor y = zeros({2, 3}).clone();
    y.add_(x);
    return y;
  };
  using Body = std::function<Tensor(Tensor)>;
  for (const Body& body :
       {Body(zeros_made), Body(constant_made), Body(in_loop), Body(written)}) {
    auto step = function(body);
    for (const Body& run : {body, Body([&](Tensor x) { return step(x); })}) {
      std::string error = ErrorOf([&] { (void)run(Some().to("sim:0")); });
      for (const char* part :
           {"on /device:sim:0", "on /device:cpu:0", "wanted both on one device",
            "devices_test.cc:"}) {
        EXPECT_NE(error.find(part), std::string::npos) << error;
      }
      EXPECT_EQ(run(Some()).device(), "/device:cpu:0");
    }
  }
  // Numbers go anywhere, and a scope says where tensors are made.
  auto step = function([](Tensor x) {
    DeviceScope there("sim:0");
    return x * constant(2.0f) + zeros({2, 3}) + sum(ones({3}).to("cpu:0"));
  });
  EXPECT_EQ(step(Some().to("sim:0")).device(), "/device:sim:0");
}

// Their elements are copied, as those of a number are.
TEST_F(FrontDevices, CopiesInPlaceCrossDevices) {
  auto body = [](Tensor x) {
    Tensor y = zeros({2, 3}).clone(), z = x.clone();
    y.copy_(x);
    z.copy_(y * 2.0f);
    return z + y.to("sim:0");
  };
  Tensor x = Some().to("sim:0");
  EXPECT_EQ(body(x).to_vector<float>(), (x * 3.0f).to_vector<float>());
  EXPECT_EQ(function(body)(x).to_vector<float>(),
            (x * 3.0f).to_vector<float>());
}

TEST_F(FrontDevices, LanesAndGradientsOfGradients) {
  auto run = [](const char* device) {
    Tensor x = Some().to(device).detach().requires_grad_();
    auto lanes = vmap([](Tensor v) { return sum(tanh(v) * v); });
    std::vector<float> all = lanes(x).to_vector<float>();
    Tensor y = sum(exp(x) * x);
    Tensor slope = grad(y, {x}, {.create_graph = true})[0];
    EXPECT_EQ(slope.device(), x.device());
    sum(slope * slope).backward();
    EXPECT_EQ(x.grad().device(), x.device());
    for (float v : x.grad().to_vector<float>()) all.push_back(v);
    return all;
  };
  std::vector<float> want = run("cpu:0");
  for (const char* name : kDevices) EXPECT_EQ(run(name), want) << name;
}

// The copy fails when the device gets to it, long after the call.
TEST_F(FrontDevices, AFailedCopyIsToldByWhoReadsWhatItShouldHaveWritten) {
  auto& device = static_cast<SimDevice&>(**Devices::Find("sim:0"));
  Tensor x;
  int line = 0;
  {
    SimFaultScope faults(device, {.fail_copy = 1});
    line = __LINE__ + 1;
    x = Some().to("sim:0");
  }
  Tensor y = (x * 2.0f).to("sim:1") + 1.0f;
  Tensor good = Some().to("sim:0");
  for (int twice = 0; twice < 2; ++twice) {
    for (const Tensor& t : {x, y}) {
      std::string error = ErrorOf([&] { (void)t.to_vector<float>(); });
      EXPECT_NE(error.find("a copy of 24 bytes failed"), std::string::npos)
          << error;
      std::string at = "devices_test.cc:" + std::to_string(line);
      EXPECT_NE(error.find(at), std::string::npos) << error;
    }
    // Others are not told of it.
    EXPECT_EQ(good.to_vector<float>(), Some().to_vector<float>());
    EXPECT_TRUE(device.stream().Synchronize().ok());
  }
  auto step = function([](Tensor v) { return tanh(v); });
  Tensor z = step(x);
  EXPECT_NE(ErrorOf([&] { (void)z.to_vector<float>(); }).find("failed"),
            std::string::npos);
}

TEST_F(FrontDevices, TensorsAreMadeOnTheDefaultDevice) {
  struct Default {
    explicit Default(const char* name) {
      Devices::SetDefault(**Devices::Find(name));
    }
    ~Default() { Devices::SetDefault(CpuDevice()); }
  } on("sim:1");
  EXPECT_EQ(zeros({2, 2}).device(), "/device:sim:1");
  EXPECT_EQ(Some().device(), "/device:sim:1");
  EXPECT_EQ(random_uniform({3}).device(), "/device:sim:1");
  EXPECT_EQ((Some() * 2.0f).device(), "/device:sim:1");
  DeviceScope host("cpu:0");
  EXPECT_EQ(zeros({2, 2}).device(), "/device:cpu:0");
}

TEST_F(FrontDevices, ReadersOfValuesNeedNotKnowWhereTheyAre) {
  Tensor x = Some().to("sim:0");
  EXPECT_TRUE(x.array().BitEquals(Some().array()));
  EXPECT_EQ(x.array().ToString(), Some().array().ToString());
  Tensor yes = sum(x) > 0.0f;
  EXPECT_EQ(cond(
                yes, [&] { return x; }, [&] { return x * 0.0f; })
                .device(),
            x.device());
  EXPECT_EQ(as_string(x).array().shape(), x.array().shape());
}

TEST_F(FrontDevices, OpsGoWhereAnotherOneIs) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(DType::kF32, std::vector<int64_t>{3}, "x"), a, b, c, d;
  {
    DeviceScope on("sim:1");
    a = x * 2.0f;
  }
  {
    ColocateScope with(a);
    b = x + 1.0f;
  }
  c = tanh(x);
  {
    ColocateScope with(c.operation());
    d = exp(x);
  }
  EXPECT_EQ(b.operation().node().device(), a.operation().node().device());
  EXPECT_EQ(d.operation().node().device(), "@" + c.operation().name());
  Session session(graph);
  EXPECT_EQ(Elements<float>(session.run(b + d, {{x, {0.0f, 1.0f, 2.0f}}}))[0],
            2.0f);
  std::string why = session.explain(c + d, {{x, {0.0f, 1.0f, 2.0f}}});
  EXPECT_NE(why.find("asked to be with"), std::string::npos) << why;

  ImperativeScope now;
  Tensor there = Some().to("sim:0");
  ColocateScope with(there);
  EXPECT_EQ(zeros({2}).device(), "/device:sim:0");
}

}  // namespace
}  // namespace sluice
