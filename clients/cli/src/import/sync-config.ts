import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { readDocument } from '../files/read-document.js';
import { type Io, toAbsolute } from '../io.js';
import { LOAD } from './load-flags.js';

/** The tables of a night. Other fields of an entry are flags with the same names. */
const CONFIGURATION = z.strictObject({
  mapping: z.string().optional(),
  tables: z.array(LOAD.extend({ file: z.string(), table: z.string() })).min(1),
});

export type SyncEntry = z.infer<typeof CONFIGURATION>['tables'][number];

/** Paths are relative to the configuration file. */
export async function readSyncConfig(path: string, io: Io): Promise<SyncEntry[]> {
  const { mapping: common, tables } = await readDocument(CONFIGURATION, path, 'configuration', io);
  const locate = <Path extends string | undefined>(file: Path) =>
    (file === undefined ? undefined : resolve(dirname(toAbsolute(path, io)), file)) as Path;
  return tables.map(({ file, mapping = common, layout, results, ...entry }) => {
    const paths = { file: locate(file), mapping: locate(mapping), layout: locate(layout), results: locate(results) };
    const given = Object.entries(paths).filter(([, value]) => value !== undefined);
    return { ...entry, ...(Object.fromEntries(given) as typeof paths) };
  });
}
