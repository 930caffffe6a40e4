import { Injectable } from '@nestjs/common';
import { NoteTextsService, type MessageText, type NoteText } from '../notes/note-texts.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import { TagsService } from '../tours/tags.service.js';
import { ToursService } from '../tours/tours.service.js';
import type { SearchKind } from './search-kinds.js';
import type { SearchedField } from './search-matcher.js';

/** A record, or a message, as the search reads it. */
export interface SearchedRecord {
  id: string;
  fields: SearchedField[];
}

/** Records of one kind; the messages of notes are a source of their own. */
export interface RecordSource {
  name: string;
  kind: SearchKind;
  /** The events after which records are indexed again: their types, and the ID in their data. */
  events: { types: readonly string[]; toId: (data: object) => string };
  /** In the order of their IDs, as many as a page contains. */
  list(workspaceId: string, after: string | null, limit: number): Promise<SearchedRecord[]>;
  /** Those that exist and are not archived, in pages. */
  read(workspaceId: string, ids: readonly string[]): AsyncGenerator<SearchedRecord[]>;
}

/** A record that refers to its texts by these names, and to its title by another. */
type NamedRecord<Title extends string> = Record<Title, string> & {
  id: string | number;
  externalId: string | null;
  description: string | null;
};

type NamedProperty<Title extends string> = Title | 'externalId' | 'description';

interface NamedRecords<Title extends string, Id> {
  listOpen(
    workspaceId: string,
    properties: readonly NamedProperty<Title>[],
    after: Id | undefined,
    limit: number,
  ): Promise<NamedRecord<Title>[]>;
  readOpen(
    workspaceId: string,
    properties: readonly NamedProperty<Title>[],
    ids: readonly Id[],
  ): AsyncGenerator<NamedRecord<Title>[]>;
}

const CHANGES = ['created', 'updated', 'archived', 'restored'];

/** The sources of the index besides the tables. */
@Injectable()
export class RecordSources {
  readonly all: readonly RecordSource[];

  constructor(notes: NoteTextsService, projects: ProjectsService, tours: ToursService, tags: TagsService) {
    this.all = [
      {
        name: 'notes',
        kind: 'notes',
        events: { types: [...toTypes('note'), 'note.deleted'], toId: (data) => (data as { noteId: string }).noteId },
        list: async (workspaceId, after, limit) => (await notes.listNotes(workspaceId, after, limit)).map(toNote),
        read: (workspaceId, ids) => mapPages(notes.readNotes(workspaceId, ids), toNote),
      },
      {
        name: 'messages',
        kind: 'notes',
        events: { types: ['note.message_created'], toId: (data) => (data as { messageId: string }).messageId },
        list: async (workspaceId, after, limit) => (await notes.listMessages(workspaceId, after, limit)).map(toMessage),
        read: (workspaceId, ids) => mapPages(notes.readMessages(workspaceId, ids), toMessage),
      },
      toSource('projects', 'project', projects, 'name', String),
      toSource('tours', 'tour', tours, 'title', String),
      toSource('tags', 'tag', tags, 'label', Number),
    ];
  }

  /** @throws Error if there is none with the name. */
  get(name: string): RecordSource {
    const source = this.all.find((each) => each.name === name);
    if (!source) throw new Error(`There is no source "${name}".`);
    return source;
  }
}

/** @param record the name of one in types of events. @param title the field with the title. */
function toSource<Title extends string, Id>(
  kind: SearchKind,
  record: string,
  records: NamedRecords<NoInfer<Title>, Id>,
  title: Title,
  parseId: (id: string) => Id,
): RecordSource {
  const properties = ['externalId', title, 'description'] as const;
  const toSearched = (each: NamedRecord<Title>) => toRecord(each, title);
  return {
    name: kind,
    kind,
    events: { types: toTypes(record), toId },
    list: async (workspaceId, after, limit) => {
      const last = after === null ? undefined : parseId(after);
      return (await records.listOpen(workspaceId, properties, last, limit)).map(toSearched);
    },
    read: (workspaceId, ids) => mapPages(records.readOpen(workspaceId, properties, ids.map(parseId)), toSearched),
  };
}

async function* mapPages<Row>(
  pages: AsyncIterable<Row[]>,
  toSearched: (row: Row) => SearchedRecord,
): AsyncGenerator<SearchedRecord[]> {
  for await (const rows of pages) yield rows.map(toSearched);
}

export function toNote(note: NoteText): SearchedRecord {
  const { id, number, externalId, title, description, locationKey, assetKey } = note;
  return {
    id,
    fields: [
      { name: 'number', text: String(number), isCode: true },
      ...toCode('locationKey', locationKey),
      ...toCode('assetKey', assetKey),
      ...toField('title', title, true),
      ...toField('description', description),
      ...toField('externalId', externalId),
    ],
  };
}

export function toMessage({ id, description }: MessageText): SearchedRecord {
  return { id, fields: toField('message', description) };
}

function toRecord<Title extends string>(record: NamedRecord<Title>, title: Title): SearchedRecord {
  const { id, externalId, description } = record;
  return {
    id: String(id),
    fields: [
      ...toCode('externalId', externalId),
      ...toField(title, record[title], true),
      ...toField('description', description),
    ],
  };
}

function toCode(name: string, text: string | null): SearchedField[] {
  return text === null ? [] : [{ name, text, isCode: true }];
}

function toField(name: string, text: string | null, isTitle = false): SearchedField[] {
  return text === null || text === '' ? [] : [{ name, text, isTitle }];
}

function toTypes(record: string): string[] {
  return CHANGES.map((change) => `${record}.${change}`);
}

function toId(data: object): string {
  return String((data as { id: string | number }).id);
}
