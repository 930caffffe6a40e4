import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { MAX_FILES, MAX_JSON_WITH_FILES_BYTES } from '../../platform/body/body-limits.js';
import { AcceptsFiles } from '../../platform/body/body.decorators.js';
import { ApiFilesBody } from '../../platform/body/files-body.decorator.js';
import { formatBytes } from '../../platform/config/limits.js';
import { Enveloped, Reply } from '../../platform/http/envelope.js';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { recordEtag } from '../../platform/http/conditional-requests.js';
import { NoteEventPageDto, NotePageDto } from './dto/note.dto.js';

// Decorators that the controllers of all note surfaces share. Method, path and scope are declared in the controllers.

const FILES =
  `Up to ${MAX_FILES} \`files\` in a form, or as base64 in JSON of at most ${formatBytes(MAX_JSON_WITH_FILES_BYTES)}. ` +
  'All or nothing.';

interface BodyRoute {
  body: Type;
  response: Type;
  summary: string;
  example: object;
}

/** Creates a note (201), or updates the note with the ID or external ID (200). */
export function SavesNote(route: BodyRoute): MethodDecorator {
  return WritesNote(route, { 201: 'The note was created.' });
}

export function AddsMessage({ response, ...route }: BodyRoute): MethodDecorator {
  return applyDecorators(AcceptsBody(route), Enveloped(response, { status: 201, message: 'The message was added' }));
}

/** Updates a note (200). @param also descriptions of other successes, by status. */
export function WritesNote({ response, ...route }: BodyRoute, also: Record<number, string> = {}): MethodDecorator {
  return applyDecorators(
    AcceptsBody(route),
    Enveloped(response, { description: 'The note was updated.', message: 'The note was updated', also }),
  );
}

function AcceptsBody({ body, summary, example }: Omit<BodyRoute, 'response'>): MethodDecorator {
  return applyDecorators(
    AcceptsFiles(),
    ApiOperation({ summary, description: FILES }),
    ApiFilesBody(body, { example }),
    ApiErrors(404, 409, 422),
  );
}

export function ListsNotes(summary: string): MethodDecorator {
  return Reads(NotePageDto, summary, 422);
}

export function ReadsFeed(): MethodDecorator {
  return Reads(NoteEventPageDto, 'List the messages and changes of all notes of a workspace since a cursor');
}

export function Reads(response: Type, summary: string, ...errors: number[]): MethodDecorator {
  return applyDecorators(ApiOperation({ summary }), Enveloped(response), ApiErrors(400, 404, ...errors));
}

/** 201 if the note was created, else 200; with its ETag. */
export function noteReply<T extends { version: number }>({ note, created }: { note: T; created: boolean }): Reply<T> {
  return new Reply(note, {
    status: created ? 201 : 200,
    message: created ? 'The note was created' : 'The note was updated',
    headers: { ETag: recordEtag(note) },
  });
}
