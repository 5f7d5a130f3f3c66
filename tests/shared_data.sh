#!/bin/sh
# `headscope check` and `headscope export` over the real material of ../shared/data, where it stands:
# maps of a trained model in many containers, inputs of kinds that people stumbled over, and the cases
# of the ONNX operator Attention, which must be sound; and every command that reads a file over every
# file of it. HEADSCOPE names the program, also that of the asan variant:
#   make build/asan/headscope VARIANT=asan && HEADSCOPE=build/asan/headscope sh tests/shared_data.sh
set -u
cd "$(dirname "$0")/.."
program=${HEADSCOPE:-./headscope}
data=../shared/data
[ -d "$data" ] || { echo "shared_data: skipped: there is no $data here"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bad=0
count=0

# A sanitizer's report is no exit status of the program's.
export ASAN_OPTIONS="exitcode=99:${ASAN_OPTIONS:-}" UBSAN_OPTIONS="exitcode=99:${UBSAN_OPTIONS:-}"
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0:${LSAN_OPTIONS:-}"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

fail() {
    echo "FAILED $*"
    bad=1
}

# expect STATUS WORDS FILE [OPTIONS]: the exit status, and words of what it says; an error is one
# line, and never a crash.
expect() {
    status=$1 words=$2
    shift 2
    count=$((count + 1))
    "$program" check "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got = "$status" ] || fail "$*: status $got instead of $status: $(cat "$work/err")"
    grep -qF "$words" "$work/out" "$work/err" || fail "$*: does not say '$words'"
    [ "$(wc -l <"$work/err")" -le 1 ] || fail "$*: more than one line of error"
}

# draw STATUS WORDS FILE [OPTIONS]: the same of export, which says nothing where WORDS are "". The
# sheet is $work/sheet.png, its numbers are in $work/sheet.csv; neither is there after an error.
draw() {
    status=$1 words=$2
    shift 2
    count=$((count + 1))
    rm -f "$work/sheet.png" "$work/sheet.csv"
    "$program" export "$@" -o "$work/sheet.png" --data "$work/sheet.csv" >"$work/out" 2>"$work/err"
    got=$?
    [ $got = "$status" ] || fail "export $*: status $got instead of $status: $(cat "$work/err")"
    grep -qF "$words" "$work/err" || [ -z "$words" ] || fail "export $*: does not say '$words'"
    [ "$(wc -l <"$work/err")" -le "$([ -n "$words" ] && echo 1 || echo 0)" ] ||
        fail "export $*: says too much: $(cat "$work/err")"
    made=0
    for file in sheet.png sheet.csv; do [ -s "$work/$file" ] && made=$((made + 1)); done
    [ $made = $((got == 0 ? 2 : 0)) ] || fail "export $*: status $got, and $made files written"
}

# same FILES: the numbers of each, drawn with $options, are the same.
same() {
    rm -f "$work/first.csv"
    for file in "$@"; do
        # shellcheck disable=SC2086
        draw 0 "$words" "$file" $options
        [ -f "$work/first.csv" ] || cp "$work/sheet.csv" "$work/first.csv"
        cmp -s "$work/sheet.csv" "$work/first.csv" || fail "$file: other numbers than of $1"
    done
}

# answer COMMAND [WORDS]: whatever comes, an answer in time: no crash, no report of a sanitizer, and of
# a failure one line that names the file.
answer() {
    count=$((count + 1))
    timeout 100 "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    [ $got -le 2 ] || fail "$*: status $got: $(head -c 2000 "$work/err")"
    ! grep -qE "Sanitizer|runtime error:" "$work/err" || fail "$*: $(head -c 2000 "$work/err")"
    [ "$(wc -l <"$work/err")" -le 1 ] || fail "$*: more than one line of error"
    [ $got = 0 ] || [ -s "$work/err" ] || [ -s "$work/out" ] || fail "$*: status $got, nothing said"
    [ $got -lt 2 ] || grep -qF "${file##*/}" "$work/err" "$work/out" || fail "$*: $(cat "$work/err")"
}

awkward=$data/awkward
if [ -d "$awkward" ]; then
    for name in r01_batch2_heads4_5x5.npy r02_rect_cross_4x6.npy r07_1token.npy \
        r15_html_tokens.npy r17_duplicate_tokens.npy r19_sentencepiece.npy r21_long_tokens.npy \
        r23_token_count_off_by_one.npy r25_input_output_rows.npy r31_gqa_8q_2kv.npy \
        r36_be_f4.npy r36_f16.npy r36_f64.npy r36_fortran.npy r36_v3.npy r37_deflate.npz \
        r38_bf16.safetensors r39_meta_int.safetensors r43_rounded4.npy; do
        expect 0 "nothing wrong in the numbers by themselves" "$awkward/$name"
    done
    expect 1 "columns sum to 1 and rows do not" "$awkward/r03_transposed_cross_6x4.npy"
    expect 1 "NaN or infinities" "$awkward/r09_nan_row.npy"
    expect 0 "empty-uniform" "$awkward/r11_uniform_row_valid0.npy" --valid-lens 4,4,4,0
    expect 2 "(2): it has 1 axis" "$awkward/r05_vector_1d.npy"
    expect 2 "neither safetensors nor .npz nor .npy" "$awkward/r13_json_null.json"
    expect 2 "(encoder, decoder, cross)" "$awkward/r27_enc2_dec4.npz"
    expect 0 "4 queries, 3 keys" "$awkward/r27_enc2_dec4.npz" --weights cross
    expect 0 "nothing wrong" "$awkward/r29_missing_layer.npz" --weights encoder.2
    expect 0 "1 query, 6 keys" "$awkward/r33_generate_steps.safetensors" \
        --weights decoder.step3.layer1
    expect 2 "more than 16 MB" "$awkward/r39_header_too_large.safetensors"
    expect 2 "34 of 36 values; the file is cut short" "$awkward/r39_truncated.safetensors"
    expect 2 "holds no arrays" "$awkward/r39_only_metadata.safetensors"
    expect 2 "numpy.savez of plain arrays" "$awkward/r41_object_array.npy"
    expect 2 "it is empty" "$awkward/r45_empty.npy"
    draw 0 "2 layers of 4 heads" "$awkward/r01_batch2_heads4_5x5.npy" \
        --tokens "$awkward/r01_tokens.json"
    draw 0 "" "$awkward/r01_batch2_heads4_5x5.npy" --example 1
    draw 0 "2 layers of 3 heads" "$awkward/r02_rect_cross_4x6.npy" \
        --tokens "$awkward/r02_tokens.json"
    draw 2 "with --transpose" "$awkward/r03_transposed_cross_6x4.npy" \
        --tokens "$awkward/r03_tokens.json"
    draw 0 "" "$awkward/r03_transposed_cross_6x4.npy" --tokens "$awkward/r03_tokens.json" \
        --transpose --example 0
    draw 2 "(2): it has less than two axes" "$awkward/r05_vector_1d.npy" \
        --tokens "$awkward/r05_tokens.json"
    draw 0 "2 layers of 2 heads" "$awkward/r07_1token.npy" --tokens "$awkward/r07_tokens.json"
    for name in r09_nan_row r11_uniform_row_valid0 r15_html_tokens r17_duplicate_tokens \
        r19_sentencepiece r21_long_tokens r25_input_output_rows; do
        draw 0 "" "$awkward/$name.npy" --tokens "$awkward/${name%%_*}_tokens.json"
    done
    draw 0 "" "$awkward/r09_nan_row.npy"
    grep -q nan "$work/sheet.csv" || fail "r09_nan_row.npy: no nan in its numbers"
    draw 2 "5 encoder tokens, but 6 tokens" "$awkward/r23_token_count_off_by_one.npy" \
        --tokens "$awkward/r23_tokens.json"
    draw 0 "" "$awkward/r27_enc2_dec4.npz"
    grep -q '^decoder,3,' "$work/sheet.csv" || fail "r27_enc2_dec4.npz: without its last layer"
    draw 0 "encoder has no layer 1 head 0" "$awkward/r29_missing_layer.npz"
    draw 0 "" "$awkward/r31_gqa_8q_2kv.npy"
    draw 0 "" "$awkward/r33_generate_steps.safetensors"
    [ "$(grep -c '^decoder,0,0,' "$work/sheet.csv")" = 36 ] ||
        fail "r33_generate_steps.safetensors: not one map of 6 x 6"
    draw 2 "a window of local attention" "$awkward/r35_longformer_window.npy"
    words="2 layers of 2 heads" options=
    same "$awkward"/r36_f64.npy "$awkward"/r36_be_f4.npy "$awkward"/r36_fortran.npy \
        "$awkward"/r36_v3.npy
    for name in r36_f16.npy r37_deflate.npz r38_bf16.safetensors r39_meta_int.safetensors \
        r43_rounded4.npy; do
        draw 0 "$words" "$awkward/$name"
    done
    draw 1 "more than 16 MB" "$awkward/r39_header_too_large.safetensors"
    draw 1 "34 of 36 values; the file is cut short" "$awkward/r39_truncated.safetensors"
    draw 2 "holds no arrays" "$awkward/r39_only_metadata.safetensors"
    draw 1 "numpy.savez of plain arrays" "$awkward/r41_object_array.npy"
    draw 2 "it is empty" "$awkward/r45_empty.npy" --tokens "$awkward/r45_tokens.json"
fi

maps=$data/aren_encdec
if [ -d "$maps" ]; then
    for file in "$maps"/case?_encoder.npy; do expect 0 "nothing wrong" "$file" --site encoder; done
    for file in "$maps"/case?_decoder.npy; do expect 0 "nothing wrong" "$file" --site decoder; done
    for file in "$maps"/case?_cross.npy "$maps"/variant_cross_*; do
        expect 0 "nothing wrong" "$file" --site cross
    done
    expect 1 "a fault" "$maps/case0_encoder.npy" --site decoder
    for name in encoder decoder cross; do
        expect 0 "nothing wrong" "$maps/case0_all.npz" --weights $name
        expect 0 "nothing wrong" "$maps/case0_all_deflate.npz" --weights $name
    done
    words="6 layers of 8 heads" options="--site cross --tokens $maps/case0_tokens.json"
    same "$maps/case0_cross.npy" "$maps"/variant_cross_bigendian_f4.npy \
        "$maps"/variant_cross_f64.npy "$maps"/variant_cross_fortran_f4.npy \
        "$maps"/variant_cross_npy_v3.npy
    draw 0 "$words" "$maps/variant_cross_f16.npy" --site cross
    words="" options=
    same "$maps/case0_all.npz" "$maps/case0_all_deflate.npz"
    for name in case0_bf16.safetensors case0_mixed.safetensors; do
        draw 0 "" "$maps/$name"
    done
    draw 0 "6 layers of 8 heads" "$maps/case0_decoder.npy" --tokens "$maps/case0_tokens.json"
    grep -q '^decoder,5,7,6,6,' "$work/sheet.csv" || fail "case0_decoder.npy: is no decoder's"
fi

if [ -d "$data/gpt2_layer" ]; then
    expect 0 "1, 12 heads, 37 queries" "$data/gpt2_layer/attention.npy" --layout BHTD --causal
    draw 0 "" "$data/gpt2_layer/attention.npy" --tokens "$data/gpt2_layer/tokens.json"
    grep -q '^decoder,0,11,36,36,' "$work/sheet.csv" || fail "gpt2_layer: is no decoder's"
fi

reports=$data/reports
if [ -d "$reports" ]; then
    expect 2 "has 9 keys, but x_query (1, 4, 8), the only source of keys, has 4 steps" \
        "$reports/oobmin.npz"
    expect 2 "has 50 keys, but x_query (1, 4, 8), the only source of keys, has 4 steps" \
        "$reports/oob2.npz"
fi

# Every command that reads a file, over every file; what is no attention is also taken for tokens.
mkdir "$work/pictures"
find "$data" -type f | sort >"$work/files"
while read -r file; do
    answer check "$file"
    answer check "$file" --causal --json
    answer check "$file" --valid-lens 3,2 --picture "$work/evidence.png"
    answer export "$file" -o "$work/sheet.png" --data "$work/sheet.csv"
    answer export "$file" -o "$work/pictures" --format svg --data "$work/pictures/sheet.npz"
    answer export "$file" -o "$work/sheet.svg" --site decoder --example 0 --transpose
    answer export "$file" --input 12 -o "$work/sheet.png"
    case $file in
    *.json | *.txt | *.md)
        answer export "$data/gpt2_layer/attention.npy" --tokens "$file" -o "$work/sheet.png"
        ;;
    esac
    for command in "run --input 12" "eval --count 2" "heads --input 12" "ablate --input 12" \
        "traps one-reshape --input 12 --model" "acceptance --dump" "shot -o $work/shot.png"; do
        # shellcheck disable=SC2086
        answer $command "$file"
    done
