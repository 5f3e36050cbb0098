// .npy and .npz: what NumPy writes is read, what we write NumPy would have
// written, and damaged files are errors that name the byte.
#include "sluice/io/npy.h"

#include <unistd.h>

#include <filesystem>

#include "gtest/gtest.h"
#include "sluice/base/error.h"
#include "sluice/base/file.h"
#include "sluice/base/strings.h"
#include "sluice/eager/constants.h"
#include "sluice/formats/zip.h"
#include "sluice/io/faulty_files_test_util.h"

namespace sluice::io {
namespace {

// np.savez_compressed(w=np.arange(40, dtype='<i4').reshape(4, 10) // 4,
//                     b=np.array([1.5])), by NumPy 2.
constexpr unsigned char kCompressed[] = {
    0x50, 0x4b, 0x03, 0x04, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,
    0x21, 0x00, 0x16, 0x90, 0x58, 0x68, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0x05, 0x00, 0x14, 0x00, 0x77, 0x2e, 0x6e, 0x70, 0x79, 0x01,
    0x00, 0x10, 0x00, 0x20, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x61,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b,
    0x10, 0xc9, 0xc8, 0x50, 0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c,
    0xa4, 0x6e, 0xa5, 0xa0, 0x6e, 0x93, 0x69, 0xa2, 0xae, 0xa3, 0xa0, 0x9e,
    0x96, 0x5f, 0x54, 0x52, 0x94, 0x98, 0x17, 0x9f, 0x5f, 0x94, 0x92, 0x0a,
    0x12, 0x77, 0x4b, 0xcc, 0x29, 0x4e, 0x05, 0x8a, 0x17, 0x67, 0x24, 0x16,
    0xa4, 0x02, 0xf9, 0x1a, 0x26, 0x3a, 0x0a, 0x86, 0x06, 0x9a, 0x3a, 0x0a,
    0xb5, 0x0a, 0xe4, 0x02, 0x2e, 0x06, 0x34, 0xc0, 0x88, 0x86, 0x99, 0xd0,
    0x30, 0x33, 0x1a, 0x66, 0x41, 0xc3, 0xac, 0x68, 0x98, 0x0d, 0x0d, 0xb3,
    0xa3, 0x61, 0x0e, 0x34, 0xcc, 0x89, 0x86, 0x01, 0x50, 0x4b, 0x03, 0x04,
    0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xb3, 0x5d,
    0x02, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x05, 0x00,
    0x14, 0x00, 0x62, 0x2e, 0x6e, 0x70, 0x79, 0x01, 0x00, 0x10, 0x00, 0x88,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x49, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b, 0x10, 0xc9, 0xc8, 0x50,
    0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c, 0xa4, 0x6e, 0xa5, 0xa0,
    0x6e, 0x93, 0x66, 0xa1, 0xae, 0xa3, 0xa0, 0x9e, 0x96, 0x5f, 0x54, 0x52,
    0x94, 0x98, 0x17, 0x9f, 0x5f, 0x94, 0x92, 0x0a, 0x12, 0x77, 0x4b, 0xcc,
    0x29, 0x4e, 0x05, 0x8a, 0x17, 0x67, 0x24, 0x16, 0xa4, 0x02, 0xf9, 0x1a,
    0x86, 0x3a, 0x9a, 0x3a, 0x0a, 0xb5, 0x0a, 0x14, 0x00, 0x2e, 0x06, 0x30,
    0xf8, 0x61, 0x0f, 0x00, 0x50, 0x4b, 0x01, 0x02, 0x2d, 0x03, 0x2d, 0x00,
    0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0x16, 0x90, 0x58, 0x68,
    0x61, 0x00, 0x00, 0x00, 0x20, 0x01, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00,
    0x00, 0x00, 0x77, 0x2e, 0x6e, 0x70, 0x79, 0x50, 0x4b, 0x01, 0x02, 0x2d,
    0x03, 0x2d, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xb3,
    0x5d, 0x02, 0x1f, 0x49, 0x00, 0x00, 0x00, 0x88, 0x00, 0x00, 0x00, 0x05,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80,
    0x01, 0x98, 0x00, 0x00, 0x00, 0x62, 0x2e, 0x6e, 0x70, 0x79, 0x50, 0x4b,
    0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x02, 0x00, 0x66, 0x00,
    0x00, 0x00, 0x18, 0x01, 0x00, 0x00, 0x00, 0x00,
};

std::string_view View(const unsigned char* bytes, size_t n) {
  return {reinterpret_cast<const char*>(bytes), n};
}

std::string Npy(std::string_view dict, std::string_view body) {
  std::string out("\x93NUMPY\1\0", 8);
  out += static_cast<char>(dict.size());
  out += '\0';
  out += dict;
  out += body;
  return out;
}

std::string MessageOf(const std::string& bytes) {
  return ParseNpy(bytes, "x.npy").status().message();
}

TEST(Npy, ReadsBothOrdersOfBytesAndAxes) {
  Array big =
      *ParseNpy(Npy("{'descr': '>i2', 'fortran_order': False, 'shape': (3,), }",
                    std::string_view("\0\1\xff\xfe\1\x2c", 6)),
                "x.npy");
  EXPECT_TRUE(big.BitEquals(Array::Vector<int16_t>({1, -2, 300})));

  std::string columns;
  for (float v : {1.f, 4.f, 2.f, 5.f, 3.f, 6.f}) {
    columns.append(reinterpret_cast<const char*>(&v), 4);
  }
  Array turned = *ParseNpy(
      Npy("{'descr': '=f4', 'fortran_order': True, 'shape': (2, 3)}", columns),
      "x.npy");
  EXPECT_TRUE(turned.BitEquals(Array::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
}

TEST(Npy, ReadsStringsAndBools) {
  Array texts =
      *ParseNpy(Npy("{'descr': '|S2', 'fortran_order': False, 'shape': (2,), }",
                    std::string_view("x\0yz", 4)),
                "x.npy");
  EXPECT_TRUE(texts.BitEquals(Array::Vector<std::string>({"x", "yz"})));
  Array points =
      *ParseNpy(Npy("{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }",
                    std::string_view("\xe7\0\0\0\xac\x20\0\0", 8)),
                "x.npy");
  EXPECT_EQ(points.data<std::string>()[0], "\xc3\xa7\xe2\x82\xac");
  Array bools =
      *ParseNpy(Npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }",
                    std::string_view("\1\0\7", 3)),
                "x.npy");
  EXPECT_TRUE(bools.BitEquals(Array::Vector<bool>({true, false, true})));
}

TEST(Npy, WritesWhatNumPyWrites) {
  std::string bytes = *NpyBytes(Array::Of<float>({2, 1}, {1, 2}));
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\1\0v\0", 10));
  EXPECT_EQ(bytes.size(), 136u);
  EXPECT_TRUE(bytes.substr(10).starts_with(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }   "));
  EXPECT_EQ(bytes[127], '\n');
}

TEST(Npy, EveryTypeComesBack) {
  std::vector<Array> arrays{Array::Scalar(2.5),
                            Array::Vector<float>({1, -0.0f}),
                            Array::Vector<int8_t>({-1}),
                            Array::Vector<uint64_t>({UINT64_MAX}),
                            Array::Vector<bool>({true, false}),
                            Array::Vector<f16>({static_cast<f16>(0.5f)}),
                            Array::Vector<complex64>({{1, 2}}),
                            Array::Vector<std::string>({"", "abc"}),
                            Array::Zeros(DType::kI32, {2, 0, 3})};
  for (const Array& array : arrays) {
    Array back = *ParseNpy(*NpyBytes(array), "x.npy");
    EXPECT_TRUE(back.BitEquals(array)) << array.TypeText();
  }
  EXPECT_NE(NpyBytes(Array::Zeros(DType::kBF16, {1}))
                .status()
                .message()
                .find("bf16[1] has no type in .npy files"),
            std::string::npos);
}

TEST(Npy, MessagesNameTheByte) {
  auto has = [](const std::string& message, std::string_view part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  has(MessageOf("PK"), "x.npy at byte 0: no .npy data");
  has(MessageOf(
          Npy("{'descr': '|O', 'fortran_order': False, 'shape': ()}", "")),
      "elements are '|O'");
  has(MessageOf(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                    "1234")),
      "4 bytes after the header; wanted <f4 [2]");
  has(MessageOf(Npy("{'descr': '<f4', 'shape': (2,)}", "")),
      "the header goes wrong");
  has(MessageOf(Npy("{'descr': '|S0', 'fortran_order': False, 'shape': "
                    "(281474976710656,)}",
                    "")),
      "empty strings");
  has(MessageOf(Npy("{'descr': '|S2147483648', 'fortran_order': False, "
                    "'shape': (281474976710656,)}",
                    "")),
      "wanted |S2147483648");
  has(MessageOf(
          Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "")),
      "x.npy at byte 0");
}

// Any cut and any changed byte gives an array or an error, and touches nothing
// else: AddressSanitizer watches.
void Torture(std::string_view good, const std::function<void(std::string)>& f) {
  for (size_t n = 0; n < good.size(); ++n) f(std::string(good.substr(0, n)));
  for (size_t n = 0; n < good.size(); ++n) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad(good);
      bad[n] = static_cast<char>(bad[n] ^ 1 << bit);
      f(std::move(bad));
    }
  }
}

