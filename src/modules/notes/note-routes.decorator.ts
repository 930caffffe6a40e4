import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { MAX_FILES, MAX_JSON_WITH_FILES_BYTES } from '../../platform/body/body-limits.js';
import { AcceptsFiles, ExactNumbers } from '../../platform/body/body.decorators.js';
import { ApiFilesBody } from '../../platform/body/files-body.decorator.js';
import { formatBytes } from '../../platform/config/limits.js';
import { Enveloped, Reply } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { recordEtag } from '../../platform/http/conditional-requests.js';
import { NoteEventPageDto, NotePageDto } from './dto/note.dto.js';
import { type ErrorDefinition, withMessage } from '../../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../../packages/errors/src/http.errors.js';
import { RECORD_CONFLICTS } from '../../records/record-routes.decorator.js';
import { ATTACHMENT_ERRORS } from '../attachments/attachments.errors.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import { NOTE_ERRORS } from './notes.errors.js';

// Decorators that the controllers of all note surfaces share. Method, path and scope are declared in the controllers.

const FILES =
  `Uploads up to ${MAX_FILES} \`files\` (photos) as form or JSON ` +
  `(${formatBytes(MAX_JSON_WITH_FILES_BYTES)}). All or nothing.`;

/** Not the message of a creation, which names its project or tag. */
export const NOT_FOUND = withMessage(HTTP_ERRORS.not_found, 'The note was not found. Check the ID.');

const INVALID_NOTE = [TABLE_ERRORS.unknown_row, TABLE_ERRORS.unknown_table, NOTE_ERRORS.invalid_note];

interface BodyRoute {
  body: Type;
  response: Type;
  summary: string;
  /** Before that of the files. */
  description?: string;
  example: object;
}

/** Creates a note (201), or updates the note with the ID or external ID (200). */
export function SavesNote(route: BodyRoute): MethodDecorator {
  return applyDecorators(WritesNote(route, { 201: 'OK.' }), ApiErrors(NOTE_ERRORS.note_rules_changed));
}

export function AddsMessage({ response, ...route }: BodyRoute): MethodDecorator {
  return applyDecorators(AcceptsBody(route), Enveloped(response, { status: 201, message: 'The message was added' }));
}

/** Updates a note (200). @param also descriptions of other successes, by status. */
export function WritesNote({ response, ...route }: BodyRoute, also: Record<number, string> = {}): MethodDecorator {
  return applyDecorators(AcceptsBody(route), Enveloped(response, { message: 'The note was updated', also }));
}

function AcceptsBody({ body, summary, description, example }: Omit<BodyRoute, 'response'>): MethodDecorator {
  return applyDecorators(
    AcceptsFiles(),
    ExactNumbers(),
    ApiOperation({ summary, description: [description, FILES].filter(Boolean).join(' ') }),
    ApiFilesBody(body, { example }),
    ApiErrors(NOT_FOUND, NOTE_ERRORS.note_archived, ...RECORD_CONFLICTS, TABLE_ERRORS.ambiguous_row),
    ApiErrors(NOTE_ERRORS.invalid_transition, NOTE_ERRORS.reference_taken),
    ApiErrors(...INVALID_NOTE, TABLE_ERRORS.table_changed, ATTACHMENT_ERRORS.upload_expired),
  );
}

export function ListsNotes(summary: string): MethodDecorator {
  return Reads(NotePageDto, { summary }, ...INVALID_NOTE);
}

export function ReadsFeed(): MethodDecorator {
  const description = 'The messages and changes of all notes of a workspace since a cursor.';
  return Reads(NoteEventPageDto, { summary: 'Read the feed of notes', description });
}

export function Reads(
  response: Type,
  operation: { summary: string; description?: string },
  ...errors: ErrorDefinition[]
): MethodDecorator {
  const all = [NOT_FOUND, TABLE_ERRORS.table_changed, ...errors];
  return applyDecorators(ApiOperation(operation), Enveloped(response), ApiErrors(...all));
}

/** 201 if the note was created, else 200; with its ETag. */
export function noteReply<T extends { version: number }>({ note, created }: { note: T; created: boolean }): Reply<T> {
  return new Reply(note, {
    status: created ? 201 : 200,
    message: created ? 'The note was created' : 'The note was updated',
    headers: { ETag: recordEtag(note) },
  });
}
