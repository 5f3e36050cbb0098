// sluice jobset: a manifest for Kubernetes.
#include "sluice/cluster/jobset.h"

#include <cstdio>

#include "apps/sluice/command.h"
#include "sluice/base/error.h"

namespace sluice::app {

const char kJobSetUsage[] =
    "usage: sluice jobset --name NAME --image IMAGE [OPTIONS] PROGRAM "
    "[ARGUMENTS]\n"
    "  prints a JobSet for Kubernetes: N pods that are the tasks of a "
    "cluster,\n"
    "  and one that runs the program with SLUICE_MASTER set\n"
    "  (sluice jobset ... | kubectl apply -f -)\n"
    "  -n N                       tasks (2)\n"
    "  --port N                   that servers listen on (7070)\n"
    "  --restarts N               of all, when one fails (3)\n"
    "  --tls-secret NAME          with ca.crt, tls.crt and tls.key\n"
    "  --insecure-allow-remote    no TLS: the network is safe\n";

int RunJobSet(Arguments arguments) {
  cluster::JobSetOptions options;
  options.name = arguments.text("--name", "");
  options.image = arguments.text("--image", "");
  options.tasks = static_cast<int>(arguments.number("-n", 2, 1, 100'000));
  options.port = static_cast<int>(arguments.number("--port", 7070, 1, 65535));
  options.restarts =
      static_cast<int>(arguments.number("--restarts", 3, 0, 1'000'000));
  options.tls_secret = arguments.text("--tls-secret", "");
  options.insecure_allow_remote = arguments.flag("--insecure-allow-remote");
  options.command = arguments.rest();
  if (!options.command.empty() &&
      (options.command[0] == "--help" || options.command[0] == "-h")) {
    std::fputs(kJobSetUsage, stdout);
    return kDone;
  }
  Result<std::string> text = cluster::RenderJobSet(options);
  if (!text.ok()) throw UsageError(std::string(text.status().message()));
  std::fputs(text->c_str(), stdout);
  return kDone;
}

}  // namespace sluice::app
