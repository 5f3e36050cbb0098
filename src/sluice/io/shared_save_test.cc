// One checkpoint by several writers.
#include "sluice/io/shared_save.h"

#include "sluice/base/file.h"
#include "sluice/io/checkpoint_test_util.h"
#include "sluice/io/faulty_files_test_util.h"

namespace sluice::io {
namespace {

using Names = std::vector<std::string>;
using Fault = FaultyFiles::Fault;

const CheckpointOptions kHere{.keep_last = 1, .background = false};

// The example's tensors dealt out to two writers.
Snapshot Part(const Snapshot& whole, int shard) {
  Snapshot part;
  for (const auto& [section, state] : whole.sections()) {
    StateDict mine;
    int i = 0;
    for (const auto& [name, tensor] : state) {
      if (i++ % 2 == shard) mine.set(name, tensor);
    }
    part.set(section, mine);
  }
  return part;
}

std::vector<ShardFile> WriteBoth(const std::string& path,
                                 const Snapshot& whole) {
  std::vector<ShardFile> files;
  for (int shard : {0, 1}) {
    for (ShardFile& f : write_shard(path, shard, 2, Part(whole, shard))) {
      files.push_back(std::move(f));
    }
  }
  return files;
}

void SaveShared(const std::string& folder, int64_t step, float value) {
  CheckpointManager manager(folder, {.keep_last = 1,
                                     .background = false,
                                     .on_message = [](const std::string&) {}});
  SharedSave save(folder, step);
  Snapshot whole = ExampleSnapshot(value);
  manager.commit(save, whole, WriteBoth(save.path(), whole));
}

TEST(SharedSave, IsOneCheckpointOnceCommitted) {
  TempFolder folder;
  SaveShared(folder.path(), 3, 3);
  Names names = *NamesIn(folder.path() + "/step_00000003");
  EXPECT_EQ(names, (Names{"manifest.json", "model-00000-of-00002.safetensors",
                          "model-00001-of-00002.safetensors",
                          "optimizer-00000-of-00002.safetensors",
                          "optimizer-00001-of-00002.safetensors"}));
  // Anyone reads it, however many there are; old ones go.
  EXPECT_TRUE(SameSnapshot(load_checkpoint(folder.path()), ExampleSnapshot(3)));
  SaveShared(folder.path(), 4, 4);
  EXPECT_EQ(*NamesIn(folder.path()), (Names{"step_00000004"}));
  CheckpointManager manager(folder.path(), kHere);
  manager.save(5, ExampleSnapshot(5));
  EXPECT_EQ(manager.steps(), (std::vector<int64_t>{5}));
}

TEST(SharedSave, IsNothingUntilThen) {
  TempFolder folder;
  SaveShared(folder.path(), 1, 1);
  {
    SharedSave save(folder.path(), 2);
    WriteBoth(save.path(), ExampleSnapshot(2));
    EXPECT_EQ(load_checkpoint(folder.path()).step, 1);
  }
  EXPECT_EQ(*NamesIn(folder.path()), (Names{"step_00000001"}));
}

TEST(SharedSave, AWriterOfAnEarlierAttemptHarmsNothing) {
  TempFolder folder;
  std::string old;
  {
    SharedSave first(folder.path(), 2);
    old = first.path();
  }
  SharedSave second(folder.path(), 2);
  EXPECT_NE(second.path(), old);
  EXPECT_NE(ErrorOf([&] { write_shard(old, 1, 2, ExampleSnapshot(9)); }), "");
  CheckpointManager manager(folder.path(), kHere);
  Snapshot whole = ExampleSnapshot(2);
  manager.commit(second, whole, WriteBoth(second.path(), whole));
  EXPECT_TRUE(SameSnapshot(load_checkpoint(folder.path()), whole));
}

TEST(SharedSave, WantsAllShards) {
  TempFolder folder;
  CheckpointManager manager(folder.path(), kHere);
  SharedSave save(folder.path(), 2);
  Snapshot whole = ExampleSnapshot(2);
  std::vector<ShardFile> files = write_shard(save.path(), 0, 2, Part(whole, 0));
  EXPECT_NE(ErrorOf([&] {
              manager.commit(save, whole, files);
            }).find("\"model\" has 1 of 2 shards"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] {
              write_shard(save.path(), 2, 2, whole);
            }).find("shard 2 of 2"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { SharedSave(folder.path(), -1); }), "");
}

TEST(SharedSave, AShardThatWasDamagedIsTold) {
  TempFolder folder;
  SaveShared(folder.path(), 2, 2);
  std::string file =
      folder.path() + "/step_00000002/model-00001-of-00002.safetensors";
  std::string bytes = *ReadFileBytes(file);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  FileSystem machine;
  ASSERT_TRUE(machine.RemoveFile(file).ok());
  int made = *machine.Create(file);
  ASSERT_TRUE(machine.Write(made, file, bytes).ok());
  machine.Close(made);
  EXPECT_NE(ErrorOf([&] {
              load_checkpoint(folder.path());
            }).find("model-00001-of-00002.safetensors"),
            std::string::npos);
}

class SharedCrash : public testing::TestWithParam<Fault> {};

// Whatever stops the writers, and wherever: the old checkpoint or the new one
// is there, whole, and the next save works.
TEST_P(SharedCrash, AtEveryChange) {
  int changes = 0;
  {
    TempFolder folder;
    FaultyFiles counted(Fault::kNone, 0);
    SaveShared(folder.path(), 2, 2);
    changes = counted.count();
  }
  bool old_seen = false, new_seen = false;
  for (int k = 0; k < changes + 5; ++k) {  // old ones are removed, too
    TempFolder folder;
    {
      FaultyFiles quick(Fault::kNone, 0);
      SaveShared(folder.path(), 1, 1);
    }
    std::string error;
    {
      FaultyFiles faulty(GetParam(), k);
      error = ErrorOf([&] { SaveShared(folder.path(), 2, 2); });
    }
    Snapshot found = load_checkpoint(folder.path());
    bool is_new = SameSnapshot(found, ExampleSnapshot(2));
    ASSERT_TRUE(is_new || SameSnapshot(found, ExampleSnapshot(1))) << k;
    ASSERT_TRUE(is_new || !error.empty()) << "saved, and not there: " << k;
    (is_new ? new_seen : old_seen) = true;
    FaultyFiles quick(Fault::kNone, 0);
    SaveShared(folder.path(), 9, 9);
    EXPECT_EQ(*NamesIn(folder.path()), (Names{"step_00000009"})) << k;
  }
  EXPECT_TRUE(old_seen && new_seen);
}

INSTANTIATE_TEST_SUITE_P(SharedSave, SharedCrash,
                         testing::Values(Fault::kCrash, Fault::kTorn,
                                         Fault::kPowerLoss, Fault::kFull));

}  // namespace
}  // namespace sluice::io
