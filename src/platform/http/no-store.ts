import type { NextFunction, Request, Response } from 'express';

const API = /^\/v\d+\//i;

/** Is the request for the API, and not for what stands beside it: health, metrics, documents? */
export function isApi({ path }: Request): boolean {
  return API.test(path);
}

/** What the API answers is its caller's alone, and no cache keeps it, unless a handler says otherwise. */
export function noStore(request: Request, response: Response, next: NextFunction): void {
  if (isApi(request)) response.setHeader('Cache-Control', 'no-store');
  next();
}
