import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { InvalidRequestError, unknownField } from '../../../packages/errors/src/domain-error.js';
import { isApi } from './middleware.js';
import { requireEncodedQuery } from './query-parser.js';

const ANY_QUERY = Symbol('any-query');

/** The route ignores query parameters, as its protocol requires. */
export const IgnoresQuery = (): MethodDecorator => SetMetadata(ANY_QUERY, true);

const QUERY_NAMES = Symbol('query-names');

/** The query parameters of a handler without a DTO for them. One with the name of a path parameter is unknown. */
export const TakesQuery = (...names: string[]): MethodDecorator => SetMetadata(QUERY_NAMES, names);

/**
 * Rejects a query that cannot be decoded, and all unknown parameters if the handler takes no DTO of the query:
 * `DELETE …?dryRun=true` must not delete. If it takes one, the DTO rejects unknown parameters.
 */
@Injectable()
export class UnknownQueryGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    requireEncodedQuery(request.originalUrl);
    const names = Object.keys(request.query);
    if (names.length === 0 || !isApi(request)) return true;
    if (this.reflector.get<boolean | undefined>(ANY_QUERY, context.getHandler())) return true;
    if (!takesQuery(context)) {
      const known = this.reflector.get<string[] | undefined>(QUERY_NAMES, context.getHandler()) ?? [];
      const unknown = names.filter((name) => !known.includes(name) || Object.hasOwn(request.params, name));
      if (unknown.length > 0) throw new InvalidRequestError(unknown.map(unknownField));
    }
    rejectObjects(request.query);
    return true;
  }
}

/** The parameters with brackets: `filter[column]=value`. */
const NESTED_PARAMETERS = new Set(['filter', 'having']);

/** DTOs expect texts and lists of texts; an object has no text. @throws {InvalidRequestError} */
function rejectObjects(query: Request['query']): void {
  const nested = Object.entries(query).filter(
    ([name, value]) => typeof value === 'object' && !Array.isArray(value) && !NESTED_PARAMETERS.has(name),
  );
  if (nested.length === 0) return;
  throw new InvalidRequestError(
    nested.map(([field]) => ({ field, code: 'invalid_field', message: `${field} must be a value without brackets.` })),
  );
}

/** Reads the metadata from which Nest fills the handler's arguments. */
function takesQuery(context: ExecutionContext): boolean {
  const sources = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) as
    object | undefined;
  return Object.keys(sources ?? {}).some((source) => source.startsWith(`${RouteParamtypes.QUERY}:`));
}
