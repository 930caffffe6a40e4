import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ENVELOPE_MESSAGE } from './envelope.js';

/** Stores what the reply needs of the metadata of the handler, which only guards and interceptors know. */
@Injectable()
export class EnvelopeMessageGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    request.envelopeMessage = this.reflector.get<string | undefined>(ENVELOPE_MESSAGE, context.getHandler());
    return true;
  }
}
