# <sluice/ops.h> and ops.cc: one C++ function per op, written from the op
# records by sluice-gen-ops, a program of this build. Whoever includes the public header
# <sluice/sluice.h> calls sluice_use_public_header(target), which makes it wait
# for that file.

set(SLUICE_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
set(ops_header ${SLUICE_GENERATED_DIR}/sluice/ops.h)
set(SLUICE_OPS_SOURCE ${SLUICE_GENERATED_DIR}/ops.cc)  # part of sluice_stack
file(MAKE_DIRECTORY ${SLUICE_GENERATED_DIR}/sluice)

# Text written from the op records: for programs alone.
file(GLOB op_page_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/apps/op_pages/*.cc)
add_library(sluice_op_pages STATIC EXCLUDE_FROM_ALL ${op_page_files})
target_include_directories(sluice_op_pages PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(sluice_op_pages PRIVATE sluice_options PUBLIC sluice)

add_executable(app_sluice_gen_ops
  ${PROJECT_SOURCE_DIR}/apps/sluice_gen_ops.cc)
set_target_properties(app_sluice_gen_ops PROPERTIES
  OUTPUT_NAME sluice-gen-ops)
target_link_libraries(app_sluice_gen_ops PRIVATE
  sluice_options sluice_op_pages sluice_ops sluice)

# ThreadSanitizer needs addresses where it expects them.
set(runner)
if(SLUICE_SANITIZE MATCHES "thread")
  set(runner ${PROJECT_SOURCE_DIR}/tools/run_fixed_addresses.sh)
endif()
add_custom_command(OUTPUT ${ops_header} ${SLUICE_OPS_SOURCE}
  COMMAND ${runner} $<TARGET_FILE:app_sluice_gen_ops>
    ${ops_header} ${SLUICE_OPS_SOURCE}
  DEPENDS app_sluice_gen_ops
  COMMENT "Writing sluice/ops.h" VERBATIM)
add_custom_target(sluice_ops_header DEPENDS ${ops_header} ${SLUICE_OPS_SOURCE})

function(sluice_use_public_header target)
  add_dependencies(${target} sluice_ops_header)
  target_include_directories(${target} PRIVATE ${SLUICE_GENERATED_DIR})
endfunction()
