#!/bin/sh
# omblepy-folder.sh FOLDER: delivers the user1.csv, user2.csv … that omblepy writes after reading an Omron cuff over Bluetooth:
#   cuff watch --source 'exec:./omblepy-folder.sh FOLDER'
exec "$(dirname "$0")/csv-folder.py" --time datetime --systolic sys --diastolic dia --pulse bpm --flag mov=body_movement --flag ihb=irregular_pulse \
    --user '^user(\d+)\.csv$' "$@"
