"""Write seeds/airports/airports_<release>.csv from three pinned releases of the Python package `airportsdata`.

Run it with `make seeds`. The releases are pinned by version and checksum, so it always writes the same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SEEDS = Path(__file__).resolve().parents[1] / "seeds" / "airports"
RELEASES = {
    "20220107": "bda333c40db661ba5f367e1e886cdb7749e8694ae77e062f98d0f2ff15ba8163",
    "20240309": "398e7eca0e9a6d536eab3c9daf1530c05ff6f46b36f93fd51476ffb2e0165b84",
    "20260208": "1d2c0f62970dab5e169dd41c7a58acb7ab507182fa5114b48ce1a494983e01f5",
}
COUNTRIES = {"IS", "MV", "XK"}
COLUMNS = ["icao", "iata", "name", "city", "subd", "country", "elevation", "lat", "lon", "tz"]


def download(release: str, checksum: str, folder: Path) -> Path:
    """Fetch the wheel of one release with pip and check that it is the pinned file."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", str(folder), f"airportsdata=={release}"], check=True)
    wheel = folder / f"airportsdata-{release}-py3-none-any.whl"
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != checksum:
        raise SystemExit(f"{wheel.name} has the checksum {found}, not {checksum}")
    return wheel


def airports(wheel: Path) -> list[dict[str, str]]:
    """The release's airports of the chosen countries, ordered by their key."""
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read("airportsdata/airports.csv").decode("utf-8")
    rows = (row for row in csv.DictReader(io.StringIO(text, newline="")) if row["country"] in COUNTRIES)
    return sorted(rows, key=lambda row: row["icao"])


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for release, checksum in RELEASES.items():
            rows = airports(download(release, checksum, Path(folder)))
            seed = SEEDS / f"airports_{release}.csv"
            with seed.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            print(f"{seed.name}: {len(rows)} airports")


if __name__ == "__main__":
    main()
