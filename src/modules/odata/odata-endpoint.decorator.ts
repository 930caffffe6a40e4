import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  HttpCode,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiQuery } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Failure, SendFailure } from '../../platform/http/error.filter.js';
import { AcceptsText } from '../../platform/body/body.decorators.js';
import { NoIdempotencyKey } from '../../platform/http/idempotency/no-idempotency-key.decorator.js';
import { RequireScopeOrBasic } from '../../platform/security/require-scope.decorator.js';
import type { ErrorForm } from '../../platform/http/unreadable-requests.js';
import { IgnoresQuery } from '../../platform/http/unknown-query.guard.js';
import { InvalidODataQueryError } from './odata.errors.js';
import { QUERY_ERRORS } from '../../../packages/tables/src/catalog/query.errors.js';

const ODATA_VERSION = { 'OData-Version': '4.0' };

/** Excel and Power BI ask for credentials only if a response has this challenge. */
const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="Atrium", charset="UTF-8"' };

/** The parameters of the services for tables, which read the rows, and the options of OData for which they stand. */
const OPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    filter: '$filter',
    sort: '$orderby',
    fields: '$select',
    cursor: '$skiptoken',
    since: '$deltatoken',
  }),
);

/** The options that errors without a field are about. */
const TARGETS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [QUERY_ERRORS.revision_gone.code]: '$deltatoken',
  }),
);

/** A route of the OData feed, which reads its query options itself. `ODataModule` sets the form of its errors. */
export function ODataEndpoint(): MethodDecorator & ClassDecorator {
  return applyDecorators(UseGuards(ODataHeaders));
}

/** A read of rows and their tables. Its handler reads the query itself. */
export const ReadsOData = (): MethodDecorator =>
  applyDecorators(RequireScopeOrBasic('read:workspaces', 'reader'), IgnoresQuery());

/** A read by POST: its query options are in the body, and in the URL. */
export const ReadsOptionsOfBody = (): MethodDecorator =>
  applyDecorators(
    HttpCode(200),
    ReadsOData(),
    NoIdempotencyKey(),
    AcceptsText(),
    ApiBody({ schema: { type: 'string', example: "$filter=equnr in ('EX-2001','EX-2002')" }, required: false }),
    ApiConsumes('text/plain'),
  );

const OPTION_DESCRIPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    $filter: "A condition, such as `weight ge 100 and contains(name,'pump')`.",
    $orderby: 'Properties to sort by, such as `weight desc,name`. Null is larger than every value.',
    $select: 'Properties to return, separated by commas.',
    $expand: 'Navigation properties whose rows are a part of each entity, one level deep.',
    $top: 'Maximum number of entities on all pages.',
    $skip: 'Number of entities before the first one.',
    $count: '`true` adds the number of entities.',
    $skiptoken: 'Only as a part of `@odata.nextLink`.',
    $deltatoken: 'Only as a part of `@odata.deltaLink`.',
  }),
);

/** Documents query options; without names all of them. */
export function ApiODataOptions(...names: string[]): MethodDecorator {
  const documented = names.length > 0 ? names : [...OPTION_DESCRIPTIONS.keys()];
  return applyDecorators(
    ...documented.map((name) =>
      ApiQuery({ name, required: false, type: String, description: OPTION_DESCRIPTIONS.get(name) }),
    ),
  );
}

@Injectable()
class ODataHeaders implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    http.getResponse<Response>().set(ODATA_VERSION);
    const { 'odata-maxversion': version } = http.getRequest<Request>().headers;
    // Responses have the version 4.0, which such a client does not read (OData 4.0, part 1, section 8.2.7).
    if (typeof version === 'string' && /^\s*[0-3](?:\.|\s*$)/.test(version))
      throw new InvalidODataQueryError(
        'OData-MaxVersion',
        `"${version.slice(0, 20)}" is less than 4.0, the version of the feed.`,
      );
    return true;
  }
}

/** Errors in the form of OData (JSON format 4.0, section 19). */
export const sendODataFailure: SendFailure = (failure, request, response) => {
  const { body, headers } = toODataError(failure, request.requestId);
  response.status(failure.status).set(headers).type('application/json');
  response.send(JSON.stringify(body));
};

export function toODataError({ status, error, message, details }: Failure, requestId: string): ErrorForm {
  const errors = (details?.errors ?? []).map((each) => ({ ...each, target: toOption(each.field) }));
  const body = {
    code: error,
    message,
    target: errors[0]?.target ?? TARGETS.get(error),
    details: errors.map(({ code, message: text, target }) => ({ code, message: text, target })),
    innererror: { requestId },
  };
  return { body: { error: body }, headers: status === 401 ? { ...ODATA_VERSION, ...CHALLENGE } : ODATA_VERSION };
}

/** A field such as `filter[weight][gte]` is a part of an option. */
function toOption(field: string | undefined): string | undefined {
  const [, name = ''] = /^(\w+)(?:[.[]|$)/.exec(field ?? '') ?? [];
  return OPTIONS.get(name) ?? field;
}
