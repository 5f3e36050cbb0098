#include "sluice/state/reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "sluice/state/record_writer.h"
#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

using Kind = RecordFormat::Kind;
using Texts = std::vector<std::string>;

class ReaderTest : public testing::Test {
 protected:
  ~ReaderTest() override {
    for (const std::string& path : made_) unlink(path.c_str());
  }
  std::string Path(const std::string& name) {
    std::string path = testing::TempDir() + "sluice_reader_test_" +
                       std::to_string(getpid()) + "_" + name;
    made_.push_back(path);
    return path;
  }
  std::string File(const std::string& name, const std::string& bytes) {
    std::string path = Path(name);
    EXPECT_TRUE(WriteFileBytes(path, bytes, false).ok());
    return path;
  }
  static Ref<Reader> Open(Kind kind, Texts files) {
    Reader::Spec spec;
    spec.format.kind = kind;
    spec.files = std::move(files);
    return *Reader::Make("r", spec);
  }
  static Texts All(Reader& reader) {
    Texts out;
    for (;;) {
      auto record = reader.Read();
      if (!record.ok()) {
        EXPECT_EQ(record.status().code(), Code::kOutOfRange)
            << record.status().ToString();
        return out;
      }
      out.push_back(record->value);
    }
  }
  Texts made_;
};

TEST_F(ReaderTest, LinesOfSeveralFiles) {
  std::string a = File("a", "one\r\n\ntwo"), b = File("b", ""),
              c = File("c", "three\n");
  auto reader = Open(Kind::kLines, {a, b, c});
  auto first = reader->Read();
  EXPECT_EQ(first->key, a + ":1");
  EXPECT_EQ(first->value, "one");
  EXPECT_EQ(All(*reader), (Texts{"", "two", "three"}));
  EXPECT_EQ(reader->records_read(), 4);
  ExpectError(reader->Read().status(), Code::kOutOfRange,
              "reader \"r\" is at the end of its 3 files");
  reader->Restart();
  EXPECT_EQ(All(*reader), (Texts{"one", "", "two", "three"}));
}

TEST_F(ReaderTest, HeaderLinesArePassedOver) {
  std::string a = File("a", "head\n1\n2\n"), b = File("b", "head"),
              c = File("c", "head\n3\n");
  Reader::Spec spec;
  spec.format.kind = Kind::kLines;
  spec.format.skip_lines = 1;
  spec.files = {a, b, c};
  auto reader = *Reader::Make("r", spec);
  EXPECT_EQ(reader->Read()->key, a + ":2");
  EXPECT_EQ(All(*reader), (Texts{"2", "3"}));
}

TEST_F(ReaderTest, FixedLengths) {
  Reader::Spec spec;
  spec.format.kind = Kind::kFixed;
  spec.format.record_bytes = 3;
  spec.format.header_bytes = 2;
  spec.format.footer_bytes = 1;
  spec.files = {File("a", "HHabcdefF"), File("b", "HHF"), File("c", "HHghijF"),
                File("d", "HHklmF")};
  auto reader = *Reader::Make("r", spec);
  EXPECT_EQ(reader->Read()->value, "abc");
  auto second = *reader->Read();
  EXPECT_EQ(second.value, "def");
  EXPECT_EQ(second.key, spec.files[0] + ":5");
  EXPECT_EQ(reader->Read()->value, "ghi");
  ExpectError(reader->Read().status(), Code::kDataLoss,
              "c\" at byte 5: only 1 bytes are left; wanted records of 3");
  EXPECT_EQ(All(*reader), (Texts{"klm"}));  // on with the next file
}

TEST_F(ReaderTest, WholeFilesAlsoEmptyOnes) {
  std::string a = File("a", "x\ny"), b = File("b", "");
  auto reader = Open(Kind::kWhole, {a, b, a});
  auto first = *reader->Read();
  EXPECT_EQ(first.key, a);
  EXPECT_EQ(first.value, "x\ny");
  EXPECT_EQ(All(*reader), (Texts{"", "x\ny"}));
}

