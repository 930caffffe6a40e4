import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNone } from '../support/for-each.js';

/** SQL that names a table of another module, with the reason. */
const EXCEPTIONS: readonly { file: string; table: string; reason: string }[] = [];

const ENTITY = /@Entity\(\s*(?:\{\s*name:\s*)?'([a-z_]+)'/g;

const sources = ['src', 'packages/tables']
  .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => ({ name, owner: toOwner(name), text: readFileSync(name, 'utf8') }));

/** The module or the folder of platform that contains the entity of each table. */
const owners = new Map(
  sources.flatMap(({ owner, text }) => [...text.matchAll(ENTITY)].map(([, table]) => [table!, owner] as const)),
);

/**
 * SQL of `FROM notes`, `JOIN "public"."notes"` and the like. Keywords of SQL are upper case, so that no prose matches.
 */
const NAMED = new RegExp(
  String.raw`\b(?:FROM|JOIN|INTO|UPDATE|ONLY|TABLE|USING|REFERENCES|COPY|ANALYZE|TRUNCATE|LOCK)\s+(?:"?public"?\.)?"?(${[...owners.keys()].join('|')})\b`,
  'g',
);

/** `src/modules/notes/…` → `modules/notes`. The engine uses the tables of its module. */
function toOwner(name: string): string {
  if (name.startsWith('packages/tables/')) return 'modules/workspace-tables';
  return name.split('/').slice(1, 3).join('/');
}

describe('the tables of a module', () => {
  const named = sources.flatMap(({ name, owner, text }) =>
    [...text.matchAll(NAMED)]
      .filter(([, table]) => owners.get(table!) !== owner)
      .map(([, table]) => ({ file: name, table: table! })),
  );
  const isException = (site: { file: string; table: string }) =>
    EXCEPTIONS.some(({ file, table }) => file === site.file && table === site.table);

  it('have an owner', () => {
    expect(owners.size).toBeGreaterThanOrEqual(38);
    expect(owners.get('notes')).toBe('modules/notes');
  });

  it('are named in SQL by no other module', () => {
    expectNone(
      named.filter((site) => !isException(site)).map(({ file, table }) => `${file}: ${table}`),
      'Add a function to `*.clauses.ts` of the module with the table, or a method to its service (ADR 0027).',
    );
  });

  it('have no exception without need', () => {
    const isNeeded = (exception: { file: string; table: string }) =>
      named.some(({ file, table }) => file === exception.file && table === exception.table);
    expectNone(
      EXCEPTIONS.filter((exception) => !isNeeded(exception)).map(({ file, table }) => `${file}: ${table}`),
      'Remove it from EXCEPTIONS of this test.',
    );
  });

  it.each([
    ['FROM notes note', ['notes']],
    ['LEFT JOIN users u ON u.id = s.user_id', ['users']],
    ['UPDATE ONLY "public"."projects" SET', ['projects']],
    ['DELETE FROM\n  events e USING subscriptions s', ['events', 'subscriptions']],
    ['INSERT INTO pending_events (id)', ['pending_events']],
    ['FROM note_values', []],
    ['from users', []],
  ])('are found in %j', (text, tables) => {
    expect([...text.matchAll(NAMED)].map(([, table]) => table)).toEqual(tables);
  });
});