done <"$work/files"

# The right figures of an independent program: sound, to 1e-5 (of half precision 1e-3).
python=${PYTHON:-/usr/bin/python3}
if [ -d "$data/onnx_attention" ] && "$python" -c 'import numpy' 2>/dev/null; then
    "$python" tests/oracle/onnx_dumps.py "$data/onnx_attention" "$work" || fail "onnx_dumps.py"
    "$program" check "$work"/*.npz --json >"$work/verdicts" || fail "ONNX cases: status $?"
    "$python" - "$work/verdicts" <<'END' || fail "ONNX cases"
import json, sys
files = json.load(open(sys.argv[1]))["files"]
stages = [(file, stage) for file in files for stage in file["stages"]
          if stage["state"] != "not checked"]
largest = max(stage["difference"] for _, stage in stages)
print(f"  {len(files)} cases sound, largest difference {largest:.1e}")
bad = [file["file"] for file in files if file["verdict"] != "sound"]
bad += [file["file"] for file, stage in stages
        if stage["difference"] > (1e-3 if "float16" in file["file"] else 1e-5)]
sys.exit(bool(bad) or len(files) < 16)
END
else
    echo "  ONNX cases skipped: they need numpy (apt-get install python3-numpy)"
fi

[ $bad = 0 ] && echo "shared_data: $count calls as expected"
exit $bad
