#include "sluice/cluster/resolve.h"

#include <charconv>

#include "sluice/base/strings.h"
#include "sluice/formats/json.h"

extern char** environ;

namespace sluice::cluster {

namespace {

using Found = Result<std::optional<ResolvedCluster>>;

using MaybeCluster = std::optional<ResolvedCluster>;

MaybeCluster Nothing() { return std::nullopt; }

constexpr int64_t kMaxTasks = 1'000'000;
constexpr size_t kMaxHosts = 1'000'000;

const std::string* Get(const Environment& env, const std::string& name) {
  auto it = env.find(name);
  return it == env.end() || it->second.empty() ? nullptr : &it->second;
}

bool ToNumber(std::string_view text, int64_t* value) {
  const char* end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && at == end && !text.empty();
}

Result<int64_t> Number(const Environment& env, const std::string& name,
                       int64_t min, int64_t max) {
  const std::string* text = Get(env, name);
  int64_t value = 0;
  if (text && ToNumber(*text, &value) && value >= min && value <= max) {
    return value;
  }
  return InvalidArgument(StrCat(name, " is ",
                                text ? StrCat("\"", *text, "\"") : "not set",
                                "; wanted a number from ", min, " to ", max));
}

// Ports for the tasks of one job: the same for all of them, and different for
// most jobs that share a machine. Below the ephemeral range.
int64_t PortOf(uint64_t job, int64_t local) {
  return 10000 + static_cast<int64_t>(job * 64 % 20000) + local;
}

uint64_t HashOf(std::string_view text) {
  uint64_t h = 14695981039346656037u;
  for (char c : text) h = (h ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return h;
}

MaybeCluster Workers(std::vector<std::string> addresses, int64_t rank,
                     std::string from) {
  ResolvedCluster found;
  found.spec.jobs["worker"] = std::move(addresses);
  found.job = "worker";
  found.task = static_cast<int>(rank);
  found.from = std::move(from);
  return found;
}

// {"cluster": {"worker": [...]}, "task": {"type": "worker", "index": 0}}
Found FromTfConfig(const Environment& env) {
  const std::string* text = Get(env, "TF_CONFIG");
  if (!text) return Nothing();
  auto wrong = [&](std::string_view what) {
    return InvalidArgument(
        StrCat("TF_CONFIG: ", what,
               "; wanted {\"cluster\": {\"worker\": [\"host:port\"]}, "
               "\"task\": {\"type\": \"worker\", \"index\": 0}}"));
  };
  Result<Json> json = Json::Parse(*text);
  if (!json.ok()) return wrong(json.status().message());
  const Json* cluster = json->is_object() ? json->find("cluster") : nullptr;
  if (!cluster) return wrong("it has no cluster");
  ResolvedCluster found;
  SL_ASSIGN_OR_RETURN(found.spec, ClusterSpec::Parse(cluster->dump()));
  const Json* task = json->find("task");
  const Json* type = task && task->is_object() ? task->find("type") : nullptr;
  const Json* index = task && task->is_object() ? task->find("index") : nullptr;
  if (!type || !type->is_string() || !index) return wrong("it has no task");
  // Some programs write the index as a string.
  int64_t number = -1;
  if (index->is_int()) number = index->as_int();
  if (index->is_string()) (void)ToNumber(index->as_string(), &number);
  found.job = type->as_string();
  found.task = static_cast<int>(number);
  found.from = "TF_CONFIG";
  if (number < 0 || number >= kMaxTasks ||
      found.spec.AddressOf(TaskName(found.job, found.task)).empty()) {
    return wrong(StrCat("task ", number, " of \"", found.job,
                        "\" is not in the cluster"));
  }
  return MaybeCluster(std::move(found));
}

// Slurm's "2(x3),1": the number of tasks of each host.
Status TasksPerHost(const std::string& text, std::vector<int64_t>* counts) {
  std::string_view left = text;
  while (!left.empty()) {
    size_t comma = left.find(',');
    std::string_view item = left.substr(0, comma);
    int64_t times = 1, count = 0;
    size_t bracket = item.find("(x");
    if (bracket != item.npos) {
      std::string_view repeat = item.substr(bracket + 2);
      if (repeat.empty() || repeat.back() != ')' ||
          !ToNumber(repeat.substr(0, repeat.size() - 1), &times)) {
        times = -1;
      }
    }
    if (!ToNumber(item.substr(0, bracket), &count) || count < 0 || times < 1 ||
        times + static_cast<int64_t>(counts->size()) > kMaxTasks) {
      return InvalidArgument(StrCat("SLURM_STEP_TASKS_PER_NODE is \"", text,
                                    "\"; wanted such as 2(x3),1"));
    }
    counts->insert(counts->end(), static_cast<size_t>(times), count);
    left = comma == left.npos ? "" : left.substr(comma + 1);
  }
  return OkStatus();
}

Found FromSlurm(const Environment& env) {
  if (!Get(env, "SLURM_JOB_ID") || !Get(env, "SLURM_PROCID")) {
    return Nothing();
  }
  SL_ASSIGN_OR_RETURN(int64_t job,
                      Number(env, "SLURM_JOB_ID", 0, int64_t{1} << 32));
  SL_ASSIGN_OR_RETURN(int64_t tasks, Number(env, "SLURM_NTASKS", 1, kMaxTasks));
  SL_ASSIGN_OR_RETURN(int64_t rank, Number(env, "SLURM_PROCID", 0, tasks - 1));
  const std::string* list = Get(env, "SLURM_STEP_NODELIST");
  if (!list) list = Get(env, "SLURM_JOB_NODELIST");
  if (!list) {
    return InvalidArgument(
        "SLURM_STEP_NODELIST is not set; wanted the hosts of the step");
  }
  SL_ASSIGN_OR_RETURN(std::vector<std::string> hosts, ExpandHosts(*list));
  std::vector<int64_t> counts;
  if (const std::string* text = Get(env, "SLURM_STEP_TASKS_PER_NODE")) {
    SL_RETURN_IF_ERROR(TasksPerHost(*text, &counts));
  } else {
    counts.assign(hosts.size(), tasks / static_cast<int64_t>(hosts.size()));
  }
  // Ranks are assigned host by host, which is srun's default.
  std::vector<std::string> addresses;
  for (size_t h = 0; h < hosts.size() && h < counts.size(); ++h) {
    for (int64_t i = 0; i < counts[h]; ++i) {
      addresses.push_back(
          StrCat(hosts[h], ":", PortOf(static_cast<uint64_t>(job), i)));
    }
  }
  if (static_cast<int64_t>(addresses.size()) != tasks) {
    return InvalidArgument(
        StrCat("SLURM_NTASKS is ", tasks, ", but ", addresses.size(),
               " tasks are on the hosts of \"", *list, "\""));
  }
  return Workers(std::move(addresses), rank, "Slurm");
}

// Launchers that number processes host by host. If not all of them are on this
// machine, SLUICE_HOSTS lists the hosts.
Found OnHosts(const Environment& env, const std::string& size_name,
              const std::string& rank_name, const std::string& local,
              const std::string& from, const std::string& host, int64_t port) {
  SL_ASSIGN_OR_RETURN(int64_t size, Number(env, size_name, 1, kMaxTasks));
  SL_ASSIGN_OR_RETURN(int64_t rank, Number(env, rank_name, 0, size - 1));
  SL_ASSIGN_OR_RETURN(int64_t here, Number(env, local, 1, kMaxTasks));
  std::vector<std::string> hosts = {host};
  if (here != size) {
    const std::string* list = Get(env, "SLUICE_HOSTS");
    if (!list) {
      return InvalidArgument(
          StrCat(from, " started ", size, " processes, ", here,
                 " of them on this machine, and does not say where the others "
                 "are; give the hosts by SLUICE_HOSTS (such as n[1-4]), or the "
                 "cluster by --cluster or TF_CONFIG"));
    }
    SL_ASSIGN_OR_RETURN(hosts, ExpandHosts(*list));
    if (static_cast<int64_t>(hosts.size()) * here != size) {
      return InvalidArgument(
          StrCat(from, " started ", size, " processes, ", here,
                 " of them on this machine, and SLUICE_HOSTS is \"", *list,
                 "\"; wanted ", (size + here - 1) / here,
                 " hosts with as many on each"));
    }
  }
  if (port + here > 65536) {
    return InvalidArgument(
        StrCat(here, " ports from ", port, " on are more than there are"));
  }
  std::vector<std::string> addresses;
  for (const std::string& its_host : hosts) {
    for (int64_t i = 0; i < here; ++i) {
      addresses.push_back(StrCat(its_host, ":", port + i));
    }
  }
  return Workers(std::move(addresses), rank, from);
}

Found FromOpenMpi(const Environment& env) {
  if (!Get(env, "OMPI_COMM_WORLD_SIZE")) return Nothing();
  const std::string* name = Get(env, "PMIX_NAMESPACE");
  if (!name) name = Get(env, "OMPI_MCA_ess_base_jobid");
  return OnHosts(env, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
                 "OMPI_COMM_WORLD_LOCAL_SIZE", "Open MPI", "127.0.0.1",
                 PortOf(HashOf(name ? *name : ""), 0));
}

// The names of pods of a JobSet follow from the name of the JobSet.
Found FromJobSet(const Environment& env) {
  const std::string* name = Get(env, "JOBSET_NAME");
  const std::string* job = Get(env, "REPLICATED_JOB_NAME");
  if (!name || !job) return Nothing();
  SL_ASSIGN_OR_RETURN(int64_t size,
                      Number(env, "SLUICE_NUM_TASKS", 1, kMaxTasks));
  SL_ASSIGN_OR_RETURN(int64_t rank,
                      Number(env, "JOB_COMPLETION_INDEX", 0, size - 1));
  int64_t port = 7070;
  if (Get(env, "SLUICE_PORT")) {
    SL_ASSIGN_OR_RETURN(port, Number(env, "SLUICE_PORT", 1, 65535));
  }
  const std::string* index = Get(env, "JOB_INDEX");
  std::vector<std::string> addresses;
  for (int64_t i = 0; i < size; ++i) {
    addresses.push_back(StrCat(*name, "-", *job, "-", index ? *index : "0", "-",
                               i, ".", *name, ":", port));
  }
  return Workers(std::move(addresses), rank, "JobSet");
}

Found FromMasterAddress(const Environment& env) {
  const std::string* host = Get(env, "MASTER_ADDR");
  if (!host || !Get(env, "WORLD_SIZE")) return Nothing();
  SL_ASSIGN_OR_RETURN(int64_t port, Number(env, "MASTER_PORT", 1, 65535));
  return OnHosts(env, "WORLD_SIZE", "RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR",
                 *host, port);
}

}  // namespace

Found ResolveCluster(const Environment& env) {
  for (auto* resolve :
       {FromTfConfig, FromSlurm, FromOpenMpi, FromJobSet, FromMasterAddress}) {
    Found found = resolve(env);
    if (!found.ok() || found->has_value()) return found;
  }
  return Nothing();
}

Environment ProcessEnvironment() {
  Environment env;
  for (char** at = environ; at && *at; ++at) {
    std::string_view entry = *at;
    size_t equals = entry.find('=');
    if (equals == entry.npos) continue;
    env.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return env;
}

namespace {

// The ranges in brackets, e.g. "1-3,07", after `prefix` and before `suffix`.
Status ExpandRanges(std::string_view prefix, std::string_view ranges,
                    std::string_view suffix, const Status& wrong,
                    std::vector<std::string>* hosts) {
  while (!ranges.empty()) {
    size_t comma = ranges.find(',');
    std::string_view item = ranges.substr(0, comma);
    size_t dash = item.find('-');
    std::string_view first = item.substr(0, dash);
    std::string_view last = dash == item.npos ? first : item.substr(dash + 1);
    int64_t from = 0, to = 0;
    if (!ToNumber(first, &from) || !ToNumber(last, &to) || from < 0 ||
        to < from ||
        to - from + static_cast<int64_t>(hosts->size()) >=
            static_cast<int64_t>(kMaxHosts)) {
      return wrong;
    }
    for (int64_t i = from; i <= to; ++i) {
      std::string digits = std::to_string(i);
      // Padded to the number of digits of the first one.
      if (digits.size() < first.size()) {
        digits.insert(0, first.size() - digits.size(), '0');
      }
      hosts->push_back(StrCat(prefix, digits, suffix));
    }
    ranges = comma == ranges.npos ? "" : ranges.substr(comma + 1);
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<std::string>> ExpandHosts(const std::string& list) {
  const Status wrong = InvalidArgument(
      StrCat("\"", list, "\" is no list of hosts; wanted such as n[1-4],m7"));
  std::vector<std::string> hosts;
  std::string_view left = list;
  while (!left.empty()) {
    size_t end = left.find_first_of(",[");
    if (end == left.npos || left[end] == ',') {
      if (end == 0) return wrong;
      hosts.emplace_back(left.substr(0, end));
      left = end == left.npos ? "" : left.substr(end + 1);
      continue;
    }
    size_t close = left.find(']', end);
    if (close == left.npos || close == end + 1) return wrong;
    std::string_view rest = left.substr(close + 1);
    size_t comma = rest.find(',');
    std::string_view suffix = rest.substr(0, comma);
    if (suffix.find_first_of("[]") != suffix.npos) return wrong;
    SL_RETURN_IF_ERROR(ExpandRanges(left.substr(0, end),
                                    left.substr(end + 1, close - end - 1),
                                    suffix, wrong, &hosts));
    left = comma == rest.npos ? "" : rest.substr(comma + 1);
  }
  if (hosts.empty()) return wrong;
  return hosts;
}

}  // namespace sluice::cluster