TEST(Npy, DamagedFilesAreErrors) {
  std::string good = *NpyBytes(Array::Of<float>({2, 1}, {1, 2}));
  size_t cuts = 0;
  for (size_t n = 0; n < good.size(); ++n) {
    cuts += !ParseNpy(good.substr(0, n), "x.npy").ok();
  }
  EXPECT_EQ(cuts, good.size());
  Torture(good, [](std::string bytes) { (void)ParseNpy(bytes, "x.npy"); });
  Torture(*NpyBytes(Array::Vector<std::string>({"ab", "c"})),
          [](std::string bytes) { (void)ParseNpy(bytes, "x.npy"); });
}

class TempPath {
 public:
  explicit TempPath(std::string_view name)
      : path_((std::filesystem::temp_directory_path() /
               StrCat(::getpid(), "-", name))
                  .string()) {}
  ~TempPath() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Npz, ReadsWhatNumPyPacked) {
  TempPath file("numpy.npz");
  ASSERT_TRUE(
      WriteFileBytes(file.path(), View(kCompressed, sizeof kCompressed), false)
          .ok());
  StateDict all = read_npz(file.path());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at("w").shape(), (PartialShape{4, 10}));
  EXPECT_EQ(all.at("w").to_vector<int32_t>()[39], 9);
  EXPECT_EQ(all.at("b").to_vector<double>(), std::vector<double>{1.5});
}

