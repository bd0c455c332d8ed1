# Fails when the compiler has fused products and sums that the source does not fuse: GCC 12 does it in spite of
# -ffp-contract=off (CMakeLists.txt says where), and the bits of frames then depend on what else is in a source. Run by ctest as:
#   cmake -DOBJDUMP=<objdump> -DPROGRAM=<program> -P fused.cmake
cmake_policy(VERSION 3.25)
execute_process(COMMAND ${OBJDUMP} --disassemble --no-show-raw-insn ${PROGRAM} OUTPUT_VARIABLE code COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "vfm(addsub|subadd)[0-9a-z]+" fused "${code}")
list(LENGTH fused count)
if(count GREATER 0)
  message(FATAL_ERROR "${PROGRAM} has ${count} fused instructions that no source asks for: ${fused}")
endif()
