import { applyDecorators, type Type } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/error.dto.js';
import { Enveloped } from '../../platform/http/envelope.js';
import { ApiFilesBody } from '../../platform/body/files-body.decorator.js';
import { AcceptsFiles } from '../../platform/body/body.decorators.js';

const FILES =
  'Up to 10 files of image, audio, video or PDF, 20 MB each: as `multipart/form-data` under `files`, or as base64 or data ' +
  'URI in JSON, whose whole body must fit 20 MB. Both create identical notes, all or nothing.';

/** A call that writes a note with its files: 201 where it is created, 200 where it is updated. */
export function WritesNote(body: Type, answer: Type, summary: string, example: object): MethodDecorator {
  return writes(body, answer, summary, example, { 201: 'The note was created.' });
}

/** A call that changes a note and adds files. */
export function ChangesNote(body: Type, answer: Type, summary: string, example: object): MethodDecorator {
  return writes(body, answer, summary, example);
}

function writes(body: Type, answer: Type, summary: string, example: object, also: Record<number, string> = {}) {
  return applyDecorators(
    AcceptsFiles(),
    ApiOperation({ summary, description: FILES }),
    ApiFilesBody(body, { example }),
    Enveloped(answer, { description: 'The note was updated.', message: 'The note was updated', also }),
    ApiErrors(404, 409, 422),
  );
}

/** A call that answers a note, with files or without. */
export function WritesMessage(body: Type, answer: Type, summary: string, example: object): MethodDecorator {
  return applyDecorators(
    AcceptsFiles(),
    ApiOperation({ summary, description: FILES }),
    ApiFilesBody(body, { example }),
    Enveloped(answer, { status: 201, message: 'The message was added' }),
    ApiErrors(404, 409, 422),
  );
}
