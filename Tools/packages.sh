# Read by the scripts beside it: which Debian packages are needed, and how they get here.

# What the build needs, release builds included.
build_packages="libinotifytools0-dev libxxhash-dev libzstd-dev"
# What the tests use beside that.
test_packages="jq strace iso-codes git unison python3 zstd"
# What Tools/chaos starts beside replicator; zstd is for Tools/audit.
chaos_packages="python3 jq zstd e2fsprogs libxxhash-dev faketime"
# What Tools/faults takes for images of file systems and for a disk that notes what is written.
fault_packages="e2fsprogs xfsprogs btrfs-progs fuse3 libfuse3-dev gcc libc6-dev pkg-config"

# need_packages NAME…: installs what is missing and says which. Without root it prints the exact
# command and ends the script.
need_packages() {
  local missing="" name
  for name in "$@"; do
    if ! dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'install ok installed'; then
      missing="$missing $name"
    fi
  done
  missing=${missing# }
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "Debian packages are missing: $missing" >&2
    echo "Install them with:" >&2
    echo "  sudo apt-get install --no-install-recommends $missing" >&2
    exit 2
  fi
  echo "Installing Debian packages: $missing"
  # shellcheck disable=SC2086 # one word a package
  if ! install_quietly $missing; then
    apt-get update -qq
    install_quietly $missing
  fi
}

install_quietly() {
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

# need_swift: says what to do when there is no toolchain.
need_swift() {
  if ! command -v swift >/dev/null; then
    echo "There is no 'swift' in the PATH: install a Swift toolchain from swift.org" >&2
    exit 2
  fi
}
