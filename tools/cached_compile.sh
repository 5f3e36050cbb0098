#!/bin/bash
# Runs a compiler through ccache: cached_compile.sh CCACHE COMPILER ARGS...
#
# Objects are found in the cache from every clone of the repository, whatever
# folder it is in, so nothing that ccache looks at may name the folder:
# - Arguments inside the build folder are made relative (those ccache knows of,
#   it makes relative itself, by CCACHE_BASEDIR).
# - A precompiled header names its folder, so it never comes out of the cache;
#   the objects that use it are looked up by what its headers say, the file
#   PCH.sum, which ccache reads instead of the PCH.
set -e
ccache=$1
shift
# ccache looks through precompiled headers only when told so.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1

if [[ " $* " != *" c++-header "* ]]; then
  args=()
  for argument; do
    case $argument in
      # Paths are relative by now, and shortened as such.
      -fmacro-prefix-map=$CCACHE_BASEDIR/=) ;;
      "$PWD"/*) args+=("${argument#"$PWD"/}") ;;
      *) args+=("$argument") ;;
    esac
  done
  exec "$ccache" "${args[@]}"
fi

"$@"
# What the headers say to the compiler, macros included: not their comments.
previous=
preprocess=()
for argument; do
  case $previous in
    -o) pch=$argument ;;
  esac
  case $previous$argument in
    -Xclang-emit-pch) unset 'preprocess[-1]' ;;
    *-o | -o* | *-MF | -MF* | *-MT | -MT* | *-MD | *-c) ;;
    *) preprocess+=("$argument") ;;
  esac
  previous=$argument
done
"${preprocess[@]}" -E -dD | sed -e "s|${CCACHE_BASEDIR:-/}/||g" |
  sha256sum > "$pch.sum"
