#!/usr/bin/env bash
# Build codemirror.js (the editor, and zip files) from npm's packages as package-lock.json names them, with their licences beside it. After a change
# of package.json: `npm install --package-lock-only`, then this.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/{package.json,package-lock.json,entry.js} "$work"
cd "$work"
npm ci --silent --no-audit --no-fund
npx esbuild entry.js --bundle --minify --format=iife --target=es2022 --charset=utf8 --legal-comments=none \
    --outfile="$here/codemirror.js"
for package in node_modules/@codemirror/* node_modules/@lezer/* node_modules/@marijn/* \
    node_modules/{crelt,fflate,style-mod,w3c-keyname}; do
    printf '%s %s\n\n' "${package#node_modules/}" "$(node -p "require('./$package/package.json').version")"
    cat "$package"/LICENSE
    echo
done >"$here/codemirror-license.txt"
(cd "$here" && sha256sum codemirror.js >codemirror.sha256)
