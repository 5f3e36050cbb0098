# sluice_models: examples/models, linked by the programs that train them.

file(GLOB model_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/examples/models/*.cc)
add_library(sluice_models STATIC ${model_files} ${empty_file})
target_include_directories(sluice_models PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(sluice_models PRIVATE sluice_options
  PUBLIC sluice_stack sluice)
sluice_use_public_header(sluice_models)
