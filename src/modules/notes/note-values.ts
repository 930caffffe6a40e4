import { Injectable } from '@nestjs/common';
import { RowReferencesService } from '../workspace-tables/query/row-references.service.js';
import type { Author, NoteInput } from './note-input.js';
import { NoteParents } from './note-parents.js';
import { NoteStatusesService } from './note-statuses.service.js';
import type { Note } from './note.entity.js';

/** Fields that are kept as they are said. */
const PLAIN = [
  'externalId',
  'title',
  'description',
  'priority',
  'assignee',
  'reporter',
  'scheduledDate',
  'dueDate',
] as const;

/** Turns what a caller says of a note into what is stored. */
@Injectable()
export class NoteValues {
  constructor(
    private readonly places: NoteParents,
    private readonly statuses: NoteStatusesService,
    private readonly rowPlaces: RowReferencesService,
  ) {}

  /** @throws {InvalidNoteError} */
  async initial(workspaceId: string, input: NoteInput, { source }: Author): Promise<Partial<Note>> {
    const status = await this.statuses.get(workspaceId, input.status ?? null);
    return {
      ...plainValues(input),
      ...(source === 'workspace' ? {} : await this.places.project([workspaceId], input)),
      status: status.key,
      closedAt: status.category === 'done' ? new Date() : null,
    };
  }

  /** @throws {InvalidNoteError} */
  async changed(note: Note, input: NoteInput): Promise<Partial<Note>> {
    return {
      ...plainValues(input),
      ...(await this.project(note, input)),
      ...(await this.status(note, input)),
    };
  }

  /**
   * The rows that the note is filed against. They are locked until the transaction ends, before the note is: a rename
   * takes its locks in the same order.
   *
   * @throws {UnknownRowError | AmbiguousRowError}
   */
  rows(workspaceId: string, input: NoteInput): Promise<Partial<Note>> {
    return this.rowPlaces.resolve(workspaceId, input);
  }

  private async status(note: Note, { status }: NoteInput): Promise<Partial<Note>> {
    if (status === undefined) return {};
    const { key, category } = await this.statuses.get(note.workspaceId, status);
    // Moving from one status that is over to another leaves it closed when it was.
    const closedAt = category === 'done' ? (note.closedAt ?? new Date()) : null;
    return { status: key, closedAt };
  }

  private async project(note: Note, { projectId, tagId }: NoteInput): Promise<Partial<Note>> {
    if (projectId === undefined && tagId === undefined) return {};
    // Another tag brings its own project; another project must agree with the tag that stays.
    const named = {
      projectId: projectId === undefined && tagId === null ? note.projectId : projectId,
      tagId: tagId === undefined ? note.tagId : tagId,
    };
    const nowhere = (named.projectId ?? null) === null && named.tagId === null;
    if (nowhere && note.source === 'workspace') return { projectId: null, tagId: null, tourId: null };
    return this.places.project([note.workspaceId], named);
  }
}

function plainValues(input: NoteInput): Partial<Note> {
  const named = PLAIN.filter((field) => input[field] !== undefined).map((field) => [field, input[field]]);
  const customFields = input.customFields === undefined ? {} : { customFields: input.customFields ?? {} };
  return { ...(Object.fromEntries(named) as Partial<Note>), ...customFields };
}
