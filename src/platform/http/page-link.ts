import type { Request } from 'express';

/** The `Link` header to the next page; undefined on the last page. @param publicUrl base address of the service. */
export function nextPageLink(publicUrl: string, { originalUrl }: Request, nextCursor: string): string {
  const url = new URL(publicUrl + originalUrl);
  url.searchParams.set('cursor', nextCursor);
  return `<${url.href}>; rel="next"`;
}
