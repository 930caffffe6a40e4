import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';
import { DEPRECATION, type Deprecation } from './deprecated.decorator.js';
import { ENVELOPE_MESSAGE } from './envelope.js';

const WORKSPACE = '{workspaceId}';

/**
 * Applies the metadata of the handler that a reply needs, which only guards and interceptors know: stores the message
 * of the envelope, and sets the deprecation headers. Runs before all other guards, so that their errors have the
 * headers, too; and again after the access guard, which knows the workspace in the successor's path.
 */
@Injectable()
export class ReplyMetadataGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    request.envelopeMessage = this.reflector.get<string | undefined>(ENVELOPE_MESSAGE, context.getHandler());
    const deprecation = this.reflector.get<Deprecation | undefined>(DEPRECATION, context.getHandler());
    if (deprecation) {
      const { principal } = request;
      const response = context.switchToHttp().getResponse<Response>();
      const successor = deprecation.successor.replace(
        WORKSPACE,
        principal?.workspaceIds[0] ?? encodeURIComponent(WORKSPACE),
      );
      response.setHeader('Deprecation', `@${Date.parse(deprecation.since) / 1000}`);
      if (deprecation.sunset) response.setHeader('Sunset', new Date(deprecation.sunset).toUTCString());
      response.setHeader('Link', `<${this.config.http.publicUrl}${successor}>; rel="successor-version"`);
    }
    return true;
  }
}
