import { setTimeout } from 'node:timers/promises';
import { openContext, openSession } from '../context.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Io } from '../io.js';
import { toArray } from '../iteration.js';
import { listProfiles } from '../profiles.js';
import type { OpenApiDocument } from '../sample-event.js';

type NameReader = (flags: GlobalFlags, io: Io) => Promise<readonly string[]>;

/** A person waits for the names. */
const LIMIT_MS = 3_000;

/** What a value can be, by its name in the help, such as `--table <table>`; none if it cannot be read in time. */
export const NAME_READERS: ReadonlyMap<string, NameReader> = new Map(
  Object.entries<NameReader>({
    table: listTables,
    profile: (_, io) => listProfiles(io),
    'event-type': readEventTypes,
    'event-types': readEventTypes,
    scope: readSchema('Scope'),
    kinds: readSchema('SearchKind'),
    'entry-kind': readSchema('AuditKind'),
  }).map(([name, read]) => [name, inTime(read)]),
);

function inTime(read: NameReader): NameReader {
  return async (flags, io) => {
    const limit = new AbortController();
    const reading = read(flags, io).catch(() => []);
    const names = await Promise.race([reading, setTimeout(LIMIT_MS, [], { signal: limit.signal })]);
    limit.abort();
    return names;
  };
}

async function listTables(flags: GlobalFlags, io: Io): Promise<string[]> {
  const { client } = await openContext(flags, io);
  const names = new Set((await toArray(client.tables())).map(({ name }) => name));
  return [...names].sort((name, other) => name.localeCompare(other));
}

async function readEventTypes(flags: GlobalFlags, io: Io): Promise<string[]> {
  return Object.keys((await readDocument(flags, io)).webhooks);
}

/** The values of a schema. */
function readSchema(name: string): NameReader {
  return async (flags, io) => (await readDocument(flags, io)).components.schemas[name]!.enum as string[];
}

async function readDocument(flags: GlobalFlags, io: Io): Promise<OpenApiDocument> {
  const { client } = await openSession(flags, io);
  return (await (await client.request('GET', '/openapi.json')).json()) as OpenApiDocument;
}
