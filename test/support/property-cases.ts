/** Random cases of a test of properties: 20, or 200 in the nightly stage (test/run/nightly.mjs). */
export const PROPERTY_CASES = Number(process.env['PROPERTY_CASES'] ?? 20);

/** Rounds of a race: 2, or 8 in the nightly stage. */
export const RACE_ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 2);
