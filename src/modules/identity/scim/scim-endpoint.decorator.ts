import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { STATUS } from '../../../../packages/errors/src/error-definition.js';
import { AcceptsJsonAs } from '../../../platform/body/body.decorators.js';
import type { SendFailure } from '../../../platform/http/error.filter.js';
import { IgnoresQuery } from '../../../platform/http/unknown-query.guard.js';
import { RequireBearerKey } from '../../../platform/security/require-scope.decorator.js';
import { SCIM_TYPES } from './scim.errors.js';

const SCIM_TYPE = 'application/scim+json';
const ROOT = '/scim/v2/';
const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** A route of SCIM: an owner with an API key, as `Authorization: Bearer` or `X-API-Key`, which may write users. */
export function ScimEndpoint(): MethodDecorator {
  return applyDecorators(
    RequireBearerKey('write:users', 'owner'),
    IgnoresQuery(),
    AcceptsJsonAs(SCIM_TYPE),
    UseGuards(ScimHeaders),
  );
}

@Injectable()
class ScimHeaders implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getResponse<Response>().type(SCIM_TYPE);
    return true;
  }
}

/** Middleware: errors below the root have the form of SCIM, also those of unknown paths and methods. */
export function prepareScimRequest(request: Request, _: Response, next: NextFunction): void {
  if (request.path.startsWith(ROOT)) {
    request.sendFailure = sendScimFailure;
    request.sendUnknownPath = sendUnknownPath;
  }
  next();
}

/** RFC 7644, section 3.12. */
const sendScimFailure: SendFailure = ({ status, error, message, details }, _, response) => {
  const scimType = SCIM_TYPES.get(error) ?? (status === STATUS.malformed ? 'invalidValue' : undefined);
  const texts = (details?.errors ?? []).map((each) => each.message).filter((text) => text !== message);
  response.status(status).type(SCIM_TYPE);
  const detail = [message, ...texts].join(' ');
  response.send(JSON.stringify({ schemas: [ERROR_SCHEMA], status: String(status), scimType, detail }));
};

/** The OpenAPI document does not contain the paths of SCIM. */
const sendUnknownPath: SendFailure = (failure, request, response) => {
  const message =
    `There is no ${request.method} ${request.path}. Below /scim/v2/WORKSPACE_ID are Users, Groups, ` +
    'ServiceProviderConfig, ResourceTypes and Schemas.';
  sendScimFailure({ ...failure, message }, request, response);
};
