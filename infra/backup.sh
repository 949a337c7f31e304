#!/usr/bin/env bash
# A backup for a timer: one file a run, the newest ones kept, nothing half-written under a final name.
#   infra/backup.sh FOLDER [KEEP]     KEEP: how many to keep, default 14
# Settings are read as always (CITATOR_DATA, CITATOR_BUCKET, …). A file holds bucket, state and log key: guard it like
# the key. With CITATOR_DATABASE_URL the state lies in PostgreSQL, and pg_dump writes it beside.
set -euo pipefail
folder=${1:?usage: backup.sh FOLDER [KEEP]}
keep=${2:-14}
if ! [[ $keep =~ ^[1-9][0-9]*$ ]]; then
    echo "backup.sh: KEEP is a number from 1 on, not '$keep'" >&2
    exit 2
fi
umask 077
mkdir -p "$folder"
stamp=$(date -u +%Y%m%dT%H%M%SZ)

citator backup "$folder/citator-$stamp.tar" >&2
if [ -n "${CITATOR_DATABASE_URL:-}" ]; then
    # pg_dump does not know SQLAlchemy's name of the driver.
    pg_dump --format=custom --file="$folder/citator-$stamp.partial" "${CITATOR_DATABASE_URL/+psycopg/}"
    mv "$folder/citator-$stamp.partial" "$folder/citator-$stamp.pgdump"
fi

# Only after the new one is whole are old ones dropped.
for kind in tar pgdump; do
    find "$folder" -maxdepth 1 -name "citator-*.$kind" | sort -r | tail -n +"$((keep + 1))" | xargs -r rm --
done
echo "$folder/citator-$stamp.tar"
