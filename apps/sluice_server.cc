// sluice-server: one task of a cluster. It runs pieces of graphs for masters,
// and is a master for clients. It says "listening HOST:PORT" when it is there,
// and ends at SIGTERM, or with whoever gave it the cluster by its input.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "apps/sluice/arguments.h"
#include "sluice/base/error.h"
#include "sluice/base/file_access.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/metrics.h"
#include "sluice/cluster/remote_session.h"
#include "sluice/cluster/resolve.h"
#include "sluice/cluster/task_server.h"

namespace {

using namespace sluice;
using namespace sluice::cluster;
using sluice::app::Arguments;
using sluice::app::UsageError;

constexpr char kUsage[] =
    "usage: sluice-server [OPTIONS]\n"
    "  --job NAME              its job (worker)\n"
    "  --task N                its number in the job (0)\n"
    "  --cluster JSON|FILE|-   the tasks: {\"worker\": [\"host:port\", ...]};\n"
    "                          -: the first line of the input, at whose end\n"
    "                          the server ends, too. Without it, what "
    "TF_CONFIG,\n"
    "                          Slurm, Open MPI, a JobSet or MASTER_ADDR say\n"
    "  --listen HOST:PORT      127.0.0.1:0, or as the cluster says\n"
    "  --advertise HOST:PORT   what others call it\n"
    "  --threads N             that run steps (2)\n"
    "  --tls-ca, --tls-cert, --tls-key FILE   certificates (PEM); both sides\n"
    "                          of every connection show theirs\n"
    "  --tls-job NAME          a name that certificates must carry\n"
    "  --insecure-allow-remote without TLS on an address others can reach\n"
    "  --files FOLDER[:FOLDER] where graphs may touch files (nowhere)\n"
    "  --metrics PORT          http://127.0.0.1:PORT/metrics; 0: any port\n"
    "  --max-message-mib N     a larger message goes in parts (256)\n"
    "  --max-parts-mib N       of messages in parts at a time; more is "
    "refused\n"
    "                          (16384)\n"
    "  --hang-report-s N       steps that do not move are reported (10; 0: "
    "no)\n"
    "  --keepalive-ms N        silent peers are asked after this (1500)\n"
    "  --keepalive-timeout-ms N  and given up after this (2500)\n";

// From a file, unless it is the text itself.
ClusterSpec ReadSpec(const std::string& given) {
  if (given.find('{') != std::string::npos) {
    return ValueOrThrow(ClusterSpec::Parse(given));
  }
  std::ifstream file(given);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw UsageError(StrCat("cannot read \"", given, "\""));
  return ValueOrThrow(ClusterSpec::Parse(text.str()));
}

std::vector<std::string> FoldersIn(const std::string& text) {
  std::vector<std::string> folders;
  std::stringstream words(text);
  for (std::string word; std::getline(words, word, ':');) {
    if (!word.empty()) folders.push_back(word);
  }
  return folders;
}

// Waits for the end of the input, or for a signal.
void EndWithInput(const sigset_t& signals) {
  std::thread watch([] {
    char bytes[256];
    while (read(STDIN_FILENO, bytes, sizeof(bytes)) > 0) {
    }
    kill(getpid(), SIGTERM);
  });
  watch.detach();
  int signal = 0;
  sigwait(&signals, &signal);
}

// The settings of the command line.
struct Wanted {
  TaskServerOptions options;
  std::string cluster;  // "": none, "-": comes by the input
  bool job_named = false;
  int64_t metrics_port = -1;  // -1: no page
};

Wanted ReadArguments(Arguments arguments) {
  Wanted wanted;
  TaskServerOptions& options = wanted.options;
  std::string job = arguments.text("--job", "");
  wanted.job_named = !job.empty();
  options.job = job.empty() ? "worker" : job;
  options.task = static_cast<int>(arguments.number("--task", 0, 0, 1 << 20));
  wanted.metrics_port = arguments.number("--metrics", -1, 0, 65535);
  FileAccess::Confine(FoldersIn(arguments.text("--files", "")));
  wanted.cluster = arguments.text("--cluster", "");
  options.listen = arguments.text("--listen", "");
  options.advertise = arguments.text("--advertise", "");
  options.threads = static_cast<int>(arguments.number("--threads", 2, 1, 1024));
  options.transport = TransportFromEnvironment();
  TlsFiles& tls = options.transport.tls;
  tls.authority = arguments.text("--tls-ca", tls.authority);
  tls.certificate = arguments.text("--tls-cert", tls.certificate);
  tls.key = arguments.text("--tls-key", tls.key);
  tls.job = arguments.text("--tls-job", tls.job);
  options.insecure_allow_remote = arguments.flag("--insecure-allow-remote");
  options.transport.max_message_bytes =
      arguments.number("--max-message-mib", 256, 1, 2000) << 20;
  options.max_parts_bytes =
      arguments.number("--max-parts-mib", 16384, 1, 1 << 24) << 20;
  options.hang_report_ms =
      arguments.number("--hang-report-s", 10, 0, 86400) * 1000;
  options.transport.keepalive_ms =
      arguments.number("--keepalive-ms", 1500, 10, 3'600'000);
  options.transport.keepalive_timeout_ms =
      arguments.number("--keepalive-timeout-ms", 2500, 10, 3'600'000);
  if (arguments.flag("--die-with-parent")) prctl(PR_SET_PDEATHSIG, SIGKILL);
  arguments.finish();
  return wanted;
}

// The signals that end the server. Called before any thread is created, so that
// all threads block them and one place waits.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

// The cluster, if it is known before the server starts. Sets the place of the
// task in it, and its address, unless they are given.
ClusterSpec FindPlace(Wanted& wanted) {
  TaskServerOptions& options = wanted.options;
  ClusterSpec spec;
  if (wanted.cluster != "-" && !wanted.cluster.empty()) {
    spec = ReadSpec(wanted.cluster);
  }
  if (wanted.cluster.empty() && !wanted.job_named) {
    auto found = ValueOrThrow(ResolveCluster(ProcessEnvironment()));
    if (found) {
      spec = found->spec;
      options.job = found->job;
      options.task = found->task;
    }
  }
  if (!options.listen.empty()) return spec;
  options.listen = spec.AddressOf(TaskName(options.job, options.task));
  if (options.listen.empty() && spec.size() > 0) {
    throw UsageError(
        StrCat(TaskName(options.job, options.task), " is not in the cluster"));
  }
  if (options.listen.empty()) options.listen = "127.0.0.1:0";
  return spec;
}

int Serve(Arguments arguments) {
  Wanted wanted = ReadArguments(std::move(arguments));
  const sigset_t signals = BlockSignals();
  ClusterSpec spec = FindPlace(wanted);
  std::unique_ptr<TaskServer> server =
      ValueOrThrow(TaskServer::Start(std::move(wanted.options)));
  std::printf("listening %s\n", server->address().c_str());
  std::unique_ptr<MetricsPage> page;
  if (wanted.metrics_port >= 0) {
    page = ValueOrThrow(MetricsPage::Start(
        static_cast<int>(wanted.metrics_port),
        [raw = server.get()] { return PrometheusText(raw->GetStatus()); }));
    std::printf("metrics http://127.0.0.1:%d/metrics\n", page->port());
  }
  std::fflush(stdout);
  const bool by_input = wanted.cluster == "-";
  if (by_input) {
    std::string line;
    if (!std::getline(std::cin, line)) return 0;
    spec = ValueOrThrow(ClusterSpec::Parse(line));
  }
  if (spec.size() > 0) server->SetCluster(std::move(spec));
  if (by_input) {
    std::printf("ready\n");
    std::fflush(stdout);
    EndWithInput(signals);
  } else {
    int signal = 0;
    sigwait(&signals, &signal);
  }
  page = nullptr;
  server = nullptr;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && (std::string_view(argv[1]) == "--help" ||
                   std::string_view(argv[1]) == "-h")) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  try {
    return Serve(Arguments(argc - 1, argv + 1));
  } catch (const UsageError& e) {
    std::fprintf(stderr, "sluice-server: %s\n%s", e.what(), kUsage);
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "sluice-server: %s\n", e.what());
    return 1;
  }
}
