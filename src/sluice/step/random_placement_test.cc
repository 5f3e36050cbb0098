// Random graphs with control flow, state and lists on random devices, whose
// work is done in random order: equal bits to the reference interpreter, no
// race, and all memory freed.
#include <gtest/gtest.h>

#include "sluice/base/random.h"
#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/device/devices.h"
#include "sluice/device/sim/checked_devices_test_util.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/placement/insert_copies.h"
#include "sluice/placement/placer.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/random_gradient_test_util.h"

namespace sluice {
namespace {

constexpr uint32_t kPrograms = SL_TSAN || SL_ASAN ? 150 : 1000;

class RandomPlacement : public CheckedDevices {
 protected:
  void SetUp() override {
    CheckedDevices::SetUp();
    for (Device* device : Devices::All()) {
      DeviceModel model;
      model.name = device->name();
      options_.devices.push_back(std::move(model));
    }
  }

  uint64_t Draw(uint64_t n) {
    state_ = RandomKey::Mix(state_ + 0x9e3779b97f4a7c15u);
    return state_ % n;
  }

  // Gives half of the computing nodes a device.
  void Wish(Region& region, BatchEdit& edit) {
    for (Node* node : region.nodes()) {
      for (const auto& inner : node->regions()) Wish(*inner, edit);
      if (!node->op().pure() || node->op().structural || Draw(2)) continue;
      bool plain = true;
      for (const Value& v : node->inputs()) plain &= IsPlainData(v.dtype());
      for (int i = 0; i < node->num_outputs(); ++i) {
        plain &= IsPlainData(node->output_type(i).dtype);
      }
      if (!plain) continue;
      size_t device = Draw(options_.devices.size());
      edit.SetDevice(*node, options_.devices[device].name.ToString());
    }
  }

  static Result<Arrays> Reference(const RandomFlow& flow) {
    ResourceManager resources;
    StepContext step;
    step.step_id = 1;
    step.resources = &resources;
    return Interpret(*flow.graph, flow.args, step);
  }

  static int64_t BytesInUse() {
    int64_t bytes = 0;
    for (Device* device : Devices::All()) {
      if (device != &CpuDevice()) {
        bytes += device->memory().allocator().stats().bytes_in_use;
      }
    }
    return bytes;
  }

  void Try(const RandomFlow& flow, uint32_t seed) {
    state_ = seed;
    Result<Arrays> want = Reference(flow);
    ASSERT_TRUE(want.ok()) << want.status().ToString();
    std::unique_ptr<Graph> placed = flow.graph->Clone();
    {
      BatchEdit edit(*placed);
      Wish(placed->root(), edit);
      edit.Commit();
    }
    options_.preferred = static_cast<int>(Draw(options_.devices.size()));
    Result<PlacementReport> report = Place(*placed, options_);
    ASSERT_TRUE(report.ok()) << report.status().ToString() << "\n"
                             << PrintGraph(*placed);
    Result<bool> copies = InsertCopies(*placed);
    ASSERT_TRUE(copies.ok()) << copies.status().ToString();
    Count(placed->root());
    int64_t before = BytesInUse();
    for (int order = 0; order < 2; ++order) {
      SimWorld::Default().SetRandomOrder(Draw(1u << 30));
      static auto* two_threads = new WorkerPool(2);
      ResourceManager resources;
      Result<Arrays> got = RunOnPlan(*placed, flow.args, ExecutorChoice::kAuto,
                                     order ? two_threads : nullptr, &resources);
      ASSERT_TRUE(got.ok()) << got.status().ToString() << "\n"
                            << PrintGraph(*placed);
      for (size_t i = 0; i < want->size(); ++i) {
        ASSERT_TRUE((*got)[i]) << "result " << i << " is missing\n"
                               << PrintGraph(*placed);
        ASSERT_TRUE((*got)[i].BitEquals((*want)[i]))
            << "result " << i << ": got " << (*got)[i].ToString() << "\nwanted "
            << (*want)[i].ToString() << "\n"
            << PrintGraph(*placed);
      }
    }
    SimWorld::Default().RunAll();
    for (const Violation& v : SimWorld::Default().TakeViolations()) {
      FAIL() << v.text << "\n" << PrintGraph(*placed);
    }
    ASSERT_EQ(BytesInUse(), before) << PrintGraph(*placed);
  }

  void Count(const Region& region) {
    for (const Node* node : region.nodes()) {
      on_sim_ += node->device().find("sim") != std::string::npos;
      copies_ += node->op().role == Role::kIdentity;
      for (const auto& inner : node->regions()) Count(*inner);
    }
  }

  PlacementOptions options_;
  uint64_t state_ = 0;
  uint32_t on_sim_ = 0, copies_ = 0;
};

TEST_F(RandomPlacement, OfStructuredGraphsGivesTheSameBits) {
  for (uint32_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Try(MakeStructuredFlow(seed), seed);
    if (HasFailure()) break;
  }
  // Not everything was moved back to the host.
  EXPECT_GT(on_sim_, kPrograms * 10);
  EXPECT_GT(copies_, kPrograms * 10);
}

// There values are read in place instead of being copied.
TEST_F(RandomPlacement, OnCpuDevicesAloneGivesTheSameBits) {
  std::erase_if(options_.devices, [](const DeviceModel& model) {
    return model.name.kind != DeviceKind::kCpu;
  });
  for (uint32_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Try(seed % 2 ? MakeStructuredFlow(seed) : MakeRawFlow(seed), seed);
    if (HasFailure()) break;
  }
  EXPECT_GT(copies_, kPrograms * 5);
}

TEST_F(RandomPlacement, OfRawGraphsGivesTheSameBits) {
  for (uint32_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Try(MakeRawFlow(seed), seed);
    if (HasFailure()) break;
  }
  EXPECT_GT(on_sim_, kPrograms);
}

TEST_F(RandomPlacement, OfGradientsOfFirstAndSecondOrderGivesTheSameBits) {
  for (uint32_t seed = 1; seed <= kPrograms / 3; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Differentiated program(InDoubles(MakeFlowOf({.state = false}, seed)));
    ASSERT_TRUE(program.Differentiate().ok());
    Try(program.flow(), seed);
    if (HasFailure()) break;
  }
  EXPECT_GT(on_sim_, kPrograms * 10);
}

}  // namespace
}  // namespace sluice
