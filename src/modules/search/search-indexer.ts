import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WorkSlices } from '../../../packages/json/src/work-slices.js';
import { Database } from '../../platform/database/database.js';
import type { Job } from '../../platform/jobs/job.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { EventReaderService } from '../events/event-reader.service.js';
import {
  FIRST_POSITION,
  RowTextsService,
  type RowTexts,
  type SearchedTable,
} from '../workspace-tables/query/row-texts.service.js';
import { type RecordSource, RecordSources, type SearchedRecord } from './record-sources.js';
import { type IndexEntry, toIndexEntry } from './search-entries.js';
import type { SearchKind } from './search-kinds.js';
import { type IndexState, SearchIndexRepository } from './search-index.repository.js';
import type { SearchedField } from './search-matcher.js';

/** Rows or events that one transaction indexes: few, so that it is short. */
const PAGE = 1_000;

/** Records that one transaction indexes, if they existed before the index. */
const RECORDS = 200;

/** Characters of texts whose entries one statement writes, if there are more than those of one record. */
const WRITTEN_CHARACTERS = 500_000;

/** Workspaces per look for work. */
const MAX_WORKSPACES = 20;

/** The background work pauses for this multiple of the duration of a step, so that it uses a third of the time. */
const PAUSE_FACTOR = 2;

/** The shortest pause, in milliseconds. */
const MIN_PAUSE_MS = 100;

/** How long a search indexes changes before it reads, in milliseconds; and if the workspace has no index yet. */
const CATCH_UP_MS = 250;
const FIRST_CATCH_UP_MS = 2_000;

/** Pause while another instance indexes the workspace, in milliseconds. */
const BUSY_MS = 10;

/**
 * What a step did: it indexed a page, nothing was left, another instance is indexing the workspace, or the workspace
 * does not have an index.
 */
type StepResult = 'indexed' | 'complete' | 'busy' | 'missing';

/** Fills the search index of workspaces, in steps of a page (ADR 0183). */
@Injectable()
export class SearchIndexer implements OnModuleInit {
  private job: Job | undefined;

  constructor(
    private readonly database: Database,
    private readonly repository: SearchIndexRepository,
    private readonly jobs: Jobs,
    private readonly log: EventReaderService,
    private readonly rows: RowTextsService,
    private readonly records: RecordSources,
  ) {}

  onModuleInit(): void {
    this.job = this.jobs.processQueue({
      name: 'Indexing for the search',
      due: SearchIndexRepository.due,
      run: (stopping) => this.indexDue(stopping),
    });
  }

  /**
   * Indexes what was committed before, as far as there is time. The first search of a workspace creates its index.
   *
   * @returns whether the index contains everything.
   */
  async catchUp(workspaceId: string): Promise<boolean> {
    const started = performance.now();
    let maximum = CATCH_UP_MS;
    for (;;) {
      const result = await this.step(workspaceId);
      if (result === 'complete') return true;
      if (performance.now() - started >= maximum) break;
      if (result === 'busy') await delay(BUSY_MS);
      if (result !== 'missing') continue;
      await this.create(workspaceId);
      maximum = FIRST_CATCH_UP_MS;
    }
    this.job?.runSoon();
    return false;
  }

  /** A step of the background work: a page of each workspace that lacks something. @returns the pause. */
  private async indexDue(stopping: AbortSignal): Promise<number | undefined> {
    const started = performance.now();
    const workspaceIds = await this.repository.listDue(MAX_WORKSPACES);
    let hasIndexed = false;
    for (const workspaceId of workspaceIds) {
      if (stopping.aborted) return undefined;
      if ((await this.step(workspaceId)) === 'indexed') hasIndexed = true;
    }
    return hasIndexed ? Math.max(MIN_PAUSE_MS, (performance.now() - started) * PAUSE_FACTOR) : undefined;
  }

  private async create(workspaceId: string): Promise<void> {
    const { lastSequence } = await this.log.getRange(workspaceId);
    await this.repository.create(workspaceId, lastSequence);
  }

  /** Indexes a page of what the index lacks: records that existed before, rows, then events. */
  private async step(workspaceId: string): Promise<StepResult> {
    // Before the tables are read: what the events up to here have changed is visible then.
    const { lastSequence, removedThrough } = await this.log.getRange(workspaceId);
    const before = await this.repository.find(workspaceId);
    if (!before) return 'missing';
    if (await this.isComplete(before, workspaceId, lastSequence)) return 'complete';
    return this.database.transaction(async () => {
      if (!(await this.repository.lock(workspaceId))) return 'busy';
      const state = await this.repository.find(workspaceId);
      if (!state) return 'busy';
      if (state.sequence < removedThrough) return this.restartRecords(workspaceId, lastSequence);
      const source = this.records.all.find(({ name }) => state.positions.get(name)?.revision !== 1);
      if (source) return this.indexRecords(workspaceId, source, state);
      if (await this.indexRows(workspaceId, state)) return 'indexed';
      return this.indexEvents(workspaceId, state, lastSequence);
    });
  }

  /** Without a lock: most searches find that nothing changed. */
  private async isComplete(state: IndexState, workspaceId: string, lastSequence: number): Promise<boolean> {
    if (state.isPending || state.sequence < lastSequence) return false;
    const tables = await this.rows.listTables(workspaceId);
    return !tables.some((table) => isBehind(table, state));
  }

