#!/usr/bin/env bash
# Downloads the release VERSION, checks its checksum, and runs the program with ARGS.
set -euo pipefail

releases=${RELEASES:-https://github.com/kubernetes-storage-rs/kubernetes-storage/releases/download}
case $(uname -sm) in
"Linux x86_64") target=x86_64-unknown-linux-musl ;;
"Linux aarch64") target=aarch64-unknown-linux-musl ;;
*)
    echo "error: no program for $(uname -sm); use a runner with Linux" >&2
    exit 2
    ;;
esac
name=kubernetes-storage-$VERSION-$target
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for file in "$name.tar.gz" SHA256SUMS; do
    curl --fail --silent --show-error --location --retry 3 \
        --output "$folder/$file" "$releases/$VERSION/$file"
done
(cd "$folder" && grep --fixed-strings "  $name.tar.gz" SHA256SUMS | sha256sum --check --quiet)
tar --extract --gzip --file "$folder/$name.tar.gz" --directory "$folder"
# The arguments are words, as on a command line.
read -ra arguments <<<"$ARGS"
"$folder/$name/kubernetes-storage" "${arguments[@]}"
