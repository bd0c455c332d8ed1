# Installs the library to a prefix of its own and builds user_program against it, from outside:
#   cmake -DBUILD=<build folder> -DSOURCE=<this folder> -DWORK=<scratch folder> -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --component development --prefix ${WORK}/prefix)
file(GLOB_RECURSE headers ${WORK}/prefix/include/*.h)
foreach(header ${headers})
  file(STRINGS ${header} lines REGEX "#include.*grpc")
  if(lines)
    message(FATAL_ERROR "${header} leaks gRPC: ${lines}")
  endif()
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
file(WRITE ${WORK}/scene.json "{}")
execute_process(COMMAND ${WORK}/build/user_program 127.0.0.1:1 ${WORK}/scene.json
  RESULT_VARIABLE result ERROR_VARIABLE said)
if(NOT result EQUAL 14 OR NOT said MATCHES "127.0.0.1:1")
  message(FATAL_ERROR "expected 'unavailable' (14) and the address, found ${result}: ${said}")
endif()
