// Loops with save = "host" on simulated devices: the same bits as without,
// beyond the device's memory too, with every copy in the order of its streams.
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/device/sim/checked_devices_test_util.h"
#include "sluice/front/front_test_util.h"
#include "sluice/front/sequences.h"
#include "sluice/graph/text_printer.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;
// Of a sequence and weights; made on the device that is open.
using Model = std::function<Tensor(const Tensors&, const LoopOptions&)>;

SimDevice& Sim(int i) {
  return static_cast<SimDevice&>(**Devices::Find("sim:" + std::to_string(i)));
}

// Gradients of the sum of a model on one device, in a session of its own.
class Trained {
 public:
  Trained(const Model& model, const std::vector<Array>& args,
          const std::string& device, const Save& save, int order = 1,
          int64_t parallel = 10)
      : args_(args) {
    GraphScope building(graph_);
    DeviceScope on(device);
    for (const Array& a : args) {
      inputs_.push_back(placeholder(f32, PartialShape(a.shape())));
    }
    LoopOptions options;
    options.save = save;
    options.parallel_iterations = parallel;
    // Sums of all iterations at once would add in another order.
    GradOptions how{.zeros_when_unconnected = true, .hoist = false};
    found_ = gradients({sum(model(inputs_, options))}, inputs_, how);
    if (order == 2) {
      Tensor all = sum(found_[0] * found_[0]);
      for (size_t i = 1; i < found_.size(); ++i) {
        all = all + sum(found_[i] * found_[i]);
      }
      found_ = gradients({all}, inputs_, how);
    }
  }
  std::string Text() const { return PrintGraph(graph_); }
  MemoryForecast Memory() {
    return Session(graph_).plan_memory(Fetches(), Fed());
  }
  std::vector<Array> Run() { return Session(graph_).run(Fetches(), Fed()); }

 private:
  std::vector<Fetch> Fetches() const { return {found_.begin(), found_.end()}; }
  std::vector<Feed> Fed() const {
    std::vector<Feed> feeds;
    for (size_t i = 0; i < args_.size(); ++i) {
      feeds.push_back({inputs_[i], args_[i]});
    }
    return feeds;
  }

  Graph graph_;
  const std::vector<Array> args_;
  Tensors inputs_, found_;
};

void ExpectSameBits(const std::vector<Array>& got,
                    const std::vector<Array>& want, const std::string& how) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(got[i].BitEquals(want[i])) << how << ", gradient " << i;
  }
}

Array Filled(const Shape& shape, float scale) {
  Array a = Array::Zeros(DType::kF32, shape);
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    a.mutable_data<float>()[i] =
        scale * static_cast<float>((i * 37 % 101) - 50) / 50;
  }
  return a;
}

// h = tanh(x w + h u), with a branch that depends on what is computed, which
// the gradient asks for again.
Model Recurrent(int64_t steps) {
  return [steps](const Tensors& in, const LoopOptions& options) {
    Tensor xw = matmul(in[0], in[1]);
    return for_loop(
        steps,
        [&](Tensor, Tensor h) {
          Tensor next = tanh(xw + matmul(h, in[2]));
          return cond(
              sum(next) > 0.0f, [&] { return next * next; },
              [&] { return sin(next); });
        },
        in[0] * 0.5f, options);
  };
}

// A loop in a loop; the inner one runs as often as the outer one says.
Tensor Nested(const Tensors& in, const LoopOptions& options) {
  Tensor x = in[0];
  return for_loop(
      4,
      [&](Tensor i, Tensor a) {
        Tensor inner = for_loop(
            i + int64_t{1}, [&](Tensor, Tensor b) { return tanh(b * x); }, a,
            options);
        return inner + sin(a);
      },
      x * 0.5f, options);
}

class LoopSwap : public CheckedDevices {
 protected:
  void TearDown() override {
    for (int i = 0; i < 3; ++i) Sim(i).allocator().SetLimit(int64_t{4} << 30);
    CheckedDevices::TearDown();
  }
  static std::vector<Array> Args(int64_t batch = 8) {
    return {Filled({batch, 16}, 1), Filled({16, 16}, .5f),
            Filled({16, 16}, .25f)};
  }
};

