// A writer stopped, killed or out of space at every change it makes: the last
// good checkpoint is there.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "sluice/io/checkpoint_test_util.h"
#include "sluice/io/faulty_files_test_util.h"

namespace sluice::io {
namespace {

using Names = std::vector<std::string>;
using Fault = FaultyFiles::Fault;

const CheckpointOptions kHere{.keep_last = 1, .background = false};

// Only whole checkpoints are there after the next one is saved.
void ExpectWorksAgain(const std::string& folder) {
  CheckpointManager manager(folder, kHere);
  manager.save(9, ExampleSnapshot(9));
  EXPECT_EQ(*NamesIn(folder), (Names{"step_00000009"}));
  EXPECT_TRUE(SameSnapshot(*manager.load_latest(), ExampleSnapshot(9)));
}

class Crash : public testing::TestWithParam<std::tuple<Fault, bool>> {};

TEST_P(Crash, AtEveryChange) {
  auto [fault, same_step] = GetParam();
  int64_t first = same_step ? 2 : 1;
  bool struck = true, old_seen = false, new_seen = false;
  int changes = 0;
  for (int k = 0; struck; ++k) {
    ASSERT_LT(k, 1000);
    TempFolder folder;
    {
      FaultyFiles quick(Fault::kNone, 0);
      CheckpointManager(folder.path(), kHere).save(first, ExampleSnapshot(1));
    }
    std::string error;
    {
      FaultyFiles faulty(fault, k);
      CheckpointManager manager(folder.path(),
                                {.keep_last = 1,
                                 .background = false,
                                 .on_message = [](const std::string&) {}});
      error = ErrorOf([&] { manager.save(2, ExampleSnapshot(2)); });
      struck = faulty.struck();
      changes = faulty.count();
    }
    auto found = CheckpointManager(folder.path(), kHere).load_latest();
    ASSERT_TRUE(found) << k;
    bool is_new = SameSnapshot(*found, ExampleSnapshot(2));
    ASSERT_TRUE(is_new || SameSnapshot(*found, ExampleSnapshot(1))) << k;
    ASSERT_TRUE(is_new || !error.empty()) << "saved, and not there: " << k;
    (is_new ? new_seen : old_seen) = true;
    FaultyFiles quick(Fault::kNone, 0);
    ExpectWorksAgain(folder.path());
  }
  EXPECT_TRUE(old_seen && new_seen);
  EXPECT_GT(changes, 15);
}

INSTANTIATE_TEST_SUITE_P(Checkpoint, Crash,
                         testing::Combine(testing::Values(Fault::kCrash,
                                                          Fault::kTorn,
                                                          Fault::kPowerLoss),
                                          testing::Bool()));

TEST(DiskFull, AtEveryChange) {
  int failed = 0, last = 0;
  for (int k = 0; k <= last; ++k) {
    TempFolder folder;
    {
      FaultyFiles quick(Fault::kNone, 0);
      CheckpointManager(folder.path(), kHere).save(1, ExampleSnapshot(1));
    }
    std::string error;
    Names told;
    {
      FaultyFiles full(Fault::kFull, k);
      CheckpointManager manager(
          folder.path(),
          {.keep_last = 1,
           .on_message = [&](const std::string& m) { told.push_back(m); }});
      manager.save(2, ExampleSnapshot(2));
      error = ErrorOf([&] { manager.wait(); });
      last = full.count();
      if (!full.struck()) continue;
      ++failed;
    }
    if (!error.empty()) {
      Contains(error, "the checkpoint of step 2 was not saved: ");
      Contains(error, "No space left on device");
      Contains(error, folder / "step_00000002");
      EXPECT_EQ(*NamesIn(folder.path()), (Names{"step_00000001"})) << k;
      EXPECT_TRUE(
          SameSnapshot(load_checkpoint(folder.path()), ExampleSnapshot(1)));
    } else {
      // The new one was there already; the old one could not be taken away.
      ASSERT_EQ(told.size(), 1u) << k;
      Contains(told[0], "an old checkpoint stays");
      EXPECT_TRUE(
          SameSnapshot(load_checkpoint(folder.path()), ExampleSnapshot(2)));
    }
    FaultyFiles quick(Fault::kNone, 0);
    ExpectWorksAgain(folder.path());
  }
  EXPECT_GT(failed, 10);
}

constexpr char kFolder[] = "SLUICE_TEST_CHECKPOINT_FOLDER";
constexpr char kKillAt[] = "SLUICE_TEST_KILL_AT";

// Runs in a process of its own, for the test below.
TEST(KilledChild, SavesUntilItIsKilled) {
  const char *folder = std::getenv(kFolder), *at = std::getenv(kKillAt);
  if (!folder || !at) GTEST_SKIP() << "runs only where the next test wants it";
  FaultyFiles files(Fault::kTornKill, std::atoi(at));
  CheckpointManager manager(folder, {.keep_last = 1});
  manager.save(2, ExampleSnapshot(2));
  manager.wait();
}

// Whether the child ended by itself.
bool RunChild(const std::string& folder, int kill_at) {
  std::string in_folder = std::string(kFolder) + "=" + folder;
  std::string at = std::string(kKillAt) + "=" + std::to_string(kill_at);
  std::string filter = "--gtest_filter=KilledChild.SavesUntilItIsKilled";
  std::string program = "/proc/self/exe", quiet = "--gtest_brief=1";
  std::vector<char*> arguments = {program.data(), filter.data(), quiet.data(),
                                  nullptr};
  std::vector<char*> settings;
  for (char** e = environ; *e; ++e) settings.push_back(*e);
  settings.push_back(in_folder.data());
  settings.push_back(at.data());
  settings.push_back(nullptr);
  pid_t child = fork();
  if (child == 0) {
    execve(program.c_str(), arguments.data(), settings.data());
    _exit(99);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    return false;
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return true;
}

TEST(KilledProcess, AtEveryChange) {
  bool ended = false;
  int killed = 0;
  for (int k = 0; !ended; ++k) {
    ASSERT_LT(k, 1000);
    TempFolder folder;
    {
      FaultyFiles quick(Fault::kNone, 0);
      CheckpointManager(folder.path(), kHere).save(1, ExampleSnapshot(1));
    }
    ended = RunChild(folder.path(), k);
    killed += !ended;
    Snapshot found = load_checkpoint(folder.path());
    bool is_new = SameSnapshot(found, ExampleSnapshot(2));
    EXPECT_TRUE(is_new || SameSnapshot(found, ExampleSnapshot(1))) << k;
    EXPECT_TRUE(is_new || !ended);
    FaultyFiles quick(Fault::kNone, 0);
    ExpectWorksAgain(folder.path());
  }
  EXPECT_GT(killed, 15);
}

}  // namespace
}  // namespace sluice::io
