# Writes OUT, C++ with the files named in LIST as texts:
#   const EmbeddedText kEmbeddedTexts[] = {{path below ROOT, text}, ...};
# Of an op's file only what stands before its record.

file(STRINGS ${LIST} files)
set(out "#include \"sluice/kernels/cuda/embedded_text.h\"\n\n")
string(APPEND out "namespace sluice {\n\n")
string(APPEND out "const EmbeddedText kEmbeddedTexts[] = {\n")
foreach(f IN LISTS files)
  file(READ ${f} text)
  file(RELATIVE_PATH name ${ROOT} ${f})
  if(name MATCHES "/ops/")
    string(FIND "${text}" "\nSL_OP" end)
    string(SUBSTRING "${text}" 0 ${end} text)
  endif()
  string(APPEND out "{\"${name}\", R\"sl_text(${text})sl_text\"},\n")
endforeach()
string(APPEND out "};\nconst int kNumEmbeddedTexts =\n"
  "    sizeof kEmbeddedTexts / sizeof kEmbeddedTexts[0];\n\n"
  "}  // namespace sluice\n")
file(WRITE ${OUT} "${out}")
