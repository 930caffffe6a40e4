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

type Configuration = z.infer<typeof CONFIGURATION>;

/** The entries of an invalid configuration that name the folder of their results. */
const NAMED_RESULTS = z.object({
  tables: z.array(z.object({ file: z.string(), table: z.string(), results: z.string() }).optional().catch(undefined)),
});

export interface SyncConfig {
  entries: Configuration['tables'];
  /** Why none of the entries can be loaded: then they are those whose former results are removed. */
  failure?: Error;
}

/** Paths are relative to the configuration file. @throws {UsageError} if the file is not readable */
export async function readSyncConfig(path: string, io: Io): Promise<SyncConfig> {
  try {
    return { entries: locateFiles(await readDocument(CONFIGURATION, path, 'configuration', io), path, io) };
  } catch (error) {
    const failure = error as Error;
    const { tables } = await readDocument(NAMED_RESULTS, path, 'configuration', io).catch(() => {
      throw failure;
    });
    return { entries: locateFiles({ tables: tables.filter((entry) => entry !== undefined) }, path, io), failure };
  }
}

function locateFiles({ mapping: common, tables }: Configuration, path: string, io: Io): Configuration['tables'] {
  const locate = <Path extends string | undefined>(file: Path) =>
    (file === undefined ? undefined : resolve(dirname(toAbsolute(path, io)), file)) as Path;
  return tables.map(({ file, mapping = common, layout, results, ...entry }) => {
    const paths = { file: locate(file), mapping: locate(mapping), layout: locate(layout), results: locate(results) };
    const given = Object.entries(paths).filter(([, value]) => value !== undefined);
    return { ...entry, ...(Object.fromEntries(given) as typeof paths) };
  });
}
