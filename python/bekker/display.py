"""Tables that objects show in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .catalog import Soil, Vehicle
    from .simulation import Simulation

_SHOWN = 20
"""Greatest number of rows of a table."""


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(each) for each in value)
    return "" if value is None else str(value)


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """Returns an HTML table with a title and a note; a row begins with its name."""
    listed = list(rows)
    more = len(listed) - _SHOWN
    cells = [[html.escape(_text(cell)) for cell in row] for row in listed[:_SHOWN]]
    body = "".join(f"<tr><th>{row[0]}</th>" + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>" for row in cells)
    if more > 0:
        body += f"<tr><td colspan={len(head)}>and {more} more</td></tr>"
    heads = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    return (
        f"<table><caption>{html.escape(title)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{body}</tbody></table>" + (f"<p>{html.escape(note)}</p>" if note else "")
    )


def scenario(values: dict[str, Any]) -> str:
    """Returns the table of a scenario's vehicles, with its ground and duration."""
    rows = [
        (own["name"], own["model"], own["position"], own.get("driver", {}).get("kind"))
        for own in values["vehicle"]
    ]
    ground = values.get("terrain", {}).get("surface", {}).get("kind", "flat")
    soil, duration = values["soil"]["default"], values["time"]["duration"]
    note = f"terrain {ground}; soil {soil}; {_text(duration)} s"
    return table(f"Scenario {values['name']}", ("vehicle", "model", "position, m", "driver"), rows, note)


def simulation(own: Simulation) -> str:
    """Returns the table of a simulation's vehicles."""
    rows = []
    for name, state in own.states().items():
        position = [float(value) for value in state["position"]]
        outcome = own.outcome(name)
        rows.append((name, position, float(state["speed"]), outcome["code"]))
    head = ("vehicle", "position, m", "speed, m/s", "outcome")
    title = f"Simulation {own.scenario.name} at {own.time:.3f} s"
    return table(title, head, rows)


def soil(own: Soil) -> str:
    """Returns the table of a soil's parameters, with their source."""
    rows = [(name, value) for name, value in own.parameters.items() if not isinstance(value, dict)]
    title = f"Soil {own.label}: {own.name}"
    return table(title, ("parameter", "value, SI units and rad"), rows, own.source)


def vehicle(own: Vehicle) -> str:
    """Returns the table of a vehicle's main dimensions."""
    spec = own.spec
    rows: list[tuple[str, object]] = [("mass, kg", own.mass)]
    if "wheelbase" in spec:
        rows.append(("wheelbase, m", spec["wheelbase"]))
    if "axles" in spec:
        rows.append(("axles", len(spec["axles"])))
    if "tire" in spec:
        rows.append(("wheel radius, m", max(point["radius"] for point in spec["tire"]["rigid"]["outline"])))
        rows.append(("tires", "flexible" if spec["tire"].get("flexible") else "rigid"))
    if "left" in spec:
        rows.append(("shoes per track", spec["left"]["shoes"]))
    return table(f"Vehicle {own.model}: {spec['name']}", ("quantity", "value"), rows, spec.get("source", ""))
