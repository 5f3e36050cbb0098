#include "sluice/io/manifest.h"

#include <charconv>
#include <cstdio>
#include <limits>

#include "sluice/base/crc32c.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/formats/utf8.h"

namespace sluice::io {

namespace {

constexpr std::string_view kFormat = "sluice checkpoint";
// 2 has sections in several files, which readers of 1 would take for missing.
constexpr int64_t kVersion = 1, kShardedVersion = 2;

std::string Hex(uint32_t crc) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", crc);
  return text;
}

// The whole text is a number of that base; 64 bits do not fit a JSON integer.
Result<uint64_t> ReadWhole(const std::string& text, int base) {
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) {
    return DataLoss(
        StrCat("\"", EscapeString(text), "\" is no number of base ", base));
  }
  return value;
}

// The checksum is that of the text without it, on one line: it holds however
// the file is laid out.
uint32_t Checksum(const Json& body) { return Crc32c(body.dump()); }

Status Fill(const Json& j, Manifest& m) {
  const int64_t version = j.at("version").as_int();
  if (j.at("format").as_string() != kFormat || version < kVersion ||
      version > kShardedVersion) {
    return DataLoss(StrCat("it is of format ", j.at("format").dump(),
                           ", version ", j.at("version").dump(), "; wanted \"",
                           kFormat, "\", version ", kVersion, " or ",
                           kShardedVersion));
  }
  Snapshot& s = m.rest;
  s.step = j.at("step").as_int();
  SL_ASSIGN_OR_RETURN(s.random.seed,
                      ReadWhole(j.at("random").at("seed").as_string(), 10));
  s.random.calls = j.at("random").at("calls").as_int();
  s.data = j.at("data").as_string();
  s.extra = j.at("extra");
  for (const auto& [name, value] : j.at("metrics").members()) {
    s.metrics.emplace_back(name, value.is_null()
                                     ? std::numeric_limits<double>::quiet_NaN()
                                     : value.as_double());
  }
  for (const Json& f : j.at("files").items()) {
    ShardFile file;
    file.section = f.at("section").as_string();
    if (f.find("shards")) {
      file.shard = static_cast<int>(f.at("shard").as_int());
      file.shards = static_cast<int>(f.at("shards").as_int());
    }
    if (file.shards < 1 || file.shard < 0 || file.shard >= file.shards) {
      return DataLoss(
          StrCat("a file is shard ", file.shard, " of ", file.shards));
    }
    file.bytes = f.at("bytes").as_int();
    SL_ASSIGN_OR_RETURN(uint64_t crc,
                        ReadWhole(f.at("crc32c").as_string(), 16));
    file.crc32c = static_cast<uint32_t>(crc);
    file.tensors = f.at("tensors").as_int();
    // Its rules for names keep a manifest from naming files elsewhere.
    Snapshot().set(file.section, {});
    m.files.push_back(std::move(file));
  }
  return OkStatus();
}

}  // namespace

Result<std::string> ManifestText(const Manifest& m) {
  const Snapshot& s = m.rest;
  Json metrics = Json::object();
  for (const auto& [name, value] : s.metrics) {
    if (!IsUtf8(name) || metrics.find(name)) {
      return InvalidArgument(StrCat("metric \"", EscapeString(name),
                                    "\"; wanted UTF-8, and each name once"));
    }
    metrics.append_member(name, value);
  }
  if (!IsUtf8(s.data)) {
    return InvalidArgument("the position in the data is no UTF-8");
  }
  Json files = Json::array();
  int64_t version = kVersion;
  for (const ShardFile& f : m.files) {
    Json file = Json::object({{"name", f.name()},
                              {"section", f.section},
                              {"bytes", f.bytes},
                              {"crc32c", Hex(f.crc32c)},
                              {"tensors", f.tensors}});
    if (f.shards > 1) {
      version = kShardedVersion;
      file.append_member("shard", static_cast<int64_t>(f.shard));
      file.append_member("shards", static_cast<int64_t>(f.shards));
    }
    files.push_back(std::move(file));
  }
  Json random = Json::object(
      {{"seed", std::to_string(s.random.seed)}, {"calls", s.random.calls}});
  Json body = Json::object({{"format", kFormat},
                            {"version", version},
                            {"step", s.step},
                            {"random", std::move(random)},
                            {"data", s.data},
                            {"extra", s.extra},
                            {"metrics", std::move(metrics)},
                            {"files", std::move(files)}});
  std::string crc = Hex(Checksum(body));
  body.append_member("crc32c", std::move(crc));
  return StrCat(body.dump(2), "\n");
}

Result<Manifest> ParseManifest(std::string_view text) {
  Result<Json> parsed = Json::Parse(text);
  if (!parsed.ok()) {
    return DataLoss(StrCat("it is no JSON: ", parsed.status().message()));
  }
  if (!parsed->is_object() || parsed->size() == 0 ||
      parsed->members().back().first != "crc32c") {
    return DataLoss("its last member is no crc32c");
  }
  Json::Members members = parsed->members();
  Json crc = std::move(members.back().second);
  members.pop_back();
  Json body = Json::object(std::move(members));
  if (!(crc == Json(Hex(Checksum(body))))) {
    return DataLoss(StrCat("its checksum is ", Hex(Checksum(body)), "; wanted ",
                           crc.dump()));
  }
  Manifest m;
  try {
    SL_RETURN_IF_ERROR(Fill(body, m));
  } catch (const Error& e) {
    return DataLoss(e.what());
  }
  return m;
}

}  // namespace sluice::io
