// CheckedDevices: a test fixture with three CPU and three simulated devices,
// whose work is checked for races; any race fails the test.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "sluice/device/devices.h"
#include "sluice/device/sim/sim_device.h"

namespace sluice {

class CheckedDevices : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Devices::AddCpus(3).ok());
    ASSERT_TRUE(AddSimDevices(3).ok());
    SimWorld::Default().SetChecking(true);
  }
  void TearDown() override {
    SimWorld::Default().RunAll();
    for (const Violation& v : SimWorld::Default().TakeViolations()) {
      ADD_FAILURE() << v.text;
    }
    SimWorld::Default().SetChecking(false);
    SimWorld::Default().SetRandomOrder(std::nullopt);
  }
};

}  // namespace sluice
