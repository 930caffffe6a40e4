import { type Command, InvalidArgumentError, Option } from 'commander';
import { isTimezone } from '../../../packages/tabular/src/instant.js';
import { FILE_KINDS } from './files/file-kinds.js';
import { isDateFormat } from '../../../packages/tabular/src/dialect.js';

/** Adds a value of a flag that can be repeated. */
export const collect = (value: string, former: string[] = []): string[] => [...former, value];

export const entityOption = (): Option =>
  new Option('--entity <entity>', 'if several tables have the name').choices(['location', 'asset', 'list']);

/** @throws {InvalidArgumentError} */
export function parseCount(value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('Write a number, for example 50.');
  return Number(value);
}

/**
 * @param word which the user may write instead of a character.
 * @throws {InvalidArgumentError}
 */
const parseCharacter =
  (word: string) =>
  (value: string): string => {
    if ([...value].length !== 1 && value !== word) throw new InvalidArgumentError(`Write one character, or ${word}.`);
    return value;
  };

/** @throws {InvalidArgumentError} */
function collectDateFormat(value: string, former: string[] = []): string[] {
  if (!isDateFormat(value))
    throw new InvalidArgumentError('Write YYYY, MM and DD, for example DD.MM.YYYY, or YYYY-MM-DD HH:mm:ss.');
  return [...former, value];
}

/** @throws {InvalidArgumentError} */
function parseTimezone(value: string): string {
  if (!isTimezone(value)) throw new InvalidArgumentError('Write an IANA name, for example Europe/Vienna.');
  return value;
}

export const layoutOption = (times = ''): Option =>
  new Option('--layout <file>', `fields of a file with fixed widths${times}`);

/** How a file is read. The user sets what cannot be detected. */
export const withFormat = (command: Command, layout = layoutOption()): Command =>
  command
    .addOption(new Option('--format <format>', 'detected by default').choices(FILE_KINDS))
    .addOption(layout)
    .option('--encoding <name>', 'for example windows-1252 or utf-16le')
    .option('--delimiter <character>', 'between cells: a character, or tab', parseCharacter('tab'))
    .option('--quote <character>', 'around cells, or none; " by default', parseCharacter('none'))
    .option('--sheet <name>', 'of a workbook; the first visible one by default')
    .option('--header-row <line>', 'line of the header; 1 by default', parseCount)
    .addOption(new Option('--decimal <character>', 'decimal separator').choices(['.', ',']))
    .addOption(new Option('--thousands <character>', 'between groups of digits').choices(['.', ',', ' ', "'"]))
    .option('--date-format <format>', 'for example DD.MM.YYYY, or YYYY-MM-DD HH:mm:ss; repeatable', collectDateFormat)
    .option('--timezone <name>', 'of formats with a time, for example Europe/Vienna', parseTimezone);

/** A file for a table. @param verb what a command does with the rows of `--under` and `--filter` */
const withSource = (command: Command, verb: string): Command =>
  withFormat(command.addOption(entityOption()))
    .option('--mapping <file>', 'YAML or JSON: columns, types, formats, values')
    .option('--create', 'create the table, or add columns')
    .option('--key <column>', 'primary key of a new table; by default the first column, if its values are unique')
    .option('--under <key>', `${verb} only this row and its subtree`)
    .option('--filter <condition>', `${verb} only these rows, for example 'plant=1000'; repeatable`, collect);

/** How a file is stored in a table. */
const loadOptions = (): Option[] => [
  new Option('--dry-run', 'validate, and store nothing'),
  new Option('--max-deletions <limit>', 'rows that may be deleted: a number, or a share; 10% by default'),
  new Option('--on-error <mode>', 'store the valid rows').choices(['continue']),
  duplicateOption(),
  new Option('--results <directory>', 'write created.csv, updated.csv, rejected.csv, skipped.csv and summary.json'),
  new Option('--yes', 'do not ask'),
];

const duplicateOption = (): Option =>
  new Option('--on-duplicate <rule>', 'for rows with the same key').choices(['error', 'first', 'last']);

/** A file that is stored in a table. */
export function withLoad(command: Command): Command {
  withSource(command, 'replace');
  for (const option of loadOptions()) command.addOption(option);
  return command;
}

/** A file that is compared with a table. The flags of `sync` are accepted, too, so that `diff` can replace `sync`. */
export function withComparison(command: Command): Command {
  withSource(command, 'compare');
  for (const option of loadOptions()) command.addOption(option.hideHelp(option.long !== duplicateOption().long));
  return command;
}

export const withEvents = (command: Command): Command =>
  command
    .option('--types <event-types>', 'for example note.*,table.rows_changed')
    .option('--since <sequence>', 'begin after this event; by default after the latest')
    .option('--once', 'end after the events so far');
