#!/bin/sh
# Keeps readings in a file, and answers for each: --sink 'exec+ack:./append.sh FILE'. The protocol is told in append.py.
file=$1
umask 077

# kept ID REVISION: the reading is in the file already. A line without a revision has revision 0.
kept() {
    [ -f "$file" ] || return 1
    if [ "$2" = 0 ]; then
        grep -F "\"id\":\"$1\"" "$file" | grep -qvF '"revision":'
    else
        grep -F "\"id\":\"$1\"" "$file" | grep -q "\"revision\":$2[,}]"
    fi
}

# A crash may have left half of a line at the end of the file.
if [ -f "$file" ] && [ -n "$(tail -c 1 "$file")" ]; then sed -i '$d' "$file" || exit 1; fi

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
    if kept "$id" "$revision" || { printf '%s\n' "$line" >>"$file" && sync "$file"; } 2>/dev/null; then
        echo "ok $id $revision"
    else
        # Nothing follows after `later`.
        echo "later cannot write $file"
        exit
    fi
done
