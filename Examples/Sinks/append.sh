#!/bin/sh
# Keeps readings in a file, and answers for each: --sink 'exec+ack:./append.sh FILE'. The protocol is told in append.py.
file=$1
echo "ready 1"
while IFS= read -r line; do
    id=${line#*\"id\":\"}
    id=${id%%\"*}
    revision=0
    case $line in
    *\"revision\":*)
        revision=${line#*\"revision\":}
        revision=${revision%%[!0-9]*}
        ;;
    esac
    if printf '%s\n' "$line" >>"$file" && sync "$file"; then
        echo "ok $id $revision"
    else
        echo "later cannot write $file"
    fi
done
