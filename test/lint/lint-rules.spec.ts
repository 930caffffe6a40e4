import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/service.js';

const SERVICE = 'src/modules/tours/tours.service.ts';
const CONTROLLER = 'src/modules/tours/tours.controller.ts';
const DATABASE = 'src/platform/database/database.ts';
const ENVIRONMENT = 'src/platform/config/config.module.ts';
const SQL_FILE = 'src/modules/workspace-tables/admin/describe-tables.repository.ts';
const ENGINE = 'packages/tables/src/writer/merge-engine.ts';
const TEST = 'test/support/api.ts';
const COMMAND_LINE = 'clients/cli/src/profiles.ts';
const SPEC = 'src/modules/tours/tours.service.spec.ts';
const TOOL = 'tools/build.mjs';
const CLIENT = 'clients/typescript/src/client.ts';
const SCREEN = 'packages/pages/src/tables/app.tsx';

interface Sample {
  code: string;
  file?: string;
  text: string;
  /** A part of the message; absent if the text is valid. */
  message?: string;
  /** Needs type information. */
  typed?: boolean;
}

const NO_ENVIRONMENT = 'take it from Config';
const REPOSITORY = 'only in *.repository.ts';
const USE_DATABASE = 'only through Database';
const ASSIGN = 'assign it in an `if`';
const UNWRAP = 'without the braces';

