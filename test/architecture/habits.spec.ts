import { spawnSync } from 'node:child_process';
import { ROOT } from '../support/service.js';

const SERVICE = 'src/modules/tours/tours.service.ts';
const CONTROLLER = 'src/modules/tours/tours.controller.ts';
const DATABASE = 'src/platform/database/database.ts';
const ENVIRONMENT = 'src/platform/config/config.module.ts';
const TEST = 'test/support/api.ts';

interface Sample {
  what: string;
  file?: string;
  text: string;
  /** A part of the sentence that says what to write instead; none where the text is right. */
  says?: string;
  /** Is the compiler asked? */
  typed?: boolean;
}

const NO_ENVIRONMENT = 'take it from Config';
const ONE_DOOR = 'through Database alone';

const SYNTAX: Sample[] = [
  { what: 'process.env', text: `const port = process.env['PORT'];`, says: NO_ENVIRONMENT },
  { what: 'process.env in parts', text: `const { env } = process;`, says: NO_ENVIRONMENT },
  { what: 'env of node:process', text: `import { env } from 'node:process';`, says: NO_ENVIRONMENT },
  { what: 'process.env where it is parsed', file: ENVIRONMENT, text: `const port = process.env['PORT'];` },
  { what: 'process.env in a test', file: TEST, text: `const port = process.env['PORT'];` },
  { what: 'a console', text: `console.log('here');`, says: 'new Logger' },
  { what: 'a DataSource', text: `import { DataSource } from 'typeorm';`, says: ONE_DOOR },
  { what: 'a DataSource in platform/database', file: DATABASE, text: `import { DataSource } from 'typeorm';` },
  { what: 'an entity', text: `import { Entity } from 'typeorm';` },
  { what: 'a client of pg', text: `import { Client } from 'pg';`, says: ONE_DOOR },
  { what: '@InjectRepository', text: `import { InjectRepository } from '@nestjs/typeorm';`, says: ONE_DOOR },
  { what: 'forwardRef', text: `import { forwardRef } from '@nestjs/common';`, says: 'the higher registers one' },
  { what: 'an exception of HTTP', text: `import { NotFoundException } from '@nestjs/common';`, says: 'DomainError' },
  { what: 'import.meta', text: `const here = import.meta.url;`, says: 'Take a path from Config' },
  { what: 'export *', text: `export * from './tours.controller.js';`, says: 'No barrels' },
  { what: 'a name handed on', text: `export { Tour } from './tour.entity.js';`, says: 'No barrels' },
  { what: 'a Manager', text: `export class TourManager {}`, says: 'what it does' },
  { what: 'helpers', text: `export const tourHelpers = 1;`, says: 'what it does' },
  {
    what: 'a file of helpers',
    file: 'src/modules/tours/tour-helpers.ts',
    text: `const a = 1;`,
    says: 'name of this file',
  },
  { what: 'a folder of utils', file: 'src/platform/utils/text.ts', text: `const a = 1;`, says: 'name of this file' },
  { what: '251 lines', text: `${'// one more\n'.repeat(250)}const a = 1;\n`, says: 'at most 250 lines' },
  { what: '250 lines', text: `${'// one more\n'.repeat(249)}const a = 1;\n` },
  { what: 'six dependencies', text: classWith('a: A, b: B, c: C, d: D, e: E, f: F'), says: 'Split it by verb' },
  { what: 'five dependencies', text: classWith('a: A, b: B, c: C, d: D, e: E') },
  { what: 'get that is empty', text: `function getTour(): string | undefined {}`, says: 'find…' },
  { what: 'get that promises nothing', text: `class A { getTour(): Promise<A | null> {} }`, says: 'find…' },
  { what: 'get of something with an empty part', text: `function getTour(): { note: string | null } {}` },
  { what: 'find that throws', text: `function findTour() { throw new Error(); }`, says: 'get…' },
  { what: 'find that is empty', text: `function findTour(): string | undefined {}` },
];

const CONFIG = '../../platform/config/config.js';
const PAGE = '../../platform/http/page.dto.js';
const BODY = `import type { CreateTourDto } from './dto/tour.dto.js';`;

const TYPES: Sample[] = [
  {
    what: 'import type',
    text: `import type { Config } from '${CONFIG}'; ${classWith('it: Config')}`,
    says: 'without `type`',
  },
  {
    what: 'import { type }',
    text: `import { type Config } from '${CONFIG}'; ${classWith('it: Config')}`,
    says: 'without `type`',
  },
  { what: 'import', text: `import { Config } from '${CONFIG}'; ${classWith('it: Config')}` },
  {
    what: 'import type of an interface',
    text: `import type { Page } from '${PAGE}'; ${classWith('it: Page<string>')}`,
  },
  {
    what: 'import type of a body',
    file: CONTROLLER,
    text: `${BODY} class A { @Post() create(@Body() body: CreateTourDto) {} }`,
    says: 'CreateTourDto',
  },
  { what: 'import type for a plain function', text: `${BODY} function titleOf(tour: CreateTourDto) {}` },
];

/** A class that Nest injects into. */
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

const numbered = samples.map((sample, at) => ({ ...sample, at }));

describe('lint refuses, and says what to write instead', () => {
  it.each(numbered.filter(({ says }) => says))('$what', ({ says, at }) => {
    expect(messages[at]).toEqual([expect.stringContaining(says!)]);
  });
});

describe('lint allows', () => {
  it.each(numbered.filter(({ says }) => !says))('$what', ({ at }) => {
    expect(messages[at]).toEqual([]);
  });
});
