import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createProgram as createCommandLine } from '../../clients/cli/src/main.js';
import { createProgram as createOperator } from '../../src/operator/program.js';
import { ROOT } from '../support/service.js';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

const IO = {
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: ROOT,
  catchInterrupt: () => new AbortController().signal,
  endWithStdout: () => undefined,
};

/** A program, or one of its commands. */
interface Command {
  name: () => string;
  commands: readonly Command[];
  options: readonly { long?: string | undefined }[];
}

/** How documents call a program: what follows the match are its words. */
const PROGRAMS: readonly [call: RegExp, program: Command][] = [
  // Not a name of a database user or a unit of systemd.
  [/(?<!-[uU] )(?<![\w.-])atrium(?=$| )/g, createCommandLine(false, IO)],
  [/(?:npm run (?:-s )?operator --|(?<![\w/-])operator|operator\/main\.js)(?=$| )/g, createOperator()],
];

/** The code spans of a document, and the lines of its blocks of code. */
function listCode(text: string): string[] {
  const blocks = [...text.matchAll(/^```.*\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block!.split('\n'));
  const spans = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(([, span]) => span!);
  return [...blocks, ...spans.map((span) => span.replace(/\s+/g, ' '))];
}

/** The scripts of npm, and the commands and flags of `atrium` and the operator CLI in a document that do not exist. */
export function findUnknownCommands(text: string): string[] {
  return listCode(text).flatMap((code) => {
    const unknown = [...code.matchAll(/npm run (?:-s )?([\w:.-]+)/g)].flatMap(([call, script]) =>
      scripts[script!] === undefined ? [call] : [],
    );
    const calls = PROGRAMS.flatMap(([pattern, program]) =>
      [...code.matchAll(pattern)].map(({ index, 0: call }) => ({ program, rest: code.slice(index + call.length) })),
    );
    return [...unknown, ...calls.flatMap(({ program, rest }) => findUnknownWord(program, rest) ?? [])];
  });
}

function findUnknownWord(program: Command, rest: string): string | undefined {
  // Until the next command of the shell, a redirection or a comment.
  const words = rest
    .split(/[|;&<>()#"]/, 1)[0]!
    .split(' ')
    .filter(Boolean);
  const path = [program];
  for (const word of words) {
    const { commands } = path.at(-1)!;
    if (commands.length === 0 || !/^[a-z][a-z-]*$/.test(word)) break;
    const command = commands.find((each) => each.name() === word);
    if (!command) return `${program.name()} ${words.join(' ')}: there is no command ${word}`;
    path.push(command);
  }
  const known = new Set(['--help', '--version', ...path.flatMap(({ options }) => options.map(({ long }) => long))]);
  const flags = words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word)?.[0] ?? []);
  const flag = flags.find((each) => !known.has(each));
  return flag && `${program.name()} ${words.join(' ')}: there is no flag ${flag}`;
}
