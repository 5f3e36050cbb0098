// Ops on files and readers, through their records.
#include <unistd.h>

#include "sluice/base/file.h"
#include "sluice/ops/state/state_ops_test_util.h"

namespace sluice {
namespace {

using Texts = std::vector<std::string>;

class FileOps : public StateOps {
 protected:
  FileOps() {
    base_ = testing::TempDir() + "sluice_file_ops_" + std::to_string(getpid());
  }
  ~FileOps() override {
    auto left = MatchingFiles(base_ + "*");
    for (const std::string& path : *left) unlink(path.c_str());
  }
  std::string Path(const char* name) const { return base_ + "_" + name; }
  static Array Text(std::string text) { return Array::Scalar(std::move(text)); }
  static std::string TextOf(const Array& a) { return *a.data<std::string>(); }
  static Texts TextsOf(const Array& a) {
    return {a.data<std::string>(), a.data<std::string>() + a.num_elements()};
  }
  std::string base_;
};

TEST_F(FileOps, WriteReadExistsMatch) {
  std::string a = Path("a"), b = Path("b");
  EXPECT_FALSE((*Run("FileExists", {Text(a)}))[0].data<bool>()[0]);
  ASSERT_TRUE(Run("WriteFile", {Text(a), Text("hello")}).ok());
  ASSERT_TRUE(Run("WriteFile", {Text(b), Text("")}).ok());
  ASSERT_TRUE(
      Run("WriteFile", {Text(b), Text("more")}, {{"append", true}}).ok());
  auto both = *Run("ReadFile", {Array::Vector<std::string>({a, b})});
  EXPECT_EQ(TextsOf(both[0]), (Texts{"hello", "more"}));
  EXPECT_TRUE((*Run("FileExists", {Text(a)}))[0].data<bool>()[0]);
  auto found =
      *Run("MatchingFiles", {Array::Vector<std::string>({Path("[ab]"), a})});
  EXPECT_EQ(TextsOf(found[0]), (Texts{a, b}));
}

TEST_F(FileOps, ReadersThroughTheirHandles) {
  std::string path = Path("lines");
  ASSERT_TRUE(WriteFileBytes(path, "a\nb\nc\nd\n", false).ok());
  Attrs files{{"files", Texts{path}}};
  Array reader = Handle("TextLineReader", files, "r");
  auto first = *Run("ReaderRead", {reader});
  EXPECT_EQ(TextOf(first[0]), path + ":1");
  EXPECT_EQ(TextOf(first[1]), "a");
  std::string state = TextOf((*Run("ReaderState", {reader}))[0]);
  auto two = *Run("ReaderReadUpTo", {reader, Array::Scalar<int32_t>(2)});
  EXPECT_EQ(TextsOf(two[0]), (Texts{path + ":2", path + ":3"}));
  EXPECT_EQ(TextsOf(two[1]), (Texts{"b", "c"}));
  auto rest = *Run("ReaderReadUpTo", {reader, Array::Scalar<int64_t>(9)});
  EXPECT_EQ(TextsOf(rest[1]), (Texts{"d"}));
  ExpectError(RunStatus("ReaderRead", {reader}), Code::kOutOfRange,
              "[ReaderRead] reader \"r\" is at the end of its 1 file");
  ASSERT_TRUE(Run("ReaderRestore", {reader, Text(state)}).ok());
  EXPECT_EQ(TextOf((*Run("ReaderRead", {reader}))[1]), "b");
  ASSERT_TRUE(Run("ReaderReset", {reader}).ok());
  EXPECT_EQ(TextOf((*Run("ReaderRead", {reader}))[1]), "a");
  ASSERT_TRUE(
      Run("ReaderSetFiles", {reader, Array::Zeros(DType::kString, {0})}).ok());
  EXPECT_EQ(RunStatus("ReaderRead", {reader}).code(), Code::kOutOfRange);
  // The same name and the same files: the same reader. Others: no.
  EXPECT_EQ(Handle("TextLineReader", files, "r").handle().get(),
            reader.handle().get());
  ExpectError(RunStatus("WholeFileReader", {}, files, "r"),
              Code::kInvalidArgument,
              "\"r\" is there already as a reader of lines");
}

TEST_F(FileOps, OtherReaders) {
  std::string path = Path("bytes");
  ASSERT_TRUE(WriteFileBytes(path, "aabbcc", false).ok());
  Array fixed = Handle("FixedLengthReader",
                       {{"files", Texts{path}}, {"record_bytes", 2}}, "f");
  EXPECT_EQ(TextOf((*Run("ReaderRead", {fixed}))[1]), "aa");
  Array whole = Handle("WholeFileReader", {{"files", Texts{path}}}, "w");
  EXPECT_EQ(TextOf((*Run("ReaderRead", {whole}))[1]), "aabbcc");
  Array records = Handle("RecordReader", {{"files", Texts{path}}}, "x");
  ExpectError(RunStatus("ReaderRead", {records}), Code::kDataLoss,
              "at byte 0: the file ends inside a record's length");
}

TEST_F(FileOps, WriteAndReadRecords) {
  std::string path = Path("records");
  Array writer = Handle("RecordWriter", {{"path", path}}, "w");
  ASSERT_TRUE(Run("RecordWriterAppend",
                  {writer, Array::Vector<std::string>({"1", "22"})})
                  .ok());
  ASSERT_TRUE(Run("RecordWriterFlush", {writer}).ok());
  Array reader = Handle("RecordReader", {{"files", Texts{path}}}, "r");
  EXPECT_EQ(TextOf((*Run("ReaderRead", {reader}))[1]), "1");
  ASSERT_TRUE(Run("RecordWriterClose", {writer}).ok());
  ExpectError(RunStatus("RecordWriterAppend", {writer, Text("x")}),
              Code::kFailedPrecondition, "[RecordWriterAppend] record writer");
  EXPECT_EQ(TextOf((*Run("ReaderRead", {reader}))[1]), "22");
}

TEST_F(FileOps, WrongHandlesAndWrongNumbers) {
  Array reader = Handle("WholeFileReader", {}, "r");
  ExpectError(RunStatus("RecordWriterClose", {reader}), Code::kInvalidArgument,
              "[RecordWriterClose] handle is a reader of whole files from []; "
              "wanted a record writer");
  Array writer = Handle("RecordWriter", {{"path", "/dev/null"}}, "w");
  ExpectError(RunStatus("ReaderRead", {writer}), Code::kInvalidArgument,
              "[ReaderRead] handle is a record writer to \"/dev/null\"; wanted "
              "a reader");
  for (int64_t n : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    ExpectError(RunStatus("ReaderReadUpTo", {reader, Array::Scalar(n)}),
                Code::kInvalidArgument, "[ReaderReadUpTo] n is ");
  }
  EXPECT_EQ(ShapeOf("ReaderReadUpTo", {DType::kResource, DType::kI64},
                    {Shape(), Shape()}, {}),
            "[?]");
  EXPECT_EQ(ShapeOf("ReaderRestore", {DType::kResource, DType::kString},
                    {Shape(), Shape{2}}, {}),
            "[ReaderRestore] state is string[2]; wanted rank 0");
}

// Passes may neither drop, merge nor reorder these.
TEST_F(FileOps, RecordsSayWhatTheyDo) {
  for (const char* name :
       {"ReadFile", "WriteFile", "FileExists", "MatchingFiles"}) {
    EXPECT_EQ(Op(name).global_effect, "files") << name;
    EXPECT_FALSE(Op(name).pure()) << name;
  }
  for (const char* name :
       {"ReaderRead", "ReaderReadUpTo", "ReaderReset", "ReaderSetFiles",
        "ReaderRestore", "RecordWriterAppend", "RecordWriterClose"}) {
    EXPECT_EQ(Op(name).effect, Effect::kWrite) << name;
  }
  EXPECT_EQ(Op("ReaderState").effect, Effect::kRead);
  for (const char* name : {"TextLineReader", "FixedLengthReader",
                           "RecordReader", "WholeFileReader", "RecordWriter"}) {
    EXPECT_TRUE(Op(name).handle) << name;
    EXPECT_NE(Op(name).FindAttr("shared_name"), nullptr) << name;
  }
}

TEST_F(FileOps, IdxOfEveryType) {
  auto decode = [&](std::string bytes, DType dtype) {
    return Run("DecodeIdx", {Text(std::move(bytes))}, {{"dtype", dtype}});
  };
  std::string two("\0\0\0\1\0\0\0\2", 8);
  two[2] = 0x0b;
  EXPECT_TRUE(
      (*decode(two + std::string("\1\2\xff\xfe", 4), DType::kI16))[0].BitEquals(
          Array::Vector<int16_t>({258, -2})));
  two[2] = 0x0d;
  EXPECT_TRUE(
      (*decode(two + std::string("\x3f\x80\0\0\xc0\0\0\0", 8), DType::kF32))[0]
          .BitEquals(Array::Vector<float>({1, -2})));
  std::string matrix("\0\0\x08\2\0\0\0\2\0\0\0\3\1\2\3\4\5\6", 18);
  EXPECT_TRUE((*decode(matrix, DType::kU8))[0].BitEquals(
      Array::Of<uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6})));
  std::string scalar("\0\0\x08\0\7", 5);
  EXPECT_EQ((*decode(scalar, DType::kU8))[0].shape(), Shape());
  ExpectError(decode(matrix + "x", DType::kU8).status(), Code::kDataLoss,
              "x at byte 12: 7 bytes after the header; wanted 6 for u8[2,3]");
  for (size_t n = 0; n < matrix.size(); ++n) {
    EXPECT_FALSE(decode(matrix.substr(0, n), DType::kU8).ok()) << n;
  }
}

}  // namespace
}  // namespace sluice
