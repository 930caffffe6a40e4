import { Injectable } from '@nestjs/common';
import * as z from 'zod';
import { resolveTargetWorkspace, resolveWorkspaces } from '../../platform/security/workspace-access.js';
import { NoteListService } from '../notes/note-list.service.js';
import { NoteMessagesService } from '../notes/note-messages.service.js';
import { NoteReaderService } from '../notes/note-reader.service.js';
import { NotesService } from '../notes/notes.service.js';
import { MAX_LISTED, MAX_TEXT_LENGTH } from './answers.js';
import { RECORD } from './row-tools.js';
import { defineTool, entriesWith, names, NEXT_CURSOR, pageOf, reads, text, type Tool, writes } from './tool.js';

const NOTE_SCOPES = ['read:workspaces', 'read:projects'] as const;
const NOTE = { note: z.looseObject({ id: z.string(), number: z.int(), status: z.string() }) };
const FIELD = z.union([text(MAX_TEXT_LENGTH, 'A text.'), z.number(), z.boolean()], 'must be a text, number or boolean');
const NOTE_ID = { noteId: z.uuid().describe('The ID of the note.') };

const ROWS_OF_NOTE = {
  location: text(255, 'The key of a location.').optional(),
  locationKey: text(255, 'The name of the table of the location, if several have the key.').optional(),
  asset: text(255, 'The key of an asset.').optional(),
  assetKey: text(255, 'The name of the table of the asset, if several have the key.').optional(),
};

/** Tools for notes. */
@Injectable()
export class NoteTools {
  readonly tools: readonly Tool[] = [
    defineTool({
      ...reads('list_notes', 'Lists notes by status, assignee, location or asset, the newest first.'),
      scopes: NOTE_SCOPES,
      input: {
        ...ROWS_OF_NOTE,
        under: text(255, 'The key of a location: also notes of its subtree.').optional(),
        type: names('Types such as inspection.'),
        status: names('Statuses such as open.'),
        priority: names('Priorities such as high.'),
        assignee: names('Assignees, for example email addresses.'),
        filter: RECORD.describe('As of query_rows, also on fields of the workspace: {"workCenter":{"eq":"MECH"}}.'),
        q: text(500, 'Beginnings of words in title or description, or # and a number.').optional(),
        ...pageOf(MAX_LISTED, 20),
      },
      output: { notes: entriesWith('id', 'status'), ...NEXT_CURSOR },
      run: async (caller, { workspaceId, ...query }) => {
        const workspaceIds = resolveWorkspaces(caller, workspaceId, 'workspaceId');
        const { items, nextCursor } = await this.noteList.list(workspaceIds, query, caller.userId);
        return { notes: items.map(omitFiles), nextCursor };
      },
    }),
    defineTool({
      ...reads('get_note', 'Returns a note with its messages, the oldest first.'),
      scopes: NOTE_SCOPES,
      maxTextLength: MAX_TEXT_LENGTH,
      input: { ...NOTE_ID, ...pageOf(MAX_LISTED, 20) },
      output: { ...NOTE, messages: entriesWith('id'), ...NEXT_CURSOR },
      run: async (caller, { noteId, workspaceId, ...query }) => {
        const workspaceIds = resolveWorkspaces(caller, workspaceId, 'workspaceId');
        const note = omitFiles(await this.reader.get(workspaceIds, noteId, ['fields']));
        const { items, nextCursor } = await this.reader.listMessages(workspaceIds, noteId, query);
        return { note, messages: items.map(omitFiles), nextCursor };
      },
    }),
    defineTool({
      ...writes('create_note', 'Creates a note of the workspace, on a location or an asset if it is about one.'),
      input: {
        ...ROWS_OF_NOTE,
        title: text(500, 'What the note is about.').min(1),
        description: text(MAX_TEXT_LENGTH, 'Details.').min(1).optional(),
        type: text(63, 'A type of the workspace.').optional(),
        status: text(100, 'A status of the workspace; by default open.').optional(),
        priority: text(255, 'For example high.').optional(),
        category: text(255, 'For example mechanical.').optional(),
        workCenter: text(255, 'For example MECH.').optional(),
        fields: z
          .record(z.string(), FIELD)
          .optional()
          .describe('Fields that the workspace has defined, by their keys.'),
        assignee: text(255, 'For example an email address.').optional(),
        dueDate: z.iso
          .datetime({ offset: true, error: 'must be a time with its zone, such as 2026-12-01T08:00:00Z' })
          .pipe(z.transform((time) => new Date(time)))
          .optional(),
      },
      output: NOTE,
      run: async (caller, { workspaceId, ...input }) => {
        const author = { ...caller, workspaceIds: [resolveTargetWorkspace(caller, workspaceId)] };
        const { note } = await this.notes.save({ ...author, source: 'workspace' }, input, []);
        // So few that the answer is never too large: the note is already stored.
        return { note: { id: note.id, number: note.number, title: note.title, status: note.status } };
      },
    }),
    defineTool({
      ...writes('add_message', 'Adds a message to a note.'),
      scopes: ['write:workspaces', 'write:projects'],
      input: { ...NOTE_ID, description: text(MAX_TEXT_LENGTH, 'The text of the message.').min(1) },
      output: { messageId: z.string(), noteId: z.string() },
      run: async (caller, { noteId, workspaceId, description }) => {
        const author = { ...caller, workspaceIds: resolveWorkspaces(caller, workspaceId, 'workspaceId') };
        const { id, threadId } = await this.messages.add({ ...author, source: 'api' }, noteId, { description }, []);
        return { messageId: id, noteId: threadId };
      },
    }),
  ];

  constructor(
    private readonly reader: NoteReaderService,
    private readonly noteList: NoteListService,
    private readonly notes: NotesService,
    private readonly messages: NoteMessagesService,
  ) {}
}

/** A record with the number of its files: their addresses are for people. */
function omitFiles<T extends { files?: readonly unknown[] }>({ files = [], ...record }: T) {
  return { ...record, files: files.length };
}
