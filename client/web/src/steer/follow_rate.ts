// SPDX-License-Identifier: Apache-2.0

/** Share of the distance to the pointer that is made up in a second of the person's time: they see it a moment late. */
const byHand = 2;
/** The same in a second of simulated time: faster would be a blow. */
const bySolver = 6;

/**
 * Velocity per distance, in 1/s of simulated time, of what follows the hand by velocity (pins, obstacles). A simulation that
 * runs ahead of the clock has gone far by the time its picture is seen: it must follow more slowly, or it would swing about
 * the pointer. `computed` and `simulated` are frames in a second of the clock and of the simulation.
 */
export function followRate(computed: number, simulated: number): number {
  return computed > 0 ? Math.min(bySolver, (byHand * simulated) / computed) : byHand;
}