TEST_F(LoopSwap, GivesTheSameBitsWhateverTheOrder) {
  struct Case {
    const char* name;
    Model model;
    std::vector<Array> args;
  };
  const Case kCases[] = {{"recurrent", Recurrent(12), Args()},
                         {"nested", Nested, {Filled({33}, 1)}}};
  for (const Case& c : kCases) {
    for (int order : {1, 2}) {
      std::vector<Array> want =
          Trained(c.model, c.args, "cpu:0", "device", order).Run();
      for (const char* device : {"cpu:0", "cpu:1", "sim:0"}) {
        for (int64_t above : {int64_t{1}, int64_t{20000}}) {
          // From a byte on all values leave; from more on, some.
          Trained swapped(c.model, c.args, device, Save::Host(above), order);
          for (uint64_t seed = 0; seed < 4; ++seed) {
            SimWorld::Default().SetRandomOrder(seed);
            int64_t before = Sim(0).allocator().stats().bytes_in_use;
            ExpectSameBits(swapped.Run(), want,
                           StrCat(c.name, " on ", device, ", order ", order,
                                  ", above ", above, ", seed ", seed));
            EXPECT_EQ(Sim(0).allocator().stats().bytes_in_use, before);
          }
          SimWorld::Default().SetRandomOrder(std::nullopt);
        }
      }
    }
  }
}

// What is too much for the device's memory is an error that says for what, and
// no error at all where it may leave.
TEST_F(LoopSwap, GoesBeyondTheMemoryOfTheDevice) {
  std::vector<Array> args = Args(64);
  Model model = Recurrent(200);
  std::vector<Array> want = Trained(model, args, "cpu:0", "device").Run();
  Trained kept(model, args, "sim:0", "device");
  Trained swapped(model, args, "sim:0", "host");
  SimWorld& world = SimWorld::Default();
  DeviceAllocator& memory = Sim(0).allocator();
  memory.ResetPeak();
  ExpectSameBits(kept.Run(), want, "with room for all");
  int64_t all = memory.stats().peak_bytes;
  int64_t cap = all / 4;
  memory.SetLimit(cap);
  try {
    kept.Run();
    ADD_FAILURE() << "ran within " << cap << " of " << all << " bytes";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Code::kResourceExhausted) << e.what();
    std::string text = e.what();
    EXPECT_NE(text.find("out of memory on /device:sim:0: wanted "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("made by Tanh at loop_swap_test.cc:"),
              std::string::npos)
        << text;
  }
  memory.ResetPeak();
  int64_t before = memory.stats().bytes_in_use;
  world.StartMeter();
  ExpectSameBits(swapped.Run(), want, "swapped");
  world.RunAll();
  EXPECT_LE(memory.stats().peak_bytes, cap);
  // The host's books are one thing; the device is behind it, and must not have
  // more in use at any of its own times either. Blocks are of 256 bytes.
  EXPECT_LE(world.TakeMostBytes(Sim(0).memory()), cap + 256 * 64);
  EXPECT_EQ(memory.stats().bytes_in_use, before);
}

// An allocation that fails, whichever it is, ends the step; all memory comes
// back, and the next step is right.
TEST_F(LoopSwap, EveryAllocationMayFail) {
  std::vector<Array> args = Args();
  std::vector<Array> want =
      Trained(Recurrent(3), args, "cpu:0", "device").Run();
  Trained swapped(Recurrent(3), args, "sim:0", Save::Host(1));
  ExpectSameBits(swapped.Run(), want, "before");
  int64_t before = Sim(0).allocator().stats().bytes_in_use;
  int64_t first = Sim(0).allocator().stats().allocations;
  swapped.Run();
  int64_t count = Sim(0).allocator().stats().allocations - first;
  int64_t failures = 0;
  for (int64_t n = 1; n <= count; ++n) {
    {
      SimFaultScope faults(Sim(0), {.fail_allocation = n});
      try {
        // A copy is tried again, and there is memory then.
        ExpectSameBits(swapped.Run(), want, StrCat("allocation ", n));
      } catch (const Error& e) {
        ++failures;
        EXPECT_EQ(e.code(), Code::kResourceExhausted) << e.what();
      }
    }
    SimWorld::Default().RunAll();
    EXPECT_EQ(Sim(0).allocator().stats().bytes_in_use, before) << n;
  }
  EXPECT_GT(failures, 20);
  ExpectSameBits(swapped.Run(), want, "after");
}

