# SPDX-FileCopyrightText: 2026 The agentpool authors
# SPDX-License-Identifier: Apache-2.0
export LANG="${LANG:-C.UTF-8}"
# Where node-gyp finds the headers of this Node, so that it downloads none.
export npm_package_config_node_gyp_nodedir=/usr/local
