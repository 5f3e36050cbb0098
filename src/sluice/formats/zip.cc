#include "sluice/formats/zip.h"

#include "sluice/base/strings.h"
#include "sluice/formats/inflate.h"

namespace sluice {

namespace {

constexpr uint32_t kLocal = 0x04034b50, kEntry = 0x02014b50, kEnd = 0x06054b50,
                   kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22,
                 kEnd64Bytes = 56, kLocatorBytes = 20;
// Deflate packs at most about 1000 to 1.
constexpr uint64_t kMostRatio = 1100;

// Little-endian numbers of the archive. REQUIRES: inside.
class Bytes {
 public:
  Bytes(std::string_view bytes, const std::string& what)
      : bytes_(bytes), what_(what) {}
  uint64_t size() const { return bytes_.size(); }
  bool has(uint64_t at, uint64_t n) const {
    return at <= bytes_.size() && n <= bytes_.size() - at;
  }
  std::string_view part(uint64_t at, uint64_t n) const {
    return bytes_.substr(static_cast<size_t>(at), static_cast<size_t>(n));
  }
  uint64_t Number(uint64_t at, size_t n) const {
    uint64_t value = 0;
    for (size_t i = 0; i < n; ++i) {
      value |= uint64_t{static_cast<unsigned char>(
                   bytes_[static_cast<size_t>(at) + i])}
               << (8 * i);
    }
    return value;
  }
  uint32_t U16(uint64_t at) const {
    return static_cast<uint32_t>(Number(at, 2));
  }
  uint32_t U32(uint64_t at) const {
    return static_cast<uint32_t>(Number(at, 4));
  }
  uint64_t U64(uint64_t at) const { return Number(at, 8); }
  Status Wrong(uint64_t at, std::string_view message) const {
    return DataLoss(StrCat(what_, " at byte ", at, ": ", message));
  }