TEST_F(ReaderTest, RecordsComeBackAsWritten) {
  std::string path = Path("records");
  Texts records = {"", "a", std::string("\0\n", 2), std::string(100000, 'z')};
  RecordWriter writer("w", {path, false});
  ASSERT_TRUE(writer.Append(records).ok());
  ASSERT_TRUE(writer.Append(std::span(records).first(2)).ok());
  ASSERT_TRUE(writer.Close().ok());
  ASSERT_TRUE(writer.Close().ok());
  ExpectError(writer.Append(records), Code::kFailedPrecondition,
              "record writer \"w\" is closed");
  auto reader = Open(Kind::kRecords, {path});
  Texts want = records;
  want.insert(want.end(), {"", "a"});
  EXPECT_EQ(All(*reader), want);

  RecordWriter more("w", {path, true});
  ASSERT_TRUE(more.Append(std::span(records).first(1)).ok());
  ASSERT_TRUE(more.Close().ok());
  reader->Restart();
  EXPECT_EQ(All(*reader).size(), 7u);
  RecordWriter nothing("w", {path, false});
  ASSERT_TRUE(nothing.Close().ok());
  reader->Restart();
  EXPECT_TRUE(All(*reader).empty());
}

// The bytes of a record, so that today's files stay readable: length 3, its
// checksum, "abc", its checksum.
TEST_F(ReaderTest, RecordBytesNeverChange) {
  std::string frame = FrameRecord("abc");
  ASSERT_EQ(frame.size(), 19u);
  EXPECT_EQ(frame.substr(0, 8), std::string("\3\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(frame.substr(12, 3), "abc");
  std::string hex;
  for (unsigned char c : frame.substr(8, 4) + frame.substr(15)) {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", c);
    hex += text;
  }
  EXPECT_EQ(hex, "b099490e6e57f121");
}

// Every byte of a record file is changed, one at a time: each change is
// detected, and only written records are returned.
TEST_F(ReaderTest, DamagedRecordsAreNoticed) {
  std::string whole = FrameRecord("first") + FrameRecord("second");
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x40);
    std::string path = File("damaged", bytes);
    auto reader = Open(Kind::kRecords, {path});
    auto first = reader->Read();
    bool in_first = i < FrameRecord("first").size();
    EXPECT_EQ(first.ok(), !in_first) << i;
    Status status = in_first ? first.status() : reader->Read().status();
    EXPECT_EQ(status.code(), Code::kDataLoss) << i;
    EXPECT_NE(status.message().find(path), std::string::npos);
    EXPECT_NE(status.message().find(in_first ? "at byte 0" : "at byte 21"),
              std::string::npos)
        << status.message();
    ExpectError(reader->Read().status(), Code::kOutOfRange, "at the end");
  }
}

TEST_F(ReaderTest, CutRecordsAreNoticed) {
  std::string whole = FrameRecord("first");
  for (size_t n = 1; n < whole.size(); ++n) {
    auto reader = Open(Kind::kRecords, {File("cut", whole.substr(0, n))});
    EXPECT_EQ(reader->Read().status().code(), Code::kDataLoss) << n;
  }
}

// A length with a correct checksum but longer than the file: rejected before
// memory is allocated for it.
TEST_F(ReaderTest, HugeLengthsAreRefused) {
  for (uint64_t length : {uint64_t{100}, uint64_t{1} << 40, UINT64_MAX}) {
    std::string head;
    for (int i = 0; i < 8; ++i) {
      head.push_back(static_cast<char>(length >> (8 * i)));
    }
    // The frame of these eight bytes ends with their masked checksum.
    std::string frame = FrameRecord(head);
    head += frame.substr(frame.size() - 4);
    auto reader = Open(Kind::kRecords, {File("huge", head + "some bytes")});
    ExpectError(reader->Read().status(), Code::kDataLoss,
                "bytes goes beyond the end of the file");
  }
}

