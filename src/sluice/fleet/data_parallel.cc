#include "sluice/fleet/data_parallel.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"

namespace sluice::distributed {

DataParallel::DataParallel(const std::vector<Tensor>& parameters,
                           DataParallelOptions options, Where where) {
  std::vector<Tensor> trained;
  std::vector<std::string> names;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].requires_grad()) continue;
    trained.push_back(parameters[i]);
    names.push_back(i < options.names.size() ? options.names[i]
                                             : StrCat("parameter ", i));
  }
  if (trained.empty()) {
    throw Error(
        InvalidArgument(
            StrCat("DataParallel: none of ", parameters.size(),
                   " parameters requires gradients; wanted at least one"))
            .WithLine(StrCat("at ", SourceLine::From(where))));
  }
  // All broadcasts start before the first is waited for.
  CollectiveOptions begin{options.reducer.group, /*async_op=*/true};
  std::vector<Work> works;
  for (const Tensor& t : parameters) {
    works.push_back(broadcast(t, 0, begin, where));
  }
  for (const Tensor& t : options.buffers) {
    works.push_back(broadcast(t, 0, begin, where));
  }
  for (const Work& work : works) work.wait();
  reducer_ = std::make_unique<fleet::Reducer>(
      std::move(trained), std::move(names), std::move(options.reducer));
}

}  // namespace sluice::distributed
