#include "sluice/base/file_system.h"

#include <gtest/gtest.h>

#include "sluice/base/crc32c.h"
#include "sluice/base/file.h"
#include "sluice/base/positioned_file.h"
#include "sluice/base/temp_folder_test_util.h"

namespace sluice {
namespace {

using Names = std::vector<std::string>;

TEST(FileSystem, WritesSafely) {
  TempFolder folder;
  FileSystem& files = FileSystem::Current();
  std::string path = folder / "a";
  ASSERT_TRUE(WriteFileSafely(files, path, "one").ok());
  ASSERT_TRUE(WriteFileSafely(files, path, "two").ok());
  EXPECT_EQ(*ReadFileBytes(path), "two");
  EXPECT_EQ(*NamesIn(folder.path()), (Names{"a"}));
  Status status = WriteFileSafely(files, folder / "no/b", "three");
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_NE(status.message().find("/no/b"), std::string::npos);
  EXPECT_FALSE(WriteFileSafely(files, "", "x").ok());
  // A device is not replaced by a file, whatever the permissions.
  EXPECT_EQ(WriteFileSafely(files, "/dev/null", "x").message(),
            "cannot write \"/dev/null\": it is no plain file");
  // A folder is not replaced by a file, and no temporary file is left.
  ASSERT_TRUE(files.MakeFolder(folder / "f").ok());
  EXPECT_FALSE(WriteFileSafely(files, folder / "f", "x").ok());
  EXPECT_EQ(*NamesIn(folder.path()), (Names{"a", "f"}));
}

TEST(FileSystem, FoldersAndTrees) {
  TempFolder folder;
  FileSystem& files = FileSystem::Current();
  ASSERT_TRUE(MakeFolders(files, folder / "x/y/z").ok());
  ASSERT_TRUE(MakeFolders(files, folder / "x/y/z").ok());
  ASSERT_TRUE(WriteFileSafely(files, folder / "x/y/f", "1").ok());
  EXPECT_EQ(*NamesIn(folder / "x/y"), (Names{"f", "z"}));
  EXPECT_FALSE(files.RemoveFolder(folder / "x").ok());
  EXPECT_FALSE(MakeFolders(files, folder / "x/y/f/g").ok());
  EXPECT_TRUE(RemoveTree(files, folder / "x").ok());
  EXPECT_TRUE(RemoveTree(files, folder / "x").ok());
  EXPECT_FALSE(NamesIn(folder / "x").ok());
  EXPECT_EQ(FolderOf("a/b"), "a");
  EXPECT_EQ(FolderOf("/b"), "/");
  EXPECT_EQ(FolderOf("b"), ".");
}

TEST(FileSystem, SyncedFileCountsAndSums) {
  TempFolder folder;
  auto file = *SyncedFile::Create(FileSystem::Current(), folder / "a");
  std::string large(3 << 20, 'x');
  ASSERT_TRUE(file->Write("ab").ok());
  ASSERT_TRUE(file->Write(large).ok());
  ASSERT_TRUE(file->Finish().ok());
  std::string all = *ReadFileBytes(folder / "a");
  EXPECT_EQ(all, "ab" + large);
  EXPECT_EQ(file->size(), static_cast<int64_t>(all.size()));
  EXPECT_EQ(file->crc32c(), Crc32c(all));
}

TEST(PositionedFile, ReadsAnywhereButNotBeyond) {
  TempFolder folder;
  ASSERT_TRUE(WriteFileBytes(folder / "a", "0123456789", false).ok());
  auto file = *PositionedFile::Open(folder / "a");
  EXPECT_EQ(file->size(), 10);
  char four[4];
  ASSERT_TRUE(file->ReadAt(6, 4, four).ok());
  EXPECT_EQ(std::string(four, 4), "6789");
  Status status = file->ReadAt(7, 4, four);
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_NE(status.message().find("ends at byte 10; wanted 1 more"),
            std::string::npos);
  EXPECT_EQ(PositionedFile::Open(folder.path()).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(PositionedFile::Open("/dev/zero").status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(PositionedFile::Open(folder / "b").status().code(),
            Code::kNotFound);
}

}  // namespace
}  // namespace sluice
