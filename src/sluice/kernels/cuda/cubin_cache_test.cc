#include "sluice/kernels/cuda/cubin_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "sluice/base/file.h"
#include "sluice/base/temp_folder_test_util.h"

namespace sluice {
namespace {

// The files of a folder.
std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

TEST(CubinCache, GivesBackWhatWasStoredUnderTheKey) {
  TempFolder folder;
  CubinCache cache(folder / "deep/kernels");
  EXPECT_FALSE(cache.Find("source"));
  std::string cubin("a\0b", 3);
  cache.Store("source", cubin);
  cache.Store("other", "");
  EXPECT_EQ(cache.Find("source"), cubin);
  EXPECT_EQ(cache.Find("other"), "");
  EXPECT_FALSE(cache.Find("sourc"));
  cache.Store("source", "newer");
  EXPECT_EQ(CubinCache(cache.folder()).Find("source"), "newer");
}

TEST(CubinCache, WithoutAFolderKeepsNothing) {
  CubinCache cache("");
  cache.Store("source", "cubin");
  EXPECT_FALSE(cache.Find("source"));
  TempFolder folder;
  ASSERT_TRUE(WriteFileBytes(folder / "file", "", /*append=*/false).ok());
  CubinCache in_a_file(folder / "file/kernels");
  in_a_file.Store("source", "cubin");
  EXPECT_FALSE(in_a_file.Find("source"));
}

TEST(CubinCache, ADamagedEntryIsAsGoodAsNoneAndIsWrittenAnew) {
  TempFolder folder;
  CubinCache cache(folder.path());
  cache.Store("source", "what was compiled");
  std::vector<std::string> files = FilesIn(folder.path());
  ASSERT_EQ(files.size(), 1u);
  std::string path = folder / files[0];
  std::string whole = *ReadFileBytes(path);
  // Every byte changed, every length cut, and data after the end.
  int unnoticed = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    ASSERT_TRUE(WriteFileBytes(path, damaged, false).ok());
    if (cache.Find("source")) ++unnoticed;
    ASSERT_TRUE(WriteFileBytes(path, whole.substr(0, i), false).ok());
    EXPECT_FALSE(cache.Find("source")) << "cut at " << i;
  }
  EXPECT_EQ(unnoticed, 4) << "bytes of the head that say nothing";
  ASSERT_TRUE(WriteFileBytes(path, whole + "x", false).ok());
  EXPECT_FALSE(cache.Find("source"));
  cache.Store("source", "what was compiled");
  EXPECT_EQ(*ReadFileBytes(path), whole);
}

TEST(CubinCache, AnEntryOfAnotherKeyInItsPlaceIsNotGiven) {
  TempFolder folder;
  CubinCache cache(folder.path());
  cache.Store("one", "first");
  std::string first = FilesIn(folder.path())[0];
  std::string text = *ReadFileBytes(folder / first);
  cache.Store("two", "second");
  for (const std::string& name : FilesIn(folder.path())) {
    ASSERT_TRUE(WriteFileBytes(folder / name, text, false).ok());
  }
  EXPECT_EQ(cache.Find("one"), "first");
  EXPECT_FALSE(cache.Find("two"));
}

TEST(CubinCache, ReadersSeeWholeEntriesWhileOthersWrite) {
  TempFolder folder;
  CubinCache cache(folder.path());
  const std::string a(100'000, 'a'), b(50'000, 'b');
  cache.Store("key", a);
  std::vector<std::thread> writers;
  for (const std::string* text : {&a, &b}) {
    writers.emplace_back([&cache, text] {
      for (int i = 0; i < 50; ++i) cache.Store("key", *text);
    });
  }
  for (int i = 0; i < 100; ++i) {
    std::optional<std::string> found = cache.Find("key");
    EXPECT_TRUE(found && (*found == a || *found == b));
  }
  for (std::thread& t : writers) t.join();
  EXPECT_EQ(FilesIn(folder.path()).size(), 1u) << "files beside were left";
}

}  // namespace
}  // namespace sluice
