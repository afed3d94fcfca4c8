# Read by the scripts beside it that let real processes work on one store, after packages.sh:
# which executables, how processes are stopped, how nodes settle.
# They use: executable (may be empty), directory (of the run; the store is 'store' in it).

# find_executables: sets 'executable' and 'client', built if need be.
find_executables() {
  if [ -z "$executable" ]; then
    "$here/Tools/build-release" replicator demo-client >/dev/null
    executable=$here/.build/static/release/replicator
  fi
  executable=$(realpath "$executable")
  client=$(dirname "$executable")/demo-client
  if [ ! -x "$client" ]; then
    "$here/Tools/build-release" demo-client >/dev/null
    client=$here/.build/static/release/demo-client
  fi
  unset REPLICATOR_STORE REPLICATOR_NODE
}

directory="" children=""

replicator() { "$executable" --store "$directory/store" "$@"; }

# follow NODE…: starts 'watch' for each.
follow() {
  local node
  for node in "$@"; do
    # Not through the function: the process itself must be the child that is stopped later.
    "$executable" --store "$directory/store" watch --node "$node" \
      >"$directory/watch-$node.txt" 2>&1 &
    children="$children $!"
  done
}

stop() {
  local id
  for id in $children; do kill "$id" 2>/dev/null || true; done
  for id in $children; do wait "$id" 2>/dev/null || true; done
  children=""
}

# settle NODE…: each has taken in what the others wrote. Bounded, so that a hang is a failure and
# not silence.
settle() {
  local node
  for node in "$@"; do
    timeout 120 "$executable" --store "$directory/store" --node "$node" --quiet sync --wait ||
      return 1
  done
}
