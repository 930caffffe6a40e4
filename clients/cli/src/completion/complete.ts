import type { Option } from '@commander-js/extra-typings';
import type { GlobalFlags } from '../global-flags.js';
import { findGlobalFlags } from '../help.js';
import type { Io } from '../io.js';
import type { Program } from '../runner.js';
import { NAME_READERS } from './names.js';

/** What can be written instead of a word. */
interface Completion {
  text: string;
  description?: string;
}

/** Paths of files, which the shell completes. */
const FILES = '@files';

/** What the words before the completed one are. */
interface Written {
  command: Program;
  /** The number of arguments. */
  position: number;
  /** The flag whose value is completed. */
  flag: Option | undefined;
  profile: string | undefined;
}

/** @param before the words between `atrium` and the one that is completed */
export async function complete(program: Program, before: string[], word: string, io: Io): Promise<Completion[]> {
  const found = await listCompletions(readWords(program, before), word, io);
  return found.filter(({ text }) => text === FILES || text.toLowerCase().startsWith(word.toLowerCase()));
}

function readWords(program: Program, words: string[]): Written {
  const written: Written = { command: program, position: 0, flag: undefined, profile: undefined };
  for (const word of words) {
    const { command, position, flag } = written;
    written.flag = undefined;
    const child = position === 0 ? command.commands.find((each) => each.name() === word) : undefined;
    if (flag?.long === '--profile') written.profile = word;
    else if (flag) continue;
    else if (word.startsWith('-'))
      written.flag = listFlags(command).find(({ required, long, short }) => required && [long, short].includes(word));
    else if (child) written.command = child;
    else written.position++;
  }
  return written;
}

function listCompletions({ command, position, flag, profile }: Written, word: string, io: Io) {
  const flags = { profile, quiet: true };
  if (flag) return listValues(flag.argChoices, /<(.+)>/.exec(flag.flags)?.[1] ?? '', flags, io);
  if (word.startsWith('-')) {
    const help = { text: '--help', description: 'show the help' };
    return [...listFlags(command).map(({ long, description }) => ({ text: long!, description })), help];
  }
  if (command.commands.length > 0) {
    const children = command.createHelp().visibleCommands(command);
    const listed = children.filter((child) => child.name() !== 'help');
    return listed.map((child) => ({ text: child.name(), description: child.description() }));
  }
  // A repeatable argument is the last one.
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[position] ?? (last?.variadic ? last : undefined);
  return argument ? listValues(argument.argChoices, argument.name(), flags, io) : [];
}

const listFlags = (command: Program): Option[] =>
  [...command.options, ...findGlobalFlags(command)].filter(({ hidden }) => !hidden);

/** @param name what a value is, as the help names it: `--layout <file>` */
async function listValues(
  choices: readonly string[] | undefined,
  name: string,
  flags: GlobalFlags,
  io: Io,
): Promise<Completion[]> {
  if (name === 'file' || name === 'directory') return [{ text: FILES }];
  const texts = choices ?? (await NAME_READERS.get(name)?.(flags, io)) ?? [];
  return texts.map((text) => ({ text }));
}
