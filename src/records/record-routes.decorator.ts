import { applyDecorators, type Type as ClassType } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { Enveloped, Reply } from '../platform/http/envelope.js';
import { ApiErrors } from '../platform/http/error.dto.js';
import { recordEtag, ConditionalRead } from '../platform/http/conditional-requests.js';
import { BodyLimit } from '../platform/body/body.decorators.js';
import { BulkCreatedDto, MAX_BULK } from './bulk-create.js';
import type { Saved } from './draft.js';

/** A kind of records in the words of the document: `{ one: 'project', many: 'projects', dto: ProjectDto }`. */
export interface RecordWords {
  one: string;
  many: string;
  dto: ClassType;
}

/** The routes of a kind of records, each with all that the document says of it; verb, path and scope stand beside them. */
export function recordRoutes({ one, many, dto }: RecordWords) {
  const did = (verb: string) => ({ message: `The ${one} was ${verb}` });
  return {
    Creates: (body: ClassType, example: object) =>
      applyDecorators(
        ApiOperation({
          summary: `Create a ${one}`,
          description: `Where a ${one} has the \`externalId\` already, that one is changed by what is sent, and the status is 200.`,
        }),
        ApiBody({ type: body, examples: { first: { value: example } } }),
        Enveloped(dto, { status: 201, ...did('created'), also: { 200: 'It was there already, and was changed.' } }),
        ApiErrors(400, 404, 409, 413, 415),
      ),

    CreatesInBulk: (body: ClassType, example: object) =>
      applyDecorators(
        BodyLimit('bulk'),
        ApiOperation({
          summary: `Create up to ${MAX_BULK.toLocaleString('en')} ${many}`,
          description:
            'In one transaction. Each item has its own outcome; those with an `externalId` that is there already change it.',
        }),
        ApiBody({ type: body, examples: { first: { value: { items: [example] } } } }),
        Enveloped(BulkCreatedDto, {
          status: 201,
          also: { 200: 'All were there already.', 207: 'Some failed, and `onError` is `continue`.' },
        }),
        ApiErrors(400, 404, 413, 415, 422),
      ),

    Lists: (page: ClassType) =>
      applyDecorators(
        ApiOperation({ summary: `List the ${many} of the caller's workspaces` }),
        Enveloped(page),
        ApiErrors(400, 404),
      ),

    Gets: () =>
      applyDecorators(
        ApiOperation({ summary: `Get a ${one}` }),
        ConditionalRead(),
        Enveloped(dto),
        ApiErrors(400, 404),
      ),

    Changes: (body: ClassType, example: object) =>
      applyDecorators(
        ApiOperation({ summary: `Change a ${one}`, description: 'What is not sent stays as it is.' }),
        ApiBody({ type: body, examples: { first: { value: example } } }),
        Enveloped(dto, did('changed')),
        ApiErrors(400, 404, 409, 413, 415),
      ),

    Archives: () =>
      applyDecorators(
        ApiOperation({ summary: `Archive a ${one}; it can be restored` }),
        Enveloped(dto, did('archived')),
        ApiErrors(400, 404),
      ),

    Restores: () =>
      applyDecorators(
        ApiOperation({ summary: `Bring an archived ${one} back` }),
        Enveloped(dto, did('restored')),
        ApiErrors(400, 404),
      ),
  };
}

/** 201 where the record came to be, 200 where it was there already; with its version. */
export function savedReply<T extends { version: number }>(saved: Saved<T>, what: string): Reply<T> {
  const { record, created, changed } = saved;
  const headers = { ETag: recordEtag(record) };
  const message = changed ? `${what} was changed` : `${what} is as it was`;
  return new Reply(record, created ? { headers } : { status: 200, message, headers });
}