TEST(Npz, ComesBackInOrder) {
  TempPath file("ours.npz"), single("ours.npy");
  StateDict state{{"fc1.weight", constant({{1.f, 2.f}})},
                  {"a/b", constant({3, 4}, i64)}};
  write_npz(file.path(), state);
  StateDict back = read_npz(file.path());
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back.begin()->first, "fc1.weight");
  for (const auto& [name, tensor] : state) {
    EXPECT_TRUE(back.at(name).array().BitEquals(tensor.array())) << name;
  }
  write_npy(single.path(), state.at("a/b"));
  EXPECT_EQ(read_npy(single.path()).to_vector<int64_t>(),
            (std::vector<int64_t>{3, 4}));
  EXPECT_THROW(read_npy("/nowhere.npy"), Error);
}

TEST(Npz, DamagedArchivesAreErrors) {
  std::string_view good = View(kCompressed, sizeof kCompressed);
  ASSERT_TRUE(ReadZip(good, "x.npz").ok());
  for (size_t n = 0; n < good.size(); ++n) {
    EXPECT_FALSE(ReadZip(good.substr(0, n), "x.npz").ok()) << n;
  }
  // Elements are behind a checksum: a flipped bit there is always noticed.
  int unnoticed = 0;
  Torture(good, [&](std::string bytes) {
    Result<std::vector<ZipMember>> read = ReadZip(bytes, "x.npz");
    if (!read.ok()) return;
    for (const ZipMember& member : *read) {
      Result<Array> array = ParseNpy(member.bytes, member.name);
      if (array.ok() && array->dtype() == DType::kI32) {
        unnoticed += array->data<int32_t>()[39] != 9;
      }
    }
  });
  EXPECT_EQ(unnoticed, 0);
  Torture(*ZipBytes({{"a.npy", "some bytes"}, {"b", ""}}),
          [](std::string bytes) { (void)ReadZip(bytes, "x.npz"); });
}

TEST(Zip, OverlappingMembersAreRefused) {
  std::string big(1000, 'x');
  std::string zip = *ZipBytes({{"a", big}, {"b", ""}});
  // The second entry is made to point at the bytes of the first.
  size_t entry = zip.rfind("PK\1\2");
  size_t first = zip.find("PK\1\2");
  zip.replace(entry + 16, 12, zip.substr(first + 16, 12));
  zip.replace(entry + 42, 4, zip.substr(first + 42, 4));
  EXPECT_NE(ReadZip(zip, "x.zip").status().message().find("members overlap"),
            std::string::npos);
}

TEST(Npy, AFileThatCannotBeWrittenStaysAsItWas) {
  char name[] = "/tmp/sluice-npy-XXXXXX";
  std::string path = StrCat(mkdtemp(name), "/x.npz");
  write_npz(path, {{"x", constant(1.f)}});
  for (int at = 0; at < 3; ++at) {
    FaultyFiles full(FaultyFiles::Fault::kFull, at);
    EXPECT_THROW(write_npz(path, {{"x", constant(2.f)}}), Error) << at;
  }
  EXPECT_EQ(read_npz(path).at("x").item<float>(), 1.f);
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace sluice::io
