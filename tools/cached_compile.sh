#!/bin/sh
# Runs a compiler through ccache: cached_compile.sh CCACHE COMPILER ARGS...
#
# A precompiled header names the folder it was made in, so one from another
# clone must never come out of the cache: it is always made here. The objects
# that use it are looked up by the contents of its headers (the file PCH.sum,
# which ccache reads instead of the PCH), not by the bytes of the PCH.
set -e
ccache=$1
shift
# ccache looks through precompiled headers only when told so.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1

case " $* " in
  *" c++-header "*) ;;
  *) exec "$ccache" "$@" ;;
esac

"$@"
previous=
for argument; do
  case $previous in
    -o) pch=$argument ;;
    -MF) depfile=$argument ;;
  esac
  previous=$argument
done
# The first word of a depfile is its target; the others are the headers.
sed -e 's/\\$//' "$depfile" | tr -s ' ' '\n' | sed -e 1d -e '/:$/d' -e '/^$/d' |
  xargs cat | sha256sum > "$pch.sum"