const SYNTAX: Sample[] = [
  { code: 'process.env', text: `const port = process.env['PORT'];`, message: NO_ENVIRONMENT },
  { code: 'process.env by destructuring', text: `const { env } = process;`, message: NO_ENVIRONMENT },
  { code: 'env of node:process', text: `import { env } from 'node:process';`, message: NO_ENVIRONMENT },
  { code: 'process.env in platform/config', file: ENVIRONMENT, text: `const port = process.env['PORT'];` },
  { code: 'process.env in a test', file: TEST, text: `const port = process.env['PORT'];` },
  { code: 'JSON.parse', text: `const value: unknown = JSON.parse('1');`, message: 'with `parseJson`' },
  { code: 'JSON.parse in a spec', file: SPEC, text: `const value: unknown = JSON.parse('1');` },
  { code: 'a listener', text: `socket.on('error', () => undefined);`, message: 'settleByEvents' },
  { code: 'a listener of a signal', text: `signal.addEventListener('abort', stop);`, message: 'settleByEvents' },
  {
    code: 'a listener in platform/database',
    file: DATABASE,
    text: `pool.once('remove', stop);`,
    message: 'listenOnce',
  },
  { code: 'listen', text: `listen(socket, 'error', () => undefined);` },
  { code: 'a console', text: `console.log('here');`, message: 'new Logger' },
  { code: 'a DataSource', text: `import { DataSource } from 'typeorm';`, message: USE_DATABASE },
  { code: 'a DataSource in platform/database', file: DATABASE, text: `import { DataSource } from 'typeorm';` },
  { code: 'an entity', text: `import { Entity } from 'typeorm';` },
  { code: 'a client of pg', text: `import { Client } from 'pg';`, message: USE_DATABASE },
  { code: '@InjectRepository', text: `import { InjectRepository } from '@nestjs/typeorm';`, message: USE_DATABASE },
  {
    code: 'SQL in a service',
    text: `class A { a() { return this.database.query('SELECT 1'); } }`,
    message: REPOSITORY,
  },
  { code: 'SQL in a function', text: `const a = () => database.affected('DELETE FROM tours');`, message: REPOSITORY },
  { code: 'SQL in a repository', file: SQL_FILE, text: `class A { a() { return this.database.query('SELECT 1'); } }` },
  {
    code: 'SQL outside a repository of the engine',
    file: ENGINE,
    text: `class A { a() { return this.sql.query('SELECT 1'); } }`,
    message: 'SQL is written only in *.repository.ts',
  },
  { code: 'a repository of an entity', text: `class A { a() { return this.database.repository(Tour).find(); } }` },
  {
    code: 'forwardRef',
    text: `import { forwardRef } from '@nestjs/common';`,
    message: 'the higher registers an implementation',
  },
  { code: 'an exception of HTTP', text: `import { NotFoundException } from '@nestjs/common';`, message: 'DomainError' },
  { code: 'export *', text: `export * from './tours.controller.js';`, message: 'No barrels' },
  { code: 'a re-exported name', text: `export { Tour } from './tour.entity.js';`, message: 'No barrels' },
  { code: 'a Manager', text: `export class TourManager {}`, message: 'after its responsibility' },
  { code: 'helpers', text: `export const tourHelpers = 1;`, message: 'after its responsibility' },
  {
    code: 'a file of helpers',
    file: 'src/modules/tours/tour-helpers.ts',
    text: `const a = 1;`,
    message: 'name of this file',
  },
  { code: 'a folder of utils', file: 'src/platform/utils/text.ts', text: `const a = 1;`, message: 'name of this file' },
  { code: '351 lines', text: `${'// line\n'.repeat(350)}const a = 1;\n`, message: 'at most 350 lines' },
  { code: '350 lines', text: `${'// line\n'.repeat(349)}const a = 1;\n` },
  {
    code: 'eight dependencies',
    text: classWith('a: A, b: B, c: C, d: D, e: E, f: F, g: G, h: H'),
    message: 'Split it by verb',
  },
  { code: 'seven dependencies', text: classWith('a: A, b: B, c: C, d: D, e: E, f: F, g: G') },
  { code: 'get… that may return undefined', text: `function getTour(): string | undefined {}`, message: 'find…' },
  { code: 'get… that may resolve to null', text: `class A { getTour(): Promise<A | null> {} }`, message: 'find…' },
  { code: 'get… of an object with an optional property', text: `function getTour(): { note: string | null } {}` },
  { code: 'find… that throws', text: `function findTour() { throw new Error(); }`, message: 'get…' },
  { code: 'find… that may return undefined', text: `function findTour(): string | undefined {}` },
  { code: 'a recursive mkdir', text: `await mkdir('a/b', { recursive: true });`, message: 'createDirectory' },
  {
    code: 'a recursive mkdirSync in the command line',
    file: COMMAND_LINE,
    text: `fs.mkdirSync('a/b', { recursive: true, mode: 0o700 });`,
    message: 'createDirectory',
  },
  { code: 'mkdir', text: `await mkdir('a', { mode: 0o700 });` },
  { code: '...{ … }', text: `const a = { ...{ x, y }, z };`, message: UNWRAP },
  { code: '...{ … } in JSX', file: SCREEN, text: `const a = <b {...{ x, y }} />;`, message: UNWRAP },
  { code: '...(x && { … })', text: `const a = { ...(x && { x }) };`, message: ASSIGN },
  { code: '...(x && { … }) in a repository', file: SQL_FILE, text: `const a = { ...(x && { x }) };`, message: ASSIGN },
  { code: '...(x && { … }) in a spec', file: SPEC, text: `const a = { ...(x && { x }) };`, message: ASSIGN },
  { code: '...(x && { … }) in a test', file: TEST, text: `const a = { ...(x !== 1 && { x }) };`, message: ASSIGN },
  { code: '...(x && { … }) in a tool', file: TOOL, text: `export const a = { ...(x && { x }) };`, message: ASSIGN },
  { code: '...(x && { … }) in the client', file: CLIENT, text: `const a = { ...(x && { x }) };`, message: ASSIGN },
  { code: '...(x && { … }) in JSX', file: SCREEN, text: `const a = <b {...(x && { x })} />;`, message: ASSIGN },
  { code: '...(x && [ … ])', text: `const a = [...(x && [x])];`, message: ASSIGN },
  { code: 'a spread of two conditions', text: `const a = { ...(x ? { x } : y ? { y } : {}) };`, message: ASSIGN },
  {
    code: 'nested conditional spreads',
    text: `const a = { ...(x ? { x, ...(y ? { y } : {}) } : {}) };`,
    message: ASSIGN,
  },
  {
    code: 'nested conditional spreads of lists',
    text: `const a = [...(x ? [] : [...(y ? [y] : [])])];`,
    message: ASSIGN,
  },
  { code: 'three conditional spreads', text: `const a = { ${conditionalSpreads('x', 'y', 'z')} };`, message: ASSIGN },
  { code: 'two conditional spreads', text: `const a = { ${conditionalSpreads('x', 'y')} };` },
  { code: 'two conditional spreads in each of two objects', text: `const a = [${['x', 'y'].map(inObject).join()}];` },
  { code: 'a conditional value of a conditional spread', text: `const a = { ...(x ? { x: y ? 1 : 2 } : {}) };` },
  { code: 'a condition in the test of a conditional spread', text: `const a = { ...((x ? y : z) ? { x } : {}) };` },
  { code: 'a condition in a function of a spread', text: `const a = [...list.filter((x) => x.a && x.b)];` },
];

