import { Document, type YAMLMap, type YAMLSeq } from 'yaml';
import { UsageError } from '../exit-codes.js';
import type { LoadFlags } from '../import/load-flags.js';
import type { LocalContext } from '../runner.js';
import { mapSapFile, type SapMapping } from './map-sap-file.js';

type InitFlags = Omit<LoadFlags, 'layout'> & { layout?: string[] | undefined };

/**
 * Prints a mapping for files, to be edited. That of several files has a table for each of them, and its comment has the
 * configuration of `atrium sync`.
 *
 * @throws {UsageError} if two files are for one table
 */
export async function initMapping(
  { io, output }: LocalContext,
  files: string[],
  { layout = [], ...others }: InitFlags,
): Promise<void> {
  if (layout.length > 1 && layout.length !== files.length)
    throw new UsageError('Write --layout once for all files, or once for each file, in their order.');
  const mappings: SapMapping[] = [];
  for (const [position, file] of files.entries())
    mappings.push(await mapSapFile(file, { ...others, layout: layout[position] ?? layout[0] }, io));
  const isSingle = mappings.length === 1;
  const content = isSingle ? mappings[0]!.mapping : { tables: joinTables(mappings) };
  const document = new Document(content, { aliasDuplicateObjects: false });
  document.commentBefore = isSingle ? COMMENT : COMMENT + describeConfiguration(mappings);
  for (const mapping of mappings)
    for (const [position, remark] of mapping.remarks) {
      const path = ['columns', position];
      const column = document.getIn(isSingle ? path : ['tables', nameOf(mapping), ...path]) as YAMLMap;
      column.commentBefore = remark.replace(/^/gm, ' ');
      // JSON has no comments.
      if (output.json) output.remark(remark);
    }
  if (output.json) output.printJson(document.toJSON());
  else io.stdout.write(document.toString());
}

const COMMENT = ` Columns of the file (from) and of the table (key, name). Edit names and types, and the tables of references.
 A value such as 00.00.0000 is empty. The values of hierarchyParent are keys of rows of the same table.
`;

const nameOf = ({ entity, table }: SapMapping): string => `${entity}/${table}`;

/** @throws {UsageError} */
function joinTables(mappings: SapMapping[]): Record<string, SapMapping['mapping']> {
  const files = new Map<string, string>();
  for (const each of mappings) {
    const other = files.get(nameOf(each));
    if (other !== undefined)
      throw new UsageError(
        `${other} and ${each.source.file} are both for the table ${nameOf(each)}. Print their mappings one by one.`,
      );
    files.set(nameOf(each), each.source.file);
  }
  return Object.fromEntries(mappings.map((each) => [nameOf(each), each.mapping]));
}

/** Tables to which others refer are the first ones. */
const ORDER = ['list', 'location', 'asset'];

/** The configuration with which `atrium sync --config` loads the files. */
function describeConfiguration(mappings: SapMapping[]): string {
  const ordered = mappings.toSorted((one, other) => ORDER.indexOf(one.entity) - ORDER.indexOf(other.entity));
  const tables = ordered.map(({ source, entity, table }) => ({ ...source, table, entity, create: true }));
  const configuration = new Document({ mapping: 'mapping.yaml', tables });
  for (const entry of (configuration.get('tables') as YAMLSeq<YAMLMap>).items) entry.flow = true;
  const lines = configuration.toString({ lineWidth: 0 }).trimEnd().replace(/^/gm, '   ');
  return `\n Store it as mapping.yaml, and this as atrium.sync.yaml for \`atrium sync --config atrium.sync.yaml\`:\n\n${lines}\n`;
}
