const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** `true` or `false` of a query, also as Python (`True`) and PHP (`1`) write it. @returns undefined for other texts */
export function parseFlag(text: string): boolean | undefined {
  return FLAGS.get(text.toLowerCase());
}
