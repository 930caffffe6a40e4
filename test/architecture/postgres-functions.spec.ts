import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNone } from '../support/for-each.js';

/** Of PostgreSQL 16 to 18. Version 15 is supported (`MIN_SERVER_VERSION`), and no test runs on it. */
const NEWER = [
  /\bpg_input_(?:is_valid|error_info)\b/,
  /\b(?:any_value|array_sample|array_shuffle|array_sort|array_reverse|random_normal|erfc?|gamma|lgamma|casefold)\s*\(/,
  /\b(?:date_add|date_subtract|to_bin|to_oct|xmltext|uuidv[47]|uuid_extract_\w+|unicode_assigned|system_user)\s*\(/,
  /\b(?:JSON_ARRAY|JSON_ARRAYAGG|JSON_OBJECT|JSON_OBJECTAGG|JSON_SERIALIZE|JSON_SCALAR)\s*\(/,
  /\b(?:JSON_TABLE|JSON_EXISTS|JSON_QUERY|JSON_VALUE|merge_action)\s*\(/,
  /\bIS (?:NOT )?JSON\b/,
  /\bON_ERROR\s+ignore\b|\bWHEN NOT MATCHED BY SOURCE\b|\bRETURNING (?:OLD|NEW|WITH)\b|\bNOT ENFORCED\b/,
  /\btransaction_timeout\b|\bWITHOUT OVERLAPS\b|\bGENERATED ALWAYS AS \([^)]*\) VIRTUAL\b/,
];

/** Comments may name what the code must not use. */
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;

function findNewer(text: string): string[] {
  const code = text.replace(COMMENT, '');
  return NEWER.flatMap((pattern) => pattern.exec(code)?.[0] ?? []);
}

it('statements use nothing that PostgreSQL 15 does not have', () => {
  const files = ['src', 'packages', 'migrations'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const sources = files.filter((name) => name.endsWith('.ts') && !/node_modules|\.d\.ts$|\.spec\.ts$/.test(name));
  expect(sources.length).toBeGreaterThan(500);
  const found = sources.flatMap((name) => findNewer(readFileSync(name, 'utf8')).map((use) => `${name}: ${use}`));
  expectNone(found, 'Use what PostgreSQL 15 has, such as a regular expression in a CASE.');
});

it.each([
  ["CASE WHEN pg_input_is_valid(text, 'float8') THEN 1 END", true],
  ['SELECT any_value(name)', true],
  ['// pg_input_is_valid is new', false],
  ['SELECT json_build_object(1, 2)', false],
])('in %j: %j', (text, isNewer) => {
  expect(findNewer(text).length > 0).toBe(isNewer);
});
