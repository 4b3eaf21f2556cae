#!/usr/bin/python3
"""OpenMM's OpenCL platform, in each precision: energies, forces and positions after steps, against its reference
platform, which computes in double on the host."""
import sys

try:
    import numpy as np
    import openmm as mm
    from openmm import unit
except ImportError:
    print("1..0 # SKIP not installed: python3-simtk, libopenmm-plugins")
    sys.exit(0)

mm.Platform.loadPluginsFromDirectory(mm.Platform.getDefaultPluginsDirectory())
names = [mm.Platform.getPlatform(i).getName() for i in range(mm.Platform.getNumPlatforms())]
if "OpenCL" not in names:
    print("1..0 # SKIP not installed: libopenmm-plugins")
    sys.exit(0)

COUNT = 64
EDGE = 2.4  # of the periodic box, in nm
rng = np.random.default_rng(5)
# A cubic lattice, displaced: no two particles overlap.
lattice = np.array([(x, y, z) for x in range(4) for y in range(4) for z in range(4)]) * (EDGE / 4) + 0.3
positions = lattice + rng.uniform(-0.08, 0.08, lattice.shape)


def particles():
    system = mm.System()
    for i in range(COUNT):
        system.addParticle(10.0 + i % 5)
    system.setDefaultPeriodicBoxVectors((EDGE, 0, 0), (0, EDGE, 0), (0, 0, EDGE))
    return system


def nonbonded(method):
    system = particles()
    force = mm.NonbondedForce()
    for i in range(COUNT):
        force.addParticle(0.3 * (-1) ** i, 0.25 + 0.01 * (i % 4), 0.5)
    for i in range(0, COUNT - 1, 2):
        force.addException(i, i + 1, 0.0, 0.2, 0.0)
    force.setNonbondedMethod(method)
    force.setCutoffDistance(1.0)
    system.addForce(force)
    return system


def bonded():
    system = particles()
    bonds, angles, torsions = mm.HarmonicBondForce(), mm.HarmonicAngleForce(), mm.PeriodicTorsionForce()
    for i in range(COUNT - 1):
        bonds.addBond(i, i + 1, 0.4, 500.0)
    for i in range(COUNT - 2):
        angles.addAngle(i, i + 1, i + 2, 1.9, 40.0)
    for i in range(COUNT - 3):
        torsions.addTorsion(i, i + 1, i + 2, i + 3, 1 + i % 3, 0.3, 5.0)
    for force in (bonds, angles, torsions):
        system.addForce(force)
    return system


def solvated():
    system = nonbonded(mm.NonbondedForce.NoCutoff)
    force = mm.GBSAOBCForce()
    for i in range(COUNT):
        force.addParticle(0.3 * (-1) ** i, 0.15, 0.8)
    system.addForce(force)
    return system


def expressions():
    system = particles()
    pairs = mm.CustomNonbondedForce("scale*exp(-r/0.3)*cos(4*r)*sqrt(a1*a2); scale=select(step(r-0.5), 2, 3)")
    pairs.addPerParticleParameter("a")
    for i in range(COUNT):
        pairs.addParticle([1.0 + 0.1 * (i % 7)])
    pairs.setNonbondedMethod(mm.CustomNonbondedForce.CutoffPeriodic)
    pairs.setCutoffDistance(1.1)
    field = mm.CustomExternalForce("3*(x-1.2)^2 + y*z + atan2(y, 1+z^2) + erf(x)")
    for i in range(COUNT):
        field.addParticle(i, [])
    system.addForce(pairs)
    system.addForce(field)
    return system


def constrained():
    system = nonbonded(mm.NonbondedForce.CutoffPeriodic)
    for i in range(0, COUNT - 1, 2):
        system.addConstraint(i, i + 1, float(np.linalg.norm(positions[i] - positions[i + 1])))
    return system


systems = {
    "bonds, angles and torsions": bonded,
    "all pairs": lambda: nonbonded(mm.NonbondedForce.NoCutoff),
    "a cutoff with a reaction field": lambda: nonbonded(mm.NonbondedForce.CutoffPeriodic),
    "Ewald's sum": lambda: nonbonded(mm.NonbondedForce.Ewald),
    "particle mesh Ewald": lambda: nonbonded(mm.NonbondedForce.PME),
    "implicit solvent": solvated,
    "forces given as expressions": expressions,
    "constraints": constrained,
}


def computed(system, platform, properties):
    """Energy, forces, and the positions after 20 steps."""
    context = mm.Context(system, mm.VerletIntegrator(0.001), mm.Platform.getPlatformByName(platform), properties)
    context.setPositions(positions)
    state = context.getState(getEnergy=True, getForces=True)
    energy = state.getPotentialEnergy().value_in_unit(unit.kilojoule_per_mole)
    forces = state.getForces(asNumpy=True).value_in_unit(unit.kilojoule_per_mole / unit.nanometer)
    context.getIntegrator().step(20)
    moved = context.getState(getPositions=True).getPositions(asNumpy=True).value_in_unit(unit.nanometer)
    return energy, forces, moved


def agrees(wanted, found, tolerance):
    energy = abs(wanted[0] - found[0]) / max(1.0, abs(wanted[0]))
    forces = np.abs(wanted[1] - found[1]).max() / max(1.0, np.abs(wanted[1]).max())
    moved = np.abs(wanted[2] - found[2]).max()
    good = max(energy, forces) <= tolerance and moved <= 1e-4
    if not good:
        print(f"# energy {energy:.2g}, forces {forces:.2g}, positions {moved:.2g} apart")
    return good


precisions = {"single": 2e-4, "mixed": 2e-4, "double": 2e-5}
print(f"1..{len(systems) * len(precisions)}")
failed = False
number = 0
for name, make in systems.items():
    wanted = computed(make(), "Reference", {})
    for precision, tolerance in precisions.items():
        number += 1
        good = agrees(wanted, computed(make(), "OpenCL", {"Precision": precision}), tolerance)
        failed |= not good
        print(("ok" if good else "not ok") + f" {number} - {name}, {precision}", flush=True)
sys.exit(failed)
