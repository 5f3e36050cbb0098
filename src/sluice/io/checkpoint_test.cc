#include "sluice/io/checkpoint.h"

#include <cmath>

#include "sluice/base/file.h"
#include "sluice/io/checkpoint_test_util.h"
#include "sluice/io/faulty_files_test_util.h"

namespace sluice::io {
namespace {

using Names = std::vector<std::string>;
using Steps = std::vector<int64_t>;
using Fault = FaultyFiles::Fault;

TEST(Checkpoint, ThereAndBack) {
  TempFolder folder;
  std::string dir = folder / "runs/one";
  {
    CheckpointManager manager(dir);
    EXPECT_FALSE(manager.load_latest());
    manager.save(12, ExampleSnapshot(1.5));
    manager.wait();
    EXPECT_EQ(*NamesIn(dir), (Names{"step_00000012"}));
    EXPECT_EQ(
        *NamesIn(dir + "/step_00000012"),
        (Names{"manifest.json", "model.safetensors", "optimizer.safetensors"}));
  }
  CheckpointManager manager(dir);
  auto back = manager.load_latest();
  ASSERT_TRUE(back);
  EXPECT_EQ(back->step, 12);
  EXPECT_TRUE(SameSnapshot(*back, ExampleSnapshot(1.5)));
  EXPECT_TRUE(SameSnapshot(manager.load(12), *back));
  EXPECT_TRUE(SameSnapshot(load_checkpoint(dir), *back));
  EXPECT_TRUE(SameSnapshot(load_checkpoint(dir + "/step_00000012"), *back));
  Contains(ErrorOf([&] { manager.load(13); }), "step_00000013");
  Contains(ErrorOf([&] { load_checkpoint(folder / "none"); }),
           "no checkpoint in");
  Contains(ErrorOf([&] { back->at("modell"); }), "it has model, optimizer");
  Json manifest = read_json(dir + "/step_00000012/manifest.json");
  EXPECT_EQ(manifest.at("step").as_int(), 12);
}

TEST(Checkpoint, WritingInTheBackgroundSeesTheTensorsOfTheCall) {
  TempFolder folder;
  Tensor w = full({1 << 16}, 1.0f).clone();
  CheckpointManager manager(folder.path());
  for (int step = 1; step <= 3; ++step) {
    Snapshot s;
    s.set("model", {{"w", w}});
    manager.save(step, s);
    w.add_(1);
  }
  manager.wait();
  for (int step = 1; step <= 3; ++step) {
    Tensor saved = manager.load(step).at("model").at("w");
    EXPECT_EQ(saved.to_vector<float>(),
              std::vector<float>(1 << 16, static_cast<float>(step)));
  }
}

TEST(Checkpoint, KeepsTheLastAndTheBest) {
  TempFolder folder;
  FaultyFiles quick(Fault::kNone, 0);
  CheckpointManager manager(
      folder.path(),
      {.keep_last = 2, .keep_best = "loss", .background = false});
  const float losses[] = {5, 1, 3, 1, 4, NAN, 2};
  const Steps kept[] = {{0},    {0, 1},    {1, 2},   {2, 3},
                        {3, 4}, {3, 4, 5}, {3, 5, 6}};
  for (int step = 0; step < 7; ++step) {
    manager.save(step, ExampleSnapshot(losses[step]));
    EXPECT_EQ(manager.steps(), kept[step]) << step;
  }
  EXPECT_EQ(manager.best_step(), 3) << "of equal ones the newer";
  CheckpointManager other(folder.path(), {.keep_last = 1,
                                          .keep_best = "loss",
                                          .best = Best::kMax,
                                          .background = false});
  EXPECT_EQ(other.best_step(), 6);
  // One from before the others is not removed at once.
  other.save(1, ExampleSnapshot(0));
  EXPECT_EQ(other.steps(), (Steps{1, 3, 5, 6}));
  other.save(7, ExampleSnapshot(0));
  EXPECT_EQ(other.steps(), (Steps{6, 7}));
}

TEST(Checkpoint, AStepCanBeSavedAgain) {
  TempFolder folder;
  CheckpointManager manager(folder.path(), {.background = false});
  manager.save(5, ExampleSnapshot(1));
  manager.save(5, ExampleSnapshot(2));
  EXPECT_EQ(*NamesIn(folder.path()), (Names{"step_00000005"}));
  EXPECT_TRUE(SameSnapshot(manager.load(5), ExampleSnapshot(2)));
}

TEST(Checkpoint, BadInput) {
  TempFolder folder;
  CheckpointManager manager(folder.path());
  manager.save(1, ExampleSnapshot(1));
  Contains(ErrorOf([&] { manager.save(-1, ExampleSnapshot(1)); }), "step -1");
  Snapshot bad = ExampleSnapshot(1);
  bad.set("more", {{"text", constant("x")}});
  manager.save(2, bad);
  // The error of the thread comes with the next call, once.
  std::string error = ErrorOf([&] { manager.save(3, ExampleSnapshot(1)); });
  Contains(error, "the checkpoint of step 2 was not saved: tensor \"text\"");
  manager.save(3, ExampleSnapshot(3));
  manager.wait();
  EXPECT_EQ(manager.steps(), (Steps{1, 3}));
  bad = ExampleSnapshot(1);
  bad.data = "\xff";
  manager.save(4, bad);
  Contains(ErrorOf([&] { manager.wait(); }), "no UTF-8");
  bad = ExampleSnapshot(1);
  bad.set("model", {{"w", Tensor()}});
  Contains(ErrorOf([&] { manager.save(5, bad); }), "holds nothing");
  for (const char* name : {"", "a/b", "..", "a.b"}) {
    Contains(ErrorOf([&] { bad.set(name, {}); }), "a section");
  }
  Contains(ErrorOf([] { CheckpointManager(""); }), "wanted a folder");
  ASSERT_TRUE(WriteFileBytes(folder / "file", "x", false).ok());
  CheckpointManager wrong(folder / "file", {.background = false});
  // It used to be an empty list.
  Contains(ErrorOf([&] { wrong.steps(); }), "Not a directory");
  EXPECT_TRUE(CheckpointManager(folder / "none").steps().empty());
  EXPECT_NE(ErrorOf([&] { wrong.save(1, ExampleSnapshot(1)); }), "");
  EXPECT_EQ(*NamesIn(folder.path()),
            (Names{"file", "step_00000001", "step_00000003"}));
}

TEST(Checkpoint, ErrorsOfTheLastWriteAreToldByTheDestructor) {
  TempFolder folder;
  Names told;
  {
    CheckpointManager manager(
        folder.path(),
        {.on_message = [&](const std::string& m) { told.push_back(m); }});
    Snapshot bad;
    bad.data = "\xff";
    manager.save(4, bad);
  }
  ASSERT_EQ(told.size(), 1u);
  Contains(told[0], "the checkpoint of step 4 was not saved");
}

// Every byte of every file: refused with the file's name, or read as it was
// (spaces of the manifest do not count); and the one before is found.
TEST(Checkpoint, AlteredFilesAreNoticed) {
  TempFolder folder;
  Names told;
  CheckpointManager manager(
      folder.path(),
      {.background = false,
       .on_message = [&](const std::string& m) { told.push_back(m); }});
  Snapshot small;
  small.set("model", {{"w", constant(1.0f)}});
  manager.save(1, small);
  small.set("model", {{"w", constant(2.0f)}});
  small.random = {7, 8};
  manager.save(2, small);
  auto attack = [&](const std::string& path, const std::string& good,
                    const std::string& bytes) {
    unlink(path.c_str());
    ASSERT_TRUE(WriteFileBytes(path, bytes, false).ok());
    told.clear();
    auto found = manager.load_latest();
    ASSERT_TRUE(found);
    if (found->step == 2) {
      EXPECT_TRUE(SameSnapshot(*found, small));
      EXPECT_EQ(path.find("model"), path.npos);
    } else {
      ASSERT_EQ(told.size(), 1u);
      Contains(told[0], "step_00000002\" is passed over: ");
      Contains(told[0], path);
      EXPECT_NE(ErrorOf([&] { manager.load(2); }), "");
    }
    unlink(path.c_str());
    ASSERT_TRUE(WriteFileBytes(path, good, false).ok());
  };
  for (const char* name : {"manifest.json", "model.safetensors"}) {
    std::string path = folder / ("step_00000002/" + std::string(name));
    std::string good = *ReadFileBytes(path);
    for (size_t i = 0; i < good.size(); ++i) {
      attack(path, good, good.substr(0, i));
      std::string flipped = good;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
      attack(path, good, flipped);
    }
    attack(path, good, good + good);
  }
  EXPECT_EQ(manager.load_latest()->step, 2);
  // A missing file, and nothing whole at all.
  unlink((folder / "step_00000002/model.safetensors").c_str());
  EXPECT_EQ(manager.load_latest()->step, 1);
  EXPECT_EQ(manager.steps(), (Steps{1}));
  unlink((folder / "step_00000001/manifest.json").c_str());
  std::string error = ErrorOf([&] { manager.load_latest(); });
  Contains(error, "no checkpoint of");
  Contains(error, "step_00000001/manifest.json");
  Contains(error, "step_00000002/model.safetensors");
}

TEST(Checkpoint, DamagedOnesDoNotCountAsKept) {
  TempFolder folder;
  CheckpointManager manager(folder.path(),
                            {.keep_last = 2, .background = false});
  manager.save(1, ExampleSnapshot(1));
  manager.save(2, ExampleSnapshot(2));
  ASSERT_TRUE(
      WriteFileBytes(folder / "step_00000002/manifest.json", "", false).ok());
  manager.save(3, ExampleSnapshot(3));
  EXPECT_EQ(manager.steps(), (Steps{1, 3}));
}

}  // namespace
}  // namespace sluice::io
