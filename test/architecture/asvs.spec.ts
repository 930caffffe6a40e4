import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/service.js';

/**
 * The number of requirements of levels 1 and 2 of each section of ASVS 5.0.0. They are the first ones of their section.
 */
const SECTIONS = new Map([
  ['1.1', 2],
  ['1.2', 9],
  ['1.3', 11],
  ['1.4', 3],
  ['1.5', 2],
  ['2.1', 3],
  ['2.2', 3],
  ['2.3', 4],
  ['2.4', 1],
  ['3.2', 2],
  ['3.3', 4],
  ['3.4', 6],
  ['3.5', 5],
  ['3.7', 2],
  ['4.1', 3],
  ['4.2', 1],
  ['4.3', 2],
  ['4.4', 4],
  ['5.1', 1],
  ['5.2', 3],
  ['5.3', 2],
  ['5.4', 3],
  ['6.1', 3],
  ['6.2', 12],
  ['6.3', 4],
  ['6.4', 4],
  ['6.5', 5],
  ['6.6', 3],
  ['6.8', 4],
  ['7.1', 3],
  ['7.2', 4],
  ['7.3', 2],
  ['7.4', 5],
  ['7.5', 2],
  ['7.6', 2],
  ['8.1', 2],
  ['8.2', 3],
  ['8.3', 1],
  ['8.4', 1],
  ['9.1', 3],
  ['9.2', 4],
  ['10.1', 2],
  ['10.2', 2],
  ['10.3', 4],
  ['10.4', 11],
  ['10.5', 5],
  ['10.6', 2],
  ['10.7', 3],
  ['11.1', 2],
  ['11.2', 3],
  ['11.3', 3],
  ['11.4', 4],
  ['11.5', 1],
  ['11.6', 1],
  ['12.1', 3],
  ['12.2', 2],
  ['12.3', 4],
  ['13.1', 1],
  ['13.2', 5],
  ['13.3', 2],
  ['13.4', 5],
  ['14.1', 2],
  ['14.2', 4],
  ['14.3', 3],
  ['15.1', 3],
  ['15.2', 3],
  ['15.3', 7],
  ['16.1', 1],
  ['16.2', 5],
  ['16.3', 4],
  ['16.4', 3],
  ['16.5', 3],
  ['17.1', 1],
  ['17.2', 4],
  ['17.3', 2],
]);

const ALL = [...SECTIONS].flatMap(([section, count]) =>
  Array.from({ length: count }, (_, index) => `V${section}.${index + 1}`),
);

const document = readFileSync(join(ROOT, 'docs/reference/asvs.md'), 'utf8');
const rows = [...document.matchAll(/^\| (V\d[^|]*) \| ([^|]+) \| ([^|]+) \|([^|]*)\|$/gm)].map(
  ([, requirement, state, measure, test]) => ({
    requirement: requirement!,
    state: state!,
    measure,
    test: test!.trim(),
  }),
);

/** `V1.2.1–V1.2.3` as its three requirements; a range may span sections. */
function listRequirements(range: string): string[] {
  const [first, last = first] = range.split('–').map((id) => ALL.indexOf(id)) as [number, number?];
  return ALL.slice(first, last + 1);
}

it('docs/reference/asvs.md contains each requirement of levels 1 and 2 once', () => {
  expect(ALL).toHaveLength(253);
  expect(rows.flatMap(({ requirement }) => listRequirements(requirement))).toEqual(ALL);
});

it('docs/reference/asvs.md names a test for each requirement that the service meets', () => {
  expect(rows.filter(({ state, test }) => state === 'met' && test === '')).toEqual([]);
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['met', 'operator', 'n/a', 'not met']));
});

it('docs/reference/asvs.md counts the requirements of each state', () => {
  const counted = [...document.matchAll(/^\| (met|operator|n\/a|not met) \| [^|]+ \| (\d+) \|$/gm)];
  const expected = counted.map(([, state]) =>
    rows.filter((row) => row.state === state).flatMap(({ requirement }) => listRequirements(requirement)),
  );
  expect(counted.map(([, , count]) => Number(count))).toEqual(expected.map(({ length }) => length));
  expect(counted).toHaveLength(4);
});
