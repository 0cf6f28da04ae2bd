#!/usr/bin/env bash
# Renders the pictures of the documentation. docs/reference/pictures.md lists them.
#
#   scripts/doc_pictures.sh                # all that take at most minutes
#   scripts/doc_pictures.sh convoy maps    # some, by name
#
# BEKKER is the program (default: target/release/bekker), PYTHON an environment with bekker for `ppo`,
# `soft_goal` and `baselines` (default: python3). `validation`, `exchange` and `scaling` compile and run tools with cargo.
# Pictures are not reduced to 256 colors, because this would change the colors of scales.
set -euo pipefail
cd "$(dirname "$0")/.."

bekker=$(realpath "${BEKKER:-target/release/bekker}")
work=$(mktemp -d)
# a program that is still writing when the script is interrupted must not keep the folder
trap 'rm -rf "$work"' EXIT

# Replaces a picture in one step.
place() { cp "$1" "$2.part" && mv "$2.part" "$2" && echo "$2"; }

run() { # EXAMPLE NAME [OPTION...]: a run with its picture
    "$bekker" run "examples/$1.toml" --quiet --force --out "$work/$2" "${@:3}" >/dev/null
}

convoy() {
    run convoy_mud convoy_mud
    place "$work/convoy_mud/picture.png" docs/convoy_mud.png
}

search() {
    run search search
    place "$work/search/picture.png" docs/search.png
}

swarm() { # three vehicles over 250 m
    run swarm_250 swarm_250 --set 'vehicle[0].row.count=3'
    place "$work/swarm_250/picture.png" docs/swarm_250.png
}

brigade() {
    run brigade brigade
    place "$work/brigade/picture.png" docs/brigade.png
}

maps() {
    "$bekker" map run examples/map_jacksboro.toml --out "$work/going" >/dev/null
    "$bekker" map route "$work/going" --from -1500,-1500 --to 1500,1200 >/dev/null
    place "$work/going/map.png" docs/map_jacksboro.png
    place "$work/going/route.png" docs/map_route.png
}

# Renders every vehicle of docs/vehicles.md from the side, on firm ground.
vehicles() {
    local name model
    for name in hmmwv mrzr4 fed_alpha fmtv_4x4 fmtv_6x6 man_8x8 forwarder gator husky warthog mer kraz_64431 marder m113 \
        hmmwv_cargo_trailer kraz_semitrailer; do
        case $name in
        hmmwv_cargo_trailer) model=hmmwv+cargo_trailer ;;
        kraz_semitrailer) model=kraz_64431+semitrailer ;;
        *) model=$name ;;
        esac
        "$bekker" render examples/single_vehicle.toml --set "vehicle[0].model=\"$model\"" \
            --set 'soil.default="firm"' --time 0.5 --camera side --size 320x180 --supersample 4 \
            --out "$work/$name.png" >/dev/null
        place "$work/$name.png" "docs/gallery/$name.png"
    done
}

sensors() {
    "$bekker" render examples/tracked_mud.toml --time 5 --camera chase --size 960x540 \
        --supersample 3 --out "$work/m113_in_mud.png" >/dev/null
    place "$work/m113_in_mud.png" docs/gallery/m113_in_mud.png
    "$bekker" render examples/sensors_snow.toml --time 8 --vehicle hmmwv --camera chase \
        --size 960x540 --supersample 3 --out "$work/sensors_snow.png" >/dev/null
    place "$work/sensors_snow.png" docs/gallery/sensors_snow.png
    "$bekker" render examples/sensors_snow.toml --time 8 --vehicle hmmwv --camera driver \
        --size 640x360 --supersample 3 --out "$work/camera.png" >/dev/null
    place "$work/camera.png" docs/gallery/camera.png
}

study() { # the stuck vehicle of docs/tutorials/first_study.md
    run sand_slope stuck --set 'vehicle[0].inflation_kpa=276' --no-picture
    "$bekker" render --run "$work/stuck" --camera chase --size 480x270 --out "$work/stuck.png" \
        >/dev/null
    place "$work/stuck.png" docs/gallery/stuck_in_sand.png
}

validation() { # also rewrites docs/validation.md and its pages
    cargo run --locked --release -p bekker-validation
}

exchange() {
    cargo run --locked --release -p bekker-bench -- sync --plot "$work/sync.png" >/dev/null
    place "$work/sync.png" docs/bench_sync.png
}

scaling() {
    local bench=(cargo run --locked --release -p bekker-bench -- scaling --seconds 0.5 --plots "$work")
    "${bench[@]}" --part strong --agents 128 >/dev/null
    "${bench[@]}" --part heartbeat >/dev/null
    place "$work/strong.png" docs/scaling_strong.png
    place "$work/heartbeat.png" docs/scaling_heartbeat.png
}

ppo() {
    "${PYTHON:-python3}" examples/ppo.py --seeds 0 1 2 --out "$work/ppo"
    place "$work/ppo/curve.png" docs/ppo_slip_speed.png
}

soft_goal() { # needs skrl and JAX
    "${PYTHON:-python3}" examples/soft_goal.py --steps 350000 --from-rule --out "$work/rule"
    place "$work/rule/film.png" docs/soft_goal_film.png
}

baselines() { # needs skrl and JAX
    local train=("${PYTHON:-python3}" scripts/baselines.py --out "$work/baselines")
    "${train[@]}" --algorithms SAC --steps 10240
    "${train[@]}" --algorithms PPO --steps 40960
    "${train[@]}" --table
    place "$work/baselines/curves.png" docs/baselines.png
}

view() { # needs node, chromium and the npm packages of the script
    node scripts/viewer_pictures.cjs --only depths "$work/viewer" >/dev/null
    place "$work/viewer/depths_1280x800_light.png" docs/gallery/view.png
}

short=(convoy search swarm vehicles sensors study)
long=(maps view brigade validation exchange scaling ppo soft_goal baselines)
pictures=("$@")
[ "${#pictures[@]}" -gt 0 ] || pictures=("${short[@]}")
for picture in "${pictures[@]}"; do
    [[ " ${short[*]} ${long[*]} " == *" $picture "* ]] ||
        { echo "unknown picture $picture; pictures: ${short[*]} ${long[*]}" >&2; exit 2; }
    "$picture"
done
