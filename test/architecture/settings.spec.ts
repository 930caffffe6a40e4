import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentSchema, parseEnvironment } from '../../src/platform/config/environment.js';
import { expectForEach, expectNone } from '../support/for-each.js';
import { ROOT } from '../support/service.js';

type Name = keyof typeof environmentSchema.shape;

interface Documented {
  /** Is it only an example, behind a `#`, for a setting that has no default? */
  optional: boolean;
  value: string;
  comment: string;
}

/** The unit a setting's name ends in, as its comment must say it. */
const UNITS: [RegExp, string][] = [
  [/_MS$/, 'milliseconds'],
  [/_S$/, ' seconds'],
  [/_BYTES$/, 'bytes'],
];

const documented = readExample();
const names = Object.keys(environmentSchema.shape) as Name[];

/** `NAME=value` or `# NAME=value`, below one line that says what it is. */
function readExample(): Map<string, Documented> {
  const lines = readFileSync(join(ROOT, '.env.example'), 'utf8').split('\n');
  return new Map(
    lines.flatMap((line, at) => {
      const [, hash, name, value] = /^(# )?([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
      return name ? [[name, { optional: hash !== undefined, value: value!, comment: lines[at - 1]! }]] : [];
    }),
  );
}

describe('.env.example', () => {
  it('.env.example has every setting and no other, in the order of the schema', () => {
    const present = [...documented.keys()];
    expectNone(
      names.filter((name) => !documented.has(name)),
      'Add the setting to .env.example, below a comment with its meaning and unit.',
    );
    expectNone(
      present.filter((name) => !names.includes(name as Name)),
      'Remove the setting from .env.example, or add it to src/platform/config/environment.ts.',
    );
    expectNone(
      names.filter((name, position) => present[position] !== name).slice(0, 1),
      'Move the setting in .env.example to its position in src/platform/config/environment.ts.',
    );
  });

  it('.env.example documents the meaning, unit and default of every setting', () => {
    expectForEach(names, String, (name) => {
      const { optional, value, comment } = documented.get(name)!;
      const setting = parseEnvironment({})[name];
      expect(comment).toMatch(/^# [A-Za-z].*\.$/);
      for (const [ending, unit] of UNITS) if (ending.test(name)) expect(comment).toContain(unit);
      expect(optional).toBe(setting === undefined);
      if (!optional) expect(parseEnvironment({ [name]: value })[name]).toEqual(setting);
    });
  });

  it('.env.example contains only valid values', () => {
    const all = Object.fromEntries([...documented].map(([name, { value }]) => [name, value]));
    // One excludes the other.
    for (const name of ['DATABASE_URL', 'DEMO_ISSUER_PORT'])
      expect(() => parseEnvironment({ ...all, [name]: undefined })).not.toThrow();
  });
});
