import type { ApiCaller } from './api-caller.js';
import type { WorkspaceEvent } from './models.js';

/** Seconds that the service holds a request for new events: below the limits of common proxies. */
const WAIT_S = 30;
const PAGE_EVENTS = 1_000;

export interface EventOptions {
  /** Events after this number; by default all that the log contains. */
  after?: number;
  /** For example `['note.*', 'table.rows_changed']`; all by default. */
  types?: string[];
  /** Waits for further events until the signal is aborted or the loop ends. */
  follow?: boolean;
  /** Receives the number after which the next call continues, when all events up to it were processed. */
  onCursor?: (after: number) => void;
  signal?: AbortSignal;
}

/** Events in their order. @throws {AtriumError} 410 if events after `after` were removed from the log */
export async function* readEvents(
  client: ApiCaller,
  { after, types, follow = false, onCursor, signal }: EventOptions,
): AsyncGenerator<WorkspaceEvent, void> {
  type Page = { events: WorkspaceEvent[]; hasMore: boolean; nextCursor: number; latestSequence: number };
  const parameters = new URLSearchParams({ limit: String(PAGE_EVENTS) });
  if (types) parameters.set('types', types.join(','));
  if (after !== undefined) parameters.set('after', String(after));
  for (let page: Page | undefined; follow || page?.hasMore !== false;) {
    const path = `${client.workspacePath}/events?${parameters.toString()}`;
    page = await client.json<Page>('GET', path, { signal });
    yield* page.events;
    // All events up to the latest were read: the cursor of a reader of rare types must not fall behind their removal.
    const next = page.hasMore ? page.nextCursor : Math.max(page.nextCursor, page.latestSequence);
    onCursor?.(next);
    parameters.set('after', String(next));
    if (follow && !page.hasMore) parameters.set('wait', String(WAIT_S));
  }
}