const CONFIG = '../../platform/config/config.js';
const PAGE = '../../platform/http/page.dto.js';
const TEXT =
  `import { STATUS } from '../../../packages/errors/src/error-definition.js'; const TABLE = { a: 1, b: 2 } as const; ` +
  `declare const text: string, letter: 'a' | 'b', row: Record<string, unknown>; `;
const BODY = `import type { CreateTourDto } from './dto/tour.dto.js';`;

const TYPES: Sample[] = [
  {
    code: 'import type',
    text: `import type { Config } from '${CONFIG}'; ${classWith('it: Config')}`,
    message: 'without `type`',
  },
  {
    code: 'import { type }',
    text: `import { type Config } from '${CONFIG}'; ${classWith('it: Config')}`,
    message: 'without `type`',
  },
  { code: 'import', text: `import { Config } from '${CONFIG}'; ${classWith('it: Config')}` },
  {
    code: 'import type of an interface',
    text: `import type { Page } from '${PAGE}'; ${classWith('it: Page<string>')}`,
  },
  {
    code: 'import type of a body',
    file: CONTROLLER,
    text: `${BODY} class A { @Post() create(@Body() body: CreateTourDto) {} }`,
    message: 'CreateTourDto',
  },
  { code: 'import type for a plain function', text: `${BODY} function formatTitle(tour: CreateTourDto) {}` },
  ...[
    `const found = TABLE[text];`,
    `const found = (TABLE as object as Record<string, number>)[text] ?? TABLE[text];`,
    `const found = { a: 1, b: 2 }[text as 'a' | string];`,
    `class Probe { private readonly table: Record<string, number> = { a: 1 }; find() { return this.table[text]; } }`,
    `const found = STATUS[text];`,
    `if (text in TABLE) text;`,
  ].map((read) => ({ code: read, text: TEXT + read, message: 'inherited properties' })),
  ...[
    `const found = TABLE[letter];`,
    `const found = Object.hasOwn(TABLE, text) ? TABLE[text] : undefined;`,
    `if ('a' in TABLE) text;`,
    `const found = row[text];`,
    `const found = new Map(Object.entries(TABLE)).get(text);`,
  ].map((read) => ({ code: read, text: TEXT + read })),
];

function conditionalSpreads(...names: string[]): string {
  return names.map((name) => `...(${name} ? { ${name} } : {})`).join(', ');
}

function inObject(name: string): string {
  return `{ ${conditionalSpreads(name, name)} }`;
}

/** A class with injected dependencies. */
function classWith(parameters: string): string {
  return `@Injectable() class Probe { constructor(${parameters}) {} }`;
}

const samples = [...SYNTAX, ...TYPES.map((sample) => ({ ...sample, typed: true }))];
let messages: string[][];

beforeAll(() => {
  const input = JSON.stringify(samples.map((sample) => ({ file: SERVICE, ...sample })));
  const { stdout, stderr } = spawnSync(process.execPath, ['test/support/lint-probe.mjs'], {
    cwd: ROOT,
    input,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  messages = JSON.parse(stdout) as string[][];
});

const numbered = samples.map((sample, index) => ({ ...sample, index }));

describe('lint rejects with a message that states what to write', () => {
  it.each(numbered.filter(({ message }) => message))('rejects: $code', ({ message, index }) => {
    expect(messages[index]).toEqual([expect.stringContaining(message!)]);
  });
});

it('oxlint checks types, and rejects what only types show, also in a test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-types-'));
  const text = `async function send(): Promise<void> { await Promise.resolve(); } send(); const port: number = '1';`;
  for (const path of ['src/a.ts', 'test/a.spec.ts']) {
    mkdirSync(dirname(join(folder, path)));
    writeFileSync(join(folder, path), `${text} export { port };\n`);
  }
  cpSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  const compilerOptions = { strict: true, target: 'es2023', module: 'nodenext', types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'node_modules/oxlint/bin/oxlint'), '-f', 'unix'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, OXLINT_TSGOLINT_PATH: join(ROOT, 'node_modules/.bin/tsgolint') },
  });
  rmSync(folder, { recursive: true });
  for (const path of ['src/a.ts', 'test/a.spec.ts'])
    for (const code of ['no-floating-promises', 'TS2322'])
      expect(stdout).toMatch(new RegExp(`^${path}:.*${code}`, 'm'));
  expect(status).toBe(1);
});

describe('lint allows', () => {
  it.each(numbered.filter(({ message }) => !message))('allows: $code', ({ index }) => {
    expect(messages[index]).toEqual([]);
  });
});
