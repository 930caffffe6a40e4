/** Random cases of a test of properties: 20, or 200 in the nightly stage (test/run/nightly.mjs). */
export const PROPERTY_CASES = Number(process.env['PROPERTY_CASES'] ?? 20);