 private:
  std::string_view bytes_;
  const std::string& what_;
};

struct Directory {
  uint64_t at = 0, bytes = 0, entries = 0;
};

Result<Directory> FindDirectory(const Bytes& in) {
  // The end record is last, followed only by its own comment.
  uint64_t at = 0;
  bool found = false;
  for (uint64_t back = kEndBytes;
       back <= in.size() && back <= kEndBytes + 65535; ++back) {
    at = in.size() - back;
    if (in.U32(at) == kEnd && in.U16(at + 20) == back - kEndBytes) {
      found = true;
      break;
    }
  }
  if (!found) return in.Wrong(0, "no zip archive: its end record is missing");
  Directory directory{in.U32(at + 16), in.U32(at + 12), in.U16(at + 10)};
  bool large = directory.at == UINT32_MAX || directory.bytes == UINT32_MAX ||
               directory.entries == UINT16_MAX;
  if (large && at >= kLocatorBytes &&
      in.U32(at - kLocatorBytes) == kLocator64) {
    uint64_t end64 = in.U64(at - kLocatorBytes + 8);
    if (!in.has(end64, kEnd64Bytes) || in.U32(end64) != kEnd64) {
      return in.Wrong(at - kLocatorBytes, "its large end record is missing");
    }
    directory = {in.U64(end64 + 48), in.U64(end64 + 40), in.U64(end64 + 32)};
  }
  if (!in.has(directory.at, directory.bytes)) {
    return in.Wrong(
        at, StrCat("the directory (", directory.bytes, " bytes at byte ",
                   directory.at, ") is not inside"));
  }
  return directory;
}

struct Entry {
  std::string name;
  uint32_t flags = 0, method = 0, crc = 0;
  uint64_t packed = 0, size = 0, local = 0;
};

// Sizes beyond 32 bits are in an extra field, only for sizes that need it.
Status ReadLarge(const Bytes& in, uint64_t at, uint64_t length, Entry* entry) {
  uint64_t end = at + length;
  while (end - at >= 4) {
    uint64_t tag = in.U16(at), bytes = in.U16(at + 2);
    at += 4;
    if (bytes > end - at) return in.Wrong(at, "an extra field is cut");
    if (tag == 1) {
      uint64_t from = at, left = bytes;
      for (uint64_t* value : {&entry->size, &entry->packed, &entry->local}) {
        if (*value != UINT32_MAX) continue;
        if (left < 8) return in.Wrong(from, "a large size is cut");
        *value = in.U64(from);
        from += 8;
        left -= 8;
      }
    }
    at += bytes;
  }
  return OkStatus();
}

Result<Entry> ReadEntry(const Bytes& in, uint64_t* at, uint64_t end) {
  if (end - *at < kEntryBytes || in.U32(*at) != kEntry) {
    return in.Wrong(*at, "no entry of the directory; wanted PK\\1\\2");
  }
  Entry entry;
  entry.flags = in.U16(*at + 8);
  entry.method = in.U16(*at + 10);
  entry.crc = in.U32(*at + 16);
  entry.packed = in.U32(*at + 20);
  entry.size = in.U32(*at + 24);
  entry.local = in.U32(*at + 42);
  uint64_t name = in.U16(*at + 28), extra = in.U16(*at + 30),
           comment = in.U16(*at + 32);
  if (name + extra + comment > end - *at - kEntryBytes) {
    return in.Wrong(*at, "an entry of the directory is cut");
  }
  entry.name = in.part(*at + kEntryBytes, name);
  SL_RETURN_IF_ERROR(ReadLarge(in, *at + kEntryBytes + name, extra, &entry));
  *at += kEntryBytes + name + extra + comment;
  return entry;
}

std::string Little32(uint32_t value) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

Result<std::string> ReadMember(const Bytes& in, const Entry& entry) {
  if (entry.flags & 1) {
    return Unimplemented(
        StrCat("member \"", EscapeString(entry.name), "\" is encrypted"));
  }
  if (!in.has(entry.local, kLocalBytes) || in.U32(entry.local) != kLocal) {
    return in.Wrong(entry.local,
                    StrCat("no member \"", EscapeString(entry.name), "\""));
  }
  // Name and extra field may be longer here than in the directory.
  uint64_t at = entry.local + kLocalBytes + in.U16(entry.local + 26) +
                in.U16(entry.local + 28);
  if (!in.has(at, entry.packed)) {
    return in.Wrong(at, StrCat("member \"", EscapeString(entry.name), "\" of ",
                               entry.packed, " bytes is cut"));
  }
  std::string_view packed = in.part(at, entry.packed);
  auto checked = [&](bool good) {
    return good ? OkStatus()
                : in.Wrong(at, StrCat("the checksum or size of member \"",
                                      EscapeString(entry.name), "\" is wrong"));
  };
  if (entry.method == 0) {
    SL_RETURN_IF_ERROR(
        checked(entry.packed == entry.size && Crc32(packed) == entry.crc));
    return std::string(packed);
  }
  if (entry.method != 8) {
    return Unimplemented(StrCat("member \"", EscapeString(entry.name),
                                "\" is packed by method ", entry.method,
                                "; wanted 0 (stored) or 8 (deflated)"));
  }
  if (entry.size > entry.packed * kMostRatio + kMostRatio) {
    return checked(false);
  }
  // Gzip data are deflated data between a header and the checks zip has too.
  std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  gzip.append(packed);
  gzip += Little32(entry.crc);
  gzip += Little32(static_cast<uint32_t>(entry.size));
  Result<std::string> plain = Gunzip(gzip, static_cast<int64_t>(entry.size));
  if (!plain.ok()) {
    return in.Wrong(at, StrCat("member \"", EscapeString(entry.name),
                               "\": ", plain.status().message()));
  }
  SL_RETURN_IF_ERROR(checked(plain->size() == entry.size));
  return plain;
}

}  // namespace

Result<std::vector<ZipMember>> ReadZip(std::string_view bytes,
                                       const std::string& what) {
  Bytes in(bytes, what);
  SL_ASSIGN_OR_RETURN(Directory directory, FindDirectory(in));
  std::vector<ZipMember> members;
  uint64_t at = directory.at, end = directory.at + directory.bytes;
  // Members must not overlap; a directory that refers to the same bytes
  // repeatedly would expand a small file enormously.
  uint64_t left = in.size();
  for (uint64_t i = 0; i < directory.entries; ++i) {
    SL_ASSIGN_OR_RETURN(Entry entry, ReadEntry(in, &at, end));
    if (entry.name.ends_with('/')) continue;  // a folder
    if (entry.packed > left) return in.Wrong(at, "members overlap");
    left -= entry.packed;
    SL_ASSIGN_OR_RETURN(std::string member, ReadMember(in, entry));
    members.push_back({std::move(entry.name), std::move(member)});
  }
  return members;
}

Result<std::string> ZipBytes(const std::vector<ZipMember>& members) {
  std::string out, directory;
  auto u16 = [](std::string* to, size_t value) {
    to->append(Little32(static_cast<uint32_t>(value)), 0, 2);
  };
  auto u32 = [](std::string* to, size_t value) {
    to->append(Little32(static_cast<uint32_t>(value)));
  };
  for (const ZipMember& member : members) {
    if (out.size() + member.bytes.size() >= UINT32_MAX ||
        member.name.size() > UINT16_MAX || members.size() >= UINT16_MAX) {
      return ResourceExhausted(StrCat("zip archive: member \"",
                                      EscapeString(member.name),
                                      "\" goes beyond 4 GiB or 65534 members"));
    }
    size_t local = out.size();
    // The fields common to both headers: version 2.0, no flags, stored,
    // 1980-01-01.
    std::string shared;
    u16(&shared, 20);
    u16(&shared, 0);
    u16(&shared, 0);
    u16(&shared, 0);
    u16(&shared, 0x21);
    u32(&shared, Crc32(member.bytes));
    u32(&shared, member.bytes.size());
    u32(&shared, member.bytes.size());
    u16(&shared, member.name.size());
    u16(&shared, 0);
    u32(&out, kLocal);
    out += shared + member.name + member.bytes;
    u32(&directory, kEntry);
    u16(&directory, 20);
    directory += shared;
    u16(&directory, 0);  // comment, disk, attributes
    u16(&directory, 0);
    u16(&directory, 0);
    u32(&directory, 0);
    u32(&directory, local);
    directory += member.name;
  }
  size_t at = out.size();
  out += directory;
  u32(&out, kEnd);
  u16(&out, 0);
  u16(&out, 0);
  u16(&out, members.size());
  u16(&out, members.size());
  u32(&out, directory.size());
  u32(&out, at);
  u16(&out, 0);
  return out;
}

}  // namespace sluice
