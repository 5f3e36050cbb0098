// Folders others may write to, and others who do: links planted where a file is
// to be, files that not everybody may read, two who save at once.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "sluice/base/file.h"
#include "sluice/base/file_system.h"
#include "sluice/io/checkpoint.h"
#include "sluice/io/checkpoint_test_util.h"
#include "sluice/io/folder_lock.h"
#include "sluice/io/npy.h"
#include "sluice/io/safetensors.h"

namespace sluice::io {
namespace {

// A link with the name of a temporary file made save() write through it.
TEST(SharedFolder, AFileIsNeverMadeThroughALink) {
  TempFolder folder;
  std::string victim = folder / "victim", link = folder / "link";
  ASSERT_TRUE(WriteFileBytes(victim, "precious", false).ok());
  ASSERT_EQ(symlink(victim.c_str(), link.c_str()), 0);
  FileSystem& files = FileSystem::Current();
  EXPECT_FALSE(files.Create(link).ok());
  EXPECT_FALSE(files.Create(victim).ok());
  EXPECT_EQ(*ReadFileBytes(victim), "precious");
}

TEST(SharedFolder, TemporaryNamesCannotBeGuessed) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) names.insert(BesideName("a/b"));
  EXPECT_EQ(names.size(), 100u);
  for (const std::string& name : names) {
    EXPECT_TRUE(name.starts_with("a/b.tmp-")) << name;
    EXPECT_EQ(name.find(std::to_string(getpid()) + "-"), std::string::npos);
  }
}

mode_t ModeOf(const std::string& path) {
  struct stat info;
  EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

// Saving over a file of 0600 made it one of 0644.
TEST(SharedFolder, AReplacedFileKeepsWhoMayReadIt) {
  TempFolder folder;
  for (std::string name : {"a.npy", "a.npz", "a.safetensors"}) {
    std::string path = folder / name;
    auto write = [&] {
      if (name == "a.npy") {
        write_npy(path, constant(1.f));
      } else if (name == "a.npz") {
        write_npz(path, {{"x", constant(1.f)}});
      } else {
        save_safetensors(path, {{"x", constant(1.f)}});
      }
    };
    mode_t mask = umask(022);
    write();
    EXPECT_EQ(ModeOf(path), 0644u);
    for (mode_t mode : {0600, 0640, 0664}) {
      ASSERT_EQ(chmod(path.c_str(), mode), 0);
      write();
      EXPECT_EQ(ModeOf(path), mode);
    }
    umask(mask);
  }
}

TEST(SharedFolder, ALockSaysWhoHoldsIt) {
  TempFolder folder;
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  pid_t holder = fork();
  if (holder == 0) {
    auto lock = FolderLock::Take(folder.path(), 0);
    char byte = lock.ok() ? 'y' : 'n';
    (void)!write(ready[1], &byte, 1);
    close(done[1]);
    (void)!read(done[0], &byte, 1);  // until the test ends
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
  auto lock = FolderLock::Take(folder.path(), 5);
  ASSERT_FALSE(lock.ok());
  Contains(lock.status().message(),
           "is being written by process " + std::to_string(holder));
  // Whoever dies lets go.
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  for (int fd : {ready[0], ready[1], done[0], done[1]}) close(fd);
  auto mine = FolderLock::Take(folder.path(), 60'000);
  EXPECT_TRUE(mine.ok()) << mine.status().ToString();
  Contains(FolderLock::Take(folder.path(), 0).status().message(),
           "by this process itself");
}

// Two processes removed each other's files while they were written: half of
// the saves failed.
TEST(SharedFolder, TwoProcessesSaveIntoOneFolder) {
  TempFolder folder;
  std::string dir = folder / "run";
  auto save_all = [&](int64_t first) {
    CheckpointOptions options;
    options.keep_last = 2;
    options.background = false;
    CheckpointManager manager(dir, options);
    for (int64_t i = 0; i < 20; ++i) {
      manager.save(first + 2 * i, ExampleSnapshot(static_cast<float>(i)));
    }
  };
  pid_t child = fork();
  if (child == 0) {
    int code = 1;
    try {
      save_all(0);
      code = 0;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    _exit(code);
  }
  save_all(1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  CheckpointManager manager(dir);
  ASSERT_TRUE(manager.load_latest());
  EXPECT_TRUE(SameSnapshot(manager.load(39), ExampleSnapshot(19)));
}

// A folder of that name, or a link to one, was written into.
TEST(SharedFolder, ALinkInPlaceOfTheNewCheckpointIsRemoved) {
  TempFolder folder;
  std::string dir = folder / "run", other = folder / "other";
  FileSystem& files = FileSystem::Current();
  ASSERT_TRUE(files.MakeFolder(dir).ok());
  ASSERT_TRUE(files.MakeFolder(other).ok());
  ASSERT_TRUE(WriteFileBytes(other + "/manifest.json", "theirs", false).ok());
  ASSERT_EQ(symlink(other.c_str(), (dir + "/step_00000007.tmp").c_str()), 0);
  CheckpointManager manager(dir);
  manager.save(7, ExampleSnapshot(2));
  manager.wait();
  EXPECT_EQ(*ReadFileBytes(other + "/manifest.json"), "theirs");
  EXPECT_TRUE(SameSnapshot(manager.load(7), ExampleSnapshot(2)));
}

}  // namespace
}  // namespace sluice::io
