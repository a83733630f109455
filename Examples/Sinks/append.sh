#!/bin/sh
# Appends readings to a file and acknowledges each: --sink 'exec+ack:./append.sh FILE'. append.py describes the protocol.
file=$1
umask 077

# kept ID REVISION: whether the file already has the reading. A line without a revision has revision 0.
kept() {
    [ -f "$file" ] || return 1
    if [ "$2" = 0 ]; then
        grep -F "\"id\":\"$1\"" "$file" | grep -qvF '"revision":'
    else
        grep -F "\"id\":\"$1\"" "$file" | grep -q "\"revision\":$2[,}]"
    fi
}

# A crash may have left a partial last line.
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
