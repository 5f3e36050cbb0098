#include "sluice/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sluice/base/crc32c.h"

namespace sluice {
namespace {

std::string Path(const std::string& name) {
  return testing::TempDir() + "sluice_file_test_" + std::to_string(getpid()) +
         "_" + name;
}

TEST(Crc32c, KnownAnswers) {
  // From the iSCSI standard.
  std::string up(32, '\0');
  for (int i = 0; i < 32; ++i)
    up[static_cast<size_t>(i)] = static_cast<char>(i);
  struct {
    std::string bytes;
    uint32_t crc;
  } const known[] = {{"", 0},
                     {"123456789", 0xe3069283},
                     {std::string(32, '\0'), 0x8a9136aa},
                     {std::string(32, '\xff'), 0x62a8ab43},
                     {up, 0x46dd794e}};
  for (const auto& k : known) {
    EXPECT_EQ(Crc32c(k.bytes), k.crc);
    EXPECT_EQ(Crc32cByTable(k.bytes), k.crc);
    for (size_t cut = 0; cut <= k.bytes.size(); ++cut) {
      uint32_t first = Crc32c(k.bytes.substr(0, cut));
      EXPECT_EQ(Crc32c(k.bytes.substr(cut), first), k.crc);
      EXPECT_EQ(Crc32cByTable(k.bytes.substr(cut), first), k.crc);
    }
  }
}

TEST(File, WholeFilesAndAppending) {
  std::string path = Path("whole"), bytes(200000, 'x');
  bytes[7] = '\0';
  ASSERT_TRUE(WriteFileBytes(path, bytes, false).ok());
  EXPECT_TRUE(FileExists(path));
  EXPECT_EQ(*ReadFileBytes(path), bytes);
  ASSERT_TRUE(WriteFileBytes(path, "end", true).ok());
  EXPECT_EQ(*ReadFileBytes(path), bytes + "end");
  ASSERT_TRUE(WriteFileBytes(path, "", false).ok());
  EXPECT_EQ(*ReadFileBytes(path), "");
  unlink(path.c_str());
  EXPECT_FALSE(FileExists(path));
}

TEST(File, LinesAndPieces) {
  std::string path = Path("lines"), lines;
  // Lines across the ends of buffers, an empty one, and no newline at the end.
  for (int i = 0; i < 3000; ++i) {
    lines += std::string(static_cast<size_t>(i % 97), 'a') + "\n";
  }
  ASSERT_TRUE(WriteFileBytes(path, lines + "last", false).ok());
  auto file = *InputFile::Open(path);
  EXPECT_EQ(file->size(), static_cast<int64_t>(lines.size()) + 4);
  for (int i = 0; i < 3000; ++i) {
    std::string line;
    ASSERT_TRUE(*file->ReadLine(&line));
    ASSERT_EQ(line.size(), static_cast<size_t>(i % 97));
  }
  std::string line;
  EXPECT_TRUE(*file->ReadLine(&line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(*file->ReadLine(&line));
  ASSERT_TRUE(file->Seek(5).ok());
  std::string piece;
  ASSERT_TRUE(file->Read(100000, &piece).ok());
  EXPECT_EQ(piece, (lines + "last").substr(5, 100000));
  EXPECT_EQ(file->offset(), 100005);
  ASSERT_TRUE(file->Seek(int64_t{1} << 40).ok());
  piece.clear();
  ASSERT_TRUE(file->Read(10, &piece).ok());
  EXPECT_EQ(piece, "");
  unlink(path.c_str());
}

TEST(File, ErrorsNameThePath) {
  Status missing = ReadFileBytes(Path("nothing")).status();
  EXPECT_EQ(missing.code(), Code::kNotFound);
  EXPECT_NE(missing.message().find("nothing\": No such file"),
            std::string::npos);
  EXPECT_NE(ReadFileBytes(testing::TempDir())
                .status()
                .message()
                .find("it is a directory"),
            std::string::npos);
  EXPECT_FALSE(WriteFileBytes(testing::TempDir(), "x", false).ok());
  EXPECT_EQ(WriteFileBytes(Path("no/such/folder"), "x", false).code(),
            Code::kNotFound);
  EXPECT_EQ(ReadFileBytes("").status().message(),
            "path is \"\"; wanted a file's name");
  EXPECT_FALSE(ReadFileBytes(std::string("/dev/null\0x", 11)).ok());
  EXPECT_FALSE(FileExists(""));
  // Nobody writes to this pipe: opening it would wait forever.
  std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(ReadFileBytes(pipe).status().message().find("no plain file"),
            std::string::npos);
  EXPECT_FALSE(WriteFileBytes(pipe, "x", false).ok());
  unlink(pipe.c_str());
}

TEST(File, DevicesThatNeverEndAreGivenUp) {
  EXPECT_EQ(*ReadFileBytes("/dev/null"), "");
  Status zero = ReadFileBytes("/dev/zero").status();
  EXPECT_NE(zero.message().find("it does not end"), std::string::npos);
}

TEST(File, PatternsAreSorted) {
  for (const char* name : {"p_b", "p_a", "p_B", "q_a"}) {
    ASSERT_TRUE(WriteFileBytes(Path(name), "", false).ok());
  }
  EXPECT_EQ(*MatchingFiles(Path("p_[a-b]")),
            (std::vector<std::string>{Path("p_a"), Path("p_b")}));
  EXPECT_EQ(*MatchingFiles(Path("p_*")),
            (std::vector<std::string>{Path("p_B"), Path("p_a"), Path("p_b")}));
  EXPECT_TRUE(MatchingFiles(Path("none*"))->empty());
  for (const char* name : {"p_b", "p_a", "p_B", "q_a"}) {
    unlink(Path(name).c_str());
  }
}

}  // namespace
}  // namespace sluice
