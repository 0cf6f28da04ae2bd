import numpy as np
import pytest

import bekker


def test_a_plate_follows_bekkers_law():
    """A disc on mud with reference laws follows p = (k_c / b + k_phi) z^n, where b is its radius."""
    found = bekker.rig.plate("mud", radius=0.2, pressure=5e4, laws="reference")
    parameters = bekker.Soil("mud").parameters
    curve = found["loading"]
    deep = curve["sinkage"] > 0.5 * found["sinkage"]
    bekkers = (parameters["k_c"] / 0.2 + parameters["k_phi"]) * curve["sinkage"] ** parameters["n"]
    # whole nodes of 5 mm cover the patch: the error of its area is a few percent
    assert np.allclose(curve["pressure"][deep], bekkers[deep], rtol=0.08)


def test_a_shear_test_is_bounded_by_mohr_and_coulomb():
    found = bekker.rig.shear("chrono_mid", pressure=3e4, laws="reference")
    soil = bekker.Soil("chrono_mid").parameters
    strength = soil["cohesion"] + 3e4 * np.tan(soil["friction_angle"])
    assert found["strength"] == pytest.approx(strength, rel=0.05)
    assert found["curve"]["stress"].shape == found["curve"]["displacement"].shape


@pytest.mark.parametrize("soil", ["mud", "chrono_mid", "lean_clay_32_wes"])
def test_a_shear_test_needs_no_laws_told(soil):
    """The refined laws reach full strength, except for the last 1/3000 of the curve.

    The tolerance of 1 % is that of the tests of the rig.
    """
    found = bekker.rig.shear(soil, pressure=1e4)
    parameters = bekker.Soil(soil).parameters
    strength = parameters["cohesion"] + 1e4 * np.tan(parameters["friction_angle"])
    assert found["pressure"] == pytest.approx(1e4, rel=0.01)
    assert found["strength"] == pytest.approx(strength, rel=0.01)


def test_a_wheel_pulls_more_the_more_it_slips():
    found = bekker.rig.wheel("chrono_mid", slip=[0.05, 0.3], duration=2.0, laws="reference")
    assert found["drawbar"].shape == (2,) and found["drawbar"][1] > found["drawbar"][0]


@pytest.mark.parametrize(
    ("call", "key"),
    [
        (lambda: bekker.rig.plate("mud", pressure=-1.0), "pressure"),
        (lambda: bekker.rig.plate("rigid"), "soil"),
        (lambda: bekker.rig.plate("nope"), "soil"),
        (lambda: bekker.rig.plate("mud", size=(0.6, 1e308)), "size"),
        (lambda: bekker.rig.plate("mud", radius=1e308), "radius"),
        (lambda: bekker.rig.plate("mud", spacing=float("nan")), "spacing"),
        (lambda: bekker.rig.shear("mud", displacement=1e308), "displacement"),
        (lambda: bekker.rig.wheel("mud", duration=1e308), "duration"),
        (lambda: bekker.rig.wheel("mud", step=0.0), "step"),
        (lambda: bekker.rig.wheel("mud", load=1e308), "load"),
        (lambda: bekker.rig.wheel("mud", speed=1e308), "speed"),
        (lambda: bekker.rig.wheel("mud", radius=1e308), "radius"),
        (lambda: bekker.rig.wheel("mud", width=1e308), "width"),
        (lambda: bekker.rig.shear("mud", laws="newton"), "laws"),
        (lambda: bekker.rig.wheel("mud", vehicle="m113"), "vehicle"),
        (lambda: bekker.rig.wheel("mud", vehicle="hmmwv", tire="rigd"), "tire"),
        (lambda: bekker.rig.wheel("mud", vehicle="hmmwv", radius=0.3), "radius"),
        (lambda: bekker.rig.wheel("mud", vehicle="hmmwv", width=0.3), "width"),
        (lambda: bekker.rig.wheel("mud", vehicle="gator", tire="flexible"), "tire"),
        (lambda: bekker.rig.wheel("mud", tire="flexible"), "tire"),
    ],
)
def test_what_cannot_be_is_refused(call, key):
    with pytest.raises(bekker.InputError) as raised:
        call()
    assert raised.value.key == key and raised.value.allowed


def test_soils_can_be_changed():
    soft = bekker.rig.plate("mud", changes={"k_phi": 1e5})["sinkage"]
    assert soft != bekker.rig.plate("mud")["sinkage"]
    with pytest.raises(bekker.ScenarioError, match="k_fee"):
        bekker.rig.plate("mud", changes={"k_fee": 1.0})