TEST_F(ReaderTest, BatchesAndErrorsInBetween) {
  std::string good = FrameRecord("1") + FrameRecord("2");
  auto reader = Open(Kind::kRecords,
                     {File("a", good + "junk"), File("b", FrameRecord("3"))});
  auto batch = *reader->ReadUpTo(5);
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_EQ(batch[1].value, "2");
  EXPECT_EQ(reader->ReadUpTo(5).status().code(), Code::kDataLoss);
  EXPECT_EQ((*reader->ReadUpTo(5))[0].value, "3");
  EXPECT_EQ(reader->ReadUpTo(1).status().code(), Code::kOutOfRange);
}

TEST_F(ReaderTest, PatternsAndOtherFiles) {
  std::string b = File("p_b", "b"), a = File("p_a", "a"), c = File("q", "c");
  std::string pattern = Path("p_?");
  auto reader = Open(Kind::kLines, {pattern, c});
  EXPECT_EQ(All(*reader), (Texts{"a", "b", "c"}));
  reader->SetFiles({c, a});
  EXPECT_EQ(All(*reader), (Texts{"c", "a"}));
  reader->SetFiles({Path("none_*")});
  ExpectError(reader->Read().status(), Code::kNotFound, "no file matches");
  reader->SetFiles({Path("missing"), a});
  ExpectError(reader->Read().status(), Code::kNotFound, "missing");
  EXPECT_EQ(All(*reader), (Texts{"a"}));
  reader->SetFiles({});
  ExpectError(reader->Read().status(), Code::kOutOfRange, "of its 0 files");
}

TEST_F(ReaderTest, StateGoesBackToAnyRecord) {
  std::string a = File("a", "1\n2\n3\n"), b = File("b", "4\n5\n");
  auto reader = Open(Kind::kLines, {a, b});
  Texts states, rest = {"1", "2", "3", "4", "5"};
  for (size_t i = 0; i < 5; ++i) {
    states.push_back(reader->State());
    ASSERT_TRUE(reader->Read().ok());
  }
  states.push_back(reader->State());
  auto other = Open(Kind::kLines, {a, b});
  for (size_t i = 0; i <= 5; ++i) {
    ASSERT_TRUE(other->Restore(states[i]).ok()) << states[i];
    EXPECT_EQ(other->records_read(), static_cast<int64_t>(i));
    EXPECT_EQ(All(*other),
              Texts(rest.begin() + static_cast<long>(i), rest.end()));
  }
  ASSERT_TRUE(other->Restore(states[1]).ok());
  EXPECT_EQ(other->Read()->key, a + ":2");
  for (const char* bad :
       {"", "reader 1", "reader 1 0 0 0", "reader 1 0 0 0 0 ",
        "reader 2 0 0 0 0", "reader 1 -1 0 0 0", "reader 1 3 -1 0 0",
        "reader 1 2 0 0 0", "reader 1 99999999999999999999 0 0 0",
        "reader 1 0 0 0 x"}) {
    ExpectError(other->Restore(bad), Code::kInvalidArgument, "state is \"");
  }
}

TEST_F(ReaderTest, EveryRecordGoesToOneThread) {
  std::string lines;
  for (int i = 0; i < 4000; ++i) lines += std::to_string(i) + "\n";
  auto reader = Open(Kind::kLines, {File("a", lines)});
  std::vector<int> seen(4000);
  Mutex mu;
  auto work = [&] {
    for (;;) {
      auto record = reader->Read();
      if (!record.ok()) return;
      MutexLock lock(mu);
      ++seen[static_cast<size_t>(std::stoi(record->value))];
    }
  };
  std::thread other(work);
  work();
  other.join();
  for (int count : seen) ASSERT_EQ(count, 1);
}

TEST_F(ReaderTest, WritersReportWhatTheyCannotDo) {
  RecordWriter writer("w", {Path("no/folder/x"), false});
  Texts one = {"1"};
  EXPECT_EQ(writer.Append(one).code(), Code::kNotFound);
  RecordWriter full("w", {"/dev/full", false});
  ASSERT_TRUE(full.Append(one).ok());  // in the buffer
  EXPECT_EQ(full.Flush().code(), Code::kResourceExhausted);
}

}  // namespace
}  // namespace sluice