// With a budget the figures of the device decide, and the graph says how.
TEST_F(LoopSwap, ABudgetTakesTheCheapestWay) {
  // Much to compute and little to keep; little to compute and much to keep.
  Model linear = [](const Tensors& in, const LoopOptions& options) {
    return for_loop(
        200,
        [&](Tensor, Tensor h) {
          Tensor a = tanh(h);
          for (int k = 0; k < 12; ++k) a = a * 0.99f + 0.01f;
          return a;
        },
        in[0], options);
  };
  Model deep = [](const Tensors& in, const LoopOptions& options) {
    return for_loop(
        200, [&](Tensor, Tensor h) { return sin(exp(sin(exp(h)))); },
        in[0] * 0.1f, options);
  };
  std::vector<Array> args = {Filled({64, 64}, 1)};
  auto expect = [&](const Model& model, int64_t bytes, const char* save) {
    Trained trained(model, args, "sim:0", budget(bytes));
    EXPECT_NE(trained.Text().find(StrCat("save = \"", save, "\"")),
              std::string::npos)
        << save << "\n"
        << trained.Text();
    std::vector<Array> want = Trained(model, args, "cpu:0", "device").Run();
    ExpectSameBits(trained.Run(), want, save);
  };
  expect(linear, 64 << 10, "host");
  expect(deep, 256 << 10, "budget");
  EXPECT_EQ(
      Trained(deep, args, "sim:0", budget(1 << 30)).Text().find("save = "),
      std::string::npos)
      << "what fits stays, and \"device\" is not said";
}

// What is told before the run is what the run has: what an iteration adds to
// the byte, and the rest as far as the order of ops is that of the program.
TEST_F(LoopSwap, TheForecastIsWhatTheDeviceHad) {
  DeviceAllocator& memory = Sim(0).allocator();
  std::vector<Array> args = Args(64);
  int64_t told[2], had[2];
  std::string text;
  for (int k : {0, 1}) {
    Trained trained(Recurrent(k == 0 ? 50 : 150), args, "sim:0", "device", 1,
                    /*parallel=*/1);
    told[k] = trained.Memory().PeakBytes("/device:sim:0", 1);
    text += trained.Memory().ToString(1);
    trained.Run();
    int64_t before = memory.stats().bytes_in_use;
    memory.ResetPeak();
    trained.Run();
    had[k] = memory.stats().peak_bytes - before;
  }
  EXPECT_EQ(told[1] - told[0], had[1] - had[0]) << text;
  EXPECT_NEAR(static_cast<double>(told[0]), static_cast<double>(had[0]),
              0.1 * static_cast<double>(had[0]));
}

// On a device whose kernels take longer than copies of what they make, leaving
// and coming back takes no time: values are back before they are read.
TEST_F(LoopSwap, CopiesHideBehindComputing) {
  SimOptions slow;
  slow.kernel_seconds = 200e-6;
  ASSERT_TRUE(AddSimDevices(4, slow).ok());
  SimWorld& world = SimWorld::Default();
  auto seconds = [&](const Save& save) {
    Trained trained(Recurrent(40), Args(64), "sim:3", save);
    trained.Run();
    world.RunAll();
    world.AdvanceHost(
        std::max(0.0, world.device_seconds() - world.host_seconds()));
    double start = world.host_seconds();
    trained.Run();
    world.RunAll();
    return world.device_seconds() - start;
  };
  double kept = seconds("device"), swapped = seconds(Save::Host(1));
  EXPECT_GT(kept, 40 * 200e-6);
  EXPECT_LE(swapped, 1.02 * kept);
}

TEST_F(LoopSwap, CopiesRunOnStreamsOfTheirOwn) {
  Trained swapped(Recurrent(6), Args(), "sim:0", Save::Host(1));
  swapped.Run();
  SimWorld& world = SimWorld::Default();
  world.StartTimeline();
  swapped.Run();
  world.RunAll();
  int out = 0, in = 0;
  for (const TimelineItem& item : world.TakeTimeline()) {
    out += item.stream == "to host" && item.iteration >= 0;
    in += item.stream == "from host" && item.iteration >= 0;
  }
  EXPECT_GE(out, 6);
  EXPECT_GE(in, 6);
}

}  // namespace
}  // namespace sluice
