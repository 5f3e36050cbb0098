// Readers of files: IDX, CSV, lines, records, NumPy.
#include "sluice/data/data_test_util.h"

namespace sluice::data {
namespace {

std::vector<std::string> Texts(const Dataset<1>& data) {
  std::vector<std::string> all;
  for (auto& [x] : data) all.push_back(x.item<std::string>());
  return all;
}

// ---- IDX ----

const std::string kIdx("\0\0\x0b\x02\0\0\0\x02\0\0\0\x02\0\1\0\2\xff\xff\1\0",
                       20);

TEST(Idx, IsBigEndian) {
  TempFile file("a.idx", kIdx);
  auto rows = idx(file.path()).batch(2).iterator().next();
  EXPECT_EQ((*rows)[0].to_vector<int16_t>(),
            (std::vector<int16_t>{1, 2, -1, 256}));
}

TEST(Idx, DamagedFilesNameTheByte) {
  TempFile file("b.idx", kIdx.substr(0, 18));
  std::string error = ErrorOf([&] { read_idx(file.path()); });
  Contains(error, file.path());
  Contains(error,
           "at byte 12: 6 bytes after the header; wanted 8 for i16[2,2]");
  for (size_t n = 0; n < kIdx.size(); ++n) {
    EXPECT_FALSE(ParseIdx(kIdx.substr(0, n), "x").ok()) << n;
  }
  Torture(kIdx, [](const std::string& bytes) { (void)ParseIdx(bytes, "x"); });
  EXPECT_NE(ErrorOf([] { read_idx("/nowhere.idx"); }), "");
  TempFile packed("c.idx.gz", std::string("\x1f\x8b\x08\0", 4));
  Contains(ErrorOf([&] { read_idx(packed.path()); }), "c.idx.gz\": gzip data");
}

// ---- CSV ----

constexpr char kCsv[] =
    "x,y,\"the kind\"\n"
    "1.5,2,red\r\n"
    "\n"
    "-3,,\"blue, dark\"\n"
    "1e3,+7,\"a \"\"b\"\"\"";

TEST(Csv, ColumnsBecomeComponents) {
  TempFile file("a.csv", kCsv);
  auto data =
      csv(file.path(), {.header = true, .missing = -1}, Columns{{"x", "y"}},
          Columns{{2}, string}, Columns{{"y"}, i64});
  EXPECT_EQ(data.size(), 3);
  auto all = data.batch(3).iterator().next();
  auto& [numbers, kinds, ys] = *all;
  EXPECT_EQ(numbers.to_vector<float>(),
            (std::vector<float>{1.5, 2, -3, -1, 1000, 7}));
  EXPECT_EQ(numbers.shape(), (PartialShape{3, 2}));
  EXPECT_EQ(kinds.to_vector<std::string>(),
            (std::vector<std::string>{"red", "blue, dark", "a \"b\""}));
  EXPECT_EQ(ys.to_vector<int64_t>(), (std::vector<int64_t>{2, -1, 7}));
}

TEST(Csv, MistakesNameLineAndColumn) {
  TempFile file("b.csv", kCsv);
  auto error = [&](CsvOptions options, Columns columns) {
    return ErrorOf([&] { csv(file.path(), options, columns); });
  };
  Contains(error({.header = true}, {{"y"}}),
           "b.csv\" line 4 column 1 is \"\"; wanted f32");
  Contains(error({.header = true}, {{"x"}, i64}),
           "line 2 column 0 is \"1.5\"; wanted i64");
  Contains(error({.header = true}, {{"z"}}),
           "has no column \"z\"; it has \"x\", \"y\", \"the kind\"");
  Contains(error({.header = true}, {{3}}), "has 3 columns; wanted number 3");
  Contains(error({}, {{"x"}}), "no header");
  Contains(error({.header = true, .missing = 0.5}, {{"y"}, i64}),
           "missing is 0.5, which is no i64");
  file.Write("1,2\n3\n");
  Contains(error({}, {{0}}), "line 2 has 1 fields; wanted 2");
  file.Write("1,\"2\n");
  Contains(error({}, {{0}}), "line 1: the quote at byte 2 is not closed");
  file.Write("300\n");
  Contains(error({}, {{0}, u8}), "is \"300\"; wanted u8");
}

TEST(Csv, AnyBytesGiveAResultOrAnError) {
  Torture(kCsv, [&](const std::string& bytes) {
    (void)ParseCsv(bytes, "x.csv", {.header = true}, {{{0, 1}}, {{2}, string}});
  });
}

// ---- Lines ----

TEST(TextLines, OfSeveralFiles) {
  TempFile a("1.lines", "one\r\ntwo\n\nfour"), b("2.lines", "head\nfive\n");
  EXPECT_EQ(
      Texts(text_lines({a.path(), b.path()})),
      (std::vector<std::string>{"one", "two", "", "four", "head", "five"}));
  EXPECT_EQ(Texts(text_lines({a.path(), b.path()}, {.skip = 1})),
            (std::vector<std::string>{"two", "", "four", "five"}));
  std::string folder = std::filesystem::path(a.path()).parent_path().string();
  std::string prefix = std::to_string(::getpid());
  EXPECT_EQ(Texts(text_lines(folder + "/" + prefix + "-?.lines")).size(), 6u);
  Contains(ErrorOf([] { text_lines("/nowhere/*.txt"); }),
           "[text_lines] no file is called \"/nowhere/*.txt\"");
}

TEST(TextLines, PackedByGzip) {
  // gzip of "one\ntwo\n", stored.
  std::string good(
      "\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x08\0\xf7\xff"
      "one\ntwo\n"
      "\xe6\x0b\xba\x12\x08\0\0\0",
      31);
  TempFile file("p.txt.gz", good);
  EXPECT_EQ(Texts(text_lines(file.path())),
            (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(Texts(text_lines(file.path(), {.skip = 1})),
            (std::vector<std::string>{"two"}));
  Torture(good, [&](const std::string& bytes) {
    file.Write(bytes);
    ErrorOf([&] { Texts(text_lines(file.path())); });
  });
  std::string bad = good;
  bad[16] = 'x';
  file.Write(bad);
  std::string error = ErrorOf([&] { Texts(text_lines(file.path())); });
  Contains(error, file.path());
  Contains(error, "the checksum is wrong");
}

// ---- Records ----

std::string RecordBytes() {
  TempFile file("w.tfrecord");
  TFRecordWriter writer(file.path());
  for (const char* record : {"first", "", "third record"}) writer.write(record);
  writer.close();
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(TFRecord, ComesBack) {
  std::string bytes = RecordBytes();
  EXPECT_EQ(bytes.size(), 3 * 16 + 17u);
  TempFile file("a.tfrecord", bytes);
  EXPECT_EQ(Texts(tfrecord(file.path())),
            (std::vector<std::string>{"first", "", "third record"}));
  auto pass = tfrecord(file.path()).iterator();
  pass.next();
  auto other = tfrecord(file.path()).iterator();
  other.restore(pass.state());
  EXPECT_EQ((*other.next())[0].item<std::string>(), "");
}

TEST(TFRecord, EveryDamageIsNoticed) {
  std::string good = RecordBytes();
  TempFile file("b.tfrecord");
  // A file may end between records; a truncation elsewhere is an error.
  std::vector<size_t> borders{0, 21, 37};
  for (size_t n = 0; n < good.size(); ++n) {
    file.Write(good.substr(0, n));
    std::string error = ErrorOf([&] { Texts(tfrecord(file.path())); });
    bool border = std::count(borders.begin(), borders.end(), n) > 0;
    EXPECT_EQ(error == "", border) << n;
    if (!border) {
      Contains(error, file.path());
      Contains(error, "at byte");
    }
  }
  for (size_t n = 0; n < good.size(); ++n) {
    std::string bad = good;
    bad[n] = static_cast<char>(bad[n] ^ 4);
    file.Write(bad);
    EXPECT_NE(ErrorOf([&] { Texts(tfrecord(file.path())); }), "") << n;
  }
  file.Write("\x1f\x8b\x08");
  Contains(ErrorOf([&] { Texts(tfrecord(file.path())); }),
           "gzip data; wanted plain records");
}

// ---- NumPy ----

TEST(NumPy, FilesAndMembers) {
  TempFile x("x.npy"), both("both.npz");
  Tensor values = constant({{1.f, 2.f}, {3.f, 4.f}}),
         labels = constant({7, 8}, i64);
  io::write_npy(x.path(), values);
  io::write_npz(both.path(), {{"x", values}, {"y", labels}});
  auto [a] = *npy(x.path()).batch(2).iterator().next();
  EXPECT_TRUE(a.array().BitEquals(values.array()));
  auto [b, c] = *npz(both.path(), "x", "y").batch(2).iterator().next();
  EXPECT_TRUE(b.array().BitEquals(values.array()));
  EXPECT_TRUE(c.array().BitEquals(labels.array()));
  EXPECT_NE(ErrorOf([&] { npz(both.path(), "z"); }), "");
}

}  // namespace
}  // namespace sluice::data
