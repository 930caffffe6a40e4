import { applyDecorators, Delete, Get, Patch, Post, type Type as ClassType } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { Enveloped, Reply } from '../platform/http/envelope.js';
import { ApiErrors } from '../platform/http/error.dto.js';
import { ConditionalRead, recordEtag } from '../platform/http/conditional-requests.js';
import { RequireScope } from '../platform/security/require-scope.decorator.js';
import type { Role } from '../platform/security/roles.js';
import type { Scope } from '../platform/security/scopes.js';
import { BodyLimit } from '../platform/body/body.decorators.js';
import { BulkCreatedDto, MAX_BULK_ITEMS } from './bulk-create.dto.js';
import type { UpsertResult } from './record-values.js';
import { type ErrorDefinition, withMessage } from '../../packages/errors/src/error-definition.js';
import { HTTP_ERRORS } from '../../packages/errors/src/http.errors.js';
import { RECORD_ERRORS } from './records.errors.js';

/** A kind of record: `{ one: 'project', many: 'projects', dto: ProjectDto, scopes: … }`. */
export interface RecordRoutes {
  /** The names in the OpenAPI document. */
  one: string;
  many: string;
  dto: ClassType;
  /** `archive` also permits to restore. */
  scopes: Record<'read' | 'write' | 'archive', Scope>;
  roles: Record<'read' | 'write' | 'archive', Role> & {
    /** Suffices to archive a record with the ID of the caller. */
    archiveOwn?: Role;
  };
  /** The errors 409. */
  conflicts?: readonly ErrorDefinition[];
}

/** The errors 409 of every kind of record with an external ID. */
export const RECORD_CONFLICTS = [
  RECORD_ERRORS.archived,
  RECORD_ERRORS.external_id_taken,
  RECORD_ERRORS.parent_immutable,
];

/** One decorator per route of a kind of record. It sets HTTP method, path, scope and role, and documents the route. */
export function defineRecordRoutes({ one, many, dto, scopes, roles, conflicts = RECORD_CONFLICTS }: RecordRoutes) {
  const notFound = withMessage(HTTP_ERRORS.not_found, `The ${one} was not found. Check the ID.`);
  const a = /^[aeio]/.test(one) ? 'an' : 'a';
  const describeSuccess = (verb: string) => ({ message: `The ${one} was ${verb}` });
  return {
    CreateRoute: (body: ClassType, example: object) =>
      applyDecorators(
        Post(),
        RequireScope(scopes.write, roles.write),
        ApiOperation({
          summary: `Create ${a} ${one}`,
          description: `If ${a} ${one} has the \`externalId\`, it is updated with the fields sent, and the status is 200.`,
        }),
        ApiBody({ type: body, examples: { first: { value: example } } }),
        Enveloped(dto, {
          status: 201,
          ...describeSuccess('created'),
          also: { 200: 'OK.' },
        }),
        ApiErrors(HTTP_ERRORS.not_found, ...conflicts),
      ),

    BulkCreateRoute: (body: ClassType, example: object) =>
      applyDecorators(RequireScope(scopes.write, roles.write), CreatesInBulk(body, many, example)),

    ListRoute: (page: ClassType) =>
      applyDecorators(
        Get(),
        RequireScope(scopes.read, roles.read),
        ApiOperation({ summary: `List ${many}` }),
        Enveloped(page),
      ),

    GetRoute: () =>
      applyDecorators(
        Get(':id'),
        RequireScope(scopes.read, roles.read),
        ApiOperation({ summary: `Get ${a} ${one}` }),
        ConditionalRead(),
        Enveloped(dto),
        ApiErrors(notFound),
      ),

    ChangeRoute: (body: ClassType, example: object) =>
      applyDecorators(
        Patch(':id'),
        RequireScope(scopes.write, roles.write),
        ApiOperation({ summary: `Change ${a} ${one}`, description: 'Other fields remain unchanged.' }),
        ApiBody({ type: body, examples: { first: { value: example } } }),
        Enveloped(dto, describeSuccess('changed')),
        ApiErrors(notFound, ...conflicts),
      ),

    ArchiveRoute: () =>
      applyDecorators(
        Delete(':id'),
        RequireScope(scopes.archive, roles.archive, roles.archiveOwn),
        ApiOperation({ summary: `Archive ${a} ${one}`, description: 'It can be restored.' }),
        Enveloped(dto, describeSuccess('archived')),
        ApiErrors(notFound),
      ),

    RestoreRoute: () =>
      applyDecorators(
        Post(':id/restore'),
        RequireScope(scopes.archive, roles.archive),
        ApiOperation({ summary: `Restore an archived ${one}` }),
        Enveloped(dto, describeSuccess('restored')),
        ApiErrors(notFound, ...conflicts),
      ),
  };
}

/** 201 if the record was created, otherwise 200; with its ETag. */
export function replyToUpsert<T extends { version: number }>(result: UpsertResult<T>, label: string): Reply<T> {
  const { record, created, changed } = result;
  const headers = { ETag: recordEtag(record) };
  const message = changed ? `${label} was changed` : `${label} is unchanged`;
  return new Reply(record, created ? { headers } : { status: 200, message, headers });
}

/** `POST …/bulk` of up to a thousand records. @param many their name. */
export function CreatesInBulk(body: ClassType, many: string, example: object): MethodDecorator {
  return applyDecorators(
    Post('bulk'),
    BodyLimit('bulk'),
    ApiOperation({
      summary: `Create up to ${MAX_BULK_ITEMS.toLocaleString('en')} ${many}`,
      description: 'In one transaction, with a result per item. A known `externalId` updates its record.',
    }),
    ApiBody({ type: body, examples: { first: { value: { items: [example] } } } }),
    Enveloped(BulkCreatedDto, {
      status: 201,
      also: { 200: 'All items existed, or a dry run.', 207: 'Items failed, and `onError` is `continue`.' },
    }),
    ApiErrors(HTTP_ERRORS.not_found, RECORD_ERRORS.invalid_items, HTTP_ERRORS.duplicate),
  );
}

/** The numbers of a bulk create, or of a change of the records that match. */
type BulkReport = Pick<BulkCreatedDto, 'failed' | 'dryRun'> & { created?: number; received?: number; matched?: number };

/** 207 if items failed, 201 if a record was created, otherwise 200. */
export function replyToBulk<Report extends BulkReport>(report: Report): Reply<Report> {
  const { failed, dryRun, created = 0, received = report.matched } = report;
  if (dryRun) return new Reply(report, { status: 200, message: 'Nothing was stored: it was a dry run' });
  if (failed === 0) return new Reply(report, { status: created > 0 ? 201 : 200 });
  const message = `${failed} of ${received} items ${failed === 1 ? 'was' : 'were'} not stored; see their errors`;
  return new Reply(report, { status: 207, message });
}
