import { Injectable } from '@nestjs/common';
import { NotFoundError } from '../../platform/http/domain-error.js';
import type { AcceptedVersions } from '../../platform/http/conditional-requests.js';
import type { Principal } from '../../platform/security/principal.js';
import type { Upload } from '../../platform/body/upload.js';
import { PublicNoteDto, SaveMessageDto, SaveNoteDto } from './dto/save-note.dto.js';
import type { Author } from './note-input.js';
import { NoteMessagesService } from './note-messages.service.js';
import { NoteParents } from './note-parents.js';
import { NoteReaderService } from './note-reader.service.js';
import { NotesService, type Written } from './notes.service.js';
import { PublicNotesService } from './public-notes.service.js';

const STRANGER: Author = { userId: null, source: 'public' };

/** Where a message is, to be read. */
export interface WrittenMessage {
  workspaceId: string;
  id: string;
}

/** saveThread and saveThreadMessage (specification, sections 4.7 to 4.9), with credentials and without. */
@Injectable()
export class ThreadsService {
  constructor(
    private readonly places: NoteParents,
    private readonly notes: NotesService,
    private readonly messages: NoteMessagesService,
    private readonly reader: NoteReaderService,
    private readonly strangers: PublicNotesService,
  ) {}

  /** Without `id` the note is created, with it updated, where it has one of the accepted versions. */
  async save(
    caller: Principal,
    { id, ...body }: SaveNoteDto,
    uploads: readonly Upload[],
    accepted: AcceptedVersions,
  ): Promise<Written> {
    const { workspaceIds, userId } = caller;
    const author: Author = { userId, source: 'api' };
    // The tag's tour counts; a tour by itself is of the public surface.
    const input = { ...body, tourId: undefined };
    if (id) {
      const workspaceId = await this.reader.getWorkspace(workspaceIds, id);
      return this.notes.update(workspaceId, id, input, uploads, author, accepted);
    }
    const { workspaceId } = await this.places.project(workspaceIds, input);
    return this.notes.create(workspaceId, input, uploads, author, accepted);
  }

  async answer(caller: Principal, body: SaveMessageDto, uploads: readonly Upload[]): Promise<WrittenMessage> {
    const { workspaceIds, userId } = caller;
    const noteId = body.threadId.toLowerCase();
    const workspaceId = await this.reader.getWorkspace(workspaceIds, noteId);
    const author: Author = { userId, source: 'api' };
    return { workspaceId, id: await this.messages.add(workspaceId, noteId, body.description ?? null, uploads, author) };
  }

  /** Strangers may update what strangers have created, and nothing else. */
  async savePublic({ id, ...body }: PublicNoteDto, uploads: readonly Upload[]): Promise<Written> {
    if (!id) {
      const { workspaceId } = await this.strangers.place(body);
      return this.notes.create(workspaceId, body, uploads, STRANGER);
    }
    const workspaceId = await this.openToStrangers(id);
    // To another project it may go only where strangers are welcome there too.
    if (body.projectId || body.tagId) await this.strangers.place(body);
    return this.notes.update(workspaceId, id, { ...body, tourId: undefined }, uploads, STRANGER);
  }

  async answerPublic(body: SaveMessageDto, uploads: readonly Upload[]): Promise<WrittenMessage> {
    const noteId = body.threadId.toLowerCase();
    const workspaceId = await this.openToStrangers(noteId);
    const id = await this.messages.add(workspaceId, noteId, body.description ?? null, uploads, STRANGER);
    return { workspaceId, id };
  }

  /** @throws {NotFoundError} where there is no such note, or none that came in publicly. */
  private async openToStrangers(id: string): Promise<string> {
    const workspaceId = await this.reader.getWorkspace('any', id);
    const note = await this.reader.get(workspaceId, id);
    if (note.source !== 'public') throw new NotFoundError('The note');
    await this.strangers.requireOpen(workspaceId, note.projectId);
    return workspaceId;
  }
}
