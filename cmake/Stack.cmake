# sluice_stack   what is made of ops by their C++ functions: layers, optimizers,
#                input pipelines, checkpoints and the training loop; and the
#                functions themselves
# sluice_report  plots, pictures, progress bars, event files

set(stack_files)
foreach(folder IN LISTS SLUICE_STACK_FOLDERS)
  sluice_sources(files ${src}/${folder})
  list(APPEND stack_files ${files})
endforeach()
sluice_sources(report_files ${src}/${SLUICE_REPORT_FOLDERS})

add_library(sluice_report ${SLUICE_PART} ${report_files})
sluice_library_object_options(sluice_report)
target_link_libraries(sluice_report PRIVATE sluice_options PUBLIC sluice)

add_library(sluice_stack ${SLUICE_PART} ${stack_files} ${SLUICE_OPS_SOURCE})
sluice_library_object_options(sluice_stack)
target_link_libraries(sluice_stack PRIVATE sluice_options
  PUBLIC sluice_report sluice)
sluice_use_public_header(sluice_stack)
target_precompile_headers(sluice_stack PRIVATE
  <algorithm> <functional> <map> <memory> <string> <vector>
  ${src}/front/autograd.h ${src}/eager/operators.h ${src}/front/variable.h
  ${SLUICE_GENERATED_DIR}/sluice/ops.h)
