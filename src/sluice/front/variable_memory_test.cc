// Memory that runs out during an update: every variable is before or after it,
// never half, all memory comes back, and the next step is right.
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/device/sim/checked_devices_test_util.h"
#include "sluice/front/front_test_util.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

// Two weights and what a momentum keeps, updated together: by a new value, by
// adding in place, and by rows.
class Model {
 public:
  explicit Model(const std::string& device) {
    GraphScope building(graph_);
    DeviceScope on(device);
    w_ = variable(constant(Filled({48, 32}, .3f)), "w");
    m_ = variable(constant(Filled({48, 32}, .1f)), "m");
    v_ = variable(constant(Filled({64, 32}, .2f)), "v");
    x_ = placeholder(f32, {16, 48});
    Tensor y = tanh(matmul(x_, w_)) + gather(v_, rows_);
    std::vector<Tensor> d =
        gradients({sum(y * y)}, std::vector<Variable>{w_, v_}, {.dense = true});
    Tensor momentum = 0.9f * m_.value() + d[0];
    updates_ = {m_.assign(momentum), w_.assign_sub(0.1f * momentum),
                v_.scatter_sub(rows_, 0.5f * gather(d[1], rows_))};
    init_ = initialize_variables(graph_);
  }

  // A session of its own: what it has before and after a step, and the error.
  struct Ran {
    std::vector<Array> values;
    Status status;
  };
  template <class Around>
  Ran Step(const Around& around) {
    Session session(graph_);
    session.run(init_);
    Ran ran;
    {
      [[maybe_unused]] auto scope = around();
      try {
        session.run(std::vector<Fetch>{}, {{x_, Filled({16, 48}, 1)}},
                    updates_);
      } catch (const Error& e) {
        ran.status = Status(e.code(), e.what());
      }
    }
    ran.values = session.run({w_.value(), m_.value(), v_.value()});
    return ran;
  }
  std::vector<Array> Before() {
    Session session(graph_);
    session.run(init_);
    return session.run({w_.value(), m_.value(), v_.value()});
  }

  static Array Filled(const Shape& shape, float scale) {
    Array a = Array::Zeros(DType::kF32, shape);
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      a.mutable_data<float>()[i] =
          scale * static_cast<float>((i * 29 % 83) - 41) / 41;
    }
    return a;
  }

 private:
  Graph graph_;
  Variable w_, m_, v_;
  Tensor x_;
  Tensor rows_ = constant(Array::Vector<int64_t>(
      {0, 3, 5, 7, 9, 11, 13, 15, 20, 25, 30, 35, 40, 50, 60, 63}));
  std::vector<Operation> updates_;
  Operation init_;
};

struct Nothing {};

class VariableMemory : public CheckedDevices {
 protected:
  void ExpectWhole(const Model::Ran& ran, const std::vector<Array>& before,
                   const std::vector<Array>& after, const std::string& when) {
    for (size_t i = 0; i < ran.values.size(); ++i) {
      bool whole = ran.values[i].BitEquals(before[i]) ||
                   ran.values[i].BitEquals(after[i]);
      EXPECT_TRUE(whole) << "variable " << i << ", " << when;
      // Without an error it is all there.
      if (ran.status.ok()) {
        EXPECT_TRUE(ran.values[i].BitEquals(after[i])) << i << ", " << when;
      }
    }
    if (!ran.status.ok()) {
      EXPECT_EQ(ran.status.code(), Code::kResourceExhausted)
          << ran.status.message();
    }
  }
};

TEST_F(VariableMemory, EveryAllocationOfADeviceMayFail) {
  auto& device = static_cast<SimDevice&>(**Devices::Find("sim:0"));
  Model model("sim:0");
  std::vector<Array> before = model.Before();
  std::vector<Array> after = model.Step([] { return Nothing(); }).values;
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_FALSE(before[i].BitEquals(after[i]));
  }
  SimWorld::Default().RunAll();
  int64_t in_use = device.allocator().stats().bytes_in_use;
  int64_t first = device.allocator().stats().allocations;
  model.Step([] { return Nothing(); });
  int64_t count = device.allocator().stats().allocations - first;
  int64_t failures = 0;
  for (int64_t n = 1; n <= count; ++n) {
    Model::Ran ran = model.Step(
        [&] { return SimFaultScope(device, {.fail_allocation = n}); });
    failures += !ran.status.ok();
    ExpectWhole(ran, before, after, StrCat("allocation ", n));
    SimWorld::Default().RunAll();
    EXPECT_EQ(device.allocator().stats().bytes_in_use, in_use) << n;
  }
  EXPECT_GT(failures, 5);
}

// A CPU device with every limit from nothing to enough.
struct Limit {
  explicit Limit(Allocator& allocator, int64_t bytes) : allocator(allocator) {
    allocator.SetLimit(bytes);
  }
  ~Limit() { allocator.SetLimit(INT64_MAX); }
  Limit(const Limit&) = delete;
  Allocator& allocator;
};

TEST_F(VariableMemory, ACpuDeviceMayBeTooSmallByAnyAmount) {
  Allocator& memory = (*Devices::Find("cpu:1"))->memory().allocator();
  Model model("cpu:1");
  std::vector<Array> before = model.Before();
  int64_t in_use = memory.stats().bytes_in_use;
  memory.ResetPeak();
  std::vector<Array> after = model.Step([] { return Nothing(); }).values;
  int64_t enough = memory.stats().peak_bytes;
  ASSERT_GT(enough, in_use);
  int failures = 0;
  for (int64_t limit = in_use; limit <= enough; limit += 512) {
    Model::Ran ran = model.Step([&] { return Limit(memory, limit); });
    failures += !ran.status.ok();
    ExpectWhole(ran, before, after, StrCat("with ", limit, " bytes"));
    EXPECT_EQ(memory.stats().bytes_in_use, in_use) << limit;
  }
  EXPECT_GT(failures, 5);
}

}  // namespace
}  // namespace sluice
