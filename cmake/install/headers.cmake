# Run by cmake --install: installs the headers of include/ and every header of
# ours that these include, directly or not. Headers nobody can reach from there
# stay at home.

cmake_policy(VERSION 3.25)

set(roots ${SLUICE_SOURCE_DIR}/include ${SLUICE_SOURCE_DIR}/src
  ${SLUICE_GENERATED_DIR})
file(GLOB next RELATIVE ${SLUICE_SOURCE_DIR}/include
  ${SLUICE_SOURCE_DIR}/include/sluice/*.h)
set(reached ${next})
while(next)
  set(found)
  foreach(header IN LISTS next)
    set(file)
    foreach(root IN LISTS roots)
      if(EXISTS ${root}/${header})
        set(file ${root}/${header})
      endif()
    endforeach()
    if(NOT file)
      message(FATAL_ERROR "${header}, included by an installed header, is "
        "nowhere; build first")
    endif()
    get_filename_component(folder ${header} DIRECTORY)
    file(INSTALL ${file}
      DESTINATION ${CMAKE_INSTALL_PREFIX}/${SLUICE_INCLUDEDIR}/${folder})
    file(STRINGS ${file} lines REGEX "^#include \"sluice/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" path "${line}")
      if(NOT path IN_LIST reached)
        list(APPEND reached ${path})
        list(APPEND found ${path})
      endif()
    endforeach()
  endforeach()
  set(next ${found})
endwhile()
