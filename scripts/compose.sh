#!/bin/sh
# The entry point of docker-compose.yml: gives a fresh clone what tests need, then runs the command.
# Usage: scripts/compose.sh COMMAND [ARGUMENT...]
set -eu
cd "$(dirname "$0")/.."
npm ci
npm run engines
exec "$@"
