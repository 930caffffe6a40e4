import type { NextFunction, Request, Response } from 'express';

const API = /^\/v\d+\//i;

/** What the API answers is its caller's alone, and no cache keeps it, unless a handler says otherwise. */
export function privateAnswers(request: Request, response: Response, next: NextFunction): void {
  if (API.test(request.path)) response.setHeader('Cache-Control', 'no-store');
  next();
}
