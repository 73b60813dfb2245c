#!/bin/sh
# Runs a command inside the unpacked toolchain, in a mount namespace of its own:
#   unshare --mount [--map-root-user] sh enter-root.sh ROOT PROJECT FOLDER COMMAND [ARGUMENT]...
# The project has the same path inside as outside. The mounts vanish with the command.
set -eu
root=$1 project=$2 folder=$3
shift 3
PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$root$project"
mount -n --rbind "$project" "$root$project"
mount -n --rbind /dev "$root/dev"
mount -n --rbind /proc "$root/proc"
# setpriv: entering the namespace has loosened the leash that run.mjs puts on what it starts.
exec setpriv --pdeathsig TERM chroot "$root" /usr/bin/env -C "$folder" -- "$@"
