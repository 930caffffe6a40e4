import { Injectable } from '@nestjs/common';
import { WorkSlices } from '../../../packages/json/src/work-slices.js';
import { NoteTextsService, type NoteText } from '../notes/note-texts.service.js';
import { RowTextsService, type SearchedTable } from '../workspace-tables/query/row-texts.service.js';
import type { SearchHitDto } from './dto/search.dto.js';
import { RecordSources, toMessage, toNote } from './record-sources.js';
import type { Candidate } from './search-candidates.repository.js';
import { toField } from './search-indexer.js';
import { MAX_MATCHES } from './search-limits.js';
import { type Match, matchFields, type SearchedField, type SearchQuery } from './search-matcher.js';

/** A hit with its score. */
export interface ScoredHit {
  /** Identifies the row or record within its kind. */
  identity: string;
  score: number;
  hit: SearchHitDto;
}

type NoteTitle = Pick<NoteText, 'id' | 'number' | 'title'>;

/** What a search of rows reads. */
export interface HitContext {
  workspaceId: string;
  /** The tables that the caller may read. */
  tables: readonly SearchedTable[];
  query: SearchQuery;
}

/**
 * Turns entries of the index into hits. The texts are read as they are, and as the caller may read them: an entry whose
 * text has changed, or that the caller may not read, is omitted.
 */
@Injectable()
export class SearchHits {
  constructor(
    private readonly rows: RowTextsService,
    private readonly notes: NoteTextsService,
    private readonly records: RecordSources,
  ) {}

  /** The hits among candidates of one kind, in their order. */
  async read(context: HitContext, candidates: readonly Candidate[]): Promise<ScoredHit[]> {
    const [first] = candidates;
    if (!first) return [];
    if (first.kind === 'rows') return this.readRows(context, candidates);
    if (first.kind === 'notes') return this.readNotes(context, candidates);
    return this.readRecords(context, candidates);
  }

  private async readRows({ tables, query }: HitContext, candidates: readonly Candidate[]): Promise<ScoredHit[]> {
    const sources = new Set(candidates.map(({ source }) => source));
    const hits = new Map<string, ScoredHit>();
    const slices = new WorkSlices();
    for (const table of tables) {
      const source = table.id;
      if (!sources.has(source)) continue;
      const keys = candidates.filter((each) => each.source === source).map(({ id }) => id);
      for await (const { key, texts } of this.rows.readRows(table, keys)) {
        const fields = texts.map(toField);
        const match = matchFields(query, fields);
        await slices.pauseIfDue();
        if (!match) continue;
        const title = findTitle(fields) ?? key;
        hits.set(`${source} ${key}`, toHit(`${source} ${key}`, match, { id: key, title, table: table.summary }));
      }
    }
    return candidates.flatMap(({ source, id }) => hits.get(`${source} ${id}`) ?? []);
  }

  private async readRecords(
    { workspaceId, query }: HitContext,
    candidates: readonly Candidate[],
  ): Promise<ScoredHit[]> {
    const ids = candidates.map(({ id }) => id);
    const hits = new Map<string, ScoredHit>();
    const slices = new WorkSlices();
    for await (const page of this.records.get(candidates[0]!.source).read(workspaceId, ids))
      for (const { id, fields } of page) {
        const match = matchFields(query, fields);
        if (match) hits.set(id, toHit(id, match, { id, title: findTitle(fields) ?? id }));
        await slices.pauseIfDue();
      }
    return candidates.flatMap(({ id }) => hits.get(id) ?? []);
  }

  /** A note and its messages are one hit. */
  private async readNotes({ workspaceId, query }: HitContext, candidates: readonly Candidate[]): Promise<ScoredHit[]> {
    const idsOf = (name: string) => candidates.flatMap(({ source, id }) => (source === name ? [id] : []));
    const found = new Map<string, { note: NoteTitle; match: Match }>();
    const slices = new WorkSlices();
    for await (const page of this.notes.readVisibleNotes(workspaceId, idsOf('notes')))
      for (const note of page) {
        const match = matchFields(query, toNote(note).fields);
        if (match) found.set(note.id, { note: { id: note.id, number: note.number, title: note.title }, match });
        await slices.pauseIfDue();
      }
    for await (const page of this.notes.readVisibleMessages(workspaceId, idsOf('messages')))
      for (const message of page) {
        const match = matchFields(query, toMessage(message).fields);
        if (match)
          found.set(message.id, { note: { id: message.noteId, number: message.number, title: message.title }, match });
        await slices.pauseIfDue();
      }
    const hits = new Map<string, ScoredHit>();
    for (const { id } of candidates) {
      const candidate = found.get(id);
      if (candidate) addNoteHit(hits, candidate.note, candidate.match);
    }
    return [...hits.values()];
  }
}

function addNoteHit(hits: Map<string, ScoredHit>, note: NoteTitle, match: Match): void {
  const { id, number, title } = note;
  const known = hits.get(id);
  if (!known) {
    hits.set(id, toHit(id, match, { id, title: title ?? `#${number}`, number }));
    return;
  }
  known.score = Math.max(known.score, match.score);
  known.hit.isMistyped &&= match.isMistyped;
  known.hit.matches = [...known.hit.matches, ...match.matches].slice(0, MAX_MATCHES);
}

function findTitle(fields: readonly SearchedField[]): string | undefined {
  return fields.find(({ isTitle }) => isTitle)?.text;
}

function toHit(
  identity: string,
  { score, isMistyped, matches }: Match,
  record: Pick<SearchHitDto, 'id' | 'title' | 'table' | 'number'>,
): ScoredHit {
  return { identity, score, hit: { ...record, isMistyped, matches } };
}