  /** Events that the index lacks were removed: all records are indexed again. */
  private async restartRecords(workspaceId: string, lastSequence: number): Promise<StepResult> {
    for (const { name } of this.records.all) {
      while (await this.repository.removeSome(workspaceId, name));
      await this.repository.removePosition(workspaceId, name);
    }
    await this.repository.setSequence(workspaceId, lastSequence, false);
    return 'indexed';
  }

  private async indexRecords(workspaceId: string, source: RecordSource, state: IndexState): Promise<StepResult> {
    const after = state.positions.get(source.name)?.key ?? null;
    const found = await source.list(workspaceId, after, RECORDS);
    await this.writeTexts(workspaceId, source.name, source.kind, found);
    const last = found.at(-1);
    const position = { revision: last ? 0 : 1, key: last?.id ?? null, changesSince: 0 };
    await this.repository.setPosition(workspaceId, source.name, position);
    return 'indexed';
  }

  /** @returns whether there was anything to index. */
  private async indexRows(workspaceId: string, state: IndexState): Promise<boolean> {
    const tables = await this.rows.listTables(workspaceId);
    const dropped = [...state.positions.keys()].find((source) => !this.isSource(source, tables));
    if (dropped !== undefined) {
      if (!(await this.repository.removeSome(workspaceId, dropped)))
        await this.repository.removePosition(workspaceId, dropped);
      return true;
    }
    const table = tables.find((each) => isBehind(each, state));
    if (!table) return false;
    const first = { ...FIRST_POSITION, changesSince: table.changesSince };
    const known = state.positions.get(table.id) ?? first;
    // The tombstones of some rows that are indexed may have been removed.
    if (table.changesSince > Math.max(known.revision, known.changesSince)) {
      if (!(await this.repository.removeSome(workspaceId, table.id)))
        await this.repository.setPosition(workspaceId, table.id, first);
      return true;
    }
    const { rows, position } = await this.rows.listChanges(table, known, PAGE);
    await this.writeRows(workspaceId, table, rows);
    await this.repository.setPosition(workspaceId, table.id, { ...position, changesSince: known.changesSince });
    return true;
  }

  private isSource(source: string, tables: readonly SearchedTable[]): boolean {
    return this.records.all.some(({ name }) => name === source) || tables.some(({ id }) => id === source);
  }

  private async indexEvents(workspaceId: string, state: IndexState, through: number): Promise<StepResult> {
    const types = this.records.all.flatMap(({ events }) => events.types);
    const selection = { after: state.sequence, through, types, limit: PAGE };
    const { items, hasMore } =
      state.sequence < through ? await this.log.listStored(workspaceId, selection) : { items: [], hasMore: false };
    for (const source of this.records.all) {
      const own = items.filter(({ type }) => source.events.types.includes(type));
      const ids = [...new Set(own.map(({ data }) => source.events.toId(data)))];
      if (ids.length === 0) continue;
      const foundIds = new Set<string>();
      for await (const found of source.read(workspaceId, ids)) {
        for (const { id } of found) foundIds.add(id);
        await this.writeTexts(workspaceId, source.name, source.kind, found);
      }
      await this.repository.remove(
        workspaceId,
        source.name,
        ids.filter((id) => !foundIds.has(id)),
      );
    }
    await this.repository.setSequence(workspaceId, hasMore ? items.at(-1)!.sequence : through, !hasMore);
    return hasMore ? 'indexed' : 'complete';
  }

  private async writeRows(workspaceId: string, { id }: SearchedTable, rows: readonly RowTexts[]): Promise<void> {
    const searched = rows.flatMap(({ key, texts }) => (texts ? [{ id: key, fields: texts.map(toField) }] : []));
    await this.writeTexts(workspaceId, id, 'rows', searched);
    await this.repository.remove(
      workspaceId,
      id,
      rows.flatMap(({ key, texts }) => (texts ? [] : [key])),
    );
  }

  /** In parts: the words of a page of long texts take seconds, in which other requests and PostgreSQL would wait. */
  private async writeTexts(
    workspaceId: string,
    source: string,
    kind: SearchKind,
    searched: readonly SearchedRecord[],
  ): Promise<void> {
    const slices = new WorkSlices();
    let entries: IndexEntry[] = [];
    let characters = 0;
    for (const { id, fields } of searched) {
      entries.push(toIndexEntry(workspaceId, kind, id, fields));
      characters += fields.reduce((sum, { text }) => sum + text.length, 0);
      if (characters >= WRITTEN_CHARACTERS) {
        await this.repository.write(workspaceId, source, entries);
        entries = [];
        characters = 0;
      }
      await slices.pauseIfDue();
    }
    await this.repository.write(workspaceId, source, entries);
  }
}

/** The text of a row as a field of the search. */
export function toField({ column, text, isKey, isTitle }: NonNullable<RowTexts['texts']>[number]): SearchedField {
  return { name: column, text, isCode: isKey, isTitle };
}

function isBehind({ id, revision }: SearchedTable, { positions }: IndexState): boolean {
  const position = positions.get(id);
  return position === undefined || position.key !== null || position.revision < revision;
}
