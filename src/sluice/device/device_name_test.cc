#include "sluice/device/device_name.h"

#include <gtest/gtest.h>

#include <utility>

namespace sluice {
namespace {

std::string Printed(std::string_view text) {
  Result<DeviceName> name = DeviceName::Parse(text);
  return name.ok() ? name->ToString() : name.status().message();
}

TEST(DeviceName, EveryFormPrintsAsTheLongOne) {
  const std::pair<const char*, const char*> kForms[] = {
      {"", ""},
      {"gpu:0", "/device:gpu:0"},
      {"/gpu:0", "/device:gpu:0"},
      {"cuda:1", "/device:gpu:1"},
      {"/device:cpu:3", "/device:cpu:3"},
      {"sim", "/device:sim"},
      {"gpu:*", "/device:gpu"},
      {"/device:*:2", "/device:*:2"},
      {"/job:ps", "/job:ps"},
      {"/job:ps/task:7", "/job:ps/task:7"},
      {"/job:worker/replica:0/task:1/device:gpu:3",
       "/job:worker/task:1/device:gpu:3"},
      {"/job:a-b_c.1/gpu:0", "/job:a-b_c.1/device:gpu:0"},
  };
  for (auto [text, printed] : kForms) {
    EXPECT_EQ(Printed(text), printed) << text;
    EXPECT_EQ(Printed(printed), printed) << text;
  }
}

TEST(DeviceName, OtherTextIsRefused) {
  const std::pair<const char*, const char*> kBad[] = {
      {"tpu:0", "there is no kind \"tpu\""},
      {"gpu:x", "\"x\" is no number"},
      {"gpu:-1", "\"-1\" is no number"},
      {"gpu:99999999999", "is no number"},
      {"/job:", "its job has no name"},
      {"/job:a b", "its job has no name"},
      {"/task:", "its task is no number"},
      {"/job:a/job:b", "two jobs"},
      {"/task:1/task:2", "two tasks"},
      {"/gpu:0/gpu:1", "two devices"},
      {"//gpu:0", "a part of it is empty"},
      {"/gpu:0/", "ends in a slash"},
      {"/replica:1", "no replicas"},
  };
  for (auto [text, why] : kBad) {
    EXPECT_NE(Printed(text).find(why), std::string::npos)
        << text << ": " << Printed(text);
    EXPECT_NE(Printed(text).find("wanted"), std::string::npos) << text;
  }
}

TEST(DeviceName, ConstraintsCoverWhatHasTheirParts) {
  DeviceName gpu = *DeviceName::Parse("/job:worker/task:1/gpu:0");
  EXPECT_TRUE(gpu.full());
  for (const char* wanted : {"", "gpu", "gpu:0", "/job:worker", "/task:1",
                             "/job:worker/task:1", "/device:*:0"}) {
    EXPECT_TRUE(DeviceName::Parse(wanted)->Covers(gpu)) << wanted;
  }
  for (const char* wanted : {"cpu", "gpu:1", "/job:ps", "/task:0"}) {
    EXPECT_FALSE(DeviceName::Parse(wanted)->Covers(gpu)) << wanted;
  }
}

TEST(DeviceName, TwoConstraintsMeetOrNameEachOther) {
  auto both = [](const char* a, const char* b) {
    Result<DeviceName> name =
        DeviceName::Both(*DeviceName::Parse(a), *DeviceName::Parse(b));
    return name.ok() ? name->ToString() : name.status().message();
  };
  EXPECT_EQ(both("/job:ps", "gpu:1"), "/job:ps/device:gpu:1");
  EXPECT_EQ(both("gpu", "gpu:1"), "/device:gpu:1");
  EXPECT_EQ(both("", ""), "");
  EXPECT_EQ(both("gpu:0", "gpu:1"),
            "no device is both \"/device:gpu:0\" and \"/device:gpu:1\"");
  EXPECT_EQ(both("/task:1", "/task:2/gpu:0"),
            "no device is both \"/task:1\" and \"/task:2/device:gpu:0\"");
}

}  // namespace
}  // namespace sluice
