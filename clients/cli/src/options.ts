import { type Command, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings';
import { isDateFormat } from '../../../packages/tabular/src/dialect.js';
import { isTimezone } from '../../../packages/tabular/src/instant.js';
import { DECIMALS, DUPLICATE_RULES, ENTITIES, FILE_KINDS, THOUSANDS } from './choices.js';
import { UsageError } from './exit-codes.js';
import type { LoadFlags } from './import/load-flags.js';
import type { Program } from './runner.js';

/** Adds a value of a flag that can be repeated. */
export const collect = (value: string, former: string[] = []): string[] => [...former, value];

export const entityOption = () => new Option('--entity <entity>', 'if several tables have the name').choices(ENTITIES);

/** The begin of a day in UTC. The service validates any other time, and revisions. */
export const toTime = (value: string): string => (/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value);

/** A flag for a moment: a revision of the table, or a time. */
export const momentOption = <Flags extends string>(flags: Flags, description: string) =>
  new Option(flags, description).argParser(toTime);

export const asOfOption = () =>
  momentOption('--as-of <moment>', 'as it was: a revision, or a time such as 2026-12-01T08:00:00Z');

/** @throws {InvalidArgumentError} */
export function parseCount(value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('Write a number, for example 50.');
  return Number(value);
}

/** A parser of values. It throws an `InvalidArgumentError` with the message for those that are not valid. */
const requireValid =
  (isValid: (value: string) => boolean, message: string) =>
  (value: string): string => {
    if (!isValid(value)) throw new InvalidArgumentError(message);
    return value;
  };

/** @param word which the user may write instead of a character. */
const parseCharacter = (word: string) =>
  requireValid((value) => [...value].length === 1 || value === word, `Write one character, or ${word}.`);

const parseTimezone = requireValid(isTimezone, 'Write an IANA name, for example Europe/Vienna.');
const parseDateFormat = requireValid(
  isDateFormat,
  'Write YYYY, MM and DD, for example DD.MM.YYYY, or YYYY-MM-DD HH:mm:ss.',
);
const collectDateFormat = (value: string, former?: string[]) => collect(parseDateFormat(value), former);

/**
 * How files are read. The user sets what cannot be detected. The types of the flags of files are those of `LoadFlags`:
 * inferred from so many options, they would be slow to check.
 */
function addFormat(command: Program, layout: Option): Program {
  return command
    .addOption(new Option('--format <format>', 'detected by default').choices(FILE_KINDS))
    .addOption(layout)
    .option('--encoding <name>', 'for example windows-1252 or utf-16le')
    .option('--delimiter <character>', 'between cells: a character, or tab', parseCharacter('tab'))
    .option('--quote <character>', 'around cells, or none; " by default', parseCharacter('none'))
    .option('--sheet <name>', 'of a workbook; the first visible one by default')
    .option('--header-row <line>', 'line of the header; 1 by default', parseCount)
    .addOption(new Option('--decimal <character>', 'decimal separator').choices(DECIMALS))
    .addOption(new Option('--thousands <character>', 'between groups of digits').choices(THOUSANDS))
    .option('--date-format <format>', 'for example DD.MM.YYYY, or YYYY-MM-DD HH:mm:ss; repeatable', collectDateFormat)
    .option('--timezone <name>', 'of formats with a time, for example Europe/Vienna', parseTimezone);
}

/** Files that are read, with one layout or a layout for each. */
export function withFormats<Args extends unknown[]>(command: Command<Args>) {
  const layout = 'fields of a file with fixed widths; once for all files, or once for each';
  addFormat(command, new Option('--layout <file>', layout).argParser(collect) as Option);
  return command as unknown as Command<Args, Omit<LoadFlags, 'layout'> & { layout?: string[] }>;
}

/**
 * A file that is stored in a table, or compared with it.
 *
 * @param verb what the command does with the rows of `--under` and `--filter`
 * @param isShown has the flag an effect? `diff` accepts those of `sync`, too, so that it can replace `sync`
 */
export function withLoad<Args extends unknown[]>(
  command: Command<Args>,
  verb = 'replace',
  isShown: (name: string) => boolean = () => true,
) {
  const loading = (command as unknown as Program).addOption(entityOption());
  addFormat(loading, new Option('--layout <file>', 'fields of a file with fixed widths') as Option)
    .option('--mapping <file>', 'YAML or JSON: columns, types, formats, values')
    .option('--create', 'create the table, or add columns')
    .option('--key <column>', 'primary key of a new table; by default the first column, if its values are unique')
    .option('--under <key>', `${verb} only this row and its subtree`)
    .option('--filter <condition>', `${verb} only these rows, for example 'plant=1000'; repeatable`, collect);
  const options = [
    new Option('--dry-run', 'validate, and store nothing'),
    new Option('--max-deletions <limit>', 'rows that may be deleted: a number, or a share; 10% by default'),
    new Option('--on-error <mode>', 'store the valid rows').choices(['continue']),
    new Option('--on-duplicate <rule>', 'for rows with the same key').choices(DUPLICATE_RULES),
    new Option(
      '--results <directory>',
      'write created.csv, updated.csv, deleted.csv, rejected.csv, skipped.csv, errors.ndjson and summary.json',
    ),
    new Option('--yes', 'do not ask'),
  ] as Option[];
  for (const option of options) loading.addOption(option.hideHelp(!isShown(option.long!)));
  return command as unknown as Command<Args, LoadFlags>;
}

/** Passes an error to the action instead of an invalid value: the results of an earlier load are removed before. */
export function deferInvalidValues<Args extends unknown[], Flags extends OptionValues>(command: Command<Args, Flags>) {
  for (const option of command.options) {
    const parse = option.parseArg;
    if (!parse) continue;
    option.parseArg = <Value>(text: string, former: Value) => {
      try {
        return former instanceof UsageError ? former : parse(text, former);
      } catch (error) {
        if (!(error instanceof InvalidArgumentError)) throw error;
        const message = `option '${option.flags}' argument '${text}' is invalid. ${error.message}`;
        return new UsageError(message) as Value;
      }
    };
  }
  return command;
}
