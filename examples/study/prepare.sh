# The sample study's raw outputs into tagged/ and, all in the order of lead3, into aligned/.
# Run it where examples/ is: bash examples/study/prepare.sh
set -e

pre() {
  rubrica study preprocess "examples/study/raw/$1" -o "tagged/$2.txt" -q "${@:3}"
}

pre lead3.txt lead3 --shape lines
pre lead3.ref.txt lead3.ref --shape lines
pre centroid.txt centroid --shape sentence-lines
pre centroid.ref.txt centroid.ref --shape sentence-lines
pre abstractor.txt abstractor --shape q
pre abstractor.ref.txt abstractor.ref --shape q
pre compressor.jsonl compressor --shape jsonl
pre compressor.jsonl compressor.ref --shape jsonl --key reference
pre rambler.tsv rambler --shape tsv
pre rambler.ref.txt rambler.ref --shape sent
pre headliner.txt headliner --shape x-sep --join-word-pieces
pre headliner.ref.txt headliner.ref --shape x-sep --join-word-pieces

for system in ext/lead3 ext/centroid abs/abstractor abs/compressor abs/rambler abs/headliner; do
  name=${system#*/}
  rubrica study align -out "tagged/$name.ref.txt" -ref tagged/lead3.ref.txt -matching_path "$name.json" -q
  rubrica study realign -ip "tagged/$name.txt" -op "aligned/$system/out.txt" -matching_path "$name.json" -q
  rubrica study realign -ip "tagged/$name.ref.txt" -op "aligned/$system/ref.txt" -matching_path "$name.json" -q
done
for number in 01 02 03 04 05 06 07 08 09 10 11 12; do echo "d$number"; done > ids.txt
