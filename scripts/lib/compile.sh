#!/bin/sh
# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
# compile.sh CCACHE COMPILER ARGUMENT...: CMake's compiler launcher. A precompiled header is made without its
# predecessor beside it: the preprocessor would name that one instead of reading the headers, and the cache would
# answer with whatever another clone once made from the same predecessor.
for word; do
  case $word in *.gch) rm -f "$word" ;; esac
done
exec "$@"
